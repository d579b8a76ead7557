"""``subgate check``: judge submissions."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from validator.cli.options import (
    Manner,
    deliver,
    exit_code,
    judging,
    parsed_settings,
    render,
    without_slash,
    worker_processes,
)
from validator.cli.progress import Progress

if TYPE_CHECKING:
    from validator.engine import Request
    from validator.model import Report


@click.command()
@judging
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the report to this file.")
@worker_processes
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

    manner = Manner(style, output, quiet, verbose, color)
    request = Request(evaluation, data, Law(conventions), parsed_settings(settings), verbose)
    reports = check_all(list(paths), request, jobs, Progress(quiet=quiet))
    deliver(render(reports, manner), output)
    sys.exit(exit_code(reports))


def check_all(paths: list[str], request: Request, jobs: int | None, progress: Progress) -> list[Report]:
    """Check every PATH, in as many processes as make sense; the order of the answers is that of the PATHs."""
    from validator.engine import check as check_one  # noqa: PLC0415

    workers = min(jobs or os.cpu_count() or 1, len(paths))
    bare = [without_slash(path) for path in paths]
    watched = request._replace(watch=progress)
    if workers == 1:
        reports = [check_one(path, watched) for path in bare]
    else:
        from validator.workers import check_in_processes  # noqa: PLC0415

        reports = check_in_processes(bare, watched, workers)
    progress.clear(elsewhere=workers > 1)
    return [replace(report, path=path) for report, path in zip(reports, paths, strict=True)]
