"""Tests of the cross-entropy measures against the golden cases, a slow twin, and the laws of the plan."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.scoring import lre_twin as twin
from validator.scoring.crossentropy import Caution, Measures, calibration_hint, measure, measure_pairs
from validator.scoring.margins import EmptyClasses, Margins, Prior, arrange, closed_set, open_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from validator.tables import Codes, Floats

LETTERS = "abcdef"
bounded = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.fixture(autouse=True)
def _faults_raise() -> object:
    """Let numpy raise on every fault but underflow, which is what a negligible probability does."""
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        yield


def arranged(scores: Floats, classes: Codes, prior: Prior, *, drop_empty: bool = False) -> Margins:
    """Arrange what is known to be scorable."""
    margins = arrange(scores, classes, prior, drop_empty=drop_empty)
    assert isinstance(margins, Margins)
    return margins


def measured(scores: Floats, classes: Codes, prior: Prior) -> Measures:
    """Measure what is known to be scorable."""
    return measure(arranged(scores, classes, prior))


def golden_margins(golden: twin.GoldenFile, *, drop_empty: bool = False) -> Margins:
    """Arrange a golden file by its condition."""
    return arranged(golden.scores, golden.classes, golden_prior(golden), drop_empty=drop_empty)


def golden_prior(golden: twin.GoldenFile) -> Prior:
    """Give the prior of a golden file's condition."""
    return open_set(golden.targets) if golden.open_set else closed_set(golden.targets)


def as_expected(found: Measures) -> dict[str, float | None]:
    """Name the measures as the golden files do."""
    confusion = found.confusion
    return {
        "Cmce": found.cmce,
        "Cdef": found.cdef,
        "Cmin": found.cmin,
        "Fact": confusion.fact,
        "Fdis": confusion.fdis,
        "Fcal": confusion.fcal,
        "lnFact": confusion.ln_fact,
    }


def assert_expected(found: Measures, expected: Mapping[str, object]) -> None:
    """Compare at the tolerance of the golden files: 1e-6, absolute below 1 and relative above; Cmin 1e-8."""
    for name, value in as_expected(found).items():
        if name not in expected:
            assert name == "lnFact", "only the pairs leave something out"
        elif (wanted := expected[name]) is None:
            assert value is None
        else:
            number = float(cast("float | str", wanted))
            assert value == pytest.approx(number, rel=1e-6 if number > 1 else 0.0, abs=1e-6), name
    assert found.cmin == pytest.approx(float(cast("float", expected["Cmin"])), rel=0.0, abs=1e-8)


GOLDEN = twin.golden_names()
SCORABLE = [names for names in GOLDEN if "error" not in twin.read_golden(*names).expected]
REFUSED = [names for names in GOLDEN if names not in SCORABLE]
PAIRED = [names for names in GOLDEN if "pairs" in twin.read_golden(*names).expected]


def test_golden_files_are_all_there() -> None:
    """The lists that the tests below walk are not empty by accident."""
    assert (len(SCORABLE), len(REFUSED), len(PAIRED)) == (19, 1, 2)


@pytest.mark.parametrize(("case", "name"), SCORABLE)
def test_golden_measures(case: str, name: str) -> None:
    """Every file of every case has the expected classes, counts and measures."""
    golden = twin.read_golden(case, name)
    found = measure(golden_margins(golden))
    assert list(found.classes) == golden.expected["classes"]
    assert list(found.counts) == golden.expected["counts"]
    assert sum(found.counts) == golden.expected["segments_scored"]
    assert_expected(found, golden.expected)


@pytest.mark.parametrize(("case", "name"), PAIRED)
def test_golden_pairs(case: str, name: str) -> None:
    """Every language pair has the expected measures."""
    golden = twin.read_golden(case, name)
    expected = cast("dict[str, dict[str, object]]", golden.expected["pairs"])
    pairs = measure_pairs(golden_margins(golden))
    assert [f"{pair.first}-{pair.second}" for pair in pairs] == list(expected)
    for pair in pairs:
        assert_expected(pair.measures, expected[f"{pair.first}-{pair.second}"])


