"""Albayzin LRE 2012 through the command line: the oracle's verdicts and numbers, hostile files, packing, the key."""

from __future__ import annotations

import json
import random
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

GOLDEN = Path(__file__).parent / "golden"
CASES = Path(__file__).parent / "cases" / "lre"
SUBMISSIONS = sorted((GOLDEN / "lre-submissions").iterdir())
SCORED = sorted(path for path in (GOLDEN / "lre").iterdir() if path.is_dir())
MEASURES = ("Cmce", "Cdef", "Cmin", "Fact", "lnFact", "Fdis", "Fcal")
OUR_WARNINGS = {"non-canonical-blank": "LRE207", "crlf": "LRE208", "underscore-in-group": "LRE113"}
OUR_ERRORS = {
    "duplicated-segment": "LRE303",
    "missing-segment": "LRE302",
    "unknown-segment": "LRE301",
    "segment-with-wav": "LRE304",
    "one-column-short": "LRE202",
    "nan-score": "LRE206",
    "overflowing-score": "LRE206",
    "inf-in-placeholder": "LRE206",
    "wrong-task-code": "LRE401",
    "wrong-mode-code": "LRE402",
    "no-pc": "LRE503",
    "contrastive-without-primary": "LRE502",
    "two-primaries": "LRE501",
    "no-pdf": "LRE601",
    "pdf-is-not-pdf": "PDF601",
    "lower-case-condition": "LRE112",
}
NAME = "GTTS_PC_pri.out"
LINES = (CASES / "good-run" / NAME).read_text(encoding="utf-8")
DATABASE = str(CASES / "database")


@pytest.fixture
def judged(subgate: Callable[..., Result]) -> Callable[..., dict[str, Any]]:
    """Run a command with JSON output and return the one submission."""

    def run(*arguments: str, code: int | None = None) -> dict[str, Any]:
        result = subgate(*arguments, "--format", "json")
        assert code is None or result.exit_code == code
        (submission,) = json.loads(result.output)["submissions"]
        found: dict[str, Any] = submission
        return found

    return run


# -- the oracle --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", SUBMISSIONS, ids=lambda folder: folder.name)
def test_the_oracles_verdicts_and_warnings(folder: Path, judged: Callable[..., dict[str, Any]]) -> None:
    """Every submission gets its verdict for its reason, and its warnings and no other; no official tool has a say."""
    expected = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    found = judged("check", "-e", "lre12", str(folder / "submission"), "--data", str(folder / "seg.ndx"))
    verdict = "accept" if expected["accept"] else "reject"
    assert (found["verdict"], found["verdicts"]) == (verdict, {"plan": verdict, "tool": None})
    warnings = {finding["rule"] for finding in found["findings"] if finding["severity"] == "warning"}
    errors = {finding["rule"] for finding in found["findings"] if finding["severity"] == "error"}
    assert warnings == {OUR_WARNINGS[name] for name in expected["warnings"]}
    assert expected["accept"] or OUR_ERRORS[expected["rule"]] in errors


def _same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    for name in (name for name in MEASURES if name in theirs):
        if theirs[name] is None or isinstance(theirs[name], str):
            assert ours[name] == theirs[name]
        else:
            scale = max(1.0, abs(theirs[name]))
            assert ours[name] == pytest.approx(theirs[name], abs=scale * (1e-8 if name == "Cmin" else 1e-6), rel=0)


@pytest.mark.parametrize("folder", SCORED, ids=lambda folder: folder.name)
def test_the_oracles_measures(folder: Path, judged: Callable[..., dict[str, Any]]) -> None:
    """Measures and language pairs are those of two independent computations, through files and command line."""
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    found = judged("score", "-e", "lre12", str(folder), "--data", str(folder), code=0)
    runs = {Path(run["files"][0]).name: run for run in found["runs"]}
    assert set(runs) == set(expected)
    for name, wanted in expected.items():
        run = runs[name]
        assert run["condition"] == wanted["condition"]
        if "error" in wanted:
            assert set(run["measures"].values()) == {None}
            assert all(part in run["undefined"]["Fact"] for part in wanted["empty"])
            assert run["scorable"] is False
            dropped = judged("score", str(folder / name), "--data", str(folder), "--set", "drop_empty_classes=true")
            _same(dropped["runs"][0]["measures"], wanted["if_dropped"])
            continue
        _same(run["measures"], wanted)
        pairs = {row["id"]: row for row in run["breakdown"]["pair"]}
        for pair, measures in wanted.get("pairs", {}).items():
            _same(pairs[pair], measures)
        rows = run["breakdown"]["language"]
        assert [(row["id"], row["segments"]) for row in rows] == list(
            zip(wanted["classes"], wanted["counts"], strict=True)
        )


# -- the dry run, intervals and comparisons ----------------------------------------------------------------------


