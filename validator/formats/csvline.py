"""One line of a CSV taken apart, whatever is in it: the slow lane for lines that are not in the usual form.

    LINE  = FIELD *( "," FIELD )
    FIELD = DQUOTE *( any character but DQUOTE ) DQUOTE             MED11 plan, Appendix C

Whatever else stands there is read as F4DE's reader would, or as its author meant it, and noted as a deviation:

- a field that does not begin with a quote ends at the next comma;
- blanks around a quoted field are no part of it;
- inside quotes, a doubled quote and a quote that neither comma nor end of line follows belong to the value;
- a typographic quote opens a field that ends at the next comma; where a value opened by a double quote would otherwise
  swallow its neighbours, a typographic quote before a comma or the end of the line closes it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.csvfaults import Deviation, Kind, Tally

if TYPE_CHECKING:
    from validator.tables import Offsets

_MARKS = b"|".join(mark.encode() for mark in "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02")
_USUAL = re.compile(rb'[ \t]*"([^"]*)"[ \t]*(?=,|\Z)')
_OPENING = re.compile(rb'[ \t]*(?:(")|(' + _MARKS + b"))?")
_CLOSING = re.compile(rb'"[ \t]*(?=,|\Z)')
_MARK_AT_END = re.compile(b"(?:" + _MARKS + rb'|")[ \t]*\Z')
_MARK_BEFORE_COMMA = re.compile(b"(?:" + _MARKS + b")(?=,)")
_MARK_CLOSING = re.compile(b"(?:" + _MARKS + rb")(?=,|\Z)")
_NULS = re.compile(rb"\0+")
_ESCAPED = re.compile("[\udc80-\udcff]+")
_SHORT = 4096  # bytes up to which counting characters again and again is cheaper than a table


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, and where it stands in the file."""

    text: bytes
    number: int
    offset: int


