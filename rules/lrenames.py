"""Names of language-recognition submissions: results files, groups, the flat folder (1xx)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.model import Defect, Law, Place, Scope, Severity, rule
from validator.suggest import quoted

from .names import empty_fields, illegal_fields, wrong_field_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.ebnf import Field
    from validator.submission import OpenRun, Run, Submission

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
NAMES = "Albayzin 2012 LRE 6.2.1"
WHOLE = Scope.SUBMISSION


def _part(run: Run, name: str) -> Field | None:
    return next((part for part in run.fields if part.name == name), None)


@rule("LRE101", "out-extension", cites=NAMES, plan=ERROR, tool=OK)
def out_extension(opened: OpenRun) -> Iterator[Defect]:
    """The name of a results file ends in .out, in small letters.

    Why: the extension tells results from everything else in the mail.
    Bad: GTTS_PC_pri.OUT
    Good: GTTS_PC_pri.out
    Fix: rename the file.
    NIST: there is no official checker.
    """
    run, profile = opened.run, opened.submission.profile
    grammar = opened.submission.grammar(Law.PLAN)
    legal = [role.suffix for role in profile.files if role.role == "run"]
    if not any(re.fullmatch(grammar.pattern(suffix), run.suffix) for suffix in legal):
        base = run.file.rsplit("/", 1)[-1]
        ending = base[len(run.stem) :]
        where = Place(run.file, span=(len(run.stem), len(base)))
        yield Defect(where, f"the name ends in {quoted(ending)}; it must end in .out", f"rename it to {run.stem}.out")


@rule("LRE110", "name-field-count", cites=NAMES, plan=ERROR, tool=OK)
def name_field_count(opened: OpenRun) -> Iterator[Defect]:
    """A results file is named <GroupID>_<ConditionID>_<SystemID>.out.

    Why: the name says whose results these are, for which condition and of which system.
    Bad: GTTS_PC.out
    Good: GTTS_PC_pri.out
    Fix: rename the file.
    NIST: there is no official checker.
    """
    yield from wrong_field_count(opened.run, opened.submission)


@rule("LRE111", "name-empty-field", cites=NAMES, plan=ERROR, tool=OK)
def name_empty_field(opened: OpenRun) -> Iterator[Defect]:
    """No part of the name is empty.

    Why: group, condition and system all have a meaning; none has a default.
    Bad: _PC_pri.out
    Good: GTTS_PC_pri.out
    Fix: write what is missing between the underscores.
    NIST: there is no official checker.
    """
    yield from empty_fields(opened.run, opened.submission)


@rule("LRE112", "name-field", cites=NAMES, plan=ERROR, tool=OK)
def name_field(opened: OpenRun) -> Iterator[Defect]:
    """The condition is PC, PO, EC or EO; the system is pri, con1, con2, ...; letter for letter.

    Why: ConditionID is one of these values, and SystemID tells the primary system from contrastive ones.
    Bad: GTTS_pc_pri.out, GTTS_PC_con0.out, GTTS_PC_pri1.out
    Good: GTTS_PC_pri.out, GTTS_PC_con1.out
    Fix: rename the file; small and capital letters differ.
    NIST: there is no official checker.
    """
    yield from illegal_fields(opened.run, opened.submission, Law.BOTH)


@rule("LRE113", "underscore-in-group", cites="house rule; Albayzin 2012 LRE 6.2.1", plan=WARNING, tool=OK)
def underscore_in_group(opened: OpenRun) -> Iterator[Defect]:
    """The GroupID has no underscore.

    Why: underscores separate the parts of the name; read from the right it is still clear, but not every script does.
    Bad: UPV_EHU_PC_pri.out
    Good: UPV-EHU_PC_pri.out
    Fix: nothing, if the organizers know the group under this name; otherwise use a hyphen in all names.
    NIST: there is no official checker.
    """
    part = _part(opened.run, "GroupID")
    if part is not None and "_" in part.text:
        yield Defect(opened.run.name_place(part), f"the GroupID {quoted(part.text)} has an underscore")


@rule("LRE114", "two-groups", cites="Albayzin 2012 LRE 6.3", plan=ERROR, tool=OK, scope=WHOLE, needs=("whole",))
def two_groups(submission: Submission) -> Iterator[Defect]:
    """All results of a submission have one GroupID, letter for letter.

    Why: each submission includes a group identifier: one.
    Bad: GTTS_PC_pri.out and Gtts_PO_pri.out
    Good: GTTS_PC_pri.out and GTTS_PO_pri.out
    Fix: rename the files of the other group, or send them as a submission of its own.
    NIST: there is no official checker.
    """
    parts = [(run, _part(run, "GroupID")) for run in submission.runs if len(run.fields) > 1]
    groups = [part.text for _, part in parts if part is not None]
    usual = max(sorted(set(groups)), key=groups.count, default="")
    for run, part in parts:
        if part is not None and part.text != usual:
            message = f"the GroupID is {quoted(part.text)}; that of the other files is {quoted(usual)}"
            hint = f"rename the file to {usual}{run.stem[part.end :]}{run.suffix}"
            yield Defect(run.name_place(part), message, hint)


@rule("LRE115", "unexpected-group", cites="house rule", plan=ERROR, tool=OK, follows=("LRE110",))
def unexpected_group(opened: OpenRun) -> Iterator[Defect]:
    """The GroupID is the one that the organizer expects (--set team=NAME).

    Why: registered groups have one identifier; results under another one are not found again.
    Bad: GTTS_PC_pri.out sent by the group that is registered as GTTS-EHU
    Good: GTTS-EHU_PC_pri.out
    Fix: rename the file.
    NIST: there is no official checker.
    """
    expected, part = str(opened.submission.parameters["team"]), _part(opened.run, "GroupID")
    if expected and part is not None and part.text != expected:
        message = f"the GroupID is {quoted(part.text)}; {quoted(expected)} is expected"
        yield Defect(opened.run.name_place(part), message)


@rule("LRE116", "sub-folder", cites="house rule; Albayzin 2012 LRE 6.2.1", plan=ERROR, tool=OK, scope=WHOLE)
def sub_folder(submission: Submission) -> Iterator[Defect]:
    """All files are in one folder, none in a folder below it.

    Why: the files are attachments of a mail, which has no folders.
    Bad: results/GTTS_PC_pri.out
    Good: GTTS_PC_pri.out
    Fix: move the files up; two files of one name cannot both be sent.
    NIST: there is no official checker.
    """
    files = [source.name for source in submission.files] if submission.whole else []
    folders: dict[str, int] = {}
    for path in (*(f"{folder}/" for folder in submission.folders), *files):
        inner = path.removeprefix(submission.path).lstrip("/")
        if "/" in inner:
            folder = path[: -len(inner)] + inner.split("/", 1)[0]
            folders[folder] = folders.get(folder, 0) + (not path.endswith("/"))
    for folder, count in sorted(folders.items()):
        yield Defect(Place(folder), f"a folder with {count} file{'s' if count != 1 else ''} inside of the submission")


@rule("LRE117", "hidden-results", cites="house rule; Albayzin 2012 LRE 6.2.1", plan=ERROR, tool=OK, scope=WHOLE)
def hidden_results(submission: Submission) -> Iterator[Defect]:
    """No file whose name ends in .out is hidden, that is, has a name that begins with a dot.

    Why: what ends in .out is taken for results; hidden ones would be neither checked nor sent, and nobody would see.
    Bad: ._GTTS_PC_pri.out, as some systems write beside GTTS_PC_pri.out
    Good: GTTS_PC_pri.out alone
    Fix: remove the file, or rename it if it holds results.
    NIST: there is no official checker.
    """
    for path in submission.hidden:
        if path.lower().endswith(".out"):
            yield Defect(Place(path), "the name begins with a dot; it must begin with the GroupID")


RULES = (
    out_extension,
    name_field_count,
    name_empty_field,
    name_field,
    underscore_in_group,
    two_groups,
    unexpected_group,
    sub_folder,
    hidden_results,
)
