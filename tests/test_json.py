"""The report for programs: its keys are a promise, its bytes do not depend on chance, its counts are exact."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from validator import __version__
from validator.bundled import examples
from validator.model import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from click.testing import Result

CASES = Path(__file__).parent / "cases" / "openkws"
EXAMPLES = Path(__file__).parent.parent / "validator" / "examples"

REPORT = {"format", "tool", "submissions", "summary"}
SUBMISSION = {
    "path", "evaluation", "verdict", "verdicts", "conventions", "parameters", "findings", "skipped", "runs", "packages",
    "error",
}  # fmt: skip
FINDING = {
    "rule", "name", "severity", "law", "message", "path", "line", "column", "hint", "plan", "count",
    # beyond the contract, but promised from now on
    "node", "why", "caused_by",
}  # fmt: skip
RUN = {"id", "primary", "condition", "files", "scorable"}


def _report(result: Result) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(result.output)
    return report


def _everything() -> list[str]:
    """Return the single runs of all bad cases: PATHs with every kind of finding."""
    return sorted(str(path) for path in CASES.glob("[A-Z]*/KWS13_*.kwslist.xml"))


@pytest.fixture
def schema(subgate: Callable[..., Result]) -> dict[str, Any]:
    """Return the JSON Schema that the tool prints."""
    printed: dict[str, Any] = json.loads(subgate("evaluations", "--json-schema").output)
    return printed


def test_the_schema_is_a_schema(schema: dict[str, Any]) -> None:
    """It names its dialect and is valid in it."""
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_report_is_valid_against_the_schema(
    schema: dict[str, Any], subgate: Callable[..., Result], database: str
) -> None:
    """Good runs, bad runs, folders, archives, organizers' files, missing paths: one object, valid."""
    paths = [*_everything(), str(CASES / "good-run"), str(CASES / "KWS501-two-primaries" / "submission")]
    paths += [str(CASES / "KWS463-total" / "mine.ecf.xml"), str(CASES / "good-archive" / "submission.tgz"), "nothing"]
    report = _report(subgate("check", *paths, "--data", database, "-j", "1", "--format", "json"))
    jsonschema.validate(report, schema)
    assert [submission["path"] for submission in report["submissions"]] == paths


def test_every_key_is_pinned(subgate: Callable[..., Result]) -> None:
    """Keys may be added (here, too), never removed or renamed."""
    report = _report(subgate("check", str(CASES / "KWS501-two-primaries" / "submission"), "--format", "json"))
    (submission,) = report["submissions"]
    assert report.keys() == REPORT
    assert report["format"] == "subgate/1"
    assert report["tool"] == {"name": "subgate", "version": __version__}
    assert report["summary"].keys() == {"accepted", "rejected", "errors", "warnings"}
    assert submission.keys() == SUBMISSION
    assert submission["verdicts"].keys() == {"plan", "tool"}
    assert [finding.keys() for finding in submission["findings"]] == [FINDING]
    assert all(skipped.keys() == {"check", "needs"} for skipped in submission["skipped"])
    assert submission["skipped"]
    assert [set(run) >= RUN for run in submission["runs"]] == [True, True]


def test_the_schema_promises_the_same_keys(schema: dict[str, Any]) -> None:
    """What is pinned here is required there, and nothing else is allowed at these places."""
    parts = schema["$defs"]
    for keys, part in ((REPORT, schema), (SUBMISSION, parts["submission"]), (FINDING, parts["finding"])):
        assert set(part["required"]) == keys
        assert part["additionalProperties"] is False
    assert set(parts["run"]["required"]) >= RUN


def test_a_finding_in_full(subgate: Callable[..., Result], put: Callable[..., str], good_run: str) -> None:
    """Every value of a finding."""
    path = put(good_run.replace('tbeg="3.10"', 'tbeg="3,10"').replace('decision="NO"', 'decision="YES"'))
    (submission,) = _report(subgate("check", path, "--format", "json"))["submissions"]
    assert submission["findings"][-1] == {
        "rule": "XML207",
        "name": "wrong-type",
        "severity": "error",
        "law": "both",
        "message": 'tbeg is not a decimal number: "3,10"',
        "path": path,
        "line": 4,
        "column": 60,
        "node": '/kwslist/detected_kwlist[@kwid="KW106-00001"]/kw[1]/@tbeg',
        "hint": "write 3.10",
        "why": "tbeg counts seconds from the start of the recording",
        "plan": "OpenKWS13 A.5",
        "count": 1,
        "caused_by": None,
    }


