"""Average precision of ranked detections.

::

    AP = sum over the targets found, best score first, of (targets so far / detections so far) / N

Among equal scores non-targets come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.conventions import MapOrder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.det import Ranked
    from validator.tables import Flags, Floats, Words

    Rows = NDArray[np.int64]


def average_precision(order: Ranked, rank: MapOrder, targets: NDArray[np.int64]) -> Floats:
    """Return AP of each block: 0 where no target is found, NaN where there is none to find.

    With MapOrder.TEXT the scores are ranked as text, by code point; the trials must have their texts.
    """
    rows = order.by_block if rank is MapOrder.NUMBER else _by_text(order)
    table = order.table
    block = table.keyword[rows]
    new = np.ones(len(rows) + 1, dtype=bool)
    new[1:-1] = block[1:] != block[:-1]
    if rank is MapOrder.NUMBER:
        new[1:-1] |= table.score[rows[1:]] != table.score[rows[:-1]]
    else:
        new[1:-1] |= ~_compared(_texts(order)[rows])[1]
    edge = np.flatnonzero(new)  # runs of equal scores
    target = table.target[rows]
    before = np.concatenate([[0], np.cumsum(target)])
    found = np.flatnonzero(target)
    run = np.searchsorted(edge, found, side="right") - 1
    low, high, stop = edge[run], edge[run + 1], order.first[block[found] + 1]
    hits = before[stop] - before[high] + before[found + 1] - before[low]
    seen = stop - low - (before[high] - before[found + 1])
    total = np.bincount(block[found], weights=hits / seen, minlength=len(targets))
    return np.where(targets > 0, total / np.maximum(targets, 1), np.nan)


def _texts(order: Ranked) -> Words:
    if order.table.text is None:
        message = "ranking scores as text needs the texts"
        raise ValueError(message)
    return order.table.text


def _by_text(order: Ranked) -> Rows:
    """Sort the rows of each block by the text of their scores; in most files that is the order of the numbers."""
    words = _texts(order)[order.by_block]
    block = order.table.keyword[order.by_block]
    above, equal = _compared(words)
    if (above | equal | (block[1:] != block[:-1])).all():
        return order.by_block
    keys = [*words.T[::-1], block]  # the last key is the first to be compared
    return order.by_block[np.lexsort(keys)]


def _compared(words: Words) -> tuple[Flags, Flags]:
    """Compare each row with the one before: is it greater, is it equal."""
    above = np.zeros(max(len(words) - 1, 0), dtype=bool)
    equal = np.ones(max(len(words) - 1, 0), dtype=bool)
    for lane in range(words.shape[1]):
        above |= equal & (words[1:, lane] > words[:-1, lane])
        equal &= words[1:, lane] == words[:-1, lane]
    return above, equal
