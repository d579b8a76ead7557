"""Rules of the resource report of the Spoken Web Search 2013 (6xx): recomputed figures, plausibility."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, cast

from validator.model import Defect, Scope, Severity, rule
from validator.scoring.resources import LAMBDA, Phase, cores_available, derive, largest_memory_gb

from .resourcereports import PLAN, TABLES, fits, forms, place_of, resource_report, section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission
    from validator.tables import Ecf

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
WHOLE = Scope.SUBMISSION


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
    for file, form in forms(submission):
        for figure in derive(resource_report(form)).wrong():
            table, _, key = figure.field.partition(".")
            field = next(one for one in TABLES[table] if one.name == key)
            if figure.written is None or figure.value is None or not fits(field.kind, figure.written):
                continue  # another rule's business
            message = f"{figure.field} is {{value}}, but {figure.worked}"
            hint = f"write {_rounded(figure.value, figure.written)}"
            yield Defect(place_of(file, form, figure.field), message, hint, why=figure.formula, cites=section(field))


def _rounded(value: Decimal, written: Decimal) -> str:
    """Write a figure with as many digits as were written and four at least, without zeros at the end."""
    size = value.adjusted()
    if abs(size) > 20:
        return f"{value:.3e}"
    digits = max(min(0, size - 3, int(written.as_tuple().exponent)), size - 20)
    return f"{value.quantize(Decimal((0, (1,), digits))).normalize():f}"


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
    for file, form in forms(submission):
        weight = resource_report(form).load_weight
        if weight is not None and weight != LAMBDA:
            yield Defect(place_of(file, form, "load.lambda"), f"lambda is {{value}}; it must be {LAMBDA}")


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
    for file, form in forms(submission):
        nodes = resource_report(form).nodes
        for phase in Phase:
            if nodes and not any(phase in node.phases for node in nodes):
                place = place_of(file, form, "node[0].phases")
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
    for file, form in forms(submission):
        report = resource_report(form)
        for phase, usage in ((Phase.INDEXING, report.indexing), (Phase.SEARCHING, report.searching)):
            there = cores_available(report, phase)
            if there is not None and usage.cores_used is not None and usage.cores_used > there:
                path = f"{phase.value}.cores_used"
                yield Defect(
                    place_of(file, form, path), f"{path} is {{value}}, but the nodes have {float(there):g} cores"
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
    for file, form in forms(submission):
        report = resource_report(form)
        for phase, usage in ((Phase.INDEXING, report.indexing), (Phase.SEARCHING, report.searching)):
            largest = largest_memory_gb(report, phase)
            if largest is not None and usage.pmu_gb is not None and usage.pmu_gb > largest:
                path = f"{phase.value}.pmu_gb"
                message = f"{path} is {{value}}, but the largest node has {float(largest):g} GB"
                yield Defect(place_of(file, form, path), message)


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
    for file, form in forms(submission):
        written = resource_report(form).documents_hours
        if written is not None and written.is_finite() and audio > 0 and abs(float(written) - audio) > 0.01 * audio:
            message = f"audio.documents_hours is {{value}}; the ECF has {audio:.4g} hours"
            hint = f"write {audio:.4g}, if it is this audio that was searched"
            yield Defect(place_of(file, form, "audio.documents_hours"), message, hint)


RULES = (
    wrong_resource_figure,
    other_load_weight,
    phase_without_node,
    more_cores_than_there_are,
    more_memory_than_there_is,
    other_document_duration,
)
