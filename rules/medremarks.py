"""What scores tell about a MED run (7xx): why it cannot be scored, and warnings that save people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Rule, Severity

from .medtables import UNREADABLE, coverage, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun

ERROR, WARNING = Severity.ERROR, Severity.WARNING
_FAR = 0.1  # of NDC above minNDC, from which on the threshold is worth a word

NOT_SCORABLE: Rule[object] = Rule(
    "MED701",
    "run-not-scorable",
    "MED11 4.1",
    ERROR,
    ERROR,
    """A run can be scored.

    Why: a score that is no number, a trial with two scores, or no trial at all leave nothing to compute.
    Bad: "72.P001","NaN"
    Good: "72.P001","0.0627"
    Fix: mend what the message names.
    NIST: F4DE's scorer stops.
    """,
    follows=(*UNREADABLE, "MED301", "MED306", "MED307", "MED309", "MED401", "MED411", "MED421"),
)
THRESHOLD_OFF: Rule[object] = Rule(
    "MED711",
    "threshold-costs",
    "MED11 4.2",
    WARNING,
    Severity.OK,
    """The NDC of a run is close to its minimum NDC.

    Why: the difference is what the thresholds cost on this data.
    Bad: NDC 1.86 with minNDC 0.63
    Good: NDC 0.66 with minNDC 0.63
    Fix: set the thresholds near those of the minimum, if other data agrees (--format json has them by event).
    NIST: F4DE reports both and draws no conclusion.
    """,
)
RULES = (NOT_SCORABLE, THRESHOLD_OFF)


def obstacles(opened: OpenRun, columns: dict[str, tuple[str, ...]]) -> Iterator[tuple[Rule[object], Defect]]:
    """Say why a run cannot be scored; ``columns`` are those that are needed, the first of each table being its id."""
    held = opened.once(coverage)
    if held is not None and not held.processed.any():
        message = "no event has scores of known trials and a threshold"
        yield NOT_SCORABLE, Defect(Place(opened.file_of("detection")), message)
    for name, wanted in columns.items():
        file = opened.file_of(name)
        found = with_columns(opened, name, *wanted)
        if found is None:
            yield NOT_SCORABLE, Defect(Place(file), f"the {name} table lacks one of {', '.join(wanted)}")
            continue
        if len(found.index(wanted[0]).repeated):
            row = int(found.index(wanted[0]).repeated[0])
            yield NOT_SCORABLE, Defect(found.place(row, wanted[0]), f"{wanted[0]} {{value}} is there twice")
        for column in wanted[1:]:
            numbers = found.numbers(column)
            if not numbers.is_number.all():
                row = int(numbers.is_number.argmin())
                yield NOT_SCORABLE, Defect(found.place(row, column), f"{column} is no number: {{value}}")


def standouts(opened: OpenRun, actual: float | None, best: float | None) -> Iterator[tuple[Rule[object], Defect]]:
    """Say what stands out in the scores of a run."""
    if actual is not None and best is not None and actual - best > _FAR:
        message = f"NDC is {actual:.4f}, minNDC {best:.4f}: other thresholds would have been better"
        yield THRESHOLD_OFF, Defect(Place(opened.file_of("threshold")), message)
