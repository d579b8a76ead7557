"""Every rule has a tiny submission that breaks it, and the whole report about it is a text file that was read.

A case is a folder ``cases/<evaluations>/<CODE>-<name>/`` or ``good-<name>/`` with a ``case.toml``:

    command       check, unless it is said
    arguments     of that command, run inside the folder
    exit          the exit code
    consequences  codes that are found, too, but follow from the case's own one and are not shown
    besides       codes that cannot be kept out of the case, with the reason in a comment

and ``expected.txt``, the report; only the number of rules that ran is left out, as it changes with every new rule.
``pytest --update-cases`` rewrites the reports.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from validator.rulebook import all_rules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

CASES = Path(__file__).parent / "cases"
COLUMNS = 100


@dataclass(frozen=True, slots=True)
class Case:
    """One folder of cases/."""

    folder: Path
    command: str
    arguments: tuple[str, ...]
    exit_code: int
    consequences: frozenset[str]
    besides: frozenset[str]

    @property
    def code(self) -> str:
        """The rule that the case is about; "good" for a case without findings."""
        return self.folder.name.partition("-")[0]

    @property
    def expected(self) -> Path:
        """The stored report."""
        return self.folder / "expected.txt"


def _case(settings: Path) -> Case:
    table = tomllib.loads(settings.read_text(encoding="utf-8"))
    case = Case(
        settings.parent,
        table.pop("command", "check"),
        tuple(table.pop("arguments")),
        table.pop("exit"),
        frozenset(table.pop("consequences", ())),
        frozenset(table.pop("besides", ())),
    )
    if table:
        message = f"{settings}: unknown keys {', '.join(table)}"
        raise ValueError(message)
    return case


ALL = [_case(path) for path in sorted(CASES.glob("*/*/case.toml"))]
each_case = pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.folder.parent.name}/{case.folder.name}")


@each_case
def test_the_report_is_the_one_that_was_read(
    case: Case,
    subgate: Callable[..., Result],
    stable: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    update_cases: bool,
) -> None:
    """The whole text report and the exit code are as stored."""
    monkeypatch.chdir(case.folder)
    result = subgate(case.command, *case.arguments)
    report = stable(result.output)
    if update_cases:
        case.expected.write_text(report, encoding="utf-8")
    assert report == case.expected.read_text(encoding="utf-8")
    assert result.exit_code == case.exit_code


@each_case
def test_the_report_names_its_code_and_no_other_by_accident(
    case: Case, subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown is the code of the folder's name; what follows from it is declared; good cases have nothing."""
    monkeypatch.chdir(case.folder)
    report = json.loads(subgate(case.command, *case.arguments, "--format", "json").output)
    findings = report["submissions"][0]["findings"]
    shown = {finding["rule"] for finding in findings if finding["caused_by"] is None}
    hidden = {finding["rule"] for finding in findings if finding["caused_by"] is not None}
    assert shown == (set() if case.code == "good" else {case.code} | case.besides)
    assert hidden == case.consequences


@pytest.mark.parametrize("code", [rule.code for rule in all_rules()])
def test_every_rule_has_a_case(code: str) -> None:
    """No rule goes without a submission that breaks it: a rule that nothing can break is no rule."""
    assert code in {case.code for case in ALL}


def test_every_case_is_about_a_rule() -> None:
    """A case's folder begins with the code of a rule that exists, or with good."""
    assert {case.code for case in ALL} - {rule.code for rule in all_rules()} == {"good"}


def _blocks(text: str) -> list[list[str]]:
    """Return the findings of a report, each as its lines."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith(("error[", "warning[", "info[")):
            blocks.append([])
        if line.startswith("checked "):
            break
        if blocks:
            blocks[-1].append(line)
    return blocks


@each_case
def test_every_message_says_what_where_why_and_how_to_fix_it(case: Case) -> None:
    """Each finding has its four parts, and nothing that could drive a terminal is in it."""
    text = case.expected.read_text(encoding="utf-8")
    for block in _blocks(text):
        starts = [line[:6] for line in block]
        for part in ("  --> ", " why: ", " fix: "):
            assert part in starts, block[0]
    assert all(line.isprintable() for line in text.split("\n"))
    assert bool(_blocks(text)) == (case.code != "good")


def test_messages_fit_the_terminal() -> None:
    """What we write ourselves fits 100 columns; file names are never shortened."""
    too_long = {
        line
        for case in ALL
        for block in _blocks(case.expected.read_text(encoding="utf-8"))
        for line in (block[0].partition("]: ")[2], *block[1:])
        if len(line) > COLUMNS and not line.startswith(("  --> ", "   at "))
        if " | " not in line and not any(len(word) > COLUMNS // 2 for word in line.split())
    }
    assert too_long == set()
