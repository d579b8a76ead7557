"""Speech and non-speech segments of the excerpts, made of the turns of the speakers (OpenKWS13 plan 5.2.1).

In each excerpt the turns that lie wholly inside are taken by begin time: one that begins after the last segment leaves
a non-speech segment before its own; one that begins where the last segment ends is a segment of its own; one that
begins earlier makes the last segment longer. What is left of the excerpt is non-speech.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.timeline import bisect, rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.reference import Reference
    from validator.tables import Codes, Floats

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Segments:
    """Segments in the order of the ECF and of time.

    Excerpts that overlap lie in different layers; in one layer and place segments ascend. ``first`` gives the rows
    of layer l and place p: ``first[l * places + p]`` to ``first[l * places + p + 1]``; ``order`` lists them so.
    """

    excerpt: Rows
    place: Codes
    begin_s: Floats
    end_s: Floats
    layers: int
    order: Rows
    first: Rows

    def __len__(self) -> int:
        return len(self.excerpt)

    def holding(self, place: Codes, time: Floats) -> Rows:
        """Return the first segment, in the order of the ECF, that holds a time (bounds included), or -1."""
        found = np.full(len(place), -1, dtype=np.int64)
        if not len(self):
            return found
        places = (len(self.first) - 1) // self.layers
        end, begin = self.end_s[self.order], self.begin_s[self.order]
        just_before = np.nextafter(time, -np.inf)
        for layer in range(self.layers):
            where = layer * places + np.maximum(place, 0)
            stop = self.first[where + 1]
            at = bisect(end, self.first[where], stop, just_before)
            inside = (at < stop) & (place >= 0) & (found < 0)
            at = np.minimum(at, len(self) - 1)
            inside &= begin[at] <= time
            np.copyto(found, self.order[at], where=inside)
        return found


@dataclass(frozen=True, slots=True)
class Tags:
    """When a speaker's turn was read: the segment that was current then, and how far it reached."""

    group: Rows  # layer, place and speaker as one number, ascending
    segment: Rows
    begin_s: Floats
    end_s: Floats


@dataclass(slots=True)
class _Draft:
    """Segments and tags while they are being made, row by row."""

    excerpt: list[int]
    begin_s: list[float]
    end_s: list[float]
    turn: list[int]
    turn_segment: list[int]
    turn_end_s: list[float]

    def add(self, excerpt: int, begin: float, end: float) -> None:
        self.excerpt.append(excerpt)
        self.begin_s.append(begin)
        self.end_s.append(end)


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segments, and which words lie in them."""

    segments: Segments
    tags: Tags
    speakers: int
    places: int

    def tagged(self, place: Codes, speaker: Codes, begin: Floats, end: Floats) -> Rows:
        """Return the segment that words are tagged with, or -1.

        A word gets the segment of its speaker's turn if it lay wholly inside when that turn was read; where turns
        disagree the last one read decides.
        """
        found = np.full(len(place), -1, dtype=np.int64)
        if not len(self.tags.group):
            return found
        known, first = np.unique(self.tags.group, return_index=True)
        edge = np.append(first, len(self.tags.group)).astype(np.int64)
        for layer in range(self.segments.layers):
            group = (layer * self.places + place.astype(np.int64)) * self.speakers + speaker
            at = np.minimum(np.searchsorted(known, group), len(known) - 1)
            low = edge[at]
            last = bisect(self.tags.begin_s, low, edge[at + 1], begin) - 1
            inside = (known[at] == group) & (last >= low) & (self.tags.end_s[last] >= end)
            np.copyto(found, self.tags.segment[last], where=inside)
        return found


def segmentation(reference: Reference) -> Segmentation:
    """Cut the excerpts of the ECF into segments."""
    base, turns = reference.base, reference.speakers
    draft = _Draft([], [], [], [], [], [])
    order = np.lexsort((turns.begin_s, turns.place))  # stable: equal begins stay in file order
    first = np.searchsorted(turns.place[order], np.arange(len(base.places) + 1))
    regions = base.regions
    decimals = reference.conventions.end_decimals
    start = rounded(turns.begin_s, decimals)
    for number, place in enumerate(regions.place.tolist()):
        rows = order[first[place] : first[place + 1]]
        begin, end = regions.begin_s[number], regions.end_s[number]
        rows = rows[(turns.begin_s[rows] >= begin) & (turns.end_s[rows] <= end)]
        columns = (rows, turns.begin_s[rows], turns.end_s[rows], start[rows])
        _cut(draft, number, (float(begin), float(end)), list(zip(*(c.tolist() for c in columns), strict=True)))
    return _finished(reference, draft)


def _cut(draft: _Draft, excerpt: int, span: tuple[float, float], turns: list[tuple[int, float, float, float]]) -> None:
    """Cut one excerpt at its turns: (row, begin, rounded end, rounded begin), by begin."""
    reached, end = span
    speech = False
    for row, begin, turn_end, written in turns:
        if begin > reached:
            draft.add(excerpt, reached, written)
            reached, speech = written, False
        if begin == reached:
            draft.add(excerpt, begin, turn_end)
            reached, speech = turn_end, True
        elif begin < reached and speech:
            reached = max(reached, turn_end)
            draft.end_s[-1] = reached
        else:
            continue  # more decimals than a segment has: the turn touches nothing
        draft.turn.append(row)
        draft.turn_segment.append(len(draft.end_s) - 1)
        draft.turn_end_s.append(reached)
    if end > reached:
        draft.add(excerpt, reached, end)


def _finished(reference: Reference, draft: _Draft) -> Segmentation:
    base, turns = reference.base, reference.speakers
    excerpt = np.array(draft.excerpt, dtype=np.int64)
    layer = _layers(reference)
    places = len(base.places)
    speakers = int(max(turns.speaker.max(initial=0), reference.lexemes.speaker.max(initial=0))) + 1
    table = segments(reference, excerpt, np.array(draft.begin_s), np.array(draft.end_s))
    row = np.array(draft.turn, dtype=np.int64)
    segment = np.array(draft.turn_segment, dtype=np.int64)
    group = (layer[excerpt[segment]] * places + turns.place[row]) * speakers + turns.speaker[row]
    order = np.argsort(group, kind="stable")
    segment = segment[order]
    tags = Tags(group[order], segment, table.begin_s[segment], np.array(draft.turn_end_s, dtype=np.float64)[order])
    return Segmentation(table, tags, speakers, places)


def segments(reference: Reference, excerpt: Rows, begin_s: Floats, end_s: Floats) -> Segments:
    """Make the table of segments of their excerpts and times, in the order of the ECF."""
    layer = _layers(reference)
    places = len(reference.base.places)
    place = reference.base.regions.place[excerpt]
    layers = int(layer.max(initial=0)) + 1
    where = layer[excerpt] * places + place
    order = np.argsort(where, kind="stable")
    first = np.searchsorted(where[order], np.arange(layers * places + 1))
    return Segments(excerpt, place, begin_s, end_s, layers, order, first)


def _layers(reference: Reference) -> Rows:
    """Put excerpts into layers: within one, the excerpts of a place ascend and do not overlap."""
    regions = reference.base.regions
    reached: dict[int, float] = {}
    level: dict[int, int] = {}
    layer = []
    for place, begin, end in zip(regions.place.tolist(), regions.begin_s.tolist(), regions.end_s.tolist(), strict=True):
        if begin < reached.get(place, -np.inf):
            level[place] = level.get(place, 0) + 1
        reached[place] = end
        layer.append(level.get(place, 0))
    return np.array(layer, dtype=np.int64)
