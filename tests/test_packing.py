"""The upload: the same bytes on any machine, exactly the members of the contract, nothing for a rejected submission."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.uploads import (
    CASES,
    DATABASE,
    EXPID,
    RUN,
    Json,
    command,
    described_runs,
    environment,
    good_files,
    limited,
    program,
    submission,
    tree,
    write_files,
)
from validator import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from click.testing import Result

GOOD = good_files()
DATA = ("--data", str(DATABASE))
CONTRASTIVE = EXPID.replace("p-word", "c-other")
LONG = EXPID.replace("TeamA", "LongTeam" * 12)
SPEECH = EXPID.replace("_KWS_", "_STT_")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in the test's own folder, without a variable that dates archives."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    return tmp_path


@pytest.fixture
def packed(here: Path, subgate: Callable[..., Result]) -> Callable[..., Json]:
    """Pack files as a folder ``upload`` into ``out``; return the report of an accepted submission."""

    def pack(files: Mapping[str, bytes], *arguments: str) -> Json:
        write_files(here / "upload", files)
        result = subgate("pack", "upload", "-o", "out", "--format", "json", *arguments)
        report = submission(result.output)
        assert (result.exit_code, report["verdict"], report["error"]) == (0, "accept", None)
        return report

    return pack


def _unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        opened = {info.name: tar.extractfile(info) for info in tar}
        return {name: stream.read() for name, stream in opened.items() if stream is not None}


# -- the same bytes ----------------------------------------------------------------------------------------------


def _disguised(folder: Path, files: Mapping[str, bytes], seed: int) -> Path:
    """Write files in another order, with other modes, dates and owners."""
    chance = random.Random(seed)  # noqa: S311 - a disguise, no secret
    names = list(files)
    chance.shuffle(names)
    for name in names:
        path = write_files(folder, {name: files[name]}) / name
        path.chmod(chance.choice([0o400, 0o600, 0o644, 0o755, 0o666]))
        os.utime(path, (chance.randrange(2**31), chance.randrange(2**31)))
        if os.geteuid() == 0:
            os.chown(path, chance.randrange(60_000), chance.randrange(60_000))
    return folder


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    """Order, owner, mode and date of files, umask, time zone, locale and hash seed leave no trace in any file."""
    files = described_runs(EXPID, CONTRASTIVE, LONG) | {"sub/r\u00e9sum\u00e9.txt": GOOD["system.txt"]}
    surroundings = [
        (0o022, {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0"}),
        (0o077, {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"}),
        (0o000, {"TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "4711"}),
    ]
    trees = []
    for seed, (umask, variables) in enumerate(surroundings):
        home = tmp_path / f"home-{seed}"
        folder = _disguised(home / f"upload-{seed}", files, seed)
        line = command("pack", folder.name, *DATA, "-o", "out", before=f"import os; os.umask({umask}); ")
        subprocess.run(line, cwd=home, env=environment(**variables), check=True, capture_output=True)
        trees.append(tree(home / "out"))
    assert len(trees[0]) == 9
    assert trees[0] == trees[1] == trees[2]


def test_an_archive_packs_to_the_bytes_of_its_folder(
    here: Path, packed: Callable[..., Json], subgate: Callable[..., Result]
) -> None:
    """Packing what was packed changes nothing: same archive, same digest, same receipt."""
    packed(GOOD, *DATA)
    assert subgate("pack", f"out/{EXPID}.tgz", *DATA, "-o", "again").exit_code == 0
    assert tree(here / "again") == tree(here / "out")


def test_packing_again_changes_nothing(here: Path, packed: Callable[..., Json]) -> None:
    """The second time replaces every file by the same bytes."""
    packed(GOOD, *DATA)
    first = tree(here / "out")
    packed(GOOD, *DATA)
    assert tree(here / "out") == first


@pytest.mark.parametrize(
    ("epoch", "expected"), [("0", 0), ("1700000000", 1_700_000_000), ("99999999999", 99_999_999_999)]
)
def test_source_date_epoch_dates_the_members(
    *, epoch: str, expected: int, here: Path, packed: Callable[..., Json], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every member has the time of SOURCE_DATE_EPOCH, also one that no USTAR header can hold; gzip has none."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    packed(GOOD)
    with tarfile.open(here / "out" / f"{EXPID}.tgz") as tar:
        assert {int(info.mtime) for info in tar} == {expected}
    assert (here / "out" / f"{EXPID}.tgz").read_bytes()[4:8] == bytes(4)


@pytest.mark.parametrize("epoch", ["", "yesterday", "1.5"])
def test_an_unusable_source_date_epoch_is_no_crash(epoch: str, tmp_path: Path) -> None:
    """The call is wrong: exit 2 with the variable's name, no traceback, nothing written (empty may count as unset)."""
    write_files(tmp_path / "upload", GOOD)
    result = limited("pack", "upload", "-o", "out", cwd=tmp_path, variables={"SOURCE_DATE_EPOCH": epoch})
    assert b"Traceback" not in result.stderr
    if epoch or result.returncode:
        assert result.returncode == 2
        assert b"SOURCE_DATE_EPOCH" in result.stdout + result.stderr
        assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


