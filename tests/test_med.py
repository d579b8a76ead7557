"""MED submissions that NIST's checker and scorer judged: the same verdicts, the same numbers; and pack, init, score."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from validator.engine import Request, check
from validator.model import Law, Verdict, Wanted, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    from validator.model import Report

GOLDEN = Path(__file__).parent / "golden"
SUBMISSIONS, SCORED = GOLDEN / "med-submissions", GOLDEN / "med"
CASES = Path(__file__).parent / "cases" / "med"
INDEX = str(SUBMISSIONS / "TrialIndex.csv")
EXACT = 1e-9
Json = dict[str, Any]

# The oracle's names of rules, and the codes that say the same here.
OUR_CODES = {
    "MED-ARC-EXT": {"MED101", "MED102"},
    "MED-ARC-NAME": {"MED103"},
    "MED-TEAM": {"MED105"},
    "MED-DATA": {"MED105"},
    "MED-EXPID": {"MED110", "MED111", "MED112"},
    "MED-PRIMARY": {"MED501", "MED502"},
    "MED-RUNS": {"MED503"},
    "MED-MEDTYPE": {"MED504", "MED505", "MED507"},
    "MED-TRIAL-MISSING": {"MED303"},
    "MED-TRIAL-UNKNOWN": {"MED302"},
    "MED-TRIAL-DUP": {"MED301"},
    "MED-THR-EVENTS": {"MED304", "MED305", "MED306"},
    "MED-SCORE-RANGE": {"MED404"},
    "MED-SCORE-NUM": {"MED401"},
    "MED-THR-RANGE": {"MED414"},
    "MED-CSV-HEADER": {"MED220"},
    "MED-CSV-QUOTE": {"CSV206", "CSV208"},
    "MED-FILES": {"MED125", "MED126", "MED127"},
    "MED-DESC": {"MED602"},
}

each_submission = pytest.mark.parametrize(
    "folder", [path for path in sorted(SUBMISSIONS.iterdir()) if path.is_dir()], ids=lambda path: path.name
)
each_case = pytest.mark.parametrize(
    "folder", [path for path in sorted(SCORED.iterdir()) if path.is_dir()], ids=lambda path: path.name
)


def _archive(folder: Path) -> str:
    return str(next(path for path in folder.iterdir() if path.name != "verdict.json"))


@each_submission
@pytest.mark.parametrize("evaluation", ["med11", None], ids=["asked", "recognised"])
def test_both_verdicts_are_those_of_the_oracle(folder: Path, evaluation: str | None) -> None:
    """What the plan and what NIST's checker say, with and without -e, and for the oracle's reason."""
    oracle: Json = json.loads((folder / "verdict.json").read_text())
    report = check(_archive(folder), Request(evaluation, (INDEX,)))
    assert report.error is None
    assert report.crash is None
    accepted = {law: verdict(report, law) is Verdict.ACCEPT for law in (Law.PLAN, Law.TOOL)}
    assert accepted == {Law.PLAN: oracle["plan"]["accept"], Law.TOOL: oracle["f4de"]["accept"]}
    codes = {finding.rule.code for finding in report.findings}
    assert all(OUR_CODES[name] & codes for name in oracle["plan"]["violates"])


@each_submission
def test_a_plain_folder_is_judged_as_its_archive(folder: Path, tmp_path: Path) -> None:
    """But for the archive's own name, what is inside counts."""
    source = _archive(folder)
    if source.endswith(".xz"):
        pytest.skip("cannot be unpacked")
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            opened = archive.extractfile(member)
            if opened is not None and ".." not in member.name:
                (tmp_path / member.name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / member.name).write_bytes(opened.read())
    codes = {
        finding.rule.code
        for path, known in ((source, "med11"), (str(tmp_path), "med11"), (str(tmp_path / "output"), "med11"))
        for finding in check(path, Request(known, (INDEX,))).findings
        if finding.rule.code not in ("MED103", "MED105", "MED509")
    }
    again = {finding.rule.code for finding in check(str(tmp_path), Request("med11", (INDEX,))).findings}
    assert again == codes


