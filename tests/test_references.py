"""What the organizers gave out: which file belongs to a run, and database folders that cannot be used."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from validator.errors import ReferenceDataError, UsageError
from validator.profile import DataRole, load
from validator.references import Choice, parse_data

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.testing import Result

DATABASE = Path(__file__).parent / "golden" / "kws-submissions" / "indusdb"
PROFILE = load("openkws13")
DEV = {"CORPUS": "babel106b-v0.2g", "PARTITION": "conv-dev"}


def role(name: str) -> DataRole:
    """Return a role of the evaluation."""
    found = PROFILE.data_role(name)
    assert found is not None
    return found


def choice(
    options: Sequence[str | Path], name: str, fields: dict[str, str] | None = None, named: str | None = None
) -> Choice:
    """Choose a file as a check does."""
    references = parse_data([str(option) for option in options], PROFILE)
    return references.choose(role(name), PROFILE, DEV if fields is None else fields, named)


def chosen(found: Choice) -> str:
    """Return the base name of the file that was chosen."""
    assert found.source is not None
    return found.source.path.name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a small database folder."""
    for stem in ("c1_conv-dev", "c1_conv-eval"):
        for suffix in (".ecf.xml", ".kwlist.xml", ".kwlist2.xml"):
            (tmp_path / f"{stem}{suffix}").write_text("<x/>")
    return tmp_path


# -- database folders ----------------------------------------------------------------------------------------------


def test_the_fields_choose_in_a_database_folder() -> None:
    """Corpus and partition make the name."""
    found = choice([DATABASE], "ecf")
    assert (chosen(found), found.from_database, found.absent) == ("babel106b-v0.2g_conv-dev.ecf.xml", True, "")
    other = choice([DATABASE], "ecf", {**DEV, "PARTITION": "conv-evalpart1"})
    assert chosen(other) == "babel106b-v0.2g_conv-evalpart1.ecf.xml"


def test_the_run_names_its_kwlist_in_a_database_folder() -> None:
    """Whatever corpus and partition say; only the top level is looked at."""
    for name in ("babel106b-v0.2g_conv-dev.kwlist2.xml", "babel106b-v0.2g_conv-eval.kwlist.xml"):
        assert chosen(choice([DATABASE], "kwlist", named=name)) == name
    assert choice([DATABASE], "kwlist", named="babel106b-v0.2g_conv-dev.annot.kwlist.xml").source is None


def test_what_a_database_folder_does_not_have_is_said() -> None:
    """With the nearest name, if there is one."""
    found = choice([DATABASE], "kwlist", named="babel106b-v0.2g_conv-dev.kwlist3.xml")
    assert found.source is None
    assert found.absent.startswith("babel106b-v0.2g_conv-dev.kwlist3.xml; did you mean babel106b-v0.2g_conv-dev.kwlist")
    assert choice([DATABASE], "ecf", {"CORPUS": "qqq", "PARTITION": "zzz"}).absent == "qqq_zzz"
    assert choice([DATABASE], "ecf", {}).source is None


