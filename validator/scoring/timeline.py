"""Times as numbers: printed rounding, and spans that lie sorted by place.

A place is one channel of one recording; places are numbered, -1 is nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.tables import Codes, Flags, Floats


def rounded(values: Floats, decimals: int | None) -> Floats:
    """Round as C's ``%.4f`` does: by the exact value of the double, ties to even; None leaves values alone."""
    if decimals is None:
        return values
    scale = 10.0**decimals
    scaled = values * scale
    nearest = np.rint(scaled)
    result = nearest / scale
    # The product is off by some ulps: only near a tie can that turn the rounding, and there text decides.
    doubtful = np.flatnonzero(np.abs(np.abs(scaled - nearest) - 0.5) < 1e-6 + np.abs(scaled) * 1e-15)
    if len(doubtful):
        result[doubtful] = [float(f"{value:.{decimals}f}") for value in values[doubtful].tolist()]
    return result


def bisect(values: Floats, low: NDArray[np.int64], high: NDArray[np.int64], wanted: Floats) -> NDArray[np.int64]:
    """Find, for each row, the first of ``values[low:high]`` (ascending) that is greater than ``wanted``, or high."""
    low, high = low.copy(), high.copy()
    if not len(values):
        return low
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        right = values[np.minimum(middle, len(values) - 1)] <= wanted
        right &= low < high
        np.copyto(low, middle + 1, where=right)
        np.copyto(high, middle, where=~right)
    return low


def running_max(values: Floats, group: NDArray[np.int64]) -> Floats:
    """Return the largest value so far within each group; groups are consecutive rows and ascend."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    top = np.maximum.accumulate(group.astype(np.int64) * len(values) + rank) if len(values) else rank
    return values[order[top % max(len(values), 1)]]


class Spans(NamedTuple):
    """Spans of time, sorted by place and begin.

    Those of place p are rows ``first[p]`` to ``first[p + 1]``; ``reach`` is the latest end of a place so far.
    """

    first: NDArray[np.int64]
    begin: Floats
    reach: Floats

    def hold(self, place: Codes, begin: Floats, end: Floats) -> Flags:
        """Tell for each row whether one span of its place holds [begin, end]; nothing lies in place -1."""
        if not len(self.begin):
            return np.zeros(len(place), dtype=bool)
        known = np.maximum(place, 0)
        low = self.first[known]
        after = bisect(self.begin, low, self.first[known + 1], begin)
        return (after > low) & (place >= 0) & (self.reach[np.maximum(after - 1, 0)] >= end)


def spans(place: Codes, begin: Floats, end: Floats, places: int) -> Spans:
    """Sort spans; those of place -1 are left out."""
    rows = np.lexsort((begin, place))
    rows = rows[place[rows] >= 0]
    first = np.searchsorted(place[rows], np.arange(places + 1))
    return Spans(first, begin[rows], running_max(end[rows], place[rows].astype(np.int64)))
