"""What reaches a terminal: control characters made visible, widths as displayed, colours where they are wanted."""

from __future__ import annotations

from typing import NamedTuple

_MARKS = ("Mn", "Me")  # they stand on the letter before them
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_COLOURS = {"error": "1;31", "warning": "1;33", "info": "36", "good": "32", "dim": "2", "bold": "1"}


def visible(text: str) -> str:
    """Write every character that could drive a terminal, log or page, or be taken for a blank, as <U+XXXX>."""
    if text.isascii() and text.isprintable():
        return text
    import unicodedata  # noqa: PLC0415 - most reports are ASCII

    return "".join(
        f"<U+{ord(char):04X}>" if char != " " and unicodedata.category(char) in _UNSAFE else char for char in text
    )


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata  # noqa: PLC0415

    return sum(
        0 if unicodedata.category(char) in _MARKS else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def size(count: int) -> str:
    """Return a number of bytes in words."""
    for unit, step in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= step:
            return f"{count / step:.1f} {unit}"
    return f"{count} bytes"


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, given in the plural."""
    return f"{count} {noun.removesuffix('s') if count == 1 else noun}"


class Paint(NamedTuple):
    """Colours, or none."""

    on: bool = False

    def __call__(self, kind: str, text: str) -> str:
        """Colour a text by its kind."""
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self.on else text
