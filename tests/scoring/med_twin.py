"""The measures of MED as lists, loops and fractions, written from the MED11 plan (4.1, 4.2, Appendix A)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

COST_MISS, COST_FA, PRIOR = Fraction(80), Fraction(1), Fraction(1, 1000)
TER = COST_FA * (1 - PRIOR) / (COST_MISS * PRIOR)


@dataclass
class Trial:
    """One clip tried for one event; no score: the system left it out; target None: the reference does not name it."""

    clip: int
    score: float | None
    target: bool | None


@dataclass
class TwinLaw:
    """What the two laws do differently."""

    reject_all: bool
    keep_absent: bool
    unjudged_are_nontargets: bool
    count_without_targets: bool


@dataclass
class TwinResult:
    """Everything about one event; None is undefined."""

    targets: int
    nontargets: int
    misses: int | None = None
    false_alarms: int | None = None
    pmiss: Fraction | None = None
    pfa: Fraction | None = None
    ndc: Fraction | None = None
    min_ndc: Fraction | None = None
    min_threshold: float | None = None
    ndc_at_ter: Fraction | None = None


def twin_ndc(pmiss: Fraction, pfa: Fraction) -> Fraction:
    """Return the Normalized Detection Cost."""
    cost = COST_MISS * pmiss * PRIOR + COST_FA * pfa * (1 - PRIOR)
    return cost / min(COST_MISS * PRIOR, COST_FA * (1 - PRIOR))


def twin_counted(trials: list[Trial], law: TwinLaw) -> list[Trial]:
    """Return the trials that count, with a target or not."""
    kept = []
    for trial in trials:
        if trial.score is None and not law.keep_absent:
            continue
        if trial.target is None and not law.unjudged_are_nontargets:
            continue
        kept.append(Trial(trial.clip, trial.score, bool(trial.target)))
    return kept


def twin_event(trials: list[Trial], threshold: float | None, law: TwinLaw) -> TwinResult:
    """Score one event."""
    kept = twin_counted(trials, law)
    targets = [trial for trial in kept if trial.target]
    nontargets = [trial for trial in kept if not trial.target]
    if not targets and not law.count_without_targets:
        nontargets = []
    result = TwinResult(len(targets), len(nontargets))
    if threshold is not None:
        result.misses = sum(trial.score is None or trial.score < threshold for trial in targets)
        result.false_alarms = sum(trial.score is not None and trial.score >= threshold for trial in nontargets)
        if targets:
            result.pmiss = Fraction(result.misses, len(targets))
        if nontargets:
            result.pfa = Fraction(result.false_alarms, len(nontargets))
        if result.pmiss is not None and result.pfa is not None:
            result.ndc = twin_ndc(result.pmiss, result.pfa)
    if targets and nontargets:
        _best(result, twin_curve(targets, nontargets, law))
    return result


def twin_curve(targets: list[Trial], nontargets: list[Trial], law: TwinLaw) -> list[tuple[float, Fraction, Fraction]]:
    """Return threshold, PMiss, PFA for each distinct score, ascending."""
    points = []
    for threshold in sorted({trial.score for trial in targets + nontargets if trial.score is not None}):
        misses = sum(trial.score is None or trial.score < threshold for trial in targets)
        alarms = sum(trial.score is not None and trial.score >= threshold for trial in nontargets)
        points.append((threshold, Fraction(misses, len(targets)), Fraction(alarms, len(nontargets))))
    if law.reject_all:
        points.append((float("inf"), Fraction(1), Fraction(0)))
    return points


def _best(result: TwinResult, points: list[tuple[float, Fraction, Fraction]]) -> None:
    for threshold, pmiss, pfa in points:
        ndc = twin_ndc(pmiss, pfa)
        if result.min_ndc is None or ndc < result.min_ndc:
            result.min_ndc, result.min_threshold = ndc, threshold
    if points and points[0][1] == TER * points[0][2]:
        result.ndc_at_ter = twin_ndc(points[0][1], points[0][2])
        return
    for (_, pmiss, pfa), (_, next_pmiss, next_pfa) in pairwise(points):
        here, there = pmiss - TER * pfa, next_pmiss - TER * next_pfa
        if here < 0 <= there:
            share = here / (here - there)
            crossing = pmiss + share * (next_pmiss - pmiss), pfa + share * (next_pfa - pfa)
            result.ndc_at_ter = twin_ndc(*crossing)
            return


def twin_resample(trials: list[Trial], drawn: list[int]) -> list[Trial]:
    """Return the trials of the clips that were drawn, as often as they were."""
    return [trial for clip in drawn for trial in trials if trial.clip == clip]


def twin_r0(trials: list[Trial], threshold: float, slope: Fraction, law: TwinLaw) -> Fraction | None:
    """Return recall minus slope times the share of the clips that is returned, in percent."""
    kept = twin_counted(trials, law)
    targets = [trial for trial in kept if trial.target]
    if not targets:
        return None
    returned = [trial for trial in kept if trial.score is not None and trial.score >= threshold]
    hits = sum(bool(trial.target) for trial in returned)
    return 100 * Fraction(hits, len(targets)) - slope * 100 * Fraction(len(returned), len(kept))


def twin_average_precision(trials: list[Trial], law: TwinLaw) -> Fraction | None:
    """Return the average precision in percent; None without targets, or where the order is not known."""
    kept = twin_counted(trials, law)
    targets = [trial for trial in kept if trial.target]
    total = Fraction(0)
    for target in targets:
        if target.score is None:
            continue
        if any(trial.score == target.score and not trial.target for trial in kept):
            return None
        rank = 0
        hits = 0
        for trial in kept:
            if trial.score is not None and trial.score > target.score:
                rank += 1
                hits += bool(trial.target)
        ties = [trial for trial in targets if trial.score == target.score]
        position = next(i for i, trial in enumerate(ties, start=1) if trial is target)
        total += Fraction(hits + position, rank + position)
    return 100 * total / len(targets) if targets else None
