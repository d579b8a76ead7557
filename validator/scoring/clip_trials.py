"""The trials of a MED system, each a clip tried for an event, and which of them count under which law.

Sections are those of the MED11 plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.tables import Codes, Flags, Floats

    Rows = NDArray[np.int64]


class AbsentTrials(Enum):
    """What a trial is that the system gave no score."""

    DROPPED = "dropped"  # it is in no count, so leaving trials out can improve the result
    NOT_DETECTED = "not-detected"  # it is one of the clips (4.1: #Targets, #TotalClips), below any threshold


class UnjudgedTrials(Enum):
    """What a trial is that the reference does not name."""

    NONTARGET = "nontarget"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class DetectionConventions:
    """One law: where the plan and the official tool differ."""

    reject_all_point: bool  # whether the DET curve ends at PMiss = 1, PFA = 0
    absent_trials: AbsentTrials
    unjudged_trials: UnjudgedTrials
    counted_without_targets: bool  # whether an event without targets has counts and a PFA


PLAN = DetectionConventions(
    reject_all_point=True,
    absent_trials=AbsentTrials.NOT_DETECTED,
    unjudged_trials=UnjudgedTrials.NONTARGET,  # 4.1: a false alarm is a non-positive clip
    counted_without_targets=True,
)
F4DE = DetectionConventions(
    reject_all_point=False,
    absent_trials=AbsentTrials.DROPPED,
    unjudged_trials=UnjudgedTrials.NONTARGET,
    counted_without_targets=False,
)


@dataclass(frozen=True, slots=True)
class ClipTrials:
    """The trials of one system as columns of equal length.

    ``event`` is an index into ``threshold``, -1 for a trial of an event that was not processed: it is ignored.
    ``clip`` is an index below ``clips``. ``score`` is NaN where the system gave none. ``target`` and ``judged`` say
    what the reference says, and whether it names the trial. A threshold is None where the system gave none.
    """

    event: Codes
    clip: Codes
    score: Floats
    target: Flags
    judged: Flags
    threshold: tuple[float | None, ...]
    clips: int


@dataclass(frozen=True, slots=True)
class EventTrials:
    """The trials of one event that count: those with a score, and clips and targets among those without."""

    score: Floats
    target: Flags
    clip: Codes
    absent_target: Flags
    absent_clip: Codes


def split_events(trials: ClipTrials, conventions: DetectionConventions) -> list[EventTrials]:
    """Sort the trials that count by event."""
    counts = trials.event >= 0
    if conventions.unjudged_trials is UnjudgedTrials.EXCLUDED:
        counts &= trials.judged
    scored = ~np.isnan(trials.score)
    if conventions.absent_trials is AbsentTrials.DROPPED:
        counts &= scored
    rows = np.flatnonzero(counts)
    short = trials.event[rows].astype(np.min_scalar_type(len(trials.threshold)))  # sorted in linear time
    rows = rows[np.argsort(short, kind="stable")]
    bounds = np.searchsorted(trials.event[rows], np.arange(len(trials.threshold) + 1))
    target = trials.target & trials.judged
    events = []
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        present, absent = _parted(rows[begin:end], scored)
        columns = trials.score[present], target[present], trials.clip[present], target[absent], trials.clip[absent]
        events.append(EventTrials(*columns))
    return events


def _parted(rows: Rows, flags: Flags) -> tuple[Rows, Rows]:
    chosen = flags[rows]
    return rows[chosen], rows[~chosen]
