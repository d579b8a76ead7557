"""Places in quoted CSV files: the line that begins at an offset, and a field or some columns of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.formats.csvfaults import Tally
from validator.formats.csvline import Line, scan_line
from validator.formats.source import blocks
from validator.formats.source import locate as locate_offsets
from validator.model import Location, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.formats.source import Source, Spot
    from validator.model import Place

_COLUMNS = re.compile(r"(\d+)-(\d+)")
_END = re.compile(rb"[\r\n]")
_UNDECODED = re.compile("[\udc80-\udcff]")


def columns(begin: int, end: int) -> str:
    """Name some columns of a line, counted from 1, as the field of a Place."""
    return f"{begin}-{end}"


def field(number: int) -> str:
    """Name a field of a record, counted from 0, as the field of a Place."""
    return f"#{number}"


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Locate places in one pass over the file; the offset of each is that of its line."""
    wanted = [place for place in places if place.offset is not None]
    with source.open() as stream:
        spots = locate_offsets(blocks(stream), (place.offset for place in wanted if place.offset is not None))
    return {place: _location(place, spots[place.offset]) for place in wanted if place.offset in spots}


def _location(place: Place, spot: Spot) -> Location:
    raw = _END.split(spot.after, maxsplit=1)[0]
    text = _UNDECODED.sub("\ufffd", raw.decode("utf-8", "surrogateescape"))
    begin, end = _span(place.field, raw, text)
    quote = Quote(((spot.line, text),), 0, begin, max(end, begin + 1))
    return Location(place.file, spot.line, begin + 1, place.node, text[begin:end], quote, text)


def _span(wanted: str, raw: bytes, text: str) -> tuple[int, int]:
    """Return the marked code points of a line, counted from 0."""
    given = _COLUMNS.fullmatch(wanted)
    if given is not None:
        return int(given[1]) - 1, int(given[2]) - 1
    if not wanted.startswith("#"):
        return 0, len(text)
    record = scan_line(Line(raw, 0, 0), None, Tally())
    number = int(wanted[1:])
    if number >= record.count:
        return len(text), len(text)
    start, stop = (
        len(raw[:at].decode("utf-8", "surrogateescape")) for at in _value(record.starts, record.ends, number)
    )
    return start, stop


def _value(starts: Iterable[int], ends: Iterable[int], number: int) -> tuple[int, int]:
    return tuple(starts)[number], tuple(ends)[number]
