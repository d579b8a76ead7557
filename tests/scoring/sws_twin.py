"""The SWS measures once more, slowly: lists, loops and every single trial, written from the plan.

M13 is the 2013 document on performance measures, N12 the 2012 note on scoring.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

Place = tuple[str, str]  # file, channel


@dataclass(frozen=True)
class Detection:
    """One submitted detection."""

    query: str
    place: Place
    begin: float
    end: float
    score: float
    yes: bool


@dataclass(frozen=True)
class Occurrence:
    """One reference occurrence of a query."""

    place: Place
    begin: float
    end: float


@dataclass(frozen=True)
class Parameters:
    """The options of the 2012 command line under their names."""

    similarity: float
    find: float
    ntps: float
    cfa: float
    cmiss: float
    ptarget: float

    @property
    def beta(self) -> float:
        """M13 eq. 7."""
        return self.cfa * (1 - self.ptarget) / (self.cmiss * self.ptarget)


@dataclass(frozen=True)
class Case:
    """One experiment: audio, references of the queries that have any, detections of those queries."""

    parameters: Parameters
    audio_seconds: float
    references: dict[str, list[Occurrence]]
    detections: list[Detection]

    @property
    def trials_per_query(self) -> int:
        """Round N = ntps Taudio."""
        return round(self.parameters.ntps * self.audio_seconds)


def read_case(folder: Path) -> Case:
    """Read a folder of the oracle."""
    given = json.loads((folder / "params.json").read_text(encoding="utf-8"))
    parameters = Parameters(
        *(given[name] for name in ("similarity", "find", "ntps", "Cfa", "Cmiss", "Ptarget")),
    )
    excerpts = etree.parse(folder / "sws.ecf.xml").getroot().iter("excerpt")
    seconds = sum(float(excerpt.get("dur", "")) for excerpt in excerpts if excerpt.get("channel") == "1")
    tokens = read_tokens((folder / "sws.rttm").read_text(encoding="utf-8"))
    references = {}
    for term in etree.parse(folder / "sws.tlist.xml").getroot().iter("term"):
        words = term.findtext("termtext", "").lower().split()
        found = find_occurrences(tokens, words, parameters.find)
        if found:  # M13 assumes that each query occurs: the others do not take part
            references[term.get("termid", "")] = found
    detections = [
        Detection(
            query=searched.get("termid", ""),
            place=(term.get("file", ""), term.get("channel", "")),
            begin=float(term.get("tbeg", "")),
            end=float(term.get("tbeg", "")) + float(term.get("dur", "")),
            score=float(term.get("score", "")),
            yes=term.get("decision") == "YES",
        )
        for searched in etree.parse(folder / "sys.stdlist.xml").getroot().iter("detected_termlist")
        for term in searched.iter("term")
        if searched.get("termid") in references
    ]
    return Case(parameters, seconds, references, detections)


def read_tokens(rttm: str) -> dict[tuple[Place, str], list[tuple[str, float, float]]]:
    """Give (word, begin, end) of each LEXEME of a place and speaker, in file order."""
    tokens = defaultdict(list)
    for line in rttm.splitlines():
        fields = line.split()
        if fields and fields[0] == "LEXEME":
            begin, duration = float(fields[3]), float(fields[4])
            tokens[(fields[1], fields[2]), fields[7]].append((fields[5].lower(), begin, begin + duration))
    return tokens


def find_occurrences(
    tokens: dict[tuple[Place, str], list[tuple[str, float, float]]], words: list[str], gap: float
) -> list[Occurrence]:
    """Scan from left to right for runs of the words, with no pause longer than the gap."""
    found = []
    for (place, _), spoken in tokens.items():
        at = 0
        while at + len(words) <= len(spoken):
            run = spoken[at : at + len(words)]
            pauses = [round(after[1] - before[2], 4) for before, after in pairwise(run)]
            if [word for word, _, _ in run] == words and all(pause <= gap for pause in pauses):
                found.append(Occurrence(place, run[0][1], run[-1][2]))
                at += len(words)
            else:
                at += 1
    return found


def align(case: Case) -> list[bool]:
    """Say of each detection whether it is aligned: most pairs, then higher scores, then more overlap (M13 2.1)."""
    scores = [detection.score for detection in case.detections]
    spread = max(scores, default=0.0) - min(scores, default=0.0)
    aligned = [False] * len(case.detections)
    for query, references in case.references.items():
        for place in {reference.place for reference in references}:
            here = [reference for reference in references if reference.place == place]
            rows = [
                row
                for row, detection in enumerate(case.detections)
                if detection.query == query and detection.place == place
            ]
            values = [
                [pair_value(case, case.detections[row], reference, min(scores), spread) for reference in here]
                for row in rows
            ]
            for row, reference_taken in zip(rows, best_pairs(values, len(here)), strict=True):
                aligned[row] = reference_taken
    return aligned


def pair_value(case: Case, detection: Detection, reference: Occurrence, lowest: float, spread: float) -> float | None:
    """Give what aligning the two is worth, None if they may not be."""
    middle = detection.begin + (detection.end - detection.begin) / 2
    tolerance = case.parameters.similarity
    if not reference.begin - tolerance <= middle <= reference.end + tolerance:
        return None
    overlap = min(detection.end, reference.end) - max(detection.begin, reference.begin)
    score = (detection.score - lowest) / spread if spread else 0.0
    return 1 + 1e-6 * score + 1e-8 * overlap / max(1e-5, reference.end - reference.begin)


def best_pairs(values: list[list[float | None]], references: int) -> list[bool]:
    """Try every one-to-one pairing, row after row, over the sets of references that are taken."""
    best: dict[int, tuple[float, list[bool]]] = {0: (0.0, [])}
    for row in values:
        longer: dict[int, tuple[float, list[bool]]] = {}
        for taken, (total, chosen) in best.items():
            options = [(taken, total, [*chosen, False])]
            for reference in range(references):
                value = row[reference]
                if value is not None and not taken >> reference & 1:
                    options.append((taken | 1 << reference, total + value, [*chosen, True]))
            for key, sum_of_values, flags in options:
                if key not in longer or sum_of_values > longer[key][0]:
                    longer[key] = (sum_of_values, flags)
        best = longer
    return max(best.values(), key=lambda entry: entry[0])[1]


def count(case: Case, aligned: list[bool], threshold: float | None) -> dict[str, dict[str, int]]:
    """Count hits and errors by query, by the decisions or, with a threshold, by score >= threshold (M13 2.1)."""
    counts = {}
    for query, references in case.references.items():
        accepted = [
            hit
            for detection, hit in zip(case.detections, aligned, strict=True)
            if detection.query == query and (detection.yes if threshold is None else detection.score >= threshold)
        ]
        correct = sum(accepted)
        counts[query] = {
            "nref": len(references),
            "ncorr": correct,
            "nfa": len(accepted) - correct,
            "nmiss": len(references) - correct,
        }
    return counts


def error_rates(case: Case, counts: dict[str, dict[str, int]]) -> tuple[float, float]:
    """Average Pmiss and Pfa over the queries (M13 eq. 1 to 5)."""
    miss = [query["nmiss"] / query["nref"] for query in counts.values()]
    alarm = [query["nfa"] / (case.trials_per_query - query["nref"]) for query in counts.values()]
    return sum(miss) / len(miss), sum(alarm) / len(alarm)


def term_weighted_value(case: Case, counts: dict[str, dict[str, int]]) -> float:
    """M13 eq. 6."""
    miss, alarm = error_rates(case, counts)
    return 1 - (miss + case.parameters.beta * alarm)


def best_threshold(case: Case, aligned: list[bool]) -> tuple[float, float]:
    """Give the greatest TWV of all scores as thresholds, and the score that has it."""
    thresholds = {detection.score for detection in case.detections}
    return max((term_weighted_value(case, count(case, aligned, each)), each) for each in thresholds)


@dataclass(frozen=True)
class TrialMatrix:
    """The llr of every single trial, submitted or not."""

    target: list[float]
    nontarget: list[float]
    beta: float


def fill_matrix(case: Case, aligned: list[bool]) -> TrialMatrix:
    """Give each query its N trials; those that were not submitted have the lowest submitted score (M13 eq. 42)."""
    lowest = min(detection.score for detection in case.detections)
    target: list[float] = []
    nontarget: list[float] = []
    for query, references in case.references.items():
        rows = [row for row, detection in enumerate(case.detections) if detection.query == query]
        hits = [case.detections[row].score for row in rows if aligned[row]]
        others = [case.detections[row].score for row in rows if not aligned[row]]
        target += hits + [lowest] * (len(references) - len(hits))
        nontarget += others + [lowest] * (case.trials_per_query - len(references) - len(others))
    return TrialMatrix(target, nontarget, case.parameters.beta)


def cost(log_odds: float) -> float:
    """Give -log(sigmoid(log odds)) (M13 eq. 37)."""
    return math.log1p(math.exp(-log_odds)) if log_odds > 0 else math.log1p(math.exp(log_odds)) - log_odds


def cross_entropy(matrix: TrialMatrix) -> float:
    """M13 eq. 38, in bits."""
    prior = 1 / (1 + matrix.beta)
    logit = math.log(prior / (1 - prior))
    target = math.fsum(cost(llr + logit) for llr in matrix.target) / len(matrix.target)
    nontarget = math.fsum(cost(-(llr + logit)) for llr in matrix.nontarget) / len(matrix.nontarget)
    return (prior * target + (1 - prior) * nontarget) / math.log(2)


def prior_entropy(beta: float) -> float:
    """M13 eq. 39, in bits."""
    prior = 1 / (1 + beta)
    return (prior * math.log(1 / prior) + (1 - prior) * math.log(1 / (1 - prior))) / math.log(2)


def normalised(matrix: TrialMatrix) -> float:
    """M13 eq. 40."""
    return cross_entropy(matrix) / prior_entropy(matrix.beta)


def mapped(matrix: TrialMatrix, scale: float, offset: float) -> TrialMatrix:
    """M13 eq. 44."""
    return TrialMatrix(
        [scale * llr + offset for llr in matrix.target],
        [scale * llr + offset for llr in matrix.nontarget],
        matrix.beta,
    )


def least_affine(matrix: TrialMatrix) -> float:
    """M13 eq. 45: the least Cnxe of a scale and an offset, by bisection of scales and, within, of offsets.

    For a scale the best offset is where the slope of the cost in the offset changes its sign, and the best scale is
    where its slope in the scale does so, with the best offset for each.
    """
    size = max(abs(llr) for llr in matrix.target + matrix.nontarget) or 1.0
    scaled = mapped(matrix, 1 / size, 0.0)
    sign = 1.0 if slopes(scaled, 0.0, 0.0)[0] < 0 else -1.0
    low, high = -40.0, 40.0  # of log scale
    for _ in range(50):
        middle = (low + high) / 2
        scale = sign * math.exp(middle)
        if sign * slopes(scaled, scale, best_offset(scaled, scale))[0] < 0:
            low = middle
        else:
            high = middle
    scale = sign * math.exp(low)
    return normalised(mapped(scaled, scale, best_offset(scaled, scale)))


def best_offset(matrix: TrialMatrix, scale: float) -> float:
    """Bisect for the offset at which the cost is least."""
    reach = abs(scale) + 100.0
    low, high = -reach, reach
    for _ in range(60):
        middle = (low + high) / 2
        if slopes(matrix, scale, middle)[1] < 0:
            low = middle
        else:
            high = middle
    return low


def slopes(matrix: TrialMatrix, scale: float, offset: float) -> tuple[float, float]:
    """Give the derivatives of the cost in scale and offset."""
    prior = 1 / (1 + matrix.beta)
    logit = math.log(prior / (1 - prior)) + offset
    target, nontarget = np.array(matrix.target), np.array(matrix.nontarget)
    miss = -prior / len(target) * sigmoid(-(scale * target + logit))
    alarm = (1 - prior) / len(nontarget) * sigmoid(scale * nontarget + logit)
    return float(miss @ target + alarm @ nontarget), float(miss.sum() + alarm.sum())


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give 1 / (1 + e^-x)."""
    return np.exp(-np.logaddexp(0.0, -x))


def least_isotonic(matrix: TrialMatrix) -> float:
    """Pool adjacent violators, one by one: the least Cnxe of all non-decreasing maps."""
    prior = 1 / (1 + matrix.beta)
    blocks: list[list[float]] = []  # target and non-target weight
    for llr in sorted({*matrix.target, *matrix.nontarget}):
        target = matrix.target.count(llr) * prior / len(matrix.target)
        nontarget = matrix.nontarget.count(llr) * (1 - prior) / len(matrix.nontarget)
        blocks.append([target, nontarget])
        while len(blocks) > 1 and share(blocks[-2]) >= share(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + last[0], blocks[-1][1] + last[1]]
    total = math.fsum(-weight * math.log(weight / sum(block)) for block in blocks for weight in block if weight)
    return total / math.log(2) / prior_entropy(matrix.beta)


def share(block: Sequence[float]) -> float:
    """Give the share of targets in a block."""
    return block[0] / sum(block)
