"""Why an XML parser could not read on, said about the file and not about the parser, at the byte that has to change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers.expat import errors

from validator.formats import xmlfaults
from validator.suggest import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from validator.model import Rule

_CLOSING = re.compile(rb"</([^\s<>]*)")
_LONE_AMPERSAND = re.compile(rb"&[^\s;&<>\"']*\Z")
_REFERENCE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)([^\s;&<>\"']+);")
_CHARACTER_REFERENCE = re.compile(rb"&#[^;]*;")
_NAME = re.compile(rb"[^\s=<>/]+")
_UNQUOTED = re.compile(rb"=\s*\Z")
_CONVERT = "convert the file to UTF-8, or declare the encoding that it is in"


class Stop(NamedTuple):
    """Where a parser stopped: the bytes around it, the place in them, and the names of the open elements."""

    data: bytes
    at: int
    open: tuple[str, ...]
    root: str
    rooted: bool
    declared: bool

    @property
    def inner(self) -> str:
        """The innermost open element."""
        return self.open[-1] if self.open else ""

    @property
    def is_text(self) -> bool:
        """Tell whether a whole character of UTF-8 begins here, or nothing does."""
        try:
            self.data[self.at : self.at + 4].decode()
        except UnicodeDecodeError as error:
            return error.start > 0
        return True


class Break(NamedTuple):
    """What is wrong, at which byte; ``{other}`` in the message is the line of the innermost open tag."""

    at: int
    message: str
    hint: str
    rule: Rule[object] = xmlfaults.NOT_WELL_FORMED


def explain(code: int, stop: Stop) -> Break:
    """Say what an error of expat means."""
    if not stop.is_text:
        broken = not_encoded(stop.at, stop.data[stop.at], "UTF-8")
        return broken if stop.declared else broken._replace(rule=xmlfaults.NOT_WELL_FORMED)
    say = _EXPLAINED.get(errors.messages.get(code, ""))
    return say(stop) if say is not None else Break(stop.at, "the XML is broken here", "")


def not_encoded(at: int, byte: int, encoding: str) -> Break:
    """Report a byte that the encoding of the file does not have at this place."""
    text = f"byte {byte:02X} is not {encoding}, the encoding of this file"
    return Break(at, text, _CONVERT, xmlfaults.UNREADABLE_ENCODING)


def _mismatch(stop: Stop) -> Break:
    at = max(0, stop.data.rfind(b"</", 0, stop.at + 1))
    found = _CLOSING.match(stop.data, at)
    name = found[1].decode("utf-8", "replace") if found is not None else ""
    text = f"</{name}> stands here, but <{stop.inner}> of {{other}} is not closed"
    if name in stop.open[:-1]:
        return Break(at, text, f"add the missing </{stop.inner}>")
    return Break(at, text, f"write </{stop.inner}>")


def _ends(stop: Stop) -> Break:
    if stop.inner:
        text = f"the file ends, but <{stop.inner}> of {{other}} is not closed"
        return Break(stop.at, text, f"add </{stop.inner}>; if the file was cut off, write it again")
    if not stop.data.strip():
        return Break(stop.at, "the file is empty", "write the file again; the disk may have been full")
    return Break(stop.at, "the file has no XML element", f"begin with <{stop.root} ...>")


def _cut_off(stop: Stop) -> Break:
    text = "the file ends inside of a tag, a comment or a quotation"
    return Break(stop.at, text, "close it; if the file was cut off, write it again")


def _token(stop: Stop) -> Break:
    lone = _LONE_AMPERSAND.search(stop.data, max(0, stop.at - 200), stop.at)
    here = stop.data[stop.at : stop.at + 4].decode("utf-8", "replace")[:1]
    if not stop.rooted and here != "<" and not stop.data[: stop.at].strip():
        return _not_begun(stop)
    if lone is not None:
        return Break(lone.start(), 'a lone "&"', "write &amp; instead of &")
    if here == "<":
        return Break(stop.at, '"<" stands inside of a tag or a value', "close what is open before it, or write &lt;")
    if here and (here < " " or here in "\ufffe\uffff"):
        return Break(stop.at, f"the character U+{ord(here):04X} is not allowed in XML", "delete it")
    if _UNQUOTED.search(stop.data, max(0, stop.at - 10), stop.at):
        return Break(stop.at, "a value without quotes", "put the value in quotes")
    return Break(stop.at, f"{quoted(here)} is not expected here", "close every tag and every quotation before it")


def _not_begun(stop: Stop) -> Break:
    text = "the file does not begin with an XML tag"
    return Break(stop.at, text, f"begin with <{stop.root} ...>; is it another file under this name?")


def _junk(stop: Stop) -> Break:
    text = f"something stands behind the end of <{stop.root}>"
    return Break(stop.at, text, "delete it: a file has one root element")


def _syntax(stop: Stop) -> Break:
    return _token(stop) if stop.rooted else _not_begun(stop)


def _reference(stop: Stop) -> Break:
    found = _REFERENCE.search(stop.data, stop.at)
    name = found[1].decode("utf-8", "replace") if found is not None else "..."
    text = f"XML does not know {quoted(f'&{name};')}"
    return Break(found.start() if found is not None else stop.at, text, "write the character itself, or & as &amp;")


def _character(stop: Stop) -> Break:
    found = _CHARACTER_REFERENCE.search(stop.data, stop.at)
    at, shown = (found.start(), found[0].decode("utf-8", "replace")) if found is not None else (stop.at, "&#...;")
    return Break(at, f"{quoted(shown)} names a character that XML does not allow", "delete it")


def _twice(stop: Stop) -> Break:
    found = _NAME.match(stop.data, stop.at)
    name = found[0].decode("utf-8", "replace") if found is not None else ""
    return Break(stop.at, f"this tag has the attribute {quoted(name)} twice", "delete one of them")


def _declaration(stop: Stop) -> Break:
    return Break(stop.at, "the XML declaration is broken", 'write <?xml version="1.0" encoding="UTF-8"?>')


def _late_declaration(stop: Stop) -> Break:
    text = "the XML declaration does not stand at the very beginning"
    return Break(stop.at, text, "delete what stands before <?xml, blank lines as well")


def _prefix(stop: Stop) -> Break:
    return Break(stop.at, "a name in this tag has a prefix that is not declared", "drop the prefix")


_EXPLAINED: dict[str, Callable[[Stop], Break]] = {
    errors.XML_ERROR_TAG_MISMATCH: _mismatch,
    errors.XML_ERROR_NO_ELEMENTS: _ends,
    errors.XML_ERROR_UNCLOSED_TOKEN: _cut_off,
    errors.XML_ERROR_UNCLOSED_CDATA_SECTION: _cut_off,
    errors.XML_ERROR_PARTIAL_CHAR: _cut_off,
    errors.XML_ERROR_INVALID_TOKEN: _token,
    errors.XML_ERROR_SYNTAX: _syntax,
    errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: _junk,
    errors.XML_ERROR_UNDEFINED_ENTITY: _reference,
    errors.XML_ERROR_BAD_CHAR_REF: _character,
    errors.XML_ERROR_DUPLICATE_ATTRIBUTE: _twice,
    errors.XML_ERROR_XML_DECL: _declaration,
    errors.XML_ERROR_MISPLACED_XML_PI: _late_declaration,
    errors.XML_ERROR_UNBOUND_PREFIX: _prefix,
}