def test_runs_are_described(subgate: Callable[..., Result], run_name: str) -> None:
    """Id, primary or not, condition, files."""
    folder = str(CASES / "good-description" / "submission")
    (run,) = _report(subgate("check", folder, "--format", "json"))["submissions"][0]["runs"]
    assert {key: run[key] for key in ("id", "primary", "condition", "files")} == {
        "id": run_name.removesuffix(".kwslist.xml"),
        "primary": True,
        "condition": "FullLP+BaseLR+NTAR",
        "files": [f"{folder}/{run_name}"],
    }


def test_no_other_number_than_json_has(subgate: Callable[..., Result], put: Callable[..., str], good_run: str) -> None:
    """Infinity and NaN of a submission appear in texts only."""
    text = good_run.replace('score="0.91"', 'score="INF"').replace('score="0.12"', 'score="NaN"')
    result = subgate("check", put(text), "--format", "json")

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is no JSON")

    json.loads(result.output, parse_constant=refuse)
    assert '\\"NaN\\"' in result.output


# -- counts and order --------------------------------------------------------------------------------------------


def _many(good_run: str, wrong: int) -> str:
    """Return a run with many detections whose decision is in small letters."""
    line = next(line for line in good_run.splitlines(keepends=True) if 'decision="NO"' in line)
    bad = [line.replace("41.00", f"{5 + rank / 100:.2f}").replace('"NO"', '"no"') for rank in range(wrong)]
    return good_run.replace(line, line + "".join(bad))


@pytest.mark.parametrize("wrong", [1, SAMPLES, SAMPLES + 1, 1203])
def test_counts_are_exact_and_findings_are_few(
    wrong: int, subgate: Callable[..., Result], put: Callable[..., str], good_run: str, database: str
) -> None:
    """At most 20 findings of a rule in a file, each with the number of all; the first ones in the file."""
    path = put(_many(good_run, wrong))
    report = _report(subgate("check", path, "--data", database, "--format", "json"))
    findings = report["submissions"][0]["findings"]
    assert [finding["line"] for finding in findings] == list(range(6, 6 + min(wrong, 20)))
    assert {finding["count"] for finding in findings} == {wrong}
    assert report["summary"]["errors"] == wrong
    text = subgate("check", path, "--data", database).output
    assert f"XML208 x{wrong}" in text
    assert f"found   {wrong} error" in text


@pytest.mark.parametrize("wrong", [SAMPLES + 1, 1203])
def test_counts_of_rules_about_values_are_exact(
    wrong: int, subgate: Callable[..., Result], put: Callable[..., str], good_run: str, database: str
) -> None:
    """The same for a rule that looks at columns (detections outside of their excerpt)."""
    text = re.sub(r'tbeg="(\d+\.\d+)"([^\n]*)"no"', r'tbeg="9\1"\2"NO"', _many(good_run, wrong))
    report = _report(subgate("check", put(text), "--data", database, "--format", "json"))
    findings = [finding for finding in report["submissions"][0]["findings"] if finding["rule"] == "KWS403"]
    assert [finding["line"] for finding in findings] == list(range(6, 26))
    assert {finding["count"] for finding in findings} == {wrong}


def test_the_summary_counts_no_consequences(subgate: Callable[..., Result], database: str, run_name: str) -> None:
    """What follows from another finding is listed with its cause, but not counted."""
    path = str(CASES / "KWS302-list-of-other-partition" / run_name)
    report = _report(subgate("check", path, "--data", database, "--format", "json"))
    causes = {finding["rule"]: finding["caused_by"] for finding in report["submissions"][0]["findings"]}
    assert causes == {"KWS302": None, "KWS303": "KWS302", "KWS304": "KWS302"}
    assert report["summary"] == {"accepted": 0, "rejected": 1, "errors": 1, "warnings": 0}


def test_a_cause_under_one_law_does_not_hide_an_error_under_the_other(
    subgate: Callable[..., Result], database: str, run_name: str
) -> None:
    """Where the cause is only a warning, what it would explain is shown: the verdict has a visible reason."""
    path = str(CASES / "KWS302-list-of-other-partition" / run_name)
    result = subgate("check", path, "--data", database, "--conventions", "tool", "--format", "json")
    (submission,) = _report(result)["submissions"]
    shown = {f["rule"] for f in submission["findings"] if f["caused_by"] is None and f["severity"] == "error"}
    assert submission["verdict"] == "reject"
    assert shown == {"KWS303", "KWS304"}


