"""What the tests of keyword-search scoring share: the two laws as values, and readers of the oracle's files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from validator.formats import rttm
from validator.scoring.alignment import Outcome
from validator.scoring.conventions import (
    CaseRule,
    ChainOrder,
    DurationRule,
    MapOrder,
    ScoreRange,
    TwvConventions,
)
from validator.scoring.reference import reference
from validator.tables import DetectedList, Detections, Ecf, Excerpt, Keyword, KeywordList, KwsList, TextPool, Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.scoring.kws_twin import Corpus, Detection, Token
    from validator.scoring.alignment import Alignment
    from validator.scoring.conventions import TwvParameters
    from validator.scoring.reference import Reference
    from validator.tables import Codes, Words

GOLDEN = Path(__file__).parent.parent / "golden" / "kws"

TOOL = TwvConventions(
    ecf_extensions=(),
    ecf_path_needs_extension=True,
    channel_by_value=False,
    duration_rule=DurationRule.CUT_AT_NEXT,
    splitcts_weight=0.5,
    noscore=False,
    trials_divided=True,
    trials_rounded=True,
    entities_decoded=False,
    skipped_first_subtypes=("frag", "fp"),
    same_speaker=True,
    chain_order=ChainOrder.CROSSED,
    first_word_case=CaseRule.AS_LISTED,
    next_word_case=CaseRule.FOLDED,
    end_decimals=4,
    gap_decimals=4,
    overlapping_occurrences=True,
    ecf_filter=True,
    system_decimals=None,
    repeated_list_repeats_references=True,
    unknown_keyword_refused=True,
    score_range=ScoreRange.KEYWORD_PLACE,
    header_range=True,
    score_floor=0.00001,
    time_floor=0.00001,
    time_weight=1e-8,
    score_weight=1e-6,
    reject_all_point=False,
    one_threshold=True,
    map_order=MapOrder.TEXT,
    excess_refused=False,
    segment_any_hit=False,
    segment_bounds_shared=True,
    segments_joined=False,
    segments_keep_unlisted=True,
    segments_know_oov=False,
    grouped_by_trials=True,
)
PLAN = TwvConventions(
    ecf_extensions=(),
    ecf_path_needs_extension=False,
    channel_by_value=True,
    duration_rule=DurationRule.UNION,
    splitcts_weight=0.5,
    noscore=True,
    trials_divided=False,
    trials_rounded=False,
    entities_decoded=True,
    skipped_first_subtypes=(),
    same_speaker=False,
    chain_order=ChainOrder.TIME,
    first_word_case=CaseRule.AS_LISTED,
    next_word_case=CaseRule.AS_LISTED,
    end_decimals=6,
    gap_decimals=6,
    overlapping_occurrences=True,
    ecf_filter=True,
    system_decimals=6,
    repeated_list_repeats_references=False,
    unknown_keyword_refused=False,
    score_range=ScoreRange.KEYWORD,
    header_range=False,
    score_floor=0.0001,
    time_floor=0.00001,
    time_weight=1e-8,
    score_weight=1e-6,
    reject_all_point=True,
    one_threshold=False,
    map_order=MapOrder.NUMBER,
    excess_refused=False,
    segment_any_hit=True,
    segment_bounds_shared=False,
    segments_joined=True,
    segments_keep_unlisted=False,
    segments_know_oov=True,
    grouped_by_trials=False,
)

STDEVAL = TOOL._replace(
    ecf_extensions=("wav", "sph", "flac"),
    ecf_path_needs_extension=False,
    channel_by_value=False,
    duration_rule=DurationRule.FIRST_CHANNEL,
    splitcts_weight=1.0,
    trials_divided=False,
    skipped_first_subtypes=(),
    chain_order=ChainOrder.FILE,
    first_word_case=CaseRule.FOLDED,
    next_word_case=CaseRule.FOLDED,
    overlapping_occurrences=False,
    ecf_filter=False,
    repeated_list_repeats_references=False,
    score_range=ScoreRange.SYSTEM,
    header_range=False,
    score_floor=0.0,
    reject_all_point=True,
    one_threshold=False,
    map_order=MapOrder.NUMBER,
    excess_refused=True,
)


@dataclass(frozen=True, slots=True)
class System:
    """A system's output as the scorer takes it, with the score texts."""

    kwslist: KwsList
    score_texts: tuple[str, ...]

    @property
    def words(self) -> Words:
        """The score texts as rows of big-endian words."""
        return score_words(self.score_texts)


