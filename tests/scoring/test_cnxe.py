"""Cnxe: the oracle, the full trial matrix, closed forms and laws."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.scoring import sws_twin as twin
from validator.scoring import affine
from validator.scoring.cnxe import CensoredTrials, CnxeMeasures, crowded_queries, effective_prior, measure_cnxe

GOLDEN = Path(__file__).parent.parent / "golden" / "sws"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())
BETA = 1 / 100 * (1 / 0.00015 - 1)
TOLERANCE = 1e-6  # stated by the oracle


def pooled(
    aligned: list[float], unaligned: list[float], *, targets: int | None = None, nontargets: int | None = None
) -> CensoredTrials:
    """Make trials of one query; all were submitted unless told otherwise."""
    return CensoredTrials(
        np.array(aligned, dtype=np.float64),
        np.array(unaligned, dtype=np.float64),
        np.array([len(aligned) if targets is None else targets]),
        np.array([len(unaligned) if nontargets is None else nontargets]),
        np.array([len(unaligned)]),
    )


def trials_of(case: twin.Case, aligned: list[bool]) -> CensoredTrials:
    """Hand the scores of a case over, as the scorer does."""
    scores = np.array([detection.score for detection in case.detections])
    hit = np.array(aligned, dtype=np.bool_)
    alarms = [
        sum(detection.query == query and not flag for detection, flag in zip(case.detections, aligned, strict=True))
        for query in case.references
    ]
    targets = np.array([len(references) for references in case.references.values()])
    return CensoredTrials(scores[hit], scores[~hit], targets, case.trials_per_query - targets, np.array(alarms))


def matrix_of(trials: CensoredTrials, beta: float) -> twin.TrialMatrix:
    """Write every single trial down."""
    aligned, unaligned = trials.aligned.tolist(), trials.unaligned.tolist()
    lowest = min(aligned + unaligned)
    return twin.TrialMatrix(
        aligned + [lowest] * (int(trials.targets.sum()) - len(aligned)),
        unaligned + [lowest] * (int(trials.nontargets.sum()) - len(unaligned)),
        beta,
    )


def number(value: float | None) -> float:
    """Insist on a defined figure."""
    assert value is not None
    return value


@pytest.mark.parametrize("name", CASES)
def test_the_twin_agrees_with_the_oracle_on_counts_and_twv(name: str) -> None:
    """Alignment, counts, ATWV and MTWV of the twin are the official ones."""
    expected = json.loads((GOLDEN / name / "expected.json").read_text(encoding="utf-8"))
    case = twin.read_case(GOLDEN / name)
    aligned = twin.align(case)
    counts = twin.count(case, aligned, None)
    assert counts == expected["per_query"]
    assert case.trials_per_query == expected["trials_per_query"]
    assert len(case.references) == expected["queries_scored"]
    greatest, threshold = twin.best_threshold(case, aligned)
    computed = {
        "total_audio_seconds": case.audio_seconds,
        "beta": case.parameters.beta,
        "Pmiss": twin.error_rates(case, counts)[0],
        "Pfa": twin.error_rates(case, counts)[1],
        "ATWV": twin.term_weighted_value(case, counts),
        "MTWV": max(greatest, 0.0),
        "MTWV_threshold": threshold,
        "MTWV_without_reject_all": greatest,
    }
    assert computed == pytest.approx({key: expected[key] for key in computed}, abs=TOLERANCE, rel=0)


@pytest.mark.parametrize("name", CASES)
def test_cnxe_agrees_with_the_oracle_and_the_full_trial_matrix(name: str) -> None:
    """All figures of the oracle that concern scores come out, from the columns and from every single trial."""
    expected = json.loads((GOLDEN / name / "expected.json").read_text(encoding="utf-8"))
    case = twin.read_case(GOLDEN / name)
    aligned = twin.align(case)
    trials = trials_of(case, aligned)
    measured = measure_cnxe(trials, case.parameters.beta)
    matrix = twin.fill_matrix(case, aligned)
    assert (len(matrix.target), len(matrix.nontarget)) == (trials.targets.sum(), trials.nontargets.sum())
    computed = {
        "effective_prior": effective_prior(case.parameters.beta),
        "target_trials": trials.targets.sum(),
        "nontarget_trials": trials.nontargets.sum(),
        "submitted_target": len(trials.aligned),
        "submitted_nontarget": len(trials.unaligned),
        "llr_min": measured.lowest_score,
        "Cxe_bits": measured.cxe_bits,
        "Cnxe": measured.cnxe,
        "Cnxe_min": measured.min_cnxe,
        "Cnxe_min_pav": measured.min_cnxe_pav,
    }
    assert computed == pytest.approx({key: expected[key] for key in computed}, abs=TOLERANCE, rel=0)
    assert measured.cxe_bits == pytest.approx(twin.cross_entropy(matrix), rel=1e-12)
    assert measured.min_cnxe_pav == pytest.approx(twin.least_isotonic(matrix), abs=1e-12)
    if measured.calibration_scale is not None:
        recalibrated = twin.mapped(matrix, measured.calibration_scale, number(measured.calibration_offset))
        assert measured.min_cnxe == pytest.approx(twin.normalised(recalibrated), rel=1e-12)


SCORE = st.one_of(
    st.floats(-20, 20),
    st.integers(-3, 3).map(float),
    st.floats(-1e6, 1e6),
)


@st.composite
def some_trials(draw: st.DrawFn, score: st.SearchStrategy[float] = SCORE) -> CensoredTrials:
    """Draw a small list of detections, at least one of them, and a few censored trials."""
    aligned = draw(st.lists(score, max_size=12))
    unaligned = draw(st.lists(score, min_size=0 if aligned else 1, max_size=12))
    targets = max(1, len(aligned) + draw(st.integers(0, 3)))
    nontargets = max(1, len(unaligned) + draw(st.integers(0, 30)))
    return pooled(aligned, unaligned, targets=targets, nontargets=nontargets)


BETAS = st.sampled_from([BETA, 999.9, 1.0, 0.25])


@given(trials=some_trials(), beta=BETAS)
@settings(max_examples=60, derandomize=True, deadline=None)
def test_every_figure_equals_that_of_the_full_trial_matrix(trials: CensoredTrials, beta: float) -> None:
    """Columns with censored trials in closed form and a list of all trials give the same figures."""
    measured = measure_cnxe(trials, beta)
    matrix = matrix_of(trials, beta)
    assert measured.cnxe == pytest.approx(twin.normalised(matrix), rel=1e-12)
    assert measured.min_cnxe_pav == pytest.approx(twin.least_isotonic(matrix), abs=1e-12)
    if measured.calibration_scale is not None:
        assert measured.min_cnxe == pytest.approx(min(twin.least_affine(matrix), 1.0), abs=1e-9)


@given(trials=some_trials(st.integers(-3, 3).map(float)), beta=BETAS)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_a_minimum_that_is_not_attained_is_approached(trials: CensoredTrials, beta: float) -> None:
    """Classes that touch at most at one score: large scales come close to minCnxe and never below it."""
    matrix = matrix_of(trials, beta)
    up, down = min(matrix.target) >= max(matrix.nontarget), max(matrix.target) <= min(matrix.nontarget)
    assume(up or down)
    measured = measure_cnxe(trials, beta)
    assert measured.calibration_scale is None
    assert measured.calibration_offset is None
    assert measured.reason
    border = min(matrix.target) if up else max(matrix.target)
    costs = []
    for size in (1.0, 10.0, 40.0):
        shifted = twin.mapped(twin.mapped(matrix, 1.0, -border), size if up else -size, 0.0)
        costs.append(twin.normalised(twin.mapped(shifted, 1.0, twin.best_offset(shifted, 1.0))))
    assert min(costs) >= number(measured.min_cnxe) - 1e-12
    assert costs[-1] == pytest.approx(measured.min_cnxe, abs=1e-6)


@given(trials=some_trials(), beta=BETAS, delta=st.floats(-50, 50), gamma=st.floats(0.01, 100))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_an_affine_map_of_the_scores_leaves_the_minimum_alone(
    trials: CensoredTrials, beta: float, delta: float, gamma: float
) -> None:
    """Adding delta and scaling by gamma > 0 before scoring changes neither minimum."""
    scores = np.append(trials.aligned, trials.unaligned)
    moved = gamma * scores + delta
    # Rounding must not make equal what was different: that would be another list.
    assume(len(np.unique(moved)) == len(np.unique(scores)) and np.ptp(scores) > 1e-6 * np.abs(scores).max())
    before = measure_cnxe(trials, beta)
    after = measure_cnxe(
        CensoredTrials(
            gamma * trials.aligned + delta,
            gamma * trials.unaligned + delta,
            trials.targets,
            trials.nontargets,
            trials.unaligned_detections,
        ),
        beta,
    )
    assert after.min_cnxe == pytest.approx(before.min_cnxe, abs=1e-7)
    assert after.min_cnxe_pav == pytest.approx(before.min_cnxe_pav, abs=1e-12)
    assert (after.calibration_scale is None) == (before.calibration_scale is None)


@given(trials=some_trials(), beta=BETAS)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_minima_are_ordered(trials: CensoredTrials, beta: float) -> None:
    """0 <= minCnxe <= Cnxe and 1; the isotonic minimum is below the affine one unless that reverses the order."""
    measured = measure_cnxe(trials, beta)
    assert 0 <= number(measured.min_cnxe) <= min(number(measured.cnxe), 1.0)
    assert measured.calibration_loss == number(measured.cnxe) - number(measured.min_cnxe)
    assert 0 <= number(measured.min_cnxe_pav) <= min(number(measured.cnxe), 1.0)
    reversing = "above" in measured.reason if measured.calibration_scale is None else measured.calibration_scale < 0
    if not reversing:
        assert number(measured.min_cnxe_pav) <= number(measured.min_cnxe) + 1e-12


@given(trials=some_trials(st.floats(allow_nan=False, allow_infinity=False)), beta=BETAS)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_any_finite_scores_can_be_measured(trials: CensoredTrials, beta: float) -> None:
    """Whatever the magnitudes and their mixture: the search ends, nothing overflows with a warning, the laws hold."""
    measured = measure_cnxe(trials, beta)
    assert 0 <= number(measured.min_cnxe) <= min(number(measured.cnxe), 1.0)
    if measured.calibration_scale is not None and measured.calibration_scale >= 0:
        assert number(measured.min_cnxe_pav) <= number(measured.min_cnxe) + 1e-12


@given(hits=st.integers(0, 5), alarms=st.integers(0, 5), missed=st.integers(1, 5), rest=st.integers(1, 5), beta=BETAS)
@settings(max_examples=50, derandomize=True, deadline=None)
def test_scores_of_zero_say_nothing(hits: int, alarms: int, missed: int, rest: int, beta: float) -> None:
    """All scores 0, or no detection at all: every Cnxe is 1 and there is nothing to calibrate."""
    zeros = pooled([0.0] * hits, [0.0] * alarms, targets=hits + missed, nontargets=alarms + rest)
    measured = measure_cnxe(zeros, beta)
    assert (measured.cnxe, measured.min_cnxe, measured.min_cnxe_pav) == pytest.approx((1, 1, 1), abs=1e-14)
    assert measured.calibration_loss == pytest.approx(0, abs=1e-14)
    assert measured.calibration_scale is None
    assert measured.reason == (
        "all scores are equal: no scale is better than another" if hits + alarms else "there is no detection"
    )


def test_equal_scores_of_any_value_have_the_minimum_of_no_information() -> None:
    """One score for all trials: Cnxe shows the miscalibration, the minimum is exactly 1."""
    measured = measure_cnxe(pooled([7.5, 7.5], [7.5], targets=3, nontargets=100), BETA)
    assert number(measured.cnxe) > 1
    assert (measured.min_cnxe, measured.min_cnxe_pav) == pytest.approx((1, 1), abs=1e-14)


def test_separable_scores_have_the_minimum_zero_and_a_reason() -> None:
    """All references found and above all else: the infimum 0 is reported, scale and offset are not."""
    measured = measure_cnxe(pooled([3.0, 4.0], [1.0, -2.0], nontargets=50), BETA)
    assert (measured.min_cnxe, measured.min_cnxe_pav) == (0.0, 0.0)
    assert measured.calibration_loss == measured.cnxe
    assert measured.measures()["calibration_scale"] is None
    assert measured.reason == "no target trial scores below a non-target trial: an ever larger scale is ever better"


def test_classes_that_meet_in_the_censored_score_keep_its_uncertainty() -> None:
    """Only hits submitted, all found: the lowest of them is shared with the censored trials, by hand."""
    measured = measure_cnxe(pooled([1.0, 2.0, 3.0, 4.0], [], nontargets=10), 1.0)
    # A quarter of the targets (weight 1/8) shares a score with all non-targets (weight 1/2).
    by_hand = (1 / 8 * math.log(5) + 1 / 2 * math.log(5 / 4)) / math.log(2)
    assert measured.min_cnxe == pytest.approx(by_hand, rel=1e-14)
    assert measured.min_cnxe_pav == pytest.approx(by_hand, rel=1e-14)
    assert measured.calibration_scale is None


def test_a_system_of_false_alarms_is_best_read_backwards() -> None:
    """The scale may be negative: missed targets at the lowest score are below all false alarms."""
    measured = measure_cnxe(pooled([], [0.0, 1.0, 2.0], targets=2, nontargets=4), 1.0)
    by_hand = (1 / 2 * math.log(2) + 1 / 2 * math.log(2)) / math.log(2)
    assert number(measured.min_cnxe) < by_hand
    assert measured.min_cnxe_pav == pytest.approx(1, abs=1e-14)
    assert (
        measured.reason == "no target trial scores above a non-target trial: an ever more negative scale is ever better"
    )


@pytest.mark.parametrize("size", [1e-322, 1e-310, 1e-300, 1.0, 1e300, 1.7e308])
def test_the_size_of_the_scores_does_not_matter_to_the_minima(size: float) -> None:
    """Scores at the ends of the range of a double: same minima, no overflow, no warning."""
    aligned, unaligned = np.array([1.0, 0.5, -0.25]), np.array([0.75, -1.0, -0.5, -1.0])
    plain = measure_cnxe(pooled(aligned.tolist(), unaligned.tolist(), targets=5, nontargets=40), BETA)
    measured = measure_cnxe(
        pooled((aligned * size).tolist(), (unaligned * size).tolist(), targets=5, nontargets=40), BETA
    )
    assert measured.min_cnxe == pytest.approx(plain.min_cnxe, abs=1e-9)
    assert measured.min_cnxe_pav == plain.min_cnxe_pav
    assert number(measured.cnxe) > 0


def test_a_floor_far_below_all_scores_does_not_hide_them() -> None:
    """One detection at -1e300 takes all censored trials there; the others keep the calibration that they deserve.

    It is that without the floor's trials, whose cost is 0: the weights of the others are the same.
    """
    aligned, unaligned = [2.0, 1.0, 3.0, -1.0], [0.0, -2.0, 1.5, -3.0]
    floor = measure_cnxe(pooled(aligned, [*unaligned, -1e300], nontargets=100), BETA)
    # Non-targets weigh beta / 100 each in the one and beta' / 4 in the other: beta' = beta 4 / 100.
    beta = BETA * 4 / 100
    alone = measure_cnxe(pooled(aligned, unaligned), beta)
    prior = {
        value: number(measure_cnxe(pooled([], [], targets=1, nontargets=1), value).cxe_bits) for value in (BETA, beta)
    }
    in_bits = number(alone.min_cnxe) * prior[beta] * (1 + beta) / (1 + BETA)
    assert floor.min_cnxe == pytest.approx(in_bits / prior[BETA], rel=1e-12)
    assert floor.calibration_scale == pytest.approx(alone.calibration_scale, rel=1e-9)


def test_many_detections_equal_few_with_weights() -> None:
    """More distinct scores than the rough regression has points: the exact one decides.

    The same scores, rounded so that it is not needed, give nearly the same, and the map found is a stationary point.
    """
    draw = np.random.default_rng(7)
    aligned, unaligned = draw.normal(2, 2, 30_000), draw.normal(-2, 2, 60_000)
    counts = (np.array([40_000]), np.array([2_000_000]), np.array([60_000]))
    fine = measure_cnxe(CensoredTrials(aligned, unaligned, *counts), BETA)
    coarse = measure_cnxe(CensoredTrials(aligned.round(3), unaligned.round(3), *counts), BETA)
    assert fine.min_cnxe == pytest.approx(coarse.min_cnxe, abs=1e-5)
    scale, offset = number(fine.calibration_scale), number(fine.calibration_offset)
    again = measure_cnxe(CensoredTrials(scale * aligned + offset, scale * unaligned + offset, *counts), BETA)
    assert (again.cnxe, again.min_cnxe) == pytest.approx((fine.min_cnxe, fine.min_cnxe), rel=1e-12)
    assert (again.calibration_scale, again.calibration_offset) == pytest.approx((1, 0), abs=1e-7)


def test_long_cascades_of_pooling_end() -> None:
    """Ascending odds, then many false alarms at the top: everything falls together, block after block."""
    aligned = [float(level) for level in range(60) for _ in range(level)]
    unaligned = [float(level) for level in range(60) for _ in range(60 - level)] + [100.0] * 5000
    measured = measure_cnxe(pooled(aligned, unaligned), 1.0)
    assert measured.min_cnxe_pav == pytest.approx(
        twin.least_isotonic(matrix_of(pooled(aligned, unaligned), 1.0)), abs=1e-12
    )


@pytest.mark.parametrize("limit", ["_STEPS", "_HALVINGS"])
def test_a_minimum_that_is_not_found_is_none(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No list is known that needs more steps than there are; were there one, its minimum would not be made up."""
    monkeypatch.setattr(affine, limit, 0)
    measured = measure_cnxe(pooled([1.0, -2.0], [0.0, -3.0, -4.0]), BETA)
    assert (measured.min_cnxe, measured.calibration_loss, measured.calibration_scale) == (None, None, None)
    assert measured.reason == "the search for the least loss did not end"
    assert number(measured.min_cnxe_pav) <= number(measured.cnxe)


