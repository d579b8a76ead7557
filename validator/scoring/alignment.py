"""Keyword occurrence alignment: which detection is which reference (OpenKWS13 plan 5.1.1).

::

    K(r, s) = 1 + e_tm * TmCgr(r, s) + e_scr * ScrCgr(s)     if Be(r) - D <= Mid(s) <= En(r) + D
    TmCgr   = (min(En) - max(Be)) / max(0.00001, En(r) - Be(r))
    ScrCgr  = (Scr(s) - lowest) / max(floor, largest - lowest)

Per keyword, file and channel the 1:1 mapping with most pairs and then the largest sum of K is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.conventions import ScoreRange
from validator.scoring.hits import located, repeated, searched
from validator.scoring.matching import Pairs, Windows, alone, best, candidates
from validator.scoring.timeline import rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.hits import Located, Searched
    from validator.scoring.places import Place
    from validator.scoring.reference import Reference
    from validator.tables import Codes, Detections, Flags, Floats, KwsList

    Rows = NDArray[np.int64]


class Outcome(IntEnum):
    """What became of a reference or a detection; below 2 is a target, even is a YES."""

    CORRECT = 0
    MISS = 1
    FALSE_ALARM = 2
    CORRECT_NON_DETECTION = 3

    @property
    def label(self) -> str:
        """The name in NIST's alignment files."""
        return ("CORR", "MISS", "FA", "CORR!DET")[self]


class Targets(NamedTuple):
    """What there is to find: references, or the segments that hold one. ``first_end_s`` ends the first word."""

    begin_s: Floats
    end_s: Floats
    first_end_s: Floats


@dataclass(frozen=True, slots=True)
class Alignment:
    """One row per outcome: the scored detections in file order, then the references without a detection.

    ``keyword`` is an index into the KWList, ``place`` into ``places`` (-1: a place that nothing else names).
    ``detection`` is the row in the Detections, -1 without one; then ``score`` is NaN. ``target`` is the row of the
    reference in ``targets``, -1 without one. ``excerpt`` is the place in the ECF, where alignment already knows it.
    ``listed`` tells which keywords are part of the experiment. ``trials`` and ``duration_s`` are those of each keyword.
    """

    keyword: Codes
    place: Codes
    target: Rows
    detection: Rows
    score: Floats
    outcome: NDArray[np.int8]
    targets: Targets
    excerpt: Rows | None
    places: tuple[Place, ...]
    listed: Flags
    duration_s: float
    trials: float

    def __len__(self) -> int:
        return len(self.keyword)

    @property
    def ref_begin_s(self) -> Floats:
        """When the reference begins; NaN without one."""
        return np.append(self.targets.begin_s, np.nan)[self.target]

    @property
    def ref_end_s(self) -> Floats:
        """When the reference ends; NaN without one."""
        return np.append(self.targets.end_s, np.nan)[self.target]

    def by_keyword(self, detections: Detections) -> Rows:
        """Return the rows in the order of a report: by keyword, place and time."""
        begin = self.ref_begin_s
        alone = np.flatnonzero(self.target < 0)
        begin[alone] = detections.begin_s[self.detection[alone]]
        return np.lexsort((begin, self.place, self.keyword))

    def at(self, rows: Flags, *, listed: Flags, duration_s: float, trials: float) -> Alignment:
        """Return the part of an experiment that lies in ``rows``."""
        return replace(
            self,
            keyword=self.keyword[rows],
            place=self.place[rows],
            target=self.target[rows],
            detection=self.detection[rows],
            score=self.score[rows],
            outcome=self.outcome[rows],
            excerpt=None if self.excerpt is None else self.excerpt[rows],
            listed=listed,
            duration_s=duration_s,
            trials=trials,
        )


class _Units(NamedTuple):
    """The references of all units, sorted by unit, place and time."""

    unit: Codes
    place: Codes
    targets: Targets


