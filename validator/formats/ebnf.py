"""Names by grammar: EBNF compiled to regular expressions with named fields.

Dialect: ``NAME = expression ;`` with literals in quotes, ``|``, ``[ ]``, ``{ }``, ``( )`` and comments ``(* *)``.
Built in: ``letter``, ``digit``, ``nonzero``, ``alnum``, ``any`` for any character but the underscore, and ``undotted``
for any but underscore and dot. A rule ``NAME@tool`` replaces NAME under the official tool's law. A comment behind a
rule on its line says in words what it allows. Recursion is not a thing that names need: it is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from validator.bundled import schema
from validator.errors import ProfileError
from validator.model import Law

_TOKEN = re.compile(
    r"""\s+|(?P<name>[A-Za-z][A-Za-z0-9-]*(?:@tool)?)|(?P<text>"[^"]*"|'[^']*')|(?P<mark>[=;|{}()\[\]])"""
)
_RULE = re.compile(r"^([A-Za-z][A-Za-z0-9-]*(?:@tool)?)\s*=\s*([^;]*);[ \t]*(?:\(\*(.*?)\*\))?", re.MULTILINE)
_BLOCK_COMMENT = re.compile(r"^[ \t]*\(\*.*?\*\)", re.MULTILINE | re.DOTALL)  # not behind a rule: no words for it
_BUILT_IN = {
    "letter": "[A-Za-z]",
    "digit": "[0-9]",
    "nonzero": "[1-9]",
    "alnum": "[A-Za-z0-9]",
    "any": "[^_]",
    "undotted": "[^_.]",
}


class FieldRule(NamedTuple):
    """What one field may be: a pattern, its legal values if they can be listed, and words for it."""

    name: str
    pattern: re.Pattern[str]
    values: tuple[str, ...]
    words: str

    def accepts(self, text: str) -> bool:
        """Tell whether the text is legal."""
        return self.pattern.fullmatch(text) is not None


class Field(NamedTuple):
    """A part of a name: the field it should be, its text and its place in the name."""

    name: str
    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """A compiled grammar under one law."""

    rules: dict[str, str]
    comments: dict[str, str]
    fields: tuple[str, ...]
    separator: str
    compiled: dict[str, FieldRule] = field(default_factory=dict)
    patterns: dict[str, str] = field(default_factory=dict)

    def rule(self, name: str) -> FieldRule:
        """Return the rule of one field."""
        if name not in self.compiled:
            self.compiled[name] = self._compile(name)
        return self.compiled[name]

    def _compile(self, name: str) -> FieldRule:
        if name not in self.rules:
            raise ProfileError(f"{name} is not defined")
        values = _alternatives(self.rules[name])
        words = " or ".join(values) if len(values) < 3 else f"{', '.join(values[:-1])} or {values[-1]}"
        return FieldRule(name, re.compile(self.pattern(name)), values, words or self.comments.get(name, ""))

    def pattern(self, name: str) -> str:
        """Return the regular expression of a rule."""
        if name not in self.patterns:
            self.patterns[name] = _expression(_tokens(self.rules[name]), self, (name,))
        return self.patterns[name]

    def sequence(self, name: str) -> tuple[str, ...]:
        """Return the names in a rule, in their order."""
        return tuple(text for kind, text in _tokens(self.rules[name]) if kind == "name")

    def split(self, text: str) -> tuple[Field, ...]:
        """Cut a name at its separator; the fields are named as far as there are names.

        The first field takes the surplus parts if it may have the separator inside and no fewer fields are legal then.
        """
        parts = text.split(self.separator) if self.separator else [text]
        surplus = len(parts) - len(self.fields)
        if surplus > 0:
            joined = [self.separator.join(parts[: surplus + 1]), *parts[surplus + 1 :]]
            if self.rule(self.fields[0]).accepts(joined[0]) and self._legal(joined) >= self._legal(parts):
                parts = joined
        found, begin = [], 0
        for rank, part in enumerate(parts):
            name = self.fields[rank] if rank < len(self.fields) else ""
            found.append(Field(name, part, begin, begin + len(part)))
            begin += len(part) + len(self.separator)
        return tuple(found)

    def _legal(self, parts: list[str]) -> int:
        return sum(self.rule(name).accepts(part) for name, part in zip(self.fields, parts, strict=False))

    @property
    def shape(self) -> str:
        """The name as people write it down: TAG_<TEAM>_..."""
        return self.separator.join(f"<{name}>" for name in self.fields)


@cache
def load(name: str, start: str, law: Law) -> Grammar:
    """Compile a bundled grammar whose start rule is a sequence of fields between equal separators."""
    rules: dict[str, str] = {}
    comments: dict[str, str] = {}
    for rule, body, comment in _RULE.findall(_BLOCK_COMMENT.sub("", schema(name))):
        base = rule.removesuffix("@tool")
        if rule == base or law is Law.TOOL:
            rules[base] = body.strip()
            comments[base] = comment.strip() or comments.get(base, "")
    tokens = _tokens(rules.get(start, ""))
    fields = tuple(text for kind, text in tokens[::2] if kind == "name")
    separators = {text[1:-1] for kind, text in tokens[1::2] if kind == "text"}
    if len(tokens) != 2 * len(fields) - 1 or len(separators) != min(1, len(fields) - 1) or "" in separators:
        raise ProfileError(f"{name}: {start} must be fields between equal separators")
    return Grammar(rules, comments, fields, separators.pop() if separators else "")


def _tokens(text: str) -> list[tuple[str, str]]:
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ProfileError(f"not EBNF: {text[position : position + 20]!r}")
        if match.lastgroup is not None:
            found.append((match.lastgroup, match[0]))
        position = match.end()
    return found


def _alternatives(body: str) -> tuple[str, ...]:
    """Return the values of a rule that is a plain choice of literals, else nothing."""
    tokens = _tokens(body)
    plain = [text[1:-1] for kind, text in tokens[::2] if kind == "text"]
    choice = all(token == ("mark", "|") for token in tokens[1::2]) and len(plain) == len(tokens[::2])
    return tuple(plain) if choice else ()


_CLOSING = {"{": ")*", "[": ")?", "(": ")"}
_PAIRS = {"{": "}", "[": "]", "(": ")"}


def _expression(tokens: list[tuple[str, str]], grammar: Grammar, within: tuple[str, ...]) -> str:
    parts: list[str] = []
    pending: list[str] = []
    for kind, text in tokens:
        if kind == "text":
            parts.append(re.escape(text[1:-1]))
        elif kind == "name":
            parts.append(_reference(text, grammar, within))
        elif text in _PAIRS:
            pending.append(text)
            parts.append("(?:")
        elif text == "|":
            parts.append("|")
        elif pending and text == _PAIRS[pending[-1]]:
            parts.append(_CLOSING[pending.pop()])
        else:
            raise ProfileError(f"unbalanced {text} in {within[0]}")
    if pending:
        raise ProfileError(f"unbalanced {pending[-1]} in {within[0]}")
    return f"(?:{''.join(parts)})"


def _reference(name: str, grammar: Grammar, within: tuple[str, ...]) -> str:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if name in within or name not in grammar.rules:
        raise ProfileError(f"{name} in {within[0]} is {'recursive' if name in within else 'not defined'}")
    inner = _expression(_tokens(grammar.rules[name]), grammar, (*within, name))
    return f"(?P<{name}>{inner})" if len(within) == 1 and name in grammar.fields else inner
