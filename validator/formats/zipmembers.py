"""The members of a zip, from its directory; each is read to its end, where its checksum is."""

from __future__ import annotations

import stat
import zipfile
from typing import TYPE_CHECKING

from validator.formats.membernames import inside
from validator.formats.members import (
    KEPT,
    MEMBERS,
    RATIO,
    SMALL,
    UNPACKED,
    UNSUSPICIOUS,
    DamagedError,
    Entry,
    TooLargeError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DIRECTORY = 16 << 20  # bytes
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)  # LZMA may ask for any amount of memory
_LOCAL = 30  # bytes of a local header without its name
_END, _END_64, _LOCATOR_64 = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_END_SIZE, _END_64_SIZE, _LOCATOR_64_SIZE = 22, 56, 20
_KINDS = {
    0: "file", stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
}  # fmt: skip


def zip_entries(path: Path) -> Iterator[Entry]:
    """Give the members of a zip one by one, each when all of it was read."""
    _measure_directory(path)
    packed, total, kept = path.stat().st_size, 0, 0
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            total += info.file_size
            if total > UNPACKED or total > max(UNSUSPICIOUS, RATIO * packed):
                raise TooLargeError(f"the archive unpacks to more than {RATIO} times its size")
            kind = _kind(info)
            content = _content(archive, info, keep=kept) if kind in ("file", "a symbolic link") else None
            kept += len(content or b"")
            target = _target(info.filename, content or b"") if kind == "a symbolic link" else ""
            yield Entry(info.orig_filename, kind, info.file_size, content=content, target=target, directory=info)


def open_member(path: Path, info: zipfile.ZipInfo) -> zipfile.ZipExtFile:
    """Open a member without reading the whole directory again."""
    stream = path.open("rb")
    stream.seek(info.header_offset)
    header = stream.read(_LOCAL)
    stream.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
    return zipfile.ZipExtFile(stream, "r", info, close_fileobj=True)


def _kind(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 1:
        return "an encrypted file"
    kind = _KINDS.get(stat.S_IFMT(info.external_attr >> 16), "a device")
    return "folder" if info.is_dir() and kind == "file" else kind


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, *, keep: int) -> bytes | None:
    """Read a member to its end, where its checksum is compared; return it if it is small enough to be kept."""
    if info.compress_type not in _METHODS:
        raise DamagedError("a member is packed by an unusual method")
    parts, size = [], 0
    small = info.file_size <= SMALL and keep + info.file_size <= KEPT
    with archive.open(info) as member:
        while block := member.read(1 << 20):
            size += len(block)
            if small:
                parts.append(block)
    if size != info.file_size:
        raise DamagedError("a member is not as long as the directory says")
    return b"".join(parts) if small else None


def _target(name: str, content: bytes) -> str:
    linked = content.decode("utf-8", "surrogateescape")
    return "/" if linked.startswith("/") or not linked else inside(f"{name.rpartition('/')[0]}/{linked}")


def _measure_directory(path: Path) -> None:
    """Refuse a zip whose directory would not fit into memory, before zipfile reads it."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 66_000))
        tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_SIZE:
        raise DamagedError("it has no directory")
    if at + _END_SIZE + int.from_bytes(tail[at + 20 : at + 22], "little") != len(tail):
        raise DamagedError("there is data behind its directory")
    members = int.from_bytes(tail[at + 10 : at + 12], "little")
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    locator = at - _LOCATOR_64_SIZE
    if locator >= _END_64_SIZE and tail[locator:at].startswith(_LOCATOR_64):
        record = tail[locator - _END_64_SIZE : locator]
        if not record.startswith(_END_64):
            raise DamagedError("it has no directory")
        members, size = int.from_bytes(record[32:40], "little"), int.from_bytes(record[40:48], "little")
    if members > MEMBERS or size > _DIRECTORY:
        raise TooLargeError(f"the archive has more than {MEMBERS} members")
