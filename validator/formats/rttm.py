"""RTTM: who said what when, one blank-separated record a line (OpenKWS13 plan, appendix C).

::

    line    = [ record ] [ ";;" comment ]
    record  = type file channel tbeg tdur ortho subtype speaker conf [ slat ]

The plan has ten fields, NIST's tools nine: both are read. A time is the number that its text begins with: ``12.3*``
(a "fake" time) is 12.3, ``<NA>`` is 0.
"""

from __future__ import annotations

import codecs
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from validator.errors import ReferenceDataError
from validator.formats.columns import Texts, Vocabulary, padded
from validator.formats.decimals import decimals
from validator.formats.problems import Problems
from validator.formats.textfaults import BAD_LINE
from validator.model import Defect, Place
from validator.tables import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from validator.formats.source import Source
    from validator.tables import Codes, Flags, Floats

_BLOCK = 1 << 23
_FIELDS = (9, 10)
_TYPE, _FILE, _CHANNEL, _BEGIN, _DURATION, _TEXT, _SUBTYPE, _SPEAKER = range(8)
_NAMED = (_TYPE, _FILE, _CHANNEL, _TEXT, _SUBTYPE, _SPEAKER)
_LONG = 64  # Vocabulary compares longer texts one by one
_BLANK = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
_COMMENT = re.compile(rb";;[^\n]*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class _Rows:
    """The records of one block of lines: where each field begins and how long it is."""

    buffer: NDArray[np.uint8]
    start: NDArray[np.int64]  # records x fields
    length: NDArray[np.int64]
    line: Codes

    def field(self, number: int, rows: Flags | slice = slice(None)) -> Texts:
        """Return one field of the rows as a column."""
        return Texts(self.buffer, self.start[rows, number], self.length[rows, number])


@dataclass(frozen=True, slots=True)
class RttmFile:
    """An RTTM as it was read."""

    table: Tokens
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.line)


def read(source: Source) -> RttmFile:
    """Read an RTTM up to its first fault."""
    problems = Problems()
    try:
        with source.open() as stream:
            return RttmFile(tokens(stream, source.name), problems)
    except ReferenceDataError as error:
        text = str(error)
        problems.note(BAD_LINE, "", lambda: Defect(Place(source.name), text))
    return RttmFile(tokens(io.BytesIO(), source.name), problems)


def tokens(stream: BinaryIO, name: str) -> Tokens:
    """Read the records of an RTTM.

    A line with another number of fields, and bytes that are no UTF-8, raise ReferenceDataError: the file is the
    organizers', so nobody's submission is to blame.
    """
    vocabularies = {field: Vocabulary() for field in _NAMED}
    columns: dict[int, list[Codes]] = {field: [] for field in _NAMED}
    times: dict[int, list[Floats]] = {_BEGIN: [], _DURATION: []}
    lines: list[Codes] = []
    for rows in _blocks(stream, name):
        for field in _NAMED:
            columns[field].append(_coded(vocabularies[field], rows, field))
        for field, values in times.items():
            values.append(_numbers(rows.field(field)))
        lines.append(rows.line)
    codes = {field: _joined(parts) for field, parts in columns.items()}
    texts = {field: tuple(vocabulary.texts()) for field, vocabulary in vocabularies.items()}
    codes[_TYPE], types = _capitals(codes[_TYPE], texts[_TYPE])
    return Tokens(
        type=codes[_TYPE],
        file=codes[_FILE],
        channel=codes[_CHANNEL],
        begin_s=np.concatenate(times[_BEGIN]) if lines else np.zeros(0),
        duration_s=np.concatenate(times[_DURATION]) if lines else np.zeros(0),
        text=codes[_TEXT],
        subtype=codes[_SUBTYPE],
        speaker=codes[_SPEAKER],
        line=_joined(lines),
        types=types,
        files=texts[_FILE],
        channels=texts[_CHANNEL],
        texts=texts[_TEXT],
        subtypes=texts[_SUBTYPE],
        speakers=texts[_SPEAKER],
    )


def _joined(parts: list[Codes]) -> Codes:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def _blocks(stream: BinaryIO, name: str) -> Iterator[_Rows]:
    """Split the stream into records, some megabytes of whole lines at a time."""
    line = 1
    rest = b""
    mark = codecs.BOM_UTF8
    while block := stream.read(_BLOCK):
        if mark:
            block, mark = block.removeprefix(mark), b""
        head, newline, tail = block.rpartition(b"\n")
        if not newline:
            rest += block
            continue
        lines = rest + head + newline
        rest = tail
        yield _records(lines, name, line)
        line += lines.count(b"\n")
    if rest.strip():
        yield _records(rest + b"\n", name, line)


def _records(lines: bytes, name: str, first: int) -> _Rows:
    """Find the fields of whole lines, the first of which has the number ``first``."""
    try:
        lines.decode()
    except UnicodeDecodeError as error:
        line = first + lines.count(b"\n", 0, error.start)
        message = f"{name}, line {line}: byte 0x{lines[error.start]:02x} is no UTF-8; save the RTTM as UTF-8"
        raise ReferenceDataError(message) from error
    if b";;" in lines:
        lines = _COMMENT.sub(b"", lines)
    buffer = padded(lines)
    blank = _BLANK[buffer[: len(lines)]]
    edges = np.flatnonzero(np.diff(blank, prepend=True))  # a field begins, ends, begins, ...: the last byte is blank
    starts, ends = edges[::2], edges[1::2]
    stop = np.searchsorted(starts, np.flatnonzero(buffer[: len(lines)] == ord("\n")))
    count = np.diff(stop, prepend=0)
    bad = np.flatnonzero((count != 0) & (count != _FIELDS[0]) & (count != _FIELDS[1]))
    if len(bad):
        number = f"{count[bad[0]]} field" + "s" * int(count[bad[0]] > 1)
        hint = "an RTTM has 9 (10 with slat): write <NA> for what is not known"
        raise ReferenceDataError(f"{name}, line {first + int(bad[0])}: {number}; {hint}")
    used = np.flatnonzero(count)
    field = (stop - count)[used, None] + np.arange(_SPEAKER + 1)
    return _Rows(buffer, starts[field], ends[field] - starts[field], (used + first).astype(np.int32))


def _coded(vocabulary: Vocabulary, rows: _Rows, field: int) -> Codes:
    """Give each text of a field its number; the few long ones apart, so that they do not slow the others."""
    texts = rows.field(field)
    long = texts.length > _LONG
    if not long.any():
        return vocabulary.codes(texts)
    codes = np.empty(len(texts), dtype=np.int32)
    codes[~long] = vocabulary.codes(rows.field(field, ~long))
    codes[long] = vocabulary.codes(rows.field(field, long))
    return codes


def _numbers(texts: Texts) -> Floats:
    """Convert times: the number at the beginning of each text, 0 if there is none."""
    values, plain = decimals(texts)
    known: dict[str, float] = {}
    for row in np.flatnonzero(~plain).tolist():
        text = texts.at(row)
        if text not in known:
            number = _NUMBER.match(text)
            known[text] = float(number[0]) if number else 0.0
        values[row] = known[text]
    return values


def _capitals(codes: Codes, types: tuple[str, ...]) -> tuple[Codes, tuple[str, ...]]:
    """Merge types that differ in letter case only."""
    distinct = tuple(dict.fromkeys(name.upper() for name in types))
    merged = np.array([distinct.index(name.upper()) for name in types], dtype=np.int32)
    return (merged[codes] if len(codes) else codes), distinct
