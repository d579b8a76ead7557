"""Submissions that NIST's own tools judged: the same three verdicts, for the same reasons, with the same warnings.

``golden/kws-submissions`` has the files with what F4DE 3.5.0 answered (``f4de``), what the plan says (``plan``) and
what a good checker should answer (``accept``); ``golden/kws-submissions-reports`` has our reports, rewritten by
``pytest --update-cases``. CTM files have tests of their own.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

GOLDEN = Path(__file__).parent / "golden"
SUBMISSIONS, REPORTS = GOLDEN / "kws-submissions", GOLDEN / "kws-submissions-reports"

# The oracle's names of rules, and the codes that say the same here.
OUR_CODES = {
    "DESC-DATADEF": "KWS611",
    "DESC-REQUIRED": "KWS601",
    "DESC-SECTIONS": "KWS602",
    "DESC-TIMES": "KWS613",
    "EXPID-AUD": "KWS112",
    "EXPID-AUTH": "KWS117",
    "EXPID-CORPUS": "KWS118",
    "EXPID-EMPTY": "KWS111",
    "EXPID-FIELDS": "KWS110",
    "EXPID-LP": "KWS112",
    "EXPID-LR": "KWS112",
    "EXPID-PARTITION": "KWS112",
    "EXPID-SCASE": "KWS112",
    "EXPID-SYSID": "KWS112",
    "EXPID-TAG": "KWS112",
    "EXPID-TASK-EXT": "KWS115",
    "EXPID-TEAM": "KWS113",
    "EXPID-TEAM-EXPECTED": "KWS116",
    "FILE-EXT": "KWS101",
    "KWLIST-DUP": "KWS451",
    "KWS-DUP-HIT": "KWS401",
    "KWS-DUP-KWID": "KWS305",
    "KWS-FILE": "KWS402",
    "KWS-FILE-BASENAME": "KWS406",
    "KWS-KWLIST-FOUND": "KWS301",
    "KWS-LANGUAGE": "KWS415",
    "KWS-MISSING": "KWS304",
    "KWS-THRESHOLD": "KWS420",
    "KWS-TIME": "KWS403",
    "KWS-UNKNOWN": "KWS303",
    "XML-ENUM": "XML208",
    "XML-REQUIRED": "XML205",
    "XML-ROOT": "XML203",
    "XML-TYPE": "XML207",
    "XML-WF": "XML201",
}
# Names that stand for two rules here: which of them is meant depends on the case.
EITHER = {
    "DESC-EXPIDS": {"KWS602", "KWS603"},  # the section of the EXPIDs is missing, or an EXPID in it
    "EXPID-VERSION": {"KWS112", "KWS113"},
    "KWS-MINMAX": {"KWS410", "KWS411"},
}
SETTINGS = {"--AllowMissingTerms": "allow_missing_keywords=true", "--requireDesc": "require_description=true"}


@dataclass(frozen=True, slots=True)
class Judged:
    """A submission with the answers of the authorities."""

    folder: Path
    verdict: dict[str, Any]

    @property
    def path(self) -> str:
        """What is checked: the file, or the folder that `laid_out` makes of file and description."""
        return "submission" if self.verdict["system_description"] else str(self.verdict["file"])

    @property
    def arguments(self) -> tuple[str, ...]:
        """The call, with the official checker's options in our words; it chooses the year by its script's name."""
        options = self.verdict["options"]
        settings = [f"team={options[options.index('--team') + 1]}"] if "--team" in options else []
        settings += [SETTINGS[option] for option in options if option.startswith("--") and option != "--team"]
        year = ["-e", f"openkws{self.verdict['year'][-2:]}"] if self.verdict["target"] == "submission" else []
        pairs = [word for setting in settings for word in ("--set", setting)]
        return (self.path, *year, "--data", str(SUBMISSIONS / "indusdb"), *pairs)

    def codes(self, key: str) -> Iterator[set[str]]:
        """Give for each rule that the oracle names the codes of which one must be found."""
        for name in self.verdict[key]:
            yield EITHER.get(name) or {OUR_CODES[name]}


def _all() -> Iterator[Judged]:
    for path in sorted(SUBMISSIONS.glob("[0-9]*/verdict.json")):
        verdict = json.loads(path.read_text(encoding="utf-8"))
        if not verdict["file"].endswith(".ctm"):
            yield Judged(path.parent, verdict)


ALL = list(_all())
each_case = pytest.mark.parametrize("case", ALL, ids=lambda case: case.folder.name)


@pytest.fixture
def laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Judged], None]:
    """Enter the folder of a case; run and description are put together into a folder ``submission``."""

    def enter(case: Judged) -> None:
        if not case.verdict["system_description"]:
            monkeypatch.chdir(case.folder)
            return
        (tmp_path / "submission").mkdir()
        for name in (case.verdict["file"], case.verdict["system_description"]):
            shutil.copy(case.folder / name, tmp_path / "submission")
        monkeypatch.chdir(tmp_path)

    return enter


def _rejected(word: str) -> str:
    """Return a verdict as ours: what is silent or doubtful does not reject."""
    return "reject" if word == "reject" else "accept"


def _submission(result: Result) -> dict[str, Any]:
    submission: dict[str, Any] = json.loads(result.output)["submissions"][0]
    return submission


def test_the_oracle_is_complete() -> None:
    """All cases are there but those of CTM files."""
    assert len(ALL) == 59


@each_case
def test_the_three_verdicts(case: Judged, subgate: Callable[..., Result], laid_out: Callable[[Judged], None]) -> None:
    """Verdict, plan's verdict and tool's verdict are the oracle's; where the tool wavers, its own rule counts."""
    laid_out(case)
    result = subgate("check", *case.arguments, "--format", "json")
    submission = _submission(result)
    accepted = bool(case.verdict["accept"])
    assert submission["verdict"] == ("accept" if accepted else "reject")
    assert submission["verdicts"]["plan"] == _rejected(case.verdict["plan"]["verdict"])
    if case.verdict["f4de"]["verdict"] != "unstable":
        assert submission["verdicts"]["tool"] == _rejected(case.verdict["f4de"]["verdict"])
    assert result.exit_code == (0 if accepted else 1)


