"""The key of a language-recognition test set: a line for each segment, with its language.

::

    line  = segment language                          (* the same for both tasks *)
          | segment class-in-Plenty class-in-Empty

In the first form any word that is no target language of a task counts as out of set there, ``-`` removes the segment.
In the second form a class is a target of its task, ``OOS`` or ``-``. All lines have the same form.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from validator.formats.columns import Vocabulary
from validator.formats.keyfaults import KEY_CLASS, NEAR_LANGUAGE, REFERENCE_LINE
from validator.formats.languagescores import KEYS, TASKS, columns_of
from validator.formats.lineblocks import packed
from validator.formats.namecolumn import Names
from validator.formats.problems import Problems
from validator.formats.segmentlist import judge_names, reference_lines
from validator.model import Defect, Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from validator.formats.source import Source
    from validator.tables import Codes, Offsets

REMOVED = "-"
_FORMS = (2, 3)
_GUESSED = 1000  # strange words that are compared with the languages
_NEAR = 0.8  # of two words: one letter of five may differ


@dataclass(frozen=True, slots=True)
class LanguageKey:
    """The segments with their languages: ``labels`` are numbers of ``words``, a row for each task or one for both."""

    path: str
    names: Names
    labels: tuple[Codes, ...]
    words: tuple[str, ...]
    offset: Offsets

    def classes(self, task: str, targets: Sequence[str]) -> Codes:
        """Return for each segment the number of its class: of its target, behind them OOS, -1 for a removed one."""
        numbers = {**{name: rank for rank, name in enumerate(targets)}, REMOVED: -1}
        meaning = np.array([numbers.get(word, len(targets)) for word in self.words], dtype=np.int32)
        labels = self.labels[TASKS.index(task) if len(self.labels) > 1 else 0]
        found: Codes = meaning[labels] if len(labels) else labels
        return found


@dataclass(frozen=True, slots=True)
class LanguageKeyFile:
    """A key as it was read."""

    table: LanguageKey
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.names)


def read(source: Source) -> LanguageKeyFile:
    """Read a key completely."""
    problems, vocabulary = Problems(), Vocabulary()
    names: list[tuple[bytes, Offsets]] = []
    labels: list[list[Codes]] = []
    offsets = [np.zeros(0, dtype=np.int64)]
    for base, found in reference_lines(source, problems):
        filled = found.count > 0
        if not labels and filled.any():
            form = int(found.count[filled][0])
            labels = [[] for _ in range(min(max(form, _FORMS[0]), _FORMS[1]) - 1)]
        width = len(labels) + 1
        wrong = np.flatnonzero(filled & (found.count != width))
        at, count = base + found.line, found.count
        problems.note_each(
            REFERENCE_LINE,
            "",
            wrong,
            lambda row: _wrong(source.name, int(at[row]), int(count[row]), width),  # noqa: B023 - made at once
        )
        whole = found.count == width
        names.append(packed(found.column(whole, 0)))
        offsets.append(at[whole])
        for number, column in enumerate(labels, start=1):
            column.append(vocabulary.codes(found.column(whole, number)))
    columns = tuple(np.concatenate([np.zeros(0, dtype=np.int32), *column]) for column in labels or [[]])
    table = LanguageKey(source.name, Names.of(names), columns, tuple(vocabulary.texts()), np.concatenate(offsets))
    judge_names(source.name, table.names, table.offset, problems)
    _judge_words(table, problems)
    return LanguageKeyFile(table, problems)


def _wrong(file: str, offset: int, have: int, width: int) -> Defect:
    form = "segment and language" if width == _FORMS[0] else "segment, class in Plenty, class in Empty"
    at = min(have, width) + 1
    label = "missing" if have < width else "too many"
    message = f"{have} field{'s' if have != 1 else ''}, {width} expected: {form}"
    return Defect(Place(file, offset, str(at), f"field {at}"), message, label=label)


def _targets(task: str) -> tuple[str, ...]:
    return columns_of(task)[KEYS:]


def _judge_words(key: LanguageKey, problems: Problems) -> None:
    """Note classes that do not exist where each task has its own, and words that are nearly a language elsewhere."""
    every = [name for task in TASKS for name in _targets(task)]
    for rank, labels in enumerate(key.labels):
        own = len(key.labels) > 1
        legal = {*(_targets(TASKS[rank]) if own else every), REMOVED}
        strange = [word for word in key.words if word not in legal]
        near = {word: _near(word, sorted(legal)) if at < _GUESSED else "" for at, word in enumerate(strange)}
        odd = [number for number, word in enumerate(key.words) if word in near and (own or near[word])]
        rows = np.flatnonzero(np.isin(labels, odd))
        field = str(rank + 2)
        node = f"field {field} ({f'class in {TASKS[rank]}' if own else 'language'})"

        def make(row: int) -> Defect:
            word = key.words[labels[row]]  # noqa: B023 - made at once
            place = Place(key.path, int(key.offset[row]), field, node)  # noqa: B023
            guess = near[word]  # noqa: B023
            label = f"did you mean {guess}?" if guess else ""
            if own:  # noqa: B023
                message = f"{{value}} is no class of {TASKS[rank]}"  # noqa: B023
                return Defect(place, message, f"write {guess}" if guess else "", label)
            message = "{value} is no target language and counts as out of set"
            return Defect(place, message, f"write {guess}, if it is meant", label)

        problems.note_each(KEY_CLASS if own else NEAR_LANGUAGE, "", rows, make)


def _near(word: str, legal: Sequence[str]) -> str:
    folded = {name.casefold(): name for name in legal}
    close = get_close_matches(word.casefold()[:100], folded, n=1, cutoff=_NEAR)
    return folded[close[0]] if close else ""
