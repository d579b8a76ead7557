"""What a KWSList must mean: form that NIST's reader takes (2xx), coverage (3xx), values (4xx)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Place, Severity, rule, sampled
from validator.suggest import nearest, quoted

from . import excerpts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from validator.formats.kwslist import KwsListFile
    from validator.submission import OpenRun
    from validator.tables import DetectedList, Detections, Ecf, KeywordList

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
A5 = "OpenKWS13 A.5"
_UNREADABLE = ("XML201", "XML202", "XML203", "XML211")
_WRONG_LIST = (*_UNREADABLE, "KWS301", "KWS302")


def _content(opened: OpenRun) -> KwsListFile:
    return cast("KwsListFile", opened.content)


def _detections(opened: OpenRun) -> Detections:
    return _content(opened).table.detections


def _ecf(opened: OpenRun) -> Ecf:
    return cast("Ecf", opened.references["ecf"])


def _kwlist(opened: OpenRun) -> KeywordList:
    return cast("KeywordList", opened.references["kwlist"])


def _placed(opened: OpenRun) -> excerpts.Placed:
    return excerpts.place(_detections(opened), _ecf(opened))


def _header(opened: OpenRun, attribute: str = "") -> Place:
    node = f"/kwslist/@{attribute}" if attribute else "/kwslist"
    return Place(opened.run.file, _content(opened).table.offset, attribute, node)


def _list(opened: OpenRun, detected: DetectedList, attribute: str) -> Place:
    node = f'/kwslist/detected_kwlist[@kwid="{detected.kwid}"]/@{attribute}'
    return Place(opened.run.file, detected.offset, attribute, node)


def _row(opened: OpenRun, row: int, attribute: str = "") -> Place:
    content = _content(opened)
    return Place(opened.run.file, int(content.table.detections.offset[row]), attribute, content.node(row, attribute))


# -- 2xx: what NIST's line reader does not take ------------------------------------------------------------------


@rule("KWS211", "long-comment-before-root", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def long_comment_before_root(opened: OpenRun) -> Iterator[Defect]:
    """A comment in front of the root element is on one line.

    Why: NIST's checker reads tag by tag, one line each, and stops at anything else.
    Bad: <!-- made by
         our system -->
    Good: <!-- made by our system -->
    Fix: write the comment on one line, or delete it.
    NIST: F4DE refuses the file.
    """
    for remark in _content(opened).remarks:
        if remark.name == "comment" and remark.before_root:
            yield Defect(Place(opened.run.file, remark.offset), f"a comment of {remark.lines} lines before the root")


@rule("KWS212", "long-comment-in-list", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def long_comment_in_list(opened: OpenRun) -> Iterator[Defect]:
    """A comment between the keywords is on one line.

    Why: NIST's checker silently stops reading at it; the keywords behind it then count as missing.
    Bad: <!-- second
         half --> between two keywords
    Good: <!-- second half -->
    Fix: write the comment on one line, or delete it.
    NIST: F4DE ends its reading there without a word.
    """
    content = _content(opened)
    if opened.submission.parameters["allow_missing_keywords"]:
        return
    last = content.table.lists[-1].offset if content.table.lists else -1
    for remark in content.remarks:
        if remark.name == "comment" and not remark.before_root and remark.offset < last:
            message = f"NIST's checker stops reading at this comment of {remark.lines} lines"
            yield Defect(Place(opened.run.file, remark.offset), message)


@rule("KWS213", "processing-instruction", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def processing_instruction(opened: OpenRun) -> Iterator[Defect]:
    """There are no processing instructions but those whose name begins with xml.

    Why: NIST's checker does not know what to do with them.
    Bad: <?my-tool version 3?>
    Good: no such line
    Fix: delete it.
    NIST: F4DE refuses the file.
    """
    for remark in _content(opened).remarks:
        if remark.name != "comment" and not remark.name.startswith("xml"):
            yield Defect(Place(opened.run.file, remark.offset), f"a processing instruction <?{remark.name} ...?>")


@rule("KWS214", "utf-16", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def utf_16(opened: OpenRun) -> Iterator[Defect]:
    """The file is not in UTF-16.

    Why: it is legal XML, but NIST's checker reads bytes line by line.
    Bad: a file saved as "Unicode" by an editor
    Good: the same file saved as UTF-8
    Fix: convert it: iconv -f UTF-16 -t UTF-8
    NIST: F4DE refuses it; UTF-8 with or without a byte order mark and ISO-8859-1 pass.
    """
    if _content(opened).encoding.startswith("utf-16"):
        yield Defect(Place(opened.run.file), "the file is encoded in UTF-16; write UTF-8")


# -- 3xx: the keywords -------------------------------------------------------------------------------------------


@rule(
    "KWS301",
    "kwlist-not-found",
    cites=A5,
    plan=ERROR,
    tool=ERROR,
    needs=("content", "database"),
    follows=(*_UNREADABLE, "XML205", "KWS118", "KWS112"),
)
def kwlist_not_found(opened: OpenRun) -> Iterator[Defect]:
    """kwlist_filename names a KWList of the database folder.

    Why: it is the list that was searched; without it the answers cannot be checked.
    Bad: kwlist_filename="expt_06.kwlist.xml"
    Good: kwlist_filename="babel106b-v0.2g_conv-dev.kwlist.xml"
    Fix: write the name of the file that you searched with, as it is in the database folder.
    NIST: F4DE refuses: "Could not find in dbDir the 'kwlist_filename'". Folders in the name are cut off.
    """
    absent = opened.choices["kwlist"].absent
    if absent or (opened.choices["kwlist"].source is None and not _content(opened).named_list):
        label = absent.partition("; ")[2]
        message = "kwlist_filename is {value}: the database folder has no such KWList"
        yield Defect(_header(opened, "kwlist_filename"), message, label=label)


@rule(
    "KWS302",
    "kwlist-of-other-data",
    cites=A5,
    plan=ERROR,
    tool=OK,
    needs=("content", "database", "kwlist"),
    follows=("KWS110", "KWS111", "KWS112", "KWS118"),
)
def kwlist_of_other_data(opened: OpenRun) -> Iterator[Defect]:
    """The KWList belongs to the corpus and partition of the EXPID.

    Why: a KWSList applies to a particular ECF and KWList; another partition has other keywords.
    Bad: ..._babel106b-v0.2g_conv-dev_... with kwlist_filename="babel106b-v0.2g_conv-eval.kwlist.xml"
    Good: ..._babel106b-v0.2g_conv-dev_... with kwlist_filename="babel106b-v0.2g_conv-dev.kwlist.xml"
    Fix: search with the KWList of the partition, or correct the EXPID.
    NIST: F4DE does not compare them.
    """
    values = opened.run.values
    wanted = f"{values.get('CORPUS', '')}_{values.get('PARTITION', '')}"
    source = opened.choices["kwlist"].source
    if source is not None and source.path.name.split(".kwlist")[0] != wanted:
        yield Defect(_header(opened, "kwlist_filename"), f"kwlist_filename is {{value}}; the EXPID says {wanted}")


@rule("KWS303", "unknown-keyword", cites=A5, plan=ERROR, tool=ERROR, needs=("content", "kwlist"), follows=_WRONG_LIST)
def unknown_keyword(opened: OpenRun) -> Iterator[Defect]:
    """Every kwid is in the KWList, letter for letter.

    Why: a keyword that nobody asked for cannot be scored.
    Bad: <detected_kwlist kwid="KW106-0006" ...>
    Good: <detected_kwlist kwid="KW106-00006" ...>
    Fix: correct the kwid, or remove the list.
    NIST: F4DE refuses: "present in KWS file but not defined in the Term List"; its scorer aborts.
    """
    known = {keyword.kwid for keyword in _kwlist(opened).keywords}
    have = {detected.kwid for detected in _content(opened).table.lists}
    absent = sorted(known - have)
    for detected in _content(opened).table.lists:
        if detected.kwid not in known:
            guess = nearest(detected.kwid, absent)
            hint = f"write {guess}" if guess else ""
            label = f"did you mean {guess}?" if guess else ""
            yield Defect(_list(opened, detected, "kwid"), "kwid {value} is not in the KWList", hint, label)


@rule("KWS304", "missing-keyword", cites=A5, plan=ERROR, tool=ERROR, needs=("content", "kwlist"), follows=_WRONG_LIST)
def missing_keyword(opened: OpenRun) -> Iterator[Defect]:
    """Every keyword of the KWList has a detected_kwlist, an empty one if nothing was found.

    Why: the output shows that the keyword was searched for; otherwise its references all count as misses.
    Bad: no detected_kwlist for KW106-00005
    Good: <detected_kwlist kwid="KW106-00005" search_time="1.2" oov_count="0"/>
    Fix: add an empty detected_kwlist for it; --set allow_missing_keywords=true if that is agreed upon.
    NIST: F4DE refuses: "defined in the Term List but absent in KWS file", unless called with -A.
    """
    if opened.submission.parameters["allow_missing_keywords"]:
        return
    have = {detected.kwid for detected in _content(opened).table.lists}
    for keyword in _kwlist(opened).keywords:
        if keyword.kwid not in have:
            words = quoted(keyword.text.strip())
            message = f"keyword {keyword.kwid} {words} of the KWList has no detected_kwlist"
            hint = f'add <detected_kwlist kwid="{keyword.kwid}" search_time="0" oov_count="NA"/>'
            yield Defect(_header(opened), message, hint)


@rule("KWS305", "duplicate-keyword", cites=A5, plan=ERROR, tool=OK, needs=("content",))
def duplicate_keyword(opened: OpenRun) -> Iterator[Defect]:
    """Every keyword has one detected_kwlist only.

    Why: there is one for each search keyword; two make its references count twice at scoring.
    Bad: two lists <detected_kwlist kwid="KW106-00001" ...>
    Good: one list with the detections of both
    Fix: merge the two lists.
    NIST: F4DE does not notice; its scorer counts the references of the keyword once for each list.
    """
    first: dict[str, DetectedList] = {}
    for detected in _content(opened).table.lists:
        earlier = first.setdefault(detected.kwid, detected)
        if earlier is not detected:
            message = "a second detected_kwlist for {value}; the first is at {other}"
            yield Defect(_list(opened, detected, "kwid"), message, other=_list(opened, earlier, "kwid"))


# -- 4xx: the values ---------------------------------------------------------------------------------------------


@rule("KWS401", "duplicate-detection", cites="F4DE ValidateKWSList", plan=OK, tool=ERROR, needs=("content",))
def duplicate_detection(opened: OpenRun) -> Iterator[Defect]:
    """No detection is there twice: same keyword, file, channel, times, score and decision, as text.

    Why: the same detection twice is one answer given twice; at best one of them can be correct.
    Bad: two equal lines <kw file="X" channel="1" tbeg="1.0" dur="0.5" score="0.9" decision="YES"/>
    Good: one of them
    Fix: remove the second one; look for the reason in the system.
    NIST: F4DE calls it a warning, but a warning makes the file invalid. 1.0 and 1.00 are different texts.
    """
    table = _detections(opened)
    rows = np.flatnonzero(table.valid)
    if "ecf" in opened.references:  # NIST's tool deletes what is not in the ECF before it looks for duplicates
        placed = opened.once(_placed)
        rows = rows[(placed.channel_spelt & placed.inside)[rows]]
    key = table.text[rows].copy()
    for column in (table.keyword, table.file, table.channel, table.yes):
        key = (key ^ column[rows].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(32)
    order = np.argsort(key)
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    pairs = np.sort(np.stack([rows[order[again]], rows[order[again + 1]]]), axis=0)
    earlier = dict(zip(pairs[1].tolist(), pairs[0].tolist(), strict=True))
    for row, count in sampled(np.array(sorted(earlier), dtype=np.intp)):
        message = "the same detection again; it is at {other} already"
        yield Defect(_row(opened, row), message, count=count, other=_row(opened, earlier[row]))


@rule("KWS402", "file-not-in-ecf", cites=A5, plan=ERROR, tool=ERROR, needs=("content", "ecf"))
def file_not_in_ecf(opened: OpenRun) -> Iterator[Defect]:
    """Every detection is in a recording and a channel of the ECF.

    Why: only the recordings of the ECF are evaluated.
    Bad: file="BABEL_BP_106_00000" where the ECF has no such recording
    Good: file="BABEL_BP_106_72814_20120201_145593_inLine"
    Fix: write the base name of the recording as the ECF has it, and its channel.
    NIST: F4DE refuses: "not defined in the ECF". It cuts off folders and .sph, not .wav.
    """
    table, placed = _detections(opened), opened.once(_placed)
    known = {excerpts.ecf_recording(excerpt) for excerpt in _ecf(opened).excerpts}
    for row, count in sampled(np.flatnonzero(table.valid & ~placed.channel_known)):
        name, channel = table.files[table.file[row]], table.channels[table.channel[row]]
        if placed.file_known[row]:
            there = sorted(
                {e.channel for e in _ecf(opened).excerpts if excerpts.ecf_recording(e) == excerpts.recording(name)}
            )
            message = f"file {quoted(name)} has channel {' and '.join(there)} in the ECF, not {channel}"
            yield Defect(_row(opened, row, "channel"), message, f"write channel {there[0]}", count=count)
        else:
            guess = nearest(name, known)
            label = f"did you mean {guess}?" if guess else ""
            yield Defect(_row(opened, row, "file"), f"file {quoted(name)} is not in the ECF", label=label, count=count)


@rule("KWS403", "outside-excerpt", cites="OpenKWS13 A.1, A.5", plan=ERROR, tool=ERROR, needs=("content", "ecf"))
def outside_excerpt(opened: OpenRun) -> Iterator[Defect]:
    """Every detection lies wholly inside of one excerpt of the ECF.

    Why: audio outside of the excerpts is not part of the experiment.
    Bad: tbeg="130.950" dur="0.5" where the excerpt ends at 131.05 s
    Good: tbeg="130.350" dur="0.5"
    Fix: drop or clip the detection; times count seconds from the start of the recording, not of the excerpt.
    NIST: F4DE refuses: "not defined in the ECF".
    """
    placed, table = opened.once(_placed), _detections(opened)
    outside = table.valid & placed.channel_known & ~placed.inside & ~placed.inside_exactly
    for row, count in sampled(np.flatnonzero(outside)):
        name = excerpts.recording(table.files[table.file[row]])
        begin, end = float(table.begin_s[row]), float(table.begin_s[row] + table.duration_s[row])
        mine = [e for e in _ecf(opened).excerpts if excerpts.ecf_recording(e) == name]
        spans = ", ".join(f"{e.begin_s:g} to {e.begin_s + e.duration_s:.6g} s" for e in mine[:3])
        more = f" and {len(mine) - 3} more" if len(mine) > 3 else ""
        attribute = "dur" if any(e.begin_s <= begin <= e.begin_s + e.duration_s for e in mine) else "tbeg"
        message = f"the detection, {begin:.6g} to {end:.6g} s, lies in no excerpt of its recording: {spans}{more}"
        yield Defect(_row(opened, row, attribute), message, count=count)


@rule(
    "KWS404", "outside-excerpt-by-rounding", cites="F4DE ValidateKWSList", plan=OK, tool=ERROR, needs=("content", "ecf")
)
def outside_excerpt_by_rounding(opened: OpenRun) -> Iterator[Defect]:
    """tbeg + dur does not exceed the end of the excerpt in binary arithmetic either.

    Why: NIST's checker adds binary numbers without tolerance; 69.7 + 0.3 is more than 70 for it.
    Bad: tbeg="69.7" dur="0.3" in an excerpt that ends at 70 s
    Good: tbeg="69.7" dur="0.299"
    Fix: shorten the detection by a millisecond.
    NIST: F4DE refuses: "not defined in the ECF".
    """
    placed, table = opened.once(_placed), _detections(opened)
    for row, count in sampled(np.flatnonzero(table.valid & ~placed.inside & placed.inside_exactly)):
        total = repr(float(table.begin_s[row] + table.duration_s[row]))
        message = f"the detection ends exactly with its excerpt, but in binary tbeg + dur is {total}"
        yield Defect(_row(opened, row, "dur"), message, count=count)


@rule("KWS405", "channel-spelling", cites="F4DE ValidateKWSList", plan=OK, tool=ERROR, needs=("content", "ecf"))
def channel_spelling(opened: OpenRun) -> Iterator[Defect]:
    """channel is written as the ECF writes it.

    Why: NIST's checker compares the text: 01, +1 and "1 " are the same whole number, but not the same text.
    Bad: channel="01"
    Good: channel="1"
    Fix: write the channel as in the ECF.
    NIST: F4DE refuses: "not defined in the ECF".
    """
    placed, table = opened.once(_placed), _detections(opened)
    for row, count in sampled(np.flatnonzero(table.valid & placed.channel_known & ~placed.channel_spelt)):
        message = "channel is {value}; the ECF writes the same number in another way"
        yield Defect(_row(opened, row, "channel"), message, count=count)


@rule("KWS406", "file-not-basename", cites=A5, plan=WARNING, tool=OK, needs=("content",))
def file_not_basename(opened: OpenRun) -> Iterator[Defect]:
    """file is the base name of the recording, without folders and extension.

    Why: the plan asks for the base name; tools differ in what they cut off.
    Bad: file="audio/BABEL_BP_106_72814_inLine.sph"
    Good: file="BABEL_BP_106_72814_inLine"
    Fix: write the bare name.
    NIST: F4DE cuts off folders and .sph, so that it passes.
    """
    table = _detections(opened)
    odd = np.array([excerpts.recording(name) != name for name in table.files], dtype=bool)
    for row, count in sampled(np.flatnonzero(odd[table.file]) if odd.any() else np.zeros(0, dtype=np.intp)):
        name = excerpts.recording(table.files[table.file[row]])
        yield Defect(_row(opened, row, "file"), "file is {value}, not a base name", f"write {name}", count=count)


@rule("KWS410", "half-a-score-range", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def half_a_score_range(opened: OpenRun) -> Iterator[Defect]:
    """min_score and max_score are both there, or neither is.

    Why: a range has two ends.
    Bad: <kwslist ... min_score="0">
    Good: <kwslist ... min_score="0" max_score="1">
    Fix: add the other one, or remove both.
    NIST: F4DE refuses it.
    """
    table = _content(opened).table
    if (table.min_score is None) != (table.max_score is None):
        there, missing = ("min_score", "max_score") if table.max_score is None else ("max_score", "min_score")
        yield Defect(_header(opened, there), f"{there} is there, {missing} is not")


@rule("KWS411", "score-outside-range", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def score_outside_range(opened: OpenRun) -> Iterator[Defect]:
    """Every score lies between min_score and max_score, where they are given.

    Why: the header promises it, and the alignment uses the range.
    Bad: score="1.2" with max_score="1"
    Good: score="0.98" with max_score="1"
    Fix: correct max_score and min_score, or the score.
    NIST: F4DE stops reading at it and then complains about missing keywords.
    """
    header, table = _content(opened).table, _detections(opened)
    if header.min_score is None or header.max_score is None:
        return
    outside = table.valid & ((table.score < header.min_score) | (table.score > header.max_score))
    for row, count in sampled(np.flatnonzero(outside)):
        message = f"score {{value}} is outside of min_score to max_score, {header.min_score:g} to {header.max_score:g}"
        yield Defect(_row(opened, row, "score"), message, count=count)


@rule("KWS412", "nan-score", cites="OpenKWS13 3.5", plan=ERROR, tool=OK, needs=("content",))
def nan_score(opened: OpenRun) -> Iterator[Defect]:
    """Every score is a number.

    Why: larger scores mean likelier detections; NaN is neither larger nor smaller than anything.
    Bad: score="NaN"
    Good: score="-4.2"
    Fix: find out where the system divides by zero, or leave the detection out.
    NIST: the schema and F4DE let NaN pass; it then silently distorts the scores.
    """
    table = _detections(opened)
    for row, count in sampled(np.flatnonzero(table.valid & np.isnan(table.score))):
        yield Defect(_row(opened, row, "score"), "score is {value}, which is not a number", count=count)


@rule("KWS413", "infinite-score", cites="OpenKWS13 3.5", plan=WARNING, tool=OK, needs=("content",))
def infinite_score(opened: OpenRun) -> Iterator[Defect]:
    """Scores are finite.

    Why: infinite scores all tie, and curves over thresholds lose their ends.
    Bad: score="INF" or score="1e999"
    Good: score="12.7"
    Fix: cap the scores at a finite number.
    NIST: F4DE lets them pass.
    """
    table = _detections(opened)
    for row, count in sampled(np.flatnonzero(table.valid & np.isinf(table.score))):
        yield Defect(_row(opened, row, "score"), "score {value} is infinite", count=count)


@rule("KWS414", "no-duration", cites=A5, plan=WARNING, tool=OK, needs=("content",))
def no_duration(opened: OpenRun) -> Iterator[Defect]:
    """Every detection lasts longer than nothing.

    Why: dur is the duration of the keyword; its middle decides what it is aligned with.
    Bad: dur="0.00"
    Good: dur="0.31"
    Fix: write the duration, not the end time.
    NIST: F4DE lets zero and negative durations pass.
    """
    table = _detections(opened)
    for row, count in sampled(np.flatnonzero(table.valid & (table.duration_s <= 0))):
        yield Defect(_row(opened, row, "dur"), "dur is {value}; it should be above 0", count=count)


@rule("KWS415", "other-language", cites=A5, plan=WARNING, tool=OK, needs=("content", "kwlist"), follows=_WRONG_LIST)
def other_language(opened: OpenRun) -> Iterator[Defect]:
    """language is that of the KWList.

    Why: it is the language of the source material; another one hints at the wrong list or a stale header.
    Bad: language="english" with a KWList of language="tagalog"
    Good: language="tagalog" with a KWList of language="tagalog"
    Fix: write the language as the KWList has it.
    NIST: F4DE does not compare them.
    """
    expected = _kwlist(opened).language
    if _content(opened).table.language.casefold() != expected.casefold():
        message = f"language is {{value}}; the KWList has {quoted(expected)}"
        yield Defect(_header(opened, "language"), message)


@rule("KWS416", "oov-count-too-high", cites=A5, plan=ERROR, tool=OK, needs=("content", "kwlist"), follows=_WRONG_LIST)
def oov_count_too_high(opened: OpenRun) -> Iterator[Defect]:
    """oov_count is not above the number of words of the keyword.

    Why: it counts the words of the keyword that are out of vocabulary.
    Bad: oov_count="3" for the keyword "magandang umaga"
    Good: oov_count="2"
    Fix: count words, not occurrences or characters.
    NIST: F4DE does not compare them.
    """
    words = {keyword.kwid: len(keyword.text.split()) for keyword in _kwlist(opened).keywords}
    for detected in _content(opened).table.lists:
        most = words.get(detected.kwid)
        if most is not None and detected.oov_count is not None and detected.oov_count > most:
            message = f"oov_count is {{value}}, but the keyword has {most} word{'s' if most != 1 else ''}"
            yield Defect(_list(opened, detected, "oov_count"), message)


@rule("KWS417", "negative-search-time", cites=A5, plan=WARNING, tool=OK, needs=("content",))
def negative_search_time(opened: OpenRun) -> Iterator[Defect]:
    """search_time is not negative.

    Why: it is the CPU time that was spent on the keyword, in seconds.
    Bad: search_time="-1"
    Good: search_time="2.57"
    Fix: write the measured time.
    NIST: F4DE does not look at the sign.
    """
    for detected in _content(opened).table.lists:
        if detected.search_time_s < 0:
            yield Defect(_list(opened, detected, "search_time"), "search_time is {value}; it should not be negative")


@rule("KWS420", "no-single-threshold", cites="OpenKWS13 3.5", plan=WARNING, tool=WARNING, needs=("content",))
def no_single_threshold(opened: OpenRun) -> Iterator[Defect]:
    """One score separates YES from NO.

    Why: scores should be comparable across keywords; a threshold per keyword is legal, but MTWV then says little.
    Bad: a YES with score 0.41 and a NO with score 0.62
    Good: all YES at or above 0.5, all NO below
    Fix: normalise the scores across keywords, or check the decisions, if one threshold was meant.
    NIST: the checker does not look; the scorer's summary aborts with exit 1 on such a file.
    """
    table = _detections(opened)
    usable = table.valid & ~np.isnan(table.score)
    yes, no = np.flatnonzero(usable & table.yes), np.flatnonzero(usable & ~table.yes)
    if not len(yes) or not len(no):
        return
    low, high = int(yes[table.score[yes].argmin()]), int(no[table.score[no].argmax()])
    if table.score[high] > table.score[low]:
        count = int((table.score[no] > table.score[low]).sum())
        lowest, highest = float(table.score[low]), float(table.score[high])
        message = f"a NO scores {highest:g}, above a YES with {lowest:g} at {{other}}"
        yield Defect(_row(opened, high, "score"), message, count=count, other=_row(opened, low))


@rule("KWS424", "header-to-fill-in", cites=A5, plan=ERROR, tool=OK, needs=("content",))
def header_to_fill_in(opened: OpenRun) -> Iterator[Defect]:
    """Nothing of the skeleton is left in the header.

    Why: the header says which list was searched, in which language, by which system.
    Bad: system_id="FILL-IN"
    Good: system_id="word lattices"
    Fix: replace FILL-IN by what is asked for.
    NIST: F4DE does not look.
    """
    header = _content(opened).table
    for name in ("kwlist_filename", "language", "system_id"):
        if getattr(header, name) == "FILL-IN":
            yield Defect(_header(opened, name), f"{name} is still to be filled in")


def _all_decided(opened: OpenRun, *, yes: bool) -> bool:
    table = _detections(opened)
    decided = table.yes[table.valid]
    return len(decided) > 0 and bool((decided == yes).all())


@rule("KWS421", "all-yes", cites="OpenKWS13 5.1.2.2", plan=WARNING, tool=WARNING, needs=("content",))
def all_yes(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided NO.

    Why: systems are to over-generate below the threshold; if all is YES, every doubtful one is a false alarm.
    Bad: decision="YES" throughout
    Good: NO for the detections below the threshold
    Fix: set the threshold, and keep the detections below it as NO.
    NIST: F4DE does not look.
    """
    if _all_decided(opened, yes=True):
        yield Defect(_header(opened), f"all {int(_detections(opened).valid.sum())} decisions are YES")


