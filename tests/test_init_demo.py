"""``init``: a skeleton whose check tells only what is left to fill in. ``demo``: examples that end as intended."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.uploads import DATABASE, Json, limited, submission, tree, write_files
from validator.bundled import evaluations, example_files, examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

YEARS = ["openkws12", "openkws13", "openkws14", "openkws15", "openkws16"]
each_year = pytest.mark.parametrize("evaluation", YEARS)
BLANK = "FILL-IN"
# What stands for a blank where FILL-IN would be a legal value or no legal file name.
NAME_BLANKS = {"YOUR-TEAM": "TeamA", "CORPUS": "babel106b-v0.2g", "p-YOUR-SYSTEM": "p-word"}
RUN = {
    "kwlist_filename": "babel106b-v0.2g_conv-dev.kwlist.xml",
    "language": "tagalog",
    "system_id": "word",
    "kwid": "KW106-00001",
    "search_time": "1.20",
    "oov_count": "0",
    "file": "BABEL_BP_106_10001_inLine",
    "tbeg": "3.10",
    "dur": "0.42",
    "score": "0.91",
    "decision": "YES",
}
SECOND_KEYWORD = """<detected_kwlist kwid="KW106-00002" search_time="0.80" oov_count="NA">
<kw file="BABEL_BP_106_10001_inLine" channel="1" tbeg="41.00" dur="0.40" score="0.12" decision="NO"/>
</detected_kwlist>
</kwslist>"""
FIGURES = {
    "Ingestion Elapsed Time": "10:20:30",
    "Ingestion Total CPU Time": "130:10:05.5",
    "Ingestion Maximum CPU Memory": "24",
    "Search Elapsed Time": "00:12:41",
    "Search Total CPU Time": "01:30:00",
    "Search Maximum CPU Memory": "6.5",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_these_are_all_years() -> None:
    """A new year of keyword search is tested here, too."""
    assert sorted(name for name in evaluations() if name.startswith("openkws")) == YEARS


# -- init --------------------------------------------------------------------------------------------------------


@each_year
def test_the_skeleton_has_every_part(evaluation: str, here: Path, subgate: Callable[..., Result]) -> None:
    """A run under a name with all fields, and a description with all headings and lines of the year."""
    result = subgate("init", "-e", evaluation, "sub")
    assert result.exit_code == 0
    files = {name: content.decode() for name, content in tree(here / "sub").items()}
    assert all(f"wrote sub/{name}\n" in result.output for name in files)
    assert f"subgate check -e {evaluation} sub" in result.output
    (run,) = (name for name in files if name.endswith(".kwslist.xml"))
    assert run.startswith(f"KWS{evaluation[-2:]}_")
    text = files["description.txt"]
    if evaluation in ("openkws12", "openkws13"):
        for heading in (
            "1 Experiment Identifier(s)",
            "2 System Description",
            "3.1 Decoding and Indexing",
            "3.2 Search",
        ):
            assert f"Section {heading}\n" in text
        assert run.removesuffix(".kwslist.xml") in text.splitlines()
    else:
        assert all(f"{figure} - {BLANK}\n" in text for figure in FIGURES)
        assert re.search(r"^BaseLR\{.*\}:AM\{.*\},LM\{.*\},PRON\{.*\},AR\{.*\}$", text, re.MULTILINE)


def _about_a_blank(finding: Json, files: dict[str, str]) -> bool:
    """Tell whether a finding points at something that init left blank: FILL-IN, or a field of the name."""
    if finding["line"] is None:
        return any(blank in finding["message"] for blank in NAME_BLANKS)
    line = files[finding["path"].removeprefix("sub/")].splitlines()[finding["line"] - 1]
    return BLANK in line[finding["column"] - 1 :]


@each_year
@pytest.mark.parametrize("data", [(), ("--data", str(DATABASE))], ids=["without-data", "with-data"])
def test_check_tells_only_what_is_left_to_fill_in(
    *, evaluation: str, data: tuple[str, ...], here: Path, subgate: Callable[..., Result]
) -> None:
    """Every finding that is shown points at a blank; no heading or line that is there is called missing."""
    assert subgate("init", "-e", evaluation, "sub").exit_code == 0
    files = {name: content.decode() for name, content in tree(here / "sub").items()}
    result = subgate("check", "sub", *data, "--format", "json")
    report = submission(result.output)
    assert (result.exit_code, report["error"], report["evaluation"]) == (1, None, evaluation)
    shown = [finding for finding in report["findings"] if finding["caused_by"] is None]
    if data:  # what the keyword list asks for is left to be filled in, too: a keyword for each of its entries
        shown = [finding for finding in shown if finding["rule"] not in ("KWS301", "KWS303", "KWS304", "KWS612")]
    assert [finding["message"] for finding in shown if not _about_a_blank(finding, files)] == []
    # Nothing that is blank is passed over in silence: as many blanks as findings, group by group.
    told = {(finding["path"], finding["line"]) for finding in report["findings"]}
    for name, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if BLANK in line and "<!--" not in line:
                assert (f"sub/{name}", number) in told


def _filled(name: str, text: str) -> tuple[str, str]:
    """Fill a file of the skeleton in, blank by blank, as a careful participant would."""
    for blank, value in NAME_BLANKS.items():
        name, text = name.replace(f"_{blank}_", f"_{value}_"), text.replace(f"_{blank}_", f"_{value}_")
    for attribute, value in RUN.items():
        text = text.replace(f'{attribute}="{BLANK}"', f'{attribute}="{value}"')
    text = re.sub(r"<!--.*?-->\n", "", text).replace("</kwslist>", SECOND_KEYWORD)
    for figure, value in FIGURES.items():
        text = text.replace(f"{figure} - {BLANK}", f"{figure} - {value}")
    text = text.replace(f"Contact: {BLANK} (name and e-mail address)", "Contact: evaluation desk, desk@example.org")
    step = f"- {BLANK} (step) - {BLANK} (hardware) - {BLANK} hours"
    text = text.replace(step, "- Indexing - Castor (1 node) - 1.4 hours")
    return name, text.replace(f"{{{BLANK}}}", "{106FullLP}").replace(BLANK, "Nothing beyond the build pack")


@each_year
def test_a_skeleton_that_is_filled_in_is_accepted_and_packed(
    evaluation: str, here: Path, subgate: Callable[..., Result]
) -> None:
    """init, edit, check, pack, verify: without a single finding, for each year."""
    subgate("init", "-e", evaluation, "sub")
    files = dict(_filled(name, content.decode()) for name, content in tree(here / "sub").items())
    assert not any(BLANK in text for text in files.values())
    write_files(here / "mine", {name: text.encode() for name, text in files.items()})
    arguments = ("mine", "--data", str(DATABASE), "--set", "require_description=true")
    result = subgate("check", *arguments, "--format", "json")
    report = submission(result.output)
    assert (report["findings"], report["verdict"], result.exit_code) == ([], "accept", 0)
    assert subgate("pack", *arguments, "-o", "out").exit_code == 0
    (archive,) = (here / "out").glob("*.tgz")
    assert subgate("verify", str(archive)).exit_code == 0
    with tarfile.open(archive) as tar:
        assert tar.getnames() == [f"{archive.name[:-4]}.kwslist.xml", "SystemDescription/description.txt"]


@each_year
def test_half_filled_in_is_not_accepted(evaluation: str, here: Path, subgate: Callable[..., Result]) -> None:
    """One blank that is left, in whichever line, rejects: no skeleton gets through by oversight."""
    subgate("init", "-e", evaluation, "sub")
    files = dict(_filled(name, content.decode()) for name, content in tree(here / "sub").items())
    text = files["description.txt"]
    for number, line in enumerate(text.splitlines()):
        if line and not line.startswith(("Section", f"KWS{evaluation[-2:]}")):
            lines = text.splitlines()
            lines[number] = f"{line} {BLANK}"
            spoiled = files | {"description.txt": "\n".join(lines)}
            write_files(here / "mine", {name: content.encode() for name, content in spoiled.items()})
            assert subgate("check", "mine", "--data", str(DATABASE)).exit_code == 1


def test_init_never_overwrites(here: Path, subgate: Callable[..., Result]) -> None:
    """One of the files is there: exit 2 with its name, it is untouched, and none of the others is written."""
    subgate("init", "-e", "openkws13", "model")
    names = list(tree(here / "model"))
    assert len(names) == 2
    for name in names:
        folder = write_files(here / f"with-{name[:3]}", {name: b"mine"})
        result = subgate("init", "-e", "openkws13", str(folder))
        assert (result.exit_code, name in result.output) == (2, True)
        assert tree(folder) == {name: b"mine"}
    before = tree(here / "model")
    assert subgate("init", "-e", "openkws13", "model").exit_code == 2
    assert tree(here / "model") == before


def test_init_does_not_write_through_a_link(here: Path, subgate: Callable[..., Result]) -> None:
    """A dangling link of a file's name is something that is there: what it points at is not made."""
    (here / "sub").mkdir()
    (here / "sub" / "description.txt").symlink_to(here / "elsewhere")
    assert subgate("init", "-e", "openkws13", "sub").exit_code == 2
    assert not (here / "elsewhere").exists()
    assert [path.name for path in (here / "sub").iterdir()] == ["description.txt"]


