"""Scores as texts: a column of decimal numbers turned into doubles, and what is wrong with those that are none.

The form is the grammar's: a sign, digits with at most one point, an exponent; nothing else that some language's reader
takes (``0,5``, ``1_000``, ``0x1p3``, ``1d5``). Every value is what Python's ``float`` makes of the text.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.columns import Texts
from validator.formats.decimals import decimals, with_exponents
from validator.formats.textindex import raw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.tables import Floats

_SLICE = 1 << 15  # texts at a time, so that the working arrays stay in the cache
_ENDLESS = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Trouble(IntEnum):
    """What is wrong with a score."""

    NONE = 0
    NOT_A_NUMBER = 1
    NOT_FINITE = 2
    NOT_ASCII = 3  # which is told by the one who looks at the bytes


@dataclass(frozen=True, slots=True)
class ScoreTexts:
    """The values, NaN where a text is no finite number, and the Trouble with each."""

    value: Floats
    trouble: NDArray[np.uint8]


def read_scores(texts: Texts, form: re.Pattern[bytes]) -> ScoreTexts:
    """Convert all texts; ``form`` is what a number looks like."""
    value = np.empty(len(texts))
    trouble = np.zeros(len(texts), dtype=np.uint8)
    for begin in range(0, len(texts), _SLICE):
        part = slice(begin, begin + _SLICE)
        start, length = texts.start[part], texts.length[part]
        value[part], plain = decimals(Texts(texts.buffer, start, length))
        rest = np.flatnonzero(~plain)
        if len(rest):
            odd = Texts(texts.buffer, start[rest], length[rest])
            value[begin + rest], trouble[begin + rest] = _with_float(odd, form)
    return ScoreTexts(value, trouble)


def _with_float(texts: Texts, form: re.Pattern[bytes]) -> tuple[Floats, NDArray[np.uint8]]:
    """Convert with ``float``: numbers with exponents or many digits."""
    found = with_exponents(texts)
    if found is not None:
        finite = np.isfinite(found)
        found[~finite] = np.nan
        return found, np.where(finite, Trouble.NONE, Trouble.NOT_FINITE).astype(np.uint8)
    judged = [_score(raw(texts, row), form) for row in range(len(texts))]
    return np.array([number for number, _ in judged]), np.array([fault for _, fault in judged], dtype=np.uint8)


def _score(text: bytes, form: re.Pattern[bytes]) -> tuple[float, Trouble]:
    if not text.isascii():
        return math.nan, Trouble.NOT_ASCII
    if form.fullmatch(text) is None:
        return math.nan, Trouble.NOT_FINITE if _ENDLESS.fullmatch(text) else Trouble.NOT_A_NUMBER
    number = float(text)
    return (number, Trouble.NONE) if math.isfinite(number) else (math.nan, Trouble.NOT_FINITE)
