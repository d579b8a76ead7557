"""Rules of the organizers' own files in the form of 2006: ECF and term list."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

from validator.model import Defect, Place, Scope, Severity, rule
from validator.suggest import quoted

from .excerpts import STD_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenFile
    from validator.tables import Ecf, Excerpt, Keyword, KeywordList

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
ECF, TERMS = "STD 2006, ECF", "STD 2006, term list"


def _terms(opened: OpenFile) -> tuple[Keyword, ...]:
    return cast("KeywordList", opened.content.table).keywords


def _ecf(opened: OpenFile) -> Ecf:
    return cast("Ecf", opened.content.table)


def _term(opened: OpenFile, term: Keyword) -> Place:
    return Place(opened.path, term.offset, "termid", f'/termlist/term[@termid="{term.kwid}"]')


@rule("SWS451", "duplicate-termid", cites=TERMS, plan=ERROR, tool=ERROR, scope=Scope.FILE, needs=("termlist",))
def duplicate_termid(opened: OpenFile) -> Iterator[Defect]:
    """Every termid of a term list is there once.

    Why: the termid identifies the query through the whole evaluation.
    Bad: two <term termid="sws2013_dev_001">
    Good: sws2013_dev_001 and sws2013_dev_002
    Fix: give the second query an id of its own.
    NIST: for STDEval the second one replaces the first.
    """
    first: dict[str, Keyword] = {}
    for term in _terms(opened):
        earlier = first.setdefault(term.kwid, term)
        if earlier is not term:
            message = "termid {value} is there twice; the first is at {other}"
            yield Defect(_term(opened, term), message, other=_term(opened, earlier))


@rule("SWS454", "same-term-text", cites=TERMS, plan=WARNING, tool=OK, scope=Scope.FILE, needs=("termlist",))
def same_term_text(opened: OpenFile) -> Iterator[Defect]:
    """No two queries have the same text, whatever the letter case.

    Why: each occurrence would count for both.
    Bad: T1 "red house" and T7 "Red House"
    Good: one of them
    Fix: remove one of them, unless it is meant.
    NIST: STDEval does not compare them.
    """
    first: dict[str, Keyword] = {}
    for term in _terms(opened):
        earlier = first.setdefault(" ".join(term.text.split()).casefold(), term)
        if earlier is not term and term.text.strip():
            message = f"query {{value}} has the text {quoted(term.text.strip())} of {earlier.kwid} at {{other}}"
            yield Defect(_term(opened, term), message, other=_term(opened, earlier))


@rule("SWS455", "empty-term", cites=TERMS, plan=WARNING, tool=OK, scope=Scope.FILE, needs=("termlist",))
def empty_term(opened: OpenFile) -> Iterator[Defect]:
    """Every query has a text; for a spoken query it is its id.

    Why: references are found by it.
    Bad: <termtext> </termtext>
    Good: <termtext>sws2013_dev_001</termtext>
    Fix: write the text, or the id that the RTTM uses.
    NIST: STDEval does not look.
    """
    for term in _terms(opened):
        if not term.text.strip():
            yield Defect(_term(opened, term), "query {value} has no text")


@rule("SWS461", "overlapping-stretches", cites=ECF, plan=WARNING, tool=OK, scope=Scope.FILE, needs=("stdecf",))
def overlapping_stretches(opened: OpenFile) -> Iterator[Defect]:
    """Excerpts of one recording and channel do not overlap.

    Why: the scorer adds up all durations; the same audio would be counted twice.
    Bad: 0 to 100 s and 90 to 120 s of one recording
    Good: 0 to 90 s and 90 to 120 s
    Fix: cut one of them.
    NIST: STDEval does not look.
    """
    tracks: dict[tuple[str, str], list[Excerpt]] = {}
    for excerpt in _ecf(opened).excerpts:
        tracks.setdefault((STD_NAMES.listed(excerpt), excerpt.channel), []).append(excerpt)
    for track in tracks.values():
        track.sort(key=lambda excerpt: excerpt.begin_s)
        for ahead, behind in pairwise(track):
            if ahead.begin_s + ahead.duration_s - behind.begin_s > 1e-6:
                where = Place(opened.path, behind.offset, "tbeg", "/ecf/excerpt/@tbeg")
                message = "this excerpt overlaps the one at {other}"
                yield Defect(where, message, other=Place(opened.path, ahead.offset))


@rule("SWS463", "other-sum-of-durations", cites=ECF, plan=WARNING, tool=OK, scope=Scope.FILE, needs=("stdecf",))
def other_sum_of_durations(opened: OpenFile) -> Iterator[Defect]:
    """source_signal_duration is the sum of the excerpts of channel 1, to a second.

    Why: the scorer counts the sum and never looks at the attribute; ECFs that went round disagree by half.
    Bad: source_signal_duration="71838.918" over 10762 excerpts of 10 s
    Good: source_signal_duration="107620.000"
    Fix: write the sum, or correct the durations; scores are made with the sum.
    NIST: STDEval uses the sum.
    """
    ecf = _ecf(opened)
    total = sum(excerpt.duration_s for excerpt in ecf.excerpts if excerpt.channel.strip() == "1")
    if total and abs(total - ecf.source_signal_duration_s) > 1:
        where = Place(opened.path, ecf.offset, "source_signal_duration", "/ecf/@source_signal_duration")
        yield Defect(where, f"source_signal_duration is {{value}}; the excerpts of channel 1 sum up to {total:.3f}")


@rule("SWS464", "no-counted-audio", cites=ECF, plan=WARNING, tool=WARNING, scope=Scope.FILE, needs=("stdecf",))
def no_counted_audio(opened: OpenFile) -> Iterator[Defect]:
    """An ECF has excerpts of channel 1 that last longer than nothing.

    Why: only their duration counts as audio; without any there are no trials.
    Bad: <excerpt ... channel="2" .../> only
    Good: <excerpt ... channel="1" tbeg="0" dur="120.5" .../>
    Fix: list the recordings with their channel 1.
    NIST: STDEval counts channel 1 only.
    """
    ecf = _ecf(opened)
    if not any(excerpt.duration_s > 0 for excerpt in ecf.excerpts if excerpt.channel.strip() == "1"):
        yield Defect(Place(opened.path, ecf.offset, node="/ecf"), "the ECF has no audio of channel 1")


RULES = (duplicate_termid, same_term_text, empty_term, overlapping_stretches, other_sum_of_durations, no_counted_audio)
