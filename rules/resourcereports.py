"""Family: a resource report in TOML: which fields it has, what each is for, and the report as the scorer takes it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, cast

from validator.model import Place
from validator.scoring.resources import Node, Phase, ResourceReport, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission
    from validator.tables import Form

PLAN = "SWS 2013 measures 4.3"
FILL_IN = "FILL-IN"


class Kind(Enum):
    """What a field takes."""

    TEXT = "a text between double quotes"
    COUNT = "a whole number from 1"
    POSITIVE = "a number above 0"
    AMOUNT = "a number from 0"
    PHASES = 'a list of "indexing" and "searching"'


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a table: what it takes, what it is, and the equation that defines it."""

    name: str
    kind: Kind
    doc: str
    equation: str = ""


_CPU = "CPU time is reported as if one core had done all the work: cpu_hours = wall_hours x cores_used"
_USAGE = (
    Field("wall_hours", Kind.POSITIVE, _CPU),
    Field("cores_used", Kind.POSITIVE, _CPU),
    Field("cpu_hours", Kind.POSITIVE, _CPU),
    Field("pmu_gb", Kind.AMOUNT, "peak memory in GB: the highest single value over all steps and nodes"),
)
_ISF = Field("isf", Kind.POSITIVE, "ISF = cpu_hours of indexing / documents_hours")
_SSF = Field("ssf", Kind.POSITIVE, "SSF = cpu_hours of searching / (queries_hours x documents_hours)", "eq. 46")
TABLES: dict[str, tuple[Field, ...]] = {
    "report": (
        Field("edition", Kind.TEXT, "the evaluation that the report is for"),
        Field("team", Kind.TEXT, "the team that sends it"),
        Field("system", Kind.TEXT, "a report belongs to one submitted system"),
    ),
    "node": (
        Field("phases", Kind.PHASES, "hardware is described for indexing and for searching"),
        Field("count", Kind.COUNT, "the description includes the number of nodes of each type"),
        Field("brand", Kind.TEXT, "the description of a node includes its brand"),
        Field("cpu_model", Kind.TEXT, "the description of a node includes its CPU model"),
        Field("cores", Kind.COUNT, "the description of a CPU includes the number of its cores"),
        Field("clock_ghz", Kind.POSITIVE, "the description of a CPU includes its clock speed"),
        Field("ram_gb", Kind.POSITIVE, "the description of a node includes its RAM"),
        Field("operating_system", Kind.TEXT, "the description of a node includes its operating system"),
    ),
    "audio": (
        Field("documents_hours", Kind.POSITIVE, "T_Omega, the duration of all audio documents"),
        Field("queries_hours", Kind.POSITIVE, "T_Q, the duration of all examples of all queries", "eq. 47"),
    ),
    "indexing": (*_USAGE, _ISF),
    "searching": (*_USAGE, _SSF),
    "load": (
        Field("lambda", Kind.AMOUNT, "the share of indexing in the load; 0.1 for all systems", "eq. 48"),
        Field(
            "pl", Kind.AMOUNT, "PL = lambda x ISF x PMU of indexing + (1 - lambda) x SSF x PMU of searching", "eq. 48"
        ),
    ),
}
MEASURED = frozenset({"wall_hours", "cores_used"})  # both may be left out: then cpu_hours was measured itself


def tables(form: Form) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Give the tables that are there: path, name and values; one [[node]] after the other."""
    for name in TABLES:
        found = form.values.get(name)
        if isinstance(found, dict):
            yield name, name, found
        elif name == "node" and isinstance(found, list):
            yield from ((f"{name}[{rank}]", name, one) for rank, one in enumerate(found) if isinstance(one, dict))


def number(value: object) -> Decimal | None:
    """Return a number as it was written; None for anything else."""
    if isinstance(value, Decimal):
        return value
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else None


def fits(kind: Kind, value: object) -> bool:
    """Tell whether a value is of a kind."""
    if kind is Kind.TEXT:
        return isinstance(value, str) and bool(value.strip())
    if kind is Kind.PHASES:
        phases = {phase.value for phase in Phase}
        return isinstance(value, list) and bool(value) and all(isinstance(v, str) and v in phases for v in value)
    found = number(value)
    if found is None or not found.is_finite() or found < 0:
        return False
    if kind is Kind.COUNT:
        return found >= 1 and found == found.to_integral_value()
    return kind is Kind.AMOUNT or found > 0


def resource_report(form: Form) -> ResourceReport:
    """Make the report that can be recomputed; what is not there, or not usable, is None."""
    values = {name: value if isinstance(value, dict) else {} for name, value in form.values.items()}

    def figure(table: str, key: str) -> Decimal | None:
        return number(values.get(table, {}).get(key))

    def usage(phase: str, factor: str) -> Usage:
        return Usage(*(figure(phase, key) for key in ("wall_hours", "cores_used", "cpu_hours", factor, "pmu_gb")))

    return ResourceReport(
        indexing=usage("indexing", "isf"),
        searching=usage("searching", "ssf"),
        documents_hours=figure("audio", "documents_hours"),
        queries_hours=figure("audio", "queries_hours"),
        load_weight=figure("load", "lambda"),
        processing_load=figure("load", "pl"),
        nodes=tuple(_node(table) for _, name, table in tables(form) if name == "node"),
    )


def _node(table: dict[str, object]) -> Node:
    phases = table.get("phases")
    used = phases if isinstance(phases, list) else []
    texts = {key: str(table[key]) if key in table else None for key in ("brand", "cpu_model", "operating_system")}
    numbers = {key: number(table.get(key)) for key in ("count", "cores", "clock_ghz", "ram_gb")}
    return Node(tuple(phase for phase in Phase if phase.value in used), **texts, **numbers)  # type: ignore[arg-type]


def forms(submission: Submission) -> Iterator[tuple[str, Form]]:
    """Give the reports of a submission with their files."""
    return ((file, cast("Form", table)) for file, table in submission.reports)


def place_of(file: str, form: Form, path: str) -> Place:
    """Return the place of a value, of its table if it has none, or of the file."""
    table = path.rpartition(".")[0]
    return Place(file, form.places.get(path, form.places.get(table)), node=path)


def section(field: Field) -> str:
    """Return where the plan defines a field."""
    return f"{PLAN}, {field.equation}" if field.equation else PLAN
