"""Names of MED submissions: archive and EXP-ID (1xx)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from validator.model import Defect, Law, Place, Scope, Severity, rule
from validator.submission import Run
from validator.suggest import quoted

from .names import empty_fields, illegal_fields, wrong_field_count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from validator.submission import OpenRun, Submission

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
WHOLE = Scope.SUBMISSION
B, B4 = "MED11 App. B", "MED11 B.4"
_START = "ARCHIVE"
_ANY_SUFFIX = re.compile(r"(\.tar)?\.[A-Za-z0-9]+$")
_PLAIN = re.compile(r"[A-Za-z0-9.+_-]*")
_SHELL = re.compile(r"[\s;&|<>()$`\"'\\]")
_NO_FIELDS = ("MED110",)


@dataclass(frozen=True, slots=True)
class _ArchiveName:
    """The archive as a source of nothing but its name."""

    name: str
    size: int = 0

    def open(self) -> BinaryIO:
        raise OSError(f"{self.name} is a name only")


def archive(submission: Submission) -> Run | None:
    """Return the archive's name, cut into fields as that of a run; None if the submission is no archive.

    A single file that is named like an archive is meant to be one, even if nobody can read it.
    """
    meant = any(run.role is None and run.values.get("TEAM") == _tag(submission) for run in submission.runs)
    if not submission.archive and (submission.whole or not meant):
        return None
    base = submission.path.rsplit("/", 1)[-1]
    known = submission.grammar(Law.TOOL).pattern("ARCHIVE-SUFFIX")
    match = re.search(f"{known}$", base, re.IGNORECASE) or _ANY_SUFFIX.search(base)
    suffix = match[0] if match else ""
    stem = base[: len(base) - len(suffix)]
    fields = submission.grammar(Law.PLAN, _START).split(stem)
    return Run(_ArchiveName(submission.path), None, stem, suffix, fields)


def _tag(submission: Submission) -> str:
    return submission.profile.list_of("tag")[0]


def _accepts(submission: Submission, law: Law, suffix: str) -> bool:
    return re.fullmatch(submission.grammar(law).pattern("ARCHIVE-SUFFIX"), suffix, re.IGNORECASE) is not None


def _suffix_defect(named: Run, message: str) -> Defect:
    base = named.stem + named.suffix
    return Defect(Place(named.file, span=(len(named.stem), len(base))), message, f"pack it again as {named.stem}.tgz")


@rule("MED101", "archive-extension", cites=B4, plan=ERROR, tool=ERROR, scope=WHOLE)
def archive_extension(submission: Submission) -> Iterator[Defect]:
    """A submission is a .tgz, .tar.gz or .tar.bz2 archive.

    Why: it is unpacked by a program that knows these.
    Bad: MED11_ACME_MED11TEST_1.tar.xz
    Good: MED11_ACME_MED11TEST_1.tgz
    Fix: pack it again (subgate pack writes the .tgz).
    NIST: F4DE takes tar, tar.gz, tgz, tar.bz2, tbz2, tbz, tb2 and zip in any letter case, nothing else.
    """
    named = archive(submission)
    if named is not None and not _accepts(submission, Law.TOOL, named.suffix):
        ending = f"ends in {quoted(named.suffix)}" if named.suffix else "has no extension"
        yield _suffix_defect(named, f"the archive {ending}; it must end in .tgz")


@rule("MED102", "archive-extension-by-plan", cites="MED11 B.3, B.4", plan=ERROR, tool=OK, scope=WHOLE)
def archive_extension_by_plan(submission: Submission) -> Iterator[Defect]:
    """A submission is packed as the plan packs it: .tgz, .tar.gz or .tar.bz2.

    Why: the plan's commands make and check a compressed tar.
    Bad: MED11_ACME_MED11TEST_1.zip
    Good: MED11_ACME_MED11TEST_1.tgz
    Fix: pack it again (subgate pack writes the .tgz).
    NIST: F4DE also takes .tar, .tbz2, .tbz, .tb2 and .zip.
    """
    named = archive(submission)
    if named is None or not _accepts(submission, Law.TOOL, named.suffix):
        return
    if not _accepts(submission, Law.PLAN, named.suffix):
        yield _suffix_defect(named, f"the archive ends in {quoted(named.suffix)}; the plan has .tgz and .tar.bz2 only")


@rule("MED103", "archive-name", cites=B4, plan=ERROR, tool=ERROR, scope=WHOLE)
def archive_name(submission: Submission) -> Iterator[Defect]:
    """The archive is named MED11_<TEAM>_<DATA>_<SUB-NUM>; the number counts your submissions from 1.

    Why: team, data set and the newest submission are known by the name only.
    Bad: MED11_ACME_MED11TEST_0.tgz
    Good: MED11_ACME_MED11TEST_1.tgz
    Fix: rename the archive.
    NIST: F4DE refuses it.
    """
    named = archive(submission)
    if named is not None:
        yield from wrong_field_count(named, submission, _START)
        yield from empty_fields(named, submission, _START)
        yield from illegal_fields(named, submission, Law.BOTH, _START)


@rule("MED104", "archive-name-by-tool", cites="F4DE TV11MED-SubmissionChecker", plan=OK, tool=ERROR, scope=WHOLE)
def archive_name_by_tool(submission: Submission) -> Iterator[Defect]:
    """The archive's name is one that NIST's checker can take apart: <TEAM> has no dot.

    Why: the checker cuts the name at its first dot.
    Bad: MED11_my.team_MED11TEST_1.tgz
    Good: MED11_myteam_MED11TEST_1.tgz
    Fix: leave the dot out of the team's name.
    NIST: F4DE refuses it.
    """
    named = archive(submission)
    if named is not None:
        yield from illegal_fields(named, submission, Law.TOOL, _START)


@rule("MED105", "differs-from-archive", cites=B4, plan=ERROR, tool=ERROR, follows=("MED110",))
def differs_from_archive(opened: OpenRun) -> Iterator[Defect]:
    """<TEAM> and <DATA> of each EXP-ID are those of the archive's name, letter for letter.

    Why: an archive is one team's submission for one data set.
    Bad: testteam_MED11_... in MED11_testTEAM_MED11TEST_1.tgz
    Good: testTEAM_MED11_... in MED11_testTEAM_MED11TEST_1.tgz
    Fix: rename the run or the archive; letter case counts.
    NIST: F4DE refuses it.
    """
    named = archive(opened.submission)
    if named is None or len(named.fields) != len(opened.submission.grammar(Law.PLAN, _START).fields):
        return
    for part in opened.run.fields:
        outer = named.values.get(part.name)
        if part.name and part.name != "TAG" and outer is not None and outer != part.text:
            message = f"<{part.name}> is {quoted(part.text)}, but the archive says {quoted(outer)}"
            yield Defect(opened.run.name_place(part), message, f"write {outer}, or rename the archive")


@rule("MED106", "runs-differ", cites=B4, plan=ERROR, tool=ERROR, scope=WHOLE, needs=("whole",))
def runs_differ(submission: Submission) -> Iterator[Defect]:
    """All runs of a submission are of one team and one data set.

    Why: they go into one archive, which is named after both.
    Bad: ACME_MED11_MED11TEST_... and ACME_MED11_DEVT_... in one folder
    Good: a folder for each data set
    Fix: make two submissions of it.
    NIST: F4DE compares each run with the archive's name.
    """
    if submission.archive or not submission.runs:
        return
    shared = set(submission.grammar(Law.PLAN, _START).fields) - {"TAG", "SUBNUM"}
    first = submission.runs[0].values
    for run in submission.runs[1:]:
        for part in run.fields:
            if part.name in shared and part.text != first.get(part.name):
                message = f"<{part.name}> is {quoted(part.text)}; that of the first run is {quoted(first[part.name])}"
                yield Defect(run.name_place(part), message)


@rule("MED107", "not-the-expected-team", cites="--set team", plan=ERROR, tool=OK, follows=_NO_FIELDS)
def not_the_expected_team(opened: OpenRun) -> Iterator[Defect]:
    """<TEAM> is the team that the organizer expects (--set team=NAME).

    Why: an upload belongs to one team.
    Bad: TeamA_MED11_... uploaded by TeamB
    Good: TeamB_MED11_... uploaded by TeamB
    Fix: rename the run, or upload it as its team.
    NIST: F4DE compares with the archive's name only.
    """
    expected = str(opened.submission.parameters["team"])
    part = next((part for part in opened.run.fields if part.name == "TEAM"), None)
    if expected and part is not None and part.text != expected:
        yield Defect(opened.run.name_place(part), f"<TEAM> is {quoted(part.text)}; {quoted(expected)} is expected")


@rule("MED108", "odd-character", cites=B, plan=WARNING, tool=WARNING, follows=(*_NO_FIELDS, "MED109"))
def odd_character(opened: OpenRun) -> Iterator[Defect]:
    """An EXP-ID has only letters, digits, dots, plus signs and hyphens between its underscores.

    Why: names travel through shells and web pages, where other characters may mean something else.
    Bad: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-my@system_1
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-mysystem_1
    Fix: leave the character out.
    NIST: F4DE hands names to a shell as they are.
    """
    for part in opened.run.fields:
        if not _PLAIN.fullmatch(part.text):
            odd = next(char for char in part.text if not _PLAIN.fullmatch(char))
            yield Defect(opened.run.name_place(part), f"<{part.name}> has the character {quoted(odd)}")


@rule("MED109", "shell-character", cites="F4DE TV11MED-SubmissionChecker", plan=OK, tool=ERROR, follows=_NO_FIELDS)
def shell_character(opened: OpenRun) -> Iterator[Defect]:
    """An EXP-ID has no blank, and nothing else that ends or changes a word in a shell.

    Why: NIST's checker hands the name to a shell as it is, and does not find the files.
    Bad: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-my system_1
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-mysystem_1
    Fix: leave the character out.
    NIST: F4DE refuses it, for another reason than it says.
    """
    for part in opened.run.fields:
        odd = _SHELL.search(part.text)
        if odd is not None:
            yield Defect(opened.run.name_place(part), f"<{part.name}> has the character {quoted(odd[0])}")


@rule("MED110", "exp-id-field-count", cites=B, plan=ERROR, tool=ERROR, follows=("MED101",))
def exp_id_field_count(opened: OpenRun) -> Iterator[Defect]:
    """An EXP-ID has exactly the fields of the plan's EBNF, separated by underscores.

    Why: everything about a run is known from its name.
    Bad: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_1
    Fix: give every field one value, without underscores inside.
    NIST: F4DE refuses it.
    """
    yield from wrong_field_count(opened.run, opened.submission)


@rule("MED111", "exp-id-empty-field", cites=B, plan=ERROR, tool=ERROR)
def exp_id_empty_field(opened: OpenRun) -> Iterator[Defect]:
    """No field of an EXP-ID is empty.

    Why: an empty field says nothing.
    Bad: ACME_MED11_MED11TEST__AutoEAG_p-base_1
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_1
    Fix: fill it in.
    NIST: F4DE refuses it.
    """
    yield from empty_fields(opened.run, opened.submission)


@rule("MED112", "exp-id-field", cites=B, plan=ERROR, tool=ERROR)
def exp_id_field(opened: OpenRun) -> Iterator[Defect]:
    """Every field of an EXP-ID has one of its legal values; letter case counts.

    Why: programs read them.
    Bad: ACME_MED11_MED11TEST_MEDFull_ManualEAG_p-base_1
    Good: ACME_MED11_MED11TEST_MEDFull_SemiAutoEAG_p-base_1
    Fix: rename folder and files.
    NIST: F4DE refuses it.
    """
    yield from illegal_fields(opened.run, opened.submission, Law.BOTH)


@rule("MED113", "exp-id-field-by-plan", cites=B, plan=ERROR, tool=OK)
def exp_id_field_by_plan(opened: OpenRun) -> Iterator[Defect]:
    """Every field of an EXP-ID has a value that the plan allows: a system has a name behind p- or c-.

    Why: the name tells the runs of one condition apart.
    Bad: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-_1
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_1
    Fix: rename folder and files.
    NIST: F4DE takes it.
    """
    yield from illegal_fields(opened.run, opened.submission, Law.PLAN)


@rule("MED114", "exp-id-field-by-tool", cites="F4DE TV11MED-SubmissionChecker", plan=OK, tool=ERROR)
def exp_id_field_by_tool(opened: OpenRun) -> Iterator[Defect]:
    """Every field of an EXP-ID has a value that NIST's checker takes, too: versions up to 19, teams without a dot.

    Why: the submission has to pass NIST's checker before anyone reads the plan.
    Bad: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_20
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_2
    Fix: rename folder and files.
    NIST: F4DE refuses it.
    """
    named = archive(opened.submission)
    team = next((part for part in opened.run.fields if part.name == "TEAM"), None)
    said = named is not None and team is not None and named.values.get("TEAM") == team.text  # of the archive's name
    for defect in illegal_fields(opened.run, opened.submission, Law.TOOL):
        if not said or defect.where != opened.run.name_place(team):
            yield defect


@rule("MED115", "forbidden-pair", cites="F4DE MED12 and later", plan=ERROR, tool=ERROR, follows=("MED110", "MED112"))
def forbidden_pair(opened: OpenRun) -> Iterator[Defect]:
    """The event set may be submitted for the data set: a dry run has no ad hoc events.

    Why: the ad hoc events are given out for the test only.
    Bad: ACME_MED12_MED12DRYRUN_AH_...
    Good: ACME_MED12_MED12DRYRUN_PS_...
    Fix: rename the run with an event set of its data set.
    NIST: F4DE refuses it.
    """
    values = set(opened.run.values.values())
    for pair in opened.submission.profile.list_of("forbidden"):
        one, other = pair.split("+")
        if {one, other} <= values:
            part = next((part for part in opened.run.fields if part.text == other), None)
            yield Defect(opened.run.name_place(part), f"{other} cannot be submitted for {one}")


@rule("MED116", "file-extension-of-run", cites="MED11 B.2", plan=ERROR, tool=ERROR, follows=("MED101",))
def file_extension_of_run(opened: OpenRun) -> Iterator[Defect]:
    """A run's files are named <EXP-ID>.detection.csv and <EXP-ID>.threshold.csv.

    Why: the extension tells what a file holds.
    Bad: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_1.csv
    Good: ACME_MED11_MED11TEST_MEDFull_AutoEAG_p-base_1.detection.csv
    Fix: rename the file. To check a whole submission, give its folder or its archive.
    NIST: F4DE refuses it.
    """
    run = opened.run
    if run.role is None or not run.suffix:
        base = run.file.rsplit("/", 1)[-1]
        ending = base[len(run.stem) :]
        message = f"the name ends in {quoted(ending)}; it must end in .detection.csv or .threshold.csv"
        yield Defect(Place(run.file, span=(len(run.stem), len(base))), message)


RULES = (
    archive_extension,
    archive_extension_by_plan,
    archive_name,
    archive_name_by_tool,
    differs_from_archive,
    runs_differ,
    not_the_expected_team,
    odd_character,
    shell_character,
    exp_id_field_count,
    exp_id_empty_field,
    exp_id_field,
    exp_id_field_by_plan,
    exp_id_field_by_tool,
    forbidden_pair,
    file_extension_of_run,
)
