"""Spoken Web Search runs, scored: term-weighted values by the keyword scorer; for 2013 Cnxe and resources as well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from validator.scoring import resources
from validator.scoring.cnxe import CensoredTrials, CnxeMeasures, measure_cnxe

from .kwsscores import KwsScorer
from .resourcereports import resource_report
from .swsremarks import BOOK

if TYPE_CHECKING:
    from validator.model import Cell, Law, Number, Scores, Wanted
    from validator.profile import Value
    from validator.submission import OpenRun
    from validator.tables import Form

    from .kwsscores import Scored

_CNXE = tuple(CnxeMeasures().measures())


class SwsScorer:
    """Scores stdlists as STDEval does, and adds what the profile names among its measures."""

    def __init__(self) -> None:
        self._twv = KwsScorer("termlist", BOOK)

    def settle(self, values: dict[str, Value], given: set[str]) -> dict[str, Value]:
        """Settle what depends on other parameters: beta follows from costs and prior unless it is given itself."""
        return self._twv.settle(values, given)

    def stand_in(self, opened: OpenRun) -> OpenRun:
        """Return the run with a reference made from ECF and term list."""
        return self._twv.stand_in(opened)

    def can_score(self, opened: OpenRun) -> Scores:
        """See whether a run can be scored; the resources need no reference."""
        tried = self._twv.can_score(opened)
        measures, undefined = _resources(opened)
        return replace(tried, measures=dict(measures), undefined=undefined)

    def score(self, opened: OpenRun, law: Law, wanted: Wanted) -> Scores:
        """Score a run under one law."""
        found = self._twv.score(opened, law, wanted)
        for measures, undefined in (_cnxe(opened, found), _resources(opened)):
            found = replace(found, measures=found.measures | measures, undefined=found.undefined | undefined)
        return found

    def compare(self, first: Scores, second: Scores) -> dict[str, Cell]:
        """Compare the ATWV of two runs query by query."""
        return self._twv.compare(first, second)


def _cnxe(opened: OpenRun, found: Scores) -> tuple[dict[str, Number], dict[str, str]]:
    """Measure the scores as log-likelihood ratios, where the evaluation does."""
    if "Cnxe" not in opened.submission.profile.measures:
        return {}, {}
    if found.material is None:
        return dict.fromkeys(_CNXE), dict.fromkeys(_CNXE, found.undefined["ATWV"])
    main = cast("Scored", found.material)
    measured = measure_cnxe(_censored(main), main.reference.parameters.beta)
    values = measured.measures()
    return dict(values), {name: measured.reason for name, value in values.items() if value is None}


def _censored(main: Scored) -> CensoredTrials:
    """Hand over the detections of the queries that have references."""
    evaluated, tally, trials = main.result.basis.evaluated, main.result.basis.tally, main.trials
    counts = evaluated[trials.keyword]
    targets = tally.targets[evaluated].astype(np.int64)
    return CensoredTrials(
        aligned=trials.score[counts & trials.target],
        unaligned=trials.score[counts & ~trials.target],
        targets=targets,
        nontargets=round(trials.trials) - targets,
        unaligned_detections=tally.non_targets[evaluated].astype(np.int64),
    )


def _resources(opened: OpenRun) -> tuple[dict[str, Number], dict[str, str]]:
    """Give the resources of the run's report, recomputed; without one there are none."""
    if "ISF" not in opened.submission.profile.measures:
        return {}, {}
    mine = {source.name for source in opened.submission.reports_of(opened.run)}
    tables = (cast("Form", table) for file, table in opened.submission.reports if file in mine)
    forms = [form for form in tables if form.values]  # nothing can be said about one that is no TOML
    if not forms:
        return {}, {}
    report = resource_report(forms[0])
    return dict(resources.measures(report)), resources.undefined(report)


SCORER = SwsScorer()
