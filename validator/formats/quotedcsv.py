"""CSV in which every value is quoted: bytes -> columns of texts + deviations.

    CSVFILE = HEADER *DATA
    HEADER  = VALUE *( "," VALUE ) NEWLINE
    DATA    = VALUE *( "," VALUE ) NEWLINE
    VALUE   = DQUOTE TEXT_STRING DQUOTE                              MED11 plan, Appendix C

Nothing is repaired in silence and nothing stops the reading: each place that leaves the grammar is counted as a
Deviation, and the line is read leniently (csvline), so that the rest can still be judged. A blank line is no record;
every other line behind the header is one row. The file is read once, in blocks; what stays in memory are the kept
columns, and no line is held beyond a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.columns import Texts, padded
from validator.formats.csvblock import Block, Lines, Positions, split_lines
from validator.formats.csvcells import Cells, Numbered, note_lines, number_lines, read_cells
from validator.formats.csvfaults import Counted, Deviation, Kind, Tally
from validator.formats.csvline import scan_line

if TYPE_CHECKING:
    from validator.tables import Codes, Flags, Offsets

BLOCK_SIZE = 1 << 19  # the working arrays are some megabytes: larger ones cost more in page faults than in calls
LINE_LIMIT = 1 << 20  # bytes of one line without its end

_UTF8_MARK = b"\xef\xbb\xbf"
_FIRST_LOOK = 4  # bytes that show whether there is a byte order mark, or UTF-16 without one
_UTF16 = re.compile(rb"\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]")  # a mark, or ASCII in two bytes each
_SEPARATED = re.compile(rb'"[\w ]*"(?:[;|\t]"[\w ]*")+|[\w ]+(?:[;|\t][\w ]+)+')  # column names

_NO_CODES = np.zeros(0, dtype=np.int32)

Keep = Callable[[tuple[str, ...]], Collection[int]]


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one field, a text for each row, and the column of the line in which each field begins.

    Where a row has no such field the text is empty and ``begin`` is 0.
    """

    texts: Texts
    begin: Codes


@dataclass(frozen=True, slots=True)
class QuotedTable:
    """A CSV as columns. Row 0 is the first record behind the header; ``offset`` is the byte where its line begins.

    ``header`` is as written, () if there is none or it is beyond the limit. ``complete`` is False for rows that have
    another number of fields than the header, or are beyond the limit and were not read.
    """

    header: tuple[str, ...]
    columns: tuple[Column | None, ...]
    complete: Flags
    offset: Offsets
    deviations: tuple[Counted, ...]
    header_line: int
    blank_rows: Offsets  # rows before which blank lines stand, and how many up to there
    blank_counts: Offsets

    def __len__(self) -> int:
        return len(self.offset)

    def column(self, name: str) -> Column | None:
        """Return the first kept column of this name."""
        found = (c for n, c in zip(self.header, self.columns, strict=True) if n == name and c is not None)
        return next(found, None)

    def line(self, row: int) -> int:
        """Return the line of a row."""
        gaps = int(np.searchsorted(self.blank_rows, row, side="right"))
        return self.header_line + 1 + row + (int(self.blank_counts[gaps - 1]) if gaps else 0)

    def deviation(self, kind: Kind) -> Counted | None:
        """Return what was found of one kind."""
        return next((counted for counted in self.deviations if counted.kind is kind), None)


def named(*names: str) -> Keep:
    """Keep the fields that have one of these names."""
    return lambda header: [index for index, name in enumerate(header) if name in names]


def read_quoted_csv(
    blocks: Iterable[bytes], keep: Keep, *, line_limit: int = LINE_LIMIT, block_size: int = BLOCK_SIZE
) -> QuotedTable:
    """Read a CSV from blocks of bytes of any size, keeping the fields that ``keep`` chooses from the header.

    Neither limit changes what is read of lines that are not longer than ``line_limit`` bytes.
    """
    reader = _Reader(keep, line_limit)
    for block, last in _resized(blocks, block_size):
        reader.feed(block, last=last)
    return reader.table()


def _resized(blocks: Iterable[bytes], size: int) -> Iterator[tuple[bytes, bool]]:
    """Cut or join blocks to about ``size``, so that neither tiny nor huge ones cost more; the last one is marked."""
    size = max(size, _FIRST_LOOK)
    waiting: list[bytes] = []
    waits = 0
    for block in blocks:
        for begin in range(0, len(block), size):
            waiting.append(block[begin : begin + size])
            waits += len(waiting[-1])
            if waits >= size:
                yield b"".join(waiting), False
                waiting, waits = [], 0
    yield b"".join(waiting), True


class _Pieces:
    """One column while it grows: the values of each block, their lengths and places."""

    def __init__(self) -> None:
        self._values: list[bytes] = []
        self._lengths: list[Codes] = []
        self._begins: list[Codes] = []

    def add(self, values: bytes, length: Positions, begin: Positions) -> None:
        self._values.append(values)
        self._lengths.append(length.astype(np.int32))
        self._begins.append(begin.astype(np.int32))

    def column(self) -> Column:
        joined = b"".join(self._values)
        self._values.clear()  # before another copy is made
        buffer = padded(joined)
        length = np.concatenate([_NO_CODES, *self._lengths]).astype(np.int64)
        return Column(Texts(buffer, np.cumsum(length) - length, length), np.concatenate([_NO_CODES, *self._begins]))


