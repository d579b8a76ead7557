"""The organizers' own files: judged when they are given as a PATH, unusable when they are given as --data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from validator import formats
from validator.errors import ReferenceDataError, RuleCrash
from validator.findings import findings
from validator.model import Extent, Law, Report, Severity, Skipped
from validator.rulebook import module_rules
from validator.submission import OpenFile, OpenRun

if TYPE_CHECKING:
    from pathlib import Path

    from validator.findings import Found
    from validator.formats import Content, Format
    from validator.formats.source import Source
    from validator.model import Defect, Rule


def check_own_file(
    source: Source, known: Format, conventions: Law, references: dict[str, object] | None = None
) -> Report:
    """Judge one of the organizers' files, held against others of them where they are given."""
    content, found, ran = _judged(source, known, references or {})
    wanted = companions(known) - set(references or {})
    return Report(
        source.name,
        None,
        f"an organizers' file, {known.name.upper()}",
        conventions,
        known.judge,
        findings=findings(found, {source.name: (source, known.name)}, conventions),
        skipped=tuple(Skipped("references between tables", role) for role in sorted(wanted)),
        extent=Extent(1, source.size, len(content)),
        rules_run=ran,
    )


def companions(known: Format) -> set[str]:
    """Return the roles of the other files that one of the organizers' files can be held against."""
    about = [rule.needs for rule in module_rules("organizers") if known.name in rule.needs[0].split("|")]
    return {need.removeprefix("with:") for needs in about for need in needs if need.startswith("with:")}


def _judged(source: Source, known: Format, references: dict[str, object]) -> tuple[Content, Found, tuple[str, ...]]:
    content = formats.read(known.name, source)
    found = list(content.problems)
    subject = OpenFile(source.name, known.name, content, references)
    ran = [rule.code for rule in formats.rules(known.name)]
    for rule in module_rules("organizers"):
        if not any(subject.lacks(need) for need in rule.needs):
            ran.append(rule.code)
            found.extend((rule, defect) for defect in run_rule(rule, subject))
    return content, found, tuple(ran)


@cache
def usable(path: Path, format_name: str) -> object:
    """Read a reference once for all runs; one that breaks both laws cannot be used."""
    source = formats.source_of(path)
    known = formats.named(format_name)
    content, found, _ = _judged(source, known, {})
    faults = [pair for pair in found if pair[0].plan is pair[0].tool is Severity.ERROR]
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
