"""What can be wrong with the lines of a results file of language recognition (Albayzin 2012 LRE plan, 6.1.3)."""

from __future__ import annotations

from validator.model import Rule, Severity

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
LINES = "Albayzin 2012 LRE 6.1.3"
OURS = "house rule; Albayzin 2012 LRE 6.1.3"


def _fault(code: str, name: str, cites: str, cost: Severity, text: str) -> Rule[object]:
    # What else is in the file can be scored; segments that have no score left are told by the scorer.
    return Rule(code, name, cites, cost, OK, text, scorable=True)


NOT_ASCII = _fault(
    "LRE201",
    "not-plain-text",
    OURS,
    ERROR,
    """A results file is plain text: ASCII letters, digits, signs and blanks.

    Why: task codes, segment names and numbers need no other bytes; a byte order mark sticks to the first code.
    Bad: a file saved as "UTF-8 with BOM", or with a minus sign that is really a dash
    Good: the same file in ASCII, or UTF-8 without a byte order mark
    Fix: save the file as plain ASCII text.
    NIST: there is no official checker.
    """,
)
FIELD_COUNT = _fault(
    "LRE202",
    "wrong-field-count",
    LINES,
    ERROR,
    """A line has n+4 blank-separated fields: task, mode, segment, n languages, OOS; n is 6 for Plenty, 4 for Empty.

    Why: a line has n+4 blank-separated fields, n=6 for Plenty and n=4 for Empty.
    Bad: Plenty Closed gghhjjbb 0.3421 -0.9734 -1.5671 -3.0087 -9.3215 -3.7666
    Good: Plenty Closed gghhjjbb 0.3421 -0.9734 -1.5671 -3.0087 -9.3215 -3.7666 0.0000
    Fix: write a score for each language of the task and for OOS; closed-set systems write a constant such as 0.0000.
    NIST: there is no official checker.
    """,
)
EMPTY_LINE = _fault(
    "LRE203",
    "empty-line",
    OURS,
    ERROR,
    """There is no empty line between results.

    Why: every line is the result of a segment; an empty one hints at a result that was lost.
    Bad: a line, an empty line, a line
    Good: a line, a line
    Fix: delete the empty line, or write the result that belongs there.
    NIST: there is no official checker.
    """,
)
EMPTY_FILE = _fault(
    "LRE204",
    "empty-results",
    LINES,
    ERROR,
    """A results file has a line for each segment.

    Why: results must include all the test segments.
    Bad: a file of 0 bytes
    Good: Plenty Closed xxyyffaa -0.5678 -0.0034 0.6723 1.4332 -7.0032 5.0065 0.0000
    Fix: write the results; look whether the disk was full when the file was written.
    NIST: there is no official checker.
    """,
)
NOT_A_NUMBER = _fault(
    "LRE205",
    "score-not-a-number",
    OURS,
    ERROR,
    """A score is a decimal number in ASCII digits: a sign, a point and an exponent such as e-05 may be there.

    Why: everyone who reads the file must read the same number.
    Bad: 0,5 or 1_000 or 0x1p3 or 1d5
    Good: 0.5 or 1000 or 8 or 1e5
    Fix: write a decimal number.
    NIST: there is no official checker.
    """,
)
NOT_FINITE = _fault(
    "LRE206",
    "score-not-finite",
    "Albayzin 2012 LRE 4.1",
    ERROR,
    """All scores are finite, that of OOS in closed-set files too.

    Why: scores are log-likelihoods; with an infinite or undefined one the cost of the segment is infinite or undefined.
    Bad: nan, -inf, or 1e400, which is larger than any double
    Good: -1000
    Fix: write a finite number; a log-likelihood of a probability of 0 wants a floor.
    NIST: there is no official checker; its scoring scripts would spread the NaN over the whole result.
    """,
)
BLANKS = _fault(
    "LRE207",
    "blank-spacing",
    OURS,
    WARNING,
    """One blank stands between two fields, none in front of the first and none behind the last.

    Why: tabs and runs of blanks are read like one blank, but not by every program.
    Bad: columns aligned with many blanks, or separated by tabs
    Good: Plenty Closed xxyyffaa -0.5678 -0.0034 0.6723 1.4332 -7.0032 5.0065 0.0000
    Fix: nothing, if you use subgate pack: it writes single blanks.
    NIST: there is no official checker.
    """,
)
CRLF = _fault(
    "LRE208",
    "windows-line-ends",
    OURS,
    WARNING,
    """Lines end in LF.

    Why: a CR LF line end is read, too, but a careless program makes the CR a part of the last score.
    Bad: a file with Windows line ends (CR LF)
    Good: the same file with LF
    Fix: nothing, if you use subgate pack: it writes LF; or convert the file with dos2unix.
    NIST: there is no official checker.
    """,
)
FILE_END = _fault(
    "LRE209",
    "ragged-end",
    OURS,
    WARNING,
    """The file ends with the line end of its last result.

    Why: a missing line end can mean that the file was cut off; empty lines at the end hint at results that were lost.
    Bad: a last line without line end, or empty lines behind it
    Good: a last line that ends in LF, and nothing behind it
    Fix: look whether the last result is complete; subgate pack writes the end as it should be.
    NIST: there is no official checker.
    """,
)

RULES = (NOT_ASCII, FIELD_COUNT, EMPTY_LINE, EMPTY_FILE, NOT_A_NUMBER, NOT_FINITE, BLANKS, CRLF, FILE_END)
