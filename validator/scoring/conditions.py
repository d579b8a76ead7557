"""Parts of an experiment: by source type, sets of keywords, attributes of keywords, OOV.

Every part is an Alignment of its own, so every measure exists for it. Only source types change the time base: the
duration and the trials of a part are those of its excerpts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.timebase import duration_s, trials

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from validator.scoring.alignment import Alignment
    from validator.scoring.reference import Reference
    from validator.scoring.segmentation import Segments
    from validator.tables import Flags, Keyword, KwsList

    Rows = NDArray[np.int64]

_PADDED = "Syllables"  # values of this attribute are written with two digits


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A name for all that one of the patterns describes; patterns match whole texts, in any letter case."""

    name: str
    patterns: tuple[str, ...]

    def matches(self, text: str) -> bool:
        """Tell whether a text belongs to the set."""
        return any(re.fullmatch(pattern, text, re.IGNORECASE) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class AttributeQuery:
    """An attribute of keywords; with a pattern only the values in which it is found."""

    attribute: str
    pattern: str | None = None

    def value(self, keyword: Keyword) -> str | None:
        """Return the keyword's value, None if it has none that fits."""
        value = dict(keyword.attributes).get(self.attribute)
        if value is None or (self.pattern is not None and not re.search(self.pattern, value)):
            return None
        return value.zfill(2) if self.attribute == _PADDED and value.isdigit() else value


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of an experiment."""

    name: str
    alignment: Alignment


def by_keyword_sets(reference: Reference, alignment: Alignment, sets: Iterable[NamedSet]) -> tuple[Part, ...]:
    """Split by keyword ids; a keyword may be in several sets."""
    ids = [keyword.kwid for keyword in reference.keywords.keywords]
    silent = _silent(alignment) if reference.conventions.grouped_by_trials else np.zeros(len(ids), dtype=bool)
    parts = []
    for one in sets:
        member = np.array([one.matches(kwid) for kwid in ids], dtype=bool)
        parts.append(_of_keywords(one.name, alignment, member, member | silent))
    return tuple(parts)


def by_attributes(reference: Reference, alignment: Alignment, queries: Sequence[AttributeQuery]) -> tuple[Part, ...]:
    """Split by the values of attributes: one part for each combination, of the keywords that have them all."""
    names: dict[str, list[int]] = {}
    for number, keyword in enumerate(reference.keywords.keywords):
        values = [(query.attribute, query.value(keyword)) for query in queries]
        if all(value is not None for _, value in values):
            names.setdefault(" X ".join(f"{name}-{value}" for name, value in values), []).append(number)
    parts = []
    for name in sorted(names):
        member = np.zeros(len(reference.keywords.keywords), dtype=bool)
        member[names[name]] = True
        parts.append(_of_keywords(name, alignment, member, member))
    return tuple(parts)


def by_oov(
    reference: Reference, alignment: Alignment, system: KwsList, drawn: Segments | None = None
) -> tuple[Part, ...]:
    """Split into keywords that are out of the system's vocabulary (oov_count above 0) and all others.

    For an alignment of segments ``drawn`` are the segments.
    """
    unseen = {one.kwid for one in system.lists if one.oov_count}
    if drawn is not None and not reference.conventions.segments_know_oov:
        unseen = set()
    oov = np.array([keyword.kwid in unseen for keyword in reference.keywords.keywords], dtype=bool)
    known = ~_silent(alignment) if reference.conventions.grouped_by_trials else np.ones_like(oov)
    groups = {"IV": ~oov & known, "OOV": oov & known}
    parts = (_of_keywords(name, alignment, member, member) for name, member in groups.items())
    return tuple(part for part in parts if part.alignment.listed.any())


def by_source_types(
    reference: Reference, alignment: Alignment, system: KwsList, sets: Iterable[NamedSet], drawn: Segments | None = None
) -> tuple[Part, ...]:
    """Split by the source type of the excerpt that holds a reference's first word, or else the detection.

    For an alignment of segments ``drawn`` are the segments: they are its trials.
    """
    excerpt = alignment.excerpt if alignment.excerpt is not None else _excerpts(reference, alignment, system)
    types = reference.base.source_types
    parts = []
    for one in sets:
        chosen = np.array([*map(one.matches, types), False], dtype=bool)
        rows = chosen[excerpt]
        member = alignment.listed
        if reference.conventions.grouped_by_trials:
            member = _silent(alignment)
            member[alignment.keyword[rows]] = True
        duration = duration_s(reference.base, reference.conventions, one.matches)
        count = trials(duration, reference.conventions, reference.parameters)
        if drawn is not None:
            count = float(chosen[drawn.excerpt].sum())
        part = alignment.at(rows, listed=member & alignment.listed, duration_s=duration, trials=count)
        parts.append(Part(one.name, part))
    return tuple(parts)


def _silent(alignment: Alignment) -> Flags:
    """Tell which keywords of the experiment have no trial at all."""
    silent = alignment.listed.copy()
    silent[alignment.keyword] = False
    return silent


def _of_keywords(name: str, alignment: Alignment, trial_of: Flags, member: Flags) -> Part:
    rows = trial_of[alignment.keyword]
    part = alignment.at(
        rows, listed=member & alignment.listed, duration_s=alignment.duration_s, trials=alignment.trials
    )
    return Part(name, part)


def _excerpts(reference: Reference, alignment: Alignment, system: KwsList) -> Rows:
    """Return the excerpt of each row, -1 where none holds it."""
    begin, end = alignment.ref_begin_s, np.append(alignment.targets.first_end_s, np.nan)[alignment.target]
    alone = np.flatnonzero(alignment.target < 0)
    row = alignment.detection[alone]
    begin[alone] = system.detections.begin_s[row]
    end[alone] = begin[alone] + system.detections.duration_s[row]
    return reference.base.excerpt_of(alignment.place, begin, end)
