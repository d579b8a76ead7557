"""Each named difference between the laws, by the smallest corpus that shows it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.scoring.kws_support import (
    PLAN,
    STDEVAL,
    TOOL,
    System,
    corpus_reference,
    labelled,
    token_table,
    twin_system,
)
from tests.scoring.kws_twin import Corpus, Detection, Span, Token
from validator.errors import ReferenceDataError
from validator.scoring.alignment import align
from validator.scoring.conventions import (
    CaseRule,
    ChainOrder,
    DurationRule,
    MapOrder,
    ScoreRange,
    TwvConventions,
    TwvParameters,
)
from validator.scoring.reference import reference
from validator.scoring.refusals import Obstacle, refusals
from validator.scoring.segments import align_segments, segment_reference
from validator.scoring.trials import trials
from validator.scoring.twv import measure
from validator.tables import Ecf, Excerpt, Keyword, KeywordList

if TYPE_CHECKING:
    from validator.scoring.reference import Reference
    from validator.scoring.twv import Twv

MINUTE = [Span("f", "1", 0.0, 60.0, "bnews")]


def said(*words: tuple[str, float], subtype: str = "lex", speaker: str = "s", duration: float = 0.2) -> list[Token]:
    """Make LEXEMEs of words and the times at which they begin."""
    return [Token("LEXEME", "f", "1", begin, duration, word, subtype, speaker) for word, begin in words]


def hit(begin: float, score: float, *, yes: bool = True, duration: float = 0.2, text: str = "") -> Detection:
    """Make a detection in the first file."""
    return Detection("f", "1", begin, duration, score, text or f"{score:g}", yes)


@dataclass(frozen=True)
class Try:
    """A corpus, a system, and parameters."""

    corpus: Corpus
    system: dict[str, list[Detection]] = field(default_factory=dict)
    parameters: TwvParameters = field(default_factory=TwvParameters)

    def reference(self, law: TwvConventions) -> Reference:
        """Find the references."""
        return corpus_reference(self.corpus, law, self.parameters)

    def given(self) -> System:
        """Return the system."""
        return twin_system(self.system)

    def score(self, law: TwvConventions) -> Twv:
        """Score by occurrences."""
        given = self.given()
        return measure(trials(align(self.reference(law), given.kwslist), text=given.words), law, self.parameters)

    def segments(self, law: TwvConventions) -> Twv:
        """Score by segments."""
        given = self.given()
        alignment = align_segments(segment_reference(self.reference(law)), given.kwslist)
        return measure(trials(alignment, text=given.words), law, self.parameters)

    def obstacles(self, law: TwvConventions) -> set[Obstacle]:
        """Return why the law does not score the system."""
        return {one.obstacle for one in refusals(self.reference(law), self.given().kwslist, self.score(law).basis)}

    def found(self, law: TwvConventions) -> int:
        """Count the references that are scored."""
        return len(self.reference(law).scored)


def keyword(text: str, tokens: list[Token], normalize: str = "lowercase") -> Try:
    """Look for one keyword in a minute of speech."""
    return Try(Corpus(MINUTE, {"K": text}, tokens, normalize))


@pytest.mark.parametrize(("channel", "by_plan"), [("01", 1), ("+1", 1), (" 1 ", 1), ("2", 0), ("A", 0), ("9" * 99, 0)])
def test_a_channel_is_a_number_by_the_plan_and_a_text_by_the_tool(channel: str, by_plan: int) -> None:
    """A.5 makes it a whole number; KWSEval compares what is written."""
    found = hit(1.0, 0.5)._replace(channel=channel)
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))), {"K": [found]})
    assert (one.score(PLAN).values["correct"], one.score(TOOL).values["correct"]) == (by_plan, 0)


@pytest.mark.parametrize(
    ("rule", "seconds"),
    [(DurationRule.CUT_AT_NEXT, 30 + 4), (DurationRule.UNION, 100 + 4 + 4), (DurationRule.FIRST_CHANNEL, 120 + 4)],
)
def test_duration_rule(rule: DurationRule, seconds: float) -> None:
    """A nested excerpt cuts the tail off, or counts once, or twice; of two channels count one, both, or the first."""
    excerpts = [
        Span("f", "1", 0.0, 100.0, "bnews"),
        Span("f", "1", 10.0, 20.0, "cts"),
        Span("g", "1", 0.0, 8.0, "splitcts"),
        Span("g", "2", 0.0, 8.0, "splitcts"),
    ]
    law = PLAN._replace(duration_rule=rule)
    assert corpus_reference(Corpus(excerpts, {"K": "a"}, []), law, TwvParameters()).duration_s == seconds


def test_trials() -> None:
    """The tool divides by the trials per second and rounds; the plan multiplies and does not."""
    one = Try(Corpus([Span("f", "1", 0.0, 60.6, "bnews")], {"K": "a"}, []), {}, TwvParameters(trials_per_second=2))
    assert one.reference(TOOL).trials == 30
    assert one.reference(PLAN).trials == 121.2
    assert one.reference(STDEVAL).trials == 121
    assert one.reference(PLAN._replace(trials_rounded=True)).trials == 121
    assert one.reference(PLAN._replace(trials_divided=True)).trials == 30.3


def test_noscore() -> None:
    """Under the plan NOSCORE leaves the time base, and what has its midpoint there is no trial."""
    tokens = [*said(("a", 1.0), ("a", 10.0), ("a", 30.0)), Token("NOSCORE", "f", "1", 9.0, 3.0)]
    one = Try(Corpus(MINUTE, {"K": "a"}, tokens), {"K": [hit(11.0, 0.9), hit(1.0, 0.8), hit(50.0, 0.7)]})
    assert (one.found(TOOL), one.reference(TOOL).duration_s) == (3, 60.0)
    assert (one.found(PLAN), one.reference(PLAN).duration_s) == (2, 57.0)
    assert one.score(TOOL).values["false_alarms"] == 2
    assert one.score(PLAN).values["false_alarms"] == 1
    assert one.found(TOOL._replace(noscore=True)) == 2


def test_entities() -> None:
    """The tool compares a keyword as it stands in the file."""
    tokens = said(("a&b", 1.0), ("a&amp;b", 3.0), ("a&amp;b", 5.0))
    assert keyword("a&b", tokens).found(TOOL) == 2
    assert keyword("a&b", tokens).found(PLAN) == 1


def test_subtypes() -> None:
    """In the tool a fragment opens no keyword, but may go on in one; in the plan every LEXEME counts."""
    tokens = said(("a", 1.0), subtype="frag") + said(("a", 3.0)) + said(("b", 3.3), subtype="fp")
    assert (keyword("a", tokens).found(TOOL), keyword("a", tokens).found(PLAN)) == (1, 2)
    assert (keyword("a b", tokens).found(TOOL), keyword("a b", tokens).found(PLAN)) == (1, 1)
    hesitation = said(("a", 1.0)) + said(("uh", 1.25), subtype="fp") + said(("b", 1.5))
    assert (keyword("a b", hesitation).found(TOOL), keyword("a b", hesitation).found(PLAN)) == (0, 0)
    breath = [*said(("a", 1.0), ("b", 1.5)), Token("NON-LEX", "f", "1", 1.25, 0.2, "<breath>", "breath", "s")]
    assert (keyword("a b", breath).found(TOOL), keyword("a b", breath).found(PLAN)) == (1, 1)


def test_speakers() -> None:
    """In the tool another speaker neither goes on nor breaks in; in the plan both."""
    change = said(("a", 1.0)) + said(("b", 1.3), speaker="t")
    between = said(("a", 1.0)) + said(("c", 1.2), speaker="t") + said(("b", 1.4))
    assert (keyword("a b", change).found(TOOL), keyword("a b", change).found(PLAN)) == (0, 1)
    assert (keyword("a b", between).found(TOOL), keyword("a b", between).found(PLAN)) == (1, 0)


def test_chain_order() -> None:
    """Unsorted lines: the plan goes by time, STDEval by line, the tool from the n-th line to the next in time."""
    tokens = said(("b", 1.3), ("a", 1.0), ("c", 1.6))
    rules = {rule: TOOL._replace(chain_order=rule) for rule in ChainOrder}
    assert {rule: keyword("a b", tokens).found(law) for rule, law in rules.items()} == {
        ChainOrder.TIME: 1,
        ChainOrder.FILE: 0,
        ChainOrder.CROSSED: 0,
    }
    assert {rule: keyword("b a", tokens).found(law) for rule, law in rules.items()} == {
        ChainOrder.TIME: 0,
        ChainOrder.FILE: 1,
        ChainOrder.CROSSED: 0,
    }
    assert keyword("b b", tokens).found(rules[ChainOrder.CROSSED]) == 1


def test_letter_case() -> None:
    """Without normalisation the tool still folds all words but the first."""
    tokens = said(("Bill", 1.0), ("GATES", 1.3), ("bill", 3.0), ("gates", 3.3))
    assert (keyword("Bill gates", tokens, "").found(TOOL), keyword("Bill gates", tokens, "").found(PLAN)) == (1, 0)
    assert keyword("BILL gates", tokens).found(PLAN) == 2
    assert keyword("BILL gates", tokens, "").found(PLAN._replace(first_word_case=CaseRule.FOLDED)) == 1
    assert keyword("BILL gates", tokens, "").found(STDEVAL) == 2


@pytest.mark.parametrize(("begin", "tool", "plan"), [(1.7, 1, 1), (1.70004, 1, 0), (1.70006, 0, 0)])
def test_gap(begin: float, tool: int, plan: int) -> None:
    """Half a second is the limit; the tool rounds to four decimals first."""
    one = keyword("a b", said(("a", 1.0), ("b", begin)))
    assert (one.found(TOOL), one.found(PLAN)) == (tool, plan)


def test_overlapping_occurrences() -> None:
    """STDEval scans from left to right and starts anew behind each occurrence."""
    one = keyword("na na", said(("na", 1.0), ("na", 1.3), ("na", 1.6), ("na", 1.9), ("na", 2.2)))
    assert (one.found(TOOL), one.found(PLAN), one.found(STDEVAL)) == (4, 4, 2)


def test_ecf_filter() -> None:
    """Outside of the excerpts there are no trials, unless the law has no such filter."""
    one = Try(Corpus([Span("f", "1", 0.0, 10.0, "bnews")], {"K": "a"}, said(("a", 1.0), ("a", 12.0))))
    one = replace(one, system={"K": [hit(1.0, 0.9), hit(20.0, 0.8)]})
    assert (one.found(TOOL), one.score(TOOL).values["false_alarms"]) == (1, 0)
    assert (one.found(STDEVAL), one.score(STDEVAL).values["false_alarms"]) == (2, 1)


def test_a_first_word_inside_is_enough() -> None:
    """A keyword that begins in an excerpt and ends outside counts; one that begins outside does not."""
    corpus = Corpus(
        [Span("f", "1", 1.0, 1.0, "bnews")], {"K": "a b"}, said(("a", 1.7), ("b", 2.1), ("a", 0.7), ("b", 1.1))
    )
    ordered = replace(corpus, tokens=sorted(corpus.tokens, key=lambda token: token.begin))
    for law in (TOOL, PLAN):
        assert Try(ordered).reference(law).scored.begin_s.tolist() == [1.7]


def test_system_decimals() -> None:
    """The plan means times as they are written; the tool compares doubles, where 1.1 + 2.2 is more than 3.3."""
    begin, duration, end = 1.1, 2.2, 3.3
    assert begin + duration > end
    one = Try(
        Corpus([Span("f", "1", 0.0, end, "bnews")], {"K": "a"}, said(("a", 2.0))),
        {"K": [hit(begin, 0.9, duration=duration)]},
    )
    assert one.score(TOOL).values["correct"] == 0
    assert one.score(PLAN).values["correct"] == 1


def test_a_keyword_listed_twice() -> None:
    """The tool aligns each list with all references and counts them twice; the plan has one keyword."""
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0), ("a", 5.0))))
    given = twin_system({"K": [hit(1.0, 0.9)], "X": [hit(5.0, 0.8)]})
    lists = tuple(entry._replace(kwid="K") for entry in given.kwslist.lists)
    system = given.kwslist._replace(lists=lists)
    counts = {}
    for name, law in (("tool", TOOL), ("plan", PLAN)):
        result = measure(trials(align(one.reference(law), system), text=given.words), law, one.parameters)
        counts[name] = (result.values["targets"], result.values["correct"], result.values["misses"])
    assert counts == {"tool": (4, 2, 2), "plan": (2, 2, 0)}


def test_refusals() -> None:
    """What the tool stops at is refused under its law, and scored under the plan."""
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.3), hit(9.0, 0.6, yes=False)], "Z": []})
    assert one.obstacles(TOOL) == {Obstacle.UNKNOWN_KEYWORD, Obstacle.NO_ONE_THRESHOLD}
    assert one.obstacles(PLAN) == set()
    assert one.score(PLAN).values["ATWV"] == 1
    many = replace(one, corpus=replace(one.corpus, excerpts=[Span("f", "1", 0.0, 3.0, "bnews")]))
    many = replace(many, system={"K": [hit(1.0 + n / 10, 0.5) for n in range(4)]})
    assert many.obstacles(TOOL._replace(excess_refused=True)) == {Obstacle.EXCESS_OF_FALSE_ALARMS}
    assert many.obstacles(TOOL) == set()


def test_refused_values() -> None:
    """NaN, values that are none, and scores outside of the header's range are refused, with their rows."""
    one = Try(
        Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.3), hit(2.0, float("nan")), hit(3.0, 0.9)]}
    )
    known, system = one.reference(TOOL), one.given().kwslist
    ranged = system._replace(min_score=0.0, max_score=0.5)
    broken = system._replace(detections=replace(system.detections, valid=np.array([False, True, True])))
    result = one.score(TOOL)
    assert [(r.obstacle, r.rows) for r in refusals(known, ranged, result.basis)] == [
        (Obstacle.SCORE_NOT_A_NUMBER, (1,)),
        (Obstacle.SCORE_OUT_OF_RANGE, (2,)),
    ]
    assert (Obstacle.INVALID_DETECTION, (0,)) in [(r.obstacle, r.rows) for r in refusals(known, broken, result.basis)]
    half = system._replace(min_score=0.0)
    assert Obstacle.HALF_A_RANGE in {r.obstacle for r in refusals(known, half, result.basis)}
    assert len(align(known, broken)) == 2
    assert result.values["false_alarms"] == 1