@pytest.mark.parametrize(("case", "name"), REFUSED)
def test_golden_refusals(case: str, name: str) -> None:
    """A class without segments is a refusal that names it; leaving it out gives the values of that mode."""
    golden = twin.read_golden(case, name)
    refusal = arrange(golden.scores, golden.classes, golden_prior(golden))
    assert isinstance(refusal, EmptyClasses)
    assert list(refusal.names) == golden.expected["empty"]
    assert list(refusal.counts) == golden.expected["counts"]
    assert all(language in refusal.reason for language in refusal.names)
    found = measure(golden_margins(golden, drop_empty=True))
    assert list(found.dropped) == golden.expected["empty"]
    assert_expected(found, cast("dict[str, object]", golden.expected["if_dropped"]))


@pytest.mark.parametrize(("case", "name"), SCORABLE)
def test_calibration_reaches_cmin(case: str, name: str) -> None:
    """Scale and offsets, applied to the scores, cost what Cmin says (eq. 11 and 12)."""
    golden = twin.read_golden(case, name)
    found = measure(golden_margins(golden))
    if found.calibration.scale is None or found.calibration.offsets is None:
        assert found.cmin == pytest.approx(0.0 if found.confusion.fdis == 0 else found.cdef, rel=1e-14)
        assert found.calibration.reason
        return
    kept = twin.keep(golden.scores, golden.classes, golden_prior(golden).weights)
    calibrated = np.array(kept.scores) * found.calibration.scale + found.calibration.offsets
    assert found.calibration.offsets[-1] == 0.0
    assert twin.cross_entropy(twin.Kept(calibrated.tolist(), kept.classes, kept.prior)) == pytest.approx(
        found.cmin, abs=1e-9
    )


class System:
    """A made-up system: gaussian scores that know something of the class, with scale, biases and removed segments."""

    def __init__(self, seed: int, *, separation: float = 1.0, per_class: int = 12) -> None:
        """Make the scores from a seed; numbers are multiples of 2^-20, so that adding integers is exact."""
        random = np.random.default_rng(seed)
        self.targets = tuple(LETTERS[: random.integers(2, 7)])
        columns = len(self.targets) + 1
        counts = random.integers(1, per_class, size=columns)
        self.classes: Codes = random.permutation(np.repeat(np.arange(-1, columns), [2, *counts])).astype(np.int32)
        raw = random.normal(size=(len(self.classes), columns))
        raw += separation * (self.classes[:, None] == np.arange(columns)) + random.normal(size=columns)
        self.scores: Floats = np.round(raw * random.uniform(0.3, 4) * 2**20) / 2**20
        self.prior = open_set(self.targets) if random.integers(2) else closed_set(self.targets)

    def measures(self) -> Measures:
        """Measure it."""
        return measured(self.scores, self.classes, self.prior)


systems = st.builds(System, st.integers(0, 2**32), separation=st.sampled_from([-2.0, 0.0, 0.5, 1.0, 2.0]))


@bounded
@given(systems)
def test_equal_to_twin(system: System) -> None:
    """Fast and slow computation agree; Cmin against an optimiser that shares nothing with ours."""
    kept = twin.keep(system.scores, system.classes, system.prior.weights)
    found = system.measures()
    cmce, cdef, cmin = twin.cross_entropy(kept), twin.default_entropy(kept), twin.least_entropy(kept)
    assert found.costs == pytest.approx(twin.class_costs(kept), rel=1e-12)
    assert found.cmce == pytest.approx(cmce, rel=1e-12)
    assert found.cdef == pytest.approx(cdef, rel=1e-14)
    assert found.cmin == pytest.approx(cmin, rel=0.0, abs=1e-8)
    assert found.cmin <= cmin + 1e-12, "a minimum is not above what another search has found"
    assert found.confusion.fact == pytest.approx(twin.confusion(cmce) / twin.confusion(cdef), rel=1e-10)
    assert found.confusion.fdis == pytest.approx(twin.confusion(cmin) / twin.confusion(cdef), rel=0.0, abs=1e-7)
    assert found.confusion.ln_fact == pytest.approx(math.log(found.confusion.fact), rel=1e-10)


@settings(bounded, max_examples=12)
@given(systems)
def test_pairs_equal_to_twin(system: System) -> None:
    """A pair is the condition with prior 1/2 for two languages and 0 for the rest (plan 4.4)."""
    pairs = measure_pairs(arranged(system.scores, system.classes, system.prior))
    assert len(pairs) == math.comb(len(system.targets), 2)
    for pair in pairs:
        weights = tuple(0.5 * (name in {pair.first, pair.second}) for name in system.prior.names)
        kept = twin.keep(system.scores, system.classes, weights)
        assert pair.measures.cdef == pytest.approx(math.log(2))
        assert pair.measures.cmce == pytest.approx(twin.cross_entropy(kept), rel=1e-12)
        assert pair.measures.cmin == pytest.approx(twin.least_entropy(kept), rel=0.0, abs=1e-8)


