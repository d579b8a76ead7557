"""The fast lane for XML records in the usual form: the same tag again and again, a template with values.

A block of bytes is taken only if every record is letter for letter the first record's tag with other values, and only
if nothing in it could mean anything else to an XML parser (no entities, comments or control characters, valid UTF-8).
Whatever does not fit is left to expat. What is taken is taken exactly: names, quotes and the text between the tags
are compared byte by byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.formats.columns import Texts, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ATTRIBUTE = re.compile(rb"""([A-Za-z_][A-Za-z0-9_]*)(=)("[^"<>&]*"|'[^'<>&]*')""")
_NONCHARACTERS = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")  # U+FFFE and U+FFFF are no XML characters
_ODD_GAPS = 0.05  # share of records that may be set apart in another way than the first


class Tag(NamedTuple):
    """A start or end tag that is no record, with its number of records before it in the block."""

    text: bytes
    offset: int
    records_before: int


class Records(NamedTuple):
    """The records of a block: their offsets in it, a column of texts per attribute, and the other tags in order."""

    offset: NDArray[np.int64]
    columns: dict[str, Texts]
    tags: tuple[Tag, ...]


class _Template(NamedTuple):
    names: tuple[str, ...]
    pieces: tuple[bytes, ...]  # the text before the first value, between the values, and behind the last
    quote: int


def scan(block: bytes, record: str) -> Records | None:
    """Take a block that begins and ends between tags apart; None if it is not in the usual form."""
    if any(mark in block for mark in (b"&", b"<!", b"<?", b"xmlns")) or not _is_clean_text(block):
        return None
    data = padded(block)
    body = data[: len(block)]
    opening, closing = np.flatnonzero(body == 60), np.flatnonzero(body == 62)
    if len(opening) != len(closing) or not len(opening):
        return None
    if (closing < opening).any() or (opening[1:] < closing[:-1]).any():
        return None
    is_record = _is_record(data, opening, record)
    begin, end = opening[is_record], closing[is_record]
    template = _template(block[begin[0] : end[0] + 1], record) if len(begin) else None
    if template is None or not _gaps_are_blank(block, body, opening, closing):
        return None
    marks = _value_marks(data, begin, end, template)
    if marks is None:
        return None
    values = range(0, 2 * len(template.names), 2)
    columns = {
        name: Texts(data, marks[:, at] + 1, marks[:, at + 1] - marks[:, at] - 1)
        for name, at in zip(template.names, values, strict=True)
    }
    rank = np.cumsum(is_record)
    others = np.flatnonzero(~is_record)
    tags = tuple(Tag(block[opening[i] : closing[i] + 1], int(opening[i]), int(rank[i])) for i in others.tolist())
    controls_in_tags = sum(_controls(tag.text) for tag in tags) + len(begin) * sum(map(_controls, template.pieces))
    return Records(begin, columns, tags) if _controls_inside(body, opening, closing) == controls_in_tags else None


def _is_clean_text(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return not any(mark in block for mark in _NONCHARACTERS)


def _is_record(data: NDArray[np.uint8], opening: NDArray[np.int64], record: str) -> NDArray[np.bool_]:
    """Tell which tags open a record: its name, then a blank."""
    same = np.ones(len(opening), dtype=bool)
    for position, byte in enumerate(record.encode(), start=1):
        same &= data[opening + position] == byte
    return same & (data[opening + len(record) + 1] <= 32)


def _template(tag: bytes, record: str) -> _Template | None:
    head = f"<{record}".encode()
    found = list(_ATTRIBUTE.finditer(tag))
    names = tuple(match[1].decode() for match in found)
    edges = [0, *(edge for match in found for edge in (match.start(3) + 1, match.end(3) - 1)), len(tag)]
    pieces = tuple(tag[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))
    quotes = {tag[match.start(3)] for match in found}
    if len(quotes) != 1 or len(set(names)) != len(names) or not tag.startswith(head):
        return None
    quote = quotes.pop()
    blank = rb"[ \t\r\n]+"
    between = [
        re.escape(bytes([quote])) + blank + name.encode() + b"=" + re.escape(bytes([quote])) for name in names[1:]
    ]
    shape = [head + blank + names[0].encode() + b"=" + re.escape(bytes([quote])), *between]
    whole = all(re.fullmatch(pattern, piece) for pattern, piece in zip(shape, pieces, strict=False))
    closed = re.fullmatch(re.escape(bytes([quote])) + rb"[ \t\r\n]*/>", pieces[-1])
    return _Template(names, pieces, quote) if whole and closed else None


def _gaps_are_blank(
    block: bytes, body: NDArray[np.uint8], opening: NDArray[np.int64], closing: NDArray[np.int64]
) -> bool:
    """Tell whether only white space stands between the tags, and before and behind them."""
    if block[: opening[0]].strip(b" \t\r\n") or block[closing[-1] + 1 :].strip(b" \t\r\n"):
        return False
    begin, length = closing[:-1] + 1, opening[1:] - closing[:-1] - 1
    if not len(begin):
        return True
    usual = int(np.bincount(length[:1000]).argmax())
    regular = length == usual
    if usual:
        windows = np.lib.stride_tricks.sliding_window_view(body, usual)
        example = block[begin[regular][0] : begin[regular][0] + usual]
        if example.strip(b" \t\r\n"):
            return False
        regular &= (windows[np.minimum(begin, len(windows) - 1)] == np.frombuffer(example, np.uint8)).all(axis=1)
    odd = np.flatnonzero(~regular)
    if len(odd) > max(100, _ODD_GAPS * len(begin)):
        return False
    return not any(block[begin[i] : begin[i] + length[i]].strip(b" \t\r\n") for i in odd.tolist())


def _value_marks(
    data: NDArray[np.uint8], begin: NDArray[np.int64], end: NDArray[np.int64], template: _Template
) -> NDArray[np.int64] | None:
    """Return the positions of the quotes of each record, if each has the template's pieces around its values."""
    quotes = np.flatnonzero(data[: len(data) - 64] == template.quote)
    first = np.searchsorted(quotes, begin)
    wanted = 2 * len(template.names)
    if (np.searchsorted(quotes, end) - first != wanted).any():
        return None
    marks: NDArray[np.int64] = quotes[first[:, None] + np.arange(wanted)]
    edges = [begin, *(marks[:, i] for i in range(1, wanted, 2))]
    stops = [*(marks[:, i] + 1 for i in range(0, wanted, 2)), end + 1]
    for piece, start, stop in zip(template.pieces, edges, stops, strict=True):
        if (stop - start != len(piece)).any():
            return None
        windows = np.lib.stride_tricks.sliding_window_view(data, len(piece))
        if not (windows[start] == np.frombuffer(piece, np.uint8)).all():
            return None
    return marks


def _controls(text: bytes) -> int:
    return sum(byte < 32 for byte in text)


def _controls_inside(body: NDArray[np.uint8], opening: NDArray[np.int64], closing: NDArray[np.int64]) -> int:
    """Count control characters inside tags; -1 if one anywhere is no white space."""
    at = np.flatnonzero(body < 32)
    kinds = body[at]
    if not ((kinds == 10) | (kinds == 13) | (kinds == 9)).all():
        return -1
    tag = np.searchsorted(opening, at) - 1
    return int(((tag >= 0) & (closing[np.maximum(tag, 0)] > at)).sum())
