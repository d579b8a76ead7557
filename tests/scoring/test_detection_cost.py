"""The detection costs of MED: NIST's numbers, a slow twin, and laws that must hold."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scoring.med_twin import (
    Trial,
    TwinLaw,
    twin_average_precision,
    twin_event,
    twin_r0,
    twin_resample,
)
from validator.scoring.bootstrap import Bootstrap
from validator.scoring.clip_trials import (
    F4DE,
    PLAN,
    AbsentTrials,
    ClipTrials,
    DetectionConventions,
    UnjudgedTrials,
)
from validator.scoring.detection_cost import (
    MEASURES,
    Costs,
    DetectionCost,
    EventCost,
    real_time_factor,
    score_detection,
)
from validator.scoring.detection_intervals import compare_detection, detection_intervals
from validator.scoring.retrieval import score_retrieval

GOLDEN = Path(__file__).parents[1] / "golden" / "med"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
COSTS = Costs(miss=80, false_alarm=1, target_prior=0.001)
EXACT = 1e-9

LAWS = {
    F4DE: TwinLaw(reject_all=False, keep_absent=False, unjudged_are_nontargets=True, count_without_targets=False),
    PLAN: TwinLaw(reject_all=True, keep_absent=True, unjudged_are_nontargets=True, count_without_targets=True),
    DetectionConventions(
        reject_all_point=False,
        absent_trials=AbsentTrials.NOT_DETECTED,
        unjudged_trials=UnjudgedTrials.EXCLUDED,
        counted_without_targets=False,
    ): TwinLaw(reject_all=False, keep_absent=True, unjudged_are_nontargets=False, count_without_targets=False),
}
laws = pytest.mark.parametrize("conventions", LAWS, ids=["tool", "plan", "neither"])


def rows_of(case: str, pattern: str) -> list[dict[str, str]]:
    """Read one table of a case."""
    (path,) = (GOLDEN / case).glob(pattern)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def trials_of(case: str) -> tuple[list[str], ClipTrials]:
    """Return the processed events of a case and its trials."""
    index = rows_of(case, "*_TrialIndex.csv")
    is_target = {row["TrialID"]: row["Targ"] == "y" for row in rows_of(case, "*_Ref.csv")}
    score = {row["TrialID"]: float(row["Score"]) for row in rows_of(case, "*.detection.csv")}
    threshold = {row["EventID"]: float(row["DetectionThreshold"]) for row in rows_of(case, "*.threshold.csv")}
    events = sorted(threshold)
    clips = sorted({row["ClipID"] for row in index})
    trials = ClipTrials(
        event=np.array([events.index(r["EventID"]) if r["EventID"] in events else -1 for r in index], dtype=np.int32),
        clip=np.array([clips.index(row["ClipID"]) for row in index], dtype=np.int32),
        score=np.array([score.get(row["TrialID"], math.nan) for row in index]),
        target=np.array([is_target.get(row["TrialID"], False) for row in index]),
        judged=np.array([row["TrialID"] in is_target for row in index]),
        threshold=tuple(threshold[event] for event in events),
        clips=len(clips),
    )
    return events, trials


def expected_of(case: str) -> dict[str, dict[str, dict[str, dict[str, object]]]]:
    """Return the numbers of a case."""
    found: dict[str, dict[str, dict[str, dict[str, object]]]] = json.loads(
        (GOLDEN / case / "expected.json").read_text()
    )
    return found


def close(expected: object) -> object:
    """Compare with a number of the oracle; None must be None."""
    return None if expected is None else pytest.approx(expected, rel=0, abs=EXACT)


def values(event: EventCost) -> dict[str, float | None]:
    """Return the values of the measures by name, checking that each has a value or a reason."""
    found = {name: of(event) for name, of in MEASURES.items()}
    assert all((measured.value is None) == bool(measured.undefined) for measured in found.values())
    return {name: measured.value for name, measured in found.items()}


def part(record: object, key: str) -> object:
    """Return an entry of a record of the oracle, None if the record is."""
    return record[key] if isinstance(record, dict) else None


@pytest.mark.parametrize("case", CASES)
def test_every_event_is_what_nists_scorer_says(case: str) -> None:
    """Counts are the same, rates agree to 1e-9, what it calls NA is undefined; so are the points of its curves."""
    names, trials = trials_of(case)
    expected = expected_of(case)["f4de"]["events"]
    result = score_detection(trials, COSTS, F4DE)
    assert set(names) == set(expected)
    for name, event in zip(names, result.events, strict=True):
        official = expected[name]
        counts = event.targets, event.nontargets, event.misses, event.false_alarms
        assert counts == tuple(part(official["counts"], key) for key in ("targets", "nontargets", "miss", "fa"))
        assert values(event) == {
            "PMiss": close(part(official["actual"], "pmiss")),
            "PFA": close(part(official["actual"], "pfa")),
            "NDC": close(part(official["actual"], "ndc")),
            "minNDC": close(part(official["min"], "ndc")),
            "NDC_at_TER": close(part(official["ndc_at_ter"], "ndc")),
        }
        for point, there in ((event.minimum, official["min"]), (event.crossing, official["ndc_at_ter"])):
            for key in ("pmiss", "pfa", "ndc"):
                assert getattr(point, key, None) == close(part(there, key))
        assert getattr(event.minimum, "threshold", None) == close(part(official["min"], "threshold"))
        points = official.get("det_points")
        assert (len(event.curve) if event.curve else 0) == official["det_point_count"]
        if isinstance(points, list) and event.curve:
            curve = np.column_stack((event.curve.threshold, event.curve.pmiss, event.curve.pfa, event.curve.ndc))
            np.testing.assert_allclose(curve, points, rtol=0, atol=EXACT)


@pytest.mark.parametrize("case", CASES)
def test_every_event_is_what_the_plan_says(case: str) -> None:
    """The same with the plan's counts and the reject-all point; and the real-time factors."""
    names, trials = trials_of(case)
    plan = expected_of(case)["plan"]
    durations = [float(row["DURATION"]) for row in rows_of(case, "*_ClipMD.csv")]
    hours = {row["EventID"]: float(row["DetectionTPT"]) for row in rows_of(case, "*.threshold.csv")}
    for name, event in zip(names, score_detection(trials, COSTS, PLAN).events, strict=True):
        expected = plan["events"][name]
        counts = event.threshold, event.targets, event.nontargets, event.misses, event.false_alarms
        assert counts == tuple(expected[key] for key in ("threshold", "targets", "nontargets", "miss", "fa"))
        assert values(event) == {
            "PMiss": close(expected["pmiss"]),
            "PFA": close(expected["pfa"]),
            "NDC": close(expected["ndc"]),
            "minNDC": close(expected["min_with_reject_all"]),
            "NDC_at_TER": close(part(expected["ndc_at_ter_with_reject_all"], "ndc")),
        }
        assert real_time_factor(hours[name], durations).value == close(expected["real_time_factor"])


