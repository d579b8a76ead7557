"""Scores and thresholds of a MED run that are legal and most likely not meant (4xx): warnings that NIST has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, Severity, rule

from .medtables import DETECTION, INDEX, THRESHOLD, coverage, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun

WARNING, OK = Severity.WARNING, Severity.OK


def _by_event(opened: OpenRun) -> Iterator[tuple[int, float, float]]:
    """Give each scored event with its lowest and highest score."""
    held, found = opened.once(coverage), with_columns(opened, "detection", "Score")
    if held is None or found is None:
        return
    value = found.numbers("Score").value
    usable = (held.event >= 0) & ~np.isnan(value)
    low, high = np.full(len(held.scored), np.inf), np.full(len(held.scored), -np.inf)
    np.minimum.at(low, held.event[usable], value[usable])
    np.maximum.at(high, held.event[usable], value[usable])
    for event in np.flatnonzero(low <= high).tolist():
        yield event, float(low[event]), float(high[event])


@rule("MED431", "event-scores-equal", cites="MED11 2", plan=WARNING, tool=OK, needs=(DETECTION, INDEX))
def equal_scores(opened: OpenRun) -> Iterator[Defect]:
    """The scores of an event differ.

    Why: with equal scores every threshold detects all clips or none.
    Bad: "0.5" for all clips of E007
    Good: a score that says how likely the event is in each clip
    Fix: look at why the system gives the same score to all clips.
    NIST: F4DE takes it.
    """
    held, found = opened.once(coverage), with_columns(opened, "detection", "Score")
    for event, low, high in _by_event(opened) if held is not None and found is not None else ():
        many = int(np.count_nonzero(held.event == event)) if low == high and held is not None else 0
        if many > 1 and found is not None and held is not None:
            row = int(np.argmax(held.event == event))
            message = f"all {many} scores of event {held.name(event)} are {{value}}"
            yield Defect(found.place(row, "Score"), message)


@rule(
    "MED432",
    "threshold-decides-nothing",
    cites="MED11 2",
    plan=WARNING,
    tool=OK,
    needs=(DETECTION, THRESHOLD, INDEX),
    follows=("MED405", "MED413", "MED414"),
)
def threshold_decides_nothing(opened: OpenRun) -> Iterator[Defect]:
    """The threshold of an event lies between its lowest and its highest score.

    Why: otherwise the event is detected in every clip, or in none.
    Bad: threshold "0.9" with scores up to 0.7
    Good: threshold "0.45" with scores between 0.01 and 0.7
    Fix: check that thresholds and scores are on the same scale.
    NIST: F4DE takes it.
    """
    held, found = opened.once(coverage), with_columns(opened, "threshold", "EventID", "DetectionThreshold")
    if held is None or found is None:
        return
    value = found.numbers("DetectionThreshold").value
    spans = {event: (low, high) for event, low, high in _by_event(opened)}
    for row, event in enumerate(held.threshold_event[:10_000].tolist()):
        low, high = spans.get(event, (0.0, np.inf))
        if value[row] > high or (value[row] <= low < high):
            where = f"above the highest score {high:g}" if value[row] > high else f"not above the lowest score {low:g}"
            what = "no clip is" if value[row] > high else "all clips are"
            message = f"the threshold {{value}} is {where}: {what} detected"
            yield Defect(found.place(row, "DetectionThreshold"), message)


RULES = (
    equal_scores,
    threshold_decides_nothing,
)
