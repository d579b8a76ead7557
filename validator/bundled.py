"""The only reader of schemas/ and rules/*.toml: what ships with the tool.

Plain paths instead of importlib.resources, which would cost a fifth of the start-up time of a small check.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator


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


@cache
def examples() -> tuple[str, ...]:
    """Return the evaluations that have an example."""
    return tuple(sorted(path.name for path in (Path(__file__).parent / "examples").iterdir()))


def example_files(evaluation: str) -> Iterator[tuple[str, bytes]]:
    """Give the files of an example, by their paths in it."""
    home = Path(__file__).parent / "examples" / evaluation
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.name != "story.toml":
            yield path.relative_to(home).as_posix(), path.read_bytes()


def story(evaluation: str) -> dict[str, str]:
    """Return what is to be told about an example."""
    text = (Path(__file__).parent / "examples" / evaluation / "story.toml").read_text(encoding="utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


def _folder(name: str) -> Path:
    return Path(import_module(f"validator.{name}").__path__[0])
