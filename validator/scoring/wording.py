"""The words of keywords and LEXEMEs: prefilters for languages written without blanks, and letter case.

Prefilters apply to the text of a keyword and of each LEXEME, before letter case (OpenKWS13 plan 3.3; F4DE's -x)::

    charsplit      a blank between all characters
    notASCII       then, twice, an ASCII character, blanks and an ASCII character are joined (a blank is ASCII, too)
    deleteHyphens  then each hyphen becomes a blank

The last two do nothing without the first. What is blank in the end separates words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.scoring.conventions import CaseRule

if TYPE_CHECKING:
    from collections.abc import Callable

_SPLIT, _ASCII, _HYPHENS = "charsplit", "notascii", "deletehyphens"
_ASCII_PAIR = re.compile(r"([\x00-\x7f])\s+([\x00-\x7f])")


def filtered(text: str, text_filter: tuple[str, ...]) -> str:
    """Apply the prefilters that are named, in whatever letter case."""
    names = {name.lower() for name in text_filter}
    if _SPLIT not in names:
        return text
    text = " ".join(text)
    if _ASCII in names:
        text = _ASCII_PAIR.sub(r"\1\2", _ASCII_PAIR.sub(r"\1\2", text))
    return text.replace("-", " ") if _HYPHENS in names else text


def escaped(text: str) -> str:
    """Return a text as it stands in an XML file: a scorer that does not decode entities compares this."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def lowered(text: str) -> str:
    """Lower each character alone: the whole-word rule for a final sigma does not apply."""
    return text.lower() if "Σ" not in text else "".join(map(str.lower, text))


def comparable(rule: CaseRule, compare_normalize: str) -> Callable[[str], str]:
    """Return the function that makes two words equal that are equal under ``rule``."""
    lower = lowered if compare_normalize == "lowercase" else str
    if rule is CaseRule.AS_LISTED:
        return lower
    return lambda text: lower(text).casefold()