# -- what is in it -----------------------------------------------------------------------------------------------


def test_one_archive_for_each_run(here: Path, packed: Callable[..., Json]) -> None:
    """<EXPID>.tgz holds <EXPID>.kwslist.xml or .ctm and SystemDescription/<name>.txt; beside it .sha256 and receipt."""
    words = b"BABEL_BP_106_10001_inLine 1 0.00 0.30 bahay 0.9\n"
    files = described_runs(EXPID, CONTRASTIVE, SPEECH)
    files = {name: content for name, content in files.items() if "_STT_" not in name} | {f"{SPEECH}.ctm": words}
    report = packed(files, *DATA)
    for expid, suffix in ((EXPID, ".kwslist.xml"), (CONTRASTIVE, ".kwslist.xml"), (SPEECH, ".ctm")):
        inside = {f"{expid}{suffix}": files[f"{expid}{suffix}"], "SystemDescription/system.txt": files["system.txt"]}
        assert _unpacked(here / "out" / f"{expid}.tgz") == inside
    archives = [f"{expid}.tgz" for expid in (CONTRASTIVE, EXPID, SPEECH)]
    beside = [f"{name}{end}" for name in archives for end in ("", ".sha256", ".receipt.json")]
    assert sorted(path.name for path in (here / "out").iterdir()) == sorted(beside)
    assert sorted(package["path"] for package in report["packages"]) == sorted(f"out/{name}" for name in archives)


def test_headers_are_plain(here: Path, packed: Callable[..., Json]) -> None:
    """Members in byte order, USTAR, mode 0644, owner 0 without a name, time 0; whole records; gzip without a name."""
    packed(GOOD)
    content = (here / "out" / f"{EXPID}.tgz").read_bytes()
    assert content[:3] == b"\x1f\x8b\x08"
    assert content[3:8] == bytes(5)  # no flags: no name, no comment; no time
    tar = gzip.decompress(content)
    assert len(tar) % 10_240 == 0
    with tarfile.open(here / "out" / f"{EXPID}.tgz") as opened:
        infos = list(opened)
    assert [info.name for info in infos] == [RUN, "SystemDescription/system.txt"]
    for info in infos:
        assert (info.mode, info.uid, info.gid, info.uname, info.gname, info.mtime) == (0o644, 0, 0, "", "", 0)
        assert info.type == tarfile.REGTYPE
        assert info.pax_headers == {}
        assert tar[info.offset + 257 : info.offset + 265] == b"ustar\x0000"


def test_a_long_name_goes_through_pax(here: Path, packed: Callable[..., Json]) -> None:
    """An EXPID of more than 100 characters is read back by Python's tarfile and by GNU tar, letter for letter."""
    assert len(LONG) > 100
    packed(described_runs(LONG), *DATA)
    archive = here / "out" / f"{LONG}.tgz"
    expected = [f"{LONG}.kwslist.xml", "SystemDescription/system.txt"]
    assert list(_unpacked(archive)) == expected
    listed = subprocess.run([program("tar"), "-tzf", str(archive)], check=True, capture_output=True, text=True)
    assert (listed.stdout.splitlines(), listed.stderr) == (expected, "")
    subprocess.run([program("tar"), "-xzf", str(archive), "-C", str(here)], check=True, capture_output=True)
    assert (here / expected[0]).read_bytes() == GOOD[RUN]


def test_a_name_beyond_ascii_goes_through_pax(here: Path, packed: Callable[..., Json]) -> None:
    """A description with accents in its name is read back by both."""
    packed({RUN: GOOD[RUN], "Gr\u00f6\u00dfe \u4e2d.txt": GOOD["system.txt"]}, *DATA)
    archive = here / "out" / f"{EXPID}.tgz"
    assert list(_unpacked(archive)) == [RUN, "SystemDescription/Gr\u00f6\u00dfe \u4e2d.txt"]
    line = [program("tar"), "--quoting-style=literal", "-tzf", str(archive)]
    listed = subprocess.run(line, check=True, capture_output=True)
    assert listed.stdout.decode().splitlines() == [RUN, "SystemDescription/Gr\u00f6\u00dfe \u4e2d.txt"]


