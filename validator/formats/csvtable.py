"""Tables in quoted CSV (MED11 plan, Appendix C): which columns a table has is a matter of its format's name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from validator.formats import csvplaces
from validator.formats.columns import Texts, joined
from validator.formats.csvfaults import Kind
from validator.formats.csvrules import COLUMN_TWICE, NO_HEADER, OF_KIND, TYPOGRAPHIC_QUOTE_UNREAD
from validator.formats.numerals import Form, read_numerals
from validator.formats.problems import Problems
from validator.formats.quotedcsv import named, read_quoted_csv
from validator.formats.source import blocks
from validator.formats.textindex import TextIndex, equal_texts, few_short, same_texts
from validator.model import Defect, Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validator.formats.csvfaults import Counted, Deviation
    from validator.formats.quotedcsv import QuotedTable
    from validator.formats.source import Source
    from validator.tables import Flags, Floats, Offsets


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers: the value of each row, NaN where there is none, and how it is written.

    ``loose`` are decimals in a form that the official tool takes for text (.5, 5., +0.5), ``whole`` those that it takes
    for integers, however large or small (7e-4).
    """

    value: Floats
    is_number: Flags
    loose: Flags
    whole: Flags


@dataclass(frozen=True, slots=True)
class Groups:
    """The distinct values of a column: the number of each row's value, in order of appearance, and its first row."""

    number: Offsets
    first: Offsets

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table as it was read; row 0 is the first record behind the header."""

    file: str
    quoted: QuotedTable
    memo: dict[tuple[str, str], object] = field(default_factory=dict)

    @property
    def header(self) -> tuple[str, ...]:
        """The column names as written."""
        return self.quoted.header

    def __len__(self) -> int:
        return len(self.quoted)

    def has(self, *names: str) -> bool:
        """Tell whether the table has these columns."""
        return all(self.quoted.column(name) is not None for name in names)

    def texts(self, name: str) -> Texts:
        """Return a column as texts; empty where a row lacks it."""
        found = self.quoted.column(name)
        if found is None:
            raise KeyError(name)
        return found.texts

    def text(self, name: str, row: int) -> str:
        """Return one value."""
        return self.texts(name).at(row)

    def index(self, name: str) -> TextIndex:
        """Return the distinct values of a column."""
        if ("index", name) not in self.memo:
            self.memo["index", name] = TextIndex(self.texts(name))
        found = self.memo["index", name]
        assert isinstance(found, TextIndex)  # noqa: S101 - the key says so
        return found

    def numbers(self, name: str) -> Numbers:
        """Return a column as numbers."""
        if ("numbers", name) not in self.memo:
            numerals = read_numerals(self.texts(name))
            whole, loose = numerals.form == Form.INTEGER, numerals.form == Form.LOOSE
            self.memo["numbers", name] = Numbers(
                numerals.value, whole | loose | (numerals.form == Form.REAL), loose, whole
            )
        found = self.memo["numbers", name]
        assert isinstance(found, Numbers)  # noqa: S101 - the key says so
        return found

    def groups(self, name: str) -> Groups:
        """Return a column as numbers of its distinct values."""
        if ("groups", name) not in self.memo:
            self.memo["groups", name] = _grouped(self.texts(name))
        found = self.memo["groups", name]
        assert isinstance(found, Groups)  # noqa: S101 - the key says so
        return found

    def groups_of(self, name: str, other: CsvTable) -> Offsets:
        """Return for each row of another table the number of its value in this one's groups, -1 if it has none."""
        texts, first = self.texts(name), self.groups(name).first
        return TextIndex(Texts(texts.buffer, texts.start[first], texts.length[first])).rows(other.texts(name))

    def rows_of(self, name: str, other: CsvTable) -> Offsets:
        """Return for each row of another table the first row of this one that has its value, -1 if none has."""
        if equal_texts(self.texts(name), other.texts(name)):
            other.memo.setdefault(("index", name), self.index(name))
        return self.index(name).rows(other.texts(name))

    def row_of(self, name: str, text: str) -> int:
        """Return the first row that has a text in a column, -1 if none has."""
        return int(self.index(name).rows(joined([text]))[0])

    @property
    def complete(self) -> Flags:
        """The rows that have all values."""
        return self.quoted.complete

    def place(self, row: int, name: str) -> Place:
        """Return the place of a value."""
        node = f"row {row + 1}, {name}"
        return Place(self.file, int(self.quoted.offset[row]), csvplaces.field(self.header.index(name)), node)

    def header_place(self, number: int | None = None) -> Place:
        """Return the place of a column name, or of the header line."""
        if not self.header:
            return Place(self.file)
        mark = 3 if self.quoted.deviation(Kind.BYTE_ORDER_MARK) else 0
        offset = mark if self.quoted.header_line <= 1 else None
        node = "header" if number is None else f"header, column {number + 1}"
        return Place(self.file, offset, "" if number is None else csvplaces.field(number), node)


