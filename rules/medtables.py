"""The two tables of a MED run: their columns (2xx), and whether they cover the trial index (3xx)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Remedy, Severity, rule, sampled
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.csvtable import CsvTable
    from validator.submission import OpenRun
    from validator.tables import Flags, Offsets

ERROR, OK = Severity.ERROR, Severity.OK
D22 = "MED11 2.2.2"
DETECTION, THRESHOLD, INDEX = "part:detection", "part:threshold", "trial-index"
UNREADABLE = (
    *("CSV202", "CSV203", "CSV204", "CSV210", "CSV211", "CSV213", "CSV214", "CSV216", "CSV217", "CSV218"),
    "MED220",
)
_WRONG = (*UNREADABLE, "MED309")


def table(opened: OpenRun, name: str) -> CsvTable | None:
    """Return one of the run's tables: detection or threshold."""
    content = opened.part(name)
    return cast("CsvTable", content.table) if content is not None else None


def with_columns(opened: OpenRun, name: str, *columns: str) -> CsvTable | None:
    """Return one of the run's tables, if it has these columns and they are columns of the evaluation."""
    found = table(opened, name)
    known = set(columns) <= set(opened.submission.profile.list_of(f"{name}_columns"))
    return found if found is not None and known and found.has(*columns) else None


def _columns(opened: OpenRun) -> Iterator[tuple[CsvTable, tuple[str, ...]]]:
    for name in ("detection", "threshold"):
        found = table(opened, name)
        if found is not None and found.header:
            yield found, opened.submission.profile.list_of(f"{name}_columns")


def misspelt(header: tuple[str, ...], wanted: tuple[str, ...]) -> dict[str, int]:
    """Return for each wanted column that is missing the number of the column that was meant, -1 if there is none."""
    spare = {name: number for number, name in enumerate(header) if name not in wanted}
    found = {}
    for name in wanted:
        if name not in header:
            meant = nearest(name, spare)
            found[name] = spare.pop(meant) if meant is not None else -1
    return found


def missing_columns(found: CsvTable, wanted: tuple[str, ...]) -> Iterator[Defect]:
    """Find columns that a table lacks, and show what was written instead."""
    lacking = misspelt(found.header, wanted)
    if len(lacking) == len(wanted) and set(lacking.values()) == {-1}:
        message = f"the first line names none of the columns {', '.join(wanted)}"
        line = ",".join(f'"{name}"' for name in wanted)
        yield Defect(found.header_place(), message, f"write the header {line} above it")
        return
    for name, number in lacking.items():
        if number < 0:
            yield Defect(found.header_place(), f"there is no column {quoted(name)}", f"add the column {quoted(name)}")
        else:
            message = f"there is no column {quoted(name)}, but one named {{value}}"
            yield Defect(found.header_place(number), message, f"name it {quoted(name)}", f"did you mean {name}?")


@rule("MED220", "missing-column", cites="MED11 2.2.2, App. C", plan=ERROR, tool=ERROR)
def missing_column(opened: OpenRun) -> Iterator[Defect]:
    """A table has its columns, named exactly as section 2.2.2 names them; their order does not matter.

    Why: columns are found by their names. The plan's example in Appendix C misspells one: section 2.2.2 counts.
    Bad: "EventID","DectectionThrehold","DetectionTPT"
    Good: "EventID","DetectionThreshold","DetectionTPT"
    Fix: correct the name; letter case and blanks count.
    NIST: F4DE refuses it.
    """
    for found, wanted in _columns(opened):
        yield from missing_columns(found, wanted)


@rule("MED221", "extra-column", cites="MED11 2.2.2", plan=ERROR, tool=OK, follows=("MED220",), scorable=True)
def extra_column(opened: OpenRun) -> Iterator[Defect]:
    """A table has the columns of section 2.2.2 and no others.

    Why: the plan lists the columns.
    Bad: "TrialID","Score","Comment"
    Good: "TrialID","Score"
    Fix: remove the column.
    NIST: F4DE does not look at other columns.
    """
    for found, wanted in _columns(opened):
        meant = set(misspelt(found.header, wanted).values())
        extra = [at for at, name in enumerate(found.header) if name not in wanted and at not in meant]
        for number, count in sampled(np.array(extra, dtype=np.int64)):
            yield Defect(found.header_place(number), "the plan has no column {value}", count=count)


# -- 3xx: trials and events --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Coverage:
    """A run beside the trial index. Events are numbered as in the index.

    ``trial`` is the row of the index for each row of the detections, ``event`` its event, -1 for an unknown trial;
    ``threshold_event`` the event of each row of the thresholds. ``processed``: events with scores and a threshold;
    where no thresholds are known, all events with scores. ``missing`` are the rows of the index that should be there.
    """

    index: CsvTable
    trial: Offsets
    event: Offsets
    threshold_event: Offsets
    scored: Flags
    thresholded: Flags
    processed: Flags
    missing: Offsets

    def name(self, event: int) -> str:
        """Return the EventID of an event."""
        return self.index.text("EventID", int(self.index.groups("EventID").first[event]))


