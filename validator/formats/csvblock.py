"""A block of CSV lines taken apart with arrays: the fast lane for lines in one of two usual forms.

- all fields quoted: as many quotes as the header asks for, at the line's ends and around single commas, so values may
  hold commas;
- plain: as many commas as the header asks for, none of them inside quotes; each field has its two quotes or none.

Both tests are exact, so what passes needs no second look. Every other line is left to csvline.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from validator.tables import Flags

Positions = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_LF, _CR, _QUOTE, _COMMA, _BLANK, _TAB = 10, 13, 0x22, 0x2C, 0x20, 0x09


class Ending(IntEnum):
    """How a line ends."""

    NONE = 0  # the file does
    LF = 1
    CRLF = 2
    CR = 3


@dataclass(frozen=True, slots=True)
class Lines:
    """The whole lines of a block: where each begins, where its text ends, and how; then the byte behind them all."""

    start: Positions
    end: Positions
    ending: NDArray[np.uint8]
    stop: int

    def __len__(self) -> int:
        return len(self.start)

    def head(self, count: int) -> Lines:
        """Return the first lines."""
        stop = int(self.start[count]) if count < len(self) else self.stop
        return Lines(self.start[:count], self.end[:count], self.ending[:count], stop)


def split_lines(block: bytes, *, last: bool) -> Lines:
    """Find the lines of a block; its rest is one only if it is the last, and a CR at its end may be half of a CRLF."""
    data = np.frombuffer(block, dtype=np.uint8)
    stop = np.flatnonzero(data == _LF)
    ending = np.full(len(stop), Ending.LF, dtype=np.uint8)
    if b"\r" in block:
        after_cr = (stop > 0) & (data[np.maximum(stop - 1, 0)] == _CR)
        ending[after_cr] = Ending.CRLF
        returns = np.flatnonzero(data == _CR)
        alone = returns[np.append(data, 0)[returns + 1] != _LF]
        if not last:
            alone = alone[alone < len(block) - 1]
        ending = np.append(ending, np.full(len(alone), Ending.CR, dtype=np.uint8))
        stop = np.append(stop, alone)
        order = np.argsort(stop, kind="stable")
        stop, ending = stop[order], ending[order]
    begin_of_rest = int(stop[-1]) + 1 if len(stop) else 0
    if last and begin_of_rest < len(block):
        stop = np.append(stop, len(block))
        ending = np.append(ending, np.uint8(Ending.NONE))
        begin_of_rest = len(block)
    start = np.concatenate((np.zeros(min(len(stop), 1), dtype=np.int64), stop[:-1] + 1))
    return Lines(start, stop - (ending == Ending.CRLF), ending, begin_of_rest)


@dataclass(frozen=True, slots=True)
class Spans:
    """Fields of some lines, one row a line: where each begins, its value, and the comma or line end behind it."""

    begin: Positions
    start: Positions
    end: Positions
    stop: Positions


class Block:
    """Whole lines of a file, and what the lanes need to know of them."""

    def __init__(self, block: bytes, lines: Lines) -> None:
        self.text = block
        self.lines = lines
        self._data = np.frombuffer(block + b"\0", dtype=np.uint8)  # a field may begin at the very end
        self._ascii = block.isascii()

    @cached_property
    def _characters(self) -> Positions:
        """The number of characters up to each byte."""
        return np.cumsum((self._data & 0xC0) != 0x80)

    @cached_property
    def _quotes(self) -> Positions:
        return np.flatnonzero(self._data == _QUOTE)

    @cached_property
    def _first_quote(self) -> Positions:
        return np.searchsorted(self._quotes, self.lines.start)

    @cached_property
    def _quote_count(self) -> Positions:
        return np.searchsorted(self._quotes, self.lines.end) - self._first_quote

    def columns(self, rows: Positions, at: Positions) -> Positions:
        """Return the columns of the characters that begin at ``at``, for lines of valid UTF-8."""
        start = self.lines.start[rows]
        if self._ascii:
            return at - start + 1
        return self._characters[at] - self._characters[start] + 1

    def blank(self) -> Flags:
        """Tell which lines are nothing but blanks and tabs."""
        blank: Flags = self.lines.end == self.lines.start
        first = self._data[self.lines.start]
        for row in np.flatnonzero((first == _BLANK) | (first == _TAB)).tolist():
            blank[row] = not self.line(row).strip(b" \t")
        return blank

    def line(self, row: int) -> bytes:
        """Return the text of a line."""
        return self.text[int(self.lines.start[row]) : int(self.lines.end[row])]

    def clean(self) -> tuple[Flags, Flags]:
        """Tell which lines are text without NUL and valid UTF-8, and which are ASCII besides."""
        clean = np.ones(len(self.lines), dtype=bool)
        plain = clean.copy()
        if not self._ascii:
            plain[self._lines_with(self._data[:-1] >= 0x80)] = False
            if not _is_utf8(self.text):
                clean &= plain
        if b"\0" in self.text:
            clean[self._lines_with(self._data[:-1] == 0)] = False
        return clean, plain & clean

    def _lines_with(self, wanted: Flags) -> Positions:
        return np.searchsorted(self.lines.start, np.flatnonzero(wanted), side="right") - 1

    def quoted(self, rows: Positions, width: int) -> tuple[Positions, Spans]:
        """Return those of these lines in which all of ``width`` fields are quoted, and their fields."""
        if len(rows) == len(self.lines) and len(self._quotes) == 2 * width * len(rows):
            marks = self._quotes.reshape(-1, 2 * width)  # as it should be: no need to look for each line's quotes
            if self._is_quoted(rows, marks).all():
                return rows, _between(marks)
        rows = rows[self._quote_count[rows] == 2 * width]
        marks = self._quotes[self._first_quote[rows][:, None] + np.arange(2 * width)]
        fits = self._is_quoted(rows, marks)
        return rows[fits], _between(marks[fits])

    def _is_quoted(self, rows: Positions, marks: Positions) -> Flags:
        """Tell in which lines these quotes stand at both ends and around single commas."""
        fits: Flags = (marks[:, 0] == self.lines.start[rows]) & (marks[:, -1] == self.lines.end[rows] - 1)
        closing, opening = marks[:, 1:-1:2], marks[:, 2::2]
        fits &= ((opening - closing == 2) & (self._data[closing + 1] == _COMMA)).all(axis=1)
        return fits

    def plain(self, rows: Positions, width: int) -> tuple[Positions, Spans]:
        """Return those of these lines in which no quote or comma is in doubt, and their fields."""
        commas = np.flatnonzero(self._data == _COMMA)
        first_comma = np.searchsorted(commas, self.lines.start[rows])
        fits = np.searchsorted(commas, self.lines.end[rows]) - first_comma == width - 1
        rows, first_comma = rows[fits], first_comma[fits]
        between = commas[first_comma[:, None] + np.arange(width - 1)]
        begin = np.column_stack((self.lines.start[rows], between + 1))
        stop = np.column_stack((between, self.lines.end[rows]))
        quoted = (stop - begin >= 2) & (self._data[begin] == _QUOTE) & (self._data[stop - 1] == _QUOTE)
        fits = 2 * quoted.sum(axis=1) == self._quote_count[rows]
        begin, stop, quoted = begin[fits], stop[fits], quoted[fits]
        return rows[fits], Spans(begin, begin + quoted, stop - quoted, stop)

    def compacted(self, start: Positions, end: Positions) -> bytes:
        """Return the values between these places, one behind the other."""
        length = end - start
        behind = np.cumsum(length)
        at: Positions = np.repeat(start - (behind - length), length)
        at += np.arange(len(at))
        return self._data[at].tobytes()


def _between(marks: Positions) -> Spans:
    opening, closing = marks[:, ::2], marks[:, 1::2]
    return Spans(opening, opening + 1, closing, closing + 1)


def _is_utf8(block: bytes) -> bool:
    """Tell whether whole lines are UTF-8; they end at ASCII bytes, so no character is cut."""
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True
