"""The processing resources of a system (SWS 2013 measures, 4.3), recomputed from what its report says.

    CPU time = wall time x cores, as if one core had done all the work
    ISF = indexing CPU time / T_Omega                    T_Omega: all documents
    SSF = searching CPU time / (T_Q T_Omega)             T_Q: all examples of all queries    (eq. 46, 47)
    PL  = lambda ISF PMU_i + (1 - lambda) SSF PMU_s      PMU in GB                           (eq. 48)

All times are in hours, as in the plan's examples, so SSF is per hour. The second of them prints SSF = 0.8 for 48 h,
0.25 h and 300 h, where the formula gives 0.64; the formula is the law here.

Numbers are Decimals made of the very text of the report: the digits that were written say how far a figure was
rounded, and no binary fraction blurs the half unit that is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LAMBDA = Decimal("0.1")  # suggested in 4.3; one value for all systems, or their loads cannot be compared

# More digits than anybody writes. Nothing is trapped: what is out of range ends as a value that agrees with nothing.
_EXACT = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])


class Phase(Enum):
    """What time and memory were used for."""

    INDEXING = "indexing"
    SEARCHING = "searching"


@dataclass(frozen=True, slots=True)
class Node:
    """One type of computing node, None where nothing was written."""

    phases: tuple[Phase, ...]
    count: Decimal | None = None
    brand: str | None = None
    cpu_model: str | None = None
    cores: Decimal | None = None
    clock_ghz: Decimal | None = None
    ram_gb: Decimal | None = None
    operating_system: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What one phase took, None where nothing was written; ``speed_factor`` is its ISF or SSF."""

    wall_hours: Decimal | None = None
    cores_used: Decimal | None = None
    cpu_hours: Decimal | None = None
    speed_factor: Decimal | None = None
    pmu_gb: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ResourceReport:
    """A resource report as written, None where nothing was written."""

    indexing: Usage
    searching: Usage
    documents_hours: Decimal | None = None
    queries_hours: Decimal | None = None
    load_weight: Decimal | None = None  # lambda
    processing_load: Decimal | None = None  # PL
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A derived figure: as written, as recomputed, and how.

    ``field`` is its place in the report, ``formula`` the law in words, ``worked`` the same with the numbers of the
    report. ``value`` is None where an input cannot be used; then ``reason`` names it.
    """

    field: str
    formula: str
    written: Decimal | None
    value: Decimal | None
    worked: str = ""
    reason: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the figure is written, can be recomputed, and differs."""
        return self.written is not None and self.value is not None and not agrees(self.written, self.value)

    @property
    def expected(self) -> str:
        """What should have been written, with as many digits as were; empty where that is not known."""
        if self.written is None or self.value is None or not self.written.is_finite():
            return ""
        with localcontext(_EXACT):
            return str(self.value.quantize(_last_digit(self.written)))


@dataclass(frozen=True, slots=True)
class DerivedFigures:
    """All figures of a report that follow from its other numbers."""

    indexing_cpu_hours: Figure
    isf: Figure
    searching_cpu_hours: Figure
    ssf: Figure
    pl: Figure

    def wrong(self) -> tuple[Figure, ...]:
        """Give the figures that are not what they should be, in the order of the report."""
        figures = (self.indexing_cpu_hours, self.isf, self.searching_cpu_hours, self.ssf, self.pl)
        return tuple(figure for figure in figures if figure.wrong)


@dataclass(frozen=True, slots=True)
class _Input:
    """A number that a figure is made of; ``missing_because`` says why a computed one has no value."""

    field: str
    value: Decimal | None
    missing_because: str = ""
    may_be_zero: bool = False

    @property
    def number(self) -> Decimal:
        """The value; not a number where there is none, and so is all that is made of it."""
        return Decimal("NaN") if self.value is None else self.value

    def fault(self) -> str:
        """Say why it cannot be used; empty if it can."""
        if self.value is None:
            return self.missing_because or f"{self.field} is missing"
        if not self.value.is_finite() or self.value < 0 or (self.value == 0 and not self.may_be_zero):
            return f"{self.field} is {self.value}"
        return ""


def agrees(written: Decimal, value: Decimal) -> bool:
    """Tell whether a written number is the value, rounded to the digits written: within half a unit of the last one.

    Both neighbours of a value in the middle are right.
    """
    if not written.is_finite() or not value.is_finite():
        return False
    with localcontext(_EXACT):
        return abs(written - value) * 2 <= _last_digit(written)


def _last_digit(written: Decimal) -> Decimal:
    """Give the unit of the last digit: 0.0001 for 0.6400, 1 for 64."""
    return Decimal((0, (1,), int(written.as_tuple().exponent)))


def derive(report: ResourceReport) -> DerivedFigures:
    """Recompute every derived figure from the inputs of the report, never from a rounded figure."""
    with localcontext(_EXACT):
        indexing_cpu = _cpu_hours("indexing", report.indexing)
        searching_cpu = _cpu_hours("searching", report.searching)
        isf = _speed(partial(_indexing_speed, report), indexing_cpu)
        ssf = _speed(partial(_searching_speed, report), searching_cpu)
        return DerivedFigures(indexing_cpu, isf, searching_cpu, ssf, _processing_load(report, isf, ssf))


