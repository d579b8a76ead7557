"""`subgate score`: the official scorer's numbers through the whole tool, and what the command promises besides."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from validator.cli import main
from validator.engine import Request, check
from validator.model import Law, Report, Severity, Verdict, Wanted, verdict

GOLDEN = Path(__file__).parent / "golden" / "kws"
EXEMPT = {
    "-N",
    "-P",
}  # -N has no counterpart; pooled runs have no keyword blocks and are compared in the scorer's tests
NUMBERS = {"-F": "gap", "-S": "collar", "-k": "cost_fa", "-K": "cost_miss", "-p": "p_target", "-n": "trials_per_second"}
Json = dict[str, Any]


def expectations(case: str) -> Json:
    """Read what the official scorer said about a case."""
    loaded: Json = json.loads(gzip.decompress((GOLDEN / case / "expected.json.gz").read_bytes()))["runs"]
    return loaded


RUNS = [
    (folder.name, name)
    for folder in sorted(GOLDEN.glob("[0-9]*"))
    for name, run in expectations(folder.name).items()
    if not EXEMPT & set(run["options"])
]


def settings(options: list[str]) -> tuple[tuple[str, str], ...]:
    """Translate the official scorer's options into parameters."""
    found = [(NUMBERS[option], options[rank + 1]) for rank, option in enumerate(options) if option in NUMBERS]
    filters = [options[rank + 1] for rank, option in enumerate(options) if option == "-x"]
    found += [("text_filter", ",".join(filters))] if filters else []
    return (*found, *([("just_system_keywords", "true")] if "-j" in options else []))


def scored(case: str, run: Json, law: Law) -> Report:
    """Score a run of a case as a user would, with each reference named."""
    folder, files = GOLDEN / case, run["files"]
    data = tuple(f"{role}={folder / files[role]}" for role in ("ecf", "kwlist", "rttm"))
    request = Request("openkws13", data, law, settings(run["options"]), scoring=Wanted())
    return check(str(folder / files["kwslist"]), request)


@pytest.mark.parametrize(("case", "name"), RUNS)
def test_the_tool_gives_the_official_numbers(case: str, name: str) -> None:
    """Every run of every case: measures to 1e-9, or the refusal explained."""
    expected = expectations(case)[name]
    report = scored(case, expected, Law.TOOL)
    assert report.error is None
    assert report.crash is None
    if "not found in termlist" in expected.get("error", ""):
        assert verdict(report) is Verdict.REJECT
        assert "KWS702" in {finding.rule.code for finding in report.findings}
        return
    codes = {finding.rule.code for finding in report.findings}
    assert ("KWS703" in codes) == (
        "decision boundary" in expected.get("error", "") or expected["reports"] == ["-b", "-c"]
    )
    scores = report.runs[0].scores
    assert scores is not None
    if "full" not in expected:
        return
    prefix = "segment." if "-g" in expected["options"] else ""
    if "-inc" in expected["options"]:
        assert scores.measures[f"{prefix}ATWV_all_keywords"] == pytest.approx(
            expected["full"]["actual"]["TWV"], abs=1e-9
        )
        return
    actual, best = expected["full"]["actual"], expected["full"]["maximum"]
    wanted = {"ATWV": actual["TWV"], "PMiss": actual["PMiss"], "PFA": actual["PFA"]}
    wanted |= {"MTWV": best["COMB"], "MTWV_threshold": best["DETECTIONSCORE"]}
    for measure, value in wanted.items():
        assert scores.measures[f"{prefix}{measure}"] == pytest.approx(value, rel=1e-9, abs=1e-9), measure


def test_laws_that_disagree_are_told() -> None:
    """`differs` has both values, and each is what its own conventions give."""
    run = expectations("12-noscore")["occurrence"]
    tool, plan = scored("12-noscore", run, Law.TOOL).runs[0], scored("12-noscore", run, Law.PLAN).runs[0]
    assert tool.scores is not None
    assert plan.scores is not None
    assert tool.differs == plan.differs
    assert tool.differs["ATWV"] == {"plan": plan.scores.measures["ATWV"], "tool": tool.scores.measures["ATWV"]}
    assert tool.differs["ATWV"]["plan"] != tool.differs["ATWV"]["tool"]


