"""Family: result lists of keyword search under either family of names: coverage, duplicates, decisions, header.

Every function yields defects; the rules of an evaluation name, code and explain them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Place, sampled
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from validator.formats.kwslist import KwsListFile
    from validator.submission import OpenRun
    from validator.tables import DetectedList, Detections, Ecf, Flags, KeywordList

FILL_IN = "FILL-IN"


def content_of(opened: OpenRun) -> KwsListFile:
    """Return the result list of a run."""
    return cast("KwsListFile", opened.content)


def detections_of(opened: OpenRun) -> Detections:
    """Return the detections of a run."""
    return content_of(opened).table.detections


def ecf_of(opened: OpenRun) -> Ecf:
    """Return the ECF of a run."""
    return cast("Ecf", opened.references["ecf"])


def listed_of(opened: OpenRun) -> KeywordList:
    """Return the list that was searched for."""
    return cast("KeywordList", opened.references[content_of(opened).dialect.role])


def header(opened: OpenRun, attribute: str = "") -> Place:
    """Return the place of the root element, or of one of its attributes."""
    content = content_of(opened)
    node = f"/{content.dialect.root}"
    return Place(opened.run.file, content.table.offset, attribute, f"{node}/@{attribute}" if attribute else node)


def in_list(opened: OpenRun, detected: DetectedList, attribute: str) -> Place:
    """Return the place of an attribute of a list."""
    node = f"{content_of(opened).list_node(detected)}/@{attribute}"
    return Place(opened.run.file, detected.offset, attribute, node)


def in_row(opened: OpenRun, row: int, attribute: str = "") -> Place:
    """Return the place of a detection, or of one of its attributes."""
    content = content_of(opened)
    return Place(opened.run.file, int(content.table.detections.offset[row]), attribute, content.node(row, attribute))


def unknown_keywords(opened: OpenRun) -> Iterator[Defect]:
    """Find lists for something that nobody asked for."""
    content, names = content_of(opened), content_of(opened).dialect
    known = {keyword.kwid for keyword in listed_of(opened).keywords}
    absent = sorted(known - {detected.kwid for detected in content.table.lists})
    for detected in content.table.lists:
        if detected.kwid not in known:
            guess = nearest(detected.kwid, absent)
            hint = f"write {guess}" if guess else ""
            label = f"did you mean {guess}?" if guess else ""
            message = f"{names.id} {{value}} is not in the {names.listed}"
            yield Defect(in_list(opened, detected, names.id), message, hint, label)


def missing_keywords(opened: OpenRun) -> Iterator[Defect]:
    """Find what was asked for and has no list."""
    names = content_of(opened).dialect
    have = {detected.kwid for detected in content_of(opened).table.lists}
    for keyword in listed_of(opened).keywords:
        if keyword.kwid not in have:
            text = keyword.text.strip()
            words = "" if text == keyword.kwid else f" {quoted(text)}"
            message = f"{names.item} {keyword.kwid}{words} of the {names.listed} has no {names.lists}"
            attributes = f'{names.id}="{keyword.kwid}" {names.search_time}="0" {names.oov_count}="NA"'
            ends = f"></{names.lists}>" if names.plain else "/>"
            yield Defect(header(opened), message, f"add <{names.lists} {attributes}{ends}")


def repeated_keywords(opened: OpenRun) -> Iterator[Defect]:
    """Find second lists for the same thing."""
    names = content_of(opened).dialect
    first: dict[str, DetectedList] = {}
    for detected in content_of(opened).table.lists:
        earlier = first.setdefault(detected.kwid, detected)
        if earlier is not detected:
            message = f"a second {names.lists} for {{value}}; the first is at {{other}}"
            where, other = (in_list(opened, one, names.id) for one in (detected, earlier))
            yield Defect(where, message, other=other)


def repeated_rows(opened: OpenRun, key: NDArray[np.uint64], rows: NDArray[np.intp]) -> Iterator[Defect]:
    """Find rows whose key another row had before."""
    order = np.argsort(key)
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    pairs = np.sort(np.stack([rows[order[again]], rows[order[again + 1]]]), axis=0)
    earlier = dict(zip(pairs[1].tolist(), pairs[0].tolist(), strict=True))
    for row, count in sampled(np.array(sorted(earlier), dtype=np.intp)):
        message = "the same detection again; it is at {other} already"
        yield Defect(in_row(opened, row), message, count=count, other=in_row(opened, earlier[row]))


def mixed(key: NDArray[np.uint64], *columns: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Mix more columns into a 64-bit key of each row."""
    for column in columns:
        key = (key ^ column.astype(np.uint64, copy=False)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(32)
    return key


def flagged(opened: OpenRun, rows: Flags, attribute: str, message: str) -> Iterator[Defect]:
    """Report rows, the first ones in full."""
    for row, count in sampled(np.flatnonzero(rows)):
        yield Defect(in_row(opened, row, attribute), message, count=count)


def other_language(opened: OpenRun) -> Iterator[Defect]:
    """Compare the language of the header with that of the list."""
    expected = listed_of(opened).language
    if content_of(opened).table.language.casefold() != expected.casefold():
        message = f"language is {{value}}; the {content_of(opened).dialect.listed} has {quoted(expected)}"
        yield Defect(header(opened, "language"), message)


def too_many_unknown_words(opened: OpenRun) -> Iterator[Defect]:
    """Compare the number of out-of-vocabulary words with that of all words."""
    names = content_of(opened).dialect
    words = {keyword.kwid: len(keyword.text.split()) for keyword in listed_of(opened).keywords}
    for detected in content_of(opened).table.lists:
        most = words.get(detected.kwid)
        if most is not None and detected.oov_count is not None and detected.oov_count > most:
            message = f"{names.oov_count} is {{value}}, but the {names.item} has {most} word{'s' if most != 1 else ''}"
            yield Defect(in_list(opened, detected, names.oov_count), message)


def negative_search_times(opened: OpenRun) -> Iterator[Defect]:
    """Find search times below zero."""
    name = content_of(opened).dialect.search_time
    for detected in content_of(opened).table.lists:
        if detected.search_time_s < 0:
            yield Defect(in_list(opened, detected, name), f"{name} is {{value}}; it should not be negative")


def crossed_decisions(opened: OpenRun) -> Iterator[Defect]:
    """Find a NO that scores above a YES."""
    table = detections_of(opened)
    usable = table.valid & ~np.isnan(table.score)
    yes, no = np.flatnonzero(usable & table.yes), np.flatnonzero(usable & ~table.yes)
    if not len(yes) or not len(no):
        return
    low, high = int(yes[table.score[yes].argmin()]), int(no[table.score[no].argmax()])
    if table.score[high] > table.score[low]:
        count = int((table.score[no] > table.score[low]).sum())
        lowest, highest = float(table.score[low]), float(table.score[high])
        message = f"a NO scores {highest:g}, above a YES with {lowest:g} at {{other}}"
        yield Defect(in_row(opened, high, "score"), message, count=count, other=in_row(opened, low))


def one_decision(opened: OpenRun, *, yes: bool) -> Iterator[Defect]:
    """Tell when all detections have the same decision."""
    decided = detections_of(opened).yes[detections_of(opened).valid]
    if len(decided) and bool((decided == yes).all()):
        yield Defect(header(opened), f"all {len(decided)} decisions are {'YES' if yes else 'NO'}")


def unfilled(opened: OpenRun) -> Iterator[Defect]:
    """Find what is left of the skeleton in the header."""
    table = content_of(opened).table
    filled = ((content_of(opened).dialect.list_name, table.kwlist_filename), ("language", table.language))
    for name, value in (*filled, ("system_id", table.system_id)):
        if value == FILL_IN:
            yield Defect(header(opened, name), f"{name} is still to be filled in")
