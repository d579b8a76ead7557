"""Error rates at every threshold: the DET curve, and what is best on it (OpenKWS13 plan 5.1.3.1, 5.1.3.2).

A detection counts if its score is at least the threshold; decisions play no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.trials import Trials
    from validator.tables import Flags, Floats

    Rows = NDArray[np.int64]
    Counts = NDArray[np.int64]


class Rates(NamedTuple):
    """How blocks turn counts into rates.

    ``targets`` is N of each block, ``non_targets`` the number of its non-target trials. P_miss is a mean over the
    blocks of ``missing`` (those with targets), P_FA one over those of ``alarming`` (with non-target trials).
    """

    targets: Counts
    non_targets: Floats
    missing: Flags
    alarming: Flags
    beta: float

    def p_miss(self, misses: Counts) -> Floats:
        """Return N_miss / N of each block; NaN where there is no target."""
        return np.where(self.missing, misses / np.where(self.missing, self.targets, 1), np.nan)

    def p_fa(self, false_alarms: Counts) -> Floats:
        """Return N_FA / N_NT of each block; NaN where there is no non-target trial."""
        return np.where(self.alarming, false_alarms / np.where(self.alarming, self.non_targets, 1.0), np.nan)

    def twv(self, misses: Counts, false_alarms: Counts) -> Floats:
        """Return 1 - (P_miss + beta P_FA) of each block; NaN where one of them is not defined."""
        return 1 - (self.p_miss(misses) + self.beta * self.p_fa(false_alarms))


class Ranked(NamedTuple):
    """The detections of the evaluated blocks in ascending order of their scores, of all and of each block.

    ``by_score`` and ``by_block`` are rows of ``table``; the blocks' rows are ``by_block[first[b]:first[b + 1]]``.
    """

    table: Trials
    by_score: Rows
    by_block: Rows
    first: Rows


class Point(NamedTuple):
    """One operating point; ``threshold`` None rejects everything."""

    threshold: float | None
    p_miss: float
    p_fa: float
    twv: float


@dataclass(frozen=True, slots=True)
class Det:
    """The DET curve: one point for each distinct score, ascending."""

    threshold: Floats
    p_miss: Floats
    p_fa: Floats
    twv: Floats

    def __len__(self) -> int:
        return len(self.threshold)

    def thinned(self, points: int) -> Det:
        """Return at most ``points`` points, spread evenly over the ranks; the first, the last and the best stay."""
        if len(self) <= points:
            return self
        spread = np.linspace(0, len(self) - 1, max(points - 1, 2)).astype(np.int64)
        rows = np.unique(np.append(spread, np.argmax(self.twv)))
        return Det(self.threshold[rows], self.p_miss[rows], self.p_fa[rows], self.twv[rows])


def ranked(table: Trials, evaluated: Flags) -> Ranked:
    """Sort the detections of the evaluated blocks."""
    rows = np.flatnonzero(evaluated[table.keyword])
    table = table if len(rows) == len(table.keyword) else table.at(rows)
    by_score = np.argsort(table.score)
    blocks = len(evaluated)
    narrow = np.uint16 if blocks <= 1 << 16 else np.int32  # a stable sort of 16 bits is a radix sort
    by_block = by_score[np.argsort(table.keyword.astype(narrow)[by_score], kind="stable")]
    first = np.concatenate([[0], np.cumsum(np.bincount(table.keyword, minlength=blocks))])
    return Ranked(table, by_score, by_block, first)


def det(order: Ranked, rates: Rates) -> Det:
    """Compute P_miss, P_FA and TWV at every distinct score."""
    table = order.table
    score = table.score[order.by_score]
    target = table.target[order.by_score]
    block = table.keyword[order.by_score]
    missing, alarming = max(int(rates.missing.sum()), 1), max(int(rates.alarming.sum()), 1)
    miss_weight = np.where(rates.missing, 1 / np.where(rates.missing, rates.targets, 1), 0.0) / missing
    alarm_weight = np.where(rates.alarming, 1 / np.where(rates.alarming, rates.non_targets, 1.0), 0.0) / alarming
    # Sums run from the highest score down: where curves are read there are few terms, and little rounding.
    found = np.cumsum((miss_weight[block] * target)[::-1])[::-1]
    alarms = np.cumsum((alarm_weight[block] * ~target)[::-1])[::-1]
    new = np.flatnonzero(np.append(True, score[1:] != score[:-1])[: len(score)])  # infinities have no difference
    p_miss = 1 - found[new]
    p_fa = alarms[new]
    return Det(score[new], p_miss, p_fa, 1 - (p_miss + rates.beta * p_fa))


class Choice(NamedTuple):
    """A threshold for each block, and the counts there; NaN: everything is rejected."""

    threshold: Floats
    misses: Counts
    false_alarms: Counts


def at_threshold(order: Ranked, threshold: float | None) -> Choice:
    """Count misses and false alarms of each block at one threshold; None rejects everything."""
    table = order.table
    accepted = np.zeros(len(table.score), dtype=bool) if threshold is None else table.score >= threshold
    blocks = len(table.omitted)
    misses = table.omitted + np.bincount(table.keyword[table.target & ~accepted], minlength=blocks)
    alarms = np.bincount(table.keyword[~table.target & accepted], minlength=blocks)
    return Choice(np.full(blocks, np.nan if threshold is None else threshold), misses, alarms)


def optimum(order: Ranked, rates: Rates, curve: Det, *, reject_all: bool) -> Choice:
    """Choose for each block the threshold of the curve with its largest TWV, the lowest among equals.

    Between two of its own scores a block's counts do not change, so each own score is one candidate. One more lies
    above all of them: it exists where another block scores higher, where there is no own score, or where rejecting
    everything is a point of its own.
    """
    table = order.table
    block = table.keyword[order.by_block]
    blocks = np.arange(len(table.omitted))
    score = table.score[order.by_block]
    # Slots: the rows of each block in turn, and behind them one for "above all".
    slot = np.arange(len(block)) + block
    above = order.first[1:] + blocks
    start = order.first[:-1] + blocks
    target = np.zeros(len(block) + len(blocks), dtype=np.int64)
    target[slot] = table.target[order.by_block]
    row = np.ones(len(target), dtype=np.int64)
    row[above] = 0
    owner = np.repeat(blocks, np.diff(order.first) + 1)
    previous = np.full(len(target), -np.inf)
    previous[slot + 1] = score
    previous[start] = -np.inf
    misses = _before(target, start, owner) + table.omitted[owner]
    alarms = _left(row - target, above, owner)
    value = 1 - (
        _share(misses, rates.targets, rates.missing, owner)
        + rates.beta * _share(alarms, rates.non_targets, rates.alarming, owner)
    )
    highest = curve.threshold[-1] if len(curve) else -np.inf
    allowed = np.ones(len(target), dtype=bool)
    allowed[slot] = score != previous[slot]
    allowed[above] = reject_all | (previous[above] < highest) | (above == start)
    value[~allowed] = -np.inf
    best = np.flatnonzero(value == np.maximum.reduceat(value, start)[owner])
    best = best[np.flatnonzero(np.diff(owner[best], prepend=-1))]
    place = np.searchsorted(curve.threshold, previous[best], side="right")
    threshold = np.append(curve.threshold, np.nan)[place]
    return Choice(threshold, misses[best], alarms[best])


def _before(flags: Counts, start: Rows, owner: Rows) -> Counts:
    """Count the flags before each slot, within its block."""
    before = np.cumsum(flags) - flags
    return before - before[start][owner]


def _left(flags: Counts, above: Rows, owner: Rows) -> Counts:
    """Count the flags from each slot on, within its block."""
    before = np.cumsum(flags) - flags
    return before[above][owner] - before


def _share(count: Counts, of: NDArray[np.int64] | Floats, defined: Flags, owner: Rows) -> Floats:
    """Return count / of, 0 where that is not defined."""
    divisor = np.where(defined, of, np.inf)
    return count / divisor[owner]
