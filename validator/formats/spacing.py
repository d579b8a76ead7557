"""What stands between the fields of a results file: bytes that do not belong into text, odd blanks, line ends.

One finding for each line with odd blanks, however many there are. Whether an empty line is between results or behind
all of them shows only later: until then it is kept waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.formats.scorefaults import BLANKS, CRLF, EMPTY_LINE, FILE_END, NOT_ASCII
from validator.model import SAMPLES, Defect, Place, Remedy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.formats.lineblocks import Fields, Lines
    from validator.formats.problems import Problems
    from validator.model import Rule
    from validator.tables import Offsets

_TEXT = bytes(range(32, 127)) + b"\t\n\r"
_IS_TEXT = np.isin(np.arange(256), list(_TEXT))
_LONE_CR = "a carriage return (CR) that is no line end"
_TAB, _LF, _CR = 9, 10, 13


class Spacing:
    """Judges the blanks of one file, block by block."""

    def __init__(self, file: str, problems: Problems) -> None:
        self._file, self._problems = file, problems
        self._waiting: list[int] = []  # offsets of the first empty lines behind the last result
        self._empty = 0  # how many there are
        self._results = False
        self._ended = True
        self._end = 0

    def byte_order_mark(self) -> None:
        """Note a byte order mark at the beginning."""
        hint = "save the file as UTF-8 without a byte order mark, or as ASCII"
        self._problems.note(
            NOT_ASCII, "", lambda: Defect(Place(self._file, 0, "byte"), "the file begins with a byte order mark", hint)
        )

    def wide_characters(self) -> None:
        """Note a file of characters that are two bytes each; it has nothing else to tell."""
        hint = "save the file as ASCII; some editors call it ANSI"
        self._problems.note(
            NOT_ASCII, "", lambda: Defect(Place(self._file, 0, "byte"), "the file is UTF-16, not plain text", hint)
        )

    def judge(self, lines: Lines, found: Fields) -> None:
        """Look at some whole lines."""
        data, base = lines.data, lines.offset
        body = found.buffer[: len(data)]
        self._ended, self._end = lines.ended, base + len(data) - 1
        if data.translate(None, _TEXT) or data.count(b"\r") != data.count(b"\r\n"):
            self._strange_bytes(body, base)
        if b"\r\n" in data:
            ends = np.flatnonzero((body[:-1] == _CR) & (body[1:] == _LF))
            self._note(CRLF, base + ends, "blank", "the line ends in CR LF")
        if len(found.odd) or b"\t" in data:
            self._odd_blanks(body, found, base)
        self._empty_lines(found, base)

    def _strange_bytes(self, body: NDArray[np.uint8], base: int) -> None:
        strange = ~_IS_TEXT[body]
        strange[1:] &= ~((body[1:] & 0xC0 == 0x80) & (body[:-1] > 127))  # one finding for each character of UTF-8
        strange |= (body == _CR) & (np.append(body[1:], 0) != _LF)
        self._problems.note_each(
            NOT_ASCII, "", np.flatnonzero(strange), lambda at: self._defect(base + at, "byte", _word(int(body[at])))
        )

    def _defect(self, offset: int, field: str, message: str) -> Defect:
        hint = "write LF at the end of each line" if message == _LONE_CR else ""
        return Defect(Place(self._file, offset, field), message, hint, mend=_plain if field == "byte" else None)

    def _odd_blanks(self, body: NDArray[np.uint8], found: Fields, base: int) -> None:
        kind = body[found.odd]
        before = body[np.maximum(found.odd - 1, 0)]
        inside = (kind != _LF) & (kind != _CR)
        trailing = ((kind == _LF) | (kind == _CR)) & (before != _CR) & (before != _LF)
        marks = [found.odd[inside], found.odd[trailing] - 1, np.flatnonzero(body == _TAB)]
        at = np.sort(np.concatenate(marks))
        line = np.searchsorted(found.line, at, side="right") - 1
        once = np.append(True, line[1:] != line[:-1])[: len(line)] & (found.count[line] > 0)
        self._note(BLANKS, base + at[once], "blank", "fields are not set apart by single blanks")

    def _empty_lines(self, found: Fields, base: int) -> None:
        filled = np.flatnonzero(found.count)
        empty = np.flatnonzero(found.count == 0)
        behind = empty[empty > filled[-1]] if len(filled) else empty
        if len(filled):
            between = base + found.line[empty[empty < filled[-1]]]
            self._let_go()
            self._note(EMPTY_LINE, between, "line", "an empty line between results")
            self._results = True
        self._empty += len(behind)
        self._waiting += (base + found.line[behind[: SAMPLES - len(self._waiting)]]).tolist()

    def _let_go(self) -> None:
        """Results go on: the empty lines were between them."""
        offsets = np.array(self._waiting, dtype=np.int64)
        self._note(EMPTY_LINE, offsets, "line", "an empty line between results", self._empty - len(offsets))
        self._waiting, self._empty = [], 0

    def _note(self, rule: Rule[object], at: Offsets, field: str, message: str, more: int = 0) -> None:
        self._problems.note_each(rule, "", at, lambda offset: self._defect(offset, field, message), more=more)

    def finish(self) -> None:
        """Judge the end of the file."""
        if self._empty and self._results:
            words = "an empty line" if self._empty == 1 else f"{self._empty} empty lines"
            where = Place(self._file, self._waiting[0], "line")
            self._problems.note(FILE_END, "", lambda: Defect(where, f"{words} behind the last result"))
        elif not self._ended and self._results:
            where = Place(self._file, self._end, "end")
            self._problems.note(FILE_END, "", lambda: Defect(where, "the last line has no line end"))


_DASHES, _SPACES = "\u2010\u2011\u2012\u2013\u2014\u2212", "\u00a0\u2007\u2009\u202f\u3000"


def _plain(character: str) -> Remedy | None:
    """Say what was probably meant by a character that is none of ASCII."""
    if character in _DASHES:
        return Remedy("write - (U+002D)", "a dash, no minus sign")
    return Remedy("write a plain blank", "a blank of another kind") if character in _SPACES else None


def _word(byte: int) -> str:
    if byte == _CR:
        return _LONE_CR
    return "{value} is no ASCII character" if byte > 127 else f"byte 0x{byte:02x} is a control character"
