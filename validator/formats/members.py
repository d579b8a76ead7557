"""What is found in a folder or an archive: entries, what is wrong with them, and how much of them there may be.

Nothing in a header is believed: names, types, sizes and the ratio of compression are checked before a byte of content
is used, and every limit is enforced while reading.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zipfile import ZipInfo

    from validator.formats.source import Source

MEMBERS = 10_000
UNPACKED = 16 << 30  # bytes
RATIO = 200  # unpacked bytes for a packed one ...
UNSUSPICIOUS = 32 << 20  # ... looked at from here on
SMALL = 64 << 10  # bytes of a member that is kept while an archive is listed,
KEPT = 32 << 20  # up to so many in all: thousands of small ones must not be decompressed thousands of times


class Trouble(Enum):
    """What can be wrong with an archive or a folder."""

    UNREADABLE = "unreadable"
    NAME = "name"
    LINK = "link"  # to a file of the archive, or a sparse file: whoever unpacks it gets a file
    KIND = "kind"
    TWICE = "twice"
    SIZE = "size"


class ArchiveFault(NamedTuple):
    """Something wrong with an archive or a folder, or with one of its members."""

    trouble: Trouble
    path: str
    message: str


class Listing(NamedTuple):
    """What a folder or an archive holds: files in the order of their names, and what is no plain file.

    ``folders`` are all folders below it, ``hidden`` the entries whose names begin with a dot: nobody looks at them.
    """

    sources: tuple[Source, ...]
    faults: tuple[ArchiveFault, ...]
    folders: tuple[str, ...]
    hidden: tuple[str, ...]
    oddities: tuple[tuple[str, str], ...] = ()


class Entry(NamedTuple):
    """A member as the archive has it: its name, what it is, and where its content is."""

    name: str
    kind: str  # "file", "folder", or what else it is
    size: int
    offset: int = 0
    content: bytes | None = None
    target: str = ""  # of a link, as a path from the top of the archive
    directory: ZipInfo | None = None


class TooLargeError(Exception):
    """An archive is above a limit."""


class DamagedError(Exception):
    """An archive cannot be read to its end."""
