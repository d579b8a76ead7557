"""Defects become findings: grouped, located, weighed and sorted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from validator import formats
from validator.model import SAMPLES, Finding, Location, Quote, Severity, with_consequences
from validator.suggest import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.source import Source
    from validator.model import Defect, Law, Place, Rule

    Found = list[tuple[Rule[object], Defect]]


def scoring_only(found: Found, unread: set[str]) -> Found:
    """Keep as errors only what prevents scoring: syntax (2xx), scoring (7xx), archives (8xx) and safety.

    What else `check` calls an error is a warning for someone who only wants to see the scores; but not in files
    that were not even read, since nobody knew what they are.
    """
    return [
        (rule if _prevents_scoring(rule) or defect.where.file in unread else _softened(rule), defect)
        for rule, defect in found
    ]


def _prevents_scoring(rule: Rule[object]) -> bool:
    return rule.safety or (rule.code[3] in "278" and not rule.scorable)


def _softened(rule: Rule[object]) -> Rule[object]:
    return replace(rule, plan=min(rule.plan, Severity.WARNING), tool=min(rule.tool, Severity.WARNING))


def findings(found: Found, sources: dict[str, tuple[Source, str]], conventions: Law) -> tuple[Finding, ...]:
    """Group, locate, weigh and sort what was found."""
    groups: dict[tuple[str, str, tuple[str, ...]], Found] = {}
    for rule, defect in found:
        groups.setdefault((rule.code, defect.where.file, defect.follows), []).append((rule, defect))
    listed: list[tuple[Rule[object], Defect, int]] = []
    for pairs in groups.values():
        count = sum(defect.count for _, defect in pairs)
        placed = sorted(pairs, key=lambda pair: pair[1].where.offset or 0)
        listed.extend((rule, defect, count) for rule, defect in placed[:SAMPLES])
    places = {place for _, defect, _ in listed for place in (defect.where, defect.other) if place is not None}
    located = dict(_located(places, sources))
    weighed = (_finding(rule, defect, count, located, conventions) for rule, defect, count in listed)
    return tuple(sorted(with_consequences(weighed), key=lambda finding: finding.order))


def _located(places: set[Place], sources: dict[str, tuple[Source, str]]) -> Iterator[tuple[Place, Location]]:
    by_file: dict[str, list[Place]] = {}
    for place in places:
        by_file.setdefault(place.file, []).append(place)
    for file, here in sorted(by_file.items()):
        source, known = sources.get(file, (None, ""))
        inside = [place for place in here if place.offset is not None]
        resolved = formats.locate(known, source, inside) if inside and known and source is not None else {}
        for place in here:
            yield place, resolved.get(place) or _named_place(place)


def _named_place(place: Place) -> Location:
    if place.span is None:
        return Location(place.file, node=place.node)
    base = place.file.rsplit("/", 1)[-1]
    value = base[slice(*place.span)]
    return Location(place.file, node=place.node, value=value, quote=Quote(((None, base),), 0, *place.span))


def _finding(
    rule: Rule[object], defect: Defect, count: int, located: dict[Place, Location], conventions: Law
) -> Finding:
    where = located[defect.where]
    other = located[defect.other].line if defect.other is not None else None
    message = defect.message.replace("{other}", f"line {other}")
    message = message.replace("{value}", quoted(where.value) if where.value is not None else "empty")
    remedy = defect.mend(where.value) if defect.mend is not None and where.value is not None else None
    return Finding(
        # findings cross process borders; functions under a decorator cannot
        replace(rule, check=None, follows=(*rule.follows, *defect.follows)),
        rule.severity(conventions),
        message,
        where,
        remedy.hint if remedy else defect.hint or rule.doc.fix,
        defect.why or rule.doc.why,
        defect.cites or rule.cites,
        remedy.label if remedy else defect.label,
        count,
    )
