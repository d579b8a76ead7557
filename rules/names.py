"""Family: names that follow a grammar, judged field by field under both laws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Law
from validator.suggest import nearest, quoted, surely

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Run, Submission


def wrong_field_count(run: Run, submission: Submission, start: str = "") -> Iterator[Defect]:
    """Find names with too many or too few fields."""
    grammar = submission.grammar(Law.PLAN, start)
    have, want = len(run.fields), len(grammar.fields)
    if have == want:
        return
    message = f"the name has {have} field{'s' if have != 1 else ''}, {want} expected"
    hint = f"the form is {grammar.shape}"
    odd = next((part for part in run.fields if part.name and not grammar.rule(part.name).accepts(part.text)), None)
    if have > want:
        hint += f"; no value may contain {grammar.separator!r}"
        label = f"<{odd.name}> expected here" if odd is not None else f"field {want + 1} is too many"
        yield Defect(run.name_place(odd or run.fields[want]), message, hint, label)
        return
    label = f"<{odd.name}> expected here" if odd is not None else f"<{grammar.fields[have]}> is missing"
    yield Defect(run.name_place(odd or run.fields[-1]), message, hint, label)


def empty_fields(run: Run, submission: Submission, start: str = "") -> Iterator[Defect]:
    """Find fields without a value."""
    grammar = submission.grammar(Law.PLAN, start)
    for part in run.fields if len(run.fields) == len(grammar.fields) else ():
        if not part.text.strip():
            words = grammar.rule(part.name).words
            yield Defect(run.name_place(part), f"<{part.name}> is empty", f"fill it in: {words}", "nothing here")


def illegal_fields(run: Run, submission: Submission, refused_by: Law, start: str = "") -> Iterator[Defect]:
    """Find fields whose value is refused by exactly these laws: the plan alone, the tool alone, or both."""
    plan, tool = submission.grammar(Law.PLAN, start), submission.grammar(Law.TOOL, start)
    if len(run.fields) != len(plan.fields):
        return
    for part in run.fields:
        by_plan = not plan.rule(part.name).accepts(part.text)
        by_tool = not tool.rule(part.name).accepts(part.text)
        laws = {(True, True): Law.BOTH, (True, False): Law.PLAN, (False, True): Law.TOOL}
        if not part.text.strip() or laws.get((by_plan, by_tool)) is not refused_by:
            continue
        legal = (tool if refused_by is Law.TOOL else plan).rule(part.name)
        guess, sure = nearest(part.text, legal.values), surely(part.text, legal.values)
        message = f"<{part.name}> is {quoted(part.text)}; it must be {legal.words}"
        renamed = f"{run.stem[: part.begin]}{sure}{run.stem[part.end :]}{run.suffix}" if sure else ""
        hint = f"rename the file to {renamed}" if sure else f"rename the file: <{part.name}> is {legal.words}"
        yield Defect(run.name_place(part), message, hint, f"did you mean {guess}?" if guess else "")
