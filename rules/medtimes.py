"""Processing times and ranks in the tables of a MED run (4xx)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Severity, rule, sampled

from .medtables import DETECTION, INDEX, THRESHOLD, UNREADABLE, coverage, with_columns
from .medvalues import no_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.csvtable import CsvTable
    from validator.submission import OpenRun
    from validator.tables import Flags, Floats, Offsets

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
_MANY_HOURS = 1000


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
        yield from no_numbers(found, column)


@rule("MED416", "negative-processing-time", cites="MED11 2.2.2, 4.1", plan=ERROR, tool=OK, needs=(THRESHOLD,))
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
    clips = cast("CsvTable | None", opened.references.get("clip-db"))
    return (
        float(np.nansum(clips.numbers("DURATION").value)) / 3600 if clips is not None and clips.has("DURATION") else 0.0
    )


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
        if found is not None:
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


RULES = (
    time_not_a_number,
    negative_time,
    time_in_seconds,
    time_differs,
    rank_not_whole,
    rank_twice,
)
