"""Scores as lines for people: the measures of each run, what the laws disagree in, breakdowns, comparisons."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from validator.report.plain import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.model import Cell, Report, RunReport

_COLUMNS = 100
_NAMES = 28  # columns for what a row is about
_ROWS = 20  # of a breakdown that are shown


def scores(report: Report, *, all_of_them: bool) -> Iterator[str]:
    """Write what the runs of a submission scored; measures of other protocols (with a dot) only if asked for."""
    for run in report.runs:
        if run.scores is not None and run.scores.measures:
            yield f"scores of {visible(run.id)}"
            yield from _measures(run, all_of_them=all_of_them)
            yield from _breakdowns(run, all_of_them=all_of_them)
            yield f"  signature {run.signature}"
            yield ""


def _measures(run: RunReport, *, all_of_them: bool) -> Iterator[str]:
    found = run.scores
    if found is None:
        return
    reasons = set(found.undefined.values())
    if len(reasons) == 1 and all(value is None for value in found.measures.values()):
        yield f"  not scored: {visible(reasons.pop())}"
        return
    left_out = sorted({name.partition(".")[0] for name in found.measures if "." in name}) if not all_of_them else []
    for name, value in found.measures.items():
        if name.partition(".")[0] in left_out:
            continue
        spread = found.intervals.get(name)
        between = f"  [{spread[0]:.4f} to {spread[1]:.4f}]" if spread else ""
        other = run.differs.get(name)
        laws = f"  (plan {_shown(other['plan'])}, tool {_shown(other['tool'])})" if other else ""
        line = f"  {name:28}{_shown(value):>14}{between}{laws}"
        reason = visible(found.undefined[name]) if value is None and name in found.undefined else ""
        yield from textwrap.wrap(f"{line}  {reason}".rstrip(), _COLUMNS, subsequent_indent=" " * 46)
    for kind in left_out:
        yield f"  {f'{kind}.*':28}{'with -v':>14}"


def _breakdowns(run: RunReport, *, all_of_them: bool) -> Iterator[str]:
    for name, rows in run.scores.breakdown.items() if run.scores is not None else ():
        if name != "keyword" and (all_of_them or run.scores is None or name not in run.scores.aside):
            yield from _table(f"  by {name}", rows)


def _table(title: str, rows: list[dict[str, Cell]]) -> Iterator[str]:
    widths = {name: max(12, len(name) + 2) for name in (rows[0] if rows else {}) if name != "id"}
    while _NAMES + sum(widths.values()) > _COLUMNS:
        widths.popitem()
    yield f"{title:{_NAMES}}" + "".join(f"{name:>{width}}" for name, width in widths.items())
    for row in rows[:_ROWS]:
        cells = "".join(f"{_shown(row[name]):>{width}}" for name, width in widths.items())
        yield f"    {visible(str(row['id'])):{_NAMES - 4}}{cells}"
    if len(rows) > _ROWS:
        yield f"    and {len(rows) - _ROWS} more (--format json has all)"


def comparison(row: dict[str, Cell]) -> str:
    """Write what a comparison of two runs found."""
    first, second = (visible(str(row[name])) for name in ("first", "second"))
    if row["difference"] is None:
        return f"{first} and {second} cannot be compared: {row['reason']}"
    spread = f"{_shown(row['low'])} to {_shown(row['high'])}; p = {_shown(row['p_value'])}"
    return f"{row['measure']} of {first} minus that of {second}: {_shown(row['difference'])} (95 %: {spread})"


def _shown(value: Cell) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e5 and (abs(value) >= 1e-3 or value == 0) else f"{value:.6g}"
    return str(value)
