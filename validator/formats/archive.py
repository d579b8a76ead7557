"""Archives as submissions: listed and read as streams, never extracted."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from validator.formats.decompression import packing_of, unpacked
from validator.formats.membernames import plain, unsafe_name
from validator.formats.members import (
    MEMBERS,
    ArchiveFault,
    DamagedError,
    Entry,
    Listing,
    TooLargeError,
    Trouble,
)
from validator.formats.tarmembers import tar_entries
from validator.formats.zipmembers import open_member, zip_entries

if TYPE_CHECKING:
    from pathlib import Path

_BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError,
    NotImplementedError, RuntimeError,
)  # fmt: skip


class MemberSource(NamedTuple):
    """A file inside an archive; opening it decompresses up to it, unless it is so small that it was kept."""

    name: str
    archive: Path
    entry: Entry

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.entry.size

    @property
    def member(self) -> str:
        """The name in the archive, as it is written there."""
        return self.entry.name

    def open(self) -> BinaryIO:
        """Open the member from its beginning."""
        if self.entry.content is not None:
            return io.BytesIO(self.entry.content)
        if self.entry.directory is not None:
            return cast("BinaryIO", _Window(open_member(self.archive, self.entry.directory), self.size))
        stream = unpacked(self.archive)
        stream.seek(self.entry.offset)
        return cast("BinaryIO", _Window(stream, self.size))


class _Window(io.RawIOBase):
    """The next ``size`` bytes of a stream."""

    def __init__(self, stream: BinaryIO | zipfile.ZipExtFile, size: int) -> None:
        self._stream, self._left = stream, size

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        parts = []
        try:
            while wanted and (data := self._stream.read(wanted)):
                parts.append(data)
                wanted -= len(data)
        except _BROKEN as error:  # it could be read a moment ago
            raise OSError(f"the archive changed while it was read: {error}") from error
        whole = b"".join(parts)
        self._left -= len(whole)
        return whole

    def close(self) -> None:
        self._stream.close()
        super().close()


def listing(path: Path, shown: str) -> Listing:
    """List the files of an archive and everything that is wrong with it."""
    found = _Found(path, shown)
    try:
        for entry in zip_entries(path) if packing_of(path) == "zip" else tar_entries(path):
            found.add(entry)
    except TooLargeError as error:
        found.faults.append(ArchiveFault(Trouble.SIZE, shown, str(error)))
    except (DamagedError, *_BROKEN) as error:
        message = f"the archive cannot be read to its end: {_words(error)}"
        found.faults.append(ArchiveFault(Trouble.UNREADABLE, shown, message))
    found.follow_links()
    sources = tuple(sorted(found.sources.values(), key=lambda source: source.name))
    return Listing(sources, tuple(found.faults), tuple(sorted(found.folders)), tuple(sorted(found.hidden)))


def _words(error: Exception) -> str:
    """Say what is wrong with an archive, not with the module that read it."""
    if isinstance(error, DamagedError):
        return str(error)
    return "it is cut off" if isinstance(error, EOFError) else "it is damaged, or another kind of file"


class _Found:
    """Collects members, refusing what is not safe. Of two with the same name the last one counts, as for tar."""

    def __init__(self, path: Path, shown: str) -> None:
        self._path, self._shown = path, shown
        self.sources: dict[str, MemberSource] = {}
        self.faults: list[ArchiveFault] = []
        self.folders: set[str] = set()
        self.hidden: set[str] = set()
        self._links: list[Entry] = []
        self._names: dict[str, str] = {}
        self._members = 0

    def add(self, entry: Entry) -> None:
        self._members += 1
        if self._members > MEMBERS:
            raise TooLargeError(f"the archive has more than {MEMBERS} members")
        name = plain(entry.name)
        reason = unsafe_name(entry.name)
        if reason:
            self._fault(Trouble.NAME, f"{self._shown}/{entry.name}", f"the member name {reason}")
        elif any(part.startswith(".") for part in name.split("/")):
            self.hidden.add(f"{self._shown}/{name}")
        elif name:
            self._add_visible(name, entry)

    def _add_visible(self, name: str, entry: Entry) -> None:
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
            self.sources[name] = MemberSource(place, self._path, entry)
        elif entry.target:
            self._links.append(entry)
        else:
            trouble = Trouble.LINK if entry.kind == "a sparse file" else Trouble.KIND
            self._fault(trouble, place, f"the member is {entry.kind}, not a plain file")

    def follow_links(self) -> None:
        """Give links to files of the archive the content of those files; they are refused all the same."""
        for entry in self._links:
            name = plain(entry.name)
            place, target = f"{self._shown}/{name}", self.sources.get(entry.target)
            if target is not None:
                self.sources.setdefault(name, target._replace(name=place))
            where = "to a file of the archive" if target is not None else "that leads to no file of the archive"
            trouble = Trouble.LINK if target is not None else Trouble.KIND
            self._fault(trouble, place, f"the member is {entry.kind} {where}, not a plain file")

    def _fault(self, trouble: Trouble, place: str, message: str) -> None:
        self.faults.append(ArchiveFault(trouble, place, message))
