"""Names of members of an archive: which of them nobody should unpack, and where they lead."""

from __future__ import annotations

import re
from unicodedata import category

_INVISIBLE = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control, direction, undecodable, separators of lines
_LONGEST = 4096  # characters; systems open no longer path


def unsafe_name(name: str) -> str:
    """Say what is dangerous about a name; nothing if it is safe."""
    if name in (".", "./"):
        return ""
    reasons = (
        (".." in name.split("/"), "leads out of the archive (..)"),
        (not name.strip("./"), "is empty"),
        (name.startswith("/") or re.match(r"^[A-Za-z]:", name), "is an absolute path"),
        ("\\" in name, "has a backslash"),
        (len(name) > _LONGEST, f"is longer than {_LONGEST} characters"),
        (any(category(char) in _INVISIBLE for char in name[:_LONGEST]), "has control characters or is not UTF-8"),
    )
    return next((words for wrong, words in reasons if wrong), "")


def plain(name: str) -> str:
    """Return a name without what does not change where it leads: single dots, doubled slashes, one at the end."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def inside(path: str) -> str:
    """Return a path from the top of the archive without dots; what leads out of it stays as it is."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
