"""Archives as submissions: listed and read as streams, never extracted.

The members of a tar are found by walking its headers through the decompressor, those of a zip from its directory.
Nothing in a header is believed: names, types, sizes and the ratio of compression are checked before a byte of content
is used, and every limit is enforced while reading.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, replace
from enum import Enum
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from validator.formats.membernames import inside, unsafe_name
from validator.formats.source import ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MEMBERS = 10_000
UNPACKED = 16 << 30  # bytes
RATIO = 200  # unpacked bytes for a packed one ...
UNSUSPICIOUS = 32 << 20  # ... looked at from here on
_HEADER = 1 << 20  # bytes of an extended header
_DIRECTORY = 16 << 20  # bytes of a zip's directory
_BLOCK = 512
_SMALL = 64 << 10  # bytes of a member that is kept while the archive is listed,
_KEPT = 32 << 20  # up to so many in all: thousands of small ones must not be decompressed thousands of times
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)
_OPENERS: dict[str, Callable[[Path, str], object]] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}


class Trouble(Enum):
    """What can be wrong with an archive."""

    UNREADABLE = "unreadable"
    NAME = "name"
    LINK = "link"  # to a file of the archive, or a sparse file: whoever unpacks it gets a file
    KIND = "kind"
    TWICE = "twice"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class ArchiveFault:
    """Something wrong with an archive, or with one of its members."""

    trouble: Trouble
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class MemberSource:
    """A file inside an archive; opening it decompresses up to it, unless it is so small that it was kept."""

    name: str
    archive: Path
    packing: str
    member: str
    offset: int
    size: int
    kept: bytes | None = None

    def open(self) -> BinaryIO:
        """Open the member from its beginning."""
        if self.kept is not None:
            return io.BytesIO(self.kept)
        if self.packing == "zip":
            with zipfile.ZipFile(self.archive) as archive:
                return cast("BinaryIO", _Window(archive.open(self.member), self.size))
        stream = _unpacked(self.archive, self.packing)
        stream.seek(self.offset)
        return cast("BinaryIO", _Window(stream, self.size))


class _Window(io.RawIOBase):
    """The next ``size`` bytes of a stream."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream, self._left = stream, size

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        try:
            data = self._stream.read(wanted)
        except _BROKEN as error:  # it could be read a moment ago
            raise OSError(f"the archive changed while it was read: {error}") from error
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


@dataclass(frozen=True, slots=True)
class Listing:
    """What an archive holds; ``folders`` and ``hidden`` as in Members."""

    sources: tuple[MemberSource, ...]
    faults: tuple[ArchiveFault, ...]
    folders: tuple[str, ...]
    hidden: tuple[str, ...]


def listing(path: Path, shown: str) -> Listing:
    """List the files of an archive and everything that is wrong with it."""
    packing = _packing(path)
    found = _Found(path, shown, packing)
    try:
        for entry in _zip_entries(path) if packing == "zip" else _tar_entries(path, packing):
            found.add(entry)
    except _TooLarge as error:
        found.faults.append(ArchiveFault(Trouble.SIZE, shown, str(error)))
    except (_Damaged, *_BROKEN) as error:
        message = f"the archive cannot be read to its end: {_words(error)}"
        found.faults.append(ArchiveFault(Trouble.UNREADABLE, shown, message))
    found.follow_links()
    sources = tuple(sorted(found.sources.values(), key=lambda source: source.name))
    return Listing(sources, tuple(found.faults), tuple(sorted(found.folders)), tuple(sorted(found.hidden)))


def unpacked(path: Path) -> BinaryIO:
    """Open the tar that an archive holds; for archives without faults only."""
    return _unpacked(path, _packing(path))


def _packing(path: Path) -> str:
    match = ARCHIVE.search(path.name)
    suffix = match[1].casefold() if match is not None else ""
    if suffix == "zip":
        return "zip"
    return next((packing for letter, packing in (("g", "gz"), ("b", "bz2"), ("x", "xz")) if letter in suffix), "")


class _TooLarge(Exception):  # noqa: N818 - never leaves this module
    pass


class _Damaged(Exception):  # noqa: N818 - never leaves this module
    pass


def _words(error: Exception) -> str:
    """Say what is wrong with an archive, not with the module that read it."""
    if isinstance(error, _Damaged):
        return str(error)
    return "it is cut off" if isinstance(error, EOFError) else "it is damaged, or another kind of file"


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: str  # "file", "folder", or what else it is
    offset: int
    size: int
    content: bytes | None = None
    target: str = ""  # of a link, as a path from the top of the archive


