"""Inferred-segment scoring: a trial is a segment of speech or non-speech (OpenKWS13 plan 5.2).

::

    P_FA(kw) = segments with a false alarm / segments without the keyword

The measures are those of occurrence scoring; only the alignment differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.alignment import Alignment, Outcome, Targets
from validator.scoring.hits import placed, repeated, searched
from validator.scoring.matching import Windows, candidates
from validator.scoring.segmentation import segmentation, segments
from validator.scoring.timeline import bisect, rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.hits import Searched
    from validator.scoring.matching import Pairs
    from validator.scoring.reference import Reference
    from validator.scoring.segmentation import Segments
    from validator.tables import Codes, Flags, Floats, KwsList

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SegmentReference:
    """The segments, and the pairs of a keyword and a segment that holds it, sorted."""

    reference: Reference
    segments: Segments
    keyword: Codes
    segment: Rows


def segment_reference(reference: Reference) -> SegmentReference:
    """Cut the excerpts into segments and find the keywords in them."""
    drawn = segmentation(reference)
    if reference.conventions.segments_joined:
        return _joined(reference, drawn.segments)
    found, words = reference.found, reference.lexemes
    tags = [
        drawn.tagged(found.place, words.speaker[row], words.begin_s[row], words.end_s[row])
        for row in (found.first, found.last)
    ]
    whole = np.flatnonzero((tags[0] >= 0) & (tags[0] == tags[1]))
    return _distinct(reference, drawn.segments, found.keyword[whole], tags[0][whole])


def _distinct(reference: Reference, table: Segments, keyword: Codes, segment: Rows) -> SegmentReference:
    """Count each segment once for a keyword."""
    width = max(len(table), 1)
    pair = np.unique(keyword.astype(np.int64) * width + segment, return_counts=True)[0]  # or numpy imports numpy.ma
    return SegmentReference(reference, table, (pair // width).astype(np.int32), pair % width)


def _joined(reference: Reference, drawn: Segments) -> SegmentReference:
    """Join the segments that a keyword spans, leave out those without scored time, and place the keywords."""
    found = reference.scored
    if not len(drawn):
        return _distinct(reference, drawn, found.keyword[:0], found.first[:0])
    excerpt = reference.base.excerpt_of(found.place, found.begin_s, reference.lexemes.end_s[found.first])
    first = np.searchsorted(drawn.excerpt, np.arange(len(reference.base.regions.place) + 1))
    segmented = np.flatnonzero((excerpt >= 0) & (first[excerpt] < first[excerpt + 1]))  # one of no length is not
    found, excerpt = found.at(segmented), excerpt[segmented]
    low, high = first[excerpt], first[excerpt + 1]
    left = np.maximum(bisect(drawn.begin_s, low, high, found.begin_s) - 1, low)
    right = np.minimum(bisect(drawn.end_s, low, high, np.nextafter(found.end_s, -np.inf)), high - 1)
    right = np.maximum(left, right)
    count = len(drawn)
    spans = np.cumsum(np.bincount(left, minlength=count) - np.bincount(right, minlength=count))
    number = np.cumsum(np.append(0, spans[:-1] == 0))[:count]
    begins = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(begins[1:], count) - 1
    silent = reference.base.noscore.hold(drawn.place[begins], drawn.begin_s[begins], drawn.end_s[ends])
    scored = np.flatnonzero(~silent)
    table = segments(reference, drawn.excerpt[begins][scored], drawn.begin_s[begins][scored], drawn.end_s[ends][scored])
    renumbered = np.full(len(begins), -1, dtype=np.int64)
    renumbered[scored] = np.arange(len(scored))
    segment = renumbered[number[left]]
    return _distinct(reference, table, found.keyword[segment >= 0], segment[segment >= 0])


def align_segments(prepared: SegmentReference, system: KwsList) -> Alignment:
    """Put the detections of a system into segments and compare these with the references.

    A detection whose midpoint lies on the bound of two segments that both hold the keyword has two rows where the
    law lets it hit both.
    """
    reference, table = prepared.reference, prepared.segments
    lists = searched(reference, system)
    hits = _best(prepared, lists, system)
    listed = _listed(prepared, lists)
    wanted = _wanted(prepared, lists, listed)
    pairs = _mapped(prepared, hits, wanted)
    omitted = np.ones(len(wanted.unit), dtype=bool)
    omitted[pairs.reference] = False
    left = np.flatnonzero(omitted)
    free = np.ones(len(hits.row), dtype=bool)
    free[pairs.detection] = False
    row = np.concatenate([np.flatnonzero(free), pairs.detection])
    target = np.concatenate([np.full(int(free.sum()), -1), wanted.segment[pairs.reference]])
    outcome = np.where(target >= 0, Outcome.CORRECT, Outcome.FALSE_ALARM) + ~hits.yes[row]
    segment = np.concatenate([np.where(target >= 0, target, hits.segment[row]), wanted.segment[left]])
    return Alignment(
        keyword=lists.keyword[np.concatenate([hits.unit[row], wanted.unit[left]])],
        place=table.place[segment],
        target=np.concatenate([target, wanted.segment[left]]),
        detection=np.concatenate([hits.row[row], np.full(len(left), -1)]),
        score=np.concatenate([system.detections.score[hits.row[row]], np.full(len(left), np.nan)]),
        outcome=np.concatenate([outcome, np.full(len(left), Outcome.MISS)]).astype(np.int8),
        targets=Targets(table.begin_s, table.end_s, table.end_s),
        excerpt=table.excerpt[segment],
        places=reference.base.places.names,
        listed=listed,
        duration_s=reference.duration_s,
        trials=float(len(table)),
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The segments that hold the keyword of a unit, sorted by unit, place and begin."""

    unit: Rows
    segment: Rows


