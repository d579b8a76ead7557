"""Rules that hold for every submission, whatever the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule

from . import archives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission

ERROR, WARNING = Severity.ERROR, Severity.WARNING


@rule(
    "GEN101",
    "nothing-to-check",
    cites="house rule",
    plan=ERROR,
    tool=ERROR,
    scope=Scope.SUBMISSION,
    follows=("GEN801", "GEN805"),
    safety=True,  # also where only scores are asked for
)
def nothing_to_check(submission: Submission) -> Iterator[Defect]:
    """A submission has at least one run.

    Why: nothing found to check is no pass.
    Bad: a folder with a system description only
    Good: the same folder with the system's output beside it
    Fix: put the system's output files into the folder, under the names that the plan gives them.
    NIST: F4DE checks the files it is given and is silent about an empty folder.
    """
    if not submission.runs and (submission.whole or not submission.side):
        yield Defect(Place(submission.path), "there is no system output in it")


@rule("GEN102", "not-a-plain-file", cites="house rule", plan=ERROR, tool=ERROR, scope=Scope.SUBMISSION, safety=True)
def not_a_plain_file(submission: Submission) -> Iterator[Defect]:
    """A submission holds plain files and folders only, and all of them can be read.

    Why: a link may point anywhere on the organizers' machine, a pipe or device never ends.
    Bad: run.kwslist.xml -> /home/me/results/run.kwslist.xml
    Good: run.kwslist.xml copied into the folder
    Fix: replace it by a copy of the file.
    NIST: F4DE wants a plain file, too.
    """
    for path, kind in submission.oddities:
        yield Defect(Place(path), f"this is {kind}")


@rule("GEN103", "unexpected-file", cites="house rule", plan=WARNING, tool=WARNING, scope=Scope.SUBMISSION)
def unexpected_file(submission: Submission) -> Iterator[Defect]:
    """Every file in the folder belongs to the submission.

    Why: a run with a misspelt name looks just like a stray file, and would not be scored.
    Bad: run.kwslist.xml.bak
    Good: only outputs and descriptions
    Fix: remove the file, or give it the name that its role asks for.
    NIST: F4DE never sees the folder, only the files it is given.
    """
    for source in submission.others:
        yield Defect(Place(source.name), "this file is no part of a submission; it was not checked")


RULES = (nothing_to_check, not_a_plain_file, unexpected_file, *archives.RULES)
