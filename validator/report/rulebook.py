"""Rules and evaluations as pages to read."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.model import Rule
    from validator.profile import Profile

_COLUMNS = 100


def explanation(rule: Rule[object]) -> str:
    """Write everything that is known about a rule."""
    doc = rule.doc
    costs = f"{rule.plan.name.lower()} under the plan, {rule.tool.name.lower()} under the official tool"
    lines = [f"{rule.code} {rule.name}", "", *textwrap.wrap(doc.requirement, _COLUMNS), ""]
    lines += _section("why", f"{doc.why.rstrip('.')} ({rule.cites})")
    lines += _example("bad", doc.bad) + _example("good", doc.good)
    lines += _section("fix", doc.fix) + _section("NIST", doc.official) + _section("cost", costs)
    return "\n".join(lines) + "\n"


def _section(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, _COLUMNS, initial_indent=f"{label:>5}: ", subsequent_indent=" " * 7)


def _example(label: str, text: str) -> list[str]:
    first, *rest = text.splitlines() or [""]
    return [f"{label:>5}: {first}", *(f"       {line}" for line in rest)]


def listing(rules: Iterable[Rule[object]]) -> str:
    """Write a line for each rule."""
    head = f"{'code':8}{'name':30}{'plan':9}{'tool':9}requirement"
    rows = [
        f"{rule.code:8}{rule.name:30}{rule.plan.name.lower():9}{rule.tool.name.lower():9}{rule.doc.requirement}"
        for rule in rules
    ]
    return "\n".join([head, *rows]) + "\n"


def profile_page(profile: Profile) -> str:
    """Write what an evaluation takes."""
    tool = profile.official_tool or "none"
    lines = [f"{profile.name}: {profile.title}", f"plan: {profile.plan}; official tool: {tool}", ""]
    lines += ["roles of --data", *(f"  {role.role:24}{role.doc}" for role in profile.data), ""]
    lines += ["parameters of --set (with their defaults)"]
    lines += [f"  {f'{p.name}={_shown(p.default)}':32}{p.doc}" for p in profile.parameters]
    lines += ["", f"measures: {', '.join(profile.measures) or 'not scored yet'}"]
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
