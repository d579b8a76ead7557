"""What the schema has against a tag, in words."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from validator.model import Defect, Place, Remedy
from validator.suggest import nearest, quoted, surely

if TYPE_CHECKING:
    from validator.formats.xsd import Attribute, Element, ValueType

_SCIENTIFIC = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]{1,2}")


def local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition(" ")[2]


def wrong_root(name: str, root: Element, place: Place) -> Defect:
    """Word a root element that is not the format's, or is in a namespace."""
    shown = local(name)
    if " " not in name:
        text, hint = f"the root element is <{shown}>; it must be <{root.name}>", f"rename it to {root.name}"
        return Defect(place, text, hint, cites=root.cites)
    text = f"the root element <{shown}> is in a namespace; it must be <{root.name}> without one"
    hint = "delete the xmlns attribute" if shown == root.name else f"delete the xmlns attribute; write <{root.name}>"
    return Defect(place, text, hint, cites=root.cites)


def mended(wanted: ValueType, text: str) -> Remedy | None:
    """Guess what was meant by a value that its type refuses."""
    if wanted.allowed:
        guess = nearest(text.strip(), wanted.allowed)
        sure = surely(text, wanted.allowed)
        hint = f"write {sure or wanted.words}"
        return Remedy(hint, f"did you mean {guess}?") if guess else None
    with_point = text.replace(",", ".")
    if wanted.base in ("decimal", "float") and wanted.accepts(with_point):
        return Remedy(f"write {with_point}", "decimal comma")
    if wanted.base == "decimal" and _SCIENTIFIC.fullmatch(text.strip()):
        return Remedy(f"write {Decimal(text.strip()):f}", "an exponent is legal in scores only")
    return None


def missing(element: Element, attribute: Attribute, place: Place) -> Defect:
    """Word an attribute that is missing."""
    text, hint = f"<{element.name}> has no attribute {attribute.name}", f'add {attribute.name}="..."'
    return Defect(place, text, hint, why=attribute.doc, cites=element.cites)


def unknown(element: Element, name: str, place: Place, *, given: dict[str, str]) -> Defect:
    """Word an attribute that the schema does not know."""
    guess = nearest(name, [known for known in element.attributes if known not in given])
    shown = local(name)
    text = f"<{element.name}> has an attribute {quoted(shown)} that the schema does not know"
    hint = f"write {guess} instead of {shown}" if guess else "delete it"
    label = f"did you mean {guess}?" if guess else ""
    where = place._replace(field=f"{shown}=", node=f"{place.node}/@{shown}")
    return Defect(where, text, hint, label, cites=element.cites)
