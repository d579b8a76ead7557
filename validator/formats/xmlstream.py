"""An XML file held against its schema while it streams by: no tree, every error, exact byte positions.

expat reads the tags (its positions are right at any size); the declarations of `xsd` judge them. A format hands in a
Handler that turns the elements into its table. DOCTYPE ends the reading, so entities are never expanded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol
from xml.parsers import expat

from validator.formats import xmlbreaks, xmldefects, xmlfaults
from validator.formats.xmldefects import local
from validator.model import Defect, Place
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from validator.formats.problems import Problems
    from validator.formats.xsd import Attribute, Element
    from validator.model import Rule

TOKEN_LIMIT = 16 << 20  # bytes of one tag, comment or text before the file is refused
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_VERSION = re.compile(r"1\.[0-9]+")
_BLANKS = " \t\r\n"  # white space of XML
_AROUND = 1 << 14  # bytes in front of a block in which the beginning of a fault is looked for
_DEEP = 32  # steps of a path that are written down
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


class Remark(NamedTuple):
    """A comment or processing instruction that some line-based readers stumble over."""

    name: str
    offset: int
    lines: int
    before_root: bool
    depth: int = 0  # of elements that are open around it


class Bulk(NamedTuple):
    """Records that come by the million: their values go to ``take`` unchecked, in the order of ``absent``.

    ``take`` gets the values, the offset of the tag, and False where an attribute is missing: ``absent`` tells what
    stands for it.
    """

    parent: Element
    element: Element
    absent: dict[str, str]
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
        self._block = self._block_before = b""  # what was fed last
        self._stopped = self._texted = self._encoded = False
        self._names = list(bulk.absent) if bulk is not None else []
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
        parser.XmlDeclHandler = self._declaration
        self._parser = parser

    def feed(self, block: bytes) -> bool:
        """Parse some more; False when nothing more can be read."""
        return self._parse(block, last=False)

    def skip(self, count: int) -> None:
        """Leave bytes out that a faster reader took: whole tags, as many opening as closing ones."""
        self.skipped += count
        self._texted = False

    def close(self) -> None:
        """Parse to the end and report what is still open."""
        self.complete = not self._stopped and self._parse(b"", last=True)

    def stop(self, broken: xmlbreaks.Break, field: str = "") -> None:
        """Report why nothing more can be read, at an offset in the file."""
        self._stopped = True
        innermost = Place(self._file, self.open[-1].offset) if self.open else None
        where = Place(self._file, broken.at, field, self.node() if self.open else "")
        self.note(broken.rule, "", lambda: Defect(where, broken.message, broken.hint, other=innermost))

    def note(self, rule: Rule[object], kind: str, make: Callable[[], Defect], *, count: int = 1) -> None:
        """Count a problem; ``make`` is called only while samples are wanted."""
        self._problems.note(rule, kind, make, count=count)

    def node(self, *steps: str) -> str:
        """Return the XPath of the innermost open element, or of a place below it."""
        inner = self.open[:_DEEP]
        more = ["..."] if len(self.open) > _DEEP else []
        return "/".join(["", *(level.step for level in inner), *more, *steps])

    def _parse(self, block: bytes, *, last: bool) -> bool:
        small = len(self._block) < _AROUND
        self._block_before = (self._block_before + self._block)[-_AROUND:] if small else self._block
        self._block = block
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            self._broken(error.code)
            return False
        except _Refused:
            return False
        self._fed += len(block)
        self._newest = max(self._newest, self._parser.CurrentByteIndex)
        if self._fed - self._newest > TOKEN_LIMIT:
            text = f"one tag or comment is longer than {TOKEN_LIMIT >> 20} MB"
            self.stop(xmlbreaks.Break(self._newest + self.skipped, text, "close the tag or the quotation"))
            return False
        return True

    @property
    def _offset(self) -> int:
        self._newest = self._parser.CurrentByteIndex
        return self._newest + self.skipped

    def _broken(self, code: int) -> None:
        begin = self._fed - len(self._block_before)
        names = tuple(level.name for level in self.open)
        data = self._block_before + self._block
        at = self._parser.ErrorByteIndex - begin
        broken = xmlbreaks.explain(code, xmlbreaks.Stop(data, at, names, self._root.name, self._rooted, self._encoded))
        self.stop(broken._replace(at=broken.at + begin + self.skipped))

    def _declaration(self, version: str, encoding: str | None, _alone: int) -> None:
        self._encoded = encoding is not None
        if not _VERSION.fullmatch(version):
            text = f"the XML declaration has the version {quoted(version)}; XML knows 1.0"
            self.stop(xmlbreaks.Break(self._offset, text, 'write version="1.0"'), "version")
            raise _Refused

    def _doctype(self, *_: object) -> None:
        begin = self._fed - len(self._block_before)
        at = (self._block_before + self._block).rfind(b"<!DOCTYPE", 0, self._parser.CurrentByteIndex - begin + 1)
        place = Place(self._file, at + begin + self.skipped if at >= 0 else self._offset)
        self.note(xmlfaults.DOCTYPE, "", lambda: Defect(place, "the file has a DOCTYPE declaration"))
        raise _Refused

    def _comment(self, text: str) -> None:
        self._texted = False
        if "\n" in text:
            self.remarks.append(Remark("comment", self._offset, text.count("\n") + 1, not self._rooted, len(self.open)))

    def _instruction(self, target: str, _data: str) -> None:
        self._texted = False
        self.remarks.append(Remark(target, self._offset, 1, not self._rooted, len(self.open)))

    # -- elements ------------------------------------------------------------------------------------------------

    def _start(self, name: str, listed: list[str]) -> None:
        offset = self.last_tag = self._offset
        self._texted = False
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
        record.step, record.offset = f"{bulk.element.name}[{rank}]", offset
        self.open.append(record)
        if listed[::2] == self._names:
            bulk.take(listed[1::2], offset, True)
            return
        given = dict(zip(listed[::2], listed[1::2], strict=True))
        self.presence(bulk.element, given, [Place(self._file, offset, node=self.node())])
        values = [given.get(name, absent) for name, absent in bulk.absent.items()]
        bulk.take(values, offset, given.keys() >= bulk.absent.keys())

    def _step(self, name: str, attributes: dict[str, str]) -> str:
        plain = local(name)
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
            where = Place(self._file, offset, node=f"/{local(name)}")
            make = partial(xmldefects.wrong_root, name, self._root, where)
            self.note(xmlfaults.WRONG_ROOT, "", make)
            return None
        parent = self.open[-1]
        return self._next_in_sequence(parent, name, offset) if parent.element is not None else None

    def _next_in_sequence(self, parent: Open, name: str, offset: int) -> Element | None:
        particles = parent.element.children if parent.element else ()
        found = next((i for i, particle in enumerate(particles) if particle.element.name == name), None)
        if found is None:
            known = [particle.element.name for particle in particles]
            expected = f"only <{'> or <'.join(known)}> may stand here" if known else f"<{parent.name}> is empty"
            guess = nearest(name, known) if name not in {level.name for level in self.open} else None
            hint = f"write <{guess}>" if guess else "delete it or move it to its place"
            self._misplaced(name, offset, f"<{local(name)}> is not expected in <{parent.name}>: {expected}", hint)
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
        place = Place(self._file, offset, node=self.node(local(name)))
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
        wanted = attribute.type
        rule, text, hint = xmlfaults.WRONG_TYPE, f"{attribute.name} is not {wanted.words}: {{value}}", ""
        if wanted.base == "string":
            rule, text = xmlfaults.VALUE_NOT_ALLOWED, f"{attribute.name} is {{value}}; it must be {wanted.words}"
            hint = f"write {wanted.words}"
        mend = partial(xmldefects.mended, wanted)
        make = partial(Defect, place, text, hint, why=attribute.doc, cites=self._root.cites, mend=mend)
        self.note(rule, attribute.name, make, count=count)

    def presence(self, element: Element, given: dict[str, str], places: list[Place], *, count: int = 1) -> None:
        """Report attributes that are missing, and those that nobody knows, of ``count`` tags that have the same."""
        if given.keys() == element.attributes.keys():
            return
        lacking = [a for a in element.attributes.values() if a.required and a.name not in given]
        unknown = [name for name in given if name not in element.attributes and name not in _LOCATION_HINTS]
        for place in places:
            stands_for = count - len(places) + 1 if place is places[-1] else 1
            for attribute in lacking:
                make = partial(xmldefects.missing, element, attribute, place)
                self.note(xmlfaults.MISSING_ATTRIBUTE, f"{element.name} {attribute.name}", make, count=stands_for)
            for name in unknown:
                make = partial(xmldefects.unknown, element, name, place, given=given)
                self.note(xmlfaults.UNKNOWN_ATTRIBUTE, f"{element.name} {name}", make, count=stands_for)

    def _end(self, _name: str) -> None:
        self.last_tag = self._offset
        self._texted = False
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
        if element is not None and element.text is not None:
            self.open[-1].text.append(data)
            return
        if element is None or self._texted or (element.children and not data.strip(_BLANKS)):
            return
        self._texted = True  # a text is one text, in however many pieces it comes
        shown = data.strip(_BLANKS) or data
        text = f"text between the tags of <{element.name}>: {quoted(shown)}"
        where = Place(self._file, self._offset + data.index(shown), node=self.node())  # white space is one byte each
        make = partial(Defect, where, text, cites=element.cites)
        self.note(xmlfaults.UNEXPECTED_TEXT, "", make)
