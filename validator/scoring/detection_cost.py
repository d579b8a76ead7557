"""Detection of events in clips: error rates, Normalized Detection Cost, the DET curve and what is best on it.

Sections are those of the MED11 plan. For an event E and a threshold DT (4.1):

    PMiss(E, DT) = misses / targets            targets with score < DT (the plan's PMD)
    PFA(E, DT)   = false alarms / nontargets   nontargets with score >= DT
    NDC          = (CostMiss PMiss Pt + CostFA PFA (1 - Pt)) / min(CostMiss Pt, CostFA (1 - Pt))      Appendix A
    TER          = CostFA (1 - Pt) / (CostMiss Pt)                                                    4.2

The DET curve has a point for each distinct score s, all trials with score >= s being accepted; minNDC is the least NDC
on it, at the lowest such threshold; NDC_at_TER is the NDC where the curve, its points joined by straight lines in the
plane of PFA and PMiss, first meets PMiss = TER PFA.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.clip_trials import split_events

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from validator.scoring.clip_trials import ClipTrials, DetectionConventions, EventTrials
    from validator.tables import Floats

    Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Costs:
    """The application profile (Appendix A)."""

    miss: float
    false_alarm: float
    target_prior: float

    @property
    def target_error_ratio(self) -> float:
        """TER: the slope of the line on which both errors cost the same."""
        return self.false_alarm * (1 - self.target_prior) / (self.miss * self.target_prior)

    def ndc(self, pmiss: Floats, pfa: Floats) -> Floats:
        """Return the Normalized Detection Cost of error rates."""
        of_miss, of_false_alarm = self.miss * self.target_prior, self.false_alarm * (1 - self.target_prior)
        return (of_miss * pmiss + of_false_alarm * pfa) / min(of_miss, of_false_alarm)


@dataclass(frozen=True, slots=True)
class Measured:
    """A value, or the reason why there is none."""

    value: float | None
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class DetCurve:
    """The points of a DET curve by ascending threshold; the threshold of the reject-all point is infinity."""

    threshold: Floats
    pmiss: Floats
    pfa: Floats
    ndc: Floats

    def __len__(self) -> int:
        return len(self.threshold)


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A place on a DET curve; no threshold if it lies between two points."""

    pmiss: float
    pfa: float
    ndc: float
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class EventCost:
    """The result of one event. Misses and false alarms are None where the event has no threshold."""

    threshold: float | None
    targets: int
    nontargets: int
    misses: int | None
    false_alarms: int | None
    pmiss: Measured
    pfa: Measured
    ndc: Measured
    min_ndc: Measured
    ndc_at_ter: Measured
    minimum: OperatingPoint | None
    crossing: OperatingPoint | None
    curve: DetCurve | None


MEASURES: dict[str, Callable[[EventCost], Measured]] = {
    "PMiss": lambda event: event.pmiss,
    "PFA": lambda event: event.pfa,
    "NDC": lambda event: event.ndc,
    "minNDC": lambda event: event.min_ndc,
    "NDC_at_TER": lambda event: event.ndc_at_ter,
}


@dataclass(frozen=True, slots=True)
class DetectionCost:
    """The results of all processed events."""

    events: tuple[EventCost, ...]

    @property
    def events_scored(self) -> int:
        """The number of events that have an NDC."""
        return sum(event.ndc.value is not None for event in self.events)

    def mean(self, measure: str) -> Measured:
        """Return the mean of one of MEASURES over the events where it is defined."""
        found = (MEASURES[measure](event).value for event in self.events)
        values = [value for value in found if value is not None]
        if not values:
            return Measured(None, f"no event has a {measure}")
        return Measured(math.fsum(values) / len(values))


def score_detection(trials: ClipTrials, costs: Costs, conventions: DetectionConventions) -> DetectionCost:
    """Score each event by itself (4)."""
    events = split_events(trials, conventions)
    pairs = zip(events, trials.threshold, strict=True)
    return DetectionCost(tuple(_event_cost(event, threshold, costs, conventions) for event, threshold in pairs))


@dataclass(frozen=True, slots=True)
class _Sorted:
    """The scores of an event's targets and nontargets, ascending, and how many of each have none."""

    targets: Floats
    nontargets: Floats
    absent_targets: int
    absent_nontargets: int

    @property
    def target_count(self) -> int:
        return len(self.targets) + self.absent_targets

    @property
    def nontarget_count(self) -> int:
        return len(self.nontargets) + self.absent_nontargets

    def misses(self, threshold: Floats) -> Counts:
        return np.searchsorted(self.targets, threshold) + self.absent_targets

    def false_alarms(self, threshold: Floats) -> Counts:
        return len(self.nontargets) - np.searchsorted(self.nontargets, threshold)


_NOTHING = _Sorted(np.zeros(0), np.zeros(0), 0, 0)


