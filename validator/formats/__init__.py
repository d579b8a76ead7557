"""One module per file format: bytes in, a table and its defects out. This table is the only list of them."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from validator.formats.source import FileSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from validator.formats.problems import Problems
    from validator.formats.source import Source
    from validator.model import Location, Place, Rule


class Content(Protocol):
    """A file as it was read; what else there is depends on the format."""

    @property
    def problems(self) -> Problems:
        """What is wrong with its syntax."""

    @property
    def table(self) -> object:
        """What it holds."""

    @property
    def named_list(self) -> str | None:
        """The base name of the list that it says it was made from, if the format has such a thing."""

    def __len__(self) -> int:
        """Count its records."""


class FormatModule(Protocol):
    """What every format module offers."""

    def read(self, source: Source) -> Content:
        """Read a file completely, whatever is wrong with it."""


class TableModule(Protocol):
    """What a module for tables of many kinds offers instead."""

    def read(self, source: Source, keep: Sequence[str], unread: Sequence[str]) -> Content:
        """Read a file completely, keeping these columns."""


class Format(NamedTuple):
    """A file format: its module, the family that locates places in it; for XML, its root element and its schema.

    ``judge`` is set for the organizers' own files: the official tool that reads them; ``own`` where there is none.
    ``child_attribute`` is what the first child of the root has, and tells the format from others with the same root.
    """

    name: str
    module: str
    family: str
    root: str = ""
    schema: str = ""
    judge: str = ""
    suffix: str | tuple[str, ...] = ""  # of files whose content cannot tell
    own: bool = False
    child_attribute: str = ""
    columns: tuple[str, ...] = ()  # of a CSV: those that are kept
    telling: tuple[str, ...] = ()  # those that no other CSV has all of
    unread: tuple[str, ...] = ()  # those whose values the official tool does not look at

    @property
    def by_organizers(self) -> bool:
        """Whether it is one of the organizers' own files."""
        return self.own or bool(self.judge)


_F4DE = "F4DE 3.5.0"
_STDEVAL = "STDEval 0.7"
_TIMES = ("DetectionTPT", "EAGTPT", "EMDTPT", "EBGMDTPT", "SEARCHMDTPT")
FORMATS = (
    Format("kwslist", "validator.formats.kwslist", "xml", "kwslist", "openkws/kwslist.xsd"),
    Format("ecf", "validator.formats.ecf", "xml", "ecf", "openkws/ecf.xsd", judge=_F4DE),
    Format("kwlist", "validator.formats.kwlist", "xml", "kwlist", "openkws/kwlist.xsd", judge=_F4DE),
    Format("stdlist", "validator.formats.stdlist", "xml", "stdlist", "std/stdlist.xsd"),
    Format("stdecf", "validator.formats.stdecf", "xml", "ecf", "std/ecf.xsd", _STDEVAL, child_attribute="language"),
    Format("termlist", "validator.formats.termlist", "xml", "termlist", "std/termlist.xsd", judge=_STDEVAL),
    Format("resources", "validator.formats.tomlform", "toml"),
    Format("description", "validator.formats.description", "text"),
    Format("datadefs", "validator.formats.datadefs", "text"),
    *(
        Format(name, "validator.formats.csvtable", "csv", judge=judge, suffix=suffix, columns=keep, telling=telling)
        for name, judge, suffix, keep, telling in (
            ("trial-index", _F4DE, "TrialIndex.csv", ("TrialID", "ClipID", "EventID"), ("TrialID", "ClipID")),
            ("event-db", _F4DE, "EventDB.csv", ("EventID", "EventName"), ("EventID", "EventName")),
            ("clip-db", _F4DE, "ClipMD.csv", ("ClipID", "DURATION"), ("ClipID", "DURATION")),
            ("judgements", _F4DE, "JudgementMD.csv", ("ClipID", "EventID", "INSTANCE_TYPE"), ("INSTANCE_TYPE",)),
            ("reference", _F4DE, "Ref.csv", ("TrialID", "Targ"), ("TrialID", "Targ")),
            ("detection", "", "", ("TrialID", "Score", "Rank"), ("TrialID", "Score")),
        )
    ),
    Format(
        "threshold",
        "validator.formats.csvtable",
        "csv",
        columns=("EventID", "DetectionThreshold", "RankThreshold", *_TIMES),
        telling=("EventID", "DetectionTPT"),
        unread=_TIMES,
    ),
    Format("rttm", "validator.formats.rttm", "text", suffix=".rttm", judge=_F4DE),
    Format("languagescores", "validator.formats.languagescores", "results", schema="lre12/lre12.ebnf"),
    Format("segments", "validator.formats.segmentlist", "segments", suffix=".ndx", own=True),
    Format("key", "validator.formats.languagekey", "segments", suffix=("key.txt", ".key"), own=True),
    Format("pdf", "validator.formats.pdf", "pdf"),
    Format("speedreport", "validator.formats.speedreport", "speed"),
)
_HEAD = 1 << 12  # bytes that show the header of a table
_SCHEMA_FAULTS = frozenset({"XML204", "XML205", "XML206", "XML207", "XML208"})
_FAMILIES = {
    "xml": ("validator.formats.xmlplaces", "validator.formats.xmlfaults"),
    "text": ("validator.formats.textplaces", "validator.formats.textfaults"),
    "toml": ("validator.formats.tomlplaces", "validator.formats.tomlfaults"),
    "csv": ("validator.formats.csvplaces", "validator.formats.csvrules"),
    "results": ("validator.formats.fieldplaces", "validator.formats.scorefaults"),
    "segments": ("validator.formats.fieldplaces", "validator.formats.keyfaults"),
    "pdf": ("validator.formats.textplaces", "validator.formats.pdffaults"),
    "speed": ("validator.formats.textplaces", "validator.formats.speedfaults"),
}


