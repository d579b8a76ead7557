"""Texts that lie in one buffer, turned into columns without a Python loop over rows.

A column of texts is a buffer with the start and the length of each.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.tables import TextPool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from validator.tables import Codes, Flags, Words

_PRIME = np.uint64(0x100000001B3)
_SEED = np.uint64(0xCBF29CE484222325)
_PAD = 64


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of texts: where each begins in ``buffer``, which is padded by 64 bytes, and how long it is."""

    buffer: NDArray[np.uint8]
    start: NDArray[np.int64]
    length: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start)

    def at(self, row: int) -> str:
        """Return one text."""
        begin = int(self.start[row])
        return self.buffer[begin : begin + int(self.length[row])].tobytes().decode("utf-8", "replace")


def padded(data: bytes) -> NDArray[np.uint8]:
    """Make a buffer for Texts of bytes."""
    return np.frombuffer(data + bytes(_PAD), dtype=np.uint8)


def joined(values: Sequence[str]) -> Texts:
    """Make a column of strings."""
    parts = [value.encode() for value in values]
    length = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    return Texts(padded(b"".join(parts)), np.cumsum(length) - length, length)


def all_digits(texts: Texts) -> Flags:
    """Tell which texts are 1 to 18 digits."""
    found: Flags = (texts.length > 0) & (texts.length <= 18)
    for position in range(int(texts.length[found].max(initial=0))):
        digit = texts.buffer[texts.start + position] - np.uint8(48) < 10
        found &= digit | (texts.length <= position)
    return found