@rule("KWS422", "all-no", cites="OpenKWS13 5.1.2.2", plan=WARNING, tool=WARNING, needs=("content",))
def all_no(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided YES.

    Why: the actual term-weighted value counts YES only; without any it is zero.
    Bad: decision="NO" throughout
    Good: YES for the detections above the threshold
    Fix: set the threshold.
    NIST: F4DE does not look.
    """
    if _all_decided(opened, yes=False):
        yield Defect(_header(opened), f"all {int(_detections(opened).valid.sum())} decisions are NO")


@rule("KWS423", "overlapping-detections", cites="OpenKWS13 5.1.1", plan=WARNING, tool=WARNING, needs=("content",))
def overlapping_detections(opened: OpenRun) -> Iterator[Defect]:
    """Detections of one keyword in one channel do not overlap.

    Why: a spoken word can be matched once; all but one of the overlapping detections are false alarms.
    Bad: the same keyword at 10.0 to 10.5 s and at 10.2 to 10.7 s
    Good: the better one of the two
    Fix: keep the detection with the best score of each overlapping group.
    NIST: F4DE does not look; at scoring one can be correct at most.
    """
    table = _detections(opened)
    rows = np.flatnonzero(table.valid)
    files, channels = max(1, len(table.files)), max(1, len(table.channels))
    track = (table.keyword[rows].astype(np.int64) * files + table.file[rows]) * channels + table.channel[rows]
    order = _sorted_by(track, table.begin_s[rows])
    ahead, behind = rows[order[:-1]], rows[order[1:]]
    end = table.begin_s[ahead] + table.duration_s[ahead]
    overlap = (track[order[1:]] == track[order[:-1]]) & (end - table.begin_s[behind] > 1e-6)
    overlap &= table.text[ahead] != table.text[behind]  # the same detection twice is another rule's business
    earlier = dict(zip(behind[overlap].tolist(), ahead[overlap].tolist(), strict=True))
    for row, count in sampled(np.sort(behind[overlap])):
        message = "this detection overlaps the one of the same keyword at {other}"
        yield Defect(_row(opened, row, "tbeg"), message, count=count, other=_row(opened, earlier[row]))


def _sorted_by(track: NDArray[np.int64], begin: NDArray[np.float64]) -> NDArray[np.intp]:
    """Sort by track, then begin: by one whole number for both where microseconds and tracks fit into it."""
    if not len(track):
        return np.zeros(0, dtype=np.intp)
    low, high = float(begin.min()), float(begin.max())
    if not (high - low) * 1e6 * (float(track.max()) + 2) < 2**62:
        return np.lexsort((begin, track))
    step = np.int64((high - low) * 1e6) + 2
    return np.argsort(track * step + ((begin - low) * 1e6).astype(np.int64))


RULES = (
    long_comment_before_root,
    long_comment_in_list,
    processing_instruction,
    utf_16,
    kwlist_not_found,
    kwlist_of_other_data,
    unknown_keyword,
    missing_keyword,
    duplicate_keyword,
    duplicate_detection,
    file_not_in_ecf,
    outside_excerpt,
    outside_excerpt_by_rounding,
    channel_spelling,
    file_not_basename,
    half_a_score_range,
    score_outside_range,
    nan_score,
    infinite_score,
    no_duration,
    other_language,
    oov_count_too_high,
    negative_search_time,
    no_single_threshold,
    header_to_fill_in,
    all_yes,
    all_no,
    overlapping_detections,
)
