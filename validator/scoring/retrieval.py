"""Detection of events in clips as retrieval: R0 and average precision, the measures of MED13 and later.

    R0(E, DT) = 100 targets returned / targets - m 100 clips returned / clips        returned: score >= DT
    AP(E)     = 100 mean over the targets of (targets ranked as high) / (clips ranked as high)

These years have no plan here; the formulas are all that is known of them. Where clips with the same score are targets
and nontargets, nothing says in which order they are ranked: AP is undefined there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.clip_trials import split_events
from validator.scoring.detection_cost import Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.clip_trials import ClipTrials, DetectionConventions, EventTrials
    from validator.tables import Floats

    Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EventRetrieval:
    """The result of one event, in percent."""

    r0: Measured
    max_r0: Measured
    average_precision: Measured


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The results of all processed events."""

    events: tuple[EventRetrieval, ...]

    @property
    def mean_average_precision(self) -> Measured:
        """MAP: the mean over the events where AP is defined."""
        found = (event.average_precision.value for event in self.events)
        values = [value for value in found if value is not None]
        return Measured(math.fsum(values) / len(values)) if values else Measured(None, "no event has an AP")


def score_retrieval(trials: ClipTrials, slope: float, conventions: DetectionConventions) -> Retrieval:
    """Score each event by itself; ``slope`` is m. Where systems rank clips, the score is the negative rank."""
    events = zip(split_events(trials, conventions), trials.threshold, strict=True)
    return Retrieval(tuple(_event(event, threshold, slope, conventions) for event, threshold in events))


def _event(
    event: EventTrials, threshold: float | None, slope: float, conventions: DetectionConventions
) -> EventRetrieval:
    order = np.argsort(-event.score, kind="stable")
    score, target = event.score[order], event.target[order]
    targets = int(target.sum()) + int(event.absent_target.sum())
    if not targets:
        nothing = Measured(None, "no target trial")
        return EventRetrieval(nothing, nothing, nothing)
    clips = len(score) + len(event.absent_target)
    last = np.flatnonzero(np.append(score[1:] != score[:-1], [True] * min(len(score), 1)))  # of each distinct score
    hits, returned = np.cumsum(target, dtype=np.int64)[last], last + 1
    r0 = 100 * (hits / targets - slope * (returned / clips))
    curve = np.append(0.0, r0) if conventions.reject_all_point else r0
    return EventRetrieval(
        _at(threshold, score[last], r0),
        Measured(float(curve.max())) if len(curve) else Measured(None, "no trial has a score"),
        _average_precision(hits, returned, targets),
    )


def _at(threshold: float | None, scores: Floats, r0: Floats) -> Measured:
    """Return R0 where all scores down to the threshold are returned."""
    if threshold is None:
        return Measured(None, "no threshold")
    accepted = len(scores) - int(np.searchsorted(scores[::-1], threshold))
    return Measured(float(r0[accepted - 1]) if accepted else 0.0)


def _average_precision(hits: Counts, returned: Counts, targets: int) -> Measured:
    more_hits, more_returned = np.diff(hits, prepend=0), np.diff(returned, prepend=0)
    mixed = (more_hits > 0) & (more_hits < more_returned)
    if mixed.any():
        return Measured(None, f"targets and nontargets share {int(mixed.sum())} of the scores: no order among them")
    ranked = np.flatnonzero(np.repeat(more_hits > 0, more_returned)) + 1
    return Measured(float(100 * (np.arange(1, len(ranked) + 1) / ranked).sum() / targets))
