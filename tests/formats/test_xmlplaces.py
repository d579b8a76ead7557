"""Places in XML files: exact lines and columns at any size, excerpts that mark the value, words of a second engine."""

from __future__ import annotations

import codecs
import html
import re

import pytest
from hypothesis import HealthCheck, given, settings

from tests.formats.xml_documents import HEADER, LIST, RECORD, SNIPPETS, MemorySource, kwslist_of, kwslists, spoiled
from validator import formats
from validator.formats import kwslist, xmlplaces, xsd
from validator.model import Location, Place

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
FIXED = settings(derandomize=True, deadline=None, max_examples=250, suppress_health_check=SLOW)
WIDE = "漢字e\u0301😀\u202e"  # wide, combining, beyond the first plane, and one that turns the line round


def places(data: bytes) -> list[Location]:
    """Read a KWSList and locate its problems, in the order of the file."""
    document = MemorySource(data)
    found = [defect.where for _, defect in kwslist.read(document).problems]
    located = xmlplaces.locate(document, found)
    return sorted((located[place] for place in found), key=lambda where: (where.line or 0, where.column or 0))


def marked(where: Location) -> str:
    """Return what the excerpt marks."""
    assert where.quote is not None
    return where.quote.lines[where.quote.marked][1][where.quote.begin : where.quote.end]


# -- exact at any size ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_positions_are_exact_beyond_line_65535(newline: str) -> None:
    """Faults before, at and behind the line where libxml2 loses count, and in the last record."""
    wrong = {100: 4, 65_534: 0, 65_535: 9, 65_536: 2, 65_537: 0, 69_998: 7}  # line: blanks before the record
    lines = [HEADER, LIST, *[RECORD] * 70_000]
    for number, blanks in wrong.items():
        lines[number - 1] = " " * blanks + RECORD.replace("f1", WIDE).replace("0.875", "0,875")
    lines[-1] = RECORD.replace("YES", "JA")
    data = newline.join([*lines, "</detected_kwlist>", "</kwslist>"]).encode()
    located = places(data)
    score = RECORD.replace("f1", WIDE).index('score="') + len('score="') + 1
    assert [(where.line, where.column, where.value) for where in located] == [
        *((line, blanks + score, "0,875") for line, blanks in sorted(wrong.items())),
        (len(lines), RECORD.index("YES") + 1, "JA"),
    ]
    for where in located:
        assert marked(where) == where.value
        assert where.quote is not None
        assert where.quote.lines[where.quote.marked] == (where.line, lines[(where.line or 0) - 1])


def test_positions_are_exact_in_one_line_of_five_megabytes() -> None:
    """The column counts code points from the beginning of the line."""
    text = kwslist_of(RECORD.replace("f1", WIDE) * 60_000 + RECORD.replace("0.875", "x") + RECORD * 10)
    data = text.encode()
    assert len(data) > 5_000_000
    (where,) = places(data)
    assert (where.line, where.column, where.value) == (1, text.index('score="x"') + len('score="') + 1, "x")
    assert marked(where) == "x"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_value_on_a_later_line_of_its_tag_is_found_there(newline: str) -> None:
    """Line and column are those of the value, not of the tag; the line of the tag is shown with it if it is near."""
    record = RECORD.replace("f1", WIDE).replace(" tbeg", f"{newline}   tbeg").replace("0.5", "0,5")
    one = places(f"{HEADER}{newline}{LIST}{newline}  {record}</detected_kwlist></kwslist>".encode())[0]
    assert (one.line, one.column, one.value) == (4, len('   tbeg="1.25" dur="') + 1, "0,5")
    assert one.quote is not None
    assert [line for line, _ in one.quote.lines] == [3, 4]
    assert one.quote.lines[0][1] == f'  <kw file="{WIDE}" channel="1"'
    assert marked(one) == "0,5"
    far = RECORD.replace(" ", newline).replace("0.875", "x")
    two = places(kwslist_of(far).encode())[0]
    assert (two.line, two.column, two.value) == (6, len('score="') + 1, "x")
    assert marked(two) == "x"


