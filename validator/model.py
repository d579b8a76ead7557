"""The words the house speaks: severities, laws, rules, defects, findings, reports.

Data flow, one direction: folder -> Submission -> [Defect] -> [Finding] -> Report -> text | json.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from functools import cache
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

Subject = TypeVar("Subject")

SAMPLES = 20  # findings of one rule in one file that are listed; `count` carries the number of all


class Severity(IntEnum):
    """What a rule costs under one law."""

    OK = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


class Law(Enum):
    """Whose law: the written plan's, the official tool's, or both."""

    PLAN = "plan"
    TOOL = "tool"
    BOTH = "both"


class Verdict(Enum):
    """The answer at the gate."""

    ACCEPT = "accept"
    REJECT = "reject"


class Scope(Enum):
    """What a rule looks at: one run, the whole submission, or one of the organizers' files."""

    RUN = "run"
    SUBMISSION = "submission"
    FILE = "file"


class Place(NamedTuple):
    """Where a defect is, said as cheaply as possible; the file's format makes a Location of it.

    ``offset`` is the byte at which the record begins, ``field`` the attribute or column in it.
    ``span`` marks code points of the file's base name instead, for defects of the name itself.
    """

    file: str
    offset: int | None = None
    field: str = ""
    node: str = ""
    span: tuple[int, int] | None = None


class Quote(NamedTuple):
    """The lines around a finding: (line number, text) pairs, and the marked code points of one line.

    ``ruler`` has marks to print in front of the caret, under the code points of the marked line: numbers of fields.
    """

    lines: tuple[tuple[int | None, str], ...]
    marked: int
    begin: int
    end: int
    ruler: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Location:
    """A resolved place: lines and columns count from 1, columns count code points.

    ``value`` is the marked text, ``record`` the whole tag or line that it is part of, ``format`` that of the file.
    """

    file: str
    line: int | None = None
    column: int | None = None
    node: str = ""
    value: str | None = None
    quote: Quote | None = None
    record: str = ""
    format: str = ""


class Remedy(NamedTuple):
    """What to write instead of a value, and a word about what is wrong with it."""

    hint: str
    label: str


@dataclass(frozen=True, slots=True)
class Defect:
    """What a rule yields; the Rule adds code and severity.

    ``{value}`` in the message stands for the text found at the place, ``{other}`` for the line of ``other``.
    ``count`` says how many occurrences this one stands for. ``why`` and ``cites`` overrule the rule's. ``mend`` makes
    a better hint of the text that was found. ``follows`` names more rules whose finding in the same file explains it.
    """

    where: Place
    message: str
    hint: str = ""
    label: str = ""
    why: str = ""
    cites: str = ""
    count: int = 1
    other: Place | None = None
    mend: Callable[[str], Remedy | None] | None = None
    follows: tuple[str, ...] = ()


class Doc(NamedTuple):
    """A rule's docstring taken apart."""

    requirement: str
    why: str
    bad: str
    good: str
    fix: str
    official: str


_SECTIONS = ("Why", "Bad", "Good", "Fix", "NIST")


@cache
def parse_doc(text: str) -> Doc:
    """Split a rule's docstring into requirement, Why, Bad, Good, Fix and NIST.

    Bad and Good are examples: their line breaks and indentation are kept. The others are prose: they flow.
    """
    parts = re.split(rf"^({'|'.join(_SECTIONS)}):[ ]?", inspect.cleandoc(text), flags=re.MULTILINE)
    found = dict(zip(parts[1::2], (inspect.cleandoc(part) for part in parts[2::2]), strict=True))
    prose = {name: " ".join(found.get(name, "").split()) for name in ("Why", "Fix", "NIST")}
    requirement = " ".join(parts[0].split())
    return Doc(requirement, prose["Why"], found.get("Bad", ""), found.get("Good", ""), prose["Fix"], prose["NIST"])


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Generic[Subject]):
    """One requirement with its code, its cost under both laws, and the function that looks for violations.

    ``needs`` names reference data without which the rule cannot run. ``follows`` names rules whose finding in
    the same file explains this one's away. ``safety`` rejects under any conventions. ``scorable`` marks faults of
    syntax that leave no doubt about what was meant: they do not prevent scoring.
    """

    code: str
    name: str
    cites: str
    plan: Severity
    tool: Severity
    text: str  # what ``doc`` takes apart
    check: Callable[[Subject], Iterable[Defect]] | None = None
    scope: Scope = Scope.RUN
    needs: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    safety: bool = False
    scorable: bool = False

    @property
    def doc(self) -> Doc:
        """What the rule asks, why, examples, and the fix."""
        return parse_doc(self.text)

    @property
    def law(self) -> Law:
        """Whose law a finding of this rule breaks."""
        if self.plan is self.tool or (self.plan and self.tool and Severity.ERROR not in (self.plan, self.tool)):
            return Law.BOTH
        return Law.PLAN if self.plan > self.tool else Law.TOOL

    def severity(self, conventions: Law) -> Severity:
        """Return what a finding of this rule counts when ``conventions`` decides."""
        worst = max(self.plan, self.tool)
        if self.safety:
            return Severity.ERROR
        if conventions is Law.BOTH:
            return worst
        mine = self.plan if conventions is Law.PLAN else self.tool
        return mine if mine is Severity.ERROR else min(worst, Severity.WARNING)


