"""Files of lines and blank-separated fields: whole lines, about a megabyte at a time, taken apart with arrays.

A line ends in LF; a CR in front of it is blank, and so is every other byte up to 32. What is odd about the bytes
between the fields is for the formats to judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from validator.formats.columns import Texts, padded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from validator.tables import Flags, Offsets

_BLOCK = 1 << 20
LONGEST = 1 << 16  # bytes of a line; nobody needs longer ones, and somebody might send a gigabyte
_LF, _BLANK = 10, 32


@dataclass(frozen=True, slots=True)
class Lines:
    """Some whole lines, each with its LF: the offset of the first byte in the file, and the bytes.

    ``ended`` is False for a last line whose LF was added here. No bytes at all: a line that is longer than
    ``LONGEST`` begins at the offset, and was skipped.
    """

    offset: int
    data: bytes
    ended: bool = True


def whole_lines(stream: BinaryIO) -> Iterator[Lines]:
    """Read a stream to its end in bounded memory."""
    at, rest, skipping = 0, b"", False
    while block := stream.read(_BLOCK):
        start = 0
        if skipping:
            start = block.find(b"\n") + 1
            if not start:
                at += len(block)
                continue
            at, skipping = at + start, False
        data = rest + block[start:]
        cut = data.rfind(b"\n") + 1
        if cut:
            yield Lines(at, data[:cut])
        at, rest = at + cut, data[cut:]
        if len(rest) > LONGEST:
            yield Lines(at, b"")
            at, rest, skipping = at + len(rest), b"", True
    if rest:
        yield Lines(at, rest + b"\n", ended=False)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of some lines: where each begins and how long it is, and which of them belong to which line."""

    buffer: NDArray[np.uint8]
    start: Offsets
    length: Offsets
    line: Offsets  # where each line begins
    count: Offsets  # fields of each line
    first: Offsets  # number of the first field of each line
    odd: Offsets  # blanks beyond the one between two fields: a field of no length ends at each

    def column(self, rows: Flags, number: int) -> Texts:
        """Return one field of the lines that were chosen, all of which must have it."""
        at = self.first[rows] + number
        return Texts(self.buffer, self.start[at], self.length[at])

    def grid(self, rows: Flags, begin: int, end: int) -> Texts:
        """Return the fields from ``begin`` to before ``end`` of the lines that were chosen, line by line."""
        at = (self.first[rows][:, None] + np.arange(begin, end)).ravel()
        return Texts(self.buffer, self.start[at], self.length[at])


def fields(data: bytes) -> Fields:
    """Take whole lines apart."""
    buffer = padded(data)
    body = buffer[: len(data)]
    blanks = np.flatnonzero(body <= _BLANK)
    start = np.empty_like(blanks)
    start[:1], start[1:] = 0, blanks[:-1] + 1
    length = blanks - start
    ends = np.flatnonzero(body[blanks] == _LF)  # numbers of the blanks that end a line
    line = np.empty_like(ends)
    line[:1], line[1:] = 0, blanks[ends[:-1]] + 1
    there: Flags = length > 0
    odd: Offsets = blanks[~there]
    stop: Offsets = ends + 1
    if len(odd):
        stop = np.cumsum(there, dtype=np.int64)[ends]
        start, length = start[there], length[there]
    count = np.diff(stop, prepend=0)
    return Fields(buffer, start, length, line, count, stop - count, odd)


def packed(texts: Texts) -> tuple[bytes, Offsets]:
    """Copy texts out of their buffer, one behind the other; return the bytes and the length of each."""
    ends = np.cumsum(texts.length)
    shift = np.repeat(texts.start - (ends - texts.length), texts.length)
    return texts.buffer[np.arange(len(shift)) + shift].tobytes(), texts.length
