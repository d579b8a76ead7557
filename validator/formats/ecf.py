"""ECF: which stretches of which recordings belong to the experiment (OpenKWS13 A.1).

::

    <ecf source_signal_duration version language>
      <excerpt audio_filename channel tbeg dur source_type/>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from validator.formats import xsd
from validator.formats.problems import Problems
from validator.formats.xmlreading import read_xml
from validator.formats.xmlstream import XmlStream
from validator.tables import Ecf, Excerpt

if TYPE_CHECKING:
    from validator.formats.source import Source
    from validator.formats.xsd import Element


@dataclass(frozen=True, slots=True)
class EcfFile:
    """An ECF as it was read."""

    table: Ecf
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.excerpts)


def read(source: Source) -> EcfFile:
    """Read an ECF completely, whatever is wrong with it."""
    problems = Problems()
    builder = _Builder()
    root = xsd.load("openkws/ecf.xsd")
    read_xml(source, XmlStream(root, builder, file=source.name, problems=problems))
    head = builder.head
    duration = float(head.get("source_signal_duration", "nan"))
    table = Ecf(duration, head.get("version", ""), head.get("language", ""), tuple(builder.excerpts), builder.offset)
    return EcfFile(table, problems)


class _Builder:
    def __init__(self) -> None:
        self.head: dict[str, str] = {}
        self.offset = 0
        self.excerpts: list[Excerpt] = []

    def start(self, element: Element, attributes: dict[str, str], offset: int) -> None:
        """Take the header or an excerpt."""
        if element.name == "ecf":
            self.head, self.offset = attributes, offset
            return
        self.excerpts.append(
            Excerpt(
                attributes.get("audio_filename", ""),
                attributes.get("channel", ""),
                float(attributes.get("tbeg", "nan")),
                float(attributes.get("dur", "nan")),
                attributes.get("source_type", ""),
                offset,
            )
        )

    def end(self, element: Element, text: str) -> None:
        """Nothing to do: excerpts have no content."""