@bounded
@given(systems, st.integers(0, 2**32))
def test_constant_of_a_segment_changes_nothing(system: System, seed: int) -> None:
    """The constant k_t of eq. 1 cancels: not even the last digit changes while the sums are exact."""
    shifts = np.random.default_rng(seed).integers(-(2**25), 2**25, size=(len(system.classes), 1))
    assert measured(system.scores + shifts, system.classes, system.prior) == system.measures()


@bounded
@given(systems, st.randoms(use_true_random=False))
def test_permuting_classes_with_the_key_changes_nothing(system: System, random: object) -> None:
    """The order of the columns is a convention."""
    order = list(range(len(system.prior.names)))
    cast("np.random.RandomState", random).shuffle(order)
    prior = Prior(
        tuple(system.prior.names[column] for column in order), tuple(system.prior.weights[column] for column in order)
    )
    new_number = np.array([*np.argsort(order), -1])
    found = measured(system.scores[:, order], new_number[system.classes].astype(np.int32), prior)
    before = system.measures()
    assert dict(zip(found.classes, found.costs, strict=True)) == pytest.approx(
        dict(zip(before.classes, before.costs, strict=True)), rel=1e-12
    )
    assert found.cmce == pytest.approx(before.cmce, rel=1e-12)
    assert found.cmin == pytest.approx(before.cmin, rel=0.0, abs=1e-11)


@bounded
@given(systems, st.integers(0, 2**32), st.sampled_from([1e-300, 1e-6, 1.0, 1e4, 1e300]), st.booleans())
def test_what_calibration_undoes_does_not_change_cmin(system: System, seed: int, scale: float, negate: bool) -> None:  # noqa: FBT001
    """Cmin and Fdis see neither a scale of either sign nor offsets of the classes (plan 4.3.1)."""
    biases = np.random.default_rng(seed).normal(size=system.scores.shape[1]) * 1e4
    scores = (system.scores + biases) * (-scale if negate else scale)
    found = measured(scores, system.classes, system.prior)
    assert found.cmin == pytest.approx(system.measures().cmin, rel=0.0, abs=1e-9)


@bounded
@given(systems)
def test_order_of_segments_changes_nothing(system: System) -> None:
    """A file may list its segments in any order."""
    found = measured(system.scores[::-1].copy(), system.classes[::-1].copy(), system.prior)
    assert found.cmce == pytest.approx(system.measures().cmce, rel=1e-12)
    assert found.cmin == pytest.approx(system.measures().cmin, rel=0.0, abs=1e-11)


@settings(bounded, max_examples=5)
@given(systems)
def test_many_times_the_same_segments_changes_nothing(system: System) -> None:
    """Every class counts by its mean: a thousand copies, which fill many blocks, cost what one costs."""
    found = measured(np.tile(system.scores, (1000, 1)), np.tile(system.classes, 1000), system.prior)
    before = system.measures()
    assert found.counts == tuple(1000 * count for count in before.counts)
    assert found.costs == pytest.approx(before.costs, rel=1e-12)
    assert found.cmin == pytest.approx(before.cmin, rel=0.0, abs=1e-11)


@bounded
@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(4, 12), st.just(4)),
        elements=st.floats(allow_nan=False, allow_infinity=False)
        | st.sampled_from([0.0, 1.0, 1e4, -1e4, 1e300, -1e300, 1.7e308, -1.7e308, 5e-324]),
    )
)
def test_any_finite_scores_obey_the_plan(scores: Floats) -> None:
    """0 <= Cmin <= Cdef, Cmin <= Cmce, so 0 <= Fdis <= 1, Fact >= Fdis and Fcal >= 0, without a fault in numpy."""
    found = measured(scores, np.arange(len(scores), dtype=np.int32) % 4, open_set("abc"))
    confusion = found.confusion
    assert 0 <= found.cmin <= min(found.cdef, found.cmce)
    assert 0 <= confusion.fdis <= 1
    assert confusion.fact >= confusion.fdis
    assert (confusion.fcal is None) == (confusion.fdis == 0) == (confusion.fcal_undefined is not None)
    assert confusion.fcal is None or confusion.fcal >= 0
    assert (confusion.ln_fact is None) == (found.cmce == 0) == (confusion.ln_fact_undefined is not None)
    assert confusion.ln_fact is None or not math.isnan(confusion.ln_fact)


