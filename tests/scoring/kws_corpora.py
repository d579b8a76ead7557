"""Small corpora made by hypothesis: everything that the two laws treat differently occurs in them.

Hypothesis draws the sizes and a seed; the seed fills in the details. That is ten times faster than drawing them, and
shrinking still finds the smallest sizes.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.scoring.kws_twin import Corpus, Detection, Span, Token

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = ("f", "g")
CHANNELS = ("1", "2")
WORDS = ("a",) * 8 + ("b",) * 4 + ("A", "c", "ß", "SS", "Σ", "σ")  # noqa: RUF001 - sigma is meant
TEXTS = ("a", "b", "a b", "A a", "a a", "b a", "c b a", "b ss", "ß", "σ a", "zz", "a ς")  # noqa: RUF001 - sigma is meant
SPELLINGS = ("{:.2f}", "{:g}", "{:.1e}", "{:.3f}")


def _place(chance: Random) -> tuple[str, str]:
    return ("f", "1") if chance.random() < 0.6 else (chance.choice(FILES), chance.choice(CHANNELS))


def _grid(chance: Random, low: int, high: int) -> float:
    """Return a time on a grid of 0.05 s, as it is written in a file with two decimals."""
    return round(chance.randint(low // 5, high // 5) * 5 / 100, 2)


def _utterance(chance: Random, words: int) -> Iterator[Token]:
    """Say some words in a row, at times with something in between."""
    place, speaker = _place(chance), chance.choice("st")
    start = time = _grid(chance, 0, 600)
    for _ in range(words):
        duration = chance.choice((0.1, 0.2, 0.25))
        kind = chance.choice(("LEXEME",) * 8 + ("NON-LEX",))
        subtype = chance.choice(("lex",) * 6 + ("frag", "fp"))
        yield Token(kind, *place, time, duration, chance.choice(WORDS), subtype, speaker)
        time = round(time + duration + chance.choice((0.0, 0.05, 0.1, 0.1, 0.5, 0.55)), 2)
    if chance.random() < 0.6:
        begin = max(round(start - chance.choice((0.0, 0.05)), 2), 0.0)
        yield Token("SPEAKER", *place, begin, round(time - begin, 2), speaker=speaker)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Make a corpus of one or two files."""
    chance = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - not for secrets
    excerpts = [
        Span(
            *_place(chance),
            chance.choice((0.0, 0.0, 0.5, 2.05, 3.0)),
            chance.choice((3.0, 25.0, 60.5)),
            chance.choice(("splitcts", "bnews", "cts")),
        )
        for _ in range(draw(st.integers(1, 5)))
    ]
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=8))
    tokens = [token for size in sizes for token in _utterance(chance, size)]
    tokens += [
        Token("NOSCORE", *_place(chance), _grid(chance, 0, 900), _grid(chance, 5, 300))
        for _ in range(draw(st.integers(0, 2)))
    ]
    texts = chance.sample(TEXTS, draw(st.integers(1, 5)))
    keywords = {f"K{number}": text for number, text in enumerate(texts)}
    return Corpus(excerpts, keywords, tokens, chance.choice(("lowercase", "")))


@st.composite
def systems(draw: st.DrawFn, corpus: Corpus, *, one_threshold: bool | None = None) -> dict[str, list[Detection]]:
    """Detect around the words of a corpus; no two scores are equal, some keywords may be left out.

    ``one_threshold`` says whether the decisions follow one; None leaves that to chance.
    """
    chance = Random(draw(st.integers(0, 2**32)))  # noqa: S311 - not for secrets
    lexemes = [token for token in corpus.tokens if token.type == "LEXEME"]
    scores = iter(chance.sample(range(1, 100), 72))
    follows = chance.random() < 0.5 if one_threshold is None else one_threshold
    spelling = chance.choice(SPELLINGS)
    system: dict[str, list[Detection]] = {}
    for kwid, count in zip(corpus.keywords, draw(st.lists(st.integers(-1, 12), min_size=6, max_size=6)), strict=False):
        if count < 0:
            continue
        system[kwid] = []
        for _ in range(count):
            fitting = [token for token in lexemes if token.text == corpus.keywords[kwid][0]] or lexemes
            near = chance.choice(fitting) if fitting and chance.random() < 0.9 else None
            place = _place(chance) if near is None else (near.file, near.channel)
            shift = chance.choice((0.0, 0.0, 0.05, -0.1, 0.5, -0.5, 0.3))
            begin = _grid(chance, 0, 1000) if near is None else max(round(near.begin + shift, 2), 0.0)
            score = next(scores) / 100
            yes = score >= 0.5 if follows else chance.random() < 0.5
            duration = chance.choice((0.0, 0.1, 0.2, 0.25, 0.6))
            system[kwid].append(Detection(*place, begin, duration, score, spelling.format(score), yes))
    return system
