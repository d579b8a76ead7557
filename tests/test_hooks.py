"""The pre-commit hooks, run by the real pre-commit in throw-away git repositories; nothing is fetched from anywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.uploads import DATABASE, EXPID, RUN, environment, good_files, tree, write_files

if TYPE_CHECKING:
    from collections.abc import Callable

MANIFEST = Path(__file__).parents[1] / ".pre-commit-hooks.yaml"
GOOD = good_files()
BAD = GOOD[RUN].replace(b'tbeg="3.10"', b'tbeg="3,10"')


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return variables under which git and pre-commit know nothing of this machine and find our command."""
    home = tmp_path_factory.mktemp("home")
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()}
    plain = {name: value for name, value in environment().items() if not name.startswith("GIT_")}
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{plain['PATH']}"
    settings = {"HOME": str(home), "PRE_COMMIT_HOME": str(home / "cache"), "GIT_CONFIG_NOSYSTEM": "1", "PATH": path}
    return {**plain, **names, **settings, "PRE_COMMIT_COLOR": "never", "GIT_CONFIG_GLOBAL": os.devnull}


_WHO = {"NAME": "Team A", "EMAIL": "desk@example.org"}


@pytest.fixture(scope="module")
def run(surroundings: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a program in a folder; its output is one text."""

    def call(cwd: Path, *line: str, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            line,
            cwd=cwd,
            env={**surroundings, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=60,
        )
        assert not check or done.returncode == 0, done.stdout
        return done

    return call


@pytest.fixture(scope="module")
def hooks(
    tmp_path_factory: pytest.TempPathFactory, run: Callable[..., subprocess.CompletedProcess[str]]
) -> tuple[Path, str]:
    """Return a git repository with our manifest and its revision; the hooks run the installed command.

    ``language: system`` instead of ``python``: pre-commit would otherwise build an environment, from the network.
    """
    repository = tmp_path_factory.mktemp("hooks")
    text = MANIFEST.read_text(encoding="utf-8")
    assert text.count("language: python") == text.count("- id: ")
    write_files(repository, {MANIFEST.name: text.replace("language: python", "language: system").encode()})
    run(repository, "git", "init", "-q")
    run(repository, "git", "add", ".")
    run(repository, "git", "commit", "-q", "-m", "hooks")
    return repository, run(repository, "git", "rev-parse", "HEAD").stdout.strip()


@pytest.fixture
def team(
    tmp_path: Path, hooks: tuple[Path, str], run: Callable[..., subprocess.CompletedProcess[str]]
) -> Callable[[str], Path]:
    """Make a team's repository with one of the hooks installed, as its README says."""

    def make(hook: str) -> Path:
        repository, revision = hooks
        config = f"repos:\n- repo: {repository}\n  rev: {revision}\n  hooks:\n{hook}"
        place = write_files(tmp_path / "team", {".pre-commit-config.yaml": config.encode()})
        run(place, "git", "init", "-q")
        run(place, sys.executable, "-m", "pre_commit", "install")
        run(place, "git", "add", ".")
        run(place, "git", "commit", "-q", "-m", "begin")
        return place

    return make


SINGLE = "  - id: subgate-check\n"
WHOLE = "  - id: subgate-submission\n    args: [submission/, --data, IndusDB/]\n"


def _committed(place: Path, run: Callable[..., subprocess.CompletedProcess[str]]) -> int:
    return int(run(place, "git", "rev-list", "--count", "HEAD").stdout)


def _commit(
    place: Path, files: dict[str, bytes], run: Callable[..., subprocess.CompletedProcess[str]]
) -> subprocess.CompletedProcess[str]:
    write_files(place, files)
    run(place, "git", "add", ".")
    return run(place, "git", "commit", "-m", "results", check=False)


def test_the_manifest_is_valid(run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    """``pre-commit validate-manifest`` has nothing to say, not even a warning."""
    done = run(tmp_path, sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST))
    assert done.stdout == ""


def test_a_bad_file_blocks_the_commit_with_a_readable_message(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The commit fails; the output has rule, file, line, reason and fix, without colour codes or a traceback."""
    place = team(SINGLE)
    done = _commit(place, {f"results/{RUN}": BAD}, run)
    assert done.returncode == 1
    assert _committed(place, run) == 1
    assert re.search(r"subgate check\.+Failed", done.stdout)
    assert 'error[XML207 wrong-type]: tbeg is not a decimal number: "3,10"' in done.stdout
    assert f"--> results/{RUN}:4:" in done.stdout
    assert " fix: write 3.10" in done.stdout
    assert "REJECTED  XML207 x1" in done.stdout
    assert "Traceback" not in done.stdout
    assert "\x1b" not in done.stdout


def test_a_good_file_passes(team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The commit succeeds, and the file is what it was."""
    place = team(SINGLE)
    done = _commit(place, {f"results/{RUN}": GOOD[RUN]}, run)
    assert re.search(r"subgate check\.+Passed", done.stdout)
    assert (done.returncode, _committed(place, run)) == (0, 2)
    assert (place / "results" / RUN).read_bytes() == GOOD[RUN]


def test_a_mended_file_passes(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Blocked, mended, committed: the way that a participant goes."""
    place = team(SINGLE)
    assert _commit(place, {RUN: BAD}, run).returncode == 1
    assert _commit(place, {RUN: GOOD[RUN]}, run).returncode == 0


def test_one_bad_file_among_good_ones_is_named(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Several files in one commit: all are checked, the bad one is named, nothing is committed."""
    place = team(SINGLE)
    files = {f"{EXPID.replace('p-word', f'c-sys{rank}')}.kwslist.xml": GOOD[RUN] for rank in range(5)}
    done = _commit(place, files | {RUN: BAD}, run)
    assert (done.returncode, _committed(place, run)) == (1, 1)
    assert f"--> {RUN}:4:" in done.stdout
    assert done.stdout.count("ACCEPTED") == 5


def test_other_files_do_not_wake_the_hook(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A commit without submission files is none of our business."""
    done = _commit(team(SINGLE), {"notes.md": b"later", "data.xml": b"<x"}, run)
    assert re.search(r"subgate check.*Skipped", done.stdout)
    assert done.returncode == 0


def test_a_file_that_is_not_utf_8_reaches_the_hook(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """UTF-16 looks binary to pre-commit; it is refused by us instead of being passed over."""
    done = _commit(team(SINGLE), {RUN: GOOD[RUN].decode().replace("UTF-8", "UTF-16").encode("utf-16")}, run)
    assert (done.returncode, "KWS214" in done.stdout) == (1, True)


@pytest.mark.parametrize("suffix", [".kwslist.xml", ".kwslist2.xml", ".kwslst.xml", ".KWSLIST.XML", ".ctm"])
def test_the_hook_sees_every_kind_of_run(suffix: str) -> None:
    """Runs under all endings that check would judge, the plan's own misprint and capitals included."""
    (pattern,) = re.findall(r"id: subgate-check\n(?:  .*\n)*?  files: '(.*)'", MANIFEST.read_text(encoding="utf-8"))
    assert re.search(pattern, f"results/{EXPID}{suffix}")
    for other in (".kwlist.xml", ".ecf.xml", ".rttm", ".kwslist.xml.bak"):
        assert not re.search(pattern, f"results/{EXPID}{other}")


def test_no_hook_changes_files() -> None:
    """The hooks judge; none of them repairs."""
    text = MANIFEST.read_text(encoding="utf-8")
    assert re.findall(r"- id: (.*)", text) == ["subgate-check", "subgate-submission"]
    assert "--fix" not in text


# -- the whole folder --------------------------------------------------------------------------------------------


def test_the_folder_hook_judges_the_whole_submission(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A description without its search section blocks the commit, also when only the run was changed."""
    place = team(WHOLE)
    write_files(place / "IndusDB", tree(DATABASE))
    text = GOOD["system.txt"].replace(b"Section 3.2 Search\n", b"")
    done = _commit(place, {f"submission/{RUN}": GOOD[RUN], "submission/system.txt": text}, run)
    assert (done.returncode, _committed(place, run)) == (1, 1)
    assert re.search(r"subgate whole submission\.+Failed", done.stdout)
    assert 'error[KWS602 missing-section]: the description has no "Section 3.2 Search"' in done.stdout
    assert "--> submission/system.txt:" in done.stdout
    done = _commit(place, {"submission/system.txt": GOOD["system.txt"]}, run)
    assert re.search(r"subgate whole submission\.+Passed", done.stdout)
    assert (done.returncode, _committed(place, run)) == (0, 2)


def test_the_folder_hook_holds_runs_against_the_database(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A keyword that is missing can only be told with the organizers' list: the hook's arguments arrive."""
    place = team(WHOLE)
    write_files(place / "IndusDB", tree(DATABASE))
    short = re.sub(rb' *<detected_kwlist kwid="KW106-00002".*/>\n', b"", GOOD[RUN])
    done = _commit(place, {f"submission/{RUN}": short}, run)
    assert (done.returncode, "error[KWS304 missing-keyword]" in done.stdout) == (1, True)


def test_try_repo_works_as_documented(
    tmp_path: Path, hooks: tuple[Path, str], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """``pre-commit try-repo`` runs both hooks without any configuration."""
    place = write_files(tmp_path / "team", {RUN: BAD})
    run(place, "git", "init", "-q")
    run(place, "git", "add", ".")
    line = (sys.executable, "-m", "pre_commit", "try-repo", str(hooks[0]), "subgate-check", "--files", RUN)
    done = run(place, *line, check=False)
    assert (done.returncode, "error[XML207 wrong-type]" in done.stdout) == (1, True)
    write_files(place, {RUN: GOOD[RUN]})
    assert run(place, *line).returncode == 0


def test_a_hook_in_colour_shows_no_progress(
    team: Callable[[str], Path], run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """With colours pre-commit gives its hooks a terminal of their own: the progress line must not get into its log."""
    place = team(SINGLE)
    impatient = "import validator.cli.progress as p; p._PATIENCE_S = p._STEP_S = 0"
    site = write_files(place / ".site", {"sitecustomize.py": f"{impatient}\n".encode()})
    write_files(place, {RUN: BAD})
    run(place, "git", "add", RUN)
    line = (sys.executable, "-m", "pre_commit", "run", "--color", "always", "--hook-stage", "pre-commit")
    done = run(place, *line, check=False, PYTHONPATH=str(site))
    assert "error[XML207 wrong-type]" in done.stdout
    assert "reading" not in done.stdout
