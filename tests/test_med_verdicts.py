"""What the plan and what NIST's checker say to the same bytes: small changes to an archive that both accept."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from validator.engine import Request, check
from validator.model import Law, Verdict, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[bytes], bytes]

GOLDEN = Path(__file__).parent / "golden" / "med-submissions"
GOOD = GOLDEN / "01-ok-full-primary" / "MED11_testTEAM_MED11TEST_1.tgz"
YES, NO = True, False


def score(text: str) -> Change:
    """Write another score into the first record."""
    return lambda table: table.replace(b'"0.5013"', f'"{text}"'.encode(), 1)


def threshold(text: str) -> Change:
    """Write another threshold into the first record."""
    return lambda table: table.replace(b'"0.40"', f'"{text}"'.encode(), 1)


def hours(text: str) -> Change:
    """Write another processing time into the first record."""
    return lambda table: table.replace(b'"0.200"', f'"{text}"'.encode(), 1)


def every_value(text: str) -> Change:
    """Write the same into the second field of all records."""

    def change(table: bytes) -> bytes:
        header, *records = table.splitlines()
        written = [
            b",".join([first, f'"{text}"'.encode(), *rest]) for first, _, *rest in (r.split(b",") for r in records)
        ]
        return b"\n".join([header, *written, b""])

    return change


def verdicts(change: Change, suffix: str, folder: Path) -> tuple[bool, bool]:
    """Check the good archive with one of its files changed."""
    path = folder / GOOD.name
    with tarfile.open(GOOD) as before, tarfile.open(path, "w:gz") as after:
        for member in before.getmembers():
            opened = before.extractfile(member)
            content = opened.read() if opened is not None else b""
            changed = change(content) if member.name.endswith(suffix) else content
            assert changed != content or not member.name.endswith(suffix)
            member.size = len(changed)
            after.addfile(member, io.BytesIO(changed))
    report = check(str(path), Request("med11", (str(GOLDEN / "TrialIndex.csv"),)))
    assert (report.error, report.crash) == (None, None)
    plan, tool = (verdict(report, law) is Verdict.ACCEPT for law in (Law.PLAN, Law.TOOL))
    return plan, tool


@pytest.mark.parametrize(
    ("change", "plan", "tool"),
    [
        pytest.param(every_value("0"), YES, NO, id="integers"),
        pytest.param(every_value("7e-4"), YES, NO, id="exponents without a point"),
        pytest.param(score("1e-3"), YES, YES, id="an exponent among others"),
        pytest.param(score(".5"), YES, NO, id=".5"),
        pytest.param(score("1."), YES, NO, id="1."),
        pytest.param(score("+0.5"), YES, NO, id="+0.5"),
        pytest.param(score("NaN"), NO, NO, id="NaN"),
        pytest.param(score("inf"), NO, NO, id="inf"),
        pytest.param(score(""), NO, NO, id="empty"),
        pytest.param(score("0,5"), NO, NO, id="decimal comma"),
        pytest.param(score("1_0"), NO, NO, id="what only Python reads"),
        pytest.param(score("\u0660.\u0665"), NO, NO, id="digits of another script"),
        pytest.param(score("-0.0"), YES, YES, id="-0.0"),
        pytest.param(score(" 0.5 "), YES, YES, id="blanks inside quotes"),
        pytest.param(score("1.0000001"), NO, NO, id="above one"),
        pytest.param(score("-0.01"), NO, NO, id="below zero"),
        pytest.param(score("1e999"), NO, NO, id="beyond doubles"),
        pytest.param(score("1.00000000000000001"), NO, YES, id="above one by its digits"),
        pytest.param(score("1.00000000000000000"), YES, YES, id="one with many digits"),
        pytest.param(score("-1e-99999999999999999999"), NO, YES, id="below zero by its digits"),
        pytest.param(score("1e-99999999999999999999"), YES, YES, id="above zero by its digits"),
    ],
)
def test_a_score(change: Change, plan: bool, tool: bool, tmp_path: Path) -> None:  # noqa: FBT001 - two verdicts
    """Numbers are what the plan calls probabilities, and what NIST's checker takes for a column of real numbers."""
    assert verdicts(change, ".detection.csv", tmp_path) == (plan, tool)


