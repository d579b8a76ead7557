"""Laws of keyword-search scoring that hold whatever the corpus."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.scoring.kws_corpora import corpora, systems
from tests.scoring.kws_support import PLAN, TOOL, corpus_reference, labelled, twin_system
from tests.scoring.kws_twin import Corpus, Detection
from validator.scoring.alignment import align
from validator.scoring.conventions import TwvParameters
from validator.scoring.segments import align_segments, segment_reference
from validator.scoring.trials import trials
from validator.scoring.twv import measure

if TYPE_CHECKING:
    from validator.scoring.conventions import TwvConventions
    from validator.scoring.twv import Twv

    Systems = dict[str, list[Detection]]

LAWS = {"plan": PLAN, "tool": TOOL}
PARAMETERS = TwvParameters()
EXAMPLES = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
both_laws = pytest.mark.parametrize("law", LAWS)


def score(corpus: Corpus, system: Systems, conventions: TwvConventions) -> Twv:
    """Score a system by occurrences."""
    fast = twin_system(system)
    alignment = align(corpus_reference(corpus, conventions, PARAMETERS), fast.kwslist)
    return measure(trials(alignment, text=fast.words), conventions, PARAMETERS)


def segment_score(corpus: Corpus, system: Systems, conventions: TwvConventions) -> Twv:
    """Score a system by segments."""
    fast = twin_system(system)
    prepared = segment_reference(corpus_reference(corpus, conventions, PARAMETERS))
    return measure(trials(align_segments(prepared, fast.kwslist), text=fast.words), conventions, PARAMETERS)


def same(first: Twv, second: Twv) -> None:
    """Compare all measures of two experiments."""
    assert first.values == {
        name: value if value is None else pytest.approx(value, abs=1e-12) for name, value in second.values.items()
    }
    assert first.undefined == second.undefined


@both_laws
@EXAMPLES
@given(st.data())
def test_the_order_of_detections_and_keywords_never_matters(law: str, data: st.DataObject) -> None:
    """Lines of a KWSList, its lists and the keywords of the KWList may come in any order."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus))
    chance = Random(data.draw(st.integers(0, 99)))  # noqa: S311 - not for secrets
    ids = chance.sample(list(corpus.keywords), len(corpus.keywords))
    shuffled = {kwid: chance.sample(system[kwid], len(system[kwid])) for kwid in ids if kwid in system}
    other = replace(corpus, keywords={kwid: corpus.keywords[kwid] for kwid in ids})
    same(score(corpus, system, LAWS[law]), score(other, shuffled, LAWS[law]))
    same(segment_score(corpus, system, LAWS[law]), segment_score(other, shuffled, LAWS[law]))


@EXAMPLES
@given(st.data())
def test_under_the_plan_the_order_of_rttm_lines_never_matters(data: st.DataObject) -> None:
    """The transcript is what it says, not how it is sorted."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus))
    chance = Random(data.draw(st.integers(0, 99)))  # noqa: S311 - not for secrets
    other = replace(corpus, tokens=chance.sample(corpus.tokens, len(corpus.tokens)))
    same(score(corpus, system, PLAN), score(other, system, PLAN))
    same(segment_score(corpus, system, PLAN), segment_score(other, system, PLAN))


@both_laws
@EXAMPLES
@given(st.data())
def test_renaming_files_never_matters(law: str, data: st.DataObject) -> None:
    """Files may have any names, as long as ECF, RTTM and KWSList agree."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus))
    names = {"f": "zebra", "g": "ant"}
    other = replace(
        corpus,
        excerpts=[one._replace(file=names[one.file]) for one in corpus.excerpts],
        tokens=[one._replace(file=names[one.file]) for one in corpus.tokens],
    )
    renamed = {kwid: [one._replace(file=names[one.file]) for one in found] for kwid, found in system.items()}
    same(score(corpus, system, LAWS[law]), score(other, renamed, LAWS[law]))
    same(segment_score(corpus, system, LAWS[law]), segment_score(other, renamed, LAWS[law]))


def perfect(corpus: Corpus, conventions: TwvConventions) -> Systems:
    """Detect exactly the references, and nothing else."""
    known = corpus_reference(corpus, conventions, PARAMETERS)
    system: Systems = {kwid: [] for kwid in corpus.keywords}
    ids = list(corpus.keywords)
    found = known.scored
    for row in range(len(found)):
        place = known.base.places.names[found.place[row]]
        begin, end = float(found.begin_s[row]), float(found.end_s[row])
        length = round(end - begin, 4)
        system[ids[found.keyword[row]]].append(
            Detection(place.file, place.channel, begin, length, 0.9, "0.9", yes=True)
        )
    return system


