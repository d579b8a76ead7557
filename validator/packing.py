"""The ready upload: a deterministic tar of exactly the files that were checked, its digest, and a receipt.

Same input, same tar, on any machine: members sorted by byte value, zero owners, fixed modes, the time of
``SOURCE_DATE_EPOCH`` or 0, USTAR headers and pax records only for names that do not fit. The gzip bytes are the same
wherever the zlib is; the tar's own digest is the identity.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from validator import __version__
from validator.atomic import replacing
from validator.bundled import schema
from validator.errors import UsageError
from validator.formats import canonical as canonical_form
from validator.formats.archive import MemberSource, listing
from validator.formats.decompression import unpacked
from validator.formats.membernames import unsafe_name
from validator.formats.source import blocks, sha256
from validator.model import Law, Package, Severity, verdict
from validator.submission import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.source import Source
    from validator.model import Report
    from validator.submission import Run, Submission

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://subgate.invalid/receipt/v1"
_RECORD = 10_240  # a tar is padded to records of this size
_LAST_SECOND_DIGITS = 12  # of SOURCE_DATE_EPOCH: some thousand years
_RECEIPT = 16 << 20  # bytes of the longest receipt
_BESIDE = ("", ".sha256", ".receipt.json", ".mail.txt")  # what is written for an archive


@dataclass(frozen=True, slots=True)
class Plan:
    """An archive to be written: its name, its members by their names in it, the text of the mail that goes with it."""

    name: str
    members: tuple[tuple[str, Source], ...]
    runs: tuple[str, ...]
    mail: str = ""  # template of the text to send it with
    words: tuple[tuple[str, str], ...] = ()  # what else is known to the template


def plans(submission: Submission) -> tuple[Plan, ...]:
    """Lay out the archives of a submission as its profile asks; UsageError if their names or members collide."""
    form = submission.profile.package
    found = []
    if form.whole and submission.runs:
        found.append(_whole(submission))
    for run in () if form.whole else submission.runs:
        name = form.name.format_map(_words(run, submission))
        twin = next((plan for plan in found if plan.name == name), None)
        if twin is not None:
            raise UsageError(f"{_sources(twin)[0]} and {run.file} would both become {name}; pack one of them alone")
        found.append(_plan(name, tuple(_members(run, submission)), (run.stem,)))
    return tuple(found)


def _plan(name: str, members: tuple[tuple[str, Source], ...], runs: tuple[str, ...]) -> Plan:
    """Put an archive's members into their order; UsageError if nobody could unpack them."""
    there: dict[str, Source] = {}
    for member, source in members:
        reason = unsafe_name(member)
        if reason:
            raise UsageError(f"{source.name} cannot be packed: its name {reason}; rename it")
        twin = there.setdefault(member.casefold(), source)
        if twin.name != source.name:
            raise UsageError(f"{twin.name} and {source.name} would both become {member} of {name}; rename one of them")
    return Plan(name, tuple(sorted(members, key=_bytes)), runs)


def _sources(plan: Plan) -> list[str]:
    return [source.name for _, source in plan.members]


def _words(run: Run, submission: Submission) -> dict[str, object]:
    """Return what the names of archives and members can be made of."""
    return {**submission.parameters, **run.values, "EXPID": run.stem, "base": _base(run.source)}


def _members(run: Run, submission: Submission) -> Iterator[tuple[str, Source]]:
    """Lay out the files of a run: its own, and its descriptions."""
    form, values = submission.profile.package, _words(run, submission)
    yield form.run.format_map(values), _form(run, submission)
    for part in run.parts:
        yield form.part.format_map({**values, "base": _base(part.source)}), part.source
    for text in nearest(run, _texts(run, submission)):
        yield form.description.format_map({**values, "base": _base(text)}), text
    for report in submission.reports_of(run) if form.report else ():
        yield form.report.format_map({**values, "base": _base(report)}), report


def _texts(run: Run, submission: Submission) -> list[Source]:
    """Return the descriptions of a run: that of its name, or those that mention it, or all."""
    own = [source for source in submission.texts if _base(source).rpartition(".")[0] == run.stem]
    described = [file for file, text in submission.descriptions if text.mentions(run.stem)]
    return own or [source for source in submission.texts if not described or source.name in described]


