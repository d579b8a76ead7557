"""The Spoken Web Search through the whole tool: the oracle, packing in the plain form, conversion, presets, reports."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validator import formats
from validator.formats import stdlist
from validator.formats.dialects import OPENKWS, STD
from validator.formats.kwslist import read_dialect
from validator.formats.plainform import PlainForm

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

GOLDEN = Path(__file__).parent / "golden" / "sws"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
TOLERANCE = 1e-6  # stated by the oracle
MEASURES = {
    "ATWV": "ATWV",
    "MTWV": "MTWV",
    "MTWV_threshold": "MTWV_threshold",
    "Pmiss": "PMiss",
    "Pfa": "PFA",
    "beta": "beta",
    "total_audio_seconds": "duration",
    "trials_per_query": "trials",
    "target_trials": "targets",
    "Cnxe": "Cnxe",
    "Cnxe_min": "minCnxe",
    "Cnxe_min_pav": "minCnxe_pav",
}
SETTINGS = {
    "similarity": "collar",
    "find": "gap",
    "ntps": "trials_per_second",
    "Cfa": "cost_fa",
    "Cmiss": "cost_miss",
    "Ptarget": "p_target",
}
STDLIST = GOLDEN / "01-by-hand" / "sys.stdlist.xml"


def references(name: str) -> list[str]:
    """Return the options that name a case's references."""
    folder = GOLDEN / name
    roles = (("ecf", "sws.ecf.xml"), ("termlist", "sws.tlist.xml"), ("rttm", "sws.rttm"))
    return [word for role, file in roles for word in ("--data", f"{role}={folder / file}")]


def submission(result: Result) -> Any:  # noqa: ANN401 - JSON
    """Return the one submission of a report."""
    return json.loads(result.stdout)["submissions"][0]


@pytest.mark.parametrize("name", CASES)
def test_every_figure_is_the_oracles(name: str, subgate: Callable[..., Result]) -> None:
    """Counts of each query, ATWV, MTWV, Cnxe and its minima, resources: all to the stated tolerance."""
    expected = json.loads((GOLDEN / name / "expected.json").read_text(encoding="utf-8"))
    given_ = json.loads((GOLDEN / name / "params.json").read_text(encoding="utf-8"))
    sets = [word for key, ours in SETTINGS.items() for word in ("--set", f"{ours}={given_[key]}")]
    call = ["score", str(GOLDEN / name), "-e", given_["edition"], *references(name), *sets, "--format", "json"]
    run = submission(subgate(*call))["runs"][0]
    wanted = {ours: expected[theirs] for theirs, ours in MEASURES.items()}
    wanted |= {key: expected["resources"][key] for key in ("ISF", "SSF", "PL") if "resources" in expected}
    assert {key: run["measures"][key] for key in wanted} == pytest.approx(wanted, abs=TOLERANCE, rel=0)
    keys = {"nref": "targets", "ncorr": "correct", "nfa": "false_alarms", "nmiss": "misses"}
    rows = [row for row in run["breakdown"]["keyword"] if row["targets"]]
    counts = {row["id"]: {key: row[ours] for key, ours in keys.items()} for row in rows}
    assert counts == expected["per_query"]
    assert run["differs"] == {}


@pytest.mark.parametrize(("name", "wrong"), [("01-by-hand", set()), ("08-miscalibrated", {"ssf", "pl"})])
def test_resource_reports_are_judged_as_the_oracle_does(
    name: str, wrong: set[str], subgate: Callable[..., Result]
) -> None:
    """Wrong figures are found, right ones are not."""
    expected = json.loads((GOLDEN / name / "expected.json").read_text(encoding="utf-8"))["resources"]
    found = submission(subgate("check", str(GOLDEN / name / "resources.toml"), "-e", "sws2013", "--format", "json"))
    fields = {one["node"].rpartition(".")[2] for one in found["findings"] if one["rule"] == "SWS605"}
    assert fields == wrong == set(expected["wrong_fields"])
    assert found["verdict"] == ("accept" if expected["consistent"] else "reject")


