"""KWList: the keywords to search for (OpenKWS13 A.4).

::

    <kwlist ecf_filename version language encoding compareNormalize>
      <kw kwid>
        <kwtext>the keyword</kwtext>
        <kwinfo><attr><name>...</name><value>...</value></attr>...</kwinfo>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from validator.formats import xsd
from validator.formats.problems import Problems
from validator.formats.xmlreading import read_xml
from validator.formats.xmlstream import XmlStream
from validator.tables import Keyword, KeywordList

if TYPE_CHECKING:
    from validator.formats.source import Source
    from validator.formats.xsd import Element


@dataclass(frozen=True, slots=True)
class KeywordListFile:
    """A KWList as it was read."""

    table: KeywordList
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.keywords)


def read(source: Source) -> KeywordListFile:
    """Read a KWList completely, whatever is wrong with it."""
    problems = Problems()
    builder = _Builder()
    root = xsd.load("openkws/kwlist.xsd")
    read_xml(source, XmlStream(root, builder, file=source.name, problems=problems))
    table = KeywordList(
        builder.head.get("ecf_filename", ""),
        builder.head.get("version", ""),
        builder.head.get("language", ""),
        builder.head.get("encoding", ""),
        builder.head.get("compareNormalize", ""),
        tuple(builder.keywords),
        builder.offset,
    )
    return KeywordListFile(table, problems)


class _Builder:
    def __init__(self) -> None:
        self.head: dict[str, str] = {}
        self.offset = 0
        self.keywords: list[Keyword] = []
        self._kwid, self._at, self._text, self._name = "", 0, "", ""
        self._pairs: list[tuple[str, str]] = []

    def start(self, element: Element, attributes: dict[str, str], offset: int) -> None:
        """Take the header or the head of a keyword."""
        if element.name == "kwlist":
            self.head, self.offset = attributes, offset
        elif element.name == "kw":
            self._kwid, self._at, self._text, self._pairs = attributes.get("kwid", ""), offset, "", []

    def end(self, element: Element, text: str) -> None:
        """Take a text, or finish a keyword."""
        if element.name == "kwtext":
            self._text = text
        elif element.name == "name":
            self._name = text
        elif element.name == "value":
            self._pairs.append((self._name, text))
        elif element.name == "kw":
            self.keywords.append(Keyword(self._kwid, self._text, tuple(self._pairs), self._at))
