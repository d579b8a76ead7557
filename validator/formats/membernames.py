"""Names of members of an archive: which of them nobody should unpack, and where they lead."""

from __future__ import annotations

import re


def unsafe_name(name: str) -> str:
    """Say what is dangerous about a name; nothing if it is safe."""
    if ".." in name.split("/"):
        return "leads out of the archive (..)"
    if not name.strip("./"):
        return "" if name in (".", "./") else "is empty"
    if name.startswith("/") or re.match(r"^[A-Za-z]:", name):
        return "is an absolute path"
    if "\\" in name:
        return "has a backslash"
    if any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in name):
        return "has control characters or is not UTF-8"
    return ""


def inside(path: str) -> str:
    """Return a path from the top of the archive without dots; what leads out of it stays as it is."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
