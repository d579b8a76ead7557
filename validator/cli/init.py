"""``subgate init``: a skeleton of a submission."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.option("-e", "--evaluation", required=True, metavar="NAME", help="The evaluation.")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def init(evaluation: str, folder: Path) -> None:
    """Write a submission to fill in: file names, and a description with all headings.

    What is left to fill in, subgate check tells. Nothing is overwritten.
    """
    from validator.errors import UsageError  # noqa: PLC0415 - keeps --help light
    from validator.profile import load  # noqa: PLC0415
    from validator.skeleton import skeleton  # noqa: PLC0415

    try:
        files = skeleton(load(evaluation))
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    for name in files:
        if os.path.lexists(folder / name):  # a link that leads nowhere is there, too
            raise click.UsageError(f"{folder / name} is there already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            click.echo(f"wrote {folder / name}")
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error
    click.echo(
        "\nRename the files, replace every FILL-IN, and let it tell you what is left:\n"
        f"  subgate check -e {evaluation} {folder}"
    )
