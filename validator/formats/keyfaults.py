"""What can be wrong with the organizers' files of language recognition: seg.ndx and the key."""

from __future__ import annotations

from validator.model import Rule, Severity

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
OURS = "house rule; Albayzin 2012 LRE 4.1, 6.1"


def _fault(code: str, name: str, cost: Severity, text: str) -> Rule[object]:
    return Rule(code, name, OURS, cost, OK, text)


REFERENCE_LINE = _fault(
    "LRE251",
    "reference-field-count",
    ERROR,
    """A line of seg.ndx is one name; a line of the key has two fields, or three on every line.

    Why: segment and language, or segment, class in Plenty and class in Empty, are told apart by their position only.
    Bad: xxyyffaa Basque OOS in a key whose other lines have two fields
    Good: xxyyffaa Basque
    Fix: write what belongs there; a class that does not count is - (removed) or OOS.
    NIST: there is no official format of the key.
    """,
)
KEY_CLASS = _fault(
    "LRE252",
    "unknown-key-class",
    ERROR,
    """In a key with three fields a class is a target language of its task, OOS, or - for a removed segment.

    Why: a key with one class for each task says exactly what counts as what.
    Bad: xxyyffaa Basque Basque
    Good: xxyyffaa Basque OOS
    Fix: write the language as the plan spells it, OOS or -.
    NIST: there is no official format of the key.
    """,
)
SEGMENT_TWICE = _fault(
    "LRE253",
    "reference-segment-twice",
    ERROR,
    """Every segment is listed once.

    Why: two lines for one segment may contradict each other.
    Bad: two lines xxyyffaa
    Good: one of them
    Fix: remove the second line.
    NIST: there is no official checker.
    """,
)
EMPTY_REFERENCE = _fault(
    "LRE254",
    "empty-reference",
    ERROR,
    """seg.ndx and the key have at least one segment.

    Why: without a segment there is nothing to recognise.
    Bad: a file of 0 bytes
    Good: xxyyffaa
    Fix: write the list again.
    NIST: there is no official checker.
    """,
)
NOT_PLAIN = _fault(
    "LRE255",
    "reference-not-plain-text",
    ERROR,
    """seg.ndx and the key are ASCII text.

    Why: results files are ASCII: a segment with other letters in its name could never be answered.
    Bad: a list saved as "UTF-8 with BOM"
    Good: the same list in ASCII
    Fix: save the file as plain ASCII text.
    NIST: there is no official checker.
    """,
)
NEAR_LANGUAGE = _fault(
    "LRE256",
    "near-language",
    WARNING,
    """A word in the key that is nearly a target language is that language.

    Why: any other word counts as out of set, so that a misspelt language changes the scores in silence.
    Bad: xxyyffaa Basqe
    Good: xxyyffaa Basque
    Fix: write the language as the plan spells it, if it is meant.
    NIST: there is no official checker.
    """,
)

RULES = (REFERENCE_LINE, KEY_CLASS, SEGMENT_TWICE, EMPTY_REFERENCE, NOT_PLAIN, NEAR_LANGUAGE)