def test_the_reports_strings_are_these_numbers_rounded() -> None:
    """NDC is what NIST's report shows with four decimals (ties of the last digit aside), in all cases."""
    shown = 0
    for case in CASES:
        names, trials = trials_of(case)
        official = expected_of(case)["f4de"]["events"]
        for name, event in zip(names, score_detection(trials, COSTS, F4DE).events, strict=True):
            reported = part(official[name]["reported"], "NDC")
            assert isinstance(reported, str)
            if event.ndc.value is None:
                assert reported == "NA"
            else:
                assert abs(event.ndc.value - float(reported)) <= 0.5e-4 + EXACT
            shown += 1
    assert shown == 24


def test_means_are_over_the_events_where_a_measure_is_defined() -> None:
    """Case 04 has an event without targets: under the plan it has a PFA, under the tool nothing."""
    _, trials = trials_of("04-no-positives")
    tool, plan = (score_detection(trials, COSTS, law) for law in (F4DE, PLAN))
    assert tool.mean("PFA").value == pytest.approx((5 / 45 + 0) / 2)
    assert plan.mean("PFA").value == pytest.approx((5 / 45 + 2 / 50 + 0) / 3)
    assert (tool.events_scored, plan.events_scored) == (2, 2)
    assert plan.mean("NDC").value == tool.mean("NDC").value == pytest.approx(1.3875 / 2)


