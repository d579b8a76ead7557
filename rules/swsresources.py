"""Rules of the resource report of the Spoken Web Search 2013 (6xx): fields, recomputed figures, plausibility."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, cast

from validator.model import Defect, Place, Scope, Severity, rule
from validator.scoring.resources import LAMBDA, Phase, cores_available, derive, largest_memory_gb
from validator.suggest import nearest, quoted

from .resourcereports import FILL_IN, MEASURED, TABLES, Field, fits, number, resource_report, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission
    from validator.tables import Ecf, Form

ERROR, WARNING, INFO, OK = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.OK
PLAN = "SWS 2013 measures 4.3"
WHOLE = Scope.SUBMISSION


def _place(file: str, form: Form, path: str) -> Place:
    """Return the place of a value, of its table if it has none, or of the file."""
    table = path.rpartition(".")[0]
    return Place(file, form.places.get(path, form.places.get(table)), node=path)


def _forms(submission: Submission) -> Iterator[tuple[str, Form]]:
    return ((file, cast("Form", table)) for file, table in submission.reports)


def _section(field: Field) -> str:
    return f"{PLAN}, {field.equation}" if field.equation else PLAN


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
    if not submission.parameters["complete"] and not submission.side:
        yield Defect(Place(submission.path), "there is no resources.toml")


@rule("SWS602", "resource-report-missing", cites=PLAN, plan=ERROR, tool=OK, scope=WHOLE, needs=("whole",))
def resource_report_missing(submission: Submission) -> Iterator[Defect]:
    """A submission that is said to be complete (--set complete=true) has a resource report.

    Why: the protocol must be followed for each submitted system.
    Bad: a complete submission without resources.toml
    Good: the same with resources.toml
    Fix: subgate init -e sws2013 DIR writes one to fill in.
    NIST: STDEval knows no resource report.
    """
    if submission.parameters["complete"] and not submission.side:
        yield Defect(Place(submission.path), "there is no resources.toml")


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
    for file, form in _forms(submission):
        there = {name for _, name, _ in tables(form)}
        for name in (name for name in TABLES if name not in there):
            keys = ", ".join(field.name for field in TABLES[name])
            head = f"[[{name}]]" if name == "node" else f"[{name}]"
            yield Defect(_place(file, form, name), f"the table {head} is missing", f"add it, with {keys}")
        for path, name, values in tables(form):
            measured = name in Phase._value2member_map_ and not MEASURED & values.keys()
            for field in TABLES[name]:
                value = values.get(field.name)
                if (value is not None and value != FILL_IN) or (measured and field.name in MEASURED):
                    continue
                text = "is still to be filled in" if value == FILL_IN else "is missing"
                hint = f"write {field.kind.value}" if value == FILL_IN else f"add {field.name} to its table"
                hint += "; or leave wall_hours and cores_used out" if field.name in MEASURED else ""
                where = _place(file, form, f"{path}.{field.name}")
                message = f"{path}.{field.name} {text}: {field.kind.value}"
                yield Defect(where, message, hint, why=field.doc, cites=_section(field))


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
    Fix: write numbers without quotes and without a unit.
    NIST: STDEval knows no resource report.
    """
    for file, form in _forms(submission):
        for path, name, values in tables(form):
            for field in TABLES[name]:
                value = values.get(field.name)
                if value is None or value == FILL_IN or fits(field.kind, value):
                    continue
                where = _place(file, form, f"{path}.{field.name}")
                message = f"{path}.{field.name} is not {field.kind.value}: {quoted(_shown(value))}"
                yield Defect(where, message, why=field.doc, cites=_section(field))


def _shown(value: object) -> str:
    return str(number(value)) if number(value) is not None else str(value)


