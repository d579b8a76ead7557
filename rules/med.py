"""Rules of multimedia event detection submissions, MED11 to MED17: what the runs of a submission are together (5xx)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, Law, Place, Scope, Severity, rule

from . import (
    archives,
    general,
    meddescriptions,
    medlayout,
    mednames,
    medremarks,
    medscales,
    medtables,
    medtimes,
    medvalues,
)
from .medtables import DETECTION, INDEX, coverage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun, Run, Submission

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
B, WHOLE = "MED11 App. B", Scope.SUBMISSION
_NAMES = ("MED110", "MED111", "MED112")


def _primaries(submission: Submission) -> list[Run]:
    how = submission.profile.primaries
    wanted = dict(submission.profile.facts).get("one_primary")
    return [run for run in submission.runs if wanted and run.values.get(how.system, "").startswith(how.prefix)]


@rule("MED501", "two-primaries", cites="MED11 App. B, B.4", plan=ERROR, tool=ERROR, scope=WHOLE, needs=("whole",))
def two_primaries(submission: Submission) -> Iterator[Defect]:
    """A submission has one primary run; two versions of one system are two.

    Why: the primary system is the one that counts.
    Bad: ..._p-base_1 and ..._p-fusion_1 in one archive
    Good: ..._p-base_1 and ..._c-fusion_1
    Fix: keep p- for your single best system, and name the others c-.
    NIST: F4DE refuses it.
    """
    how = submission.profile.primaries
    found = _primaries(submission)
    for run in found[1:]:
        part = next(part for part in run.fields if part.name == how.system)
        message = f"a second primary run: {found[0].stem} is one already"
        yield Defect(run.name_place(part), message, "make one of them contrastive (c-...)", "second primary")


@rule("MED502", "no-primary", cites="MED11 B.4", plan=ERROR, tool=OK, scope=WHOLE, needs=("whole",))
def no_primary(submission: Submission) -> Iterator[Defect]:
    """A submission has a primary run; if there is only one run, it is the primary one.

    Why: the primary system is the one that counts.
    Bad: a single run ..._c-base_1
    Good: a single run ..._p-base_1
    Fix: name your single best system p-.
    NIST: F4DE counts primaries only to refuse a second one: none is accepted.
    """
    grammar, how = submission.grammar(Law.PLAN), submission.profile.primaries
    doubtful = any(not grammar.rule(how.system).accepts(run.values.get(how.system, "")) for run in submission.runs)
    doubtful |= any(True for _ in medlayout.misnamed(submission))  # other rules speak of these names
    wanted = dict(submission.profile.facts).get("one_primary") and submission.runs and not doubtful
    if wanted and not _primaries(submission):
        first = submission.runs[0]
        part = next((part for part in first.fields if part.name == submission.profile.primaries.system), None)
        runs = "the only run is no primary run" if len(submission.runs) == 1 else "none of the runs is a primary run"
        yield Defect(first.name_place(part), runs, "name your single best system p-NAME", "no p-")


@rule("MED503", "too-many-runs", cites="MED11 2.2", plan=ERROR, tool=WARNING, scope=WHOLE, needs=("whole",))
def too_many_runs(submission: Submission) -> Iterator[Defect]:
    """A submission has at most four runs.

    Why: a primary system and up to three contrastive ones are evaluated.
    Bad: five folders in output/
    Good: four folders in output/
    Fix: leave runs out.
    NIST: F4DE warns.
    """
    limit = int(float(submission.profile.list_of("max_runs")[0]))
    if limit and len(submission.runs) > limit:
        yield Defect(Place(submission.path), f"there are {len(submission.runs)} runs; {limit} are allowed")


def _full_count(opened: OpenRun) -> int:
    """Return how many events a full run has; 0 if that is not known."""
    profile = opened.submission.profile
    key = "+".join(opened.run.values.get(name, "") for name in profile.list_of("full_by"))
    counts = dict(entry.split("=") for entry in profile.list_of("full_counts"))
    return int(counts.get(key, "0"))


def _events(opened: OpenRun) -> int:
    held = opened.once(coverage)
    return int(np.count_nonzero(held.scored)) if held is not None else 0


def _medtype(opened: OpenRun, message: str) -> Defect:
    part = next((part for part in opened.run.fields if part.name == "MEDTYPE"), None)
    return Defect(opened.run.name_place(part), message)


def _too_few(opened: OpenRun, *, lenient: bool) -> Iterator[Defect]:
    full, events = _full_count(opened), _events(opened)
    is_lenient = bool(set(opened.submission.profile.list_of("full_lenient")) & set(opened.run.values.values()))
    if opened.run.values.get("MEDTYPE") == "MEDFull" and 0 < events < full and is_lenient is lenient:
        yield _medtype(opened, f"a MEDFull run has all {full} events; this one has scores for {events}")


@rule(
    "MED504",
    "full-with-too-few-events",
    cites="MED11 2",
    plan=ERROR,
    tool=ERROR,
    needs=(DETECTION, INDEX),
    follows=(*_NAMES, "MED302"),
)
def full_with_too_few_events(opened: OpenRun) -> Iterator[Defect]:
    """A MEDFull run has scores for all test events: ten in MED11.

    Why: MEDFull is the system that processes all events; with fewer it is a MEDPart system.
    Bad: a MEDFull run with nine events
    Good: a MEDFull run with ten events, or a MEDPart run with nine
    Fix: add the missing events, or rename the run MEDPart.
    NIST: F4DE refuses it.
    """
    yield from _too_few(opened, lenient=False)


@rule(
    "MED505",
    "full-dry-run-short",
    cites="MED11 2",
    plan=ERROR,
    tool=WARNING,
    needs=(DETECTION, INDEX),
    follows=(*_NAMES, "MED302"),
)
def full_dry_run_short(opened: OpenRun) -> Iterator[Defect]:
    """A MEDFull run has scores for all test events, in a dry run as well.

    Why: MEDFull is the system that processes all events; with fewer it is a MEDPart system.
    Bad: a MEDFull run of DRYRUN with nine events
    Good: a MEDFull run of DRYRUN with ten events
    Fix: add the missing events, or rename the run MEDPart.
    NIST: F4DE only warns in a dry run.
    """
    yield from _too_few(opened, lenient=True)


@rule(
    "MED506",
    "full-with-too-many-events",
    cites="MED11 2",
    plan=ERROR,
    tool=OK,
    needs=(DETECTION, INDEX),
    follows=_NAMES,
)
def full_with_too_many_events(opened: OpenRun) -> Iterator[Defect]:
    """A MEDFull run has scores for the test events and no others.

    Why: there are ten test events in MED11.
    Bad: a MEDFull run with eleven events
    Good: a MEDFull run with ten events
    Fix: leave the other events out.
    NIST: F4DE does not count upwards.
    """
    full, events = _full_count(opened), _events(opened)
    if opened.run.values.get("MEDTYPE") == "MEDFull" and full and events > full:
        yield _medtype(opened, f"there are {full} test events; this run has scores for {events}")


@rule("MED507", "part-with-all-events", cites="MED11 2", plan=ERROR, tool=OK, needs=(DETECTION, INDEX), follows=_NAMES)
def part_with_all_events(opened: OpenRun) -> Iterator[Defect]:
    """A MEDPart run leaves at least one test event out: it has one to nine in MED11.

    Why: a system that processes all events is a MEDFull system; the two are not compared.
    Bad: a MEDPart run with ten events
    Good: the same run named MEDFull
    Fix: rename the run MEDFull.
    NIST: F4DE does not look.
    """
    full, events = _full_count(opened), _events(opened)
    if opened.run.values.get("MEDTYPE") == "MEDPart" and full and events >= full:
        yield _medtype(opened, f"a MEDPart run has 1 to {full - 1} events; this one has scores for {events}")


@rule("MED508", "identical-runs", cites=B, plan=WARNING, tool=OK, scope=WHOLE, needs=("whole",))
def identical_runs(submission: Submission) -> Iterator[Defect]:
    """No two runs have the same detections.

    Why: a contrastive run that changes nothing is usually a copy of the wrong file.
    Bad: the same detection.csv in two folders
    Good: two systems, two files
    Fix: check that each folder has the output of its own system.
    NIST: F4DE looks at one run at a time.
    """
    sizes: dict[int, list[Run]] = {}
    for run in submission.runs:
        sizes.setdefault(run.source.size, []).append(run)
    first: dict[bytes, Run] = {}
    for run in (run for runs in sizes.values() if len(runs) > 1 for run in runs):
        earlier = first.setdefault(_digest(run), run)
        if earlier is not run:
            yield Defect(Place(run.file), f"these are the detections of {earlier.stem}, byte for byte")


def _digest(run: Run) -> bytes:
    digest = hashlib.sha256()
    with run.source.open() as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.digest()


@rule("MED509", "first-submission-later-version", cites="MED11 App. B, B.4", plan=WARNING, tool=OK)
def first_submission_later_version(opened: OpenRun) -> Iterator[Defect]:
    """A first submission (SUB-NUM 1) has runs of version 1.

    Why: a version above 1 is another run of a system that was submitted before.
    Bad: ..._p-base_2 in MED11_ACME_MED11TEST_1.tgz
    Good: ..._p-base_2 in MED11_ACME_MED11TEST_2.tgz
    Fix: check both numbers.
    NIST: F4DE does not compare them.
    """
    named = mednames.archive(opened.submission)
    version = opened.run.values.get(opened.submission.profile.primaries.version, "")
    if (
        named is not None
        and named.values.get("SUBNUM") == "1"
        and version.isdigit()
        and version.lstrip("0") not in ("", "1")
    ):
        part = next((part for part in opened.run.fields if part.text == version), None)
        yield Defect(opened.run.name_place(part), f"version {version} in a first submission (SUB-NUM 1)")


RULES = (
    general.nothing_to_check,
    general.not_a_plain_file,
    *archives.RULES,
    *mednames.RULES,
    *medlayout.RULES,
    *medtables.RULES,
    *medvalues.RULES,
    *medtimes.RULES,
    *medscales.RULES,
    *meddescriptions.RULES,
    *medremarks.RULES,
    two_primaries,
    no_primary,
    too_many_runs,
    full_with_too_few_events,
    full_dry_run_short,
    full_with_too_many_events,
    part_with_all_events,
    identical_runs,
    first_submission_later_version,
)