def test_nothing_scored_has_no_mean() -> None:
    """Without events there is no mean, and the reason says so."""
    nothing = DetectionCost(())
    assert (nothing.mean("NDC").value, nothing.mean("NDC").undefined) == (None, "no event has a NDC")
    assert nothing.events_scored == 0


def test_the_target_error_ratio_is_the_plans() -> None:
    """Section 4.2 computes 12.4875; rejecting all costs 1, accepting all costs TER."""
    assert COSTS.target_error_ratio == pytest.approx(12.4875, abs=1e-12)
    assert COSTS.ndc(np.array([1.0, 0.0]), np.array([0.0, 1.0])).tolist() == pytest.approx([1, 12.4875])


def test_real_time_factors_need_both_times() -> None:
    """No processing time, or no video: undefined, and the reason is said."""
    assert real_time_factor(3.0, [3600.0, 5400.0]).value == pytest.approx(1.2)
    assert real_time_factor(None, [3600.0]).undefined == "no processing time"
    assert real_time_factor(3.0, []).undefined == "no hours of video"


scores = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 0.75, 1.0])


@st.composite
def experiments(draw: st.DrawFn) -> tuple[list[list[Trial]], list[float | None], int]:
    """Make events with trials over common clips, thresholds, and the number of clips."""
    clips = draw(st.integers(1, 9))
    events = []
    for _ in range(draw(st.integers(1, 3))):
        score = st.one_of(scores, scores, scores, st.none())
        target = st.sampled_from([True, False, False, None])
        chosen = [clip for clip in range(clips) if draw(st.integers(0, 9))]
        events.append([Trial(clip, draw(score), draw(target)) for clip in chosen])
    thresholds = draw(st.lists(st.one_of(scores, st.none()), min_size=len(events), max_size=len(events)))
    return events, thresholds, clips


def as_columns(events: list[list[Trial]], thresholds: list[float | None], clips: int) -> ClipTrials:
    """Turn the twin's trials into columns, the events mixed as in a file."""
    flat = [(number, trial) for number, event in enumerate(events) for trial in event]
    flat.sort(key=lambda pair: pair[1].clip)
    ignored = Trial(0, 0.9, target=True)
    flat.append((-1, ignored))
    return ClipTrials(
        event=np.array([number for number, _ in flat], dtype=np.int32),
        clip=np.array([trial.clip for _, trial in flat], dtype=np.int32),
        score=np.array([math.nan if trial.score is None else trial.score for _, trial in flat]),
        target=np.array([bool(trial.target) for _, trial in flat]),
        judged=np.array([trial.target is not None for _, trial in flat]),
        threshold=tuple(thresholds),
        clips=clips,
    )


def same(value: float | None, twin: Fraction | None) -> bool:
    """Compare with the twin's exact number."""
    if value is None or twin is None:
        return value is None and twin is None
    return abs(value - float(twin)) <= EXACT


@laws
@settings(max_examples=150, derandomize=True, deadline=None)
@given(experiment=experiments())
def test_the_arrays_agree_with_the_twin(
    conventions: DetectionConventions, experiment: tuple[list[list[Trial]], list[float | None], int]
) -> None:
    """Every count and measure of every event is the slow twin's, under any law."""
    events, thresholds, clips = experiment
    result = score_detection(as_columns(events, thresholds, clips), COSTS, conventions)
    for event, trials, threshold in zip(result.events, events, thresholds, strict=True):
        twin = twin_event(trials, threshold, LAWS[conventions])
        counts = event.targets, event.nontargets, event.misses, event.false_alarms
        assert counts == (twin.targets, twin.nontargets, twin.misses, twin.false_alarms)
        found = values(event)
        assert same(found["PMiss"], twin.pmiss)
        assert same(found["PFA"], twin.pfa)
        assert same(found["NDC"], twin.ndc)
        assert same(found["minNDC"], twin.min_ndc)
        assert same(found["NDC_at_TER"], twin.ndc_at_ter)
        assert (event.minimum.threshold if event.minimum else None) == twin.min_threshold