def measures(report: ResourceReport) -> dict[str, float | None]:
    """Give the measures of a report under their published names, recomputed; None for those in ``undefined``."""
    derived = derive(report)
    values = {
        "ISF": derived.isf.value,
        "SSF": derived.ssf.value,
        "PMU_indexing": None if _peak("indexing", report.indexing).fault() else report.indexing.pmu_gb,
        "PMU_searching": None if _peak("searching", report.searching).fault() else report.searching.pmu_gb,
        "PL": derived.pl.value,
    }
    return {name: None if value is None else float(value) for name, value in values.items()}


def undefined(report: ResourceReport) -> dict[str, str]:
    """Say why measures of a report are None."""
    derived = derive(report)
    reasons = {
        "ISF": derived.isf.reason,
        "SSF": derived.ssf.reason,
        "PMU_indexing": _peak("indexing", report.indexing).fault(),
        "PMU_searching": _peak("searching", report.searching).fault(),
        "PL": derived.pl.reason,
    }
    return {name: reason for name, reason in reasons.items() if reason}


def cores_available(report: ResourceReport, phase: Phase) -> Decimal | None:
    """Give the cores of all nodes of a phase; None if a node does not say how many it has."""
    nodes = [node for node in report.nodes if phase in node.phases]
    with localcontext(_EXACT):
        cores = [node.count * node.cores for node in nodes if node.count is not None and node.cores is not None]
        return sum(cores, Decimal(0)) if nodes and len(cores) == len(nodes) else None


def largest_memory_gb(report: ResourceReport, phase: Phase) -> Decimal | None:
    """Give the memory of the largest node of a phase; None if a node does not say how much it has."""
    nodes = [node for node in report.nodes if phase in node.phases]
    memories = [node.ram_gb for node in nodes if node.ram_gb is not None]
    return max(memories) if nodes and len(memories) == len(nodes) else None


def _cpu_hours(phase: str, usage: Usage) -> Figure:
    wall, cores = _Input(f"{phase}.wall_hours", usage.wall_hours), _Input(f"{phase}.cores_used", usage.cores_used)
    figure = Figure(
        field=f"{phase}.cpu_hours",
        formula="CPU time = wall time x cores used",
        written=usage.cpu_hours,
        value=wall.number * cores.number,
        worked=f"{wall.number} x {cores.number}",
    )
    return _finished(figure, wall, cores)


def _speed(make: Callable[[_Input], Figure], cpu: Figure) -> Figure:
    """Make a speed factor of the CPU time: of the product, which is not rounded, where there is one.

    A written CPU time that contradicts its product is a finding of its own. The factor may then follow from either:
    one slip is one finding, not three.
    """
    written = _Input(cpu.field, cpu.written)
    figure = make(written if cpu.value is None else _Input(cpu.field, cpu.value))
    return make(written) if cpu.wrong and figure.wrong else figure


def _indexing_speed(report: ResourceReport, time: _Input) -> Figure:
    documents = _Input("audio.documents_hours", report.documents_hours)
    figure = Figure(
        field="indexing.isf",
        formula="ISF = indexing CPU time / duration of the documents",
        written=report.indexing.speed_factor,
        value=time.number / documents.number,
        worked=f"{time.number} / {documents.number}",
    )
    return _finished(figure, time, documents)


def _searching_speed(report: ResourceReport, time: _Input) -> Figure:
    documents = _Input("audio.documents_hours", report.documents_hours)
    queries = _Input("audio.queries_hours", report.queries_hours)
    figure = Figure(
        field="searching.ssf",
        formula="SSF = searching CPU time / (duration of all query examples x duration of the documents)",
        written=report.searching.speed_factor,
        value=time.number / (queries.number * documents.number),
        worked=f"{time.number} / ({queries.number} x {documents.number})",
    )
    return _finished(figure, time, queries, documents)


def _processing_load(report: ResourceReport, isf: Figure, ssf: Figure) -> Figure:
    weight = _Input("load.lambda", report.load_weight, may_be_zero=True)
    indexing, searching = _Input(isf.field, isf.value, isf.reason), _Input(ssf.field, ssf.value, ssf.reason)
    peak_i, peak_s = _peak("indexing", report.indexing), _peak("searching", report.searching)
    share = weight.number
    figure = Figure(
        field="load.pl",
        formula="PL = lambda x ISF x PMU of indexing + (1 - lambda) x SSF x PMU of searching",
        written=report.processing_load,
        value=share * indexing.number * peak_i.number + (1 - share) * searching.number * peak_s.number,
        worked=f"{share} x {indexing.number:.6g} x {peak_i.number}"
        f" + (1 - {share}) x {searching.number:.6g} x {peak_s.number}",
    )
    return _finished(figure, indexing, searching, peak_i, peak_s, weight)


def _peak(phase: str, usage: Usage) -> _Input:
    return _Input(f"{phase}.pmu_gb", usage.pmu_gb, may_be_zero=True)


def _finished(figure: Figure, *inputs: _Input) -> Figure:
    """Write the result after its working, or take both away for the first input that cannot be used."""
    faults = [fault for fault in (each.fault() for each in inputs) if fault]
    if faults:
        return replace(figure, value=None, worked="", reason=faults[0])
    return replace(figure, worked=f"{figure.worked} = {figure.value:.6g}")