def score_words(texts: Sequence[str]) -> Words:
    """Turn texts into zero-padded rows of big-endian 64-bit words."""
    parts = [text.encode() for text in texts]
    width = -(-max(map(len, parts), default=1) // 8) * 8
    raw = np.frombuffer(b"".join(part.ljust(width, b"\0") for part in parts), dtype=">u8")
    return raw.astype(np.uint64).reshape(len(parts), width // 8)


def read_ecf(path: Path) -> Ecf:
    """Read an ECF, for tests only."""
    root = etree.parse(path).getroot()
    excerpts = tuple(
        Excerpt(
            str(e.get("audio_filename")),
            str(e.get("channel")),
            float(str(e.get("tbeg"))),
            float(str(e.get("dur"))),
            str(e.get("source_type")),
            0,
        )
        for e in root.iter("excerpt")
    )
    duration = float(str(root.get("source_signal_duration")))
    return Ecf(duration, str(root.get("version")), str(root.get("language")), excerpts, 0)


def read_kwlist(path: Path) -> KeywordList:
    """Read a KWList, for tests only."""
    root = etree.parse(path).getroot()
    keywords = tuple(
        Keyword(
            str(kw.get("kwid")),
            kw.findtext("kwtext") or "",
            tuple((attr.findtext("name") or "", attr.findtext("value") or "") for attr in kw.iter("attr")),
            0,
        )
        for kw in root.iter("kw")
    )
    return KeywordList(
        ecf_filename=root.get("ecf_filename") or "",
        version=root.get("version") or "",
        language=root.get("language") or "",
        encoding=root.get("encoding") or "",
        compare_normalize=root.get("compareNormalize") or "",
        keywords=keywords,
        offset=0,
    )


def read_kwslist(path: Path) -> System:
    """Read a KWSList, for tests only."""
    root = etree.parse(path).getroot()
    lists, rows = [], []
    for number, one in enumerate(root.iter("detected_kwlist")):
        oov = str(one.get("oov_count"))
        lists.append(DetectedList(str(one.get("kwid")), 0.0, None if oov == "NA" else int(oov), 0))
        rows += [(number, kw) for kw in one.iter("kw")]
    low, high = root.get("min_score"), root.get("max_score")
    return System(
        KwsList(
            str(root.get("kwlist_filename")),
            str(root.get("language")),
            str(root.get("system_id")),
            None if low is None else float(low),
            None if high is None else float(high),
            tuple(lists),
            detections(
                [
                    Hit(
                        number,
                        str(kw.get("file")),
                        str(kw.get("channel")),
                        float(str(kw.get("tbeg"))),
                        float(str(kw.get("dur"))),
                        float(str(kw.get("score"))),
                        kw.get("decision") == "YES",
                    )
                    for number, kw in rows
                ]
            ),
            0,
        ),
        tuple(str(kw.get("score")) for _, kw in rows),
    )


@dataclass(frozen=True, slots=True)
class Hit:
    """One detection, as a row."""

    keyword: int
    file: str
    channel: str
    begin_s: float
    duration_s: float
    score: float
    yes: bool


def detections(hits: Sequence[Hit]) -> Detections:
    """Turn rows into columns."""
    files = tuple(dict.fromkeys(hit.file for hit in hits))
    channels = tuple(dict.fromkeys(hit.channel for hit in hits))
    count = len(hits)
    return Detections(
        keyword=np.array([hit.keyword for hit in hits], dtype=np.int32),
        file=np.array([files.index(hit.file) for hit in hits], dtype=np.int32),
        channel=np.array([channels.index(hit.channel) for hit in hits], dtype=np.int32),
        begin_s=np.array([hit.begin_s for hit in hits], dtype=np.float64),
        duration_s=np.array([hit.duration_s for hit in hits], dtype=np.float64),
        score=np.array([hit.score for hit in hits], dtype=np.float64),
        yes=np.array([hit.yes for hit in hits], dtype=bool),
        valid=np.ones(count, dtype=bool),
        text=np.zeros(count, dtype=np.uint64),
        score_text=np.zeros((count, 1), dtype=np.uint64),
        offset=np.arange(count, dtype=np.int64),
        files=TextPool.of(files),
        channels=TextPool.of(channels),
    )


def read_rttm(path: Path) -> Tokens:
    """Read an RTTM."""
    with path.open("rb") as stream:
        return rttm.tokens(stream, path.name)


def _coded(column: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    texts = tuple(dict.fromkeys(column))
    return np.array([texts.index(text) for text in column], dtype=np.int32), texts


def token_table(rows: Sequence[Token]) -> Tokens:
    """Turn RTTM records into columns."""
    type_, types = _coded([row.type for row in rows])
    file, files = _coded([row.file for row in rows])
    channel, channels = _coded([row.channel for row in rows])
    text, texts = _coded([row.text for row in rows])
    subtype, subtypes = _coded([row.subtype for row in rows])
    speaker, speakers = _coded([row.speaker for row in rows])
    return Tokens(
        type=type_,
        file=file,
        channel=channel,
        begin_s=np.array([row.begin for row in rows], dtype=np.float64),
        duration_s=np.array([row.duration for row in rows], dtype=np.float64),
        text=text,
        subtype=subtype,
        speaker=speaker,
        line=np.arange(1, len(rows) + 1, dtype=np.int32),
        types=types,
        files=files,
        channels=channels,
        texts=texts,
        subtypes=subtypes,
        speakers=speakers,
    )


def corpus_reference(corpus: Corpus, conventions: TwvConventions, parameters: TwvParameters) -> Reference:
    """Give a twin's corpus to the scorer."""
    excerpts = tuple(
        Excerpt(f"audio/{one.file}.sph", one.channel, one.begin, one.duration, one.source, 0) for one in corpus.excerpts
    )
    keywords = tuple(Keyword(kwid, text, (), 0) for kwid, text in corpus.keywords.items())
    return reference(
        Ecf(0.0, "", "", excerpts, 0),
        KeywordList("", "", "", "", corpus.normalize, keywords, 0),
        token_table(corpus.tokens),
        conventions,
        parameters,
    )


def twin_system(system: Mapping[str, Sequence[Detection]]) -> System:
    """Give a twin's detections to the scorer."""
    lists = tuple(DetectedList(kwid, 0.0, 0, 0) for kwid in system)
    rows = [(number, one) for number, found in enumerate(system.values()) for one in found]
    hits = [Hit(n, one.file, one.channel, one.begin, one.duration, one.score, one.yes) for n, one in rows]
    return System(KwsList("", "", "", None, None, lists, detections(hits), 0), tuple(one.text for _, one in rows))


def labelled(alignment: Alignment) -> dict[int, Counter[tuple[str, str, str, float | None]]]:
    """Return the outcomes of each keyword: file, channel, label and score."""
    found: dict[int, Counter[tuple[str, str, str, float | None]]] = {}
    for row in range(len(alignment)):
        place = alignment.places[alignment.place[row]]
        score = float(alignment.score[row])
        label = Outcome(int(alignment.outcome[row])).label
        outcome = (place.file, place.channel, label, None if np.isnan(score) else score)
        found.setdefault(int(alignment.keyword[row]), Counter())[outcome] += 1
    return found
