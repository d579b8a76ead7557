"""Results files held against a slow, obvious reader, and the laws of the measures through files and all."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats import languagekey, languagescores, lineblocks, segmentlist
from validator.formats.source import Held
from validator.scoring.crossentropy import measure
from validator.scoring.margins import Margins, arrange, closed_set

FORM = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WIDTHS = (10, 8)


@dataclass
class Twin:
    """What the slow reader found: rows by segment, and how often each rule is broken."""

    rows: list[tuple[str, list[float]]] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=dict)

    def note(self, code: str, count: int = 1) -> None:
        """Count a fault."""
        if count:
            self.faults[code] = self.faults.get(code, 0) + count


def slow(data: bytes) -> Twin:
    """Read a results file as one would by hand."""
    found = Twin()
    text = data.decode("ascii")
    lines = text.split("\n")
    unended = lines.pop() if not text.endswith("\n") else (lines.pop() and "")
    if unended:
        lines.append(unended)
    found.note("LRE208", sum(line.endswith("\r") for line in lines))
    lines = [line.removesuffix("\r") for line in lines]
    filled = [rank for rank, line in enumerate(lines) if line.split()]
    if not filled:
        found.note("LRE204")
        return found
    found.note("LRE203", sum(not lines[rank].split() for rank in range(filled[-1])))
    found.note("LRE209", int(bool(unended) or filled[-1] < len(lines) - 1))
    counts = [len(lines[rank].split()) for rank in filled]
    width = max(WIDTHS, key=counts.count)
    if not any(map(counts.count, WIDTHS)):
        width = 8 if lines[filled[0]].split()[0] == "Empty" else 10
    for rank in filled:
        fields = lines[rank].split()
        found.note("LRE207", int(lines[rank] != " ".join(fields)))
        found.note("LRE202", int(len(fields) != width))
        scores = [math.nan] * (width - 3)
        if len(fields) == width:
            scores = [_number(score, found) for score in fields[3:]]
        if len(fields) >= 3:
            found.rows.append((fields[2], scores))
    return found


def _number(text: str, found: Twin) -> float:
    if FORM.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    special = FORM.fullmatch(text) or text.lower().lstrip("+-") in ("nan", "inf", "infinity")
    found.note("LRE206" if special else "LRE205")
    return math.nan


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-99, 99).map("{:.4f}".format),
    st.floats(-1e9, 1e9).map("{:.18e}".format),
    st.sampled_from(["0", "-0", "+.5", "5.", "1e400", "1e-400", "nan", "-Inf", "0,5", "1_0", "--5", "1e", "e5", "."]),
)
good_numbers = st.one_of(st.floats(-99, 99).map("{:.4f}".format), st.floats(-1e300, 1e300).map(repr))
blanks = st.sampled_from([" "] * 12 + ["  ", "\t", " \t "])


@st.composite
def result_lines(draw: st.DrawFn) -> bytes:
    """Lines that are mostly right."""
    wide = draw(st.booleans())
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        count = draw(st.sampled_from([10 if wide else 8] * 8 + [0, 1, 2, 3, 9, 11]))
        codes = ["Plenty" if wide else "Empty", "Closed", draw(st.text("abXY.", min_size=1, max_size=12))]
        scores = draw(st.lists(numbers, min_size=max(count - 3, 0), max_size=max(count - 3, 0)))
        line = "".join(f"{part}{draw(blanks)}" for part in [*codes, *scores][:count])
        lines.append(draw(st.sampled_from(["", "", "", " "])) + (line if draw(st.booleans()) else line.rstrip()))
    ends = [draw(st.sampled_from(["\n"] * 6 + ["\r\n"])) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return (text if draw(st.booleans()) else text.removesuffix("\n")).encode()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(result_lines())
def test_the_fast_reader_is_the_slow_one(data: bytes) -> None:
    """Same segments, same doubles to the last bit, same number of faults of each kind."""
    twin, found = slow(data), languagescores.read(Held("x.out", data))
    table = found.table
    assert [table.names[row] for row in range(len(table))] == [name for name, _ in twin.rows]
    mine = np.array([scores for _, scores in twin.rows]).reshape(table.scores.shape)
    assert np.array_equal(table.scores, mine, equal_nan=True)
    assert np.array_equal(table.usable, ~np.isnan(mine).any(axis=1))
    faults: dict[str, int] = {}
    for rule, defect in found.problems:
        faults[rule.code] = faults.get(rule.code, 0) + defect.count
    assert faults == twin.faults


@settings(max_examples=60, deadline=None, derandomize=True)
@given(result_lines(), st.integers(1, 40))
def test_blocks_do_not_show(data: bytes, size: int) -> None:
    """A file is the same however it is cut into blocks."""
    whole = languagescores.read(Held("x.out", data))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lineblocks, "_BLOCK", size)
        parts = languagescores.read(Held("x.out", data))
    if whole.table.columns != parts.table.columns:  # the first block alone decides whose columns they are
        return
    assert np.array_equal(whole.table.scores, parts.table.scores, equal_nan=True)
    assert whole.table.offset.tolist() == parts.table.offset.tolist()
    faults = [
        sorted((rule.code, defect.where.offset or 0, defect.message, defect.count) for rule, defect in found.problems)
        for found in (whole, parts)
    ]
    assert faults[0] == faults[1]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=400))
def test_no_bytes_make_a_reader_stumble(data: bytes) -> None:
    """Every reader of these formats comes to an end with a table."""
    for module in (languagescores, segmentlist, languagekey):
        content = module.read(Held("x", data))
        assert len(content) >= 0
        assert all(defect.count > 0 for _, defect in content.problems)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.permutations(range(6)), st.lists(good_numbers, min_size=84, max_size=84))
def test_the_canonical_form_keeps_every_number(order: list[int], texts: list[str]) -> None:
    """Lines in the order of seg.ndx, single blanks; reading it again gives the same values."""
    names = [f"seg{rank}" for rank in range(6)]
    rows = [" ".join(["Plenty", "Open", name, *texts[7 * rank : 7 * rank + 7]]) for rank, name in enumerate(names)]
    messy = "".join("\t".join(rows[rank].split(" ")) + " \r\n" for rank in order).encode()
    segments = segmentlist.read(Held("seg.ndx", "".join(f"{name}.wav\n" for name in names).encode())).table
    written = languagescores.canonical(Held("x.out", messy), {"segments": segments})
    with written.open() as stream:
        assert stream.read().decode() == "".join(f"{row}\n" for row in rows)


# -- the laws of the measures --------------------------------------------------------------------------------------

CLASSES = ("Basque", "Catalan", "English", "Galician", "Portuguese", "Spanish")
matrices = st.lists(
    st.lists(st.one_of(st.floats(-20, 20), st.floats(-1e4, 1e4)), min_size=6, max_size=6), min_size=12, max_size=12
)


def _read(scores: np.ndarray[tuple[int, ...], np.dtype[np.float64]], languages: list[str]) -> Margins:
    """Write a results file and a key, read them, and arrange what they hold."""
    rows = [" ".join(["Plenty Closed", f"s{i}", *map(repr, row), "0"]) for i, row in enumerate(scores.tolist())]
    table = languagescores.read(Held("x.out", "\n".join(rows).encode())).table
    key = languagekey.read(Held("key", "".join(f"s{i} {lang}\n" for i, lang in enumerate(languages)).encode())).table
    margins = arrange(table.scores, key.classes("Plenty", CLASSES), closed_set(CLASSES))
    assert isinstance(margins, Margins)
    return margins


@settings(max_examples=40, deadline=None, derandomize=True)
@given(matrices, st.permutations(range(6)))
def test_laws(rows: list[list[float]], order: list[int]) -> None:
    """Fdis <= 1, Fact >= Fdis; a constant for a segment and the order of the classes change nothing."""
    scores = np.array(rows)
    languages = [CLASSES[rank % 6] for rank in range(12)]
    found = measure(_read(scores, languages))
    assert found.confusion.fdis <= 1
    assert found.confusion.fact >= found.confusion.fdis
    shifted = measure(_read(scores + 64.0 * np.arange(12)[:, None], languages))
    assert shifted.cmce == pytest.approx(found.cmce, rel=1e-9, abs=1e-9)
    renamed = [CLASSES[order.index(CLASSES.index(language))] for language in languages]
    permuted = measure(_read(scores[:, order], renamed))
    assert permuted.cmce == pytest.approx(found.cmce, rel=1e-12, abs=1e-12)
    assert permuted.cmin == pytest.approx(found.cmin, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("constant", [0.0, -3.25, 1e4, 1e300])
def test_the_default_system_has_fact_1(constant: float) -> None:
    """Whatever the constant is."""
    languages = [CLASSES[rank % 6] for rank in range(12)]
    assert measure(_read(np.full((12, 6), constant), languages)).confusion.fact == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("size", [1e4, 1e300])
def test_huge_scores_neither_overflow_nor_warn(size: float) -> None:
    """Warnings are errors in these tests; an infinite Fact still has its logarithm, unless Cmce itself is infinite."""
    scores = size * np.array([[(-1.0) ** (i + j) for j in range(6)] for i in range(12)])
    found = measure(_read(scores, [CLASSES[(rank + 1) % 6] for rank in range(12)]))
    assert math.isinf(found.confusion.fact)
    assert found.confusion.fdis <= 1
