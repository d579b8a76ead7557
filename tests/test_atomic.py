"""Files that are complete or not there: with unnamed files and, where there are none, with a temporary name."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from validator.atomic import replacing

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(params=["unnamed", "temporary", "refused"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Take each way: unnamed files, a system without them, a file system that refuses them."""
    chosen = str(request.param)
    if chosen == "temporary":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    if chosen == "refused":
        real = os.open

        def refuse(path: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP), str(path))
            return real(path, flags, mode)

        monkeypatch.setattr(os, "open", refuse)
    return chosen


@pytest.mark.usefixtures("way")
def test_the_file_is_there_when_it_is_complete(tmp_path: Path) -> None:
    """While it is written nobody sees its name; then it has its whole content, and nothing else is left."""
    target = tmp_path / "file"
    with replacing(target) as stream:
        stream.write(b"first half, ")
        stream.flush()
        assert not target.exists()
        stream.write(b"second half")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"first half, second half"}


@pytest.mark.usefixtures("way")
def test_an_older_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """Until the new file is complete the old one is there; who has it open keeps it."""
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with target.open("rb") as reader:
        with replacing(target) as stream:
            stream.write(b"new and longer")
            stream.flush()
            assert target.read_bytes() == b"old"
        assert reader.read() == b"old"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"new and longer"}


def _fail_in_the_middle(target: Path, error: type[BaseException]) -> None:
    with replacing(target) as stream:
        stream.write(b"half")
        raise error


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("older", [None, b"old"], ids=["new", "older"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_everything_as_it_was(older: bytes | None, error: type[BaseException], tmp_path: Path) -> None:
    """An exception of any kind in the middle of writing: no file, or the older one; no remains of any name."""
    target = tmp_path / "file"
    if older is not None:
        target.write_bytes(older)
    with pytest.raises(error):
        _fail_in_the_middle(target, error)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([older] if older is not None else [])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("step", ["fsync", "fchmod", "link", "replace"])
def test_a_full_disk_leaves_everything_as_it_was(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever step the system refuses: the older file stays, the error is told, nothing else is left."""
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    told = 0
    with monkeypatch.context() as broken:
        broken.setattr(os, step, full)
        if step == "replace":
            broken.setattr(Path, "replace", full)
        try:
            with replacing(target) as stream:
                stream.write(b"new")
        except OSError as error:
            told = error.errno or 0
    assert told in (errno.ENOSPC, 0)  # 0: this way does not take that step
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"old" if told else b"new"}


def _recorded(monkeypatch: pytest.MonkeyPatch, name: str, steps: list[str]) -> None:
    real: Callable[..., object] = getattr(os, name)

    def record(*arguments: object, **options: object) -> object:
        kind = ""
        if name == "fsync" and isinstance(arguments[0], int):
            kind = " folder" if stat.S_ISDIR(os.fstat(arguments[0]).st_mode) else " file"
        steps.append(f"{name}{kind}")
        return real(*arguments, **options)

    monkeypatch.setattr(os, name, record)


def test_the_content_is_on_the_disk_before_the_name(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order that survives a power cut: the file's bytes, then its name, then the folder."""
    steps: list[str] = []
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        steps.append("name")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    for name in ("fsync", "link"):
        _recorded(monkeypatch, name, steps)
    with replacing(tmp_path / "file") as stream:
        stream.write(b"content")
    assert steps == ["fsync file", "link" if way == "unnamed" else "name", "fsync folder"]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_the_mode_does_not_depend_on_the_umask(mask: int, tmp_path: Path) -> None:
    """Uploads and reports are for others to read: 0644 under any umask."""
    before = os.umask(mask)
    try:
        with replacing(tmp_path / "file") as stream:
            stream.write(b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


@pytest.mark.usefixtures("way")
def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """What a link of the target's name points at is not written to."""
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (tmp_path / "file").symlink_to("elsewhere")
    with replacing(tmp_path / "file") as stream:
        stream.write(b"new")
    assert (tmp_path / "elsewhere").read_bytes() == b"precious"
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.usefixtures("way")
def test_what_a_killed_process_of_the_same_number_left_is_no_obstacle(tmp_path: Path) -> None:
    """Process numbers come again, in containers at once: a hidden file of an earlier process does not stop this one."""
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / f".file.{os.getpid()}").write_bytes(b"left over")
    with replacing(tmp_path / "file") as stream:
        stream.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.usefixtures("way")
def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """No folder is made in passing; the error names it."""
    with pytest.raises(FileNotFoundError, match="nowhere"), replacing(tmp_path / "nowhere" / "file"):
        pytest.fail("there is nowhere to write")
    assert list(tmp_path.iterdir()) == []


_WRITER = """
import sys
from pathlib import Path
from validator.atomic import replacing
for _ in range(100):
    with replacing(Path(sys.argv[1])) as stream:
        stream.write(sys.argv[2].encode() * 100_000)
"""


def test_two_writers_never_mix(tmp_path: Path) -> None:
    """Two processes that replace one file again and again: every reader sees the whole of one of them."""
    target = tmp_path / "file"
    line = [sys.executable, "-c", _WRITER, str(target)]
    with subprocess.Popen([*line, "a"]) as one, subprocess.Popen([*line, "b"]) as other:
        seen = set()
        while one.poll() is None or other.poll() is None:
            if target.exists():
                seen.add(target.read_bytes())
    assert (one.returncode, other.returncode) == (0, 0)
    assert seen | {target.read_bytes()} <= {b"a" * 100_000, b"b" * 100_000}
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
