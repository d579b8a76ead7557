"""Variables in which double precision can see the best calibration.

Newton's method does not mind the units of the scores, rounding does. Two changes of variable leave the problem as it
is and keep the digits: biases of the columns that dwarf all else are taken out (their size goes into the offsets),
and margins are divided by the size of those that matter. Where margins differ by many powers of ten (a "log of zero"
of -1e300 beside ordinary scores) that size is found by looking for the best pure scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.logistic import Regression, slope
from validator.scoring.margins import Block, Margins

if TYPE_CHECKING:
    from validator.tables import Floats

_CLIP = 1e100  # times the size that matters: a larger margin decides as surely as this one, and its square is finite
_WIDE = 1e8  # the largest margin over the smallest: beyond this no single size is evident
_SAMPLE = 512  # segments of a block that suffice to see biases and sizes
_LOWEST_EXPONENT = -1060


@dataclass(frozen=True, slots=True)
class Standard:
    """A regression on (x_i - (centre_i - centre_y)) / size, and the scale in these variables to begin with."""

    regression: Regression
    centres: Floats
    size: float
    scale: float


def standardise(margins: Margins) -> Standard | None:
    """Choose centres and size; None if no margin is left, as with a system that has the same scores for everything."""
    samples = [_sample(block) for block in margins.blocks]
    centres = _centres(samples, margins.blocks)
    blocks = tuple(_centred(block, centres) for block in margins.blocks)
    peak = max(float(np.abs(block.margins).max()) for block in blocks)
    if not peak:
        return None
    weights = margins.prior / np.array(margins.counts)
    raw = Regression(blocks, np.log(margins.prior), weights)
    seen = np.abs(np.concatenate([_sample(block)[block.others].ravel() for block in blocks]))
    least = float(seen.min(initial=peak, where=seen > 0)) if seen.any() else 0.0
    size, scale = (_root_mean_square(blocks, peak), 0.0) if peak <= _WIDE * least else _best_size(raw, peak)
    return Standard(_divided(raw, size), centres, size, scale)


def _sample(block: Block) -> Floats:
    """Give margins of all K classes, the own one included, for a few segments spread over a block."""
    stride = -(-block.margins.shape[1] // _SAMPLE)
    few = block.margins[:, ::stride]
    return np.insert(few, block.own, 0.0, axis=0)


def _centres(samples: list[Floats], blocks: tuple[Block, ...]) -> Floats:
    """Give each column's typical excess over its segment, or zeros where taking it out would not make margins small."""
    levels = np.concatenate([sample - np.median(sample, axis=0) for sample in samples], axis=1)
    centres: Floats = np.median(levels, axis=1)
    before = max(float(np.abs(sample).max()) for sample in samples)
    after = max(
        float(np.abs(sample - (centres - centres[block.own])[:, None]).max())
        for sample, block in zip(samples, blocks, strict=True)
    )
    return centres if after < before / 2 else np.zeros(len(centres))


def _centred(block: Block, centres: Floats) -> Block:
    if not centres.any():
        return block
    shift = (centres[block.others] - centres[block.own])[:, None]
    return Block(block.own, block.others, block.margins - shift)


def _divided(regression: Regression, size: float) -> Regression:
    most = _CLIP * size
    blocks = tuple(
        Block(block.own, block.others, np.clip(block.margins, -most, most) / size) for block in regression.blocks
    )
    return Regression(blocks, regression.log_prior, regression.weights)


def _root_mean_square(blocks: tuple[Block, ...], peak: float) -> float:
    squares = sum(float(np.square(block.margins / peak).sum()) for block in blocks)
    # Of the smallest doubles there is no part: the peak itself will do.
    return peak * math.sqrt(squares / sum(block.margins.size for block in blocks)) or peak


def _best_size(regression: Regression, peak: float) -> tuple[float, float]:
    """Give the size s for which scores / s, or their negative, cost least among powers of two, and the sign.

    The cost along alpha is convex: it falls from alpha = 0 to its minimum and rises behind it. Halving the range of
    exponents finds the place in a dozen looks at the data.
    """
    downhill = slope(_divided(regression, peak), 0.0)
    sign = -math.copysign(1.0, downhill) if downhill else 0.0
    smallest = min(
        float(np.abs(block.margins).min(initial=peak, where=block.margins != 0)) for block in regression.blocks
    )
    falling = math.frexp(peak)[1] + 4
    rising = max(math.frexp(smallest)[1] - 12, _LOWEST_EXPONENT)
    while sign and falling - rising > 1:
        middle = (falling + rising) // 2
        if sign * slope(_divided(regression, math.ldexp(1.0, middle)), sign) < 0:
            falling = middle
        else:
            rising = middle
    return math.ldexp(1.0, falling), sign
