"""The stairs of the house: imports go down only, heavy packages stay outside, every room is shipped."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent
LINES = 400

# Which rooms a room may import; every room may import its own modules. A new room is entered here, or it may nothing.
WORDS = {"", "errors", "model", "tables", "suggest", "atomic"}  # "" is the package itself: the version
DATA = {"bundled", "profile", "tomltable"}
BELOW_RULES = WORDS | DATA | {"submission"}
BELOW_ENGINE = BELOW_RULES | {"formats", "scoring", "references", "packing", "rules"}
JUDGING = {"rulebook", "findings", "organizers", "scorestage"}  # the engine's own rooms
BELOW_CLI = (
    WORDS
    | DATA
    | JUDGING
    | {"submission", "references", "packing", "skeleton", "conversion", "engine", "intake", "workers", "report"}
)
MAY_IMPORT: dict[str, set[str]] = {
    "": set(),
    "errors": set(),
    "suggest": set(),
    "atomic": set(),
    "model": {"errors"},
    "tables": {"errors", "model"},
    "bundled": WORDS,
    "tomltable": WORDS,
    "profile": WORDS | {"bundled", "tomltable"},
    "formats": WORDS | DATA,
    "scoring": {"model", "tables", "errors"},
    "references": WORDS | DATA | {"formats"},
    "submission": WORDS | DATA | {"formats"},
    "rules": BELOW_RULES | {"scoring"},  # a scorer's adapter stands with the rules of its evaluation
    "packing": BELOW_RULES | {"formats"},
    "skeleton": BELOW_RULES | {"formats"},
    "conversion": BELOW_RULES | {"formats", "findings"},
    "rulebook": BELOW_ENGINE,
    "findings": BELOW_ENGINE,
    "organizers": BELOW_ENGINE | {"rulebook", "findings"},
    "scorestage": BELOW_ENGINE,
    "engine": BELOW_ENGINE | JUDGING,
    "intake": BELOW_ENGINE | {"engine"},
    "workers": BELOW_ENGINE | {"engine"},
    "report": WORDS,
    "cli": BELOW_CLI,
}
THIRD_PARTY = {
    "tables": {"numpy"},
    "bundled": {"tomli"},
    "profile": {"tomli"},
    "formats": {"lxml", "xmlschema", "pandas", "numpy", "pypdf", "tomli"},
    "scoring": {"numpy", "scipy"},
    "rules": {"numpy"},
    "cli": {"click"},
}
HEAVY = {"pandas", "scipy", "xmlschema", "lxml", "matplotlib", "rich"}


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the house; ``name`` as it is imported."""

    path: Path
    name: str

    @property
    def room(self) -> str:
        """The first part of the name below the package."""
        return f"{self.name}.".split(".")[1]

    @property
    def tree(self) -> ast.Module:
        """The module, parsed."""
        return ast.parse(self.path.read_text(encoding="utf-8"))


def _modules() -> Iterator[Module]:
    for folder, package in (("validator", "validator"), ("rules", "validator.rules")):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            yield Module(path, ".".join([package, *(part for part in parts if part != "__init__")]))


ALL = list(_modules())
each_module = pytest.mark.parametrize("module", ALL, ids=lambda module: module.name)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Give all imports of a module, inside of functions as well, but not those for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        yield from _statements(child)


def _imported(module: Module) -> Iterator[str]:
    """Give the full names of what a module imports: modules, or names in them."""
    package = module.name if module.path.name == "__init__.py" else module.name.rpartition(".")[0]
    for statement in _statements(module.tree):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            above = package.rsplit(".", statement.level - 1)[0] if statement.level > 1 else package
            base = ".".join(filter(None, [above if statement.level else "", statement.module or ""]))
            yield from (f"{base}.{alias.name}" for alias in statement.names)


def _room(imported: str) -> str:
    """Return the room that a full name of the house belongs to."""
    part = f"{imported}.".split(".")[1]
    return part if part in MAY_IMPORT or part in {module.room for module in ALL} else ""


