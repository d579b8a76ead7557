"""Where keywords occur in the references: LEXEMEs and KWList in, a table of occurrences out (OpenKWS13 plan 3.2).

A keyword occurs where LEXEME records equal its words one after the other, in one file and channel, with silences of
at most ``gap`` between them. All keywords are searched at once: they form a tree of words, every LEXEME that may be a
first word starts a walk down that tree, and all walks go on a step at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from validator.scoring.lexemes import chain
from validator.scoring.timeline import rounded
from validator.scoring.wording import comparable
from validator.scoring.wordtree import word_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from validator.scoring.conventions import CaseRule, TwvConventions, TwvParameters
    from validator.scoring.lexemes import Lexemes
    from validator.tables import Codes, Flags, Floats, KeywordList

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Reference occurrences, sorted by keyword, place, begin and end.

    ``keyword`` is an index into the KWList, ``first`` and ``last`` are the rows of the words in the Lexemes.
    """

    keyword: Codes
    place: Codes
    begin_s: Floats
    end_s: Floats
    first: Rows
    last: Rows

    def __len__(self) -> int:
        return len(self.keyword)

    def at(self, rows: Rows | Flags) -> Occurrences:
        """Return some of them."""
        return Occurrences(
            self.keyword[rows],
            self.place[rows],
            self.begin_s[rows],
            self.end_s[rows],
            self.first[rows],
            self.last[rows],
        )


def occurrences(
    table: Lexemes, keywords: KeywordList, conventions: TwvConventions, parameters: TwvParameters
) -> Occurrences:
    """Find all occurrences of all keywords."""
    tree = word_tree(keywords, conventions, parameters)
    opening = _numbered(table.texts, tree.openings, conventions.first_word_case, keywords)
    following = _numbered(table.texts, tree.followers, conventions.next_word_case, keywords)
    links = chain(table, conventions)
    start = np.flatnonzero((opening[table.text] >= 0) & table.opens)
    node, last = opening[table.text[start]].astype(np.int64), start
    found = [_located(table, np.zeros(0, dtype=np.int32), start[:0], start[:0])]
    while len(start):
        row, keyword = tree.keywords(node)
        found.append(_located(table, keyword, start[row], last[row]))
        after = links.after[last]
        node = tree.step(node, np.where(after >= 0, following[table.text[after]], -1))
        silence = rounded(table.begin_s[after] - table.end_s[last], conventions.gap_decimals)
        going = (node >= 0) & (silence <= parameters.gap_s)
        node, start, last = node[going], start[going], after[going]
    every = _joined(found)
    if not conventions.overlapping_occurrences:
        every = every.at(_apart(every.keyword, links.position[every.first], links.position[every.last]))
    return every.at(np.lexsort((every.end_s, every.begin_s, every.place, every.keyword)))


def _numbered(texts: tuple[str, ...], numbers: Mapping[str, int], case: CaseRule, keywords: KeywordList) -> Codes:
    """Look each text up; -1 where it is no word of any keyword."""
    equal = comparable(case, keywords.compare_normalize)
    return np.array([numbers.get(equal(text), -1) for text in texts], dtype=np.int32)


def _located(table: Lexemes, keyword: Codes, first: Rows, last: Rows) -> Occurrences:
    return Occurrences(keyword, table.place[first], table.begin_s[first], table.end_s[last], first, last)


def _joined(parts: list[Occurrences]) -> Occurrences:
    return Occurrences(
        keyword=np.concatenate([part.keyword for part in parts]),
        place=np.concatenate([part.place for part in parts]),
        begin_s=np.concatenate([part.begin_s for part in parts]),
        end_s=np.concatenate([part.end_s for part in parts]),
        first=np.concatenate([part.first for part in parts]),
        last=np.concatenate([part.last for part in parts]),
    )


def _apart(keyword: Codes, begin: Rows, end: Rows) -> Flags:
    """Scan each keyword from left to right and drop what begins inside the one before; True: kept."""
    order = np.lexsort((begin, keyword))
    kept = np.ones(len(order), dtype=bool)
    same = keyword[order[1:]] == keyword[order[:-1]]
    clash = keyword[order[1:]][same & (begin[order[1:]] <= end[order[:-1]])]
    reached: dict[int, int] = {}
    for row in order[np.isin(keyword[order], clash)].tolist():
        if begin[row] <= reached.get(int(keyword[row]), -1):
            kept[row] = False
        else:
            reached[int(keyword[row])] = int(end[row])
    return kept
