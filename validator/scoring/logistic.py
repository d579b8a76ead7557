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

    from validator.tables import Floats


@dataclass(frozen=True, slots=True)
class Regression:
    """What is to be minimised: margins that are safe to square, the prior, and the weight pi_y / N_y of a segment."""

    blocks: tuple[Block, ...]
    log_prior: Floats
    weights: Floats


@dataclass(frozen=True, slots=True)
class Posterior:
    """A block's segments at one point: cost, probability of the other classes and of the own one, and x'."""

    costs: Floats
    others: Floats
    own: Floats
    mean: Floats  # sum p_i x_i; minus this is x' of the own class
    spread: Floats  # x' of the other classes


@dataclass(frozen=True, slots=True)
class Expansion:
    """Value, gradient and Hessian at a point."""

    point: Floats
    value: float
    gradient: Floats
    hessian: Floats


def posterior(block: Block, log_prior: Floats, point: Floats) -> Posterior:
    """Apply the calibration ``point`` to the segments of a block."""
    level = log_prior + point[1:]
    gaps = point[0] * block.margins + (level[block.others] - level[block.own])[:, None]
    if gaps.max() < EXP_SAFE:
        odds = np.exp(gaps)
        total = odds.sum(axis=0)
        costs = np.log1p(total)
        own = 1.0 / (1.0 + total)
        others = odds * own
    else:  # take the largest exponent out; log1p still sees the cost of 0 of a segment that has none
        top = np.maximum(gaps.max(axis=0), 0.0)
        odds = np.exp(gaps - top)
        rest = odds.sum(axis=0) + np.expm1(-top)
        costs = top + np.log1p(rest)
        own = np.exp(-top) / (1.0 + rest)
        others = odds / (1.0 + rest)
    mean = (others * block.margins).sum(axis=0)
    return Posterior(costs, others, own, mean, block.margins - mean)


def expand(regression: Regression, point: Floats, counts: Sequence[Floats] | None = None) -> Expansion:
    """Sum value, gradient and Hessian over all segments.

    ``counts`` has an array for each block: how often each segment was drawn, if not once.
    """
    size = len(point)
    value = 0.0
    gradient = np.zeros(size)
    hessian = np.zeros((size, size))
    for number, block in enumerate(regression.blocks):
        at = posterior(block, regression.log_prior, point)
        weight = regression.weights[block.own]
        times = np.full(len(at.costs), weight) if counts is None else weight * counts[number]
        others, own = block.others + 1, block.own + 1
        pull = at.others @ times
        value += float(times @ at.costs)
        gradient[0] += times @ at.mean
        gradient[others] += pull
        gradient[own] -= pull.sum()
        bent = at.others * at.spread
        hessian[0, 0] += times @ ((bent * at.spread).sum(axis=0) + at.own * at.mean**2)
        hessian[0, others] += bent @ times
        hessian[0, own] -= times @ (at.own * at.mean)
        hessian[np.ix_(others, others)] -= (at.others * times) @ at.others.T
        shared = at.others @ (times * at.own)
        hessian[others, own] -= shared
        hessian[own, others] -= shared
    hessian[1:, 0] = hessian[0, 1:]
    np.fill_diagonal(hessian[1:, 1:], 0.0)
    np.fill_diagonal(hessian[1:, 1:], -hessian[1:, 1:].sum(axis=1))
    return Expansion(point, value, gradient, hessian)


def slope(regression: Regression, point: Floats) -> float:
    """Give the derivative by alpha alone."""
    return sum(
        float(regression.weights[block.own] * posterior(block, regression.log_prior, point).mean.sum())
        for block in regression.blocks
    )
