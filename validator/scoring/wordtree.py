"""Keywords as a tree of words, so that a walk along the transcript finds all of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.wording import comparable, escaped, filtered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from validator.scoring.conventions import TwvConventions, TwvParameters
    from validator.tables import Codes, KeywordList

    Rows = NDArray[np.int64]


class WordTree(NamedTuple):
    """Nodes are numbered; a node stands for the words on the way to it.

    ``openings`` gives the node of a first word, ``followers`` the number of any later word. ``edges`` holds
    node * width + word in ascending order, ``children`` where each edge leads. The keywords of node n are
    ``members[first[n]:first[n + 1]]``.
    """

    openings: Mapping[str, int]
    followers: Mapping[str, int]
    edges: Rows
    children: Rows
    first: Rows
    members: Codes

    def step(self, node: Rows, word: Codes) -> Rows:
        """Follow the edges of a word; -1 where there is none."""
        if not len(self.edges):
            return np.full(len(node), -1, dtype=np.int64)
        wanted = node * max(len(self.followers), 1) + word
        at = np.minimum(np.searchsorted(self.edges, wanted), len(self.edges) - 1)
        return np.where((self.edges[at] == wanted) & (word >= 0), self.children[at], -1)

    def keywords(self, node: Rows) -> tuple[Rows, Codes]:
        """List the keywords that end at each node: as pairs of a row of ``node`` and a keyword."""
        count = self.first[node + 1] - self.first[node]
        row = np.repeat(np.arange(len(node)), count)
        rank = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        return row, self.members[self.first[node][row] + rank]


def word_tree(keywords: KeywordList, conventions: TwvConventions, parameters: TwvParameters) -> WordTree:
    """Make the tree; a keyword without words is not in it."""
    opening = comparable(conventions.first_word_case, keywords.compare_normalize)
    following = comparable(conventions.next_word_case, keywords.compare_normalize)
    openings: dict[str, int] = {}
    followers: dict[str, int] = {}
    edges: dict[tuple[int, int], int] = {}
    ends: list[list[int]] = []
    for number, keyword in enumerate(keywords.keywords):
        text = keyword.text if conventions.entities_decoded else escaped(keyword.text)
        head, *rest = filtered(text, parameters.text_filter).split() or [""]
        if not head:
            continue
        node = openings.setdefault(opening(head), len(ends))
        ends += [[]] if node == len(ends) else []
        for word in map(following, rest):
            node = edges.setdefault((node, followers.setdefault(word, len(followers))), len(ends))
            ends += [[]] if node == len(ends) else []
        ends[node].append(number)
    width = max(len(followers), 1)
    keys = np.array([node * width + word for node, word in edges], dtype=np.int64)
    order = np.argsort(keys)
    return WordTree(
        openings=openings,
        followers=followers,
        edges=keys[order],
        children=np.array(list(edges.values()), dtype=np.int64)[order],
        first=np.cumsum([0, *map(len, ends)], dtype=np.int64),
        members=np.array([number for node in ends for number in node], dtype=np.int32),
    )
