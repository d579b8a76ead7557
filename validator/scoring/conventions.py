"""What two laws, or two evaluations, do differently when they score keyword search: one name for each difference.

Every value is chosen by the profile of an evaluation; the scorer never asks whose law it follows.
"Tool" in the comments is F4DE's KWSEval, "plan" the OpenKWS13 evaluation plan, "STDEval" the scorer of STD 2006.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class DurationRule(Enum):
    """How much audio an ECF stands for."""

    CUT_AT_NEXT = "cut-at-next"  # tool: by file, whatever the channel; an excerpt ends where the next one begins
    UNION = "union"  # plan 5.1.2.1: time that is evaluated counts once; each channel of a splitcts file for half
    FIRST_CHANNEL = "first-channel"  # STDEval: the durations of the excerpts of channel 1, added


class ChainOrder(Enum):
    """Which LEXEME follows a LEXEME."""

    TIME = "time"  # plan 3.2: the next one in time
    FILE = "file"  # STDEval: the next line
    CROSSED = "crossed"  # tool: after the n-th line comes the (n+1)-th in time; the same if the RTTM is sorted


class CaseRule(Enum):
    """How a word of a keyword is compared with a LEXEME."""

    AS_LISTED = "as-listed"  # lower case if the KWList says compareNormalize="lowercase", otherwise as written
    FOLDED = "folded"  # full case folding, whatever the KWList says


class ScoreRange(Enum):
    """Over which detections the kernel takes the lowest and the largest score."""

    KEYWORD_PLACE = "keyword-place"  # tool: those of the keyword in this file and channel
    KEYWORD = "keyword"  # plan 5.1.1: those of the keyword
    SYSTEM = "system"  # STDEval: all of the system


class MapOrder(Enum):
    """How the detections of a keyword are ranked for MAP."""

    NUMBER = "number"
    TEXT = "text"  # tool: scores are compared as text, 9 is above 10


class TwvConventions(NamedTuple):
    """One law. Sections are those of the OpenKWS13 plan; the values in brackets are (tool | plan | STDEval)."""

    # A.1, A.5: files
    ecf_extensions: tuple[str, ...]  # dropped from audio_filename; empty: whatever stands after the last dot
    ecf_path_needs_extension: bool  # (yes | no | no) without an extension the directory stays in the file id
    channel_by_value: bool  # (no | yes | no) channel 01 of a detection is channel 1
    # 5.1.2.1: time base
    duration_rule: DurationRule
    splitcts_weight: float  # (0.5 | 0.5 | 1)
    noscore: bool  # 3.4 (no | yes | no) NOSCORE regions hold no trials and no time
    trials_divided: bool  # (yes | no | no) trials = duration / n instead of n * duration
    trials_rounded: bool  # (yes | no | yes) to an integer, ties to even
    # 3.2: reference occurrences
    entities_decoded: bool  # (no | yes | no) &amp; in a kwtext means &
    skipped_first_subtypes: tuple[str, ...]  # (frag fp | none | none) LEXEMEs that begin no keyword
    same_speaker: bool  # (yes | no | yes)
    chain_order: ChainOrder
    first_word_case: CaseRule
    next_word_case: CaseRule
    end_decimals: int | None  # (4 | 6 | 4) of the end of records and excerpts
    gap_decimals: int | None  # (4 | 6 | 4) of the silence between two words
    overlapping_occurrences: bool  # (yes | yes | no) `na na` occurs twice in `na na na`
    # 3.4, 5.1.1: alignment
    ecf_filter: bool  # (yes | yes | no) what lies outside of the excerpts is no trial
    system_decimals: int | None  # (none | 6 | none) of a detection's end and midpoint and of the collar's bounds
    repeated_list_repeats_references: bool  # (yes | no | no) two lists of one keyword are each aligned with all
    unknown_keyword_refused: bool  # (yes | no | yes)
    score_range: ScoreRange
    header_range: bool  # (yes | no | no) min_score and max_score of the KWSList, where given, are the range
    score_floor: float  # (0.00001 | 0.0001 | 0) smallest width of the range
    time_floor: float  # 0.00001, smallest length of a reference
    time_weight: float  # 1e-8
    score_weight: float  # 1e-6
    # 5.1.2, 5.1.3: measures
    reject_all_point: bool  # (no | yes | yes) rejecting everything is one of the thresholds
    one_threshold: bool  # (yes | no | no) decisions that follow no threshold are not scored
    map_order: MapOrder
    excess_refused: bool  # (no | no | yes) more detections that hit nothing than non-target trials are not scored
    # 5.2: inferred segments
    segment_any_hit: bool  # (no | yes | -) a segment is detected if one hit says YES, not if the best one does
    segment_bounds_shared: bool  # (yes | no | -) a midpoint on the bound of two segments hits both
    segments_joined: bool  # (no | yes | -) segments are joined where a keyword spans them; otherwise it is dropped
    segments_keep_unlisted: bool  # (yes | no | -) just_system_keywords leaves out only keywords without references
    segments_know_oov: bool  # (no | yes | -) keywords are told apart by their oov_count
    # conditional reports
    grouped_by_trials: bool  # (yes | no | -) a keyword is in the groups of its trials; silent ones in all, in no OOV


class TwvParameters(NamedTuple):
    """The numbers of an evaluation that a user may set."""

    collar_s: float = 0.5  # 5.1.1, Delta_T: of a detection's midpoint around a reference
    gap_s: float = 0.5  # 3.2: silence between two words of a keyword
    trials_per_second: float = 1.0
    beta: float = 999.9
    text_filter: tuple[str, ...] = ()  # charsplit, notASCII, deleteHyphens
    just_system_keywords: bool = False  # keywords that the system does not list are left out
    pooled: bool = False  # all keywords are one
    all_keywords: bool = False  # keywords without a reference are evaluated too


def beta(cost_fa: float, cost_miss: float, p_target: float) -> float:
    """Return the weight of a false alarm: beta = C/V * (1/Pr - 1) (5.1.2.1)."""
    return cost_fa / cost_miss * (1.0 / p_target - 1.0)
