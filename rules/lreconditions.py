"""Conditions and primary systems of language-recognition submissions (5xx)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule

from .primary import missing_mandatory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Run, Submission

ERROR, WARNING, INFO, OK = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OK
RULES_OF_PLAN = "Albayzin 2012 LRE 6.3"
WHOLE, NEEDS = Scope.SUBMISSION, ("whole",)
_CONTRASTIVE = "con"


def _conditions(submission: Submission) -> dict[str, dict[str, list[Run]]]:
    """Group the runs whose names are legal: condition -> system -> runs."""
    how = submission.profile.primaries
    found: dict[str, dict[str, list[Run]]] = {}
    for run in submission.runs:
        values = run.values
        condition, system = values.get(how.condition[0], ""), values.get(how.system, "")
        if condition in dict(submission.profile.scoring.plan) and system:
            found.setdefault(condition, {}).setdefault(system, []).append(run)
    return found


@rule("LRE501", "same-system-twice", cites=RULES_OF_PLAN, plan=ERROR, tool=OK, scope=WHOLE, needs=NEEDS)
def same_system_twice(submission: Submission) -> Iterator[Defect]:
    """A condition has one primary system only, and each contrastive system once.

    Why: there is one and only one primary system for each condition; it is the one that is ranked.
    Bad: GTTS_PC_pri.out in two folders
    Good: GTTS_PC_pri.out and GTTS_PC_con1.out
    Fix: keep one of them, or name the other as a contrastive system.
    NIST: there is no official checker.
    """
    prefix = submission.profile.primaries.prefix
    for condition, systems in _conditions(submission).items():
        for system, runs in systems.items():
            for run in runs[1:]:
                what = "primary system" if system == prefix else f"system {system}"
                message = f"a second {what} for {condition}; the first is {runs[0].file}"
                part = next(part for part in run.fields if part.text == system)
                yield Defect(run.name_place(part), message)


@rule("LRE502", "contrastive-without-primary", cites=RULES_OF_PLAN, plan=ERROR, tool=OK, scope=WHOLE, needs=NEEDS)
def contrastive_without_primary(submission: Submission) -> Iterator[Defect]:
    """Each condition with results has a primary system.

    Why: for each condition for which results are submitted there must be one primary system.
    Bad: GTTS_PO_con1.out without GTTS_PO_pri.out
    Good: GTTS_PO_pri.out and GTTS_PO_con1.out
    Fix: send the primary results, too, or name the best of the contrastive systems pri.
    NIST: there is no official checker.
    """
    prefix = submission.profile.primaries.prefix
    for condition, systems in _conditions(submission).items():
        contrastive = [runs[0] for system, runs in sorted(systems.items()) if system.startswith(_CONTRASTIVE)]
        if prefix not in systems and contrastive:
            message = f"{condition} has a contrastive system but no primary one"
            part = next(part for part in contrastive[0].fields if part.text.startswith(_CONTRASTIVE))
            yield Defect(contrastive[0].name_place(part), message)


_PC = "Albayzin 2012 LRE 3.3, 6"


@rule("LRE503", "no-pc", cites=_PC, plan=ERROR, tool=OK, scope=WHOLE, needs=NEEDS, follows=("GEN101",))
def no_pc(submission: Submission) -> Iterator[Defect]:
    """Every group submits results for PC, Plenty-of-Training in closed set.

    Why: PC is the mandatory condition; the others are optional.
    Bad: GTTS_PO_pri.out alone
    Good: GTTS_PC_pri.out and GTTS_PO_pri.out
    Fix: add the results for PC; --set complete=false if they were sent before.
    NIST: there is no official checker.
    """
    told = {run.values.get(submission.profile.primaries.condition[0], "") for run in submission.runs}
    if submission.parameters["complete"] and told <= {name for name, _ in submission.profile.scoring.plan}:
        yield from missing_mandatory(submission)  # a misspelt condition may be the one: that is told first


@rule("LRE504", "pc-sent-elsewhere", cites=_PC, plan=INFO, tool=OK, scope=WHOLE, needs=NEEDS)
def pc_sent_elsewhere(submission: Submission) -> Iterator[Defect]:
    """Results for PC are in this submission or (--set complete=false) in another one.

    Why: PC is the mandatory condition; the others are optional.
    Bad: GTTS_PO_pri.out in everything that a group sends
    Good: GTTS_PC_pri.out among it
    Fix: make sure that the results for PC are sent.
    NIST: there is no official checker.
    """
    if not submission.parameters["complete"]:
        yield from missing_mandatory(submission)


@rule("LRE505", "skipped-contrastive", cites="house rule", plan=WARNING, tool=OK, scope=WHOLE, needs=NEEDS)
def skipped_contrastive(submission: Submission) -> Iterator[Defect]:
    """The contrastive systems of a condition are numbered without gaps: con1, con2, ...

    Why: a gap is usually a slip of the keyboard, or a file that was forgotten.
    Bad: GTTS_PC_con1.out and GTTS_PC_con3.out
    Good: GTTS_PC_con1.out and GTTS_PC_con2.out
    Fix: check that nothing is missing, or number them anew.
    NIST: there is no official checker.
    """
    for condition, systems in _conditions(submission).items():
        numbers = {system.removeprefix(_CONTRASTIVE): runs[0] for system, runs in systems.items()}
        known = {int(text[:9]): run for text, run in numbers.items() if text.isascii() and text.isdigit()}
        for number, run in sorted(known.items()):
            if number > 1 and number - 1 not in known:
                message = f"{condition} has con{number}, but no con{number - 1}"
                yield Defect(Place(run.file), message)


RULES = (same_system_twice, contrastive_without_primary, no_pc, pc_sent_elsewhere, skipped_contrastive)