class _Found:
    """Collects members, refusing what is not safe. Of two with the same name the last one counts, as for tar."""

    def __init__(self, path: Path, shown: str, packing: str) -> None:
        self._path, self._shown, self._packing = path, shown, packing
        self.sources: dict[str, MemberSource] = {}
        self.faults: list[ArchiveFault] = []
        self.folders: set[str] = set()
        self.hidden: set[str] = set()
        self._links: list[_Entry] = []
        self._names: dict[str, str] = {}
        self._members = 0

    def add(self, entry: _Entry) -> None:
        self._members += 1
        if self._members > MEMBERS:
            raise _TooLarge(f"the archive has more than {MEMBERS} members")
        name = entry.name.removeprefix("./").rstrip("/")
        place = f"{self._shown}/{name}"
        reason = unsafe_name(entry.name)
        if reason:
            self._fault(Trouble.NAME, place, f"the member name {reason}")
        elif any(part.startswith(".") for part in name.split("/")):
            self.hidden.add(place)
        elif name:
            self._add_visible(name, entry)

    def _add_visible(self, name: str, entry: _Entry) -> None:
        place = f"{self._shown}/{name}"
        parents = name.split("/")[:-1]
        self.folders.update(f"{self._shown}/{'/'.join(parents[:depth])}" for depth in range(1, len(parents) + 1))
        if entry.kind == "folder":
            self.folders.add(place)
            return
        twin = self._names.setdefault(name.casefold(), name)
        if twin is not name:
            same = "the same name" if twin == name else f"a name that differs from {twin} in letter case only"
            self._fault(Trouble.TWICE, place, f"two members have {same}")
        if entry.kind == "file":
            source = MemberSource(place, self._path, self._packing, entry.name, entry.offset, entry.size, entry.content)
            self.sources[name] = source
        elif entry.target:
            self._links.append(entry)
        else:
            trouble = Trouble.LINK if entry.kind == "a sparse file" else Trouble.KIND
            self._fault(trouble, place, f"the member is {entry.kind}, not a plain file")

    def follow_links(self) -> None:
        """Give links to files of the archive the content of those files; they are refused all the same."""
        for entry in self._links:
            name = entry.name.removeprefix("./").rstrip("/")
            place, target = f"{self._shown}/{name}", self.sources.get(entry.target)
            if target is not None:
                self.sources.setdefault(name, replace(target, name=place))
            where = "to a file of the archive" if target is not None else "that leads to no file of the archive"
            trouble = Trouble.LINK if target is not None else Trouble.KIND
            self._fault(trouble, place, f"the member is {entry.kind} {where}, not a plain file")

    def _fault(self, trouble: Trouble, place: str, message: str) -> None:
        self.faults.append(ArchiveFault(trouble, place, message))


# -- tar ---------------------------------------------------------------------------------------------------------


def _unpacked(path: Path, packing: str) -> BinaryIO:
    return cast("BinaryIO", _OPENERS[packing](path, "rb")) if packing else path.open("rb")


class _Metered:
    """A decompressed stream that stops when it unpacks too much."""

    def __init__(self, path: Path, packing: str) -> None:
        self._stream = _unpacked(path, packing)
        self._packed = path.stat().st_size if packing else 0
        self.position = 0

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self.position += len(data)
        if self.position > UNPACKED:
            raise _TooLarge(f"the archive unpacks to more than {UNPACKED >> 30} GiB")
        if self._packed and self.position > max(UNSUSPICIOUS, RATIO * self._packed):
            raise _TooLarge(f"the archive unpacks to more than {RATIO} times its size")
        return data

    def whole(self, size: int) -> bytes:
        """Read so many bytes, or find the archive damaged."""
        parts = b""
        while len(parts) < size:
            data = self.read(size - len(parts))
            if not data:
                raise _Damaged("a member is cut off")
            parts += data
        return parts

    def skip(self, size: int) -> None:
        while size > 0:
            data = self.read(min(size, 1 << 20))
            if not data:
                raise _Damaged("a member is cut off")
            size -= len(data)

    def close(self) -> None:
        self._stream.close()


_KINDS = {
    tarfile.REGTYPE: "file", tarfile.AREGTYPE: "file", tarfile.CONTTYPE: "file", tarfile.DIRTYPE: "folder",
    tarfile.LNKTYPE: "a hard link", tarfile.SYMTYPE: "a symbolic link", tarfile.FIFOTYPE: "a named pipe",
    tarfile.CHRTYPE: "a device", tarfile.BLKTYPE: "a device", tarfile.GNUTYPE_SPARSE: "a sparse file",
}  # fmt: skip


