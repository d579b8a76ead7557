"""Decisions of a KWSList: whether YES and NO make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, rule

from . import searchlists
from .kwsopen import WARNING

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
    yield from searchlists.crossed_decisions(opened)


@rule("KWS421", "all-yes", cites="OpenKWS13 5.1.2.2", plan=WARNING, tool=WARNING, needs=("content",))
def all_yes(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided NO.

    Why: systems are to over-generate below the threshold; if all is YES, every doubtful one is a false alarm.
    Bad: decision="YES" throughout
    Good: NO for the detections below the threshold
    Fix: set the threshold, and keep the detections below it as NO.
    NIST: F4DE does not look.
    """
    yield from searchlists.one_decision(opened, yes=True)


@rule("KWS422", "all-no", cites="OpenKWS13 5.1.2.2", plan=WARNING, tool=WARNING, needs=("content",))
def all_no(opened: OpenRun) -> Iterator[Defect]:
    """Some detections are decided YES.

    Why: the actual term-weighted value counts YES only; without any it is zero.
    Bad: decision="NO" throughout
    Good: YES for the detections above the threshold
    Fix: set the threshold.
    NIST: F4DE does not look.
    """
    yield from searchlists.one_decision(opened, yes=False)


RULES = (
    no_single_threshold,
    all_yes,
    all_no,
)
