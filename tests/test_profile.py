"""Profiles: all bundled ones load, and a mistake in one is an error that names it."""

from __future__ import annotations

import itertools
import re

import pytest

from validator import profile
from validator.bundled import evaluations, profile_text
from validator.errors import ProfileError, UsageError
from validator.formats import ebnf
from validator.model import Law, Severity
from validator.profile import Parameter, Profile, load

YEARS = ("openkws12", "openkws13", "openkws14", "openkws15", "openkws16")
BASE = profile_text("openkws13")
_names = itertools.count()


def loaded(text: str, monkeypatch: pytest.MonkeyPatch) -> Profile:
    """Load a profile of our own, under a name that nothing has cached."""
    name = f"test{next(_names)}"
    monkeypatch.setattr(profile, "evaluations", lambda: (*evaluations(), name))
    monkeypatch.setattr(profile, "profile_text", lambda asked: text if asked == name else profile_text(asked))
    return load.__wrapped__(name)


# -- the bundled ones ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", YEARS)
def test_a_year_of_keyword_search_loads(name: str) -> None:
    """With its grammar, its own tag to be recognised by, and the organizers' files."""
    found = load(name)
    year = name.removeprefix("openkws")
    assert (found.name, found.official_tool, found.unit) == (name, "F4DE 3.5.0", "detections")
    assert re.match(found.recognise, f"KWS{year}_TeamA_x.kwslist.xml")
    assert not any(re.match(found.recognise, f"KWS{other[-2:]}_TeamA") for other in YEARS if other != name)
    for law in (Law.PLAN, Law.TOOL):
        grammar = ebnf.load(found.grammar, found.start, law)
        named = {found.primaries.system, found.primaries.version, *found.primaries.unique_per}
        assert named | set(found.primaries.condition) <= set(grammar.fields)
        assert all(role.suffix in grammar.rules for role in found.files)
        assert {field for field, _ in found.primaries.mandatory} <= set(grammar.fields)
    for role, names in (("ecf", "a_conv-dev.ecf.xml"), ("kwlist", "a_conv-dev.kwlist2.xml")):
        known = found.data_role(role)
        assert known is not None
        assert re.search(f"(?:{known.suffix})$", names)
    assert found.data_role("nonsense") is None


@pytest.mark.parametrize("name", YEARS)
def test_partitions_and_scoring_cases_are_those_of_the_grammar(name: str) -> None:
    """The table of what may be submitted names every partition, and nothing that cannot be written."""
    found = load(name)
    grammar = ebnf.load(found.grammar, found.start, Law.PLAN)
    assert {partition for partition, _ in found.authorised} == set(grammar.rule("PARTITION").values)
    assert all(set(cases) <= set(grammar.rule("SCASE").values) for _, cases in found.authorised)


@pytest.mark.parametrize("name", YEARS)
def test_every_task_has_a_file(name: str) -> None:
    """And each file role serves tasks that exist."""
    found = load(name)
    tasks = set(ebnf.load(found.grammar, found.start, Law.PLAN).rule("TASK").values)
    assert {task for role in found.files for task in role.tasks} == tasks


def test_the_mandatory_run_of_the_plan() -> None:
    """OpenKWS13 3.1.4: full language pack, base resources, no test audio reuse."""
    assert dict(load("openkws13").primaries.mandatory) == {
        "TASK": "KWS",
        "LP": "FullLP",
        "LR": "BaseLR",
        "AUD": "NTAR",
    }


def test_all_profiles_are_the_bundled_ones() -> None:
    """Each under its own name."""
    assert {found.name for found in profile.all_profiles()} == set(evaluations()) >= set(YEARS)


# -- what a user can get wrong -------------------------------------------------------------------------------------


def test_an_unknown_evaluation_is_a_usage_error_with_a_suggestion() -> None:
    """Or with the list, where nothing is near."""
    with pytest.raises(UsageError, match=r"no evaluation openksw13: did you mean openkws13\?"):
        load("openksw13")
    with pytest.raises(UsageError, match=r"did you mean openkws13\?"):
        load("OpenKWS13")
    with pytest.raises(UsageError, match=r"there are .*openkws12, openkws13"):
        load("zzz")


def test_an_unknown_parameter_is_a_usage_error_with_a_suggestion() -> None:
    """Or with the list."""
    with pytest.raises(UsageError, match=r"openkws13 has no parameter tema: did you mean team\?"):
        load("openkws13").values({"tema": "x"})
    with pytest.raises(UsageError, match=r"it has .*team"):
        load("openkws13").values({"zzz": "x"})


def test_parameters_have_defaults_and_take_what_is_set() -> None:
    """Only what was set changes."""
    values = load("openkws13").values({"complete": "TRUE", "team": "false"})
    assert (values["complete"], values["team"]) == (True, "false")
    assert load("openkws13").values({})["complete"] is False


