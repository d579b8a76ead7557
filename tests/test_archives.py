"""Archives as submissions: the same report as the folder; and hostile ones, which are refused by the right rule.

Each hostile archive or folder holds a good submission besides what is wrong with it: what is refused is the attack.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import socket
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.uploads import (
    CASES,
    DATABASE,
    END,
    EXPID,
    RUN,
    Json,
    global_pax,
    good_files,
    limited,
    many_limited,
    member,
    members,
    padded,
    pax,
    program,
    resealed,
    shown_rules,
    submission,
    write_files,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from click.testing import Result

DESCRIPTION = "system.txt"
SIZE, LINK_KIND = 124, 156  # offsets of fields in a tar header
GOOD = good_files()


# -- the same report as the folder -------------------------------------------------------------------------------


def _tarred(files: Mapping[str, bytes]) -> bytes:
    return members(files) + END


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


PACKERS: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "tgz": lambda files: gzip.compress(_tarred(files), mtime=0),
    "tar.gz": lambda files: gzip.compress(_tarred(files), mtime=0),
    "tar.bz2": lambda files: bz2.compress(_tarred(files)),
    "tar.xz": lambda files: lzma.compress(_tarred(files)),
    "tar": _tarred,
    "zip": _zipped,
}


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _same_report(
    subgate: Callable[..., Result], files: Mapping[str, bytes], suffix: str, arguments: tuple[str, ...]
) -> Json:
    """Check files as a folder and as an archive in the working directory; return the report, which is one."""
    write_files(Path("upload"), files)
    Path(f"upload.{suffix}").write_bytes(PACKERS[suffix](files))
    folder, archive = subgate("check", "upload", *arguments), subgate("check", f"upload.{suffix}", *arguments)
    assert archive.output.replace(f"upload.{suffix}", "upload") == folder.output
    assert archive.exit_code == folder.exit_code
    return submission(folder.output)


def _folder_cases() -> Iterator[object]:
    for settings in sorted(
        path for family in ("openkws", "lre", "sws") for path in CASES.parent.glob(f"{family}/*/case.toml")
    ):
        case = tomllib.loads(settings.read_text(encoding="utf-8"))
        name, *rest = case["arguments"]
        folder = settings.parent / name
        # MED's archives have names and rules of their own, tars have links of their own.
        if folder.is_dir() and case.get("command", "check") == "check" and not folder.parent.name.startswith("GEN102"):
            family = f"{settings.parent.parent}/"
            yield pytest.param(folder, tuple(word.replace("../", family) for word in rest), id=settings.parent.name)


@pytest.mark.parametrize(("folder", "arguments"), list(_folder_cases()))
@pytest.mark.parametrize("suffix", ["tgz", "zip"])
def test_an_archive_gets_the_report_of_the_folder(
    *,
    folder: Path,
    arguments: tuple[str, ...],
    suffix: str,
    subgate: Callable[..., Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Same findings, verdicts, runs and counts for every case that is a folder; only the path differs."""
    monkeypatch.chdir(tmp_path)
    report = _same_report(subgate, _files(folder), suffix, (*arguments, "--format", "json"))
    assert report["error"] is None
    assert report["runs"] or "GEN101" in shown_rules(report)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("spoiled", [False, True], ids=["good", "bad"])
