"""Rules of stdlists: the Spoken Web Search, and the Spoken Term Detection of 2006."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, Place, Scope, Severity, rule, sampled
from validator.suggest import nearest, quoted

from . import excerpts, general, searchlists, swsremarks
from .descriptions import unfilled
from .kwsopen import content, detections, ecf, header, row
from .searchlists import flagged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun, Submission

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
FORMAT, M13 = "STD 2006, stdlist", "SWS 2013 measures"
_UNREADABLE = ("XML201", "XML202", "XML203", "XML211")
_PATTERN = re.compile(r"[][\\^$*+?(){}|]")  # a dot is harmless: it matches itself
_TOLERANCE_S = 0.5  # that a detection may reach beyond its excerpt


def _placed(opened: OpenRun) -> excerpts.Placed:
    return excerpts.place(detections(opened), ecf(opened), excerpts.STD_NAMES, tolerance_s=_TOLERANCE_S)


@rule("SWS101", "stdlist-extension", cites="SWS 2012 scoring 3", plan=ERROR, tool=OK)
def stdlist_extension(opened: OpenRun) -> Iterator[Defect]:
    """The name of a result ends in .stdlist.xml.

    Why: the scoring script takes every *.stdlist.xml of a folder, and nothing else.
    Bad: primary.xml
    Good: primary.stdlist.xml
    Fix: rename the file.
    NIST: STDEval itself takes any name.
    """
    base = opened.run.file.rsplit("/", 1)[-1]
    if opened.run.suffix != ".stdlist.xml":
        stem = opened.run.stem.removesuffix(".xml") or "system"
        hint = f"rename the file to {stem}.stdlist.xml"
        yield Defect(Place(opened.run.file, span=(0, len(base))), "the name does not end in .stdlist.xml", hint)


@rule("SWS211", "not-for-line-readers", cites="STDEval reader", plan=OK, tool=WARNING, needs=("content",))
def not_for_line_readers(opened: OpenRun) -> Iterator[Defect]:
    """The XML is in the plain form: double quotes, <term .../> closed in itself, no comments, no entities.

    Why: NIST's scorer does not parse XML, it looks for patterns in the text; what is written in another way is legal,
    and is not seen.
    Bad: <term file='rec_1' ...></term>
    Good: <term file="rec_1" .../>
    Fix: subgate pack writes the plain form; or write it yourself.
    NIST: STDEval skips what does not fit its patterns, or reads it wrongly, without a word.
    """
    for oddity in content(opened).oddities:
        yield Defect(Place(opened.run.file, oddity.offset), oddity.message, count=oddity.count)


@rule(
    "SWS303", "unknown-query", cites=FORMAT, plan=ERROR, tool=ERROR, needs=("content", "termlist"), follows=_UNREADABLE
)
def unknown_query(opened: OpenRun) -> Iterator[Defect]:
    """Every termid is in the term list, letter for letter.

    Why: a query that nobody asked for has no references and cannot be scored.
    Bad: <detected_termlist termid="sws2013_dev_1" ...>
    Good: <detected_termlist termid="sws2013_dev_001" ...>
    Fix: correct the termid, or remove the list.
    NIST: STDEval stops at it.
    """
    yield from searchlists.unknown_keywords(opened)


@rule(
    "SWS304",
    "query-without-list",
    cites=FORMAT,
    plan=Severity.INFO,
    tool=WARNING,
    needs=("content", "termlist"),
    follows=_UNREADABLE,
)
def query_without_list(opened: OpenRun) -> Iterator[Defect]:
    """Every query of the term list has a detected_termlist; none at all means no detection.

    Why: a list, if an empty one, shows that the query was searched for and not forgotten.
    Bad: no detected_termlist for sws2013_dev_017
    Good: <detected_termlist termid="sws2013_dev_017" term_search_time="0.2" oov_term_count="NA"></detected_termlist>
    Fix: add an empty list, if the query was searched for.
    NIST: STDEval warns, and counts its references as misses.
    """
    yield from searchlists.missing_keywords(opened, "SWS303")


@rule("SWS305", "second-list-of-query", cites=FORMAT, plan=ERROR, tool=OK, needs=("content",))
def second_list_of_query(opened: OpenRun) -> Iterator[Defect]:
    """Every query has one detected_termlist at most.

    Why: it is not defined what two lists of one query mean.
    Bad: two lists <detected_termlist termid="sws2013_dev_001" ...>
    Good: one list with the detections of both
    Fix: merge the two lists.
    NIST: STDEval does not complain.
    """
    yield from searchlists.repeated_keywords(opened)


@rule("SWS401", "detection-twice", cites="house rule", plan=ERROR, tool=OK, needs=("content",), follows=("SWS305",))
def detection_twice(opened: OpenRun) -> Iterator[Defect]:
    """No detection is there twice: same query, file, channel, tbeg and dur.

    Why: the same stretch cannot be two occurrences; one of the two is a false alarm for certain.
    Bad: two lines with file="rec_1" channel="1" tbeg="1.0" dur="0.5" in one list
    Good: the one with the better score
    Fix: keep the better one; look for the reason in the system.
    NIST: STDEval counts both.
    """
    table = detections(opened)
    rows = np.flatnonzero(table.valid)
    of_query = np.unique([one.kwid for one in content(opened).table.lists] or [""], return_inverse=True)[1]
    times = (column[rows] + 0.0 for column in (table.begin_s, table.duration_s))  # + 0.0: -0 is 0
    places = (column[rows] for column in (of_query[table.keyword], table.file, table.channel))
    key = searchlists.mixed(np.zeros(len(rows), np.uint64), *(time.view(np.uint64) for time in times), *places)
    yield from searchlists.repeated_rows(opened, key, rows)


@rule("SWS402", "recording-not-in-ecf", cites=FORMAT, plan=ERROR, tool=OK, needs=("content", "ecf"))
def recording_not_in_ecf(opened: OpenRun) -> Iterator[Defect]:
    """Every detection is in a recording and a channel of the ECF; file is the base name without extension.

    Why: only the recordings of the ECF are evaluated.
    Bad: file="Audio/sws2013_00001.wav"
    Good: file="sws2013_00001"
    Fix: write the base name of the recording as the ECF has it, and its channel.
    NIST: STDEval does not compare them; such a detection is a false alarm.
    """
    table, placed = detections(opened), opened.once(_placed)
    channels: dict[str, list[str]] = {}
    for excerpt in ecf(opened).excerpts:
        channels.setdefault(excerpts.STD_NAMES.listed(excerpt), []).append(excerpt.channel)
    # A channel that is written in another way (01) is one that scorers do not know: they compare texts.
    for at, count in sampled(np.flatnonzero(table.valid & ~(placed.channel_known & placed.channel_spelt))):
        name, channel = table.files[table.file[at]], table.channels[table.channel[at]]
        if placed.file_known[at]:
            there = sorted(set(channels[name]))
            message = f"file {quoted(name)} has channel {' and '.join(there)} in the ECF, not {channel}"
            yield Defect(row(opened, at, "channel"), message, f"write channel {there[0]}", count=count)
            continue
        bare = excerpts.without_extension(name)
        guess = bare if bare in channels else nearest(name, channels)
        hint, label = (f"write {guess}", f"did you mean {guess}?") if guess else ("", "")
        yield Defect(row(opened, at, "file"), f"file {quoted(name)} is not in the ECF", hint, label, count=count)


@rule("SWS403", "beyond-excerpt", cites="house rule", plan=WARNING, tool=OK, needs=("content", "ecf"))
def beyond_excerpt(opened: OpenRun) -> Iterator[Defect]:
    """Every detection lies inside of an excerpt of the ECF, or ends at most half a second behind it.

    Why: there is nothing to detect where there is no audio.
    Bad: tbeg="62.0" dur="5.0" where the excerpt ends at 62.984 s
    Good: tbeg="62.0" dur="0.9"
    Fix: clip the detection; times count seconds from the start of the recording, dur is no end time.
    NIST: STDEval does not look.
    """
    table, placed = detections(opened), opened.once(_placed)
    outside = table.valid & placed.channel_known & ~placed.inside & (table.begin_s >= 0) & (table.duration_s >= 0)
    for at, count in sampled(np.flatnonzero(outside)):
        name, begin = table.files[table.file[at]], float(table.begin_s[at])
        ends = [
            excerpt.begin_s + excerpt.duration_s
            for excerpt in ecf(opened).excerpts
            if excerpts.STD_NAMES.listed(excerpt) == name and excerpt.begin_s <= begin
        ]
        until = f"; the excerpt ends at {max(ends):.3f}" if ends else "; no excerpt begins that early"
        message = f"the detection lasts until {begin + float(table.duration_s[at]):.3f} s{until}"
        yield Defect(row(opened, at, "dur" if ends else "tbeg"), message, count=count)


@rule("SWS404", "negative-time", cites=FORMAT, plan=ERROR, tool=OK, needs=("content",))
def negative_time(opened: OpenRun) -> Iterator[Defect]:
    """tbeg and dur are not negative.

    Why: a detection begins in the recording and lasts for a while; its middle decides what it is aligned with.
    Bad: tbeg="-0.25"
    Good: tbeg="0.00"
    Fix: clip the detection to the recording; dur is a duration, not the difference of two columns.
    NIST: STDEval does not look.
    """
    table = detections(opened)
    for name, column in (("tbeg", table.begin_s), ("dur", table.duration_s)):
        yield from flagged(opened, table.valid & (column < 0), name, f"{name} is {{value}}; it must not be negative")


@rule("SWS412", "score-no-finite-number", cites=f"{M13} 1", plan=ERROR, tool=OK, needs=("content",))
def score_not_finite(opened: OpenRun) -> Iterator[Defect]:
    """Every score is a finite number.

    Why: more positive values mean likelier occurrences; what is no number, or infinite, cannot be averaged.
    Bad: score="NaN", or score="-INF"
    Good: score="-12.5"
    Fix: find out where the system divides by zero, or cap the scores at a finite number.
    NIST: STDEval takes the text for 0 or for infinity, without a word.
    """
    table = detections(opened)
    odd = table.valid & ~np.isfinite(table.score)
    yield from flagged(opened, odd, "score", "score is {value}, which is not a finite number")


@rule(
    "SWS415", "other-list-language", cites=FORMAT, plan=WARNING, tool=OK, needs=("content", "termlist"),
    follows=(*_UNREADABLE, "SWS424"),
)  # fmt: skip
def other_list_language(opened: OpenRun) -> Iterator[Defect]:
    """language is that of the term list.

    Why: another one hints at the wrong list or a stale header.
    Bad: language="english" with a term list of language="multiple"
    Good: language="multiple" with a term list of language="multiple"
    Fix: write the language as the term list has it.
    NIST: STDEval does not compare them.
    """
    yield from searchlists.other_language(opened)


@rule("SWS416", "oov-term-count-too-high", cites=FORMAT, plan=WARNING, tool=OK, needs=("content", "termlist"))
def oov_term_count_too_high(opened: OpenRun) -> Iterator[Defect]:
    """oov_term_count is not above the number of words of the term.

    Why: it counts the words of the term that are out of vocabulary; a spoken query is one word at most, or NA.
    Bad: oov_term_count="3" for the term "red house"
    Good: oov_term_count="2"
    Fix: count words; write NA if the system has no dictionary.
    NIST: STDEval does not compare them.
    """
    yield from searchlists.too_many_unknown_words(opened)


@rule("SWS417", "negative-cost", cites=FORMAT, plan=WARNING, tool=OK, needs=("content",))
def negative_cost(opened: OpenRun) -> Iterator[Defect]:
    """indexing_time, index_size and term_search_time are not negative.

    Why: they are CPU times in seconds and a size.
    Bad: term_search_time="-1"
    Good: term_search_time="2.57"
    Fix: write what was measured; 0 if nothing was.
    NIST: STDEval does not look at the sign.
    """
    table = content(opened).table
    for name, value in (("indexing_time", table.indexing_time_s), ("index_size", table.index_size)):
        if value < 0:
            yield Defect(header(opened, name), f"{name} is {{value}}; it should not be negative")
    yield from searchlists.negative_search_times(opened)


@rule("SWS420", "crossed-decisions", cites=f"{M13} 2.1", plan=WARNING, tool=WARNING, needs=("content",))
def crossed_decisions(opened: OpenRun) -> Iterator[Defect]:
    """One score separates YES from NO: YES if and only if the score is at or above the threshold.

    Why: decisions are assumed to be made by one threshold; MTWV and the curve mean little where they are not.
    Bad: a YES with score 0.41 and a NO with score 0.62
    Good: all YES at or above 0.5, all NO below
    Fix: normalise the scores across queries, or check the decisions.
    NIST: STDEval says "inconsistent" and scores; F4DE's younger scorer refuses.
    """
    yield from searchlists.crossed_decisions(opened)


@rule("SWS421", "only-yes", cites=f"{M13} 4.1", plan=WARNING, tool=WARNING, needs=("content",))
def only_yes(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided NO.

    Why: detections far below the threshold are welcome: without them there is hardly a curve, and Cnxe is censored.
    Bad: decision="YES" throughout
    Good: NO for the detections below the threshold
    Fix: set the threshold, and keep the detections below it as NO.
    NIST: STDEval does not look.
    """
    yield from searchlists.one_decision(opened, yes=True)


