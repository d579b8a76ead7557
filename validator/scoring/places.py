"""Places: one channel of one recording, numbered in the order of the ECF (OpenKWS13 plan, A.1 and A.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from validator.scoring.conventions import TwvConventions
    from validator.tables import Codes

_TABLE = 1 << 16  # pairs of a file and a channel that are looked up whether they occur or not


class Place(NamedTuple):
    """One channel of one recording."""

    file: str
    channel: str


@dataclass(frozen=True, slots=True)
class Places:
    """All places that an ECF or the references name."""

    names: tuple[Place, ...]
    numbers: Mapping[Place, int]

    def __len__(self) -> int:
        return len(self.names)

    def codes(self, file: Codes, channel: Codes, files: tuple[str, ...], channels: tuple[str, ...]) -> Codes:
        """Turn columns of files and channels, with their texts, into places; -1 where there is no such place."""
        pair = file.astype(np.int64) * max(len(channels), 1) + channel
        if len(files) * len(channels) > _TABLE:
            known, pair = np.unique(pair, return_inverse=True)
        else:
            known = np.arange(len(files) * len(channels))
        numbers = [self._number(files, channels, *divmod(code, len(channels))) for code in known.tolist()]
        found: Codes = np.array(numbers, dtype=np.int32)[pair]
        return found

    def _number(self, files: tuple[str, ...], channels: tuple[str, ...], file: int, channel: int) -> int:
        return self.numbers.get(Place(files[file], channels[channel]), -1)


def numbered(places: Iterable[Place]) -> Places:
    """Give places numbers in the order in which they first appear."""
    numbers: dict[Place, int] = {}
    for place in places:
        numbers.setdefault(place, len(numbers))
    return Places(tuple(numbers), numbers)


def ecf_file(audio_filename: str, conventions: TwvConventions) -> str:
    """Return the file id of an excerpt: audio_filename without directory and extension."""
    base = audio_filename.rpartition("/")[2]
    stem, dot, extension = base.rpartition(".")
    known = bool(dot) and (not conventions.ecf_extensions or extension in conventions.ecf_extensions)
    if not known and conventions.ecf_path_needs_extension:
        return audio_filename
    return stem if known else base


def system_file(file: str) -> str:
    """Return the file id that a detection names: without directory, and without ``.sph`` where that is all after a dot.

    ``a.b.sph`` stays whole: its text after the first dot is not ``sph``.
    """
    base = file.rpartition("/")[2]
    stem, _, extension = base.partition(".")
    return stem if extension == "sph" else base
