"""Options that several commands share, and how a command ends."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from validator.model import Report

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
        click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the report to this file."),
        click.option("-j", "--jobs", type=click.IntRange(min=1), help="Worker processes; by default the cores."),
        click.option("-q", "--quiet", is_flag=True, help="Closing lines only."),
        click.option("-v", "--verbose", is_flag=True, help="Say what the XML schema says, too."),
        click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True),
    )
    for option in reversed(options):
        command = option(command)
    return command


def parsed_settings(settings: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Split the values of --set."""
    pairs = []
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.UsageError(f"--set {setting}: write NAME=VALUE")
        pairs.append((name, value))
    return tuple(pairs)


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
        click.echo(text, nl=False)
        return
    target = Path(output)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except OSError as error:
        raise click.ClickException(f"cannot write {output}: {error.strerror}") from error


def exit_code(reports: list[Report]) -> int:
    """Return the exit code of a command: the worst of 3 (our bug), 2 (not judged), 1 (rejected), 0."""
    from validator.model import Verdict, verdict  # noqa: PLC0415 - keeps --help light

    codes = {FAILED if report.crash is not None else USAGE if report.error is not None else 0 for report in reports}
    codes |= {1 for report in reports if verdict(report) is Verdict.REJECT}
    return max(codes)