def test_a_query_with_more_false_alarms_than_trials_is_refused() -> None:
    """The total may have room: one query with a negative number of censored trials is enough."""
    trials = CensoredTrials(
        np.array([1.0]), np.array([0.0, 0.5, 2.0]), np.array([1, 1]), np.array([2, 50]), np.array([3, 0])
    )
    assert crowded_queries(trials).tolist() == [0]
    assert measure_cnxe(trials, BETA) == CnxeMeasures(
        reason="1 query has more unaligned detections than non-target trials"
    )
    assert set(measure_cnxe(trials, BETA).measures().values()) == {None}


@pytest.mark.parametrize(
    ("trials", "beta", "reason"),
    [
        (pooled([], [1.0]), BETA, "there is no target trial"),
        (pooled([1.0], []), BETA, "there is no non-target trial"),
        (pooled([1.0], [1.0, math.nan]), BETA, "a score is not a finite number"),
        (pooled([1.0, -math.inf], [1.0]), BETA, "a score is not a finite number"),
        (pooled([1.0], [1.0]), 0.0, "beta is 0: there is no uncertainty to reduce"),
        (pooled([1.0], [1.0]), math.inf, "beta is inf: there is no uncertainty to reduce"),
        (pooled([1.0], [1.0]), 5e-324, "beta is 4.94066e-324: there is no uncertainty to reduce"),
    ],
)
def test_what_cannot_be_measured_is_none_with_a_reason(trials: CensoredTrials, beta: float, reason: str) -> None:
    """No figure is made up."""
    assert measure_cnxe(trials, beta) == CnxeMeasures(reason=reason)


@pytest.mark.parametrize(
    "trials",
    [
        pooled([1.0, 2.0], [0.0], targets=1),
        CensoredTrials(np.array([1.0]), np.array([0.0, 0.5]), np.array([1]), np.array([9]), np.array([1])),
    ],
)
def test_counts_that_contradict_the_scores_are_our_bug(trials: CensoredTrials) -> None:
    """They raise: a score from them would be wrong."""
    with pytest.raises(ValueError, match="do not add up"):
        measure_cnxe(trials, BETA)


def test_measures_have_their_published_names() -> None:
    """The names are API."""
    assert list(CnxeMeasures().measures()) == [
        "Cnxe",
        "minCnxe",
        "minCnxe_pav",
        "calibration_loss",
        "calibration_scale",
        "calibration_offset",
    ]
