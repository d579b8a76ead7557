"""What scores tell about a language-recognition run (7xx): why it cannot be scored, and the calibration hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, Rule, Severity
from validator.scoring.crossentropy import Caution, calibration_hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.scoring.crossentropy import CalibrationHint, Measures
    from validator.scoring.margins import EmptyClasses

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
_LINES = ("LRE201", "LRE202", "LRE204", "LRE205", "LRE206", "LRE301", "LRE302", "LRE303", "LRE304", "LRE403", "LRE413")


def _remark(  # noqa: PLR0913 - keywords of a declaration, not parameters of a computation
    code: str, name: str, cites: str, cost: Severity, text: str, *, follows: tuple[str, ...] = ()
) -> Rule[object]:
    return Rule(code, name, f"Albayzin 2012 LRE {cites}", cost, OK, text, follows=follows)


NOT_SCORABLE = _remark(
    "LRE701",
    "segments-not-scorable",
    "4.2, 6.3",
    ERROR,
    """The condition can be told, and every segment that counts in it has exactly one line with all its scores.

    Why: the cost is a mean over all segments of a language; without an answer, or with two, there is none.
    Bad: a segment of the key without a line
    Good: a line for each
    Fix: mend the lines that the message names.
    NIST: there is no official checker; the organizers' script stops.
    """,
    follows=_LINES,
)
EMPTY_CLASS = _remark(
    "LRE702",
    "class-without-segments",
    "4.2 eq. 6",
    WARNING,
    """The key has segments of every class that takes part in the condition.

    Why: the cost divides by the number of segments of each class, so that the condition has no measures.
    Bad: a key without a segment in Galician
    Good: segments of all six languages, and of OOS for open-set conditions
    Fix: nothing in the results: the organizers' key decides. --set drop_empty_classes=true leaves the class out.
    NIST: the organizers' script stops, too.
    """,
)
CALIBRATION_LOSS = _remark(
    "LRE711",
    "calibration-loss",
    "4.3 eq. 14",
    WARNING,
    """Little of Fact is lost by calibration: Fcal is at most 0.2.

    Why: Fcal is what a scale and an offset for each language would have saved, without any better recognition.
    Bad: Fact 0.244 with Fdis 0.140
    Good: Fact 0.146 with Fdis 0.140
    Fix: learn scale and offsets on development data, for instance by multiclass logistic regression.
    NIST: the organizers' script prints the measures and draws no conclusion.
    """,
    follows=("LRE712",),
)
WRONG_SIGN = _remark(
    "LRE712",
    "wrong-sign",
    "4.3 eq. 11",
    WARNING,
    """A higher score means that the language is more likely.

    Why: the best scale for the scores is not positive: they say the opposite of what they should, or nothing.
    Bad: distances, or negated log-likelihoods
    Good: log-likelihoods
    Fix: change the sign of the scores, if that is the reason.
    NIST: the organizers' script prints the measures and draws no conclusion.
    """,
)
AS_DEFAULT = _remark(
    "LRE713",
    "no-better-than-default",
    "4.2 eq. 10",
    WARNING,
    """Fact is below 1.

    Why: a system that knows nothing, and writes equal scores throughout, has Fact = 1.
    Bad: Fact 1.37
    Good: Fact 0.2
    Fix: look at the scale of the scores, their sign, and the order of the columns.
    NIST: the organizers' script prints the measures and draws no conclusion.
    """,
    follows=("LRE712",),
)

RULES = (NOT_SCORABLE, EMPTY_CLASS, CALIBRATION_LOSS, WRONG_SIGN, AS_DEFAULT)


def unanswered(file: str, count: int, example: str) -> tuple[Rule[object], Defect]:
    """Say that segments which count have no answer."""
    message = (
        f"{count} segment{'s' if count > 1 else ''} that count{'' if count > 1 else 's'} cannot be scored: {example}"
    )
    return NOT_SCORABLE, Defect(Place(file), message, count=count)


def nothing_to_score(file: str, reason: str) -> tuple[Rule[object], Defect]:
    """Say that nobody can tell what the scores are for, or that there are none."""
    why = "a score belongs to a language by its position, and which languages these are the condition tells"
    hint = "write lines as the plan has them, and give the file the name of its condition"
    return NOT_SCORABLE, Defect(Place(file), reason, hint, why=why)


def empty_classes(file: str, refused: EmptyClasses) -> tuple[Rule[object], Defect]:
    """Say which classes have no segment."""
    return EMPTY_CLASS, Defect(Place(file), refused.reason)


def remarks(file: str, found: Measures) -> Iterator[tuple[Rule[object], Defect]]:
    """Say what a participant should hear even if nobody asks."""
    hint = calibration_hint(found)
    where, confusion = Place(file), found.confusion
    told = {
        Caution.SCALE_NOT_POSITIVE: (WRONG_SIGN, f"the best scale for these scores is {_scale(hint)}", ""),
        Caution.NO_BETTER_THAN_DEFAULT: (
            AS_DEFAULT,
            f"Fact is {confusion.fact:.4g}; writing nothing but 0 gives 1",
            "",
        ),
        Caution.CALIBRATION_LOSS: (
            CALIBRATION_LOSS,
            f"{_share(hint)} of Fact {confusion.fact:.4g} is calibration loss: {confusion.fdis:.4g} would be possible",
            _recipe(found, hint),
        ),
    }
    for caution in hint.cautions:
        rule, message, fix = told[caution]
        yield rule, Defect(where, message, fix)


def _scale(hint: CalibrationHint) -> str:
    return f"{hint.calibration.scale:.4g}" if hint.calibration.scale is not None else "below 0"


def _share(hint: CalibrationHint) -> str:
    return f"{100 * hint.share:.0f} %" if hint.share is not None else "a part"


def _recipe(found: Measures, hint: CalibrationHint) -> str:
    best = hint.calibration
    if best.scale is None or best.offsets is None:
        return ""
    offsets = ", ".join(f"{name} {offset:+.4g}" for name, offset in zip(found.classes, best.offsets, strict=True))
    return (
        f"on this data, the scores times {best.scale:.4g} with the offsets {offsets} would have removed it; "
        "learn such values on other data"
    )
