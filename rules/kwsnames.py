"""Names of keyword-search and speech-to-text submissions: EXPID, extension, database folder (1xx)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.model import Defect, Law, Place, Severity, rule
from validator.suggest import nearest, quoted

from .names import empty_fields, illegal_fields, wrong_field_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun

ERROR, OK = Severity.ERROR, Severity.OK
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zip|zst|Z|7z)$", re.IGNORECASE)


def _refused_suffix(opened: OpenRun) -> Law | None:
    """Tell which laws refuse how the file's name ends."""
    run, submission = opened.run, opened.submission
    accepted = {
        law
        for law in (Law.PLAN, Law.TOOL)
        for role in submission.profile.files
        if role.role == "run" and re.fullmatch(submission.grammar(law).pattern(role.suffix), run.suffix)
    }
    return {0: Law.BOTH, 2: None}.get(len(accepted), Law.PLAN if accepted == {Law.TOOL} else Law.TOOL)


def _suffix_defect(opened: OpenRun) -> Defect:
    run = opened.run
    base = run.file.rsplit("/", 1)[-1]
    ending = base[len(run.stem) :]
    where = Place(run.file, span=(len(run.stem), len(base)))
    message = f"the name ends in {quoted(ending)}; it must end in .kwslist.xml or .ctm"
    if _PACKED.search(ending):
        return Defect(where, message, "unpack it, and submit the file that was packed", "a compressed file")
    guess = nearest(ending, (".kwslist.xml", ".ctm"))
    hint = f"rename the file to {run.stem}{guess}" if guess else "rename the file: .kwslist.xml for KWS, .ctm for STT"
    return Defect(where, message, hint, f"did you mean {guess}?" if guess else "")


@rule("KWS101", "file-extension", cites="OpenKWS13 B.2", plan=ERROR, tool=ERROR)
def file_extension(opened: OpenRun) -> Iterator[Defect]:
    """A keyword-search output is named <EXPID>.kwslist.xml, a speech-to-text output <EXPID>.ctm.

    Why: the extension tells the server which task the file belongs to; digits may follow "kwslist".
    Bad: KWS13_..._p-word_1.xml
    Good: KWS13_..._p-word_1.kwslist.xml
    Fix: rename the file. (The plan's commands print .kwslst.xml: a misprint.)
    NIST: F4DE refuses any other ending, and capitals in .kwslist.xml.
    """
    if _refused_suffix(opened) is Law.BOTH:
        yield _suffix_defect(opened)


@rule("KWS102", "file-extension-spelling", cites="OpenKWS13 B.2", plan=ERROR, tool=OK)
def file_extension_spelling(opened: OpenRun) -> Iterator[Defect]:
    """The extension of a speech-to-text output is .ctm, in small letters and with a dot.

    Why: the plan names this extension and no other.
    Bad: KWS13_..._p-word_1.CTM
    Good: KWS13_..._p-word_1.ctm
    Fix: rename the file.
    NIST: F4DE lets .CTM and -ctm pass.
    """
    if _refused_suffix(opened) is Law.PLAN:
        yield _suffix_defect(opened)


@rule("KWS110", "expid-field-count", cites="OpenKWS13 B.1", plan=ERROR, tool=ERROR)
def expid_field_count(opened: OpenRun) -> Iterator[Defect]:
    """The EXPID has exactly the fields of its year, separated by underscores.

    Why: the fields are told apart by their position only.
    Bad: KWS13_ACME_babel101b-v0.4c_conv-dev_BaDev_KWS_FullLP_BaseLR_p-base_1 (no <AUD>)
    Good: KWS13_ACME_babel101b-v0.4c_conv-dev_BaDev_KWS_FullLP_BaseLR_NTAR_p-base_1
    Fix: rename the file; no value may contain an underscore.
    NIST: F4DE refuses: "missing parameters" or "leftover entries".
    """
    yield from wrong_field_count(opened.run, opened.submission)


@rule("KWS111", "expid-empty-field", cites="OpenKWS13 B.1", plan=ERROR, tool=ERROR)
def expid_empty_field(opened: OpenRun) -> Iterator[Defect]:
    """No field of the EXPID is empty.

    Why: every field has a meaning for the evaluation; none has a default.
    Bad: KWS13_ACME_babel101b-v0.4c_conv-dev_BaDev_KWS_FullLP__NTAR_p-base_1
    Good: KWS13_ACME_babel101b-v0.4c_conv-dev_BaDev_KWS_FullLP_BaseLR_NTAR_p-base_1
    Fix: write the value between the two underscores.
    NIST: F4DE refuses: "missing parameters".
    """
    yield from empty_fields(opened.run, opened.submission)


@rule("KWS112", "expid-field", cites="OpenKWS13 B.1", plan=ERROR, tool=ERROR)
def expid_field(opened: OpenRun) -> Iterator[Defect]:
    """Every field of the EXPID has one of its legal values, letter for letter.

    Why: file names carry a valid EXPID; the server sorts submissions by it.
    Bad: ..._FullLP_BaselineLR_NTAR_p-base_1
    Good: ..._FullLP_BaseLR_NTAR_p-base_1
    Fix: rename the file with a legal value; small and capital letters differ.
    NIST: F4DE refuses and names all wrong fields in one message; but it takes a field for a pattern,
        so that Full.. passes for FullLP: an accident, not law.
    """
    yield from illegal_fields(opened.run, opened.submission, Law.BOTH)


