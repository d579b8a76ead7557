"""What scores tell about a run of the Spoken Web Search or of STD 2006 (7xx)."""

from __future__ import annotations

from validator.model import Rule, Severity

from .kwsremarks import Book

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
_CAUSES = ("XML205", "XML207", "XML208", "SWS303", "SWS412")


def _remark(code: str, name: str, cites: str, laws: tuple[Severity, Severity], text: str) -> Rule[object]:
    follows = _CAUSES if code < "SWS710" else ()
    return Rule(code, name, cites, laws[0], laws[1], text, follows=follows)


BOOK = Book(
    not_scorable=_remark(
        "SWS701",
        "stdlist-not-scorable",
        "SWS 2013 measures 2.2",
        (ERROR, ERROR),
        """A run can be scored, and its rates are rates.

        Why: a value that is no number, or an ECF without audio, leaves nothing to compute; with more detections that
        hit nothing than non-target trials, P_FA exceeds 1 and the number of censored trials is negative.
        Bad: score="NaN", or 800 detections of one query in 600 s of audio
        Good: score="-1.25", and at most as many detections of a query as there are trials
        Fix: mend what the message names; of detections that overlap keep the best.
        NIST: STDEval gives numbers that mean nothing.
        """,
    ),
    not_scorable_by_tool=_remark(
        "SWS702",
        "stdlist-not-scorable-by-tool",
        "SWS 2013 measures 2.2",
        (OK, ERROR),
        """A run can be scored by NIST's scorer.

        Why: a query that is not in the term list has no references, and the program stops at it.
        Bad: <detected_termlist termid="sws2013_dev_1" ...>
        Good: <detected_termlist termid="sws2013_dev_001" ...>
        Fix: mend what the message names; --conventions plan scores the rest.
        NIST: STDEval stops.
        """,
    ),
    no_summary=_remark(
        "SWS703",
        "stdlist-without-threshold",
        "SWS 2013 measures 2.1",
        (OK, WARNING),
        """The decisions follow one threshold.

        Why: YES means a score at or above the threshold, for all queries.
        Bad: a YES with 0.41 and a NO with 0.62
        Good: all YES at or above 0.5, all NO below
        Fix: decide by one threshold.
        NIST: STDEval reports "inconsistent" and scores.
        """,
    ),
    threshold_off=_remark(
        "SWS711",
        "misplaced-threshold",
        "SWS 2013 measures 2.3",
        (WARNING, WARNING),
        """ATWV is close to MTWV.

        Why: the difference is what the threshold of the decisions costs on this data.
        Bad: ATWV 0.21 with MTWV 0.44
        Good: ATWV 0.43 with MTWV 0.44
        Fix: set the threshold near the one in the message, if other data agrees.
        NIST: STDEval prints both and draws no conclusion.
        """,
    ),
    equal_scores=_remark(
        "SWS712",
        "one-score-for-all",
        "SWS 2013 measures 1",
        (WARNING, WARNING),
        """Scores differ.

        Why: with equal scores there is one threshold only, no curve, and Cnxe knows nothing.
        Bad: score="1.0" throughout
        Good: a score that says how likely each detection is
        Fix: write the system's scores.
        NIST: STDEval takes it.
        """,
    ),
    never_detected=_remark(
        "SWS713",
        "query-never-detected",
        "SWS 2013 measures 4.1",
        (WARNING, WARNING),
        """Most queries that occur are detected somewhere.

        Why: each query counts the same; one without any detection is a TWV of 0 for certain.
        Bad: no detection at all for half of the queries
        Good: detections below the threshold for every query
        Fix: let the search give detections far below the threshold.
        NIST: STDEval counts them as misses, and warns.
        """,
    ),
    elsewhere=_remark(
        "SWS714",
        "other-recordings",
        "SWS 2013 measures 1",
        (WARNING, WARNING),
        """Detections lie in the recordings of the references.

        Why: a run on other audio, or names written in another way, finds nothing.
        Bad: files of the eval audio against references of the dev audio
        Good: the files of the references
        Fix: check which audio the run was made on.
        NIST: STDEval counts every such detection as a false alarm.
        """,
    ),
    no_targets=_remark(
        "SWS715",
        "no-query-occurs",
        "SWS 2013 measures 2.2",
        (WARNING, WARNING),
        """Some query of the term list occurs in the references.

        Why: queries without references are left out of everything; if all are, nothing is left.
        Bad: the term list of the eval queries with the RTTM of the dev queries
        Good: both of the dev queries
        Fix: give the term list and the RTTM of the same queries.
        NIST: STDEval divides by zero.
        """,
    ),
)
RULES = tuple(getattr(BOOK, name) for name in Book._fields if name != "no_summary")
