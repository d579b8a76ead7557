"""An evaluation as data: rules/<evaluation>.toml read into a Profile. An unknown key or a wrong type is an error."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from validator.bundled import evaluations, profile_text
from validator.errors import ProfileError, UsageError
from validator.model import Law, Severity
from validator.suggest import nearest
from validator.tomltable import Setting, Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = bool | int | float | str
_NO_DATA = ("whole", "content", "database", "report", "package:pypdf")  # what rules may need besides roles of --data


class FileRole(NamedTuple):
    """A kind of file in a submission: how its name ends, which format it has, which tasks it serves.

    ``role`` is "run" for a run's main file, "part" for another file of a run (known to rules by its format's name), or
    "description", or "report" for a file about resources that the whole submission shares.
    """

    role: str
    suffix: str
    format: str
    tasks: tuple[str, ...]


class DataRole(NamedTuple):
    """A kind of file that the organizers give out; ``name`` is its stem in a database folder, from EXPID fields.

    ``named_by_run``: the run itself says which of several files it was made with. ``optional``: a database folder need
    not have it; then it may also be in the folder's subfolder of that name.
    """

    role: str
    format: str
    suffix: str
    name: str
    doc: str
    named_by_run: bool
    optional: bool


class Parameter(NamedTuple):
    """Something that ``--set`` can change."""

    name: str
    default: Value
    doc: str

    def parse(self, text: str) -> Value:
        """Read a value from the command line."""
        if isinstance(self.default, bool):
            if text.casefold() in ("true", "false"):
                return text.casefold() == "true"
            raise UsageError(f"--set {self.name}={text}: write true or false")
        if isinstance(self.default, int):
            if not re.fullmatch(r"-?[0-9]{1,18}", text):
                raise UsageError(f"--set {self.name}={text}: a whole number is needed")
            return int(text)
        if isinstance(self.default, float):
            try:
                value = float(text)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                raise UsageError(f"--set {self.name}={text}: a number is needed")
            return value
        return text


class Preset(NamedTuple):
    """Values of other parameters that one value of a parameter stands for."""

    parameter: str
    choice: str
    values: tuple[tuple[str, Setting], ...]


class Primaries(NamedTuple):
    """How runs are told apart: the field with the primary's prefix, what makes a condition, which one is required."""

    system: str
    prefix: str
    version: str
    unique_per: tuple[str, ...]
    unused: tuple[tuple[str, str], ...]  # (task, field): the field means nothing for the task
    condition: tuple[str, ...]
    mandatory: tuple[tuple[str, str], ...]


class DescriptionForm(NamedTuple):
    """What a system description must have: headings by number, and where the EXPIDs, contact and times belong.

    ``figures`` are lines "name ... - value" that a machine reads; ``data_line``: a line with a data definition.
    """

    sections: tuple[tuple[str, str], ...]
    expids: str
    contact: str
    times: tuple[str, ...]
    figures: tuple[str, ...]
    data_line: bool


class PackageForm(NamedTuple):
    """How an upload is laid out: name of the archive, and of its members; the fields of the EXPID fill them in.

    ``whole``: one archive for all runs instead of one for each. ``part`` names the other files of a run. ``canonical``:
    each file in the form that its format calls canonical. ``mail``: a template of the text to send it with.
    ``report``: the member for a report, if one is sent.
    """

    name: str
    run: str
    part: str
    description: str
    whole: bool
    canonical: bool
    mail: str
    report: str


class SkeletonForm(NamedTuple):
    """What ``init`` writes: blanks for the name's fields, (path, template) of each file, path of the description."""

    fields: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]
    description: str


class ScoringForm(NamedTuple):
    """How runs are scored: which references that needs, which of them a stand-in can replace, and what the laws do.

    The laws are one value for each named difference.
    """

    needs: tuple[str, ...]
    references: tuple[str, ...]
    plan: tuple[tuple[str, Setting], ...]
    tool: tuple[tuple[str, Setting], ...]

    def under(self, law: Law) -> dict[str, Setting]:
        """Return the values of one law."""
        return dict(self.plan if law is Law.PLAN else self.tool)