@each_module
def test_imports_go_down_only(module: Module) -> None:
    """No module imports from above or from a neighbour's room."""
    assert module.room in MAY_IMPORT, f"{module.room} has no floor: give it one in this test"
    rooms = {_room(name) for name in _imported(module) if name.split(".")[0] == "validator"}
    assert rooms - {module.room} <= MAY_IMPORT[module.room]


@each_module
def test_only_the_right_rooms_use_other_packages(module: Module) -> None:
    """Third-party packages have their rooms; rules/ is imported as validator.rules."""
    tops = {name.split(".")[0] for name in _imported(module)} - {"validator", "__future__"}
    assert tops - set(sys.stdlib_module_names) - {"tomllib"} <= THIRD_PARTY.get(module.room, set())


@each_module
def test_heavy_packages_are_imported_where_they_are_needed(module: Module) -> None:
    """Scipy and pandas are imported inside of functions: entering the room does not load them."""
    at_the_top = {
        alias.name.split(".")[0]
        for statement in module.tree.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in (statement.names if isinstance(statement, ast.Import) else [ast.alias(statement.module or "")])
    }
    assert not at_the_top & {"pandas", "scipy", "matplotlib"}


@each_module
def test_no_module_grows_too_long(module: Module) -> None:
    """A long module hides a second noun."""
    assert len(module.path.read_text(encoding="utf-8").splitlines()) <= LINES


@each_module
def test_there_are_no_rooms_without_a_noun(module: Module) -> None:
    """No utils, helpers, common, misc, base."""
    assert module.path.stem not in {"utils", "helpers", "common", "misc", "base"}


def test_everything_is_caught_in_three_places_only() -> None:
    """``except Exception`` is in the rule runner, around one PATH, where worker processes pass too, and in main."""
    found = {
        module.room
        for module in ALL
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception"))
    }
    assert found == {"rulebook", "engine", "cli"}


def test_no_module_names_an_evaluation() -> None:
    """The house knows no evaluation by name: an ``if evaluation == ...`` is a design bug."""
    names = {path.stem for path in (ROOT / "rules").glob("*.toml")}
    for module in ALL:
        if module.room in ("rules", "cli"):
            continue
        texts = {node.value for node in ast.walk(module.tree) if isinstance(node, ast.Constant)}
        assert not names & {text for text in texts if isinstance(text, str)}, module.name


def test_every_package_is_shipped() -> None:
    """A folder with __init__.py that pyproject does not list works here and is missing from the wheel."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    places = {"validator.rules": ROOT / "rules", "validator.schemas": ROOT / "schemas"}
    found = {
        "validator." + ".".join(p.parent.relative_to(ROOT / "validator").parts) for p in _inits(ROOT / "validator")
    }
    for name, folder in places.items():
        found |= {".".join([name, *path.parent.relative_to(folder).parts]) for path in _inits(folder)}
    assert {name.rstrip(".") for name in found} == set(table["packages"])


def _inits(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("__init__.py") if "__pycache__" not in path.parts]


@pytest.fixture
def loaded() -> Callable[..., set[str]]:
    """Run the command in a fresh process and tell which packages it loaded."""
    program = (
        "import atexit, json, sys; "
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr)); "
        "sys.argv[0] = 'subgate'; from validator.cli import main; main()"
    )

    def run(*arguments: str) -> set[str]:
        result = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, check=True, timeout=60, text=True
        )
        return {name.split(".")[0] for name in json.loads(result.stderr)}

    return run


def test_help_loads_nothing_heavy(loaded: Callable[..., set[str]]) -> None:
    """``subgate --help`` needs neither the heavy packages nor numpy."""
    assert not loaded("--help") & (HEAVY | {"numpy"})


def test_a_small_check_loads_nothing_heavy(loaded: Callable[..., set[str]], database: str, run_name: str) -> None:
    """A check of a small valid KWSList against ECF and KWList starts fast: hooks run it on every commit."""
    path = Path(database).parent / "good-run" / run_name
    assert not loaded("check", str(path), "--data", database) & HEAVY


def test_explain_loads_nothing_heavy(loaded: Callable[..., set[str]]) -> None:
    """Neither does a page about a rule."""
    assert not loaded("explain", "KWS304") & HEAVY
