"""Syntax defects in bounded memory: exact counts, and the first few of each kind in full."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from validator.model import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from validator.model import Defect, Rule


_MANY = "\0"  # a kind that no file can name


class Problems:
    """Collects (rule, Defect) pairs while a file is read, however many there are."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], tuple[Rule[object], list[Defect]]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def note(self, rule: Rule[object], kind: str, make: Callable[[], Defect], *, count: int = 1) -> None:
        """Count occurrences of a rule; ``make`` is called only while samples of this kind are wanted."""
        key = self._key(rule, kind)
        _, samples = self._kinds.setdefault(key, (rule, []))
        self._counts[key] = self._counts.get(key, 0) + count
        if len(samples) < SAMPLES:
            samples.append(make())

    def note_each(
        self,
        rule: Rule[object],
        kind: str,
        places: NDArray[np.int64],
        make: Callable[[int], Defect],
        *,
        more: int = 0,
    ) -> None:
        """Count an occurrence at each place, and ``more`` that are not listed; ``make`` is called for the first few."""
        if not len(places) + more:
            return
        key = (rule.code, kind)
        _, samples = self._kinds.setdefault(key, (rule, []))
        self._counts[key] = self._counts.get(key, 0) + len(places) + more
        samples.extend(make(place) for place in places[: SAMPLES - len(samples)].tolist())

    def wants(self, rule: Rule[object], kind: str) -> int:
        """Tell how many more samples of this kind would be kept."""
        return SAMPLES - len(self._kinds.get(self._key(rule, kind), (rule, []))[1])

    def _key(self, rule: Rule[object], kind: str) -> tuple[str, str]:
        """Return where a kind is counted; those of a rule that has many share one place, or they would fill memory."""
        key = (rule.code, kind)
        many = key not in self._kinds and sum(code == rule.code for code, _ in self._kinds) >= SAMPLES
        return (rule.code, _MANY) if many else key

    def __iter__(self) -> Iterator[tuple[Rule[object], Defect]]:
        """Give every sample; the last of a kind stands for all that were not kept."""
        for key, (rule, samples) in self._kinds.items():
            *first, last = samples
            yield from ((rule, defect) for defect in first)
            yield rule, replace(last, count=self._counts[key] - len(first))

    def __bool__(self) -> bool:
        return bool(self._kinds)
