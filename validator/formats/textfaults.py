"""What can be wrong with a text file before its meaning is looked at."""

from __future__ import annotations

from validator.model import Rule, Severity

NOT_TEXT: Rule[object] = Rule(
    "TXT201",
    "not-text",
    "house rule",
    Severity.WARNING,
    Severity.OK,
    """A text file is UTF-8 text.

    Why: everyone who reads it must see the same letters.
    Bad: a Word document renamed to .txt, or text in ISO-8859-1
    Good: the text saved as UTF-8
    Fix: save it as plain text in UTF-8.
    NIST: F4DE does not look at the encoding.
    """,
)
TOO_LONG: Rule[object] = Rule(
    "TXT202",
    "too-long",
    "house rule",
    Severity.ERROR,
    Severity.OK,
    """A system description has at most 4 MB and 50000 lines.

    Why: people read it.
    Bad: a log file of 100 MB as the description
    Good: a few pages
    Fix: keep the description, leave the logs out.
    NIST: F4DE has no limit.
    """,
)

BAD_LINE: Rule[object] = Rule(
    "TXT203",
    "bad-line",
    "OpenKWS13 C",
    Severity.ERROR,
    Severity.ERROR,
    """Every line of an RTTM has nine or ten fields, in UTF-8.

    Why: the fields are told apart by their position only.
    Bad: LEXEME rec1 1 0.5 0.3 word lex spk1
    Good: LEXEME rec1 1 0.5 0.3 word lex spk1 <NA>
    Fix: write <NA> for what is not known.
    NIST: KWSEval stops at any line that has not exactly nine.
    """,
)

RULES = (NOT_TEXT, TOO_LONG, BAD_LINE)
