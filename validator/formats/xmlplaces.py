"""Places in XML files: a tag's byte offset and an attribute name, turned into line, column and an excerpt."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
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
_WHOLE_TAG = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")
_MARK = re.compile(r"""</[^\s<>]*>?|<[!?]*[^\s<>/]*|&[^\s;&<>"']*;?|[^\s<]+""")  # a tag, a reference, or a word
_HEAD = 1 << 16


def locate(source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Locate places in one pass over the file."""
    wanted = [place for place in places if place.offset is not None]
    with source.open() as stream:
        head = stream.read(1024)
    mark = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0  # no character of the document
    at = {place: max(0, place.offset - mark) for place in wanted if place.offset is not None}
    spots = locate_offsets(_behind(mark, _readable(source, xml_encoding(head))), at.values())
    return {place: _location(place, spots[offset]) for place, offset in at.items() if offset in spots}


def _behind(mark: int, data: Iterator[bytes]) -> Iterator[bytes]:
    yield next(data, b"")[mark:]
    yield from data


def _readable(source: Source, encoding: str) -> Iterator[bytes]:
    try:
        yield from utf8_blocks(source, encoding)
    except UnicodeDecodeError:
        yield "\ufffd".encode()  # the places before the fault can still be shown
    except LookupError:
        with source.open() as stream:
            yield from blocks(stream)


def _location(place: Place, spot: Spot) -> Location:
    before = spot.before[spot.before.rfind(b"\n") + 1 :].decode("utf-8", "replace")
    after = spot.after.decode("utf-8", "replace")
    found = _span(after, place.field)
    begin, end = found.begin, found.end
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
    tag = _WHOLE_TAG.match(after)
    record = tag[0] if tag is not None else ""
    return Location(place.file, spot.line + skipped, column, place.node, found.value, quote, record)


@dataclass(frozen=True, slots=True)
class _Span:
    """What to mark in the text of a tag, and the value that it is about."""

    begin: int
    end: int
    value: str | None = None


def _span(tag: str, name: str) -> _Span:
    """Find the value of an attribute in the text of a tag; for ``name=`` its name; without a name, the tag's begin.

    An empty value cannot be marked: its whole attribute is.
    """
    head = _MARK.match(tag)
    whole = _Span(0, head.end() if head is not None else 1)
    wanted, only_name, _ = name.partition("=")
    if not wanted:
        return whole
    for match in _ATTRIBUTE.finditer(tag):
        if match[1] == wanted or match[1].endswith(f":{wanted}"):
            if only_name:
                return _Span(match.start(1), match.end(1), match[1])
            group = 2 if match[2] is not None else 3
            if match[group]:
                return _Span(match.start(group), match.end(group), match[group])
            return _Span(match.start(), match.end(), "")
    return whole


def root_element(source: Source) -> str | None:
    """Return the name of the root element, if the beginning of the file is XML."""
    found: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda name, _: found.append(name)
    parser.StartDoctypeDeclHandler = lambda name, *_: found.append(name)
    with source.open() as stream:
        encoding = xml_encoding(stream.read(1024))
    with suppress(expat.ExpatError, UnicodeDecodeError, LookupError):
        parser.Parse(next(utf8_blocks(source, encoding), b"")[:_HEAD], False)
    return found[0] if found else None
