"""The official scorer's report, rebuilt from our measures: every cell of its tables as a number with its decimals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from validator.scoring.trials import Counts, Trials
    from validator.scoring.twv import Twv

    Cells = dict[str, "Cell"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as it is printed: None is NA, or NaN for a threshold that does not exist."""

    value: float | None
    decimals: int

    def prints(self, text: str) -> bool:
        """Tell whether ``text`` is this number, rounded; sums in another order may be off by 1e-9."""
        if text in {"NA", "NaN"}:
            return self.value is None
        return self.value is not None and abs(float(text) - self.value) <= 0.5 * 10**-self.decimals + 1e-9


@dataclass(frozen=True, slots=True)
class Experiment:
    """Measures with the trials that they are made of; ``names`` are the blocks."""

    result: Twv
    table: Trials
    names: Sequence[str]
    optimum_comparable: bool = True

    def mean(self, misses: Counts, alarms: Counts) -> tuple[float, float]:
        """Return mean P_miss and mean P_FA."""
        rates = self.result.basis.rates
        return float(np.nanmean(rates.p_miss(misses))), float(np.nanmean(rates.p_fa(alarms)))

    def summary(self) -> Cells:
        """Return the overall table."""
        result, tally, values = self.result, self.result.basis.tally, self.result.values
        on = result.basis.evaluated
        cells = {
            "Parameters|TotDur": Cell(values["duration"], 3),
            "Parameters|TotTrials": Cell(values["trials"], 0),
            "Inputs|#Targ": Cell(values["targets"], 0),
            "Inputs|#NTarg": Cell(int(tally.non_targets[on].sum()), 0),
            "Inputs|#Sys": Cell(int(tally.detections[on].sum()), 0),
            "Actual Decision TWV Analysis|#CorDet": Cell(values["correct"], 0),
            "Actual Decision TWV Analysis|#Cor!Det": Cell(int(tally.rejected_non_targets[on].sum()), 0),
            "Actual Decision TWV Analysis|#FA": Cell(values["false_alarms"], 0),
            "Actual Decision TWV Analysis|#Miss": Cell(values["misses"], 0),
            "Actual Decision TWV Analysis|PFA": Cell(values["PFA"], 5),
            "Actual Decision TWV Analysis|PMiss": Cell(values["PMiss"], 3),
            "Actual Decision TWV Analysis|TWV": Cell(values["ATWV"], 4),
            "Actual Decision TWV Analysis|Dec. Tresh": Cell(result.basis.threshold, 4),
            "Maximum TWV Analysis|PFA": Cell(values["MTWV_PFA"], 5),
            "Maximum TWV Analysis|PMiss": Cell(values["MTWV_PMiss"], 3),
            "Maximum TWV Analysis|TWV": Cell(values["MTWV"], 4),
            "Maximum TWV Analysis|Dec. Thresh": Cell(values["MTWV_threshold"], 3),
            "Global Measures|MAP": Cell(values["MAP"], 2),
            "Global Measures|MAP%": Cell(None if values["MAP"] is None else 100 * values["MAP"], 1),
        }
        if int(on.sum()) > 1:
            cells["Inputs|#Keyword"] = Cell(int(on.sum()), 0)
        return cells | self._best("Optimum TWV Analysis") | self._best("Supremum TWV Analysis")

    def _best(self, title: str) -> Cells:
        result = self.result
        twv = result.values["OTWV" if title.startswith("Optimum") else "STWV_supremum"]
        cells: Cells = {f"{title}|Dec. Thresh": Cell(None, 3), f"{title}|TWV": Cell(twv, 4)}
        if title.startswith("Optimum") and not self.optimum_comparable:
            return {}
        choice = result.optimum
        misses, alarms = (
            (choice.misses, choice.false_alarms)
            if title.startswith("Optimum")
            else (self.table.omitted, np.zeros_like(self.table.omitted))
        )
        p_miss, p_fa = self.mean(misses, alarms) if twv is not None else (None, None)
        return cells | {f"{title}|PMiss": Cell(p_miss, 3), f"{title}|PFA": Cell(p_fa, 5)}

    def block(self, number: int, title: str) -> Cells:
        """Return the row of one keyword; nothing for one that is not evaluated."""
        result, tally = self.result, self.result.basis.tally
        if not result.basis.evaluated[number]:
            return {}
        cells = {
            f"{title}|#Targ": Cell(int(tally.targets[number]), 0),
            f"{title}|#Corr": Cell(int(tally.correct[number]), 0),
            f"{title}|#Corr!Det": Cell(int(tally.rejected_non_targets[number]), 0),
            f"{title}|#FA": Cell(int(tally.false_alarms[number]), 0),
            f"{title}|#Miss": Cell(int(tally.misses[number]), 0),
            f"{title}|TWV": Cell(defined(result.twv[number]), 4),
            f"{title}|PFA": Cell(defined(result.p_fa[number]), 5),
            f"{title}|PMISS": Cell(defined(result.p_miss[number]), 3),
        }
        sup_miss, sup_twv = self.supremum(number)
        cells |= {
            "Supremum TWV|PFA": Cell(0.0, 5),
            "Supremum TWV|PMiss": Cell(sup_miss, 3),
            "Supremum TWV|TWV": Cell(sup_twv, 4),
            "Supremum TWV|Dec. Thresh": Cell(0.5, 3),
        }
        if result.average_precision is not None:
            precision = float(np.nan_to_num(result.average_precision[number]))
            cells |= {"Global Measures|AP": Cell(precision, 2), "Global Measures|AP%": Cell(100 * precision, 1)}
        if self.optimum_comparable:
            best = self.optimum(number)
            cells |= {f"Optimum TWV|{name}": Cell(best.get(name), d) for name, d in _OPTIMUM.items()}
        return cells

    def supremum(self, number: int) -> tuple[float | None, float | None]:
        """Return P_miss and TWV of a keyword when all that can be right is accepted."""
        targets = int(self.result.basis.tally.targets[number])
        miss = int(self.table.omitted[number]) / targets if targets else None
        return miss, None if miss is None else 1 - miss

    def optimum(self, number: int) -> Mapping[str, float]:
        """Return the printed best point of a keyword; empty where the official scorer prints NA."""
        result, table = self.result, self.table
        choice, rates = result.optimum, result.basis.rates
        t = float(choice.threshold[number])
        mine = table.keyword == number
        accepted = np.sort(table.score[mine & table.target & (table.score >= t)]).tolist()[:1]
        unmapped = np.sort(table.score[mine & ~table.target]).tolist()
        alarm = unmapped[int(choice.false_alarms[number]) :][:1]  # indexed by the number of false alarms: its slip
        if not accepted and not alarm and t < 0:
            return {}
        both = [*accepted, *alarm]
        threshold = min(both) if len(both) == 2 and min(both) > t else max([*both, t])
        return {
            "PMiss": float(rates.p_miss(choice.misses)[number]),
            "PFA": float(rates.p_fa(choice.false_alarms)[number]),
            "TWV": float(rates.twv(choice.misses, choice.false_alarms)[number]),
            "Dec. Thresh": threshold,
        }

    def totals(self, title: str) -> Iterator[tuple[str, Cells]]:
        """Return the lines below the keywords."""
        result, tally, values = self.result, self.result.basis.tally, self.result.values
        on = result.basis.evaluated
        counts = {
            "#Targ": tally.targets,
            "#Corr": tally.correct,
            "#Corr!Det": tally.rejected_non_targets,
            "#FA": tally.false_alarms,
            "#Miss": tally.misses,
        }
        yield "Summary|Totals", {f"{title}|{name}": Cell(int(c[on].sum()), 0) for name, c in counts.items()}
        count = int(on.sum())
        means = {f"{title}|{name}": Cell(int(c[on].sum()) / max(count, 1), 0) for name, c in counts.items()}
        rates = {f"{title}|PFA": Cell(values["PFA"], 5), f"{title}|PMISS": Cell(values["PMiss"], 3)}
        best = {
            name.replace(" Analysis", ""): cell
            for kind in ("Optimum TWV Analysis", "Supremum TWV Analysis")
            for name, cell in self._best(kind).items()
            if not name.endswith("Dec. Thresh")
        }
        precision = {
            "Global Measures|AP": Cell(values["MAP"], 2),
            "Global Measures|AP%": Cell(None if values["MAP"] is None else 100 * values["MAP"], 1),
        }
        yield "Summary|Means", means | rates | best | precision
        yield "Summary|TWV", {f"{title}|TWV": Cell(values["ATWV"], 4)}


_OPTIMUM = {"PMiss": 3, "PFA": 5, "TWV": 4, "Dec. Thresh": 3}


def defined(value: float) -> float | None:
    """Return None for what is not defined."""
    return None if np.isnan(value) else float(value)
