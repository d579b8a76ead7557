"""The measures of the Albayzin 2012 LRE plan, section 4, as slowly and plainly as the plan says them.

Also a reader of ``tests/golden/lre``, so that the tests of the measures depend on no other room.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from validator.tables import Codes, Floats

GOLDEN = Path(__file__).parents[1] / "golden" / "lre"
TARGETS = {
    "P": ("Basque", "Catalan", "English", "Galician", "Portuguese", "Spanish"),
    "E": ("French", "German", "Greek", "Italian"),
}


@dataclass(frozen=True, slots=True)
class GoldenFile:
    """One results file of a case: its scores, the column of each segment's class, and what is expected of it."""

    condition: str
    scores: Floats
    classes: Codes
    expected: dict[str, object]

    @property
    def targets(self) -> tuple[str, ...]:
        """Languages of the task."""
        return TARGETS[self.condition[0]]

    @property
    def open_set(self) -> bool:
        """Tell whether out-of-set segments count."""
        return self.condition[1] == "O"


def golden_names() -> list[tuple[str, str]]:
    """List every results file: (case, file)."""
    return [
        (case.parent.name, name)
        for case in sorted(GOLDEN.glob("*/expected.json"))
        for name in json.loads(case.read_text())["files"]
    ]


def read_golden(case: str, name: str) -> GoldenFile:
    """Read one results file with the key of its case (section 4 of our page on the format: two fields)."""
    expected = json.loads((GOLDEN / case / "expected.json").read_text())["files"][name]
    condition = str(expected["condition"])
    columns = {language: column for column, language in enumerate(TARGETS[condition[0]])}
    key = dict(line.split() for line in (GOLDEN / case / "key.txt").read_text().splitlines())
    lines = [line.split() for line in (GOLDEN / case / name).read_text().splitlines()]
    classes = [-1 if key[line[2]] == "-" else columns.get(key[line[2]], len(columns)) for line in lines]
    scores = [[float(text) for text in line[3:]] for line in lines]
    return GoldenFile(condition, np.array(scores), np.array(classes, dtype=np.int32), expected)


@dataclass(frozen=True, slots=True)
class Kept:
    """Segments and classes with a prior, and nothing else."""

    scores: list[list[float]]
    classes: list[int]
    prior: list[float]


def keep(scores: Floats, classes: Codes, prior: tuple[float, ...]) -> Kept:
    """Drop the rows and columns that plan 4.1.1 disregards."""
    columns = [column for column, weight in enumerate(prior) if weight > 0]
    rows = [row for row, own in enumerate(classes.tolist()) if own in columns]
    return Kept(
        [[float(scores[row, column]) for column in columns] for row in rows],
        [columns.index(int(classes[row])) for row in rows],
        [prior[column] for column in columns],
    )


def log_posteriors(scores: list[float], prior: list[float]) -> list[float]:
    """Equation 3, with the largest term taken out of the sum."""
    terms = [score + math.log(weight) for score, weight in zip(scores, prior, strict=True)]
    top = max(terms)
    total = top + math.log(math.fsum(math.exp(term - top) for term in terms))
    return [term - total for term in terms]


def class_costs(kept: Kept) -> list[float]:
    """Mean of equation 5 over the segments of each class."""
    costs: list[list[float]] = [[] for _ in kept.prior]
    for scores, own in zip(kept.scores, kept.classes, strict=True):
        costs[own].append(-log_posteriors(scores, kept.prior)[own])
    return [math.fsum(cost) / len(cost) for cost in costs]


def cross_entropy(kept: Kept) -> float:
    """Equation 6."""
    return math.fsum(weight * cost for weight, cost in zip(kept.prior, class_costs(kept), strict=True))


def default_entropy(kept: Kept) -> float:
    """Equation 7."""
    return -math.fsum(weight * math.log(weight) for weight in kept.prior)


def confusion(cost: float) -> float:
    """Equations 8 and 9."""
    return math.exp(cost) - 1


def least_entropy(kept: Kept) -> float:
    """Equation 12, by a general optimiser on the cost of a textbook: softmax less one-hot is the gradient."""
    from scipy.optimize import minimize  # type: ignore[import-untyped]  # noqa: PLC0415
    from scipy.special import logsumexp  # type: ignore[import-untyped]  # noqa: PLC0415

    scores = np.array(kept.scores)
    scores -= scores.mean(axis=1, keepdims=True)
    scores /= max(float(np.abs(scores).max()), 1e-300)
    own = np.array(kept.classes)
    rows = np.arange(len(own))
    counts = np.bincount(own, minlength=len(kept.prior))
    weights = (np.array(kept.prior) / counts)[own]
    hot = np.eye(len(kept.prior))[own]

    def cost(parameters: Floats) -> tuple[float, Floats]:
        terms = parameters[0] * scores + parameters[1:] + np.log(kept.prior)
        logs = terms - logsumexp(terms, axis=1, keepdims=True)
        pull = weights[:, None] * (np.exp(logs) - hot)
        gradient = np.concatenate([[(pull * scores).sum()], pull.sum(axis=0)])
        return -float((weights * logs[rows, own]).sum()), gradient

    start = np.zeros(len(kept.prior) + 1)
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 0.0, "gtol": 1e-10, "maxcor": 30}
    return float(minimize(cost, start, jac=True, method="L-BFGS-B", options=options).fun)
