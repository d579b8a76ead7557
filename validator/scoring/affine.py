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
_GAIN = 1e-13  # of the loss; a step that promises less is the last, and rounding may hide as much
_HUGE = 1e300  # scores from here on are scaled down first
_TINY = 1e-300
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
class AffineMap:
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
class _Fit:
    """Where an iteration ended."""

    line: _Line
    loss: float
    converged: bool


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


def best_affine_map(classes: Classes) -> AffineMap:
    """Find the least loss over scale and offset, both of any sign."""
    if classes.targets.score[0] >= classes.nontargets.score[-1]:
        return _limit(classes, target=0, nontarget=-1)
    if classes.targets.score[-1] <= classes.nontargets.score[0]:
        return _limit(classes, target=-1, nontarget=0)
    frame = _overlap(classes)
    points = (frame.points(classes.targets, -1.0), frame.points(classes.nontargets, 1.0))
    rough = _descend(tuple(_thin(each) for each in points), _Line(1.0, classes.prior_log_odds, 0.0))
    fit = _descend(points, rough.line)
    if not fit.converged:
        return AffineMap(None, None, None, "the search for the least loss did not end")
    scale = frame.direction * fit.line.slope / frame.half_width
    at_zero = fit.line.level - fit.line.slope * (fit.line.pivot + frame.centre / frame.half_width)
    if not (math.isfinite(scale) and math.isfinite(at_zero)):
        return AffineMap(fit.loss, None, None, "the best scale is beyond the range of a double")
    return AffineMap(fit.loss, scale, at_zero - classes.prior_log_odds, "")


def _limit(classes: Classes, *, target: int, nontarget: int) -> AffineMap:
    """Give the infimum for classes that touch at most at one score, the ends ``target`` and ``nontarget`` of them.

    An ever larger scale takes all other trials to certainty. The trials at the common score, if there is one,
    keep the odds of their weights. It is attained only if no other trials exist, and then any scale does.
    """
    targets, nontargets = classes.targets, classes.nontargets
    if targets.score[target] != nontargets.score[nontarget]:
        loss = 0.0
    else:
        t, n = targets.trials[[target]] * targets.weight, nontargets.trials[[nontarget]] * nontargets.weight
        loss = pooled_loss(t, n)
    if len(targets.score) == len(nontargets.score) == 1 and loss:
        reason = "all scores are equal: no scale is better than another"
    else:
        side, size = ("below", "larger") if target == 0 else ("above", "more negative")
        reason = f"no target trial scores {side} a non-target trial: an ever {size} scale is ever better"
    return AffineMap(loss, None, None, reason)


def _overlap(classes: Classes) -> _Frame:
    """Choose the positions for the regression.

    At scale 0 the loss falls towards the class with the higher mean, so the sign of the best scale is known.
    The overlap, from the lowest target to the highest non-target as seen in that direction, sets the unit:
    trials outside of it are on their right side of everything, however far away, and must not shrink the rest.
    """
    targets, nontargets = classes.targets, classes.nontargets
    largest = max(abs(float(end)) for mass in (targets, nontargets) for end in (mass.score[0], mass.score[-1]))
    shrink = 1.0 if largest < _HUGE else 0.25  # differences of scores must not overflow
    if _mean(targets, largest) >= _mean(nontargets, largest):
        direction, low, high = shrink, shrink * float(targets.score[0]), shrink * float(nontargets.score[-1])
    else:
        direction, low, high = -shrink, -shrink * float(targets.score[-1]), -shrink * float(nontargets.score[0])
    return _Frame(direction, (low + high) / 2, max((high - low) / 2, math.ulp(0.0)))


def _mean(mass: Mass, unit: float) -> float:
    """Give the mean score in units of the largest magnitude, in which it cannot overflow."""
    return float(np.sum(mass.score / unit * mass.trials) / np.sum(mass.trials))


def _thin(points: _Points) -> _Points:
    """Merge neighbours into their mean where there are many; the ends stay, so the classes still overlap."""
    size = len(points.position)
    if size <= _COARSE:
        return points
    first = np.append(0, np.linspace(1, size - 1, _COARSE).astype(np.intp))
    weight = np.add.reduceat(points.weight, first)
    return _Points(np.add.reduceat(points.weight * points.position, first) / weight, weight, points.sign)


def _descend(classes: tuple[_Points, ...], line: _Line) -> _Fit:
    """Minimise the loss by Newton steps, halved until they help.

    The pivot moves to the mean position as weighted by the curvature. There level and slope do not influence each
    other, to second order: the step is two divisions, and each part of it may be cut by itself.
    """
    here = _expand(classes, line)
    for _ in range(_STEPS):
        shift = here.level_slope / max(here.level_level, _TINY)
        line = _Line(line.slope, line.level + line.slope * shift, line.pivot + shift)
        by_slope = here.by_slope - shift * here.by_level
        curvature = max(here.slope_slope - shift * here.level_slope, _TINY)
        level = min(max(-here.by_level / max(here.level_level, _TINY), -_LONGEST_STEP), _LONGEST_STEP)
        # The best slope is not negative: stay on its side of 0, where a step that fails would be halved for long.
        slope = min(max(-by_slope / curvature, -0.99 * line.slope), _LONGEST_STEP + 4 * line.slope)
        gain = -(level * here.by_level + slope * by_slope)
        if gain < _GAIN:
            return _Fit(_Line(line.slope + slope, line.level + level, line.pivot), here.loss, converged=True)
        for halving in range(_HALVINGS):
            part = 0.5**halving
            ahead = _Line(line.slope + part * slope, line.level + part * level, line.pivot)
            there = _expand(classes, ahead)
            if there.loss <= here.loss - part * gain / 10000 + _GAIN:
                break
        else:
            return _Fit(line, here.loss, converged=False)
        line, here = ahead, there
    return _Fit(line, here.loss, converged=False)


def _expand(classes: tuple[_Points, ...], line: _Line) -> _Expansion:
    """Expand the loss at a line, a block of trials at a time."""
    sums = np.zeros(6)
    for points in classes:
        for part in _parts(len(points.position)):
            weight, v = points.weight[part], points.position[part] - line.pivot
            z = points.sign * (line.slope * v + line.level)
            e = np.exp(-np.abs(z))
            q = 1 / (1 + e)
            error = weight * q * np.where(z >= 0, points.sign, points.sign * e)
            curvature = weight * e * q * q
            moment = curvature * v
            loss = weight @ (np.maximum(z, 0.0) + np.log1p(e))
            sums += loss, error.sum(), error @ v, curvature.sum(), moment.sum(), moment @ v
    return _Expansion(*sums.tolist())


def _parts(size: int) -> Iterator[slice]:
    """Cut rows into blocks that stay in the cache."""
    return (slice(begin, begin + _BLOCK) for begin in range(0, size, _BLOCK))