def test_without_a_key_only_scorable_counts(judged: Callable[..., dict[str, Any]]) -> None:
    """A stand-in key made from seg.ndx gives no measures, only the proof that the run can be scored."""
    (run,) = judged("check", str(CASES / "good-run" / NAME), "--data", f"{DATABASE}/seg.ndx", code=0)["runs"]
    assert (run["scorable"], run["reference"], run["measures"]) == (True, "stand-in", {})


def test_intervals_hold_the_measures(judged: Callable[..., dict[str, Any]]) -> None:
    """Bootstrap intervals come on request, around what was measured, the same ones each time."""
    folder = CASES / "LRE711-scale"
    call = ("score", str(folder / NAME), "--data", str(folder / "data"), "--intervals")
    (run,) = judged(*call, code=0)["runs"]
    for name in ("Cmce", "Fact"):
        low, high = run["intervals"][name]
        assert low < run["measures"][name] < high
    assert judged(*call)["runs"][0]["intervals"] == run["intervals"]


def test_two_runs_are_compared(subgate: Callable[..., Result]) -> None:
    """--compare says by how much Fact differs; runs of two conditions cannot be compared."""
    folder = GOLDEN / "lre" / "02-plenty-closed"
    paths = [str(folder / f"GTTS_PC_{system}.out") for system in ("pri", "con1")]
    report = json.loads(subgate("score", *paths, "--data", str(folder), "--compare", "--format", "json").output)
    facts = [submission["runs"][0]["measures"]["Fact"] for submission in report["submissions"]]
    (row,) = report["comparisons"]
    assert row["measure"] == "Fact"
    assert row["difference"] == pytest.approx(facts[0] - facts[1], abs=1e-12)
    assert row["low"] <= row["difference"] <= row["high"]
    told = subgate("score", *paths, "--data", str(folder), "--compare").output
    assert f"Fact of GTTS_PC_pri minus that of GTTS_PC_con1: {row['difference']:.6g} (95 %" in told
    other = GOLDEN / "lre" / "03-plenty-open"
    paths = [str(other / f"GTTS_{condition}_pri.out") for condition in ("PC", "PO")]
    report = json.loads(subgate("score", *paths, "--data", str(other), "--compare", "--format", "json").output)
    assert report["comparisons"][0]["difference"] is None


def test_an_unknown_breakdown_is_exit_2(judged: Callable[..., dict[str, Any]]) -> None:
    """--by takes pair and language here."""
    found = judged("score", str(CASES / "good-run" / NAME), "--data", DATABASE, "--by", "keyword", code=2)
    assert "pair or language" in found["error"]


def test_a_key_of_other_segments_is_exit_2(judged: Callable[..., dict[str, Any]], put: Callable[..., str]) -> None:
    """A key must have all segments of seg.ndx and no other; a broken one is named with its line."""
    run, key = str(CASES / "good-run" / NAME), (CASES / "database" / "key.txt").read_text(encoding="utf-8")
    segments = f"segments={DATABASE}/seg.ndx"
    for rank, (content, words) in enumerate(
        (
            (key.split("\n", 1)[1], "has no line for segment"),
            (f"{key}stranger Basque\n", "segment stranger is not in"),
            (key.replace("\n", " Basque Basque\n", 1), ":1 cannot be used"),
            ("", "cannot be used"),
        )
    ):
        path = put(content, f"{rank}.key")
        found = judged("check", run, "--data", segments, "--data", f"key={path}", code=2)
        assert words in found["error"]
        assert found["verdict"] is None


def test_the_tools_law_has_no_meaning(judged: Callable[..., dict[str, Any]]) -> None:
    """There is no official tool: --conventions tool is a wrong call."""
    assert (
        "no official tool" in judged("check", str(CASES / "good-run" / NAME), "--conventions", "tool", code=2)["error"]
    )


# -- what score takes and what it refuses -----------------------------------------------------------------------


def _with(row: int, field: int, text: str) -> str:
    """Return the good run with one field changed."""
    lines = [line.split() for line in LINES.splitlines()]
    lines[row][field] = text
    return "".join(f"{' '.join(line)}\n" for line in lines)


HARMLESS = {
    "placeholder is no number": (_with(0, 9, "nan"), NAME),
    "codes in small letters": (LINES.replace("Plenty", "plenty"), NAME),
    "empty line": (LINES.replace("\n", "\n\n", 1), NAME),
    "byte order mark": (f"\ufeff{LINES}", NAME),
    "header": (f"Task Mode Segment a b c d e f g\n{LINES}", NAME),
    "name without condition": (LINES, "system.out"),
    "line for a stranger": (f"{LINES}{_with(0, 2, 'stranger').splitlines()[0]}\n", NAME),
}


