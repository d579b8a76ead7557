"""The lines of a block become cells: what the fast lane takes in arrays, the slow lane takes line by line."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.csvblock import Block, Ending, Positions, Spans
from validator.formats.csvfaults import SAMPLES, Deviation, Kind, Tally
from validator.formats.csvline import Line, Ruler, scan_line

if TYPE_CHECKING:
    from validator.tables import Flags, Offsets

_ENDING_KINDS = ((Ending.CRLF, Kind.CRLF), (Ending.CR, Kind.LONE_CR))


@dataclass(frozen=True, slots=True)
class Numbered:
    """Lines with their places in the file, and which of them are no records or beyond the limit."""

    block: Block
    first_line: int
    offset: Offsets
    blank: Flags
    too_long: Flags

    def line(self, row: int) -> Line:
        """Return one line."""
        return Line(self.block.line(row), self.first_line + row, int(self.offset[row]))

    def deviation(self, kind: Kind, row: int, span: tuple[int, int], *, field: int | None = None) -> Deviation:
        """Make a deviation in one line."""
        return Deviation(kind, self.first_line + row, span[0], max(span[1], span[0] + 1), field, int(self.offset[row]))


def number_lines(block: Block, first_line: int, offset: Offsets, *, limit: int) -> Numbered:
    """Look at the lines as wholes."""
    too_long = block.lines.end - block.lines.start > limit
    return Numbered(block, first_line, offset, block.blank() & ~too_long, too_long)


def note_lines(lines: Numbered) -> Tally:
    """Count what is wrong with the lines as wholes: their ends, blank ones, those beyond the limit."""
    tally = Tally()
    _note_rows(tally, lines, Kind.LINE_TOO_LONG, np.flatnonzero(lines.too_long), whole=True)
    _note_rows(tally, lines, Kind.BLANK_LINE, np.flatnonzero(lines.blank), whole=True)
    for ending, kind in _ENDING_KINDS:
        ended = np.flatnonzero((lines.block.lines.ending == ending) & ~lines.too_long)
        _note_rows(tally, lines, kind, ended, whole=False)
    return tally


def _note_rows(tally: Tally, lines: Numbered, kind: Kind, rows: Positions, *, whole: bool) -> None:
    """Count one deviation a line, marking the whole line or what stands behind its text."""
    samples = []
    for row in rows[:SAMPLES].tolist():
        text = b"?" if lines.too_long[row] else lines.block.line(row)
        behind = Ruler(text).column(len(text))
        samples.append(lines.deviation(kind, row, (1, behind) if whole else (behind, behind + 1)))
    tally.add(kind, len(rows), samples)


@dataclass(frozen=True, slots=True)
class Cells:
    """The kept fields of lines, one row of each array a field: the value in bytes of the block, and the column.

    A line that lacks the field has an empty value at column 0; ``complete`` tells which lines have all fields.
    """

    start: Positions
    end: Positions
    column: Positions
    complete: Flags


def read_cells(lines: Numbered, width: int, kept: tuple[int, ...]) -> tuple[Cells, Tally]:
    """Take lines apart in which ``width`` fields are expected; blank ones and those beyond the limit stay empty."""
    start, end, column = np.zeros((3, len(kept), len(lines.offset)), dtype=np.int64)
    cells = Cells(start, end, column, np.zeros(len(lines.offset), dtype=bool))
    quick = Tally()
    if not width:
        return cells, quick  # the header is beyond the limit: nothing to hold a line against
    open_rows = ~lines.blank & ~lines.too_long
    clean, plain = lines.block.clean()
    rows, spans = lines.block.quoted(np.flatnonzero(open_rows & clean), width)
    _fill(cells, lines, kept, rows, spans)
    open_rows[rows] = False
    if open_rows.any():
        rows, spans = lines.block.plain(np.flatnonzero(open_rows & plain), width)
        _fill(cells, lines, kept, rows, spans)
        _note_unquoted(quick, lines, rows, spans)
        open_rows[rows] = False
        quick.merge(_scan(cells, lines, kept, np.flatnonzero(open_rows), width))
    return cells, quick


def _fill(cells: Cells, lines: Numbered, kept: tuple[int, ...], rows: Positions, spans: Spans) -> None:
    cells.complete[rows] = True
    for at, field in enumerate(kept):
        cells.start[at, rows] = spans.start[:, field]
        cells.end[at, rows] = spans.end[:, field]
        cells.column[at, rows] = lines.block.columns(rows, spans.begin[:, field])


def _note_unquoted(tally: Tally, lines: Numbered, rows: Positions, spans: Spans) -> None:
    """Count the fields of plain lines that have no quotes; they are ASCII, so bytes are columns."""
    unquoted = spans.begin == spans.start
    samples = []
    first_rows = np.flatnonzero(unquoted.any(axis=1))[:SAMPLES]
    for at, field in np.argwhere(unquoted[first_rows])[:SAMPLES].tolist():
        chosen = first_rows[at]
        row = int(rows[chosen])
        base = int(lines.block.lines.start[row]) - 1
        span = int(spans.begin[chosen, field]) - base, int(spans.stop[chosen, field]) - base
        samples.append(lines.deviation(Kind.UNQUOTED, row, span, field=field))
    tally.add(Kind.UNQUOTED, int(unquoted.sum()), samples)


def _scan(cells: Cells, lines: Numbered, kept: tuple[int, ...], rows: Positions, width: int) -> Tally:
    """Take lines apart one by one."""
    tally = Tally()
    taken = array("q")  # start, end and column of each kept field, line after line
    complete = []
    block = lines.block.lines
    for start, end, row in zip(block.start[rows].tolist(), block.end[rows].tolist(), rows.tolist(), strict=True):
        text = lines.block.text[start:end]
        record = scan_line(Line(text, lines.first_line + row, int(lines.offset[row])), width, tally)
        complete.append(record.count == width)
        ruler = Ruler(text)
        for field in kept:
            if field < record.count:
                taken.append(start + record.starts[field])
                taken.append(start + record.ends[field])
                taken.append(ruler.column(record.begins[field]))
            else:
                taken.extend((0, 0, 0))
    cells.complete[rows] = complete
    table = np.frombuffer(taken, dtype=np.int64).reshape(len(rows), len(kept), 3)
    cells.start[:, rows], cells.end[:, rows], cells.column[:, rows] = np.moveaxis(table, (0, 1, 2), (2, 1, 0))
    return tally