@bounded
@given(systems, st.floats(-1e300, 1e300))
def test_default_system(system: System, level: float) -> None:
    """A system that says nothing has Fact 1 to 1e-12, and no scale to hint at."""
    scores = np.full_like(system.scores, level) + np.arange(len(system.scores))[:, None]
    found = measured(scores, system.classes, system.prior)
    assert found.confusion.fact == pytest.approx(1, abs=1e-12)
    assert found.confusion.fdis == pytest.approx(1, abs=1e-12)
    assert found.confusion.fcal == pytest.approx(0, abs=1e-12)
    assert found.confusion.ln_fact == pytest.approx(0, abs=1e-12)
    assert found.calibration.scale is None
    assert found.calibration.reason == "the scores say nothing of the class: no scale is better than another"
    assert calibration_hint(found).cautions == (Caution.NO_BETTER_THAN_DEFAULT,)


def test_cmce_is_the_mean_of_the_languages() -> None:
    """Components add up to the total: Cmce is the prior-weighted mean of the costs of the classes."""
    found = System(3).measures()
    weights = [weight for weight in System(3).prior.weights if weight]
    assert found.cmce == pytest.approx(sum(w * c for w, c in zip(weights, found.costs, strict=True)), rel=1e-14)


def bench(separation: float = 1.2, *, rows: int = 300) -> tuple[Floats, Codes]:
    """Make an ordinary open-set system of six languages, none of which is separable."""
    random = np.random.default_rng(12)
    classes = (np.arange(rows) % 7).astype(np.int32)
    scores = random.normal(size=(rows, 7))
    scores[np.arange(rows), classes] += separation
    return scores, classes


@pytest.mark.parametrize("scale", [1e4, 1e10, 1e300, 2e307])
def test_huge_scores(scale: float) -> None:
    """Scores of any size have an exact cost; where its exponential overflows Fact is infinite and ln Fact is not."""
    scores, classes = bench()
    found, before = measured(scores * scale, classes, open_set(LETTERS)), measured(scores, classes, open_set(LETTERS))
    excess = [max(row) - row[own] for row, own in zip(scores.tolist(), classes.tolist(), strict=True)]
    means = [math.fsum(np.array(excess)[classes == own]) / sum(classes == own) for own in range(7)]
    assert found.cmce == pytest.approx(math.fsum(means) / 7 * scale, rel=1e-4)
    assert found.cmin == pytest.approx(before.cmin, abs=1e-12)
    assert found.calibration.scale == pytest.approx(cast("float", before.calibration.scale) / scale, rel=1e-6)
    assert found.calibration.offsets == pytest.approx(before.calibration.offsets, abs=1e-6)
    assert found.confusion.fact == math.inf
    assert found.confusion.fcal == math.inf
    assert found.confusion.ln_fact == pytest.approx(found.cmce - math.log(6), rel=1e-12)
    assert calibration_hint(found).share == 1.0


def test_mean_beyond_the_largest_double_is_infinite() -> None:
    """A cost that no double holds is infinity, and calibration still finds its way."""
    classes = np.arange(8, dtype=np.int32) % 2
    scores = np.array([[-1.7e308, 1.7e308], [1.7e308, -1.7e308]])[classes]
    found = measured(scores, classes, Prior(("a", "b"), (0.5, 0.5)))
    assert found.cmce == math.inf
    assert found.confusion.ln_fact == math.inf
    assert found.cmin == 0.0, "the wrong sign is a matter of calibration"


@pytest.mark.parametrize("zero", [-1e4, -1e8, -1e12, -1e100, -1e300, -1.7e308])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_log_of_zero(zero: float, share: float) -> None:
    """Rightly excluded classes count as excluded however low their score: Cmin is found beside scores of any size."""
    scores, classes = bench()
    excluded = np.random.default_rng(5).random(scores.shape) < share
    excluded[np.arange(len(classes)), classes] = False
    low, lower = (measured(np.where(excluded, value, scores), classes, open_set(LETTERS)) for value in (-1000.0, zero))
    kept = twin.keep(np.where(excluded, -1000.0, scores), classes, open_set(LETTERS).weights)
    assert lower.cmin == pytest.approx(low.cmin, abs=1e-11)
    assert lower.calibration.scale == pytest.approx(low.calibration.scale, rel=1e-6)
    assert low.cmin == pytest.approx(twin.least_entropy(kept), abs=1e-8)