@pytest.mark.parametrize(("content", "name"), HARMLESS.values(), ids=HARMLESS)
def test_score_rejects_only_what_cannot_be_scored(
    content: str, name: str, judged: Callable[..., dict[str, Any]], put: Callable[..., str]
) -> None:
    """What check calls an error and leaves the scores alone is a warning for score: the measures are the same."""
    put(content, name)
    assert judged("check", name, "-e", "lre12", "--data", DATABASE, code=1)["verdict"] == "reject"
    expected = judged("score", str(CASES / "good-run" / NAME), "--data", DATABASE, code=0)["runs"][0]
    (run,) = judged("score", name, "-e", "lre12", "--data", DATABASE, code=0)["runs"]
    assert (run["scorable"], run["measures"]) == (True, expected["measures"])


REFUSED = {
    "a score that counts is missing": (_with(0, 4, "nan"), NAME, "has not all its scores"),
    "two answers": (f"{LINES}{LINES.splitlines()[0]}\n", NAME, "has two lines"),
    "columns of the other task": (LINES, "GTTS_EC_pri.out", "columns of Empty"),
    "lines of two conditions": (_with(3, 1, "Open"), "system.out", "which condition"),
    "nothing but words": ("hello\n", NAME, "no line has a segment"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("data", [DATABASE, f"{DATABASE}/seg.ndx"], ids=["key", "stand-in"])
def test_score_says_why_it_refuses(
    case: tuple[str, str, str], data: str, judged: Callable[..., dict[str, Any]], put: Callable[..., str]
) -> None:
    """A run without an answer for a segment that counts, or of no condition, has no measures but a reason."""
    content, name, reason = case
    put(content, name)
    found = judged("score", name, "-e", "lre12", "--data", data, code=1)
    (message,) = (finding["message"] for finding in found["findings"] if finding["severity"] == "error")
    assert reason in message
    assert found["runs"][0]["scorable"] is False


def test_a_file_that_nobody_can_read_is_no_scored_run(
    judged: Callable[..., dict[str, Any]], put: Callable[..., str]
) -> None:
    """What has another extension was not read: score does not accept it."""
    put(LINES, "system.txt")
    assert judged("score", "system.txt", "-e", "lre12", "--data", DATABASE, code=1)["verdict"] == "reject"


def test_an_empty_folder_is_a_sub_folder_too(judged: Callable[..., dict[str, Any]], put: Callable[..., str]) -> None:
    """Attachments of a mail have no folders, not even empty ones."""
    put(LINES, f"sub/{NAME}")
    put((CASES / "good-minimal" / "sub" / "GTTS_description.pdf").read_bytes(), "sub/description.pdf")
    Path("sub/old").mkdir()
    found = judged("check", "sub", "--data", f"{DATABASE}/seg.ndx", code=1)
    assert [(finding["rule"], finding["path"]) for finding in found["findings"]] == [("LRE116", "sub/old")]


def test_a_name_that_hides_the_condition_is_told_once(
    judged: Callable[..., dict[str, Any]], put: Callable[..., str]
) -> None:
    """Whether PC is missing shows only once every name tells its condition."""
    for name in ("GTTS_XX_pri.out", "results.out"):
        folder = name.removesuffix(".out")
        put(LINES, f"{folder}/{name}")
        put((CASES / "good-minimal" / "sub" / "GTTS_description.pdf").read_bytes(), f"{folder}/description.pdf")
        found = judged("check", folder, "--data", f"{DATABASE}/seg.ndx", code=1)
        assert {finding["rule"] for finding in found["findings"]} <= {"LRE110", "LRE112"}


# -- hostile files -----------------------------------------------------------------------------------------------

HOSTILE = {
    "nothing": b"",
    "blank lines": b"\n \n\t\n",
    "NUL": b"\0" * 5000,
    "one endless line": b"Plenty " * 100_000,
    "endless line, then results": b"x" * 200_000 + b"\n" + LINES.encode(),
    "a word": b"Plenty",
    "binary": bytes(range(256)) * 100,
    "latin-1": "Plenty Closed señal 1 2 3 4 5 6 7\n".encode("latin-1"),
    "utf-16": LINES.encode("utf-16"),
    "digits without end": b"Plenty Closed a " + b"9" * 60_000 + b" 2 3 4 5 6 7\n",
    "huge exponents": b"Plenty Closed a 1e999999999 1e-999999999 0e999 4 5 6 7\n",
    "escape codes": b"Plenty Closed \x1b[31mred\x1b[0m 1 2 3 4 5 6 7\n",
    "templates": b"Plenty Closed {value}{other} {0} %s {} 4 5 6 7\n",
    "many faults": b"Plenty Closed a x x x x x x x\n" * 3000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", [NAME, "seg.ndx", "key.txt"])
def test_hostile_bytes_are_rejected_not_stumbled_over(
    content: bytes, name: str, judged: Callable[..., dict[str, Any]], put: Callable[..., str]
) -> None:
    """Whatever a file holds, the answer is a report; the text of it drives no terminal."""
    put(content, name)
    found = judged("check", name, *(("--data", f"{DATABASE}/seg.ndx") if name == NAME else ()))
    assert found["error"] is None
    assert len(found["findings"]) < 200
    if name == NAME:
        assert found["verdict"] == "reject"


def test_counts_are_exact_and_findings_few(judged: Callable[..., dict[str, Any]], put: Callable[..., str]) -> None:
    """At most 20 findings of a rule, each with the number of all."""
    put(HOSTILE["many faults"], NAME)
    found = [finding for finding in judged("check", NAME)["findings"] if finding["rule"] == "LRE205"]
    assert (len(found), {finding["count"] for finding in found}) == (20, {21_000})


def test_a_pdf_of_noise_is_a_finding(judged: Callable[..., dict[str, Any]], put: Callable[..., str]) -> None:
    """What looks like a PDF at both ends may hold anything."""
    put(LINES, f"sub/{NAME}")
    noise = random.Random(3).randbytes(20_000)  # noqa: S311 - noise for a test
    put(b"%PDF-1.4\n" + noise + b"\n%%EOF\n", "sub/description.pdf")
    found = judged("check", "sub", "--data", f"{DATABASE}/seg.ndx", code=0)
    assert [finding["rule"] for finding in found["findings"]] == ["PDF602"]


def test_without_pypdf_the_checks_of_the_text_are_named(
    judged: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch, subgate: Callable[..., Result]
) -> None:
    """The optional package is asked for by name; the form of the PDF is still checked."""
    monkeypatch.setattr("validator.submission.find_spec", lambda _: None)
    monkeypatch.setattr("validator.formats.pdf.find_spec", lambda _: None)
    folder = str(CASES / "good-minimal" / "sub")
    found = judged("check", folder, "--data", DATABASE, code=0)
    assert {"check": "missing-heading", "needs": "package:pypdf"} in found["skipped"]
    assert "subgate-eval[pdf]" in subgate("check", folder, "--data", DATABASE).output


# -- packing -----------------------------------------------------------------------------------------------------


def test_the_upload_is_canonical(
    judged: Callable[..., dict[str, Any]], put: Callable[..., str], subgate: Callable[..., Result]
) -> None:
    """One flat archive: single blanks, LF, the order of seg.ndx, numbers as written; and the text of the mail."""
    messy = "\r\n".join(line.replace(" ", "\t ") for line in reversed(LINES.splitlines())) + "\r\n\r\n"
    put(messy, f"sub/{NAME}")
    put((CASES / "good-minimal" / "sub" / "GTTS_description.pdf").read_bytes(), "sub/description.pdf")
    put("not part of it", "sub/notes.txt")
    found = judged("pack", "sub", "--data", DATABASE, "-o", "out", code=0)
    (package,) = found["packages"]
    assert package["path"] == "out/GTTS.tgz"
    assert package["members"] == [NAME, "description.pdf"]
    with tarfile.open("out/GTTS.tgz") as archive:
        member = archive.extractfile(NAME)
        assert member is not None
        assert member.read().decode() == LINES
    mail = Path("out/GTTS.tgz.mail.txt").read_text(encoding="utf-8")
    assert all(word in mail for word in ("ehu.es", "GTTS", NAME, "description.pdf", package["sha256"]))
    assert subgate("verify", "out/GTTS.tgz").exit_code == 0
    again = judged("check", "out/GTTS.tgz", "--data", DATABASE, code=0)
    assert again["runs"][0]["measures"] == found["runs"][0]["measures"]


def test_a_rejected_submission_is_not_packed(judged: Callable[..., dict[str, Any]], put: Callable[..., str]) -> None:
    """Nothing is written for it; and one file is not the whole submission."""
    put(LINES.replace("Closed", "closed"), f"sub/{NAME}")
    judged("pack", "sub", "--data", DATABASE, "-o", "out", code=1)
    assert not Path("out").exists()
    put(LINES, NAME)
    assert "folder" in judged("pack", NAME, "--data", DATABASE, "-o", "out", code=2)["error"]


def test_init_writes_what_check_then_asks_to_fill_in(
    judged: Callable[..., dict[str, Any]], subgate: Callable[..., Result], tmp_path: Path
) -> None:
    """The skeleton has the right names, and is not accepted as it is."""
    assert subgate("init", "-e", "lre12", str(tmp_path / "new")).exit_code == 0
    found = judged("check", str(tmp_path / "new"), "--data", DATABASE, code=1)
    assert found["evaluation"] == "lre12"
    assert {"LRE301", "LRE601"} <= {finding["rule"] for finding in found["findings"]}
