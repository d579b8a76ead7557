"""A pack that is killed: nothing, or complete files; never half of one, under whatever name."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.uploads import EXPID, big_run, command, environment, good_files, limited, tree, write_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

ARCHIVE = f"{EXPID}.tgz"
NAMES = {ARCHIVE, f"{ARCHIVE}.sha256", f"{ARCHIVE}.receipt.json"}
MOMENTS = 30
GOOD = good_files()
BIG = GOOD | {f"{EXPID}.kwslist.xml": big_run(30, 400)}  # 1 MB: reading, packing and reading again take their time
# Packs again and again, each time in a child process that is killed right before its n-th step of settling, naming or
# renaming a file, until one gets to its end; prints how each of them ended.
_DRIVER = """
import os, pathlib, signal, sys
from validator.cli import main
from validator import engine, packing
left = [0]
def armed(real):
    def step(*arguments, **options):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    return step
for name in ("fsync", "link", "fchmod", "replace", "rename"):
    setattr(os, name, armed(getattr(os, name)))
pathlib.Path.replace = armed(pathlib.Path.replace)
for n in range(40):
    child = os.fork()
    if not child:
        left[0] = n
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        main(["pack", "upload", "-o", f"out-{n}"])
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status))
    if status == 0:
        break
"""


def _unnamed_files(folder: Path) -> bool:
    """Tell whether the file system has files without a name; where it has not, hidden remains cannot be helped."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except (AttributeError, OSError):
        return False
    return True


def _packed(home: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Pack files in peace: what there has to be at the end."""
    write_files(home / "upload", files)
    result = limited("pack", "upload", "-o", "out", cwd=home)
    assert result.returncode == 0
    whole = tree(home / "out")
    assert set(whole) == NAMES
    return whole


def _only_whole_files(folder: Path, *wholes: dict[str, bytes]) -> set[str]:
    """Assert that every file in a folder is a complete one; return the names that are there."""
    there = tree(folder) if folder.is_dir() else {}
    for name, content in there.items():
        if name.startswith(".") and not _unnamed_files(folder):
            continue
        # The second name that a complete file has for a moment, where it replaces an older one.
        plain = next((known for known in sorted(NAMES, key=len, reverse=True) if name.startswith(f".{known}.")), name)
        assert content in [whole[plain] for whole in wholes]
    return set(there) & NAMES


@pytest.mark.parametrize("older", [False, True], ids=["new", "over-an-older-one"])
def test_a_kill_at_any_moment_leaves_nothing_or_complete_files(
    *, older: bool, tmp_path: Path, subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL at random moments of a pack (thirty in both tests together): each file that is there is complete."""
    old = _packed(tmp_path / "old", GOOD) if older else None
    home = tmp_path / "home"
    began = time.monotonic()
    whole = _packed(home, BIG)
    took = time.monotonic() - began
    monkeypatch.chdir(home)
    chance = random.Random(20130401 + older)  # noqa: S311 - moments, not secrets
    moments = sorted(chance.uniform(0, took) for _ in range(MOMENTS // 2))
    for rank, moment in enumerate(moments):
        out = home / f"out-{rank}"
        if old is not None:
            write_files(out, old)
        line = command("pack", "upload", "-o", out.name)
        with subprocess.Popen(line, cwd=home, env=environment(), stdout=subprocess.DEVNULL) as process:
            time.sleep(moment)
            process.kill()
        there = _only_whole_files(out, whole, *([old] if old is not None else []))
        if ARCHIVE in there:
            assert subgate("check", f"{out.name}/{ARCHIVE}").exit_code == 0
        if there == NAMES and tree(out) in (whole, old):
            assert subgate("verify", f"{out.name}/{ARCHIVE}").exit_code == 0


@pytest.mark.parametrize("older", [False, True], ids=["new", "over-an-older-one"])
def test_a_kill_before_each_step_leaves_nothing_or_complete_files(
    *, older: bool, tmp_path: Path, subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before every fsync, link, chmod and rename: never half a file; and the same command then completes the work.

    A receipt or a .sha256 is never there without the archive that it speaks of.
    """
    old = _packed(tmp_path / "old", {name: text + b"\n" for name, text in GOOD.items()}) if older else None
    home = tmp_path / "home"
    whole = _packed(home, GOOD)
    monkeypatch.chdir(home)
    for step in range(40):
        write_files(home / f"out-{step}", old or {})
    line = [sys.executable, "-c", _DRIVER]
    driven = subprocess.run(line, cwd=home, env=environment(), check=True, capture_output=True, text=True)
    codes = [int(code) for code in driven.stdout.split()]
    states = []
    for step in range(len(codes)):
        out = home / f"out-{step}"
        _only_whole_files(out, whole, *([old] if old is not None else []))
        states.append(tree(out) if out.is_dir() else {})
        assert ARCHIVE in states[-1] or not states[-1]
        assert subgate("pack", "upload", "-o", out.name).exit_code == 0
        assert {name: content for name, content in tree(out).items() if name in NAMES} == whole
    assert codes == [-9] * (len(codes) - 1) + [0]
    assert len(codes) > 9  # three files with at least an fsync, a name and an fsync of the folder each
    assert (states[0], states[-1]) == (old or {}, whole)


def test_an_archive_that_fails_its_own_check_does_not_stay(
    tmp_path: Path, subgate: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If what was written does not pass again, that is a bug of ours (exit 3), and nothing is left to be uploaded."""
    import zlib  # noqa: PLC0415 - this test only

    class _Broken:
        """A compressor that loses a byte, as bad memory or a bad disk would."""

        def __init__(self, real: zlib._Compress) -> None:
            self._real = real

        def compress(self, data: bytes) -> bytes:
            return self._real.compress(data)

        def flush(self) -> bytes:
            return self._real.flush()[:-9]

    real = zlib.compressobj

    def broken(level: int, method: int, window: int) -> _Broken:
        return _Broken(real(level, method, window))

    write_files(tmp_path / "upload", GOOD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("validator.packing.zlib.compressobj", broken)
    result = subgate("pack", "upload", "-o", "out")
    assert result.exit_code == 3
    assert "bug of subgate" in result.output
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []
