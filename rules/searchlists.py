"""Family: result lists of keyword search under either family of names: coverage, duplicates, decisions, header.

Every function yields defects; the rules of an evaluation name, code and explain them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, sampled
from validator.suggest import nearest, quoted, surely

from .kwsopen import content, detections, header, in_list, kwlist, row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from validator.submission import OpenRun
    from validator.tables import DetectedList, Flags

FILL_IN = "FILL-IN"


def unknown_keywords(opened: OpenRun) -> Iterator[Defect]:
    """Find lists for something that nobody asked for."""
    meant, names = opened.once(misspelt), content(opened).dialect
    known = {keyword.kwid for keyword in kwlist(opened).keywords}
    absent = sorted(known - {detected.kwid for detected in content(opened).table.lists})
    for detected in content(opened).table.lists:
        if detected.kwid in known:
            continue
        sure = meant.get(detected.kwid)
        guess = sure or nearest(detected.kwid, absent)
        also = f"; {sure} is, and has no list here" if sure else ""
        message = f"{names.id} {{value}} is not in the {names.listed}{also}"
        label = f"did you mean {guess}?" if guess else ""
        yield Defect(in_list(opened, detected, names.id), message, f"write {sure}" if sure else "", label)


def misspelt(opened: OpenRun) -> dict[str, str]:
    """Return for unknown ids the missing one that was surely meant."""
    known = {keyword.kwid for keyword in kwlist(opened).keywords}
    have = {detected.kwid for detected in content(opened).table.lists}
    absent, unknown = sorted(known - have), sorted(have - known)
    if not absent:
        return {}
    pairs = ((kwid, surely(kwid, absent)) for kwid in unknown)
    return {kwid: guess for kwid, guess in pairs if guess is not None}


def missing_keywords(opened: OpenRun, misspelt_code: str) -> Iterator[Defect]:
    """Find what was asked for and has no list; one that was surely misspelt follows from that."""
    names, meant = content(opened).dialect, set(opened.once(misspelt).values())
    have = {detected.kwid for detected in content(opened).table.lists}
    for keyword in kwlist(opened).keywords:
        if keyword.kwid not in have:
            text = keyword.text.strip()
            words = "" if text == keyword.kwid else f" {quoted(text)}"
            message = f"{names.item} {keyword.kwid}{words} of the {names.listed} has no {names.lists}"
            attributes = f'{names.id}="{keyword.kwid}" {names.search_time}="0" {names.oov_count}="NA"'
            ends = f"></{names.lists}>" if names.plain else "/>"
            hint = f"add <{names.lists} {attributes}{ends}"
            follows = (misspelt_code,) if keyword.kwid in meant else ()
            yield Defect(header(opened), message, hint, follows=follows)


def repeated_keywords(opened: OpenRun) -> Iterator[Defect]:
    """Find second lists for the same thing."""
    names = content(opened).dialect
    first: dict[str, DetectedList] = {}
    for detected in content(opened).table.lists:
        earlier = first.setdefault(detected.kwid, detected)
        if earlier is not detected:
            message = f"a second {names.lists} for {{value}}; the first is at {{other}}"
            where, other = (in_list(opened, one, names.id) for one in (detected, earlier))
            yield Defect(where, message, other=other)


def repeated_rows(opened: OpenRun, key: NDArray[np.uint64], rows: NDArray[np.intp]) -> Iterator[Defect]:
    """Find rows whose key another row had before."""
    if not len(key):
        return
    order = np.argsort(key)
    same = key[order[1:]] == key[order[:-1]]
    several = np.sort(order[np.append(same, False) | np.append(False, same)])
    _, first, number = np.unique(key[several], return_index=True, return_inverse=True)
    earlier = several[first[number]]
    for at, count in sampled(np.flatnonzero(several != earlier)):
        message = "the same detection again; it is at {other} already"
        before = row(opened, int(rows[earlier[at]]))
        yield Defect(row(opened, int(rows[several[at]])), message, count=count, other=before)


def mixed(key: NDArray[np.uint64], *columns: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Mix more columns into a 64-bit key of each row."""
    for column in columns:
        key = (key ^ column.astype(np.uint64, copy=False)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(32)
    return key


def flagged(opened: OpenRun, rows: Flags, attribute: str, message: str) -> Iterator[Defect]:
    """Report rows, the first ones in full."""
    for at, count in sampled(np.flatnonzero(rows)):
        yield Defect(row(opened, at, attribute), message, count=count)


def other_language(opened: OpenRun) -> Iterator[Defect]:
    """Compare the language of the header with that of the list."""
    expected = kwlist(opened).language
    if content(opened).table.language.casefold() != expected.casefold():
        message = f"language is {{value}}; the {content(opened).dialect.listed} has {quoted(expected)}"
        yield Defect(header(opened, "language"), message, f"write {expected}")


def too_many_unknown_words(opened: OpenRun) -> Iterator[Defect]:
    """Compare the number of out-of-vocabulary words with that of all words."""
    names = content(opened).dialect
    words = {keyword.kwid: len(keyword.text.split()) for keyword in kwlist(opened).keywords}
    for detected in content(opened).table.lists:
        most = words.get(detected.kwid)
        if most is not None and detected.oov_count is not None and detected.oov_count > most:
            message = f"{names.oov_count} is {{value}}, but the {names.item} has {most} word{'s' if most != 1 else ''}"
            yield Defect(in_list(opened, detected, names.oov_count), message)


def negative_search_times(opened: OpenRun) -> Iterator[Defect]:
    """Find search times below zero."""
    name = content(opened).dialect.search_time
    for detected in content(opened).table.lists:
        if detected.search_time_s < 0:
            yield Defect(in_list(opened, detected, name), f"{name} is {{value}}; it should not be negative")


def crossed_decisions(opened: OpenRun) -> Iterator[Defect]:
    """Find a NO that scores above a YES."""
    table = detections(opened)
    usable = table.valid & ~np.isnan(table.score)
    yes, no = np.flatnonzero(usable & table.yes), np.flatnonzero(usable & ~table.yes)
    if not len(yes) or not len(no):
        return
    low, high = int(yes[table.score[yes].argmin()]), int(no[table.score[no].argmax()])
    if table.score[high] > table.score[low]:
        count = int((table.score[no] > table.score[low]).sum())
        lowest, highest = float(table.score[low]), float(table.score[high])
        message = f"a NO scores {highest:g}, above a YES with {lowest:g} at {{other}}"
        yield Defect(row(opened, high, "score"), message, count=count, other=row(opened, low))


def one_decision(opened: OpenRun, *, yes: bool) -> Iterator[Defect]:
    """Tell when all detections have the same decision."""
    table, word = detections(opened), "YES" if yes else "NO"
    if len(table) and bool((table.valid & (table.yes == yes)).all()):  # of a row that is refused nobody knows
        text = f"all {len(table)} decisions are {word}" if len(table) > 1 else f"the only decision is {word}"
        yield Defect(header(opened), text)


def unfilled(opened: OpenRun) -> Iterator[Defect]:
    """Find what is left of the skeleton in the header."""
    table = content(opened).table
    filled = ((content(opened).dialect.list_name, table.kwlist_filename), ("language", table.language))
    for name, value in (*filled, ("system_id", table.system_id)):
        if value == FILL_IN:
            yield Defect(header(opened, name), f"{name} is still to be filled in")
