"""What can be wrong with the form of speed.toml, the side file about processing speed."""

from __future__ import annotations

from validator.model import Rule, Severity

SPEED_FORM: Rule[object] = Rule(
    "LRE611",
    "speed-file-form",
    "house rule; Albayzin 2012 LRE 6.2.2",
    Severity.WARNING,
    Severity.OK,
    """speed.toml, if it is there, has a table [[system]] for each system.

    Why: what cannot be read cannot be computed again. The file is optional, and not part of what is mailed.
    Bad: cpu_seconds = "about an hour"
    Good: [[system]] with condition, id, cpu_seconds, audio_seconds and xrt
    Fix: write numbers without units; cpu is a text, memory_gb a number, and both may be left out.
    NIST: there is no official checker.
    """,
)

RULES = (SPEED_FORM,)