def _grouped(texts: Texts) -> Groups:
    """Give distinct texts numbers in order of appearance; runs of equal ones and few short ones are looked up once."""
    few = few_short(texts)
    if few is not None:
        number, heads = few
        order = np.argsort(heads)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return Groups(rank[number], heads[order])
    rows = np.arange(len(texts))
    begins = np.append(True, ~same_texts(texts, rows[1:], texts, rows[:-1]))[: len(rows)]
    starts = np.flatnonzero(begins)
    first = TextIndex(Texts(texts.buffer, texts.start[starts], texts.length[starts])).first
    heads = np.flatnonzero(first == np.arange(len(first)))
    ranks = np.zeros(len(first), dtype=np.int64)
    ranks[heads] = np.arange(len(heads))
    return Groups(ranks[first][np.cumsum(begins) - 1], starts[heads])


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A table, and what is wrong with its syntax."""

    table: CsvTable
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table)


def read(source: Source, keep: Sequence[str], unread: Sequence[str] = ()) -> CsvFile:
    """Read a table, keeping these columns; ``unread`` are those whose values the official tool does not look at."""
    with source.open() as stream:
        quoted = read_quoted_csv(blocks(stream), named(*keep))
    problems = Problems()
    for counted in quoted.deviations:
        _note(problems, counted, source.name, quoted.header, unread)
    if not quoted.header:
        problems.note(NO_HEADER, "", lambda: Defect(Place(source.name), "the file has no header line"))
    table = CsvTable(source.name, quoted)
    for name, count in Counter(quoted.header).items():
        if count > 1:
            last = len(quoted.header) - 1 - quoted.header[::-1].index(name)
            where, message = table.header_place(last), f"there are {count} columns {{value}}"
            problems.note(COLUMN_TWICE, "", partial(Defect, where, message))
    return CsvFile(table, problems)


def _note(problems: Problems, counted: Counted, file: str, header: tuple[str, ...], unread: Sequence[str]) -> None:
    rule, message = OF_KIND[counted.kind]
    if counted.kind in (Kind.CRLF, Kind.LONE_CR):  # all lines or none: one remark is enough
        problems.note(rule, "", partial(_defect, counted.samples[0], file, "", message))
        return
    rest = counted.count - len(counted.samples)
    for rank, deviation in enumerate(counted.samples):
        name = header[deviation.field] if deviation.field is not None and deviation.field < len(header) else ""
        aside = counted.kind is Kind.TYPOGRAPHIC_QUOTE and deviation.line > 1 and name in unread
        chosen = TYPOGRAPHIC_QUOTE_UNREAD if aside else rule
        stands_for = 1 + (rest if rank == len(counted.samples) - 1 else 0)
        problems.note(chosen, counted.kind.name, partial(_defect, deviation, file, name, message), count=stands_for)


def _defect(deviation: Deviation, file: str, name: str, message: str) -> Defect:
    if deviation.kind in (Kind.UTF16, Kind.BYTE_ORDER_MARK):
        return Defect(Place(file), message)
    node = ""
    if deviation.field is not None:
        node = f"field {deviation.field + 1}" + (f" ({name})" if name else "")
    where = Place(file, deviation.offset, csvplaces.columns(deviation.column, deviation.end_column), node)
    return Defect(where, message)
