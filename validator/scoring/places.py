"""Places: one channel of one recording, numbered in the order of the ECF (OpenKWS13 plan, A.1 and A.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from validator.scoring.conventions import TwvConventions
    from validator.tables import Codes

_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)
_DIGITS = 24  # a channel that is longer is none


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

    def codes(self, file: Codes, channel: Codes, files: Iterable[str], channels: Iterable[str]) -> Codes:
        """Turn columns of files and channels, with their texts, into places; -1 where there is no such place."""
        of_file = {name: rank for rank, name in enumerate({place.file for place in self.names})}
        of_channel = {name: rank for rank, name in enumerate({place.channel for place in self.names})}
        numbers = np.full((len(of_file) + 1, len(of_channel) + 1), -1, dtype=np.int32)  # the last: unknown
        for place, number in self.numbers.items():
            numbers[of_file[place.file], of_channel[place.channel]] = number
        found: Codes = numbers[_ranks(files, of_file)[file], _ranks(channels, of_channel)[channel]]
        return found

    def spelt(self, channels: Iterable[str]) -> Iterator[str]:
        """Write whole numbers as the places do."""
        names = {int(place.channel): place.channel for place in self.names if _is_whole(place.channel)}
        return (names.get(int(text), text) if _is_whole(text) else text for text in channels)


def _is_whole(text: str) -> bool:
    return len(text) <= _DIGITS and _WHOLE.fullmatch(text) is not None


def _ranks(texts: Iterable[str], known: Mapping[str, int]) -> Codes:
    return np.array([known.get(text, -1) for text in texts], dtype=np.int32)


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