def _wanted(prepared: SegmentReference, lists: Searched, listed: Flags) -> _Wanted:
    kept = np.flatnonzero(listed[prepared.keyword])
    rows, unit = repeated(prepared.keyword[kept], lists)
    segment = prepared.segment[kept][rows]
    table = prepared.segments
    order = np.lexsort((table.begin_s[segment], table.place[segment], unit))
    return _Wanted(unit[order].astype(np.int64), segment[order])


def _mapped(prepared: SegmentReference, hits: _Hits, wanted: _Wanted) -> Pairs:
    """Find, for each segment that holds a keyword, the detection that finds it: the one inside, else on its bounds."""
    table = prepared.segments
    width = len(prepared.reference.base.places)
    windows = Windows(
        group=wanted.unit * width + table.place[wanted.segment],
        low=table.begin_s[wanted.segment],
        high=table.end_s[wanted.segment],
    )
    pairs = candidates(windows, hits.unit * width + table.place[hits.segment], hits.middle_s)
    inside = hits.segment[pairs.detection] == wanted.segment[pairs.reference]
    if not prepared.reference.conventions.segment_bounds_shared:
        pairs, inside = pairs.at(inside), inside[inside]
    order = np.lexsort((pairs.detection, -hits.score[pairs.detection], ~inside, pairs.reference))
    first = order[np.flatnonzero(np.diff(pairs.reference[order], prepend=-1))]
    return pairs.at(np.sort(first))


def _listed(prepared: SegmentReference, lists: Searched) -> Flags:
    """Tell which keywords are part of the experiment."""
    parameters, conventions = prepared.reference.parameters, prepared.reference.conventions
    if not parameters.just_system_keywords:
        return np.ones_like(lists.listed)
    listed = lists.listed.copy()
    if conventions.segments_keep_unlisted:
        listed[prepared.keyword] = True
    return listed


@dataclass(frozen=True, slots=True)
class _Hits:
    """The best detection of each unit in each segment, by row."""

    row: Rows
    unit: Rows
    segment: Rows
    middle_s: Floats
    score: Floats
    yes: Flags


def _best(prepared: SegmentReference, lists: Searched, system: KwsList) -> _Hits:
    """Keep, of the detections of a unit in a segment, the highest score; of equal ones the first."""
    reference, detections = prepared.reference, system.detections
    place = placed(reference, detections)
    middle = rounded(detections.begin_s + detections.duration_s / 2, reference.conventions.system_decimals)
    unit = lists.of_list[detections.keyword].astype(np.int64)
    segment = prepared.segments.holding(place, middle)
    kept = (segment >= 0) & (unit >= 0) & detections.valid & ~np.isnan(detections.score)
    if len(reference.base.noscore.begin):
        kept &= ~reference.base.noscore.hold(place, middle, middle)
    row = np.flatnonzero(kept)
    key = unit[row] * max(len(prepared.segments), 1) + segment[row]
    order = np.argsort(key, kind="stable")
    key, row = key[order], row[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    run = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(row))))
    score, yes = detections.score[row], detections.yes[row]
    highest = np.maximum.reduceat(score, first) if len(first) else score
    top = np.flatnonzero(score == highest[run])
    top = top[np.flatnonzero(np.diff(run[top], prepend=-1))]
    decided = yes[top]
    if reference.conventions.segment_any_hit and len(first):
        decided = np.logical_or.reduceat(yes, first)
    back = np.argsort(row[top], kind="stable")
    best = row[top][back]
    return _Hits(best, unit[best], segment[best], middle[best], detections.score[best], decided[back])
