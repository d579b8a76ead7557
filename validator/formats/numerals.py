"""Number texts of a column: their exact double values, and the forms they are written in.

Every value is what Python's ``float`` makes of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.decimals import unsigned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.formats.columns import Texts
    from validator.tables import Floats

_SLICE = 1 << 15  # rows at a time, so that the working arrays stay in the cache


class Form(IntEnum):
    """How a number is written, surrounding blanks aside; the official tool types a whole column by it."""

    EMPTY = 0
    INTEGER = 1  # -?D+(e[+-]?D+)?
    REAL = 2  # -?D+.D+(e[+-]?D+)?
    LOOSE = 3  # any other decimal: .5, 5., +0.5
    COMMA = 4  # a decimal comma: 0,5
    SPECIAL = 5  # nan, inf
    TEXT = 6


_FORMS = (
    (Form.INTEGER, re.compile(rb"-?[0-9]+(?:[eE][+-]?[0-9]+)?")),
    (Form.REAL, re.compile(rb"-?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?")),
    (Form.LOOSE, re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")),
    (Form.COMMA, re.compile(rb"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")),
    (Form.SPECIAL, re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)),
)
_FINITE_FORMS = (Form.INTEGER, Form.REAL, Form.LOOSE)


@dataclass(frozen=True, slots=True)
class Numerals:
    """The values of a column, NaN where a text is no decimal number, and the Form of each text.

    A number beyond the range of doubles is an infinity or zero, as ``float`` has it.
    """

    value: Floats
    form: NDArray[np.uint8]


def read_numerals(texts: Texts) -> Numerals:
    """Convert all texts of a column."""
    value = np.full(len(texts), np.nan)
    form = np.zeros(len(texts), dtype=np.uint8)
    for begin in range(0, len(texts), _SLICE):
        part = slice(begin, begin + _SLICE)
        start, length = texts.start[part], texts.length[part]
        found = unsigned(texts.buffer, start, length)
        value[part], form[part] = found.value, np.where(found.pointed, Form.REAL, Form.INTEGER)
        for row in np.flatnonzero(~found.plain | found.bare).tolist():
            text = texts.buffer[start[row] : start[row] + length[row]].tobytes().strip(b" \t")
            value[begin + row], form[begin + row] = _numeral(text)
    return Numerals(value, form)


def _numeral(text: bytes) -> tuple[float, Form]:
    form = next((form for form, pattern in _FORMS if pattern.fullmatch(text)), Form.TEXT if text else Form.EMPTY)
    return float(text) if form in _FINITE_FORMS else float("nan"), form
