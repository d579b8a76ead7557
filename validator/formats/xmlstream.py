"""An XML file held against its schema while it streams by: no tree, every error, exact byte positions.

expat reads the tags (its positions are right at any size); the declarations of `xsd` judge them. A format hands in a
Handler that turns the elements into its table. DOCTYPE ends the reading, so entities are never expanded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Protocol
from xml.parsers import expat

from validator.formats import xmlfaults
from validator.formats.source import utf8_blocks, xml_encoding
from validator.model import Defect, Place, Remedy
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from validator.formats.problems import Problems
    from validator.formats.source import Source
    from validator.formats.xsd import Attribute, Element, ValueType
    from validator.model import Rule

TOKEN_LIMIT = 16 << 20  # bytes of one tag, comment or text before the file is refused
_SCIENTIFIC = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]{1,2}")
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_LOCATION_HINTS = {f"{_INSTANCE} schemaLocation", f"{_INSTANCE} noNamespaceSchemaLocation"}


class Handler(Protocol):
    """What a format does with the elements."""

    def start(self, element: Element, attributes: dict[str, str], offset: int) -> None:
        """Take a start tag; only attributes with valid values are passed."""

    def end(self, element: Element, text: str) -> None:
        """Take an end tag and, for simple content, its text."""


@dataclass(slots=True)
class Open:
    """An element whose end tag has not come yet; ``element`` None: unknown, its content is not judged."""

    name: str
    element: Element | None
    step: str
    offset: int
    particle: int = 0
    seen: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment or processing instruction that some line-based readers stumble over."""

    name: str
    offset: int
    lines: int
    before_root: bool


@dataclass(frozen=True, slots=True)
class Bulk:
    """Records that come by the million: their values go to ``take`` unchecked, in the order of ``names``.

    ``take`` gets the values, the offset of the tag, and False where an attribute is missing (its value is empty).
    """

    parent: Element
    element: Element
    names: tuple[str, ...]
    take: Callable[[list[str], int, bool], None]


class _Refused(Exception):  # noqa: N818 - leaves the parser, never this module
    pass


