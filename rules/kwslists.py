"""What a KWSList must mean: form that NIST's reader takes (2xx), coverage (3xx), values (4xx)."""

from __future__ import annotations

from . import kwscoverage, kwsdecisions, kwsform, kwsplaces, kwsvalues

RULES = (
    *kwsform.RULES,
    *kwscoverage.RULES,
    *kwsplaces.RULES,
    *kwsvalues.RULES,
    *kwsdecisions.RULES,
)
