"""Values in the tables of a MED run (4xx): scores, thresholds, ranks and processing times."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, Remedy, Severity, rule, sampled

from .medtables import DETECTION, INDEX, THRESHOLD, UNREADABLE, coverage, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.csvtable import CsvTable
    from validator.submission import OpenRun
    from validator.tables import Flags, Floats, Offsets

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
D22, TOOL = "MED11 2.2.2", "F4DE column types"
_MANY_HOURS = 1000
_LONG = 18  # characters from which on a decimal above 1 can be the double 1.0


def _comma(text: str) -> Remedy | None:
    mended = text.strip().replace(",", ".")
    return Remedy(f'write "{mended}"', "decimal comma") if "," in text and mended.count(".") == 1 else None


def _no_numbers(found: CsvTable | None, column: str) -> Iterator[Defect]:
    if found is not None:
        wrong = ~found.numbers(column).is_number & found.complete
        for row, count in sampled(np.flatnonzero(wrong)):
            yield Defect(found.place(row, column), f"{column} is no number: {{value}}", count=count, mend=_comma)


def _loose(found: CsvTable | None, column: str) -> Iterator[Defect]:
    if found is not None:
        for row, count in sampled(np.flatnonzero(found.numbers(column).loose)):
            message = f"NIST's checker takes the {column} {{value}} for text"
            yield Defect(found.place(row, column), message, "write digits on both sides of the point", count=count)


def _all_whole(found: CsvTable | None, column: str) -> Iterator[Defect]:
    if found is not None and len(found) and bool(found.numbers(column).whole.all()):
        message = f"NIST's checker takes the column {column} for integers: none of its values has a decimal point"
        yield Defect(found.place(0, column), message, f'write "{float(found.numbers(column).value[0])!r}"')


def _beyond(found: CsvTable) -> Iterator[int]:
    """Give the rows that are outside of 0..1 as decimals, although the nearest double is not."""
    column = "Score"
    value, length = found.numbers(column).value, found.texts(column).length
    doubtful = ((value == 1.0) & (length >= _LONG)) | ((value == 0.0) & np.signbit(value))
    for row in np.flatnonzero(doubtful).tolist():
        if not 0 <= Decimal(found.text(column, row).strip()) <= 1:
            yield row


@rule("MED401", "score-not-a-number", cites=D22, plan=ERROR, tool=ERROR, needs=(DETECTION,), follows=UNREADABLE)
def score_not_a_number(opened: OpenRun) -> Iterator[Defect]:
    """Every Score is a decimal number.

    Why: it is a probability.
    Bad: "72.P001","0,0627"
    Good: "72.P001","0.0627"
    Fix: write a number between 0 and 1 with a decimal point.
    NIST: F4DE takes the whole column for text, and refuses it.
    """
    yield from _no_numbers(with_columns(opened, "detection", "Score"), "Score")


@rule("MED402", "score-form", cites=TOOL, plan=OK, tool=ERROR, needs=(DETECTION,))
def score_form(opened: OpenRun) -> Iterator[Defect]:
    """Every Score is written with digits on both sides of its point, and without a plus sign.

    Why: NIST's checker knows no other form of a number.
    Bad: ".5", "5." or "+0.5"
    Good: "0.5"
    Fix: write the digits, leave the plus sign out.
    NIST: F4DE takes the whole column for text, and refuses it.
    """
    yield from _loose(with_columns(opened, "detection", "Score"), "Score")


@rule("MED403", "scores-all-integers", cites=TOOL, plan=OK, tool=ERROR, needs=(DETECTION,))
def scores_all_integers(opened: OpenRun) -> Iterator[Defect]:
    """Some Score has a decimal point.

    Why: 0 and 1 are legal probabilities, but NIST's checker wants a column of real numbers.
    Bad: "0" and "1" throughout; also "7e-4" throughout
    Good: "0.0" and "1.0"
    Fix: write the scores with a decimal point.
    NIST: F4DE takes the column for integers, and refuses it.
    """
    yield from _all_whole(with_columns(opened, "detection", "Score"), "Score")


@rule("MED404", "score-out-of-range", cites="MED11 2", plan=ERROR, tool=ERROR, needs=(DETECTION,))
def score_out_of_range(opened: OpenRun) -> Iterator[Defect]:
    """Every Score lies between 0 and 1.

    Why: it is a probability.
    Bad: "72.P001","1.25" or "-0.01"
    Good: "72.P001","0.978791"
    Fix: map the system's scores to probabilities, for instance with a logistic function.
    NIST: F4DE refuses it when it loads the scores.
    """
    found = with_columns(opened, "detection", "Score")
    if found is not None:
        value = found.numbers("Score").value
        for row, count in sampled(np.flatnonzero((value < 0) | (value > 1))):
            yield Defect(found.place(row, "Score"), "Score is {value}; it must lie between 0 and 1", count=count)


@rule("MED405", "score-beyond-by-digits", cites="MED11 2", plan=ERROR, tool=OK, needs=(DETECTION,))
def score_beyond_by_digits(opened: OpenRun) -> Iterator[Defect]:
    """Every Score lies between 0 and 1 to its last digit.

    Why: 1.00000000000000001 is above 1, even if computers round it.
    Bad: "72.P001","1.00000000000000001"
    Good: "72.P001","1.0"
    Fix: write 1.0 (or 0.0).
    NIST: F4DE rounds it first, and takes it.
    """
    found = with_columns(opened, "detection", "Score")
    if found is not None:
        for row, count in sampled(np.fromiter(_beyond(found), dtype=np.intp)):
            yield Defect(found.place(row, "Score"), "Score is {value}; it must lie between 0 and 1", count=count)


@rule("MED411", "threshold-not-a-number", cites=D22, plan=ERROR, tool=ERROR, needs=(THRESHOLD,), follows=UNREADABLE)
def threshold_not_a_number(opened: OpenRun) -> Iterator[Defect]:
    """Every DetectionThreshold is a decimal number.

    Why: scores are compared with it.
    Bad: "E007","0,43","0.310"
    Good: "E007","0.43","0.310"
    Fix: write a number between 0 and 1 with a decimal point.
    NIST: F4DE takes the whole column for text, and refuses it.
    """
    yield from _no_numbers(with_columns(opened, "threshold", "DetectionThreshold"), "DetectionThreshold")


@rule("MED412", "threshold-form", cites=TOOL, plan=OK, tool=ERROR, needs=(THRESHOLD,))
def threshold_form(opened: OpenRun) -> Iterator[Defect]:
    """Every DetectionThreshold is written with digits on both sides of its point, and without a plus sign.

    Why: NIST's checker knows no other form of a number.
    Bad: ".5", "5." or "+0.5"
    Good: "0.5"
    Fix: write the digits, leave the plus sign out.
    NIST: F4DE takes the whole column for text, and refuses it.
    """
    yield from _loose(with_columns(opened, "threshold", "DetectionThreshold"), "DetectionThreshold")


@rule("MED413", "thresholds-all-integers", cites=TOOL, plan=OK, tool=ERROR, needs=(THRESHOLD,))
def thresholds_all_integers(opened: OpenRun) -> Iterator[Defect]:
    """Some DetectionThreshold has a decimal point.

    Why: 0 and 1 are legal thresholds, but NIST's checker wants a column of real numbers.
    Bad: "1" throughout
    Good: "1.0"
    Fix: write the thresholds with a decimal point.
    NIST: F4DE takes the column for integers, and refuses it.
    """
    yield from _all_whole(with_columns(opened, "threshold", "DetectionThreshold"), "DetectionThreshold")


@rule("MED414", "threshold-out-of-range", cites="MED11 2", plan=ERROR, tool=OK, needs=(THRESHOLD,))
def threshold_out_of_range(opened: OpenRun) -> Iterator[Defect]:
    """Every DetectionThreshold lies between 0 and 1.

    Why: it is a probability.
    Bad: "E007","1.5","0.310"
    Good: "E007","0.43","0.310"
    Fix: map it to probabilities as the scores.
    NIST: F4DE does not look in MED11 and MED12, and refuses it from MED13 on.
    """
    found = with_columns(opened, "threshold", "DetectionThreshold")
    if found is not None:
        value = found.numbers("DetectionThreshold").value
        for row, count in sampled(np.flatnonzero((value < 0) | (value > 1))):
            message = "DetectionThreshold is {value}; it must lie between 0 and 1"
            yield Defect(found.place(row, "DetectionThreshold"), message, count=count)


def _times(opened: OpenRun) -> Iterator[tuple[CsvTable, str]]:
    for column in opened.submission.profile.list_of("threshold_columns"):
        found = with_columns(opened, "threshold", column) if column.endswith("TPT") else None
        if found is not None:
            yield found, column


@rule(
    "MED415", "time-not-a-number", cites="MED11 2.2.2, 4.1", plan=ERROR, tool=OK, needs=(THRESHOLD,), follows=UNREADABLE
)
def time_not_a_number(opened: OpenRun) -> Iterator[Defect]:
    """Every processing time is a decimal number of hours.

    Why: the speed of a system is part of its result.
    Bad: "E007","0.43","n/a"
    Good: "E007","0.43","0.310"
    Fix: write the wall-clock time in hours.
    NIST: F4DE wants the column, and does not look at its values.
    """
    for found, column in _times(opened):
        yield from _no_numbers(found, column)


@rule("MED416", "negative-time", cites="MED11 2.2.2, 4.1", plan=ERROR, tool=OK, needs=(THRESHOLD,))
def negative_time(opened: OpenRun) -> Iterator[Defect]:
    """No processing time is below 0.

    Why: nothing ends before it began.
    Bad: "E007","0.43","-0.310"
    Good: "E007","0.43","0.310"
    Fix: write the wall-clock time in hours.
    NIST: F4DE does not look in MED11 and MED12, and refuses it from MED13 on.
    """
    for found, column in _times(opened):
        for row, count in sampled(np.flatnonzero(found.numbers(column).value < 0)):
            yield Defect(found.place(row, column), f"{column} is {{value}}", count=count)


@rule("MED417", "time-in-seconds", cites="MED11 2.2.2, 4.1", plan=WARNING, tool=OK, needs=(THRESHOLD,))
def time_in_seconds(opened: OpenRun) -> Iterator[Defect]:
    """Processing times are hours, not seconds.

    Why: the plan wants wall-clock hours, although its example can only be seconds (5923.3).
    Bad: "E007","0.43","5923.3"
    Good: "E007","0.43","1.645"
    Fix: divide by 3600.
    NIST: F4DE does not look at the values.
    """
    video_h = _video_hours(opened)
    for found, column in _times(opened):
        value = found.numbers(column).value
        odd = (value > _MANY_HOURS) | ((value > 100 * video_h) if video_h else False)
        for row, count in sampled(np.flatnonzero(odd)):
            hours = float(value[row])
            message = f"{column} is {{value}} hours, {hours / 24:.0f} days: are these seconds?"
            yield Defect(found.place(row, column), message, f'if so, write "{hours / 3600:.3f}"', count=count)


def _video_hours(opened: OpenRun) -> float:
    clips = opened.references.get("clip-db")
    if clips is None or not clips.has("DURATION"):  # type: ignore[attr-defined]
        return 0.0
    return float(np.nansum(clips.numbers("DURATION").value)) / 3600  # type: ignore[attr-defined]


@rule("MED418", "time-differs", cites="F4DE MED13 and later", plan=ERROR, tool=ERROR, needs=(THRESHOLD,))
def time_differs(opened: OpenRun) -> Iterator[Defect]:
    """The time to make the metadata of the search collection is the same for all events.

    Why: the collection is processed once, before any event is known.
    Bad: SEARCHMDTPT "12.5" for E021 and "13.0" for E022
    Good: "12.5" for both
    Fix: write the one time in every line.
    NIST: F4DE refuses it from MED13 on.
    """
    for column in opened.submission.profile.list_of("same_for_all_events"):
        found = with_columns(opened, "threshold", column)
        if found is None or not len(found):
            continue
        value = found.numbers(column).value
        for row, count in sampled(np.flatnonzero((value != value[0]) & ~np.isnan(value))):
            message = f"{column} is {{value}}; in the first line it is {found.text(column, 0)}"
            yield Defect(found.place(row, column), message, count=count, other=found.place(0, column))


# -- ranks (MED14 and later) -------------------------------------------------------------------------------------


def _ranks(opened: OpenRun) -> Iterator[tuple[CsvTable, str]]:
    for part, column in (("detection", "Rank"), ("threshold", "RankThreshold")):
        found = with_columns(opened, part, column)
        if found is not None and column in opened.submission.profile.list_of(f"{part}_columns"):
            yield found, column


@rule("MED421", "rank-not-whole", cites="F4DE MED14 and later", plan=ERROR, tool=ERROR, follows=UNREADABLE)
def rank_not_whole(opened: OpenRun) -> Iterator[Defect]:
    """Every rank is a whole number from 1.

    Why: a rank is a place in a list.
    Bad: "72.E021","0"
    Good: "72.E021","1"
    Fix: number the clips of each event from 1, best first.
    NIST: F4DE refuses it.
    """
    for found, column in _ranks(opened):
        numbers = found.numbers(column)
        wrong = (~numbers.whole | (numbers.value < 1) | (numbers.value % 1 != 0)) & found.complete
        for row, count in sampled(np.flatnonzero(wrong)):
            yield Defect(
                found.place(row, column), f"{column} is {{value}}; it must be a whole number from 1", count=count
            )


@rule("MED422", "rank-twice", cites="F4DE MED15 and later", plan=ERROR, tool=ERROR, needs=(DETECTION, INDEX))
def rank_twice(opened: OpenRun) -> Iterator[Defect]:
    """No two clips have the same rank for one event; numbers may be left out.

    Why: the list is ordered.
    Bad: "72.E021","1" and "285.E021","1"
    Good: "72.E021","1" and "285.E021","2"
    Fix: break the tie.
    NIST: F4DE refuses it from MED15 on.
    """
    held, found = opened.once(coverage), with_columns(opened, "detection", "Rank")
    if held is None or found is None or not dict(opened.submission.profile.facts).get("unique_ranks"):
        return
    value = found.numbers("Rank").value
    order = np.lexsort((np.arange(len(value)), value, held.event))
    again = _again(held.event[order], value[order])
    rows = order[again]
    first = order[np.flatnonzero(again) - 1]
    ranked = np.argsort(rows)
    for at, (row, count) in zip(ranked.tolist(), sampled(rows[ranked]), strict=False):
        message = "rank {value} is there twice for this event; also at {other}"
        yield Defect(found.place(row, "Rank"), message, count=count, other=found.place(int(first[at]), "Rank"))


def _again(event: Offsets, value: Floats) -> Flags:
    again: Flags = np.append(False, (event[1:] == event[:-1]) & (value[1:] == value[:-1]))[: len(event)]
    return again & (event >= 0)


# -- warnings that NIST has not ----------------------------------------------------------------------------------


def _by_event(opened: OpenRun) -> Iterator[tuple[int, float, float]]:
    """Give each scored event with its lowest and highest score."""
    held, found = opened.once(coverage), with_columns(opened, "detection", "Score")
    if held is None or found is None:
        return
    value = found.numbers("Score").value
    usable = (held.event >= 0) & ~np.isnan(value)
    low, high = np.full(len(held.scored), np.inf), np.full(len(held.scored), -np.inf)
    np.minimum.at(low, held.event[usable], value[usable])
    np.maximum.at(high, held.event[usable], value[usable])
    for event in np.flatnonzero(low <= high).tolist():
        yield event, float(low[event]), float(high[event])


@rule("MED431", "equal-scores", cites="MED11 2", plan=WARNING, tool=OK, needs=(DETECTION, INDEX))
def equal_scores(opened: OpenRun) -> Iterator[Defect]:
    """The scores of an event differ.

    Why: with equal scores every threshold detects all clips or none.
    Bad: "0.5" for all clips of E007
    Good: a score that says how likely the event is in each clip
    Fix: look at why the system gives the same score to all clips.
    NIST: F4DE takes it.
    """
    held, found = opened.once(coverage), with_columns(opened, "detection", "Score")
    for event, low, high in _by_event(opened) if held is not None and found is not None else ():
        many = int(np.count_nonzero(held.event == event)) if low == high and held is not None else 0
        if many > 1 and found is not None and held is not None:
            row = int(np.argmax(held.event == event))
            message = f"all {many} scores of event {held.name(event)} are {{value}}"
            yield Defect(found.place(row, "Score"), message)


@rule(
    "MED432", "threshold-decides-nothing", cites="MED11 2", plan=WARNING, tool=OK, needs=(DETECTION, THRESHOLD, INDEX)
)
def threshold_decides_nothing(opened: OpenRun) -> Iterator[Defect]:
    """The threshold of an event lies between its lowest and its highest score.

    Why: otherwise the event is detected in every clip, or in none.
    Bad: threshold "0.9" with scores up to 0.7
    Good: threshold "0.45" with scores between 0.01 and 0.7
    Fix: check that thresholds and scores are on the same scale.
    NIST: F4DE takes it.
    """
    held, found = opened.once(coverage), with_columns(opened, "threshold", "EventID", "DetectionThreshold")
    if held is None or found is None:
        return
    value = found.numbers("DetectionThreshold").value
    spans = {event: (low, high) for event, low, high in _by_event(opened)}
    for row, event in enumerate(held.threshold_event[:10_000].tolist()):
        low, high = spans.get(event, (0.0, np.inf))
        if value[row] > high or (value[row] <= low < high):
            where = f"above the highest score {high:g}" if value[row] > high else f"not above the lowest score {low:g}"
            what = "no clip is" if value[row] > high else "all clips are"
            message = f"the threshold {{value}} is {where}: {what} detected"
            yield Defect(found.place(row, "DetectionThreshold"), message)


RULES = (
    score_not_a_number,
    score_form,
    scores_all_integers,
    score_out_of_range,
    score_beyond_by_digits,
    threshold_not_a_number,
    threshold_form,
    thresholds_all_integers,
    threshold_out_of_range,
    time_not_a_number,
    negative_time,
    time_in_seconds,
    time_differs,
    rank_not_whole,
    rank_twice,
    equal_scores,
    threshold_decides_nothing,
)
