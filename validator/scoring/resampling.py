"""How sure a measure is: bootstrap over keywords, and paired comparison of two systems.

Keywords are what differs from one test to the next, so keywords are drawn: with replacement, as many as there are.
All randomness comes from one seed, which is part of the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from validator.scoring.trials import Counts, Trials
    from validator.scoring.twv import Twv
    from validator.tables import Floats

_CELLS = 1 << 22  # of a matrix of draws that is in memory at once


@dataclass(frozen=True, slots=True)
class Resampling:
    """How often keywords are drawn, from which seed, and how much an interval covers.

    MTWV is looked for at ``thresholds`` points of the DET curve, spread evenly.
    """

    rounds: int = 2000
    seed: int = 20130411
    coverage: float = 0.95
    thresholds: int = 400


@dataclass(frozen=True, slots=True)
class Interval:
    """Between ``low`` and ``high`` lies the stated share of all rounds."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """System A against system B over the keywords that both are evaluated on.

    ``difference`` is the mean of TWV(A) - TWV(B). ``p_value`` is two-sided: how often the mean is at least as far from
    0 when the two systems are exchanged at random, keyword by keyword; the data itself counts as one of the rounds.
    """

    keywords: int
    difference: float
    interval: Interval
    p_value: float
    better: int
    equal: int
    worse: int
    settings: Resampling


def intervals(result: Twv, table: Trials, settings: Resampling, *, reject_all: bool) -> Mapping[str, Interval]:
    """Return bootstrap intervals of ATWV, MTWV, OTWV, STWV_supremum, PMiss, PFA and MAP.

    Measures that are not defined have none; with fewer than two evaluated keywords nothing has. ``reject_all``
    says whether rejecting everything is a threshold (as in the conventions).
    """
    chosen = np.flatnonzero(result.basis.evaluated)
    if len(chosen) < 2 or result.values["ATWV"] is None:
        return {}
    misses, alarms = _points(result, table, settings, chosen)
    rates = result.basis.rates
    miss_rate = misses / np.where(rates.missing, rates.targets, 1)[chosen, None] * rates.missing[chosen, None]
    alarm_rate = alarms / np.where(rates.alarming, rates.non_targets, 1.0)[chosen, None] * rates.alarming[chosen, None]
    precision = None if result.average_precision is None else np.nan_to_num(result.average_precision[chosen])
    drawn: dict[str, list[Floats]] = {}
    for weights in _weights(settings, len(chosen)):
        with np.errstate(invalid="ignore", divide="ignore"):  # a round without targets has no rate
            p_miss = weights @ miss_rate / (weights @ rates.missing[chosen])[:, None]
            p_fa = weights @ alarm_rate / (weights @ rates.alarming[chosen])[:, None]
        twv = 1 - (p_miss + rates.beta * p_fa)
        best = twv[:, 3:].max(axis=1, initial=0.0 if reject_all or not len(result.det) else -np.inf)
        found = {"ATWV": twv[:, 0], "PMiss": p_miss[:, 0], "PFA": p_fa[:, 0], "MTWV": best}
        found |= {
            name: twv[:, at] for at, name in ((1, "OTWV"), (2, "STWV_supremum")) if result.values[name] is not None
        }
        if precision is not None:
            found["MAP"] = weights @ precision / len(chosen)
        for name, values in found.items():
            drawn.setdefault(name, []).append(values)
    return {name: _interval(np.concatenate(parts), settings) for name, parts in drawn.items()}


def compare(first: Twv, second: Twv, settings: Resampling) -> Comparison | None:
    """Compare two systems keyword by keyword; None if they share fewer than two keywords."""
    both = first.basis.evaluated & second.basis.evaluated & np.isfinite(first.twv) & np.isfinite(second.twv)
    difference = (first.twv - second.twv)[both]
    count = len(difference)
    if count < 2:
        return None
    mean = float(difference.mean())
    means = np.concatenate([weights @ difference / count for weights in _weights(settings, count)])
    generator = np.random.default_rng(settings.seed + 1)
    step = max(_CELLS // count, 1)
    extreme = 1
    for begin in range(0, settings.rounds, step):
        rows = min(step, settings.rounds - begin)
        signs = 1.0 - 2.0 * generator.integers(0, 2, (rows, count))
        extreme += int((np.abs(signs @ difference / count) >= abs(mean) * (1 - 1e-12)).sum())
    return Comparison(
        keywords=count,
        difference=mean,
        interval=_interval(means, settings),
        p_value=extreme / (settings.rounds + 1),
        better=int((difference > 0).sum()),
        equal=int((difference == 0).sum()),
        worse=int((difference < 0).sum()),
        settings=settings,
    )


def _weights(settings: Resampling, count: int) -> Iterator[Floats]:
    """Yield, a number of rounds at a time, how often each of ``count`` keywords was drawn."""
    generator = np.random.default_rng(settings.seed)
    step = max(_CELLS // count, 1)
    for begin in range(0, settings.rounds, step):
        rows = min(step, settings.rounds - begin)
        draws = generator.integers(0, count, (rows, count)) + np.arange(rows)[:, None] * count
        yield np.bincount(draws.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)


def _interval(values: Floats, settings: Resampling) -> Interval:
    tail = (1 - settings.coverage) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _points(result: Twv, table: Trials, settings: Resampling, chosen: Counts) -> tuple[Counts, Counts]:
    """Return misses and false alarms by keyword: actual, optimum, supremum, and at points of the curve."""
    threshold = result.det.thinned(settings.thresholds).threshold
    blocks, width = len(table.member), len(threshold) + 1
    cell = table.keyword.astype(np.int64) * width + np.searchsorted(threshold, table.score, side="right")
    found = np.bincount(cell[table.target], minlength=blocks * width).reshape(blocks, width)
    alarms = np.bincount(cell[~table.target], minlength=blocks * width).reshape(blocks, width)
    below = table.omitted[:, None] + np.cumsum(found, axis=1)[:, :-1]
    above = alarms.sum(axis=1)[:, None] - np.cumsum(alarms, axis=1)[:, :-1]
    zero = np.zeros(blocks, dtype=np.int64)
    misses = np.column_stack([result.basis.tally.misses, result.optimum.misses, table.omitted, below])
    false_alarms = np.column_stack([result.basis.tally.false_alarms, result.optimum.false_alarms, zero, above])
    return misses[chosen], false_alarms[chosen]
