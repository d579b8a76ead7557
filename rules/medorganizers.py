"""Rules of the organizers' MED tables: columns, ids, values, and whether the tables refer to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Scope, Severity, rule, sampled
from validator.suggest import quoted

from .medtables import missing_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.csvtable import CsvTable
    from validator.submission import OpenFile
    from validator.tables import Offsets

ERROR, OK = Severity.ERROR, Severity.OK
FILE, DATA = Scope.FILE, "MED11 2.1, App. C"
COLUMNS = {
    "trial-index": ("TrialID", "ClipID", "EventID"),
    "reference": ("TrialID", "Targ"),
    "event-db": ("EventID", "EventName"),
    "clip-db": ("ClipID", "DURATION"),
    "judgements": ("ClipID", "EventID", "INSTANCE_TYPE"),
}
ALL = "|".join(COLUMNS)
# All columns of the plan (2.1), which does not say what else judgements have.
PLAN_COLUMNS = {
    **{name: columns for name, columns in COLUMNS.items() if name != "judgements"},
    "clip-db": ("ClipID", "MEDIA_FILE", "CODEC", "MD5SUM", "DURATION"),
}
_SYNTAX = ("CSV202", "CSV204", "CSV211", "CSV213", "CSV216", "CSV217", "CSV218", "MED451")
_NULL = "NULL"


def _table(opened: OpenFile, *columns: str) -> CsvTable | None:
    found = cast("CsvTable", opened.content.table)
    return found if found.has(*columns) else None


def _other(opened: OpenFile, role: str, *columns: str) -> CsvTable | None:
    found = cast("CsvTable | None", opened.references.get(role))
    return found if found is not None and found.has(*columns) else None


def _repeated(found: CsvTable | None, column: str) -> Iterator[Defect]:
    if found is not None:
        index = found.index(column)
        rows = index.repeated
        for row, count in sampled(rows[found.complete[rows]]):
            first = found.place(int(index.first[row]), column)
            message = f"{column} {{value}} is there twice; first at {{other}}"
            yield Defect(found.place(row, column), message, count=count, other=first)


def _unknown(
    found: CsvTable | None, other: CsvTable | None, column: str, table: str, but: int = -1
) -> Iterator[Defect]:
    """Find values of a column that another table does not have, but for the value that is first in one row."""
    if found is None or other is None:
        return
    lacking = (other.rows_of(column, found) < 0) & found.complete
    heads: Offsets = found.groups(column).first[lacking[found.groups(column).first]]
    for row, count in sampled(heads[heads != but]):
        yield Defect(found.place(row, column), f"{column} {{value}} is not in the {table} table", count=count)


@rule("MED451", "table-column", cites=DATA, plan=ERROR, tool=ERROR, scope=FILE, needs=(ALL,))
def table_column(opened: OpenFile) -> Iterator[Defect]:
    """Each of the organizers' tables has its columns, named exactly so.

    Why: columns are found by their names.
    Bad: "TrialId","ClipID","EventID"
    Good: "TrialID","ClipID","EventID"
    Fix: correct the name.
    NIST: F4DE does not load it.
    """
    found = cast("CsvTable", opened.content.table)
    if found.header:
        yield from missing_columns(found, COLUMNS[opened.format])


@rule(
    "MED462",
    "table-column-of-plan",
    cites="MED11 2.1",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("|".join(PLAN_COLUMNS),),
    follows=_SYNTAX,
)
def table_column_of_plan(opened: OpenFile) -> Iterator[Defect]:
    """A trial index, a reference, an EventDB or a ClipMD table has the columns of the plan and no others.

    Why: participants' programs read them.
    Bad: a ClipMD table without MD5SUM
    Good: "ClipID","MEDIA_FILE","CODEC","MD5SUM","DURATION"
    Fix: write the columns of section 2.1 and Appendix C.
    NIST: F4DE uses none of these for MED11 scores.
    """
    found, wanted = cast("CsvTable", opened.content.table), PLAN_COLUMNS[opened.format]
    lacking = [name for name in wanted if name not in (*found.header, *COLUMNS[opened.format])]
    if found.header and lacking:
        yield Defect(found.header_place(), f"there is no column {', '.join(lacking)}")
    extra = [at for at, name in enumerate(found.header) if name not in wanted]
    for number, count in sampled(np.array(extra, dtype=np.int64)):
        yield Defect(found.header_place(number), "the plan has no column {value}", count=count)


@rule(
    "MED452",
    "trial-id-twice",
    cites=DATA,
    plan=ERROR,
    tool=ERROR,
    scope=FILE,
    needs=("trial-index|reference",),
    follows=_SYNTAX,
)
def trial_id_twice(opened: OpenFile) -> Iterator[Defect]:
    """Every TrialID of a trial index or a reference is there once.

    Why: the TrialID identifies the trial through the whole evaluation.
    Bad: "72.P001" in two lines
    Good: "72.P001" in one line
    Fix: remove one of them.
    NIST: F4DE does not load it: the TrialID is not unique.
    """
    yield from _repeated(_table(opened, "TrialID"), "TrialID")


@rule("MED453", "id-twice", cites=DATA, plan=ERROR, tool=OK, scope=FILE, needs=("clip-db|event-db",), follows=_SYNTAX)
def id_twice(opened: OpenFile) -> Iterator[Defect]:
    """Every clip of a ClipMD table and every event of an EventDB table is there once.

    Why: hours of video would be counted twice; an event would have two names.
    Bad: "72" in two lines of the ClipMD table
    Good: "72" in one line
    Fix: remove one of them.
    NIST: F4DE uses neither table for MED11 scores.
    """
    column = "ClipID" if opened.format == "clip-db" else "EventID"
    yield from _repeated(_table(opened, column), column)


@rule(
    "MED454",
    "neither-y-nor-n",
    cites="MED11 4.3",
    plan=ERROR,
    tool=ERROR,
    scope=FILE,
    needs=("reference",),
    follows=_SYNTAX,
)
def neither_y_nor_n(opened: OpenFile) -> Iterator[Defect]:
    """Targ is y or n.

    Why: a trial is positive or it is not.
    Bad: "72.P001","yes"
    Good: "72.P001","y"
    Fix: write y or n, in small letters.
    NIST: F4DE's scorer stops at anything else.
    """
    found = _table(opened, "Targ")
    if found is not None:
        groups = found.groups("Targ")
        wrong = np.array([found.text("Targ", int(row)) not in ("y", "n") for row in groups.first], dtype=bool)
        rows = np.flatnonzero(wrong[groups.number] & found.complete) if wrong.any() else groups.first[:0]
        for row, count in sampled(rows):
            yield Defect(found.place(row, "Targ"), "Targ is {value}; it must be y or n", count=count)


@rule(
    "MED455",
    "clip-without-duration",
    cites="MED11 4.1",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("clip-db",),
    follows=_SYNTAX,
)
def no_duration(opened: OpenFile) -> Iterator[Defect]:
    """Every clip lasts longer than nothing: DURATION is a number of seconds above 0.

    Why: real-time factors are computed from the hours of video.
    Bad: "72",...,"-1"
    Good: "72",...,"193.89"
    Fix: correct the duration.
    NIST: F4DE never uses it for MED11.
    """
    found = _table(opened, "DURATION")
    if found is not None:
        value = found.numbers("DURATION").value
        for row, count in sampled(np.flatnonzero(~(value > 0) & found.complete)):
            yield Defect(found.place(row, "DURATION"), "DURATION is {value}; it must be above 0", count=count)


@rule(
    "MED456",
    "empty-table",
    cites=DATA,
    plan=ERROR,
    tool=ERROR,
    scope=FILE,
    needs=("trial-index|reference|clip-db",),
    follows=_SYNTAX,
)
def empty_table(opened: OpenFile) -> Iterator[Defect]:
    """A trial index, a reference or a ClipMD table has at least one line below its header.

    Why: there is nothing to evaluate.
    Bad: "TrialID","ClipID","EventID" and nothing else
    Good: a line for each trial
    Fix: write the table.
    NIST: F4DE finds no trial to score.
    """
    found = cast("CsvTable", opened.content.table)
    if found.header and not len(found):
        yield Defect(found.header_place(), "the table has a header and no lines")


@rule(
    "MED457",
    "not-the-full-matrix",
    cites="MED11 2.1",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("trial-index",),
    follows=_SYNTAX,
)
def not_the_full_matrix(opened: OpenFile) -> Iterator[Defect]:
    """A trial index has one trial for each pair of a clip and an event.

    Why: each clip of the collection is searched for each event.
    Bad: 10 events, 34000 clips, and 339999 trials
    Good: 340000 trials
    Fix: add what is missing, remove what is there twice.
    NIST: F4DE takes the index as it is.
    """
    found = _table(opened, "ClipID", "EventID")
    if found is None or not len(found):
        return
    clips, events = found.groups("ClipID"), found.groups("EventID")
    pairs = np.sort(clips.number * len(events) + events.number)
    distinct = 1 + int(np.count_nonzero(pairs[1:] != pairs[:-1]))
    whole = len(clips) * len(events)
    if distinct != whole or len(found) != whole:
        message = f"{len(clips)} clips and {len(events)} events make {whole} pairs; {distinct} are there"
        twice = f", in {len(found)} lines" if distinct != len(found) else ""
        yield Defect(found.header_place(), message + twice)


@rule(
    "MED458",
    "trial-not-judged",
    cites="MED11 4.3",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("reference", "with:trial-index"),
    follows=_SYNTAX,
)
def trial_not_judged(opened: OpenFile) -> Iterator[Defect]:
    """A reference has every trial of its trial index (--data).

    Why: a trial that is not there counts as not positive, whatever the clip shows.
    Bad: "72.P001" in the index and not in the reference
    Good: a line for each trial of the index
    Fix: add the trial.
    NIST: F4DE counts such trials as non-targets.
    """
    found, index = _table(opened, "TrialID"), _other(opened, "trial-index", "TrialID")
    if found is not None and index is not None:
        for row, count in sampled(np.flatnonzero(found.rows_of("TrialID", index) < 0)):
            trial = quoted(index.text("TrialID", row))
            yield Defect(found.header_place(), f"trial {trial} of the index is not in the reference", count=count)


@rule(
    "MED459",
    "judged-no-trial",
    cites="MED11 4.3",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("reference", "with:trial-index"),
    follows=_SYNTAX,
)
def judged_no_trial(opened: OpenFile) -> Iterator[Defect]:
    """A reference has no trial that its trial index (--data) has not.

    Why: nobody was asked about it.
    Bad: "99.P001" in the reference and not in the index
    Good: the trials of the index
    Fix: remove the line, or correct the TrialID.
    NIST: F4DE does not look.
    """
    found, index = _table(opened, "TrialID"), _other(opened, "trial-index", "TrialID")
    yield from _unknown(found, index, "TrialID", "trial index")


@rule(
    "MED460",
    "unknown-clip",
    cites="MED11 2.1",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("trial-index|judgements", "with:clip-db"),
    follows=_SYNTAX,
)
def unknown_clip(opened: OpenFile) -> Iterator[Defect]:
    """Every ClipID of a trial index or of judgements is in the ClipMD table (--data).

    Why: a clip that nobody has cannot be searched.
    Bad: "99" in the trial index and not in the ClipMD table
    Good: clips of the ClipMD table
    Fix: correct the ClipID, or add the clip.
    NIST: F4DE does not look.
    """
    yield from _unknown(_table(opened, "ClipID"), _other(opened, "clip-db", "ClipID"), "ClipID", "ClipMD")


@rule(
    "MED461",
    "unknown-event",
    cites="MED11 2.1",
    plan=ERROR,
    tool=OK,
    scope=FILE,
    needs=("trial-index|judgements", "with:event-db"),
    follows=_SYNTAX,
)
def unknown_event(opened: OpenFile) -> Iterator[Defect]:
    """Every EventID of a trial index or of judgements is in the EventDB table (--data); judgements may say NULL.

    Why: an event that has no name has no definition.
    Bad: "E099" in the trial index and not in the EventDB table
    Good: events of the EventDB table
    Fix: correct the EventID, or add the event.
    NIST: F4DE does not look.
    """
    found = _table(opened, "EventID")
    null = found.row_of("EventID", _NULL) if found is not None and opened.format == "judgements" else -1
    yield from _unknown(found, _other(opened, "event-db", "EventID"), "EventID", "EventDB", null)


RULES = (
    table_column,
    table_column_of_plan,
    trial_id_twice,
    id_twice,
    neither_y_nor_n,
    no_duration,
    empty_table,
    not_the_full_matrix,
    trial_not_judged,
    judged_no_trial,
    unknown_clip,
    unknown_event,
)
