"""What the lines of a results file must mean: their codes and values (4xx)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from validator.model import Defect, Law, Place, Severity, rule, sampled
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.languagescores import LanguageScores
    from validator.submission import OpenRun
    from validator.tables import Flags

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
LINES = "Albayzin 2012 LRE 6.1.3"
_SUM = 1e-3  # by which probabilities written with few digits may miss 1


def results(opened: OpenRun) -> LanguageScores:
    """Return the lines of a run."""
    assert opened.content is not None  # noqa: S101 - every rule here needs the content
    return cast("LanguageScores", opened.content.table)


def condition(opened: OpenRun) -> tuple[str, str] | None:
    """Return task and mode of the condition in the file's name, if it has a legal one."""
    how = opened.submission.profile
    codes = dict(how.scoring.plan).get(opened.run.values.get(how.primaries.condition[0], ""))
    return (codes[0], codes[1]) if isinstance(codes, tuple) and len(codes) == 2 else None


def place_of(opened: OpenRun, row: int, field: int) -> Place:
    """Return the place of a field, by its number from 1, in a line."""
    table = results(opened)
    node = f"field {field} ({table.columns[field - 1]})"
    return Place(opened.run.file, int(table.offset[row]), str(field), node)


def task_fits(opened: OpenRun, task: str) -> bool:
    """Tell whether the lines have the columns of a task."""
    return opened.submission.grammar(Law.PLAN).sequence(task) == results(opened).columns


def legible(opened: OpenRun) -> Flags:
    """Tell which lines are results: with a score that is a number, or with the codes of a condition in any letter case.

    Of any other line (a header, a line whose fields run together) nobody can say which field is what; that it cannot be
    read is told where it is, and no more follows from it.
    """
    table = results(opened)
    if table.usable.all():
        return table.usable
    pairs = [pair for _, pair in opened.submission.profile.scoring.plan if isinstance(pair, tuple)]
    words = {word.casefold() for pair in pairs for word in pair}
    known = [number for number, text in enumerate(table.codes) if text.casefold() in words]
    coded = np.isin(table.task, known) & np.isin(table.mode, known)
    return coded | ~np.isnan(table.scores).all(axis=1)


def _code_defects(opened: OpenRun, field: int) -> Iterator[Defect]:
    table, wanted = results(opened), condition(opened)
    if wanted is None:
        return
    expected, numbers = wanted[field - 1], (table.task, table.mode)[field - 1]
    right = table.codes.index(expected) if expected in table.codes else -1
    for row, count in sampled(np.flatnonzero((numbers != right) & opened.once(legible))):
        label = f"did you mean {expected}?" if table.codes[numbers[row]].casefold() == expected.casefold() else ""
        message = f"the {('task', 'mode')[field - 1]} code is {{value}}; {opened.run.file.rsplit('/', 1)[-1]} has "
        hint = f"write {expected}, or give the file the name of its condition"
        yield Defect(place_of(opened, row, field), f"{message}{expected}", hint, label, count=count)


@rule("LRE401", "wrong-task-code", cites="Albayzin 2012 LRE 6.1.3, 6.2.1", plan=ERROR, tool=OK, needs=("content",))
def wrong_task_code(opened: OpenRun) -> Iterator[Defect]:
    """The first field is the task of the condition in the file's name: Plenty for PC and PO, Empty for EC and EO.

    Why: name and lines say the same; which of them is wrong nobody can know.
    Bad: Empty Closed ... in GTTS_PC_pri.out
    Good: Plenty Closed ... in GTTS_PC_pri.out
    Fix: correct the code, or the file's name; small and capital letters differ.
    NIST: there is no official checker.
    """
    yield from _code_defects(opened, 1)


@rule("LRE402", "wrong-mode-code", cites="Albayzin 2012 LRE 6.1.3, 6.2.1", plan=ERROR, tool=OK, needs=("content",))
def wrong_mode_code(opened: OpenRun) -> Iterator[Defect]:
    """The second field is the mode of the condition in the file's name: Closed for PC and EC, Open for PO and EO.

    Why: name and lines say the same; which of them is wrong nobody can know.
    Bad: Plenty Closed ... in GTTS_PO_pri.out
    Good: Plenty Open ... in GTTS_PO_pri.out
    Fix: correct the code, or the file's name; small and capital letters differ.
    NIST: there is no official checker.
    """
    yield from _code_defects(opened, 2)