def _whole(submission: Submission) -> Plan:
    """Lay out one archive with all runs and all descriptions."""
    form, how = submission.profile.package, submission.profile.primaries
    values = _words(submission.runs[0], submission)
    members = [member for run in submission.runs for member in _members(run, submission)]
    if "{EXPID}" not in form.description:  # descriptions belong to the submission, not to a run
        members += [(form.description.format_map({**values, "base": _base(text)}), text) for text in submission.texts]
    members = list({(name, source.name): (name, source) for name, source in members}.values())
    told = [
        f"  {'+'.join(run.values.get(name, '') for name in how.condition)}  {run.values.get(how.system, ''):6} "
        f"{_base(run.source)}"
        for run in submission.runs
    ]
    stems = tuple(run.stem for run in submission.runs)
    words = {**values, "runs": "\n".join(told), "stems": "\n".join(stems)}
    return replace(
        _plan(form.name.format_map(values), tuple(members), stems),
        mail=schema(form.mail) if form.mail else "",
        words=tuple((key, str(value)) for key, value in words.items()),
    )


def _form(run: Run, submission: Submission) -> Source:
    """Return a run as it is sent."""
    if not submission.profile.package.canonical or run.role is None:
        return run.source
    return canonical_form(run.role.format, run.source, submission.references)


def _base(source: Source) -> str:
    return source.name.rsplit("/", 1)[-1]


def _bytes(member: tuple[str, Source]) -> bytes:
    return member[0].encode("utf-8", "surrogateescape")


def write(plan: Plan, folder: Path, report: Report) -> Package:
    """Write an archive with its .sha256 and its receipt; each is complete or not there."""
    target = folder / plan.name
    with replacing(target) as stream:
        packer = _Packer(stream)
        for name, source in plan.members:
            packer.add(name, source)
        packer.finish()
    package = Package(target.as_posix(), packer.digest, target.stat().st_size, tuple(name for name, _ in plan.members))
    try:
        for ending, text in _beside(plan, package, packer, report):
            with replacing(folder / f"{plan.name}{ending}") as stream:
                stream.write(text.encode())
    except OSError:
        remove(package)
        raise
    return package


def _beside(plan: Plan, package: Package, packer: _Packer, report: Report) -> Iterator[tuple[str, str]]:
    """Give what is written beside an archive: endings of the names, and texts."""
    yield ".sha256", checksum_line(package.sha256, plan.name)
    yield ".receipt.json", canonical(_statement(plan, packer, report))
    if plan.mail:
        listed = "\n".join(f"  {entry['sha256']}  {entry['name']}" for entry in packer.members)
        words = {**dict(plan.words), "archive": plan.name, "bytes": package.bytes, "sha256": package.sha256}
        yield ".mail.txt", plan.mail.format_map({**words, "members": listed})


def remove(package: Package) -> None:
    """Take away an archive that must not be sent, and what was written beside it."""
    for ending in reversed(_BESIDE):
        Path(f"{package.path}{ending}").unlink(missing_ok=True)


def checksum_line(digest: str, name: str) -> str:
    """Return a line for ``sha256sum -c``."""
    return f"{digest}  {name}\n"


def _time() -> int:
    """Return the time that all members have."""
    said = os.environ.get("SOURCE_DATE_EPOCH") or "0"
    if not (said.isascii() and said.isdigit() and len(said) <= _LAST_SECOND_DIGITS):
        raise UsageError(f"SOURCE_DATE_EPOCH={said}: it must be a number of seconds")
    return int(said)