def test_init_goes_into_a_folder_with_other_files(here: Path, subgate: Callable[..., Result]) -> None:
    """What has another name stays and does no harm; missing folders are made."""
    write_files(here / "deep" / "down", {"notes.md": b"mine"})
    assert subgate("init", "-e", "openkws13", "deep/down").exit_code == 0
    assert subgate("init", "-e", "openkws13", "some/where/else").exit_code == 0
    assert tree(here / "deep" / "down")["notes.md"] == b"mine"
    assert len(tree(here / "some" / "where" / "else")) == 2


@pytest.mark.parametrize(
    "arguments", [("-e", "openkws99", "sub"), ("sub",), ("-e", "openkws13"), ("-e", "openkws13", "file")]
)
def test_a_wrong_call_of_init_writes_nothing(
    arguments: tuple[str, ...], here: Path, subgate: Callable[..., Result]
) -> None:
    """Exit 2 for an unknown evaluation (with a guess), a missing argument, a file where the folder should be."""
    write_files(here, {"file": b"mine"})
    result = subgate("init", *arguments)
    assert (result.exit_code, "Error: " in result.output) == (2, True)
    assert tree(here) == {"file": b"mine"}


def test_init_tells_where_it_could_not_write(tmp_path: Path) -> None:
    """A folder without permission to write: exit 2, no traceback."""
    (tmp_path / "locked").mkdir(mode=0o500)
    result = limited("init", "-e", "openkws13", "locked/sub", cwd=tmp_path, as_root=False)
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr
    assert b"Permission denied" in result.stderr


