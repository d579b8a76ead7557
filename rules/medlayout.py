"""Folders and files of a MED submission (1xx): output/<EXP-ID>/<EXP-ID>.{txt,detection.csv,threshold.csv}."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
WHOLE, NEEDS = Scope.SUBMISSION, ("whole",)
B2 = "MED11 B.2"
TOP = "output"
SUFFIXES = (".txt", ".detection.csv", ".threshold.csv")


@dataclass(frozen=True, slots=True)
class Layout:
    """What is where: paths of all entries by where they should not or should be, folders with a slash at their end.

    ``found`` is whether there is a folder ``output`` at all.
    """

    found: bool
    beside: tuple[str, ...]
    loose: tuple[str, ...]
    folders: dict[str, tuple[str, ...]]


def layout(submission: Submission) -> Layout:
    """Sort the entries of a submission by the folder that they are in."""
    home = f"{submission.path}/"
    special = {fault.path for fault in submission.faults if fault.trouble.value in ("link", "kind")}
    paths = {source.name for source in submission.files} | special | {path for path, _ in submission.oddities}
    entries = {path.removeprefix(home) for path in paths} | {
        f"{path.removeprefix(home)}/" for path in submission.folders
    }
    inside = {entry for entry in entries if entry.startswith(f"{TOP}/")}
    itself = not inside and not submission.archive and os.path.basename(os.path.abspath(submission.path)) == TOP  # noqa: PTH100, PTH119 - a name, not a file
    beside = () if itself else tuple(sorted(entries - inside))
    below = entries if itself else {entry.removeprefix(f"{TOP}/") for entry in inside}
    folders: dict[str, tuple[str, ...]] = {}
    for entry in sorted(below):
        folder, slash, rest = entry.partition("/")
        if slash:
            folders[folder] = (*folders.get(folder, ()), *([rest] if rest else []))
    loose = tuple(sorted(entry for entry in below if entry and "/" not in entry))
    return Layout(itself or bool(inside), beside, loose, folders)


def _place(submission: Submission, *parts: str) -> Place:
    home = submission.path if f"{submission.path}/{TOP}" not in submission.folders else f"{submission.path}/{TOP}"
    return Place("/".join([home, *parts]).rstrip("/"))


@rule("MED121", "no-output-folder", cites=B2, plan=ERROR, tool=ERROR, scope=WHOLE, needs=NEEDS, follows=("GEN801",))
def no_output_folder(submission: Submission) -> Iterator[Defect]:
    """A submission is a folder named output with a folder for each run.

    Why: the files are found by their paths.
    Bad: ACME_MED11_..._1.detection.csv at the top of the archive
    Good: output/ACME_MED11_..._1/ACME_MED11_..._1.detection.csv
    Fix: put the files of each run into output/<EXP-ID>/ (subgate init shows how).
    NIST: F4DE refuses it.
    """
    found = layout(submission)
    if not found.found:
        deep = next((entry for entry in found.beside if f"/{TOP}/" in entry), "")
        if deep:
            inner = deep.partition(f"/{TOP}/")[0]
            message, hint = f"the folder {TOP} is not at the top, but in {inner}", f"pack what is in {inner}"
            yield Defect(Place(submission.path), message, hint)
        else:
            yield Defect(Place(submission.path), f"there is no folder {TOP} in it")


@rule("MED122", "beside-output", cites=B2, plan=ERROR, tool=ERROR, scope=WHOLE, needs=NEEDS)
def beside_output(submission: Submission) -> Iterator[Defect]:
    """An archive holds the folder output and nothing else.

    Why: what lies beside it is no part of the submission.
    Bad: output/ and README at the top of the archive
    Good: output/ alone
    Fix: pack the folder output only (subgate pack does).
    NIST: F4DE refuses it.
    """
    found = layout(submission)
    if found.found and submission.archive:
        for entry in sorted({entry.partition("/")[0] for entry in found.beside}):
            yield Defect(Place(f"{submission.path}/{entry}"), f"this lies beside the folder {TOP}")


@rule("MED123", "not-packed", cites=B2, plan=WARNING, tool=OK, scope=WHOLE, needs=NEEDS)
def not_packed(submission: Submission) -> Iterator[Defect]:
    """What lies beside the folder output will not be packed.

    Why: a run that was put beside it by mistake would not be scored.
    Bad: output/ and ACME_MED11_..._2/ in one folder
    Good: both runs in output/
    Fix: move it into output/<EXP-ID>/ if it belongs to the submission.
    NIST: F4DE sees the archive only.
    """
    found = layout(submission)
    if found.found and not submission.archive:
        for entry in sorted({entry.partition("/")[0] for entry in found.beside}):
            yield Defect(Place(f"{submission.path}/{entry}"), f"this lies beside the folder {TOP}; it was not checked")


@rule("MED124", "file-in-output", cites=B2, plan=ERROR, tool=ERROR, scope=WHOLE, needs=NEEDS)
def file_in_output(submission: Submission) -> Iterator[Defect]:
    """The folder output holds folders only, one for each run.

    Why: a file belongs to a run, and a run is a folder.
    Bad: output/README.txt
    Good: output/ACME_MED11_..._1/
    Fix: remove the file, or put it into the folder of its run.
    NIST: F4DE refuses it.
    """
    for entry in layout(submission).loose:
        yield Defect(_place(submission, entry), f"this is a file; {TOP} holds folders only")


def _other_stem(folder: str, names: tuple[str, ...]) -> str:
    """Return the EXP-ID that all files of a folder carry, if it is another than the folder's."""
    stems = {name.removesuffix(suffix) for name in names for suffix in SUFFIXES if name.endswith(suffix)}
    complete = {f"{stem}{suffix}" for stem in stems for suffix in SUFFIXES} == set(names)
    return stems.pop() if complete and len(stems) == 1 and folder not in stems else ""