@rule("LRE403", "columns-of-other-task", cites=LINES, plan=ERROR, tool=OK, needs=("content",), follows=("LRE401",))
def columns_of_other_task(opened: OpenRun) -> Iterator[Defect]:
    """The lines have as many fields as the task of the condition asks for: 10 for Plenty, 8 for Empty.

    Why: a score belongs to a language by its position; the tasks have other languages.
    Bad: lines with 8 fields in GTTS_PC_pri.out
    Good: lines with 10 fields in GTTS_PC_pri.out
    Fix: write the scores of all languages of the task, or give the file the name of its condition.
    NIST: there is no official checker.
    """
    table, wanted = results(opened), condition(opened)
    if wanted is None or not len(table):
        return
    if not task_fits(opened, wanted[0]):
        have, want = len(table.columns), len(opened.submission.grammar(Law.PLAN).sequence(wanted[0]))
        message = f"the lines have {have} fields; those of {wanted[0]} have {want}"
        where = Place(opened.run.file, int(table.offset[0]), str(min(have, want) + 1))
        yield Defect(where, message, label="missing" if have < want else "too many", count=len(table))


@rule("LRE411", "probabilities", cites="Albayzin 2012 LRE 4.1", plan=WARNING, tool=OK, needs=("content",))
def probabilities(opened: OpenRun) -> Iterator[Defect]:
    """Scores are log-likelihoods, not probabilities.

    Why: scores that lie between 0 and 1 and sum up to 1 look like posterior probabilities; as log-likelihoods they say
        next to nothing, and the cost is nearly that of the default system.
    Bad: Plenty Closed xxyyffaa 0.90 0.02 0.02 0.02 0.02 0.02 0.00
    Good: Plenty Closed xxyyffaa -0.11 -3.91 -3.91 -3.91 -3.91 -3.91 0.00
    Fix: write the natural logarithm of the likelihoods.
    NIST: there is no official checker.
    """
    table = results(opened)
    scores = table.scores[table.usable]
    if not len(scores):
        return
    targets = scores[:, :-1]
    if targets.min() >= 0 and targets.max() <= 1:
        sums = (targets.sum(axis=1), scores.sum(axis=1) if scores[:, -1].min() >= 0 else targets.sum(axis=1))
        if any(np.abs(total - 1).max() < _SUM for total in sums if np.isfinite(total).all()):
            where = Place(opened.run.file, int(table.offset[np.flatnonzero(table.usable)[0]]), "4", "field 4")
            yield Defect(where, "the scores of each line lie between 0 and 1 and sum up to 1")


@rule("LRE412", "says-nothing", cites="Albayzin 2012 LRE 4.2", plan=WARNING, tool=OK, needs=("content",))
def says_nothing(opened: OpenRun) -> Iterator[Defect]:
    """Some line has different scores for different languages.

    Why: equal scores for all languages are the default system, which knows nothing and has Fact = 1.
    Bad: 0.0000 in all columns of all lines
    Good: the system's scores
    Fix: write the system's scores; look whether a default was never replaced.
    NIST: there is no official checker.
    """
    table = results(opened)
    targets = table.scores[table.usable][:, :-1]
    if len(targets) and (targets == targets[:, :1]).all():
        where = Place(opened.run.file, int(table.offset[np.flatnonzero(table.usable)[0]]), "4", "field 4")
        message = f"every line has one and the same score for all {targets.shape[1]} languages"
        yield Defect(where, message)


@rule("LRE413", "code-of-no-condition", cites=LINES, plan=ERROR, tool=OK, needs=("content",))
def code_of_no_condition(opened: OpenRun) -> Iterator[Defect]:
    """Where the file's name tells no condition, all lines still have the codes of one: Plenty or Empty, Closed or Open.

    Why: without the codes nobody knows what the scores are for.
    Bad: plenty closed ... in system.out
    Good: Plenty Closed ... in GTTS_PC_pri.out
    Fix: write the codes as the plan spells them, the same on every line, and give the file its name.
    NIST: there is no official checker.
    """
    table, rows = results(opened), np.flatnonzero(opened.once(legible))
    if condition(opened) is not None or not len(rows):
        return
    known = [pair for _, pair in opened.submission.profile.scoring.plan if isinstance(pair, tuple)]
    first = (table.codes[table.task[rows[0]]], table.codes[table.mode[rows[0]]])
    for field, numbers in ((1, table.task[rows]), (2, table.mode[rows])):
        legal = sorted({pair[field - 1] for pair in known})
        wrong = numbers != numbers[0] if first[field - 1] in legal else np.ones(len(numbers), dtype=bool)
        for row, count in sampled(rows[wrong]):
            word = table.codes[(table.task, table.mode)[field - 1][row]]
            expected = first[field - 1] if first[field - 1] in legal else nearest(word, legal) or " or ".join(legal)
            message = f"the {('task', 'mode')[field - 1]} code is {quoted(word)}; {expected} is expected"
            yield Defect(place_of(opened, row, field), message, f"write {expected}", count=count)


RULES = (
    wrong_task_code,
    wrong_mode_code,
    columns_of_other_task,
    probabilities,
    says_nothing,
    code_of_no_condition,
)
