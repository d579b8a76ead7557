"""The parts of a keyword-search run that ``--by`` asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from validator.errors import UsageError
from validator.scoring.conditions import (
    AttributeQuery,
    NamedSet,
    by_attributes,
    by_keyword_sets,
    by_oov,
    by_source_types,
)

if TYPE_CHECKING:
    from validator.scoring.alignment import Alignment
    from validator.scoring.conditions import Part
    from validator.scoring.reference import Reference
    from validator.scoring.segmentation import Segments
    from validator.tables import KwsList


class Protocol(NamedTuple):
    """A way to align: the prefix of its measures, what it aligned, and its segments if it has such."""

    prefix: str
    alignment: Alignment
    segments: Segments | None = None


def parts(choice: str, ready: Reference, one: Protocol, system: KwsList) -> tuple[Part, ...]:
    """Split what a protocol aligned.

    The choices are oov, source-type[=NAME:PATTERN,...], keywords=NAME:PATTERN,... and attribute=NAME[:REGEX] && ...
    """
    kind, _, rest = choice.partition("=")
    try:
        if kind == "oov" and not rest:
            return by_oov(ready, one.alignment, system, one.segments)
        if kind == "source-type":
            every = [NamedSet(name, (name,)) for name in sorted(set(ready.base.source_types))]
            sets = [_named_set(rest)] if rest else every
            return by_source_types(ready, one.alignment, system, sets, one.segments)
        if kind == "keywords" and rest:
            return by_keyword_sets(ready, one.alignment, [_named_set(rest)])
        if kind == "attribute" and rest:
            return by_attributes(ready, one.alignment, _queries(choice, rest, ready))
    except re.error as error:
        raise UsageError(f"--by {choice}: {error.pattern!s} is no regular expression: {error.msg}") from error
    forms = "source-type, source-type=NAME:PATTERN,..., oov, keywords=NAME:PATTERN,... or attribute=NAME[:REGEX]"
    raise UsageError(f"--by {choice}: write {forms}")


def _named_set(text: str) -> NamedSet:
    """Read NAME:PATTERN,PATTERN; without a name the patterns are the name."""
    name, colon, patterns = text.partition(":")
    return NamedSet(name, tuple((patterns if colon else name).split(",")))


def _queries(choice: str, text: str, ready: Reference) -> list[AttributeQuery]:
    asked = [query.partition(":") for query in text.split("&&")]
    known = {name for keyword in ready.keywords.keywords for name, _ in keyword.attributes}
    for name, _, _ in asked:
        if name.strip() not in known:
            there = f"they have {', '.join(sorted(known))}" if known else "they have none"
            raise UsageError(f"--by {choice}: no keyword has an attribute {name.strip()}; {there}")
    return [AttributeQuery(name.strip(), pattern.strip() or None) for name, _, pattern in asked]
