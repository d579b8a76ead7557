"""One-to-one matching of references and detections: most pairs first, then the largest sum of kernels.

Pairs fall into components that share nothing. Where each reference of a component can have its best detection, or
each detection its best reference, that is the answer; only what is left needs an assignment solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import perm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.timeline import bisect, running_max

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.tables import Flags, Floats

    Rows = NDArray[np.int64]

_TRIED = 720  # assignments that are cheaper to try one by one than to solve
_CROWDED = 1000  # pairs of a component from which on it is worth leaving out those that cannot matter
_UNMATCHED = 2.0  # what a pair is worth beside its kernel: neither side is left over, at -1 each


class Windows(NamedTuple):
    """For each reference the stretch in which a detection's midpoint may lie; rows sorted by group, then by low."""

    group: Rows
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a reference row and a detection row, sorted by detection, then by reference."""

    reference: Rows
    detection: Rows

    def __len__(self) -> int:
        return len(self.reference)

    def at(self, rows: Rows | Flags) -> Pairs:
        """Return some of them."""
        return Pairs(self.reference[rows], self.detection[rows])


def candidates(windows: Windows, group: Rows, middle: Floats) -> Pairs:
    """Pair each detection with all references of its group whose window holds its midpoint, bounds included."""
    known, first = np.unique(windows.group, return_index=True)
    if not len(known):
        return Pairs(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    edge = np.append(first, len(windows.group)).astype(np.int64)
    at = np.minimum(np.searchsorted(known, group), len(known) - 1)
    detection = np.flatnonzero(known[at] == group)
    at, wanted = at[detection], middle[detection]
    stop = bisect(windows.low, edge[at], edge[at + 1], wanted)
    reach = running_max(windows.high, windows.group)
    start = bisect(reach, edge[at], stop, np.nextafter(wanted, -np.inf))
    count = stop - start
    row = np.repeat(np.arange(len(detection)), count)
    reference = start[row] + np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    inside = windows.high[reference] >= wanted[row]
    return Pairs(reference[inside], detection[row[inside]])


def alone(pairs: Pairs) -> Flags:
    """Tell which pairs share neither reference nor detection with another pair."""
    shared: Flags = (_times(pairs.reference) > 1) | (_times(pairs.detection) > 1)
    return ~shared


def _times(rows: Rows) -> Rows:
    """Return how often the value of each row occurs."""
    _, inverse, count = np.unique(rows, return_inverse=True, return_counts=True)
    return count[inverse]


def best(pairs: Pairs, kernel: Floats, preference: Rows) -> Rows:
    """Choose among pairs: return the rows of those that are mapped.

    Equal kernels are told apart by ``preference``, a rank of the pairs (lower is better), so that the answer never
    depends on the order of a file.
    """
    component = _components(pairs)
    by_reference = _tops(pairs.reference, kernel, preference)
    by_detection = _tops(pairs.detection, kernel, preference)
    chosen = []
    open_pairs = np.ones(len(pairs), dtype=bool)
    for tops, other in ((by_reference, pairs.detection), (by_detection, pairs.reference)):
        rows = tops[open_pairs[tops]]
        clash = np.zeros(len(pairs), dtype=bool)
        clash[component[rows[_times(other[rows]) > 1]]] = True  # components are numbered by their first pair
        solved = rows[~clash[component[rows]]]
        chosen.append(solved)
        open_pairs &= clash[component]
    return np.concatenate([*chosen, _assigned(pairs, kernel, preference, np.flatnonzero(open_pairs))])


def _tops(side: Rows, kernel: Floats, preference: Rows) -> Rows:
    """Return the row of the best pair of each reference, or of each detection."""
    order = np.lexsort((preference, -kernel, side))
    return order[np.flatnonzero(np.diff(side[order], prepend=-1))]


def _components(pairs: Pairs) -> Rows:
    """Name the component of each pair by the row of one of its pairs.

    References lie sorted by time within their group, so a detection joins all references between its first and its
    last one; that may join a reference too many, which changes no answer.
    """
    references, line = np.unique(pairs.reference, return_inverse=True)
    _, first = np.unique(pairs.detection, return_index=True)
    lowest = np.minimum.reduceat(line, first) if len(first) else line
    highest = np.maximum.reduceat(line, first) if len(first) else line
    bridges = np.bincount(lowest, minlength=len(references)) - np.bincount(highest, minlength=len(references))
    number = np.cumsum(np.append(0, np.cumsum(bridges)[:-1] == 0))[: len(references)]
    _, representative, inverse = np.unique(number[line], return_index=True, return_inverse=True)
    return representative[inverse]


def _assigned(pairs: Pairs, kernel: Floats, preference: Rows, rows: Rows) -> Rows:
    """Solve what is ambiguous, a component at a time."""
    component = _components(pairs.at(rows))
    order = np.lexsort((preference[rows], component))
    edges = np.flatnonzero(np.diff(component[order], prepend=-1, append=-1)) if len(rows) else rows
    chosen = [rows[:0]]
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        members = _shortlist(pairs, kernel, rows[order[begin:end]])
        _, left = np.unique(pairs.reference[members], return_inverse=True)
        right = _by_appearance(pairs.detection[members])
        worth = np.zeros((int(left.max()) + 1, int(right.max()) + 1))
        worth[left, right] = kernel[members] + _UNMATCHED
        row_of = np.full(worth.shape, -1)
        row_of[left, right] = members
        mapped = row_of[_assignment(worth)]
        chosen.append(mapped[mapped >= 0])
    return np.concatenate(chosen)


def _shortlist(pairs: Pairs, kernel: Floats, rows: Rows) -> Rows:
    """Leave each reference its best detections, as many as there are references: others cannot take more from it.

    What is left has a best assignment of the whole; it keeps a matrix of references and detections from growing with
    a system that detects something in every frame.
    """
    if len(rows) < _CROWDED:
        return rows
    references, reference = np.unique(pairs.reference[rows], return_inverse=True)
    order = np.lexsort((-kernel[rows], reference))  # stable: equal kernels stay in the order of preference
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows)) - np.searchsorted(reference[order], reference[order])
    return rows[rank < len(references)]


def _assignment(worth: Floats) -> tuple[Rows, Rows]:
    """Choose cells, one a row and one a column, with the largest sum."""
    few, many = sorted(worth.shape)
    if perm(many, few) > _TRIED:
        from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # noqa: PLC0415 - half a second that few corpora need

        row, column = linear_sum_assignment(worth, maximize=True)
        return row, column
    upright = worth if worth.shape[0] == few else worth.T
    ways = _ways(many, few)
    line = np.arange(few)
    way = ways[np.argmax(upright[line, ways].sum(axis=1))]
    return (line, way) if upright is worth else (way, line)


@cache
def _ways(many: int, few: int) -> Rows:
    return np.array(list(permutations(range(many), few)), dtype=np.int64)


def _by_appearance(values: Rows) -> Rows:
    """Replace values by numbers in the order in which they first appear."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]