class _Packer:
    """Writes tar members through gzip, taking digests on the way."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._gzip = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: a gzip header without name and time
        self._archive, self._tar = hashlib.sha256(), hashlib.sha256()
        self._written = 0
        self._time = _time()
        self.members: list[dict[str, object]] = []

    def add(self, name: str, source: Source) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = source.size, 0o644, self._time
        self._put(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))
        content, size = hashlib.sha256(), 0
        with source.open() as opened:
            for block in blocks(opened):
                content.update(block)
                size += len(block)
                self._put(block)
        if size != source.size:
            raise OSError(f"{source.name} changed while it was packed")
        self._put(bytes(-size % tarfile.BLOCKSIZE))
        self.members.append(_entry(name, content.hexdigest(), size))

    def finish(self) -> None:
        end = self._written + 2 * tarfile.BLOCKSIZE
        self._put(bytes(2 * tarfile.BLOCKSIZE + -end % _RECORD))
        self._out(self._gzip.flush())

    def _put(self, data: bytes) -> None:
        self._tar.update(data)
        self._written += len(data)
        self._out(self._gzip.compress(data))

    def _out(self, data: bytes) -> None:
        self._archive.update(data)
        self._stream.write(data)

    @property
    def digest(self) -> str:
        return self._archive.hexdigest()

    @property
    def tar_digest(self) -> str:
        return self._tar.hexdigest()


# -- receipts ----------------------------------------------------------------------------------------------------


def _statement(plan: Plan, packer: _Packer, report: Report) -> dict[str, object]:
    answer, plan_says, tool_says = (verdict(report, law) for law in (None, Law.PLAN, Law.TOOL))
    predicate: dict[str, object] = {
        "tool": {"name": "subgate", "version": __version__},
        "evaluation": report.evaluation,
        "conventions": report.conventions.value,
        "verdict": answer.value if answer else None,
        "verdicts": {"plan": plan_says.value if plan_says else None, "tool": tool_says.value if tool_says else None},
        "findings": {"errors": 0, "warnings": report.occurrences(Severity.WARNING)},
        "signature": {run.id: run.signature for run in report.runs if run.id in plan.runs},
        "tar": {"sha256": packer.tar_digest},
        "members": packer.members,
    }
    statement: dict[str, object] = {
        "_type": STATEMENT,
        "subject": [{"name": plan.name, "digest": {"sha256": packer.digest}}],
        "predicateType": PREDICATE,
        "predicate": predicate,
    }
    predicate["receipt"] = _self_digest(statement)
    return statement


def canonical(statement: object) -> str:
    """Return the one text form of a receipt."""
    return json.dumps(statement, indent=1, sort_keys=True) + "\n"


def _self_digest(statement: dict[str, object]) -> str:
    """Return the digest of a receipt without its own digest."""
    predicate = statement["predicate"]
    rest = {key: value for key, value in predicate.items() if key != "receipt"} if isinstance(predicate, dict) else {}
    return hashlib.sha256(canonical({**statement, "predicate": rest}).encode()).hexdigest()


def verify(archive: Path, receipt: Path) -> Iterator[str]:
    """Say everything in which an archive, its receipt and its .sha256 do not belong together."""
    digest = sha256(archive.open("rb"))
    with receipt.open("rb") as stream:
        text = stream.read(_RECEIPT + 1)
    try:
        statement = json.loads(text[:_RECEIPT])
    except (ValueError, RecursionError):
        yield f"{receipt} is not JSON"
        return
    if not isinstance(statement, dict) or canonical(statement).encode() != text:
        yield f"{receipt} is not as subgate wrote it"
        return
    predicate = statement.get("predicate")
    if not isinstance(predicate, dict) or predicate.get("receipt") != _self_digest(statement):
        yield f"{receipt} was changed: its own digest does not fit"
        return
    subject = {"name": archive.name, "digest": {"sha256": digest}}
    if statement.get("subject") != [subject]:
        yield f"{archive} is not the archive of the receipt: its SHA-256 is {digest}"
    sums = archive.with_name(f"{archive.name}.sha256")
    if sums.exists() and sums.read_bytes() != checksum_line(digest, archive.name).encode():
        yield f"{sums} does not fit the archive"
    yield from _compare_members(archive, predicate)


def _compare_members(archive: Path, predicate: dict[str, object]) -> Iterator[str]:
    listed = listing(archive, archive.name)
    yield from (f"{fault.path}: {fault.message}" for fault in listed.faults)
    found = [
        _entry(source.member, sha256(source.open()), source.size)
        for source in listed.sources
        if isinstance(source, MemberSource)
    ]
    said = predicate.get("members")
    if not isinstance(said, list) or sorted(map(canonical, said)) != sorted(map(canonical, found)):
        yield f"the members of {archive} are not those of the receipt"
    if not listed.faults and predicate.get("tar") != {"sha256": sha256(unpacked(archive))}:
        yield f"the tar inside of {archive} is not that of the receipt"


def _entry(name: str, digest: str, size: int) -> dict[str, object]:
    return {"name": name, "sha256": digest, "bytes": size}
