"""``subgate demo``: the examples that ship with the tool, checked and packed, with a word about each."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="[DIR]", default="subgate-demo", type=click.Path(file_okay=False, path_type=Path))
@click.option("-e", "--evaluation", metavar="NAME", help="Only the examples of this evaluation.")
def demo(folder: Path, evaluation: str | None) -> None:
    """Write the example submissions into DIR (subgate-demo), check the bad ones, score and pack the good ones.

    For each evaluation one is meant to be rejected. Exit code 0 when each ends as intended, also the second time.
    """
    from validator.bundled import examples, story  # noqa: PLC0415 - keeps --help light

    if evaluation is not None and evaluation not in examples():
        raise click.UsageError(f"there is no example of {evaluation}; there are {', '.join(examples())}")
    names = (evaluation,) if evaluation else examples()
    try:
        _write(folder, names)
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error
    intended = True
    for name in names:
        told = story(name)
        for which in ("bad", "good"):
            intended &= _show(which, told[which], folder / name, name)
    click.echo(f"\nThe files are in {folder}. Change them and check again, or start your own: subgate init -e NAME DIR")
    sys.exit(0 if intended else 1)


def _write(folder: Path, names: tuple[str, ...]) -> None:
    """Write the files of examples; if one is there already and differs, nothing is written."""
    from validator.bundled import example_files  # noqa: PLC0415

    files = {folder / name / file: content for name in names for file, content in example_files(name)}
    for target, content in files.items():
        if os.path.lexists(target) and target.read_bytes() != content:
            raise click.UsageError(f"{target} is there already and differs; give another folder")
    for target, content in files.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _show(which: str, text: str, place: Path, evaluation: str) -> bool:
    """Check the bad example, pack the good one; tell whether it ended as intended."""
    from validator.cli.options import Manner, render, say  # noqa: PLC0415
    from validator.engine import Request, check, pack  # noqa: PLC0415
    from validator.model import Verdict, verdict  # noqa: PLC0415

    request = Request(evaluation, (str(place / "database"),))
    path, upload = str(place / which), place / "upload"
    call = f"{'check' if which == 'bad' else 'pack'} {path} -e {evaluation}"
    click.echo(f"{'=' * 100}\n{text.strip()}\n\n$ subgate {call} --data {place / 'database'}", nl=False)
    if which == "bad":
        click.echo("\n")
        report = check(path, request)
    else:
        click.echo(f" -o {upload}\n")
        report = pack(path, request, upload)
    manner = Manner("text", None, quiet=False, verbose=False, color="auto")
    say(render([report], manner) + "\n")
    return verdict(report) is (Verdict.REJECT if which == "bad" else Verdict.ACCEPT)
