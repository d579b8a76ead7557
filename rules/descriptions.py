"""Family: system descriptions, held against the form that a profile gives: headings, EXPIDs, contact, times.

A heading is a line ``Section 3.1 Title``, or ``3.1 Title`` where the title is about the expected one; letter case, a
``#`` in front, and a colon, dot or dash behind the number do not matter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from validator.model import Defect, Law, Place
from validator.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from validator.submission import Submission
    from validator.tables import Description, TextLine

_HEADING = re.compile(r"^[#*\s]*(section\s+)?(\d+(?:\.\d+)*)[.:)\s-]*(.*?)[*\s:]*$", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@<>()]+@[^\s@<>()]+\.[A-Za-z]{2,}")
_UNIT = r"(?:ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hr|hrs|hours?|d|days?)"
_TIME = re.compile(rf"\b\d+(?:\.\d+)?\s*(?:cpu|gpu|core|wall)?[\s-]*{_UNIT}\b|\b\d+:\d\d(?::\d\d)?\b", re.IGNORECASE)
STEP = re.compile(r"^\s*[-*•]\s*\S.*\s[-–]\s.*\s[-–]\s")  # noqa: RUF001 - people type dashes
FILL_IN = "FILL-IN"


class Section(NamedTuple):
    """A heading that was found, and the lines below it up to the next one."""

    number: str
    heading: TextLine
    body: tuple[TextLine, ...]

    def finds(self, pattern: re.Pattern[str]) -> bool:
        """Tell whether a pattern occurs in the body."""
        return any(pattern.search(line.text) for line in self.body)


def sections(text: Description, titles: Sequence[tuple[str, str]]) -> dict[str, Section]:
    """Take a description apart; of two equal headings the first one counts."""
    known = dict(titles)
    at: dict[str, int] = {}
    for rank, line in enumerate(text.lines):
        match = _HEADING.match(line.text[:300])
        if match is None or match[2] not in known or match[2] in at:
            continue
        if match[1] or nearest(match[3].casefold(), [known[match[2]].casefold()]):
            at[match[2]] = rank
    stops = sorted([*at.values(), len(text.lines)])
    return {
        number: Section(number, text.lines[rank], text.lines[rank + 1 : stops[stops.index(rank) + 1]])
        for number, rank in at.items()
    }


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
            where = Place(file, follower.heading.offset) if follower else Place(file)
            label = f'"{heading}" should stand before this line' if follower else ""
            yield Defect(where, f'the description has no "{heading}"', f"add the heading {heading}", label)


def unlisted_runs(submission: Submission) -> Iterator[Defect]:
    """Find runs whose EXPID no description lists in the section where they belong."""
    form = submission.profile.description
    if not form.expids or not submission.descriptions:
        return
    listed = [(file, sections(text, form.sections).get(form.expids)) for file, text in submission.descriptions]
    there = [(file, section) for file, section in listed if section is not None]
    words = {word for _, section in there for line in section.body for word in _words(line)}
    for run in submission.runs if there else ():  # a section that is missing is another rule's business
        if run.stem not in words:
            file, section = there[0]
            message = f"{run.stem} is not listed in section {form.expids}"
            yield Defect(Place(file, section.heading.offset), message, f"add the line {run.stem}")


def unknown_expids(submission: Submission) -> Iterator[Defect]:
    """Find EXPIDs in a description that were not submitted."""
    grammar = submission.grammar(Law.PLAN)
    known = {run.stem for run in submission.runs}
    for file, text in submission.descriptions:
        words = [(word, line) for line in text.lines for word in _words(line) if word not in known]
        for word, line in words:
            if re.match(submission.profile.recognise, word) and len(grammar.split(word)) == len(grammar.fields):
                guess = nearest(word, known)
                hint = f"add the run, or write {guess}" if guess else ""
                where = Place(file, line.offset + len(line.text[: line.text.find(word)].encode()), word)
                yield Defect(where, f"{word} is not in this submission", hint)


def _words(line: TextLine) -> list[str]:
    return [word.strip(".:*`'\"") for word in re.split(r"[\s,;|()<>\[\]]+", line.text)]


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
    form = submission.profile.description
    for file, text in submission.descriptions:
        found = sections(text, form.sections)
        for number in form.times:
            if number in found and not found[number].finds(_TIME):
                message = f"section {number} reports no processing time"
                yield Defect(Place(file, found[number].heading.offset), message)


def untimed_steps(submission: Submission) -> Iterator[Defect]:
    """Find sub-steps of a phase, written as "step - hardware - time", without a time."""
    form = submission.profile.description
    for file, text in submission.descriptions:
        found = sections(text, form.sections)
        for line in (line for number in form.times if number in found for line in found[number].body):
            if STEP.match(line.text) and not _TIME.search(line.text):
                yield Defect(Place(file, line.offset), "this sub-step has no processing time")


def unfilled(submission: Submission) -> Iterator[Defect]:
    """Find what a skeleton left to fill in."""
    for file, text in submission.descriptions:
        for line in text.lines:
            at = line.text.find(FILL_IN)
            if at >= 0:
                where = Place(file, line.offset + len(line.text[:at].encode()), FILL_IN)
                yield Defect(where, "this is still to be filled in")
