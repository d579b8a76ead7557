"""``subgate rules``: all rules, a line each."""

from __future__ import annotations

import click


@click.command()
@click.option("-e", "--evaluation", metavar="NAME", help="Only the rules of this evaluation.")
def rules(evaluation: str | None) -> None:
    """List all rules: code, name, what each costs under the plan and the official tool, and what it asks."""
    from validator.errors import UsageError  # noqa: PLC0415
    from validator.profile import load  # noqa: PLC0415
    from validator.report.rulebook import listing  # noqa: PLC0415
    from validator.rulebook import all_rules, rulebook  # noqa: PLC0415 - keeps --help light

    try:
        listed = rulebook(load(evaluation)) if evaluation else all_rules()
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    click.echo(listing(listed), nl=False)
