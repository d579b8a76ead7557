"""Columns of CSV tables as groups: the same as a dictionary would find, whatever the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats.columns import joined
from validator.formats.csvtable import _grouped
from validator.formats.textindex import few_short

if TYPE_CHECKING:
    from collections.abc import Sequence

short = st.sampled_from(["E006", "E007", "E015", "P001"])
any_text = st.one_of(short, st.text("ab\0é", max_size=20))


def twin(values: Sequence[str]) -> tuple[list[int], list[int]]:
    """Give each value its number in order of appearance, with a dictionary."""
    seen: dict[str, int] = {}
    numbers = [seen.setdefault(value, len(seen)) for value in values]
    return numbers, [values.index(value) for value in seen]


@settings(derandomize=True, max_examples=200)
@given(st.one_of(st.lists(short, max_size=60), st.lists(any_text, max_size=60)))
def test_groups_are_those_of_a_dictionary(values: list[str]) -> None:
    """Numbers in order of appearance, and the first row of each."""
    groups = _grouped(joined(values))
    assert (groups.number.tolist(), groups.first.tolist()) == twin(values)


def test_many_rows_of_few_texts_take_the_short_way() -> None:
    """A text that comes only late is found all the same, on the long way."""
    values = ["E006", "E007"] * 4000
    assert few_short(joined(values)) is not None
    late = [*values, "E008"]
    assert few_short(joined(late)) is None
    assert _grouped(joined(late)).first.tolist() == twin(late)[1]
