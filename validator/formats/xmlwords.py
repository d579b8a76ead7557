"""A second opinion: the xmlschema package explains in words what it has against a tag."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lxml import etree
from xmlschema import XMLSchema

from validator.bundled import schema

if TYPE_CHECKING:
    from collections.abc import Iterator


def schema_says(name: str, node: str, tag: str) -> str:
    """Return what a bundled schema has against one tag, standing at this XPath; its children are left out."""
    steps = re.findall(r"/([A-Za-z_][\w.-]*)", re.sub(r"\[[^\]]*\]|/@.*", "", node))
    declared = _load(name).find("/".join(steps)) if name else None
    element = etree.fromstring(tag.encode(), etree.XMLParser(recover=True, resolve_entities=False, no_network=True))
    if declared is None or element is None:
        return ""
    return "; ".join(dict.fromkeys(_reasons(declared, element)))


def _reasons(declared: object, element: etree._Element) -> Iterator[str]:
    for error in declared.iter_errors(element):  # type: ignore[attr-defined]
        if error.reason and "content" not in error.reason:  # the children were left out by us
            yield " ".join(str(error.reason).split())


@cache
def _load(name: str) -> XMLSchema:
    return XMLSchema(schema(name))
