"""All rules of an evaluation: those of its module and those of its formats, with its profile's severities."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from validator import formats
from validator.errors import RuleCrash, UsageError
from validator.profile import all_profiles
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from validator.model import Defect, Rule
    from validator.profile import Profile


class Subject(Protocol):
    """What a rule looks at."""

    @property
    def path(self) -> str:
        """Where it is."""


@cache
def module_rules(name: str) -> tuple[Rule[object], ...]:
    """Return the rules of a module of rules/."""
    return tuple(import_module(f"validator.rules.{name}").RULES)


@cache
def rulebook(profile: Profile) -> tuple[Rule[object], ...]:
    """Return all rules of an evaluation, those of its formats included, with the profile's severities."""
    listed = {rule.code: rule for rule in module_rules(profile.rules)}
    for role in profile.files:
        if role.format:
            listed |= {rule.code: rule for rule in formats.rules(role.format)}
    overruled = dict(profile.severities)
    return tuple(
        replace(rule, plan=overruled[code][0], tool=overruled[code][1]) if code in overruled else rule
        for code, rule in sorted(listed.items())
    )


def find_rule(name: str) -> Rule[object]:
    """Return a rule by its code or name, in any letter case."""
    known = {key.casefold(): rule for rule in all_rules() for key in (rule.code, rule.name)}
    if name.casefold() not in known:
        guess = nearest(name.casefold(), known)
        raise UsageError(
            f"no rule {quoted(name)}" + (f"; did you mean {known[guess].code} {known[guess].name}?" if guess else "")
        )
    return known[name.casefold()]


def all_rules() -> tuple[Rule[object], ...]:
    """Return every rule of the house, sorted by code."""
    listed = {rule.code: rule for profile in all_profiles() for rule in rulebook(profile)}
    listed |= {rule.code: rule for rule in module_rules("organizers")}
    listed |= {rule.code: rule for known in formats.FORMATS for rule in formats.rules(known.name)}
    return tuple(rule for _, rule in sorted(listed.items()))


def run_rule(rule: Rule[object], subject: Subject) -> list[Defect]:
    """Run one rule; if it fails, say which rule on which file: a crash of ours is never a verdict."""
    try:
        return list(rule.check(subject)) if rule.check is not None else []
    except Exception as error:
        raise RuleCrash(f"rule {rule.code} {rule.name} failed on {subject.path}: {error!r}") from error
