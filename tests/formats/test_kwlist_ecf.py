"""KWLists and ECFs: the tables are what stands in the files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.xml_documents import ECF, KWLIST, MemorySource, encoded, spoiled
from validator import formats
from validator.formats import ecf, kwlist, source
from validator.tables import Excerpt, Keyword

if TYPE_CHECKING:
    from validator.model import Place

GOLDEN = Path(__file__).parent.parent / "golden" / "kws-submissions" / "indusdb"
FIXED = settings(derandomize=True, deadline=None, max_examples=150)
PROBLEMS = list[tuple[str, int | None, str, str, int]]


def test_a_kwlist_is_read() -> None:
    """Header, keywords, their texts as written, and their attributes in order."""
    file = kwlist.read(MemorySource(KWLIST.encode()))
    table = file.table
    assert not file.problems
    assert (table.ecf_filename, table.version, table.language) == ("a.ecf.xml", "1", "tl")
    assert (table.encoding, table.compare_normalize, table.offset) == ("UTF-8", "lowercase", 0)
    assert table.keywords == (
        Keyword("KW-1", "ab cd", (), KWLIST.index('<kw kwid="KW-1"')),
        Keyword("KW-2", "ef", (("n1", "v1"), ("n2", "")), KWLIST.index('<kw kwid="KW-2"')),
        Keyword("KW-3", "", (), KWLIST.index('<kw kwid="KW-3"')),
    )
    assert (len(file), file.named_list) == (3, None)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("a b", "a b"),
        (" a\n b ", " a\n b "),
        ("a&amp;b&#233;", "a&bé"),
        ("<![CDATA[<a>]]>", "<a>"),
        ("a<!-- c -->b", "ab"),
        ("a<?pi?>b", "ab"),
        ("漢字", "漢字"),
        ("a\r\nb", "a\nb"),
    ],
)
def test_the_text_of_a_keyword_is_as_written(written: str, text: str) -> None:
    """With references and CDATA resolved; comments are no part of it."""
    file = kwlist.read(MemorySource(KWLIST.replace("ab cd", written).encode()))
    assert not file.problems
    assert file.table.keywords[0].text == text


@FIXED
@given(st.text(st.sampled_from("ab <>&\n漢é"), max_size=30), st.integers(1, 60))
def test_a_text_is_whole_wherever_a_block_ends(text: str, block: int) -> None:
    """Also where the parser hands it over in pieces."""
    written = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", block)
        file = kwlist.read(MemorySource(KWLIST.replace("ab cd", written).encode()))
    assert file.table.keywords[0].text == text


def test_an_ecf_is_read() -> None:
    """Header and excerpts, channels as written."""
    file = ecf.read(MemorySource(ECF.encode()))
    assert not file.problems
    assert (file.table.source_signal_duration_s, file.table.version, file.table.language) == (600.0, "1", "tagalog")
    assert file.table.excerpts == (
        Excerpt("f1", "1", 0.0, 300.0, "splitcts", ECF.index("<excerpt")),
        Excerpt("f2", "1", 0.0, 300.0, "bnews", ECF.rindex("<excerpt")),
    )
    assert (len(file), file.named_list) == (2, None)


def test_refused_values_are_undefined() -> None:
    """NaN for a number, nothing for a word: no rule can mistake them for values."""
    file = ecf.read(MemorySource(ECF.replace("600.0", "x").replace('"0.0"', '"x"').replace("bnews", "news").encode()))
    assert math.isnan(file.table.source_signal_duration_s)
    assert math.isnan(file.table.excerpts[0].begin_s)
    assert file.table.excerpts[1].source_type == ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "iso-8859-1", "utf-16", "utf-16-le", "utf-16-be"])
def test_any_encoding_reads_alike(encoding: str) -> None:
    """The same keywords, whatever the bytes."""
    text = KWLIST.replace("ab cd", "é ü")
    wanted = [(each.kwid, each.text) for each in kwlist.read(MemorySource(text.encode())).table.keywords]
    file = kwlist.read(MemorySource(encoded(text, encoding)))
    assert not file.problems
    assert [(each.kwid, each.text) for each in file.table.keywords] == wanted


def problems(kind: str, data: bytes, block: int) -> PROBLEMS:
    """Read in blocks of this size; return codes, places and counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", block)
        found = formats.read(kind, MemorySource(data)).problems
    return sorted((rule.code, *_place(defect.where), defect.count) for rule, defect in found)


def _place(where: Place) -> tuple[int, str, str]:
    return where.offset or 0, where.field, where.node


@FIXED
@given(st.sampled_from([("kwlist", KWLIST), ("ecf", ECF)]), st.data(), st.integers(1, 90))
def test_problems_do_not_depend_on_the_blocks(which: tuple[str, str], drawn: st.DataObject, block: int) -> None:
    """The same codes at the same places, as often."""
    kind, original = which
    data = drawn.draw(spoiled(st.just(original))).encode("utf-8", "replace")
    assert problems(kind, data, block) == problems(kind, data, 1 << 26)


def test_a_text_that_a_block_border_cuts_is_one_text() -> None:
    """How it was cut is no property of the file."""
    data = ECF.replace("</ecf>", f"{'x' * 300}</ecf>").encode()
    assert [problems("ecf", data, block)[0][-1] for block in (50, 100, 1 << 20)] == [1, 1, 1]


def test_a_text_of_several_lines_is_one_text() -> None:
    """A line end inside of it does not make it two."""
    data = ECF.replace("</ecf>", "one\ntwo &amp; three\n</ecf>").encode()
    assert [(code, count) for code, _, _, _, count in problems("ecf", data, 1 << 20)] == [("XML209", 1)]


@pytest.mark.parametrize("kind", ["kwlist", "ecf"])
def test_hostile_bytes_raise_nothing(kind: str) -> None:
    """Cut off at each byte, empty, binary, with a DOCTYPE, in an unknown encoding: always a problem."""
    data = {"kwlist": KWLIST, "ecf": ECF}[kind].encode()
    hostile = [*(data[:end] for end in range(len(data))), b"\0\1\2", b"<!DOCTYPE a>" + data, b"\xff" + data]
    for each in (*hostile, b'<?xml version="1.0" encoding="x"?>' + data):
        assert formats.read(kind, MemorySource(each)).problems


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.xml")), ids=lambda path: path.name)
def test_the_database_of_the_corpus_is_read(path: Path) -> None:
    """The organizers' files have no problems, and are told by their content."""
    document = formats.source_of(path)
    known = formats.sniff(document)
    assert known is not None
    assert known.name == ("ecf" if ".ecf." in path.name else "kwlist")
    file = formats.read(known.name, document)
    assert not file.problems
    assert len(file) > 0
