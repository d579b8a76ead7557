"""A submission: a file, a folder or an archive whose files have roles, read-only and read lazily."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar, cast

from validator import formats
from validator.errors import UsageError
from validator.formats import ebnf, folder
from validator.formats.source import ARCHIVE, FileSource
from validator.model import Law, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from validator.formats import Content
    from validator.formats.ebnf import Field, Grammar
    from validator.formats.members import ArchiveFault, Listing
    from validator.formats.source import Source
    from validator.profile import FileRole, Profile, Value
    from validator.references import Choice
    from validator.tables import Description

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The files of a PATH: those that can be read, and those that are no plain files, with what they are.

    ``folders`` are all folders below it, ``hidden`` the entries whose names begin with a dot: nobody looks at them.
    """

    path: str
    whole: bool
    sources: tuple[Source, ...]
    oddities: tuple[tuple[str, str], ...] = ()
    faults: tuple[ArchiveFault, ...] = ()
    folders: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    archive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A file that belongs to a run besides its main one."""

    role: FileRole
    source: Source


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One output of a system: its main file, its other parts, and what its name says.

    ``suffix`` is empty if the extension is unknown.
    """

    source: Source
    role: FileRole | None
    stem: str
    suffix: str
    fields: tuple[Field, ...]
    parts: tuple[Part, ...] = ()

    @property
    def file(self) -> str:
        """Path in the submission."""
        return self.source.name

    @property
    def values(self) -> dict[str, str]:
        """The fields of the name by their names, as far as they can be told apart."""
        return {part.name: part.text for part in self.fields if part.name}

    def name_place(self, part: Field | None = None) -> Place:
        """Return the place of a field in the file's name, or of the whole stem."""
        return Place(self.file, span=(part.begin, part.end) if part else (0, len(self.stem)))


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """What rules about the whole submission see."""

    path: str
    whole: bool
    profile: Profile
    parameters: dict[str, Value]
    runs: tuple[Run, ...]
    texts: tuple[Source, ...]
    others: tuple[Source, ...]
    oddities: tuple[tuple[str, str], ...]
    faults: tuple[ArchiveFault, ...] = ()
    side: tuple[Source, ...] = ()
    folders: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    archive: bool = False
    descriptions: tuple[tuple[str, Description], ...] = ()
    reports: tuple[tuple[str, object], ...] = ()
    references: dict[str, object] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    def grammar(self, law: Law, start: str = "") -> Grammar:
        """Return the grammar of names under a law; of the runs' names, or of those that another rule describes."""
        return ebnf.load(self.profile.grammar, start or self.profile.start, law)

    @property
    def files(self) -> tuple[Source, ...]:
        """All files, whatever their role."""
        of_runs = [source for run in self.runs for source in (run.source, *(part.source for part in run.parts))]
        return (*of_runs, *self.texts, *self.side, *self.others)

    def reports_of(self, run: Run) -> tuple[Source, ...]:
        """Return the reports that go with a run: those with its name in front, or else those for all runs."""
        named = {source: source.name.rsplit("/", 1)[-1] for source in self.side}
        mine = [source for source, base in named.items() if base.startswith(f"{run.stem}.")]
        stems = tuple(f"{other.stem}." for other in self.runs)
        return nearest(run, mine or [source for source, base in named.items() if not base.startswith(stems)])

    def wanting(self, need: str) -> str:
        """Say what is missing."""
        return need

    def lacks(self, need: str) -> bool:
        """Tell whether something that a rule needs is missing."""
        if need.startswith("package:"):
            return find_spec(need.removeprefix("package:")) is None
        if need == "report":
            return not self.reports
        return not self.whole if need == "whole" else need not in self.references


@dataclass(frozen=True, slots=True, eq=False)
class OpenRun:
    """What rules about one run see: its content, and the references that belong to it."""

    run: Run
    submission: Submission
    content: Content | None
    parts: dict[str, Content]
    choices: dict[str, Choice]
    references: dict[str, object]
    memo: dict[Callable[[OpenRun], object], object] = field(default_factory=dict)

    def wanting(self, need: str) -> str:
        """Say what is missing: data that nobody gave, or a file that the run itself names wrongly."""
        choice = self.choices.get(need)
        return f"the {need} that the run names" if choice is not None and choice.absent else need

    @property
    def path(self) -> str:
        """Where its main file is."""
        return self.run.file

    def once(self, compute: Callable[[OpenRun], T]) -> T:
        """Return what ``compute`` makes of this run, computing it for the first rule that asks."""
        if compute not in self.memo:
            self.memo[compute] = compute(self)
        return cast("T", self.memo[compute])

    def part(self, name: str) -> Content | None:
        """Return the file of the run that has this format, its main file or another."""
        main = self.run.role is not None and self.run.role.format == name
        return self.content if main else self.parts.get(name)

    def file_of(self, name: str) -> str:
        """Return the path of the run's file of this format."""
        return next((part.source.name for part in self.run.parts if part.role.format == name), self.run.file)

    def lacks(self, need: str) -> bool:
        """Tell whether something that a rule needs is missing."""
        if need == "content":
            return self.content is None
        if need.startswith("part:"):
            return self.part(need.removeprefix("part:")) is None
        if need == "database":
            return not any(choice.from_database or choice.absent for choice in self.choices.values())
        return need not in self.references


