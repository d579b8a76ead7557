"""Options that several commands share, and how a command ends."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from validator.model import Cell, Report

Command = TypeVar("Command", bound="Callable[..., Any]")

USAGE, FAILED = 2, 3


def judging(command: Command) -> Command:
    """Add the options of commands that judge submissions."""
    options = (
        click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
        click.option("-e", "--evaluation", metavar="NAME", help="The evaluation; otherwise recognised from the names."),
        click.option(
            "--data",
            multiple=True,
            metavar="PATH",
            help="What the organizers gave out: a folder, a file, or ROLE=FILE (see: subgate evaluations NAME).",
        ),
        click.option(
            "--conventions",
            type=click.Choice(["both", "plan", "tool"]),
            default="both",
            show_default=True,
            help="Whose law decides where the plan and the official tool differ.",
        ),
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Override a parameter."),
        click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", show_default=True),
        click.option("-q", "--quiet", is_flag=True, help="Closing lines only."),
        click.option("-v", "--verbose", is_flag=True, help="Say what the XML schema says, and all measures."),
        click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True),
    )
    for option in reversed(options):
        command = option(command)
    return command


worker_processes = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), help="Worker processes; by default the cores, one for each PATH."
)


@dataclass(frozen=True, slots=True)
class Manner:
    """How the user wants a report: its format, its place, how much of it, in colours or not, and since when."""

    style: str
    output: str | None
    quiet: bool
    verbose: bool
    color: str
    began: float = field(default_factory=monotonic)


def render(reports: list[Report], manner: Manner, comparisons: list[dict[str, Cell]] | None = None) -> str:
    """Write the reports in the wanted format."""
    if manner.style == "json":
        from validator.report.json import render as as_json  # noqa: PLC0415

        return as_json(reports, comparisons)
    from validator.report import text  # noqa: PLC0415
    from validator.report.plain import Paint  # noqa: PLC0415

    terminal = manner.output is None and sys.stdout.isatty()
    columns = _terminal_columns() if terminal else 100
    seconds = monotonic() - manner.began if terminal else None
    paint = Paint(wants_colour(manner.color, manner.output))
    written = text.render(reports, text.Style(paint, columns, seconds, manner.quiet, manner.verbose))
    if comparisons:
        from validator.report.measures import comparison  # noqa: PLC0415

        written += "\n" + "".join(f"{comparison(row)}\n" for row in comparisons)
    return written


def _terminal_columns() -> int:
    from shutil import get_terminal_size  # noqa: PLC0415 - it loads all decompressors

    return get_terminal_size().columns


def parsed_settings(settings: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Split the values of --set."""
    pairs = []
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.UsageError(f"--set {setting}: write NAME=VALUE")
        pairs.append((name, value))
    return tuple(pairs)


def without_slash(path: str) -> str:
    """Return a PATH without a slash at its end, so that one slash is between it and its members."""
    return path.rstrip("/") or path


def wants_colour(choice: str, output: str | None) -> bool:
    """Decide about colours: --color, then FORCE_COLOR and NO_COLOR, then the terminal."""
    if choice != "auto":
        return choice == "always"
    if output is not None or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def deliver(text: str, output: str | None) -> None:
    """Print a result, or put it into a file in one step."""
    if output is None:
        say(text)
        return
    from validator.atomic import replacing  # noqa: PLC0415

    target = Path(output)
    try:
        with target.open("wb") if _is_special(target) else replacing(target) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from error


def say(text: str) -> None:
    """Print as it is, colours included; what the terminal cannot show is replaced."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    click.echo(text, nl=False, color=True)


def _is_special(target: Path) -> bool:
    """Tell whether there is a pipe or a device, which is written to and never replaced."""
    return target.exists() and not target.is_file()


def exit_code(reports: list[Report]) -> int:
    """Return the exit code of a command: the worst of 3 (our bug), 2 (not judged), 1 (rejected), 0."""
    from validator.model import Verdict, verdict  # noqa: PLC0415 - keeps --help light

    codes = {FAILED if report.crash is not None else USAGE if report.error is not None else 0 for report in reports}
    codes |= {1 for report in reports if verdict(report) is Verdict.REJECT}
    return max(codes)
