"""The same content under the names of the other family: stdlist and term list, KWSList and KWList."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from validator import formats
from validator.errors import UsageError, ValidatorError
from validator.findings import findings
from validator.formats.dialects import OPENKWS, STD
from validator.formats.plainwriter import Renaming, escaped, rewritten
from validator.model import Law

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from validator.formats.dialects import Dialect
    from validator.tables import KeywordList

_SUFFIXES = {".tlist.xml": ".kwlist.xml"}


class ConversionError(ValidatorError):
    """The file is not valid, so that it is not known what it means."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A file to be written: what it will be, its content in pieces, and what is lost or made up on the way."""

    format: str
    pieces: Callable[[], Iterable[bytes]]
    notes: tuple[str, ...]


def conversion(path: Path) -> Conversion:
    """Say how a file is converted; its content decides which way."""
    source = formats.source_of(path)
    known = formats.sniff(source)
    ways = {
        "stdlist": (STD, OPENKWS, "kwslist"),
        "kwslist": (OPENKWS, STD, "stdlist"),
        "termlist": (STD, OPENKWS, "kwlist"),
        "kwlist": (OPENKWS, STD, "termlist"),
    }
    if known is None or known.name not in ways:
        raise UsageError(f"{path} is none of {', '.join(ways)}: only these can be converted")
    old, new, wanted = ways[known.name]
    content = formats.read(known.name, source)
    if content.problems:
        first = findings(list(content.problems), {source.name: (source, known.name)}, Law.BOTH)[0]
        line = f":{first.location.line}" if first.location.line else ""
        raise ConversionError(f"{path}{line} is not a valid {known.name}: {first.message}")
    if known.root in (STD.root, OPENKWS.root):
        return Conversion(wanted, partial(rewritten, source, _renaming(old, new)), _notes(wanted))
    return Conversion(wanted, partial(_listed, cast("KeywordList", content.table), new), _notes(wanted))


def _renaming(old: Dialect, new: Dialect) -> Renaming:
    elements = {getattr(old, name): getattr(new, name) for name in ("root", "lists", "record")}
    attributes = {getattr(old, name): getattr(new, name) for name in ("list_name", "id", "search_time", "oov_count")}
    made_up = {"indexing_time": "0", "index_size": "0"}
    return Renaming(new.result_schema, elements, attributes, made_up, partial(_value, old.list_name))


def _listed(table: KeywordList, new: Dialect) -> Iterator[bytes]:
    """Write a list of keywords; all attributes of a keyword go into one element."""
    head = {"ecf_filename": table.ecf_filename, "version": table.version, "language": table.language}
    head |= {"encoding": "UTF-8", "compareNormalize": "lowercase"} if new is OPENKWS else {}
    info = "kwinfo" if new is OPENKWS else "terminfo"
    written = "".join(f' {name}="{escaped(value)}"' for name, value in head.items())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{new.list_root}{written}>\n'.encode()
    for keyword in table.keywords:
        pairs = ((escaped(name), escaped(value)) for name, value in keyword.attributes)
        told = "".join(f"<attr><name>{name}</name><value>{value}</value></attr>" for name, value in pairs)
        text = f"<{new.list_text}>{escaped(keyword.text)}</{new.list_text}>"
        inner = f"{text}<{info}>{told}</{info}>" if told else text
        yield f'<{new.list_item} {new.id}="{escaped(keyword.kwid)}">{inner}</{new.list_item}>\n'.encode()
    yield f"</{new.list_root}>\n".encode()


def _value(list_name: str, name: str, text: str) -> str:
    """Give the list its new extension; every other value stays as it is written."""
    if name != list_name:
        return text
    for one, other in ((a, b) for pair in _SUFFIXES.items() for a, b in (pair, pair[::-1])):
        if text.endswith(one):
            return text.removesuffix(one) + other
    return text


def _notes(wanted: str) -> tuple[str, ...]:
    return {
        "kwslist": ("indexing_time and index_size have no place in a KWSList: left out",),
        "stdlist": (
            "min_score and max_score, where given, have no place in a stdlist: left out",
            "indexing_time and index_size are not known: written as 0",
        ),
        "kwlist": ("STDEval ignores letter case: compareNormalize is lowercase",),
        "termlist": ("encoding and compareNormalize have no place in a term list: STDEval ignores letter case",),
    }[wanted]
