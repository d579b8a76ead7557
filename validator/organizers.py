"""The organizers' own files: judged when they are given as a PATH, unusable when they are given as --data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from validator import formats
from validator.errors import ReferenceDataError, RuleCrash
from validator.findings import findings
from validator.model import Extent, Law, Report, Severity
from validator.rulebook import module_rules
from validator.submission import OpenFile, OpenRun

if TYPE_CHECKING:
    from pathlib import Path

    from validator.findings import Found
    from validator.formats import Content, Format
    from validator.formats.source import Source
    from validator.model import Defect, Rule


def check_own_file(source: Source, known: Format, conventions: Law) -> Report:
    """Judge one of the organizers' files."""
    content, found, ran = _judged(source, known)
    return Report(
        source.name,
        None,
        f"an organizers' file, {known.name.upper()}",
        conventions,
        known.judge,
        findings=findings(found, {source.name: (source, known.name)}, conventions),
        extent=Extent(1, source.size, len(content)),
        rules_run=ran,
    )


def _judged(source: Source, known: Format) -> tuple[Content, Found, tuple[str, ...]]:
    content = formats.read(known.name, source)
    found = list(content.problems)
    subject = OpenFile(source.name, known.name, content)
    ran = [rule.code for rule in formats.rules(known.name)]
    for rule in module_rules("organizers"):
        if not any(subject.lacks(need) for need in rule.needs):
            ran.append(rule.code)
            found.extend((rule, defect) for defect in run_rule(rule, subject))
    return content, found, tuple(ran)


@cache
def usable(path: Path, format_name: str) -> object:
    """Read a reference once for all runs; one that breaks both laws, or all that there are, cannot be used."""
    source = formats.source_of(path)
    known = formats.named(format_name)
    content, found, _ = _judged(source, known)
    laws = 2 if known.judge else 1
    faults = [pair for pair in found if (pair[0].plan, pair[0].tool)[:laws].count(Severity.ERROR) == laws]
    if faults:
        worst = min(findings(faults, {source.name: (source, known.name)}, Law.BOTH), key=lambda f: f.order)
        line = f":{worst.location.line}" if worst.location.line else ""
        fix = worst.hint or worst.rule.doc.fix
        raise ReferenceDataError(f"the organizers' file {path}{line} cannot be used: {worst.message}; {fix}")
    return content.table


def run_rule(rule: Rule[object], subject: object) -> list[Defect]:
    """Run one rule; if it fails, say which rule on which file."""
    try:
        return list(rule.check(subject)) if rule.check is not None else []
    except Exception as error:
        where = subject.run.file if isinstance(subject, OpenRun) else getattr(subject, "path", "")
        raise RuleCrash(f"rule {rule.code} {rule.name} failed on {where}: {error!r}") from error
