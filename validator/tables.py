"""What a parsed file is: small things as frozen rows, big things as numpy columns.

One row number is one place in the file: ``offset`` holds the byte where the row's record begins,
so a finding can be located later without keeping the text.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]
    Offsets = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Words = NDArray[np.uint64]


class TextPool:
    """Many texts in one buffer, decoded when they are asked for."""

    __slots__ = ("_ends", "_pool")

    def __init__(self, pool: bytes | bytearray, ends: array[int]) -> None:
        self._pool, self._ends = pool, ends

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextPool:
        """Pool some texts."""
        parts = [text.encode() for text in texts]
        return cls(b"".join(parts), array("q", accumulate(map(len, parts))))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> str:
        begin = self._ends[number - 1] if number else 0
        return self._pool[begin : self._ends[number]].decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        if not self._pool.isascii():
            return (self[number] for number in range(len(self)))
        whole = self._pool.decode("ascii")  # one byte is one character: decoded once, and cut
        return (whole[begin:end] for begin, end in pairwise(chain((0,), self._ends)))

    def any_has(self, character: str) -> bool:
        """Tell whether a character stands in any of the texts."""
        return character.encode() in self._pool


class Excerpt(NamedTuple):
    """One stretch of a recording that an ECF puts into the experiment."""

    audio_filename: str
    channel: str
    begin_s: float
    duration_s: float
    source_type: str
    offset: int


class Ecf(NamedTuple):
    """An experiment control file."""

    source_signal_duration_s: float
    version: str
    language: str
    excerpts: tuple[Excerpt, ...]
    offset: int


class Keyword(NamedTuple):
    """One keyword of a KWList; ``text`` is as written, attributes are the kwinfo pairs in file order."""

    kwid: str
    text: str
    attributes: tuple[tuple[str, str], ...]
    offset: int


class KeywordList(NamedTuple):
    """A KWList: the keywords to search for, and how their text is compared."""

    ecf_filename: str
    version: str
    language: str
    encoding: str
    compare_normalize: str
    keywords: tuple[Keyword, ...]
    offset: int


class TextLine(NamedTuple):
    """One line of a text file, without its end."""

    text: str
    offset: int


class Description(NamedTuple):
    """A system description."""

    lines: tuple[TextLine, ...]

    def mentions(self, word: str) -> bool:
        """Tell whether a word stands in it, not as a part of a longer one."""
        whole = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        return any(word in line.text and whole.search(line.text) for line in self.lines)


class Form(NamedTuple):
    """A form that was filled in: tables of values, and where in the file a table or a value begins, by dotted path."""

    values: dict[str, object]
    places: dict[str, int]


class ResourceTable(NamedTuple):
    """The resources that a description may name (DataDefs.tsv): their ids."""

    ids: frozenset[str]


class DetectedList(NamedTuple):
    """One ``detected_kwlist``: a keyword that was searched for."""

    kwid: str
    search_time_s: float
    oov_count: int | None  # None: "NA", the system has no dictionary
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """The ``kw`` records of a KWSList in file order, as columns of equal length.

    ``file`` and ``channel`` are indices into ``files`` and ``channels``, the texts exactly as written;
    ``keyword`` is an index into the DetectedLists. ``text`` is a digest of the time and score texts:
    two rows are the same detection only if it is equal. ``score_text`` is the text of the score, in rows of big-endian
    words that compare as the texts do (NIST's scorer ranks them so). A row whose values the schema refuses has
    ``valid`` False, and NaN where the value was.
    """

    keyword: Codes
    file: Codes
    channel: Codes
    begin_s: Floats
    duration_s: Floats
    score: Floats
    yes: Flags
    valid: Flags
    text: Words
    score_text: Words
    offset: Offsets
    files: TextPool
    channels: TextPool

    def __len__(self) -> int:
        return len(self.offset)


class KwsList(NamedTuple):
    """A keyword-search result: header, one DetectedList per searched keyword, all detections.

    Time and size of the index are in the header of 2006 only; NaN where they are not.
    """

    kwlist_filename: str
    language: str
    system_id: str
    min_score: float | None
    max_score: float | None
    lists: tuple[DetectedList, ...]
    detections: Detections
    offset: int
    indexing_time_s: float = float("nan")
    index_size: float = float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The records of an RTTM in file order, as columns of equal length.

    ``type``, ``file``, ``channel``, ``text``, ``subtype`` and ``speaker`` are indices into the tuples of texts below.
    Types are in capitals, everything else is as written. ``line`` counts from 1.
    """

    type: Codes
    file: Codes
    channel: Codes
    begin_s: Floats
    duration_s: Floats
    text: Codes
    subtype: Codes
    speaker: Codes
    line: Codes
    types: tuple[str, ...]
    files: tuple[str, ...]
    channels: tuple[str, ...]
    texts: tuple[str, ...]
    subtypes: tuple[str, ...]
    speakers: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.line)
