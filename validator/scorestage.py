"""The dry run: a run is scored against the references, or, without any, against a stand-in to see that it can be."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from math import isclose
from typing import TYPE_CHECKING, Protocol, cast

from validator.model import Law, Severity, Skipped, Wanted

if TYPE_CHECKING:
    from validator.findings import Found
    from validator.model import Cell, Number, Scores
    from validator.profile import Profile, Value
    from validator.submission import OpenRun


class Scorer(Protocol):
    """What the scorer of an evaluation offers."""

    def settle(self, values: dict[str, Value], given: set[str]) -> dict[str, Value]:
        """Settle parameters that follow from others."""

    def stand_in(self, opened: OpenRun) -> OpenRun:
        """Return the run with references made from what else is known."""

    def can_score(self, opened: OpenRun) -> Scores:
        """Score only to see whether it can be done."""

    def score(self, opened: OpenRun, law: Law, wanted: Wanted) -> Scores:
        """Score a run under one law."""

    def compare(self, first: Scores, second: Scores) -> dict[str, Cell]:
        """Compare two runs."""


@dataclass(frozen=True, slots=True, eq=False)
class DryRun:
    """What became of it."""

    scorable: bool | None = None
    reference: str | None = None
    scores: Scores | None = None
    differs: dict[str, dict[str, Number]] = field(default_factory=dict)
    found: Found = field(default_factory=list)
    skipped: tuple[Skipped, ...] = ()


def scorer_of(profile: Profile) -> Scorer | None:
    """Return the scorer of an evaluation, if it has one."""
    return cast("Scorer", import_module(f"validator.rules.{profile.scorer}").SCORER) if profile.scorer else None


def dry_run(opened: OpenRun, conventions: Law, wanted: Wanted, *, broken: bool) -> DryRun:
    """Score a run as far as its data allows; one that breaks its schema cannot be scored."""
    profile = opened.submission.profile
    if opened.content is None or not profile.scorer:
        return DryRun(skipped=(Skipped("scoring", "content"),))
    lacking = [need for need in profile.scoring.needs if opened.lacks(need)]
    missing = [need for need in lacking if need not in profile.scoring.references]
    if missing:
        return DryRun(skipped=(Skipped("scoring", opened.wanting(missing[0])),))
    if broken:
        return DryRun(scorable=False, reference="stand-in" if lacking else "given")
    scorer = scorer_of(profile)
    if scorer is None:
        return DryRun()
    if lacking:
        tried = scorer.can_score(scorer.stand_in(opened))
        scores = tried if tried.measures else None  # those that need no reference
        return DryRun(_scorable(tried, conventions), "stand-in", scores, found=list(tried.remarks))
    law = Law.TOOL if conventions is not Law.PLAN and profile.official_tool else Law.PLAN
    scores = scorer.score(opened, law, wanted)
    differs: dict[str, dict[str, Number]] = {}
    if profile.official_tool:
        other = scorer.score(opened, Law.PLAN if law is Law.TOOL else Law.TOOL, Wanted())
        plan, tool = (scores, other) if law is Law.PLAN else (other, scores)
        differs = _differences(plan.measures, tool.measures)
    return DryRun(_scorable(scores, conventions), "given", scores, differs, list(scores.remarks))


def _scorable(scores: Scores, conventions: Law) -> bool:
    """Tell whether nothing forbids scoring, and a measure came out of it where one was asked for."""
    if scores.measures and all(value is None for value in scores.measures.values()):
        return False
    return all(rule.severity(conventions) is not Severity.ERROR for rule, _ in scores.remarks)


def _differences(plan: dict[str, Number], tool: dict[str, Number]) -> dict[str, dict[str, Number]]:
    """Return the measures in which the two laws disagree, with both values."""
    found: dict[str, dict[str, Number]] = {}
    for name in plan.keys() | tool.keys():
        a, b = plan.get(name), tool.get(name)
        same = a == b or (a is not None and b is not None and isclose(a, b, rel_tol=1e-12, abs_tol=1e-15))
        if not same:
            found[name] = {"plan": a, "tool": b}
    return dict(sorted(found.items()))