@settings(max_examples=60, derandomize=True, deadline=None)
@given(experiment=experiments())
def test_leaving_trials_out_never_helps_under_the_plan(
    experiment: tuple[list[list[Trial]], list[float | None], int],
) -> None:
    """A clip without a score is one that is not detected; the tool drops it."""
    events, thresholds, clips = experiment
    lowest = [[Trial(t.clip, -1.0 if t.score is None else t.score, t.target) for t in event] for event in events]
    left_out = score_detection(as_columns(events, thresholds, clips), COSTS, PLAN)
    scored_low = score_detection(as_columns(lowest, thresholds, clips), COSTS, PLAN)
    for one, other in zip(left_out.events, scored_low.events, strict=True):
        assert (one.pmiss, one.pfa, one.ndc) == (other.pmiss, other.pfa, other.ndc)
        if one.min_ndc.value is not None:
            assert other.min_ndc.value is not None
            assert other.min_ndc.value <= one.min_ndc.value <= 1


@settings(max_examples=60, derandomize=True, deadline=None)
@given(experiment=experiments(), seed=st.integers(0, 99))
def test_the_order_of_the_trials_means_nothing(
    experiment: tuple[list[list[Trial]], list[float | None], int], seed: int
) -> None:
    """A shuffled file scores the same."""
    trials = as_columns(*experiment)
    order = np.random.default_rng(seed).permutation(len(trials.event))
    shuffled = replace(
        trials,
        event=trials.event[order],
        clip=trials.clip[order],
        score=trials.score[order],
        target=trials.target[order],
        judged=trials.judged[order],
    )
    one, other = (score_detection(each, COSTS, F4DE) for each in (trials, shuffled))
    for mine, theirs in zip(one.events, other.events, strict=True):
        assert values(mine) == values(theirs)


def test_a_perfect_system_costs_nothing() -> None:
    """All targets above all nontargets, the threshold between them: every cost is 0 under both laws."""
    events = [[Trial(clip, 0.9 if clip < 2 else 0.1, clip < 2) for clip in range(7)]]
    for law in (F4DE, PLAN):
        (event,) = score_detection(as_columns(events, [0.5], 7), COSTS, law).events
        assert values(event) == dict.fromkeys(MEASURES, 0.0)


def test_without_any_score_only_rejecting_all_is_left() -> None:
    """Under the plan the curve is its reject-all point: it costs 1, at no threshold, and lies beyond the line."""
    events = [[Trial(0, None, target=True), Trial(1, None, target=False)]]
    (event,) = score_detection(as_columns(events, [0.5], 2), COSTS, PLAN).events
    assert event.minimum is not None
    assert (event.min_ndc.value, event.minimum.threshold) == (1.0, math.inf)
    assert event.ndc_at_ter.undefined == "the DET curve begins beyond the line of the target error ratio"
    (dropped,) = score_detection(as_columns(events, [0.5], 2), COSTS, F4DE).events
    assert (dropped.min_ndc.undefined, dropped.nontargets) == ("no target trial", 0)


@laws
@settings(max_examples=80, derandomize=True, deadline=None)
@given(experiment=experiments(), seed=st.integers(0, 999))
def test_a_resample_scores_like_the_trials_it_drew(
    conventions: DetectionConventions, experiment: tuple[list[list[Trial]], list[float | None], int], seed: int
) -> None:
    """One resample's interval is the twin's result on the drawn clips, written out as often as they were drawn."""
    check_resample(conventions, experiment, seed)


