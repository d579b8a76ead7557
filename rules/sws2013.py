"""Rules of the Spoken Web Search 2013: those of stdlists, scores as log-likelihood ratios, the resource report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, Severity, rule

from . import sws, swsresources
from .kwsopen import detections, row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun

_FEW = 5  # scores that are not enough to tell


@rule(
    "SWS431",
    "no-log-likelihood-ratios",
    cites="SWS 2013 measures 4.2.2",
    plan=Severity.WARNING,
    tool=Severity.OK,
    needs=("content",),
)
def no_log_likelihood_ratios(opened: OpenRun) -> Iterator[Defect]:
    """Scores are log-likelihood ratios: of either sign, without bounds.

    Why: Cnxe reads scores as the logarithm of P(score | it occurs) / P(score | it does not occur); scores that all lie
    between 0 and 1 are probabilities or correlations, and cost calibration.
    Bad: score="0.93" and score="0.02", all between 0 and 1
    Good: score="2.59" and score="-3.89", after calibration on development data
    Fix: calibrate the scores (subgate score tells calibration_scale and calibration_offset on development data).
    NIST: STDEval compares scores only, and takes any.
    """
    table = detections(opened)
    rows = np.flatnonzero(table.valid & np.isfinite(table.score))
    scores = table.score[rows]
    if len(rows) < _FEW or scores.min() < 0 or scores.max() > 1 or scores.min() == scores.max():
        return
    message = f"all {len(rows)} scores lie between {float(scores.min()):g} and {float(scores.max()):g}"
    yield Defect(row(opened, int(rows[scores.argmax()]), "score"), f"{message}: no log-likelihood ratios")


RULES = (*sws.RULES, no_log_likelihood_ratios, *swsresources.RULES)
