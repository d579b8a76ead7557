"""XML written anew in the plain form, element by element, under the names of either family.

The target's schema says what there is to write: elements without content are closed in themselves, attributes come
in its order. Nothing is kept in memory; the same input gives the same bytes.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast
from xml.parsers import expat

from validator.formats import xsd
from validator.formats.source import utf8_blocks, xml_encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from validator.formats.source import Source
    from validator.formats.xsd import Element

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ESCAPES = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Renaming:
    """How a file is written under other names: elements and attributes by their old names.

    ``given`` are values of attributes that the old file does not have; ``value`` may change one that it has.
    """

    schema: str
    elements: Mapping[str, str]
    attributes: Mapping[str, str]
    given: Mapping[str, str]
    value: Callable[[str, str], str]


def same(schema: str) -> Renaming:
    """Keep all names."""
    return Renaming(schema, {}, {}, {}, lambda _, text: text)


def rewritten(source: Source, how: Renaming) -> Iterator[bytes]:
    """Give the new file in pieces; the old one must be valid."""
    with source.open() as opened:
        encoding = xml_encoding(opened.read(1024))
    writer = _Writer(how)
    yield _HEAD.encode()
    for block in utf8_blocks(source, encoding):
        yield writer.feed(block)


class _Writer:
    """Turns what expat reports into text."""

    def __init__(self, how: Renaming) -> None:
        self._how, self._out = how, list[str]()
        self._root = xsd.load(how.schema)
        self._open: list[Element] = []
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        self._parser = parser

    def feed(self, block: bytes) -> bytes:
        self._parser.Parse(block, False)
        text = "".join(self._out)
        self._out.clear()
        return text.encode()

    def _start(self, old: str, given: dict[str, str]) -> None:
        name, how = self._how.elements.get(old, old), self._how
        element = self._open[-1].child(name) if self._open else self._root
        values = how.given | {how.attributes.get(key, key): how.value(key, text) for key, text in given.items()}  # type: ignore[operator]
        written = "".join(f' {key}="{escaped(values[key])}"' for key in element.attributes if key in values)
        empty = not element.children and element.text is None
        ends = "/>\n" if empty else ">" if element.text is not None else ">\n"
        self._out.append(f"<{name}{written}{ends}")
        self._open.append(element)

    def _end(self, _old: str) -> None:
        element = self._open.pop()
        if element.children or element.text is not None:
            self._out.append(f"</{element.name}>\n")

    def _text(self, data: str) -> None:
        if self._open[-1].text is not None:
            self._out.append(escaped(data))


def escaped(text: str) -> str:
    """Write a text or a value so that it is XML."""
    return text if text.isalnum() else text.translate(_ESCAPES)


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """A source in another form: written anew each time that it is opened."""

    name: str
    size: int
    make: Callable[[], Iterable[bytes]]

    @classmethod
    def of(cls, name: str, make: Callable[[], Iterable[bytes]]) -> Rewritten:
        """Measure what will be written."""
        return cls(name, sum(map(len, make())), make)

    def open(self) -> BinaryIO:
        """Open the new bytes from the beginning."""
        return cast("BinaryIO", _Pieces(iter(self.make())))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        parts, have = [self._rest], len(self._rest)
        while wanted < 0 or have < wanted:
            piece = next(self._pieces, None)
            if piece is None:
                break
            parts.append(piece)
            have += len(piece)
        data = b"".join(parts)
        cut = len(data) if wanted < 0 else wanted
        self._rest = data[cut:]
        return data[:cut]
