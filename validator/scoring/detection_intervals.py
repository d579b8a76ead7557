"""How far the detection costs could have come out otherwise: bootstrap over clips.

A resample draws as many clips with replacement as there are; a clip takes all its trials along, whatever the event, so
that events stay as dependent as they are. Intervals run between order statistics of the resamples (percentile method).

On a resampled curve only the scores of targets matter: between two of them PFA falls while PMiss stays, a straight
line. So each nontarget is only counted between which target scores it lies, and a curve has a point on either side of
each target score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.clip_trials import split_events
from validator.scoring.detection_cost import MEASURES, crossings, score_detection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from validator.scoring.bootstrap import Bootstrap
    from validator.scoring.clip_trials import ClipTrials, DetectionConventions, EventTrials
    from validator.scoring.detection_cost import Costs
    from validator.tables import Flags, Floats

    Weights = NDArray[np.int64]

_AT_ONCE = 1 << 21  # numbers in the arrays of one batch of resamples


@dataclass(frozen=True, slots=True)
class ClipInterval:
    """Where a measure lies in ``level`` of the resamples in which it is defined.

    ``low`` and ``high`` are None, with the reason, if the measure itself or all of its resamples are undefined.
    """

    low: float | None
    high: float | None
    undefined_resamples: int
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class DetectionIntervals:
    """Intervals of the means and of each event, by the names of MEASURES."""

    means: dict[str, ClipInterval]
    events: tuple[dict[str, ClipInterval], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Second system minus first, over the events where both are defined; below 0 the second is better.

    ``p_value`` is two-sided, of no difference. All are None, with the reason, where nothing can be compared.
    """

    value: float | None
    interval: ClipInterval
    p_value: float | None


@dataclass(frozen=True, slots=True)
class DetectionComparison:
    """Two systems on the same clips: differences of the means and of each event, by the names of MEASURES."""

    means: dict[str, Difference]
    events: tuple[dict[str, Difference], ...]


def detection_intervals(
    trials: ClipTrials, costs: Costs, conventions: DetectionConventions, bootstrap: Bootstrap
) -> DetectionIntervals:
    """Resample the clips of one system."""
    actual, resampled = _actual(trials, costs, conventions), _resampled((trials,), costs, conventions, bootstrap)[0]

    def interval(measure: str, pick: Callable[[Floats], Floats]) -> ClipInterval:
        return _interval(pick(actual[measure]), pick(resampled[measure]), bootstrap.level)

    events = range(len(trials.threshold))
    return DetectionIntervals(
        {measure: interval(measure, _mean) for measure in MEASURES},
        tuple({measure: interval(measure, _column(event)) for measure in MEASURES} for event in events),
    )


def compare_detection(
    first: ClipTrials, second: ClipTrials, costs: Costs, conventions: DetectionConventions, *, bootstrap: Bootstrap
) -> DetectionComparison:
    """Resample two systems together; both number the same events and the same clips."""
    if len(first.threshold) != len(second.threshold) or first.clips != second.clips:
        raise ValueError("the two systems were not scored on the same events and clips")
    actual = [_actual(trials, costs, conventions) for trials in (first, second)]
    resampled = _resampled((first, second), costs, conventions, bootstrap)

    def difference(measure: str, pick: Callable[[Floats], Floats]) -> Difference:
        value = pick(actual[1][measure] - actual[0][measure])
        return _difference(value, pick(resampled[1][measure] - resampled[0][measure]), bootstrap.level)

    events = range(len(first.threshold))
    return DetectionComparison(
        {measure: difference(measure, _mean) for measure in MEASURES},
        tuple({measure: difference(measure, _column(event)) for measure in MEASURES} for event in events),
    )


def _column(event: int) -> Callable[[Floats], Floats]:
    return lambda values: values[:, event]


