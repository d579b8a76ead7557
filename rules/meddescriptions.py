"""System descriptions of MED submissions (6xx): six sections, the EXP-ID, the processing time of section 3."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule

from . import descriptions
from .headings import sections
from .medlayout import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission
    from validator.tables import Description

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
B1, WHOLE = "MED11 B.1", Scope.SUBMISSION
_NUMBER = r"(?<![\w.,])(\d+(?:\.\d+)?)"
_TIME = re.compile(
    rf"{_NUMBER}\s*(?:wall[- ]clock\s+)?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b"
    rf"|\b(?:hrs?|hours?)\)?\s*[:=]\s*{_NUMBER}(?![\w,])",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"(?:\s*,)?(?:\s*\band)?\s*", re.IGNORECASE)  # between the parts of "3 h 20 min"
_UNITS = {"s": 1 / 3600, "m": 1 / 60, "h": 1.0, "d": 24.0}
_TOTAL = re.compile(r"\b(?:TPT|total)\b", re.IGNORECASE)


def metadata_hours(text: Description, submission: Submission) -> float | None:
    """Return the total processing time that section 3 of a description reports, in hours; None if it cannot be told.

    The time in the line that says TPT or total counts; where no line says so, the sum over the sub-steps, if there are
    some, or else the only time that there is.
    """
    form = submission.profile.description
    section = sections(text, form.sections).get(form.times[0]) if form.times else None
    if section is None:
        return None
    lines = [(line.text, _times(line.text)) for line in section.body if _TIME.search(line.text)]
    totals = {_said(line) for line, _ in lines if _TOTAL.search(line)}
    if totals:
        return totals.pop() if len(totals) == 1 else None
    is_clear = all(len(times) == 1 for _, times in lines)
    if is_clear and (len(lines) == 1 or all(re.match(descriptions.STEP, line) for line, _ in lines)):
        return math.fsum(time for _, (time,) in lines) if lines else None
    return None


def _times(line: str) -> list[float]:
    """Return all times of a line in hours; "3 h 20 min" is one."""
    times: list[float] = []
    behind = -1
    for match in _TIME.finditer(line):
        hours = float(match[1]) * _UNITS[match[2][0].lower()] if match[1] else float(match[3])
        if behind >= 0 and _GOES_ON.fullmatch(line, behind, match.start()):
            times[-1] += hours
        else:
            times.append(hours)
        behind = match.end()
    return times


def _said(line: str) -> float:
    """Return the first time behind the word TPT or total in a line, or else the first one."""
    total = _TOTAL.search(line)
    return (_times(line[total.end() :] if total else line) or _times(line))[0]


def _own(submission: Submission) -> Submission:
    """Return the submission with the descriptions of its runs only: what lies beside the folder output is none."""
    found = layout(submission)
    beside = {f"{submission.path}/{entry}" for entry in found.beside} if found.found else set()
    kept = tuple(pair for pair in submission.descriptions if pair[0] not in beside)
    return replace(submission, descriptions=kept)


@rule("MED601", "section-not-there", cites=B1, plan=ERROR, tool=OK, scope=WHOLE, follows=("MED602",))
def missing_section(submission: Submission) -> Iterator[Defect]:
    """The description has the six sections of the plan, with their numbers.

    Why: descriptions of all sites are read side by side.
    Bad: a description without "Section 6 References"
    Good: Section 1 Experiment Identifier(s) to Section 6 References
    Fix: add the heading and what belongs below it.
    NIST: F4DE never opens the description.
    """
    yield from descriptions.missing_sections(_own(submission))


@rule("MED602", "empty-description", cites=B1, plan=ERROR, tool=OK, scope=WHOLE)
def empty_description(submission: Submission) -> Iterator[Defect]:
    """The description says something.

    Why: documenting each system is vital to interpreting its results.
    Bad: a file of zero bytes
    Good: six sections
    Fix: write the description; subgate init writes one to fill in.
    NIST: F4DE never opens it: an empty file passes.
    """
    if submission.profile.description.sections:
        for file, text in _own(submission).descriptions:
            if not any(line.text.strip() for line in text.lines):
                yield Defect(Place(file), "the description is empty")


@rule("MED603", "exp-id-not-mentioned", cites=B1, plan=WARNING, tool=OK, scope=WHOLE, follows=("MED601", "MED602"))
def exp_id_not_mentioned(submission: Submission) -> Iterator[Defect]:
    """The description of a run lists its EXP-ID.

    Why: it links the description to the system.
    Bad: ACME_..._p-base_2.txt that lists ACME_..._p-base_1
    Good: ACME_..._p-base_2 in section 1
    Fix: add the EXP-ID to section 1, letter for letter.
    NIST: F4DE never opens the description.
    """
    runs = {run.stem for run in submission.runs}
    for file, text in _own(submission).descriptions if submission.profile.description.sections else ():
        stem = file.rsplit("/", 1)[-1].removesuffix(".txt")
        if stem in runs and not text.mentions(stem):
            yield Defect(Place(file), f"the description does not mention {stem}", f"add {stem} to section 1")


@rule(
    "MED605", "no-metadata-time", cites=B1, plan=WARNING, tool=OK, scope=WHOLE, follows=("MED601", "MED602", "MED606")
)
def no_metadata_time(submission: Submission) -> Iterator[Defect]:
    """Section 3 reports the total processing time (TPT) of metadata generation in hours.

    Why: the real-time factor of that phase is computed from it.
    Bad: Section 3 with the hardware only
    Good: TPT: 12.5 hours
    Fix: add a line like "TPT: 12.5 hours"; of several times, mark the total one so.
    NIST: F4DE never opens the description.
    """
    form = submission.profile.description
    for file, text in _own(submission).descriptions if form.times else ():
        section = sections(text, form.sections).get(form.times[0])
        if section is not None and metadata_hours(text, submission) is None:
            message = f"section {form.times[0]} does not tell the total processing time"
            yield Defect(Place(file, section.heading.offset), message)


@rule("MED606", "still-to-fill-in", cites=B1, plan=ERROR, tool=OK, scope=WHOLE)
def still_to_fill_in(submission: Submission) -> Iterator[Defect]:
    """Nothing of the skeleton is left to fill in.

    Why: a skeleton describes no system.
    Bad: Section 2 System Description / FILL-IN
    Good: Section 2 System Description / A linear classifier on ...
    Fix: replace FILL-IN by what is asked for.
    NIST: F4DE never opens the description.
    """
    yield from descriptions.unfilled(_own(submission))


RULES = (
    missing_section,
    empty_description,
    exp_id_not_mentioned,
    no_metadata_time,
    still_to_fill_in,
)
