"""System descriptions: plain text, read line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from validator.formats.problems import Problems
from validator.formats.textfaults import NOT_TEXT, TOO_LONG
from validator.model import Defect, Place
from validator.tables import Description, TextLine

if TYPE_CHECKING:
    from validator.formats.source import Source

LIMIT = 4 << 20
LINES = 50_000


@dataclass(frozen=True, slots=True)
class DescriptionFile:
    """A description as it was read."""

    table: Description
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.lines)


def read(source: Source) -> DescriptionFile:
    """Read a description completely; one that is not UTF-8 text is still read, letter by letter as far as it goes."""
    problems = Problems()
    with source.open() as stream:
        data = stream.read(LIMIT + 1)
    rows = data[:LIMIT].split(b"\n", LINES)
    if len(data) > LIMIT or len(rows) > LINES:
        text = f"the description is longer than {LIMIT >> 20} MB or {LINES} lines; the rest was not read"
        problems.note(TOO_LONG, "", lambda: Defect(Place(source.name), text))
    lines, offset = [], 0
    for raw in rows[:LINES]:
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            place = Place(source.name, offset + error.start, "\ufffd")
            problems.note(NOT_TEXT, "", lambda place=place: Defect(place, "this byte is not UTF-8 text"))  # type: ignore[misc]
        lines.append(TextLine(raw.decode("utf-8", "replace").rstrip("\r").removeprefix("\ufeff"), offset))
        offset += len(raw) + 1
    return DescriptionFile(Description(tuple(lines)), problems)
