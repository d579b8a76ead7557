"""How far the cross-entropy measures could have come out otherwise: bootstrap over segments, language by language.

A resample draws N_i segments with replacement from the N_i of each class, so that the weights pi_i / N_i of eq. 6 of
the Albayzin 2012 LRE plan stay what they are, and is calibrated anew. Intervals run between order statistics of the
resamples (percentile method): infinities need no arithmetic, and Fact and Cmce tell the same story.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.calibration import Optimum, calibrate, minimise
from validator.scoring.crossentropy import class_costs, confusion, default_cost, least_cost
from validator.scoring.margins import Margins, log_costs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from validator.scoring.bootstrap import Bootstrap
    from validator.tables import Floats

_AT_ONCE = 2_000_000  # numbers in the arrays of one batch of resamples
_PRECISION = 1e-9  # relative, of Cmin of a resample: chance is a thousand times larger


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the measure lies in ``level`` of the resamples."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of one system's measures; that of Fcal is None, with the reason, if a resample leaves it undefined."""

    bootstrap: Bootstrap
    cmce: Interval
    cmin: Interval
    fact: Interval
    fdis: Interval
    fcal: Interval | None
    fcal_undefined: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Second system minus first, its interval over the same resamples of both, and the two-sided p-value of none.

    All three are None, with the reason, where a value is infinite.
    """

    value: float | None
    interval: Interval | None
    p_value: float | None
    undefined: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same segments: below 0 the second is better."""

    bootstrap: Bootstrap
    cmce: Difference
    cmin: Difference
    fact: Difference
    fdis: Difference


@dataclass(frozen=True, slots=True)
class _System:
    margins: Margins
    costs: tuple[Floats, ...]  # of each block, in units of the margins
    cdef: float
    cmce: float
    optimum: Optimum

    @property
    def cmin(self) -> float:
        return least_cost(self.optimum.calibration.cost, self.cmce, self.cdef)


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """Costs of a system: entry 0 as measured, behind it one for each resample."""

    cdef: float
    cmce: tuple[float, ...]
    cmin: tuple[float, ...]

    @property
    def fact(self) -> tuple[float, ...]:
        return tuple(confusion(cost, 0.0, self.cdef).fact for cost in self.cmce)

    @property
    def fdis(self) -> tuple[float, ...]:
        return tuple(confusion(0.0, cost, self.cdef).fdis for cost in self.cmin)


def intervals(margins: Margins, bootstrap: Bootstrap) -> Intervals:
    """Resample the segments of one system."""
    (found,) = _outcomes([_system(margins)], bootstrap)
    losses = [confusion(*costs, found.cdef).fcal for costs in zip(found.cmce[1:], found.cmin[1:], strict=True)]
    defined = [loss for loss in losses if loss is not None]
    missing = len(losses) - len(defined)
    return Intervals(
        bootstrap,
        _interval(found.cmce[1:], bootstrap.level),
        _interval(found.cmin[1:], bootstrap.level),
        _interval(found.fact[1:], bootstrap.level),
        _interval(found.fdis[1:], bootstrap.level),
        None if missing else _interval(defined, bootstrap.level),
        f"undefined in {missing} of {len(losses)} resamples: Fdis is 0 there" if missing else None,
    )


def compare(first: Margins, second: Margins, bootstrap: Bootstrap) -> Comparison:
    """Resample two systems together; both must have scored the same segments in the same order."""
    if (first.classes, first.counts) != (second.classes, second.counts):
        raise ValueError("the two systems were not scored on the same segments")
    one, other = _outcomes([_system(first), _system(second)], bootstrap)

    def difference(measure: Callable[[_Outcomes], tuple[float, ...]]) -> Difference:
        return _difference(measure(one), measure(other), bootstrap.level)

    return Comparison(
        bootstrap,
        cmce=difference(lambda found: found.cmce),
        cmin=difference(lambda found: found.cmin),
        fact=difference(lambda found: found.fact),
        fdis=difference(lambda found: found.fdis),
    )


def _difference(first: Sequence[float], second: Sequence[float], level: float) -> Difference:
    if not all(map(math.isfinite, (*first, *second))):
        return Difference(None, None, None, "infinite for one of the systems, as measured or in a resample")
    value, *resampled = (b - a for a, b in zip(first, second, strict=True))
    rarer = min(sum(change <= 0 for change in resampled), sum(change >= 0 for change in resampled))
    p_value = min(1.0, 2.0 * (1 + rarer) / (1 + len(resampled)))
    return Difference(value, _interval(resampled, level), p_value, None)


def _interval(values: Sequence[float], level: float) -> Interval:
    ordered = sorted(values)
    outside = min(int((1.0 - level) / 2 * len(ordered)), (len(ordered) - 1) // 2)
    return Interval(ordered[outside], ordered[-1 - outside])


def _system(margins: Margins) -> _System:
    cmce = float((margins.prior * class_costs(margins)).sum()) * margins.unit
    return _System(
        margins,
        tuple(log_costs(block, margins.prior, margins.unit) for block in margins.blocks),
        default_cost(margins.prior),
        cmce,
        calibrate(margins, actual=cmce),
    )


def _outcomes(systems: Sequence[_System], bootstrap: Bootstrap) -> list[_Outcomes]:
    """Run every system over the same resamples."""
    cmce = [[system.cmce] for system in systems]
    cmin = [[system.cmin] for system in systems]
    for counts in _batches(systems[0].margins, bootstrap):
        for number, system in enumerate(systems):
            actual = _actual_costs(system, counts)
            calibrated = _calibrated_costs(system, counts)
            cmce[number] += actual
            cmin[number] += [least_cost(c, a, system.cdef) for c, a in zip(calibrated, actual, strict=True)]
    return [
        _Outcomes(system.cdef, tuple(actual), tuple(least))
        for system, actual, least in zip(systems, cmce, cmin, strict=True)
    ]


def _batches(margins: Margins, bootstrap: Bootstrap) -> Iterator[list[Floats]]:
    """Draw resamples, many at once: for each block, resamples x segments, how often each segment was drawn."""
    random = np.random.default_rng(bootstrap.seed)
    batch = max(1, _AT_ONCE // (sum(margins.counts) * len(margins.classes)))
    for start in range(0, bootstrap.resamples, batch):
        many = min(batch, bootstrap.resamples - start)
        counts: list[Floats] = []
        for own, size in enumerate(margins.counts):
            drawn = random.integers(size, size=(many, size)) + size * np.arange(many)[:, None]
            times = np.bincount(drawn.ravel(), minlength=many * size).reshape(many, size).astype(np.float64)
            widths = [block.margins.shape[1] for block in margins.blocks if block.own == own]
            counts += np.split(times, np.cumsum(widths)[:-1], axis=1)
        yield counts


def _actual_costs(system: _System, counts: Sequence[Floats]) -> list[float]:
    margins = system.margins
    weights = margins.prior / np.array(margins.counts)
    total = np.zeros(len(counts[0]))
    for block, costs, times in zip(margins.blocks, system.costs, counts, strict=True):
        total += weights[block.own] * (times @ costs)
    return [float(cost) * margins.unit for cost in total]


def _calibrated_costs(system: _System, counts: Sequence[Floats]) -> list[float]:
    optimum, many = system.optimum, len(counts[0])
    if optimum.standard is None or not optimum.calibration.cost:
        # What says nothing of any segment, or separates all of them, does so for those that were drawn.
        return [optimum.calibration.cost] * many
    starts = np.repeat(optimum.point[None], many, axis=0)
    found = minimise(optimum.standard.regression, starts, counts, precision=_PRECISION)
    return [float(cost) for cost in found.costs]