def test_score_range() -> None:
    """Which of two detections is right: the wider the range of scores, the more the overlap decides."""
    corpus = Corpus([*MINUTE, Span("g", "1", 0.0, 60.0, "bnews")], {"K": "a", "L": "b"}, said(("a", 1.0)))
    near, high = hit(1.0, 0.50), hit(1.1, 0.51)
    far = Detection("g", "1", 5.0, 0.2, 0.99, "0.99", yes=True)
    other = hit(30.0, 90.0)
    one = Try(corpus, {"K": [near, high, far], "L": [other]})
    chosen = {}
    for rule in ScoreRange:
        law = PLAN._replace(score_range=rule, score_weight=1e-8)
        outcomes = labelled(align(one.reference(law), one.given().kwslist))[0]
        chosen[rule] = next(score for _, _, label, score in outcomes if label == "CORR")
    assert chosen == {ScoreRange.KEYWORD_PLACE: 0.51, ScoreRange.KEYWORD: 0.50, ScoreRange.SYSTEM: 0.50}


def test_header_range_and_floor() -> None:
    """The header's range, where the law knows it, and a floor make small differences of scores smaller."""
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.50), hit(1.1, 0.51)]})
    system = one.given().kwslist._replace(min_score=0.0, max_score=1.0)

    def chosen(law: TwvConventions) -> float | None:
        outcomes = labelled(align(one.reference(law), system))[0]
        return next(score for _, _, label, score in outcomes if label == "CORR")

    law = TOOL._replace(score_weight=1e-8)
    assert chosen(law._replace(header_range=False)) == 0.51
    assert chosen(law) == 0.50
    assert chosen(law._replace(header_range=False, score_floor=1.0)) == 0.50


