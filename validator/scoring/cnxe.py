"""Normalised cross entropy of detection scores read as log-likelihood ratios (SWS 2013 measures, 4.2.3 to 4.2.5).

With the effective prior Ptar = 1 / (1 + beta), L = ln(Ptar / (1 - Ptar)) and softplus(x) = ln(1 + e^x)::

    Cxe ln 2  =      Ptar  / |Ttrue|  sum over target trials      softplus(-(llr + L))     (eq. 43)
              + (1 - Ptar) / |Tfalse| sum over non-target trials  softplus(  llr + L )
    Cnxe      = Cxe / (the same with llr = 0 everywhere)                                   (eq. 39, 40)

Trials that were not submitted are censored: their llr is the lowest submitted score (eq. 42). They are a number of
trials at one score, so everything here works on distinct scores with numbers of trials, never on the |Q| x N trials.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.affine import Classes, Mass, best_affine_map, pooled_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.tables import Floats

    Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CensoredTrials:
    """What a system submitted of the trials of the scored queries, those with a reference.

    ``aligned`` and ``unaligned`` are the scores of all their detections, YES and NO, in any order.
    The other columns have one row for each scored query: N_act(q) target trials, N - N_act(q) non-target trials,
    and how many of the unaligned detections are the query's.
    """

    aligned: Floats
    unaligned: Floats
    targets: Counts
    nontargets: Counts
    unaligned_detections: Counts


@dataclass(frozen=True, slots=True)
class CnxeMeasures:
    """The score measures of SWS 2013; ``reason`` says why those that are None are None.

    ``min_cnxe`` is the minimum over llr -> scale llr + offset, of any sign (eq. 44, 45), ``min_cnxe_pav`` that over all
    non-decreasing maps, ``calibration_loss`` the difference of ``cnxe`` and ``min_cnxe``. A minimum that is
    approached but not attained is a number all the same; then scale and offset are None. ``cxe_bits`` is Cxe and
    ``lowest_score`` the llr of the censored trials.
    """

    cnxe: float | None = None
    min_cnxe: float | None = None
    min_cnxe_pav: float | None = None
    calibration_loss: float | None = None
    calibration_scale: float | None = None
    calibration_offset: float | None = None
    cxe_bits: float | None = None
    lowest_score: float | None = None
    reason: str = ""

    def measures(self) -> dict[str, float | None]:
        """Give the figures under their published names."""
        return {
            "Cnxe": self.cnxe,
            "minCnxe": self.min_cnxe,
            "minCnxe_pav": self.min_cnxe_pav,
            "calibration_loss": self.calibration_loss,
            "calibration_scale": self.calibration_scale,
            "calibration_offset": self.calibration_offset,
        }


def effective_prior(beta: float) -> float:
    """Give Ptar = 1 / (1 + beta), the prior that with equal costs is the same operating point (eq. 23)."""
    return 1 / (1 + beta)


def crowded_queries(trials: CensoredTrials) -> NDArray[np.intp]:
    """Give the rows of the queries with more unaligned detections than non-target trials.

    Their Pfa could exceed 1 and the number of their censored trials would be negative: such a list is not scored.
    """
    return np.flatnonzero(trials.unaligned_detections > trials.nontargets)


def measure_cnxe(trials: CensoredTrials, beta: float) -> CnxeMeasures:
    """Measure the scores of a system at the operating point beta = (Cfa / Cmiss) (1 / Ptarget - 1).

    Time is that of sorting the scores. A system without any detection knows nothing: all llr are 0, Cnxe is 1.
    """
    reason = _refusal(trials, beta)
    if reason:
        return CnxeMeasures(reason=reason)
    prior_bits = _prior_entropy(beta) / math.log(2)
    if not len(trials.aligned) + len(trials.unaligned):
        return CnxeMeasures(1.0, 1.0, 1.0, 0.0, cxe_bits=prior_bits, reason="there is no detection")
    lowest = min(float(scores.min()) for scores in (trials.aligned, trials.unaligned) if len(scores))
    classes = _weigh(trials, beta, lowest)
    cnxe = classes.loss()
    affine = best_affine_map(classes)
    # Leaving the scores alone and ignoring them are maps too: rounding must not put a minimum above them.
    minimum = None if affine.loss is None else min(affine.loss, cnxe, 1.0)
    return CnxeMeasures(
        cnxe=cnxe,
        min_cnxe=minimum,
        min_cnxe_pav=min(_isotonic_loss(classes), cnxe, 1.0),
        calibration_loss=None if minimum is None else cnxe - minimum,
        calibration_scale=affine.scale,
        calibration_offset=affine.offset,
        cxe_bits=cnxe * prior_bits,
        lowest_score=lowest,
        reason=affine.reason,
    )


def _refusal(trials: CensoredTrials, beta: float) -> str:
    """Say why nothing can be measured, in a few words; empty if it can."""
    if len(trials.aligned) > trials.targets.sum() or len(trials.unaligned) != trials.unaligned_detections.sum():
        raise ValueError("the detections do not add up to those of the queries")
    crowded = len(crowded_queries(trials))
    if crowded:
        queries = "1 query has" if crowded == 1 else f"{crowded} queries have"
        return f"{queries} more unaligned detections than non-target trials"
    if not trials.targets.sum():
        return "there is no target trial"
    if not trials.nontargets.sum():
        return "there is no non-target trial"
    if not (beta > 0 and 0 < _prior_entropy(beta) < math.inf):
        return f"beta is {beta:g}: there is no uncertainty to reduce"
    submitted = [scores for scores in (trials.aligned, trials.unaligned) if len(scores)]
    extremes = [float(end) for scores in submitted for end in (scores.min(), scores.max())]
    return "" if all(map(math.isfinite, extremes)) else "a score is not a finite number"


def _prior_entropy(beta: float) -> float:
    """Give Cprior ln 2 = Ptar ln(1 / Ptar) + (1 - Ptar) ln(1 / (1 - Ptar)) for Ptar = 1 / (1 + beta) (eq. 39)."""
    return math.log1p(beta) / (1 + beta) + math.log1p(1 / beta) * (beta / (1 + beta))


def _weigh(trials: CensoredTrials, beta: float, lowest: float) -> Classes:
    """Gather the trials of each class, submitted and censored, weighted so that the loss of llr = 0 is 1."""
    target, nontarget = int(trials.targets.sum()), int(trials.nontargets.sum())
    prior = effective_prior(beta)
    entropy = _prior_entropy(beta)
    return Classes(
        targets=_gather(trials.aligned, target, lowest, weight=prior / target / entropy),
        nontargets=_gather(trials.unaligned, nontarget, lowest, weight=beta * prior / nontarget / entropy),
        prior_log_odds=-math.log(beta),
    )


def _gather(scores: Floats, trials: int, lowest: float, *, weight: float) -> Mass:
    """Pool equal scores of one class; its trials that were not submitted are at the lowest score."""
    score, count = np.unique(scores, return_counts=True)
    censored = trials - len(scores)
    if censored and len(score) and score[0] == lowest:
        count[0] += censored
    elif censored:
        score, count = np.append(lowest, score), np.append(censored, count)
    return Mass(score, count.astype(np.float64), weight)


def _isotonic_loss(classes: Classes) -> float:
    """Give the least loss of all non-decreasing maps of the scores, by pooling adjacent violators."""
    target, nontarget = _pool(*_levels(classes))
    return pooled_loss(target * classes.targets.weight, nontarget * classes.nontargets.weight)


def _levels(classes: Classes) -> tuple[Floats, Floats]:
    """Give the numbers of target and non-target trials in ascending order of the scores, equal scores together.

    All non-targets between two neighbouring target scores are one level: they have the same odds, 0.
    """
    targets, nontargets = classes.targets, classes.nontargets
    below = np.append(0.0, np.cumsum(nontargets.trials))
    left = below[np.searchsorted(nontargets.score, targets.score, side="left")]
    right = below[np.searchsorted(nontargets.score, targets.score, side="right")]
    target = np.zeros(2 * len(targets.score) + 1)
    nontarget = np.empty_like(target)
    target[1::2] = targets.trials
    nontarget[1::2] = right - left
    nontarget[0::2] = np.append(left, below[-1]) - np.append(0.0, right)
    occupied = (target > 0) | (nontarget > 0)
    return target[occupied], nontarget[occupied]


def _pool(target: Floats, nontarget: Floats) -> tuple[Floats, Floats]:
    """Pool neighbours until the odds ascend strictly.

    Each round pools every run of odds that do not ascend, which is what pooling its pairs one by one ends in.
    Random scores need a few rounds. The worst order pools one pair in each, but then nearly all odds ascend, and
    there are only about D^(2/3) different odds among D detections: never quadratic in them.
    """
    while True:
        ascends = target[:-1] * nontarget[1:] < target[1:] * nontarget[:-1]
        if ascends.all():
            return target, nontarget
        first = np.append(0, np.flatnonzero(ascends) + 1)
        target, nontarget = np.add.reduceat(target, first), np.add.reduceat(nontarget, first)