@pytest.mark.parametrize(
    ("change", "plan", "tool"),
    [
        pytest.param(every_value("1"), YES, NO, id="integers"),
        pytest.param(threshold("1"), YES, YES, id="an integer among others"),
        pytest.param(threshold("1.5"), NO, YES, id="above one"),
        pytest.param(threshold("-0.2"), NO, YES, id="below zero"),
        pytest.param(threshold("1.00000000000000001"), NO, YES, id="above one by its digits"),
        pytest.param(threshold("nan"), NO, NO, id="nan"),
        pytest.param(hours("n/a"), NO, YES, id="n/a hours"),
        pytest.param(hours("-1"), NO, YES, id="negative hours"),
        pytest.param(hours(""), NO, YES, id="no hours"),
        pytest.param(hours("5923.3"), YES, YES, id="seconds"),
        pytest.param(lambda table: table + b'"E006","0.4","0.2"\n', NO, NO, id="an event twice"),
        pytest.param(lambda table: table + b'"E099","0.4","0.2"\n', NO, NO, id="an unknown event"),
        pytest.param(lambda table: table.replace(b'"E006"', b'"E006 "'), NO, NO, id="a blank in an id"),
        pytest.param(lambda table: table.replace(b"0.200", "\u201d0.200\u201d".encode()), NO, YES, id="quoted twice"),
    ],
)
def test_a_threshold(change: Change, plan: bool, tool: bool, tmp_path: Path) -> None:  # noqa: FBT001 - two verdicts
    """NIST's checker wants real numbers without a range, and does not look at times."""
    assert verdicts(change, ".threshold.csv", tmp_path) == (plan, tool)


@pytest.mark.parametrize(
    ("change", "plan", "tool"),
    [
        pytest.param(lambda table: table.replace(b'"', b""), NO, YES, id="unquoted"),
        pytest.param(lambda table: table.replace(b"\n", b"\r\n"), YES, YES, id="CR LF"),
        pytest.param(lambda table: table.replace(b"\n", b"\r"), NO, NO, id="CR"),
        pytest.param(lambda table: table.rstrip(b"\n"), YES, YES, id="no line end at the end"),
        pytest.param(lambda table: table + b"\n", NO, NO, id="blank line at the end"),
        pytest.param(lambda table: table.replace(b"\n", b",\n"), NO, NO, id="trailing commas"),
        pytest.param(lambda table: table.replace(b'","', b'", "'), NO, NO, id="blanks behind commas"),
        pytest.param(lambda table: table.replace(b",", b";"), NO, NO, id="semicolons"),
        pytest.param(lambda table: b"\xef\xbb\xbf" + table, NO, NO, id="byte order mark"),
        pytest.param(lambda table: table.decode().encode("utf-16"), NO, NO, id="UTF-16"),
        pytest.param(lambda table: table.decode().encode("utf-16-le"), NO, NO, id="UTF-16 without mark"),
        pytest.param(lambda _: b"", NO, NO, id="empty file"),
        pytest.param(lambda table: table.splitlines(keepends=True)[0], NO, NO, id="header only"),
        pytest.param(lambda table: table.partition(b"\n")[2], NO, NO, id="no header"),
        pytest.param(lambda table: table.replace(b'"Score"', b'" Score"'), NO, NO, id="blank in a column name"),
        pytest.param(lambda table: table.replace(b'"\n', b'","x"\n'), NO, YES, id="extra column"),
        pytest.param(lambda table: table.replace(b"E006", b"e006"), NO, NO, id="letter case of ids"),
        pytest.param(
            lambda table: b"\n".join(b",".join(line.split(b",")[::-1]) for line in table.split(b"\n")),
            *(YES, YES),
            id="columns in another order",
        ),
    ],
)
def test_a_table(change: Change, plan: bool, tool: bool, tmp_path: Path) -> None:  # noqa: FBT001 - two verdicts
    """The grammar of Appendix C, and what NIST's reader makes of the same lines."""
    assert verdicts(change, ".detection.csv", tmp_path) == (plan, tool)