class XmlStream:
    """Validates a stream of UTF-8 bytes against a schema, feeding a Handler."""

    def __init__(
        self, root: Element, handler: Handler, *, file: str, problems: Problems, bulk: Bulk | None = None
    ) -> None:
        self.open: list[Open] = []
        self.skipped = 0  # bytes that a faster reader took, so that positions stay right
        self.last_tag = -1  # offset of the newest tag that expat reported
        self.remarks: list[Remark] = []
        self.complete = False
        self._root, self._handler, self._file, self._problems, self._bulk = root, handler, file, problems, bulk
        self._rooted = False
        self._fed = self._newest = 0
        self._record = Open("", None, "", 0)
        if bulk is not None:
            self._record = Open(bulk.element.name, bulk.element, "", 0)
        parser = expat.ParserCreate("utf-8", " ")
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.ProcessingInstructionHandler = self._instruction
        parser.StartDoctypeDeclHandler = self._doctype
        self._parser = parser

    def feed(self, block: bytes) -> bool:
        """Parse some more; False when nothing more can be read."""
        return self._parse(block, last=False)

    def close(self) -> None:
        """Parse to the end and report what is still open."""
        self.complete = self._parse(b"", last=True)

    def note(self, rule: Rule[object], kind: str, make: Callable[[], Defect], *, count: int = 1) -> None:
        """Count a problem; ``make`` is called only while samples are wanted."""
        self._problems.note(rule, kind, make, count=count)

    def node(self, *steps: str) -> str:
        """Return the XPath of the innermost open element, or of a place below it."""
        return "/".join(["", *(level.step for level in self.open), *steps])

    def _parse(self, block: bytes, *, last: bool) -> bool:
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            self._broken(error)
            return False
        except _Refused:
            return False
        self._fed += len(block)
        if self._fed - self._newest > TOKEN_LIMIT:
            where = Place(self._file, self._newest + self.skipped)
            text = f"one tag or comment is longer than {TOKEN_LIMIT >> 20} MB"
            self.note(xmlfaults.NOT_WELL_FORMED, "size", lambda: Defect(where, text, "close the tag or the quotation"))
            return False
        return True

    @property
    def _offset(self) -> int:
        self._newest = self._parser.CurrentByteIndex
        return self._newest + self.skipped

    def _broken(self, error: expat.ExpatError) -> None:
        offset = self._parser.ErrorByteIndex + self.skipped
        inner = self.open[-1].name if self.open else ""
        hint = ""
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]:
            text, hint = f"this closing tag does not match the open <{inner}>", f"write </{inner}> here"
        elif error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
            text = f"the file ends inside <{inner}>" if inner else "the file has no XML element"
            hint = f"add </{inner}>; if the file was cut off, write it again" if inner else ""
        elif error.code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]:
            text, hint = (
                "this is not XML",
                "write & as &amp; and < as &lt;; every value stands in quotes; save as UTF-8",
            )
        else:
            text = f"this is not well-formed XML: {expat.ErrorString(error.code)}"
        place = Place(self._file, offset, node=self.node() if self.open else "")
        self.note(xmlfaults.NOT_WELL_FORMED, "xml", lambda: Defect(place, text, hint))

    def _doctype(self, *_: object) -> None:
        place = Place(self._file, self._offset)
        self.note(xmlfaults.DOCTYPE, "", lambda: Defect(place, "the file has a DOCTYPE declaration"))
        raise _Refused

    def _comment(self, text: str) -> None:
        if "\n" in text:
            self.remarks.append(Remark("comment", self._offset, text.count("\n") + 1, not self._rooted))

    def _instruction(self, target: str, _data: str) -> None:
        self.remarks.append(Remark(target, self._offset, 1, not self._rooted))

    # -- elements ------------------------------------------------------------------------------------------------

    def _start(self, name: str, listed: list[str]) -> None:
        offset = self.last_tag = self._offset
        bulk = self._bulk
        if bulk is not None and self.open and self.open[-1].element is bulk.parent and name == bulk.element.name:
            self._bulk_record(bulk, listed, offset)
            return
        self.start(name, dict(zip(listed[::2], listed[1::2], strict=True)), offset)

    def start(self, name: str, attributes: dict[str, str], offset: int) -> None:
        """Take a start tag."""
        element = self._declared(name, offset)
        self.open.append(Open(name, element, self._step(name, attributes), offset))
        if element is not None:
            self._handler.start(element, self._checked(element, attributes, offset), offset)

    def _bulk_record(self, bulk: Bulk, listed: list[str], offset: int) -> None:
        counts = self.open[-1].counts
        counts[bulk.element.name] = rank = counts.get(bulk.element.name, 0) + 1
        record = self._record  # one object serves all records: they hold no children
        record.step = f"{bulk.element.name}[{rank}]"
        self.open.append(record)
        if tuple(listed[::2]) == bulk.names:
            bulk.take(listed[1::2], offset, True)
            return
        given = dict(zip(listed[::2], listed[1::2], strict=True))
        self.presence(bulk.element, given, [Place(self._file, offset, node=self.node())])
        bulk.take([given.get(name, "") for name in bulk.names], offset, given.keys() >= set(bulk.names))

    def _step(self, name: str, attributes: dict[str, str]) -> str:
        plain = _local(name)
        if not self.open:
            return plain
        counts = self.open[-1].counts
        counts[name] = counts.get(name, 0) + 1
        key = next((attribute for attribute in attributes if attribute.endswith("id")), None)
        return f"{plain}[{counts[name]}]" if key is None else f'{plain}[@{key}="{attributes[key]}"]'

    def _declared(self, name: str, offset: int) -> Element | None:
        if not self.open:
            self._rooted = True
            if name == self._root.name:
                return self._root
            shown = _local(name)
            text = f"the root element is <{shown}>; it must be <{self._root.name}>"
            if " " in name:
                text = f"the root element <{shown}> is in a namespace; it must be <{self._root.name}> without one"
            place = Place(self._file, offset, node=f"/{shown}")
            defect = Defect(place, text, f"rename the root element to {self._root.name}", cites=self._root.cites)
            self.note(xmlfaults.WRONG_ROOT, "", lambda: defect)
            return None
        parent = self.open[-1]
        return self._next_in_sequence(parent, name, offset) if parent.element is not None else None

    def _next_in_sequence(self, parent: Open, name: str, offset: int) -> Element | None:
        particles = parent.element.children if parent.element else ()
        found = next((i for i, particle in enumerate(particles) if particle.element.name == name), None)
        if found is None:
            known = [particle.element.name for particle in particles]
            expected = f"only <{'> or <'.join(known)}> may stand here" if known else f"<{parent.name}> is empty"
            guess = nearest(name, known)
            hint = f"write <{guess}>" if guess else "delete it or move it to its place"
            self._misplaced(name, offset, f"<{_local(name)}> is not expected in <{parent.name}>: {expected}", hint)
            return None
        while parent.particle < found:
            self._end_particle(parent, offset)
            parent.particle, parent.seen = parent.particle + 1, 0
        particle = particles[found]
        parent.seen += 1
        if found < parent.particle or (particle.maximum is not None and parent.seen > particle.maximum):
            text = f"<{name}> stands too late or too often in <{parent.name}>"
            self._misplaced(name, offset, text, "keep the order of the schema")
        return particle.element

    def _misplaced(self, name: str, offset: int, text: str, hint: str) -> None:
        place = Place(self._file, offset, node=self.node(_local(name)))
        self.note(xmlfaults.UNEXPECTED_ELEMENT, name, partial(Defect, place, text, hint, cites=self._root.cites))

    def _end_particle(self, parent: Open, offset: int) -> None:
        if parent.element is None or parent.particle >= len(parent.element.children):
            return
        particle = parent.element.children[parent.particle]
        if parent.seen < particle.minimum:
            missing = particle.element
            text, hint = f"<{parent.name}> has no <{missing.name}>", f"add <{missing.name}>"
            place = Place(self._file, offset, node=self.node())
            make = partial(Defect, place, text, hint, why=missing.doc, cites=missing.cites)
            self.note(xmlfaults.MISSING_ELEMENT, missing.name, make)

    def _checked(self, element: Element, given: dict[str, str], offset: int) -> dict[str, str]:
        self.presence(element, given, [Place(self._file, offset, node=self.node())])
        good = {}
        for name, value in given.items():
            attribute = element.attributes.get(name)
            if attribute is None:
                continue
            if attribute.type.accepts(value):
                good[name] = value
            else:
                self.refuse_value(attribute, Place(self._file, offset, name, self.node(f"@{name}")))
        return good

    def refuse_value(self, attribute: Attribute, place: Place, *, count: int = 1) -> None:
        """Report a value that its type does not accept."""
        rule = xmlfaults.WRONG_TYPE
        text = f"{attribute.name} is not {attribute.type.words}: {{value}}"
        if attribute.type.base == "string":
            rule, text = (
                xmlfaults.VALUE_NOT_ALLOWED,
                f"{attribute.name} is {{value}}; it must be {attribute.type.words}",
            )
        mend = partial(_mended, attribute.type)
        make = partial(Defect, place, text, why=attribute.doc, cites=self._root.cites, mend=mend)
        self.note(rule, attribute.name, make, count=count)

    def presence(self, element: Element, given: dict[str, str], places: list[Place], *, count: int = 1) -> None:
        """Report attributes that are missing, and those that nobody knows, of ``count`` tags that have the same."""
        if given.keys() == element.attributes.keys():
            return
        lacking = [a for a in element.attributes.values() if a.required and a.name not in given]
        unknown = given.keys() - element.attributes.keys() - _LOCATION_HINTS
        for place in places:
            stands_for = count - len(places) + 1 if place is places[-1] else 1
            for attribute in lacking:
                make = partial(_missing, element, attribute, place)
                self.note(xmlfaults.MISSING_ATTRIBUTE, f"{element.name} {attribute.name}", make, count=stands_for)
            for name in unknown:
                make = partial(_unknown, element, name, place, given=given)
                self.note(xmlfaults.UNKNOWN_ATTRIBUTE, f"{element.name} {name}", make, count=stands_for)

    def _end(self, _name: str) -> None:
        self.last_tag = self._offset
        if self.open[-1] is self._record:
            self.open.pop()
        else:
            self.end(self.last_tag)

    def end(self, offset: int) -> None:
        """Take an end tag."""
        closing = self.open[-1]
        element = closing.element
        if element is not None:
            while closing.particle < len(element.children):
                self._end_particle(closing, offset)
                closing.particle, closing.seen = closing.particle + 1, 0
        self.open.pop()
        if element is not None:
            self._handler.end(element, "".join(closing.text))

    def _text(self, data: str) -> None:
        element = self.open[-1].element
        if element is None or (element.children and data.isspace()):
            return
        offset = self._offset
        if element.text is not None:
            self.open[-1].text.append(data)
            return
        text = f"text between the tags of <{element.name}>: {quoted(data.strip() or data)}"
        make = partial(Defect, Place(self._file, offset, node=self.node()), text, cites=element.cites)
        self.note(xmlfaults.UNEXPECTED_TEXT, "", make)


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _mended(wanted: ValueType, text: str) -> Remedy | None:
    """Guess what was meant by a value that its type refuses."""
    if wanted.allowed:
        guess = nearest(text.strip(), wanted.allowed)
        return Remedy(f"write {guess}", f"did you mean {guess}?") if guess else None
    with_point = text.replace(",", ".")
    if wanted.base in ("decimal", "float") and wanted.accepts(with_point):
        return Remedy(f"write {with_point}", "decimal comma")
    if wanted.base == "decimal" and _SCIENTIFIC.fullmatch(text.strip()):
        return Remedy(f"write {Decimal(text.strip()):f}", "an exponent is legal in scores only")
    return None


def _missing(element: Element, attribute: Attribute, place: Place) -> Defect:
    text, hint = f"<{element.name}> has no attribute {attribute.name}", f'add {attribute.name}="..."'
    return Defect(place, text, hint, why=attribute.doc, cites=element.cites)


def _unknown(element: Element, name: str, place: Place, *, given: dict[str, str]) -> Defect:
    guess = nearest(name, [known for known in element.attributes if known not in given])
    shown = _local(name)
    text = f"<{element.name}> has an attribute {quoted(shown)} that the schema does not know"
    hint = f"write {guess} instead of {shown}" if guess else "delete it"
    label = f"did you mean {guess}?" if guess else ""
    where = replace(place, field=shown, node=f"{place.node}/@{shown}")
    return Defect(where, text, hint, label, cites=element.cites)


def read_xml(source: Source, stream: XmlStream, problems: Problems) -> str:
    """Feed a whole source to the stream; return its encoding."""
    encoding = encoding_of(source)
    for block in decoded(source, encoding, problems):
        if not stream.feed(block):
            return encoding
    stream.close()
    return encoding


def encoding_of(source: Source) -> str:
    """Tell the encoding of an XML source."""
    with source.open() as opened:
        return xml_encoding(opened.read(1024))


def decoded(source: Source, encoding: str, problems: Problems) -> Iterator[bytes]:
    """Read a source as UTF-8 blocks; what cannot be decoded becomes a problem and ends the reading."""
    try:
        yield from utf8_blocks(source, encoding)
    except LookupError:
        text = f"the XML declaration names the unknown encoding {quoted(encoding)}"
        problems.note(xmlfaults.UNREADABLE_ENCODING, "", lambda: Defect(Place(source.name, 0), text))
    except UnicodeDecodeError as error:
        text = f"the bytes are not {error.encoding.upper()}: {error.reason}"
        problems.note(xmlfaults.UNREADABLE_ENCODING, "", lambda: Defect(Place(source.name), text))
