"""Values in the tables of a MED run (4xx): scores and thresholds."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, Remedy, Severity, rule, sampled

from .medtables import DETECTION, THRESHOLD, UNREADABLE, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.csvtable import CsvTable
    from validator.submission import OpenRun

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
D22, TOOL = "MED11 2.2.2", "F4DE column types"
_LONG = 18  # characters from which on a decimal above 1 can be the double 1.0


def _comma(text: str) -> Remedy | None:
    mended = text.strip().replace(",", ".")
    return Remedy(f'write "{mended}"', "decimal comma") if "," in text and mended.count(".") == 1 else None


def no_numbers(found: CsvTable | None, column: str) -> Iterator[Defect]:
    """Find values of a column that are no decimal numbers."""
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
        message = f"NIST's checker takes {column} for integers: none of its values has a decimal point"
        yield Defect(found.place(0, column), message, f'write "{float(found.numbers(column).value[0])!r}"')


def _beyond(found: CsvTable, column: str) -> Iterator[int]:
    """Give the rows that are outside of 0..1 as decimals, although the nearest double is not."""
    value, length = found.numbers(column).value, found.texts(column).length
    doubtful = ((value == 1.0) & (length >= _LONG)) | ((value == 0.0) & np.signbit(value))
    for row in np.flatnonzero(doubtful).tolist():
        text = found.text(column, row).strip()
        tiny = not value[row] and text.lower().partition("e")[0].strip("-.0")  # below 0 by a digit far behind the point
        if tiny or (value[row] and Decimal(text) > 1):
            yield row


@rule("MED401", "score-no-number", cites=D22, plan=ERROR, tool=ERROR, needs=(DETECTION,), follows=UNREADABLE)
def score_not_a_number(opened: OpenRun) -> Iterator[Defect]:
    """Every Score is a decimal number.

    Why: it is a probability.
    Bad: "72.P001","0,0627"
    Good: "72.P001","0.0627"
    Fix: write a number between 0 and 1 with a decimal point.
    NIST: F4DE takes the whole column for text, and refuses it.
    """
    yield from no_numbers(with_columns(opened, "detection", "Score"), "Score")


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


@rule("MED405", "beyond-by-digits", cites="MED11 2", plan=ERROR, tool=OK)
def beyond_by_digits(opened: OpenRun) -> Iterator[Defect]:
    """Every Score and every DetectionThreshold lies between 0 and 1 to its last digit.

    Why: 1.00000000000000001 is above 1, even if computers round it.
    Bad: "72.P001","1.00000000000000001"
    Good: "72.P001","1.0"
    Fix: write 1.0 (or 0.0).
    NIST: F4DE rounds it first, and takes it.
    """
    for part, column in (("detection", "Score"), ("threshold", "DetectionThreshold")):
        found = with_columns(opened, part, column)
        if found is not None:
            for row, count in sampled(np.fromiter(_beyond(found, column), dtype=np.intp)):
                message = f"{column} is {{value}}; it must lie between 0 and 1"
                yield Defect(found.place(row, column), message, count=count)


@rule("MED411", "threshold-not-a-number", cites=D22, plan=ERROR, tool=ERROR, needs=(THRESHOLD,), follows=UNREADABLE)
def threshold_not_a_number(opened: OpenRun) -> Iterator[Defect]:
    """Every DetectionThreshold is a decimal number.

    Why: scores are compared with it.
    Bad: "E007","0,43","0.310"
    Good: "E007","0.43","0.310"
    Fix: write a number between 0 and 1 with a decimal point.
    NIST: F4DE takes the whole column for text, and refuses it.
    """
    yield from no_numbers(with_columns(opened, "threshold", "DetectionThreshold"), "DetectionThreshold")


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


RULES = (
    score_not_a_number,
    score_form,
    scores_all_integers,
    score_out_of_range,
    beyond_by_digits,
    threshold_not_a_number,
    threshold_form,
    thresholds_all_integers,
    threshold_out_of_range,
)