@FIXED
@given(spoiled(kwslists()))
def test_every_located_value_stands_where_the_location_says(text: str) -> None:
    """Line and column lead to the value, the excerpt marks it, and a refused value is one that its type refuses."""
    data = text.encode("utf-8", "replace")
    lines = data.decode().split("\n")
    document = MemorySource(data)
    attributes = {
        name: attribute
        for element in (_ROOT, _ROOT.child("detected_kwlist"), _ROOT.child("detected_kwlist").child("kw"))
        for name, attribute in element.attributes.items()
    }
    for rule, defect in kwslist.read(document).problems:
        where = xmlplaces.locate(document, [defect.where])[defect.where]
        assert where.line is not None
        assert where.column is not None
        assert where.quote is not None
        line = lines[where.line - 1]
        assert 1 <= where.column <= len(line) + 1
        assert where.quote.lines[where.quote.marked] == (where.line, line.rstrip("\r"))
        if where.value is not None:
            assert line[where.column - 1 :].startswith(where.value.split("\n")[0].rstrip("\r"))
        if rule.code in ("XML207", "XML208") and where.value is not None:
            assert not attributes[defect.where.field].type.accepts(html.unescape(where.value))


_ROOT = xsd.load("openkws/kwslist.xsd")


def test_a_byte_order_mark_is_no_column() -> None:
    """The mark is no character of the document: the root stands in column 1, and the excerpt does not show it."""
    text = kwslist_of(RECORD).replace("language", "langauge")
    plain, with_mark = places(text.encode()), places(codecs.BOM_UTF8 + text.encode())
    assert [(where.line, where.column) for where in with_mark] == [(where.line, where.column) for where in plain]
    assert [where.quote for where in with_mark] == [where.quote for where in plain]


def test_a_wide_encoding_has_the_same_places() -> None:
    """Columns count characters, in UTF-16 and ISO-8859-1 as well."""
    text = kwslist_of(f"\n{RECORD.replace('f1', 'é').replace('0.875', 'x')}")
    declared = f'<?xml version="1.0" encoding="ISO-8859-1"?>\n{text}'
    wanted = (2, RECORD.replace("f1", "é").index('score="') + 8)
    for data, line in ((text.encode("utf-16"), 0), (declared.encode("iso-8859-1"), 1)):
        (where,) = places(data)
        assert ((where.line or 0) - line, where.column, where.value) == (*wanted, "x")


# -- the value and its tag -----------------------------------------------------------------------------------------


def at(tag: str, field: str) -> Location:
    """Locate a field of a tag that begins on the second line."""
    place = Place("x.xml", 1, field, "/kwslist")
    return xmlplaces.locate(MemorySource(f"\n{tag}".encode()), [place])[place]


@pytest.mark.parametrize(
    ("tag", "field", "value"),
    [
        ('<kw a="1" b="2"/>', "b", "2"),
        ("<kw a='1' b='2\"'/>", "b", '2"'),
        ('<kw a = "1" b\t=\t"2"/>', "b", "2"),
        ('<kw a="b=\'3\'" b="2"/>', "b", "2"),
        ('<kw ab="3" b="2"/>', "b", "2"),
        ('<kw n:b="2"/>', "b", "2"),
        ('<kw a="x>y" b="2"/>', "b", "2"),
        ('<kw b="é&#49;"/>', "b", "é&#49;"),
    ],
)
def test_the_value_of_an_attribute_is_found(tag: str, field: str, value: str) -> None:
    """Whatever quotes, blanks and look-alikes are around."""
    where = at(tag, field)
    assert (where.line, where.value, marked(where)) == (2, value, value)
    assert where.column == tag.index(value, tag.index(f"{field}", 3)) + 1


@pytest.mark.parametrize("tag", ['<kw a="1" b=""/>', "<kw a='1' b=''/>", '<kw a="1" b = ""/>'])
def test_an_empty_value_is_empty(tag: str) -> None:
    """The whole attribute is marked, since there is nothing else to mark, but it is not the value."""
    where = at(tag, "b")
    assert (where.line, where.column) == (2, tag.index("b") + 1)
    assert marked(where).startswith("b")
    assert not where.value


