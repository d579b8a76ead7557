"""The report for programs: one object, described by schemas/report.schema.json."""

from __future__ import annotations

import json
from math import isfinite, isnan
from typing import TYPE_CHECKING

from validator import __version__
from validator.model import Law, Severity, Verdict, verdict

if TYPE_CHECKING:
    from validator.model import Cell, Finding, Package, Report, RunReport

Json = dict[str, object]


def render(reports: list[Report], comparisons: list[dict[str, Cell]] | None = None) -> str:
    """Write all reports as one JSON object; no time, host or absolute path that was not given is in it."""
    answers = [verdict(report) for report in reports]
    whole: Json = {
        "format": "subgate/1",
        "tool": {"name": "subgate", "version": __version__},
        "submissions": [_submission(report) for report in reports],
        "summary": {
            "accepted": answers.count(Verdict.ACCEPT),
            "rejected": answers.count(Verdict.REJECT),
            "errors": sum(report.occurrences(Severity.ERROR) for report in reports),
            "warnings": sum(report.occurrences(Severity.WARNING) for report in reports),
        },
    }
    if comparisons is not None:
        whole["comparisons"] = [{key: _number(value) for key, value in row.items()} for row in comparisons]
    return json.dumps(whole, indent=2, allow_nan=False) + "\n"


def _value(answer: Verdict | None) -> str | None:
    return None if answer is None else answer.value


def _submission(report: Report) -> Json:
    return {
        "path": report.path,
        "evaluation": report.evaluation,
        "verdict": _value(verdict(report)),
        "verdicts": {"plan": _value(verdict(report, Law.PLAN)), "tool": _value(verdict(report, Law.TOOL))},
        "conventions": report.conventions.value,
        "parameters": dict(report.parameters),
        "findings": [_finding(finding) for finding in report.findings],
        "skipped": [{"check": skipped.check, "needs": skipped.needs} for skipped in report.skipped],
        "runs": [_run(run) for run in report.runs],
        "packages": [_package(package) for package in report.packages],
        "error": report.error or report.crash,
    }


def _finding(finding: Finding) -> Json:
    where = finding.location
    return {
        "rule": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity.name.lower(),
        "law": finding.rule.law.value,
        "message": finding.message,
        "path": where.file,
        "line": where.line,
        "column": where.column,
        "node": where.node or None,
        "hint": finding.hint,
        "why": finding.why,
        "plan": finding.cites,
        "count": finding.count,
        "caused_by": finding.caused_by,
    }


def _run(run: RunReport) -> Json:
    return {
        "id": run.id,
        "primary": run.primary,
        "condition": run.condition,
        "files": list(run.files),
        "scorable": run.scorable,
        "reference": run.reference,
        "signature": run.signature,
        **_scores(run),
    }


def _scores(run: RunReport) -> Json:
    if run.scores is None:
        return {"measures": {}, "differs": {}, "undefined": {}, "breakdown": {}}
    scores = run.scores
    found: Json = {
        "measures": {name: _number(value) for name, value in scores.measures.items()},
        "differs": {name: {law: _number(v) for law, v in both.items()} for name, both in run.differs.items()},
        "undefined": scores.undefined,
        "breakdown": {
            name: [{key: _number(value) for key, value in row.items()} for row in rows]
            for name, rows in scores.breakdown.items()
        },
    }
    if scores.intervals:
        found["intervals"] = {name: [_number(low), _number(high)] for name, (low, high) in scores.intervals.items()}
    return found


def _number(value: Cell) -> Cell:
    """Write infinity as text; what is not defined is null."""
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _package(package: Package) -> Json:
    return {
        "path": package.path,
        "sha256": package.sha256,
        "bytes": package.bytes,
        "members": list(package.members),
    }
