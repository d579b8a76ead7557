"""The slow, obvious reader of quoted CSV: one character after the other, whole file in memory.

Written from the grammar of the plan's Appendix C and the notes of validator.formats.csvline; shares no code with them
but the names of the kinds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from validator.formats.csvfaults import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

TYPOGRAPHIC = "‘’‚‛“”„‟″«»＂"  # noqa: RUF001 - these are meant
BLANKS = " \t"

Found = tuple[Kind, int, int, int, int | None, int]  # kind, line, column, end column, field, offset


@dataclass
class TwinField:
    """A value, the column where its field begins, and its faults (kind, first character, character behind)."""

    value: str
    begin: int
    stop: int
    faults: list[tuple[Kind, int, int]]


@dataclass
class TwinTable:
    """What the twin read."""

    header: list[bytes] = field(default_factory=list)
    header_line: int = 0
    rows: list[list[tuple[bytes, int]]] = field(default_factory=list)
    complete: list[bool] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)


def to_bytes(text: str) -> bytes:
    """Encode what was decoded with escapes."""
    return text.encode("utf-8", "surrogateescape")


def twin_lines(text: str) -> list[tuple[str, str]]:
    """Split at LF, CRLF and CR; pairs of text and line end."""
    lines = []
    current = ""
    i = 0
    while i < len(text):
        if text[i] == "\n":
            lines.append((current, "\n"))
            current = ""
        elif text[i] == "\r" and text[i + 1 : i + 2] == "\n":
            lines.append((current, "\r\n"))
            current = ""
            i += 1
        elif text[i] == "\r":
            lines.append((current, "\r"))
            current = ""
        else:
            current += text[i]
        i += 1
    if current:
        lines.append((current, ""))
    return lines


def twin_read(data: bytes, limit: int) -> TwinTable:
    """Read a whole file."""
    table = TwinTable()
    offset = 0
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        table.found.append((Kind.UTF16, 1, 1, 2, None, 0))
        return table
    if data[:3] == b"\xef\xbb\xbf":
        table.found.append((Kind.BYTE_ORDER_MARK, 1, 1, 2, None, 0))
        data = data[3:]
        offset = 3
    for number, (text, ending) in enumerate(twin_lines(data.decode("utf-8", "surrogateescape")), start=1):
        _twin_line(table, text, ending, (number, offset, limit))
        offset += len(to_bytes(text)) + len(ending)
    return table


def _twin_line(table: TwinTable, text: str, ending: str, where: tuple[int, int, int]) -> None:  # noqa: C901 - one page tells it all
    number, offset, limit = where
    too_long = len(to_bytes(text)) > limit
    blank = not too_long and all(character in BLANKS for character in text)

    def note(kind: Kind, begin: int, end: int, index: int | None) -> None:
        table.found.append((kind, number, begin + 1, max(end, begin + 1) + 1, index, offset))

    if too_long:
        note(Kind.LINE_TOO_LONG, 0, 1, None)
    elif ending == "\r\n":
        note(Kind.CRLF, len(text), len(text) + 1, None)
    elif ending == "\r":
        note(Kind.LONE_CR, len(text), len(text) + 1, None)
    if blank:
        note(Kind.BLANK_LINE, 0, len(text), None)
        return
    is_header = table.header_line == 0
    expected = None if is_header else len(table.header)
    fields: list[TwinField] = []
    if not too_long and expected != 0:
        fields = _twin_fields(text)
        last = fields[-1]
        if last.begin == len(text) and len(fields) > 1 and expected in (None, len(fields) - 1):
            note(Kind.TRAILING_COMMA, len(text) - 1, len(text), len(fields) - 1)
            fields.pop()
        for index, each in enumerate(fields):
            for kind, begin, end in each.faults:
                note(kind, begin, end, index)
        _twin_odd_characters(text, fields, note)
        if expected is not None and len(fields) < expected:
            note(Kind.TOO_FEW_FIELDS, len(text), len(text), len(fields))
        if expected is not None and len(fields) > expected:
            note(Kind.TOO_MANY_FIELDS, fields[expected].begin, len(text), expected)
    if is_header:
        table.header_line = number
        table.header = [to_bytes(each.value) for each in fields]
        return
    cells = [(to_bytes(each.value), each.begin + 1) for each in fields[: len(table.header)]]
    table.rows.append(cells + [(b"", 0)] * (len(table.header) - len(cells)))
    table.complete.append(bool(table.header) and len(fields) == len(table.header))
    table.lines.append(number)
    table.offsets.append(offset)


def _twin_odd_characters(
    text: str, fields: list[TwinField], note: Callable[[Kind, int, int, int | None], None]
) -> None:
    for kind, first, last in ((Kind.NUL, "\0", "\0"), (Kind.INVALID_UTF8, "\udc80", "\udcff")):
        i = 0
        while i < len(text):
            end = i
            while end < len(text) and first <= text[end] <= last:
                end += 1
            if end > i:
                index = max(n for n, each in enumerate(fields) if each.begin <= i)
                note(kind, i, end, index)
            i = end + 1


def _twin_fields(text: str) -> list[TwinField]:
    fields = []
    begin = 0
    while True:
        fields.append(_twin_field(text, begin))
        if fields[-1].stop == len(text):
            return fields
        begin = fields[-1].stop + 1


def _twin_field(text: str, begin: int) -> TwinField:
    first = begin
    while first < len(text) and text[first] in BLANKS:
        first += 1
    before = [(Kind.BLANK_OUTSIDE_QUOTES, begin, first)] if first > begin else []
    if first < len(text) and text[first] == '"':
        return _twin_quoted(text, begin, first, before)
    stop = begin
    while stop < len(text) and text[stop] != ",":
        stop += 1
    if first < stop and text[first] in TYPOGRAPHIC:
        end = stop
        while end > first + 1 and text[end - 1] in BLANKS:
            end -= 1
        if end > first + 1 and text[end - 1] in TYPOGRAPHIC + '"':
            end -= 1
        else:
            end = stop
        faults = [*before, (Kind.TYPOGRAPHIC_QUOTE, first, stop), *_twin_inner(text, first + 1, end)]
        return TwinField(text[first + 1 : end], begin, stop, faults)
    return TwinField(text[begin:stop], begin, stop, [(Kind.UNQUOTED, begin, stop), *_twin_inner(text, begin, stop)])


def _twin_inner(text: str, begin: int, end: int) -> list[tuple[Kind, int, int]]:
    for i in range(begin, end):
        if text[i] == '"':
            return [(Kind.QUOTE_IN_VALUE, i, i + 1)]
    return []


def _twin_quoted(text: str, begin: int, opening: int, before: list[tuple[Kind, int, int]]) -> TwinField:  # noqa: C901 - likewise
    def closed_by_mark(mark: int) -> TwinField:
        faults = [*before, (Kind.TYPOGRAPHIC_QUOTE, opening, mark + 1), *_twin_inner(text, opening + 1, mark)]
        return TwinField(text[opening + 1 : mark], begin, mark + 1, faults)

    mark_before_comma: int | None = None
    i = opening + 1
    while i < len(text):
        following = text[i + 1 : i + 2]
        if text[i] in TYPOGRAPHIC and following == "," and mark_before_comma is None:
            mark_before_comma = i
        if text[i] == '"' and following == '"':
            i += 1
        elif text[i] == '"':
            stop = i + 1
            while stop < len(text) and text[stop] in BLANKS:
                stop += 1
            if stop == len(text) or text[stop] == ",":
                after = [(Kind.BLANK_OUTSIDE_QUOTES, i + 1, stop)] if stop > i + 1 else []
                inner = _twin_inner(text, opening + 1, i)
                return TwinField(text[opening + 1 : i], begin, stop, [*before, *inner, *after])
            if mark_before_comma is not None:
                return closed_by_mark(mark_before_comma)
        i += 1
    if mark_before_comma is not None:
        return closed_by_mark(mark_before_comma)
    if text[-1] in TYPOGRAPHIC and len(text) - 1 > opening:
        return closed_by_mark(len(text) - 1)
    faults = [*before, (Kind.UNTERMINATED_QUOTE, opening, len(text)), *_twin_inner(text, opening + 1, len(text))]
    return TwinField(text[opening + 1 :], begin, len(text), faults)
