"""What reaches a terminal: colours only where they are wanted, nothing of a submission raw, carets in their place."""

from __future__ import annotations

import json
import os
import pty
import unicodedata
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from click.testing import Result

ESCAPE = b"\x1b["
# What could drive a terminal or hide something: ANSI, C1, line breaks, bidi, zero width, tags, private use.
HOSTILE = "\x1b[31m\x9b31m\x07\x08\u202e\u2066\u200b\u2028\u2029\ufeff\U000e0041\ue000"
IN_XML = "".join(char for char in HOSTILE if char >= " ")


# -- colours -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ((), {"NO_COLOR": ""}, False),
    ],
)
def test_colours_in_a_pipe(
    *,
    process: Callable[..., CompletedProcess[bytes]],
    put: Callable[..., str],
    good_run: str,
    tmp_path: Path,
    options: tuple[str, ...],
    variables: dict[str, str],
    coloured: bool,
) -> None:
    """A pipe gets none unless they are forced; --color overrules all."""
    result = process("check", put(good_run), *options, cwd=tmp_path, **variables)
    assert result.returncode == 0
    assert (ESCAPE in result.stdout) == coloured
    assert b"ACCEPTED" in result.stdout


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [
        ((), {"TERM": "xterm"}, True),
        ((), {"TERM": "xterm", "NO_COLOR": ""}, True),
        ((), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ((), {"TERM": "dumb"}, False),
        (("--color", "never"), {"TERM": "xterm"}, False),
    ],
)
def test_colours_on_a_terminal(
    *,
    process: Callable[..., CompletedProcess[bytes]],
    put: Callable[..., str],
    good_run: str,
    tmp_path: Path,
    options: tuple[str, ...],
    variables: dict[str, str],
    coloured: bool,
) -> None:
    """A terminal gets them unless NO_COLOR is set and not empty, or it is dumb."""
    master, slave = pty.openpty()
    process("check", put(good_run), *options, cwd=tmp_path, stdout=slave, **variables)
    shown = os.read(master, 1 << 16)
    os.close(master)
    assert b"ACCEPTED" in shown
    assert (ESCAPE in shown) == coloured


def test_colours_carry_no_meaning_alone(
    process: Callable[..., CompletedProcess[bytes]], put: Callable[..., str], good_run: str, tmp_path: Path
) -> None:
    """Without its escapes a coloured report is the plain one."""
    path = put(good_run.replace('search_time="0.80"', 'search_time="soon"'))
    plain = process("check", path, cwd=tmp_path).stdout.decode()
    coloured = process("check", path, "--color", "always", "-o", "out.txt", cwd=tmp_path)
    text = (tmp_path / "out.txt").read_text(encoding="utf-8")
    assert coloured.returncode == 1
    for code in ("\x1b[1;31m", "\x1b[0m"):
        assert code in text
        text = text.replace(code, "")
    assert text == plain


# -- nothing raw -------------------------------------------------------------------------------------------------


def _raw(text: str) -> set[str]:
    """Return the characters of a text that could drive a terminal."""
    unsafe = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")}
    return unsafe - {"\n"}


def test_hostile_values_never_reach_the_terminal(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str, database: str
) -> None:
    """Attribute values, in messages, excerpts, nodes and hints, in text and in JSON."""
    text = good_run.replace("KW106-00001", f"KW&#10;&#9;106{IN_XML}").replace("tagalog", IN_XML)
    text = text.replace('"YES"', f'"{IN_XML}"').replace('score="0.12"', f'score="{IN_XML}"')
    text = text.replace('file="BABEL_BP_106_10001_inLine"', f'file="{IN_XML}"', 1)
    path = put(text)
    shown = subgate("check", path, "--data", database)
    assert shown.exit_code == 1
    assert _raw(shown.output) == set()
    for name in ("<U+202E>", "<U+009B>", "<U+2066>", "<U+200B>", "<U+2028>"):
        assert name in shown.output
    printed = subgate("check", path, "--data", database, "--format", "json").output
    assert _raw(printed) == set()
    assert printed.isascii()


def test_hostile_file_names_never_reach_the_terminal(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str, run_name: str, database: str
) -> None:
    """Names of runs, descriptions and stray files, in text and in JSON; a name that is no UTF-8, too."""
    put(good_run, f"sub/{run_name.replace('TeamA', f'Team{HOSTILE}')}")
    put(good_run, f"sub/{run_name.replace('p-word', 'p-' + os.fsdecode(bytes([0xFF, 0xFE])))}")
    put("x", f"sub/{HOSTILE}\n\r.txt")
    put("x", f"sub/{HOSTILE}.md")
    for style in ("text", "json"):
        result = subgate("check", "sub", "--data", database, "--format", style)
        assert result.exit_code == 1
        assert _raw(result.output) == set()
    names = [finding["path"] for finding in json.loads(result.output)["submissions"][0]["findings"]]
    assert f"sub/{HOSTILE}.md" in names


@pytest.mark.parametrize(
    "arguments",
    [
        (f"no{HOSTILE}file",),
        ("run", "--data", f"no{HOSTILE}folder"),
        ("run", "-e", f"no{HOSTILE}evaluation"),
        ("run", "--set", f"no{HOSTILE}parameter=1"),
        ("run", "--set", f"complete={HOSTILE}"),
    ],
    ids=["path", "data", "evaluation", "parameter", "value"],
)
def test_hostile_arguments_never_reach_the_terminal(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str, arguments: tuple[str, ...]
) -> None:
    """A gate's scripts pass on what participants wrote."""
    path = put(good_run)
    for style in ("text", "json"):
        given = [path if argument == "run" else argument for argument in arguments]
        result = subgate("check", *given, "--format", style)
        assert result.exit_code == 2
        assert _raw(result.output) == set()


