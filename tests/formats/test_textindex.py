"""Finding texts of one column in another: a dictionary says the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats import textindex
from validator.formats.columns import Texts, joined
from validator.formats.textindex import TextIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

words = st.one_of(
    st.text("ab", max_size=4),
    st.sampled_from(["", "72.P001", "72.P002", "012345678", "x" * 255, "x" * 256, "x" * 300, "x" * 299 + "y"]),
    st.sampled_from(["\0", "\0\0", "12345678\0", "12345678", "é", "a" * 16, "a" * 17]),
)


def check(mine: list[str], theirs: list[str]) -> None:
    """Compare with a dictionary of strings."""
    first: dict[str, int] = {}
    for row, text in enumerate(mine):
        first.setdefault(text, row)
    index = TextIndex(joined(mine))
    assert index.first.tolist() == [first[text] for text in mine]
    assert index.repeated.tolist() == [row for row, text in enumerate(mine) if first[text] != row]
    assert index.rows(joined(theirs)).tolist() == [first.get(text, -1) for text in theirs]
    assert index.rows(joined(mine)).tolist() == index.first.tolist()


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(words, max_size=20), st.lists(words, max_size=20))
def test_rows_are_a_dictionarys(mine: list[str], theirs: list[str]) -> None:
    """First rows, repeated ones and unknown ones, whatever the lengths."""
    check(mine, theirs)


def test_many_rows_in_another_order() -> None:
    """Ten thousand ids, shuffled, some unknown."""
    ids = [f"{clip:06d}.E{event:03d}" for clip in range(1000) for event in range(10)]
    order = np.random.default_rng(1).permutation(len(ids)).tolist()
    check(ids, [ids[row] for row in order] + ["000000.E010"])


@settings(max_examples=50, derandomize=True, deadline=None)
@given(mine=st.lists(words, max_size=12), theirs=st.lists(words, max_size=12))
@pytest.mark.parametrize("bad_seeds", [1, 2, 3])
def test_texts_with_one_hash_are_still_told_apart(bad_seeds: int, mine: list[str], theirs: list[str]) -> None:
    """A hash that says the same of all texts is left for another, and in the end for a dictionary."""
    honest = textindex._hash  # noqa: SLF001 - no file is known that does this

    def constant(texts: Texts, seed: int) -> NDArray[np.uint64]:
        bad = textindex._SEEDS[:bad_seeds]  # noqa: SLF001
        return np.zeros(len(texts), dtype=np.uint64) if seed in bad else honest(texts, seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textindex, "_hash", constant)
        check(mine, theirs)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(mine=st.lists(words, max_size=20), theirs=st.lists(words, max_size=20))
def test_many_rows_are_sorted_by_whole_hashes(mine: list[str], theirs: list[str]) -> None:
    """Beyond half a million rows no bits of the hashes are given away; the answers are the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(textindex, "_PACKED", 0)
        check(mine, theirs)