def named(name: str) -> Format:
    """Return a format by its name."""
    return next(known for known in FORMATS if known.name == name)


def schema_of(name: str) -> str:
    """Return the bundled schema of a format, or nothing."""
    return named(name).schema if name else ""


def read(name: str, source: Source) -> Content:
    """Read a file in the format of this name."""
    known = named(name)
    if known.columns:
        return cast("TableModule", import_module(known.module)).read(source, known.columns, known.unread)
    return cast("FormatModule", import_module(known.module)).read(source)


def rules(name: str) -> tuple[Rule[object], ...]:
    """Return the syntax rules of a format."""
    return tuple(import_module(_FAMILIES[named(name).family][1]).RULES)


def locate(name: str, source: Source, places: Iterable[Place]) -> dict[Place, Location]:
    """Turn places in a file into locations, reading the file once more."""
    located: dict[Place, Location] = import_module(_FAMILIES[named(name).family][0]).locate(source, places)
    return {place: replace(location, format=name) for place, location in located.items()}


def canonical(name: str, source: Source, references: Mapping[str, object]) -> Source:
    """Return a file in the form that is sent, where its format has one: other bytes, the same content."""
    module = import_module(named(name).module)
    if not hasattr(module, "canonical"):
        return source
    rewritten: Source = module.canonical(source, references)
    return rewritten


def schema_says(code: str, where: Location) -> str:
    """Have a schema error explained in the words of a second schema engine; empty for anything else."""
    if code not in _SCHEMA_FAULTS or not where.record or not where.node:
        return ""
    words: str = import_module("validator.formats.xmlwords").schema_says(
        schema_of(where.format) or _schema_at(where.node), where.node, where.record
    )
    return words


def _schema_at(node: str) -> str:
    root = node.split("/")[1].partition("[")[0]
    return next((known.schema for known in FORMATS if known.root == root), "")


def source_of(path: Path) -> FileSource:
    """Return a plain file as a Source under its own path."""
    return FileSource(str(path), path, path.stat().st_size)


def sniff(source: Source) -> Format | None:
    """Tell the format of a file from its content, if it is one that the house knows."""
    root, child = import_module("validator.formats.xmlplaces").first_elements(source)
    by_name = (known for known in FORMATS if known.suffix and source.name.endswith(known.suffix))
    by_root = [known for known in FORMATS if known.root and known.root == root]
    by_child = next((known for known in by_root if known.child_attribute in child), None)
    by_content = by_child or next((known for known in by_root if not known.child_attribute), None)
    return by_content or (None if root else _sniff_table(source)) or next(by_name, None)


def _sniff_table(source: Source) -> Format | None:
    with source.open() as stream:
        head = stream.read(_HEAD).decode("utf-8", "replace").splitlines()[:1]
    names = {name.strip(' "\ufeff') for name in head[0].split(",")} if head else set()
    return next((known for known in FORMATS if known.telling and names.issuperset(known.telling)), None)