def misnamed(submission: Submission) -> Iterator[tuple[str, str]]:
    """Give the folders whose files all carry another EXP-ID, and that one."""
    for folder, names in layout(submission).folders.items():
        other = _other_stem(folder, names)
        if other:
            yield folder, other


@rule("MED125", "other-exp-id", cites=B2, plan=ERROR, tool=ERROR, scope=WHOLE, needs=NEEDS)
def other_exp_id(submission: Submission) -> Iterator[Defect]:
    """The files of a run carry the EXP-ID of their folder.

    Why: folder and files are one experiment.
    Bad: output/ACME_..._p-base_1/ACME_..._c-base_1.detection.csv
    Good: output/ACME_..._p-base_1/ACME_..._p-base_1.detection.csv
    Fix: rename the folder or the files.
    NIST: F4DE refuses it: it looks for files of the folder's name.
    """
    for folder, other in misnamed(submission):
        message = f"the files in this folder are named {other}"
        yield Defect(_place(submission, folder), message, f"rename the folder to {other}, or the files to {folder}")


@rule("MED126", "missing-file", cites=B2, plan=ERROR, tool=ERROR, scope=WHOLE, needs=NEEDS)
def missing_file(submission: Submission) -> Iterator[Defect]:
    """The folder of a run has the description, the detections and the thresholds.

    Why: a run without one of them cannot be scored, or not be understood.
    Bad: output/ACME_..._1/ without ACME_..._1.txt
    Good: ACME_..._1.txt, ACME_..._1.detection.csv and ACME_..._1.threshold.csv
    Fix: add the file; letter case counts.
    NIST: F4DE refuses it.
    """
    if any(fault.trouble.value in ("unreadable", "size") for fault in submission.faults):
        return  # nobody knows what else is in the archive
    for folder, names in layout(submission).folders.items():
        if not names:
            yield Defect(_place(submission, folder), "there is nothing in it")
        elif not _other_stem(folder, names):
            for suffix in SUFFIXES:
                if f"{folder}{suffix}" not in names:
                    yield Defect(_place(submission, folder), f"there is no {folder}{suffix}")


@rule("MED127", "extra-file", cites=B2, plan=ERROR, tool=ERROR, scope=WHOLE, needs=NEEDS)
def extra_file(submission: Submission) -> Iterator[Defect]:
    """The folder of a run has its three files and nothing else.

    Why: what is not in the plan's list may be a run that nobody would score.
    Bad: output/ACME_..._1/notes.pdf
    Good: only .txt, .detection.csv and .threshold.csv
    Fix: remove it.
    NIST: F4DE refuses it.
    """
    for folder, names in layout(submission).folders.items():
        if not _other_stem(folder, names):
            expected = {f"{folder}{suffix}" for suffix in SUFFIXES}
            extra = {name.partition("/")[0] for name in names if name not in expected}
            for name in sorted(extra - _optional(submission, folder)):
                yield Defect(_place(submission, folder, name), "this is none of the three files of a run")


def _optional(submission: Submission, folder: str) -> set[str]:
    """Return the folders that the run of this name may have besides its files."""
    allowed, when = (submission.profile.list_of(fact) for fact in ("optional_folder", "optional_folder_when"))
    return set(allowed) if set(when) <= set(folder.split("_")) else set()


@rule("MED128", "hidden-file", cites=B2, plan=ERROR, tool=OK, scope=WHOLE, needs=NEEDS)
def hidden_file(submission: Submission) -> Iterator[Defect]:
    """An archive has no files whose names begin with a dot.

    Why: the plan lists the files of a submission, and these are not among them.
    Bad: output/.DS_Store
    Good: no such file
    Fix: pack it again without them (subgate pack leaves them out).
    NIST: F4DE does not look at them.
    """
    hidden = submission.hidden if submission.archive else ()
    outer = {_outermost(path.removeprefix(f"{submission.path}/")) for path in hidden}
    visible = {entry.partition("/")[0] for entry in layout(submission).beside}  # of these another rule speaks
    for entry in sorted(entry for entry in outer if entry.partition("/")[0] not in visible):
        yield Defect(Place(f"{submission.path}/{entry}"), "the name begins with a dot")


def _outermost(path: str) -> str:
    """Cut a path behind its first name that begins with a dot."""
    names = path.split("/")
    return "/".join(names[: next((rank for rank, name in enumerate(names, 1) if name.startswith(".")), len(names))])


@rule("MED129", "recountings-not-read", cites="F4DE MED13", plan=WARNING, tool=OK, scope=WHOLE, needs=NEEDS)
def recountings_not_read(submission: Submission) -> Iterator[Defect]:
    """Recountings (the folder MER of a run) are neither checked nor packed.

    Why: nothing here knows their form, and what was not checked is not packed.
    Bad: output/ACME_MED13_..._1/MER/E021/
    Good: a run without them
    Fix: pack a submission with recountings yourself: tar -cf - ./output | gzip
    NIST: F4DE validates them against a schema.
    """
    for folder, names in layout(submission).folders.items():
        for name in sorted(_optional(submission, folder) & {name.partition("/")[0] for name in names}):
            yield Defect(_place(submission, folder, name), "the recountings in it are not checked, nor packed")


RULES = (
    no_output_folder,
    beside_output,
    not_packed,
    file_in_output,
    other_exp_id,
    missing_file,
    extra_file,
    hidden_file,
    recountings_not_read,
)