@rule(
    "SWS605",
    "wrong-resource-figure",
    cites=PLAN,
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def wrong_resource_figure(submission: Submission) -> Iterator[Defect]:
    """CPU times, ISF, SSF and PL are what the formulas make of the other numbers, to half a unit of the last digit.

    Why: figures are compared between systems, so all must follow the same formulas. All times are in hours, so that
    SSF is per hour. The plan's own example (3 h on 16 cores, 0.25 h of queries, 300 h of documents) prints SSF = 0.8,
    but its formula, eq. 46, gives 48 / (0.25 x 300) = 0.64; 0.8 would take 60 CPU hours, or 0.2 h of queries. The
    printed value is a slip: the formula counts here, and 0.8 does not pass.
    Bad: ssf = 0.8 with cpu_hours = 48.0, queries_hours = 0.25 and documents_hours = 300.0
    Good: ssf = 0.64
    Fix: write the figure that the message gives, or correct the number that it was made of.
    NIST: STDEval knows no resource report; the organizers' tables were made by hand.
    """
    for file, form in _forms(submission):
        for figure in derive(resource_report(form)).wrong():
            table, _, key = figure.field.partition(".")
            field = next(one for one in TABLES[table] if one.name == key)
            if figure.written is None or figure.value is None or not fits(field.kind, figure.written):
                continue  # another rule's business
            message = f"{figure.field} is {{value}}, but {figure.worked}"
            hint = f"write {_rounded(figure.value)}"
            yield Defect(_place(file, form, figure.field), message, hint, why=figure.formula, cites=_section(field))


def _rounded(value: Decimal) -> str:
    """Write a figure with four digits at least, without zeros at the end: within half a unit of its last digit."""
    if abs(value.adjusted()) > 20:
        return f"{value:.3e}"
    unit = Decimal((0, (1,), min(0, value.adjusted() - 3)))
    return f"{value.quantize(unit).normalize():f}"


@rule(
    "SWS606",
    "other-load-weight",
    cites=f"{PLAN}, eq. 48",
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def other_load_weight(submission: Submission) -> Iterator[Defect]:
    """lambda is 0.1.

    Why: loads can be compared only if all systems weigh indexing and searching in the same way.
    Bad: lambda = 0.5
    Good: lambda = 0.1
    Fix: write 0.1 and compute pl with it.
    NIST: STDEval knows no resource report.
    """
    for file, form in _forms(submission):
        weight = resource_report(form).load_weight
        if weight is not None and weight != LAMBDA:
            yield Defect(_place(file, form, "load.lambda"), f"lambda is {{value}}; it must be {LAMBDA}")


@rule(
    "SWS607",
    "phase-without-node",
    cites=PLAN,
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201", "SWS603", "SWS604"),
)
def phase_without_node(submission: Submission) -> Iterator[Defect]:
    """Indexing and searching each have a node that they ran on.

    Why: the hardware of both phases is described, separately where it differs.
    Bad: one [[node]] with phases = ["indexing"]
    Good: phases = ["indexing", "searching"], or a second [[node]]
    Fix: add the phase to the node that did it, or describe that node.
    NIST: STDEval knows no resource report.
    """
    for file, form in _forms(submission):
        nodes = resource_report(form).nodes
        for phase in Phase:
            if nodes and not any(phase in node.phases for node in nodes):
                place = _place(file, form, "node[0].phases")
                yield Defect(place, f"no [[node]] is used for {phase.value}")


@rule(
    "SWS608",
    "more-cores-than-there-are",
    cites=PLAN,
    plan=WARNING,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def more_cores_than_there_are(submission: Submission) -> Iterator[Defect]:
    """cores_used is not above the cores of all nodes of the phase.

    Why: wall time x cores counts real cores; threads or other machines would make the CPU time too large.
    Bad: cores_used = 24 on one node with cores = 16
    Good: cores_used = 16
    Fix: correct cores_used, or describe all nodes.
    NIST: STDEval knows no resource report.
    """
    for file, form in _forms(submission):
        report = resource_report(form)
        for phase, usage in ((Phase.INDEXING, report.indexing), (Phase.SEARCHING, report.searching)):
            there = cores_available(report, phase)
            if there is not None and usage.cores_used is not None and usage.cores_used > there:
                path = f"{phase.value}.cores_used"
                yield Defect(
                    _place(file, form, path), f"{path} is {{value}}, but the nodes have {float(there):g} cores"
                )


@rule(
    "SWS609",
    "more-memory-than-there-is",
    cites=PLAN,
    plan=ERROR,
    tool=OK,
    scope=WHOLE,
    needs=("report",),
    follows=("TOM201",),
)
def more_memory_than_there_is(submission: Submission) -> Iterator[Defect]:
    """pmu_gb is not above the RAM of the largest node of the phase.

    Why: it is the highest single value, not the sum over nodes, and in GB.
    Bad: pmu_gb = 1750 on a node with ram_gb = 48
    Good: pmu_gb = 1.75
    Fix: write gigabytes, of the one process or node that needed most.
    NIST: STDEval knows no resource report.
    """
    for file, form in _forms(submission):
        report = resource_report(form)
        for phase, usage in ((Phase.INDEXING, report.indexing), (Phase.SEARCHING, report.searching)):
            largest = largest_memory_gb(report, phase)
            if largest is not None and usage.pmu_gb is not None and usage.pmu_gb > largest:
                path = f"{phase.value}.pmu_gb"
                message = f"{path} is {{value}}, but the largest node has {float(largest):g} GB"
                yield Defect(_place(file, form, path), message)


@rule(
    "SWS610",
    "other-document-duration",
    cites=PLAN,
    plan=WARNING,
    tool=OK,
    scope=WHOLE,
    needs=("report", "ecf"),
    follows=("TOM201",),
)
def other_document_duration(submission: Submission) -> Iterator[Defect]:
    """documents_hours is the audio of the ECF, to one per cent.

    Why: ISF and SSF are relative to the audio that was searched.
    Bad: documents_hours = 300.0 with an ECF of 20 hours
    Good: documents_hours = 20.0
    Fix: write the duration of the documents in hours.
    NIST: STDEval knows no resource report.
    """
    ecf = cast("Ecf", submission.references["ecf"])
    audio = sum(excerpt.duration_s for excerpt in ecf.excerpts if excerpt.channel.strip() == "1") / 3600
    for file, form in _forms(submission):
        written = resource_report(form).documents_hours
        if written is not None and written.is_finite() and audio > 0 and abs(float(written) - audio) > 0.01 * audio:
            message = f"audio.documents_hours is {{value}}; the ECF has {audio:.4g} hours"
            yield Defect(_place(file, form, "audio.documents_hours"), message)


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
    for file, form in _forms(submission):
        for name in (name for name in form.values if name not in TABLES):
            yield _unknown(_place(file, form, name), name, list(TABLES))
        for path, table, values in tables(form):
            known = [field.name for field in TABLES[table]]
            for name in (name for name in values if name not in known):
                yield _unknown(_place(file, form, f"{path}.{name}"), name, [one for one in known if one not in values])


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
    for file, form in _forms(submission) if expected else ():
        for path, name, values in tables(form):
            team = values.get("team") if name == "report" else None
            if isinstance(team, str) and team not in (expected, FILL_IN):
                yield Defect(
                    _place(file, form, f"{path}.team"), f"team is {{value}}; {quoted(str(expected))} is expected"
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
    for file, form in _forms(submission):
        for path, name, values in tables(form):
            edition = values.get("edition") if name == "report" else None
            if isinstance(edition, str) and edition not in (submission.profile.name, FILL_IN):
                message = f"edition is {{value}}; this is {submission.profile.name}"
                yield Defect(_place(file, form, f"{path}.edition"), message)


RULES = (
    no_resource_report,
    resource_report_missing,
    missing_resource_field,
    unusable_resource_field,
    wrong_resource_figure,
    other_load_weight,
    phase_without_node,
    more_cores_than_there_are,
    more_memory_than_there_is,
    other_document_duration,
    unknown_resource_field,
    report_of_other_team,
    report_of_other_edition,
)