def test_the_later_of_two_database_folders_wins(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """As in NIST's checker."""
    second = tmp_path_factory.mktemp("second")
    for suffix in (".ecf.xml", ".kwlist.xml"):
        (second / f"c1_conv-dev{suffix}").write_text("<y/>")
    fields = {"CORPUS": "c1", "PARTITION": "conv-dev"}
    for options, wanted in (([folder, second], second), ([second, folder], folder)):
        found = choice(options, "ecf", fields)
        assert found.source is not None
        assert found.source.path.parent == wanted
    assert chosen(choice([folder, second], "ecf", {**fields, "PARTITION": "conv-eval"})) == "c1_conv-eval.ecf.xml"


def test_suffixes_are_found_in_any_letter_case(folder: Path) -> None:
    """NIST's checker does, too."""
    (folder / "c1_conv-dev.ecf.xml").rename(folder / "c1_conv-dev.ECF.xml")
    assert chosen(choice([folder], "ecf", {"CORPUS": "c1", "PARTITION": "conv-dev"})) == "c1_conv-dev.ECF.xml"


@pytest.mark.parametrize("odd", ["c1-conv-dev.ecf.xml", "c_1_conv-dev.kwlist.xml", "notes.kwlist.xml"])
def test_an_odd_name_breaks_a_database_folder(folder: Path, odd: str) -> None:
    """One file whose name does not split into corpus and partition stops everything, and is named."""
    (folder / odd).write_text("<x/>")
    with pytest.raises(ReferenceDataError, match=f"{odd}.*<CORPUS>_<PARTITION>"):
        choice([folder], "ecf", {"CORPUS": "c1", "PARTITION": "conv-dev"})


def test_an_ecf_without_its_kwlist_breaks_a_database_folder(folder: Path) -> None:
    """Also for a pair that the run does not use."""
    (folder / "c2_conv-dev.ecf.xml").write_text("<x/>")
    with pytest.raises(ReferenceDataError, match="c2_conv-dev without its kwlist"):
        choice([folder], "ecf", {"CORPUS": "c1", "PARTITION": "conv-dev"})


def test_a_kwlist_without_its_ecf_breaks_a_database_folder(folder: Path) -> None:
    """The reverse holds as well."""
    (folder / "c2_conv-eval.kwlist3.xml").write_text("<x/>")
    with pytest.raises(ReferenceDataError, match="c2_conv-eval without its ecf"):
        choice([folder], "kwlist", {"CORPUS": "c1", "PARTITION": "conv-dev"})


def test_other_files_do_not_disturb_a_database_folder(folder: Path) -> None:
    """Nor do subfolders."""
    (folder / "README").write_text("hello")
    (folder / "more.ecf.xml").mkdir()
    assert chosen(choice([folder], "ecf", {"CORPUS": "c1", "PARTITION": "conv-dev"})) == "c1_conv-dev.ecf.xml"


# -- other folders and files ---------------------------------------------------------------------------------------


def test_a_folder_with_one_file_of_a_kind_needs_no_names(tmp_path: Path) -> None:
    """It is no database: what is there is taken."""
    (tmp_path / "my.ecf.xml").write_text("<x/>")
    (tmp_path / "my.kwlist.xml").write_text("<x/>")
    found = choice([tmp_path], "ecf")
    assert (chosen(found), found.from_database) == ("my.ecf.xml", False)
    assert chosen(choice([tmp_path], "kwlist", named="other.kwlist.xml")) == "my.kwlist.xml"


def test_two_files_for_one_role_are_a_usage_error(tmp_path: Path) -> None:
    """Both are named, and the way out; unless the run itself says which one it was made with."""
    for name in ("a.kwlist.xml", "b.kwlist.xml"):
        (tmp_path / name).write_text("<x/>")
    with pytest.raises(
        UsageError, match=r"two files for the role kwlist: .*a\.kwlist.* and .*b\.kwlist.*--data kwlist=FILE"
    ):
        choice([tmp_path], "kwlist", named="c.kwlist.xml")
    with pytest.raises(UsageError, match="two files for the role kwlist"):
        choice([tmp_path / "a.kwlist.xml", tmp_path / "b.kwlist.xml"], "kwlist")
    assert chosen(choice([tmp_path], "kwlist", named="b.kwlist.xml")) == "b.kwlist.xml"


def test_an_explicit_role_wins(tmp_path: Path, folder: Path) -> None:
    """Whatever the file is called, and whatever else is there."""
    mine = tmp_path / "anything.bin"
    mine.write_text("<x/>")
    found = choice([folder, f"ecf={mine}"], "ecf", {"CORPUS": "c1", "PARTITION": "conv-dev"})
    assert (chosen(found), found.from_database) == ("anything.bin", False)
    assert choice([f"ecf={mine}"], "kwlist").source is None


def test_a_file_is_recognised_by_its_name(tmp_path: Path) -> None:
    """Without a role."""
    for name in ("a.ecf.xml", "a.kwlist.xml"):
        (tmp_path / name).write_text("<x/>")
    options: list[str | Path] = [tmp_path / "a.ecf.xml", tmp_path / "a.kwlist.xml"]
    assert [chosen(choice(options, name)) for name in ("ecf", "kwlist")] == ["a.ecf.xml", "a.kwlist.xml"]


def test_without_data_there_is_nothing() -> None:
    """Not even something absent: the checks that need it are skipped."""
    assert choice([], "ecf") == Choice()


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    """A misspelt role gets a suggestion; one that resembles nothing gets the list."""
    with pytest.raises(UsageError, match="no such file"):
        choice([tmp_path / "gone"], "ecf")
    (tmp_path / "a.xml").write_text("<x/>")
    with pytest.raises(UsageError, match="did you mean ecf="):
        choice([f"efc={tmp_path / 'a.xml'}"], "ecf")
    with pytest.raises(UsageError, match=r"roles are .*ecf.*kwlist"):
        choice([f"zzzzzz={tmp_path / 'a.xml'}"], "ecf")


def test_a_file_name_may_hold_an_equals_sign(tmp_path: Path) -> None:
    """What is before it is a role only if the evaluation has it."""
    path = tmp_path / "a=b.ecf.xml"
    path.write_text("<x/>")
    assert chosen(choice([path], "ecf")) == "a=b.ecf.xml"


def test_a_folder_without_any_known_name_is_a_wrong_call(tmp_path: Path) -> None:
    """A run would be accepted without having been compared with anything."""
    (tmp_path / "notes.md").write_text("empty")
    with pytest.raises(UsageError, match="no file of this folder"):
        parse_data([str(tmp_path)], load("openkws13"))


def test_a_folder_of_another_evaluation_is_no_wrong_call(tmp_path: Path) -> None:
    """One call may check submissions to several; a folder that is given twice is one folder."""
    (tmp_path / "seg.ndx").write_text("")
    assert parse_data([str(tmp_path), str(tmp_path)], load("openkws13")).folders == (tmp_path,)


@pytest.mark.parametrize(("needed", "status"), [("true", 2), ("false", 0)])
def test_descriptions_need_the_table_of_resources(
    tmp_path: Path, subgate: Callable[..., Result], needed: str, status: int
) -> None:
    """From KWS14 on a database folder without DataDefs.tsv cannot be used where a description is required."""
    database = tmp_path / "database"
    shutil.copytree(DATABASE, database, ignore=shutil.ignore_patterns("DataDefs.tsv"))
    (source,) = (DATABASE.parent / "01-valid-kws-primary").glob("*.kwslist.xml")
    run = tmp_path / "KWS14_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_p-word_1.kwslist.xml"
    shutil.copyfile(source, run)
    result = subgate("check", str(run), "--data", str(database), "--set", f"require_description={needed}")
    assert result.exit_code == status
    assert ("DataDefs.tsv" in result.output) == (status == 2)