def _scored(folder: Path, law: Law, wanted: Wanted | None = None) -> Report:
    return check(str(folder), Request("med11", (str(folder),), law, scoring=wanted or Wanted()))


def _close(expected: object) -> object:
    return None if expected is None else pytest.approx(expected, rel=0, abs=EXACT)


def _part(record: Json | None, key: str) -> object:
    return None if record is None else record[key]


@each_case
def test_the_tool_gives_the_official_numbers(folder: Path) -> None:
    """Every event of every case under NIST's law, scored as a flat folder."""
    expected: Json = json.loads((folder / "expected.json").read_text())["f4de"]["events"]
    report = _scored(folder, Law.TOOL)
    scores = report.runs[0].scores
    assert scores is not None
    rows = {str(row["id"]): row for row in scores.breakdown["event"]}
    assert set(rows) == set(expected)
    for name, want in expected.items():
        row = rows[name]
        for measure, key in (("PMiss", "pmiss"), ("PFA", "pfa"), ("NDC", "ndc")):
            assert row[measure] == _close(_part(want["actual"], key))
        assert row["minNDC"] == _close(_part(want["min"], "ndc"))
        assert row["minNDC_threshold"] == _close(_part(want["min"], "threshold"))
        assert row["NDC_at_TER"] == _close(_part(want["ndc_at_ter"], "ndc"))
        counts = want["counts"]
        assert (row["targets"], row["misses"], row["false_alarms"]) == (counts["targets"], counts["miss"], counts["fa"])


@each_case
def test_the_plans_numbers(folder: Path) -> None:
    """The same under the plan: reject-all is a point of the curve; real-time factors beside them."""
    expected: Json = json.loads((folder / "expected.json").read_text())["plan"]["events"]
    scores = _scored(folder, Law.PLAN).runs[0].scores
    assert scores is not None
    rows = {str(row["id"]): row for row in scores.breakdown["event"]}
    assert set(rows) == set(expected)
    names = {"PMiss": "pmiss", "PFA": "pfa", "NDC": "ndc", "minNDC": "min_with_reject_all"}
    names |= {"misses": "miss", "false_alarms": "fa", "targets": "targets", "real_time_factor": "real_time_factor"}
    for name, want in expected.items():
        assert {key: rows[name][key] for key in names} == {key: _close(want[other]) for key, other in names.items()}
        assert rows[name]["NDC_at_TER"] == _close(_part(want["ndc_at_ter_with_reject_all"], "ndc"))


@each_case
def test_what_the_laws_disagree_in_is_told(folder: Path) -> None:
    """``differs`` has exactly the measures whose values are not the same under both laws."""
    runs = {law: _scored(folder, law).runs[0] for law in (Law.PLAN, Law.TOOL)}
    measures = {law: run.scores.measures for law, run in runs.items() if run.scores is not None}
    plan, tool = measures[Law.PLAN], measures[Law.TOOL]
    assert runs[Law.PLAN].differs == {
        name: {"plan": plan[name], "tool": tool[name]} for name in sorted(plan) if plan[name] != tool[name]
    }


def test_a_mean_is_over_the_events_where_it_is_defined() -> None:
    """An event without positives is left out of the means, and counted as not scored."""
    scores = _scored(SCORED / "04-no-positives", Law.TOOL).runs[0].scores
    assert scores is not None
    rows = scores.breakdown["event"]
    defined = [row["NDC"] for row in rows if row["NDC"] is not None]
    assert len(rows) == 3
    assert scores.measures["events_scored"] == len(defined) == 2
    assert scores.measures["NDC"] == pytest.approx(sum(map(float, map(str, defined))) / 2)