class _Rows:
    """The rows of a table while it grows."""

    def __init__(self, kept: Collection[int]) -> None:
        self.kept = tuple(sorted(kept))
        self._pieces = {field: _Pieces() for field in self.kept}
        self._count = 0
        self._complete: list[Flags] = []
        self._offsets: list[Offsets] = []
        self._gaps: list[Positions] = []

    def add(self, lines: Numbered, cells: Cells) -> None:
        """Add the lines that are records."""
        rows = np.flatnonzero(~lines.blank)
        for at, field in enumerate(self.kept):
            start, end = cells.start[at, rows], cells.end[at, rows]
            self._pieces[field].add(lines.block.compacted(start, end), end - start, cells.column[at, rows])
        self._complete.append(cells.complete[rows])
        self._offsets.append(lines.offset[rows])
        if len(rows) < len(lines.blank):
            before = self._count + np.searchsorted(rows, np.flatnonzero(lines.blank))
            self._gaps.append(np.array(np.unique(before, return_counts=True)))
        self._count += len(rows)

    def table(self, header: tuple[str, ...], header_line: int, deviations: tuple[Counted, ...]) -> QuotedTable:
        """Return what was read."""
        gaps = np.concatenate([np.zeros((2, 0), dtype=np.int64), *self._gaps], axis=1)
        columns = (self._pieces[f].column() if f in self._pieces else None for f in range(len(header)))
        return QuotedTable(
            header=header,
            columns=tuple(columns),
            complete=np.concatenate([np.zeros(0, dtype=bool), *self._complete]),
            offset=np.concatenate([np.zeros(0, dtype=np.int64), *self._offsets]),
            deviations=deviations,
            header_line=header_line,
            blank_rows=gaps[0],
            blank_counts=np.cumsum(gaps[1]),
        )


class _Reader:
    """Reads a file block by block."""

    def __init__(self, keep: Keep, line_limit: int) -> None:
        self._keep, self._limit = keep, line_limit
        self._begun = self._unreadable = False
        self._rest = b""  # an unfinished line
        self._base = 0  # where it begins in the file
        self._dropped = 0  # bytes of it that are not in _rest
        self._next_line = 1
        self._header: tuple[str, ...] | None = None
        self._header_line = 0
        self._rows = _Rows(())
        self._tally = Tally()

    def feed(self, block: bytes, *, last: bool) -> None:
        """Take in the next bytes."""
        if not self._begun:
            block = self._without_mark(block)
            self._begun = True
        if self._unreadable:
            return
        text = self._rest + block
        if self._header is None:
            text = self._take_header(text, last=last)
        if self._header is not None and not self._unreadable:
            lines = self._take_lines(text, split_lines(text, last=last))
            cells, found = read_cells(lines, len(self._header), self._rows.kept)
            self._tally.merge(found)
            self._rows.add(lines, cells)
            text = text[lines.block.lines.stop :]
        self._keep_rest(text)

    def table(self) -> QuotedTable:
        """Return what was read."""
        return self._rows.table(self._header or (), self._header_line, self._tally.counted())

    def _without_mark(self, block: bytes) -> bytes:
        """Take a byte order mark off the file; the columns of line 1 count behind it."""
        if _UTF16.match(block):
            self._tally.add(Kind.UTF16, 1, [Deviation(Kind.UTF16, 1, 1, 2, None, 0)])
            self._unreadable = True
        if not block.startswith(_UTF8_MARK):
            return block
        self._tally.add(Kind.BYTE_ORDER_MARK, 1, [Deviation(Kind.BYTE_ORDER_MARK, 1, 1, 2, None, 0)])
        self._base = len(_UTF8_MARK)
        return block[len(_UTF8_MARK) :]

    def _take_header(self, text: bytes, *, last: bool) -> bytes:
        """Look for the first line that is not blank; return what stands behind it, or behind all whole lines."""
        found = split_lines(text, last=last)
        blank = Block(text[: found.stop], found).blank()
        at = int(np.argmin(blank)) if not blank.all() else len(found)
        lines = self._take_lines(text, found.head(min(at + 1, len(found))))
        if at < len(found):
            self._header_line = lines.first_line + at
            self._header = self._header_of(lines, at)
            self._rows = _Rows(self._keep(self._header))
        return text[lines.block.lines.stop :]

    def _header_of(self, lines: Numbered, at: int) -> tuple[str, ...]:
        if lines.too_long[at]:
            return ()
        line, tally = lines.line(at), Tally()
        if _SEPARATED.fullmatch(line.text):
            self._tally.add(
                Kind.OTHER_SEPARATOR, 1, [lines.deviation(Kind.OTHER_SEPARATOR, at, (1, len(line.text) + 1))]
            )
            self._unreadable = True
            return ()
        record = scan_line(line, None, tally)
        self._tally.merge(tally)
        values = (line.text[start:end] for start, end in zip(record.starts, record.ends, strict=True))
        return tuple(value.decode("utf-8", "replace") for value in values)

    def _take_lines(self, text: bytes, lines: Lines) -> Numbered:
        """Give the next lines their places in the file, count what is wrong with them, and step behind them."""
        offset = self._base + lines.start
        offset[1:] += self._dropped  # what was dropped belongs to the first line
        numbered = number_lines(Block(text[: lines.stop], lines), self._next_line, offset, limit=self._limit)
        self._tally.merge(note_lines(numbered))
        if len(lines):
            self._next_line += len(lines)
            self._base += lines.stop + self._dropped
            self._dropped = 0
        return numbered

    def _keep_rest(self, rest: bytes) -> None:
        """Keep an unfinished line, but no more of it than shows that it is too long; a last CR may be half of CRLF."""
        if len(rest) > self._limit + 2:
            shortened = rest[: self._limit + 1] + (b"\r" if rest.endswith(b"\r") else b"")
            self._dropped += len(rest) - len(shortened)
            rest = shortened
        self._rest = rest