@both_laws
@EXAMPLES
@given(corpora())
def test_a_perfect_system_has_atwv_1(law: str, corpus: Corpus) -> None:
    """All references and nothing else is TWV 1 by every measure, if they lie wholly inside of the excerpts.

    The RTTM is sorted: the official scorer links unsorted words backwards in time.
    """
    corpus = replace(
        corpus,
        excerpts=[one._replace(begin=0.0, duration=60.5) for one in corpus.excerpts],
        tokens=sorted(corpus.tokens, key=lambda token: token.begin),
    )
    values = score(corpus, perfect(corpus, LAWS[law]), LAWS[law]).values
    assume(values["ATWV"] is not None)
    for name in ("ATWV", "MTWV", "OTWV", "STWV_supremum", "MAP"):
        assert values[name] == pytest.approx(1.0, abs=1e-12)
    assert values["MTWV_threshold"] == 0.9


@both_laws
@EXAMPLES
@given(corpus=corpora(), listed=st.booleans())
def test_a_silent_system_has_atwv_0(law: str, corpus: Corpus, *, listed: bool) -> None:
    """No detection at all is TWV 0, whether or not the keywords are listed."""
    result = score(corpus, {kwid: [] for kwid in corpus.keywords} if listed else {}, LAWS[law])
    assume(result.values["ATWV"] is not None)
    assert result.values["ATWV"] == 0
    assert result.values["MTWV"] == 0
    assert result.values["MTWV_threshold"] is None
    assert "MTWV_threshold" in result.undefined
    assert result.values["correct"] == result.values["false_alarms"] == 0


@both_laws
@EXAMPLES
@given(st.data())
def test_a_false_alarm_never_raises_atwv(law: str, data: st.DataObject) -> None:
    """One more YES where no reference is costs something, or lies outside and costs nothing."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus, one_threshold=True))
    before = score(corpus, system, LAWS[law])
    assume(before.values["ATWV"] is not None)
    kwid = data.draw(st.sampled_from(list(corpus.keywords)))
    alarm = Detection("f", "1", 20.0 + data.draw(st.integers(0, 50)), 0.2, 0.99, "0.99", yes=True)
    more = {**system, kwid: [*system.get(kwid, []), alarm]}
    after = score(corpus, more, LAWS[law])
    assert after.values["ATWV"] is not None
    assert before.values["ATWV"] is not None
    assert after.values["ATWV"] <= before.values["ATWV"] + 1e-12


@EXAMPLES
@given(st.data())
def test_under_the_plan_mtwv_is_at_least_atwv(data: st.DataObject) -> None:
    """Decisions that follow one threshold are one of the points of the curve."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus, one_threshold=True))
    for values in (score(corpus, system, PLAN).values, segment_score(corpus, system, PLAN).values):
        if values["ATWV"] is None:
            continue
        assert values["MTWV"] is not None
        assert values["OTWV"] is not None
        assert values["STWV_supremum"] is not None
        assert values["MTWV"] >= max(values["ATWV"], 0.0) - 1e-12
        assert values["OTWV"] >= values["MTWV"] - 1e-12
        assert values["STWV_supremum"] >= values["OTWV"] - 1e-12


@both_laws
@EXAMPLES
@given(st.data())
def test_parts_add_up(law: str, data: st.DataObject) -> None:
    """Counts by keyword sum to the counts of the whole, and every reference is found or missed."""
    corpus = data.draw(corpora())
    result = score(corpus, data.draw(systems(corpus)), LAWS[law])
    tally, on = result.basis.tally, result.basis.evaluated
    assert result.values["targets"] == tally.targets[on].sum()
    assert result.values["false_alarms"] == tally.false_alarms[on].sum()
    assert (tally.correct + tally.misses == tally.targets).all()


@EXAMPLES
@given(st.data())
def test_ties_are_decided_by_content_not_by_order(data: st.DataObject) -> None:
    """With equal scores, too, the outcome does not depend on the order of the lines."""
    corpus = data.draw(corpora())
    drawn = data.draw(systems(corpus, one_threshold=True))
    system = {kwid: [one._replace(score=0.5, text="0.5", yes=True) for one in found] for kwid, found in drawn.items()}
    known = corpus_reference(corpus, TOOL, PARAMETERS)
    forward = labelled(align(known, twin_system(system).kwslist))
    backward = labelled(align(known, twin_system({kwid: found[::-1] for kwid, found in system.items()}).kwslist))
    assert forward == backward