@dataclass(frozen=True, slots=True, eq=False)
class OpenFile:
    """What rules about one of the organizers' own files see."""

    path: str
    format: str
    content: Content
    references: dict[str, object] = field(default_factory=dict)

    def lacks(self, need: str) -> bool:
        """Tell whether the file is of another format than a rule is about (a|b: one of them), or has no such companion.

        ``with:ROLE`` needs the file of another role beside it.
        """
        if need.startswith("with:"):
            return need.removeprefix("with:") not in self.references
        return self.format not in need.split("|")


def nearest(run: Run, sources: Iterable[Source]) -> tuple[Source, ...]:
    """Choose among files for a run: of those with the same name in different folders the one nearest to it."""

    def shared(source: Source) -> int:
        steps = zip(run.file.split("/"), source.name.split("/"), strict=False)
        return sum(1 for _ in takewhile(lambda step: step[0] == step[1], steps))

    return tuple({source.name.rsplit("/", 1)[-1]: source for source in sorted(sources, key=shared)}.values())


def members(path: Path, shown: str) -> Members:
    """List the files of a PATH without following links."""
    if path.is_dir():
        return _listed(folder.listing(path, shown), shown, archive=False)
    if not path.exists():
        raise UsageError(f"no such file or folder: {shown}")
    if not path.is_file():
        raise UsageError(f"{shown} is neither a file nor a folder")
    if ARCHIVE.search(path.name):
        from validator.formats.archive import listing  # noqa: PLC0415 - the decompressors are slow to load

        return _listed(listing(path, shown), shown, archive=True)
    return Members(shown, whole=False, sources=(FileSource(shown, path, path.stat().st_size),))


def _listed(found: Listing, shown: str, *, archive: bool) -> Members:
    return Members(
        shown,
        whole=True,
        sources=found.sources,
        oddities=found.oddities,
        faults=found.faults,
        folders=found.folders,
        hidden=found.hidden,
        archive=archive,
    )


def compose(found: Members, profile: Profile, parameters: dict[str, Value]) -> Submission:
    """Give each file its role; what has the same stem in the same folder as a run is part of it."""
    runs: list[Run] = []
    texts: list[Source] = []
    others: list[Source] = []
    side: list[Source] = []
    parts: list[tuple[str, Part]] = []
    for source in found.sources:
        base = source.name.rsplit("/", 1)[-1]
        role, suffix = _role(base, profile)
        if role is not None and role.role == "description" and found.whole:
            texts.append(source)
        elif role is not None and role.role == "report":
            side.append(source)
        elif role is not None and role.role == "part" and found.whole:
            parts.append((source.name[: len(source.name) - len(suffix)], Part(role, source)))
        elif (role is not None and role.role == "run") or not found.whole or _misspelt(base, profile):
            role = role if role is not None and role.role in ("run", "part") else _role_by_content(source, profile)
            stem = base[: len(base) - len(suffix)] if suffix else _bare(base)
            fields = ebnf.load(profile.grammar, profile.start, Law.PLAN).split(stem)
            runs.append(Run(source, role, stem, suffix, fields))
        else:
            others.append(source)
    whole = {run.source.name.removesuffix(run.suffix) for run in runs}
    others += [part.source for stem, part in parts if stem not in whole]
    return Submission(
        found.path,
        found.whole,
        profile,
        parameters,
        tuple(replace(run, parts=_parts_of(run, parts)) for run in runs),
        tuple(texts),
        tuple(others),
        found.oddities,
        found.faults,
        tuple(side),
        found.folders,
        found.hidden,
        found.archive,
    )


def _parts_of(run: Run, parts: list[tuple[str, Part]]) -> tuple[Part, ...]:
    stem = run.source.name.removesuffix(run.suffix)
    return tuple(part for owner, part in parts if owner == stem)


def _role(base: str, profile: Profile) -> tuple[FileRole | None, str]:
    """Find the role of a file by how its name ends; letter case is judged later, by a rule."""
    for law in (Law.PLAN, Law.TOOL):
        grammar = ebnf.load(profile.grammar, profile.start, law)
        for role in profile.files:
            match = re.search(f"{grammar.pattern(role.suffix)}$", base, re.IGNORECASE)
            if match is not None:
                return role, match[0]
    return None, ""


def _role_by_content(source: Source, profile: Profile) -> FileRole | None:
    known = formats.sniff(source)
    return next((role for role in profile.files if known is not None and role.format == known.name), None)


def _misspelt(base: str, profile: Profile) -> bool:
    """Tell whether a name looks like that of a run with another extension."""
    return not profile.runs_by_suffix and re.match(profile.recognise, base) is not None


def _bare(base: str) -> str:
    """Cut an unknown extension off a name; corpus ids have dots, so it begins at the last dot behind the last _."""
    head, underscore, tail = base.rpartition("_")
    return f"{head}{underscore}{tail.split('.', 1)[0]}"
