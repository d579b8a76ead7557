"""Where bytes come from, and where in them something stands.

A Source can be opened again and again; nothing is ever extracted or written. ``locate`` turns byte offsets into
lines, columns and excerpts in one pass over the file, only for the places that have findings.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import re
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Watch = Callable[[str, int, int, str], None]

ARCHIVE = re.compile(r"\.(tar|tgz|tar\.gz|tar\.bz2|tbz2?|tb2|tar\.xz|txz|zip)$", re.IGNORECASE)
BLOCK = 1 << 20
_BEFORE = 1 << 12  # bytes kept before a place for its excerpt
_AFTER = 1 << 14  # bytes after it: room for the rest of a start tag and the next line


class Source(Protocol):
    """A named stream of bytes that can be opened any number of times."""

    @property
    def name(self) -> str:
        """Path relative to the submission, with forward slashes."""

    @property
    def size(self) -> int:
        """Number of bytes."""

    def open(self) -> BinaryIO:
        """Open the bytes from the beginning."""


class FileSource(NamedTuple):
    """A plain file on disk."""

    name: str
    path: Path
    size: int

    def open(self) -> BinaryIO:
        """Open the file."""
        return self.path.open("rb")


class Held(NamedTuple):
    """Bytes that are in memory."""

    name: str
    data: bytes

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    def open(self) -> BinaryIO:
        """Open the bytes."""
        return io.BytesIO(self.data)


class Watched(NamedTuple):
    """A source that tells how much of it was read, and for what."""

    source: Source
    watch: Watch
    stage: str = ""

    @property
    def name(self) -> str:
        """Path relative to the submission, with forward slashes."""
        return self.source.name

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.source.size

    def open(self) -> BinaryIO:
        """Open the bytes from the beginning."""
        return cast("BinaryIO", _WatchedStream(self.source.open(), self))


class _WatchedStream(io.RawIOBase):
    def __init__(self, stream: BinaryIO, owner: Watched) -> None:
        self._stream, self._owner = stream, owner

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        data = self._stream.read(-1 if size is None else size)
        self._owner.watch(self._owner.name, len(data), self._owner.size, self._owner.stage)
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


class Spot(NamedTuple):
    """A located offset: line and column from 1, and the bytes around it."""

    line: int
    column: int
    before: bytes
    after: bytes


def blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Read a stream to its end in blocks."""
    while block := stream.read(BLOCK):
        yield block


def sha256(stream: BinaryIO) -> str:
    """Return the SHA-256 of a stream, and close it."""
    digest = hashlib.sha256()
    with stream:
        for block in blocks(stream):
            digest.update(block)
    return digest.hexdigest()


_DECLARED = re.compile(rb"""^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_WIDE = re.compile(r"utf-16(?:-le|-be)?|utf-32(?:-le|-be)?")
_TEXT = re.compile(  # Python has codecs that are no encodings of text; these are, under the names that it gives them
    rf"utf-8|ascii|{_WIDE.pattern}|iso8859-[0-9]+|cp125[0-9]|koi8-[rtu]"
    r"|gb2312|gbk|gb18030|big5|big5hkscs|euc_[a-z0-9_]+|shift_jis(?:_[a-z0-9]+)?|cp932|cp949|cp950"
)
CONTRADICTED = "not "  # in front of a declared encoding that the first bytes rule out


def xml_encoding(head: bytes) -> str:
    """Tell the encoding of an XML document from its first bytes (XML 1.0, appendix F), as Python names it.

    A name that is no encoding of text is returned as it was declared; "not utf-16" says that the declaration names
    an encoding in which it could not be read itself. Neither can be decoded.
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if head.startswith((b"<\0", b"\0<")):
        return "utf-16-le" if head[1:2] == b"\0" else "utf-16-be"
    found = _DECLARED.match(head)
    if found is None:
        return "utf-8"
    declared = found[1].decode("ascii")
    name = _codec(declared)
    return f"{CONTRADICTED}{declared}" if _WIDE.fullmatch(name) else name


def _codec(declared: str) -> str:
    try:
        name = codecs.lookup(declared).name
    except LookupError:
        return declared
    return name if _TEXT.fullmatch(name) else declared


def utf8_blocks(source: Source, encoding: str) -> Iterator[bytes]:
    """Read a source as UTF-8: as it is where it is UTF-8, decoded and encoded again where it is not.

    Raises UnicodeDecodeError where the bytes contradict the encoding, after all that stands before them; LookupError
    where there is no such encoding.
    """
    if not _TEXT.fullmatch(encoding):
        raise LookupError(encoding)
    with source.open() as stream:
        if encoding == "utf-8":
            yield from blocks(stream)
            return
        decoder = codecs.getincrementaldecoder(encoding)()
        for block in chain(blocks(stream), (b"",)):
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                yield bytes(error.object[: error.start]).decode(encoding, "replace").encode()
                raise
            yield text.encode()


def _code_points(data: bytes) -> int:
    return len(data) - len(data.translate(None, _NOT_CONTINUATION)) if not data.isascii() else len(data)


_NOT_CONTINUATION = bytes(byte for byte in range(256) if byte & 0xC0 != 0x80)


def locate(data: Iterable[bytes], offsets: Iterable[int]) -> dict[int, Spot]:
    """Find line, column and surroundings of each byte offset in one pass over the data."""
    wanted = sorted(set(offsets), reverse=True)
    spots: dict[int, Spot] = {}
    buffer, start = b"", 0  # what is held of the data, and the offset at which it begins
    line, column = 1, 1  # of the first byte held
    for block in _and_end(data):
        buffer += block
        while wanted and (not block or wanted[-1] + _AFTER <= start + len(buffer)):
            at = min(wanted.pop() - start, len(buffer))
            newlines = buffer.count(b"\n", 0, at)
            line_begin = buffer.rfind(b"\n", 0, at) + 1
            here = _code_points(buffer[line_begin:at]) + (1 if newlines else column)
            spots[start + at] = Spot(line + newlines, here, buffer[max(0, at - _BEFORE) : at], buffer[at : at + _AFTER])
        if not wanted:
            break
        spent = max(0, min(len(buffer), wanted[-1] - start) - _BEFORE)
        gone = buffer[:spent]
        newlines = gone.count(b"\n")
        column = _code_points(gone[gone.rfind(b"\n") + 1 :]) + (1 if newlines else column)
        line, start, buffer = line + newlines, start + spent, buffer[spent:]
    return spots


def _and_end(data: Iterable[bytes]) -> Iterator[bytes]:
    for block in data:
        if block:
            yield block
    yield b""
