"""The parts that keyword-search scoring is made of, each against its obvious form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

from tests.scoring.kws_support import PLAN, STDEVAL, TOOL
from validator.scoring.conventions import CaseRule, beta
from validator.scoring.matching import Pairs, Windows, alone, best, candidates
from validator.scoring.places import Place, ecf_file, numbered, system_file
from validator.scoring.timeline import bisect, rounded, running_max, spans
from validator.scoring.wording import comparable, escaped, filtered

EXAMPLES = settings(derandomize=True, deadline=None, max_examples=150)


@EXAMPLES
@given(st.lists(st.integers(-(10**7), 10**9).map(lambda n: n / 100000) | st.floats(-1e6, 1e6)), st.integers(0, 6))
def test_rounding_is_that_of_printf(values: list[float], decimals: int) -> None:
    """Ties are decided by the exact value of the double."""
    assert rounded(np.array(values), decimals).tolist() == [float(f"{value:.{decimals}f}") for value in values]


def test_rounding_at_the_edge_of_the_gap() -> None:
    """A gap of 0.50004 is 0.5, one of 0.50006 is not; without decimals nothing changes."""
    gaps = np.array([0.50004, 0.50006, 0.00005, 0.00015])
    assert rounded(gaps, 4).tolist() == [0.5, 0.5001, float(f"{0.00005:.4f}"), float(f"{0.00015:.4f}")]
    assert rounded(gaps, None) is gaps


@EXAMPLES
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=5), st.lists(st.integers(-1, 10)))
def test_bisect_within_groups(groups: list[list[int]], wanted: list[int]) -> None:
    """Each row is looked up in its own group."""
    values = np.array([value for group in groups for value in sorted(group)], dtype=np.float64)
    edges = np.cumsum([0, *map(len, groups)])
    group = np.arange(len(wanted)) % len(groups)
    found = bisect(values, edges[group], edges[group + 1], np.array(wanted, dtype=np.float64))
    slow = [edges[g] + sum(value <= w for value in groups[g]) for g, w in zip(group, wanted, strict=True)]
    assert found.tolist() == slow


@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9))))
def test_running_max_starts_anew_in_each_group(rows: list[tuple[int, int]]) -> None:
    """The largest value so far, of the same group."""
    rows = sorted(rows, key=lambda row: row[0])
    found = running_max(
        np.array([v for _, v in rows], dtype=np.float64), np.array([g for g, _ in rows], dtype=np.int64)
    )
    assert found.tolist() == [max(v for h, v in rows[: n + 1] if h == g) for n, (g, _) in enumerate(rows)]


@EXAMPLES
@given(
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 9), st.integers(0, 5))),
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 12), st.integers(0, 3))),
)
def test_spans_hold_what_one_of_them_holds(kept: list[tuple[int, int, int]], asked: list[tuple[int, int, int]]) -> None:
    """Two spans that touch do not hold together what neither holds alone; nothing lies in place -1."""
    place, begin, length = (np.array([row[i] for row in kept], dtype=np.int32) for i in range(3))
    table = spans(place, begin.astype(float), (begin + length).astype(float), 3)
    where, start, size = (np.array([row[i] for row in asked], dtype=np.int32) for i in range(3))
    found = table.hold(where, start.astype(float), (start + size).astype(float))
    slow = [any(p == w >= 0 and b <= s and s + z <= b + n for p, b, n in kept) for w, s, z in asked]
    assert found.tolist() == slow


@EXAMPLES
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(0, 4)), max_size=8),
    st.lists(st.tuples(st.integers(-1, 2), st.integers(0, 16)), max_size=10),
)
def test_candidates_are_all_pairs_within_a_window(
    references: list[tuple[int, int, int]], detections: list[tuple[int, int]]
) -> None:
    """Bounds are included."""
    references = sorted(references)
    group, low, length = (np.array([row[i] for row in references], dtype=np.int64) for i in range(3))
    windows = Windows(group, low.astype(float), (low + length).astype(float))
    asked, middle = (np.array([row[i] for row in detections], dtype=np.int64) for i in range(2))
    pairs = candidates(windows, asked, middle.astype(float))
    slow = [
        (r, d)
        for d, (g, m) in enumerate(detections)
        for r, (h, b, n) in enumerate(references)
        if g == h and b <= m <= b + n
    ]
    assert list(zip(pairs.reference.tolist(), pairs.detection.tolist(), strict=True)) == slow
    times = [sum(r == s or d == e for s, e in slow) for r, d in slow]
    assert alone(pairs).tolist() == [count == 1 for count in times]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(1, 12), st.integers(1, 14), st.integers(0, 2**32), st.sampled_from([0.15, 0.4, 0.9]))
def test_the_best_mapping_has_most_pairs_and_the_largest_sum(refs: int, hits: int, seed: int, density: float) -> None:
    """Whatever shortcut solves a component, the answer is that of an assignment solver over everything."""
    _compare_with_a_solver(refs, hits, seed, density)


@pytest.mark.parametrize("seed", range(8))
def test_a_crowd_of_detections_has_the_same_best_mapping(seed: int) -> None:
    """Detections that no reference would choose are left out of the matrix: nothing else changes."""
    _compare_with_a_solver(6, 400, seed, (0.5, 0.98)[seed % 2])


def _compare_with_a_solver(refs: int, hits: int, seed: int, density: float) -> None:
    chance = np.random.default_rng(seed)
    edge = chance.random((refs, hits)) < density
    kernel = 1 + 1e-8 * chance.normal(size=edge.shape) + 1e-6 * chance.random(hits)
    detection, reference = np.nonzero(edge.T)
    pairs = Pairs(reference, detection)
    worth = kernel[reference, detection]
    rows = best(pairs, worth, np.arange(len(pairs)))
    assert len(set(reference[rows])) == len(set(detection[rows])) == len(rows)
    row, column = linear_sum_assignment(np.where(edge, kernel + 2, 0), maximize=True)
    taken = edge[row, column]
    assert len(rows) == taken.sum()
    assert worth[rows].sum() == pytest.approx(kernel[row, column][taken].sum(), abs=1e-13)


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("new york", ("charsplit", "notASCII"), ["newyork"]),
        ("ab cd", ("charsplit", "notASCII"), ["abc", "d"]),
        ("你好", ("CHARSPLIT",), ["你", "好"]),
        ("a-b", ("charsplit", "deleteHyphens"), ["a", "b"]),
        ("你a-b好", ("charsplit", "notASCII", "deleteHyphens"), ["你", "a", "b", "好"]),
        ("a-b 你", ("notASCII", "deleteHyphens"), ["a-b", "你"]),
        ("a  b", (), ["a", "b"]),
    ],
)
def test_prefilters(text: str, names: tuple[str, ...], expected: list[str]) -> None:
    """The last two filters do nothing without charsplit; ASCII is glued in a length-dependent way."""
    assert filtered(text, names).split() == expected


def test_letter_case() -> None:
    """Lower case goes letter by letter; folding goes further; an empty normalisation changes nothing."""
    listed, folded = comparable(CaseRule.AS_LISTED, "lowercase"), comparable(CaseRule.FOLDED, "")
    assert listed("ΟΔΟΣ") == "οδοσ"
    assert listed("İI") == "i̇i"
    assert listed("Straße") != listed("STRASSE")
    assert folded("Straße") == folded("STRASSE")
    assert folded("ς") == folded("Σ")
    assert comparable(CaseRule.AS_LISTED, "")("Bill") == "Bill"
    assert escaped("a&b <hes>") == "a&amp;b &lt;hes&gt;"


@pytest.mark.parametrize(
    ("name", "tool", "plan", "stdeval"),
    [
        ("audio/dev/x.sph", "x", "x", "x"),
        ("x.part.sph", "x.part", "x.part", "x.part"),
        ("audio/dev/x", "audio/dev/x", "x", "x"),
        ("x", "x", "x", "x"),
        ("x.mp3", "x", "x", "x.mp3"),
    ],
)
def test_file_ids_of_an_ecf(name: str, tool: str, plan: str, stdeval: str) -> None:
    """The tool keeps the directory of a name without extension; STDEval knows three extensions."""
    assert [ecf_file(name, law) for law in (TOOL, PLAN, STDEVAL)] == [tool, plan, stdeval]


def test_file_ids_of_detections() -> None:
    """Only .sph is dropped, and only if nothing else stands between it and the first dot."""
    names = ("d/x.sph", "x.wav", "a.b.sph", "x", "x.sph.sph")
    assert [system_file(name) for name in names] == ["x", "x.wav", "a.b.sph", "x", "x.sph.sph"]


def test_places_of_many_files_and_channels() -> None:
    """Each pair of a file and a channel is looked up, however many there could be."""
    known = numbered([Place("f3", "1"), Place("f4", "2"), Place("f3", "1")])
    assert len(known) == 2
    for count in (5, 70000):
        files, channels = tuple(f"f{n}" for n in range(count)), ("1", "2")
        file, channel = np.array([3, 4, 3, 0], dtype=np.int32), np.array([0, 1, 1, 0], dtype=np.int32)
        assert known.codes(file, channel, files, channels).tolist() == [0, 1, -1, -1]


def test_beta_and_conventions_are_values() -> None:
    """Beta is that of the plan; a law is a value that can be changed in one place."""
    assert beta(0.1, 1, 0.0001) == pytest.approx(999.9)
    assert beta(1, 100, 0.00015) == pytest.approx(66.65666666666667)
    assert PLAN._replace(noscore=False) != PLAN