def _mean(values: Floats) -> Floats:
    """Return the mean of each row over what is defined in it."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    total = np.where(defined, values, 0.0).sum(axis=1)
    means: Floats = np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)
    return means


def _interval(actual: Floats, resampled: Floats, level: float) -> ClipInterval:
    defined = np.sort(resampled[~np.isnan(resampled)])
    undefined = len(resampled) - len(defined)
    if np.isnan(actual[0]):
        return ClipInterval(None, None, undefined, "the measure is undefined")
    if not len(defined):
        return ClipInterval(None, None, undefined, "undefined in all resamples")
    outside = min(int((1.0 - level) / 2 * len(defined)), (len(defined) - 1) // 2)
    return ClipInterval(float(defined[outside]), float(defined[-1 - outside]), undefined)


def _difference(actual: Floats, resampled: Floats, level: float) -> Difference:
    interval = _interval(actual, resampled, level)
    if interval.undefined is not None:
        return Difference(None, interval, None)
    defined = resampled[~np.isnan(resampled)]
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return Difference(float(actual[0]), interval, min(1.0, 2.0 * (1 + rarer) / (1 + len(defined))))


def _actual(trials: ClipTrials, costs: Costs, conventions: DetectionConventions) -> dict[str, Floats]:
    """Return the measures as they are: one row, one column an event, NaN where undefined."""
    events = score_detection(trials, costs, conventions).events
    values = {measure: [of(event).value for event in events] for measure, of in MEASURES.items()}
    return {measure: np.array([found], dtype=np.float64) for measure, found in values.items()}


def _resampled(
    systems: tuple[ClipTrials, ...], costs: Costs, conventions: DetectionConventions, bootstrap: Bootstrap
) -> list[dict[str, Floats]]:
    """Return the measures of each system in the same resamples: one row a resample, one column an event."""
    shape = (bootstrap.resamples, len(systems[0].threshold))
    found = [{measure: np.full(shape, np.nan) for measure in MEASURES} for _ in systems]
    split = [
        [
            _Resampler(event, threshold, costs, conventions)
            for event, threshold in zip(events, system.threshold, strict=True)
        ]
        for system, events in ((system, split_events(system, conventions)) for system in systems)
    ]
    for begin, weights in _batches(systems[0].clips, bootstrap):
        rows = slice(begin, begin + len(weights))
        for measures, events in zip(found, split, strict=True):
            for number, event in enumerate(events):
                for measure, values in event.measure(weights).items():
                    measures[measure][rows, number] = values
    return found


def _batches(clips: int, bootstrap: Bootstrap) -> Iterator[tuple[int, Weights]]:
    """Draw resamples, some at once: resamples x clips, how often each clip was drawn."""
    random = np.random.default_rng(bootstrap.seed)
    batch = max(1, _AT_ONCE // max(clips, 1))
    for begin in range(0, bootstrap.resamples, batch):
        many = min(batch, bootstrap.resamples - begin)
        drawn = random.integers(max(clips, 1), size=(many, clips)) + clips * np.arange(many)[:, None]
        yield begin, np.bincount(drawn.ravel(), minlength=many * clips).reshape(many, clips)


class _Resampler:
    """One event, prepared for any weights of its clips."""

    def __init__(
        self, event: EventTrials, threshold: float | None, costs: Costs, conventions: DetectionConventions
    ) -> None:
        self._costs, self._conventions = costs, conventions
        order = np.argsort(event.score, kind="stable")
        score, target = event.score[order], event.target[order]
        self._target, self._clip = target, event.clip[order]
        self._absent_target, self._absent_clip = event.absent_target, event.absent_clip
        self._first_of_score = np.searchsorted(score, score)
        self._first_accepted = None if threshold is None else int(np.searchsorted(score, threshold))
        own = np.unique(score[target])
        self._bands = 2 * len(own) + 1  # below the first target score, at it, above it, at the second, ...
        self._band = np.searchsorted(own, score) + np.searchsorted(own, score, side="right")

    def measure(self, weights: Weights) -> dict[str, Floats]:
        """Return the measures in some resamples, NaN where undefined."""
        present, absent = weights[:, self._clip], weights[:, self._absent_clip]
        absent_targets = absent[:, self._absent_target].sum(axis=1)
        targets = absent_targets + present[:, self._target].sum(axis=1)
        nontargets = absent.sum(axis=1) + present.sum(axis=1) - targets
        if not self._conventions.counted_without_targets:
            nontargets = np.where(targets, nontargets, 0)
        pmiss = pfa = np.full(len(weights), np.nan)
        if self._first_accepted is not None:
            accepted = present[:, self._first_accepted :]
            detected = accepted[:, self._target[self._first_accepted :]].sum(axis=1)
            pmiss, pfa = _share(targets - detected, targets), _share(accepted.sum(axis=1) - detected, nontargets)
        misses, false_alarms = self._curves(present, targets)
        pmisses, pfas = _share(misses, targets[:, None]), _share(false_alarms, nontargets[:, None])
        at_ter = self._costs.ndc(*crossings(pmisses, pfas, self._costs.target_error_ratio))
        least = self._costs.ndc(pmisses, pfas).min(axis=1)
        if not self._conventions.reject_all_point:
            least = np.where(present.any(axis=1), least, np.nan)  # no score, no point
        return {"PMiss": pmiss, "PFA": pfa, "NDC": self._costs.ndc(pmiss, pfa), "minNDC": least, "NDC_at_TER": at_ter}

    def _curves(self, present: Weights, targets: Weights) -> tuple[Weights, Weights]:
        """Return misses and false alarms at the points of each curve, by ascending threshold, the last rejecting all.

        Where the law knows no such point, the last score that was drawn takes its place.
        """
        hits = self._accepted(present, self._target)
        false_alarms = self._accepted(present, ~self._target)
        if not self._conventions.reject_all_point:
            last_hits, last_false_alarms = self._last_point(present)
            empty = hits + false_alarms == 0
            hits = np.where(empty, last_hits[:, None], hits)
            false_alarms = np.where(empty, last_false_alarms[:, None], false_alarms)
        return targets[:, None] - hits, false_alarms

    def _accepted(self, present: Weights, chosen: Flags) -> Weights:
        """Count the chosen trials in each band and above it; the last column is above all."""
        band = self._band[chosen]
        starts = np.flatnonzero(np.diff(band, prepend=-1))
        within = np.zeros((len(present), self._bands + 1), dtype=np.int64)
        if len(starts):
            within[:, band[starts]] = np.add.reduceat(present[:, chosen], starts, axis=1)
        return within[:, ::-1].cumsum(axis=1)[:, ::-1]

    def _last_point(self, present: Weights) -> tuple[Weights, Weights]:
        """Count targets and nontargets at the highest score that was drawn."""
        hits, false_alarms = np.zeros((2, len(present)), dtype=np.int64)
        if not present.shape[1]:
            return hits, false_alarms
        highest = present.shape[1] - 1 - (present[:, ::-1] > 0).argmax(axis=1)
        first = self._first_of_score[highest]
        for begin in np.unique(first).tolist():
            rows = np.flatnonzero(first == begin)
            top = present[rows, begin:]
            hits[rows] = top[:, self._target[begin:]].sum(axis=1)
            false_alarms[rows] = top.sum(axis=1) - hits[rows]
        return hits, false_alarms


def _share(part: Weights, whole: Weights) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    shares: Floats = np.divide(part, whole, out=np.full(shape, np.nan), where=np.broadcast_to(whole, shape) > 0)
    return shares