def test_every_kind_of_archive_is_read(
    *, suffix: str, spoiled: bool, subgate: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A good and a bad submission get the folder's report in each kind of archive, folders inside of it included."""
    monkeypatch.chdir(tmp_path)
    files = {f"deep/down/{RUN}": GOOD[RUN], "deep/text/system.txt": GOOD[DESCRIPTION], "notes.log": b"a stray file"}
    if spoiled:
        files[f"deep/down/{RUN}"] = GOOD[RUN].replace(b'"3.10"', b'"3,10"').replace(b'"NO"', b'"no"')
        files["deep/text/system.txt"] = GOOD[DESCRIPTION].replace(b"Section 3.2 Search", b"")
    report = _same_report(subgate, files, suffix, ("--data", str(DATABASE), "--format", "json"))
    wrong = {"XML207", "XML208", "KWS602"} if spoiled else set()
    assert shown_rules(report) == {"GEN103"} | wrong
    assert report["verdict"] == ("reject" if spoiled else "accept")


def test_the_order_of_files_does_not_depend_on_the_kind_of_path(
    subgate: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names that sort differently as paths and folder by folder ("a-b" and "a/b") give the same report all the same.

    The missing EXPID is told of the first description: which one that is must not depend on the packing.
    """
    monkeypatch.chdir(tmp_path)
    text = GOOD[DESCRIPTION].replace(EXPID.encode(), b"to be listed")
    files = {f"a/{RUN}": GOOD[RUN], "a/system.txt": text, "a-b/system.txt": text}
    report = _same_report(subgate, files, "tgz", ("--data", str(DATABASE), "--format", "json"))
    assert "KWS603" in shown_rules(report)


def test_the_text_report_is_the_same(
    subgate: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Excerpts and places are found inside of archives as they are in files."""
    monkeypatch.chdir(tmp_path)
    files = {RUN: GOOD[RUN].replace(b'"3.10"', b'"3,10"'), DESCRIPTION: GOOD[DESCRIPTION]}
    write_files(Path("upload"), files)
    Path("upload.tar.xz").write_bytes(PACKERS["tar.xz"](files))
    folder, archive = subgate("check", "upload"), subgate("check", "upload.tar.xz")
    assert archive.output.replace("upload.tar.xz", "upload") == folder.output
    assert "3,10" in folder.output


@pytest.mark.parametrize("prefix", ["", "./", "upload/"])
def test_archives_of_other_programs_are_read(
    *, prefix: str, subgate: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GNU tar, with folders as members, leading ./, a top folder, long names and its own header form: no finding."""
    monkeypatch.chdir(tmp_path)
    long_name = f"{'LongTeam' * 12}".join(EXPID.split("TeamA"))
    text = GOOD[DESCRIPTION].replace(EXPID.encode(), long_name.encode())
    write_files(Path("upload"), {f"{long_name}.kwslist.xml": GOOD[RUN], "system.txt": text})
    where, what = ("upload", ".") if prefix == "./" else (".", "upload") if prefix else ("upload", "*")
    for form in ("gnu", "pax", "oldgnu"):
        line = f"tar -C {where} -c --format={form} -zf {form}.tgz $(cd {where} && echo {what})"
        subprocess.run([program("bash"), "-c", line], check=True)
        result = subgate("check", f"{form}.tgz", "--data", str(DATABASE), "--format", "json")
        assert submission(result.output)["findings"] == []
        assert result.exit_code == 0


def test_git_archive_is_read(subgate: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A global header with a comment, as git archive writes it, does no harm."""
    monkeypatch.chdir(tmp_path)
    content = global_pax(comment="0123456789abcdef") + members(GOOD) + END
    Path("upload.tgz").write_bytes(gzip.compress(content))
    assert subgate("check", "upload.tgz", "--data", str(DATABASE)).exit_code == 0


# -- hostile archives --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attack:
    """A hostile archive: its name, its bytes, the rules of which one must refuse it, and the member to be named."""

    name: str
    content: Callable[[], bytes]
    rules: str
    named: str = ""
    file: str = "upload.tgz"


def _tgz(*parts: bytes, end: bytes = END) -> Callable[[], bytes]:
    return lambda: gzip.compress(members(GOOD) + b"".join(parts) + end, mtime=0)


def _only(*parts: bytes, end: bytes = END) -> Callable[[], bytes]:
    return lambda: gzip.compress(b"".join(parts) + end, mtime=0)


def _sized(field: bytes) -> bytes:
    return resealed(member("notes.txt"), SIZE, field.ljust(12, b"\0"))


def _longname(name: bytes, size: int | None = None) -> bytes:
    header = member("././@LongLink", name, kind=tarfile.GNUTYPE_LONGNAME)
    return header if size is None else resealed(header, SIZE, f"{size:011o}".encode())


def _named(name: bytes) -> bytes:
    """Return a member whose name is not what a polite library would write."""
    return resealed(member("notes.txt"), 0, name.ljust(100, b"\0"))


def _bomb(compress: Callable[[bytes], bytes]) -> Callable[[], bytes]:
    """Return 100 MB of zeros in one member, packed as a hundred streams behind each other."""

    def build() -> bytes:
        head = resealed(member("zeros.txt"), SIZE, f"{100 << 20:011o}".encode())
        return compress(members(GOOD) + head) + compress(bytes(1 << 20)) * 100 + compress(END)

    return build


def _gzip_bomb() -> bytes:
    """Return 60 MB of zeros in one gzip stream of 60 kB."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    head = resealed(member("zeros.txt"), SIZE, f"{60 << 20:011o}".encode())
    parts = [packer.compress(members(GOOD) + head), *(packer.compress(bytes(1 << 20)) for _ in range(60))]
    return b"".join([*parts, packer.flush()])


def _wrong_crc() -> bytes:
    packed = _tgz()()
    return packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]


def _huge_dictionary() -> bytes:
    """Return an xz file of a few bytes that asks for a dictionary of 4 GiB."""
    packed = bytearray(lzma.compress(_tarred(GOOD)))
    length = (packed[12] + 1) * 4  # of the block header, its checksum included
    at = packed.index(b"\x21\x01", 12) + 2  # filter LZMA2, one byte of properties
    packed[at] = 40
    packed[12 + length - 4 : 12 + length] = struct.pack("<I", zlib.crc32(packed[12 : 12 + length - 4]))
    return bytes(packed)


def _sparse_pax() -> bytes:
    records = {"GNU__sparse__major": "1", "GNU__sparse__minor": "0", "GNU__sparse__realsize": "99999999999"}
    return pax(**records, GNU__sparse__name="notes.txt") + member("GNUSparseFile.0/notes.txt", b"1\n0\n0\n")


def _tiny_records() -> bytes:
    """Return links whose extended headers have 150000 records each: reading them may not take quadratic time."""
    content = b"6 a=b\n" * 150_000
    header = member("PaxHeader", content, kind=tarfile.XHDTYPE)
    return (header + member("link.txt", kind=tarfile.SYMTYPE, link="x")) * 3


ENTITY_BOMB = (
    b'<?xml version="1.0"?>\n<!DOCTYPE kwslist [<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 50) for n in range(12))
    + b']>\n<kwslist kwlist_filename="&m;" language="x" system_id="y"/>\n'
)

TARS = [
    Attack("absolute", _tgz(member("/etc/cron.d/x", b"x")), "GEN802", "/etc/cron.d/x"),
    Attack("dotdot", _tgz(member("../../x.txt", b"x")), "GEN802", "../../x.txt"),
    Attack("dotdot-inside", _tgz(member("a/b/../../../x.txt", b"x")), "GEN802", "a/b/../../../x.txt"),
    Attack("drive", _tgz(member("C:evil.txt", b"x")), "GEN802", "C:evil.txt"),
    Attack("backslash", _tgz(member("..\\evil.txt", b"x")), "GEN802", "..\\evil.txt"),
    Attack("empty-name", _tgz(_named(b"")), "GEN802"),
    Attack("only-slashes", _tgz(member("//", b"x")), "GEN802"),
    Attack("nul-in-pax-name", _tgz(pax(path=b"a.txt\0.exe"), member("x")), "GEN802 GEN801"),
    Attack("newline-in-name", _tgz(member("a\nb.txt")), "GEN802", "a\nb.txt"),
    Attack("escape-in-name", _tgz(member("\x1b[2Jx.txt")), "GEN802", "\x1b[2Jx.txt"),
    Attack("c1-control-in-name", _tgz(pax(path="a\x9bb.txt"), member("x")), "GEN802"),
    Attack("bidi-in-name", _tgz(pax(path="a\u202etxt.exe.txt"), member("x")), "GEN802"),
    Attack("line-separator-in-name", _tgz(pax(path="a\u2028b.txt"), member("x")), "GEN802"),
    Attack("not-utf-8-name", _tgz(_named(b"\xff\xfe.txt")), "GEN802"),
    Attack("symlink", _tgz(member("link.txt", kind=tarfile.SYMTYPE, link="/etc/passwd")), "GEN806", "link.txt"),
    Attack("hardlink", _tgz(member("hard.txt", kind=tarfile.LNKTYPE, link="/etc/passwd")), "GEN806", "hard.txt"),
    Attack("symlink-as-folder", _tgz(member("d", kind=tarfile.SYMTYPE, link="/etc"), member("d/x")), "GEN806", "d"),
    Attack("fifo", _tgz(member("pipe.txt", kind=tarfile.FIFOTYPE)), "GEN806", "pipe.txt"),
    Attack("character-device", _tgz(member("zero.txt", kind=tarfile.CHRTYPE)), "GEN806", "zero.txt"),
    Attack("block-device", _tgz(member("disk.txt", kind=tarfile.BLKTYPE)), "GEN806", "disk.txt"),
    Attack("unknown-type", _tgz(member("odd.txt", kind=b"Z")), "GEN806", "odd.txt"),
    Attack("sparse-gnu", _tgz(member("s.txt", kind=tarfile.GNUTYPE_SPARSE)), "GEN803", "s.txt"),
    Attack("sparse-pax", _tgz(_sparse_pax()), "GEN803"),
    Attack("twice", _tgz(member(RUN, b"<kwslist/>")), "GEN804", RUN),
    Attack("letter-case", _tgz(member("SYSTEM.txt", b"x")), "GEN804", "SYSTEM.txt"),
    Attack("twice-by-dot", _tgz(member(f"./{RUN}", b"<kwslist/>")), "GEN804"),
    Attack("twice-by-two-dots", _tgz(member(f"././{RUN}", b"<kwslist/>")), "GEN804 GEN802"),
    Attack("twice-by-inner-dot", _tgz(member("a/x.txt", b"x"), member("a/./x.txt", b"y")), "GEN804 GEN802"),
    Attack("twice-by-slashes", _tgz(member("a/x.txt", b"x"), member("a//x.txt", b"y")), "GEN804 GEN802"),
    Attack("global-path", _tgz(global_pax(path="../../x.txt"), member("x.txt")), "GEN801 GEN802 GEN803"),
    Attack("global-size", _tgz(global_pax(size="0"), member("x.txt", b"y")), "GEN801 GEN802 GEN803"),
    Attack("huge-pax-header", _tgz(pax(path="x" * (3 << 20)), member("x")), "GEN801 GEN805"),
    Attack("pax-header-lies", _tgz(resealed(pax(path="x"), SIZE, b"77777777777")), "GEN801"),
    Attack("many-pax-records", _tgz(_tiny_records()), "GEN801 GEN806 GEN805"),
    Attack("pax-length-lies", _tgz(member("p", b"999 path=x\n", kind=b"x"), member("x")), "GEN801"),
    Attack("pax-length-zero", _tgz(member("p", b"0 path=x\n", kind=b"x"), member("x")), "GEN801"),
    Attack("pax-size-too-large", _tgz(pax(size="1099511627776"), member("x.txt", b"y")), "GEN801"),
    Attack("pax-size-too-small", _tgz(pax(size="0"), member("x.txt", b"y" * 600)), "GEN801"),
    Attack("pax-size-negative", _tgz(pax(size="-512"), member("x.txt", b"y")), "GEN801"),
    Attack("pax-size-no-number", _tgz(pax(size="many"), member("x.txt", b"y")), "GEN801"),
    Attack("pax-size-with-underscore", _tgz(pax(size="0_0"), member("x.txt")), "GEN801"),
    Attack("negative-size", _tgz(_sized(b"\xff" * 11 + b"\x80")), "GEN801"),
    Attack("size-of-2^90", _tgz(_sized(b"\x80" + b"\x04" + b"\0" * 10)), "GEN801"),
    Attack("size-no-number", _tgz(_sized(b"9999999x")), "GEN801"),
    Attack("wrong-checksum", _tgz(member("x.txt").replace(b"x.txt", b"y.txt", 1)), "GEN801"),
    Attack("longname-bomb", _tgz(_longname(b"x", 2 << 30), member("x")), "GEN801"),
    Attack("longname-way-out", _tgz(_longname(b"../" * 50 + b"x"), member("x")), "GEN802"),
    Attack("longname-megabytes", _tgz(_longname(b"x" * (2 << 20)), member("x")), "GEN801 GEN802"),
    Attack("too-many-members", _tgz(*(member(f"{n}.log") for n in range(10_001))), "GEN805"),
    Attack("cut-off", lambda: _tgz()()[:-40], "GEN801"),
    Attack("cut-off-in-the-trailer", lambda: _tgz()()[:-4], "GEN801"),
    Attack("no-end-mark", _tgz(end=b""), "GEN801"),
    Attack("cut-off-member", _only(members(GOOD), member("x.txt", bytes(5000))[:3000], end=b""), "GEN801"),
    Attack("garbage-in-the-tar", _tgz(end=END + member("evil.txt")), "GEN801"),
    Attack("garbage-behind-gzip", lambda: _tgz()() + b"garbage", "GEN801"),
    Attack("second-tar-behind-gzip", lambda: _tgz()() + _tgz()(), "GEN801"),
    Attack("garbage-behind-bz2", lambda: PACKERS["tar.bz2"](GOOD) + b"garbage", "GEN801", file="upload.tar.bz2"),
    Attack("garbage-behind-xz", lambda: PACKERS["tar.xz"](GOOD) + b"garbage!", "GEN801", file="upload.tar.xz"),
    Attack("wrong-crc", _wrong_crc, "GEN801"),
    Attack("gzip-bomb", _gzip_bomb, "GEN805"),
    Attack("gzip-streams-bomb", _bomb(gzip.compress), "GEN805"),
    Attack("bz2-bomb", _bomb(bz2.compress), "GEN805", file="upload.tar.bz2"),
    Attack("xz-bomb", _bomb(lzma.compress), "GEN805", file="upload.tar.xz"),
    Attack("xz-dictionary", _huge_dictionary, "GEN801 GEN805", file="upload.tar.xz"),
    Attack("entity-bomb", _only(member(RUN, ENTITY_BOMB)), "XML202", RUN),
    Attack("no-run", _only(member(DESCRIPTION, GOOD[DESCRIPTION])), "GEN101"),
    Attack("no-member", _only(), "GEN101"),
    Attack("no-byte", lambda: b"", "GEN801"),
    Attack("no-byte-tar", lambda: b"", "GEN801", file="upload.tar"),
    Attack("zeros", lambda: bytes(10_240), "GEN101", file="upload.tar"),
    Attack("zip-as-tgz", lambda: _zipped(GOOD), "GEN801"),
    Attack("xml-as-tgz", lambda: GOOD[RUN], "GEN801"),
    Attack("tgz-as-tar", _tgz(), "GEN801", file="upload.tar"),
    Attack("tgz-as-bz2", _tgz(), "GEN801", file="upload.tar.bz2"),
    Attack("tgz-as-xz", _tgz(), "GEN801", file="upload.tar.xz"),
    Attack("tgz-as-zip", _tgz(), "GEN801", file="upload.zip"),
    Attack("tgz-as-run", _tgz(), "XML201", file=RUN),
]


# -- hostile zips ------------------------------------------------------------------------------------------------

LOCAL, CENTRAL, LAST = b"PK\3\4", b"PK\1\2", b"PK\5\6"


def _zip_with(name: str, content: bytes = b"x", *, mode: int = stat.S_IFREG | 0o644) -> Callable[[], bytes]:
    """Return a good zip with one more member, of any mode."""

    def build() -> bytes:
        stream = io.BytesIO(_zipped(GOOD))
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        with zipfile.ZipFile(stream, "a") as archive:
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
        return stream.getvalue()

    return build


def _twice() -> bytes:
    both = (*GOOD.items(), (RUN.replace("word", "wxrd"), b"<kwslist/>"))
    return _zipped(dict(both)).replace(b"p-wxrd_1", b"p-word_1")


def _patched(record: bytes, offset: int, field: bytes) -> Callable[[], bytes]:
    """Return a good zip with another value in a field of the last local header, directory entry or end record."""

    def build() -> bytes:
        packed = _zipped(GOOD)
        at = packed.rindex(record) + offset
        return packed[:at] + field + packed[at + len(field) :]

    return build


def _both(local: int, central: int, field: bytes) -> Callable[[], bytes]:
    """Return a good zip with another value in the last member's local header and directory entry."""

    def build() -> bytes:
        packed = _zipped(GOOD)
        for record, offset in ((LOCAL, local), (CENTRAL, central)):
            at = packed.rindex(record) + offset
            packed = packed[:at] + field + packed[at + len(field) :]
        return packed

    return build


def _crowd(count: int, *, confess: bool) -> Callable[[], bytes]:
    """Return a zip of empty members; the end record tells their number or says that there is one."""

    def build() -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for rank in range(count):
                archive.writestr(zipfile.ZipInfo(f"{rank}"), b"")
        packed = stream.getvalue()
        at = packed.rindex(LAST)
        if confess:
            return packed
        begin = packed.index(CENTRAL)
        size = packed.rindex(CENTRAL) + 46 + len(str(count - 1)) - begin
        return packed[: begin + size] + LAST + struct.pack("<HHHHIIH", 0, 0, 1, 1, size, begin, 0) + packed[at + 22 :]

    return build


def _nested() -> bytes:
    """Return a zip of zips of zips, each with sixteen copies of the one below."""
    layer = _zipped({"zeros.txt": bytes(10 << 20)})
    for _ in range(5):
        layer = _zipped({f"{rank:x}.zip": layer for rank in range(16)})
    return layer


def _overlapping() -> bytes:
    """Return a zip of 5000 members that are all the same 20 kB of packed zeros, as in the better zip bombs."""
    packed = _zipped({"0000": bytes(20 << 20)})
    begin, at = packed.index(CENTRAL), packed.rindex(LAST)
    entry = packed[begin:at]
    directory = b"".join(entry.replace(b"0000", f"{rank:04}".encode()) for rank in range(5000))
    count = struct.pack("<HHHHIIH", 0, 0, 5000, 5000, len(directory), begin, 0)
    return packed[:begin] + directory + LAST + count


def _lzma_dictionary() -> bytes:
    """Return a zip with an LZMA member that asks for a dictionary of 4 GiB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x.txt", b"x" * 1000)
    packed = bytearray(stream.getvalue())
    at = 30 + len("x.txt") + 4 + 1  # header, name, version and length of the properties, lc/lp/pb
    packed[at : at + 4] = b"\xff\xff\xff\xff"
    return bytes(packed)


ZIPS = [
    Attack("zip-absolute", _zip_with("/etc/x.txt"), "GEN802", "/etc/x.txt", "upload.zip"),
    Attack("zip-dotdot", _zip_with("a/../../x.txt"), "GEN802", "a/../../x.txt", "upload.zip"),
    Attack("zip-backslash", _zip_with("..\\x.txt"), "GEN802", "..\\x.txt", "upload.zip"),
    Attack("zip-control", _zip_with("\x1b[2Jx.txt"), "GEN802", "\x1b[2Jx.txt", "upload.zip"),
    Attack("zip-bidi", _zip_with("a\u202etxt.exe.txt"), "GEN802", file="upload.zip"),
    Attack(
        "zip-nul",
        lambda: _zip_with("evil.txt0.exe")().replace(b"evil.txt0.exe", b"evil.txt\0.exe"),
        "GEN801 GEN802",
        file="upload.zip",
    ),
    Attack(
        "zip-not-utf-8",
        lambda: _zip_with("\u00e4\u00e4.txt")().replace("\u00e4\u00e4".encode(), b"\xff\xfe\xff\xfe"),
        "GEN801 GEN802",
        file="upload.zip",
    ),
    Attack("zip-symlink", _zip_with("l.txt", b"/etc", mode=stat.S_IFLNK | 0o777), "GEN806", "l.txt", "upload.zip"),
    Attack("zip-fifo", _zip_with("p.txt", mode=stat.S_IFIFO | 0o644), "GEN806", "p.txt", "upload.zip"),
    Attack("zip-device", _zip_with("d.txt", mode=stat.S_IFCHR | 0o644), "GEN806", "d.txt", "upload.zip"),
    Attack("zip-encrypted", _both(6, 8, b"\1\0"), "GEN806", DESCRIPTION, "upload.zip"),
    Attack("zip-twice", _twice, "GEN804", RUN, "upload.zip"),
    Attack("zip-letter-case", _zip_with("SYSTEM.TXT"), "GEN804", "SYSTEM.TXT", "upload.zip"),
    Attack("zip-dot", _zip_with(f"./{RUN}"), "GEN804", file="upload.zip"),
    Attack("zip-two-dots", _zip_with(f"././{RUN}"), "GEN804 GEN802", file="upload.zip"),
    Attack("zip-wrong-crc", _both(14, 16, b"\0\0\0\0"), "GEN801", file="upload.zip"),
    Attack("zip-says-smaller", _both(22, 24, b"\5\0\0\0"), "GEN801", file="upload.zip"),
    Attack("zip-says-larger", _both(22, 24, b"\0\x10\0\0"), "GEN801", file="upload.zip"),
    Attack("zip-says-huge", _both(22, 24, b"\xf0\xff\xff\xff"), "GEN801 GEN805", file="upload.zip"),
    Attack("zip-other-name-inside", _patched(LOCAL, 30, b"other.txt"), "GEN801", file="upload.zip"),
    Attack("zip-unknown-method", _both(8, 10, b"\x09\0"), "GEN801 GEN806", file="upload.zip"),
    Attack("zip-method-no-one-has", _both(8, 10, b"\x7f\0"), "GEN801 GEN806", file="upload.zip"),
    Attack("zip-patched-data", _both(6, 8, b"\x20\0"), "GEN801 GEN806", file="upload.zip"),
    Attack("zip-strong-encryption", _both(6, 8, b"\x41\0"), "GEN801 GEN806", file="upload.zip"),
    Attack("zip-lzma-dictionary", _lzma_dictionary, "GEN801 GEN805", file="upload.zip"),
    Attack("zip-offset-outside", _patched(CENTRAL, 42, b"\xff\xff\xff\x7f"), "GEN801", file="upload.zip"),
    Attack("zip-without-directory", lambda: _zipped(GOOD).partition(CENTRAL)[0], "GEN801", file="upload.zip"),
    Attack("zip-cut-off", lambda: _zipped(GOOD)[:-30], "GEN801", file="upload.zip"),
    Attack("zip-garbage-behind", lambda: _zipped(GOOD) + b"garbage", "GEN801", file="upload.zip"),
    Attack("zip-bomb", lambda: _zipped(GOOD | {"zeros.txt": bytes(60 << 20)}), "GEN805", file="upload.zip"),
    Attack("zip-overlapping", _overlapping, "GEN801 GEN805", file="upload.zip"),
    Attack("zip-nested", _nested, "GEN101", file="upload.zip"),
    Attack("zip-70000", _crowd(70_000, confess=True), "GEN805", file="upload.zip"),
    Attack("zip-20000-says-1", _crowd(20_000, confess=False), "GEN805", file="upload.zip"),
    Attack("zip-empty", lambda: _zipped({}), "GEN101", file="upload.zip"),
    Attack("zip-no-byte", lambda: b"", "GEN801", file="upload.zip"),
]


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., subprocess.CompletedProcess[bytes]]]:
    """Run the command in a process of its own under 1 GiB and 30 s, again and again."""
    with many_limited(tmp_path_factory.mktemp("gate")) as call:
        yield call


def _refused(result: subprocess.CompletedProcess[bytes], folder: Path, rules: str) -> Json:
    """Assert that a submission was refused by one of the rules, that nothing was written, and return the report."""
    assert result.stderr == b""
    assert result.returncode == 1
    report = submission(result.stdout)
    assert report["error"] is None
    assert report["verdict"] == "reject"
    assert set(rules.split()) & shown_rules(report)
    assert not (folder / "out").exists() or list((folder / "out").iterdir()) == []
    return report


@pytest.mark.parametrize("attack", [*TARS, *ZIPS], ids=lambda attack: attack.name)
def test_a_hostile_archive_is_refused(
    attack: Attack, tmp_path: Path, gate: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    """The right rule refuses it and names the member, in 1 GiB and 30 s, without a traceback; nothing is written."""
    before = sorted(path.name for path in tmp_path.iterdir())
    (tmp_path / attack.file).write_bytes(attack.content())
    result = gate("pack", attack.file, "-e", "openkws13", "-o", "out", "--format", "json", cwd=tmp_path)
    report = _refused(result, tmp_path, attack.rules)
    if attack.named:
        places = [f["path"] for f in report["findings"] if f["rule"] in attack.rules.split()]
        assert any(place.startswith(attack.file) and place.endswith(attack.named) for place in places)
    left = sorted(path.name for path in tmp_path.iterdir() if path.name != "out")
    assert left == sorted([*before, attack.file])


@pytest.mark.parametrize("attack", [TARS[9], TARS[11], TARS[13], ZIPS[3]], ids=lambda attack: attack.name)
def test_a_hostile_name_does_not_reach_the_terminal(attack: Attack, tmp_path: Path) -> None:
    """The text report shows control, direction and undecodable characters as <U+XXXX>."""
    (tmp_path / attack.file).write_bytes(attack.content())
    result = limited("check", attack.file, "-e", "openkws13", cwd=tmp_path)
    assert result.stderr == b""
    text = result.stdout.decode("utf-8")
    assert "<U+" in text
    assert all(char.isprintable() for char in text.replace("\n", ""))


def test_a_sparse_file_as_zip64_directory_is_refused(tmp_path: Path) -> None:
    """The true size of a directory stands in the zip64 record: 2 GiB of holes must not be read into memory."""
    size = 2 << 30
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, size, 0)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, size, 1)
    end = LAST + struct.pack("<HHHHIIH", 0, 0, 1, 1, 46, 0, 0)
    with (tmp_path / "upload.zip").open("wb") as stream:
        stream.truncate(size)
        stream.seek(size)
        stream.write(record + locator + end)
    result = limited("pack", "upload.zip", "-e", "openkws13", "-o", "out", "--format", "json", cwd=tmp_path)
    _refused(result, tmp_path, "GEN801 GEN805")


@pytest.mark.parametrize("suffix", ["tgz", "zip"])
def test_thousands_of_small_members_behind_a_large_one_take_no_quadratic_time(suffix: str, tmp_path: Path) -> None:
    """4000 empty descriptions behind 25 MB: opening each of them must not unpack all that stands before it."""
    files = {"0.log": bytes(25 << 20), **{f"{rank:04}.txt": b"" for rank in range(4000)}, RUN: GOOD[RUN]}
    (tmp_path / f"upload.{suffix}").write_bytes(PACKERS[suffix](files))
    result = limited("pack", f"upload.{suffix}", "-o", "out", "--format", "json", cwd=tmp_path)
    _refused(result, tmp_path, "KWS602 GEN805")


# -- hostile folders ---------------------------------------------------------------------------------------------


def _loop(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "loop").symlink_to("..")


def _socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)  # the name of a socket may have 107 bytes only
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket.txt")
    finally:
        os.chdir(here)


def _unreadable(folder: Path) -> None:
    (folder / "secret.txt").write_bytes(b"x")
    (folder / "secret.txt").chmod(0)


def _unreadable_folder(folder: Path) -> None:
    (folder / "secret").mkdir(mode=0)


def _crowded(folder: Path) -> None:
    for rank in range(15_000):
        (folder / f"{rank}.log").touch()


def _crowded_by_links(folder: Path) -> None:
    for rank in range(15_000):
        (folder / f"{rank}.log").symlink_to("/nowhere")


def _holes(folder: Path) -> None:
    with (folder / RUN).open("ab") as stream:
        stream.truncate(3 << 30)


def _undecodable(folder: Path) -> None:
    name = os.fsencode(folder / RUN.replace("p-word", "p-w")).replace(b"p-w_1", b"p-\xff_1")
    Path(os.fsdecode(name)).write_bytes(GOOD[RUN])


def _entity_bomb(folder: Path) -> None:
    (folder / RUN).write_bytes(ENTITY_BOMB)


FOLDERS: dict[str, tuple[Callable[[Path], None], str]] = {
    "symlink-loop": (_loop, "GEN102"),
    "symlink-to-a-file": (lambda folder: (folder / "x.txt").symlink_to("/etc/passwd"), "GEN102"),
    "dangling-symlink": (lambda folder: (folder / "x.txt").symlink_to("/nowhere"), "GEN102"),
    "fifo": (lambda folder: os.mkfifo(folder / "pipe.txt"), "GEN102"),
    "fifo-as-run": (lambda folder: os.mkfifo(folder / RUN.replace("p-word", "c-pipe")), "GEN102"),
    "socket": (_socket, "GEN102"),
    "unreadable-file": (_unreadable, "GEN102 GEN104"),
    "unreadable-folder": (_unreadable_folder, "GEN102 GEN104"),
    "15000-files": (_crowded, "GEN102 GEN103 GEN104 GEN805"),
    "15000-links": (_crowded_by_links, "GEN102"),
    "file-of-holes": (_holes, "XML201"),
    "undecodable-name": (_undecodable, "KWS113"),
    "entity-bomb": (_entity_bomb, "XML202"),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_hostile_folder_is_refused(name: str, tmp_path: Path) -> None:
    """The right rule refuses it, in 1 GiB and 30 s, without a traceback and without waiting; nothing is written."""
    folder = write_files(tmp_path / "upload", GOOD)
    build, rules = FOLDERS[name]
    build(folder)
    try:
        arguments = ("pack", "upload", "-e", "openkws13", "-o", "out", "--format", "json")
        _refused(limited(*arguments, cwd=tmp_path, as_root=False), tmp_path, rules)
    finally:
        for path in folder.glob("secret*"):
            path.chmod(0o700)


def test_a_folder_of_1500_levels_is_no_crash(tmp_path: Path) -> None:
    """However deep: a verdict or an error, no traceback and no limit of recursion or of open files."""
    folder = write_files(tmp_path / "upload", GOOD)
    here = Path.cwd()
    try:
        os.chdir(folder)
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
        Path("x.log").touch()
    finally:
        os.chdir(here)
    try:
        result = limited("pack", "upload", "-e", "openkws13", "-o", "out", "--format", "json", cwd=tmp_path)
    finally:
        subprocess.run([program("rm"), "-rf", str(folder)], check=True)  # deeper than Python's own remover goes
    assert result.stderr == b""
    assert submission(result.stdout)["error"] is None
    assert result.returncode in (0, 1)


TEXTS = {
    "one-long-line": b"a" * 1_000_000,
    "digits-and-blanks": b"1" + b" " * 1_000_000 + b"x",
    "only-newlines": b"\n" * 1_000_000,
    "numbered-lines": b"5 of them were of no use at all\n" * 8_000,
    "many-dashes": b"- x - " * 200_000,
    "holes": bytes(4_000_000),
    "not-text": bytes(range(256)) * 4000,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_description_does_not_hold_up_the_check(name: str, tmp_path: Path) -> None:
    """What stands in section 2 and 3.1 of a description takes time in proportion to its length, and little memory."""
    head, contact, rest = GOOD[DESCRIPTION].partition(b"Contact: evaluation desk, desk@example.org\n")
    assert contact
    middle = rest.replace(b"Cluster with 20 nodes - 41.5 hours", TEXTS[name][:1_000_000])
    text = head + TEXTS[name] + b"\n" + middle
    write_files(tmp_path / "upload", {RUN: GOOD[RUN], DESCRIPTION: text})
    result = limited("pack", "upload", "-o", "out", "--format", "json", cwd=tmp_path)
    _refused(result, tmp_path, "KWS605 KWS606")


def test_many_unknown_expids_do_not_hold_up_the_check(tmp_path: Path) -> None:
    """A description that lists 5000 EXPIDs beside 40 runs: not each is compared letter by letter with each."""
    names = [EXPID.replace("p-word", f"c-sys{rank}") for rank in range(40)]
    unknown = [EXPID.replace("p-word_1", f"c-word{rank}_1") for rank in range(5000)]
    text = GOOD[DESCRIPTION].replace(EXPID.encode(), "\n".join([*names[1:], *unknown]).encode())
    write_files(tmp_path / "upload", {f"{name}.kwslist.xml": GOOD[RUN] for name in names} | {DESCRIPTION: text})
    _refused(limited("pack", "upload", "-o", "out", "--format", "json", cwd=tmp_path), tmp_path, "KWS603")


def test_many_large_descriptions_fit_into_memory(tmp_path: Path) -> None:
    """An archive of 30 kB with three descriptions of four million empty lines each is judged in 1 GiB."""
    texts = {f"{rank}.txt": b"\n" * (4 << 20) for rank in range(3)}
    (tmp_path / "upload.tgz").write_bytes(PACKERS["tgz"]({RUN: GOOD[RUN], **texts}))
    result = limited("pack", "upload.tgz", "-o", "out", "--format", "json", cwd=tmp_path)
    _refused(result, tmp_path, "KWS602 GEN805")


def test_a_description_of_kws14_does_not_hold_up_the_check(tmp_path: Path) -> None:
    """The later years' figures and ids are searched for in time in proportion to the length of a line."""
    expid = "KWS14_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_p-word_1"
    data_line = b"BaseLR{106FullLP}:AM{x},LM{x},PRON{x},AR{x}"
    text = data_line + b"a" * 500_000 + b"\n" + b"Ingestion Elapsed Time " * 40_000 + b"\n"
    write_files(tmp_path / "upload", {f"{expid}.kwslist.xml": GOOD[RUN], DESCRIPTION: text})
    arguments = ("pack", "upload", "-o", "out", "--format", "json", "--data", str(DATABASE / "DataDefs.tsv"))
    _refused(limited(*arguments, cwd=tmp_path), tmp_path, "KWS613")


# -- what a PATH is ----------------------------------------------------------------------------------------------


def test_a_path_that_is_no_file_is_exit_2(tmp_path: Path) -> None:
    """A pipe, a device or nothing at all as PATH: the call is wrong, and nothing waits for data."""
    os.mkfifo(tmp_path / "pipe.tgz")
    for path in ("pipe.tgz", "/dev/zero", "nothing.tgz"):
        result = limited("check", path, "-e", "openkws13", "--format", "json", cwd=tmp_path)
        assert (result.returncode, result.stderr) == (2, b"")
        assert submission(result.stdout)["verdict"] is None


def test_a_hostile_archive_does_not_stop_the_others(tmp_path: Path) -> None:
    """Three archives in one call, the bad one in the middle: each has its verdict."""
    for name, content in (("a.tgz", _tgz()()), ("b.tgz", _gzip_bomb()), ("c.zip", _zipped(GOOD))):
        (tmp_path / name).write_bytes(content)
    result = limited("check", "a.tgz", "b.tgz", "c.zip", "-j", "1", "--format", "json", cwd=tmp_path)
    verdicts = [entry["verdict"] for entry in json.loads(result.stdout)["submissions"]]
    assert (verdicts, result.returncode) == (["accept", "reject", "accept"], 1)


def test_limits_of_archives_do_not_refuse_what_is_usual(tmp_path: Path) -> None:
    """A KWSList packs well: 20 MB of equal detections at far more than 200:1 are no bomb, as 32 MB are unsuspicious."""
    line = b'<kw file="F" channel="1" tbeg="1.00" dur="0.31" score="0.5" decision="NO"/>\n'
    header = b'<kwslist kwlist_filename="x" language="x" system_id="x">'
    head = header + b'<detected_kwlist kwid="K" search_time="1" oov_count="0">'
    content = head + line * 250_000 + b"</detected_kwlist></kwslist>"
    packed = PACKERS["tar.xz"]({RUN: content})
    assert len(content) > 1000 * len(packed)
    (tmp_path / "upload.tar.xz").write_bytes(packed)
    report = submission(limited("check", "upload.tar.xz", "--format", "json", cwd=tmp_path).stdout)
    assert "GEN805" not in {finding["rule"] for finding in report["findings"]}
    assert report["runs"][0]["id"] == EXPID


def test_padding_is_no_garbage() -> None:
    """The helpers of these tests write whole blocks and checksums that tarfile accepts."""
    content = members({"a": b"x" * 513}) + pax(path="long") + member("short", b"y") + END
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        assert [(info.name, info.size) for info in archive] == [("a", 513), ("long", 1)]
    assert len(padded(b"x" * 513)) == 1024
