"""Places in XML files: a tag's byte offset and an attribute name, turned into line, column and an excerpt."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING
from xml.parsers import expat

from validator.formats.source import blocks, utf8_blocks, xml_encoding
from validator.formats.source import locate as locate_offsets
from validator.model import Location, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from validator.formats.source import Source, Spot
    from validator.model import Place

_ATTRIBUTE = re.compile(r"""([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TAG_NAME = re.compile(r"<[/!?]*[^\s<>/]*|[^\s<]+")
_HEAD = 1 << 16


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Locate places in one pass over the file."""
    wanted = [place for place in places if place.offset is not None]
    with source.open() as stream:
        encoding = xml_encoding(stream.read(1024))
    spots = locate_offsets(_readable(source, encoding), (place.offset for place in wanted if place.offset is not None))
    return {place: _location(place, spots[place.offset]) for place in wanted if place.offset in spots}


def _readable(source: Source, encoding: str) -> Iterator[bytes]:
    try:
        yield from utf8_blocks(source, encoding)
    except (UnicodeDecodeError, LookupError):
        return  # the places before the fault can still be shown


def _location(place: Place, spot: Spot) -> Location:
    before = spot.before[spot.before.rfind(b"\n") + 1 :].decode("utf-8", "replace")
    after = spot.after.decode("utf-8", "replace")
    begin, end = _span(after, place.field)
    value = after[begin:end] if place.field and end > begin else None
    skipped = after.count("\n", 0, begin)
    line_begin = after.rfind("\n", 0, begin) + 1 if skipped else 0
    line_end = after.find("\n", begin)
    line = after[line_begin : line_end if line_end >= 0 else len(after)].rstrip("\r")
    column = begin - line_begin + 1 if skipped else spot.column + begin
    lead = 0 if skipped else len(before)
    text = line if skipped else before + line
    marked_end = min(end - line_begin, len(line)) + lead
    quote = Quote(((spot.line + skipped, text),), 0, begin - line_begin + lead, marked_end)
    if skipped == 1:
        first = (before + after[: line_begin - 1]).rstrip("\r")
        quote = Quote(((spot.line, first), *quote.lines), 1, quote.begin, quote.end)
    tag = after[: after.find(">") + 1]
    return Location(place.file, spot.line + skipped, column, place.node, value, quote, tag)


def _span(tag: str, name: str) -> tuple[int, int]:
    """Return where the value of an attribute stands in the text of a tag; without a name, where the tag begins."""
    head = _TAG_NAME.match(tag)
    if not name:
        return 0, head.end() if head is not None else 1
    for match in _ATTRIBUTE.finditer(tag):
        if match[1] == name or match[1].endswith(f":{name}"):
            group = 2 if match[2] is not None else 3
            return (match.start(group), match.end(group)) if match[group] else (match.start(), match.end())
    return 0, head.end() if head is not None else 1


def first_elements(source: Source) -> tuple[str | None, frozenset[str]]:
    """Return the name of the root element and the attributes of its first child, if the file begins as XML."""
    found: list[str] = []
    attributes: list[frozenset[str]] = []
    parser = expat.ParserCreate("utf-8")

    def start(name: str, given: dict[str, str]) -> None:
        found.append(name)
        attributes.append(frozenset(given))
        if len(found) > 1:
            parser.StartElementHandler = None

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = lambda name, *_: found.append(name)
    with source.open() as stream:
        head = next(blocks(stream), b"")[:_HEAD]
    encoding = xml_encoding(head)
    with suppress(expat.ExpatError, LookupError):
        parser.Parse(head if encoding == "utf-8" else head.decode(encoding, "ignore").encode(), False)
    return found[0] if found else None, attributes[1] if len(attributes) > 1 else frozenset()