@laws
@pytest.mark.parametrize("seed", range(12))
def test_a_resample_of_many_nontargets(conventions: DetectionConventions, seed: int) -> None:
    """The same where a false alarm weighs less than a miss: ties at the top, a curve that ends before the line."""
    tied = [Trial(0, 1.0, target=True), Trial(1, 1.0, target=False), Trial(2, 0.5, target=True)]
    rest = [Trial(clip, 0.1 + clip % 3 / 10, target=clip == 3) for clip in range(3, 60)]
    check_resample(conventions, ([tied + rest], [0.5], 60), seed)


def check_resample(
    conventions: DetectionConventions, experiment: tuple[list[list[Trial]], list[float | None], int], seed: int
) -> None:
    """Compare one resample with the twin."""
    events, thresholds, clips = experiment
    trials = as_columns(events, thresholds, clips)
    intervals = detection_intervals(trials, COSTS, conventions, Bootstrap(resamples=1, seed=seed))
    drawn = np.random.default_rng(seed).integers(clips, size=(1, clips))[0].tolist()
    actual = score_detection(trials, COSTS, conventions)
    defined: dict[str, list[Fraction]] = {name: [] for name in MEASURES}
    for number, (event, threshold) in enumerate(zip(events, thresholds, strict=True)):
        twin = twin_event(twin_resample(event, drawn), threshold, LAWS[conventions])
        found = twin.pmiss, twin.pfa, twin.ndc, twin.min_ndc, twin.ndc_at_ter
        for (name, of), value in zip(MEASURES.items(), found, strict=True):
            defined[name] += [] if value is None else [value]
            interval = intervals.events[number][name]
            assert interval.undefined_resamples == (value is None)
            if of(actual.events[number]).value is None:
                assert interval.undefined == "the measure is undefined"
            else:
                assert same(interval.low, value)
                assert same(interval.high, value)
    for name, found_values in defined.items():
        if intervals.means[name].low is not None:
            assert same(intervals.means[name].low, sum(found_values, start=Fraction(0)) / len(found_values))


def test_intervals_hold_the_measure_and_the_seed_decides() -> None:
    """Case 01: the interval is around the measure, repeats with its seed, and is wider at a higher level."""
    _, trials = trials_of("01-basic")
    narrow, again, wide = (
        detection_intervals(trials, COSTS, F4DE, Bootstrap(resamples=400, seed=5, level=level))
        for level in (0.5, 0.5, 0.99)
    )
    assert narrow == again
    measured = score_detection(trials, COSTS, F4DE)
    for name in ("PMiss", "PFA", "NDC"):
        inner, outer, mean = narrow.means[name], wide.means[name], measured.mean(name).value
        assert inner.low is not None and inner.high is not None and mean is not None  # noqa: PT018 - for the types
        assert outer.low is not None and outer.high is not None  # noqa: PT018
        assert outer.low < inner.low < mean < inner.high < outer.high


def test_an_interval_without_a_defined_resample_says_so() -> None:
    """Of two clips one is a target: a resample may lack it, or hold nothing else."""
    trials = as_columns([[Trial(0, 0.9, target=True), Trial(1, 0.1, target=False)]], [0.5], 2)
    undefined = []
    for seed in range(20):
        drawn = set(np.random.default_rng(seed).integers(2, size=(1, 2))[0].tolist())
        interval = detection_intervals(trials, COSTS, PLAN, Bootstrap(resamples=1, seed=seed)).means["NDC"]
        undefined.append(len(drawn) == 1)
        assert interval.undefined == ("undefined in all resamples" if undefined[-1] else None)
    assert len(set(undefined)) == 2


def test_a_system_is_no_better_than_itself() -> None:
    """The difference is 0 in every resample, with p = 1."""
    _, trials = trials_of("01-basic")
    comparison = compare_detection(trials, trials, COSTS, PLAN, bootstrap=Bootstrap(resamples=50))
    for difference in comparison.means.values():
        assert (difference.value, difference.interval.low, difference.interval.high) == (0, 0, 0)
        assert difference.p_value == 1