def test_infinite_scores_are_the_highest_and_the_lowest() -> None:
    """INF is schema-valid: it wins against every other score, and nothing is NaN."""
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))))
    one = replace(one, system={"K": [hit(1.0, 0.5), hit(1.1, float("inf")), hit(1.2, -float("inf"))]})
    for law in (TOOL, PLAN):
        outcomes = labelled(align(one.reference(law), one.given().kwslist))[0]
        assert next(score for _, _, label, score in outcomes if label == "CORR") == float("inf")


def test_reject_all_point() -> None:
    """Where the best score is a false alarm, only rejecting everything avoids it."""
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.5), hit(30.0, 0.9)]})
    tool, plan = one.score(TOOL), one.score(PLAN)
    assert tool.values["MTWV"] is not None
    assert tool.values["MTWV"] < -10
    assert tool.values["MTWV_threshold"] == 0.5
    assert (plan.values["MTWV"], plan.values["MTWV_threshold"]) == (0.0, None)
    assert plan.undefined["MTWV_threshold"] == "rejecting every detection is best"
    assert plan.values["OTWV"] == 0.0
    assert np.isnan(plan.optimum.threshold).all()


def test_map_order() -> None:
    """As text 9 is above 10; without the texts the tool's MAP is not defined, and says so."""
    one = Try(Corpus(MINUTE, {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 10.0), hit(30.0, 9.0)]})
    assert one.score(TOOL).values["MAP"] == 0.5
    assert one.score(PLAN).values["MAP"] == 1.0
    assert one.score(TOOL._replace(map_order=MapOrder.NUMBER)).values["MAP"] == 1.0
    without = measure(trials(align(one.reference(TOOL), one.given().kwslist)), TOOL, one.parameters)
    assert without.values["MAP"] is None
    assert "texts" in without.undefined["MAP"]


