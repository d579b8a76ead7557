"""``subgate check``: judge submissions."""

from __future__ import annotations

import os
import shutil
import sys
from time import monotonic
from typing import TYPE_CHECKING

import click

from validator.cli.options import deliver, exit_code, judging, parsed_settings, wants_colour

if TYPE_CHECKING:
    from validator.engine import Request
    from validator.model import Report


@click.command()
@judging
def check(  # noqa: PLR0913 - click hands every option over by name
    *,
    paths: tuple[str, ...],
    evaluation: str | None,
    data: tuple[str, ...],
    conventions: str,
    settings: tuple[str, ...],
    style: str,
    output: str | None,
    jobs: int | None,
    quiet: bool,
    verbose: bool,
    color: str,
) -> None:
    """Check submissions: files, folders or the organizers' own files.

    Prints every finding with the place, the reason and the fix, and a verdict for each PATH. Exit code: 0 all
    accepted, 1 one rejected, 2 the call is wrong, 3 a bug.
    """
    from validator.engine import Request  # noqa: PLC0415 - keeps --help light
    from validator.model import Law  # noqa: PLC0415

    began = monotonic()
    request = Request(evaluation, data, Law(conventions), parsed_settings(settings), verbose)
    reports = check_all(list(paths), request, jobs)
    if style == "json":
        from validator.report.json import render  # noqa: PLC0415

        deliver(render(reports), output)
    else:
        from validator.report import text  # noqa: PLC0415
        from validator.report.plain import Paint  # noqa: PLC0415

        terminal = output is None and sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns if terminal else 100
        seconds = monotonic() - began if terminal else None
        paint = Paint(wants_colour(color, output))
        deliver(text.render(reports, text.Style(paint, columns, seconds, quiet)), output)
    sys.exit(exit_code(reports))


def check_all(paths: list[str], request: Request, jobs: int | None) -> list[Report]:
    """Check every PATH, in as many processes as make sense; the order of the answers is that of the PATHs."""
    from validator.engine import check as check_one  # noqa: PLC0415

    workers = min(jobs or os.cpu_count() or 1, len(paths))
    if workers == 1:
        return [check_one(path, request) for path in paths]
    from validator.workers import check_in_processes  # noqa: PLC0415

    return check_in_processes(paths, request, workers)