def coverage(opened: OpenRun) -> Coverage | None:
    """Hold a run against the trial index; None if its columns are not there."""
    index = cast("CsvTable", opened.references[INDEX])
    detection = with_columns(opened, "detection", "TrialID")
    if detection is None or not index.has("TrialID", "EventID"):
        return None
    events = index.groups("EventID")
    trial = index.rows_of("TrialID", detection)
    event = np.append(events.number, -1)[trial]
    scored = np.zeros(len(events), dtype=bool)
    scored[event[event >= 0]] = True
    thresholds = with_columns(opened, "threshold", "EventID")
    thresholded, of_threshold = scored, np.zeros(0, dtype=np.int64)
    if thresholds is not None:
        of_threshold = index.groups_of("EventID", thresholds)
        thresholded = np.zeros(len(events), dtype=bool)
        thresholded[of_threshold[of_threshold >= 0]] = True
    processed = scored & thresholded
    wanted = processed[events.number]
    wanted[trial[trial >= 0]] = False
    return Coverage(index, trial, event, of_threshold, scored, thresholded, processed, np.flatnonzero(wanted))


@rule("MED301", "trial-twice", cites=D22, plan=ERROR, tool=ERROR, needs=(DETECTION,), follows=UNREADABLE)
def trial_twice(opened: OpenRun) -> Iterator[Defect]:
    """Every TrialID of a detection file is there once, even if the scores are equal.

    Why: a trial has one score.
    Bad: "72.P001" in two lines
    Good: "72.P001" in one line
    Fix: remove one of them.
    NIST: F4DE refuses it: the TrialID is not unique.
    """
    found = with_columns(opened, "detection", "TrialID")
    if found is not None:
        if not opened.lacks(INDEX):
            opened.once(coverage)  # where its trials are those of the index, row by row, they share what was looked up
        index = found.index("TrialID")
        rows = index.repeated
        for row, count in sampled(rows[found.complete[rows]]):
            first = found.place(int(index.first[row]), "TrialID")
            yield Defect(
                found.place(row, "TrialID"), "trial {value} is there twice; first at {other}", count=count, other=first
            )


@rule("MED302", "unknown-trial", cites=D22, plan=ERROR, tool=ERROR, needs=(DETECTION, INDEX), follows=_WRONG)
def unknown_trial(opened: OpenRun) -> Iterator[Defect]:
    """Every TrialID of a detection file is in the trial index.

    Why: a score for something that was not asked for cannot be judged.
    Bad: "72.P009" with an index that ends at "72.P003"
    Good: only trials of the index
    Fix: correct the id, or remove the line.
    NIST: F4DE refuses it: a score that matches no trial.
    """
    held, found = opened.once(coverage), with_columns(opened, "detection", "TrialID")
    if held is not None and found is not None:
        for row, count in sampled(np.flatnonzero((held.trial < 0) & found.complete)):
            where, message = found.place(row, "TrialID"), "trial {value} is not in the trial index"
            yield Defect(where, message, count=count, mend=partial(_known_trial, index=held.index))


def _known_trial(text: str, index: CsvTable) -> Remedy | None:
    """Return the trial that was meant, if only blanks and letter case are wrong."""
    meant = (text.strip(), text.strip().upper(), text.strip().lower())
    found = next((trial for trial in meant if index.row_of("TrialID", trial) >= 0), None)
    return Remedy(f"write {quoted(found)}", f"did you mean {found}?") if found is not None else None


@rule("MED303", "missing-trial", cites=D22, plan=ERROR, tool=ERROR, needs=(DETECTION, INDEX), follows=_WRONG)
def missing_trial(opened: OpenRun) -> Iterator[Defect]:
    """Every clip has a score for each event that the system processed.

    Why: the scorer has no default score; a missing row is a missing decision.
    Bad: "72.P001" is in the index, P001 was processed, and there is no line "72.P001"
    Good: a line for every trial of every processed event
    Fix: add the line; a system without evidence writes its lowest score.
    NIST: F4DE refuses it, and lists all that are missing.
    """
    held, found = opened.once(coverage), with_columns(opened, "detection", "TrialID")
    if held is not None and found is not None:
        unknown = int(np.count_nonzero(held.trial < 0))
        misspelt_ids = ("MED302",) if unknown >= len(held.missing) else ()
        for row, count in sampled(held.missing):
            trial, event = held.index.text("TrialID", row), held.index.text("EventID", row)
            message = f"there is no score for trial {quoted(trial)} of event {quoted(event)}"
            hint = f"add a line for {quoted(trial)}"
            yield Defect(found.header_place(), message, hint, count=count, follows=misspelt_ids)


