"""``subgate evaluations``: what is built in."""

from __future__ import annotations

import click


@click.command()
@click.argument("name", required=False)
@click.option("--json-schema", is_flag=True, help="Print the JSON Schema of --format json.")
def evaluations(name: str | None, *, json_schema: bool) -> None:
    """List the evaluations; with NAME: its roles of --data, its parameters, its measures."""
    from validator.bundled import schema  # noqa: PLC0415 - keeps --help light
    from validator.errors import UsageError  # noqa: PLC0415
    from validator.profile import all_profiles, load  # noqa: PLC0415
    from validator.report.rulebook import profile_page  # noqa: PLC0415

    if json_schema:
        click.echo(schema("report.schema.json"), nl=False)
        return
    try:
        shown = [load(name)] if name else []
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    for profile in shown:
        click.echo(profile_page(profile), nl=False)
    if not shown:
        for profile in all_profiles():
            click.echo(f"{profile.name:12}{profile.title}")
