"""System descriptions of keyword-search submissions (6xx)."""

from __future__ import annotations

import re
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, cast

from validator.model import Defect, Place, Scope, Severity, rule
from validator.suggest import nearest, quoted

from . import descriptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import Submission
    from validator.tables import ResourceTable

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
B3 = "OpenKWS13 B.3"
WHOLE = Scope.SUBMISSION
_IDS = r"[^+:,{}\s]*(?:\+[^+:,{}\s]+)*"
_DATA_LINE = (
    r"BaseLR\{[^+:,{}\s]+\}" + "".join(rf"(?:,{name}\{{{_IDS}\}})?" for name in ("BabelLR", "OtherLR"))
    + ":" + ",".join(rf"{name}\{{{_IDS}\}}" for name in ("AM", "LM", "PRON", "AR"))
)  # fmt: skip

_VALUE = r"-\s*\d"  # of a figure, behind its name and anything
_ID = r"[^+:,{}\s]+(?=[+}])"


@rule("KWS601", "no-description", cites=B3, plan=ERROR, tool=ERROR, scope=WHOLE)
def no_description(submission: Submission) -> Iterator[Defect]:
    """Where a system description is required (--set require_description=true), it is there.

    Why: each submitted system must be accompanied by a description.
    Bad: a folder with KWSLists only
    Good: the same folder with a .txt file that describes the systems
    Fix: write the description and put it beside the runs; subgate init writes one to fill in.
    NIST: F4DE refuses when it was told to require one: "System description required but is not provided".
    """
    if submission.parameters["require_description"] and not submission.descriptions:
        yield Defect(Place(submission.path), "a system description is required and there is none")


@rule("KWS602", "missing-section", cites=B3, plan=ERROR, tool=OK, scope=WHOLE)
def missing_section(submission: Submission) -> Iterator[Defect]:
    """The description has all sections of the plan's template, with their numbers.

    Why: descriptions of all sites are read side by side.
    Bad: a description without "Section 3.2 Search"
    Good: Section 1 Experiment Identifier(s), 2, 3 with 3.1 and 3.2, 4 and 5
    Fix: add the heading and what belongs below it.
    NIST: F4DE packs the description unread.
    """
    yield from descriptions.missing_sections(submission)


@rule("KWS603", "expid-not-described", cites=B3, plan=ERROR, tool=OK, scope=WHOLE)
def expid_not_described(submission: Submission) -> Iterator[Defect]:
    """Section 1 lists the EXPIDs of all outputs that were submitted.

    Why: it links the description to the systems.
    Bad: two runs in the folder, one EXPID in section 1
    Good: both EXPIDs, a line each
    Fix: add the EXPID, letter for letter, without the extension.
    NIST: F4DE does not look.
    """
    yield from descriptions.unlisted_runs(submission)


@rule("KWS604", "expid-not-submitted", cites=B3, plan=WARNING, tool=OK, scope=WHOLE, follows=("KWS603",))
def expid_not_submitted(submission: Submission) -> Iterator[Defect]:
    """Every EXPID in the description was submitted.

    Why: it may be a misspelling, or a run that was forgotten.
    Bad: ..._p-word_2 in the description, ..._p-word_1 in the folder
    Good: the same EXPIDs in both
    Fix: correct the EXPID, or add the run.
    NIST: F4DE does not look.
    """
    yield from descriptions.unknown_expids(submission)


@rule("KWS605", "no-contact", cites=B3, plan=ERROR, tool=OK, scope=WHOLE, follows=("KWS608",))
def no_contact(submission: Submission) -> Iterator[Defect]:
    """Section 2 has contact information: a name and an e-mail address.

    Why: somebody must be there to ask.
    Bad: Section 2 without an address
    Good: Contact: evaluation desk, desk@example.org
    Fix: add a name and an e-mail address to section 2.
    NIST: F4DE does not look.
    """
    yield from descriptions.missing_contact(submission)


@rule("KWS606", "no-processing-time", cites=B3, plan=ERROR, tool=OK, scope=WHOLE, follows=("KWS608",))
def no_processing_time(submission: Submission) -> Iterator[Defect]:
    """Sections 3.1 and 3.2 report the total processing time of their phase.

    Why: hardware and time of decoding and of search are part of the result.
    Bad: Section 3.2 Search / One node
    Good: Section 3.2 Search / One node - 0.6 hours
    Fix: add the time with its unit.
    NIST: F4DE does not look.
    """
    yield from descriptions.missing_times(submission)


@rule("KWS607", "step-without-time", cites=B3, plan=WARNING, tool=OK, scope=WHOLE, follows=("KWS606", "KWS608"))
def step_without_time(submission: Submission) -> Iterator[Defect]:
    """Each sub-step of a phase has its own processing time.

    Why: the time of each sub-step must be documented where a phase is broken down.
    Bad: - Indexing - Castor - one node
    Good: - Indexing - Castor (1 node) - 1.4 hours
    Fix: add the time with its unit.
    NIST: F4DE does not look.
    """
    yield from descriptions.untimed_steps(submission)


