"""Parts of an experiment, intervals and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.scoring.kws_support import PLAN, TOOL, corpus_reference, twin_system
from tests.scoring.kws_twin import Corpus, Detection, Span, Token
from validator.scoring.alignment import Outcome, align
from validator.scoring.conditions import (
    AttributeQuery,
    NamedSet,
    by_attributes,
    by_keyword_sets,
    by_oov,
    by_source_types,
)
from validator.scoring.conventions import TwvParameters
from validator.scoring.resampling import Resampling, compare, intervals
from validator.scoring.segments import align_segments, segment_reference
from validator.scoring.trials import trials
from validator.scoring.twv import measure
from validator.tables import Keyword

if TYPE_CHECKING:
    from validator.scoring.conventions import TwvConventions
    from validator.scoring.trials import Trials
    from validator.scoring.twv import Twv

KEYWORDS = {"K1": "a", "K2": "b", "K3": "c", "L4": "zz"}
TOKENS = [
    Token("SPEAKER", "f", "1", 0.0, 6.0, speaker="s"),
    *(Token("LEXEME", "f", "1", float(n), 0.2, text, "lex", "s") for n, text in enumerate("aabbc", start=1)),
    *(Token("LEXEME", "g", "1", float(n), 0.2, text, "lex", "s") for n, text in enumerate("ab", start=1)),
]
CORPUS = Corpus([Span("f", "1", 0.0, 60.0, "bnews"), Span("g", "1", 0.0, 40.0, "splitcts")], KEYWORDS, TOKENS)
PARAMETERS = TwvParameters()


def at(file: str, begin: float, score: float) -> Detection:
    """Detect something; scores from 0.5 on are YES."""
    return Detection(file, "1", begin, 0.2, score, f"{score:g}", score >= 0.5)


SYSTEM = {
    "K1": [at("f", 1.0, 0.9), at("g", 1.0, 0.8), at("g", 30.0, 0.6)],
    "K2": [at("f", 3.0, 0.7), at("g", 20.0, 0.2)],
    "K3": [at("f", 5.0, 0.3)],
}


def measured(law: TwvConventions, name: str, kind: str) -> dict[str, Twv]:
    """Split the experiment one way and measure the parts."""
    known = corpus_reference(CORPUS, law, PARAMETERS)
    attributes = {"K1": (("Order", "1"), ("Syllables", "3")), "K2": (("Order", "1"),), "K3": (("Order", "2"),)}
    keywords = tuple(Keyword(one.kwid, one.text, attributes.get(one.kwid, ()), 0) for one in known.keywords.keywords)
    known = known._replace(keywords=known.keywords._replace(keywords=keywords))
    system = twin_system(SYSTEM).kwslist
    counts = {"K1": None, "K2": 2, "K3": 0}
    system = system._replace(lists=tuple(one._replace(oov_count=counts[one.kwid]) for one in system.lists))
    prepared = segment_reference(known)
    alignment = align(known, system) if kind == "occurrence" else align_segments(prepared, system)
    segments = None if kind == "occurrence" else prepared.segments
    sets = [NamedSet("k", ("k.*",)), NamedSet("one", ("K1", "L.*"))]
    types = [NamedSet("BN", ("BNEWS",)), NamedSet("all", ("bnews", "split.*"))]
    parts = {
        "sets": lambda: by_keyword_sets(known, alignment, sets),
        "types": lambda: by_source_types(known, alignment, system, types, segments),
        "order": lambda: by_attributes(known, alignment, [AttributeQuery("Order")]),
        "syllables": lambda: by_attributes(
            known, alignment, [AttributeQuery("Order", "^1$"), AttributeQuery("Syllables")]
        ),
        "oov": lambda: by_oov(known, alignment, system, segments),
    }[name]()
    return {part.name: measure(trials(part.alignment), law, PARAMETERS) for part in parts}


def test_parts_by_keywords() -> None:
    """Sets by patterns in any letter case; attributes by value, joined; the time base stays whole."""
    sets = measured(PLAN, "sets", "occurrence")
    assert {name: part.values["targets"] for name, part in sets.items()} == {"k": 7, "one": 3}
    assert {part.values["trials"] for part in sets.values()} == {80.0}
    assert sets["one"].values["PMiss"] == pytest.approx(1 / 3)
    order = measured(PLAN, "order", "occurrence")
    assert {name: part.values["targets"] for name, part in order.items()} == {"Order-1": 6, "Order-2": 1}
    joined = measured(PLAN, "syllables", "occurrence")
    assert {name: part.values["targets"] for name, part in joined.items()} == {"Order-1 X Syllables-03": 3}


def test_parts_by_source_type_have_their_own_time() -> None:
    """Time and trials are those of the excerpts; in segments the trials are their segments."""
    parts = measured(PLAN, "types", "occurrence")
    assert {name: part.values["duration"] for name, part in parts.items()} == {"BN": 60.0, "all": 80.0}
    assert {name: part.values["targets"] for name, part in parts.items()} == {"BN": 5, "all": 7}
    assert (parts["BN"].values["false_alarms"], parts["all"].values["false_alarms"]) == (0, 1)
    segments = measured(PLAN, "types", "segment")
    assert {name: part.values["trials"] for name, part in segments.items()} == {"BN": 2, "all": 3}


def test_parts_by_oov() -> None:
    """NA and 0 are in the vocabulary; the tool does not know that of segments."""
    assert {name: part.values["targets"] for name, part in measured(TOOL, "oov", "occurrence").items()} == {
        "IV": 4,
        "OOV": 3,
    }
    assert set(measured(TOOL, "oov", "segment")) == {"IV"}
    assert set(measured(PLAN, "oov", "segment")) == {"IV", "OOV"}


def test_a_keyword_without_trials_is_in_all_groups_of_the_tool() -> None:
    """It matters only where keywords without references are evaluated."""
    tool, plan = measured(TOOL, "sets", "occurrence"), measured(PLAN, "sets", "occurrence")
    fa = plan["k"].values["ATWV_all_keywords"], tool["k"].values["ATWV_all_keywords"]
    assert fa[0] == pytest.approx(1 - (np.mean([1 / 3, 2 / 3, 1]) + 999.9 * (1 / 77) / 3))
    assert fa[1] == pytest.approx(1 - (np.mean([1 / 3, 2 / 3, 1]) + 999.9 * (1 / 77) / 4))


def test_rows_of_an_alignment_in_report_order() -> None:
    """By keyword, place and time, with the labels that NIST prints."""
    known = corpus_reference(CORPUS, PLAN, PARAMETERS)
    system = twin_system(SYSTEM).kwslist
    alignment = align(known, system)
    rows = alignment.by_keyword(system.detections).tolist()
    shown = [
        (
            alignment.keyword[row],
            alignment.places[alignment.place[row]].file,
            Outcome(int(alignment.outcome[row])).label,
        )
        for row in rows
    ]
    assert shown[:4] == [(0, "f", "CORR"), (0, "f", "MISS"), (0, "g", "CORR"), (0, "g", "FA")]
    assert np.isnan(alignment.ref_end_s[rows[3]])
    assert alignment.ref_end_s[rows[0]] == 1.2
    assert [label for *_, label in shown] == [
        *("CORR", "MISS", "CORR", "FA"),
        *("CORR", "MISS", "MISS", "CORR!DET"),
        "MISS",
    ]


def many(seed: int, keywords: int = 30) -> tuple[Twv, Trials]:
    """Make an experiment of many keywords by chance."""
    chance = np.random.default_rng(seed)
    tokens = [
        Token("LEXEME", "f", "1", 10.0 * n + k / 5, 0.1, f"w{k}", "lex", "s") for k in range(keywords) for n in range(4)
    ]
    tokens.sort(key=lambda token: token.begin)
    names = {f"K{k:02d}": f"w{k}" for k in range(keywords)}
    corpus = Corpus([Span("f", "1", 0.0, 2000.0, "bnews")], names, tokens)
    system = {
        kwid: [
            Detection("f", "1", 10.0 * n + k / 5, 0.1, float(chance.random()), "", bool(chance.random() < 0.7))
            for n in range(6)
        ]
        for k, kwid in enumerate(names)
    }
    table = trials(align(corpus_reference(corpus, PLAN, PARAMETERS), twin_system(system).kwslist))
    return measure(table, PLAN, PARAMETERS), table


def test_intervals_are_those_of_a_plain_bootstrap() -> None:
    """Draw keywords, average, sort: the same seed gives the same draws."""
    result, table = many(1)
    settings = Resampling(rounds=300, seed=7)
    found = intervals(result, table, settings, reject_all=True)
    chance = np.random.default_rng(7)
    draws = chance.integers(0, 30, (300, 30))
    means = sorted(float(np.mean([result.twv[k] for k in draw])) for draw in draws)
    low, high = np.quantile(means, [0.025, 0.975])
    assert found["ATWV"].low == pytest.approx(low, abs=1e-9)
    assert found["ATWV"].high == pytest.approx(high, abs=1e-9)
    assert set(found) == {"ATWV", "MTWV", "OTWV", "STWV_supremum", "PMiss", "PFA", "MAP"}
    assert intervals(result, table, settings, reject_all=True) == found
    for name, interval in found.items():
        value = result.values[name]
        assert value is not None
        assert interval.low <= interval.high
        if name != "MTWV":
            assert interval.low <= value <= interval.high


def test_the_interval_of_mtwv_is_that_of_the_best_threshold_of_each_draw() -> None:
    """With every threshold in the grid each round is a plain maximum."""
    result, table = many(2, keywords=6)
    settings = Resampling(rounds=50, seed=3, thresholds=1000)
    found = intervals(result, table, settings, reject_all=True)["MTWV"]
    draws = np.random.default_rng(3).integers(0, 6, (50, 6))
    best = []
    for draw in draws:
        twvs = [0.0]
        for threshold in result.det.threshold:
            accepted = table.score >= threshold
            values = []
            for k in draw:
                mine = table.keyword == k
                hits = int((mine & table.target & accepted).sum())
                alarms = int((mine & ~table.target & accepted).sum())
                values.append(1 - ((4 - hits) / 4 + 999.9 * alarms / (2000 - 4)))
            twvs.append(float(np.mean(values)))
        best.append(max(twvs))
    low, high = np.quantile(best, [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_one_keyword_has_no_interval() -> None:
    """There is nothing to draw from."""
    result, table = many(1, keywords=1)
    assert intervals(result, table, Resampling(), reject_all=True) == {}
    assert compare(result, result, Resampling()) is None


def test_comparison() -> None:
    """A system against itself differs by nothing; against a better one by a lot; the sign follows the order."""
    (first, _), (second, _) = many(1), many(2)
    same = compare(first, first, Resampling(rounds=99))
    assert same is not None
    assert (same.difference, same.p_value, same.better, same.equal, same.worse) == (0.0, 1.0, 0, 30, 0)
    forth, back = compare(first, second, Resampling()), compare(second, first, Resampling())
    assert forth is not None
    assert back is not None
    assert forth.difference == pytest.approx(float(np.mean(first.twv - second.twv)))
    assert forth.difference == -back.difference
    assert forth.p_value == back.p_value
    assert (forth.better, forth.worse) == (back.worse, back.better)
    better = first._replace(twv=first.twv + 1)
    clear = compare(better, first, Resampling(rounds=999))
    assert clear is not None
    assert clear.p_value == pytest.approx(1 / 1000)
    assert clear.interval.low == pytest.approx(1.0)


def test_thinned_curves_keep_their_ends_and_their_best_point() -> None:
    """A picture needs few points, but these."""
    result, _ = many(1)
    curve = result.det
    thin = curve.thinned(20)
    assert len(curve) == 180
    assert len(thin) <= 20
    assert (thin.threshold[0], thin.threshold[-1]) == (curve.threshold[0], curve.threshold[-1])
    assert thin.twv.max() == curve.twv.max()
    assert curve.thinned(1000) is curve
