"""What can be wrong with a quoted CSV, how often it was found, and where first.

Lines count from 1 and end at LF, CRLF or a CR alone; columns count code points from 1, a byte that is no UTF-8 counting
as one; ``end_column`` is the column behind the last one, so a span is never empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SAMPLES = 20  # deviations of one kind that are kept; all are counted


class Kind(Enum):
    """One way of leaving the grammar of Appendix C; the value says what is counted."""

    BYTE_ORDER_MARK = "file that begins with the UTF-8 byte order mark"
    UTF16 = "file in UTF-16, with or without byte order mark; nothing of it is read"
    OTHER_SEPARATOR = "file with other separators than commas in its header; nothing of it is read"
    LINE_TOO_LONG = "line above the limit; nothing else in it is looked at"
    CRLF = "line that ends in CR LF"
    LONE_CR = "line that ends in CR alone"
    BLANK_LINE = "line of nothing but blanks and tabs; it is no record"
    UNQUOTED = "field without quotes"
    BLANK_OUTSIDE_QUOTES = "run of blanks before an opening or behind a closing quote"
    TYPOGRAPHIC_QUOTE = "field delimited by a typographic quote; it is read without it"
    QUOTE_IN_VALUE = "field with a double quote inside, marked at the first one"
    UNTERMINATED_QUOTE = "field whose quote is not closed in its line; it is read to the end of the line"
    TRAILING_COMMA = "line with a comma behind its last field"
    TOO_FEW_FIELDS = "record with fewer fields than the header"
    TOO_MANY_FIELDS = "record with more fields than the header, marked from the first surplus one"
    NUL = "run of NUL bytes"
    INVALID_UTF8 = "run of bytes that are no UTF-8"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One place where the grammar is left; ``field`` counts from 0, ``offset`` is the byte where the line begins."""

    kind: Kind
    line: int
    column: int
    end_column: int
    field: int | None
    offset: int

    @property
    def order(self) -> tuple[int, int]:
        """Sort key: line, column."""
        return self.line, self.column


@dataclass(frozen=True, slots=True)
class Counted:
    """All deviations of one kind: how many, and the first of them in file order."""

    kind: Kind
    count: int
    samples: tuple[Deviation, ...]


class Tally:
    """Counts deviations and keeps the first of each kind. Within one Tally they must come in file order."""

    def __init__(self) -> None:
        self._counts: dict[Kind, int] = {}
        self._samples: dict[Kind, list[Deviation]] = {}

    def wants(self, kind: Kind) -> bool:
        """Tell whether another sample of this kind would be kept."""
        return len(self._samples.get(kind, ())) < SAMPLES

    def add(self, kind: Kind, count: int, samples: Iterable[Deviation] = ()) -> None:
        """Count ``count`` deviations, of which these are the first."""
        if count:
            self._counts[kind] = self._counts.get(kind, 0) + count
            kept = self._samples.setdefault(kind, [])
            kept.extend(samples)
            del kept[SAMPLES:]

    def merge(self, other: Tally) -> None:
        """Take in what another Tally found, wherever in the file that was."""
        for kind, count in other._counts.items():
            self._counts[kind] = self._counts.get(kind, 0) + count
            both = self._samples.get(kind, []) + other._samples[kind]
            self._samples[kind] = sorted(both, key=lambda deviation: deviation.order)[:SAMPLES]

    def counted(self) -> tuple[Counted, ...]:
        """Return what was found, in the order of Kind."""
        return tuple(Counted(k, self._counts[k], tuple(self._samples[k])) for k in Kind if k in self._counts)
