"""System descriptions in PDF: whether it is one, and the lines of its text.

The text is read by pypdf in a process of its own, with a limit of time and memory: a PDF is a program that somebody
else wrote. Without pypdf only the form is looked at.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from validator.formats.pdffaults import NO_TEXT, NOT_A_PDF
from validator.formats.problems import Problems
from validator.model import Defect, Place
from validator.tables import Description, TextLine

if TYPE_CHECKING:
    from validator.formats.source import Source

LIMIT = 64 << 20
_NEAR = 1024  # bytes at either end in which the marks must be
_SECONDS = 30


@dataclass(frozen=True, slots=True)
class PdfFile:
    """A PDF as it was read."""

    table: Description
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table.lines)


def read(source: Source) -> PdfFile:
    """Read the text of a PDF, as far as it is one."""
    problems = Problems()
    with source.open() as stream:
        data = stream.read(LIMIT + 1)
    fault = _fault(data)
    lines: tuple[str, ...] = ()
    if fault:
        problems.note(NOT_A_PDF, "", lambda: Defect(Place(source.name), fault))
    elif find_spec("pypdf") is not None:
        lines, reason = _text(data)
        if reason:
            problems.note(NO_TEXT, "", lambda: Defect(Place(source.name), f"its text cannot be read: {reason}"))
    return PdfFile(Description(tuple(TextLine(line, 0) for line in lines)), problems)


def _fault(data: bytes) -> str:
    if len(data) > LIMIT:
        return f"the file is larger than {LIMIT >> 20} MB; it was not read"
    if b"%PDF-" not in data[:_NEAR]:
        return "the file is no PDF: it has no %PDF- at its beginning"
    if b"%%EOF" not in data[-_NEAR:]:
        return "the PDF is not complete: it has no %%EOF at its end"
    return ""


def _text(data: bytes) -> tuple[tuple[str, ...], str]:
    """Return the lines of the text, or the reason why there are none."""
    command = [sys.executable, "-I", "-m", "validator.formats.pdftext"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
        answer = json.loads(done.stdout) if done.returncode == 0 else {}
    except subprocess.TimeoutExpired:
        return (), f"pypdf did not come to an end in {_SECONDS} seconds"
    except ValueError:
        answer = {}
    lines = tuple(str(line) for line in answer.get("lines", ()))
    reason = str(answer.get("reason", "pypdf gave up"))
    if not reason and not any(map(str.strip, lines)):
        reason = "there is no text in it"
    return lines, reason
