"""Files that are there completely or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Write a file that takes its name only when it is complete and on the disk.

    Where the system has unnamed files, a process that is killed leaves no trace; elsewhere it may leave a hidden
    temporary file, never a half-written target.
    """
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        unnamed = _unnamed(target.parent)
        if unnamed is not None:
            with os.fdopen(unnamed, "wb") as stream:
                yield stream
                _settle(stream)
                _name(stream, target, folder)
        else:
            yield from _by_temporary_name(target)
        os.fsync(folder)
    finally:
        os.close(folder)


def _unnamed(folder: Path) -> int | None:
    """Open a file without a name, where the system has them and can name them later."""
    if not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o644)
    except OSError:
        return None


def _name(stream: BinaryIO, target: Path, folder: int) -> None:
    unnamed = f"/proc/self/fd/{stream.fileno()}"
    try:
        os.link(unnamed, target.name, dst_dir_fd=folder)
    except FileExistsError:
        temporary = target.with_name(f".{target.name}.{os.getpid()}")
        temporary.unlink(missing_ok=True)  # a killed process of the same number may have left it
        os.link(unnamed, temporary.name, dst_dir_fd=folder)
        try:
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise


def _by_temporary_name(target: Path) -> Iterator[BinaryIO]:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            _settle(stream)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _settle(stream: BinaryIO) -> None:
    stream.flush()
    os.fchmod(stream.fileno(), 0o644)
    os.fsync(stream.fileno())
