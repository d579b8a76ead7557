"""A column of names, a million of them if need be, that can be looked up in another one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.columns import Texts, padded
from validator.formats.textindex import TextIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.tables import Flags, Offsets


class Names:
    """Names in file order, as bytes in one buffer."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    @classmethod
    def of(cls, parts: Iterable[tuple[bytes, Offsets]]) -> Names:
        """Join what ``packed`` gave for each block of a file."""
        listed = list(parts)
        length = np.concatenate([lengths for _, lengths in listed] or [np.zeros(0, dtype=np.int64)])
        return cls(Texts(padded(b"".join(data for data, _ in listed)), np.cumsum(length) - length, length))

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, row: int) -> str:
        return self._texts.at(row)

    def at(self, rows: Offsets) -> list[str]:
        """Return some names."""
        return [self._texts.at(row) for row in rows.tolist()]

    @cached_property
    def _index(self) -> TextIndex:
        return TextIndex(self._texts)

    @property
    def first(self) -> Offsets:
        """For each row the first row that has the same name."""
        return self._index.first

    @property
    def repeated(self) -> Offsets:
        """The rows whose name an earlier row has."""
        return self._index.repeated

    def find(self, others: Names) -> Offsets:
        """Return for each of the other names the first row of this column that has it, -1 if none has."""
        return self._index.rows(others._texts)

    def ending_in(self, ending: bytes) -> Flags:
        """Tell which names end so."""
        length, wanted = self._texts.length, len(ending)
        same = length > wanted
        at = self._texts.start + length - wanted
        for rank, byte in enumerate(ending):
            same &= self._texts.buffer[np.where(same, at + rank, 0)] == byte
        return same

    def without(self, ending: bytes) -> Names:
        """Return the names with this ending cut off where they have it."""
        there = self.ending_in(ending)
        if not there.any():
            return self
        length = self._texts.length - len(ending) * there
        kept = Texts(self._texts.buffer, self._texts.start, length)
        from validator.formats.lineblocks import packed  # noqa: PLC0415 - only for lists with file names

        return Names.of([packed(kept)])