# -- demo --------------------------------------------------------------------------------------------------------


def test_demo_ends_as_intended_also_the_second_time(here: Path, subgate: Callable[..., Result]) -> None:
    """Exit 0 twice, with the same text and the same files: a rejected example and a packed one."""
    first = subgate("demo", "show")
    before = tree(here / "show")
    second = subgate("demo", "show")
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert second.output == first.output
    assert tree(here / "show") == before
    for name in examples():
        (archive,) = (here / "show" / name / "upload").glob("*.tgz")
        assert subgate("verify", str(archive)).exit_code == 0
        for which, code in (("good", 0), ("bad", 1)):
            place = here / "show" / name
            result = subgate("check", str(place / which), "-e", name, "--data", str(place / "database"))
            assert result.exit_code == code


def test_demo_of_one_evaluation(here: Path, subgate: Callable[..., Result]) -> None:
    """-e shows the examples of one evaluation; an unknown one is exit 2 with those that there are."""
    assert subgate("demo", "show", "-e", "openkws13").exit_code == 0
    assert [path.name for path in (here / "show").iterdir()] == ["openkws13"]
    result = subgate("demo", "show", "-e", "openkws99")
    assert (result.exit_code, "openkws13" in result.output) == (2, True)


def test_demo_without_a_folder_makes_one(here: Path, subgate: Callable[..., Result]) -> None:
    """Left out, DIR is subgate-demo in the working directory, and the text says so."""
    result = subgate("demo", "-e", "openkws13")
    assert result.exit_code == 0
    assert [path.name for path in here.iterdir()] == ["subgate-demo"]
    assert "subgate-demo" in result.output.splitlines()[-1]


@pytest.mark.parametrize("evaluation", evaluations())
def test_every_evaluation_has_a_good_and_a_bad_example(evaluation: str) -> None:
    """One good and one instructive bad one for each evaluation that is there."""
    assert evaluation in examples()
    folders = {name.split("/")[0] for name, _ in example_files(evaluation)}
    assert {"good", "bad", "database"} <= folders


