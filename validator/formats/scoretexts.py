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

from validator.formats.numerals import plain_decimals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.formats.columns import Texts
    from validator.tables import Floats

_SLICE = 1 << 15  # texts at a time, so that the working arrays stay in the cache
_PLUS, _MINUS = 43, 45
_ENDLESS = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Trouble(IntEnum):
    """What is wrong with a score."""

    NONE = 0
    NOT_A_NUMBER = 1
    NOT_FINITE = 2


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
        sign = texts.buffer[start]
        negative = sign == _MINUS
        signed = negative | (sign == _PLUS)
        found, _, plain = plain_decimals(texts.buffer, start + signed, length - signed)
        np.negative(found, out=found, where=negative)
        value[part] = found
        for row in np.flatnonzero(~plain).tolist():
            text = texts.buffer[start[row] : start[row] + length[row]].tobytes()
            value[begin + row], trouble[begin + row] = _score(text, form)
    return ScoreTexts(value, trouble)


def _score(text: bytes, form: re.Pattern[bytes]) -> tuple[float, Trouble]:
    if form.fullmatch(text) is None:
        return math.nan, Trouble.NOT_FINITE if _ENDLESS.fullmatch(text) else Trouble.NOT_A_NUMBER
    number = float(text)
    return (number, Trouble.NONE) if math.isfinite(number) else (math.nan, Trouble.NOT_FINITE)
