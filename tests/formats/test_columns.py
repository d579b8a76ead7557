"""Texts to columns: told apart exactly."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats.columns import (
    Texts,
    Vocabulary,
    all_digits,
    digest,
    joined,
    padded,
)
from validator.formats.decimals import decimals

FIXED = settings(derandomize=True, deadline=None, max_examples=200)
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=90)


@FIXED
@given(st.lists(st.text("019a. -\N{ARABIC-INDIC DIGIT TWO}", max_size=20)))
def test_digits_are_told_from_everything_else(texts: list[str]) -> None:
    """One to eighteen of them, and those of ASCII only."""
    found = all_digits(joined(texts)).tolist()
    assert found == [re.fullmatch("[0-9]{1,18}", text) is not None for text in texts]


def test_a_column_may_be_empty() -> None:
    """No rows are no trouble."""
    values, plain = decimals(joined([]))
    assert (len(values), len(plain)) == (0, 0)
    assert len(digest([joined([])])) == 0
    assert Vocabulary().codes(joined([])).tolist() == []


@FIXED
@given(st.lists(WORDS, max_size=20))
def test_joined_texts_come_back(words: list[str]) -> None:
    """A column gives every text back as it was."""
    texts = joined(words)
    assert [texts.at(row) for row in range(len(texts))] == words


@FIXED
@given(st.lists(st.tuples(st.sampled_from(["", "1", "1.0", "é", "x" * 80]), WORDS), min_size=2, max_size=12))
def test_digests_are_equal_where_all_texts_are_equal(rows: list[tuple[str, str]]) -> None:
    """And differ where one differs: in its letters, in its length, or in the column it stands in."""
    mixed = digest(joined(column) for column in zip(*rows, strict=True)).tolist()
    assert [(a == b) for a in mixed for b in mixed] == [(a == b) for a in rows for b in rows]


def test_digests_do_not_depend_on_where_the_texts_lie() -> None:
    """The two readers have them in different buffers."""
    buffer = padded(b'tbeg="1.25" dur="0.5"')
    scattered = Texts(buffer, np.array([6, 17]), np.array([4, 3]))
    assert digest([scattered]).tolist() == digest([joined(["1.25", "0.5"])]).tolist()


@FIXED
@given(st.lists(st.lists(WORDS, max_size=12), max_size=4))
def test_a_vocabulary_tells_texts_apart_exactly(columns: list[list[str]]) -> None:
    """Equal texts share a number over all columns, different ones never do, whatever their length."""
    vocabulary = Vocabulary()
    coded = [vocabulary.codes(joined(column)).tolist() for column in columns]
    known = vocabulary.texts()
    assert len(set(known)) == len(known)
    assert [[known[number] for number in column] for column in coded] == columns


def test_a_vocabulary_numbers_in_order_of_appearance() -> None:
    """So the numbers do not depend on how the file was cut into blocks."""
    words = [f"word{number * 7919 % 1000}" for number in range(1000)]
    whole, cut = Vocabulary(), Vocabulary()
    whole.codes(joined(words))
    for begin in range(0, 1000, 7):
        cut.codes(joined(words[begin : begin + 7]))
    assert list(cut.texts()) == words
    assert list(whole.texts()) == words


def test_a_vocabulary_holds_many_texts() -> None:
    """Fifty thousand distinct ones, short and long, each with its own number."""
    words = [f"{'x' * (number % 70)}{number}" for number in range(50_000)]
    vocabulary = Vocabulary()
    codes = vocabulary.codes(joined(words))
    assert len(set(codes.tolist())) == len(words)
    known = vocabulary.texts()
    assert [known[number] for number in codes.tolist()] == words


@pytest.mark.parametrize(("one", "other"), [("a", "a\0"), ("", "\0"), ("x" * 63, "x" * 63 + "\0")])
def test_a_vocabulary_tells_texts_apart_that_end_in_nul(one: str, other: str) -> None:
    """No XML text holds a NUL, but an RTTM may: two texts never share a number."""
    codes = Vocabulary().codes(joined([one, other])).tolist()
    assert codes[0] != codes[1]


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 63, 64, 65, 1000])
def test_a_vocabulary_takes_texts_of_any_length(length: int) -> None:
    """Texts that differ in the last letter only are different texts."""
    words = ["x" * length, "x" * max(0, length - 1) + "y", "é" * length]
    vocabulary = Vocabulary()
    known = [vocabulary.texts()[number] for number in vocabulary.codes(joined(words)).tolist()]
    assert known == words
