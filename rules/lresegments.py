"""Which segments a results file answers: each one of seg.ndx, once, under its own name (3xx)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Place, Severity, rule, sampled
from validator.suggest import nearest

from .lrelines import LINES, legible, place_of, results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.segmentlist import SegmentList
    from validator.submission import OpenRun
    from validator.tables import Offsets

ERROR, OK = Severity.ERROR, Severity.OK
ALL = "Albayzin 2012 LRE 6.1.3, 6.3"
_AUDIO = b".wav"
_CANDIDATES = 2000  # missing names among which a misspelt one is looked for


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which lines answer which segments: unknown lines, those with .wav, and segments without a line."""

    unknown: Offsets
    with_audio: Offsets
    missing: Offsets
    guesses: dict[int, str]  # unknown line -> the missing segment that was probably meant


def _coverage(opened: OpenRun) -> Coverage:
    table, wanted = results(opened), cast("SegmentList", opened.references["segments"])
    found = wanted.names.find(table.names)
    audio = (found < 0) & table.names.ending_in(_AUDIO)
    answered = np.zeros(len(wanted.names), dtype=bool)
    answered[found[found >= 0]] = True
    if audio.any():
        meant = wanted.names.find(table.names.without(_AUDIO))[audio]
        answered[meant[meant >= 0]] = True
    unknown = np.flatnonzero((found < 0) & ~audio & opened.once(legible))
    missing = np.flatnonzero(~answered)
    if not answered.any():  # another test set altogether: each line is told to be unknown, that is enough
        return Coverage(unknown, np.flatnonzero(audio), missing[:0], {})
    candidates = dict(zip(wanted.names.at(missing[:_CANDIDATES]), missing[:_CANDIDATES].tolist(), strict=True))
    guesses: dict[int, str] = {}
    for row, _ in sampled(unknown):
        guess = nearest(table.names[row], [name for name in candidates if name not in guesses.values()])
        if guess is not None:
            guesses[row] = guess
    explained = np.array([candidates[name] for name in guesses.values()], dtype=np.int64)
    return Coverage(unknown, np.flatnonzero(audio), missing[~np.isin(missing, explained)], guesses)


@rule("LRE301", "unknown-segment", cites=LINES, plan=ERROR, tool=OK, needs=("content", "segments"))
def unknown_segment(opened: OpenRun) -> Iterator[Defect]:
    """Every segment name is in seg.ndx, letter for letter.

    Why: a segment that nobody gave out cannot be scored.
    Bad: Plenty Closed XXYYFFAA ... where seg.ndx has xxyyffaa
    Good: Plenty Closed xxyyffaa ...
    Fix: write the name as seg.ndx has it.
    NIST: there is no official checker.
    """
    cover = opened.once(_coverage)
    for row, count in sampled(cover.unknown):
        guess = cover.guesses.get(row)
        hint, label = (f"write {guess}", f"did you mean {guess}?") if guess else ("", "")
        yield Defect(place_of(opened, row, 3), "segment {value} is not in seg.ndx", hint, label, count=count)


@rule("LRE302", "missing-segment", cites=ALL, plan=ERROR, tool=OK, needs=("content", "segments"))
def missing_segment(opened: OpenRun) -> Iterator[Defect]:
    """Every segment of seg.ndx has a line.

    Why: results must include all the test segments, for whatever condition.
    Bad: no line for xxyyffaa
    Good: a line for each; a system that failed on a segment writes equal scores
    Fix: add a line for it.
    NIST: there is no official checker.
    """
    names = cast("SegmentList", opened.references["segments"]).names
    for row, count in sampled(opened.once(_coverage).missing):
        yield Defect(Place(opened.run.file), f"segment {names[row]} of seg.ndx has no line", count=count)


@rule("LRE303", "duplicate-segment", cites=ALL, plan=ERROR, tool=OK, needs=("content",))
def duplicate_segment(opened: OpenRun) -> Iterator[Defect]:
    """Every segment has one line only.

    Why: of two answers nobody knows which one counts.
    Bad: two lines for xxyyffaa
    Good: one of them
    Fix: remove one of the lines.
    NIST: there is no official checker.
    """
    names = results(opened).names
    for row, count in sampled(names.repeated[opened.once(legible)[names.repeated]]):
        other = place_of(opened, int(names.first[row]), 3)
        message = "a second line for segment {value}; the first is at {other}"
        yield Defect(place_of(opened, row, 3), message, count=count, other=other)


@rule("LRE304", "segment-with-wav", cites=LINES, plan=ERROR, tool=OK, needs=("content",))
def segment_with_wav(opened: OpenRun) -> Iterator[Defect]:
    """The name of a segment stands without .wav.

    Why: the third field is the name of the audio segment without the .wav extension.
    Bad: Plenty Closed xxyyffaa.wav ...
    Good: Plenty Closed xxyyffaa ...
    Fix: cut off .wav.
    NIST: there is no official checker.
    """
    table = results(opened)
    given = "segments" in opened.references
    rows = opened.once(_coverage).with_audio if given else np.flatnonzero(table.names.ending_in(_AUDIO))
    for row, count in sampled(rows):
        name = table.names[row].removesuffix(_AUDIO.decode())
        yield Defect(place_of(opened, row, 3), "segment {value} has an extension", f"write {name}", count=count)


RULES = (unknown_segment, missing_segment, duplicate_segment, segment_with_wav)
