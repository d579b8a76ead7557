"""The trials of an experiment, counted by keyword: what every measure of keyword search is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.alignment import Alignment
    from validator.tables import Codes, Flags, Floats, Words

    Rows = NDArray[np.int64]
    Counts = NDArray[np.int64]


class Trials(NamedTuple):
    """Detections as trials, and the targets that have none.

    ``keyword`` numbers blocks: keywords of the KWList, or 0 if all are pooled. ``text`` is the score as it is written:
    rows of big-endian 64-bit words, zero-padded, which compare as the texts do; None where nobody kept it.
    ``member`` tells which blocks are part of the experiment.
    """

    keyword: Codes
    score: Floats
    target: Flags
    yes: Flags
    text: Words | None
    omitted: Counts
    member: Flags
    duration_s: float
    trials: float

    def at(self, rows: Rows) -> Trials:
        """Return some of the detections; the counts stay."""
        text = None if self.text is None else self.text[rows]
        return Trials(
            self.keyword[rows],
            self.score[rows],
            self.target[rows],
            self.yes[rows],
            text,
            self.omitted,
            self.member,
            self.duration_s,
            self.trials,
        )


class Tally(NamedTuple):
    """Counts by block: targets and non-targets of either decision, omitted targets."""

    correct: Counts
    rejected_targets: Counts
    false_alarms: Counts
    rejected_non_targets: Counts
    omitted: Counts

    @property
    def targets(self) -> Counts:
        """References: N_true."""
        return self.correct + self.rejected_targets + self.omitted

    @property
    def misses(self) -> Counts:
        """References that no YES found."""
        return self.rejected_targets + self.omitted

    @property
    def non_targets(self) -> Counts:
        """Detections that are no reference, of either decision."""
        return self.false_alarms + self.rejected_non_targets

    @property
    def detections(self) -> Counts:
        """All detections that are trials."""
        return self.correct + self.rejected_targets + self.non_targets


def trials(alignment: Alignment, *, pooled: bool = False, text: Words | None = None) -> Trials:
    """Make trials of an alignment; ``text`` is the score text of each row of the Detections (see Trials)."""
    blocks = 1 if pooled else len(alignment.listed)
    detected = np.flatnonzero(alignment.detection >= 0)
    missed = alignment.keyword[alignment.detection < 0]
    keyword = alignment.keyword[detected]
    outcome = alignment.outcome[detected]
    return Trials(
        keyword=np.zeros_like(keyword) if pooled else keyword,
        score=alignment.score[detected],
        target=outcome < 2,
        yes=(outcome & 1) == 0,
        text=None if text is None else text[alignment.detection[detected]],
        omitted=np.bincount(np.zeros_like(missed) if pooled else missed, minlength=blocks),
        member=np.ones(1, dtype=bool) if pooled else alignment.listed,
        duration_s=alignment.duration_s,
        trials=alignment.trials,
    )


def tally(table: Trials) -> Tally:
    """Count the trials of each block."""
    blocks = len(table.member)
    kind = table.keyword * np.int32(4) + (~table.target * np.int32(2) + ~table.yes)
    counts = np.bincount(kind, minlength=4 * blocks).reshape(blocks, 4)
    return Tally(counts[:, 0], counts[:, 1], counts[:, 2], counts[:, 3], table.omitted)
