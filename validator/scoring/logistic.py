"""The cost that calibration minimises: multiclass logistic regression on margins, with its derivatives.

With x_i the margin of class i over the segment's own class y, and a point (alpha, beta_1 ... beta_K),

    gap_i = alpha x_i + beta_i - beta_y + ln pi_i - ln pi_y
    cost  = ln(1 + sum_{i != y} exp(gap_i))                          (Albayzin 2012 LRE plan, eq. 3, 5 and 11)
    value = sum_t pi_y / N_y cost_t                                  (eq. 6)

With p_i the probability of class i and x'_i = x_i - sum_j p_j x_j, where x_y = 0, the derivatives of a segment's cost
are sum p_i x_i by alpha; p_i by beta_i, minus their sum by beta_y; sum p_i x'_i^2 by alpha twice; p_i x'_i by alpha
and beta_i; -p_i p_j by beta_i and beta_j, and on the diagonal minus the sum of its row. Nothing is a difference of
large terms, so the Hessian is positive semi-definite to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.margins import EXP_SAFE, Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validator.scoring.margins import Rows
    from validator.tables import Floats


@dataclass(frozen=True, slots=True)
class Regression:
    """What is to be minimised: margins that are safe to square, the prior, and the weight pi_y / N_y of a segment."""

    blocks: tuple[Block, ...]
    log_prior: Floats
    weights: Floats


@dataclass(frozen=True, slots=True)
class Posterior:
    """A block's segments at several points (first axis): cost, probabilities of the other classes and own one, x'."""

    costs: Floats
    others: Floats
    own: Floats
    mean: Floats  # sum p_i x_i; minus this is x' of the own class
    spread: Floats  # x' of the other classes


@dataclass(frozen=True, slots=True)
class Expansion:
    """Values, gradients and Hessians at several points (first axis)."""

    points: Floats
    values: Floats
    gradients: Floats
    hessians: Floats

    def __getitem__(self, chosen: Rows) -> Expansion:
        return Expansion(self.points[chosen], self.values[chosen], self.gradients[chosen], self.hessians[chosen])


def posterior(block: Block, log_prior: Floats, points: Floats) -> Posterior:
    """Apply the calibrations ``points`` to the segments of a block."""
    level = log_prior + points[:, 1:]
    gaps = points[:, 0, None, None] * block.margins + (level[:, block.others] - level[:, [block.own]])[:, :, None]
    if gaps.max() < EXP_SAFE:
        odds = np.exp(gaps)
        total = odds.sum(axis=1)
        costs = np.log1p(total)
        own = 1.0 / (1.0 + total)
        others = odds * own[:, None]
    else:  # take the largest exponent out; log1p still sees the cost of a segment that has next to none
        top = np.maximum(gaps.max(axis=1), 0.0)
        odds = np.exp(gaps - top[:, None])
        rest = odds.sum(axis=1) + np.expm1(-top)
        costs = top + np.log1p(rest)
        own = np.exp(-top) / (1.0 + rest)
        others = odds / (1.0 + rest)[:, None]
    mean = (others * block.margins).sum(axis=1)
    return Posterior(costs, others, own, mean, block.margins - mean[:, None])


def expand(regression: Regression, points: Floats, counts: Sequence[Floats] | None = None) -> Expansion:
    """Sum value, gradient and Hessian over all segments, at each of several points.

    ``counts`` has an array for each block, points x segments: how often a segment was drawn, if not once.
    """
    many, size = points.shape
    values = np.zeros(many)
    gradients = np.zeros((many, size))
    hessians = np.zeros((many, size, size))
    for number, block in enumerate(regression.blocks):
        at = posterior(block, regression.log_prior, points)
        weight = regression.weights[block.own]
        times = np.full((1, at.costs.shape[1]), weight) if counts is None else weight * counts[number]
        others, own = block.others + 1, block.own + 1
        pull = _sum(at.others, times)
        values += (at.costs * times).sum(axis=1)
        gradients[:, 0] += (at.mean * times).sum(axis=1)
        gradients[:, others] += pull
        gradients[:, own] -= pull.sum(axis=1)
        bent = at.others * at.spread
        hessians[:, 0, 0] += (((bent * at.spread).sum(axis=1) + at.own * at.mean**2) * times).sum(axis=1)
        hessians[:, 0, others] += _sum(bent, times)
        hessians[:, 0, own] -= (at.own * at.mean * times).sum(axis=1)
        hessians[:, others[:, None], others] -= (at.others * times[:, None]) @ np.swapaxes(at.others, 1, 2)
        shared = _sum(at.others, times * at.own)
        hessians[:, others, own] -= shared
        hessians[:, own, others] -= shared
    hessians[:, 1:, 0] = hessians[:, 0, 1:]
    diagonal = np.arange(1, size)
    hessians[:, diagonal, diagonal] = 0.0
    hessians[:, diagonal, diagonal] = -hessians[:, 1:, 1:].sum(axis=2)
    return Expansion(points, values, gradients, hessians)


def _sum(terms: Floats, times: Floats) -> Floats:
    """Sum points x classes x segments over segments, each as often as ``times`` says."""
    sums: Floats = np.matmul(terms, times[:, :, None])[:, :, 0]
    return sums


def slope(regression: Regression, scale: float) -> float:
    """Give the derivative by alpha at (alpha, 0 ... 0)."""
    point = np.array([[scale, *(0.0 for _ in regression.log_prior)]])
    return sum(
        float(regression.weights[block.own] * posterior(block, regression.log_prior, point).mean.sum())
        for block in regression.blocks
    )
