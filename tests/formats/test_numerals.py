"""Number texts: exactly Python's float, and the forms that the official tool tells apart."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats.columns import joined
from validator.formats.numerals import Form, read_numerals


def same_as_float(texts: list[str]) -> None:
    """Compare bit by bit with Python."""
    found = read_numerals(joined(texts)).value
    expected = np.array([float(text) for text in texts])
    assert found.view(np.uint64).tolist() == expected.view(np.uint64).tolist()


digits = st.text("0123456789", min_size=1, max_size=22)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.lists(st.one_of(digits, st.builds("{}.{}".format, digits, digits)), min_size=1, max_size=30))
def test_decimals_are_correctly_rounded(texts: list[str]) -> None:
    """Whatever the number of digits."""
    same_as_float(texts)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(st.floats(0, 1e15), min_size=1, max_size=30), st.integers(0, 20))
def test_printed_doubles_come_back(values: list[float], places: int) -> None:
    """As repr writes them, and with a fixed number of places."""
    same_as_float([repr(value) for value in values] + [f"{value:.{places}f}" for value in values])


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(st.floats(0.1, 0.999), min_size=1, max_size=10), st.integers(-2, 2))
def test_the_edges_between_doubles_are_decided_right(values: list[float], step: int) -> None:
    """Texts at and near the middle of two neighbouring doubles, where rounding is hardest."""
    texts = []
    for value in values:
        middle = (Decimal(value) + Decimal(math.nextafter(value, 1.0))) / 2
        texts += [f"{middle:.17f}", f"{middle + step * Decimal('1e-18'):.18f}", format(middle, "f")]
    same_as_float(texts)


def test_exact_ties_and_large_integers() -> None:
    """Integers between doubles are ties to even; 18 digits still go through the arrays."""
    same_as_float(["9007199254740993", "9007199254740995", "999999999999999999", "0.1", "1" * 30])
    same_as_float([f"{2**52 + integer}.5" for integer in range(50)])
    same_as_float([f"{2**51 + integer}.{quarter}" for integer in range(50) for quarter in (25, 75)])


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ("0", Form.INTEGER, 0.0),
        ("-7", Form.INTEGER, -7.0),
        ("7e-4", Form.INTEGER, 7e-4),
        ("0.5", Form.REAL, 0.5),
        (" 0.5\t", Form.REAL, 0.5),
        ("-0.0", Form.REAL, -0.0),
        ("1.5E+3", Form.REAL, 1500.0),
        ("1.0e999", Form.REAL, math.inf),
        (".5", Form.LOOSE, 0.5),
        ("5.", Form.LOOSE, 5.0),
        ("+0.5", Form.LOOSE, 0.5),
        ("0,5", Form.COMMA, math.nan),
        ("NaN", Form.SPECIAL, math.nan),
        ("-Infinity", Form.SPECIAL, math.nan),
        ("", Form.EMPTY, math.nan),
        ("  ", Form.EMPTY, math.nan),
        ("n/a", Form.TEXT, math.nan),
        (".", Form.TEXT, math.nan),
        ("1.2.3", Form.TEXT, math.nan),
        ("1_0", Form.TEXT, math.nan),
        ("٣", Form.TEXT, math.nan),
        ("0x1p3", Form.TEXT, math.nan),
        ("1e", Form.TEXT, math.nan),
        ("0.5\0", Form.TEXT, math.nan),
    ],
)
def test_each_form_is_told_apart(text: str, form: Form, value: float) -> None:
    """Only decimals have a value."""
    numerals = read_numerals(joined(["0.25", text, "1"]))
    assert numerals.form.tolist() == [Form.REAL, form, Form.INTEGER]
    np.testing.assert_array_equal(numerals.value, [0.25, value, 1.0])
    assert math.copysign(1, numerals.value[1]) == math.copysign(1, value) or math.isnan(value)


def test_no_rows_no_numbers() -> None:
    """An empty column is one."""
    assert len(read_numerals(joined([])).value) == 0