_EXTENDED = (
    tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


def _tar_entries(path: Path, packing: str) -> Iterator[_Entry]:
    stream = _Metered(path, packing)
    try:
        yield from _walk_tar(stream)
    finally:
        stream.close()


def _walk_tar(stream: _Metered) -> Iterator[_Entry]:
    extended: dict[str, str] = {}
    kept = 0
    while True:
        header = stream.read(_BLOCK)
        if len(header) < _BLOCK:
            raise _Damaged("it ends without its end mark")
        if not header.strip(b"\0"):
            break
        info = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        if info.type in _EXTENDED:
            extended |= _extended(stream, info)
            continue
        entry = _entry(info, extended, stream.position)
        padded = -(-entry.size // _BLOCK) * _BLOCK
        if entry.size <= _SMALL and kept + entry.size <= _KEPT:
            entry = replace(entry, content=stream.whole(padded)[: entry.size])
            kept += entry.size
        else:
            stream.skip(padded)
        yield entry  # only now: all of it is there
        extended = {}
    while rest := stream.read(1 << 20):
        if rest.strip(b"\0"):
            raise _Damaged("there is data behind its end mark")


def _entry(info: tarfile.TarInfo, extended: dict[str, str], position: int) -> _Entry:
    size = int(extended.get("size", info.size))
    if size < 0:
        raise _Damaged("a member has a negative size")
    kind = _KINDS.get(info.type, "of an unknown type")
    if any(key.startswith("GNU.sparse") for key in extended):
        kind = "a sparse file"
    has_data = kind in ("file", "a sparse file", "of an unknown type")
    name = extended.get("path", info.name)
    linked = extended.get("linkpath", info.linkname) if kind in _LINKS else ""
    beside = "" if kind == "a hard link" or linked.startswith("/") else name.rpartition("/")[0]
    target = "/" if linked.startswith("/") else inside(f"{beside}/{linked}") if linked else ""
    return _Entry(name, kind, position, size if has_data else 0, target=target)


_LINKS = ("a hard link", "a symbolic link")


def _extended(stream: _Metered, info: tarfile.TarInfo) -> dict[str, str]:
    """Read an extended header: a long name, or pax records "length key=value"."""
    if not 0 <= info.size <= _HEADER:
        raise _Damaged("an extended header is too large")
    data = stream.read(-(-info.size // _BLOCK) * _BLOCK)[: info.size]
    if info.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": data.rstrip(b"\0").decode("utf-8", "surrogateescape")}
    if info.type == tarfile.GNUTYPE_LONGLINK:
        return {"linkpath": data.rstrip(b"\0").decode("utf-8", "surrogateescape")}
    if info.type == tarfile.XGLTYPE:
        return {}
    records: dict[str, str] = {}
    while data:
        length, _, _ = data.partition(b" ")
        if not length.isdigit() or not len(length) + 3 < int(length) <= len(data):
            raise _Damaged("an extended header is broken")
        key, _, value = data[len(length) + 1 : int(length) - 1].partition(b"=")
        records[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        data = data[int(length) :]
    return records


# -- zip ---------------------------------------------------------------------------------------------------------


def _zip_entries(path: Path) -> Iterator[_Entry]:
    _measure_directory(path)
    with zipfile.ZipFile(path) as archive:
        total = 0
        for info in archive.infolist():
            total += info.file_size
            packed = path.stat().st_size
            if total > UNPACKED or total > max(UNSUSPICIOUS, RATIO * packed):
                raise _TooLarge(f"the archive unpacks to more than {RATIO} times its size")
            mode = info.external_attr >> 16
            kind = "folder" if info.is_dir() else "a symbolic link" if mode & 0o170000 == 0o120000 else "file"
            kind = "an encrypted file" if info.flag_bits & 1 else kind
            if kind == "file":
                with archive.open(info) as member:  # to its end, where the checksum is compared
                    while member.read(1 << 20):
                        pass
            yield _Entry(info.filename, kind, 0, info.file_size)


def _measure_directory(path: Path) -> None:
    """Refuse a zip whose directory would not fit into memory, before zipfile reads it."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - 66_000))
        tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + 22:
        raise _Damaged("it has no directory")
    members = int.from_bytes(tail[at + 10 : at + 12], "little")
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    if members > MEMBERS or size > _DIRECTORY:
        raise _TooLarge(f"the archive has more than {MEMBERS} members")