def rule(  # noqa: PLR0913 - keywords of a declaration, not parameters of a computation
    code: str,
    name: str,
    *,
    cites: str,
    plan: Severity,
    tool: Severity,
    scope: Scope = Scope.RUN,
    needs: tuple[str, ...] = (),
    follows: tuple[str, ...] = (),
    safety: bool = False,
    scorable: bool = False,
) -> Callable[[Callable[[Subject], Iterable[Defect]]], Rule[Subject]]:
    """Make a Rule of a function; nothing is registered, a module's RULES tuple is the register."""

    def declare(check: Callable[[Subject], Iterable[Defect]]) -> Rule[Subject]:
        return Rule(code, name, cites, plan, tool, check.__doc__ or "", check, scope, needs, follows, safety, scorable)

    return declare


def sampled(rows: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Give the first rows with the number of rows each stands for: one each, the last for all the rest."""
    for rank, row in enumerate(rows[:SAMPLES].tolist(), start=1):
        yield row, 1 if rank < SAMPLES else len(rows) - SAMPLES + 1


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A defect with its rule, located and weighed. ``count`` is the number of all of this rule in this file."""

    rule: Rule[object]
    severity: Severity
    message: str
    location: Location
    hint: str
    why: str
    cites: str
    label: str = ""
    count: int = 1
    caused_by: str | None = None
    schema_says: str = ""

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """Sort key: path, line, column, code."""
        where = self.location
        return where.file, where.line or 0, where.column or 0, self.rule.code, self.message


class Skipped(NamedTuple):
    """A check that could not run, and what it needed; ``code`` if it is a rule."""

    check: str
    needs: str
    code: str = ""


Number = float | int | None
Cell = float | int | str | None


class Wanted(NamedTuple):
    """What else a scorer is to give: breakdowns by name, intervals, the trials themselves to compare or write out."""

    by: tuple[str, ...] = ()
    intervals: bool = False
    trials: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a run scored under one law: measures by their public names, None with a reason in ``undefined``.

    ``remarks`` are findings about the scores. ``alignment`` gives the rows behind them, one at a time. ``material`` is
    what the scorer itself needs to compare two runs.
    """

    measures: dict[str, Number]
    undefined: dict[str, str]
    signature: str
    breakdown: dict[str, list[dict[str, Cell]]] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    remarks: tuple[tuple[Rule[object], Defect], ...] = ()
    alignment: Callable[[], Iterator[dict[str, Cell]]] | None = None
    material: object = None
    aside: tuple[str, ...] = ()  # breakdowns that people see only if they ask for more

    def without_trials(self) -> Scores:
        """Return the numbers alone: small, and fit to be sent to another process."""
        return replace(self, alignment=None, material=None)


@dataclass(frozen=True, slots=True, eq=False)
class RunReport:
    """One run of a submission: who it is and what it scored."""

    id: str
    files: tuple[str, ...]
    primary: bool | None = None
    condition: str | None = None
    scorable: bool | None = None
    signature: str = ""
    reference: str | None = None
    scores: Scores | None = None
    differs: dict[str, dict[str, Number]] = field(default_factory=dict)


class Package(NamedTuple):
    """An archive that was written."""

    path: str
    sha256: str
    bytes: int
    members: tuple[str, ...]


class Extent(NamedTuple):
    """How much was looked at."""

    files: int = 0
    bytes: int = 0
    records: int = 0
    unit: str = "records"


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything that was found out about one PATH."""

    path: str
    evaluation: str | None = None
    recognised: str = ""
    conventions: Law = Law.BOTH
    official_tool: str = ""
    parameters: tuple[tuple[str, object], ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    runs: tuple[RunReport, ...] = ()
    extent: Extent = field(default_factory=Extent)
    rules_run: tuple[str, ...] = ()
    packages: tuple[Package, ...] = ()
    error: str | None = None
    crash: str | None = None

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings that are no consequence of another one."""
        return tuple(finding for finding in self.findings if finding.caused_by is None)

    def occurrences(self, severity: Severity) -> int:
        """Count what was found at this severity; consequences of another finding are not counted."""
        groups = {(f.rule.code, f.location.file): f.count for f in self.shown if f.severity is severity}
        return sum(groups.values())


def verdict(report: Report, law: Law | None = None) -> Verdict | None:
    """Decide: the one place where findings become an answer.

    ``law`` None asks under the report's own conventions. None is the answer where nothing could be judged, and for
    the official tool's verdict where no such tool exists.
    """
    if report.error is not None or report.crash is not None:
        return None
    if law is Law.TOOL and not report.official_tool:
        return None
    if law is Law.PLAN:
        rejecting = any(finding.rule.plan is Severity.ERROR for finding in report.findings)
    elif law is Law.TOOL:
        rejecting = any(finding.rule.tool is Severity.ERROR for finding in report.findings)
    else:
        rejecting = any(finding.severity is Severity.ERROR for finding in report.findings)
    return Verdict.REJECT if rejecting else Verdict.ACCEPT


def with_consequences(findings: Iterable[Finding]) -> list[Finding]:
    """Mark each finding that another finding in the same file explains, where that one weighs as much."""
    listed = list(findings)
    weight: dict[tuple[str, str], Severity] = {}
    for finding in listed:
        key = (finding.rule.code, finding.location.file)
        weight[key] = max(weight.get(key, Severity.OK), finding.severity)
    marked = []
    for finding in listed:
        causes = (code for code in finding.rule.follows if (code, finding.location.file) in weight)
        cause = next((c for c in causes if weight[c, finding.location.file] >= finding.severity), None)
        marked.append(replace(finding, caused_by=cause) if cause else finding)
    return marked