def test_a_place_without_a_field_marks_the_tag() -> None:
    """Its name is enough."""
    where = at('<kw a="1"/>', "")
    assert (where.line, where.column, where.value, marked(where)) == (2, 1, None, "<kw")


@pytest.mark.parametrize("tag", ['<kw a="1"/>', '<kw\n a="x"\n b="y">', '<kw a="x>y" b="2"/>', "<kw a='\">' b='2'/>"])
def test_the_record_is_the_whole_tag(tag: str) -> None:
    """Also with an angle bracket inside a value: the second engine is shown this text."""
    assert at(f'{tag}<kw a="9"/>', "a").record == tag


def test_places_without_an_offset_are_left_out() -> None:
    """They are about the file."""
    here, nowhere = Place("x.xml", 0), Place("x.xml")
    assert set(xmlplaces.locate(MemorySource(b"<a/>"), [here, nowhere])) == {here}


# -- the root and the second opinion -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"<ecf/>", "ecf"),
        (b'\xef\xbb\xbf<?xml version="1.0"?><!-- <a/> --><ecf', None),
        (b"<!-- c --><ecf a='1'><b/>", "ecf"),
        ("<ecf/>".encode("utf-16"), "ecf"),
        (b'<?xml version="1.0" encoding="nonsense"?><ecf/>', None),
        (b"<!DOCTYPE ecf><ecf/>", "ecf"),
        (b"text", None),
        (b"", None),
        (b"\0" * 100, None),
        (b"<ecf>" + b"x" * 100_000, "ecf"),
    ],
)
def test_the_root_element_is_told_from_the_beginning(data: bytes, wanted: str | None) -> None:
    """Or nothing, where the beginning is no XML."""
    assert xmlplaces.root_element(MemorySource(data)) == wanted


def says(text: str) -> dict[str, str]:
    """Return the second engine's words for each problem of a KWSList, by code."""
    document = MemorySource(text.encode("utf-8", "replace"))
    words = {}
    for rule, defect in kwslist.read(document).problems:
        where = xmlplaces.locate(document, [defect.where])[defect.where]
        words[rule.code] = formats.schema_says(rule.code, where)
    return words


def test_the_second_engine_explains_schema_errors() -> None:
    """In words that name the attribute or the value."""
    assert "1,25" in says(kwslist_of(RECORD.replace("1.25", "1,25")))["XML207"]
    assert "yes" in says(kwslist_of(RECORD.replace("YES", "yes")))["XML208"]
    assert "score" in says(kwslist_of(RECORD.replace('score="0.875" ', "")))["XML205"]
    assert "sorce" in says(kwslist_of(RECORD.replace("/>", ' sorce="1"/>')))["XML206"]
    assert says(kwslist_of("text")) == {"XML209": ""}


def test_the_second_engine_sees_a_tag_with_an_angle_bracket_as_a_whole() -> None:
    """It must not call attributes missing that stand behind the bracket."""
    words = says(kwslist_of(RECORD.replace("f1", "a>b").replace("1.25", "1,25")))["XML207"]
    assert "1,25" in words
    assert "missing" not in words


@pytest.mark.parametrize("kwid", ['"]/x[', "a]/b", "/", "]", "a/@b", "'", "é/ü", "kw[1]/", "]" * 50])
def test_an_odd_kwid_does_not_confuse_the_second_engine(kwid: str) -> None:
    """The path of a place has the kwid in it, as it is: right words or none."""
    head = LIST.replace("KW-1", kwid.replace('"', "&quot;"))
    words = says(kwslist_of(RECORD.replace("1.25", "1,25"), head=head))["XML207"]
    assert "1,25" in words or not words


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_the_second_engine_never_raises(snippet: str) -> None:
    """Whatever stands in the file."""
    texts = (
        kwslist_of(f"{RECORD}{snippet}"),
        f"{HEADER}{snippet}</kwslist>",
        kwslist_of(RECORD.replace("f1", snippet)),
    )
    for text in texts:
        assert all(isinstance(words, str) and not re.search(r"[\n\r]", words) for words in says(text).values())
