"""Why a system cannot be scored under a law: what the official scorer stops at, said before it does."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.scoring.reference import Reference
    from validator.scoring.twv import Basis
    from validator.tables import KwsList


class Obstacle(Enum):
    """What stands in the way."""

    UNKNOWN_KEYWORD = "unknown-keyword"
    INVALID_DETECTION = "invalid-detection"
    SCORE_NOT_A_NUMBER = "score-not-a-number"
    HALF_A_RANGE = "half-a-range"
    SCORE_OUT_OF_RANGE = "score-out-of-range"
    NO_ONE_THRESHOLD = "no-one-threshold"
    EXCESS_OF_FALSE_ALARMS = "excess-of-false-alarms"
    NO_TIME = "no-time"


class Refusal(NamedTuple):
    """One reason; ``rows`` are the detections at fault, first ones first, where there are such."""

    obstacle: Obstacle
    message: str
    rows: tuple[int, ...] = ()


def refusals(reference: Reference, system: KwsList, counted: Basis) -> tuple[Refusal, ...]:
    """List why the law does not score this system; empty if it does."""
    return (*_of_the_system(reference, system), *_of_the_trials(reference, counted))


_SHOWN = 20


def _of_the_system(reference: Reference, system: KwsList) -> Iterator[Refusal]:
    conventions, detections = reference.conventions, system.detections
    known = {keyword.kwid for keyword in reference.keywords.keywords}
    unknown = sorted({one.kwid for one in system.lists} - known)
    if unknown and conventions.unknown_keyword_refused:
        yield Refusal(Obstacle.UNKNOWN_KEYWORD, f"{unknown[0]} is not in the list of what to search for")
    for obstacle, flags, message in (
        (Obstacle.INVALID_DETECTION, ~detections.valid, "a detection has values that are none"),
        (Obstacle.SCORE_NOT_A_NUMBER, detections.valid & np.isnan(detections.score), "a score is NaN"),
    ):
        if flags.any():
            yield Refusal(obstacle, message, tuple(np.flatnonzero(flags)[:_SHOWN].tolist()))
    if not conventions.header_range:
        return
    low, high = system.min_score, system.max_score
    if (low is None) != (high is None):
        yield Refusal(Obstacle.HALF_A_RANGE, "min_score and max_score are given both or not at all")
    elif low is not None and high is not None:
        outside = np.flatnonzero((detections.score < low) | (detections.score > high))
        if len(outside):
            score = detections.score[outside[0]]
            message = f"score {score:g} is outside of the KWSList's own range {low:g} to {high:g}"
            yield Refusal(Obstacle.SCORE_OUT_OF_RANGE, message, tuple(outside[:_SHOWN].tolist()))


def _of_the_trials(reference: Reference, counted: Basis) -> Iterator[Refusal]:
    if not reference.duration_s > 0:
        yield Refusal(Obstacle.NO_TIME, "the ECF has no scored time")
        return
    if reference.conventions.one_threshold and not counted.consistent:
        message = (
            f"the decisions follow no threshold: the highest score with NO is {counted.highest_no:g}, "
            f"the lowest with YES {counted.lowest_yes:g}"
        )
        yield Refusal(Obstacle.NO_ONE_THRESHOLD, message)
    excess = np.flatnonzero(counted.evaluated & (counted.tally.non_targets > counted.rates.non_targets))
    if reference.conventions.excess_refused and len(excess):
        row = int(excess[0])
        keyword = "the pool" if reference.parameters.pooled else reference.keywords.keywords[row].kwid
        there, possible = int(counted.tally.non_targets[row]), int(counted.rates.non_targets[row])
        message = f"{keyword} has {there} detections that hit nothing, but {possible} non-target trials"
        yield Refusal(Obstacle.EXCESS_OF_FALSE_ALARMS, message)
