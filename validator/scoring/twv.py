"""Term-weighted value and its relatives (OpenKWS13 plan 5.1.2, 5.1.3).

::

    P_miss(kw) = N_miss / N_true        P_FA(kw) = N_FA / (trials - N_true)
    TWV = 1 - (mean P_miss + beta * mean P_FA)       means over the keywords with a reference

    ATWV               by the system's decisions
    MTWV               the best single threshold: a detection counts if its score is at least that
    OTWV               the best threshold of each keyword
    STWV_supremum      all detections that are references accepted, no false alarm
    MAP                mean average precision
    ATWV_all_keywords  P_FA averaged over all keywords (5.1.3.3)
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.conventions import MapOrder
from validator.scoring.det import Choice, Point, Rates, at_threshold, det, optimum, ranked
from validator.scoring.precision import average_precision
from validator.scoring.trials import tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from validator.scoring.conventions import TwvConventions, TwvParameters
    from validator.scoring.det import Det, Ranked
    from validator.scoring.trials import Counts, Tally, Trials
    from validator.tables import Flags, Floats

_NO_REFERENCE = "no keyword has a reference"
_NO_NON_TARGETS = "no keyword has a non-target trial: there is no more scored time than there are references"
_NO_DETECTION = "no detection of a keyword that has a reference"
_REJECT_ALL = "rejecting every detection is best"
_NO_TEXTS = "the official scorer ranks scores as text, and the texts were not kept"


class Basis(NamedTuple):
    """What is counted before anything is measured: which blocks count, their trials, and what the decisions imply.

    ``lowest_yes`` and ``highest_no`` are over all trials; the decisions follow one threshold if they do not cross.
    """

    evaluated: Flags
    tally: Tally
    rates: Rates
    lowest_yes: float | None
    highest_no: float | None

    @property
    def threshold(self) -> float | None:
        """The threshold that the decisions imply: midway between the lowest YES and the highest NO."""
        if self.lowest_yes is None or self.highest_no is None:
            return self.lowest_yes if self.highest_no is None else self.highest_no
        return (self.lowest_yes + self.highest_no) / 2

    @property
    def consistent(self) -> bool:
        """Whether the decisions follow one threshold."""
        return self.lowest_yes is None or self.highest_no is None or self.highest_no <= self.lowest_yes


class Twv(NamedTuple):
    """All measures of one experiment.

    ``values`` and ``undefined`` are by the measures' public names: what is None there has its reason here. The
    columns are by block (keyword of the KWList, or the pooled one): NaN is what is not defined for it.
    """

    values: Mapping[str, float | None]
    undefined: Mapping[str, str]
    basis: Basis
    p_miss: Floats
    p_fa: Floats
    twv: Floats
    average_precision: Floats | None
    optimum: Choice
    det: Det


def basis(table: Trials, parameters: TwvParameters) -> Basis:
    """Count the trials of an experiment."""
    counts = tally(table)
    evaluated = table.member if parameters.all_keywords else table.member & (counts.targets > 0)
    return Basis(
        evaluated=evaluated,
        tally=counts,
        rates=_rates(counts, table, evaluated, parameters.beta),
        lowest_yes=_extreme(table.score[table.yes], np.min),
        highest_no=_extreme(table.score[~table.yes], np.max),
    )


def measure(table: Trials, conventions: TwvConventions, parameters: TwvParameters) -> Twv:
    """Compute every measure of an experiment."""
    counted = basis(table, parameters)
    evaluated, counts, rates, _, _ = counted
    with_targets = table.member & (counts.targets > 0)
    order = ranked(table, evaluated)
    curve = det(order, rates)
    choice = optimum(order, rates, curve, reject_all=conventions.reject_all_point)
    has_texts = conventions.map_order is MapOrder.NUMBER or table.text is not None
    precision = average_precision(order, conventions.map_order, counts.targets) if has_texts else None
    found = _counted(counts, evaluated) | {"duration": table.duration_s, "trials": table.trials, "beta": rates.beta}
    found |= _named(_point(rates, counts.misses, counts.false_alarms), "ATWV", "PMiss", "PFA")
    found |= _maximum(order, rates, curve, reject_all=conventions.reject_all_point)
    readable = len(curve) > 0 or conventions.reject_all_point
    found["OTWV"] = _twv(rates, choice.misses, choice.false_alarms) if readable else _NO_DETECTION
    found["STWV_supremum"] = _twv(rates, table.omitted, 0 * table.omitted) if readable else _NO_DETECTION
    found["MAP"] = _mean_precision(precision, evaluated, with_targets)
    everything = _rates(counts, table, table.member, parameters.beta)
    found["ATWV_all_keywords"] = _twv(everything, counts.misses, counts.false_alarms)
    return Twv(
        values={name: None if isinstance(value, str) else value for name, value in found.items()},
        undefined={name: reason for name, reason in found.items() if isinstance(reason, str)},
        basis=counted,
        p_miss=rates.p_miss(counts.misses),
        p_fa=rates.p_fa(counts.false_alarms),
        twv=rates.twv(counts.misses, counts.false_alarms),
        average_precision=precision,
        optimum=choice,
        det=curve,
    )


def _rates(counts: Tally, table: Trials, evaluated: Flags, beta: float) -> Rates:
    non_targets = (table.trials - counts.targets).astype(np.float64)
    return Rates(
        targets=counts.targets,
        non_targets=non_targets,
        missing=evaluated & (counts.targets > 0),
        alarming=evaluated & (non_targets > 0),
        beta=beta,
    )


def _counted(counts: Tally, evaluated: Flags) -> dict[str, float | str]:
    return {
        "targets": int(counts.targets[evaluated].sum()),
        "correct": int(counts.correct[evaluated].sum()),
        "false_alarms": int(counts.false_alarms[evaluated].sum()),
        "misses": int(counts.misses[evaluated].sum()),
    }


def _point(rates: Rates, misses: Counts, false_alarms: Counts, threshold: float | None = None) -> Point | str:
    """Average over the blocks, or tell why that is not possible."""
    if not rates.missing.any():
        return _NO_REFERENCE
    if not rates.alarming.any():
        return _NO_NON_TARGETS
    p_miss = _mean(rates.p_miss(misses)[rates.missing])
    p_fa = _mean(rates.p_fa(false_alarms)[rates.alarming])
    return Point(threshold, p_miss, p_fa, 1 - (p_miss + rates.beta * p_fa))


def _mean(values: Floats) -> float:
    """Average without regard to order: the sum is rounded once."""
    return fsum(values.tolist()) / len(values)


def _twv(rates: Rates, misses: Counts, false_alarms: Counts) -> float | str:
    point = _point(rates, misses, false_alarms)
    return point if isinstance(point, str) else point.twv


def _named(point: Point | str, twv: str, p_miss: str, p_fa: str) -> dict[str, float | str]:
    if isinstance(point, str):
        return {twv: point, p_miss: point, p_fa: point}
    return {twv: point.twv, p_miss: point.p_miss, p_fa: point.p_fa}


def _maximum(order: Ranked, rates: Rates, curve: Det, *, reject_all: bool) -> dict[str, float | str]:
    """Find the best point of the curve, the lowest threshold among equals.

    Without a single point everything is rejected under either law.
    """
    top = int(np.argmax(curve.twv)) if len(curve) else -1
    rejects = not len(curve) or (reject_all and bool(curve.twv[top] < 0))
    threshold = None if rejects else float(curve.threshold[top])
    counts = at_threshold(order, threshold)
    point = _point(rates, counts.misses, counts.false_alarms, threshold)
    found = _named(point, "MTWV", "MTWV_PMiss", "MTWV_PFA")
    if isinstance(point, str):
        found["MTWV_threshold"] = point
    elif threshold is None:
        found["MTWV_threshold"] = _REJECT_ALL if len(curve) else _NO_DETECTION
    else:
        found["MTWV_threshold"] = threshold
    return found


def _mean_precision(precision: Floats | None, evaluated: Flags, with_targets: Flags) -> float | str:
    """Average AP over the evaluated blocks; one without targets adds 0."""
    if precision is None:
        return _NO_TEXTS
    if not with_targets.any():
        return _NO_REFERENCE
    return fsum(precision[with_targets].tolist()) / int(evaluated.sum())


def _extreme(values: Floats, which: Callable[[Floats], float]) -> float | None:
    return float(which(values)) if len(values) else None
