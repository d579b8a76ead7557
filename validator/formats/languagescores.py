"""Results of language recognition (Albayzin 2012 LRE plan, 6.1.3): a line for each segment, blank-separated.

::

    line  = task mode segment score ... score
    task  = "Plenty" | "Empty"
    mode  = "Closed" | "Open"

The columns of each task and the form of a score are in schemas/lre12/lre12.ebnf. Which task's columns a file has is
told from its lines: those that most of its first lines have.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from validator.formats import ebnf
from validator.formats.columns import Texts, Vocabulary
from validator.formats.lineblocks import Fields, Lines, fields, packed, whole_lines
from validator.formats.namecolumn import Names
from validator.formats.problems import Problems
from validator.formats.scorefaults import EMPTY_FILE, FIELD_COUNT, NOT_A_NUMBER, NOT_FINITE
from validator.formats.scoretexts import Trouble, read_scores
from validator.formats.source import Held
from validator.formats.spacing import Spacing
from validator.formats.textindex import same_texts
from validator.model import Defect, Law, Place, Remedy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from validator.formats.segmentlist import SegmentList
    from validator.formats.source import Source
    from validator.tables import Codes, Flags, Floats, Offsets

GRAMMAR = "lre12/lre12.ebnf"
TASKS = ("Plenty", "Empty")
KEYS = 3  # task, mode, segment


@dataclass(frozen=True, slots=True)
class LanguageScores:
    """The lines with at least a segment, in file order.

    ``columns`` names the fields of a line, ``scores`` has those behind the third: NaN where a text is no finite number,
    and all through a line with another number of fields. ``usable``: all scores of the line are there. ``task`` and
    ``mode`` are numbers of ``codes``, the texts of the first two fields.
    """

    columns: tuple[str, ...]
    names: Names
    scores: Floats
    usable: Flags
    task: Codes
    mode: Codes
    codes: tuple[str, ...]
    offset: Offsets

    @property
    def classes(self) -> tuple[str, ...]:
        """What the scores are for: the languages, and OOS behind them."""
        return self.columns[KEYS:]

    def __len__(self) -> int:
        return len(self.offset)


@dataclass(frozen=True, slots=True)
class LanguageScoresFile:
    """A results file as it was read."""

    table: LanguageScores
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table)


def columns_of(task: str) -> tuple[str, ...]:
    """Return the names of the fields of a task's lines."""
    return ebnf.load(GRAMMAR, task, Law.PLAN).fields


def node(columns: tuple[str, ...], field: int) -> str:
    """Name a field by its number, from 1, and its meaning."""
    return f"field {field} ({columns[field - 1]})" if field <= len(columns) else f"field {field}"


def read(source: Source) -> LanguageScoresFile:
    """Read a results file completely, whatever is wrong with it."""
    reader = _Reader(source.name)
    with source.open() as stream:
        for lines in whole_lines(stream):
            reader.take(lines)
    return reader.finish()


