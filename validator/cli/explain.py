"""``subgate explain``: what a rule asks, why, and how to fix it."""

from __future__ import annotations

import click


@click.command()
@click.argument("rule", metavar="RULE")
def explain(rule: str) -> None:
    """Explain a rule: what it asks, why, a bad and a good example, the fix, and what NIST's tool does.

    RULE is a code (KWS304) or a name (missing-keyword).
    """
    from validator.errors import UsageError  # noqa: PLC0415
    from validator.report.rulebook import explanation  # noqa: PLC0415
    from validator.rulebook import find_rule  # noqa: PLC0415 - keeps --help light

    try:
        found = find_rule(rule)
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    click.echo(explanation(found), nl=False)
