"""Tests of bootstrap intervals and paired comparison against a slow bootstrap, normal theory, and their laws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from validator.scoring.bootstrap import Bootstrap
from validator.scoring.crossentropy import measure
from validator.scoring.crossentropy_intervals import Interval, compare, intervals
from validator.scoring.margins import Margins, arrange, log_costs, open_set

if TYPE_CHECKING:
    from validator.tables import Codes, Floats

PRIOR = open_set("abc")
SLOW = 300


@pytest.fixture(autouse=True)
def _faults_raise() -> object:
    """Let numpy raise on every fault but underflow."""
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        yield


def arranged(scores: Floats, classes: Codes) -> Margins:
    """Arrange what is known to be scorable."""
    margins = arrange(scores, classes, PRIOR)
    assert isinstance(margins, Margins)
    return margins


def bench(separation: float = 1.0, *, rows: int = 80, seed: int = 4) -> tuple[Floats, Codes]:
    """Make a small system with classes of unequal size."""
    random = np.random.default_rng(seed)
    classes = np.sort(random.integers(0, 4, size=rows)).astype(np.int32)
    scores = random.normal(size=(rows, 4))
    scores[np.arange(rows), classes] += separation
    return scores, classes


def slow_resamples(scores: Floats, classes: Codes) -> list[tuple[float, float]]:
    """Draw rows class by class and measure each resample from nothing: (Cmce, Cmin)."""
    random = np.random.default_rng(99)
    costs = []
    for _ in range(SLOW):
        rows = np.concatenate([random.choice(np.flatnonzero(classes == own), sum(classes == own)) for own in range(4)])
        found = measure(arranged(scores[rows], classes[rows]))
        costs.append((found.cmce, found.cmin))
    return costs


def test_same_distribution_as_the_slow_bootstrap() -> None:
    """Ends of the intervals agree with those of a plain bootstrap within what chance moves them."""
    scores, classes = bench()
    found = intervals(arranged(scores, classes), Bootstrap(resamples=2000, seed=1))
    costs = np.array(slow_resamples(scores, classes))
    for interval, column in ((found.cmce, costs[:, 0]), (found.cmin, costs[:, 1])):
        low, high = np.quantile(column, [0.025, 0.975])
        chance = 0.35 * float(np.std(column))  # some two standard errors of an outer quantile of 300
        assert interval.low == pytest.approx(low, abs=chance)
        assert interval.high == pytest.approx(high, abs=chance)


def test_width_of_cmce_is_that_of_normal_theory() -> None:
    """Cmce is a sum of class means: its standard error is known."""
    margins = arranged(*bench(rows=20_000))
    found = intervals(margins, Bootstrap(resamples=400, seed=3))
    costs: list[list[float]] = [[], [], [], []]
    for block in margins.blocks:
        costs[block.own] += log_costs(block, margins.prior, margins.unit).tolist()
    error = math.sqrt(sum(0.25**2 * np.var(cost) / len(cost) for cost in costs))
    assert found.cmce.high - found.cmce.low == pytest.approx(2 * 1.96 * error, rel=0.15)
    assert (found.cmce.high + found.cmce.low) / 2 == pytest.approx(measure(margins).cmce, abs=error)


def test_resamples_keep_the_languages() -> None:
    """Drawing within a language cannot change anything if all its segments are alike."""
    random = np.random.default_rng(8)
    classes = np.repeat(np.arange(4), [3, 5, 4, 6]).astype(np.int32)
    alike = random.normal(size=(4, 4))
    scores = alike[classes]
    scores[classes == 3] = alike[1]  # a language that sounds like another: not separable
    margins = arranged(scores, classes)
    before, found = measure(margins), intervals(margins, Bootstrap(resamples=50, seed=2))
    assert 0 < before.cmin < before.cmce
    assert (found.cmce.low, found.cmce.high) == pytest.approx((before.cmce, before.cmce), rel=1e-12)
    assert (found.cmin.low, found.cmin.high) == pytest.approx((before.cmin, before.cmin), rel=1e-8)


def test_seed_and_level() -> None:
    """The same seed gives the same interval, another one another, and a lower level a part of it."""
    margins = arranged(*bench())
    found = intervals(margins, Bootstrap(resamples=200, seed=7))
    assert intervals(margins, Bootstrap(resamples=200, seed=7)) == found
    assert intervals(margins, Bootstrap(resamples=200, seed=8)).cmce != found.cmce
    narrow = intervals(margins, Bootstrap(resamples=200, seed=7, level=0.5))
    assert found.fact.low < narrow.fact.low < narrow.fact.high < found.fact.high
    assert intervals(margins, Bootstrap(resamples=1, seed=7)).fact.low > 0


def test_fact_and_fdis_follow_their_costs() -> None:
    """Confusion is a rising function of cost, so ends map onto ends (eq. 10 and 13); Fdis <= 1 in every resample."""
    found = intervals(arranged(*bench(separation=0.1)), Bootstrap(resamples=200, seed=5))
    assert found.fact == Interval(math.expm1(found.cmce.low) / 3, math.expm1(found.cmce.high) / 3)
    assert found.fdis.low == pytest.approx(math.expm1(found.cmin.low) / 3, rel=1e-12)
    assert found.fdis.high <= 1
    assert found.fcal is not None
    assert 0 <= found.fcal.low <= found.fcal.high


def test_resamples_that_separate_leave_fcal_undefined() -> None:
    """One error that is not drawn every time: in the other resamples Fdis is 0."""
    classes = np.repeat(np.arange(4), 6).astype(np.int32)
    scores = np.eye(4)[classes]
    scores[0] = [0.0, 1.0, 0.0, 0.0]
    found = intervals(arranged(scores, classes), Bootstrap(resamples=200, seed=1))
    assert found.cmin.low == 0.0 < found.cmin.high
    assert found.fcal is None
    assert found.fcal_undefined is not None
    assert found.fcal_undefined.endswith("of 200 resamples: Fdis is 0 there")


@pytest.mark.parametrize(("scores", "cmin"), [(np.zeros((8, 4)), math.log(4)), (9 * np.eye(4).repeat(2, axis=0), 0.0)])
def test_nothing_to_calibrate(scores: Floats, cmin: float) -> None:
    """The default system stays what it is under resampling, and so does one that separates the classes."""
    found = intervals(arranged(scores, np.arange(4, dtype=np.int32).repeat(2)), Bootstrap(resamples=20, seed=1))
    assert (found.cmin.low, found.cmin.high) == pytest.approx((cmin, cmin), abs=1e-12)


def test_infinite_confusion() -> None:
    """Costs whose exponentials overflow have infinite ends for Fact and Fcal, ordinary ones for Fdis."""
    scores, classes = bench()
    found = intervals(arranged(scores * 1e300, classes), Bootstrap(resamples=100, seed=1))
    small = intervals(arranged(scores, classes), Bootstrap(resamples=100, seed=1))
    assert found.fact == found.fcal == Interval(math.inf, math.inf)
    assert (found.fdis.low, found.fdis.high) == pytest.approx((small.fdis.low, small.fdis.high), abs=1e-7)


def test_system_against_itself() -> None:
    """No difference, and no evidence of one."""
    margins = arranged(*bench())
    found = compare(margins, margins, Bootstrap(resamples=100, seed=1))
    for difference in (found.cmce, found.cmin, found.fact, found.fdis):
        assert (difference.value, difference.interval, difference.p_value) == (0.0, Interval(0.0, 0.0), 1.0)


def test_comparison_is_paired_and_signed() -> None:
    """Below 0 the second is better; swapping the systems changes the sign and nothing else."""
    scores, classes = bench(rows=400)
    noise = np.random.default_rng(6).normal(size=scores.shape)
    good, bad = arranged(scores, classes), arranged(scores + 0.5 * noise, classes)
    there, back = (compare(*pair, Bootstrap(resamples=300, seed=1)) for pair in ((bad, good), (good, bad)))
    assert there.fact.value == measure(good).confusion.fact - measure(bad).confusion.fact
    assert there.fdis.value == measure(good).confusion.fdis - measure(bad).confusion.fdis
    assert there.fact.interval is not None
    assert back.fact.interval == Interval(-there.fact.interval.high, -there.fact.interval.low)
    assert there.fact.interval.high < 0
    assert there.fact.p_value == back.fact.p_value == there.cmce.p_value == pytest.approx(2 / 301)
    alone = intervals(good, Bootstrap(resamples=300, seed=1)).fact
    assert there.fact.interval.high - there.fact.interval.low < alone.high - alone.low, "pairing takes chance out"


def test_infinite_difference_is_undefined() -> None:
    """Infinity less infinity is nothing; the costs can still be compared."""
    scores, classes = bench()
    found = compare(arranged(scores, classes), arranged(scores * 1e4, classes), Bootstrap(resamples=100, seed=1))
    assert (found.fact.value, found.fact.interval, found.fact.p_value) == (None, None, None)
    assert found.fact.undefined == "infinite for one of the systems, as measured or in a resample"
    assert found.cmce.value is not None
    assert found.cmce.value > 700
    assert found.cmin.value == pytest.approx(0, abs=1e-12)


def test_comparison_needs_the_same_segments() -> None:
    """Two systems on different segments are not comparable."""
    scores, classes = bench()
    with pytest.raises(ValueError, match="same segments"):
        compare(arranged(scores, classes), arranged(scores[:-1], classes[:-1]), Bootstrap())


@pytest.mark.parametrize(("resamples", "level"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_bootstrap_that_gives_no_interval(resamples: int, level: float) -> None:
    """No resamples, or a level that is none, is our bug."""
    with pytest.raises(ValueError, match="resamples"):
        Bootstrap(resamples=resamples, level=level)
