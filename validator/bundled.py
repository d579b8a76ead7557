"""The only reader of schemas/ and rules/*.toml: what ships with the tool.

Plain paths instead of importlib.resources, which would cost a fifth of the start-up time of a small check.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path


@cache
def schema(name: str) -> str:
    """Return the text of a file of schemas/, for instance ``openkws/kwslist.xsd``."""
    return _folder("schemas").joinpath(name).read_text(encoding="utf-8")


@cache
def profile_text(evaluation: str) -> str:
    """Return the TOML text of an evaluation's profile."""
    return _folder("rules").joinpath(f"{evaluation}.toml").read_text(encoding="utf-8")


@cache
def evaluations() -> tuple[str, ...]:
    """Return the names of all bundled evaluations, sorted."""
    return tuple(sorted(path.stem for path in _folder("rules").glob("*.toml")))


def _folder(name: str) -> Path:
    return Path(import_module(f"validator.{name}").__path__[0])
