"""The members of a tar, found by walking its headers through the decompressor."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

from validator.formats.decompression import packing_of, unpacked
from validator.formats.membernames import inside
from validator.formats.members import (
    KEPT,
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

_HEADER = 1 << 20  # bytes of an extended header
_BLOCK = tarfile.BLOCKSIZE
_KINDS = {
    tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file", tarfile.CONTTYPE: "file", tarfile.DIRTYPE: "folder",
    tarfile.LNKTYPE: "a hard link", tarfile.SYMTYPE: "a symbolic link", tarfile.FIFOTYPE: "a named pipe",
    tarfile.CHRTYPE: "a device", tarfile.BLKTYPE: "a device", tarfile.GNUTYPE_SPARSE: "a sparse file",
}  # fmt: skip
_LINKS = ("a hard link", "a symbolic link")
_EXTENDED = (
    tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


def tar_entries(path: Path) -> Iterator[Entry]:
    """Give the members of a tar one by one, each when all of it was read."""
    stream = _Metered(path)
    try:
        yield from _walk(stream)
    finally:
        stream.close()


class _Metered:
    """A decompressed stream that stops when it unpacks too much."""

    def __init__(self, path: Path) -> None:
        self._stream = unpacked(path)
        self._packed = path.stat().st_size if packing_of(path) else 0
        self.position = 0

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.position += len(data)
        if self.position > UNPACKED:
            raise TooLargeError(f"the archive unpacks to more than {UNPACKED >> 30} GiB")
        if self._packed and self.position > max(UNSUSPICIOUS, RATIO * self._packed):
            raise TooLargeError(f"the archive unpacks to more than {RATIO} times its size")
        return data

    def whole(self, size: int) -> bytes:
        """Read so many bytes, or find the archive damaged."""
        parts = []
        while size > 0:
            data = self.read(min(size, 1 << 20))
            if not data:
                raise DamagedError("a member is cut off")
            parts.append(data)
            size -= len(data)
        return b"".join(parts)

    def skip(self, size: int) -> None:
        while size > 0:
            size -= len(self.whole(min(size, 1 << 20)))

    def close(self) -> None:
        self._stream.close()


def _walk(stream: _Metered) -> Iterator[Entry]:
    extended: dict[str, str] = {}
    kept = 0
    while True:
        header = _header(stream)
        if not header.strip(b"\0"):
            break
        info = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        if info.type in _EXTENDED:
            extended |= _extended(stream, info)
            continue
        entry = _entry(info, extended, stream.position)
        padded = -(-entry.size // _BLOCK) * _BLOCK
        if entry.size <= SMALL and kept + entry.size <= KEPT:
            entry = entry._replace(content=stream.whole(padded)[: entry.size])
            kept += entry.size
        else:
            stream.skip(padded)
        yield entry  # only now: all of it is there
        extended = {}
    while rest := stream.read(1 << 20):
        if rest.strip(b"\0"):
            raise DamagedError("there is data behind its end mark")


def _header(stream: _Metered) -> bytes:
    """Read a header; a decompressor may give it in pieces."""
    header = stream.read(_BLOCK)
    while 0 < len(header) < _BLOCK and (more := stream.read(_BLOCK - len(header))):
        header += more
    if len(header) < _BLOCK:
        raise DamagedError("it ends without its end mark")
    return header


def _entry(info: tarfile.TarInfo, extended: dict[str, str], position: int) -> Entry:
    size = _size(extended.get("size"), info.size)
    kind = _KINDS.get(info.type, "of an unknown type")
    if any(key.startswith("GNU.sparse") for key in extended):
        kind = "a sparse file"
    has_data = kind in ("file", "a sparse file", "of an unknown type")
    name = extended.get("path") or info.name
    linked = extended.get("linkpath", info.linkname) if kind in _LINKS else ""
    beside = "" if kind == "a hard link" or linked.startswith("/") else name.rpartition("/")[0]
    target = "/" if linked.startswith("/") else inside(f"{beside}/{linked}") if linked else ""
    return Entry(name, kind, size if has_data else 0, position, target=target)


def _size(said: str | None, size: int) -> int:
    if said is not None and not (said.isascii() and said.isdigit() and len(said) < 20):
        raise DamagedError("the size of a member is no number")
    if size < 0:
        raise DamagedError("a member has a negative size")
    return size if said is None else int(said)


def _extended(stream: _Metered, info: tarfile.TarInfo) -> dict[str, str]:
    """Read an extended header: a long name, or pax records "length key=value"."""
    if not 0 <= info.size <= _HEADER:
        raise DamagedError("an extended header is too large")
    data = stream.whole(-(-info.size // _BLOCK) * _BLOCK)[: info.size]
    if info.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": data.rstrip(b"\0").decode("utf-8", "surrogateescape")}
    if info.type == tarfile.GNUTYPE_LONGLINK:
        return {"linkpath": data.rstrip(b"\0").decode("utf-8", "surrogateescape")}
    records = dict(_records(data))
    if info.type != tarfile.XGLTYPE:
        return records
    if any(key in ("path", "linkpath", "size") or key.startswith("GNU.sparse") for key in records):
        raise DamagedError("a global header says names or sizes of all members")
    return {}


def _records(data: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(data):
        length, _, _ = data[at : at + 10].partition(b" ")
        if not length.isdigit() or not len(length) + 3 < int(length) <= len(data) - at:
            raise DamagedError("an extended header is broken")
        key, _, value = data[at + len(length) + 1 : at + int(length) - 1].partition(b"=")
        yield key.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")
        at += int(length)
