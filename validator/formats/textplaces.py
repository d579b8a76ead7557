"""Places in text files: a byte offset turned into line, column and the line itself.

The field of a place is the text that is meant; without one, the line is marked to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.formats.source import blocks
from validator.formats.source import locate as locate_offsets
from validator.model import Location, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.formats.source import Source, Spot
    from validator.model import Place


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Locate places in one pass over the file."""
    wanted = [place for place in places if place.offset is not None]
    with source.open() as stream:
        spots = locate_offsets(blocks(stream), (place.offset for place in wanted if place.offset is not None))
    return {place: _location(place, spots[place.offset]) for place in wanted if place.offset in spots}


def _location(place: Place, spot: Spot) -> Location:
    before = spot.before[spot.before.rfind(b"\n") + 1 :].decode("utf-8", "replace")
    rest = spot.after.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    value = rest[: len(place.field)] if place.field else rest
    quote = Quote(((spot.line, before + rest),), 0, len(before), len(before) + max(1, len(value)))
    return Location(place.file, spot.line, spot.column, place.node, value, quote, before + rest)
