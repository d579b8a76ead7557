"""speed.toml: processing speed of the systems, to be computed again.

::

    [[system]]
    condition = "PC"
    id = "pri"
    cpu_seconds = 1234.5
    audio_seconds = 36000
    xrt = 0.034
    cpu = "..."         # optional
    memory_gb = 16      # optional
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from validator.formats.problems import Problems
from validator.formats.speedfaults import SPEED_FORM
from validator.model import Defect, Place
from validator.suggest import nearest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from validator.formats.source import Source

LIMIT = 1 << 20
_TEXTS, _NUMBERS, _OPTIONAL = ("condition", "id"), ("cpu_seconds", "audio_seconds", "xrt"), ("cpu", "memory_gb")


@dataclass(frozen=True, slots=True)
class SystemSpeed:
    """The speed of one system, numbers as they were written."""

    condition: str
    id: str
    cpu_seconds: Decimal
    audio_seconds: Decimal
    xrt: Decimal
    offset: int


@dataclass(frozen=True, slots=True)
class SpeedReportFile:
    """A speed.toml as it was read."""

    table: tuple[SystemSpeed, ...]
    problems: Problems
    named_list: str | None = None

    def __len__(self) -> int:
        return len(self.table)


def read(source: Source) -> SpeedReportFile:
    """Read all tables that have the right form."""
    problems = Problems()

    def fault(message: str, offset: int | None = None) -> None:
        problems.note(SPEED_FORM, "", lambda: Defect(Place(source.name, offset), message))

    with source.open() as stream:
        data = stream.read(LIMIT + 1)
    try:
        if len(data) > LIMIT:
            raise ValueError("it is larger than 1 MB")  # noqa: TRY301 - one way out for all that cannot be read
        content = tomllib.loads(data.decode(), parse_float=Decimal)
    except (ValueError, InvalidOperation, RecursionError) as error:
        fault(f"no TOML: {str(error)[:80] or 'a number is out of range'}")
        return SpeedReportFile((), problems)
    systems = content.pop("system", [])
    if content or not isinstance(systems, list) or not all(isinstance(system, dict) for system in systems):
        fault(f"only tables [[system]] are expected{f', not {min(content)[:60]}' if content else ''}")
        return SpeedReportFile((), problems)
    heads = _heads(data)
    found = []
    for rank, system in enumerate(systems):
        offset = heads[rank] if len(heads) == len(systems) else None
        wrong = _wrong(system)
        if wrong:
            fault(f"system {rank + 1}: {wrong}", offset)
        else:
            texts = [str(system[name]) for name in _TEXTS]
            numbers = [Decimal(system[name]) for name in _NUMBERS]
            found.append(SystemSpeed(texts[0], texts[1], numbers[0], numbers[1], numbers[2], offset or 0))
    return SpeedReportFile(tuple(found), problems)


def _heads(data: bytes) -> list[int]:
    offsets, at = [], 0
    for line in data.split(b"\n"):
        if line.strip().startswith(b"[[system]]"):
            offsets.append(at)
        at += len(line) + 1
    return offsets


def _wrong(system: dict[str, object]) -> str:
    known = (*_TEXTS, *_NUMBERS, *_OPTIONAL)
    for name in system:
        if name not in known:
            guess = nearest(name, known)
            return f"unknown key {name[:60]}" + (f"; did you mean {guess}?" if guess else "")
    for name in (*_TEXTS, *_NUMBERS):
        if name not in system:
            return f"{name} is missing"
    for name in (*_TEXTS, "cpu"):
        if not isinstance(system.get(name, ""), str):
            return f"{name} must be a text"
    for name in (*_NUMBERS, "memory_gb"):
        value = system.get(name, 1)
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            return f"{name} must be a number"
        if not Decimal(value).is_finite() or value < 0 or (name == "audio_seconds" and not value):
            return f"{name} must be {'above 0' if name == 'audio_seconds' else 'a number from 0 on'}"
    return ""