@rule("KWS113", "expid-field-by-plan", cites="OpenKWS13 B.1", plan=ERROR, tool=OK)
def expid_field_by_plan(opened: OpenRun) -> Iterator[Defect]:
    """<TEAM> and the name behind p- or c- are letters and digits; <VERSION> is a whole number from 1.

    Why: the plan allows alphanumerical characters only, and counts versions 1..n.
    Bad: KWS13_Team-A_..._p-word_0
    Good: KWS13_TeamA_..._p-word_1
    Fix: rename the file.
    NIST: F4DE looks at no character of <TEAM> and <SYSID>, and takes 0, -1, 01 and 1e2 for versions.
    """
    yield from illegal_fields(opened.run, opened.submission, Law.PLAN)


@rule("KWS115", "task-and-extension", cites="OpenKWS13 B.2", plan=ERROR, tool=ERROR, follows=("KWS110",))
def task_and_extension(opened: OpenRun) -> Iterator[Defect]:
    """<TASK> and extension agree: keyword search is .kwslist.xml, speech-to-text is .ctm.

    Why: a file cannot be both.
    Bad: KWS13_..._BaDev_STT_..._p-word_1.kwslist.xml
    Good: KWS13_..._BaDev_STT_..._p-word_1.ctm
    Fix: correct <TASK>, or the extension.
    NIST: F4DE refuses it.
    """
    run = opened.run
    part = next((part for part in run.fields if part.name == "TASK"), None)
    if part is None or run.role is None or not run.suffix or part.text in run.role.tasks:
        return
    if any(part.text in role.tasks for role in opened.submission.profile.files):
        message = f"<TASK> is {part.text}, but {run.suffix} is for {' or '.join(run.role.tasks)}"
        yield Defect(run.name_place(part), message)


@rule("KWS116", "unexpected-team", cites="F4DE --team", plan=OK, tool=ERROR, follows=("KWS110",))
def unexpected_team(opened: OpenRun) -> Iterator[Defect]:
    """<TEAM> is the team that the organizer expects (--set team=NAME).

    Why: a server account belongs to one team.
    Bad: KWS13_TeamA_... uploaded by TeamB
    Good: KWS13_TeamB_... uploaded by TeamB
    Fix: rename the file, or upload it with the account of its team.
    NIST: F4DE refuses it when it was told a team.
    """
    expected = opened.submission.parameters["team"]
    part = next((part for part in opened.run.fields if part.name == "TEAM"), None)
    if expected and part is not None and part.text != expected:
        yield Defect(opened.run.name_place(part), f"<TEAM> is {quoted(part.text)}; {quoted(str(expected))} is expected")


@rule("KWS117", "pair-not-authorised", cites="OpenKWS13 B.1.1", plan=OK, tool=ERROR, follows=("KWS110", "KWS112"))
def pair_not_authorised(opened: OpenRun) -> Iterator[Defect]:
    """The scoring case <SCASE> may be used with the <PARTITION>.

    Why: the server enforces which partitions can be scored how; the evaluation data have no development results.
    Bad: ..._conv-eval_BaDev_...
    Good: ..._conv-eval_BaEval_...
    Fix: rename the file with a scoring case of that partition.
    NIST: F4DE refuses: "combination is not authorized". The plan says only that cases are enforced.
    """
    values, cases = opened.run.values, dict(opened.submission.profile.authorised)
    allowed = cases.get(values.get("PARTITION", ""), ())
    if allowed and values.get("SCASE") not in allowed:
        part = next((part for part in opened.run.fields if part.name == "SCASE"), None)
        message = (
            f"{values['PARTITION']} cannot be scored as {values.get('SCASE', '')}; it can as {' or '.join(allowed)}"
        )
        yield Defect(opened.run.name_place(part), message)


@rule(
    "KWS118",
    "unknown-corpus",
    cites="OpenKWS13 B.1",
    plan=ERROR,
    tool=ERROR,
    needs=("database",),
    follows=("KWS110", "KWS111", "KWS112", "KWS113"),
)
def unknown_corpus(opened: OpenRun) -> Iterator[Defect]:
    """The database folder has an ECF for <CORPUS> and <PARTITION>.

    Why: without it nobody knows which recordings were to be searched.
    Bad: KWS13_ACME_babel107b-v0.7_conv-dev_... with a database of babel106b-v0.2g only
    Good: KWS13_ACME_babel106b-v0.2g_conv-dev_...
    Fix: correct <CORPUS> and <PARTITION>; letter case counts. Or give the newest database with --data.
    NIST: F4DE refuses: "no usable ECF & TLIST files".
    """
    absent = opened.choices["ecf"].absent
    if absent:
        part = next((part for part in opened.run.fields if part.name == "CORPUS"), None)
        wanted, _, label = absent.partition("; ")
        yield Defect(opened.run.name_place(part), f"the database folder has no ECF {wanted}", label=label)


RULES = (
    file_extension,
    file_extension_spelling,
    expid_field_count,
    expid_empty_field,
    expid_field,
    expid_field_by_plan,
    task_and_extension,
    unexpected_team,
    pair_not_authorised,
    unknown_corpus,
)