@rule("SWS422", "only-no", cites=f"{M13} 2.3", plan=WARNING, tool=WARNING, needs=("content",))
def only_no(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided YES.

    Why: the actual term-weighted value counts YES only; without any it is zero.
    Bad: decision="NO" throughout
    Good: YES for the detections above the threshold
    Fix: set the threshold.
    NIST: STDEval does not look.
    """
    yield from searchlists.one_decision(opened, yes=False)


@rule("SWS424", "list-header-to-fill-in", cites=FORMAT, plan=ERROR, tool=OK, needs=("content",))
def list_header_to_fill_in(opened: OpenRun) -> Iterator[Defect]:
    """Nothing of the skeleton is left in the header.

    Why: the header says which list was searched, in which language, by which system.
    Bad: system_id="FILL-IN"
    Good: system_id="DTW on posteriorgrams"
    Fix: replace FILL-IN by what is asked for.
    NIST: STDEval does not look.
    """
    yield from searchlists.unfilled(opened)


@rule("SWS425", "name-is-a-pattern", cites="STDEval reader", plan=OK, tool=WARNING, needs=("content",))
def name_is_a_pattern(opened: OpenRun) -> Iterator[Defect]:
    """Names of recordings have no characters that mean something in a regular expression.

    Why: NIST's scorer puts them into patterns; such a name matches something else, or stops the program.
    Bad: file="call(3)+noise"
    Good: file="call_3_noise"
    Fix: ask the organizers; the names are those of the ECF.
    NIST: what STDEval does depends on the characters.
    """
    table = detections(opened)
    odd = np.array([_PATTERN.search(name) is not None for name in table.files], dtype=bool)
    if odd.any():
        yield from flagged(opened, table.valid & odd[table.file], "file", "file {value} is read as a pattern")


@rule(
    "SWS614",
    "description-to-fill-in",
    cites="house rule",
    plan=ERROR,
    tool=OK,
    scope=Scope.SUBMISSION,
    needs=("whole",),
)
def description_to_fill_in(submission: Submission) -> Iterator[Defect]:
    """Nothing of the skeleton is left in the description.

    Why: it is to say what the system does, and how to reach those who made it.
    Bad: Contact: FILL-IN (name and e-mail address)
    Good: Contact: A. Nobody, nobody@acme.example
    Fix: replace FILL-IN by what is asked for.
    NIST: STDEval never sees the description.
    """
    yield from unfilled(submission)


RULES = (
    *general.RULES,
    *swsremarks.RULES,
    stdlist_extension,
    not_for_line_readers,
    unknown_query,
    query_without_list,
    second_list_of_query,
    detection_twice,
    recording_not_in_ecf,
    beyond_excerpt,
    negative_time,
    score_not_finite,
    other_list_language,
    oov_term_count_too_high,
    negative_cost,
    crossed_decisions,
    only_yes,
    only_no,
    list_header_to_fill_in,
    name_is_a_pattern,
    description_to_fill_in,
)
