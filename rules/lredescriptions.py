"""System descriptions and processing speed of language-recognition submissions (6xx).

Headings are looked for in the text that was extracted from the PDF: a line that begins with the title, behind a number
if there is one. Extracted text is never quite what the page shows, so that what is not found is a warning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from validator.model import Defect, Place, Scope, Severity, rule
from validator.suggest import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.speedreport import SystemSpeed
    from validator.submission import Submission
    from validator.tables import Description

ERROR, WARNING, INFO, OK = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OK
PDF = "Albayzin 2012 LRE 6.2.2"
OURS = "house rule; Albayzin 2012 LRE 6.2.2"
WHOLE = Scope.SUBMISSION
TEXT = ("whole", "package:pypdf")
_SPEED = re.compile(
    r"\d\s*[x×]\s*RT\b|[x×]\s*RT\W{0,20}\d|real[\s-]*time\s+factor|times\s+real[\s-]*time|\bRTF\b",  # noqa: RUF001
    re.IGNORECASE,
)


def _texts(submission: Submission) -> Iterator[tuple[str, Description]]:
    """Give the descriptions whose text could be read."""
    yield from ((file, text) for file, text in submission.descriptions if any(line.text.strip() for line in text.lines))


def _heading(title: str) -> re.Pattern[str]:
    words = r"\s*".join(map(re.escape, title.split())).replace("Train", "Train(?:ing)?")
    return re.compile(rf"[^A-Za-z]{{0,12}}(?:(?:[IVX]{{1,5}}|[A-Z])\b[^A-Za-z]{{0,4}})?{words}", re.IGNORECASE)


def _finds(text: Description, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(line.text[:2000]) for line in text.lines)


@rule("LRE601", "no-pdf", cites=PDF, plan=ERROR, tool=OK, scope=WHOLE, needs=("whole",))
def no_pdf(submission: Submission) -> Iterator[Defect]:
    """A submission has a PDF file that describes its systems.

    Why: research groups must provide a PDF file with the description of each submitted system.
    Bad: a folder with .out files only
    Good: the same folder with GTTS_description.pdf
    Fix: put the description beside the results; subgate init writes an outline of it.
    NIST: there is no official checker.
    """
    if submission.runs and not submission.texts:
        yield Defect(Place(submission.path), "there is no PDF that describes the systems")


@rule("LRE602", "missing-heading", cites=OURS, plan=WARNING, tool=OK, scope=WHOLE, needs=TEXT)
def missing_heading(submission: Submission) -> Iterator[Defect]:
    """The description has the sections of the plan: Introduction, for each system three, References.

    Why: the description should at least include these sections, so that other groups can build the system.
    Bad: a PDF without "Processing speed"
    Good: 1 Introduction, 2 System A, 2.1 System description, 2.2 Train and development data, 2.3 Processing speed,
        3 References
    Fix: add the heading and what belongs below it; if it is there, the text of the PDF could not be told apart.
    NIST: there is no official checker.
    """
    for file, text in _texts(submission):
        for _, title in submission.profile.description.sections:
            heading = _heading(title)
            if not any(heading.match(line.text) for line in text.lines):
                message = f"no heading {quoted(title)} was found in the text of the PDF"
                yield Defect(Place(file), message, f"add the heading {title}")


@rule("LRE603", "primary-not-named", cites=OURS, plan=WARNING, tool=OK, scope=WHOLE, needs=TEXT)
def primary_not_named(submission: Submission) -> Iterator[Defect]:
    """The description says which system is the primary one.

    Why: if several systems are submitted, the description must explicitly designate one of them as primary.
    Bad: a PDF in which the word primary does not occur
    Good: 2 System A (primary in PC and PO)
    Fix: say for each condition which system is primary.
    NIST: there is no official checker.
    """
    primary = re.compile(r"primary|_pri\b", re.IGNORECASE)
    texts = list(_texts(submission))
    if texts and not any(_finds(text, primary) for _, text in texts):
        conditions = sorted({run.values.get("ConditionID", "") for run in submission.runs} - {""})
        where = f" in {', '.join(conditions)}" if conditions else ""
        yield Defect(Place(texts[0][0]), f"the PDF does not say which system is primary{where}")


@rule("LRE604", "contrastive-not-described", cites=OURS, plan=INFO, tool=OK, scope=WHOLE, needs=TEXT)
def contrastive_not_described(submission: Submission) -> Iterator[Defect]:
    """Where contrastive systems are submitted, the description says what they are.

    Why: for a contrastive system, the differences from the primary system are to be noted.
    Bad: GTTS_PC_con1.out, and a PDF in which the word contrastive does not occur
    Good: 3 System B (contrastive in PC): as System A, but without fusion
    Fix: add a section for the contrastive system.
    NIST: there is no official checker.
    """
    texts = list(_texts(submission))
    contrastive = [run for run in submission.runs if run.values.get("SystemID", "").startswith("con")]
    pattern = re.compile(r"contrastive|_con\d", re.IGNORECASE)
    if texts and contrastive and not any(_finds(text, pattern) for _, text in texts):
        yield Defect(Place(texts[0][0]), f"the PDF says nothing of contrastive systems; {contrastive[0].stem} is one")


@rule("LRE605", "no-speed", cites=OURS, plan=WARNING, tool=OK, scope=WHOLE, needs=TEXT, follows=("LRE602",))
def no_speed(submission: Submission) -> Iterator[Defect]:
    """The description gives the processing speed as a real-time factor, such as 0.35 xRT.

    Why: the speed of language recognition is to be computed in terms of the real-time factor.
    Bad: 2.3 Processing speed: fast
    Good: 2.3 Processing speed: 0.35 xRT
    Fix: write the factor: CPU time divided by the time of the audio; and the CPU and memory that were used.
    NIST: there is no official checker.
    """
    for file, text in _texts(submission):
        if not _finds(text, _SPEED):
            yield Defect(Place(file), "no real-time factor (xRT) was found in the text of the PDF")


def _speeds(submission: Submission) -> Iterator[tuple[str, SystemSpeed]]:
    for file, table in submission.reports:
        yield from ((file, system) for system in cast("tuple[SystemSpeed, ...]", table))


@rule("LRE612", "other-speed", cites=OURS, plan=WARNING, tool=OK, scope=WHOLE, needs=("whole",))
def other_speed(submission: Submission) -> Iterator[Defect]:
    """xrt in speed.toml is cpu_seconds divided by audio_seconds, to the last digit that is written.

    Why: the real-time factor is the total CPU time divided by the total amount of processed audio.
    Bad: cpu_seconds = 1800, audio_seconds = 3600, xrt = 2.0
    Good: cpu_seconds = 1800, audio_seconds = 3600, xrt = 0.5
    Fix: write the quotient; it is not the speed, but its inverse.
    NIST: there is no official checker.
    """
    for file, system in _speeds(submission):
        quotient = system.cpu_seconds / system.audio_seconds
        exponent = system.xrt.as_tuple().exponent
        digits = -exponent if isinstance(exponent, int) else 0
        if abs(quotient - system.xrt) * 2 * 10 ** max(min(digits, 400), -400) > 1:
            message = f"xrt of {system.condition} {system.id} is {system.xrt}; {system.cpu_seconds} s of CPU"
            message += f" for {system.audio_seconds} s of audio are {quotient:.4g}"
            yield Defect(Place(file, system.offset), message, f"write xrt = {quotient:.4g}")


@rule("LRE613", "speed-of-nobody", cites=OURS, plan=WARNING, tool=OK, scope=WHOLE, needs=("whole",))
def speed_of_nobody(submission: Submission) -> Iterator[Defect]:
    """Every system in speed.toml is in the submission, and has one table.

    Why: a misspelt condition or id makes the speed that of no system.
    Bad: id = "primary"
    Good: id = "pri"
    Fix: write condition and id as in the file names.
    NIST: there is no official checker.
    """
    known = {(run.values.get("ConditionID"), run.values.get("SystemID")) for run in submission.runs}
    seen: set[tuple[str, str]] = set()
    for file, system in _speeds(submission):
        pair = (system.condition, system.id)
        name = quoted(f"{system.condition} {system.id}")
        if pair not in known:
            yield Defect(Place(file, system.offset), f"there is no system {name} in this submission")
        elif pair in seen:
            yield Defect(Place(file, system.offset), f"a second table for {name}")
        seen.add(pair)


RULES = (
    no_pdf,
    missing_heading,
    primary_not_named,
    contrastive_not_described,
    no_speed,
    other_speed,
    speed_of_nobody,
)
