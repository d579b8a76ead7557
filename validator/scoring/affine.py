"""The affine map of scores that costs least: a logistic regression with two parameters and weighted trials.

The loss of the map s -> scale s + offset is, with the prior log odds L and softplus(x) = ln(1 + e^x)::

    sum over targets     weight softplus(-(scale s + offset + L))
  + sum over non-targets weight softplus(  scale s + offset + L )

It is convex. Where targets and non-targets overlap, its minimum is attained and found by a damped Newton iteration;
where they do not, it is the limit of an ever larger scale and has a closed form.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.tables import Floats

_BLOCK = 8192  # trials in the cache together; fewer than the number from which BLAS starts threads
_COARSE = 16384  # points of the rough regression whose result starts the exact one
_FAR = 1e100  # distances in units of the overlap that need not be told apart; their squares are still finite
_GAIN = 1e-15  # of the loss; a step that promises less is the last
_STEPS = 200
_HALVINGS = 60
_LONGEST_STEP = 20.0  # in log odds; farther away the quadratic model of the loss means nothing


@dataclass(frozen=True, slots=True)
class Mass:
    """The trials of one class: distinct scores in ascending order, the number of trials at each, the weight of one."""

    score: Floats
    trials: Floats
    weight: float


@dataclass(frozen=True, slots=True)
class Classes:
    """All trials, and the log odds of a target before any score is seen."""

    targets: Mass
    nontargets: Mass
    prior_log_odds: float

    def loss(self) -> float:
        """Give the loss of the scores as they are; infinite if it is beyond the range of a double."""
        total = 0.0
        with np.errstate(over="ignore"):
            for mass, sign in ((self.targets, -1.0), (self.nontargets, 1.0)):
                for part in _parts(len(mass.score)):
                    cost = softplus(sign * (mass.score[part] + self.prior_log_odds))
                    total += float(np.sum(cost * (mass.trials[part] * mass.weight)))
        return total


@dataclass(frozen=True, slots=True)
class Calibration:
    """The least loss and the map that has it; ``reason`` says why a value is None."""

    loss: float | None
    scale: float | None
    offset: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class _Points:
    """One class as the regression sees it; ``sign`` is -1 for targets, +1 for non-targets."""

    position: Floats
    weight: Floats
    sign: float


@dataclass(frozen=True, slots=True)
class _Line:
    """Log odds as a function of the position: slope (position - pivot) + level."""

    slope: float
    level: float
    pivot: float


@dataclass(frozen=True, slots=True)
class _Expansion:
    """The loss at a line, and its first and second derivatives in level and slope."""

    loss: float
    by_level: float
    by_slope: float
    level_level: float
    level_slope: float
    slope_slope: float


@dataclass(frozen=True, slots=True)
class _Frame:
    """Positions in which the overlap of the classes is [-1, 1] and targets tend to the right."""

    direction: float
    centre: float
    half_width: float

    def points(self, mass: Mass, sign: float) -> _Points:
        with np.errstate(over="ignore"):
            position = (self.direction * mass.score - self.centre) / self.half_width
        return _Points(np.clip(position, -_FAR, _FAR), mass.trials * mass.weight, sign)


def softplus(x: Floats) -> Floats:
    """Give ln(1 + e^x) without overflow."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def pooled_loss(target: Floats, nontarget: Floats) -> float:
    """Give the least loss of blocks of trials within which all must get the same score.

    In a block with target weight t and non-target weight n the best odds are t / n, the loss is
    t ln((t + n) / t) + n ln((t + n) / n), and nothing if one of them is 0.
    """
    mixed = (target > 0) & (nontarget > 0)
    t, n = target[mixed], nontarget[mixed]
    return float(np.sum(t * np.log1p(n / t) + n * np.log1p(t / n)))


def calibrate(classes: Classes) -> Calibration:
    """Find the least loss over scale and offset, both of any sign."""
    if classes.targets.score[0] >= classes.nontargets.score[-1]:
        return _limit(classes, target=0, nontarget=-1)
    if classes.targets.score[-1] <= classes.nontargets.score[0]:
        return _limit(classes, target=-1, nontarget=0)
    frame = _overlap(classes)
    problem = (frame.points(classes.targets, -1.0), frame.points(classes.nontargets, 1.0))
    line = _Line(1.0, classes.prior_log_odds, 0.0)
    rough = tuple(_thin(points) for points in problem)
    line, loss = _descend(rough, line)
    if rough != problem:
        line, loss = _descend(problem, line)
    if loss is None:
        return Calibration(None, None, None, f"the least loss was not found in {_STEPS} steps")
    scale = frame.direction * line.slope / frame.half_width
    offset = line.level - line.slope * (line.pivot + frame.centre / frame.half_width) - classes.prior_log_odds
    if not (math.isfinite(scale) and math.isfinite(offset)):
        return Calibration(loss, None, None, "the best scale is beyond the range of a double")
    return Calibration(loss, scale, offset, "")
