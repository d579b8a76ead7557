"""The resource report: the oracle, the plan's examples, and rounding by the digits written."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.scoring.resources import (
    Figure,
    Node,
    Phase,
    ResourceReport,
    Usage,
    agrees,
    cores_available,
    derive,
    largest_memory_gb,
    measures,
    undefined,
)

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GOLDEN = Path(__file__).parent.parent / "golden" / "sws"
CASES = sorted(path.parent.name for path in GOLDEN.glob("*/resources.toml"))

# The plan's example (4.3): 14 h on 16 cores for 300 h of documents, 3 h on 16 cores for 0.25 h of queries.
EXAMPLE = ResourceReport(
    indexing=Usage(Decimal("14.0"), Decimal(16), Decimal("224.0"), Decimal("0.7467"), Decimal("2.5")),
    searching=Usage(Decimal("3.0"), Decimal(16), Decimal("48.0"), Decimal("0.64"), Decimal("4.0")),
    documents_hours=Decimal("300.0"),
    queries_hours=Decimal("0.25"),
    load_weight=Decimal("0.1"),
    processing_load=Decimal("2.4907"),
    nodes=(Node((Phase.INDEXING, Phase.SEARCHING), count=Decimal(1), cores=Decimal(16), ram_gb=Decimal("48.0")),),
)


def read_report(path: Path) -> ResourceReport:
    """Read a report of the oracle with the digits as written."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)

    def usage(phase: str, factor: str) -> Usage:
        keys = ("wall_hours", "cores_used", "cpu_hours", factor, "pmu_gb")
        return Usage(*(Decimal(tables[phase][key]) for key in keys))

    return ResourceReport(
        indexing=usage("indexing", "isf"),
        searching=usage("searching", "ssf"),
        documents_hours=tables["audio"]["documents_hours"],
        queries_hours=tables["audio"]["queries_hours"],
        load_weight=tables["load"]["lambda"],
        processing_load=tables["load"]["pl"],
    )


def wrong_fields(report: ResourceReport) -> list[str]:
    """Name the figures that differ."""
    return [figure.field for figure in derive(report).wrong()]


def test_the_oracle_has_consistent_and_inconsistent_reports() -> None:
    """Both kinds are there to be compared."""
    assert CASES == ["01-by-hand", "08-miscalibrated"]


@pytest.mark.parametrize("name", CASES)
def test_figures_agree_with_the_oracle(name: str) -> None:
    """ISF, SSF, PL and the list of wrong fields are the oracle's."""
    expected = json.loads((GOLDEN / name / "expected.json").read_text(encoding="utf-8"))["resources"]
    report = read_report(GOLDEN / name / "resources.toml")
    computed = {key: measures(report)[key] for key in ("ISF", "SSF", "PL")}
    assert computed == pytest.approx({key: expected[key] for key in computed}, abs=1e-6, rel=0)
    assert sorted(field.split(".")[1] for field in wrong_fields(report)) == expected["wrong_fields"]
    assert (not derive(report).wrong()) == expected["consistent"]


def test_the_example_of_the_plan() -> None:
    """ISF is as printed; SSF is what the formula says, and the printed 0.8 does not pass."""
    derived = derive(EXAMPLE)
    assert derived.wrong() == ()
    assert derived.indexing_cpu_hours.worked == "14.0 x 16 = 224.0"
    assert derived.isf.worked == "224.0 / 300.0 = 0.746667"
    assert derived.ssf.worked == "48.0 / (0.25 x 300.0) = 0.64"
    assert derived.pl.worked == "0.1 x 0.746667 x 2.5 + (1 - 0.1) x 0.64 x 4.0 = 2.49067"
    assert measures(EXAMPLE) == pytest.approx(
        {"ISF": 224 / 300, "SSF": 0.64, "PMU_indexing": 2.5, "PMU_searching": 4.0, "PL": 2.4906666666666667}, rel=1e-15
    )
    printed = replace(EXAMPLE, searching=replace(EXAMPLE.searching, speed_factor=Decimal("0.8")))
    (slip,) = derive(printed).wrong()
    assert slip.field == "searching.ssf"
    assert slip.expected == "0.6"
    assert slip.formula == "SSF = searching CPU time / (duration of all query examples x duration of the documents)"


