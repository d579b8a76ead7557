"""The time base: excerpts by place, how much audio they are, how many trials that makes (OpenKWS13 plan 5.1.2.1, A.1).

::

    trials = n_tps * T_speech        (plan; 0.5 of the duration for splitcts)
"""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.conventions import DurationRule
from validator.scoring.places import Place, Places, ecf_file, numbered
from validator.scoring.timeline import Spans, rounded, spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from validator.scoring.conventions import TwvConventions, TwvParameters
    from validator.tables import Codes, Ecf, Flags, Floats, Tokens

    _Piece = tuple[float, float]

_HALVED = "splitcts"


class Regions(NamedTuple):
    """Stretches of places, as columns in the order of their file."""

    place: Codes
    begin_s: Floats
    end_s: Floats

    def sorted(self, places: int) -> Spans:
        """Sort them for look-ups."""
        return spans(self.place, self.begin_s, self.end_s, places)


class TimeBase(NamedTuple):
    """The excerpts of an ECF, and the regions that are not scored: none where the law does not know NOSCORE."""

    places: Places
    regions: Regions
    lengths_s: Floats  # of the excerpts, as the ECF has them
    source_types: tuple[str, ...]
    noscore_regions: Regions
    excerpts: Spans
    noscore: Spans

    def hold(self, place: Codes, begin: Floats, end: Floats) -> Flags:
        """Tell whether one excerpt holds [begin, end]."""
        return self.excerpts.hold(place, begin, end)

    def excerpt_of(self, place: Codes, begin: Floats, end: Floats) -> NDArray[np.int64]:
        """Return the first excerpt of the ECF that holds [begin, end], or -1."""
        found = np.full(len(place), -1, dtype=np.int64)
        by_place: dict[int, list[int]] = {}
        for number, where in enumerate(self.regions.place.tolist()):
            by_place.setdefault(where, []).append(number)
        depth = max(map(len, by_place.values()), default=0)
        table = np.full((len(self.places) + 1, depth), -1, dtype=np.int64)
        for where, numbers in by_place.items():
            table[where, : len(numbers)] = numbers
        for level in range(depth):
            number = table[place, level]
            inside = (number >= 0) & (self.regions.begin_s[number] <= begin) & (end <= self.regions.end_s[number])
            np.copyto(found, number, where=inside & (found < 0))
        return found


def timebase(ecf: Ecf, tokens: Tokens, conventions: TwvConventions) -> TimeBase:
    """Collect the places of an ECF and of the references, and sort the excerpts."""
    in_ecf = [Place(ecf_file(e.audio_filename, conventions), e.channel) for e in ecf.excerpts]
    places = numbered([*in_ecf, *_token_places(tokens)])
    place = np.array([places.numbers[where] for where in in_ecf], dtype=np.int32)
    begin = np.array([e.begin_s for e in ecf.excerpts], dtype=np.float64)
    duration = np.array([e.duration_s for e in ecf.excerpts], dtype=np.float64)
    end = rounded(begin + duration, conventions.end_decimals)
    regions = Regions(place, begin, end)
    unscored = _noscore(tokens, places, conventions)
    return TimeBase(
        places=places,
        regions=regions,
        lengths_s=duration,
        source_types=tuple(e.source_type for e in ecf.excerpts),
        noscore_regions=unscored,
        excerpts=regions.sorted(len(places)),
        noscore=unscored.sorted(len(places)),
    )


