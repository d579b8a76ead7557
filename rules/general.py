"""Rules that hold for every submission, whatever the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule

from . import archives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Run, Submission

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK


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


@rule("GEN104", "run-twice", cites="house rule", plan=ERROR, tool=OK, scope=Scope.SUBMISSION, follows=("LRE501",))
def run_twice(submission: Submission) -> Iterator[Defect]:
    """No two runs have the same name, not even in different folders or in another letter case.

    Why: a run is known by its name: its archive, its scores and its place in the ranking are called after it.
    Bad: primary/sys.stdlist.xml and contrastive/sys.stdlist.xml
    Good: sys-primary.stdlist.xml and sys-contrastive.stdlist.xml
    Fix: rename one of them, or remove it if it is a copy.
    NIST: the official tools see one run at a time.
    """
    first: dict[str, Run] = {}
    for run in submission.runs:
        earlier = first.setdefault(run.stem.casefold(), run)
        if earlier is not run:
            yield Defect(run.name_place(), f"{earlier.file} has the same name")


RULES = (nothing_to_check, not_a_plain_file, unexpected_file, run_twice, *archives.RULES)