def test_every_rejection_shows_its_reason(subgate: Callable[..., Result], database: str) -> None:
    """No submission is rejected with nothing but consequences to show, whoever decides."""
    for law in ("both", "plan", "tool"):
        result = subgate(
            "check", *_everything(), "--data", database, "-j", "1", "--format", "json", "--conventions", law
        )
        for submission in _report(result)["submissions"]:
            shown = [f for f in submission["findings"] if f["severity"] == "error" and f["caused_by"] is None]
            assert bool(shown) == (submission["verdict"] == "reject"), submission["path"]


def test_findings_come_in_order(subgate: Callable[..., Result], put: Callable[..., str], good_run: str) -> None:
    """By path, line, column, code."""
    text = _many(good_run, 3).replace('oov_count="0"', 'oov_count="-1"').replace('score="0.91"', 'score="x"')
    for name in ("sub/b/KWS13_1.kwslist.xml", "sub/a.kwslist.xml", "sub/a/c.kwslist.xml", "sub/z.md"):
        put(text, name)
    (submission,) = _report(subgate("check", "sub", "-e", "openkws13", "--format", "json"))["submissions"]
    keys = [(f["path"], f["line"] or 0, f["column"] or 0, f["rule"]) for f in submission["findings"]]
    assert keys == sorted(keys)
    assert len({key[0] for key in keys}) >= 4


def test_paths_are_the_path_as_given_and_the_member(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str, run_name: str, tmp_path: Path
) -> None:
    """With one slash between them, also if the PATH ends in one."""
    put(good_run, f"sub/{run_name}")
    put("x", "sub/deep/notes.md")
    for given, shown in (("sub", "sub"), ("./sub", "./sub"), ("sub/", "sub"), (str(tmp_path / "sub"),) * 2):
        (submission,) = _report(subgate("check", given, "--format", "json"))["submissions"]
        assert submission["path"] == given
        assert [finding["path"] for finding in submission["findings"]] == [f"{shown}/deep/notes.md"]


# -- determinism -------------------------------------------------------------------------------------------------


def test_jobs_hash_seeds_and_locales_give_the_same_bytes(
    process: Callable[..., CompletedProcess[bytes]], database: str, tmp_path: Path
) -> None:
    """One process or four, two hash seeds, another locale and time zone: identical bytes."""
    arguments = ("check", *_everything(), str(CASES / "KWS501-two-primaries" / "submission"), "--data", database)
    for style in ("text", "json"):
        first = process(*arguments, "--format", style, "-j", "1", cwd=tmp_path, PYTHONHASHSEED="1")
        again = process(
            *arguments,
            "--format",
            style,
            "-j",
            "4",
            cwd=tmp_path,
            PYTHONHASHSEED="2",
            LC_ALL="C.UTF-8",
            TZ="Asia/Tokyo",
        )
        assert (first.returncode, again.returncode) == (1, 1)
        assert first.stdout == again.stdout
        assert len(first.stdout) > 10_000


@pytest.mark.parametrize("command", ["check", "score"])
@pytest.mark.parametrize("evaluation", examples())
def test_scores_are_the_same_from_any_number_of_processes(
    command: str, evaluation: str, subgate: Callable[..., Result]
) -> None:
    """What was scored in a worker process comes back whole."""
    home = EXAMPLES / evaluation
    call = (command, "-e", evaluation, "--data", f"{home}/database", "--format", "json", f"{home}/good", f"{home}/bad")
    alone, together = subgate(*call, "-j", "1"), subgate(*call, "-j", "2")
    assert alone.output == together.output
    assert any(run["measures"] for run in _report(alone)["submissions"][0]["runs"])


def test_many_unknown_attributes_give_the_same_bytes_under_any_hash_seed(
    process: Callable[..., CompletedProcess[bytes]], put: Callable[..., str], good_run: str, tmp_path: Path
) -> None:
    """Which 20 of the findings are listed does not depend on the order of a set."""
    line = next(line for line in good_run.splitlines(keepends=True) if 'decision="NO"' in line)
    odd = line.replace("<kw ", '<kw a="1" b="2" c="3" ')
    lines = "".join(odd.replace("41.00", f"{5 + rank}.00") for rank in range(12))
    path = put(good_run.replace(line, line + lines))
    outputs = {
        process("check", path, "--format", "json", cwd=tmp_path, PYTHONHASHSEED=str(seed)).stdout for seed in range(6)
    }
    assert len(outputs) == 1