@pytest.mark.parametrize(
    ("default", "text", "wanted"),
    [(False, "true", True), (True, "False", False), (1.0, "2.5", 2.5), (1.0, "1e3", 1000.0), ("", "a=b", "a=b")],
)
def test_a_parameter_is_read_as_its_default_is(default: bool | float | str, text: str, wanted: object) -> None:  # noqa: FBT001 - data
    """True or false, a number, or a text."""
    found = Parameter("p", default, "").parse(text)
    assert (found, type(found)) == (wanted, type(wanted))


@pytest.mark.parametrize(("default", "text"), [(False, "yes"), (False, ""), (True, "1"), (1.0, "x"), (1.0, "")])
def test_a_parameter_of_another_type_is_a_usage_error(default: bool | float, text: str) -> None:  # noqa: FBT001 - data
    """The message repeats what was written."""
    with pytest.raises(UsageError, match=f"--set p={text}: "):
        Parameter("p", default, "").parse(text)


# -- what we can get wrong -----------------------------------------------------------------------------------------


def test_a_profile_of_our_own_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests below spoil this one."""
    assert loaded(BASE, monkeypatch).title == load("openkws13").title


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "', 'titel = "', "title is missing"),
        ('unit = "detections"', 'unit = "detections"\nsurprise = 1', "unknown key surprise"),
        ('unit = "detections"', "unit = 7", "unit must be a text"),
        ('tasks = ["KWS"]', 'tasks = "KWS"', "tasks must be a list of texts"),
        ('tasks = ["KWS"]', "tasks = [7]", "tasks must be a list of texts"),
        ('tasks = ["KWS"]', 'tasks = ["KWS"]\nsurprise = 1', "files: unknown key surprise"),
        ('role = "run"', "rolle = 1", "role is missing"),
        ("[data.ecf]", "[data.ecf]\nsurprise = 1", "data.ecf: unknown key surprise"),
        ("named_by_run = true", "named_by_run = 1", "named_by_run must be true or false"),
        ("[primaries]", "[primaries]\nsurprise = 1", "primaries: unknown key surprise"),
        ('unused = { STT = "AUD" }', "unused = 7", "unused must be a table"),
        ('prefix = "p-"', "", "prefix is missing"),
        ("complete = { default = false", "complete = { default = [7]", "default must be"),
        ("complete = { default = false", "complete = { default = false, more = 1", "unknown key more"),
        ("[parameters]", "[parameters]\nodd = 7", "odd must be a table"),
        ("[authorised]", "[authorised]\nodd = 7", "odd must be a list of texts"),
    ],
)
def test_a_mistake_in_a_profile_is_a_profile_error(
    old: str, new: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown key, missing key, wrong type: the message says where and what."""
    assert old in BASE
    with pytest.raises(ProfileError, match=re.escape(message)):
        loaded(BASE.replace(old, new, 1), monkeypatch)


@pytest.mark.parametrize("files", ["7", '["run"]'])
def test_files_that_are_no_tables_are_a_profile_error(files: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are an array of tables."""
    others = re.sub(r"^\[\[files\]\]\n(?:[a-z].*\n)+", "", BASE, flags=re.MULTILINE)
    with pytest.raises(ProfileError, match="files must be an array of tables"):
        loaded(f"files = {files}\n{others}", monkeypatch)


def test_severities_can_be_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    """For both laws at once."""
    found = loaded(f'{BASE}\n[severities.XML209]\nplan = "warning"\ntool = "ok"\n', monkeypatch)
    assert found.severities == (("XML209", (Severity.WARNING, Severity.OK)),)


@pytest.mark.parametrize(
    "tail",
    [
        '\n[severities.XML209]\nplan = "fatal"\ntool = "ok"\n',
        '\n[severities.XML209]\nplan = "ok"\n',
        "\n[severities.XML209]\nplan = 3\ntool = 3\n",
    ],
)
def test_a_severity_that_does_not_exist_is_a_profile_error(tail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only error, warning, info and ok do."""
    with pytest.raises(ProfileError):
        loaded(BASE + tail, monkeypatch)


@pytest.mark.parametrize("text", ["title = ", "a = 1\na = 2\n", "[x\n"])
def test_a_profile_that_is_no_toml_is_a_profile_error(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every error that we make on purpose is one of the house."""
    with pytest.raises(ProfileError):
        loaded(text, monkeypatch)


def test_a_profile_may_extend_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says replaces what it inherits; data and parameters grow."""
    found = loaded(
        'extends = "openkws13"\ntitle = "mine"\n[parameters]\nown = { default = 1.5, doc = "d" }\n', monkeypatch
    )
    parent = load("openkws13")
    assert (found.title, found.grammar, found.data) == ("mine", parent.grammar, parent.data)
    assert found.values({}) == {**parent.values({}), "own": 1.5}


def test_an_unknown_parent_is_a_profile_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is our own file that is missing."""
    with pytest.raises(ProfileError):
        loaded('extends = "openkws99"\n', monkeypatch)
