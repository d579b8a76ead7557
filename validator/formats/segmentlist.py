"""seg.ndx: the segments of a language-recognition test set, one name a line.

::

    line = [ name [ ".wav" ] ]

Empty lines mean nothing, and so do blanks around a name.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.keyfaults import EMPTY_REFERENCE, NOT_PLAIN, REFERENCE_LINE, SEGMENT_TWICE
from validator.formats.lineblocks import Fields, fields, packed, whole_lines
from validator.formats.namecolumn import Names
from validator.formats.problems import Problems
from validator.model import Defect, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.source import Source
    from validator.tables import Offsets

AUDIO = b".wav"


@dataclass(frozen=True, slots=True)
class SegmentList:
    """The segments, without extension."""

    path: str
    names: Names
    offset: Offsets


@dataclass(frozen=True, slots=True)
class SegmentListFile:
    """A seg.ndx as it was read."""

    table: SegmentList
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.names)


def read(source: Source) -> SegmentListFile:
    """Read the list completely."""
    problems = Problems()
    names: list[tuple[bytes, Offsets]] = []
    offsets = [np.zeros(0, dtype=np.int64)]
    for base, found in reference_lines(source, problems):
        wrong = np.flatnonzero(found.count > 1)
        problems.note_each(REFERENCE_LINE, "", wrong, lambda row: _wrong(source.name, base, found, row))  # noqa: B023
        named = found.count > 0
        names.append(packed(found.column(named, 0)))
        offsets.append(base + found.line[named])
    table = SegmentList(source.name, Names.of(names).without(AUDIO), np.concatenate(offsets))
    judge_names(source.name, table.names, table.offset, problems)
    return SegmentListFile(table, problems)


def _wrong(file: str, base: int, found: Fields, row: int) -> Defect:
    place = Place(file, base + int(found.line[row]), "2", "field 2")
    return Defect(place, f"{found.count[row]} fields, 1 expected: the name of a segment", label="too many")


def reference_lines(source: Source, problems: Problems) -> Iterator[tuple[int, Fields]]:
    """Give the fields of all lines, block by block, with the offset of the block; note what is no text."""
    with source.open() as stream:
        for lines in whole_lines(stream):
            if not lines.data:
                message = "the line is longer than 64 KB; it was not read"
                where = Place(source.name, lines.offset, "start")
                problems.note(REFERENCE_LINE, "", lambda: Defect(where, message))  # noqa: B023 - made at once
                continue
            if not lines.data.isascii():
                at = next(rank for rank, byte in enumerate(lines.data) if byte > 127)
                place = Place(source.name, lines.offset + at, "byte")
                mark = lines.offset == 0 and lines.data.startswith(codecs.BOM_UTF8)
                words = "the file begins with a byte order mark" if mark else f"byte 0x{lines.data[at]:02x} is no ASCII"
                problems.note(NOT_PLAIN, "", lambda: Defect(place, words))  # noqa: B023 - made at once
            yield lines.offset, fields(lines.data)


def judge_names(file: str, names: Names, offset: Offsets, problems: Problems) -> None:
    """Note an empty list, and names that are there twice."""
    if not len(names) and not problems:
        problems.note(EMPTY_REFERENCE, "", lambda: Defect(Place(file), "the file lists no segment"))

    def twice(row: int) -> Defect:
        earlier = Place(file, int(offset[names.first[row]]), "1")
        where = Place(file, int(offset[row]), "1", "field 1 (segment)")
        return Defect(where, "segment {value} is there twice; the first is at {other}", other=earlier)

    problems.note_each(SEGMENT_TWICE, "", names.repeated, twice)
