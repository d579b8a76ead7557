"""Scores of language-recognition runs: results files against the key (Albayzin 2012 LRE plan, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from validator.errors import ReferenceDataError, UsageError
from validator.model import Scores
from validator.scoring.crossentropy import calibration_hint, measure, measure_pairs
from validator.scoring.margins import EmptyClasses, Margins, arrange, closed_set, open_set

from . import lreremarks
from .lrelines import condition, legible, results, task_fits

if TYPE_CHECKING:
    from validator.formats.languagekey import LanguageKey
    from validator.formats.languagescores import LanguageScores
    from validator.formats.namecolumn import Names
    from validator.formats.segmentlist import SegmentList
    from validator.model import Cell, Defect, Law, Number, Rule, Wanted
    from validator.profile import Value
    from validator.scoring.crossentropy import Measures
    from validator.scoring.margins import Prior
    from validator.submission import OpenRun
    from validator.tables import Codes, Flags, Floats, Offsets

    Remarks = tuple[tuple[Rule[object], Defect], ...]

_OPEN = "Open"
_MEASURE = "Fact"
_NAMES = ("Cmce", "Cdef", "Cmin", "Fact", "lnFact", "Fdis", "Fcal")
_OF_PAIRS = ("Fact", "Fdis", "Fcal", "Cmce", "Cmin", "Cdef", "lnFact")
_HINTS = ("calibration_loss", "calibration_share", "calibration_scale")
_BREAKDOWNS = ("pair", "language")


@dataclass(frozen=True, slots=True)
class _StandIn:
    """A key made up: the classes in turn through the segments."""

    def classes(self, count: int, names: tuple[str, ...]) -> Codes:
        return (np.arange(count) % len(names)).astype(np.int32)


@dataclass(frozen=True, slots=True)
class _Trial:
    """What is scored: a class and, if there is exactly one, a line for each segment."""

    table: LanguageScores
    classes: Codes
    line: Offsets  # of each segment; -1 none, -2 two
    prior: Prior
    mode: str
    names: Names


class LreScorer:
    """Scores results of language recognition."""

    def settle(self, values: dict[str, Value], given: set[str]) -> dict[str, Value]:
        """No parameter follows from another."""
        del given
        return values

    def stand_in(self, opened: OpenRun) -> OpenRun:
        """Return the run with a made-up key: the classes in turn through the segments."""
        return replace(opened, references={**opened.references, "key": _StandIn()})

    def can_score(self, opened: OpenRun) -> Scores:
        """Arrange and measure, to see whether it can be done; the numbers mean nothing."""
        trial = _trial(opened)
        if isinstance(trial, str):
            return Scores({}, {}, _MEASURE, remarks=(lreremarks.nothing_to_score(opened.run.file, trial),))
        refused = _unanswered(opened, trial)
        if not refused:
            found = arrange(_aligned(trial), trial.classes, trial.prior, drop_empty=True)
            if isinstance(found, Margins):
                measure(found)
        return Scores({}, {}, _signature(opened, trial), remarks=refused)

    def score(self, opened: OpenRun, law: Law, wanted: Wanted) -> Scores:
        """Score a run; there is one law only."""
        del law
        for choice in wanted.by:
            if choice not in _BREAKDOWNS:
                raise UsageError(f"--by {choice}: write {' or '.join(_BREAKDOWNS)}")
        trial = _trial(opened)
        if isinstance(trial, str):
            return _unscored(_MEASURE, (lreremarks.nothing_to_score(opened.run.file, trial),))
        signature = _signature(opened, trial)
        refused = _unanswered(opened, trial)
        if refused:
            return _unscored(signature, refused)
        drop = bool(opened.submission.parameters["drop_empty_classes"])
        margins = arrange(_aligned(trial), trial.classes, trial.prior, drop_empty=drop)
        if isinstance(margins, EmptyClasses):
            return _unscored(signature, (lreremarks.empty_classes(opened.run.file, margins),))
        found = measure(margins)
        measures, undefined = _named(found)
        spread: dict[str, tuple[float, float]] = {}
        if wanted.intervals:
            spread, missing = _intervals(margins)
            undefined |= missing
        return Scores(
            measures,
            undefined,
            signature,
            {"pair": _pairs(margins), "language": _languages(found)},
            spread,
            tuple(lreremarks.remarks(opened.run.file, found)),
            material=margins,
            aside=tuple(name for name in _BREAKDOWNS if name not in wanted.by),
        )

    def compare(self, first: Scores, second: Scores) -> dict[str, Cell]:
        """Compare the Fact of two runs over the same resamples of segments; below 0 the first is better."""
        from validator.scoring.bootstrap import Bootstrap  # noqa: PLC0415
        from validator.scoring.crossentropy_intervals import compare  # noqa: PLC0415

        one, other = cast("Margins", first.material), cast("Margins", second.material)
        if (one.classes, one.counts) != (other.classes, other.counts):
            return {"measure": "Fact", "difference": None, "reason": "they were not scored on the same segments"}
        found = compare(one, other, Bootstrap())
        if found.fact.value is None or found.fact.interval is None:
            return {"measure": "Fact", "difference": None, "reason": found.fact.undefined}
        return {
            "measure": "Fact",
            "difference": -found.fact.value,
            "low": -found.fact.interval.high,
            "high": -found.fact.interval.low,
            "p_value": found.fact.p_value,
            "segments": sum(one.counts),
            "seed": found.bootstrap.seed,
        }


def _told(opened: OpenRun) -> tuple[str, str] | None:
    """Tell the condition by the codes, if those of all lines are the same, in any letter case."""
    table, rows = results(opened), opened.once(legible)
    words = [{table.codes[code].casefold() for code in np.unique(codes[rows])} for codes in (table.task, table.mode)]
    for _, pair in opened.submission.profile.scoring.plan:
        if isinstance(pair, tuple) and words == [{word.casefold()} for word in pair]:
            return pair[0], pair[1]
    return None


def _trial(opened: OpenRun) -> _Trial | str:
    """Find the class and the line of each segment, in the order of seg.ndx, or of the key where there is none.

    Or say why there is nothing to find.
    """
    table, asked = results(opened), condition(opened) or _told(opened)
    if not len(table):
        return "no line has a segment and scores"
    if asked is None:
        return "neither its name nor its lines tell for which condition the scores are"
    task, mode = asked
    if not task_fits(opened, task):
        return f"the lines have not the columns of {task}"
    key = cast("LanguageKey | _StandIn", opened.references["key"])
    wanted = cast("SegmentList | None", opened.references.get("segments"))
    names = wanted.names if wanted is not None else table.names if isinstance(key, _StandIn) else key.names
    targets = table.classes[:-1]
    if isinstance(key, _StandIn):
        taking_part = table.classes if mode == _OPEN else targets
        classes = key.classes(len(names), taking_part)
    else:
        rows = np.arange(len(names)) if wanted is None else _rows_of_key(key, wanted)
        classes = key.classes(task, targets)[rows]
    found = names.find(table.names)
    line = np.full(len(names), -1, dtype=np.int64)
    there = np.flatnonzero(found >= 0)
    line[found[there]] = there
    line[found[there[np.isin(there, table.names.repeated)]]] = -2
    prior = open_set(targets) if mode == _OPEN else closed_set(targets)
    return _Trial(table, classes, line, prior, mode, names)


def _rows_of_key(key: LanguageKey, wanted: SegmentList) -> Offsets:
    """Return the row of the key for each segment of seg.ndx; the two must have the same segments."""
    rows = key.names.find(wanted.names)
    if (rows < 0).any():
        name = wanted.names[int(np.flatnonzero(rows < 0)[0])]
        message = f"the organizers' file {key.path} cannot be used: it has no line for segment {name} of {wanted.path}"
        raise ReferenceDataError(f"{message}; the key lists all segments, once")
    if len(key.names) != len(wanted.names):
        stray = int(np.flatnonzero(wanted.names.find(key.names) < 0)[0])
        message = f"the organizers' file {key.path} cannot be used: segment {key.names[stray]} is not in {wanted.path}"
        raise ReferenceDataError(f"{message}; remove it from the key")
    return rows


def _counting(trial: _Trial) -> Flags:
    """Tell which segments count in the condition: not the removed ones, nor out-of-set ones in closed set."""
    taking_part = np.array([weight > 0 for weight in trial.prior.weights] + [False])
    counts: Flags = taking_part[trial.classes]
    return counts


def _unanswered(opened: OpenRun, trial: _Trial) -> Remarks:
    """Find the segments that count and have no line, two, or one that lacks a score which counts."""
    columns = np.array(trial.prior.weights) > 0
    usable = np.append(~np.isnan(trial.table.scores[:, columns]).any(axis=1), False)  # behind them: no line at all
    bad = np.flatnonzero(_counting(trial) & ~usable[np.maximum(trial.line, -1)])
    if not len(bad):
        return ()
    line = int(trial.line[bad[0]])
    why = {-1: "has no line", -2: "has two lines"}.get(line, "has not all its scores")
    example = f"segment {trial.names[int(bad[0])]} {why}"
    return (lreremarks.unanswered(opened.run.file, len(bad), example),)


def _aligned(trial: _Trial) -> Floats:
    """Return the scores in the order of the segments; those that do not count may lack a line: they are not read."""
    scores: Floats = np.where(_counting(trial)[:, None], trial.table.scores[np.maximum(trial.line, 0)], 0.0)
    if trial.mode != _OPEN:
        scores[:, -1] = 0.0  # a placeholder, whatever it holds: it takes no part
    return scores


def _named(found: Measures) -> tuple[dict[str, Number], dict[str, str]]:
    confusion, hint = found.confusion, calibration_hint(found)
    measures: dict[str, Number] = {
        "Cmce": found.cmce,
        "Cdef": found.cdef,
        "Cmin": found.cmin,
        "Fact": confusion.fact,
        "lnFact": confusion.ln_fact,
        "Fdis": confusion.fdis,
        "Fcal": confusion.fcal,
        "calibration_loss": hint.loss,
        "calibration_share": hint.share,
        "calibration_scale": hint.calibration.scale,
    }
    reasons = {
        "lnFact": confusion.ln_fact_undefined,
        "Fcal": confusion.fcal_undefined,
        "calibration_share": None if hint.share is not None else "Fact is 0",
        "calibration_scale": hint.calibration.reason if hint.calibration.scale is None else None,
    }
    return measures, {name: reason for name, reason in reasons.items() if reason is not None}


def _unscored(signature: str, remarks: Remarks) -> Scores:
    names = (*_NAMES, *_HINTS)
    return Scores(dict.fromkeys(names), dict.fromkeys(names, remarks[0][1].message), signature, remarks=remarks)


def _pairs(margins: Margins) -> list[dict[str, Cell]]:
    rows: list[dict[str, Cell]] = []
    for pair in measure_pairs(margins):
        measures, _ = _named(pair.measures)
        rows.append({"id": f"{pair.first}-{pair.second}", **{name: measures[name] for name in _OF_PAIRS}})
    return rows


def _languages(found: Measures) -> list[dict[str, Cell]]:
    offsets = found.calibration.offsets or (None,) * len(found.classes)
    return [
        {"id": name, "segments": count, "cost": cost, "offset": offset}
        for name, count, cost, offset in zip(found.classes, found.counts, found.costs, offsets, strict=True)
    ]


def _intervals(margins: Margins) -> tuple[dict[str, tuple[float, float]], dict[str, str]]:
    from validator.scoring.bootstrap import Bootstrap  # noqa: PLC0415
    from validator.scoring.crossentropy_intervals import intervals  # noqa: PLC0415

    found = intervals(margins, Bootstrap())
    spread = {"Cmce": found.cmce, "Cmin": found.cmin, "Fact": found.fact, "Fdis": found.fdis, "Fcal": found.fcal}
    missing = {"intervals.Fcal": found.fcal_undefined} if found.fcal_undefined else {}
    return {name: (each.low, each.high) for name, each in spread.items() if each is not None}, missing


def _signature(opened: OpenRun, trial: _Trial) -> str:
    """Name what the measures depend on."""
    task = "Plenty" if len(trial.prior.names) > 5 else "Empty"
    dropped = ",drop_empty_classes" if opened.submission.parameters["drop_empty_classes"] else ""
    return f"{_MEASURE}({task},{trial.mode}{dropped})"


SCORER = LreScorer()
