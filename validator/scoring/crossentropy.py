"""The measures of the Albayzin 2012 LRE plan, section 4: multiclass cross-entropy and relative confusion.

    Cmce = sum_i pi_i / N_i sum_{t in class i} -ln P(L_i | l_t)      (eq. 6)
    Cdef = -sum_i pi_i ln pi_i                                       (eq. 7: what the default system has)
    Cmin = min over alpha, beta of Cmce(alpha l + beta)              (eq. 12)
    Fdef = exp(Cdef) - 1                                             (eq. 9)
    Fact = (exp(Cmce) - 1) / Fdef    Fdis = (exp(Cmin) - 1) / Fdef   (eq. 10, 13)
    Fcal = (Fact - Fdis) / Fdis                                      (eq. 14)

Natural logarithms throughout; lower is better.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.calibration import SEPARABLE, Calibration, calibrate
from validator.scoring.margins import OUT_OF_SET, Margins, log_costs

if TYPE_CHECKING:
    from validator.tables import Floats

_EXP_MOST = 709.7  # a cost beyond this has a confusion that no double can hold
_AS_GOOD_AS_DEFAULT = 1.0 - 1e-12
_MUCH_LOSS = 0.2


@dataclass(frozen=True, slots=True)
class Confusion:
    """Relative confusions of a system from its three costs; what is undefined is None with its reason beside it.

    ``fact`` and ``fcal`` are infinite where exp(Cmce) overflows; ``ln_fact`` still tells such systems apart.
    """

    fact: float
    ln_fact: float | None
    ln_fact_undefined: str | None
    fdis: float
    fcal: float | None
    fcal_undefined: str | None


@dataclass(frozen=True, slots=True)
class Measures:
    """All measures of one system in one condition.

    ``costs`` has the mean of -ln P(L_i | l_t) over the segments of each class: Cmce is their mean under the prior.
    """

    classes: tuple[str, ...]
    counts: tuple[int, ...]
    dropped: tuple[str, ...]
    costs: tuple[float, ...]
    cmce: float
    cdef: float
    cmin: float
    confusion: Confusion
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class PairMeasures:
    """The measures of a system that has to tell two languages apart (plan 4.4)."""

    first: str
    second: str
    measures: Measures


def measure(margins: Margins) -> Measures:
    """Compute every measure of section 4 for the segments that ``arrange`` has kept."""
    means = class_costs(margins)
    # Multiplied by the unit last and as plain floats: a mean beyond the largest double is infinity, quietly.
    cmce = float((margins.prior * means).sum()) * margins.unit
    cdef = default_cost(margins.prior)
    calibration = calibrate(margins, actual=cmce).calibration
    cmin = least_cost(calibration.cost, cmce, cdef)
    return Measures(
        margins.classes,
        margins.counts,
        margins.dropped,
        tuple(float(mean) * margins.unit for mean in means),
        cmce,
        cdef,
        cmin,
        confusion(cmce, cmin, cdef),
        calibration,
    )


def measure_pairs(margins: Margins) -> tuple[PairMeasures, ...]:
    """Measure each pair of target languages, in column order; out-of-set is no language and never in a pair."""
    targets = [number for number, name in enumerate(margins.classes) if name != OUT_OF_SET]
    return tuple(
        PairMeasures(margins.classes[i], margins.classes[j], measure(margins.pair(i, j)))
        for i, j in combinations(targets, 2)
    )


def class_costs(margins: Margins) -> Floats:
    """Give the mean logarithmic cost of each class, in the unit of the margins."""
    sums = np.zeros(len(margins.classes))
    for block in margins.blocks:
        sums[block.own] += log_costs(block, margins.prior, margins.unit).sum()
    means: Floats = sums / np.array(margins.counts)
    return means


def default_cost(prior: Floats) -> float:
    """Give Cdef, the entropy of the prior (eq. 7)."""
    return -float((prior * np.log(prior)).sum())


def least_cost(calibrated: float, cmce: float, cdef: float) -> float:
    """Give Cmin: no worse than doing nothing or than the default system, and 0 where the scores are separable."""
    least = min(calibrated, cmce, cdef)
    return 0.0 if least < SEPARABLE else least


def confusion(cmce: float, cmin: float, cdef: float) -> Confusion:
    """Turn costs into relative confusions (eq. 8 to 14)."""
    fdef = math.expm1(cdef)
    fact = math.expm1(cmce) / fdef if cmce <= _EXP_MOST else math.inf
    fdis = math.expm1(cmin) / fdef
    no_log = None if cmce > 0 else "Fact is 0: it has no logarithm"
    no_loss = None if fdis > 0 else "Fdis is 0, the scores separate the classes: there is nothing to compare Fact with"
    return Confusion(
        fact,
        None if no_log else _log_expm1(cmce) - math.log(fdef),
        no_log,
        fdis,
        None if no_loss else (fact - fdis) / fdis,
        no_loss,
    )


def _log_expm1(cost: float) -> float:
    """Give ln(exp(cost) - 1) without overflow for large costs or lost digits for small ones."""
    if cost < 1.0:
        return math.log(math.expm1(cost))
    return cost + math.log1p(-math.exp(-cost))


class Caution(Enum):
    """What a participant should hear even if nobody asks."""

    SCALE_NOT_POSITIVE = "the best scale is not positive: higher scores do not mean more likely"
    NO_BETTER_THAN_DEFAULT = "no better than the default system, which knows nothing"
    CALIBRATION_LOSS = "more than a fifth is lost by calibration"


@dataclass(frozen=True, slots=True)
class CalibrationHint:
    """How much of Fact is calibration loss, and what would have removed it on this very data.

    ``loss`` = Fact - Fdis and ``share`` = loss / Fact, None if Fact is 0.
    """

    loss: float
    share: float | None
    calibration: Calibration
    cautions: tuple[Caution, ...]


def calibration_hint(measures: Measures) -> CalibrationHint:
    """Say what calibration costs this system."""
    found = measures.confusion
    scale = measures.calibration.scale
    loss = found.fact - found.fdis
    share = 1.0 if math.isinf(found.fact) else loss / found.fact if found.fact > 0 else None
    raised = {
        Caution.SCALE_NOT_POSITIVE: measures.calibration.negative or scale == 0,
        Caution.NO_BETTER_THAN_DEFAULT: found.fact >= _AS_GOOD_AS_DEFAULT,
        Caution.CALIBRATION_LOSS: found.fcal is not None and found.fcal > _MUCH_LOSS,
    }
    return CalibrationHint(loss, share, measures.calibration, tuple(what for what, is_so in raised.items() if is_so))
