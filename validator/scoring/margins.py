"""Log-likelihoods arranged for the cross-entropy measures: by how much every other class beats the true one.

A segment may add any constant to its scores (Albayzin 2012 LRE plan, eq. 1), so all that a measure may use is the
margin ``l_i - l_y`` of each class i over the segment's own class y. Taking it first makes scores of 1e300 harmless.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from validator.tables import Codes, Floats

    Rows = NDArray[np.intp]

OUT_OF_SET = "OOS"
BLOCK = 8192  # segments in a block: some 400 kB, so that every pass over it stays in the processor's cache
EXP_SAFE = 700.0  # exp() of less than this, even summed over classes, is far from overflow
_HUGE = 2.0**960  # differences and sums of scores this big may leave the range of a double,
_HUGE_UNIT = 2.0**64  # so these are kept in a unit that is a power of two: exact
_NOTHING = 800.0  # exp(-800) is 0: larger gaps need not be told apart


@dataclass(frozen=True, slots=True)
class Prior:
    """What the evaluator believes of each class before listening (plan 4.2.1), in the order of the score columns.

    A class of weight 0 takes no part: neither its column nor its segments are looked at.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]


def closed_set(targets: Sequence[str]) -> Prior:
    """Give the prior of eq. 2 with pi_m = 0: 1/n for each target, nothing for the out-of-set column behind them."""
    return Prior((*targets, OUT_OF_SET), (*(1.0 / len(targets) for _ in targets), 0.0))


def open_set(targets: Sequence[str]) -> Prior:
    """Give the prior of eq. 2 with pi_m = 1/m, which leaves 1/m for each of the n = m-1 targets as well."""
    names = (*targets, OUT_OF_SET)
    return Prior(names, tuple(1.0 / len(names) for _ in names))


@dataclass(frozen=True, slots=True)
class EmptyClasses:
    """Why a condition cannot be scored: eq. 6 divides by the number of segments of each class with a prior."""

    classes: tuple[str, ...]
    counts: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The classes without a segment."""
        return tuple(name for name, count in zip(self.classes, self.counts, strict=True) if not count)

    @property
    def reason(self) -> str:
        """One sentence that names the classes."""
        return f"no segment of {', '.join(self.names)} in the key: the mean cost of such a class is undefined"


@dataclass(frozen=True, slots=True)
class Block:
    """Some segments of one class: row r, column t is the margin of class ``others[r]`` over class ``own``."""

    own: int
    others: Rows
    margins: Floats


@dataclass(frozen=True, slots=True)
class Margins:
    """The scored segments of a condition, class by class and in file order within a class.

    ``classes``, ``prior`` and ``counts`` have the K classes that take part; margins are in multiples of ``unit``,
    which is 1 unless scores come near the largest double. ``dropped`` names the classes left out for want of segments.
    """

    classes: tuple[str, ...]
    prior: Floats
    counts: tuple[int, ...]
    blocks: tuple[Block, ...]
    unit: float
    dropped: tuple[str, ...]

    def pair(self, first: int, second: int) -> Margins:
        """Keep two classes only, with prior 1/2 each (plan 4.4)."""
        chosen = (first, second)
        blocks = []
        for block in self.blocks:
            if block.own in chosen:
                own = chosen.index(block.own)
                row = block.others == chosen[1 - own]
                blocks.append(Block(own, np.array([1 - own]), block.margins[row]))
        return Margins(
            (self.classes[first], self.classes[second]),
            np.array([0.5, 0.5]),
            (self.counts[first], self.counts[second]),
            tuple(blocks),
            self.unit,
            (),
        )


def arrange(scores: Floats, classes: Codes, prior: Prior, *, drop_empty: bool = False) -> Margins | EmptyClasses:
    """Arrange a segments x m matrix of scores by the true class of each segment.

    ``classes`` holds the column of the true class, or -1 for a segment that is removed when tallying (plan 4.1).
    A class with a prior and no segment is a refusal; with ``drop_empty`` it is left out together with its column and
    the prior of the others is scaled up, which needs at least two of them.
    """
    if scores.shape != (len(classes), len(prior.names)):
        raise ValueError(f"{scores.shape} scores for {len(classes)} segments and {len(prior.names)} classes")
    peak = max(float(scores.max(initial=0.0)), -float(scores.min(initial=0.0)))
    if not math.isfinite(peak):
        raise ValueError("scores must be finite")
    asked = [column for column, weight in enumerate(prior.weights) if weight > 0]
    if len(asked) < 2 or classes.min(initial=-1) < -1 or classes.max(initial=-1) >= len(prior.names):
        raise ValueError("there must be two classes with a prior, and no class beyond the columns")
    rows = {column: np.flatnonzero(classes == column) for column in asked}
    kept = [column for column in asked if len(rows[column])] if drop_empty else asked
    if len(kept) < 2 or not all(len(rows[column]) for column in kept):
        return EmptyClasses(
            tuple(prior.names[column] for column in asked), tuple(len(rows[column]) for column in asked)
        )
    weights = np.array([prior.weights[column] for column in kept])
    unit = _HUGE_UNIT if peak > _HUGE else 1.0
    return Margins(
        tuple(prior.names[column] for column in kept),
        weights / weights.sum(),
        tuple(len(rows[column]) for column in kept),
        tuple(
            _block(scores[rows[column][start : start + BLOCK]] / unit, own, kept)
            for own, column in enumerate(kept)
            for start in range(0, len(rows[column]), BLOCK)
        ),
        unit,
        tuple(prior.names[column] for column in asked if column not in kept),
    )


def _block(scores: Floats, own: int, kept: list[int]) -> Block:
    others = np.delete(np.arange(len(kept)), own)
    lines = np.ascontiguousarray(scores.T)  # one class is one stretch of memory: sums over classes are fast
    return Block(own, others, lines[np.asarray(kept)[others]] - lines[kept[own]])


def log_costs(block: Block, prior: Floats, unit: float) -> Floats:
    """Give -ln P(L_y | l_t) of each segment of a block (eq. 3 and 5), in multiples of ``unit``.

    With a_i = l_i + ln pi_i it is ln(1 + sum_{i != y} exp(a_i - a_y)): log1p keeps the digits of a cost near 0, and
    the largest exponent is taken out where it could overflow.
    """
    log_prior = np.log(prior)
    gaps = block.margins + ((log_prior[block.others] - log_prior[block.own]) / unit)[:, None]
    if unit == 1.0 and gaps.max() < EXP_SAFE:
        costs: Floats = np.log1p(np.exp(gaps).sum(axis=0))
        return costs
    top = np.maximum(gaps.max(axis=0), 0.0)
    nothing = _NOTHING / unit
    rest = np.exp(unit * np.maximum(gaps - top, -nothing)).sum(axis=0) + np.expm1(-unit * np.minimum(top, nothing))
    worst: Floats = top + np.log1p(rest) / unit
    return worst