def align(reference: Reference, system: KwsList) -> Alignment:
    """Align the detections of a system with the references."""
    lists = searched(reference, system)
    hits = located(reference, lists, system.detections)
    units = _units(reference, lists)
    mapped = _mapped(reference, system, hits, units)
    omitted = np.ones(len(units.unit), dtype=bool)
    omitted[mapped[mapped >= 0]] = False
    left = np.flatnonzero(omitted)
    outcome = np.where(mapped >= 0, Outcome.CORRECT, Outcome.FALSE_ALARM) + ~hits.yes
    return Alignment(
        keyword=lists.keyword[np.concatenate([hits.unit, units.unit[left]])],
        place=np.concatenate([hits.place, units.place[left]]),
        target=np.concatenate([mapped, left]),
        detection=np.concatenate([hits.row, np.full(len(left), -1)]),
        score=np.concatenate([hits.score, np.full(len(left), np.nan)]),
        outcome=np.concatenate([outcome, np.full(len(left), Outcome.MISS)]).astype(np.int8),
        targets=units.targets,
        excerpt=None,
        places=reference.base.places.names,
        listed=lists.listed if reference.parameters.just_system_keywords else np.ones_like(lists.listed),
        duration_s=reference.duration_s,
        trials=reference.trials,
    )


def _units(reference: Reference, lists: Searched) -> _Units:
    """Give each unit the references of its keyword; a keyword that the experiment leaves out has none."""
    found = reference.scored
    if reference.parameters.just_system_keywords:
        found = found.at(lists.listed[found.keyword])
    rows, unit = repeated(found.keyword, lists)
    first_end = reference.lexemes.end_s[found.first[rows]]
    return _Units(unit, found.place[rows], Targets(found.begin_s[rows], found.end_s[rows], first_end))


def _mapped(reference: Reference, system: KwsList, hits: Located, units: _Units) -> Rows:
    """Return for each detection the row of its reference, or -1."""
    collar, conventions = reference.parameters.collar_s, reference.conventions
    width = len(reference.base.places)
    windows = Windows(
        group=units.unit.astype(np.int64) * width + units.place,
        low=rounded(units.targets.begin_s - collar, conventions.system_decimals),
        high=rounded(units.targets.end_s + collar, conventions.system_decimals),
    )
    group = np.where(hits.place >= 0, hits.unit.astype(np.int64) * width + hits.place, -1)
    pairs = candidates(windows, group, hits.middle_s)
    single = alone(pairs)
    mapped = np.full(len(hits.row), -1, dtype=np.int64)
    mapped[pairs.detection[single]] = pairs.reference[single]
    rest = pairs.at(~single)
    if len(rest):
        kernel = _kernel(reference, system, hits, units, rest)
        d = rest.detection
        order = np.lexsort((d, ~hits.yes[d], hits.score[d], hits.end_s[d], hits.begin_s[d], rest.reference))
        preference = np.empty(len(rest), dtype=np.int64)
        preference[order] = np.arange(len(rest))
        chosen = rest.at(best(rest, kernel, preference))
        mapped[chosen.detection] = chosen.reference
    return mapped


def _kernel(reference: Reference, system: KwsList, hits: Located, units: _Units, pairs: Pairs) -> Floats:
    """Return K of each pair."""
    conventions = reference.conventions
    d = pairs.detection
    begin, end = units.targets.begin_s[pairs.reference], units.targets.end_s[pairs.reference]
    overlap = np.minimum(end, hits.end_s[d]) - np.maximum(begin, hits.begin_s[d])
    time = overlap / np.maximum(end - begin, conventions.time_floor)
    low, high = _range(reference, system, hits, d)
    with np.errstate(invalid="ignore", divide="ignore"):  # infinite scores: the largest is 1, any other 0
        score = (hits.score[d] - low) / np.maximum(high - low, conventions.score_floor)
    score = np.where(np.isfinite(score), score, hits.score[d] == np.inf)
    return 1 + conventions.time_weight * time + conventions.score_weight * score


def _range(reference: Reference, system: KwsList, hits: Located, detection: Rows) -> tuple[Floats, Floats]:
    """Return the lowest and the largest score that each detection is compared with."""
    conventions = reference.conventions
    if conventions.header_range and system.min_score is not None and system.max_score is not None:
        return np.full(len(detection), system.min_score), np.full(len(detection), system.max_score)
    if conventions.score_range is ScoreRange.SYSTEM:
        every = system.detections.score[system.detections.valid]
        return np.full(len(detection), every.min()), np.full(len(detection), every.max())
    group = hits.unit.astype(np.int64)
    if conventions.score_range is ScoreRange.KEYWORD_PLACE:
        group = group * len(reference.base.places) + hits.place
    known, number = np.unique(group[detection], return_inverse=True)
    at = np.minimum(np.searchsorted(known, group), len(known) - 1)
    member = np.flatnonzero(known[at] == group)
    low, high = np.full(len(known), np.inf), np.full(len(known), -np.inf)
    np.minimum.at(low, at[member], hits.score[member])
    np.maximum.at(high, at[member], hits.score[member])
    return low[number], high[number]
