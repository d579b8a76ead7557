"""Rules of the resource report of the Spoken Web Search 2013 (6xx): is it there, and are its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Scope, Severity, rule
from validator.scoring.resources import Phase
from validator.suggest import nearest, quoted

from . import swsfigures
from .resourcereports import FILL_IN, MEASURED, PLAN, TABLES, fits, forms, number, place_of, section, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission

ERROR, WARNING, INFO, OK = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OK
WHOLE = Scope.SUBMISSION


@rule(
    "SWS601", "no-resource-report", cites=PLAN, plan=INFO, tool=OK, scope=WHOLE, needs=("whole",), follows=("GEN101",)
)
def no_resource_report(submission: Submission) -> Iterator[Defect]:
    """Each submitted system comes with a report of its hardware, its CPU times and its peak memory.

    Why: systems are compared by what they need, too: ISF, SSF, PMU and PL.
    Bad: sys.stdlist.xml alone
    Good: sys.stdlist.xml and resources.toml
    Fix: subgate init -e sws2013 DIR writes a resources.toml to fill in; --set complete=true makes this an error.
    NIST: STDEval knows no resource report.
    """
    if not submission.parameters["complete"]:
        yield from _without_report(submission)


def _without_report(submission: Submission) -> Iterator[Defect]:
    if not submission.side:
        yield Defect(Place(submission.path), "there is no resources.toml")
        return
    for run in submission.runs:
        if not submission.reports_of(run):
            hint = f"add {run.stem}.resources.toml, or a resources.toml for all runs"
            yield Defect(Place(run.file), "no resource report goes with this run", hint)


@rule("SWS602", "resource-report-missing", cites=PLAN, plan=ERROR, tool=OK, scope=WHOLE, needs=("whole",))
def resource_report_missing(submission: Submission) -> Iterator[Defect]:
    """A submission that is said to be complete (--set complete=true) has a resource report.

    Why: the protocol must be followed for each submitted system.
    Bad: a complete submission without resources.toml
    Good: the same with resources.toml
    Fix: subgate init -e sws2013 DIR writes one to fill in.
    NIST: STDEval knows no resource report.
    """
    if submission.parameters["complete"]:
        yield from _without_report(submission)


@rule(
    "SWS603",
    "missing-resource-field",
    cites=PLAN,
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def missing_resource_field(submission: Submission) -> Iterator[Defect]:
    """A resource report has every field that the plan asks for.

    Why: each figure is made of others; one that is missing leaves holes in the comparison.
    Bad: [searching] without ssf
    Good: ssf = 0.64
    Fix: add the field; wall_hours and cores_used may be left out together, if the CPU time itself was measured.
    NIST: STDEval knows no resource report.
    """
    for file, form in forms(submission):
        there = {name for _, name, _ in tables(form)}
        for name in (name for name in TABLES if name not in there):
            keys = ", ".join(field.name for field in TABLES[name])
            head = f"[[{name}]]" if name == "node" else f"[{name}]"
            if name in form.values:
                yield Defect(
                    place_of(file, form, f"{name}[0]"), f"{name} must be one table", f"write it once, as {head}"
                )
            else:
                yield Defect(place_of(file, form, name), f"the table {head} is missing", f"add it, with {keys}")
        for path, name, values in tables(form):
            measured = name in Phase._value2member_map_ and not MEASURED & values.keys()
            for field in TABLES[name]:
                value = values.get(field.name)
                if (value is not None and value != FILL_IN) or (measured and field.name in MEASURED):
                    continue
                text = "is still to be filled in" if value == FILL_IN else "is missing"
                hint = f"write {field.kind.value}" if value == FILL_IN else f"add {field.name} to its table"
                hint += "; or leave wall_hours and cores_used out" if field.name in MEASURED else ""
                where = place_of(file, form, f"{path}.{field.name}")
                message = f"{path}.{field.name} {text}: {field.kind.value}"
                yield Defect(where, message, hint, why=field.doc, cites=section(field))


@rule(
    "SWS604",
    "unusable-resource-field",
    cites=PLAN,
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def unusable_resource_field(submission: Submission) -> Iterator[Defect]:
    """Every field of a resource report has a value of its kind: a text, or a finite number above 0.

    Why: what is no number cannot be recomputed; pmu_gb and pl alone may be 0.
    Bad: cores = "16", or wall_hours = -3
    Good: cores = 16, and wall_hours = 3.0
    Fix: write what the message asks for; numbers without quotes and without a unit.
    NIST: STDEval knows no resource report.
    """
    for file, form in forms(submission):
        for path, name, values in tables(form):
            for field in TABLES[name]:
                value = values.get(field.name)
                if value is None or value == FILL_IN or fits(field.kind, value):
                    continue
                where = place_of(file, form, f"{path}.{field.name}")
                message = f"{path}.{field.name} is not {field.kind.value}: {quoted(_shown(value))}"
                hint = f"write {field.kind.value}{', without quotes and unit' if isinstance(value, str) else ''}"
                yield Defect(where, message, hint, why=field.doc, cites=section(field))


def _shown(value: object) -> str:
    return str(number(value)) if number(value) is not None else str(value)


@rule(
    "SWS611",
    "unknown-resource-field",
    cites=PLAN,
    plan=WARNING,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def unknown_resource_field(submission: Submission) -> Iterator[Defect]:
    """A resource report has no other fields than those of the form.

    Why: a misspelt name looks just like a field that is missing.
    Bad: operatingsystem = "Linux"
    Good: operating_system = "Linux"
    Fix: correct the name, or write what you want to add as a comment behind #.
    NIST: STDEval knows no resource report.
    """
    for file, form in forms(submission):
        for name in (name for name in form.values if name not in TABLES):
            yield _unknown(place_of(file, form, name), name, list(TABLES))
        for path, table, values in tables(form):
            known = [field.name for field in TABLES[table]]
            for name in (name for name in values if name not in known):
                yield _unknown(
                    place_of(file, form, f"{path}.{name}"), name, [one for one in known if one not in values]
                )


def _unknown(where: Place, name: str, known: list[str]) -> Defect:
    guess = nearest(name, known)
    label = f"did you mean {guess}?" if guess else ""
    return Defect(where, f"{quoted(where.node)} is no field of the form", f"write {guess}" if guess else "", label)


@rule(
    "SWS612",
    "report-of-other-team",
    cites="house rule",
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def report_of_other_team(submission: Submission) -> Iterator[Defect]:
    """The team of the resource report is the one that the organizer expects (--set team=NAME).

    Why: a file of another team, or of an older name, has got into the folder.
    Bad: team = "GTTS" where the organizer expects ELiRF
    Good: team = "ELiRF"
    Fix: correct the team, or take the right file.
    NIST: STDEval knows no resource report.
    """
    expected = submission.parameters["team"]
    for file, form in forms(submission) if expected else ():
        for path, name, values in tables(form):
            team = values.get("team") if name == "report" else None
            if isinstance(team, str) and team not in (expected, FILL_IN):
                yield Defect(
                    place_of(file, form, f"{path}.team"), f"team is {{value}}; {quoted(str(expected))} is expected"
                )


@rule(
    "SWS613",
    "report-of-other-edition",
    cites=PLAN,
    plan=WARNING,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def report_of_other_edition(submission: Submission) -> Iterator[Defect]:
    """edition is the evaluation that the submission is for.

    Why: a report of last year has other audio and other queries.
    Bad: edition = "sws2012" in a submission to sws2013
    Good: edition = "sws2013"
    Fix: check that it is the right report, and correct edition.
    NIST: STDEval knows no resource report.
    """
    for file, form in forms(submission):
        for path, name, values in tables(form):
            edition = values.get("edition") if name == "report" else None
            if isinstance(edition, str) and edition not in (submission.profile.name, FILL_IN):
                message = f"edition is {{value}}; this is {submission.profile.name}"
                yield Defect(place_of(file, form, f"{path}.edition"), message)


RULES = (
    no_resource_report,
    resource_report_missing,
    missing_resource_field,
    unusable_resource_field,
    *swsfigures.RULES,
    unknown_resource_field,
    report_of_other_team,
    report_of_other_edition,
)
