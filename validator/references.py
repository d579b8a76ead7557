"""What the organizers gave out: ``--data`` folders and files, and which of them belongs to a run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from validator.errors import ReferenceDataError, UsageError
from validator.formats import ebnf, source_of
from validator.model import Law
from validator.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from validator.formats.source import FileSource
    from validator.profile import DataRole, Profile


class Choice(NamedTuple):
    """The file that was found for a role; ``absent`` says what a database folder does not have."""

    source: FileSource | None = None
    absent: str = ""
    from_database: bool = False


class References(NamedTuple):
    """The files behind --data: those named by role, and those to be recognised by their names."""

    named: tuple[tuple[str, Path], ...]
    folders: tuple[Path, ...]
    loose: tuple[Path, ...]

    def choose(self, role: DataRole, profile: Profile, fields: Mapping[str, str], named: str | None = None) -> Choice:
        """Find the file of a role for a run with these EXPID fields; ``named`` is the name that the run gives.

        In a database folder the fields choose: ``<CORPUS>_<PARTITION>``. Elsewhere there must be one file only.
        """
        explicit = dict(self.named).get(role.role)
        if explicit is not None:
            return Choice(source_of(explicit))
        named_formats = {known.format for known in profile.data if known.role in dict(self.named)}
        if role.optional and role.format in named_formats:
            return Choice()  # a file that was named overrides what a folder would offer besides
        suffix = re.compile(f"(?:{role.suffix})$", re.IGNORECASE)
        found = [path for path in (*self.loose, *self._top_level()) if suffix.search(path.name)]
        if not role.name or not self.is_database(profile):
            fitting = [path for path in found if suffix.sub("", path.name) == _filled(role.name, fields)]
            return Choice(source_of(_only(role, fitting or found, named))) if found else Choice()
        if named is not None:
            wanted = [path for path in found if path.name == named]
            return Choice(source_of(wanted[-1]), from_database=True) if wanted else Choice(absent=_absent(named, found))
        stem = _filled(role.name, fields)
        wanted = [path for path in found if suffix.sub("", path.name) == stem]
        if not wanted and role.optional:
            below = [path for folder in self.folders for path in _files(folder / stem) if suffix.search(path.name)]
            return Choice(source_of(_only(role, below, None)), from_database=True) if below else Choice()
        return Choice(source_of(wanted[-1]), from_database=True) if wanted else Choice(absent=_absent(stem, found))

    def is_database(self, profile: Profile) -> bool:
        """Tell whether a folder is laid out by corpus and partition, one ECF each; a broken one is an error."""
        pairs: dict[str, set[str]] = {}
        for role in (known for known in profile.data if known.name and not known.optional):
            for stem, path in self._stems(role):
                pairs.setdefault(stem, set()).add(role.role)
                if stem.count("_") != role.name.count("_"):
                    pairs.setdefault("", set()).add(path.name)
        odd = pairs.pop("", set())
        if not pairs:
            return False
        last_field = ebnf.load(profile.grammar, profile.start, Law.PLAN).rule(_placeholders(profile.data[0].name)[-1])
        if not any(last_field.accepts(stem.split("_")[-1]) and stem.count("_") == 1 for stem in pairs):
            return False
        if odd:
            shape = profile.data[0].name.replace("{", "<").replace("}", ">")
            raise ReferenceDataError(f"{min(odd)} in the database folder is not named {shape}: rename or remove it")
        roles = {role.role for role in profile.data if role.name and not role.optional}
        for stem, have in sorted(pairs.items()):
            if missing := sorted(roles - have):
                raise ReferenceDataError(f"the database folder has {stem} without its {missing[0]}")
        return True

    def _stems(self, role: DataRole) -> Iterator[tuple[str, Path]]:
        suffix = re.compile(f"(?:{role.suffix})$", re.IGNORECASE)
        for path in self._top_level():
            if suffix.search(path.name):
                yield suffix.sub("", path.name), path

    def _top_level(self) -> list[Path]:
        return [path for folder in self.folders for path in _files(folder)]


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.is_file()] if folder.is_dir() else []


def parse_data(options: Sequence[str], *profiles: Profile) -> References:
    """Sort the values of --data: ROLE=FILE, folders, files; roles are those of any of the evaluations."""
    roles = {role.role for profile in profiles for role in profile.data}
    named, folders, loose = [], [], []
    for option in options:
        role, equals, rest = option.partition("=")
        path = Path(rest if equals and role in roles else option)
        if not path.exists():
            guess = nearest(role, roles) if equals else None
            meant = f" (roles are {', '.join(sorted(roles))})" if equals and guess is None else ""
            raise UsageError(f"--data {option}: no such file{f'; did you mean {guess}={rest}?' if guess else meant}")
        if equals and role in roles:
            named.append((role, path))
        elif path.is_dir():
            folders.append(path)
        else:
            loose.append(path)
    return References(tuple(named), tuple(folders), tuple(loose))


def _only(role: DataRole, found: list[Path], named: str | None) -> Path:
    chosen = [path for path in found if path.name == named] or found
    if len(chosen) > 1:
        raise UsageError(
            f"two files for the role {role.role}: {chosen[0]} and {chosen[1]}; say --data {role.role}=FILE"
        )
    return chosen[0]


def _absent(wanted: str, found: list[Path]) -> str:
    guess = nearest(wanted, [path.name for path in found])
    return f"{wanted}; did you mean {guess}?" if guess else wanted


def _filled(template: str, fields: Mapping[str, str]) -> str:
    return template.format_map({**dict.fromkeys(_placeholders(template), ""), **fields})


def _placeholders(template: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", template)
