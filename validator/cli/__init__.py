"""The command line: the click group; each command has a module of its own, and imports the house only when it runs."""

from __future__ import annotations

import click

from validator import __version__
from validator.cli.check import check
from validator.cli.convert import convert
from validator.cli.demo import demo
from validator.cli.evaluations import evaluations
from validator.cli.explain import explain
from validator.cli.init import init
from validator.cli.pack import pack
from validator.cli.rules import rules
from validator.cli.score import score
from validator.cli.verify import verify

_EPILOG = """\b
Examples:
  subgate demo
  subgate check my-submission/ --data IndusDB/
  subgate check run.kwslist.xml -e openkws13 --data b.ecf.xml --data b.kwlist.xml
  subgate pack my-submission/ --data IndusDB/ -o upload/
  subgate explain KWS304
"""


@click.group(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="subgate")
def main() -> None:
    """Check submissions to speech and multimedia evaluations before you send them."""


for _command in (check, score, pack, verify, init, demo, convert, explain, rules, evaluations):
    main.add_command(_command)
