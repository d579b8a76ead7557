"""The best affine calibration of a system's log-likelihoods (Albayzin 2012 LRE plan 4.3, eq. 11 and 12).

    l'_it = alpha l_it + beta_i        Cmin = min over alpha, beta of Cmce(l')

Convex, one scale of either sign and K-1 free offsets: damped Newton on all segments at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.conditioning import Standard, standardise
from validator.scoring.logistic import Expansion, Regression, expand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validator.scoring.margins import Margins
    from validator.tables import Floats

SEPARABLE = 1e-9  # a cost below this goes to 0 as the scale grows: the infimum is 0 and no scale attains it
_PRECISION = 1e-14  # stop when a step promises less than this part of the cost
_ITERATIONS = 500
_HALVINGS = 60
_ARMIJO = 1e-4
_FLAT = 1e-13  # curvature, in units where it is 1 along each axis, below which a direction counts as flat
_NO_CURVATURE = 1e-100  # an axis so flat has no pull either, and dividing by its square would overflow
_LONGEST_STEP = 1e3  # in the variables of Standard, where what matters is about 1
_ADRIFT = 0.01  # a last step longer than this heads for an optimum at infinity
_REACHABLE = 1e100  # a scale as submitted beyond this is no place to start from


@dataclass(frozen=True, slots=True)
class Calibration:
    """The optimum: its cost, and the scale and offsets that reach it (the offset of the last class is 0).

    Where scale and offsets are None, ``reason`` says why. ``attained`` is False if the cost is a limit: it is right,
    but some offset could grow for ever to come closer to it.
    """

    cost: float
    scale: float | None
    offsets: tuple[float, ...] | None
    attained: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Minimum:
    """Where Newton's method came to rest, and the step it found not worth taking."""

    at: Expansion
    step: Floats


def calibrate(margins: Margins, *, actual: float) -> Calibration:
    """Find the least cost and the calibration that reaches it; ``actual`` is the cost of the scores as submitted."""
    default = -float((margins.prior * np.log(margins.prior)).sum())
    standard = standardise(margins)
    if standard is None:
        reason = "the scores say nothing of the class: no scale is better than another"
        return Calibration(default, None, None, attained=True, reason=reason)
    starts = [np.zeros(len(margins.classes) + 1)]
    if standard.scale:
        starts.append(np.array([standard.scale, *(0.0 for _ in margins.classes)]))
    if actual < default and standard.size * margins.unit < _REACHABLE:
        submitted = np.array([standard.size, *(standard.centres - standard.centres[-1])])
        starts.append(submitted * margins.unit)
    return _in_units_of_scores(minimise(standard.regression, starts), standard, unit=margins.unit)


def _in_units_of_scores(minimum: Minimum, standard: Standard, *, unit: float) -> Calibration:
    cost = minimum.at.value
    if cost < SEPARABLE:
        reason = "the scores separate the classes: the larger the scale, the lower the cost, without end"
        return Calibration(0.0, None, None, attained=False, reason=reason)
    attained = float(np.abs(minimum.step).max()) < _ADRIFT
    scale = float(minimum.at.point[0]) / standard.size
    shifts = [float(b) - scale * float(c) for b, c in zip(minimum.at.point[1:], standard.centres, strict=True)]
    offsets = tuple(shift - shifts[-1] for shift in shifts)
    if not all(map(math.isfinite, (scale, *offsets))):
        reason = "the scores are so small that the scale is beyond the range of a double"
        return Calibration(cost, None, None, attained=attained, reason=reason)
    return Calibration(cost, scale / unit, offsets, attained=attained, reason=None)


def minimise(
    regression: Regression, starts: Sequence[Floats], counts: Sequence[Floats] | None = None
) -> Minimum:
    """Go from the best start to the minimum, or to a cost below ``SEPARABLE``; ``counts`` as in ``expand``."""
    here = min((expand(regression, start, counts) for start in starts), key=lambda found: found.value)
    step = _newton_step(here)
    for _ in range(_ITERATIONS):
        promise = -float(here.gradient @ step)
        if here.value < SEPARABLE or promise <= 2 * _PRECISION * here.value:
            break
        length = 1.0
        for _ in range(_HALVINGS):
            there = expand(regression, here.point + length * step, counts)
            if there.value <= here.value - _ARMIJO * length * promise:
                break
            length /= 2
        else:  # only rounding is left
            break
        here = there
        step = _newton_step(here)
    return Minimum(here, step)


def _newton_step(here: Expansion) -> Floats:
    """Give the step to the minimum of the quadratic; the last offset stays where it is."""
    step = np.zeros(len(here.point))
    step[:-1] = -(inverse(here.hessian[:-1, :-1]) @ here.gradient[:-1])
    excess = float(np.abs(step).max()) / (_LONGEST_STEP * (1.0 + float(np.abs(here.point).max())))
    return step / max(excess, 1.0)


def inverse(hessians: Floats) -> Floats:
    """Invert a positive semi-definite matrix, or a stack of them; a flat direction counts as nearly flat."""
    diagonal = np.sqrt(np.einsum("...ii->...i", hessians))
    scale = np.where(diagonal > _NO_CURVATURE, diagonal, 1.0)
    outer = scale[..., :, None] * scale[..., None, :]
    values, vectors = np.linalg.eigh(hessians / outer)
    scaled: Floats = (vectors / np.maximum(values, _FLAT)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return scaled / outer