def test_just_system_keywords_and_pooling() -> None:
    """Keywords that a system does not list may be left out; all keywords may be one."""
    corpus = Corpus(MINUTE, {"K": "a", "L": "b"}, said(("a", 1.0), ("b", 5.0)))
    one = Try(corpus, {"K": [hit(1.0, 0.9)]})
    just = replace(one, parameters=TwvParameters(just_system_keywords=True))
    assert (one.score(TOOL).values["ATWV"], just.score(TOOL).values["ATWV"]) == (0.5, 1.0)
    given = one.given()
    pooled = measure(
        trials(align(one.reference(TOOL), given.kwslist), pooled=True, text=given.words), TOOL, one.parameters
    )
    assert (pooled.values["targets"], pooled.values["PMiss"], len(pooled.basis.evaluated)) == (2, 0.5, 1)
    turns = [Token("SPEAKER", "f", "1", 0.5, 6.0, speaker="s")]
    spoken = replace(just, corpus=replace(corpus, tokens=[*corpus.tokens, *turns]))
    assert spoken.segments(TOOL).values["targets"] == 2
    assert spoken.segments(PLAN).values["targets"] == 1


def test_all_keywords() -> None:
    """A keyword without references adds its false alarms to a variant only."""
    corpus = Corpus(MINUTE, {"K": "a", "L": "zz"}, said(("a", 1.0)))
    one = Try(corpus, {"K": [hit(1.0, 0.9)], "L": [hit(9.0, 0.8)]})
    values = one.score(PLAN).values
    assert values["ATWV"] == 1.0
    assert values["ATWV_all_keywords"] == pytest.approx(1 - 999.9 * (0 + 1 / 60) / 2)
    every = replace(one, parameters=TwvParameters(all_keywords=True)).score(PLAN)
    assert every.values["ATWV"] == values["ATWV_all_keywords"]
    assert every.basis.evaluated.tolist() == [True, True]
    assert every.values["MAP"] == 0.5


