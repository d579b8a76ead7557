"""The detections of a system that are trials: of which keyword, where and when (OpenKWS13 plan 3.4, A.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.places import system_file
from validator.scoring.timeline import rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.reference import Reference
    from validator.tables import Codes, Detections, Flags, Floats, KwsList

    Rows = NDArray[np.int64]


class Searched(NamedTuple):
    """Which keyword each detected_kwlist is about.

    A unit is what is aligned as one: a keyword, or a further list of a keyword that has one already. ``of_list`` is
    the unit of each list (-1: no such keyword), ``keyword`` the keyword of each unit.
    """

    of_list: Codes
    keyword: Codes
    listed: Flags


class Located(NamedTuple):
    """The detections that are trials: their rows, with what alignment compares."""

    row: Rows
    unit: Codes
    place: Codes
    begin_s: Floats
    end_s: Floats
    middle_s: Floats
    score: Floats
    yes: Flags


def searched(reference: Reference, system: KwsList) -> Searched:
    """Look the lists of a system up in the KWList."""
    number = {keyword.kwid: index for index, keyword in enumerate(reference.keywords.keywords)}
    keyword = list(range(len(number)))
    of_list: list[int] = []
    listed = np.zeros(len(number), dtype=bool)
    for one in system.lists:
        unit = number.get(one.kwid, -1)
        if unit >= 0 and listed[unit] and reference.conventions.repeated_list_repeats_references:
            keyword.append(unit)
            unit = len(keyword) - 1
        elif unit >= 0:
            listed[unit] = True
        of_list.append(unit)
    return Searched(np.array(of_list, dtype=np.int32), np.array(keyword, dtype=np.int32), listed)


def placed(reference: Reference, detections: Detections) -> Codes:
    """Return the place of each detection."""
    places, channels = reference.base.places, detections.channels
    written = places.spelt(channels) if reference.conventions.channel_by_value else channels
    return places.codes(detections.file, detections.channel, map(system_file, detections.files), written)


def located(reference: Reference, lists: Searched, detections: Detections) -> Located:
    """Keep the detections of known keywords that lie in one excerpt, and with their midpoint outside of NOSCORE."""
    conventions, base = reference.conventions, reference.base
    unit = lists.of_list[detections.keyword]
    place = placed(reference, detections)
    begin = detections.begin_s
    end = rounded(begin + detections.duration_s, conventions.system_decimals)
    middle = rounded(begin + detections.duration_s / 2, conventions.system_decimals)
    kept = (unit >= 0) & detections.valid & ~np.isnan(detections.score)
    if conventions.ecf_filter:
        kept &= base.hold(place, begin, end)
    if len(base.noscore.begin):
        kept &= ~base.noscore.hold(place, middle, middle)
    row = np.flatnonzero(kept)
    rows: Rows | slice = row if len(row) < len(unit) else slice(None)  # copies only what it must
    return Located(
        row=row,
        unit=unit[rows],
        place=place[rows],
        begin_s=begin[rows],
        end_s=end[rows],
        middle_s=middle[rows],
        score=detections.score[rows],
        yes=detections.yes[rows],
    )


def repeated(keyword: Codes, lists: Searched) -> tuple[Rows, Codes]:
    """Repeat what belongs to keywords for every further unit of them: the rows, and the unit of each."""
    extra = range(len(lists.listed), len(lists.keyword))
    more = [np.flatnonzero(keyword == lists.keyword[unit]) for unit in extra]
    units = [np.full(len(part), unit, dtype=np.int32) for part, unit in zip(more, extra, strict=True)]
    return np.concatenate([np.arange(len(keyword)), *more]), np.concatenate([keyword, *units])