@dataclass(frozen=True, slots=True)
class Profile:
    """One evaluation."""

    name: str
    title: str
    plan: str
    official_tool: str
    rules: str
    scorer: str
    grammar: str
    start: str
    recognise: str
    unit: str
    runs_by_suffix: bool  # in a folder, only a known extension makes a run
    files: tuple[FileRole, ...]
    data: tuple[DataRole, ...]
    parameters: tuple[Parameter, ...]
    presets: tuple[Preset, ...]
    primaries: Primaries
    authorised: tuple[tuple[str, tuple[str, ...]], ...]
    description: DescriptionForm
    package: PackageForm
    skeleton: SkeletonForm
    scoring: ScoringForm
    facts: tuple[tuple[str, Setting], ...]  # values that only the evaluation's own rules know the meaning of
    measures: tuple[str, ...]
    severities: tuple[tuple[str, tuple[Severity, Severity]], ...]

    def data_role(self, role: str) -> DataRole | None:
        """Return a role of --data, if the evaluation has it."""
        return next((known for known in self.data if known.role == role), None)

    def can_have(self, needs: tuple[str, ...]) -> bool:
        """Tell whether reference data that a rule needs exist at all in this evaluation."""
        parts = {f"part:{role.format}" for role in self.files}
        return all(need in _NO_DATA or need in parts or self.data_role(need) is not None for need in needs)

    def list_of(self, fact: str) -> tuple[str, ...]:
        """Return a fact that is a list; empty if the evaluation has no such fact."""
        value = dict(self.facts).get(fact, ())
        return value if isinstance(value, tuple) else (str(value),)

    def values(self, settings: dict[str, str]) -> dict[str, Value]:
        """Return all parameters, with those of the command line in place."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in settings:
            if name not in known:
                guess = nearest(name, known)
                meant = f"did you mean {guess}?" if guess else f"it has {', '.join(known)}"
                raise UsageError(f"{self.name} has no parameter {name}: {meant}")
        values = {
            name: parameter.parse(settings[name]) if name in settings else parameter.default
            for name, parameter in known.items()
        }
        return values | {name: value for name, value in self._preset(values).items() if name not in settings}

    def _preset(self, values: dict[str, Value]) -> dict[str, Value]:
        """Return what the chosen presets stand for; a choice that there is not is an error."""
        found: dict[str, Value] = {}
        for name in dict.fromkeys(preset.parameter for preset in self.presets):
            choices = {preset.choice: preset.values for preset in self.presets if preset.parameter == name}
            chosen = str(values[name])
            if chosen not in choices:
                guess = nearest(chosen, choices)
                meant = f"did you mean {guess}?" if guess else f"there are {', '.join(choices)}"
                raise UsageError(f"--set {name}={chosen}: {meant}")
            found |= {key: value for key, value in choices[chosen] if not isinstance(value, tuple)}
        return found


def all_profiles() -> tuple[Profile, ...]:
    """Return every bundled evaluation."""
    return tuple(load(name) for name in evaluations())


def recognised(names: list[str]) -> list[str]:
    """Return the evaluations that one of the file names tells, by the patterns in the heads of their profiles."""
    return [name for name in evaluations() if any(map(_pattern(name).match, names))]


@cache
def _pattern(name: str) -> re.Pattern[str]:
    head = profile_text(name).partition("\n[")[0]  # a check of a small file need not parse what is not its evaluation
    return re.compile(Table(name, tomllib.loads(head)).text("recognise"))


@cache
def load(name: str) -> Profile:
    """Return the profile of an evaluation."""
    if name not in evaluations():
        guess = nearest(name, evaluations())
        meant = f"did you mean {guess}?" if guess else f"there are {', '.join(evaluations())}"
        raise UsageError(f"no evaluation {name}: {meant}")
    table = Table(name, _merged(name))
    profile = Profile(
        name=name,
        title=table.text("title"),
        plan=table.text("plan"),
        official_tool=table.text("official_tool"),
        rules=table.text("rules"),
        scorer=table.text("scorer"),
        grammar=table.text("grammar"),
        start=table.text("start"),
        recognise=table.text("recognise"),
        unit=table.text("unit"),
        runs_by_suffix=table.flag("runs_by_suffix"),
        files=tuple(_file_role(entry) for entry in table.tables("files")),
        data=tuple(_data_role(role, entry) for role, entry in table.named("data")),
        parameters=tuple(_parameter(key, entry) for key, entry in table.named("parameters")),
        presets=tuple(_presets(table.table("presets"))),
        primaries=_primaries(table.table("primaries")),
        authorised=table.table("authorised").lists(),
        description=_description(table.table("description")),
        package=_package(table.table("package")),
        skeleton=_skeleton(table.table("skeleton")),
        scoring=_scoring(table.table("scoring")),
        facts=table.table("facts").settings(),
        measures=table.texts("measures"),
        severities=tuple(_severity(code, entry) for code, entry in table.named("severities")),
    )
    table.done()
    return profile


@cache
def _merged(name: str) -> dict[str, object]:
    try:
        own: dict[str, object] = tomllib.loads(profile_text(name))
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{name}: {error}") from error
    except FileNotFoundError as error:
        raise ProfileError(f"there is no profile {name} to extend") from error
    parent = own.pop("extends", None)
    if parent is None:
        return own
    inherited = _merged(str(parent))
    for key in ("data", "parameters", "facts", "severities"):  # these grow; everything else is replaced as a whole
        ours, theirs = own.get(key), inherited.get(key)
        if isinstance(ours, dict) and isinstance(theirs, dict):
            own[key] = {**theirs, **ours}
    return {**inherited, **own}


def _file_role(table: Table) -> FileRole:
    role = FileRole(table.text("role"), table.text("suffix"), table.text("format"), table.texts("tasks"))
    table.done()
    return role


def _data_role(role: str, table: Table) -> DataRole:
    texts = {key: table.text(key) for key in ("format", "suffix", "name", "doc")}
    found = DataRole(role, **texts, named_by_run=table.flag("named_by_run"), optional=table.flag("optional"))
    table.done()
    return found


def _parameter(name: str, table: Table) -> Parameter:
    default = table.take("default")
    if not isinstance(default, bool | int | float | str):
        raise ProfileError(f"{table.where}: default must be true, false, a number or a text")
    parameter = Parameter(name, default, table.text("doc"))
    table.done()
    return parameter


def _presets(table: Table) -> Iterator[Preset]:
    for parameter in table.names():
        for choice, values in table.named(parameter):
            yield Preset(parameter, choice, values.settings())


def _primaries(table: Table) -> Primaries:
    system, prefix, version = (table.text(key) for key in ("system", "prefix", "version"))
    unique_per, condition = table.texts("unique_per"), table.texts("condition")
    primaries = Primaries(
        system, prefix, version, unique_per, table.table("unused").pairs(), condition, table.table("mandatory").pairs()
    )
    table.done()
    return primaries


def _description(table: Table) -> DescriptionForm:
    sections, expids, contact = table.table("sections").pairs(), table.text("expids"), table.text("contact")
    times, figures = table.texts("times"), table.texts("figures")
    form = DescriptionForm(sections, expids, contact, times, figures, table.flag("data_line"))
    table.done()
    return form


def _package(table: Table) -> PackageForm:
    run = table.text("run")
    form = PackageForm(
        table.text("name"),
        run,
        table.text("part", run),
        table.text("description"),
        table.flag("whole"),
        table.flag("canonical"),
        table.text("mail", ""),
        table.text("report", ""),
    )
    table.done()
    return form


def _skeleton(table: Table) -> SkeletonForm:
    description = table.text("description", "description.txt")
    form = SkeletonForm(table.table("fields").pairs(), table.table("files").pairs(), description)
    table.done()
    return form


def _scoring(table: Table) -> ScoringForm:
    common = table.table("common").settings()
    needs, references = table.texts("needs"), table.texts("references")
    plan, tool = (common + table.table(law).settings() for law in ("plan", "tool"))
    form = ScoringForm(needs, references, plan, tool)
    table.done()
    return form


def _severity(code: str, table: Table) -> tuple[str, tuple[Severity, Severity]]:
    named = {severity.name.lower(): severity for severity in Severity}
    words = [table.text(law) for law in ("plan", "tool")]
    if not set(words) <= named.keys():
        raise ProfileError(f"{table.where}: a severity is one of {', '.join(named)}")
    both = (named[words[0]], named[words[1]])
    table.done()
    return code, both