class _Reader:
    """Takes block after block and keeps what was in it."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._problems = Problems()
        self._spacing = Spacing(file, self._problems)
        self._columns: tuple[str, ...] = ()
        self._wide = False
        self._form = re.compile(ebnf.load(GRAMMAR, TASKS[0], Law.PLAN).pattern("SCORE").encode())
        self._codes = Vocabulary()
        self._names: list[tuple[bytes, Offsets]] = []
        self._scores: list[Floats] = []
        self._usable: list[Flags] = []
        self._keys: list[NDArray[np.int32]] = []
        self._offset: list[Offsets] = []

    def take(self, lines: Lines) -> None:
        """Read some lines."""
        if lines.offset == 0 and lines.data.startswith(codecs.BOM_UTF8):
            mark = len(codecs.BOM_UTF8)
            self._spacing.byte_order_mark()
            lines = Lines(mark, lines.data[mark:], lines.ended)
        if lines.offset == 0 and lines.data.startswith(_WIDE):
            self._wide = True
            self._spacing.wide_characters()
        if self._wide:
            return
        if not lines.data:
            self._too_long(lines.offset)
            return
        found = fields(lines.data)
        self._spacing.judge(lines, found)
        if b"\r" in lines.data or not lines.data.isascii():  # told once; what else there is, is not to follow from it
            found = fields(_MENDED.sub(lambda match: _MEANT[match[0]], lines.data))
        if not self._columns and found.count.any():
            self._columns = _columns(found)
        self._rows(found, lines.offset)

    def _rows(self, found: Fields, base: int) -> None:
        width = len(self._columns)
        named, whole = found.count >= KEYS, found.count == width
        self._wrong_counts(found, base, width)
        if not named.any():
            return
        texts = found.grid(whole, KEYS, width)
        read = read_scores(texts, self._form)
        if read.trouble.any():
            self._wrong_scores(read.trouble, base + found.line[whole])
        scores = read.value.reshape(-1, width - KEYS)
        usable: Flags = (read.trouble.reshape(scores.shape) == Trouble.NONE).all(axis=1)
        if not np.array_equal(named, whole):
            scores, usable = _spread(scores, usable, whole[named])
        self._scores.append(scores)
        self._usable.append(usable)
        self._names.append(packed(found.column(named, KEYS - 1)))
        self._keys.append(np.stack([self._coded(found.column(named, number)) for number in (0, 1)]))
        self._offset.append(base + found.line[named])

    def _coded(self, texts: Texts) -> Codes:
        """Give the texts their numbers; where all are the same, as they should be, only the first is looked at."""
        first = Texts(texts.buffer, texts.start[:1], texts.length[:1])
        rows = np.arange(len(texts))
        if same_texts(texts, rows, first, np.zeros_like(rows)).all():
            return np.full(len(texts), self._codes.codes(first)[0], dtype=np.int32)
        return self._codes.codes(texts)

    def _wrong_counts(self, found: Fields, base: int, width: int) -> None:
        wrong = np.flatnonzero((found.count != width) & (found.count > 0))
        self._problems.note_each(
            FIELD_COUNT,
            "",
            wrong,
            lambda row: self._wrong_count(base + int(found.line[row]), int(found.count[row])),
        )

    def _wrong_count(self, offset: int, have: int) -> Defect:
        width = len(self._columns)
        at = min(have, width) + 1
        task = next(task for task in TASKS if columns_of(task) == self._columns)
        held = f"{task}: {KEYS} keys, {width - KEYS - 1} languages, OOS"
        message = f"{have} field{'s' if have != 1 else ''}, {width} expected ({held})"
        place = Place(self._file, offset, str(at), node(self._columns, at))
        if have > width:
            return Defect(place, message, f"remove what stands behind field {width}", "too many")
        if have == width - 1:
            hint = "append the OOS score; a closed-set system writes a constant such as 0.0000"
            return Defect(place, message, hint, "missing")
        return Defect(place, message, label="missing")

    def _too_long(self, offset: int) -> None:
        def make() -> Defect:
            message = "the line is longer than 64 KB; it was not read"
            return Defect(Place(self._file, offset, "start"), message, "look whether the line ends are there")

        self._problems.note(FIELD_COUNT, "", make)

    def _wrong_scores(self, trouble: NDArray[np.uint8], offsets: Offsets) -> None:
        for rule, kind, words in (
            (NOT_A_NUMBER, Trouble.NOT_A_NUMBER, "is not a decimal number"),
            (NOT_FINITE, Trouble.NOT_FINITE, "is not finite"),
        ):
            make = partial(self._wrong_score, offsets, words)
            self._problems.note_each(rule, "", np.flatnonzero(trouble == kind), make)

    def _wrong_score(self, offsets: Offsets, words: str, at: int) -> Defect:
        row, number = divmod(at, len(self._columns) - KEYS)
        field = number + KEYS + 1
        place = Place(self._file, int(offsets[row]), str(field), node(self._columns, field))
        return Defect(place, f"the score of {self._columns[field - 1]} {words}: {{value}}", mend=_mended)

    def finish(self) -> LanguageScoresFile:
        """Put the blocks together."""
        self._spacing.finish()
        if not self._columns:
            self._columns = columns_of(TASKS[0])
            if not self._problems:
                self._problems.note(EMPTY_FILE, "", lambda: Defect(Place(self._file), "the file has no results"))
        none = np.zeros((2, 0), dtype=np.int32)
        keys = np.concatenate([none, *self._keys], axis=1)
        table = LanguageScores(
            self._columns,
            Names.of(self._names),
            np.concatenate([np.zeros((0, len(self._columns) - KEYS)), *self._scores]),
            np.concatenate([np.zeros(0, dtype=bool), *self._usable]),
            keys[0],
            keys[1],
            tuple(self._codes.texts()),
            np.concatenate([np.zeros(0, dtype=np.int64), *self._offset]),
        )
        return LanguageScoresFile(table, self._problems)


def canonical(source: Source, references: Mapping[str, object]) -> Source:
    """Write the results as they are sent: single blanks, LF, in the order of seg.ndx; every number as it was."""
    with source.open() as stream:
        lines = [b" ".join(line.split()) for line in stream.read().split(b"\n") if line.strip()]
    wanted = references.get("segments")
    if wanted is not None:
        at = cast("SegmentList", wanted).names.find(read(source).table.names)
        lines = [lines[row] for row in np.argsort(at, kind="stable").tolist()]
    return Held(source.name, b"".join(line + b"\n" for line in lines))


def _columns(found: Fields) -> tuple[str, ...]:
    """Tell from the first lines whose columns the file has: by their number, and if none fits by the first code."""
    known = [columns_of(task) for task in TASKS]
    fitting = [int((found.count == len(columns)).sum()) for columns in known]
    if any(fitting):
        return known[fitting.index(max(fitting))]
    code = Texts(found.buffer, found.start, found.length).at(0)
    return next((columns for task, columns in zip(TASKS, known, strict=True) if task == code), known[0])


def _spread(scores: Floats, usable: Flags, whole: Flags) -> tuple[Floats, Flags]:
    """Make room for the lines with another number of fields."""
    wide = np.full((len(whole), scores.shape[1]), np.nan)
    wide[whole] = scores
    there = np.zeros(len(whole), dtype=bool)
    there[whole] = usable
    return wide, there


_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MEANT = {b"\r": b"\n", b"\xc2\xa0": b"  "}  # of the same length, so that places stay where they are
_MENDED = re.compile(rb"\r(?!\n)|\xc2\xa0")
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?", re.ASCII)
_FORTRAN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))[dD]([+-]?\d+)", re.ASCII)
_GROUPED = re.compile(r"[+-]?\d+(?:_\d+)+(?:\.\d*)?", re.ASCII)


def _mended(text: str) -> Remedy | None:
    """Say what was probably meant by a score that is no number."""
    if _COMMA.fullmatch(text):
        return Remedy(f"write {text.replace(',', '.')}", "decimal comma")
    if match := _FORTRAN.fullmatch(text):
        return Remedy(f"write {match[1]}e{match[2]}", "exponent written as in Fortran")
    if _GROUPED.fullmatch(text):
        return Remedy(f"write {text.replace('_', '')}", "underscore")
    return None
