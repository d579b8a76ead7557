"""The part of XML Schema that our schemas use, compiled to declarations that a stream can be held against.

Supported: global and local elements with anonymous complex types, sequences with minOccurs/maxOccurs, attributes
with ``use``, the types string, decimal, float and integer, enumeration and pattern facets. Documentation becomes the
"why" of a message; that of a simple type says in words what a pattern allows. Anything else in a bundled schema is a
ProfileError, so that no facet is ever ignored in silence.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree as ET

from validator.bundled import schema as schema_text
from validator.errors import ProfileError

_XS = "{http://www.w3.org/2001/XMLSchema}"
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_SPACE = r"[ \t\r\n]*"
_LEXICAL = {
    "decimal": f"{_SPACE}{_NUMBER}{_SPACE}",
    "float": rf"{_SPACE}(?:{_NUMBER}(?:[eE][+-]?[0-9]+)?|-?INF|NaN){_SPACE}",
    "integer": rf"{_SPACE}[+-]?[0-9]+{_SPACE}",
    "string": r"[\s\S]*",
}
_WORDS = {"decimal": "a decimal number", "float": "a number", "integer": "a whole number", "string": "text"}


class ValueType(NamedTuple):
    """A simple type: its base and its facets, as one regular expression over the whole text."""

    base: str
    allowed: tuple[str, ...]
    lexical: re.Pattern[str]
    words: str

    def accepts(self, text: str) -> bool:
        """Tell whether the text is in the lexical space."""
        return self.lexical.fullmatch(text) is not None


class Attribute(NamedTuple):
    """An attribute declaration; ``doc`` says what the value means."""

    name: str
    type: ValueType
    required: bool
    doc: str


class Element(NamedTuple):
    """An element declaration. ``text`` is set for simple content; children come in sequence."""

    name: str
    attributes: dict[str, Attribute]
    children: tuple[Particle, ...]
    text: ValueType | None
    doc: str
    cites: str

    def child(self, name: str) -> Element:
        """Return the declaration of a direct child."""
        return next(particle.element for particle in self.children if particle.element.name == name)


class Particle(NamedTuple):
    """One place in a sequence."""

    element: Element
    minimum: int
    maximum: int | None


@cache
def load(name: str) -> Element:
    """Compile a bundled schema with one global element and return that element's declaration."""
    root = ET.fromstring(schema_text(name))  # noqa: S314 - our own file
    note = root.find(f"{_XS}annotation/{_XS}documentation")
    cites = note.get("source", "") if note is not None else ""
    globals_ = root.findall(f"{_XS}element")
    if len(globals_) != 1:
        raise ProfileError(f"{name}: one global element expected, {len(globals_)} found")
    return _element(globals_[0], cites)


def _element(node: ET.Element, cites: str) -> Element:
    _only(node, {f"{_XS}element"}, {"name", "type", "minOccurs", "maxOccurs"})
    attributes: dict[str, Attribute] = {}
    children: list[Particle] = []
    text = _simple(node.attrib["type"]) if "type" in node.attrib else None
    for part in node:
        if part.tag == f"{_XS}complexType":
            _complex(part, cites, attributes=attributes, children=children)
        elif part.tag != f"{_XS}annotation":
            raise ProfileError(f"element {node.get('name')}: {part.tag} is not supported")
    return Element(node.attrib["name"], attributes, tuple(children), text, _doc(node), cites)


def _complex(node: ET.Element, cites: str, *, attributes: dict[str, Attribute], children: list[Particle]) -> None:
    _only(node, {f"{_XS}complexType"}, set())
    for part in node:
        if part.tag == f"{_XS}sequence":
            _only(part, {f"{_XS}sequence"}, set())
            for child in part:
                maximum = child.get("maxOccurs", "1")
                limit = None if maximum == "unbounded" else int(maximum)
                children.append(Particle(_element(child, cites), int(child.get("minOccurs", "1")), limit))
        elif part.tag == f"{_XS}attribute":
            _only(part, {f"{_XS}attribute"}, {"name", "type", "use"})
            required = part.get("use", "optional") == "required"
            if part.get("use") == "prohibited":
                raise ProfileError(f"attribute {part.get('name')}: use prohibited is not supported")
            attributes[part.attrib["name"]] = Attribute(part.attrib["name"], _type_of(part), required, _doc(part))
        else:
            raise ProfileError(f"{part.tag} is not supported in a complex type")


def _only(node: ET.Element, tags: set[str], attributes: set[str]) -> None:
    """Refuse a part of a schema that would not be obeyed."""
    if node.tag not in tags:
        raise ProfileError(f"{node.tag} is not supported here")
    if set(node.keys()) - attributes:
        raise ProfileError(f"{node.tag}: {', '.join(sorted(set(node.keys()) - attributes))} is not supported")


def _type_of(node: ET.Element) -> ValueType:
    if "type" in node.attrib:
        return _simple(node.attrib["type"])
    simple = node.find(f"{_XS}simpleType")
    restriction = simple.find(f"{_XS}restriction") if simple is not None else None
    if simple is None or restriction is None or restriction.get("base") != "xs:string":
        raise ProfileError(f"{node.get('name')}: only restrictions of xs:string are supported")
    for part in restriction:
        _only(part, {f"{_XS}enumeration", f"{_XS}pattern"}, {"value"})
    if len({part.tag for part in restriction}) != 1:
        raise ProfileError(f"{node.get('name')}: either enumerations or patterns, not both and not neither")
    allowed = tuple(facet.attrib["value"] for facet in restriction.findall(f"{_XS}enumeration"))
    patterns = [facet.attrib["value"] for facet in restriction.findall(f"{_XS}pattern")]
    if allowed:
        shown = [value or "empty" for value in allowed]
        words = f"{', '.join(shown[:-1])} or {shown[-1]}"
        return ValueType("string", allowed, re.compile("|".join(map(re.escape, allowed))), words)
    words = _doc(simple) or f"of the form {' or '.join(patterns)}"
    return ValueType("string", (), re.compile("|".join(patterns)), words)


@cache
def _simple(name: str) -> ValueType:
    base = name.removeprefix("xs:")
    if base not in _LEXICAL:
        raise ProfileError(f"type {name} is not supported")
    return ValueType(base, (), re.compile(_LEXICAL[base]), _WORDS[base])


def _doc(node: ET.Element) -> str:
    note = node.find(f"{_XS}annotation/{_XS}documentation")
    return " ".join((note.text or "").split()) if note is not None else ""
