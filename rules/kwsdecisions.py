"""Decisions of a KWSList: whether YES and NO make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, rule

from .kwsopen import WARNING, detections, header, row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun


@rule(
    "KWS420",
    "no-single-threshold",
    cites="OpenKWS13 3.5",
    plan=WARNING,
    tool=WARNING,
    needs=("content",),
    follows=("KWS703",),
)
def no_single_threshold(opened: OpenRun) -> Iterator[Defect]:
    """One score separates YES from NO.

    Why: scores should be comparable across keywords; a threshold per keyword is legal, but MTWV then says little.
    Bad: a YES with score 0.41 and a NO with score 0.62
    Good: all YES at or above 0.5, all NO below
    Fix: normalise the scores across keywords, or check the decisions, if one threshold was meant.
    NIST: the checker does not look; the scorer's summary aborts with exit 1 on such a file.
    """
    table = detections(opened)
    usable = table.valid & ~np.isnan(table.score)
    yes, no = np.flatnonzero(usable & table.yes), np.flatnonzero(usable & ~table.yes)
    if not len(yes) or not len(no):
        return
    low, high = int(yes[table.score[yes].argmin()]), int(no[table.score[no].argmax()])
    if table.score[high] > table.score[low]:
        count = int((table.score[no] > table.score[low]).sum())
        lowest, highest = float(table.score[low]), float(table.score[high])
        message = f"a NO scores {highest:g}, above a YES with {lowest:g} at {{other}}"
        yield Defect(row(opened, high, "score"), message, count=count, other=row(opened, low))


def _all_decided(opened: OpenRun, *, yes: bool) -> bool:
    table = detections(opened)  # of a row that is refused nobody knows what it was to say
    return len(table) > 0 and bool((table.valid & (table.yes == yes)).all())


def _decisions(opened: OpenRun, decision: str) -> str:
    count = len(detections(opened))
    return f"all {count} decisions are {decision}" if count > 1 else f"the only decision is {decision}"


@rule("KWS421", "all-yes", cites="OpenKWS13 5.1.2.2", plan=WARNING, tool=WARNING, needs=("content",))
def all_yes(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided NO.

    Why: systems are to over-generate below the threshold; if all is YES, every doubtful one is a false alarm.
    Bad: decision="YES" throughout
    Good: NO for the detections below the threshold
    Fix: set the threshold, and keep the detections below it as NO.
    NIST: F4DE does not look.
    """
    if _all_decided(opened, yes=True):
        yield Defect(header(opened), _decisions(opened, "YES"))


@rule("KWS422", "all-no", cites="OpenKWS13 5.1.2.2", plan=WARNING, tool=WARNING, needs=("content",))
def all_no(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided YES.

    Why: the actual term-weighted value counts YES only; without any it is zero.
    Bad: decision="NO" throughout
    Good: YES for the detections above the threshold
    Fix: set the threshold.
    NIST: F4DE does not look.
    """
    if _all_decided(opened, yes=False):
        yield Defect(header(opened), _decisions(opened, "NO"))


RULES = (
    no_single_threshold,
    all_yes,
    all_no,
)
