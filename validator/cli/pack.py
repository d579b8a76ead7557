"""``subgate pack``: check, and write the ready upload."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from validator.cli.options import Manner, deliver, exit_code, judging, parsed_settings, render, without_slash
from validator.cli.progress import Progress

if TYPE_CHECKING:
    from validator.model import Report


@click.command()
@judging
@click.option(
    "-o", "--output", "folder", required=True, type=click.Path(file_okay=False), help="Folder for the upload."
)
def pack(  # noqa: PLR0913 - click hands every option over by name
    *,
    paths: tuple[str, ...],
    evaluation: str | None,
    data: tuple[str, ...],
    conventions: str,
    settings: tuple[str, ...],
    style: str,
    folder: str,
    quiet: bool,
    verbose: bool,
    color: str,
) -> None:
    """Check submissions and, only if nothing is an error, write the ready-to-upload archives.

    Beside each archive: its .sha256 (for sha256sum -c) and a .receipt.json (for subgate verify). The same input gives
    the same bytes on any machine. Nothing is written for a rejected submission.
    """
    from validator import engine  # noqa: PLC0415 - keeps --help light
    from validator.model import Law  # noqa: PLC0415

    manner = Manner(style, None, quiet, verbose, color)
    progress = Progress(quiet=quiet)
    request = engine.Request(evaluation, data, Law(conventions), parsed_settings(settings), verbose, progress)
    reports: list[Report] = []
    for path in paths:
        before = [package for report in reports for package in report.packages]
        report = engine.pack(without_slash(path), request, Path(folder), before)
        reports.append(replace(report, path=path))
    progress.clear()
    deliver(render(reports, manner), None)
    sys.exit(exit_code(reports))