def test_without_references_only_scorability_is_told() -> None:
    """A stand-in reference gives no numbers."""
    folder = GOLDEN / "01-basic"
    data = tuple(f"{role}={folder / name}" for role, name in (("ecf", "case.ecf.xml"), ("kwlist", "case.kwlist.xml")))
    run = check(str(folder / "case.kwslist.xml"), Request("openkws13", data, scoring=Wanted())).runs[0]
    assert (run.scorable, run.reference, run.scores) == (True, "stand-in", None)


def test_what_check_refuses_and_can_be_scored_is_a_warning(tmp_path: Path) -> None:
    """A name that is no EXPID rejects a check and only warns at scoring."""
    folder = GOLDEN / "01-basic"
    data = tuple(
        f"{role}={folder / f'case.{suffix}'}" for role, suffix in (("ecf", "ecf.xml"), ("kwlist", "kwlist.xml"))
    )
    request = Request("openkws13", data)
    path = str(folder / "case.kwslist.xml")
    assert verdict(check(path, request)) is Verdict.REJECT
    report = check(path, request._replace(scoring=Wanted()))
    assert verdict(report) is Verdict.ACCEPT
    assert {f.severity for f in report.findings if f.rule.code == "KWS110"} == {Severity.WARNING}
    broken = tmp_path / "broken.kwslist.xml"
    broken.write_text((folder / "case.kwslist.xml").read_text().replace('decision="NO"', 'decision="no"', 1))
    assert verdict(check(str(broken), request._replace(scoring=Wanted()))) is Verdict.REJECT


def arguments(*more: str, case: str = "14-conditions") -> list[str]:
    """Return a call of score on a case."""
    folder = GOLDEN / case
    data = [f"{role}={folder / f'case.{suffix}'}" for role, suffix in
            (("ecf", "ecf.xml"), ("kwlist", "kwlist.xml"), ("rttm", "rttm"))]  # fmt: skip
    given = [word for value in data for word in ("--data", value)]
    return ["score", "-e", "openkws13", *given, str(folder / "case.kwslist.xml"), *more]


def test_breakdowns_intervals_and_comparison_are_in_the_json() -> None:
    """One call gives all of them, and equal systems do not differ."""
    path = str(GOLDEN / "14-conditions" / "case.kwslist.xml")
    call = arguments("--by", "oov", "--by", "source-type", "--by", "keywords=all:.*", "--intervals", "--compare", path)
    result = CliRunner().invoke(main, [*call, "--format", "json"])
    found = json.loads(result.stdout)
    run = found["submissions"][0]["runs"][0]
    assert run["condition"] is None  # the name tells none
    assert {row["id"] for row in run["breakdown"]["oov"]} <= {"IV", "OOV"}
    assert run["breakdown"]["keywords=all:.*"][0]["ATWV"] == pytest.approx(run["measures"]["ATWV"], abs=1e-12)
    low, high = run["intervals"]["ATWV"]
    assert low <= run["measures"]["ATWV"] <= high
    assert found["comparisons"][0]["difference"] == 0
    assert found["comparisons"][0]["p_value"] == 1


def breakdowns(options: list[str]) -> list[str]:
    """Translate the official scorer's conditional reports into breakdowns."""
    kinds = {"-Y": "source-type=", "-T": "keywords=", "-q": "attribute="}
    found = [f"{kinds[option]}{options[rank + 1]}" for rank, option in enumerate(options) if option in kinds]
    return [one.replace(":regex=", ":") for one in found] + ["oov"] * ("-w" in options)


SPLIT = [(case, name) for case, name in RUNS if breakdowns(expectations(case)[name]["options"])]


@pytest.mark.parametrize(("case", "name"), SPLIT)
@pytest.mark.parametrize("pooled", ["false", "true"])
def test_breakdowns_have_the_official_numbers(case: str, name: str, pooled: str) -> None:
    """Each part by each protocol; pooling leaves the keywords of a part alone."""
    expected = expectations(case)[name]
    wanted = breakdowns(expected["options"])
    call = arguments("--conventions", "tool", "--set", f"pooled={pooled}", "--format", "json", case=case)
    result = CliRunner().invoke(main, [*call, *(word for one in wanted for word in ("--by", one))])
    parts = json.loads(result.stdout)["submissions"][0]["runs"][0]["breakdown"]
    rows = {row["id"]: row for one in wanted for row in parts[one]}
    prefix = "segment." if "-g" in expected["options"] else ""
    for part, said in expected["conditional_summary"].items():
        for ours, theirs in (("ATWV", "Actual Decision"), ("MTWV", "Maximum"), ("OTWV", "Optimum")):
            printed = said.get(f"{theirs} TWV Analysis|TWV", "NA")
            if printed != "NA":
                assert f"{rows[part][prefix + ours]:.4f}" == printed
        assert rows[part][prefix + "targets"] == int(said["Inputs|#Targ"])