@rule(
    "MED304",
    "event-without-threshold",
    cites=D22,
    plan=ERROR,
    tool=ERROR,
    needs=(DETECTION, THRESHOLD, INDEX),
    follows=_WRONG,
)
def event_without_threshold(opened: OpenRun) -> Iterator[Defect]:
    """Every event that has scores has a line in the threshold file.

    Why: without a threshold there is no decision.
    Bad: scores for E007, and no "E007" in the threshold file
    Good: a line for each event that has scores
    Fix: add the event's threshold and processing time.
    NIST: F4DE refuses it: scores that match no trial of an event with a threshold.
    """
    held, found = opened.once(coverage), with_columns(opened, "threshold", "EventID")
    if held is not None and found is not None:
        for event in np.flatnonzero(held.scored & ~held.thresholded).tolist():
            message = f"event {quoted(held.name(event))} has scores, but no threshold"
            yield Defect(found.header_place(), message, f"add a line for {held.name(event)}")


@rule(
    "MED305",
    "threshold-without-scores",
    cites=D22,
    plan=ERROR,
    tool=ERROR,
    needs=(DETECTION, THRESHOLD, INDEX),
    follows=_WRONG,
)
def threshold_without_scores(opened: OpenRun) -> Iterator[Defect]:
    """Every event of the threshold file has scores.

    Why: a threshold decides about nothing else.
    Bad: "E012" in the threshold file, and no score for a trial of E012
    Good: thresholds for the events that were processed
    Fix: remove the line, or add the event's scores; correct the EventID if it is misspelt.
    NIST: F4DE refuses it: a threshold for an event without scores.
    """
    held, found = opened.once(coverage), with_columns(opened, "threshold", "EventID")
    if held is None or found is None or not held.scored.any():  # that no trial is known is another rule's business
        return
    known = held.threshold_event >= 0
    idle = ~np.append(held.scored, False)[held.threshold_event]
    for row, count in sampled(np.flatnonzero((~known | idle) & found.complete)):
        message = "event {value} has a threshold, but no scores" if known[row] else "event {value} is in no trial"
        meant = None if known[row] else nearest(found.text("EventID", row), map(held.name, range(len(held.scored))))
        label = f"did you mean {meant}?" if meant else ""
        yield Defect(found.place(row, "EventID"), message, f"write {meant}" if meant else "", label, count=count)


@rule("MED306", "threshold-twice", cites=D22, plan=ERROR, tool=ERROR, needs=(THRESHOLD,), follows=UNREADABLE)
def threshold_twice(opened: OpenRun) -> Iterator[Defect]:
    """Every event of a threshold file is there once.

    Why: an event has one threshold.
    Bad: "E007" in two lines
    Good: "E007" in one line
    Fix: remove one of them.
    NIST: F4DE refuses it: the EventID is not unique.
    """
    found = with_columns(opened, "threshold", "EventID")
    if found is not None:
        index = found.index("EventID")
        rows = index.repeated
        for row, count in sampled(rows[found.complete[rows]]):
            first = found.place(int(index.first[row]), "EventID")
            yield Defect(
                found.place(row, "EventID"), "event {value} is there twice; first at {other}", count=count, other=first
            )


@rule("MED307", "no-rows", cites=D22, plan=ERROR, tool=ERROR, follows=UNREADABLE)
def no_rows(opened: OpenRun) -> Iterator[Defect]:
    """A table has at least one line below its header.

    Why: a run processes at least one event.
    Bad: "TrialID","Score" and nothing else
    Good: a line for each trial
    Fix: write the system's output; look at why it is empty.
    NIST: F4DE refuses it: a column without values is no column of numbers.
    """
    for found, _ in _columns(opened):
        if not len(found):
            yield Defect(found.header_place(), "the table has a header and no lines")


@rule("MED309", "other-trial-index", cites=D22, plan=ERROR, tool=ERROR, needs=(DETECTION, INDEX), follows=UNREADABLE)
def other_trial_index(opened: OpenRun) -> Iterator[Defect]:
    """The trials of a run are those of the trial index.

    Why: without a single trial in common one of the two belongs to another data set.
    Bad: a run of DEVT with the index of MED11TEST
    Good: both of MED11TEST
    Fix: check which data set the run was made for, and which index was given with --data.
    NIST: F4DE refuses it: no recognised event.
    """
    held, found = opened.once(coverage), with_columns(opened, "detection", "TrialID")
    if held is not None and found is not None and len(found) and not held.scored.any():
        yield Defect(found.header_place(), f"none of the {len(found)} trials is in the trial index")


RULES = (
    missing_column,
    extra_column,
    trial_twice,
    unknown_trial,
    missing_trial,
    event_without_threshold,
    threshold_without_scores,
    threshold_twice,
    no_rows,
    other_trial_index,
)
