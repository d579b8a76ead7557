"""The contract of the command line: exit codes, recognition, reference data, parameters, conventions, output files."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from validator import engine, formats
from validator.profile import load
from validator.rulebook import all_rules, rulebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from subprocess import CompletedProcess

    from click.testing import Result

    from validator.model import Defect, Rule
    from validator.profile import Profile

BROKEN = ('search_time="0.80"', 'search_time="soon"')  # an error under both laws, without consequences


def _submissions(result: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(result.output)["submissions"]
    return found


def _other_system(name: str) -> str:
    return name.replace("p-word", "c-other")


# -- exit codes --------------------------------------------------------------------------------------------------


def test_exit_0_when_every_submission_is_accepted(
    put: Callable[..., str], good_run: str, run_name: str, database: str, subgate: Callable[..., Result]
) -> None:
    """Two good runs: 0."""
    paths = put(good_run), put(good_run, _other_system(run_name))
    assert subgate("check", *paths, "--data", database).exit_code == 0


def test_exit_1_when_one_is_rejected_and_the_others_are_judged(
    put: Callable[..., str], good_run: str, run_name: str, database: str, subgate: Callable[..., Result]
) -> None:
    """A bad submission never stops the others."""
    paths = put(good_run.replace(*BROKEN)), put(good_run, _other_system(run_name))
    result = subgate("check", *paths, "--data", database, "--format", "json")
    assert [submission["verdict"] for submission in _submissions(result)] == ["reject", "accept"]
    assert result.exit_code == 1


def test_a_warning_does_not_reject(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """Warnings are told and accepted."""
    path = put(good_run.replace('language="tagalog"', 'language="english"'))
    result = subgate("check", path, "--data", database, "--format", "json")
    assert [finding["severity"] for finding in _submissions(result)[0]["findings"]] == ["warning"]
    assert result.exit_code == 0


def test_exit_2_for_a_path_that_does_not_exist_and_the_others_are_judged(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """A missing PATH has no verdict and says why; 2 is worse than 0."""
    result = subgate("check", "no-such-file", put(good_run), "--data", database, "--format", "json")
    missing, good = _submissions(result)
    assert (missing["verdict"], missing["verdicts"]) == (None, {"plan": None, "tool": None})
    assert missing["error"] == "no such file or folder: no-such-file"
    assert good["verdict"] == "accept"
    assert result.exit_code == 2


def test_the_worst_exit_code_wins(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """2 for a missing path is worse than 1 for a rejected one, in any order."""
    bad = put(good_run.replace(*BROKEN))
    assert subgate("check", bad, "no-such-file", "--data", database).exit_code == 2
    assert subgate("check", "no-such-file", bad, "--data", database).exit_code == 2


def test_text_and_json_end_with_the_same_exit_code(
    put: Callable[..., str], good_run: str, run_name: str, database: str, subgate: Callable[..., Result]
) -> None:
    """The exit code does not depend on the format."""
    good, bad = put(good_run), put(good_run.replace(*BROKEN), _other_system(run_name))
    for paths, code in (((good,), 0), ((good, bad), 1), ((good, bad, "none"), 2)):
        for style in ("text", "json"):
            assert subgate("check", *paths, "--data", database, "--format", style).exit_code == code


def _crashing_rulebook(
    original: Callable[[Profile], tuple[Rule[Any], ...]],
) -> Callable[[Profile], tuple[Rule[Any], ...]]:
    def crash(subject: Any) -> Iterable[Defect]:  # noqa: ANN401 - any rule's subject
        if "c-other" in subject.run.file:
            message = "a bug"
            raise KeyError(message)
        return ()

    def rulebook(profile: Profile) -> tuple[Rule[Any], ...]:
        return tuple(replace(rule, check=crash) if rule.code == "KWS412" else rule for rule in original(profile))

    return rulebook


@pytest.mark.parametrize("style", ["text", "json"])
def test_exit_3_when_a_rule_crashes_and_the_others_are_judged(
    *,
    put: Callable[..., str],
    good_run: str,
    run_name: str,
    database: str,
    subgate: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    style: str,
) -> None:
    """A bug of ours says so, names rule and file, shows no traceback, and concerns the one submission only."""
    monkeypatch.setattr(engine, "rulebook", _crashing_rulebook(rulebook))
    crashing, good = put(good_run, _other_system(run_name)), put(good_run)
    result = subgate("check", crashing, "nothing", good, "--data", database, "-j", "1", "--format", style)
    assert result.exit_code == 3
    assert "Traceback" not in result.output
    for word in ("KWS412", "nan-score", crashing):
        assert word in result.output
    if style == "json":
        assert [submission["verdict"] for submission in _submissions(result)] == [None, None, "accept"]
    else:
        assert "bug of subgate" in result.output


def test_exit_3_when_a_reader_crashes_and_the_others_are_judged(
    *,
    put: Callable[..., str],
    good_run: str,
    run_name: str,
    database: str,
    subgate: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bug outside of the rules is no bare traceback either, and does not stop the others."""
    original = formats.read

    def crash(name: str, source: Any) -> Any:  # noqa: ANN401 - stands in for formats.read
        if "c-other" in source.name:
            message = "a bug"
            raise KeyError(message)
        return original(name, source)

    monkeypatch.setattr(formats, "read", crash)
    crashing, good = put(good_run, _other_system(run_name)), put(good_run)
    result = subgate("check", crashing, good, "--data", database, "-j", "1", "--format", "json")
    assert result.exit_code == 3
    assert [submission["verdict"] for submission in _submissions(result)] == [None, "accept"]