def test_one_segment_far_away() -> None:
    """A segment whose constant k_t swallows its scores says nothing; the others say what they did."""
    scores, classes = bench()
    silent, far = scores.copy(), scores.copy()
    silent[5] = 0.0
    far[5] = 1e300
    assert measured(far, classes, open_set(LETTERS)).cmin == pytest.approx(
        measured(silent, classes, open_set(LETTERS)).cmin, abs=1e-12
    )


@pytest.mark.parametrize("placeholder", [-1e300, 1e4, 1e300, 1.7e308])
def test_closed_set_never_sees_the_placeholder(placeholder: float) -> None:
    """The out-of-set column and its segments are removed in the closed set, not given a small prior (plan 4.1.1)."""
    scores, classes = bench()
    changed = scores.copy()
    changed[:, 6] = placeholder
    found, before = (measured(matrix, classes, closed_set(LETTERS)) for matrix in (changed, scores))
    assert as_expected(found) == pytest.approx(as_expected(before), rel=1e-12)
    assert found.counts == before.counts


def test_biases_of_classes_that_dwarf_the_scores() -> None:
    """Offsets take biases of any size away; only the digits that the bias has eaten are gone."""
    scores, classes = bench()
    scores = np.round(scores * 2**16) / 2**16
    biased = scores + np.array([0, 3, -5, 7, 2, -9, 4]) * 2.0**30
    found, before = (measured(matrix, classes, open_set(LETTERS)) for matrix in (biased, scores))
    assert found.cmin == pytest.approx(before.cmin, abs=1e-12)
    assert found.calibration.scale == pytest.approx(before.calibration.scale, rel=1e-9)


def test_wrong_sign_has_a_negative_scale() -> None:
    """A system that means the opposite discriminates just as well: alpha < 0."""
    scores, classes = bench()
    found, before = (measured(matrix, classes, open_set(LETTERS)) for matrix in (-scores, scores))
    assert found.calibration.scale == pytest.approx(-cast("float", before.calibration.scale), rel=1e-6)
    assert found.cmin == pytest.approx(before.cmin, abs=1e-12)
    assert Caution.SCALE_NOT_POSITIVE in calibration_hint(found).cautions


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e4, 1e300])
def test_separable(scale: float) -> None:
    """Where the true class always wins, Cmin and Fdis are 0 and Fcal is undefined, even if Fact is 0 as well."""
    _, classes = bench()
    scores = scale * np.eye(7)[classes]
    found = measured(scores, classes, open_set(LETTERS))
    assert (found.cmin, found.confusion.fdis, found.confusion.fcal) == (0.0, 0.0, None)
    assert found.confusion.fcal_undefined == (
        "Fdis is 0, the scores separate the classes: there is nothing to compare Fact with"
    )
    assert (found.calibration.scale, found.calibration.attained) == (None, False)
    assert found.calibration.reason is not None
    assert (found.confusion.fact == 0.0) == (scale > 1)
    assert (found.confusion.ln_fact is None) == (found.confusion.ln_fact_undefined is not None) == (scale > 1)
    assert (calibration_hint(found).share is None) == (scale > 1)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_separable_with_the_wrong_sign(sign: float) -> None:
    """Distances may separate the classes, too: there is no best scale, but it would be negative, and that is told."""
    _, classes = bench()
    found = measured(sign * np.eye(7)[classes], classes, open_set(LETTERS))
    assert (found.cmin, found.calibration.scale) == (0.0, None)
    assert (Caution.SCALE_NOT_POSITIVE in calibration_hint(found).cautions) == (sign < 0)


def test_one_class_splits_off() -> None:
    """Quasi-separable data: the value is that of the rest, and it is said that no offset attains it."""
    scores, classes = bench()
    ours = classes == 2
    scores[:, 2] = np.where(ours, 0.0, -100.0)
    scores[ours] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    scores[ours, 2] = 1e-3
    kept = twin.keep(scores, classes, open_set(LETTERS).weights)
    found = measured(scores, classes, open_set(LETTERS))
    assert found.cmin == pytest.approx(twin.least_entropy(kept), abs=1e-8)
    assert not found.calibration.attained