def test_intervals_surround_the_measures() -> None:
    """Bootstrap over clips: the value lies inside, the same every time."""
    one, other = (_scored(SCORED / "01-basic", Law.TOOL, Wanted(intervals=True)).runs[0].scores for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.intervals == other.intervals
    low, high = one.intervals["NDC"]
    assert low < float(str(one.measures["NDC"])) < high


def test_the_points_of_the_curve_on_request() -> None:
    """``--by det`` gives every DET point; under NIST's law they are those that its scorer saved."""
    folder = SCORED / "01-basic"
    scores = _scored(folder, Law.TOOL, Wanted(by=("det",))).runs[0].scores
    assert scores is not None
    expected: Json = json.loads((folder / "expected.json").read_text())["f4de"]["events"]
    for name, want in expected.items():
        points = [row for row in scores.breakdown["det"] if row["id"] == name]
        ours = [[row["threshold"], row["PMiss"], row["PFA"], row["NDC"]] for row in points]
        assert ours == [pytest.approx(point, rel=0, abs=EXACT) for point in want["det_points"]]


def test_two_runs_are_compared_over_their_events(subgate: Callable[..., Result]) -> None:
    """A run compared with itself differs by nothing."""
    folder = str(SCORED / "01-basic")
    result = subgate("score", "-e", "med11", folder, folder, "--data", folder, "--compare", "--format", "json")
    (row,) = json.loads(result.output)["comparisons"]
    assert row["difference"] == 0
    assert row["events"] == row["equal"] == 3


def test_without_a_reference_it_is_a_dry_run(subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in shows that the run can be scored; only what needs no reference is measured."""
    monkeypatch.chdir(CASES / "good-part")
    tables = "../tables/MED11TEST_"
    data = ("--data", f"{tables}TrialIndex.csv", "--data", f"{tables}ClipMD.csv")
    (run,) = json.loads(subgate("check", "submission", *data, "--format", "json").output)["submissions"][0]["runs"]
    assert (run["scorable"], run["reference"]) == (True, "stand-in")
    assert run["measures"] == {"real_time_factor": 0.125, "metadata_real_time_factor": 6.25}


def test_a_folder_without_a_run_has_no_scores(subgate: Callable[..., Result], tmp_path: Path) -> None:
    """Nothing found is no pass, also where only scores are asked for."""
    (tmp_path / "hyp.threshold.csv").write_text('"EventID","DetectionThreshold","DetectionTPT"\n"E006","0.5","1"\n')
    assert subgate("score", "-e", "med11", str(tmp_path)).exit_code == 1


@pytest.mark.parametrize("year", [15, 16, 17])
def test_a_column_of_another_year_is_only_an_extra_one(year: int, tmp_path: Path) -> None:
    """Ranks took the place of scores: what a column Score holds then is not judged."""
    shutil.copytree(CASES / f"good-med{year}" / "submission", tmp_path / "submission")
    (detections,) = tmp_path.rglob("*.detection.csv")
    lines = detections.read_text().splitlines()
    detections.write_text("".join(f'{line},"{"7" if rank else "Score"}"\n' for rank, line in enumerate(lines)))
    report = check(str(tmp_path / "submission"), Request(None, (f"{CASES}/tables/MED11TEST_TrialIndex.csv",)))
    assert {finding.rule.code for finding in report.findings} == {"MED221"}
    assert verdict(report, Law.TOOL) is Verdict.ACCEPT


@pytest.mark.parametrize(
    ("section", "hours"),
    [
        ("One node, TPT 12.5 hours, of which 3 hours are speech.", 12.5),
        ("Total processing time (hours): 12.5", 12.5),
        ("TPT: 3 h 30 min", 3.5),
        ("12 wall-clock hours", 12),
        ("TPT: 900 seconds", 0.25),
        ("- features - 16 nodes - 5 hours\n- speech - 16 nodes - 5 hours", 10),
        ("- features - 16 nodes - 5 hours\n- speech - 16 nodes - 5 hours\nTPT: 6 hours", 6),
        ("Features took 5 hours.\nSpeech took 5 hours.", None),
        ("TPT: 5 hours\nTotal: 6 hours", None),
        ("TPT: 12,5 hours", None),
        ("TPT: 12.5", None),
        ("16 nodes with 24 GB", None),
    ],
)
def test_the_hours_of_metadata_generation_are_those_of_the_description(
    section: str, hours: float | None, tmp_path: Path
) -> None:
    """A total that is told, or the sum over sub-steps, or the only time; a number that is not clear is none."""
    shutil.copytree(CASES / "good-part" / "submission", tmp_path / "submission")
    (description,) = tmp_path.rglob("*.txt")
    before, heading, rest = description.read_text().partition("Runtime Computation\n")
    description.write_text(f"{before}{heading}{section}\n\nSection 4{rest.partition('Section 4')[2]}")
    data = tuple(f"{CASES}/tables/MED11TEST_{table}.csv" for table in ("TrialIndex", "ClipMD"))
    report = check(str(tmp_path / "submission"), Request("med11", data))
    scores = report.runs[0].scores
    assert scores is not None
    factor = scores.measures.get("metadata_real_time_factor")
    assert factor == (None if hours is None else pytest.approx(hours / 2))  # two hours of video
    assert ("MED605" in {finding.rule.code for finding in report.findings}) is (hours is None)


def test_pack_writes_the_archive_of_the_plan(
    subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One archive for all runs, named by the plan, with the members of its command; the notification beside it."""
    monkeypatch.chdir(CASES / "MED508-copy")
    result = subgate("pack", "submission", "-o", str(tmp_path), "--set", "sub_num=2")
    assert result.exit_code == 0
    archive = tmp_path / "MED11_ACME_MED11TEST_2.tgz"
    runs = [f"ACME_MED11_MED11TEST_MEDPart_AutoEAG_{system}_1" for system in ("c-two", "p-base")]
    with tarfile.open(archive) as opened:
        suffixes = ("detection.csv", "threshold.csv", "txt")
        assert opened.getnames() == [f"./output/{run}/{run}.{suffix}" for run in runs for suffix in suffixes]
    text = (tmp_path / f"{archive.name}.mail.txt").read_text().splitlines()
    assert f"File name: {archive.name}" in text
    assert f"File size: {archive.stat().st_size} bytes" in text
    assert text[-2:] == runs
    assert subgate("verify", str(archive)).exit_code == 0
    assert subgate("check", str(archive)).exit_code == 0


def test_a_submission_number_begins_at_one(subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    """SUB-NUM 0 is a wrong call, not a crash of the check that follows."""
    monkeypatch.chdir(CASES / "good-part")
    assert subgate("pack", "submission", "-o", "out", "--set", "sub_num=0").exit_code == 2
    assert subgate("pack", "submission", "-o", "out", "--set", "sub_num=x").exit_code == 2
    assert not Path("out").exists() or not list(Path("out").iterdir())
    if Path("out").exists():
        Path("out").rmdir()


@pytest.mark.parametrize("year", range(11, 18))
def test_a_skeleton_is_asked_to_be_filled_in(year: int, subgate: Callable[..., Result], tmp_path: Path) -> None:
    """Names and layout of what init writes are right from the start; only its blanks are found."""
    place = str(tmp_path / "new")
    assert subgate("init", "-e", f"med{year}", place).exit_code == 0
    report = json.loads(subgate("check", place, "--format", "json").output)["submissions"][0]
    assert report["evaluation"] == f"med{year}"
    codes = {finding["rule"] for finding in report["findings"]}
    assert codes
    assert codes <= {"MED401", "MED411", "MED415", "MED421", "MED605", "MED606"}


@pytest.mark.parametrize("case", ["good-med13", "good-med14", "good-med15"])
def test_later_years_are_scored_by_their_measures(
    case: str, subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A perfect ranking has an average precision of 100 percent in every year."""
    monkeypatch.chdir(CASES / case)
    tables = "../tables/MED11TEST_"
    data = ("--data", f"{tables}TrialIndex.csv", "--data", f"{tables}Ref.csv")
    (run,) = json.loads(subgate("check", "submission", *data, "--format", "json").output)["submissions"][0]["runs"]
    assert run["measures"]["MAP"] == 100
    assert run["measures"]["events_scored"] == 2
    if case != "good-med15":  # one of three clips returned: 100 - 12.5 * 100 / 3
        assert run["measures"]["R0"] == pytest.approx(100 - 12.5 * 100 / 3)
