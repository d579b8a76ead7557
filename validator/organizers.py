"""The organizers' own files: judged when they are given as a PATH, unusable when they are given as --data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from validator import formats
from validator.errors import ReferenceDataError
from validator.findings import findings
from validator.model import Extent, Law, Report, Severity, Skipped
from validator.rulebook import module_rules, run_rule
from validator.submission import OpenFile

if TYPE_CHECKING:
    from pathlib import Path

    from validator.findings import Found
    from validator.formats import Content, Format
    from validator.formats.source import Source


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


def usable(path: Path, format_name: str) -> object:
    """Read a reference once for all runs; one that breaks both laws, or all that there are, cannot be used."""
    return _usable(path, format_name, stamp(path))


def stamp(path: Path) -> tuple[str, int, int]:
    """Say which file this is, as it is now."""
    state = path.stat()
    return str(path.resolve()), state.st_mtime_ns, state.st_size


@cache
def _usable(path: Path, format_name: str, _stamp: tuple[str, int, int]) -> object:
    source = formats.source_of(path)
    known = formats.named(format_name)
    content, found, _ = _judged(source, known, {})
    laws = 2 if known.judge else 1
    faults = [pair for pair in found if (pair[0].plan, pair[0].tool)[:laws].count(Severity.ERROR) == laws]
    if faults:
        worst = min(findings(faults, {source.name: (source, known.name)}, Law.BOTH), key=lambda f: f.order)
        line = f":{worst.location.line}" if worst.location.line else ""
        fix = worst.hint or worst.rule.doc.fix
        raise ReferenceDataError(f"the organizers' file {path}{line} cannot be used: {worst.message}; {fix}")
    return content.table