def test_a_terminal_that_cannot_show_a_letter_gets_no_traceback(
    process: Callable[..., CompletedProcess[bytes]], put: Callable[..., str], good_run: str, tmp_path: Path
) -> None:
    """A Latin-1 terminal: what it cannot show is replaced, the verdict is told."""
    path = put(good_run.replace('file="BABEL', 'file="廣東話').replace('tbeg="3.10"', 'tbeg="3,10"'))
    for encoding in ("latin-1", "ascii", "cp1252"):
        result = process("check", path, cwd=tmp_path, PYTHONIOENCODING=encoding)
        assert result.stderr == b""
        assert b"REJECTED" in result.stdout
        assert result.returncode == 1


# -- carets ------------------------------------------------------------------------------------------------------


def _columns(text: str) -> int:
    """Return the columns of a text: wide letters take two, marks none (an obvious twin of the report's)."""
    columns = 0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me"):
            continue
        columns += 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
    return columns


@pytest.mark.parametrize(
    "word",
    [
        "plain",
        "香港廣東話",
        "tiếng Việt",
        unicodedata.normalize("NFD", "tiếng Việt"),
        "한국어",
        "ວັນທີ",  # Lao: vowel signs of combining class 0
        "বাংলা",
        "\ttab\t",
        "\u202ebidi",
        "\uff46\uff55\uff4c\uff4c",
        "x" * 300,
        "香" * 300,
    ],
    ids=[
        "ascii",
        "cantonese",
        "vietnamese",
        "decomposed",
        "korean",
        "lao",
        "bengali",
        "tab",
        "bidi",
        "full",
        "long",
        "wide",
    ],
)
def test_carets_stand_under_the_value(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str, word: str
) -> None:
    """Whatever letters stand in front of it, the caret is under the value and as wide as it; columns count letters."""
    path = put(good_run.replace('file="BABEL_BP_106_10001_inLine"', f'file="{word}"', 1).replace('"3.10"', '"3,10"'))
    lines = subgate("check", path).output.splitlines()
    at = next(rank for rank, line in enumerate(lines) if "decimal comma" in line)
    shown, caret = lines[at - 1], lines[at]
    before = shown.partition('tbeg="')[0] + 'tbeg="'
    assert caret == f"  | {'':{_columns(before) - 4}}^^^^ decimal comma"
    assert _columns(shown) <= 100
    column = len(f'    <kw file="{word}" channel="1" tbeg="') + 1
    assert f"  --> {path}:4:{column}" in lines


def test_positions_are_right_far_into_a_file(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str
) -> None:
    """Beyond line 65535, where lxml loses count."""
    line = next(line for line in good_run.splitlines(keepends=True) if 'decision="NO"' in line)
    bad = line.replace("41.00", "4l.00")
    path = put(good_run.replace(line, line * 70_000 + bad))
    result = json.loads(subgate("check", path, "--format", "json").output)
    finding = next(f for f in result["submissions"][0]["findings"] if f["rule"] == "XML207")
    assert (finding["line"], finding["column"]) == (70_005, 60)
    assert finding["node"].endswith("/kw[70002]/@tbeg")


def test_the_excerpt_is_the_line_of_the_finding(
    subgate: Callable[..., Result], put: Callable[..., str], good_run: str
) -> None:
    """A tag over several lines: the line, the number and the caret are those of the value, not of the tag."""
    path = put(good_run.replace(' channel="1" tbeg="3.10"', '\n        channel="1"\n        tbeg="3,10"'))
    lines = subgate("check", path).output.splitlines()
    at = next(rank for rank, line in enumerate(lines) if "decimal comma" in line)
    assert f"  --> {path}:6:15" in lines
    assert lines[at - 1] == '6 |         tbeg="3,10" dur="0.42" score="0.91" decision="YES"/>'
    assert lines[at] == "  |               ^^^^ decimal comma"


def test_seconds_are_told_on_a_terminal_only(
    process: Callable[..., CompletedProcess[bytes]], put: Callable[..., str], good_run: str, tmp_path: Path
) -> None:
    """Reports in files and pipes can be compared."""
    path = put(good_run)
    master, slave = pty.openpty()
    process("check", path, cwd=tmp_path, stdout=slave)
    shown = os.read(master, 1 << 16).decode()
    os.close(master)
    assert any(line.startswith("checked ") and line.rstrip().endswith(" s") for line in shown.splitlines())
    piped = process("check", path, cwd=tmp_path).stdout.decode()
    assert piped.splitlines()[0].endswith("as openkws13 [from the file names]")


def test_result_and_log_are_kept_apart(
    process: Callable[..., CompletedProcess[bytes]], put: Callable[..., str], good_run: str, tmp_path: Path
) -> None:
    """Standard output is the result and nothing else; standard error is empty."""
    result = process("check", put(good_run), "--format", "json", cwd=tmp_path)
    assert json.loads(result.stdout)["summary"]["accepted"] == 1
    assert result.stderr == b""
