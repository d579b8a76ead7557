"""A line on stderr that tells what is being read, for work that takes a while; silent where nobody looks."""

from __future__ import annotations

import os
import sys
from time import monotonic

_PATIENCE_S = 0.5
_STEP_S = 0.1


class Progress:
    """Counts the bytes of each file and shows them on a terminal, beginning after half a second."""

    def __init__(self, *, quiet: bool) -> None:
        self._shows = sys.stderr.isatty() and not quiet and not os.environ.get("CI")
        self._began = self._last = monotonic()
        self._seen: dict[str, int] = {}
        self._drawn = False

    def __call__(self, file: str, count: int, total: int) -> None:
        """Take note of bytes that were read."""
        if not self._shows:
            return
        self._seen[file] = self._seen.get(file, 0) + count
        now = monotonic()
        if now - self._began < _PATIENCE_S or now - self._last < _STEP_S:
            return
        self._last = now
        done = self._seen[file]
        stage, part = ("reading", done) if done <= total else ("locating", done - total)
        share = f"{100 * min(part, total) // max(1, total):3d} %"
        name = file.rsplit("/", 1)[-1].encode("ascii", "replace").decode()
        printable = "".join(char if char.isprintable() else "?" for char in name)
        sys.stderr.write(f"\r\x1b[K{stage} {share} of {total / 1e6:.1f} MB  {printable[:60]}")
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False
