"""What scores tell about a keyword-search run (7xx): why it cannot be scored, and warnings that save people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from validator.model import Defect, Place, Rule, Severity
from validator.scoring.refusals import Obstacle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.kwslist import KwsListFile
    from validator.scoring.reference import Reference
    from validator.scoring.refusals import Refusal
    from validator.scoring.twv import Twv
    from validator.submission import OpenRun
    from validator.tables import Tokens

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
_FAR = 0.02  # of ATWV below MTWV, from which on the threshold is worth a word
_BY_PLAN_TOO = {
    Obstacle.INVALID_DETECTION,
    Obstacle.SCORE_NOT_A_NUMBER,
    Obstacle.NO_TIME,
    Obstacle.EXCESS_OF_FALSE_ALARMS,
}
_CAUSES = {
    "KWS701": ("XML207", "XML208", "XML205", "KWS412"),
    "KWS702": ("KWS303", "KWS410", "KWS411"),
    "KWS714": ("KWS402",),
}


def _remark(code: str, name: str, cites: str, laws: tuple[Severity, Severity], text: str) -> Rule[object]:
    return Rule(code, name, cites, laws[0], laws[1], text, follows=_CAUSES.get(code, ()))


NOT_SCORABLE = _remark(
    "KWS701",
    "not-scorable",
    "OpenKWS13 5.1",
    (ERROR, ERROR),
    """A run can be scored.

    Why: a value that is no number, or no scored time at all, leaves nothing to compute.
    Bad: score="NaN"
    Good: score="0.41"
    Fix: mend what the message names.
    NIST: KWSEval stops, or gives numbers that mean nothing.
    """,
)
NOT_SCORABLE_BY_TOOL = _remark(
    "KWS702",
    "not-scorable-by-tool",
    "F4DE KWSEval",
    (OK, ERROR),
    """A run can be scored by NIST's scorer.

    Why: KWSEval aborts on an unknown keyword and on scores outside of the header's own range.
    Bad: a detected_kwlist for a kwid that the KWList does not have
    Good: only kwids of the KWList
    Fix: mend what the message names.
    NIST: KWSEval stops with exit 1.
    """,
)
NO_SUMMARY = _remark(
    "KWS703",
    "no-official-summary",
    "F4DE KWSEval",
    (OK, WARNING),
    """The decisions follow one threshold, so that NIST's scorer can write its summary.

    Why: KWSEval's summary (-o) aborts when a NO scores above a YES; the plan has no such rule.
    Bad: a YES with 0.41 and a NO with 0.62
    Good: all YES at or above 0.5, all NO below
    Fix: normalise the scores, or ask the organizers to score by keyword (-b), which works.
    NIST: KWSEval -o ends with exit 1; the measures here are computed as it would.
    """,
)
THRESHOLD_OFF = _remark(
    "KWS711",
    "threshold-off",
    "OpenKWS13 5.1.3.2",
    (WARNING, WARNING),
    """ATWV is close to MTWV.

    Why: the difference is what the threshold of the decisions costs on this data.
    Bad: ATWV 0.21 with MTWV 0.44
    Good: ATWV 0.43 with MTWV 0.44
    Fix: set the threshold near the one in the message, if other data agrees.
    NIST: KWSEval prints both and draws no conclusion.
    """,
)
EQUAL_SCORES = _remark(
    "KWS712",
    "equal-scores",
    "OpenKWS13 3.5",
    (WARNING, WARNING),
    """Scores differ.

    Why: with equal scores there is one threshold only, and no curve.
    Bad: score="1.0" throughout
    Good: a score that says how likely each detection is
    Fix: write the system's scores.
    NIST: KWSEval takes it.
    """,
)
NEVER_DETECTED = _remark(
    "KWS713",
    "never-detected",
    "OpenKWS13 5.1.2.1",
    (WARNING, WARNING),
    """Most keywords that occur are detected somewhere.

    Why: each keyword counts the same; one without any detection is a TWV of 0 for certain.
    Bad: no detection at all for half of the keywords
    Good: detections below the threshold for every keyword
    Fix: look at keywords that are out of vocabulary, and let the search over-generate.
    NIST: KWSEval counts them as misses.
    """,
)
ELSEWHERE = _remark(
    "KWS714",
    "detections-elsewhere",
    "OpenKWS13 A.5",
    (WARNING, WARNING),
    """Detections lie in the recordings of the references.

    Why: a run of another partition, or names written in another way, finds nothing.
    Bad: files of conv-eval against references of conv-dev
    Good: the files of the references
    Fix: check which data the run was made on.
    NIST: KWSEval drops such detections without a word.
    """,
)
NO_TARGETS = _remark(
    "KWS715",
    "no-keyword-occurs",
    "OpenKWS13 5.1.2.1",
    (WARNING, WARNING),
    """Some keyword of the KWList occurs in the references.

    Why: without any occurrence no TWV is defined; the list may be that of another partition.
    Bad: the KWList of conv-eval with the RTTM of conv-dev
    Good: both of conv-dev
    Fix: give the KWList and the RTTM of the same partition.
    NIST: KWSEval divides by zero.
    """,
)


class Book(NamedTuple):
    """The rules of an evaluation for what scores tell."""

    not_scorable: Rule[object]
    not_scorable_by_tool: Rule[object]
    no_summary: Rule[object]
    threshold_off: Rule[object]
    equal_scores: Rule[object]
    never_detected: Rule[object]
    elsewhere: Rule[object]
    no_targets: Rule[object]


RULES = (
    NOT_SCORABLE,
    NOT_SCORABLE_BY_TOOL,
    NO_SUMMARY,
    THRESHOLD_OFF,
    EQUAL_SCORES,
    NEVER_DETECTED,
    ELSEWHERE,
    NO_TARGETS,
)
BOOK = Book(*RULES)


def forbids(refusal: Refusal) -> bool:
    """Tell whether there are no measures at all; a summary that aborts leaves them."""
    return refusal.obstacle is not Obstacle.NO_ONE_THRESHOLD


def obstacles(opened: OpenRun, refused: tuple[Refusal, ...], book: Book) -> Iterator[tuple[Rule[object], Defect]]:
    """Say why a run cannot be scored."""
    content, header = cast("KwsListFile", opened.content), _header(opened)
    for refusal in refused:
        rule = book.not_scorable if refusal.obstacle in _BY_PLAN_TOO else book.not_scorable_by_tool
        where = header
        if refusal.rows:
            row = refusal.rows[0]
            where = Place(opened.run.file, int(content.table.detections.offset[row]), node=content.node(row))
        yield (rule if forbids(refusal) else book.no_summary), Defect(where, refusal.message)


def standouts(opened: OpenRun, ready: Reference, result: Twv, book: Book) -> Iterator[tuple[Rule[object], Defect]]:
    """Say what stands out in the scores of a run."""
    yield from ((rule, Defect(_header(opened), text)) for rule, text in _standouts(opened, ready, result, book))


def _header(opened: OpenRun) -> Place:
    content = cast("KwsListFile", opened.content)
    return Place(opened.run.file, content.table.offset, node=f"/{content.dialect.root}")


def _standouts(opened: OpenRun, ready: Reference, result: Twv, book: Book) -> Iterator[tuple[Rule[object], str]]:
    content = cast("KwsListFile", opened.content)
    table, words = content.table.detections, content.dialect
    if len(table) > 1 and bool((table.score == table.score[0]).all()):
        yield book.equal_scores, f"all {len(table)} scores are {float(table.score[0]):g}"
    if not len(ready.scored):
        yield book.no_targets, f"no {words.item} of the {words.listed} occurs in the references"
        return
    spoken = set(cast("Tokens", opened.references["rttm"]).files)
    if len(table) and not any(name.rsplit("/", 1)[-1].removesuffix(".sph") in spoken for name in table.files):
        yield book.elsewhere, "no detection lies in a recording of the references"
        return
    silent = np.flatnonzero(result.basis.evaluated & (result.basis.tally.detections == 0))
    if len(silent) and not ready.parameters.pooled:
        names = [ready.keywords.keywords[row].kwid for row in silent[:5].tolist()]
        more = ", ..." if len(silent) > 5 else ""
        count = int(result.basis.evaluated.sum())
        yield (
            book.never_detected,
            f"{len(silent)} of {count} {words.items} that occur have no detection: {', '.join(names)}{more}",
        )
    actual, best, at = (result.values.get(name) for name in ("ATWV", "MTWV", "MTWV_threshold"))
    if actual is not None and best is not None and at is not None and best - actual > _FAR:
        implied = f"; the decisions imply {result.basis.threshold:g}" if result.basis.threshold is not None else ""
        yield (
            book.threshold_off,
            f"ATWV is {actual:.4f}, MTWV {best:.4f}: {at:g} would have been the threshold{implied}",
        )
