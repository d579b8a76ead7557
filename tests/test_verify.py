"""``verify``: archive, receipt and .sha256 belong together, or the difference is told; any flipped bit is found."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.uploads import EXPID, described_runs, limited, tree, write_files
from validator.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

ARCHIVE = f"{EXPID}.tgz"
RECEIPT, SUMS = f"{ARCHIVE}.receipt.json", f"{ARCHIVE}.sha256"
OTHER = f"{EXPID.replace('p-word', 'c-other')}.tgz"
PARTS = (ARCHIVE, RECEIPT, SUMS)


@pytest.fixture(scope="module")
def upload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two packed runs; nobody changes it."""
    home = tmp_path_factory.mktemp("upload")
    write_files(home / "runs", described_runs(EXPID, OTHER.removesuffix(".tgz")))
    result = CliRunner().invoke(main, ["pack", str(home / "runs"), "-o", str(home / "out")], catch_exceptions=False)
    assert result.exit_code == 0
    return home / "out"


@pytest.fixture
def copy(upload: Path, tmp_path: Path) -> Path:
    """Return a copy of the upload that a test may spoil."""
    return Path(shutil.copytree(upload, tmp_path / "copy"))


@pytest.fixture(scope="module")
def spoiled(upload: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, bytes], Result]]:
    """Verify the upload with other bytes in one of its files."""
    folder = Path(shutil.copytree(upload, tmp_path_factory.mktemp("spoiled") / "copy"))

    def verify(part: str, content: bytes) -> Result:
        (folder / part).write_bytes(content)
        try:
            return CliRunner().invoke(main, ["verify", str(folder / ARCHIVE)], catch_exceptions=False)
        finally:
            shutil.copyfile(upload / part, folder / part)

    yield verify
    assert tree(folder) == tree(upload)


def test_what_pack_wrote_belongs_together(upload: Path, subgate: Callable[..., Result]) -> None:
    """Exit 0 and one line, with the receipt beside the archive and with the receipt given; nothing is written."""
    before = tree(upload)
    for arguments in ((ARCHIVE,), (OTHER,), (ARCHIVE, RECEIPT)):
        result = subgate("verify", *(str(upload / name) for name in arguments))
        assert (result.exit_code, result.output) == (0, f"VERIFIED  {upload / arguments[0]}\n")
    assert tree(upload) == before


def test_it_works_elsewhere(copy: Path, tmp_path: Path, subgate: Callable[..., Result]) -> None:
    """Offline and anywhere: another folder, the receipt apart from the archive, without the .sha256."""
    (copy / SUMS).unlink()
    (copy / RECEIPT).rename(tmp_path / "receipt.json")
    assert subgate("verify", str(copy / ARCHIVE), str(tmp_path / "receipt.json")).exit_code == 0


