"""Family: system descriptions, held against the form that a profile gives: headings, EXPIDs, contact, times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from validator.model import SAMPLES, Defect, Law, Place
from validator.suggest import nearest

from .headings import sections
from .processingtimes import names_unit, tells_hardware, tells_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission
    from validator.tables import TextLine

    from .headings import Section

_AT, _DOT = (rf"\s?[\[({{]\s?{word}\s?[\])}}]\s?" for word in ("at", "dot"))
_MAIL = rf"(?i)(?<=[^\s@<>()])(?:@|{_AT})[^\s@<>()]{{1,200}}(?:\.|{_DOT})[A-Za-z]{{2,}}"
STEP = r"^\s{0,40}[-*•]\s{0,9}\S.*?\s[-–]\s.*?\s[-–]\s"  # noqa: RUF001 - people type dashes
FILL_IN = "FILL-IN"


def missing_sections(submission: Submission) -> Iterator[Defect]:
    """Find headings that are not there, and show where they should stand."""
    titles = submission.profile.description.sections
    for file, text in submission.descriptions:
        found = sections(text, titles)
        for rank, (number, title) in enumerate(titles):
            if number in found:
                continue
            heading = f"Section {number} {title}"
            follower = next((found[later] for later, _ in titles[rank + 1 :] if later in found), None)
            beside = (
                follower.heading
                if follower
                else next((line for line in reversed(text.lines) if line.text.strip()), None)
            )
            where = Place(file, beside.offset) if beside else Place(file)
            label = f'"{heading}" should stand {"before" if follower else "after"} this line' if beside else ""
            yield Defect(where, f'the description has no "{heading}"', f"add the heading {heading}", label)


def unlisted_runs(submission: Submission) -> Iterator[Defect]:
    """Find runs whose EXPID no description lists in the section where they belong."""
    form = submission.profile.description
    if not form.expids or not submission.descriptions:
        return
    listed = [(file, sections(text, form.sections).get(form.expids)) for file, text in submission.descriptions]
    there = [(file, section) for file, section in listed if section is not None]
    words = {word: (file, line) for file, section in there for line in section.body for word in _words(line)}
    known = {run.stem for run in submission.runs}
    others = [word for word in words if word not in known and re.match(submission.profile.recognise, word)][:SAMPLES]
    for run in submission.runs if there else ():  # a section that is missing is another rule's business
        if run.stem not in words:
            slip = nearest(run.stem, others)
            if slip is not None and _legal(slip, submission) and not _legal(run.stem, submission):
                continue  # the description is right, and the name of the file is wrong
            message = f"{run.stem} is not listed in section {form.expids}"
            if slip is None:
                file, section = there[0]
                yield Defect(Place(file, section.heading.offset), message, f"add the line {run.stem}")
            else:
                file, line = words[slip]
                yield Defect(_place(file, line, slip), message, f"write {run.stem}", "this is another one")


def unknown_expids(submission: Submission) -> Iterator[Defect]:
    """Find EXPIDs in a description that were not submitted."""
    grammar, recognise = submission.grammar(Law.PLAN), re.compile(submission.profile.recognise)
    known = {run.stem for run in submission.runs}
    for file, text in submission.descriptions:
        words = ((word, line) for line in text.lines for word in _words(line) if recognise.match(word))
        full = ((word, line) for word, line in words if len(grammar.split(word)) == len(grammar.fields))
        for rank, (word, line) in enumerate((word, line) for word, line in full if word not in known):
            guess = nearest(word, known) if rank < SAMPLES else None  # no others are shown
            if guess is not None and _legal(word, submission) and not _legal(guess, submission):
                continue
            hint = f"add the run, or write {guess}" if guess else ""
            yield Defect(_place(file, line, word), f"{word} is not in this submission", hint)


def _legal(expid: str, submission: Submission) -> bool:
    """Tell whether the plan's grammar takes an EXPID."""
    grammar = submission.grammar(Law.PLAN)
    fields = grammar.split(expid)
    return len(fields) == len(grammar.fields) and all(grammar.rule(part.name).accepts(part.text) for part in fields)


