"""The fast scorer against the slow, obvious one, on corpora that hypothesis makes, under both laws."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.scoring.kws_corpora import corpora, systems
from tests.scoring.kws_support import (
    GOLDEN,
    PLAN,
    TOOL,
    corpus_reference,
    labelled,
    read_ecf,
    read_kwlist,
    read_kwslist,
    twin_system,
)
from tests.scoring.kws_twin import Corpus, Detection, Scorer, Span, Token
from validator.scoring.alignment import align
from validator.scoring.conventions import TwvParameters
from validator.scoring.segments import align_segments, segment_reference
from validator.scoring.trials import trials
from validator.scoring.twv import measure

if TYPE_CHECKING:
    from tests.scoring.kws_support import System
    from tests.scoring.kws_twin import Measures
    from validator.scoring.alignment import Alignment
    from validator.scoring.conventions import TwvConventions

LAWS = {"plan": PLAN, "tool": TOOL}
PARAMETERS = TwvParameters()
EXAMPLES = settings(
    derandomize=True,
    deadline=None,
    max_examples=130,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.parametrize("law", LAWS)
@EXAMPLES
@given(st.data())
def test_occurrence_scoring_equals_the_twin(law: str, data: st.DataObject) -> None:
    """References, alignment, counts and every measure are those of the twin."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus))
    slow = Scorer(law, corpus)
    known = corpus_reference(corpus, LAWS[law], PARAMETERS)
    for number, text in enumerate(corpus.keywords.values()):
        mine = known.scored.at(known.scored.keyword == number)
        places = [known.base.places.names[place] for place in mine.place]
        found = [(p.file, p.channel, b, e) for p, b, e in zip(places, mine.begin_s, mine.end_s, strict=True)]
        assert sorted(found) == sorted((one.file, one.channel, one.begin, one.end) for one in slow.references(text))
    assert known.duration_s == pytest.approx(slow.duration(), abs=1e-9)
    fast = twin_system(system)
    _same(slow.occurrence_scores(system), align(known, fast.kwslist), fast, LAWS[law])


@pytest.mark.parametrize("law", LAWS)
@EXAMPLES
@given(st.data())
def test_segment_scoring_equals_the_twin(law: str, data: st.DataObject) -> None:
    """Segments, outcomes, counts and every measure are those of the twin."""
    corpus = data.draw(corpora())
    system = data.draw(systems(corpus))
    prepared = segment_reference(corpus_reference(corpus, LAWS[law], PARAMETERS))
    fast = twin_system(system)
    _same(Scorer(law, corpus).segment_scores(system), align_segments(prepared, fast.kwslist), fast, LAWS[law])


CASES = sorted(path.name for path in GOLDEN.glob("[0-9]*"))


def oracle(case: str) -> tuple[Corpus, dict[str, list[Detection]]]:
    """Give a case of the oracle to the twin."""
    folder = GOLDEN / case
    ecf, keywords, tokens = read_ecf(folder / "case.ecf.xml"), read_kwlist(folder / "case.kwlist.xml"), []
    for line in (folder / "case.rttm").read_text().splitlines():
        if fields := line.partition(";;")[0].split():
            kind, file, channel, begin, duration, text, subtype, speaker, _ = fields
            start, length = (0.0 if time == "<NA>" else float(time) for time in (begin, duration))
            tokens.append(Token(kind.upper(), file, channel, start, length, text, subtype, speaker))
    excerpts = [
        Span(e.audio_filename.rpartition("/")[2].rpartition(".")[0], e.channel, e.begin_s, e.duration_s, e.source_type)
        for e in ecf.excerpts
    ]
    system = read_kwslist(folder / "case.kwslist.xml")
    found = system.kwslist.detections
    lists: dict[str, list[Detection]] = {one.kwid: [] for one in system.kwslist.lists}
    for row, text in enumerate(system.score_texts):
        lists[system.kwslist.lists[found.keyword[row]].kwid].append(
            Detection(
                found.files[found.file[row]],
                found.channels[found.channel[row]],
                float(found.begin_s[row]),
                float(found.duration_s[row]),
                float(found.score[row]),
                text,
                bool(found.yes[row]),
            )
        )
    texts = {one.kwid: one.text for one in keywords.keywords}
    return Corpus(excerpts, texts, tokens, keywords.compare_normalize), lists


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("case", [case for case in CASES if "ecf" not in case])
def test_the_twin_agrees_on_the_oracle_under_both_laws(case: str, law: str) -> None:
    """What the official scorer was run on gives the same with the twin, also under the plan that it does not follow."""
    corpus, system = oracle(case)
    slow = Scorer(law, corpus)
    known = corpus_reference(corpus, LAWS[law], PARAMETERS)
    fast = twin_system(system)
    _same(slow.occurrence_scores(system), align(known, fast.kwslist), fast, LAWS[law])
    prepared = segment_reference(known)
    _same(slow.segment_scores(system), align_segments(prepared, fast.kwslist), fast, LAWS[law])


def _same(slow: Measures, alignment: Alignment, fast: System, conventions: TwvConventions) -> None:
    outcomes = labelled(alignment)
    for number, rows in enumerate(slow.trials.values()):
        assert outcomes.get(number, Counter()) == Counter((r.file, r.channel, r.label, r.score) for r in rows)
    result = measure(trials(alignment, text=fast.words), conventions, PARAMETERS)
    counts = zip(
        result.basis.tally.targets.tolist(),
        result.basis.tally.correct.tolist(),
        result.basis.tally.false_alarms.tolist(),
        result.basis.tally.misses.tolist(),
        strict=True,
    )
    assert list(counts) == list(slow.counts.values())
    if slow.values["ATWV"] is None:
        return
    for name, value in slow.values.items():
        assert result.values[name] == (value if value is None else pytest.approx(value, abs=1e-9)), name