class Ruler:
    """Turns bytes of a line into columns."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._is_ascii = text.isascii()
        self._starts: Offsets | None = None

    def column(self, byte: int) -> int:
        """Return the column of the character that begins at ``byte``."""
        if self._is_ascii:
            return byte + 1
        if byte <= _SHORT:
            return len(self._text[:byte].decode("utf-8", "surrogateescape")) + 1
        if self._starts is None:
            self._starts = _starts_of_characters(self._text)
        return int(np.searchsorted(self._starts, byte)) + 1


def _starts_of_characters(text: bytes) -> Offsets:
    escaped = text.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass")
    point = np.frombuffer(escaped, dtype="<u4")
    width = 1 + (point >= 0x80).astype(np.int64) + (point >= 0x800) + (point >= 0x10000)
    width[(point >= 0xDC80) & (point <= 0xDCFF)] = 1  # one byte that is no UTF-8
    return np.cumsum(width) - width


class Record:
    """The fields of a line in its bytes: where each begins, and its value; ``count`` also counts those not kept."""

    __slots__ = ("begins", "count", "ends", "starts")

    def __init__(self) -> None:
        self.begins, self.starts, self.ends = array("Q"), array("Q"), array("Q")
        self.count = 0


def scan_line(line: Line, expected: int | None, tally: Tally) -> Record:
    """Take a line that is not blank apart and count its deviations; ``expected`` None: it is the header."""
    scan = _Scan(line, tally)
    text, record, size = line.text, scan.record, len(line.text)
    begin = 0
    while True:
        stop = scan.take_field(begin)
        record.count += 1
        if stop == size:
            break
        begin = stop + 1
        if begin == size and expected in (None, record.count):
            scan.note(Kind.TRAILING_COMMA, stop, begin)
            break
    if expected is not None and record.count < expected:
        scan.note(Kind.TOO_FEW_FIELDS, size, size)
    elif expected is not None and record.count > expected:
        scan.note(Kind.TOO_MANY_FIELDS, record.begins[expected], size, field=expected)
    if b"\0" in text or not text.isascii():
        scan.note_bytes()
    return record


class _Scan:
    """A line while it is taken apart."""

    __slots__ = ("_line", "_ruler", "_tally", "_text", "record")

    def __init__(self, line: Line, tally: Tally) -> None:
        self._line, self._text, self._tally = line, line.text, tally
        self._ruler: Ruler | None = None
        self.record = Record()

    def note(self, kind: Kind, begin: int, end: int, *, field: int | None = None) -> None:
        """Count a deviation in bytes of the line; it is in the field that is being taken, unless said otherwise."""
        if not self._tally.wants(kind):
            self._tally.add(kind, 1)
            return
        if self._ruler is None:
            self._ruler = Ruler(self._text)
        self._note_columns(kind, self._ruler.column(begin), self._ruler.column(end), field=field)

    def _note_columns(self, kind: Kind, column: int, end: int, *, field: int | None) -> None:
        index = self.record.count if field is None else field
        where = self._line.number, column, max(end, column + 1), index, self._line.offset
        self._tally.add(kind, 1, [Deviation(kind, *where)])

    def note_bytes(self) -> None:
        """Count the bytes that are no text at all."""
        begins = self.record.begins
        for nuls in _NULS.finditer(self._text):
            self.note(Kind.NUL, *nuls.span(), field=bisect_right(begins, nuls.start()) - 1)
        escaped = self._text.decode("utf-8", "surrogateescape")
        columns: list[int] = []
        for bad in _ESCAPED.finditer(escaped):
            if not columns:
                ruler = Ruler(self._text)
                columns = [ruler.column(begin) for begin in begins]
            field = bisect_right(columns, bad.start() + 1) - 1
            self._note_columns(Kind.INVALID_UTF8, bad.start() + 1, bad.end() + 1, field=field)

    def take_field(self, begin: int) -> int:
        """Take the field that begins here; return the place of the comma or the line end behind it."""
        usual = _USUAL.match(self._text, begin)
        if usual is None:
            return self._take_unusual(begin)
        start, end = usual.span(1)
        stop = usual.end()
        if start - 1 > begin:
            self.note(Kind.BLANK_OUTSIDE_QUOTES, begin, start - 1)
        if stop > end + 1:
            self.note(Kind.BLANK_OUTSIDE_QUOTES, end + 1, stop)
        return self._took(begin, start, end, stop)

    def _took(self, begin: int, start: int, end: int, stop: int) -> int:
        self.record.begins.append(begin)
        self.record.starts.append(start)
        self.record.ends.append(end)
        return stop

    def _take_unusual(self, begin: int) -> int:
        opening = _OPENING.match(self._text, begin)
        mark = opening.lastindex if opening else None
        if opening is None or mark is None:
            return self._take_unquoted(begin)
        first, start = opening.span(mark)
        if first > begin:
            self.note(Kind.BLANK_OUTSIDE_QUOTES, begin, first)
        return self._take_quoted(begin, first) if mark == 1 else self._take_marked(begin, first, start)

    def _stop(self, begin: int) -> int:
        comma = self._text.find(b",", begin)
        return comma if comma >= 0 else len(self._text)

    def _note_inner_quote(self, begin: int, end: int) -> None:
        at = self._text.find(b'"', begin, end)
        if at >= 0:
            self.note(Kind.QUOTE_IN_VALUE, at, at + 1)

    def _take_unquoted(self, begin: int) -> int:
        stop = self._stop(begin)
        self.note(Kind.UNQUOTED, begin, stop)
        self._note_inner_quote(begin, stop)
        return self._took(begin, begin, stop, stop)

    def _take_marked(self, begin: int, first: int, start: int) -> int:
        """Take a field that a typographic quote opens."""
        stop = self._stop(begin)
        closing = _MARK_AT_END.search(self._text, start, stop)
        end = closing.start() if closing else stop
        self.note(Kind.TYPOGRAPHIC_QUOTE, first, stop)
        self._note_inner_quote(start, end)
        return self._took(begin, start, end, stop)

    def _take_quoted(self, begin: int, opening: int) -> int:
        """Take a field that a quote opens, but the next quote does not close."""
        text = self._text
        at = searched = opening + 1
        while (quote := text.find(b'"', at)) >= 0:
            if text.startswith(b'"', quote + 1):
                at = quote + 2
                continue
            closing = _CLOSING.match(text, quote)
            if closing:
                self._note_inner_quote(opening + 1, quote)
                if closing.end() > quote + 1:
                    self.note(Kind.BLANK_OUTSIDE_QUOTES, quote + 1, closing.end())
                return self._took(begin, opening + 1, quote, closing.end())
            mark = _MARK_BEFORE_COMMA.search(text, searched, quote)
            if mark:
                return self._take_closed_by_mark(begin, opening, mark)
            at, searched = quote + 1, quote
        mark = _MARK_CLOSING.search(text, searched)
        if mark:
            return self._take_closed_by_mark(begin, opening, mark)
        self.note(Kind.UNTERMINATED_QUOTE, opening, len(text))
        self._note_inner_quote(opening + 1, len(text))
        return self._took(begin, opening + 1, len(text), len(text))

    def _take_closed_by_mark(self, begin: int, opening: int, mark: re.Match[bytes]) -> int:
        self.note(Kind.TYPOGRAPHIC_QUOTE, opening, mark.end())
        self._note_inner_quote(opening + 1, mark.start())
        return self._took(begin, opening + 1, mark.start(), mark.end())