def test_a_better_system_is_told_from_a_worse_one() -> None:
    """Case 08: the perfect event's scores for all events against the real ones."""
    _, worse = trials_of("08-perfect-and-worst")
    better = replace(worse, score=np.where(worse.target, 0.9, 0.1))
    comparison = compare_detection(worse, better, COSTS, PLAN, bootstrap=Bootstrap(resamples=200))
    whole = comparison.means["NDC"]
    assert whole.value == pytest.approx(-(0 + 13.4875 + 7.24375) / 3)
    assert whole.interval.high is not None
    assert whole.interval.high < 0
    assert whole.p_value == pytest.approx(2 / 201)
    assert comparison.events[0]["NDC"].p_value == 1


def test_what_one_system_lacks_is_not_compared() -> None:
    """Without a threshold there is no NDC to compare; the curves still are."""
    one = as_columns([[Trial(0, 0.9, target=True), Trial(1, 0.1, target=False)]], [None], 2)
    comparison = compare_detection(one, one, COSTS, PLAN, bootstrap=Bootstrap(resamples=9))
    missing, known = comparison.means["NDC"], comparison.means["minNDC"]
    assert (missing.value, missing.p_value, missing.interval.undefined) == (None, None, "the measure is undefined")
    assert (known.value, known.p_value) == (0.0, 1.0)


def test_systems_on_other_clips_are_not_compared() -> None:
    """A comparison needs the same events and clips."""
    one = as_columns([[Trial(0, 0.5, target=True)]], [0.5], 1)
    other = as_columns([[Trial(0, 0.5, target=True)]], [0.5], 2)
    with pytest.raises(ValueError, match="same events and clips"):
        compare_detection(one, other, COSTS, PLAN, bootstrap=Bootstrap())


@pytest.mark.parametrize(("resamples", "level"), [(0, 0.95), (10, 0.0), (10, 1.0)])
def test_an_interval_needs_resamples_and_a_level(resamples: int, level: float) -> None:
    """What gives no interval is refused."""
    with pytest.raises(ValueError, match="needs resamples"):
        Bootstrap(resamples=resamples, level=level)


@laws
@settings(max_examples=100, derandomize=True, deadline=None)
@given(experiment=experiments())
def test_retrieval_agrees_with_the_twin(
    conventions: DetectionConventions, experiment: tuple[list[list[Trial]], list[float | None], int]
) -> None:
    """R0 at the threshold, its maximum over all thresholds, and average precision are the twin's."""
    events, thresholds, clips = experiment
    law = LAWS[conventions]
    result = score_retrieval(as_columns(events, thresholds, clips), 12.5, conventions)
    found_precisions = []
    for event, trials, threshold in zip(result.events, events, thresholds, strict=True):
        at = None if threshold is None else twin_r0(trials, threshold, Fraction(25, 2), law)
        assert same(event.r0.value, at)
        cuts = {
            t.score for t in trials if t.score is not None and (t.target is not None or law.unjudged_are_nontargets)
        }
        points = [twin_r0(trials, cut, Fraction(25, 2), law) for cut in [*cuts, *([2.0] if law.reject_all else [])]]
        known = [point for point in points if point is not None]
        assert same(event.max_r0.value, max(known) if known else None)
        precision = twin_average_precision(trials, law)
        assert same(event.average_precision.value, precision)
        found_precisions += [] if precision is None else [precision]
    mean = sum(found_precisions, start=Fraction(0)) / len(found_precisions) if found_precisions else None
    assert same(result.mean_average_precision.value, mean)


def test_average_precision_of_a_known_ranking() -> None:
    """Targets at ranks 1 and 4 of five clips: (1/1 + 2/4) / 2; two are returned, 12.5 times 2/5 is taken off."""
    events = [[Trial(clip, -float(rank), rank in {1, 4}) for clip, rank in enumerate([3, 1, 4, 2, 5])]]
    (event,) = score_retrieval(as_columns(events, [-2.0], 5), 12.5, F4DE).events
    assert event.average_precision.value == pytest.approx(75.0)
    assert event.r0.value == pytest.approx(50 - 12.5 * 40)
    assert event.max_r0.value == pytest.approx(50 - 12.5 * 20)
