"""The LEXEME and SPEAKER records of an RTTM, and which LEXEME follows which (OpenKWS13 plan 3.2, appendix C)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.scoring.conventions import ChainOrder
from validator.scoring.timeline import rounded
from validator.scoring.wording import filtered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from validator.scoring.conventions import TwvConventions, TwvParameters
    from validator.scoring.places import Places
    from validator.tables import Codes, Flags, Floats, Tokens

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lexemes:
    """The LEXEME records after the prefilters, in file order; ``text`` is an index into ``texts``."""

    place: Codes
    speaker: Codes
    begin_s: Floats
    end_s: Floats
    text: Codes
    opens: Flags  # may be the first word of a keyword
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.text)


class Speakers(NamedTuple):
    """The SPEAKER records: who holds the turn; ``speaker`` is numbered as in the Lexemes."""

    place: Codes
    speaker: Codes
    begin_s: Floats
    end_s: Floats


class Chain(NamedTuple):
    """``after`` is the row of the LEXEME that follows, or -1; ``position`` numbers the rows along their chains."""

    after: Rows
    position: Rows


def lexemes(tokens: Tokens, places: Places, conventions: TwvConventions, parameters: TwvParameters) -> Lexemes:
    """Take the LEXEME records of an RTTM; one that the prefilters split becomes several of equal length.

    The parts last duration / parts, and their times have three decimals.
    """
    rows = _rows(tokens, "LEXEME")
    parts = [_parts(one, parameters.text_filter) for one in tokens.texts]
    texts = tuple(dict.fromkeys(word for part in parts for word in part))
    number = {word: code for code, word in enumerate(texts)}
    flat = np.array([number[word] for part in parts for word in part], dtype=np.int32)
    count = np.array([len(part) for part in parts], dtype=np.int64)
    each = count[tokens.text[rows]]
    from_row = np.repeat(rows, each)
    rank = np.arange(len(from_row)) - np.repeat(np.cumsum(each) - each, each)
    begin, length = tokens.begin_s[from_row], tokens.duration_s[from_row]
    split = np.repeat(each > 1, each)
    if split.any():
        length[split] = rounded(length[split] / np.repeat(each, each)[split], 3)
        begin[split] = rounded(begin[split] + rank[split] * length[split], 3)
    skipped = np.array([name in conventions.skipped_first_subtypes for name in tokens.subtypes], dtype=bool)
    return Lexemes(
        place=places.codes(tokens.file[from_row], tokens.channel[from_row], tokens.files, tokens.channels),
        speaker=tokens.speaker[from_row],
        begin_s=begin,
        end_s=rounded(begin + length, conventions.end_decimals),
        text=flat[(np.cumsum(count) - count)[tokens.text[from_row]] + rank],
        opens=~skipped[tokens.subtype[from_row]],
        texts=texts,
    )


def speakers(tokens: Tokens, places: Places, conventions: TwvConventions) -> Speakers:
    """Take the SPEAKER records of an RTTM."""
    rows = _rows(tokens, "SPEAKER")
    place = places.codes(tokens.file[rows], tokens.channel[rows], tokens.files, tokens.channels)
    begin = tokens.begin_s[rows]
    end = rounded(begin + tokens.duration_s[rows], conventions.end_decimals)
    return Speakers(place, tokens.speaker[rows], begin, end)


def _rows(tokens: Tokens, kind: str) -> Rows:
    return np.flatnonzero(tokens.type == (tokens.types.index(kind) if kind in tokens.types else -1))


def _parts(text: str, text_filter: tuple[str, ...]) -> tuple[str, ...]:
    after = filtered(text, text_filter)
    return (text,) if after == text else tuple(after.split()) or ("",)


def chain(table: Lexemes, conventions: TwvConventions) -> Chain:
    """Link the LEXEMEs of a place, or of a speaker there, in the order that the law knows."""
    line = table.place.astype(np.int64)
    if conventions.same_speaker:
        line = line * (int(table.speaker.max(initial=0)) + 1) + table.speaker
    by_file = np.argsort(line, kind="stable")
    by_time = by_file
    if conventions.chain_order is ChainOrder.TIME:
        # Lines that begin together are put in order by what they say: the order of the RTTM must not matter.
        alphabetic = np.empty(len(table.texts), dtype=np.int64)
        alphabetic[sorted(range(len(table.texts)), key=table.texts.__getitem__)] = np.arange(len(table.texts))
        by_time = by_file = np.lexsort((alphabetic[table.text], table.end_s, table.begin_s, line))
    elif conventions.chain_order is ChainOrder.CROSSED:
        by_time = np.lexsort((table.begin_s, line))
    after = np.full(len(table), -1, dtype=np.int64)
    linked = line[by_file[1:]] == line[by_file[:-1]]
    after[by_file[:-1][linked]] = by_time[1:][linked]
    position = np.empty(len(table), dtype=np.int64)
    position[by_file] = np.arange(len(table))
    return Chain(after, position)