@settings(max_examples=400, deadline=None, derandomize=True)
@given(part=st.sampled_from(PARTS), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_is_found(
    spoiled: Callable[[str, bytes], Result], upload: Path, part: str, where: float, bit: int
) -> None:
    """One bit of archive, receipt or .sha256, wherever it is: exit 1, with the file's name, and no crash."""
    content = bytearray((upload / part).read_bytes())
    content[int(where * len(content))] ^= 1 << bit
    result = spoiled(part, bytes(content))
    assert result.exit_code == 1
    assert "VERIFIED" not in result.output
    assert any(line.startswith("differs  ") and ARCHIVE in line for line in result.output.splitlines())


@pytest.mark.parametrize("part", PARTS)
def test_every_byte_counts(part: str, spoiled: Callable[[str, bytes], Result], upload: Path) -> None:
    """No byte of the three files is without meaning: the first, the last, and every seventh between them."""
    content = (upload / part).read_bytes()
    for at in {0, len(content) - 1, *range(0, len(content), 7)}:
        changed = content[:at] + bytes([content[at] ^ 0x20]) + content[at + 1 :]
        assert spoiled(part, changed).exit_code == 1


@settings(max_examples=100, deadline=None, derandomize=True)
@given(part=st.sampled_from(PARTS), share=st.floats(0, 1, exclude_max=True))
def test_any_truncation_is_found(
    spoiled: Callable[[str, bytes], Result], upload: Path, part: str, share: float
) -> None:
    """A file that lost its end, down to nothing, is found."""
    content = (upload / part).read_bytes()
    assert spoiled(part, content[: int(share * len(content))]).exit_code == 1


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("more", [b"\0", b"\n", b" ", b"x" * 1000])
def test_anything_appended_is_found(
    part: str, more: bytes, spoiled: Callable[[str, bytes], Result], upload: Path
) -> None:
    """A file that grew is found, also where no reader would notice."""
    assert spoiled(part, (upload / part).read_bytes() + more).exit_code == 1


def test_swapped_receipts_are_found(copy: Path, subgate: Callable[..., Result]) -> None:
    """The receipt, the .sha256 or the archive of another run does not fit, in any combination."""
    assert subgate("verify", str(copy / ARCHIVE), str(copy / f"{OTHER}.receipt.json")).exit_code == 1
    for part in PARTS:
        original = (copy / part).read_bytes()
        shutil.copyfile(copy / part.replace(ARCHIVE, OTHER), copy / part)
        assert subgate("verify", str(copy / ARCHIVE)).exit_code == 1
        (copy / part).write_bytes(original)
    assert subgate("verify", str(copy / ARCHIVE)).exit_code == 0


def test_a_renamed_archive_is_found(copy: Path, subgate: Callable[..., Result]) -> None:
    """The name is the EXPID: it is part of what the receipt says."""
    shutil.copyfile(copy / ARCHIVE, copy / "other.tgz")
    assert subgate("verify", str(copy / "other.tgz"), str(copy / RECEIPT)).exit_code == 1


def test_the_same_members_in_another_archive_are_found(copy: Path, subgate: Callable[..., Result]) -> None:
    """Recompressed content has the digests of the members, but it is not the archive of the receipt."""
    import gzip  # noqa: PLC0415 - this test only

    (copy / ARCHIVE).write_bytes(gzip.compress(gzip.decompress((copy / ARCHIVE).read_bytes()), 1))
    result = subgate("verify", str(copy / ARCHIVE))
    assert result.exit_code == 1
    assert "the members of" not in result.output


def test_what_is_missing_is_exit_2(copy: Path, subgate: Callable[..., Result]) -> None:
    """No archive or no receipt: the call is wrong, and the message names the file."""
    (copy / RECEIPT).unlink()
    result = subgate("verify", str(copy / ARCHIVE))
    assert (result.exit_code, RECEIPT in result.output) == (2, True)
    assert subgate("verify", str(copy / "none.tgz")).exit_code == 2
    assert subgate("verify", str(copy)).exit_code == 2


# -- hostile receipts --------------------------------------------------------------------------------------------


def _sealed(statement: dict[str, Any]) -> bytes:
    """Write a statement as a forger would: in the canonical form, with a digest of its own that fits."""
    rest = {key: value for key, value in statement["predicate"].items() if key != "receipt"}
    text = json.dumps({**statement, "predicate": rest}, indent=1, sort_keys=True) + "\n"
    sealed = {**statement, "predicate": {**rest, "receipt": hashlib.sha256(text.encode()).hexdigest()}}
    return (json.dumps(sealed, indent=1, sort_keys=True) + "\n").encode()


def _forged(receipt: bytes, **changes: object) -> bytes:
    statement = json.loads(receipt)
    predicate = {**statement["predicate"], **changes}
    return _sealed({**statement, "predicate": {key: value for key, value in predicate.items() if value is not ...}})


def test_the_forger_of_these_tests_knows_the_form(upload: Path) -> None:
    """A receipt that is sealed again unchanged is the receipt: the tests below fail for no other reason."""
    receipt = (upload / RECEIPT).read_bytes()
    assert _forged(receipt) == receipt


MEMBERS: dict[str, object] = {
    "left-out": ...,
    "none": None,
    "empty": [],
    "text": "all of them",
    "numbers": [1, 2],
    "lists-as-names": [{"name": [], "sha256": {}, "bytes": []}],
    "one-too-many": [{"name": "x", "sha256": "0" * 64, "bytes": 1}],
}


@pytest.mark.parametrize("name", MEMBERS)
def test_a_sealed_receipt_with_other_members_is_found(name: str, copy: Path) -> None:
    """Whatever stands where the members should: exit 1, no traceback."""
    (copy / RECEIPT).write_bytes(_forged((copy / RECEIPT).read_bytes(), members=MEMBERS[name]))
    result = limited("verify", ARCHIVE, cwd=copy)
    assert (result.returncode, result.stderr) == (1, b"")
    assert b"VERIFIED" not in result.stdout


def test_a_member_listed_twice_is_found(copy: Path) -> None:
    """The members of the receipt are those of the archive, each once and in their order."""
    listed = json.loads((copy / RECEIPT).read_bytes())["predicate"]["members"]
    (copy / RECEIPT).write_bytes(_forged((copy / RECEIPT).read_bytes(), members=[*listed, listed[0]]))
    assert limited("verify", ARCHIVE, cwd=copy).returncode == 1


def test_another_digest_of_the_tar_is_found(copy: Path) -> None:
    """The identity of an upload is the digest of the tar inside: it is held against the archive, too."""
    (copy / RECEIPT).write_bytes(_forged((copy / RECEIPT).read_bytes(), tar={"sha256": "0" * 64}))
    assert limited("verify", ARCHIVE, cwd=copy).returncode == 1


RECEIPTS = {
    "empty": b"",
    "not-json": b"VERIFIED\n",
    "not-utf-8": b"\xff\xfe{}",
    "list": b"[]\n",
    "null": b"null\n",
    "empty-object": b"{}\n",
    "deep": b"[" * 200_000 + b"]" * 200_000,
    "deep-object": b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
    "long-number": b"9" * 100_000,
    "nan": b"NaN\n",
    "surrogate": b'{"predicate": "\\ud800"}\n',
}


@pytest.mark.parametrize("name", RECEIPTS)
def test_a_hostile_receipt_is_no_crash(name: str, copy: Path) -> None:
    """Whatever a receipt holds: exit 1, no traceback, nothing written."""
    (copy / RECEIPT).write_bytes(RECEIPTS[name])
    before = tree(copy)
    result = limited("verify", ARCHIVE, cwd=copy)
    assert (result.returncode, result.stderr) == (1, b"")
    assert tree(copy) == before
