"""The plain form of XML that old programs read with patterns instead of a parser.

Values in double quotes without entities, records closed in themselves, lists closed by a tag of their own, no
comments. What is written in another way is legal XML, and means the same to everyone but such programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.dialects import Dialect

_TOKEN = re.compile(rb"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*>", re.DOTALL)
_PLAIN = re.compile(rb"""</?[A-Za-z_][\w.-]*(?:[ \t\r\n]+[A-Za-z_][\w.-]*="[^"<>&]*")*[ \t\r\n]*/?>""")
_SUSPECT = (b"'", b"&", b"<!", b"<?", b" =", b"= ", b"\t=", b"=\t", b"=\n", b"\n=")


@dataclass(frozen=True, slots=True)
class Oddity:
    """What is not in the plain form: the first place, and how often it is so."""

    message: str
    offset: int
    count: int


class PlainForm:
    """Looks at blocks that begin and end between tags; those without any suspicious byte cost next to nothing."""

    def __init__(self, dialect: Dialect) -> None:
        self._suspect = (*_SUSPECT, f"</{dialect.record}".encode())
        self._record = re.compile(rb"</%b[ \t\r\n]*>" % dialect.record.encode())
        self._empty_list = re.compile(rb"<%b[^<>]*/>" % dialect.lists.encode())
        self._record_name, self._list_name = dialect.record, dialect.lists
        self._found: dict[str, Oddity] = {}

    def look(self, block: bytes, offset: int) -> None:
        """Take note of what is odd in a block."""
        if not any(mark in block for mark in self._suspect) and self._empty_list.search(block) is None:
            return
        for message, at in self._odd(block):
            first = self._found.get(message, Oddity(message, offset + at, 0))
            self._found[message] = Oddity(message, first.offset, first.count + 1)

    def oddities(self) -> tuple[Oddity, ...]:
        """Return what was odd, in order of appearance."""
        return tuple(sorted(self._found.values(), key=lambda oddity: oddity.offset))

    def _odd(self, block: bytes) -> Iterator[tuple[str, int]]:
        for match in _TOKEN.finditer(block):
            tag = match[0]
            if tag.startswith(b"<!"):
                yield "a comment: what stands in it is read, too", match.start()
            elif tag.startswith(b"<?"):
                continue
            elif self._record.fullmatch(tag):
                yield f"<{self._record_name}> is closed by a tag of its own, not by />", match.start()
            elif self._empty_list.fullmatch(tag):
                yield f"an empty <{self._list_name}> is closed by />, not by a tag of its own", match.start()
            elif _PLAIN.fullmatch(tag) is None:
                yield _reason(tag), match.start()


def _reason(tag: bytes) -> str:
    if re.search(rb"=[ \t\r\n]*'", tag):
        return "values stand in single quotes"
    if b"&" in tag:
        return "a value has an entity, which is not decoded"
    if re.search(rb"[ \t\r\n]=|=[ \t\r\n]", tag):
        return "blanks stand around ="
    return "a value has an angle bracket"
