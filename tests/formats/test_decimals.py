"""Decimal numbers: bit for bit as Python reads them."""

from __future__ import annotations

import math
import re
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats.columns import joined
from validator.formats.decimals import decimals, with_exponents

FIXED = settings(derandomize=True, deadline=None, max_examples=200)
PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
NUMBER_LIKE = st.text("0123456789.+-", max_size=26)
SCHEMA_DOUBLE = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


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


@FIXED
@given(st.lists(st.one_of(st.text("0159.+-eE\0", max_size=6), st.floats().map(repr), decimal_texts()), min_size=1))
def test_exponents_are_bit_for_bit_what_float_makes_of_them(texts: list[str]) -> None:
    """All texts of a block are converted if all are doubles of XML Schema without its words, otherwise none."""
    values = with_exponents(joined(texts))
    if all(SCHEMA_DOUBLE.fullmatch(text) and len(text) <= 64 for text in texts):
        assert values is not None
        assert [bits(value) for value in values.tolist()] == [bits(float(text)) for text in texts]
    else:
        assert values is None


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