def test_the_alignment_has_a_row_for_each_outcome(tmp_path: Path) -> None:
    """CSV and JSON lines hold the same rows, and their outcomes are the counts of the report."""
    table, lines = tmp_path / "a.csv", tmp_path / "a.jsonl"
    result = CliRunner().invoke(main, arguments("--alignment", str(table), "--format", "json"))
    CliRunner().invoke(main, arguments("--alignment", str(lines)))
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    loaded = [json.loads(line) for line in lines.read_text().splitlines()]
    assert [row["outcome"] for row in rows] == [row["outcome"] for row in loaded]
    keywords = json.loads(result.stdout)["submissions"][0]["runs"][0]["breakdown"]["keyword"]
    for outcome, name in (("CORR", "correct"), ("FA", "false_alarms"), ("MISS", "misses")):
        assert sum(row["outcome"] == outcome for row in rows) == sum(row[name] for row in keywords)


@pytest.mark.parametrize(
    ("role", "text", "says"),
    [
        ("rttm", "LEXEME f 1 0.0 1.0 word lex spk\n", "line 1"),
        ("ecf", "<ecf/>", "has no attribute"),
        ("ecf", '<ecf source_signal_duration="0" version="1" language="x"/>', "no scored time"),
        ("kwlist", ('<kwlist ecf_filename="x" version="1" language="x" encoding="UTF-8" compareNormalize="">'
         '<kw kwid="A"><kwtext>a</kwtext></kw><kw kwid="A"><kwtext>b</kwtext></kw></kwlist>'), "twice"),
    ],
)  # fmt: skip
def test_a_bad_reference_is_exit_2_about_the_organizers_file(tmp_path: Path, role: str, text: str, says: str) -> None:
    """It is never a finding against the submission, and says line and fix."""
    suffix = {"rttm": "rttm", "ecf": "ecf.xml", "kwlist": "kwlist.xml"}[role]
    bad = tmp_path / f"bad.{suffix}"
    bad.write_text(text)
    result = CliRunner().invoke(main, arguments("--data", f"{role}={bad}", "--format", "json", case="01-basic"))
    assert result.exit_code == 2
    found = json.loads(result.stdout)["submissions"][0]
    assert found["verdict"] is None
    assert found["findings"] == []
    assert says in found["error"]
    assert str(bad) in found["error"] or says == "no scored time"


def test_warnings_that_save_people(tmp_path: Path) -> None:
    """A threshold that is off, equal scores, and detections of other recordings are told."""
    source = (GOLDEN / "01-basic" / "case.kwslist.xml").read_text()
    run = expectations("01-basic")["occurrence"]
    assert "KWS711" in {finding.rule.code for finding in scored("01-basic", run, Law.TOOL).findings}
    folder = GOLDEN / "01-basic"
    data = tuple(f"{role}={folder / run['files'][role]}" for role in ("ecf", "kwlist", "rttm"))
    for change, code in ((("score=", 'score="1" was='), "KWS712"), (('file="', 'file="other'), "KWS714")):
        text = source.replace(*change)
        if code == "KWS712":
            import re  # noqa: PLC0415

            text = re.sub(r' was="[^"]*"', "", text)
        path = tmp_path / f"{code}.kwslist.xml"
        path.write_text(text)
        report = check(str(path), Request("openkws13", data, scoring=Wanted()))
        assert code in {finding.rule.code for finding in report.findings}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("attribute=Nope", "no keyword has an attribute Nope; they have "),
        ("attribute=Nope:1&&Characters", "no keyword has an attribute Nope; they have "),
        ("letters", "write source-type, source-type=NAME:PATTERN,..., oov, "),
        ("oov=1", "write source-type, source-type=NAME:PATTERN,..., oov, "),
        ("keywords=a:BG[", "BG[ is no regular expression: "),
    ],
)
def test_a_breakdown_that_there_is_not_is_a_wrong_call(asked: str, answer: str) -> None:
    """An empty table would look like a result."""
    result = CliRunner().invoke(main, arguments("--by", asked))
    assert result.exit_code == 2
    assert f"--by {asked}: {answer}" in result.output