@pytest.mark.parametrize(
    ("written", "value", "verdict"),
    [
        ("0.7467", "0.746666666666666666666667", True),
        ("0.747", "0.746666666666666666666667", True),
        ("0.7466", "0.746666666666666666666667", False),
        ("0.74667", "0.746666666666666666666667", True),
        ("0.64", "0.64", True),
        ("0.6400", "0.64", True),
        ("0.6401", "0.64", False),
        ("41.2", "41.25", True),  # both neighbours of the middle
        ("41.3", "41.25", True),
        ("41.20", "41.25", False),
        ("41.2", "41.2500000000000000000000000000000001", False),
        ("41", "41.25", True),
        ("4e1", "41.25", True),
        ("4.0e1", "41.25", False),
        ("1e2", "50", True),
        ("0.000", "0.0004", True),
        ("nan", "1", False),
        ("inf", "1", False),
        ("1e999999999", "1", False),
        ("1", "1e999999999", False),
    ],
)
def test_digits_written_set_the_tolerance(written: str, value: str, verdict: bool) -> None:  # noqa: FBT001
    """Half a unit of the last digit written, ends included, in exact arithmetic."""
    assert agrees(Decimal(written), Decimal(value)) is verdict


@given(value=st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=10**6), digits=st.integers(0, 8))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_rounding_agrees_and_the_next_number_does_not(value: Fraction, digits: int) -> None:
    """A figure rounded to any number of digits, halves up or down, agrees; two units off it never does."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    unit = Decimal(1).scaleb(-digits)
    for rounding in (ROUND_HALF_UP, ROUND_HALF_DOWN):
        written = exact.quantize(unit, rounding=rounding)
        assert agrees(written, exact)
        assert not agrees(written + 2 * unit, exact)
        assert agrees(written, exact) == (abs(Fraction(written) - value) <= Fraction(unit) / 2)


hours = st.decimals(min_value="0.01", max_value=1000, places=2)


@given(wall=hours, cores=st.integers(1, 64), documents=hours, queries=hours, peaks=st.tuples(hours, hours))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_figures_equal_plain_fractions(
    wall: Decimal, cores: int, documents: Decimal, queries: Decimal, peaks: tuple[Decimal, Decimal]
) -> None:
    """The formulas once more, in fractions; a report that writes them with any rounding is consistent."""
    cpu = Fraction(wall) * cores
    isf, ssf = cpu / Fraction(documents), cpu / (Fraction(queries) * Fraction(documents))
    load = Fraction(1, 10) * isf * Fraction(peaks[0]) + Fraction(9, 10) * ssf * Fraction(peaks[1])
    report = ResourceReport(
        indexing=Usage(wall, Decimal(cores), pmu_gb=peaks[0], speed_factor=Decimal(f"{float(isf):.3f}")),
        searching=Usage(wall, Decimal(cores), pmu_gb=peaks[1], speed_factor=Decimal(f"{float(ssf):.2e}")),
        documents_hours=documents,
        queries_hours=queries,
        load_weight=Decimal("0.1"),
        processing_load=Decimal(f"{float(load):.1f}"),
    )
    assert measures(report) == pytest.approx(
        {
            "ISF": float(isf),
            "SSF": float(ssf),
            "PMU_indexing": float(peaks[0]),
            "PMU_searching": float(peaks[1]),
            "PL": float(load),
        },
        rel=1e-14,
    )
    assert wrong_fields(report) == []


def test_a_rounded_cpu_time_is_not_rounded_twice() -> None:
    """1.333 h on 7 cores are 9.331 h; written as 9.3 they agree, and ISF is made of the 9.331."""
    usage = Usage(Decimal("1.333"), Decimal(7), Decimal("9.3"), Decimal("0.46655"), Decimal(1))
    report = replace(EXAMPLE, indexing=usage, documents_hours=Decimal(20))
    assert derive(report).indexing_cpu_hours.wrong is False
    assert derive(report).isf.value == Decimal("0.46655")
    assert "indexing.isf" not in wrong_fields(report)


def test_a_wrong_cpu_time_is_one_slip() -> None:
    """Figures that follow from the CPU time as written, or from the product, are not blamed for it."""
    usage = replace(EXAMPLE.indexing, cpu_hours=Decimal("240.0"), speed_factor=Decimal("0.8"))
    report = replace(EXAMPLE, indexing=usage, processing_load=Decimal("2.504"))
    assert wrong_fields(report) == ["indexing.cpu_hours"]
    assert derive(report).indexing_cpu_hours.expected == "224.0"
    typo = replace(EXAMPLE, indexing=replace(EXAMPLE.indexing, cpu_hours=Decimal("242.0")))
    assert wrong_fields(typo) == ["indexing.cpu_hours"]
    assert derive(typo).isf.value == derive(EXAMPLE).isf.value


def test_a_measured_cpu_time_needs_no_wall_time() -> None:
    """cpu_hours alone is enough for every measure."""
    usage = replace(EXAMPLE.indexing, wall_hours=None, cores_used=None)
    report = replace(EXAMPLE, indexing=usage)
    assert wrong_fields(report) == []
    assert measures(report) == measures(EXAMPLE)
    assert derive(report).indexing_cpu_hours.reason == "indexing.wall_hours is missing"


@pytest.mark.parametrize(
    ("report", "reasons"),
    [
        (
            replace(EXAMPLE, documents_hours=None),
            dict.fromkeys(("ISF", "SSF", "PL"), "audio.documents_hours is missing"),
        ),
        (
            replace(EXAMPLE, documents_hours=Decimal("0.0")),
            dict.fromkeys(("ISF", "SSF", "PL"), "audio.documents_hours is 0.0"),
        ),
        (
            replace(EXAMPLE, queries_hours=Decimal("-0.25")),
            dict.fromkeys(("SSF", "PL"), "audio.queries_hours is -0.25"),
        ),
        (
            replace(EXAMPLE, searching=replace(EXAMPLE.searching, pmu_gb=Decimal("nan"))),
            dict.fromkeys(("PMU_searching", "PL"), "searching.pmu_gb is NaN"),
        ),
        (replace(EXAMPLE, load_weight=None), {"PL": "load.lambda is missing"}),
        (
            replace(EXAMPLE, indexing=Usage()),
            {
                "ISF": "indexing.cpu_hours is missing",
                "PMU_indexing": "indexing.pmu_gb is missing",
                "PL": "indexing.cpu_hours is missing",
            },
        ),
    ],
)
def test_unusable_inputs_are_named(report: ResourceReport, reasons: dict[str, str]) -> None:
    """A measure without its inputs is None and says which is missing; the others are there."""
    assert undefined(report) == reasons
    assert {name for name, value in measures(report).items() if value is None} == set(reasons)
    assert all(figure.field.split(".")[1].upper() not in reasons for figure in derive(report).wrong())


def test_memory_and_load_of_zero_are_numbers() -> None:
    """A peak too small for the digits written is 0, and so is the load."""
    report = replace(
        EXAMPLE,
        indexing=replace(EXAMPLE.indexing, pmu_gb=Decimal(0)),
        searching=replace(EXAMPLE.searching, pmu_gb=Decimal("0.0")),
        processing_load=Decimal("0.00"),
    )
    assert undefined(report) == {}
    assert measures(report)["PL"] == 0
    assert wrong_fields(report) == []


def test_what_was_not_written_is_not_wrong() -> None:
    """A missing figure is recomputed, and it is for others to say that it is missing."""
    figure = Figure("load.pl", "", written=None, value=Decimal(1))
    assert not figure.wrong
    assert figure.expected == ""


def test_capacity_of_the_nodes_by_phase() -> None:
    """Cores add up over nodes and types, memory does not; an incomplete description has no capacity."""
    small = Node((Phase.INDEXING,), count=Decimal(3), cores=Decimal(4), ram_gb=Decimal(8))
    large = Node((Phase.INDEXING, Phase.SEARCHING), count=Decimal(1), cores=Decimal(16), ram_gb=Decimal("48.0"))
    report = replace(EXAMPLE, nodes=(small, large))
    assert cores_available(report, Phase.INDEXING) == 28
    assert cores_available(report, Phase.SEARCHING) == 16
    assert largest_memory_gb(report, Phase.INDEXING) == 48
    silent = replace(report, nodes=(small, replace(large, cores=None, ram_gb=None)))
    assert cores_available(silent, Phase.INDEXING) is None
    assert largest_memory_gb(silent, Phase.INDEXING) is None
    assert cores_available(replace(report, nodes=(small,)), Phase.SEARCHING) is None
    assert largest_memory_gb(replace(report, nodes=(small,)), Phase.SEARCHING) is None
