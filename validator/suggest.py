"""Words for messages: values in quotes, and the nearest legal value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def quoted(text: str, limit: int = 60) -> str:
    """Put a value of a submission in quotes, cut at 60 characters; an empty one is called so."""
    if not text:
        return "empty"
    return f'"{text}"' if len(text) <= limit else f'"{text[: limit - 1]}…"'


def nearest(text: str, known: Iterable[str]) -> str | None:
    """Return the known value that was most likely meant, if one is near enough."""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors pay for it

    known = list(known)
    folded = {value.casefold(): value for value in known}
    if text.casefold() in folded:
        return folded[text.casefold()]
    close = get_close_matches(text[:200], known[:5000], n=1, cutoff=0.6)
    return close[0] if close else None


def surely(text: str, known: Iterable[str]) -> str | None:
    """Return the one known value that differs only in letter case, in zeros of a number, or in blanks and hyphens."""
    known = list(known)
    for core in (_without_zeros, _without_gaps):
        same = [value for value in known if core(value) == core(text)]
        if len(same) == 1 and core(text):
            return same[0]
    return None


def _without_zeros(text: str) -> str:
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", text[:1000].casefold().strip())


def _without_gaps(text: str) -> str:
    return re.sub(r"[\s_-]+", "", text[:1000].casefold())
