"""Places in files of blank-separated fields: line, column, and the fields counted under the line.

A place is the offset of a byte, and what to mark there: the number of a field of that line, ``blank`` for a run of
blanks, ``byte`` for a single character, ``end`` for the end of the line, ``start`` for its first character, ``line`` or
nothing for all of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.formats.source import blocks
from validator.formats.source import locate as locate_offsets
from validator.model import Location, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.formats.source import Source, Spot
    from validator.model import Place

_FIELD = re.compile(r"[^\x00-\x20]+")
_BLANKS = re.compile(r"[\x00-\x20]*")


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Locate places in one pass over the file."""
    wanted = [place for place in places if place.offset is not None]
    with source.open() as stream:
        spots = locate_offsets(blocks(stream), (place.offset for place in wanted if place.offset is not None))
    return {place: _location(place, spots[place.offset]) for place in wanted if place.offset in spots}


def _location(place: Place, spot: Spot) -> Location:
    earlier, newline, head = spot.before.rpartition(b"\n")
    before = head.decode("utf-8", "replace")
    line = before + spot.after.partition(b"\n")[0].decode("utf-8", "replace").removesuffix("\r")
    fields = [match.span() for match in _FIELD.finditer(line)]
    begin, end = _marked(place.field, line, len(before), fields)
    lines: tuple[tuple[int | None, str], ...] = ((spot.line, line),)
    if newline and earlier.strip():
        above = earlier.rpartition(b"\n")[2].decode("utf-8", "replace").removesuffix("\r")
        lines = ((spot.line - 1, above), *lines)
    ruler = tuple((start, str(rank)) for rank, (start, _) in enumerate(fields, start=1) if start < begin)
    quote = Quote(lines, len(lines) - 1, begin, end, ruler if place.field.isdecimal() else ())
    column = spot.column + begin - len(before)
    return Location(place.file, spot.line, column, place.node, line[begin:end], quote, line)


def _marked(field: str, line: str, at: int, fields: list[tuple[int, int]]) -> tuple[int, int]:
    if field.isdecimal():
        number = int(field)
        return fields[number - 1] if number <= len(fields) else (len(line), len(line))
    if field == "blank":
        blanks = _BLANKS.match(line, at)
        return at, max(blanks.end() if blanks is not None else at, at + 1)
    if field in ("byte", "start"):
        return at, at + 1
    return (len(line), len(line)) if field == "end" else (0, max(1, len(line)))
