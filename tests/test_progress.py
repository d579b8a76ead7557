"""The progress line: bytes, stage and file on a terminal; nothing where nobody looks."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from tests.uploads import EXPID, RUN, big_run, command, environment, good_files, write_files
from validator.cli import progress as module
from validator.cli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLEAR = "\r\x1b[K"
# The first line is due at once and each one after it, so that no test depends on how fast a machine is.
IMPATIENT = "import validator.cli.progress as p; p._PATIENCE_S = p._STEP_S = 0; "
FILES = good_files() | {RUN: big_run(12, 2000)}  # 2 MB: two blocks and a bit


# -- the line itself ---------------------------------------------------------------------------------------------


class _Screen(io.StringIO):
    """A terminal that remembers what was written."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> _Screen:
    """Be a terminal without any variable that asks for silence."""
    for name in ("CI", "PRE_COMMIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown = _Screen()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=shown))
    return shown


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Stop the clock, and set it by hand."""
    now = [1000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])

    def set_to(seconds: float) -> None:
        now[0] = 1000 + seconds

    return set_to


def test_it_appears_after_half_a_second(screen: _Screen, clock: Callable[[float], None]) -> None:
    """Short work shows nothing; long work is told from 0.5 s on."""
    progress = Progress(quiet=False)
    for seconds in (0.0, 0.2, 0.49):
        clock(seconds)
        progress("sub/run.xml", 1_000_000, 4_000_000)
    progress.clear()
    assert screen.getvalue() == ""
    clock(0.5)
    progress("sub/run.xml", 1_000_000, 4_000_000)
    assert screen.getvalue().startswith(CLEAR)


def test_it_tells_bytes_stage_and_file(screen: _Screen, clock: Callable[[float], None]) -> None:
    """How much of how many megabytes of which file was read, and then looked through once more for the places."""
    progress = Progress(quiet=False)
    clock(1)
    progress("sub/run.xml", 1_000_000, 4_000_000)
    assert screen.getvalue().removeprefix(CLEAR) == "reading  25 % of 4.0 MB  run.xml"
    clock(2)
    progress("sub/run.xml", 3_000_000, 4_000_000)
    assert screen.getvalue().rpartition(CLEAR)[2] == "reading 100 % of 4.0 MB  run.xml"
    clock(3)
    progress("sub/run.xml", 2_000_000, 4_000_000)
    assert screen.getvalue().rpartition(CLEAR)[2] == "locating  50 % of 4.0 MB  run.xml"


def test_it_does_not_flicker(screen: _Screen, clock: Callable[[float], None]) -> None:
    """At most ten lines a second, however many blocks are read."""
    progress = Progress(quiet=False)
    for tick in range(1000):
        clock(1 + tick / 1000)
        progress("run.xml", 1, 1000)
    assert 5 <= screen.getvalue().count(CLEAR) <= 11


def test_it_goes_away(screen: _Screen, clock: Callable[[float], None]) -> None:
    """The report begins on a clean line; where nothing was drawn nothing is cleared."""
    progress = Progress(quiet=False)
    progress.clear()
    assert screen.getvalue() == ""
    clock(1)
    progress("run.xml", 1, 2)
    progress.clear()
    assert screen.getvalue().endswith(CLEAR)
    drawn = screen.getvalue()
    progress.clear()
    assert screen.getvalue() == drawn


def test_a_file_name_cannot_drive_the_terminal(screen: _Screen, clock: Callable[[float], None]) -> None:
    """Control and direction characters of a name are not sent, a long one is cut, an empty file is no division by 0."""
    progress = Progress(quiet=False)
    clock(1)
    progress(f"sub/\x1b[2J\u202e\udcff\x9b{'x' * 500}.xml", 0, 0)
    line = screen.getvalue().removeprefix(CLEAR)
    assert line.isascii()
    assert line.isprintable()
    assert 20 < len(line) < 100


@pytest.mark.parametrize("why", ["quiet", "CI", "PRE_COMMIT", "pipe"])
def test_it_is_silent_where_nobody_looks(
    *, why: str, screen: _Screen, clock: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """-q, CI, a pre-commit hook (which may run on a terminal of its own) and a pipe: not a byte."""
    if why.isupper():
        monkeypatch.setenv(why, "1")
    if why == "pipe":
        monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=(screen := _Pipe())))
    progress = Progress(quiet=why == "quiet")
    clock(9)
    progress("run.xml", 1, 2)
    progress.clear()
    assert screen.getvalue() == ""


class _Pipe(_Screen):
    def isatty(self) -> bool:
        return False


# -- the whole command -------------------------------------------------------------------------------------------


def _on_a_terminal(*arguments: str, cwd: Path, **variables: str) -> tuple[str, str]:
    """Run the command with stderr on a terminal and stdout in a pipe; return both."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments, before=IMPATIENT),
        cwd=cwd,
        env=environment(TERM="xterm", **variables),
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        seen = b""
        try:
            while block := os.read(ours, 1 << 16):
                seen += block
        except OSError:  # how Linux says that the other end was closed
            pass
        os.close(ours)
        stdout = process.stdout.read() if process.stdout is not None else b""
    return seen.decode(), stdout.decode()


def _stages(seen: str) -> set[str]:
    """Return the stages that were shown; whatever was shown must be progress lines and nothing else."""
    lines = [line for line in seen.split(CLEAR) if line]
    for line in lines:
        assert re.fullmatch(r"[a-z]+ [ \d]{3} % of \d+\.\d MB  \S+", line)
    return {line.split()[0] for line in lines}


def test_a_check_on_a_terminal_shows_it(tmp_path: Path) -> None:
    """Stage, bytes and file on stderr, taken away at the end; the report on stdout is as it is in a pipe."""
    write_files(tmp_path / "upload", FILES)
    seen, report = _on_a_terminal("check", "upload", cwd=tmp_path)
    assert "reading" in _stages(seen)
    assert f"MB  {EXPID[:20]}" in seen
    assert seen.endswith(CLEAR)
    quiet = subprocess.run(
        command("check", "upload"), cwd=tmp_path, env=environment(), check=True, capture_output=True, text=True
    )
    assert (quiet.stdout, quiet.stderr) == (report, "")


def test_looking_for_places_is_a_stage_of_its_own(tmp_path: Path) -> None:
    """A file with findings is read twice, and the line says which time it is."""
    spoiled = FILES[RUN].replace(b'decision="YES"', b'decision="yes"', 5)
    write_files(tmp_path / "upload", FILES | {RUN: spoiled + b"<!-- " + b"x" * 2_000_000 + b" -->"})
    seen, _ = _on_a_terminal("check", "upload", cwd=tmp_path)
    assert _stages(seen) == {"reading", "locating"}


def test_packing_is_a_stage_of_its_own(tmp_path: Path) -> None:
    """Compressing takes the longest part of a pack: it is told, too."""
    write_files(tmp_path / "upload", FILES)
    seen, _ = _on_a_terminal("pack", "upload", "-o", "out", cwd=tmp_path)
    assert {"reading", "packing"} <= _stages(seen)


def test_several_paths_show_it_as_well(tmp_path: Path) -> None:
    """Many submissions are the longest work of all."""
    for name in ("one", "two"):
        write_files(tmp_path / name, FILES)
    seen, _ = _on_a_terminal("check", "one", "two", cwd=tmp_path)
    assert "reading" in _stages(seen)


@pytest.mark.parametrize("why", ["-q", "CI", "PRE_COMMIT"])
@pytest.mark.parametrize("verb", ["check", "pack"])
def test_it_is_silent_on_a_terminal_when_asked(why: str, verb: str, tmp_path: Path) -> None:
    """-q, CI and pre-commit, which gives its hooks a terminal when it is asked for colours."""
    write_files(tmp_path / "upload", FILES)
    arguments = [verb, "upload", *(["-o", "out"] if verb == "pack" else []), *([why] if why == "-q" else [])]
    variables = {why: "1"} if why != "-q" else {}
    seen, report = _on_a_terminal(*arguments, cwd=tmp_path, **variables)
    assert seen == ""
    assert "ACCEPTED" in report


@pytest.mark.parametrize("verb", ["check", "pack"])
def test_it_is_silent_in_pipes(verb: str, tmp_path: Path) -> None:
    """In a pipe stderr stays empty, however long it takes."""
    write_files(tmp_path / "upload", FILES)
    line = command(verb, "upload", *(["-o", "out"] if verb == "pack" else []), before=IMPATIENT)
    result = subprocess.run(line, cwd=tmp_path, env=environment(), check=True, capture_output=True)
    assert result.stderr == b""


def test_a_dumb_terminal_gets_no_escape_codes(tmp_path: Path) -> None:
    """TERM=dumb cannot clear a line: better nothing than rubbish."""
    write_files(tmp_path / "upload", FILES)
    ours, theirs = pty.openpty()
    line = command("check", "upload", before=IMPATIENT)
    with subprocess.Popen(
        line, cwd=tmp_path, env=environment(TERM="dumb"), stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        process.wait()
    os.write(theirs, b".")  # so that there is something to read
    seen = os.read(ours, 1 << 16)
    os.close(ours)
    os.close(theirs)
    assert b"\x1b" not in seen
