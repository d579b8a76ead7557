"""Everything that scoring knows before it sees a system: time base, trials and reference occurrences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from validator.errors import ReferenceDataError
from validator.scoring.lexemes import lexemes, speakers
from validator.scoring.occurrences import occurrences
from validator.scoring.timebase import duration_s, timebase, trials

if TYPE_CHECKING:
    from validator.scoring.conventions import TwvConventions, TwvParameters
    from validator.scoring.lexemes import Lexemes, Speakers
    from validator.scoring.occurrences import Occurrences
    from validator.scoring.timebase import TimeBase
    from validator.tables import Ecf, KeywordList, Tokens


class Reference(NamedTuple):
    """The references under one law; made once, used for any number of systems.

    ``found`` are all occurrences, ``scored`` those that count: with their first word wholly inside of one excerpt
    and their midpoint outside of NOSCORE.
    """

    keywords: KeywordList
    conventions: TwvConventions
    parameters: TwvParameters
    base: TimeBase
    lexemes: Lexemes
    speakers: Speakers
    found: Occurrences
    scored: Occurrences
    duration_s: float
    trials: float


def reference(
    ecf: Ecf, keywords: KeywordList, tokens: Tokens, conventions: TwvConventions, parameters: TwvParameters
) -> Reference:
    """Find the references of all keywords and decide which of them count (3.2, 3.4).

    A kwid that two keywords share raises ReferenceDataError: nothing could be said about either.
    """
    ids = Counter(keyword.kwid for keyword in keywords.keywords)
    if len(ids) < len(keywords.keywords):
        kwid, count = ids.most_common(1)[0]
        raise ReferenceDataError(f"the KWList has kwid {kwid} {count} times; give each keyword a kwid of its own")
    base = timebase(ecf, tokens, conventions)
    table = lexemes(tokens, base.places, conventions, parameters)
    found = occurrences(table, keywords, conventions, parameters)
    middle = (found.begin_s + found.end_s) / 2
    counts = ~base.noscore.hold(found.place, middle, middle)
    if conventions.ecf_filter:
        counts &= base.hold(found.place, found.begin_s, table.end_s[found.first])
    duration = duration_s(base, conventions)
    return Reference(
        keywords=keywords,
        conventions=conventions,
        parameters=parameters,
        base=base,
        lexemes=table,
        speakers=speakers(tokens, base.places, conventions),
        found=found,
        scored=found.at(counts),
        duration_s=duration,
        trials=trials(duration, conventions, parameters),
    )
