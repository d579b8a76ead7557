"""Texts to columns: numbers as Python reads them, texts told apart exactly."""

from __future__ import annotations

import math
import re
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats.columns import (
    Texts,
    Vocabulary,
    all_digits,
    decimals,
    digest,
    joined,
    padded,
    with_exponents,
)

FIXED = settings(derandomize=True, deadline=None, max_examples=200)
PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
NUMBER_LIKE = st.text("0123456789.+-", max_size=26)
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=90)


def bits(value: float) -> bytes:
    """Write a double down, so that -0.0 differs from 0.0."""
    return struct.pack("<d", value)


def decimal_texts() -> st.SearchStrategy[str]:
    """Make decimals of all lengths: few digits, many, leading and trailing zeros."""
    whole = st.integers(0, 10**20).map(str)
    zeros = st.integers(0, 6).map(lambda count: "0" * count)
    return st.builds(
        lambda sign, lead, left, point, right, tail: f"{sign}{lead}{left}{point}{right if point else ''}{tail}",
        st.sampled_from(("", "-", "+")),
        zeros,
        whole,
        st.sampled_from(("", ".")),
        whole,
        zeros,
    )


@FIXED
@given(st.lists(st.one_of(NUMBER_LIKE, decimal_texts(), st.floats(0, 1e6).map(repr)), max_size=30))
def test_a_decimal_is_bit_for_bit_what_float_makes_of_it(texts: list[str]) -> None:
    """What is marked plain has float()'s value; what is not plain is NaN; nothing but a decimal is plain."""
    values, plain = decimals(joined(texts))
    assert len(values) == len(plain) == len(texts)
    for text, value, is_plain in zip(texts, values.tolist(), plain.tolist(), strict=True):
        if is_plain:
            assert PLAIN.fullmatch(text)
            assert bits(value) == bits(float(text))
        else:
            assert math.isnan(value)


SCHEMA_DOUBLE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@FIXED
@given(st.lists(st.one_of(st.text("0159.+-eE", max_size=6), st.floats().map(repr), decimal_texts()), min_size=1))
def test_exponents_are_bit_for_bit_what_float_makes_of_them(texts: list[str]) -> None:
    """All texts of a block are converted if all are doubles of XML Schema without its words, otherwise none."""
    values = with_exponents(joined(texts))
    if all(SCHEMA_DOUBLE.fullmatch(text) and len(text) <= 64 for text in texts):
        assert values is not None
        assert [bits(value) for value in values.tolist()] == [bits(float(text)) for text in texts]
    else:
        assert values is None


@FIXED
@given(st.lists(st.text("019a. -\N{ARABIC-INDIC DIGIT TWO}", max_size=20)))
def test_digits_are_told_from_everything_else(texts: list[str]) -> None:
    """One to eighteen of them, and those of ASCII only."""
    found = all_digits(joined(texts)).tolist()
    assert found == [re.fullmatch("[0-9]{1,18}", text) is not None for text in texts]


@FIXED
@given(st.integers(0, 10**15 - 1), st.integers(0, 15), st.sampled_from(("", "-", "+")))
def test_decimals_of_up_to_fifteen_digits_never_go_the_slow_way(mantissa: int, after: int, sign: str) -> None:
    """The fast conversion takes all of them and rounds correctly."""
    digits = str(mantissa)
    text = f"{sign}{digits[: max(0, len(digits) - after)]}.{digits[max(0, len(digits) - after) :]}"
    values, plain = decimals(joined([text]))
    assert plain.tolist() == [True]
    assert bits(values[0]) == bits(float(text))


@pytest.mark.parametrize(
    "text",
    ["", "+", "-", ".", "-.", "1.2.3", "1-", "1e3", " 1", "1 ", "1,5", "0x1", "\u0661", "1\0", "--1", "+-1", "NaN"],
)
def test_what_is_no_plain_decimal_is_left_to_others(text: str) -> None:
    """Also beside a good neighbour, whose value is not touched."""
    values, plain = decimals(joined(["2.5", text, "-7"]))
    assert plain.tolist() == [True, False, True]
    assert values[[0, 2]].tolist() == [2.5, -7.0]


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
