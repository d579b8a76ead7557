"""Rules of language-recognition submissions, Albayzin 2012 LRE."""

from __future__ import annotations

from . import general, lreconditions, lredescriptions, lrelines, lrenames, lreremarks, lresegments

RULES = (
    *general.RULES,
    *lrenames.RULES,
    *lresegments.RULES,
    *lrelines.RULES,
    *lreconditions.RULES,
    *lredescriptions.RULES,
    *lreremarks.RULES,
)
