"""What can be wrong with a TOML file before its meaning is looked at."""

from __future__ import annotations

from validator.model import Rule, Severity

NOT_TOML: Rule[object] = Rule(
    "TOM201",
    "not-toml",
    "house rule",
    Severity.ERROR,
    Severity.OK,
    """A file that is filled in for machines is TOML, in UTF-8, and has at most 1 MB.

    Why: what cannot be read cannot be checked.
    Bad: cpu_model = Intel Xeon
    Good: cpu_model = "Intel Xeon"
    Fix: put texts between double quotes, write numbers with a point and without a unit, and each key once.
    NIST: no official tool reads it.
    """,
)

RULES = (NOT_TOML,)
