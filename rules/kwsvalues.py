"""Values of a KWSList: scores, durations, times, and detections that are there twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, rule, sampled

from .kwsopen import A5, ERROR, OK, WARNING, content, detections, in_list, placed, row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from validator.submission import OpenRun


@rule("KWS401", "duplicate-detection", cites="F4DE ValidateKWSList", plan=OK, tool=ERROR, needs=("content",))
def duplicate_detection(opened: OpenRun) -> Iterator[Defect]:
    """No detection is there twice: same keyword, file, channel, times, score and decision, as text.

    Why: the same detection twice is one answer given twice; at best one of them can be correct.
    Bad: two equal lines <kw file="X" channel="1" tbeg="1.0" dur="0.5" score="0.9" decision="YES"/>
    Good: one of them
    Fix: remove the second one; look for the reason in the system.
    NIST: F4DE calls it a warning, but a warning makes the file invalid. 1.0 and 1.00 are different texts.
    """
    table = detections(opened)
    rows = np.flatnonzero(table.valid)
    if "ecf" in opened.references:  # NIST's tool deletes what is not in the ECF before it looks for duplicates
        where = opened.once(placed)
        rows = rows[(where.channel_spelt & where.inside)[rows]]
    key = table.text[rows].copy()
    for column in (table.keyword, table.file, table.channel, table.yes):
        key = (key ^ column[rows].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(32)
    order = np.argsort(key)
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    pairs = np.sort(np.stack([rows[order[again]], rows[order[again + 1]]]), axis=0)
    earlier = dict(zip(pairs[1].tolist(), pairs[0].tolist(), strict=True))
    for at, count in sampled(np.array(sorted(earlier), dtype=np.intp)):
        message = "the same detection again; it is at {other} already"
        yield Defect(row(opened, at), message, count=count, other=row(opened, earlier[at]))


@rule("KWS411", "score-outside-range", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def score_outside_range(opened: OpenRun) -> Iterator[Defect]:
    """Every score lies between min_score and max_score, where they are given.

    Why: the header promises it, and the alignment uses the range.
    Bad: score="1.2" with max_score="1"
    Good: score="0.98" with max_score="1"
    Fix: correct max_score and min_score, or the score.
    NIST: F4DE stops reading at it and then complains about missing keywords.
    """
    head, table = content(opened).table, detections(opened)
    if head.min_score is None or head.max_score is None:
        return
    outside = table.valid & ((table.score < head.min_score) | (table.score > head.max_score))
    for at, count in sampled(np.flatnonzero(outside)):
        message = f"score {{value}} is outside of min_score to max_score, {head.min_score:g} to {head.max_score:g}"
        yield Defect(row(opened, at, "score"), message, count=count)


@rule("KWS412", "nan-score", cites="OpenKWS13 3.5", plan=ERROR, tool=OK, needs=("content",))
def nan_score(opened: OpenRun) -> Iterator[Defect]:
    """Every score is a number.

    Why: larger scores mean likelier detections; NaN is neither larger nor smaller than anything.
    Bad: score="NaN"
    Good: score="-4.2"
    Fix: find out where the system divides by zero, or leave the detection out.
    NIST: the schema and F4DE let NaN pass; it then silently distorts the scores.
    """
    table = detections(opened)
    for at, count in sampled(np.flatnonzero(table.valid & np.isnan(table.score))):
        yield Defect(row(opened, at, "score"), "score is {value}, which is not a number", count=count)


@rule("KWS413", "infinite-score", cites="OpenKWS13 3.5", plan=WARNING, tool=OK, needs=("content",))
def infinite_score(opened: OpenRun) -> Iterator[Defect]:
    """Scores are finite.

    Why: infinite scores all tie, and curves over thresholds lose their ends.
    Bad: score="INF" or score="1e999"
    Good: score="12.7"
    Fix: cap the scores at a finite number.
    NIST: F4DE lets them pass.
    """
    table = detections(opened)
    for at, count in sampled(np.flatnonzero(table.valid & np.isinf(table.score))):
        yield Defect(row(opened, at, "score"), "score {value} is infinite", count=count)


@rule("KWS414", "no-duration", cites=A5, plan=WARNING, tool=OK, needs=("content",))
def no_duration(opened: OpenRun) -> Iterator[Defect]:
    """Every detection lasts longer than nothing.

    Why: dur is the duration of the keyword; its middle decides what it is aligned with.
    Bad: dur="0.00"
    Good: dur="0.31"
    Fix: write the duration, not the end time.
    NIST: F4DE lets zero and negative durations pass.
    """
    table = detections(opened)
    for at, count in sampled(np.flatnonzero(table.valid & (table.duration_s <= 0))):
        yield Defect(row(opened, at, "dur"), "dur is {value}; it should be above 0", count=count)


@rule("KWS417", "negative-search-time", cites=A5, plan=WARNING, tool=OK, needs=("content",))
def negative_search_time(opened: OpenRun) -> Iterator[Defect]:
    """search_time is not negative.

    Why: it is the CPU time that was spent on the keyword, in seconds.
    Bad: search_time="-1"
    Good: search_time="2.57"
    Fix: write the measured time.
    NIST: F4DE does not look at the sign.
    """
    for detected in content(opened).table.lists:
        if detected.search_time_s < 0:
            yield Defect(in_list(opened, detected, "search_time"), "search_time is {value}; it should not be negative")


@rule("KWS423", "overlapping-detections", cites="OpenKWS13 5.1.1", plan=WARNING, tool=WARNING, needs=("content",))
def overlapping_detections(opened: OpenRun) -> Iterator[Defect]:
    """Detections of one keyword in one channel do not overlap.

    Why: a spoken word can be matched once; all but one of the overlapping detections are false alarms.
    Bad: the same keyword at 10.0 to 10.5 s and at 10.2 to 10.7 s
    Good: the better one of the two
    Fix: keep the detection with the best score of each overlapping group.
    NIST: F4DE does not look; at scoring one can be correct at most.
    """
    table = detections(opened)
    rows = np.flatnonzero(table.valid)
    files, channels = max(1, len(table.files)), max(1, len(table.channels))
    track = (table.keyword[rows].astype(np.int64) * files + table.file[rows]) * channels + table.channel[rows]
    order = _sorted_by(track, table.begin_s[rows])
    ahead, behind = rows[order[:-1]], rows[order[1:]]
    end = table.begin_s[ahead] + table.duration_s[ahead]
    overlap = (track[order[1:]] == track[order[:-1]]) & (end - table.begin_s[behind] > 1e-6)
    overlap &= table.text[ahead] != table.text[behind]  # the same detection twice is another rule's business
    earlier = dict(zip(behind[overlap].tolist(), ahead[overlap].tolist(), strict=True))
    for at, count in sampled(np.sort(behind[overlap])):
        message = "this detection overlaps the one of the same keyword at {other}"
        yield Defect(row(opened, at, "tbeg"), message, count=count, other=row(opened, earlier[at]))


def _sorted_by(track: NDArray[np.int64], begin: NDArray[np.float64]) -> NDArray[np.intp]:
    """Sort by track, then begin: by one whole number for both where microseconds and tracks fit into it."""
    if not len(track):
        return np.zeros(0, dtype=np.intp)
    low, high = float(begin.min()), float(begin.max())
    if not (high - low) * 1e6 * (float(track.max()) + 2) < 2**62:
        return np.lexsort((begin, track))
    step = np.int64((high - low) * 1e6) + 2
    return np.argsort(track * step + ((begin - low) * 1e6).astype(np.int64))


RULES = (
    duplicate_detection,
    score_outside_range,
    nan_score,
    infinite_score,
    no_duration,
    negative_search_time,
    overlapping_detections,
)
