"""Rules of keyword-search and speech-to-text submissions, KWS12 to KWS16."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Scope, Severity, rule

from . import general, kwsdescriptions, kwslists, kwsnames, kwsremarks
from .primary import missing_mandatory, second_primaries, skipped_versions, superseded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission

ERROR, WARNING, INFO, OK = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OK


@rule(
    "KWS501",
    "second-primary",
    cites="OpenKWS13 3.1.5, B.1",
    plan=ERROR,
    tool=OK,
    scope=Scope.SUBMISSION,
    needs=("whole",),
)
def second_primary(submission: Submission) -> Iterator[Defect]:
    """A team has one primary system for each combination of conditions.

    Why: the primary run is the one that is ranked; there is one and only one.
    Bad: ..._FullLP_BaseLR_NTAR_p-word_1 and ..._FullLP_BaseLR_NTAR_p-fusion_1
    Good: ..._FullLP_BaseLR_NTAR_p-word_1 and ..._FullLP_BaseLR_NTAR_c-fusion_1
    Fix: keep p- for the run that you expect to be best, and name the others c-.
    NIST: F4DE looks at one file at a time and does not notice.
    """
    yield from second_primaries(submission)


@rule(
    "KWS502",
    "superseded-version",
    cites="OpenKWS13 B.1",
    plan=WARNING,
    tool=OK,
    scope=Scope.SUBMISSION,
    needs=("whole",),
)
def superseded_version(submission: Submission) -> Iterator[Defect]:
    """Of two versions of one system the higher one counts; the lower one need not be sent again.

    Why: versions above 1 are resubmissions of the same system.
    Bad: ..._p-word_1 and ..._p-word_2 in one folder
    Good: ..._p-word_2 alone
    Fix: remove the older version.
    NIST: F4DE checks each on its own.
    """
    yield from superseded(submission)


@rule(
    "KWS503", "skipped-version", cites="OpenKWS13 B.1", plan=WARNING, tool=OK, scope=Scope.SUBMISSION, needs=("whole",)
)
def skipped_version(submission: Submission) -> Iterator[Defect]:
    """The versions of a system follow each other without gaps.

    Why: a gap is usually a slip of the keyboard, or a run that was forgotten.
    Bad: ..._p-word_1 and ..._p-word_3
    Good: ..._p-word_1 and ..._p-word_2
    Fix: check that the version is the one you mean.
    NIST: F4DE checks each on its own.
    """
    yield from skipped_versions(submission)


@rule(
    "KWS504",
    "no-required-condition",
    cites="OpenKWS13 3.1.4",
    plan=INFO,
    tool=OK,
    scope=Scope.SUBMISSION,
    needs=("whole",),
)
def no_required_condition(submission: Submission) -> Iterator[Defect]:
    """Every participant submits a FullLP+BaseLR+NTAR keyword-search system, in this folder or another.

    Why: it is the condition in which all systems can be compared.
    Bad: only LimitedLP runs in everything that a team sends
    Good: a FullLP_BaseLR_NTAR run among them
    Fix: make sure that the required run is sent; --set complete=true makes this an error.
    NIST: F4DE does not ask for it.
    """
    if not submission.parameters["complete"]:
        yield from missing_mandatory(submission)


@rule(
    "KWS505",
    "incomplete-submission",
    cites="OpenKWS13 3.1.4",
    plan=ERROR,
    tool=OK,
    scope=Scope.SUBMISSION,
    needs=("whole",),
)
def incomplete_submission(submission: Submission) -> Iterator[Defect]:
    """A submission that is said to be complete (--set complete=true) has the FullLP+BaseLR+NTAR run.

    Why: all participants must submit that condition.
    Bad: a complete submission of LimitedLP runs
    Good: the same with a FullLP_BaseLR_NTAR run
    Fix: add the required run to the folder.
    NIST: F4DE does not ask for it.
    """
    if submission.parameters["complete"]:
        yield from missing_mandatory(submission)


RULES = (
    *general.RULES,
    *kwsnames.RULES,
    *kwslists.RULES,
    *kwsdescriptions.RULES,
    *kwsremarks.RULES,
    second_primary,
    superseded_version,
    skipped_version,
    no_required_condition,
    incomplete_submission,
)
