"""Family: primary and contrastive systems, versions, mandatory conditions."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from validator.model import Defect, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.profile import Primaries
    from validator.submission import Run, Submission


def _condition(run: Run, how: Primaries) -> tuple[str, ...]:
    values = run.values
    unused = {field for task, field in how.unused if task in values.values()}
    return tuple("" if name in unused else values.get(name, "") for name in how.unique_per)


def _versions(submission: Submission) -> dict[tuple[tuple[str, ...], str], list[tuple[int, Run]]]:
    """Group the runs by system; a version that is no number is another rule's business."""
    how = submission.profile.primaries
    systems: dict[tuple[tuple[str, ...], str], list[tuple[int, Run]]] = {}
    for run in submission.runs:
        version = run.values.get(how.version, "")
        if version.isascii() and version.isdigit():
            key = (tuple(run.values.get(name, "") for name in how.unique_per), run.values.get(how.system, ""))
            systems.setdefault(key, []).append((int(version[:18]), run))
    return {key: sorted(runs, key=lambda pair: (pair[0], pair[1].file)) for key, runs in systems.items()}


def second_primaries(submission: Submission) -> Iterator[Defect]:
    """Find primaries of a condition that already has one; the versions of one system count as one."""
    how = submission.profile.primaries
    first: dict[tuple[str, ...], Run] = {}
    for run in submission.runs:
        if not run.values.get(how.system, "").startswith(how.prefix):
            continue
        earlier = first.setdefault(_condition(run, how), run)
        if earlier.values.get(how.system) != run.values.get(how.system):
            part = next(part for part in run.fields if part.name == how.system)
            condition = "+".join(run.values.get(name, "") for name in how.condition) or "this condition"
            message = f"a second primary for {condition}: {earlier.stem} is one already"
            yield Defect(run.name_place(part), message, "make one of them contrastive (c-...)", "second primary")


def superseded(submission: Submission) -> Iterator[Defect]:
    """Find older versions of a system that has a newer one beside it; before a gap the gap is what is told."""
    for runs in _versions(submission).values():
        numbers = {version for version, _ in runs}
        newest = runs[-1][1]
        for version, run in runs:
            if version + 1 in numbers:
                message = f"{newest.stem} is a newer version of this run and the one that counts"
                yield Defect(Place(run.file), message)


def skipped_versions(submission: Submission) -> Iterator[Defect]:
    """Find systems whose versions leave a number out."""
    for runs in _versions(submission).values():
        for (lower, _), (upper, run) in pairwise(runs):
            if upper > lower + 1:
                message = f"version {upper} follows version {lower}: {lower + 1} is not there; the highest one counts"
                yield Defect(Place(run.file), message)


def missing_mandatory(submission: Submission) -> Iterator[Defect]:
    """Find out whether the condition that everyone has to submit is there."""
    how = submission.profile.primaries
    wanted = dict(how.mandatory)
    if not wanted or not submission.runs:
        return
    if not any(all(run.values.get(name) == value for name, value in wanted.items()) for run in submission.runs):
        condition = "+".join(wanted[name] for name in how.condition)
        yield Defect(Place(submission.path), f"there is no run of the required condition {condition}")
