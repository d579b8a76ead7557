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
_EXPANSIONS = 500
_SHORTEST = 2.0**-60  # a step halved to this: only rounding is left to decide
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
    but some offset could grow for ever to come closer to it. ``negative``: the scale is, or would be, below 0.
    """

    cost: float
    scale: float | None
    offsets: tuple[float, ...] | None
    attained: bool
    reason: str | None
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Optimum:
    """A calibration with the variables it was found in, for whoever wants to go on from there."""

    calibration: Calibration
    standard: Standard | None  # None: there was nothing to search
    point: Floats


@dataclass(frozen=True, slots=True)
class Minima:
    """Where Newton's method came to rest (first axis: one search each), and the steps found not worth taking."""

    points: Floats
    costs: Floats
    steps: Floats


def calibrate(margins: Margins, *, actual: float) -> Optimum:
    """Find the least cost and the calibration that reaches it; ``actual`` is the cost of the scores as submitted."""
    default = -float((margins.prior * np.log(margins.prior)).sum())
    standard = standardise(margins)
    nowhere = np.zeros(len(margins.classes) + 1)
    if standard is None:
        reason = "the scores say nothing of the class: no scale is better than another"
        return Optimum(Calibration(default, None, None, attained=True, reason=reason), None, nowhere)
    start = nowhere
    if actual < default and standard.size * margins.unit < _REACHABLE:
        start = np.array([standard.size, *(standard.centres - standard.centres[-1])]) * margins.unit
    if standard.scale:
        starts = np.array([start, [standard.scale, *(0.0 for _ in margins.classes)]])
        start = starts[expand(standard.regression, starts).values.argmin()]
    found = minimise(standard.regression, start[None])
    return Optimum(_in_units_of_scores(found, standard, unit=margins.unit), standard, found.points[0])


def _in_units_of_scores(found: Minima, standard: Standard, *, unit: float) -> Calibration:
    cost = float(found.costs[0])
    if cost < SEPARABLE:
        negative = bool(found.points[0, 0] < 0)
        what = "the negated scores" if negative else "the scores"
        reason = f"{what} separate the classes: the larger the scale, the lower the cost, without end"
        return Calibration(0.0, None, None, attained=False, reason=reason, negative=negative)
    attained = float(np.abs(found.steps).max()) < _ADRIFT
    # The last step is nothing to the cost, but doubles the digits of the place.
    point = (found.points + found.steps)[0].tolist() if attained else found.points[0].tolist()
    scale = point[0] / standard.size
    shifts = [offset - scale * centre for offset, centre in zip(point[1:], standard.centres.tolist(), strict=True)]
    offsets = tuple(shift - shifts[-1] for shift in shifts)
    if not all(map(math.isfinite, (scale, *offsets))):
        reason = "the scores are so small that the scale is beyond the range of a double"
        return Calibration(cost, None, None, attained=attained, reason=reason, negative=scale < 0)
    return Calibration(cost, scale / unit, offsets, attained=attained, reason=None, negative=scale < 0)


def minimise(
    regression: Regression,
    starts: Floats,
    counts: Sequence[Floats] | None = None,
    *,
    precision: float = _PRECISION,
) -> Minima:
    """Go from each start to its minimum, or to a cost below ``SEPARABLE``; ``counts`` as in ``expand``.

    A search ends when the next step promises less than ``precision`` of its cost. All searches go on side by side:
    each either takes its step or, if that brings less than Armijo's part of what it promises, halves it.
    """
    here = expand(regression, starts, counts)
    points, costs, steps = here.points.copy(), here.values.copy(), _newton_steps(here)
    promises = -(here.gradients * steps).sum(axis=1)
    lengths = np.ones(len(starts))
    for _ in range(_EXPANSIONS):
        going = np.flatnonzero((costs >= SEPARABLE) & (promises > 2 * precision * costs) & (lengths > _SHORTEST))
        if not len(going):
            break
        targets = points[going] + lengths[going, None] * steps[going]
        there = expand(regression, targets, None if counts is None else [times[going] for times in counts])
        lower = there.values <= costs[going] - _ARMIJO * lengths[going] * promises[going]
        lengths[going[~lower]] /= 2
        moved, there = going[lower], there[np.flatnonzero(lower)]
        points[moved], costs[moved], steps[moved] = there.points, there.values, _newton_steps(there)
        promises[moved] = -(there.gradients * steps[moved]).sum(axis=1)
        lengths[moved] = 1.0
    return Minima(points, costs, steps)


def _newton_steps(here: Expansion) -> Floats:
    """Give the steps to the minima of the quadratics; the last offset stays where it is."""
    steps = np.zeros(here.points.shape)
    steps[:, :-1] = -(_inverses(here.hessians[:, :-1, :-1]) @ here.gradients[:, :-1, None])[:, :, 0]
    excess = np.abs(steps).max(axis=1) / (_LONGEST_STEP * (1.0 + np.abs(here.points).max(axis=1)))
    bounded: Floats = steps / np.maximum(excess, 1.0)[:, None]
    return bounded


def _inverses(hessians: Floats) -> Floats:
    """Invert positive semi-definite matrices; a flat direction counts as nearly flat."""
    diagonal = np.sqrt(np.einsum("kii->ki", hessians))
    scale = np.where(diagonal > _NO_CURVATURE, diagonal, 1.0)
    outer = scale[:, :, None] * scale[:, None, :]
    values, vectors = np.linalg.eigh(hessians / outer)
    scaled: Floats = (vectors / np.maximum(values, _FLAT)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    scaled /= outer
    return scaled
