"""MED runs, scored: from an open run, the trial index and the reference to measures, under either law."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from validator.errors import UsageError
from validator.model import Law, Scores
from validator.scoring.clip_trials import AbsentTrials, ClipTrials, DetectionConventions, UnjudgedTrials
from validator.scoring.detection_cost import MEASURES, Costs, real_time_factor, score_detection
from validator.scoring.retrieval import score_retrieval

from . import medremarks
from .meddescriptions import metadata_hours
from .medtables import INDEX, coverage, table, with_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.csvtable import CsvTable
    from validator.model import Cell, Number, Wanted
    from validator.profile import Value
    from validator.scoring.detection_cost import DetectionCost, EventCost, Measured
    from validator.submission import OpenRun
    from validator.tables import Flags, Floats
    from validator.tomltable import Setting

REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Targets:
    """What the reference says about each trial of the index."""

    target: Flags
    judged: Flags


@dataclass(frozen=True, slots=True)
class Scored:
    """One experiment, kept to compare runs."""

    events: tuple[str, ...]
    trials: ClipTrials
    costs: Costs
    conventions: DetectionConventions
    index: CsvTable


def conventions(settings: dict[str, Setting]) -> DetectionConventions:
    """Make the scorer's conventions of a profile's values."""
    return DetectionConventions(
        reject_all_point=bool(settings["reject_all_point"]),
        absent_trials=AbsentTrials(settings["absent_trials"]),
        unjudged_trials=UnjudgedTrials(settings["unjudged_trials"]),
        counted_without_targets=bool(settings["counted_without_targets"]),
    )


class MedScorer:
    """Scores detections and thresholds against trial index and reference."""

    def settle(self, values: dict[str, Value], given: set[str]) -> dict[str, Value]:
        """Refuse parameters that give no measure and no name."""
        cost_miss, cost_fa, prior = (float(values[name]) for name in ("cost_miss", "cost_fa", "p_target"))
        if not (cost_miss > 0 and cost_fa > 0 and 0 < prior < 1 and math.isfinite(cost_miss + cost_fa)):
            raise UsageError("cost_miss and cost_fa must be above 0, and p_target between 0 and 1")
        if "sub_num" in given and int(values["sub_num"]) < 1:
            raise UsageError(f"--set sub_num={values['sub_num']}: submissions are numbered from 1")
        return values

    def stand_in(self, opened: OpenRun) -> OpenRun:
        """Return the run with a reference in which the first clip of each event is positive."""
        index = cast("CsvTable", opened.references[INDEX])
        target = np.zeros(len(index), dtype=bool)
        target[index.groups("EventID").first] = True
        made = Targets(target, np.ones(len(index), dtype=bool))
        return replace(opened, references={**opened.references, REFERENCE: made})

    def can_score(self, opened: OpenRun) -> Scores:
        """Score only to see whether it can be done; of the measures, only those without a reference mean something."""
        law = Law.TOOL if opened.submission.profile.official_tool else Law.PLAN
        remarks = tuple(medremarks.obstacles(opened, _columns(opened)))
        if not remarks:
            score_detection(self._trials(opened)[1], _costs(opened), self._law(opened, law))
        measures, undefined = _speeds(opened)
        known: dict[str, Number] = {name: value for name, value in measures.items() if value is not None}
        return Scores(known, {} if known else undefined, _signature(opened), remarks=remarks)

    def score(self, opened: OpenRun, law: Law, wanted: Wanted) -> Scores:
        """Score a run under one law, event by event."""
        remarks = tuple(medremarks.obstacles(opened, _columns(opened)))
        if remarks:
            reason = "the run cannot be scored"
            names = [name for name in opened.submission.profile.measures if "(" not in name]
            return Scores(dict.fromkeys(names), dict.fromkeys(names, reason), _signature(opened), remarks=remarks)
        events, trials = self._trials(opened)
        how = self._law(opened, law)
        if _measure(opened) == "NDC":
            return self._costs(opened, Scored(events, trials, _costs(opened), how, _index(opened)), wanted)
        return _retrieval(opened, events, trials, how)

    def compare(self, first: Scores, second: Scores) -> dict[str, Cell]:
        """Compare the NDC of two runs over the events that both processed."""
        from validator.scoring.bootstrap import Bootstrap  # noqa: PLC0415
        from validator.scoring.detection_intervals import compare_detection  # noqa: PLC0415

        one, other = cast("Scored | None", first.material), cast("Scored | None", second.material)
        if one is None or other is None:
            return {"measure": "NDC", "difference": None, "reason": "not compared by subgate: only an NDC is"}
        if one.index is not other.index:
            return {"measure": "NDC", "difference": None, "reason": "they have no trial index in common"}
        shared = tuple(event for event in one.events if event in other.events)
        if not shared:
            return {"measure": "NDC", "difference": None, "reason": "they have no event in common"}
        bootstrap = Bootstrap()
        pair = _of_events(one, shared), _of_events(other, shared)
        found = compare_detection(*pair, one.costs, one.conventions, bootstrap=bootstrap)
        whole = found.means["NDC"]
        if whole.value is None:
            return {"measure": "NDC", "difference": None, "reason": whole.interval.undefined}
        by_event = [event["NDC"].value for event in found.events]
        low, high = whole.interval.low, whole.interval.high
        return {
            "measure": "NDC",
            "difference": -whole.value,
            "low": None if high is None else -high,
            "high": None if low is None else -low,
            "p_value": whole.p_value,
            "events": len(shared),
            "better": sum(value is not None and value > 0 for value in by_event),
            "equal": sum(value == 0 for value in by_event),
            "worse": sum(value is not None and value < 0 for value in by_event),
            "seed": bootstrap.seed,
        }

    def _law(self, opened: OpenRun, law: Law) -> DetectionConventions:
        return conventions(opened.submission.profile.scoring.under(law))

    def _trials(self, opened: OpenRun) -> tuple[tuple[str, ...], ClipTrials]:
        """Put scores, thresholds and reference beside the index, once for both laws."""
        return opened.once(_joined)

    def _costs(self, opened: OpenRun, scored: Scored, wanted: Wanted) -> Scores:
        result = score_detection(scored.trials, scored.costs, scored.conventions)
        means = {name: result.mean(name) for name in MEASURES}
        measures, undefined = _named(means)
        measures["events_scored"] = result.events_scored
        speeds, unknown = _speeds(opened)
        breakdown: dict[str, list[dict[str, Cell]]] = {"event": list(_events(opened, scored, result))}
        if "det" in wanted.by:
            breakdown["det"] = list(_points(scored, result))
        spread = {}
        if wanted.intervals:
            from validator.scoring.bootstrap import Bootstrap  # noqa: PLC0415
            from validator.scoring.detection_intervals import detection_intervals  # noqa: PLC0415

            found = detection_intervals(scored.trials, scored.costs, scored.conventions, Bootstrap()).means
            pairs = ((name, interval.low, interval.high) for name, interval in found.items())
            spread = {name: (low, high) for name, low, high in pairs if low is not None and high is not None}
        return Scores(
            {**measures, **speeds},
            {**undefined, **unknown},
            _signature(opened),
            breakdown,
            spread,
            tuple(medremarks.standouts(opened, means["NDC"].value, means["minNDC"].value)),
            lambda: _rows(opened, scored),
            scored,
        )


def _measure(opened: OpenRun) -> str:
    return opened.submission.profile.list_of("measure")[0]


def _index(opened: OpenRun) -> CsvTable:
    return cast("CsvTable", opened.references[INDEX])


def _columns(opened: OpenRun) -> dict[str, tuple[str, ...]]:
    """Return the columns that scoring needs: an id and numbers in each table."""
    profile = opened.submission.profile
    ranked = "Rank" in profile.list_of("detection_columns")
    thresholds = [name for name in profile.list_of("threshold_columns") if name.endswith("Threshold")]
    if ranked:
        thresholds = [name for name in thresholds if name == "RankThreshold"]
    return {"detection": ("TrialID", "Rank" if ranked else "Score"), "threshold": ("EventID", *thresholds)}


def _costs(opened: OpenRun) -> Costs:
    values = opened.submission.parameters
    return Costs(*(float(values[name]) for name in ("cost_miss", "cost_fa", "p_target")))


def _signature(opened: OpenRun) -> str:
    if _measure(opened) != "NDC":
        return _measure(opened)
    costs = _costs(opened)
    return f"NDC(cost_miss={costs.miss},cost_fa={costs.false_alarm},p_target={costs.target_prior})"


def _targets(opened: OpenRun) -> Targets:
    given = opened.references[REFERENCE]
    if isinstance(given, Targets):
        return given
    reference = cast("CsvTable", given)
    rows = reference.rows_of("TrialID", _index(opened))
    is_y = np.array([reference.text("Targ", int(row)) == "y" for row in reference.groups("Targ").first] + [False])
    of_row = np.append(reference.groups("Targ").number, len(is_y) - 1)
    return Targets(is_y[of_row[rows]], rows >= 0)


def _joined(opened: OpenRun) -> tuple[tuple[str, ...], ClipTrials]:
    held = opened.once(coverage)
    assert held is not None  # noqa: S101 - the obstacles say so
    (_, score_column), (_, *threshold_columns) = _columns(opened).values()
    detection = cast("CsvTable", table(opened, "detection"))
    thresholds = cast("CsvTable", table(opened, "threshold"))
    ranked = score_column == "Rank"
    value = detection.numbers(score_column).value
    score: Floats = np.full(len(held.index), np.nan)
    known = held.trial >= 0
    score[held.trial[known]] = (-value if ranked else value)[known]
    given: dict[int, float | None] = dict.fromkeys(held.threshold_event.tolist())
    for column in threshold_columns:
        numbers = thresholds.numbers(column).value
        # rank < threshold, strictly: the last rank that is returned is one below it
        given = dict(zip(held.threshold_event.tolist(), (1 - numbers if ranked else numbers).tolist(), strict=True))
    processed = np.flatnonzero(held.processed).tolist()
    ordered = sorted(processed, key=held.name)
    number = np.full(len(held.processed) + 1, -1, dtype=np.int32)
    number[ordered] = np.arange(len(ordered), dtype=np.int32)
    targets, clips = _targets(opened), _clips(held.index)
    trials = ClipTrials(
        number[held.index.groups("EventID").number],
        clips[0],
        score,
        targets.target,
        targets.judged,
        tuple(given.get(event) for event in ordered),
        clips[1],
    )
    return tuple(map(held.name, ordered)), trials


def _clips(index: CsvTable) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], int]:
    groups = index.groups("ClipID")
    return groups.number.astype(np.int32), len(groups)


# -- measures ----------------------------------------------------------------------------------------------------


def _named(found: dict[str, Measured]) -> tuple[dict[str, Number], dict[str, str]]:
    values: dict[str, Number] = {name: measured.value for name, measured in found.items()}
    return values, {name: measured.undefined for name, measured in found.items() if measured.undefined}


def _durations(opened: OpenRun) -> Floats | None:
    clips = cast("CsvTable | None", opened.references.get("clip-db"))
    if clips is None or not clips.has("DURATION"):
        return None
    value = clips.numbers("DURATION").value
    return value[~np.isnan(value)]


def _event_hours(opened: OpenRun) -> dict[str, float]:
    """Return the hours of event agent execution by event."""
    found = with_columns(opened, "threshold", "EventID", "DetectionTPT")
    if found is None:
        return {}
    value = found.numbers("DetectionTPT").value
    return {found.text("EventID", row): float(value[row]) for row in range(min(len(found), 10_000)) if value[row] >= 0}


def _speeds(opened: OpenRun) -> tuple[dict[str, Number], dict[str, str]]:
    """Return the real-time factors of both phases: the mean over events, and that of metadata generation (4.1)."""
    names = ("real_time_factor", "metadata_real_time_factor")
    durations = _durations(opened)
    if durations is None:
        return dict.fromkeys(names), dict.fromkeys(names, "no clip durations: give the ClipMD table with --data")
    hours = list(_event_hours(opened).values())
    own = (text for file, text in opened.submission.descriptions if _stem(file) == opened.run.stem)
    metadata = next((metadata_hours(text, opened.submission) for text in own), None)
    mean = math.fsum(hours) / len(hours) if hours else None
    return _named({name: real_time_factor(h, durations) for name, h in zip(names, (mean, metadata), strict=True)})


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].removesuffix(".txt")


def _events(opened: OpenRun, scored: Scored, result: DetectionCost) -> Iterator[dict[str, Cell]]:
    durations, hours = _durations(opened), _event_hours(opened)
    video_h = math.fsum(durations) / 3600 if durations is not None else 0.0
    for name, event in zip(scored.events, result.events, strict=True):
        speed = hours[name] / video_h if video_h > 0 and name in hours else None
        yield _event_row(name, event, speed)


def _event_row(name: str, event: EventCost, speed: float | None) -> dict[str, Cell]:
    least = event.minimum.threshold if event.minimum is not None else None
    return {
        "id": name,
        **{measure: of(event).value for measure, of in MEASURES.items()},
        "threshold": event.threshold,
        "targets": event.targets,
        "nontargets": event.nontargets,
        "misses": event.misses,
        "false_alarms": event.false_alarms,
        "minNDC_threshold": "inf" if least == math.inf else least,
        "real_time_factor": speed,
    }


def _points(scored: Scored, result: DetectionCost) -> Iterator[dict[str, Cell]]:
    for name, event in zip(scored.events, result.events, strict=True):
        if event.curve is not None:
            columns = (event.curve.threshold, event.curve.pmiss, event.curve.pfa, event.curve.ndc)
            for threshold, pmiss, pfa, ndc in zip(*(column.tolist() for column in columns), strict=True):
                shown = "inf" if threshold == math.inf else threshold
                yield {"id": name, "threshold": shown, "PMiss": pmiss, "PFA": pfa, "NDC": ndc}


def _rows(opened: OpenRun, scored: Scored) -> Iterator[dict[str, Cell]]:
    """Give the trials behind the scores, one a row."""
    index, trials = _index(opened), scored.trials
    for row in np.flatnonzero(trials.event >= 0).tolist():
        event = int(trials.event[row])
        score, threshold = float(trials.score[row]), trials.threshold[event]
        heard = not math.isnan(score)
        yield {
            "trial": index.text("TrialID", row),
            "event": scored.events[event],
            "clip": index.text("ClipID", row),
            "score": score if heard else None,
            "target": "y" if trials.target[row] else "n" if trials.judged[row] else None,
            "detected": ("y" if score >= threshold else "n") if heard and threshold is not None else None,
        }


def _of_events(scored: Scored, shared: tuple[str, ...]) -> ClipTrials:
    """Return the trials of some events only, numbered as these."""
    trials = scored.trials
    number = np.full(len(scored.events) + 1, -1, dtype=np.int32)
    for rank, event in enumerate(shared):
        number[scored.events.index(event)] = rank
    threshold = tuple(trials.threshold[scored.events.index(event)] for event in shared)
    return replace(trials, event=number[trials.event], threshold=threshold)


def _retrieval(opened: OpenRun, events: tuple[str, ...], trials: ClipTrials, how: DetectionConventions) -> Scores:
    """Score as MED13 and later: R0 at the threshold and at best, average precision, all in percent."""
    result = score_retrieval(trials, float(opened.submission.profile.list_of("slope")[0]), how)
    with_r0 = _measure(opened) == "R0"
    rows: list[dict[str, Cell]] = []
    for name, event in zip(events, result.events, strict=True):
        of_threshold = {"R0": event.r0.value, "maxR0": event.max_r0.value} if with_r0 else {}
        rows.append({"id": name, **of_threshold, "AP": event.average_precision.value})
    measures: dict[str, Number] = {}
    undefined: dict[str, str] = {}
    for measure in ("R0", "maxR0") if with_r0 else ():
        values = [value for row in rows if isinstance(value := row[measure], float)]
        measures[measure] = math.fsum(values) / len(values) if values else None
        if not values:
            undefined[measure] = f"no event has a {measure}"
    measures["MAP"] = result.mean_average_precision.value
    if result.mean_average_precision.undefined:
        undefined["MAP"] = result.mean_average_precision.undefined
    measures["events_scored"] = sum(row["AP"] is not None for row in rows)
    speeds, unknown = _speeds(opened)
    left_out = dict(entry.split("=", 1) for entry in opened.submission.profile.list_of("not_scored"))
    measures |= {**speeds, **dict.fromkeys(left_out)}
    undefined |= {**unknown, **{name: f"not scored by subgate: {why}" for name, why in left_out.items()}}
    return Scores(measures, undefined, _signature(opened), {"event": rows})


SCORER = MedScorer()