def _place(file: str, line: TextLine, word: str) -> Place:
    return Place(file, line.offset + len(line.text.partition(word)[0].encode()), word)


def _words(line: TextLine) -> list[str]:
    """Return what may be an EXPID: of file names the stem, underscores without the backslash of Markdown."""
    words = dict.fromkeys(re.split(r"[\s,;|()<>\[\]/]+", line.text.replace("\\_", "_")))
    return [_stem(word.strip(".:*`'\"")) for word in words]


def _stem(word: str) -> str:
    """Cut an extension off; EXPIDs have dots, but not in their last field."""
    head, underscore, tail = word.rpartition("_")
    return f"{head}{underscore}{tail.partition('.')[0]}"


def missing_contact(submission: Submission) -> Iterator[Defect]:
    """Find descriptions without an e-mail address in the section where it belongs."""
    form = submission.profile.description
    for file, text in submission.descriptions if form.contact else ():
        section = sections(text, form.sections).get(form.contact)
        if section is not None and not section.finds(_MAIL):
            message = f"section {form.contact} has no contact: a name and an e-mail address"
            yield Defect(Place(file, section.heading.offset), message)


def missing_times(submission: Submission) -> Iterator[Defect]:
    """Find phases without a processing time."""
    for file, phases in _phases(submission):
        for phase in phases:
            if not _timed(phase):
                message = f"section {phase.number} reports no processing time"
                yield Defect(Place(file, phase.heading.offset), message)


def no_hardware(submission: Submission) -> Iterator[Defect]:
    """Find descriptions that have times, and nothing about hardware in the phases or the section above them."""
    for file, phases in _phases(submission):
        timed = [phase for phase in phases if _timed(phase)]
        if timed and not any(_named(phase, submission) for phase in phases) and not _above(file, submission):
            message = f"section {timed[0].number.partition('.')[0]} does not describe the hardware"
            yield Defect(Place(file, timed[0].heading.offset), message)


def phases_without_hardware(submission: Submission) -> Iterator[Defect]:
    """Find phases that give a time and nothing else, where only another phase describes its hardware."""
    for file, phases in _phases(submission):
        if any(_named(phase, submission) for phase in phases) and not _above(file, submission):
            for phase in phases:
                if _timed(phase) and not _named(phase, submission):
                    message = f"section {phase.number} does not say on which hardware"
                    yield Defect(Place(file, phase.heading.offset), message)


def untimed_steps(submission: Submission) -> Iterator[Defect]:
    """Find sub-steps of a phase, written as "step - hardware - time", without a time."""
    for file, phases in _phases(submission):
        for phase in phases:
            unit = names_unit(line.text for line in phase.body)
            for line in phase.body:
                if re.match(STEP, line.text) and not tells_time(line.text, unit=unit):
                    yield Defect(Place(file, line.offset), "this sub-step has no processing time")


def _phases(submission: Submission) -> Iterator[tuple[str, list[Section]]]:
    """Give the phases of each description that are there."""
    form = submission.profile.description
    for file, text in submission.descriptions:
        found = sections(text, form.sections)
        yield file, [found[number] for number in form.times if number in found]


def _timed(phase: Section) -> bool:
    unit = names_unit(line.text for line in phase.body)
    return any(tells_time(line.text, unit=unit) for line in phase.body)


def _named(phase: Section, submission: Submission) -> bool:
    """Tell whether a section names hardware."""
    titles = [title for _, title in submission.profile.description.sections]
    return tells_hardware([line.text for line in phase.body], titles)


def _above(file: str, submission: Submission) -> bool:
    """Tell whether the section above the phases names hardware."""
    form = submission.profile.description
    found = sections(dict(submission.descriptions)[file], form.sections)
    parents = {number.rpartition(".")[0] for number in form.times}
    return any(number in found and _named(found[number], submission) for number in parents)


def unfilled(submission: Submission) -> Iterator[Defect]:
    """Find what a skeleton left to fill in."""
    for file, text in submission.descriptions:
        for line in text.lines:
            at = line.text.find(FILL_IN)
            if at >= 0:
                where = Place(file, line.offset + len(line.text[:at].encode()), FILL_IN)
                yield Defect(where, "this is still to be filled in")
