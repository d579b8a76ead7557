"""``subgate convert``: a file under the names of the other family."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The new file; standard output.")
def convert(path: Path, output: Path | None) -> None:
    """Write a stdlist as a KWSList, a term list as a KWList, or the other way round.

    The content of FILE decides which way. Every number stays as it is written; what has no place in the new file, or
    had none in the old one, is told. The new file is in the plain form that NIST's scorers read.
    """
    from validator.atomic import replacing  # noqa: PLC0415 - keeps --help light
    from validator.conversion import ConversionError, conversion  # noqa: PLC0415
    from validator.errors import UsageError  # noqa: PLC0415

    try:
        found = conversion(path)
        if output is None:
            sys.stdout.buffer.writelines(found.pieces())
        else:
            with replacing(output) as stream:
                stream.writelines(found.pieces())
    except ConversionError as error:
        click.echo(f"{error}\nmend it first: subgate check {path}", err=True)
        sys.exit(1)
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    except BrokenPipeError:
        raise  # whoever reads has read enough: click ends quietly
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror}") from error
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    if output is not None:
        click.echo(f"wrote {output}, a {found.format}", err=True)