TURNS = [
    Token("SPEAKER", "f", "1", 1.0, 2.0, speaker="s"),
    Token("SPEAKER", "f", "1", 3.0, 2.0, speaker="t"),
    Token("SPEAKER", "f", "1", 8.0, 1.0, speaker="s"),
]


def test_segments_are_joined_where_a_keyword_spans_them() -> None:
    """The tool drops a keyword that spans two segments, the plan joins these."""
    corpus = Corpus(MINUTE, {"K": "a b"}, [*TURNS, *said(("a", 2.7)), *said(("b", 3.1), speaker="t")])
    any_speaker = TOOL._replace(same_speaker=False, chain_order=ChainOrder.TIME)
    dropped = Try(corpus).segments(any_speaker)
    assert (dropped.values["targets"], dropped.values["trials"]) == (0, 6)
    assert dropped.values["ATWV"] is None
    assert dropped.undefined["ATWV"] == "no keyword has a reference"
    joined = Try(corpus).segments(PLAN)
    assert (joined.values["targets"], joined.values["trials"]) == (1, 5)


def test_segment_decisions_and_bounds() -> None:
    """A segment is detected by its best hit, or by any; a midpoint on a bound hits both neighbours, or the first."""
    words = [*said(("a", 1.5)), *said(("a", 3.5), speaker="t"), *said(("a", 8.5))]
    one = Try(Corpus(MINUTE, {"K": "a"}, [*TURNS, *words]), {"K": [hit(8.1, 0.4), hit(8.6, 0.9, yes=False)]})
    assert one.segments(TOOL).values["correct"] == 0
    assert one.segments(PLAN).values["correct"] == 1
    edge = replace(one, system={"K": [hit(2.5, 0.9, duration=1.0)]})
    assert edge.segments(TOOL).values["correct"] == 2
    assert edge.segments(PLAN).values["correct"] == 1