def test_the_report_of_resources_needs_no_references(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """Without an RTTM the dry run still gives what the resource report says, recomputed."""
    for file in ("sys.stdlist.xml", "resources.toml"):
        (tmp_path / file).write_bytes((GOLDEN / "01-by-hand" / file).read_bytes())
    call = ["check", str(tmp_path), "-e", "sws2013", *references("01-by-hand")[:4], "--format", "json"]
    run = submission(subgate(*call))["runs"][0]
    assert run["reference"] == "stand-in"
    assert run["measures"] == pytest.approx(
        {"ISF": 224 / 300, "SSF": 0.64, "PMU_indexing": 2.5, "PMU_searching": 4.0, "PL": 2.490666666666667}
    )


def test_audio_is_the_sum_of_all_digits(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """Durations are added as they are written: 151.49996 s are 151 trials, not the 152 of a sum that was rounded."""
    ecf = tmp_path / "long.ecf.xml"
    line = '<excerpt audio_filename="a/{}.wav" channel="{}" tbeg="0" dur="{}" language="multiple" source_type="cts"/>'
    lines = [line.format(*one) for one in (("x", 1, "100"), ("y", 1, "51.49996"), ("y", 2, "51.49996"))]
    ecf.write_text(f'<ecf source_signal_duration="1" version="1">{"".join(lines)}</ecf>', encoding="utf-8")
    data = ["--data", f"ecf={ecf}", *references("01-by-hand")[2:]]
    run = submission(subgate("score", str(STDLIST), "-e", "sws2013", *data, "--format", "json"))["runs"][0]
    assert (run["measures"]["duration"], run["measures"]["trials"]) == (151.49996, 151)


def test_every_repetition_is_counted(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """A hundred equal detections, and a hundred more in another list: 198 are there again."""
    text = STDLIST.read_text(encoding="utf-8")
    lines = [line * 100 if "<term " in line and "4.5" not in line else line for line in text.splitlines(keepends=True)]
    path = tmp_path / "sys.stdlist.xml"
    path.write_text("".join(lines), encoding="utf-8")
    found = submission(subgate("check", str(path), "-e", "sws2013", "--format", "json"))["findings"]
    twice = [one for one in found if one["rule"] == "SWS401"]
    assert {one["count"] for one in twice} == {198}
    assert [one["line"] for one in twice[:2]] == [5, 6]
    assert {one["message"] for one in twice[:2]} == {"the same detection again; it is at line 4 already"}


# -- presets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "wanted"),
    [
        ([], {"collar": 1.0, "gap": 0.5, "beta": 15.32, "dataset": "african-dev-dev"}),
        (["dataset=indian-eval-eval"], {"collar": 20.0, "gap": 20.0, "beta": 21.59}),
        (["dataset=african-dev-eval", "collar=2"], {"collar": 2.0, "gap": 0.5, "beta": 6.36}),
        (["dataset=indian-dev-dev", "cost_fa=13.065"], {"collar": 20.0, "beta": 13.065}),
        (["beta=7"], {"collar": 1.0, "beta": 7.0}),
    ],
)
def test_a_data_set_stands_for_its_parameters(
    chosen: list[str], wanted: dict[str, object], subgate: Callable[..., Result]
) -> None:
    """The -k table of 2012, each value of which can still be overruled."""
    sets = [word for pair in chosen for word in ("--set", pair)]
    call = ["check", str(STDLIST), "-e", "sws2012", *sets, "--format", "json"]
    found = submission(subgate(*call))["parameters"]
    assert {name: found[name] for name in wanted} == wanted


def test_a_data_set_that_there_is_not(subgate: Callable[..., Result]) -> None:
    """The call is wrong, and the nearest one is named."""
    result = subgate("check", str(STDLIST), "-e", "sws2012", "--set", "dataset=african-dev-dve")
    assert result.exit_code == 2
    assert "african-dev-dev" in result.output


@pytest.mark.parametrize(
    "chosen", ["beta=nan", "collar=inf", "collar=-1", "gap=-0.5", "beta=-1", "trials_per_second=0"]
)
def test_parameters_that_mean_nothing(chosen: str, subgate: Callable[..., Result]) -> None:
    """It is the call that is wrong, not the submission."""
    result = subgate("score", str(STDLIST), "-e", "sws2013", *references("01-by-hand"), "--set", chosen)
    assert result.exit_code == 2
    assert chosen.partition("=")[0] in result.output


# -- the plain form ----------------------------------------------------------------------------------------------


def _written_oddly(text: str) -> str:
    """Write a stdlist as legal XML that no pattern finds."""
    text = text.replace('"', "'").replace("/>", "></term>").replace("='", " = '")
    return text.replace("<detected_termlist", "<!-- a <term/> of nobody -->\n<detected_termlist", 1)


def test_pack_writes_the_plain_form(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """What is packed is what the old scorer reads: the very bytes of the same list written plainly."""
    plain = STDLIST.read_text(encoding="utf-8")
    folder, upload = tmp_path / "sub", tmp_path / "upload"
    folder.mkdir()
    (folder / "sys.stdlist.xml").write_text(_written_oddly(plain), encoding="utf-8")
    (folder / "resources.toml").write_bytes((GOLDEN / "01-by-hand" / "resources.toml").read_bytes())
    call = ["pack", str(folder), "-e", "sws2013", *references("01-by-hand"), "-o", str(upload), "--format", "json"]
    assert [package["members"] for package in submission(subgate(*call))["packages"]] == [
        ["resources.toml", "sys.stdlist.xml"]
    ]
    with tarfile.open(upload / "sys.tgz") as archive:
        member = archive.extractfile("sys.stdlist.xml")
        assert member is not None
        assert member.read().decode() == plain


def test_each_run_has_its_own_report(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """The one with its name in front, or else the nearest; scores and archives agree, and who has none is told."""
    report = (GOLDEN / "01-by-hand" / "resources.toml").read_text(encoding="utf-8")
    other = report.replace("wall_hours = 3.0", "wall_hours = 6.0").replace("cpu_hours = 48.0", "cpu_hours = 96.0")
    other = other.replace("ssf = 0.6400", "ssf = 1.28").replace("pl = 2.4907", "pl = 4.7947")
    for name in ("a", "b", "c"):
        (tmp_path / "sub" / name).mkdir(parents=True)
        (tmp_path / "sub" / name / f"{name}.stdlist.xml").write_bytes(STDLIST.read_bytes())
    for place, text in (("a/resources.toml", report), ("b/resources.toml", other), ("c.resources.toml", other)):
        (tmp_path / "sub" / place).write_text(text, encoding="utf-8")
    call = ["pack", str(tmp_path / "sub"), "-e", "sws2013", *references("01-by-hand")[:4], "-o", str(tmp_path / "up")]
    found = submission(subgate(*call, "--format", "json"))
    assert {run["id"]: run["measures"]["SSF"] for run in found["runs"]} == {"a": 0.64, "b": 1.28, "c": 1.28}
    assert [package["members"] for package in found["packages"]] == [
        ["a.stdlist.xml", "resources.toml"],
        ["b.stdlist.xml", "resources.toml"],
        ["c.resources.toml", "c.stdlist.xml"],
    ]
    for place in ("a/resources.toml", "b/resources.toml"):
        (tmp_path / "sub" / place).unlink()
    check = ["check", str(tmp_path / "sub"), "-e", "sws2013", "--set", "complete=true", "--format", "json"]
    missing = [one["path"] for one in submission(subgate(*check))["findings"] if one["rule"] == "SWS602"]
    assert [Path(path).name for path in missing] == ["a.stdlist.xml", "b.stdlist.xml"]


def test_a_plain_file_is_packed_as_it_is() -> None:
    """The source itself, not a copy."""
    source = formats.source_of(STDLIST)
    assert stdlist.canonical(source, {}) is source


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8), max_size=4),
    single=st.booleans(),
)
def test_the_plain_form_means_the_same(tmp_path: Path, names: list[str], *, single: bool) -> None:
    """Read, write plainly, read: the same table, and nothing odd is left but entities that values need."""
    quote = "'" if single else '"'
    marks: dict[str, str | int | None] = {"&": "&amp;", "<": "&lt;", "'": "&apos;", '"': "&quot;"}
    rows = "".join(
        f"<term file={quote}{name.translate(str.maketrans(marks))}{quote} channel='1' tbeg='{rank}.5' dur='0.25' "
        f"score='-{rank}e-1' decision='NO'></term>"
        for rank, name in enumerate(names)
    )
    head = '<stdlist termlist_filename="a" indexing_time="1" language="b" index_size="2" system_id="c">'
    body = f"<detected_termlist termid='q' term_search_time='0' oov_term_count='NA'>{rows}</detected_termlist>"
    path = tmp_path / "odd.stdlist.xml"
    path.write_text(f"{head}{body}</stdlist>", encoding="utf-8")
    before = read_dialect(formats.source_of(path), STD)
    again = stdlist.canonical(formats.source_of(path), {})
    data = again.open().read()
    after = read_dialect(again, STD)
    assert again.size == len(data)
    assert not list(before.problems)
    assert not list(after.problems)
    assert list(after.table.detections.files) == list(before.table.detections.files)
    for column in ("begin_s", "duration_s", "score", "yes"):
        assert (getattr(after.table.detections, column) == getattr(before.table.detections, column)).all()
    form = PlainForm(STD)
    form.look(data, 0)
    assert {one.message for one in form.oddities()} <= {"a value has an entity, which is not decoded"}


# -- conversion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_there_and_back_again(name: str, tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """A stdlist as a KWSList has the same detections, and comes back as it was but for its time and size."""
    there, back = tmp_path / "x.kwslist.xml", tmp_path / "x.stdlist.xml"
    source = GOLDEN / name / "sys.stdlist.xml"
    assert subgate("convert", str(source), "-o", str(there)).exit_code == 0
    assert subgate("convert", str(there), "-o", str(back)).exit_code == 0
    old, new = read_dialect(formats.source_of(source), STD), read_dialect(formats.source_of(there), OPENKWS)
    assert not list(new.problems)
    assert [one.kwid for one in new.table.lists] == [one.kwid for one in old.table.lists]
    for column in ("keyword", "begin_s", "duration_s", "score", "yes", "text"):
        assert (getattr(new.table.detections, column) == getattr(old.table.detections, column)).all()
    assert new.table.kwlist_filename == "sws.kwlist.xml"
    text = source.read_text(encoding="utf-8")
    zero = text.replace('indexing_time="1.00"', 'indexing_time="0"').replace('index_size="1"', 'index_size="0"')
    assert back.read_text(encoding="utf-8") == zero


def test_term_lists_keep_their_attributes(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """Attributes inside and outside of terminfo end in one kwinfo, texts with marks stay what they mean."""
    path = tmp_path / "a.tlist.xml"
    pair = "<attr><name>{}</name><value>1 &lt; 2</value></attr>"
    info = f"<terminfo>{pair.format('a')}</terminfo>{pair.format('b')}"
    term = f'<term termid="T&amp;1"><termtext>red &amp; white</termtext>{info}</term>'
    path.write_text(f'<termlist ecf_filename="e" version="1" language="l">{term}</termlist>', encoding="utf-8")
    target = tmp_path / "a.kwlist.xml"
    assert subgate("convert", str(path), "-o", str(target)).exit_code == 0
    content = formats.read("kwlist", formats.source_of(target))
    assert not list(content.problems)
    (keyword,) = content.table.keywords  # type: ignore[attr-defined]
    assert (keyword.kwid, keyword.text) == ("T&1", "red & white")
    assert keyword.attributes == (("a", "1 < 2"), ("b", "1 < 2"))


def test_what_is_not_valid_is_not_converted(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """Exit 1 with the first fault; what is of another kind is exit 2; nothing is written."""
    broken, target = tmp_path / "x.stdlist.xml", tmp_path / "y.kwslist.xml"
    text = STDLIST.read_text(encoding="utf-8")
    broken.write_text(text.replace('channel="1"', 'channel="one"', 1), encoding="utf-8")
    result = subgate("convert", str(broken), "-o", str(target))
    assert (result.exit_code, target.exists()) == (1, False)
    assert f"{broken}:4 is not a valid stdlist: channel is not a whole number" in result.stderr
    assert subgate("convert", str(GOLDEN / "01-by-hand" / "sws.ecf.xml")).exit_code == 2


# -- forms -------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_no_report_makes_the_tool_fail(tmp_path: Path, data: bytes) -> None:
    """Whatever is in the file: problems, or a form; and every place lies inside of the file."""
    path = tmp_path / "resources.toml"
    path.write_bytes(data)
    content = formats.read("resources", formats.source_of(path))
    offsets = [defect.where.offset or 0 for _, defect in content.problems]
    assert all(0 <= offset <= len(data) for offset in [*offsets, *content.table.places.values()])  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5000,
        "[report]\nedition = " + "9" * 5000,
        "[audio]\ndocuments_hours = 1e99999999999999999999",
        "[audio]\ndocuments_hours = nan\nqueries_hours = -inf\n[load]\nlambda = 1e-999999\npl = 1e999999",
        "[indexing]\nisf = 0x10\ncpu_hours = true\nwall_hours = 2013-05-12\ncores_used = {a = 1}",
        "node = 3\nreport = []\naudio = 'x'\n[[load]]\nlambda = 0.1",
        "[[node]]\nphases = 'indexing'\ncount = 1_000\n[[node]]\nphases = [1, ['searching']]",
        f"[[node]]\nphases = ['indexing']\ncount = {'9' * 4000}\nram_gb = 1\n[indexing]\npmu_gb = {'9' * 4000}",
        "[audio]\ndocuments_hours = 1e-40\n[indexing]\nwall_hours = 1e40\ncores_used = 1\ncpu_hours = 1e40\nisf = 2.5",
        "",
    ],
)
def test_odd_reports_are_judged(text: str, tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """Rejected with findings, never a crash."""
    path = tmp_path / "resources.toml"
    path.write_text(text, encoding="utf-8")
    result = subgate("check", str(path), "-e", "sws2013", "--format", "json")
    assert result.exit_code == 1
    assert submission(result)["findings"]


def test_figures_do_not_hide_in_a_list_of_tables(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """[[indexing]] is legal TOML and looks right, but is no table that can be recomputed."""
    path = tmp_path / "resources.toml"
    text = (GOLDEN / "01-by-hand" / "resources.toml").read_text(encoding="utf-8")
    path.write_text(text.replace("[indexing]", "[[indexing]]").replace("isf = 0.7467", "isf = 9.9"), encoding="utf-8")
    found = submission(subgate("check", str(path), "-e", "sws2013", "--format", "json"))
    assert found["verdict"] == "reject"
    assert [(one["rule"], one["line"], one["message"]) for one in found["findings"]] == [
        ("SWS603", 21, "indexing must be one table")
    ]


def test_a_skeleton_is_asked_to_be_filled_in(tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """What init writes is legal but for its blanks: nothing else is found."""
    folder = tmp_path / "sub"
    assert subgate("init", "-e", "sws2013", str(folder)).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "YOUR-SYSTEM.stdlist.xml",
        "description.txt",
        "resources.toml",
    ]
    found = submission(subgate("check", str(folder), "-e", "sws2013", "--format", "json"))["findings"]
    errors = {one["rule"] for one in found if one["severity"] == "error"}
    assert errors == {"SWS424", "SWS603", "SWS614", "XML207", "XML208"}
