"""``subgate score``: the measures of runs."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from validator.cli.check import check_all
from validator.cli.options import Manner, deliver, exit_code, judging, parsed_settings, render, worker_processes
from validator.cli.progress import Progress

if TYPE_CHECKING:
    from validator.model import Cell, Report, Scores


@click.command()
@judging
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the report to this file.")
@worker_processes
@click.option(
    "--by", multiple=True, metavar="WHAT", help="Break down: source-type, oov, keywords=NAME:IDS, attribute=NAME."
)
@click.option("--intervals", is_flag=True, help="95 % intervals by bootstrap.")
@click.option("--compare", is_flag=True, help="Compare each PATH with the one after it.")
@click.option(
    "--alignment", type=click.Path(dir_okay=False), help="Write the alignment: .csv, or .jsonl for JSON lines."
)
def score(  # noqa: PLR0913 - click hands every option over by name
    *,
    paths: tuple[str, ...],
    evaluation: str | None,
    data: tuple[str, ...],
    conventions: str,
    settings: tuple[str, ...],
    style: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
    color: str,
    jobs: int | None,
    by: tuple[str, ...],
    intervals: bool,
    compare: bool,
    alignment: str | None,
) -> None:
    """Score runs against the references.

    Needs content that can be read, not a valid name: what cannot be scored is rejected, everything else that check
    would call an error is a warning here. Without references it only tells whether a run can be scored.
    """
    from validator.engine import Request  # noqa: PLC0415 - keeps --help light
    from validator.model import Law, Wanted  # noqa: PLC0415

    manner = Manner(style, output, quiet, verbose, color)
    wanted = Wanted(by, intervals, trials=compare or alignment is not None)
    request = Request(evaluation, data, Law(conventions), parsed_settings(settings), verbose, scoring=wanted)
    reports = check_all(list(paths), request, 1 if wanted.trials else jobs, Progress(quiet=quiet))
    comparisons = [_compared(*pair) for pair in pairwise(_scored(reports))] if compare else None
    if alignment is not None:
        _write_alignment(reports, alignment)
    deliver(render(reports, manner, comparisons), output)
    sys.exit(exit_code(reports))


def _scored(reports: list[Report]) -> list[tuple[str, str, Scores]]:
    """Return the runs that have scores, with their names and evaluations."""
    return [
        (run.id, report.evaluation or "", run.scores)
        for report in reports
        for run in report.runs
        if run.scores is not None and run.scores.material is not None
    ]


def _compared(first: tuple[str, str, Scores], second: tuple[str, str, Scores]) -> dict[str, Cell]:
    from validator.profile import load  # noqa: PLC0415
    from validator.scorestage import scorer_of  # noqa: PLC0415

    scorer = scorer_of(load(first[1]))
    if scorer is None or first[1] != second[1]:
        return {"first": first[0], "second": second[0], "difference": None, "reason": "they are of two evaluations"}
    return {"first": first[0], "second": second[0], **scorer.compare(first[2], second[2])}


def _write_alignment(reports: list[Report], target: str) -> None:
    """Write the rows behind the scores of all runs, one a line."""
    import csv  # noqa: PLC0415
    import io  # noqa: PLC0415

    from validator.atomic import replacing  # noqa: PLC0415

    as_json = target.endswith(".jsonl")
    try:
        with replacing(Path(target)) as stream:
            text = io.TextIOWrapper(stream, "utf-8", newline="")
            writer = csv.writer(text, lineterminator="\n")
            head: list[str] = []
            for name, _, found in _scored(reports):
                for row in found.alignment() if found.alignment is not None else ():
                    whole: dict[str, Cell] = {"run": name, **row}
                    if as_json:
                        text.write(json.dumps(whole) + "\n")
                        continue
                    if not head:
                        head = list(whole)
                        writer.writerow(head)
                    writer.writerow("" if value is None else value for value in whole.values())
            text.flush()
            text.detach()
    except OSError as error:
        raise click.UsageError(f"--alignment {target}: {error.strerror}") from error
