"""Finding the texts of one column in another: exact, and without a Python object for each.

Texts are compared by a 64-bit hash first, and then byte by byte. Two different texts of the indexed column with one
hash make it choose another hash; if a file is made so that none will do, a dictionary of byte strings does the work.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.formats.columns import Texts
    from validator.tables import Flags, Offsets, Words

_SEEDS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_FACTOR = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT = np.uint64(32)
_WORD = 8
_PACKED = 1 << 19
_FEW = 4096  # rows that are looked at to see whether there are few texts
_LANES = 32  # words of a text that are mixed with arrays; what stands behind them is rare
_MASKS = np.array([(1 << 8 * kept) - 1 for kept in range(_WORD + 1)], dtype=np.uint64)


class TextIndex:
    """The distinct texts of a column, each with the first row that has it."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        # Bits of a hash that make room for the row; with many rows what is left would not tell their texts apart.
        self._bits = np.uint64(max(len(texts) - 1, 1).bit_length() if len(texts) <= _PACKED else 0)
        self._table: dict[bytes, int] | None = None
        for seed in _SEEDS:
            self._seed = seed
            if self._sort():
                return
        self._tabulate()

    @property
    def repeated(self) -> Offsets:
        """The rows whose text an earlier row has, ascending."""
        return np.flatnonzero(self.first != np.arange(len(self.first)))

    def rows(self, texts: Texts) -> Offsets:
        """Return for each text the first row of this column that has it, -1 if none has."""
        if equal_texts(texts, self._texts):
            return self.first
        if self._table is not None:
            return np.array([self._table.get(raw(texts, row), -1) for row in range(len(texts))], dtype=np.int64)
        wanted = _hash(texts, self._seed) >> self._bits
        found = np.full(len(texts), -1, dtype=np.int64)
        if not len(self._hashes):
            return found
        order = np.argsort(wanted)  # a sorted search keeps to one place of the memory after the other
        at = np.empty_like(found)
        at[order] = np.minimum(np.searchsorted(self._hashes, wanted[order]), len(self._hashes) - 1)
        hits = np.flatnonzero(self._hashes[at] == wanted)
        hits = hits[same_texts(texts, hits, self._texts, self._heads[at[hits]])]
        found[hits] = self._heads[at[hits]]
        return found

    def _sort(self) -> bool:
        """Sort the rows by hash, equal ones by row; False if two different texts share what is kept of their hash."""
        hashes, row = self._sorted_hashes()
        is_head = np.append(True, hashes[1:] != hashes[:-1])[: len(row)]
        head = row[is_head][np.cumsum(is_head) - 1]
        again = np.flatnonzero(~is_head)
        if not same_texts(self._texts, row[again], self._texts, head[again]).all():
            return False
        self._hashes, self._heads = hashes[is_head], row[is_head]
        self.first: Offsets = np.empty(len(row), dtype=np.int64)  # for each row the first row with the same text
        self.first[row] = head
        return True

    def _sorted_hashes(self) -> tuple[Words, Offsets]:
        """Return the hashes, ascending, and their rows; equal ones by row."""
        full = _hash(self._texts, self._seed)
        if not self._bits:
            row = np.argsort(full, kind="stable")
            return full[row], row
        count = np.arange(len(self._texts), dtype=np.uint64)
        key = (full >> self._bits << self._bits) | count  # sorted together: several times faster than an argsort
        key.sort()
        return key >> self._bits, (key & ((np.uint64(1) << self._bits) - np.uint64(1))).astype(np.int64)

    def _tabulate(self) -> None:
        self._table = {}
        first = [self._table.setdefault(raw(self._texts, row), row) for row in range(len(self._texts))]
        self.first = np.array(first, dtype=np.int64)


def few_short(texts: Texts) -> tuple[Offsets, Offsets] | None:
    """Give texts of one length up to eight bytes that are few a number for each row, and the first row of each number.

    None for any others; that costs little to find out.
    """
    if not len(texts) or not 1 <= int(texts.length[0]) <= _WORD or (texts.length != texts.length[0]).any():
        return None
    words = _words(texts, np.arange(len(texts)), 0)
    known, first = np.unique(words[:_FEW], return_index=True)
    if len(known) > _FEW // 4:
        return None
    number = np.searchsorted(known, words)
    found = known[np.minimum(number, len(known) - 1)] == words
    return (number, first) if bool(found.all()) else None


def raw(texts: Texts, row: int) -> bytes:
    """Return the bytes of one text."""
    begin = int(texts.start[row])
    return texts.buffer[begin : begin + int(texts.length[row])].tobytes()


def equal_texts(one: Texts, other: Texts) -> bool:
    """Tell whether two columns are the same, row by row: the usual case, and cheap to see."""
    return (
        len(one.buffer) == len(other.buffer)
        and np.array_equal(one.start, other.start)
        and np.array_equal(one.length, other.length)
        and np.array_equal(one.buffer, other.buffer)
    )


def same_texts(one: Texts, one_rows: Offsets, other: Texts, other_rows: Offsets) -> Flags:
    """Tell for each pair of rows whether the texts are the same bytes."""
    length = one.length[one_rows]
    same = np.asarray(length == other.length[other_rows])
    for lane in range(_LANES):
        pairs = np.flatnonzero(same & (length > _WORD * lane))
        if not len(pairs):
            return same
        mine, theirs = _words(one, one_rows[pairs], lane), _words(other, other_rows[pairs], lane)
        same[pairs] = mine == theirs
    for pair in np.flatnonzero(same & (length > _WORD * _LANES)).tolist():
        same[pair] = raw(one, one_rows[pair]) == raw(other, other_rows[pair])
    return same


def _words(texts: Texts, rows: Offsets, lane: int) -> Words:
    """Return the eight bytes of each text that begin at 8 * lane, zero where it has ended; all are longer than that."""
    windows: NDArray[np.uint64] = np.ndarray(
        (len(texts.buffer) - _WORD + 1,), dtype="<u8", buffer=np.ascontiguousarray(texts.buffer).data, strides=(1,)
    )
    words = windows[texts.start[rows] + _WORD * lane]
    return words & _MASKS[np.minimum(texts.length[rows] - _WORD * lane, _WORD)]


def _hash(texts: Texts, seed: int) -> Words:
    mixed = (texts.length.astype(np.uint64) + np.uint64(seed)) * _FACTOR
    for lane in range(_LANES):
        rows = np.flatnonzero(texts.length > _WORD * lane)
        if not len(rows):
            return mixed
        state = (mixed[rows] ^ _words(texts, rows, lane)) * _FACTOR
        mixed[rows] = state ^ (state >> _SHIFT)
    for row in np.flatnonzero(texts.length > _WORD * _LANES).tolist():
        digest = blake2b(raw(texts, row), digest_size=_WORD, salt=seed.to_bytes(_WORD, "little")).digest()
        mixed[row] ^= np.uint64(int.from_bytes(digest, "little"))
    return mixed
