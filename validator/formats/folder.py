"""Folders as submissions: listed without following links, to a depth and number that a submission can have."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from validator.formats.members import MEMBERS, ArchiveFault, Listing, Trouble
from validator.formats.source import FileSource

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 100
_KINDS = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def listing(path: Path, shown: str) -> Listing:
    """List the files of a folder and all that is no plain file; what is in hidden folders is no part of it."""
    sources: list[FileSource] = []
    folders: list[str] = []
    hidden: list[str] = []
    oddities: list[tuple[str, str]] = []
    faults: list[ArchiveFault] = []
    for rank, entry in enumerate(_walk(path)):
        name = f"{shown}/{Path(entry.path).relative_to(path).as_posix()}"
        if rank >= MEMBERS:
            faults.append(ArchiveFault(Trouble.SIZE, shown, f"the folder has more than {MEMBERS} files"))
            break
        kind = _kind(entry, name.count("/") - shown.count("/"))
        if entry.name.startswith("."):
            hidden.append(name)
        elif kind == "folder":
            folders.append(name)
        elif kind == "file":
            sources.append(FileSource(name, Path(entry.path), entry.stat(follow_symlinks=False).st_size))
        else:
            oddities.append((name, kind))
    ordered = tuple(sorted(sources, key=lambda source: source.name))
    return Listing(ordered, tuple(faults), tuple(sorted(folders)), tuple(sorted(hidden)), tuple(sorted(oddities)))


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Give all entries below a folder; of folders that cannot be read, or are nested too deeply, none."""
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        try:
            with os.scandir(place) as opened:
                entries = sorted(opened, key=lambda entry: entry.name)
        except OSError:
            if place == folder:
                raise
            continue
        yield from entries
        inner = (entry for entry in entries if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."))
        waiting += [(Path(entry.path), depth + 1) for entry in inner] if depth < _DEPTH else []


def _kind(entry: os.DirEntry[str], depth: int) -> str:
    """Say what an entry is: "file", "folder", or why it can be neither."""
    if entry.is_dir(follow_symlinks=False):
        if depth > _DEPTH:
            return f"nested in more than {_DEPTH} folders"
        return "folder" if os.access(entry.path, os.R_OK | os.X_OK) else "a folder that may not be read"
    if entry.is_file(follow_symlinks=False):
        return "file" if os.access(entry.path, os.R_OK) else "a file that may not be read"
    return f"{_KINDS.get(stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode), 'a device')}, not a plain file"