PROMISED = {
    "med12": {"a task that does not exist": "MED112", "the header of MED11": "MED220"},
    "med13": {"a number of examples that does not exist": "MED112", "differs from event to event": "MED418"},
    "med14": {"without ranks": "MED220"},
    "med15": {"a column under another name": "MED220"},
    "med16": {"both the first": "MED422"},
    "med17": {"a name from the year before": "MED112", "a trial without a rank": "MED303"},
    "openkws12": {"a task of the year after": "KWS112", "small letters": "XML208", "without a unit": "KWS606"},
    "openkws14": {"the fields of the year before": "KWS110", "without its data definition": "KWS611"},
    "openkws15": {"a dash": "KWS613", "a resource that the table does not have": "KWS612"},
    "openkws16": {"stands there twice": "KWS401", "a figure that is missing": "KWS613"},
    "std2006": {"a misspelt term id": "SWS303"},
    "sws2012": {"a decimal comma": "XML207", "neither YES nor NO": "XML208"},
    "openkws13": {
        "a value in the EXPID that does not exist": "KWS112",
        "decimal commas": "XML207",
        "a detection that ends behind its recording": "KWS403",
        "a recording that was never given out": "KWS402",
        "a score that is not a number": "KWS412",
        "misspelt keyword id": "KWS303",
        "description without contact": "KWS605",
        "without its search section": "KWS602",
    },
    "lre12": {
        "a line without its OOS placeholder": "LRE202",
        "a decimal comma": "LRE205",
        "nan": "LRE206",
        "a code in small letters": "LRE401",
        "a misspelt segment": "LRE301",
        "one with .wav": "LRE304",
        "one that is missing": "LRE302",
        "one that is there twice": "LRE303",
        "tabs": "LRE207",
        "a contrastive system without a primary one": "LRE502",
        "a PDF that is none": "PDF601",
    },
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("evaluation", PROMISED)
def test_the_bad_example_shows_what_its_story_promises(evaluation: str, subgate: Callable[..., Result]) -> None:
    """Each fault that the text tells to look for is a finding."""
    _, bad, _ = subgate("demo", "show", "-e", evaluation).output.split("=" * 100)
    told, _, report = bad.partition(f"$ subgate check show/{evaluation}/bad")
    for words, code in PROMISED[evaluation].items():
        assert words in " ".join(told.split())
        assert f"[{code} " in report


@pytest.mark.usefixtures("here")
def test_the_commands_that_demo_shows_are_true(subgate: Callable[..., Result]) -> None:
    """The lines after $ can be typed: they give the report that stands below them."""
    output = subgate("demo", "show").output
    lines = [line.removeprefix("$ subgate ").split() for line in output.splitlines() if line.startswith("$ subgate ")]
    assert len(lines) == 2 * len(examples())
    for line in lines:
        result = subgate(*line)
        assert result.output.partition("checked ")[0] in output
        assert result.exit_code == (1 if line[0] == "check" else 0)


def test_demo_does_not_overwrite_what_was_changed(here: Path, subgate: Callable[..., Result]) -> None:
    """A changed example is somebody's work: exit 2 with its name, and it stays."""
    subgate("demo", "show", "-e", "openkws13")
    for name in sorted(tree(here / "show")):
        path = here / "show" / name
        if path.is_dir() or "/upload/" in name:
            continue
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        result = subgate("demo", "show", "-e", "openkws13")
        assert (result.exit_code, path.name in result.output) == (2, True)
        assert path.read_bytes() == content + b"\n"
        path.write_bytes(content)
    assert subgate("demo", "show", "-e", "openkws13").exit_code == 0


def test_demo_repairs_what_was_deleted(here: Path, subgate: Callable[..., Result]) -> None:
    """A file that is not there is no changed one."""
    subgate("demo", "show", "-e", "openkws13")
    before = tree(here / "show")
    for name in before:
        if name.endswith("description.txt"):
            (here / "show" / name).unlink()
    assert subgate("demo", "show", "-e", "openkws13").exit_code == 0
    assert tree(here / "show") == before


def test_demo_tells_where_it_could_not_write(tmp_path: Path) -> None:
    """A file in its way or a folder without permission: exit 2, no traceback."""
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "locked").mkdir(mode=0o500)
    for place in ("file", "file/show", "locked/show"):
        result = limited("demo", place, cwd=tmp_path, as_root=False)
        assert result.returncode == 2
        assert b"Traceback" not in result.stderr


# -- the README --------------------------------------------------------------------------------------------------


def test_the_readme_tells_the_way_as_it_is(here: Path, subgate: Callable[..., Result]) -> None:
    """The block "From an empty folder to an upload", typed line by line: init, fill in, check, pack, verify."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    block = readme.partition("## From an empty folder to an upload")[2].partition("```sh\n")[2].partition("```")[0]
    lines = [line.partition("#")[0].split()[1:] for line in block.splitlines() if line.startswith("subgate ")]
    assert [line[0] for line in lines] == ["init", "check", "pack", "verify"]
    write_files(here / "IndusDB", tree(DATABASE))
    init, check, pack, verify = lines
    assert subgate(*init).exit_code == 0
    assert subgate(*check).exit_code == 1
    for path in sorted((here / "sub").iterdir()):
        name, text = _filled(path.name, path.read_text(encoding="utf-8"))
        path.unlink()
        (here / "sub" / name).write_text(text, encoding="utf-8")
    assert subgate(*check).exit_code == 0
    result = subgate(*pack, "--format", "json")
    (package,) = submission(result.output)["packages"]
    expid = Path(package["path"]).name.removesuffix(".tgz")
    assert subgate(*(word.replace("<EXPID>", expid) for word in verify)).exit_code == 0
    assert json.loads((here / "out" / f"{expid}.tgz.receipt.json").read_bytes())["predicate"]["verdict"] == "accept"


def test_the_first_command_of_the_readme_is_demo() -> None:
    """A new user's first command shows what the tool does."""
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"(?:^|/)subgate (\w+)", readme, re.MULTILINE)
    assert commands[0] == "demo"