def test_sha256sum_accepts(here: Path, packed: Callable[..., Json]) -> None:
    """``sha256sum -c`` in the folder of the upload says OK, and the report has the same digest and size."""
    (package,) = packed(GOOD)["packages"]
    checked = subprocess.run(
        [program("sha256sum"), "--strict", "-c", f"{EXPID}.tgz.sha256"],
        cwd=here / "out",
        check=False,
        capture_output=True,
    )
    assert (checked.returncode, checked.stdout) == (0, f"{EXPID}.tgz: OK\n".encode())
    content = (here / "out" / f"{EXPID}.tgz").read_bytes()
    assert (package["sha256"], package["bytes"]) == (hashlib.sha256(content).hexdigest(), len(content))
    assert package["members"] == [RUN, "SystemDescription/system.txt"]


def test_the_receipt_is_an_in_toto_statement(here: Path, packed: Callable[..., Json]) -> None:
    """Statement v1 as plain JSON: subject with name and digest; predicate with members, tar, verdict, signature."""
    report = packed(GOOD, *DATA)
    archive = (here / "out" / f"{EXPID}.tgz").read_bytes()
    text = (here / "out" / f"{EXPID}.tgz.receipt.json").read_text(encoding="utf-8")
    statement = json.loads(text)
    assert set(statement) == {"_type", "subject", "predicateType", "predicate"}
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"] == [{"name": f"{EXPID}.tgz", "digest": {"sha256": hashlib.sha256(archive).hexdigest()}}]
    assert statement["predicateType"].startswith("https://")
    predicate = statement["predicate"]
    inside = {RUN: GOOD[RUN], "SystemDescription/system.txt": GOOD["system.txt"]}
    assert predicate["members"] == [
        {"name": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in inside.items()
    ]
    assert predicate["tar"] == {"sha256": hashlib.sha256(gzip.decompress(archive)).hexdigest()}
    assert (predicate["verdict"], predicate["verdicts"]) == ("accept", {"plan": "accept", "tool": "accept"})
    assert predicate["signature"] == {EXPID: report["runs"][0]["signature"]}
    assert predicate["tool"] == {"name": "subgate", "version": __version__}
    assert str(here) not in text


def test_the_signature_tells_the_data(here: Path, packed: Callable[..., Json]) -> None:
    """A receipt of a run that was checked without the organizers' files does not look like one of a full check."""
    predicates = []
    for arguments in ((), DATA):
        packed(GOOD, *arguments)
        predicates.append(json.loads((here / "out" / f"{EXPID}.tgz.receipt.json").read_bytes())["predicate"])
    assert predicates[0]["members"] == predicates[1]["members"]
    assert predicates[0]["signature"] != predicates[1]["signature"]


# -- which description -------------------------------------------------------------------------------------------


def test_each_run_takes_the_description_that_lists_it(here: Path, packed: Callable[..., Json]) -> None:
    """Two runs with a description each, in folders of their own: each archive has its own one only."""
    files = {
        f"a/{RUN}": GOOD[RUN],
        "a/word.txt": GOOD["system.txt"],
        f"b/{CONTRASTIVE}.kwslist.xml": GOOD[RUN],
        "b/other.txt": GOOD["system.txt"].replace(EXPID.encode(), CONTRASTIVE.encode()),
    }
    packed(files, *DATA)
    assert list(_unpacked(here / "out" / f"{EXPID}.tgz")) == [RUN, "SystemDescription/word.txt"]
    assert list(_unpacked(here / "out" / f"{CONTRASTIVE}.tgz"))[1:] == ["SystemDescription/other.txt"]


def test_a_version_is_not_taken_for_the_beginning_of_another(here: Path, packed: Callable[..., Json]) -> None:
    """Version 1 is not described by a text that lists version 12 only."""
    twelfth = f"{EXPID}2"
    files = {
        RUN: GOOD[RUN],
        "first.txt": GOOD["system.txt"],
        f"{twelfth}.kwslist.xml": GOOD[RUN],
        "twelfth.txt": GOOD["system.txt"].replace(EXPID.encode(), twelfth.encode()),
    }
    packed(files, *DATA)
    assert list(_unpacked(here / "out" / f"{EXPID}.tgz")) == [RUN, "SystemDescription/first.txt"]
    assert list(_unpacked(here / "out" / f"{twelfth}.tgz"))[1:] == ["SystemDescription/twelfth.txt"]


COLLIDING = {
    "same-name": {"a/system.txt": GOOD["system.txt"], "b/system.txt": GOOD["system.txt"]},
    "letter-case": {"System.txt": GOOD["system.txt"], "system.txt": GOOD["system.txt"]},
    "backslash": {"sys\\tem.txt": GOOD["system.txt"]},
    "newline": {"sys\ntem.txt": GOOD["system.txt"]},
    "not-utf-8": {os.fsdecode(b"sys\xfftem.txt"): GOOD["system.txt"]},
}


@pytest.mark.parametrize("name", COLLIDING)
def test_a_folder_whose_archive_would_not_pass_is_told_before_anything_is_written(name: str, tmp_path: Path) -> None:
    """Descriptions that collide in the archive, or names that no archive may have: no bug report, nothing left over."""
    write_files(tmp_path / "upload", {RUN: GOOD[RUN], **COLLIDING[name]})
    result = limited("pack", "upload", *DATA, "-o", "out", "--format", "json", cwd=tmp_path)
    assert b"Traceback" not in result.stderr
    assert result.returncode in (0, 1, 2)
    if result.returncode == 0:  # packed under names that fit
        assert limited("check", f"out/{EXPID}.tgz", *DATA, cwd=tmp_path).returncode == 0
    else:
        assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


def test_two_runs_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """The same EXPID in two folders of a submission, with different content: no archive gets lost in silence."""
    other = GOOD[RUN].replace(b'score="0.91"', b'score="0.19"')
    write_files(tmp_path / "upload", {f"a/{RUN}": GOOD[RUN], f"b/{RUN}": other, "system.txt": GOOD["system.txt"]})
    result = limited("pack", "upload", *DATA, "-o", "out", "--format", "json", cwd=tmp_path)
    assert result.returncode in (1, 2)
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


def test_two_paths_of_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """The same EXPID in two PATHs of one call: what the report says of the first must still be true at the end."""
    write_files(tmp_path / "first", GOOD)
    write_files(tmp_path / "second", GOOD | {RUN: GOOD[RUN].replace(b'score="0.91"', b'score="0.19"')})
    result = limited("pack", "first", "second", *DATA, "-o", "out", "--format", "json", cwd=tmp_path)
    packages = [package for each in json.loads(result.stdout)["submissions"] for package in each["packages"]]
    for package in packages:
        content = (tmp_path / package["path"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == package["sha256"]
    assert result.returncode == 2 or len(packages) == 2


# -- nothing for a rejected submission ---------------------------------------------------------------------------


def _rejected() -> list[Path]:
    folders = [path.parent / "submission" for path in sorted(CASES.glob("KWS[1-6]*/case.toml"))]
    return [folder for folder in folders if folder.is_dir()]


@pytest.mark.parametrize("folder", _rejected(), ids=lambda folder: folder.parent.name)
def test_check_and_pack_agree(folder: Path, here: Path, subgate: Callable[..., Result]) -> None:
    """Same verdict, same findings, same exit code; files are written if and only if the submission is accepted."""
    arguments = (str(folder), *DATA, "--format", "json")
    checked, packed = subgate("check", *arguments), subgate("pack", *arguments, "-o", "out")
    assert packed.exit_code == checked.exit_code
    report, other = submission(packed.output), submission(checked.output)
    packages = report.pop("packages")
    assert other.pop("packages") == []
    assert report == other
    written = {path.name for path in (here / "out").glob("*")}
    ends = ("", ".sha256", ".receipt.json")
    assert written == {
        f"{run['id']}.tgz{end}" for run in report["runs"] for end in ends if report["verdict"] == "accept"
    }
    assert bool(packages) == (report["verdict"] == "accept")


def test_not_even_the_folder_is_made_for_a_rejected_submission(here: Path, subgate: Callable[..., Result]) -> None:
    """Nothing is written for a rejected submission: the folder is made when there is something to put in."""
    write_files(here / "upload", {RUN: GOOD[RUN].replace(b'"NO"', b'"no"')})
    assert subgate("pack", "upload", "-o", "out").exit_code == 1
    assert not (here / "out").exists()


def test_an_older_upload_stays_when_the_new_one_is_rejected(
    here: Path, packed: Callable[..., Json], subgate: Callable[..., Result]
) -> None:
    """A rejected submission leaves what was packed before as it is."""
    packed(GOOD)
    before = tree(here / "out")
    write_files(here / "upload", {RUN: GOOD[RUN].replace(b'"NO"', b'"no"')})
    assert subgate("pack", "upload", "-o", "out").exit_code == 1
    assert tree(here / "out") == before


def test_a_bad_submission_does_not_stop_the_others(here: Path, subgate: Callable[..., Result]) -> None:
    """Of three PATHs the good one is packed; 2 for the missing one is the worst code."""
    write_files(here / "bad", {f"{CONTRASTIVE}.kwslist.xml": b"<kwslist"})
    write_files(here / "good", GOOD)
    result = subgate("pack", "bad", "missing", "good", *DATA, "-o", "out", "--format", "json")
    verdicts = [each["verdict"] for each in json.loads(result.output)["submissions"]]
    assert (verdicts, result.exit_code) == (["reject", None, "accept"], 2)
    assert {path.name.partition(".tgz")[0] for path in (here / "out").iterdir()} == {EXPID}


@pytest.mark.parametrize("conventions", ["plan", "tool"])
def test_conventions_decide_about_packing(conventions: str, here: Path, subgate: Callable[..., Result]) -> None:
    """What only one law refuses is packed under the other, and the receipt has both verdicts."""
    team = EXPID.replace("TeamA", "Team-A")  # the plan wants letters and digits; NIST's checker takes it
    write_files(here / "upload", {f"{team}.kwslist.xml": GOOD[RUN]})
    result = subgate("pack", "upload", *DATA, "-o", "out", "--conventions", conventions)
    assert result.exit_code == (1 if conventions == "plan" else 0)
    if conventions == "tool":
        predicate = json.loads((here / "out" / f"{team}.tgz.receipt.json").read_bytes())["predicate"]
        assert predicate["verdicts"] == {"plan": "reject", "tool": "accept"}
        assert (predicate["verdict"], predicate["conventions"]) == ("accept", "tool")


# -- calls -------------------------------------------------------------------------------------------------------


def test_a_single_run_is_packed_as_a_run(here: Path, subgate: Callable[..., Result]) -> None:
    """Rules about the whole submission do not reject a single file, and pack does not fail on its own archive."""
    limited_pack = EXPID.replace("FullLP", "LimitedLP")
    write_files(here, {f"{limited_pack}.kwslist.xml": GOOD[RUN]})
    arguments = (f"{limited_pack}.kwslist.xml", *DATA, "--set", "complete=true", "-o", "out", "--format", "json")
    result = subgate("pack", *arguments)
    report = submission(result.output)
    assert (report["error"], report["verdict"], result.exit_code) == (None, "accept", 0)
    assert list(_unpacked(here / "out" / f"{limited_pack}.tgz")) == [f"{limited_pack}.kwslist.xml"]


def test_an_incomplete_archive_of_a_complete_submission_is_no_failure(here: Path, packed: Callable[..., Json]) -> None:
    """With complete=true each of several runs is packed, although its archive alone lacks the required condition."""
    limited_pack = EXPID.replace("FullLP", "LimitedLP")
    packed(described_runs(EXPID, limited_pack), *DATA, "--set", "complete=true")
    assert (here / "out" / f"{limited_pack}.tgz").exists()


def test_packing_an_organizers_file_is_not_called_a_success(here: Path, subgate: Callable[..., Result]) -> None:
    """An ECF is no submission: exit 0 would say that there is something to upload."""
    write_files(here, {"mine.ecf.xml": (DATABASE / "babel106b-v0.2g_conv-dev.ecf.xml").read_bytes()})
    result = subgate("pack", "mine.ecf.xml", "-o", "out")
    assert result.exit_code != 0
    assert not list((here / "out").glob("*"))


def test_an_output_folder_that_cannot_be_is_exit_2(here: Path, subgate: Callable[..., Result]) -> None:
    """-o is needed, and it is a folder or can become one."""
    write_files(here, GOOD)
    assert subgate("pack", RUN).exit_code == 2
    assert subgate("pack", RUN, "-o", "system.txt").exit_code == 2
    assert subgate("pack", RUN, "-o", "system.txt/out").exit_code == 2


def test_the_text_report_names_what_was_packed(here: Path, subgate: Callable[..., Result]) -> None:
    """The last lines have the archive and the digest that sha256sum prints."""
    write_files(here / "upload", GOOD)
    lines = subgate("pack", "upload", *DATA, "-o", "out").output.splitlines()
    digest = hashlib.sha256((here / "out" / f"{EXPID}.tgz").read_bytes()).hexdigest()
    assert lines[-2].startswith(f"packed  out/{EXPID}.tgz (")
    assert lines[-1] == f"        sha256 {digest}"
