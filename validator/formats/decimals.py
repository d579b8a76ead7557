"""Decimal numbers of a column, turned into doubles with arrays: every value is what Python's ``float`` makes of it.

The division of two doubles that are exact is correctly rounded by IEEE arithmetic; a longer mantissa, of up to 18
digits, gets the remainder of the division added, which is sure unless the result lies on the very edge between two
doubles. What is not sure, and texts in any other form, is left to ``float``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.formats.columns import ordered_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.formats.columns import Texts
    from validator.tables import Flags, Floats

_WIDTH = 24  # longer texts are left to float
_LONGEST = 64
_DIGITS = 18  # decimal digits that fit 63 bits
_EXACT = 1 << 53
_POWERS = np.array([float(10**exponent) for exponent in range(23)])  # all that are exact
_SPLITTER = 134217729.0  # 2**27 + 1
_DOUBT = 2.0**-40  # far above the error of the correction, far below what it is compared with
_OF_NUMBERS = np.isin(np.arange(256), list(b"\0+-.0123456789Ee"))


class Unsigned(NamedTuple):
    """Values of texts without a sign; ``plain``: digits with at most one point, surely converted.

    ``pointed`` has a point, ``bare`` one at its beginning or end.
    """

    value: Floats
    plain: Flags
    pointed: Flags
    bare: Flags


def unsigned(buffer: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64]) -> Unsigned:
    """Convert digits with at most one point."""
    plain = (length > 0) & (length <= _WIDTH)
    mantissa = np.zeros(len(start), dtype=np.int64)
    pointed = np.zeros(len(start), dtype=bool)
    digits, places, significant = np.zeros((3, len(start)), dtype=np.uint8)
    for position in range(int(length[plain].max(initial=0))):
        byte = buffer[start + position]
        inside = length > position
        digit = byte - np.uint8(48)  # wraps for what is no digit
        is_digit = (digit < 10) & inside
        is_point = (byte == 46) & inside
        plain &= is_digit | ~inside | (is_point & ~pointed)
        np.copyto(mantissa, mantissa * 10 + digit, where=is_digit)
        digits += is_digit
        significant += is_digit & (mantissa != 0)  # zeros before the first other digit do not count
        places += is_digit & pointed
        pointed |= is_point
    plain &= (digits > 0) & (significant <= _DIGITS) & (places < len(_POWERS))
    value, sure = _quotient(mantissa, _POWERS[np.minimum(places, len(_POWERS) - 1)])
    return Unsigned(value, plain & sure, pointed, pointed & ((places == 0) | (places == digits)))


def decimals(texts: Texts) -> tuple[Floats, Flags]:
    """Convert plain decimals (sign, digits, at most one point); False and NaN where a text is anything else."""
    first = texts.buffer[texts.start]
    negative = (first == 45) & (texts.length > 0)
    signed = negative | ((first == 43) & (texts.length > 0))
    found = unsigned(texts.buffer, texts.start + signed, texts.length - signed)
    np.negative(found.value, out=found.value, where=negative)
    found.value[~found.plain] = np.nan
    return found.value, found.plain


def with_exponents(texts: Texts) -> Floats | None:
    """Convert decimals with an exponent at once; None if one of the texts is anything else, or very long."""
    width = int(texts.length.max(initial=1))
    if width > _LONGEST:
        return None
    words = ordered_words(texts).astype(">u8").view(np.uint8).reshape(len(texts), -1)
    whole = np.count_nonzero(words, axis=1) == texts.length  # the padding is no part of a text
    if not whole.all() or not _OF_NUMBERS[words].all():
        return None
    try:
        return words.view(f"S{words.shape[1]}").ravel().astype(np.float64)
    except ValueError:
        return None


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
