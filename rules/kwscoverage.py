"""Keywords of a KWSList against the KWList (3xx)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, rule
from validator.suggest import nearest, quoted, surely

from .kwsopen import A5, ERROR, OK, UNREADABLE, WARNING, WRONG_LIST, content, header, in_list, kwlist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun
    from validator.tables import DetectedList


@rule(
    "KWS301",
    "kwlist-not-found",
    cites=A5,
    plan=ERROR,
    tool=ERROR,
    needs=("content", "database"),
    follows=(*UNREADABLE, "XML205", "KWS118", "KWS112"),
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
    if absent or (opened.choices["kwlist"].source is None and not content(opened).named_list):
        label = absent.partition("; ")[2]
        guess = label.removeprefix("did you mean ").removesuffix("?")
        hint = f"write {guess}" if surely(content(opened).named_list or "", [guess]) else ""
        message = "kwlist_filename is {value}: the database folder has no such KWList"
        yield Defect(header(opened, "kwlist_filename"), message, hint, label)


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
        yield Defect(header(opened, "kwlist_filename"), f"kwlist_filename is {{value}}; the EXPID says {wanted}")


@rule("KWS303", "unknown-keyword", cites=A5, plan=ERROR, tool=ERROR, needs=("content", "kwlist"), follows=WRONG_LIST)
def unknown_keyword(opened: OpenRun) -> Iterator[Defect]:
    """Every kwid is in the KWList, letter for letter.

    Why: a keyword that nobody asked for cannot be scored.
    Bad: <detected_kwlist kwid="KW106-0006" ...>
    Good: <detected_kwlist kwid="KW106-00006" ...>
    Fix: correct the kwid, or remove the list.
    NIST: F4DE refuses: "present in KWS file but not defined in the Term List"; its scorer aborts.
    """
    meant = opened.once(_misspelt)
    known = {keyword.kwid for keyword in kwlist(opened).keywords}
    absent = sorted(known - {detected.kwid for detected in content(opened).table.lists})
    for detected in content(opened).table.lists:
        if detected.kwid in known:
            continue
        sure = meant.get(detected.kwid)
        guess = sure or nearest(detected.kwid, absent)
        message = "kwid {value} is not in the KWList" + (f"; {sure} is, and has no list here" if sure else "")
        label = f"did you mean {guess}?" if guess else ""
        yield Defect(in_list(opened, detected, "kwid"), message, f"write {sure}" if sure else "", label)


def _misspelt(opened: OpenRun) -> dict[str, str]:
    """Return for unknown kwids the missing keyword that was surely meant."""
    known = {keyword.kwid for keyword in kwlist(opened).keywords}
    have = {detected.kwid for detected in content(opened).table.lists}
    absent, unknown = sorted(known - have), sorted(have - known)
    if not absent:
        return {}
    pairs = ((kwid, surely(kwid, absent)) for kwid in unknown)
    return {kwid: guess for kwid, guess in pairs if guess is not None}


@rule("KWS304", "missing-keyword", cites=A5, plan=ERROR, tool=ERROR, needs=("content", "kwlist"), follows=WRONG_LIST)
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
    have = {detected.kwid for detected in content(opened).table.lists}
    meant = set(opened.once(_misspelt).values())
    for keyword in kwlist(opened).keywords:
        if keyword.kwid not in have:
            words = quoted(keyword.text.strip())
            message = f"keyword {keyword.kwid} {words} of the KWList has no detected_kwlist"
            hint = f'add <detected_kwlist kwid="{keyword.kwid}" search_time="0" oov_count="NA"/>'
            yield Defect(header(opened), message, hint, follows=("KWS303",) if keyword.kwid in meant else ())


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
    for detected in content(opened).table.lists:
        earlier = first.setdefault(detected.kwid, detected)
        if earlier is not detected:
            message = "a second detected_kwlist for {value}; the first is at {other}"
            yield Defect(in_list(opened, detected, "kwid"), message, other=in_list(opened, earlier, "kwid"))


@rule("KWS415", "other-language", cites=A5, plan=WARNING, tool=OK, needs=("content", "kwlist"), follows=WRONG_LIST)
def other_language(opened: OpenRun) -> Iterator[Defect]:
    """language is that of the KWList.

    Why: it is the language of the source material; another one hints at the wrong list or a stale header.
    Bad: language="english" with a KWList of language="tagalog"
    Good: language="tagalog" with a KWList of language="tagalog"
    Fix: write the language as the KWList has it.
    NIST: F4DE does not compare them.
    """
    expected = kwlist(opened).language
    if content(opened).table.language.casefold() != expected.casefold():
        message = f"language is {{value}}; the KWList has {quoted(expected)}"
        yield Defect(header(opened, "language"), message, f"write {expected}")


@rule("KWS416", "oov-count-too-high", cites=A5, plan=ERROR, tool=OK, needs=("content", "kwlist"), follows=WRONG_LIST)
def oov_count_too_high(opened: OpenRun) -> Iterator[Defect]:
    """oov_count is not above the number of words of the keyword.

    Why: it counts the words of the keyword that are out of vocabulary.
    Bad: oov_count="3" for the keyword "magandang umaga"
    Good: oov_count="2"
    Fix: count words, not occurrences or characters.
    NIST: F4DE does not compare them.
    """
    words = {keyword.kwid: len(keyword.text.split()) for keyword in kwlist(opened).keywords}
    for detected in content(opened).table.lists:
        most = words.get(detected.kwid)
        if most is not None and detected.oov_count is not None and detected.oov_count > most:
            message = f"oov_count is {{value}}, but the keyword has {most} word{'s' if most != 1 else ''}"
            yield Defect(in_list(opened, detected, "oov_count"), message)


RULES = (
    kwlist_not_found,
    kwlist_of_other_data,
    unknown_keyword,
    missing_keyword,
    duplicate_keyword,
    other_language,
    oov_count_too_high,
)
