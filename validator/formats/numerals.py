"""Number texts of a column: their exact double values, and the forms they are written in.

Every value is what Python's ``float`` makes of the text, that is correctly rounded. Plain decimals of up to 18 digits
are converted with arrays: the division of two doubles that are exact is correctly rounded by IEEE arithmetic, and a
longer mantissa gets the remainder of that division added, which is sure unless the result lies on the very edge between
two doubles. Those, and texts in any other form, go through ``float`` one by one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.formats.columns import Texts
    from validator.tables import Flags, Floats

_SLICE = 1 << 15  # rows at a time, so that the working arrays stay in the cache
_WIDTH = 24  # longer texts are converted one by one
_DIGITS = 18  # decimal digits that fit 63 bits
_EXACT = 1 << 53
_POWERS = np.array([float(10**exponent) for exponent in range(23)])  # all that are exact
_SPLITTER = 134217729.0  # 2**27 + 1
_DOUBT = 2.0**-40  # far above the error of the correction, far below what it is compared with


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
        value[part], form[part], plain = plain_decimals(texts.buffer, start, length)
        for row in np.flatnonzero(~plain).tolist():
            text = texts.buffer[start[row] : start[row] + length[row]].tobytes().strip(b" \t")
            value[begin + row], form[begin + row] = _numeral(text)
    return Numerals(value, form)


def _numeral(text: bytes) -> tuple[float, Form]:
    form = next((form for form, pattern in _FORMS if pattern.fullmatch(text)), Form.TEXT if text else Form.EMPTY)
    return float(text) if form in _FINITE_FORMS else float("nan"), form


def plain_decimals(
    buffer: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64]
) -> tuple[Floats, NDArray[np.uint8], Flags]:
    """Convert digits with at most one point among them; the last array tells which texts are that and were sure."""
    plain = (length > 0) & (length <= _WIDTH)
    mantissa = np.zeros(len(start), dtype=np.int64)
    pointed = np.zeros(len(start), dtype=bool)
    digits, places = np.zeros((2, len(start)), dtype=np.uint8)
    for position in range(int(length[plain].max(initial=0))):
        byte = buffer[start + position]
        inside = length > position
        digit = byte - np.uint8(48)  # wraps for what is no digit
        is_digit = (digit < 10) & inside
        is_point = (byte == 46) & inside
        plain &= is_digit | ~inside | (is_point & ~pointed & (position > 0))
        np.copyto(mantissa, mantissa * 10 + digit, where=is_digit)
        digits += is_digit & (mantissa != 0)  # zeros before the first other digit do not count
        places += is_digit & pointed
        pointed |= is_point
    plain &= (digits <= _DIGITS) & (places < len(_POWERS)) & ~(pointed & (places == 0))
    value, sure = _quotient(mantissa, _POWERS[np.minimum(places, len(_POWERS) - 1)])
    return value, np.where(pointed, Form.REAL, Form.INTEGER).astype(np.uint8), plain & sure


def _quotient(mantissa: NDArray[np.int64], power: Floats) -> tuple[Floats, Flags]:
    """Divide, correctly rounded wherever the second array says so."""
    value = mantissa / power
    sure = np.ones(len(value), dtype=bool)
    long = np.flatnonzero(mantissa > _EXACT)
    if len(long):
        high = mantissa[long].astype(np.float64)
        low = (mantissa[long] - high.astype(np.int64)).astype(np.float64)
        divisor = power[long]
        rough = high / divisor
        correction = (_remainder(high, rough, divisor) + low) / divisor
        below, above = rough + correction * (1 - _DOUBT), rough + correction * (1 + _DOUBT)
        value[long], sure[long] = below, below == above
    return value, sure


def _remainder(dividend: Floats, quotient: Floats, divisor: Floats) -> Floats:
    """Return dividend - quotient * divisor without error (Dekker's product)."""
    product = quotient * divisor
    quotient_high, divisor_high = _high_half(quotient), _high_half(divisor)
    quotient_low, divisor_low = quotient - quotient_high, divisor - divisor_high
    error = (quotient_high * divisor_high - product) + quotient_high * divisor_low + quotient_low * divisor_high
    return (dividend - product) - (error + quotient_low * divisor_low)


def _high_half(number: Floats) -> Floats:
    scaled = _SPLITTER * number
    return scaled - (scaled - number)