def _token_places(tokens: Tokens) -> list[Place]:
    width = max(len(tokens.channels), 1)
    code = tokens.file.astype(np.int64) * width + tokens.channel
    pairs = np.unique(code, return_counts=True)[0].tolist()  # with counts, or else numpy imports all of numpy.ma
    return [Place(tokens.files[pair // width], tokens.channels[pair % width]) for pair in pairs]


def _noscore(tokens: Tokens, places: Places, conventions: TwvConventions) -> Regions:
    wanted = tokens.types.index("NOSCORE") if conventions.noscore and "NOSCORE" in tokens.types else -1
    rows = np.flatnonzero(tokens.type == wanted)
    place = places.codes(tokens.file[rows], tokens.channel[rows], tokens.files, tokens.channels)
    begin = tokens.begin_s[rows]
    return Regions(place, begin, rounded(begin + tokens.duration_s[rows], conventions.end_decimals))


def duration_s(base: TimeBase, conventions: TwvConventions, source: Callable[[str], bool] = lambda _: True) -> float:
    """Return the seconds of audio in the excerpts whose source type ``source`` accepts."""
    regions = base.regions
    times = (column.tolist() for column in (regions.place, regions.begin_s, regions.end_s, base.lengths_s))
    chosen = [
        _Stretch(base.places.names[place], begin, end, length, halved=kind == _HALVED)
        for place, begin, end, length, kind in zip(*times, base.source_types, strict=True)
        if source(kind)
    ]
    return _DURATIONS[conventions.duration_rule](chosen, base, conventions.splitcts_weight)


def trials(duration: float, conventions: TwvConventions, parameters: TwvParameters) -> float:
    """Return the number of trials of each keyword in ``duration`` seconds."""
    n = parameters.trials_per_second
    count = duration / n if conventions.trials_divided else n * duration
    return float(f"{count:.0f}") if conventions.trials_rounded else count


class _Stretch(NamedTuple):
    """One excerpt."""

    place: Place
    begin_s: float
    end_s: float
    length_s: float
    halved: bool

    def weighed(self, length: float, weight: float) -> float:
        return length * (weight if self.halved else 1.0)


def _cut_at_next(excerpts: list[_Stretch], _: TimeBase, weight: float) -> float:
    """Cut each excerpt where the next one of its file begins, add what is left."""
    files: dict[str, list[_Stretch]] = {}
    for excerpt in excerpts:
        files.setdefault(excerpt.place.file, []).append(excerpt)
    lengths = []
    for members in files.values():
        members.sort(key=lambda one: (one.begin_s, one.end_s))
        ends = [min(one.end_s, after.begin_s) for one, after in pairwise(members)] + [members[-1].end_s]
        lengths += [one.weighed(end - one.begin_s, weight) for one, end in zip(members, ends, strict=True)]
    return fsum(lengths)


def _union(excerpts: list[_Stretch], base: TimeBase, weight: float) -> float:
    """Add the time that is evaluated: of each channel for splitcts, of the recording for the rest."""
    holes: dict[Place, list[_Piece]] = {}
    hidden = base.noscore_regions
    for place, begin, end in zip(hidden.place.tolist(), hidden.begin_s.tolist(), hidden.end_s.tolist(), strict=True):
        holes.setdefault(base.places.names[place], []).append((begin, end))
    scored: dict[Place, list[_Piece]] = {}
    for one in excerpts:
        side = one.place if one.halved else Place(one.place.file, "")
        pieces = _without(one.begin_s, one.end_s, _merged(holes.get(one.place, [])))
        scored.setdefault(side, []).extend(pieces)
    lengths = [
        (end - begin) * (weight if side.channel else 1.0)
        for side, pieces in scored.items()
        for begin, end in _merged(pieces)
    ]
    return fsum(lengths)


def _first_channel(excerpts: list[_Stretch], _: TimeBase, weight: float) -> float:
    """Add the durations of the excerpts of channel 1, with all their digits."""
    return fsum(one.weighed(one.length_s, weight) for one in excerpts if one.place.channel == "1")


def _merged(pieces: Iterable[_Piece]) -> list[_Piece]:
    merged: list[_Piece] = []
    for begin, end in sorted(pieces):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return merged


def _without(begin: float, end: float, holes: list[_Piece]) -> list[_Piece]:
    pieces = []
    for left, right in holes:
        if left < end and right > begin:
            pieces.append((begin, left))
            begin = right
    pieces.append((begin, end))
    return [(left, right) for left, right in pieces if right > left]


_DURATIONS = {
    DurationRule.CUT_AT_NEXT: _cut_at_next,
    DurationRule.UNION: _union,
    DurationRule.FIRST_CHANNEL: _first_channel,
}