def test_segments_without_scored_time_are_no_trials() -> None:
    """Under the plan a segment that lies wholly in NOSCORE is none, and neither are the detections there."""
    tokens = [*TURNS, *said(("a", 1.5), ("a", 8.5)), Token("NOSCORE", "f", "1", 7.5, 2.0)]
    one = Try(Corpus(MINUTE, {"K": "a"}, tokens), {"K": [hit(8.5, 0.9), hit(1.5, 0.8)]})
    tool, plan = one.segments(TOOL).values, one.segments(PLAN).values
    assert (tool["trials"], tool["targets"], tool["correct"]) == (6, 2, 2)
    assert (plan["trials"], plan["targets"], plan["correct"]) == (5, 1, 1)


def test_a_turn_with_more_decimals_than_segments_have_is_lost() -> None:
    """Ends have four decimals: a turn that begins between two of them touches no segment."""
    turns = [Token("SPEAKER", "f", "1", begin, 2.0, speaker="s") for begin in (1.00004, 5.0)]
    one = Try(Corpus(MINUTE, {"K": "a"}, [*turns, *said(("a", 1.5), ("a", 5.5))]))
    assert one.segments(TOOL).values["targets"] == 1
    assert one.segments(TOOL).values["trials"] == 4


def test_an_empty_ecf_has_no_segments() -> None:
    """Nothing to score is said, not computed."""
    one = Try(Corpus([], {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.9)]})
    assert one.segments(TOOL).values["trials"] == 0
    assert one.segments(PLAN).undefined["ATWV"] == "no keyword has a reference"


