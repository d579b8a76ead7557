"""Bytes and where in them something stands."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.xml_documents import RECORD, MemorySource, encoded, kwslist_of
from validator.formats import kwslist, source, xmlplaces
from validator.formats.source import FileSource, locate, utf8_blocks, xml_encoding
from validator.model import Place

if TYPE_CHECKING:
    from pathlib import Path

FIXED = settings(derandomize=True, deadline=None, max_examples=200)
TEXTS = st.text(st.sampled_from("ab <>\n\n\r\té漢\u0301😀"), max_size=120)
NOT_FOR_TEXT = ("hex", "base64", "quopri", "uu", "zlib", "bz2", "rot13")  # codecs of Python that decode no text
NOT_STRICT = ("idna", "punycode", "undefined", "utf-7", "unicode_escape", "raw_unicode_escape")


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """Cut bytes into blocks; empty blocks are possible."""
    parts = []
    for size in sizes:
        parts.append(data[:size])
        data = data[size:]
    return [*parts, data]


def slow_place(data: bytes, offset: int) -> tuple[int, int]:
    """Count lines and columns the obvious way."""
    before = data[:offset].decode()
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


@FIXED
@given(TEXTS, st.lists(st.integers(0, 40), max_size=6), st.sets(st.integers(0, 130), max_size=8), st.booleans())
def test_offsets_are_located_exactly(text: str, sizes: list[int], wanted: set[int], keep_little: bool) -> None:  # noqa: FBT001 - drawn
    """Line and column (code points), whatever the blocks, and however little of the data is held."""
    data = text.encode()
    borders = [len(text[:at].encode()) for at in wanted if at <= len(text)]
    with pytest.MonkeyPatch.context() as patch:
        if keep_little:
            patch.setattr(source, "_BEFORE", 5)
            patch.setattr(source, "_AFTER", 7)
        spots = locate(cut(data, sizes), borders)
    assert {offset: (spot.line, spot.column) for offset, spot in spots.items()} == {
        offset: slow_place(data, offset) for offset in borders
    }
    for offset, spot in spots.items():
        assert data[:offset].endswith(spot.before)
        assert data[offset:].startswith(spot.after)
        assert len(spot.after) >= min(7, len(data) - offset)


def test_an_offset_behind_the_end_has_no_place() -> None:
    """It is left out; the others are found."""
    assert set(locate([b"abc"], [1, 3, 9])) == {1, 3}


def test_only_what_is_needed_is_read() -> None:
    """The pass ends behind the last place that is wanted."""
    taken = 0

    def data() -> list[bytes]:
        nonlocal taken
        taken += 1
        return [b"x" * 1000] * 100

    read = iter(data())
    assert locate(read, [10])[10].column == 11
    assert (taken, len(list(read)) > 50) == (1, True)


# -- encodings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (b"<a/>", "utf-8"),
        (b"", "utf-8"),
        (b'<?xml version="1.0"?>', "utf-8"),
        (b'<?xml version="1.0" encoding="UTF-8"?>', "utf-8"),
        (b"<?xml version='1.0'\n encoding = 'utf8' ?>", "utf-8"),
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>', "iso8859-1"),
        (b'<?xml version="1.0" encoding="latin1"?>', "iso8859-1"),
        (b'<?xml version="1.0" encoding="x-nonsense"?>', "x-nonsense"),
        (codecs.BOM_UTF8 + b'<?xml version="1.0" encoding="ISO-8859-1"?>', "utf-8"),
        (codecs.BOM_UTF16_LE + "<a/>".encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_BE + "<a/>".encode("utf-16-be"), "utf-16"),
        ("<a/>".encode("utf-16-le"), "utf-16-le"),
        ("<a/>".encode("utf-16-be"), "utf-16-be"),
        (b'<a encoding="latin1"/>', "utf-8"),
        (b'<a/><?xml version="1.0" encoding="latin1"?>', "utf-8"),
    ],
)
def test_the_encoding_is_told_from_the_first_bytes(head: bytes, wanted: str) -> None:
    """By the mark, by the width of the first character, by the declaration."""
    assert xml_encoding(head) == wanted


@FIXED
@given(TEXTS, st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]), st.integers(1, 9))
def test_every_encoding_becomes_utf8(text: str, encoding: str, block: int) -> None:
    """Wherever a block ends, also inside a character."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", block)
        assert b"".join(utf8_blocks(MemorySource(text.encode(encoding)), encoding)) == text.encode()


def test_a_file_is_a_source(tmp_path: Path) -> None:
    """It can be opened again and again."""
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a/>")
    file = FileSource("a.xml", path, 4)
    for _ in range(2):
        with file.open() as stream:
            assert stream.read() == b"<a/>"


@pytest.mark.parametrize("encoding", ["nonsense", "x" * 500, "utf-99", *NOT_FOR_TEXT])
def test_an_encoding_that_does_not_exist_is_a_problem_of_the_file(encoding: str) -> None:
    """Reading, locating and sniffing raise nothing; a codec that decodes no text is no encoding either."""
    document = MemorySource(f'<?xml version="1.0" encoding="{encoding}"?>{kwslist_of(RECORD)}'.encode())
    assert "XML211" in {rule.code for rule, _ in kwslist.read(document).problems}
    assert isinstance(xmlplaces.locate(document, [Place("x.xml", 3)]), dict)
    assert xmlplaces.root_element(document) in (None, "kwslist")


@pytest.mark.parametrize("encoding", NOT_STRICT)
def test_an_odd_encoding_never_raises(encoding: str) -> None:
    """Python has codecs that make lone surrogates or raise errors of their own."""
    for text in (RECORD, RECORD.replace("f1", "+2AA-"), RECORD.replace("f1", r"\ud800"), "..a"):
        document = MemorySource(f'<?xml version="1.0" encoding="{encoding}"?>{kwslist_of(text)}'.encode())
        assert kwslist.read(document).encoding
        assert isinstance(xmlplaces.locate(document, [Place("x.xml", 3)]), dict)
        assert xmlplaces.root_element(document) in (None, "kwslist")


@pytest.mark.parametrize("encoding", ["utf-16", "UTF-16", "utf-16le", "ucs-2", "utf-32"])
def test_bytes_that_only_claim_to_be_wide_are_a_problem_of_the_file(encoding: str) -> None:
    """Writers on Windows put encoding="utf-16" in front of single bytes: libxml2 refuses, and so do we, in peace."""
    for text in (kwslist_of(RECORD), kwslist_of(RECORD) + " "):  # an even and an odd number of bytes
        document = MemorySource(f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode())
        assert {rule.code for rule, _ in kwslist.read(document).problems} & {"XML201", "XML211"}
        assert isinstance(xmlplaces.locate(document, [Place("x.xml", 3)]), dict)


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "shift_jis", "big5", "cp1252"])
def test_bytes_that_contradict_their_encoding_are_a_problem_of_the_file(encoding: str) -> None:
    """One problem, and its place can be looked up."""
    head = f'<?xml version="1.0" encoding="{encoding}"?>'.encode()
    document = MemorySource(head + kwslist_of(RECORD).encode().replace(b"f1", b"f\x81\xff"))
    found = kwslist.read(document)
    assert {rule.code for rule, _ in found.problems} & {"XML201", "XML211"}
    assert not found.complete
    xmlplaces.locate(document, [defect.where for _, defect in found.problems])


def test_wide_encodings_without_a_mark_are_read() -> None:
    """As both other engines do."""
    for encoding in ("utf-16-le", "utf-16-be"):
        assert len(kwslist.read(MemorySource(encoded(kwslist_of(RECORD), encoding)))) == 1