def test_ctrl_c_ends_with_130(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted check is no rejected one."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "check", interrupt)
    assert subgate("check", put(good_run), "-j", "1").exit_code == 130


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "x", "--no-such-option"),
        ("check", "x", "--conventions", "nist"),
        ("check", "x", "--format", "yaml"),
        ("check", "x", "--jobs", "0"),
        ("check", "x", "--set", "team"),
        ("check", "x", "-o", "."),
        ("chek", "x"),
        ("explain",),
        ("explain", "KWS999"),
        ("rules", "-e", "openkws99"),
        ("evaluations", "openkws99"),
    ],
)
def test_exit_2_for_a_wrong_call(arguments: tuple[str, ...], subgate: Callable[..., Result]) -> None:
    """What click or we cannot make sense of is 2, with a sentence."""
    result = subgate(*arguments)
    assert result.exit_code == 2
    assert "Error: " in result.output


# -- which evaluation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("year", ["12", "13", "14", "15", "16"])
def test_the_evaluation_is_recognised_from_the_name(
    year: str, put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """The tag of the EXPID tells the year."""
    middle = {"12": "Dev_AA-KWS_FullLP", "13": "BaDev_KWS_FullLP_BaseLR_NTAR"}.get(year, "BaDev_KWS")
    path = put(good_run, f"KWS{year}_TeamA_babel106b-v0.2g_conv-dev_{middle}_p-word_1.kwslist.xml")
    (submission,) = _submissions(subgate("check", path, "--data", database, "--format", "json"))
    assert (submission["evaluation"], submission["verdict"]) == (f"openkws{year}", "accept")


def test_candidates_are_named_where_no_name_tells_the_evaluation(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """Exit 2, with every evaluation that -e would take."""
    result = subgate("check", put(good_run, "results.kwslist.xml"))
    assert result.exit_code == 2
    for year in range(12, 17):
        assert f"openkws{year}" in result.output


def test_a_folder_of_two_evaluations_is_not_guessed(
    put: Callable[..., str], good_run: str, run_name: str, subgate: Callable[..., Result]
) -> None:
    """Exit 2, with the two candidates and no other."""
    put(good_run, f"sub/{run_name}")
    put(good_run, "sub/KWS14_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_p-word_1.kwslist.xml")
    result = subgate("check", "sub")
    assert result.exit_code == 2
    assert "openkws13, openkws14" in result.output
    assert "openkws12" not in result.output


def test_with_e_a_wrong_name_is_a_finding(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """With -e everything is judged: a wrong name or a wrong tag rejects, it is not exit 2."""
    for name in ("results.kwslist.xml", "results.xml", "KWS14_x.kwslist.xml"):
        result = subgate("check", put(good_run, name), "-e", "openkws13", "--data", database, "--format", "json")
        assert result.exit_code == 1
        assert _submissions(result)[0]["evaluation"] == "openkws13"


def test_an_unknown_evaluation_suggests_the_nearest(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """Exit 2, in JSON as well."""
    result = subgate("check", put(good_run), "-e", "openkws_13")
    assert (result.exit_code, "did you mean openkws13?" in result.output) == (2, True)
    (submission,) = _submissions(subgate("check", put(good_run), "-e", "openkws_13", "--format", "json"))
    assert submission["verdict"] is None
    assert "openkws13" in submission["error"]


def test_a_single_run_is_not_rejected_for_the_rest_of_the_submission(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """The rules about the whole submission are listed under skipped."""
    path = put(good_run)
    result = subgate("check", path, "--data", database, "--set", "complete=true", "--format", "json")
    (submission,) = _submissions(result)
    assert submission["verdict"] == "accept"
    skipped = {skipped["check"] for skipped in submission["skipped"] if skipped["needs"] == "whole"}
    assert {"second-primary", "incomplete-submission", "skipped-version"} <= skipped


# -- organizers' files and reference data ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["babel106b-v0.2g_conv-dev.ecf.xml", "babel106b-v0.2g_conv-dev.kwlist.xml"])
def test_an_organizers_file_needs_no_evaluation(name: str, database: str, subgate: Callable[..., Result]) -> None:
    """Its content decides its format; it is accepted on its own, evaluation is null."""
    result = subgate("check", str(Path(database) / name), "--format", "json")
    (submission,) = _submissions(result)
    assert (submission["evaluation"], submission["verdict"], result.exit_code) == (None, "accept", 0)


def test_an_organizers_file_is_known_by_its_content(
    put: Callable[..., str], database: str, subgate: Callable[..., Result]
) -> None:
    """The name does not matter."""
    ecf = (Path(database) / "babel106b-v0.2g_conv-dev.ecf.xml").read_bytes()
    result = subgate("check", put(ecf, "list.xml"), "--format", "json")
    assert (_submissions(result)[0]["verdict"], result.exit_code) == ("accept", 0)
    broken = put(ecf.replace(b"splitcts", b"phone"), "broken.xml")
    assert subgate("check", broken).exit_code == 1


def _database(put: Callable[..., str], database: str, *, leave: str = "", **more: str) -> str:
    """Copy the tiny database into the test's folder, without one file, with others."""
    for path in Path(database).iterdir():
        if path.name != leave:
            put(path.read_bytes(), f"own/{path.name}")
    for name, content in more.items():
        put(content, f"own/{name}")
    return str(Path("own").resolve())


def test_an_unusable_reference_is_exit_2_and_the_others_are_judged(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """The ECF of conv-dev is broken: what needs it is not judged; a run of conv-eval is."""
    own = _database(put, database)
    ecf = Path(own) / "babel106b-v0.2g_conv-dev.ecf.xml"
    ecf.write_text(ecf.read_text(encoding="utf-8").replace('tbeg="60"', 'tbeg="1,5"'), encoding="utf-8")
    needs_it = put(good_run)
    other = good_run.replace("conv-dev.kwlist", "conv-eval.kwlist").replace("10001", "20001")
    other = other.replace("KW106-00002", "KW106-00009")
    does_not = put(other, needs_it.replace("conv-dev_BaDev", "conv-eval_BaEval"))
    result = subgate("check", needs_it, does_not, "--data", own, "--format", "json")
    first, second = _submissions(result)
    assert first["verdict"] is None
    assert f"{ecf}:5" in first["error"]
    assert second["verdict"] == "accept"
    assert result.exit_code == 2


def test_a_duplicate_keyword_in_the_kwlist_is_never_the_participants_fault(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """A KWList that would be rejected on its own cannot be used: exit 2."""
    own = _database(put, database)
    kwlist = Path(own) / "babel106b-v0.2g_conv-dev.kwlist.xml"
    kwlist.write_text(kwlist.read_text(encoding="utf-8").replace("00002", "00001"), encoding="utf-8")
    result = subgate("check", put(good_run), "--data", own)
    assert result.exit_code == 2
    assert "KW106-00001" in result.output


def test_a_database_without_the_pair_of_an_ecf_is_exit_2(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """Every corpus and partition needs both files, also those that were not submitted."""
    own = _database(put, database, leave="babel106b-v0.2g_conv-eval.kwlist.xml")
    result = subgate("check", put(good_run), "--data", own)
    assert result.exit_code == 2
    assert "babel106b-v0.2g_conv-eval" in result.output
    assert "kwlist" in result.output


def test_a_misnamed_file_in_the_database_is_exit_2(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """A name that does not split into corpus and partition stops everything, and is named."""
    own = _database(put, database, **{"babel106b_v0.2g_conv-dev.ecf.xml": "<ecf/>"})
    result = subgate("check", put(good_run), "--data", own)
    assert result.exit_code == 2
    assert "babel106b_v0.2g_conv-dev.ecf.xml" in result.output


def test_two_files_for_one_role_are_both_named(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """Where nothing tells them apart: exit 2."""
    ecf = (Path(database) / "babel106b-v0.2g_conv-dev.ecf.xml").read_bytes()
    put(ecf, "data/one.ecf.xml")
    put(ecf, "data/two.ecf.xml")
    result = subgate("check", put(good_run), "--data", "data")
    assert result.exit_code == 2
    assert "one.ecf.xml" in result.output
    assert "two.ecf.xml" in result.output


def test_a_named_role_overrides_the_folder(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """With ROLE=FILE the rules that compare the EXPID with the folder are skipped, and that file is used."""
    ecf = (Path(database) / "babel106b-v0.2g_conv-dev.ecf.xml").read_text(encoding="utf-8")
    short = put(ecf.replace('dur="70.3"', 'dur="10"'), "short.ecf.xml")
    kwlist = f"kwlist={Path(database) / 'babel106b-v0.2g_conv-dev.kwlist.xml'}"
    result = subgate("check", put(good_run), "--data", f"ecf={short}", "--data", kwlist, "--format", "json")
    (submission,) = _submissions(result)
    assert {finding["rule"] for finding in submission["findings"]} == {"KWS403"}
    assert {"unknown-corpus", "kwlist-of-other-data"} <= {skipped["check"] for skipped in submission["skipped"]}


def test_without_data_the_checks_that_need_it_are_named(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """What is missing is never held against a submission, and never hidden."""
    path = put(good_run)
    (submission,) = _submissions(subgate("check", path, "--format", "json"))
    needs = {skipped["check"]: skipped["needs"] for skipped in submission["skipped"]}
    assert (needs["missing-keyword"], needs["file-not-in-ecf"]) == ("kwlist", "ecf")
    assert "ACCEPTED as far as checked" in subgate("check", path).output


@pytest.mark.parametrize("own_file", [False, True], ids=["run", "ecf"])
@pytest.mark.parametrize("wrong", [("--data", "no-such-folder"), ("--set", "colour=red")], ids=["data", "set"])
def test_a_wrong_option_is_exit_2_whatever_the_path_is(
    *,
    put: Callable[..., str],
    good_run: str,
    database: str,
    subgate: Callable[..., Result],
    own_file: bool,
    wrong: tuple[str, str],
) -> None:
    """A typo in --data or --set is told for the organizers' own files as well: a typo must not be silent."""
    path = str(Path(database) / "babel106b-v0.2g_conv-dev.ecf.xml") if own_file else put(good_run)
    result = subgate("check", path, *wrong)
    assert result.exit_code == 2
    assert wrong[1].partition("=")[0] in result.output


# -- parameters and conventions ----------------------------------------------------------------------------------


def test_an_unknown_parameter_suggests_the_nearest(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """Exit 2, "did you mean"."""
    result = subgate("check", put(good_run), "--set", "alow_missing_keywords=true")
    assert result.exit_code == 2
    assert "did you mean allow_missing_keywords?" in result.output


@pytest.mark.parametrize("setting", ["complete=1", "complete=", "complete=yes please"])
def test_a_parameter_of_the_wrong_type_is_exit_2(
    setting: str, put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """A switch is true or false."""
    result = subgate("check", put(good_run), "--set", setting)
    assert result.exit_code == 2
    assert "true or false" in result.output


def test_parameters_are_shown_in_the_report(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """What --set changed is in the JSON, next to the defaults."""
    path = put(good_run)
    result = subgate("check", path, "--set", "team=TeamA", "--set", "complete=TRUE", "--format", "json")
    shown = _submissions(result)[0]["parameters"]
    assert set(shown) == {parameter.name for parameter in load("openkws13").parameters}
    assert (shown["team"], shown["complete"]) == ("TeamA", True)
    assert (shown["allow_missing_keywords"], shown["collar"]) == (False, 0.5)


ONLY_TOOL = ('decision="NO"/>', 'decision="NO"/><?tool?>')
ONLY_PLAN = ('score="0.12"', 'score="NaN"')


@pytest.mark.parametrize(
    ("change", "law", "severities"),
    [
        (ONLY_TOOL, "tool", {"both": "error", "plan": "warning", "tool": "error"}),
        (ONLY_PLAN, "plan", {"both": "error", "plan": "error", "tool": "warning"}),
        (BROKEN, "both", {"both": "error", "plan": "error", "tool": "error"}),
    ],
    ids=["only the tool refuses", "only the plan forbids", "both"],
)
@pytest.mark.parametrize("conventions", ["both", "plan", "tool"])
def test_conventions_decide_severity_and_verdict(
    *,
    put: Callable[..., str],
    good_run: str,
    database: str,
    subgate: Callable[..., Result],
    change: tuple[str, str],
    law: str,
    severities: dict[str, str],
    conventions: str,
) -> None:
    """What only the other law forbids is a warning; both verdicts are told whatever --conventions says."""
    path = put(good_run.replace(*change))
    result = subgate("check", path, "--data", database, "--conventions", conventions, "--format", "json")
    (submission,) = _submissions(result)
    finding = next(finding for finding in submission["findings"] if finding["law"] == law)
    assert finding["severity"] == severities[conventions]
    rejecting = {name: "reject" if law in ("both", name) else "accept" for name in ("plan", "tool")}
    assert submission["verdicts"] == rejecting
    assert submission["conventions"] == conventions
    expected = "reject" if severities[conventions] == "error" else "accept"
    assert (submission["verdict"], result.exit_code) == (expected, int(expected == "reject"))


@pytest.mark.parametrize("conventions", ["both", "plan", "tool"])
def test_safety_rejects_under_every_convention(
    put: Callable[..., str],
    good_run: str,
    run_name: str,
    subgate: Callable[..., Result],
    conventions: str,
) -> None:
    """A link in a folder and a DOCTYPE are errors whoever decides."""
    path = put(good_run.replace("<kwslist", "<!DOCTYPE kwslist>\n<kwslist"), f"sub/{run_name}")
    Path("sub", _other_system(run_name)).symlink_to(Path(path).name)
    result = subgate("check", "sub", "--conventions", conventions, "--format", "json")
    safety = {f["rule"] for f in _submissions(result)[0]["findings"] if f["severity"] == "error"}
    assert {"GEN102", "XML202"} <= safety
    assert result.exit_code == 1


def test_under_the_plan_the_tools_refusal_is_told(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """The text says whose law a warning would break."""
    path = put(good_run.replace(*ONLY_TOOL))
    text = subgate("check", path, "--data", database, "--conventions", "plan").output
    assert "warning[KWS213" in text
    assert "F4DE 3.5.0 refuses this" in text
    assert "[plan: accept, F4DE 3.5.0: reject]" in text


# -- output files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["text", "json"])
def test_o_writes_what_would_be_printed(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result], style: str
) -> None:
    """The file has the report, standard output nothing, the exit code is the verdict's; an older file is replaced."""
    path = put(good_run.replace(*BROKEN))
    printed = subgate("check", path, "--data", database, "--format", style)
    Path("out.txt").write_text("old", encoding="utf-8")
    result = subgate("check", path, "--data", database, "--format", style, "-o", "out.txt")
    assert (result.output, result.exit_code) == ("", 1)
    assert Path("out.txt").read_text(encoding="utf-8") == printed.output
    assert sorted(each.name for each in Path().iterdir()) == [path, "out.txt"]


def test_o_into_a_missing_folder_is_exit_2(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """The call is wrong, not the submission."""
    result = subgate("check", put(good_run), "-o", "no-such-folder/out.txt")
    assert "no-such-folder/out.txt" in result.output
    assert result.exit_code == 2


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("older", [False, True], ids=["new", "older file"])
def test_o_leaves_nothing_behind_when_it_fails(
    *,
    put: Callable[..., str],
    tmp_path: Path,
    good_run: str,
    subgate: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    older: bool,
) -> None:
    """An older file stays as it was, no temporary file is left, and the exit code is no verdict's."""
    if older:
        put("old", "out.txt")
    path = put(good_run)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, step, full)
        if step == "replace":
            broken.setattr(Path, step, full)
            broken.setattr(os, "link", full)
        result = subgate("check", path, "-o", "out.txt")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert "No space left on device" in result.output
    assert result.exit_code not in (0, 1)


def test_o_writes_into_a_pipe_instead_of_replacing_it(
    put: Callable[..., str], tmp_path: Path, good_run: str, subgate: Callable[..., Result]
) -> None:
    """-o /dev/stdout or a named pipe is written to; a device must never be replaced by a file."""
    path, pipe = put(good_run), tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        result = subgate("check", path, "-o", str(pipe))
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert result.exit_code == 0
        assert b"ACCEPTED" in os.read(reader, 1 << 16)
    finally:
        os.close(reader)


# -- the other commands ------------------------------------------------------------------------------------------


def test_explain_takes_code_and_name_in_any_case(subgate: Callable[..., Result]) -> None:
    """All four print the same page, with every part of it."""
    pages = {subgate("explain", name).output for name in ("KWS304", "kws304", "missing-keyword", "Missing-Keyword")}
    assert len(pages) == 1
    page = pages.pop()
    for label in ("KWS304 missing-keyword", "why:", "bad:", "good:", "fix:", "NIST:", "cost:", "OpenKWS13 A.5"):
        assert label in page


def test_explain_suggests_the_nearest_rule(subgate: Callable[..., Result]) -> None:
    """A misspelt name exits 2 with the rule that was meant."""
    result = subgate("explain", "mising-keyword")
    assert (result.exit_code, "KWS304 missing-keyword" in result.output) == (2, True)


def test_rules_lists_each_rule_once(subgate: Callable[..., Result]) -> None:
    """A line each, sorted by code; with -e those of the evaluation only."""
    codes = [line.split()[0] for line in subgate("rules").output.splitlines()[1:]]
    assert codes == [rule.code for rule in all_rules()]
    own = [line.split()[0] for line in subgate("rules", "-e", "openkws13").output.splitlines()[1:]]
    assert set(own) < set(codes)
    assert "KWS451" not in own


def test_evaluations_lists_roles_and_parameters(subgate: Callable[..., Result]) -> None:
    """All evaluations, a line each; one with its roles and the parameters with their defaults."""
    listed = [line.split()[0] for line in subgate("evaluations").output.splitlines()]
    assert {"openkws12", "openkws13", "openkws14", "openkws15", "openkws16"} <= set(listed)
    page = subgate("evaluations", "openkws13").output
    for word in ("ecf", "kwlist", "team=", "complete=false", "allow_missing_keywords=false", "F4DE 3.5.0"):
        assert word in page


def test_version_and_help(subgate: Callable[..., Result]) -> None:
    """--version prints name and version; --help fits a screen and names every command."""
    assert subgate("--version").output.startswith("subgate, version ")
    page = subgate("--help").output
    assert len(page.splitlines()) <= 40
    for command in ("check", "explain", "rules", "evaluations"):
        assert f"  {command} " in page


def test_a_file_without_a_verb_names_the_likely_command(
    put: Callable[..., str], good_run: str, subgate: Callable[..., Result]
) -> None:
    """``subgate FILE`` exits 2 and says subgate check FILE."""
    result = subgate(put(good_run))
    assert (result.exit_code, "subgate check" in result.output) == (2, True)


def test_quiet_prints_the_closing_lines_only(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """-q: four lines, the last one the verdict."""
    path = put(good_run.replace(*BROKEN))
    lines = subgate("check", path, "--data", database, "-q").output.splitlines()
    assert [line.split()[0] for line in lines] == ["checked", "rules", "found", "REJECTED"]


def test_the_closing_lines_add_up(
    put: Callable[..., str], good_run: str, database: str, subgate: Callable[..., Result]
) -> None:
    """Rules that ran either passed or failed; errors and warnings are counted one by one and in groups."""
    text = good_run.replace('"41.00"', '"4l.00"').replace('search_time="0.80"', 'search_time="soon"')
    text = text.replace('decision="YES"', 'decision="yes"').replace('language="tagalog"', 'language="x"')
    _, rules, found, answer = subgate("check", put(text), "--data", database, "-q").output.splitlines()
    run, passed, failed = (int(number) for number in re.findall(r"(\d+) (?:run|passed|failed)", rules)[:3])
    assert (run, failed) == (passed + failed, 3)
    assert found == "found   3 errors in 2 groups, 1 warning"
    assert answer.split("  ")[:2] == ["REJECTED", "XML207 x2, XML208 x1"]


def test_many_submissions_are_told_apart(
    put: Callable[..., str], good_run: str, run_name: str, database: str, subgate: Callable[..., Result]
) -> None:
    """Each has its heading, and the last line counts them."""
    paths = [put(good_run), put(good_run.replace(*BROKEN), _other_system(run_name)), "nothing"]
    lines = subgate("check", *paths, "--data", database).output.splitlines()
    assert [line[3:] for line in lines if line.startswith("== ")] == paths
    assert lines[-1] == "3 submissions: 1 accepted, 1 rejected, 1 not judged"


def test_a_closed_pipe_ends_quietly(
    put: Callable[..., str], tmp_path: Path, good_run: str, process: Callable[..., CompletedProcess[bytes]]
) -> None:
    """``subgate check ... | head`` shows no traceback (the process's standard output is closed before it writes)."""
    read, write = os.pipe()
    os.close(read)
    result = process("check", put(good_run.replace(*BROKEN)), cwd=tmp_path, stdout=write)
    assert result.stderr == b""


# -- the last net ------------------------------------------------------------------------------------------------


def test_nobody_reads_a_traceback(monkeypatch: pytest.MonkeyPatch, subgate: Callable[..., Result]) -> None:
    """What no room expected ends with 3 and two lines."""

    def broken() -> tuple[Profile, ...]:
        raise RuntimeError("something \x1b[31m odd")

    monkeypatch.setattr("validator.profile.all_profiles", broken)
    result = subgate("evaluations")
    assert result.exit_code == 3
    assert result.output.splitlines() == [
        "FAILED  RuntimeError: something <U+001B>[31m odd",
        "This is a bug of subgate; please report it with this line and the command",
    ]