def test_a_keyword_without_words_never_occurs() -> None:
    """An empty text is no word that an empty token could equal."""
    assert keyword("  ", said(("a", 1.0))).found(PLAN) == 0
    assert (
        replace(
            keyword("-", said(("-", 1.0))), parameters=TwvParameters(text_filter=("charsplit", "deleteHyphens"))
        ).found(TOOL)
        == 0
    )


def test_a_kwid_that_two_keywords_share_is_the_organizers_fault() -> None:
    """The official scorer aborts; we say which one."""
    tokens, ecf = token_table(said(("a", 1.0))), Ecf(60.0, "", "", (Excerpt("f.sph", "1", 0.0, 60.0, "bnews", 0),), 0)
    keywords = KeywordList("", "", "", "", "", (Keyword("K", "a", (), 0), Keyword("K", "b", (), 0)), 0)
    with pytest.raises(ReferenceDataError, match="kwid K 2 times"):
        reference(ecf, keywords, tokens, TOOL, TwvParameters())


def test_without_time_or_references_nothing_is_a_number() -> None:
    """Undefined is None with a reason, never 0."""
    empty = Try(Corpus([], {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.9)]})
    result = empty.score(TOOL)
    assert {name for name, value in result.values.items() if value is None} == set(result.undefined)
    assert result.values["ATWV"] is None
    assert Obstacle.NO_TIME in empty.obstacles(PLAN)
    full = Try(Corpus([Span("f", "1", 0.0, 1.4, "bnews")], {"K": "a"}, said(("a", 1.0))), {"K": [hit(1.0, 0.9)]})
    assert full.score(TOOL).values["trials"] == 1
    assert "non-target" in full.score(TOOL).undefined["ATWV"]


@pytest.mark.parametrize("law", [TOOL, PLAN])
def test_a_score_of_minus_infinity_is_a_threshold_like_others(law: TwvConventions) -> None:
    """The best of a keyword may be to accept all, down to minus infinity."""
    tokens = said(("a", 1.0), ("a", 5.0), ("b", 9.0))
    system = {"K": [hit(1.0, 0.5), hit(5.0, float("-inf"), text="-INF")], "L": [hit(9.0, 0.9)]}
    result = Try(Corpus(MINUTE, {"K": "a", "L": "b"}, tokens), system).score(law)
    assert result.values["OTWV"] == 1
    assert result.optimum.threshold[0] == float("-inf")
    assert result.optimum.misses[0] == 0


def test_parts_of_a_word_without_length_stay_in_order() -> None:
    """What begins together is sorted by text, but not the parts of one record."""
    corpus = Corpus(MINUTE, {"K": "ba"}, said(("ba", 1.0), duration=0.0))
    assert Try(corpus, parameters=TwvParameters(text_filter=("charsplit",))).found(PLAN) == 1


def test_a_keyword_is_in_a_segment_of_the_excerpt_that_holds_its_first_word() -> None:
    """Where two excerpts touch, the one that ends there holds no word; one without length has no segments."""
    excerpts = [
        Span("f", "1", 0.0, 10.0, "bnews"),
        Span("f", "1", 10.0, 10.0, "bnews"),
        Span("f", "1", 30.0, 0.0, "bnews"),
    ]
    tokens = [*said(("a", 10.0)), *said(("z", 30.0), duration=0.0)]
    result = Try(Corpus(excerpts, {"K": "a", "Z": "z"}, tokens), {"K": [hit(10.1, 0.9)]}).segments(PLAN)
    assert result.basis.tally.targets.tolist() == [1, 0]
    assert result.basis.tally.correct.tolist() == [1, 0]