def test_small_costs_keep_their_digits() -> None:
    """A cost of 1e-20 is not rounded to 0: it is the sum of the exponentials of the margins."""
    classes = np.array([0, 1], dtype=np.int32)
    scores = np.array([[46.0, 0.0], [0.0, 47.0]])
    found = measured(scores, classes, Prior(("a", "b"), (0.5, 0.5)))
    assert found.cmce == pytest.approx((math.exp(-46) + math.exp(-47)) / 2, rel=1e-12)
    assert found.confusion.fact == pytest.approx(found.cmce, rel=1e-12)
    assert found.confusion.ln_fact == pytest.approx(math.log(found.cmce), rel=1e-12)


def test_no_out_of_set_segment_leaves_the_closed_set_alone() -> None:
    """The open set is refused and names OOS; the closed set has the same measures as before."""
    scores, classes = bench()
    without = np.where(classes == 6, -1, classes).astype(np.int32)
    refusal = arrange(scores, without, open_set(LETTERS))
    assert isinstance(refusal, EmptyClasses)
    assert refusal.names == ("OOS",)
    assert refusal.reason == "no segment of OOS in the key: the mean cost of such a class is undefined"
    assert measured(scores, without, closed_set(LETTERS)) == measured(scores, classes, closed_set(LETTERS))


def test_dropping_needs_two_classes() -> None:
    """With one class left there is nothing to tell apart, and with no segments nothing at all."""
    scores, _ = bench()
    lonely = np.full(len(scores), 3, dtype=np.int32)
    for refusal in (
        arrange(scores, lonely, open_set(LETTERS), drop_empty=True),
        arrange(scores[:0], lonely[:0], open_set("abcdef"), drop_empty=True),
    ):
        assert isinstance(refusal, EmptyClasses)
        assert {"a", "b", "c", "e", "f", "OOS"} <= set(refusal.names)


def test_dropping_is_scoring_without_the_column() -> None:
    """Leaving a class out equals never having had it: prior and columns of the others only."""
    scores, classes = bench()
    without = np.where(classes == 2, -1, classes).astype(np.int32)
    found = measure(arranged(scores, without, open_set(LETTERS), drop_empty=True))
    narrow = np.delete(scores, 2, axis=1)
    renumbered = np.array([0, 1, -1, 2, 3, 4, 5])[classes].astype(np.int32)
    direct = measured(narrow, renumbered, open_set("abdef"))
    assert found.dropped == ("c",)
    assert as_expected(found) == pytest.approx(as_expected(direct), rel=1e-12)


def test_hint_tells_what_calibration_costs() -> None:
    """Loss and share follow from Fact and Fdis; a well calibrated system hears no caution."""
    scores, classes = bench()
    good = measured(scores * 1.2, classes, open_set(LETTERS))
    loud = measured(scores * 6, classes, open_set(LETTERS))
    hint = calibration_hint(loud)
    assert calibration_hint(good).cautions == ()
    assert hint.cautions == (Caution.NO_BETTER_THAN_DEFAULT, Caution.CALIBRATION_LOSS)
    assert hint.loss == loud.confusion.fact - loud.confusion.fdis
    loss = cast("float", loud.confusion.fcal)
    assert hint.share == pytest.approx(loss / (1 + loss), rel=1e-12)
    assert hint.calibration == loud.calibration


@pytest.mark.parametrize(
    ("scores", "classes"),
    [
        (np.zeros((3, 6)), np.zeros(3, dtype=np.int32)),
        (np.zeros((3, 7)), np.zeros(4, dtype=np.int32)),
        (np.full((3, 7), math.nan), np.zeros(3, dtype=np.int32)),
        (np.full((3, 7), -math.inf), np.zeros(3, dtype=np.int32)),
        (np.zeros((3, 7)), np.full(3, 7, dtype=np.int32)),
        (np.zeros((3, 7)), np.full(3, -2, dtype=np.int32)),
    ],
)
def test_what_is_no_matrix_of_scores_is_our_bug(scores: Floats, classes: Codes) -> None:
    """Callers check files; a matrix that does not fit is not scored in silence."""
    with pytest.raises(ValueError, match=r"scores|class"):
        arrange(scores, classes, open_set(LETTERS))
