"""Places in TOML files: the offset of a value or a table, marked to the end of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from validator.formats import textplaces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.formats.source import Source
    from validator.model import Location, Place

_VALUE = re.compile(r"""\[{1,2}[^\]]*\]{1,2}|"[^"]*"|'[^']*'|[^#]*[^#\s]""")


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Locate places in one pass over the file."""
    return {place: _cut(found) for place, found in textplaces.locate(source, places).items()}


def _cut(found: Location) -> Location:
    """Mark the value only, without the comment behind it."""
    value, quote = _VALUE.match(found.value or ""), found.quote
    if value is None or quote is None:
        return found
    return replace(found, value=value[0].strip('"'), quote=quote._replace(end=quote.begin + len(value[0])))
