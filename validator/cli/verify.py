"""``subgate verify``: prove that an archive and its receipt belong together."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("archive", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("receipt", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def verify(archive: Path, receipt: Path | None) -> None:
    """Prove, offline, that an archive, its receipt and its .sha256 belong together.

    RECEIPT is ARCHIVE.receipt.json unless it is given. Exit code: 0 they do, 1 they do not.
    """
    from validator.packing import verify as differences  # noqa: PLC0415 - keeps --help light
    from validator.report.plain import visible  # noqa: PLC0415

    beside = receipt or archive.with_name(f"{archive.name}.receipt.json")
    if not beside.exists():
        raise click.UsageError(f"there is no receipt {beside}")
    found = list(differences(archive, beside))
    for line in found:
        click.echo(f"differs  {visible(line)}")
    click.echo(f"{'DIFFERENT' if found else 'VERIFIED'}  {visible(str(archive))}")
    sys.exit(1 if found else 0)