@each_case
@pytest.mark.parametrize("law", ["plan", "tool"])
def test_conventions_choose_the_verdict(
    case: Judged, law: str, subgate: Callable[..., Result], laid_out: Callable[[Judged], None]
) -> None:
    """Under --conventions plan or tool that law's verdict counts; both are told all the same."""
    laid_out(case)
    both = _submission(subgate("check", *case.arguments, "--format", "json"))
    result = subgate("check", *case.arguments, "--format", "json", "--conventions", law)
    submission = _submission(result)
    assert submission["verdicts"] == both["verdicts"]
    assert submission["verdict"] == both["verdicts"][law]
    assert result.exit_code == (0 if submission["verdict"] == "accept" else 1)


@pytest.mark.parametrize("case", [case for case in ALL if not case.verdict["accept"]], ids=lambda c: c.folder.name)
def test_a_rejection_is_for_the_right_reason(
    case: Judged, subgate: Callable[..., Result], laid_out: Callable[[Judged], None]
) -> None:
    """Every rule that the oracle names for a rejected file is among our findings."""
    laid_out(case)
    found = {f["rule"] for f in _submission(subgate("check", *case.arguments, "--format", "json"))["findings"]}
    for codes in case.codes("rules"):
        assert codes & found


@each_case
def test_expected_warnings(case: Judged, subgate: Callable[..., Result], laid_out: Callable[[Judged], None]) -> None:
    """Every warning that the oracle asks for is given, as a warning; an accepted file has no error."""
    laid_out(case)
    findings = _submission(subgate("check", *case.arguments, "--format", "json"))["findings"]
    warnings = {finding["rule"] for finding in findings if finding["severity"] == "warning"}
    for codes in case.codes("warnings"):
        assert codes & warnings
    if case.verdict["accept"]:
        assert not [finding for finding in findings if finding["severity"] == "error"]


@each_case
def test_the_report_is_the_one_that_was_read(
    case: Judged,
    subgate: Callable[..., Result],
    stable: Callable[[str], str],
    laid_out: Callable[[Judged], None],
    *,
    update_cases: bool,
) -> None:
    """The whole text report is as stored, but for the number of rules that ran."""
    laid_out(case)
    report = stable(subgate("check", *case.arguments).output)
    stored = REPORTS / f"{case.folder.name}.txt"
    if update_cases:
        REPORTS.mkdir(exist_ok=True)
        stored.write_text(report, encoding="utf-8")
    assert report == stored.read_text(encoding="utf-8")
