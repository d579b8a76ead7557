"""Family: the sections of a system description, found by headings as people write them.

A heading is a line ``Section 3.1 Title``, or ``3.1 Title`` where the title is about the expected one, or the bare
title; letter case, Markdown, and a colon, dot, dash or bracket behind the number do not matter. Of several lines that
could be the heading of a section those count that are most like it, so that a sentence ("Section 3.2 has the times.")
does not take the place of a heading. A heading that stands there twice (in a list of contents, or once for each
system) has all that stands below any of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from validator.suggest import nearest

if TYPE_CHECKING:
    from validator.tables import Description, TextLine

_LONGEST = 300  # characters of a line that can be a heading
_HEADING = (
    r"(?i)(?P<markup>[#*_>\s]{0,40})(?P<word>section\s{1,9}|sec\.?\s{0,9}|§\s{0,9})?"
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})(?P<mark>\s{0,9}[:)\u2013\u2014-])?[.:)\s\u2013\u2014-]{0,20}(?P<title>.*)$"
)
_AROUND = "#*_`:.= \t"  # what may stand around a title
_SMALL_WORDS = frozenset({"and", "or", "of", "the", "for", "a", "to", "in", "on"})


class Section(NamedTuple):
    """A heading that was found, and the lines that belong to it, its own one first."""

    number: str
    heading: TextLine
    body: tuple[TextLine, ...]

    def finds(self, pattern: str) -> bool:
        """Tell whether a pattern occurs in the body."""
        return any(re.search(pattern, line.text) for line in self.body)


@lru_cache(maxsize=4)  # several rules ask for those of the same text
def sections(text: Description, titles: tuple[tuple[str, str], ...]) -> dict[str, Section]:
    """Take a description apart; the sections by their numbers."""
    known = dict(titles)
    ranks: dict[str, dict[int, list[int]]] = {}
    for at, line in enumerate(text.lines):
        found = _heading(line.text[:_LONGEST], known)
        if found is not None:
            ranks.setdefault(found[0], {}).setdefault(found[1], []).append(at)
    best = {number: likely[min(likely)] for number, likely in ranks.items()}
    starts = sorted(at for places in best.values() for at in places)
    stops = dict(pairwise([*starts, len(text.lines)]))
    return {number: _section(number, places, stops, text) for number, places in best.items()}


def _section(number: str, places: list[int], stops: dict[int, int], text: Description) -> Section:
    parts = [text.lines[at : stops[at]] for at in places]
    fullest = max(parts, key=len)
    return Section(number, fullest[0], tuple(line for part in parts for line in part))


def _heading(line: str, titles: dict[str, str]) -> tuple[str, int] | None:
    """Return the section that a line could be the heading of, and how little it looks like it (0 to 5)."""
    match = re.match(_HEADING, line)
    number = match["number"].removesuffix(".0") if match is not None else ""
    if match is not None and number in titles:
        unlikeness = _unlikeness(match, titles[number])
        return None if unlikeness is None else (number, unlikeness)
    bare = _folded(line)
    return next(((known, 5) for known, title in titles.items() if bare == _folded(title)), None)


def _unlikeness(match: re.Match[str], expected: str) -> int | None:
    """Tell how little a numbered line looks like the heading with this title; None: not at all."""
    title = match["title"].strip(_AROUND)
    marked = bool(match["word"] or match["markup"].strip())
    sentence = match["title"].rstrip("*_ \t").endswith((".", ";", ","))
    kinds = (
        _about(title, expected),
        marked and not title,
        match["word"] and match["mark"],
        marked and title[:1].isupper(),
        title and not sentence and (marked or _shares_words(title, expected)),
    )
    return next((rank for rank, fits in enumerate(kinds) if fits), None)


def _about(title: str, expected: str) -> bool:
    """Tell whether a title, or what stands in front of a colon or a dash in it, is nearly the expected one."""
    heads = {title, *(part for part in re.split(r":|\s[-\u2013\u2014]\s|\.{3,}", title, maxsplit=1)[:1])}
    return any(nearest(head.strip(_AROUND).casefold(), [expected.casefold()]) for head in heads)


def _shares_words(title: str, expected: str) -> bool:
    """Tell whether at least half of the words of a title are in the expected one."""
    ours, theirs = _words(title), _words(expected)
    return bool(ours) and 2 * len(ours & theirs) >= len(ours)


def _words(text: str) -> set[str]:
    return {word[:6] for word in re.findall(r"[^\W\d_]{2,}", text.casefold())} - _SMALL_WORDS


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text[:_LONGEST].casefold().replace("(s)", "s")))
