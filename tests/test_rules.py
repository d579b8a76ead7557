"""Every rule is registered, unique, explained and cited; every command is in the README."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from validator import formats
from validator.cli import main
from validator.model import Law, Rule, Severity
from validator.rulebook import all_rules

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent
FAMILIES = {"GEN", "KWS", "STT", "MED", "LRE", "SWS", "XML", "TXT", "CSV", "PDF"}  # the last four belong to formats
each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def _rule_modules() -> list[ModuleType]:
    names = sorted(path.stem for path in (ROOT / "rules").glob("[a-z]*.py"))
    return [import_module(f"validator.rules.{name}") for name in names]


def _format_modules() -> list[ModuleType]:
    names = sorted(path.stem for path in (ROOT / "validator" / "formats").glob("*faults.py"))
    return [import_module(f"validator.formats.{name}") for name in names]


@pytest.mark.parametrize("module", [*_rule_modules(), *_format_modules()], ids=lambda module: module.__name__)
def test_every_rule_is_registered(module: ModuleType) -> None:
    """A Rule that a module defines is in its RULES, or nobody would ever run it."""
    defined = {value.code for value in vars(module).values() if isinstance(value, Rule)}
    registered = {rule.code for rule in getattr(module, "RULES", ())}
    assert defined <= registered


def test_every_registered_rule_is_known_to_the_tool() -> None:
    """What is in some RULES is listed by ``subgate rules`` and explained by ``subgate explain``."""
    used = {known.module for known in formats.FORMATS}
    registered = {rule.code for module in _rule_modules() for rule in getattr(module, "RULES", ())}
    registered |= {rule.code for known in formats.FORMATS for rule in formats.rules(known.name)}
    assert used
    assert registered <= {rule.code for rule in all_rules()}


def test_codes_and_names_are_unique() -> None:
    """No code means two things, no name either, across all modules; a shared rule is the same object."""
    modules = [*_rule_modules(), *_format_modules()]
    rules = {id(rule): rule for module in modules for rule in getattr(module, "RULES", ())}.values()
    codes, names = [rule.code for rule in rules], [rule.name for rule in rules]
    assert sorted(codes) == sorted(set(codes))
    assert sorted(names) == sorted(set(names))


@each_rule
def test_code_and_name_have_their_form(rule: Rule[object]) -> None:
    """Three capitals of a family and three digits of a hundred; a defect in kebab-case."""
    assert re.fullmatch(r"[A-Z]{3}[1-8][0-9]{2}", rule.code)
    assert rule.code[:3] in FAMILIES
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", rule.name)


@each_rule
def test_a_rule_is_explained(rule: Rule[object]) -> None:
    """Requirement in one sentence, then Why, Bad, Good, Fix, NIST; and where it is written."""
    doc = rule.doc
    for part in (doc.requirement, doc.why, doc.bad, doc.good, doc.fix, doc.official, rule.cites):
        assert part.strip()
    assert doc.requirement.endswith(".")
    assert doc.bad != doc.good
    assert "invalid" not in doc.requirement.casefold()


@each_rule
def test_a_rule_costs_something(rule: Rule[object]) -> None:
    """A rule that is OK under both laws would never be told."""
    assert max(rule.plan, rule.tool) > Severity.OK
    assert rule.severity(Law.BOTH) is (Severity.ERROR if rule.safety else max(rule.plan, rule.tool))


@each_rule
def test_causes_exist(rule: Rule[object]) -> None:
    """What a rule follows is a rule, and not itself."""
    codes = {known.code for known in all_rules()}
    assert set(rule.follows) <= codes - {rule.code}


def test_causes_are_no_circle() -> None:
    """No finding can explain away its own cause, or both would vanish."""
    follows = {rule.code: set(rule.follows) for rule in all_rules()}

    def causes(code: str, seen: frozenset[str]) -> None:
        assert code not in seen, f"{code} follows from itself"
        for cause in follows[code]:
            causes(cause, seen | {code})

    for code in follows:
        causes(code, frozenset())


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_is_in_the_readme(command: str) -> None:
    """The README shows how each command is called."""
    assert f"subgate {command}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_parameter_is_in_the_readme() -> None:
    """What --set takes is written down."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("team", "complete", "allow_missing_keywords", "require_description"):
        assert name in readme