def _event_cost(
    event: EventTrials, threshold: float | None, costs: Costs, conventions: DetectionConventions
) -> EventCost:
    absent_targets = int(event.absent_target.sum())
    scores = _Sorted(
        np.sort(event.score[event.target]),
        np.sort(event.score[~event.target]),
        absent_targets,
        len(event.absent_target) - absent_targets,
    )
    if not scores.target_count and not conventions.counted_without_targets:
        scores = _NOTHING
    misses = false_alarms = None
    if threshold is not None:
        at = np.array([threshold])
        misses, false_alarms = int(scores.misses(at)[0]), int(scores.false_alarms(at)[0])
    pmiss = _rate(misses, scores.target_count, _NO_TARGET)
    pfa = _rate(false_alarms, scores.nontarget_count, _NO_NONTARGET)
    curve = _curve(scores, costs, conventions)
    minimum, least = _minimum(scores, curve)
    crossing, at_ter = _crossing(scores, curve, costs)
    counts = threshold, scores.target_count, scores.nontarget_count, misses, false_alarms
    return EventCost(*counts, pmiss, pfa, _actual(pmiss, pfa, costs), least, at_ter, minimum, crossing, curve)


_NO_TARGET = "no target trial"
_NO_NONTARGET = "no non-target trial"
_NO_SCORE = "no trial has a score"


def _rate(errors: int | None, trials: int, if_none: str) -> Measured:
    if not trials:
        return Measured(None, if_none)
    return Measured(None, "no threshold") if errors is None else Measured(errors / trials)


def _actual(pmiss: Measured, pfa: Measured, costs: Costs) -> Measured:
    if pmiss.value is None or pfa.value is None:
        return Measured(None, pmiss.undefined or pfa.undefined)
    return Measured(float(costs.ndc(np.array(pmiss.value), np.array(pfa.value))))


def _curve(scores: _Sorted, costs: Costs, conventions: DetectionConventions) -> DetCurve | None:
    """Return the DET curve; None if a rate is not defined, or there is no point."""
    threshold = np.sort(np.concatenate((scores.targets, scores.nontargets)), kind="stable")  # two ascending runs
    threshold = threshold[np.append(threshold[1:] != threshold[:-1], True)[: len(threshold)]]
    misses, false_alarms = scores.misses(threshold), scores.false_alarms(threshold)
    if conventions.reject_all_point:
        threshold, misses = np.append(threshold, np.inf), np.append(misses, scores.target_count)
        false_alarms = np.append(false_alarms, 0)
    if not scores.target_count or not scores.nontarget_count or not len(threshold):
        return None
    pmiss, pfa = misses / scores.target_count, false_alarms / scores.nontarget_count
    return DetCurve(threshold, pmiss, pfa, costs.ndc(pmiss, pfa))


def _why_no_curve(scores: _Sorted) -> str:
    return _NO_TARGET if not scores.target_count else _NO_NONTARGET if not scores.nontarget_count else _NO_SCORE


def _minimum(scores: _Sorted, curve: DetCurve | None) -> tuple[OperatingPoint | None, Measured]:
    if curve is None:
        return None, Measured(None, _why_no_curve(scores))
    at = int(np.argmin(curve.ndc))  # the first of equal ones: the lowest threshold
    rates = float(curve.pmiss[at]), float(curve.pfa[at]), float(curve.ndc[at])
    return OperatingPoint(*rates, float(curve.threshold[at])), Measured(rates[2])


def _crossing(scores: _Sorted, curve: DetCurve | None, costs: Costs) -> tuple[OperatingPoint | None, Measured]:
    if curve is None:
        return None, Measured(None, _why_no_curve(scores))
    pmiss, pfa = (rates[0] for rates in crossings(curve.pmiss[None], curve.pfa[None], costs.target_error_ratio))
    if math.isnan(pmiss):
        starts_beyond = curve.pmiss[0] > costs.target_error_ratio * curve.pfa[0]
        where = "begins beyond" if starts_beyond else "does not reach"
        return None, Measured(None, f"the DET curve {where} the line of the target error ratio")
    ndc = float(costs.ndc(pmiss, pfa))
    return OperatingPoint(float(pmiss), float(pfa), ndc), Measured(ndc)


def crossings(pmiss: Floats, pfa: Floats, ratio: float) -> tuple[Floats, Floats]:
    """Return where each curve, one a row, first meets PMiss = ratio PFA; NaN where it never does.

    Along a curve PMiss never falls and PFA never rises, so PMiss - ratio PFA changes its sign at most once.
    """
    beyond = pmiss - ratio * pfa
    reached = beyond >= 0
    at = reached.argmax(axis=1)
    before = np.maximum(at - 1, 0)
    curve = np.arange(len(at))
    low, high = beyond[curve, before], beyond[curve, at]
    met = reached.any(axis=1) & ((at > 0) | (high == 0))
    share = np.divide(low, low - high, out=np.zeros(len(at)), where=low != high)

    def between(rates: Floats) -> Floats:
        start, stop = rates[curve, before], rates[curve, at]
        return np.where(met, start + share * (stop - start), np.nan)

    return between(pmiss), between(pfa)


def real_time_factor(processing_h: float | None, clip_duration_s: Sequence[float] | Floats) -> Measured:
    """Return hours of processing by hours of video in the collection (4.1)."""
    video_h = math.fsum(clip_duration_s) / 3600
    if processing_h is None:
        return Measured(None, "no processing time")
    return Measured(processing_h / video_h) if video_h > 0 else Measured(None, "no hours of video")
