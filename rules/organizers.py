"""Rules of the organizers' own files, ECF and KWList: what makes a reference unusable or doubtful."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

from validator.model import Defect, Place, Scope, Severity, rule
from validator.suggest import quoted

from . import medorganizers, stdfiles
from .excerpts import ecf_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenFile
    from validator.tables import Ecf, Excerpt, Keyword, KeywordList

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK


def _keywords(opened: OpenFile) -> KeywordList:
    return cast("KeywordList", opened.content.table)


def _ecf(opened: OpenFile) -> Ecf:
    return cast("Ecf", opened.content.table)


def _keyword(opened: OpenFile, keyword: Keyword, attribute: str = "kwid") -> Place:
    return Place(opened.path, keyword.offset, attribute, f'/kwlist/kw[@kwid="{keyword.kwid}"]')


@rule("KWS451", "duplicate-kwid", cites="OpenKWS13 A.4", plan=ERROR, tool=ERROR, scope=Scope.FILE, needs=("kwlist",))
def duplicate_kwid(opened: OpenFile) -> Iterator[Defect]:
    """Every kwid of a KWList is there once.

    Why: the kwid identifies the keyword through the whole evaluation.
    Bad: two <kw kwid="KW106-00002">
    Good: KW106-00002 and KW106-00003
    Fix: give the second keyword an id of its own.
    NIST: F4DE does not load the list: "Term ID ... already exists".
    """
    first: dict[str, Keyword] = {}
    for keyword in _keywords(opened).keywords:
        earlier = first.setdefault(keyword.kwid, keyword)
        if earlier is not keyword:
            message = "kwid {value} is there twice; the first is at {other}"
            yield Defect(_keyword(opened, keyword), message, other=_keyword(opened, earlier))


@rule("KWS452", "encoding-raw", cites="OpenKWS13 A.4", plan=ERROR, tool=ERROR, scope=Scope.FILE, needs=("kwlist",))
def encoding_raw(opened: OpenFile) -> Iterator[Defect]:
    """encoding is not gb2312-raw.

    Why: the schema lists it, but no reader takes it.
    Bad: encoding="gb2312-raw"
    Good: encoding="UTF-8"
    Fix: convert the list to UTF-8.
    NIST: the schema accepts it, F4DE's reader refuses it.
    """
    if _keywords(opened).encoding == "gb2312-raw":
        where = Place(opened.path, _keywords(opened).offset, "encoding", "/kwlist/@encoding")
        yield Defect(where, "encoding is {value}; it must be UTF-8")


@rule("KWS453", "encoding-not-utf-8", cites="OpenKWS13 A.4", plan=ERROR, tool=OK, scope=Scope.FILE, needs=("kwlist",))
def encoding_not_utf_8(opened: OpenFile) -> Iterator[Defect]:
    """encoding is UTF-8.

    Why: the plan accepts UTF-8 only.
    Bad: encoding="GB2312"
    Good: encoding="UTF-8"
    Fix: convert the list to UTF-8.
    NIST: F4DE accepts GB2312, and skips the schema for it.
    """
    if _keywords(opened).encoding == "GB2312":
        where = Place(opened.path, _keywords(opened).offset, "encoding", "/kwlist/@encoding")
        yield Defect(where, "encoding is {value}; it must be UTF-8")


@rule("KWS454", "same-keyword-text", cites="OpenKWS13 A.4", plan=WARNING, tool=OK, scope=Scope.FILE, needs=("kwlist",))
def same_keyword_text(opened: OpenFile) -> Iterator[Defect]:
    """No two keywords have the same text.

    Why: each occurrence would count for both.
    Bad: KW1 "bahay" and KW7 "bahay"
    Good: one of them
    Fix: remove one of them, unless it is meant.
    NIST: F4DE does not compare them.
    """
    first: dict[str, Keyword] = {}
    for keyword in _keywords(opened).keywords:
        earlier = first.setdefault(" ".join(keyword.text.split()), keyword)
        if earlier is not keyword and keyword.text.strip():
            message = f"keyword {{value}} has the text {quoted(keyword.text.strip())} of {earlier.kwid} at {{other}}"
            yield Defect(_keyword(opened, keyword), message, other=_keyword(opened, earlier))


@rule(
    "KWS455",
    "empty-keyword",
    cites="OpenKWS13 A.4",
    plan=WARNING,
    tool=OK,
    scope=Scope.FILE,
    needs=("kwlist",),
    follows=("XML210",),
)
def empty_keyword(opened: OpenFile) -> Iterator[Defect]:
    """Every keyword has a text.

    Why: nothing can be searched for.
    Bad: <kwtext> </kwtext>
    Good: <kwtext>bahay</kwtext>
    Fix: write the text, or remove the keyword.
    NIST: F4DE does not look.
    """
    for keyword in _keywords(opened).keywords:
        if not keyword.text.strip():
            yield Defect(_keyword(opened, keyword), "keyword {value} has no text")


@rule("KWS461", "overlapping-excerpts", cites="OpenKWS13 A.1", plan=WARNING, tool=OK, scope=Scope.FILE, needs=("ecf",))
def overlapping_excerpts(opened: OpenFile) -> Iterator[Defect]:
    """Excerpts of one recording and channel do not overlap.

    Why: the same audio would be searched, and counted, twice.
    Bad: 0 to 100 s and 90 to 120 s of one recording
    Good: 0 to 90 s and 90 to 120 s
    Fix: cut one of them.
    NIST: F4DE does not look; its scorer shortens the earlier one.
    """
    tracks: dict[tuple[str, str], list[tuple[int, Excerpt]]] = {}
    for rank, excerpt in enumerate(_ecf(opened).excerpts, start=1):
        tracks.setdefault((ecf_recording(excerpt), excerpt.channel), []).append((rank, excerpt))
    for track in tracks.values():
        track.sort(key=lambda pair: pair[1].begin_s)
        for (_, ahead), (rank, behind) in pairwise(track):
            if ahead.begin_s + ahead.duration_s - behind.begin_s > 1e-6:
                where = Place(opened.path, behind.offset, "tbeg", f"/ecf/excerpt[{rank}]/@tbeg")
                other = Place(opened.path, ahead.offset)
                yield Defect(where, "this excerpt overlaps the one at {other}", other=other)


@rule("KWS462", "no-excerpt-time", cites="OpenKWS13 A.1", plan=WARNING, tool=OK, scope=Scope.FILE, needs=("ecf",))
def no_excerpt_time(opened: OpenFile) -> Iterator[Defect]:
    """Every excerpt begins at 0 or later and lasts longer than nothing.

    Why: nothing can be found in it.
    Bad: tbeg="0" dur="-1"
    Good: tbeg="0" dur="120.5"
    Fix: correct tbeg and dur; dur is a duration, not an end time.
    NIST: F4DE does not look.
    """
    for rank, excerpt in enumerate(_ecf(opened).excerpts, start=1):
        if excerpt.begin_s < 0:
            where = Place(opened.path, excerpt.offset, "tbeg", f"/ecf/excerpt[{rank}]/@tbeg")
            yield Defect(where, "tbeg is {value}; it should be 0 or later")
        if excerpt.duration_s <= 0:
            where = Place(opened.path, excerpt.offset, "dur", f"/ecf/excerpt[{rank}]/@dur")
            yield Defect(where, "dur is {value}; it should be above 0")


@rule("KWS463", "other-total-duration", cites="OpenKWS13 A.1", plan=WARNING, tool=OK, scope=Scope.FILE, needs=("ecf",))
def other_total_duration(opened: OpenFile) -> Iterator[Defect]:
    """source_signal_duration is the sum of the excerpts.

    Why: it is the total duration of recorded speech; a difference hints at lost excerpts.
    Bad: source_signal_duration="340.00" over excerpts of 582.68 s
    Good: source_signal_duration="582.68"
    Fix: write the sum.
    NIST: F4DE never uses the value.
    """
    ecf = _ecf(opened)
    total = sum(excerpt.duration_s for excerpt in ecf.excerpts)
    if ecf.excerpts and abs(total - ecf.source_signal_duration_s) > 1:
        where = Place(opened.path, ecf.offset, "source_signal_duration", "/ecf/@source_signal_duration")
        message = f"source_signal_duration is {{value}}; the excerpts sum up to {total:.3f}"
        yield Defect(where, message, f"write {total:.3f}")


@rule("KWS464", "no-excerpts", cites="OpenKWS13 A.1", plan=WARNING, tool=OK, scope=Scope.FILE, needs=("ecf",))
def no_excerpts(opened: OpenFile) -> Iterator[Defect]:
    """An ECF has at least one excerpt.

    Why: there is nothing to evaluate.
    Bad: <ecf ...></ecf>
    Good: <ecf ...> with <excerpt .../> elements
    Fix: list the recordings.
    NIST: F4DE does not look.
    """
    if not _ecf(opened).excerpts:
        yield Defect(Place(opened.path, _ecf(opened).offset, node="/ecf"), "the ECF has no excerpts")


RULES = (
    duplicate_kwid,
    encoding_raw,
    encoding_not_utf_8,
    same_keyword_text,
    empty_keyword,
    overlapping_excerpts,
    no_excerpt_time,
    other_total_duration,
    no_excerpts,
    *medorganizers.RULES,
    *stdfiles.RULES,
)
