"""A line on stderr that tells what is being read, for work that takes a while; silent where nobody looks."""

from __future__ import annotations

import os
import sys
from time import monotonic

_PATIENCE_S = 0.5
_STEP_S = 0.1


class Progress:
    """Counts the bytes of each file and shows them on a terminal, beginning after half a second.

    A copy of it may draw in another process; the line is one and the same.
    """

    def __init__(self, *, quiet: bool) -> None:
        silent = quiet or os.environ.get("CI") or os.environ.get("PRE_COMMIT") or os.environ.get("TERM") == "dumb"
        self._shows = sys.stderr.isatty() and not silent
        self._began = self._last = monotonic()
        self._seen: dict[tuple[str, str], int] = {}
        self._drawn = False

    def __call__(self, file: str, count: int, total: int, stage: str = "") -> None:
        """Take note of bytes that were read; without a stage they are read for the first time, or once more."""
        if not self._shows:
            return
        self._seen[file, stage] = self._seen.get((file, stage), 0) + count
        now = monotonic()
        if now - self._began < _PATIENCE_S or now - self._last < _STEP_S:
            return
        self._last = now
        part = self._seen[file, stage]
        if not stage:
            stage, part = ("reading", part) if part <= total else ("locating", part - total)
        share = f"{100 * min(part, total) // max(1, total):3d} %"
        name = file.rsplit("/", 1)[-1].encode("ascii", "replace").decode()
        printable = "".join(char if char.isprintable() else "?" for char in name)
        sys.stderr.write(f"\r\x1b[K{stage} {share} of {total / 1e6:.1f} MB  {printable[:60]}")
        sys.stderr.flush()
        self._drawn = True

    def clear(self, *, elsewhere: bool = False) -> None:
        """Take the line away, also one that was drawn elsewhere."""
        if self._drawn or (elsewhere and self._shows and monotonic() - self._began >= _PATIENCE_S):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False