@rule("KWS608", "left-to-fill-in", cites=B3, plan=ERROR, tool=OK, scope=WHOLE)
def left_to_fill_in(submission: Submission) -> Iterator[Defect]:
    """Nothing of the skeleton is left to fill in.

    Why: a skeleton describes no system.
    Bad: Contact: FILL-IN
    Good: Contact: evaluation desk, desk@example.org
    Fix: replace FILL-IN by what is asked for.
    NIST: F4DE does not look.
    """
    yield from descriptions.unfilled(submission)


@rule("KWS609", "no-hardware", cites=B3, plan=ERROR, tool=OK, scope=WHOLE, follows=("KWS608",))
def no_hardware(submission: Submission) -> Iterator[Defect]:
    """Section 3 describes the hardware on which the processing times were reached.

    Why: a time says little without the machines that it was taken on.
    Bad: Section 3.1 / 41.5 hours / Section 3.2 / 0.6 hours
    Good: Section 3.1 / Cluster with 20 nodes - 41.5 hours / Section 3.2 / One node - 0.6 hours
    Fix: describe the hardware in section 3, or beside each time.
    NIST: F4DE does not look.
    """
    yield from descriptions.no_hardware(submission)


@rule("KWS610", "phase-without-hardware", cites=B3, plan=WARNING, tool=OK, scope=WHOLE, follows=("KWS608",))
def phase_without_hardware(submission: Submission) -> Iterator[Defect]:
    """Each phase says which of the described hardware it used.

    Why: hardware and time are asked for each phase.
    Bad: Section 3.1 / Cluster with 20 nodes - 41.5 hours / Section 3.2 / 0.6 hours
    Good: Section 3.2 / One node of the cluster - 0.6 hours
    Fix: name the hardware beside the time, or describe it in section 3 for both phases.
    NIST: F4DE does not look.
    """
    yield from descriptions.phases_without_hardware(submission)


@rule("KWS611", "no-data-definition", cites="F4DE KWS14", plan=OK, tool=ERROR, scope=WHOLE, follows=("KWS608",))
def no_data_definition(submission: Submission) -> Iterator[Defect]:
    """From KWS14 on the description has a line that defines the data that were used.

    Why: NIST's checker reads the resources from it.
    Bad: We used the full language pack.
    Good: BaseLR{106FullLP}:AM{106FullLP},LM{106FullLP},PRON{106FullLP},AR{}
    Fix: add the line, without blanks; BabelLR{...} and OtherLR{...} may follow BaseLR, ids are joined by +.
    NIST: F4DE refuses: "System description is missing <DATADEF> line!"
    """
    if submission.profile.description.data_line:
        for file, text in submission.descriptions:
            if not any(re.search(_DATA_LINE, line.text) for line in text.lines):
                yield Defect(Place(file), "the description has no line BaseLR{...}:AM{...},LM{...},PRON{...},AR{...}")


@rule("KWS612", "unknown-resource", cites="F4DE DataDefs.tsv", plan=OK, tool=WARNING, scope=WHOLE, needs=("resources",))
def unknown_resource(submission: Submission) -> Iterator[Defect]:
    """Every resource of the data definition is in DataDefs.tsv.

    Why: an id that the table lacks is usually a slip.
    Bad: BaseLR{106FulLP}:...
    Good: BaseLR{106FullLP}:...
    Fix: write the id as the table has it, or ask for a new entry.
    NIST: F4DE warns.
    """
    known = cast("ResourceTable", submission.references["resources"]).ids
    for file, text in submission.descriptions if submission.profile.description.data_line else ():
        found = ((line, match) for line in text.lines if (match := re.search(_DATA_LINE, line.text)) is not None)
        for line, match in islice(found, 1):  # the first such line counts
            ids = {each[0]: each.start() for each in reversed(list(re.finditer(_ID, match[0])))}
            for name, at in sorted(ids.items(), key=itemgetter(1)):
                if name not in known:
                    guess = nearest(name, known)
                    before = line.text[: match.start() + at]
                    where = Place(file, line.offset + len(before.encode()), name)
                    label = f"did you mean {guess}?" if guess else ""
                    yield Defect(where, f"{quoted(name)} is not in DataDefs.tsv", label=label)


@rule("KWS613", "missing-figure", cites="F4DE KWS14", plan=OK, tool=ERROR, scope=WHOLE, follows=("KWS608",))
def missing_figure(submission: Submission) -> Iterator[Defect]:
    """From KWS14 on the description has six figures: time and memory of ingestion and of search.

    Why: NIST's checker reads them, one a line: its name, anything, a hyphen, a number.
    Bad: Search took an hour and a half of CPU time
    Good: Search Total CPU Time (hh:mm:ss) - 01:30:00
    Fix: add the line.
    NIST: F4DE refuses and names the first missing one only.
    """
    for file, text in submission.descriptions:
        for figure in submission.profile.description.figures:
            if not any(re.search(_VALUE, line.text.partition(figure)[2]) for line in text.lines):
                yield Defect(Place(file), f"the description has no {quoted(figure)}", f"add the line {figure} - ...")


RULES = (
    no_description,
    missing_section,
    expid_not_described,
    expid_not_submitted,
    no_contact,
    no_processing_time,
    step_without_time,
    left_to_fill_in,
    no_hardware,
    phase_without_hardware,
    no_data_definition,
    unknown_resource,
    missing_figure,
)
