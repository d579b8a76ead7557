"""What the tests of the whole tool share: the command in this process and as a process of its own, and a good run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from validator.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

_START = "import sys; sys.argv[0] = 'subgate'; from validator.cli import main; main()"
_COLOUR_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")
_DATABASE = Path(__file__).parent / "cases" / "openkws" / "database"

RUN_NAME = "KWS13_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_FullLP_BaseLR_NTAR_p-word_1.kwslist.xml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites stored reports; the diff is then read like code."""
    parser.addoption("--update-cases", action="store_true", help="rewrite the stored reports (read the diff!)")


@pytest.fixture
def update_cases(request: pytest.FixtureRequest) -> bool:
    """Tell whether stored reports are to be rewritten."""
    return bool(request.config.getoption("--update-cases"))


@pytest.fixture
def subgate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command in this process; an exception that escapes it fails the test."""
    for name in _COLOUR_VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, [*arguments], catch_exceptions=False)

    return run


@pytest.fixture
def process() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run the command as a process of its own, in a folder, with additional environment variables.

    ``stdout`` is a file descriptor that takes the output instead; it is closed here once the process has it.
    """

    def run(
        *arguments: str, cwd: Path | None = None, stdout: int | None = None, **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        plain = {name: value for name, value in os.environ.items() if name not in _COLOUR_VARIABLES}
        result = subprocess.run(
            [sys.executable, "-c", _START, *arguments],
            cwd=cwd,
            env={**plain, **variables},
            stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
        if stdout is not None:
            os.close(stdout)
        return result

    return run


@pytest.fixture
def stable() -> Callable[[str], str]:
    """Return a report without the numbers of rules that ran or could not: a new rule changes them in every report."""

    def strip(report: str) -> str:
        counts = re.compile(r"^rules   \d+ run, \d+ passed(, \d+ failed)(?:, \d+( could not run .*))?$", re.MULTILINE)
        report = counts.sub(lambda m: f"rules   N run, N passed{m[1]}{f', N{m[2]}' if m[2] else ''}", report)
        return re.sub(r"\(\d+ checks? needs? --data", "(N checks need --data", report)

    return strip


@pytest.fixture
def database() -> str:
    """Return the tiny database folder of the cases, as an absolute path."""
    return str(_DATABASE)


@pytest.fixture
def run_name() -> str:
    """Return the file name of the good run."""
    return RUN_NAME


@pytest.fixture
def good_run() -> str:
    """Return a run without any fault: two keywords of the tiny database, one YES, one NO."""
    return (_DATABASE.parent / "good-run" / RUN_NAME).read_text(encoding="utf-8")


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_name: str) -> Callable[..., str]:
    """Write a file into the test's own folder, which is the working directory; its name is the good run's if left out.

    Returns the name, to be given to the command.
    """
    monkeypatch.chdir(tmp_path)

    def write(content: str | bytes, name: str = run_name) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write
