"""Rules of archives (8xx): what is never unpacked, by anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission

ERROR, OK = Severity.ERROR, Severity.OK
HOUSE, WHOLE = "house rule", Scope.SUBMISSION


def _faults(submission: Submission, trouble: str) -> Iterator[Defect]:
    for fault in submission.faults:
        if fault.trouble.value == trouble:
            yield Defect(Place(fault.path), fault.message)


@rule("GEN801", "unreadable-archive", cites=HOUSE, plan=ERROR, tool=ERROR, scope=WHOLE)
def unreadable_archive(submission: Submission) -> Iterator[Defect]:
    """An archive can be read from its first to its last byte.

    Why: a truncated upload looks just like a complete one until it is opened.
    Bad: a .tgz of which the last part is missing, or a .zip renamed to .tgz
    Good: the archive as pack wrote it, with its .sha256 beside it
    Fix: make the archive again (subgate pack), and compare the SHA-256 after the transfer.
    NIST: F4DE and tar refuse it.
    """
    yield from _faults(submission, "unreadable")


@rule("GEN802", "unsafe-member-name", cites=HOUSE, plan=ERROR, tool=ERROR, scope=WHOLE, safety=True)
def unsafe_member_name(submission: Submission) -> Iterator[Defect]:
    """Members are named by relative paths inside of the archive.

    Why: an absolute path or .. would be written somewhere else on the organizers' machine.
    Bad: ../../etc/passwd
    Good: output/run.csv
    Fix: make the archive from inside the submission folder (subgate pack does).
    NIST: tar complains, and F4DE refuses on any complaint.
    """
    yield from _faults(submission, "name")


@rule("GEN803", "special-member", cites=HOUSE, plan=ERROR, tool=OK, scope=WHOLE, safety=True)
def special_member(submission: Submission) -> Iterator[Defect]:
    """An archive holds plain files and folders only: no links, not even to its own files, and no sparse files.

    Why: what a link shows depends on who unpacks it, and where; a sparse file may be larger than the disk.
    Bad: run.csv -> ../other/run.csv
    Good: run.csv as a file
    Fix: copy the files into the folder before you pack it (tar -h follows links).
    NIST: F4DE follows links inside of the archive.
    """
    yield from _faults(submission, "link")


@rule("GEN804", "member-twice", cites=HOUSE, plan=ERROR, tool=OK, scope=WHOLE)
def member_twice(submission: Submission) -> Iterator[Defect]:
    """No two members have the same name, not even in another letter case.

    Why: which of them counts depends on who unpacks it, and where.
    Bad: run.csv twice, or run.csv and Run.csv
    Good: one of them
    Fix: make the archive anew instead of adding to it.
    NIST: for tar the last one wins.
    """
    yield from _faults(submission, "twice")


@rule("GEN805", "archive-too-large", cites=HOUSE, plan=ERROR, tool=OK, scope=WHOLE, safety=True)
def archive_too_large(submission: Submission) -> Iterator[Defect]:
    """A submission has no more than 10000 files; an archive unpacks to no more than 16 GiB and 200 times its own size.

    Why: a bomb of a few kilobytes can fill any disk.
    Bad: ten gigabytes of zeros in a .tgz of 10 MB
    Good: the submission's files
    Fix: pack the submission's files only.
    NIST: F4DE has no limit.
    """
    yield from _faults(submission, "size")


@rule("GEN806", "not-a-file", cites=HOUSE, plan=ERROR, tool=ERROR, scope=WHOLE, safety=True)
def not_a_file(submission: Submission) -> Iterator[Defect]:
    """An archive holds plain files and folders only: no pipes, devices, encrypted files or links to nowhere.

    Why: a link may point anywhere on the organizers' machine; a pipe or device never ends.
    Bad: run.csv -> /home/me/run.csv
    Good: run.csv as a file
    Fix: copy the files into the folder before you pack it (tar -h follows links).
    NIST: F4DE refuses what is not a file once it is unpacked.
    """
    yield from _faults(submission, "kind")


RULES = (unreadable_archive, unsafe_member_name, special_member, member_twice, archive_too_large, not_a_file)
