"""A KWSList as its rules see it: its content, its references, and places in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from validator.model import Place, Severity

from . import excerpts

if TYPE_CHECKING:
    from validator.formats.kwslist import KwsListFile
    from validator.submission import OpenRun
    from validator.tables import DetectedList, Detections, Ecf, KeywordList

ERROR, WARNING, OK = Severity.ERROR, Severity.WARNING, Severity.OK
A5 = "OpenKWS13 A.5"
UNREADABLE = ("XML201", "XML202", "XML203", "XML211")
WRONG_LIST = (*UNREADABLE, "KWS301", "KWS302")


def content(opened: OpenRun) -> KwsListFile:
    """Return the KWSList as it was read."""
    return cast("KwsListFile", opened.content)


def detections(opened: OpenRun) -> Detections:
    """Return its detections."""
    return content(opened).table.detections


def ecf(opened: OpenRun) -> Ecf:
    """Return the ECF that belongs to it."""
    return cast("Ecf", opened.references["ecf"])


def kwlist(opened: OpenRun) -> KeywordList:
    """Return the KWList that it names."""
    return cast("KeywordList", opened.references["kwlist"])


def placed(opened: OpenRun) -> excerpts.Placed:
    """Compare its detections with the ECF."""
    return excerpts.place(detections(opened), ecf(opened))


def header(opened: OpenRun, attribute: str = "") -> Place:
    """Return the place of the root, or of one of its attributes."""
    node = f"/kwslist/@{attribute}" if attribute else "/kwslist"
    return Place(opened.run.file, content(opened).table.offset, attribute, node)


def in_list(opened: OpenRun, detected: DetectedList, attribute: str) -> Place:
    """Return the place of an attribute of a list."""
    node = f'/kwslist/detected_kwlist[@kwid="{detected.kwid}"]/@{attribute}'
    return Place(opened.run.file, detected.offset, attribute, node)


def row(opened: OpenRun, at: int, attribute: str = "") -> Place:
    """Return the place of a detection, or of one of its attributes."""
    read = content(opened)
    return Place(opened.run.file, int(read.table.detections.offset[at]), attribute, read.node(at, attribute))
