"""The command line: the click group; each command has a module of its own, and imports the house only when it runs."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from validator import __version__
from validator.cli.check import check
from validator.cli.convert import convert
from validator.cli.demo import demo
from validator.cli.evaluations import evaluations
from validator.cli.explain import explain
from validator.cli.init import init
from validator.cli.options import FAILED
from validator.cli.pack import pack
from validator.cli.rules import rules
from validator.cli.score import score
from validator.cli.verify import verify

_INTERRUPTED = 130  # 128 and the number of the signal, as shells have it
_EPILOG = """\b
Examples:
  subgate demo
  subgate check my-submission/ --data IndusDB/
  subgate check run.kwslist.xml -e openkws13 --data b.ecf.xml --data b.kwlist.xml
  subgate pack my-submission/ --data IndusDB/ -o upload/
  subgate explain KWS304
"""


class _Verbs(click.Group):
    """The commands; a file without a verb is told the likely one; an interruption ends with 130, a bug with 3."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and Path(args[0]).exists():
            ctx.fail(f"a command is missing: subgate check {' '.join(args)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(_INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - our bug: nobody is to read a traceback
            from validator.report.plain import visible  # noqa: PLC0415 - keeps --help light

            click.echo(f"FAILED  {type(error).__name__}: {visible(str(error))}", err=True)
            click.echo("This is a bug of subgate; please report it with this line and the command", err=True)
            ctx.exit(FAILED)


@click.group(cls=_Verbs, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="subgate")
def main() -> None:
    """Check submissions to speech and multimedia evaluations before you send them."""
    gc.set_threshold(50_000)  # a process of a fifth of a second need not look for cycles three hundred times


for _command in (check, score, pack, verify, init, demo, convert, explain, rules, evaluations):
    main.add_command(_command)
