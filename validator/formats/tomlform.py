"""A form that people fill in: a TOML file of tables with simple values, with the place of each value.

Numbers keep the digits that were written: a fraction is a Decimal of the very text.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from validator.formats.problems import Problems
from validator.formats.tomlfaults import NOT_TOML
from validator.model import Defect, Place
from validator.tables import Form

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.source import Source

LIMIT = 1 << 20
_HEADER = re.compile(rb"^[ \t]*(\[{1,2})[ \t]*([A-Za-z0-9_.-]+)[ \t]*(\]{1,2})[ \t]*(?:#.*)?$")
_PAIR = re.compile(rb"^[ \t]*([A-Za-z0-9_-]+)[ \t]*=[ \t]*(.*)$")
_AT = re.compile(r"(.*?)[ ]*\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True)
class FormFile:
    """A form as it was read."""

    table: Form
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.places)


def read(source: Source) -> FormFile:
    """Read a form; of one that is no TOML nothing is known but where it goes wrong."""
    problems = Problems()
    with source.open() as stream:
        data = stream.read(LIMIT + 1)
    try:
        if len(data) > LIMIT:
            raise ValueError(f"it is longer than {LIMIT >> 20} MB")  # noqa: TRY301 - one way out for all
        text = data.decode()
        values = tomllib.loads(text.replace("\r\n", "\n"), parse_float=_number)
    except UnicodeDecodeError as error:
        _refuse(problems, Place(source.name, error.start), "this byte is not UTF-8 text")
    except RecursionError:
        _refuse(problems, Place(source.name, 0), "tables stand too deep inside of each other")
    except ValueError as error:
        _refuse(problems, *_reason(source.name, data, str(error)))
    else:
        return FormFile(Form(values, dict(_places(data, values))), problems)
    return FormFile(Form({}, {}), problems)


def _number(text: str) -> Decimal:
    try:
        return Decimal(text.replace("_", ""))
    except InvalidOperation:
        raise ValueError(f"{text} is no number that can be used") from None


def _refuse(problems: Problems, place: Place, text: str) -> None:
    problems.note(NOT_TOML, "", lambda: Defect(place, text))


def _reason(name: str, data: bytes, text: str) -> tuple[Place, str]:
    """Turn the parser's message into a place and a sentence; at the end of the file the last line is to blame."""
    found = _AT.fullmatch(text)
    lines = data.split(b"\n")
    if found is None:
        at_end = text.endswith("(at end of document)")
        offset = sum(len(line) + 1 for line in lines[:-1]) if at_end else 0
        reason = text.removesuffix(" (at end of document)")
        return Place(name, max(0, min(offset, len(data) - 1))), f"this is not TOML: {reason}"
    line, column = int(found[2]) - 1, int(found[3]) - 1
    head = lines[line].decode("utf-8", "replace")[:column].encode() if line < len(lines) else b""
    offset = sum(len(one) + 1 for one in lines[:line]) + len(head)
    return Place(name, offset), f"this is not TOML: {found[1]}"


def _places(data: bytes, values: dict[str, object]) -> Iterator[tuple[str, int]]:
    """Find where tables and values stand: ``audio`` and ``audio.documents_hours``, ``node[0].cores``.

    Only what stands on a line of its own, and means there what the parser made of it, has a place.
    """
    offset, table, ranks = 0, "", dict[str, int]()
    for line in data.split(b"\n"):
        header, pair = _HEADER.match(line.rstrip(b"\r")), _PAIR.match(line.rstrip(b"\r"))
        if header is not None and len(header[1]) == len(header[3]):
            table = header[2].decode()
            if len(header[1]) == 2:
                ranks[table] = ranks.get(table, -1) + 1
                table = f"{table}[{ranks[table]}]"
            yield table, offset + header.start(1)
        elif pair is not None:
            key = pair[1].decode()
            path = f"{table}.{key}" if table else key
            if _means(line, key, _value(values, path)):
                yield path, offset + pair.start(2)
        offset += len(line) + 1


def _means(line: bytes, key: str, value: object) -> bool:
    try:
        return value is not None and repr(tomllib.loads(line.decode(), parse_float=_number).get(key)) == repr(value)
    except (ValueError, RecursionError):
        return False


def _value(values: dict[str, object], path: str) -> object:
    found: object = values
    for step in path.split("."):
        name, _, rank = step.partition("[")
        found = found.get(name) if isinstance(found, dict) else None
        if rank:
            number = int(rank.rstrip("]"))
            found = found[number] if isinstance(found, list) and number < len(found) else None
    return found