def distinct(values: Words) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first row of each distinct value, and for each row the rank of its value.

    As numpy's `unique` does, which would import masked arrays on its first call.
    """
    order = np.argsort(values)
    ranked = values[order]
    begins = np.concatenate([np.ones(1, dtype=bool), ranked[1:] != ranked[:-1]])[: len(values)]
    inverse = np.empty(len(values), dtype=np.intp)
    inverse[order] = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    return np.minimum.reduceat(order, starts) if len(starts) else starts, inverse


def digest(columns: Iterable[Texts]) -> Words:
    """Return one 64-bit number per row that differs, but for accidents, when one of the texts differs."""
    mixed: Words | None = None
    for texts in columns:
        if mixed is None:
            mixed = np.full(len(texts), _SEED)
        for position in range(int(texts.length.max(initial=0))):
            byte = texts.buffer[np.minimum(texts.start + position, len(texts.buffer) - 1)]
            np.copyto(mixed, (mixed ^ byte) * _PRIME, where=texts.length > position)
        mixed = (mixed ^ np.uint64(0xFF)) * _PRIME
    return mixed if mixed is not None else np.zeros(0, dtype=np.uint64)


def ordered_words(texts: Texts) -> Words:
    """Return each text, up to 64 bytes of it, as a row of big-endian words: they compare as the texts do."""
    width = min(_PAD, -(-int(texts.length.max(initial=1)) // 8) * 8 or 8)
    windows = np.lib.stride_tricks.sliding_window_view(texts.buffer, width)
    rows = windows[np.minimum(texts.start, len(windows) - 1)]
    rows &= _KEEP[np.minimum(texts.length, width), :width]
    words: Words = rows.view(">u8").astype(np.uint64)
    return words


def _mixed(texts: Texts, lanes: Words) -> Words:
    """Hash each text by itself: what stands beside it in its block must not matter."""
    mixed = (texts.length.astype(np.uint64) ^ _SEED) * _PRIME
    for lane in range(lanes.shape[1]):
        step = (mixed ^ lanes[:, lane]) * _PRIME
        np.copyto(mixed, step ^ (step >> np.uint64(29)), where=texts.length > 8 * lane)
    for row in np.flatnonzero(texts.length > _PAD).tolist():
        from hashlib import blake2b  # noqa: PLC0415 - names this long are rare

        mixed[row] = int.from_bytes(blake2b(_raw(texts, row), digest_size=8).digest(), "little")
    return mixed


def _all_same(texts: Texts, lanes: Words, others: NDArray[np.intp]) -> bool:
    """Tell whether each text is that of the other row."""
    if not np.array_equal(lanes, lanes[others]) or not np.array_equal(texts.length, texts.length[others]):
        return False
    long = np.flatnonzero(texts.length > _PAD).tolist()
    return all(_raw(texts, row) == _raw(texts, int(others[row])) for row in long)


def _raw(texts: Texts, row: int) -> bytes:
    begin = int(texts.start[row])
    return texts.buffer[begin : begin + int(texts.length[row])].tobytes()


class Vocabulary:
    """Numbers distinct texts in order of appearance, for columns of any length and any number of texts.

    Texts are compared by a 64-bit hash first and then exactly, so two texts never share a number. They are kept in
    one buffer: a million of them must not become a million Python objects.
    """

    def __init__(self) -> None:
        self._pool = bytearray()
        self._ends = array("q")
        self._hashes: Words = np.zeros(0, dtype=np.uint64)  # sorted
        self._numbers: Codes = np.zeros(0, dtype=np.int32)  # of those hashes
        self._clashes: dict[bytes, int] = {}  # texts whose hash another text had before

    def codes(self, texts: Texts) -> Codes:
        """Return the number of each text."""
        if not len(texts):
            return np.zeros(0, dtype=np.int32)
        lanes = ordered_words(texts)
        mixed = _mixed(texts, lanes)
        first, inverse = distinct(mixed)
        if not _all_same(texts, lanes, first[inverse]):  # two texts of this block, one hash
            one_by_one = np.arange(len(texts)).reshape(-1, 1)
            return np.concatenate([self._numbered(texts, row, mixed[row]) for row in one_by_one])
        order = np.argsort(first)
        numbers = np.empty(len(first), dtype=np.int32)
        numbers[order] = self._numbered(texts, first[order], mixed[first[order]])
        return numbers[inverse]

    def _numbered(self, texts: Texts, rows: NDArray[np.intp], hashes: Words) -> Codes:
        """Look up rows whose hashes all differ, and append those that are new."""
        at = np.searchsorted(self._hashes, hashes)
        seen = np.append(self._hashes, np.uint64(0))[at] == hashes
        seen &= at < len(self._hashes)
        found = np.empty(len(rows), dtype=np.int32)
        for rank in np.flatnonzero(seen).tolist():
            found[rank] = self._known(int(self._numbers[at[rank]]), _raw(texts, int(rows[rank])))
        new = np.flatnonzero(~seen)
        if len(new):
            found[new] = np.arange(len(self._ends), len(self._ends) + len(new))
            self._append(texts.start[rows[new]], texts.length[rows[new]], texts.buffer)
            new = new[np.argsort(hashes[new])]
            self._hashes = np.insert(self._hashes, at[new], hashes[new])
            self._numbers = np.insert(self._numbers, at[new], found[new])
        return found

    def _known(self, number: int, text: bytes) -> int:
        """Return the number of a text with a known hash: the one that has it, unless that is another text."""
        if self._text(number) == text:
            return number
        if text not in self._clashes:
            self._clashes[text] = len(self._ends)
            self._append(np.zeros(1, dtype=np.int64), np.array([len(text)]), padded(text))
        return self._clashes[text]

    def _append(self, start: NDArray[np.int64], length: NDArray[np.int64], buffer: NDArray[np.uint8]) -> None:
        ends = np.cumsum(length)
        self._ends.frombytes((len(self._pool) + ends).tobytes())
        self._pool += buffer[np.repeat(start - ends + length, length) + np.arange(ends[-1])].tobytes()

    def _text(self, number: int) -> bytes:
        return bytes(self._pool[self._ends[number - 1] if number else 0 : self._ends[number]])

    def texts(self) -> TextPool:
        """Return all texts by number."""
        return TextPool(self._pool, self._ends)


_KEEP = np.where(np.arange(_PAD) < np.arange(_PAD + 1)[:, None], 255, 0).astype(np.uint8)
