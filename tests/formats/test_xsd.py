"""Our streaming validator against two schema engines, libxml2's and the xmlschema package's, on what they accept."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from xmlschema import XMLSchema

from tests.formats.xml_documents import (
    ECF,
    ENCODINGS,
    HEADER,
    KWLIST,
    LIST,
    RECORD,
    SNIPPETS,
    MemorySource,
    encoded,
    kwslist_of,
    kwslists,
    schema_of,
    spoiled,
)
from validator.errors import ProfileError
from validator.formats import read as read_format
from validator.formats import xsd

GOLDEN = Path(__file__).parent.parent / "golden" / "kws-submissions"
FILES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*.xml"))
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
FIXED = settings(derandomize=True, deadline=None, max_examples=220, suppress_health_check=SLOW)
INSTANCE = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

# libxml2 takes a float that ends behind the e of its exponent; XML Schema part 2, 3.2.4.1 asks for digits there.
_UNFINISHED = re.compile(r"\s*[+-]?[0-9.]+[eE][+-]?\s*")
# libxml2 takes an empty CDATA section for content of an empty element; there is no character in it.
_EMPTY_CDATA = "<![CDATA[]]>"
# xmlschema reads numbers with Python's int and Decimal, which take blanks inside, "_", digits of any script and
# Unicode blanks around (XML Schema part 2, 3.2.3.1 and 3.3.13.1 do not).
_PYTHON_NUMBER = re.compile(r"[\s\d_.+-]*[^\S \t\r\n][\s\d_.+-]*|\s*[\d.+-]+(?:\s+[\d.+-]+)+\s*|[\d_.+-]*_[\d_.+-]*")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
# xmlschema takes Unicode blanks between elements for white space, of which XML knows four.
_OTHER_BLANK = re.compile(r"[^\S \t\r\n]")
# Both Python engines read with expat, which does not look at the version number of the XML declaration.
_EXPAT_DIFFERS = re.compile(r"""<\?xml\s+version\s*=\s*["'](?!1\.[0-9]+["'])""")


@cache
def engines(kind: str) -> tuple[etree.XMLSchema, XMLSchema]:
    """Compile a schema with both engines."""
    return etree.XMLSchema(etree.fromstring(schema_of(kind))), XMLSchema(schema_of(kind).decode())


def libxml2_accepts(kind: str, data: bytes) -> bool:
    """Ask libxml2."""
    try:
        tree = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return False
    return bool(engines(kind)[0].validate(tree))


def xmlschema_accepts(kind: str, data: bytes) -> bool:
    """Ask the xmlschema package, on Python's own tree."""
    try:
        tree = ET.fromstring(data)  # noqa: S314 - documents of this test
    except ET.ParseError:
        return False
    return bool(engines(kind)[1].is_valid(tree))


def codes(kind: str, data: bytes) -> set[str]:
    """Return the codes of all problems that we find."""
    return {rule.code for rule, _ in read_format(kind, MemorySource(data)).problems}


def comparable(text: str) -> set[str]:
    """Return the engines that are not known to err on a document."""
    if _EXPAT_DIFFERS.search(text):
        return set()
    plain = re.sub(r"&#(\d+);", lambda match: chr(int(match[1])) if 0 < int(match[1]) < 0xD800 else "", text)
    values = [one or other for one, other in re.findall(r"""=\s*(?:"([^"]*)"|'([^']*)')""", plain)]
    engines = {"libxml2", "xmlschema"}
    if _EMPTY_CDATA in text or any(map(_UNFINISHED.fullmatch, values)):
        engines.discard("libxml2")
    odd = any(_PYTHON_NUMBER.fullmatch(value) or _OTHER_DIGIT.search(value) for value in values)
    if odd or _OTHER_BLANK.search(plain):
        engines.discard("xmlschema")
    return engines


def assert_agreement(kind: str, data: bytes, text: str) -> None:
    """Compare our verdict with both, but where an engine is known to err."""
    found = codes(kind, data)
    if "<!DOCTYPE" in text and found == {"XML202"}:
        return  # legal XML that we refuse
    if "libxml2" in comparable(text):
        assert libxml2_accepts(kind, data) == (not found), found
    if "xmlschema" in comparable(text):
        assert xmlschema_accepts(kind, data) == (not found), found


def kind_of(name: str) -> str:
    """Tell the format of a file of the corpus."""
    found = re.search(r"\.(kwslist|kwlist|ecf)[0-9]*\.xml$", name, re.IGNORECASE)
    return found[1].lower() if found else "kwslist"


# -- agreement -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_all_engines_agree_on_the_corpus(name: str) -> None:
    """Every XML file of the accept/reject corpus and its database."""
    data = (GOLDEN / name).read_bytes()
    found = codes(kind_of(name), data)
    if b"<!DOCTYPE" in data:
        assert found == {"XML202"}
        return
    assert libxml2_accepts(kind_of(name), data) == xmlschema_accepts(kind_of(name), data) == (not found), found


def test_the_corpus_is_there() -> None:
    """Both valid and invalid files of all three formats, so that the test above compares something."""
    verdicts = {(kind_of(name), libxml2_accepts(kind_of(name), (GOLDEN / name).read_bytes())) for name in FILES}
    assert verdicts >= {("kwslist", True), ("kwslist", False), ("kwlist", True), ("ecf", True)}


@pytest.mark.parametrize("originals", [kwslists(), st.just(KWLIST), st.just(ECF)], ids=["kwslist", "kwlist", "ecf"])
def test_nearly_all_spoiled_documents_are_compared(originals: st.SearchStrategy[str]) -> None:
    """The exclusions are narrow: else agreement would mean nothing."""
    compared: list[int] = []

    @FIXED
    @given(spoiled(originals))
    def count(text: str) -> None:
        compared.append(len(comparable(text)))

    count()
    assert sum(compared) > 0.85 * 2 * len(compared)


@FIXED
@given(kwslists(), st.sampled_from(ENCODINGS))
def test_all_engines_accept_valid_kwslists(text: str, encoding: str) -> None:
    """In all styles and encodings."""
    data = encoded(text, encoding)
    assert not codes("kwslist", data)
    assert libxml2_accepts("kwslist", data)
    assert xmlschema_accepts("kwslist", data)


@FIXED
@given(spoiled(kwslists()), st.sampled_from(ENCODINGS))
def test_all_engines_agree_on_spoiled_kwslists(text: str, encoding: str) -> None:
    """Accepted by all or refused by all."""
    assert_agreement("kwslist", encoded(text, encoding), text)


@FIXED
@given(spoiled(st.just(KWLIST)), st.sampled_from(ENCODINGS))
def test_all_engines_agree_on_spoiled_kwlists(text: str, encoding: str) -> None:
    """Accepted by all or refused by all."""
    assert_agreement("kwlist", encoded(text, encoding), text)


@FIXED
@given(spoiled(st.just(ECF)), st.sampled_from(ENCODINGS))
def test_all_engines_agree_on_spoiled_ecfs(text: str, encoding: str) -> None:
    """Accepted by all or refused by all."""
    assert_agreement("ecf", encoded(text, encoding), text)


@pytest.mark.parametrize("snippet", SNIPPETS)
@pytest.mark.parametrize("kind", ["kwslist", "kwlist", "ecf"])
def test_all_engines_agree_on_anything_in_any_place(kind: str, snippet: str) -> None:
    """Each snippet behind each tag of a small document."""
    whole = {"kwslist": kwslist_of(RECORD, RECORD), "kwlist": KWLIST, "ecf": ECF}[kind]
    borders = [0, *(match.end() for match in re.finditer(r">", whole))]
    for at in borders:
        text = whole[:at] + snippet + whole[at:]
        assert_agreement(kind, text.encode("utf-8", "replace"), text)


@pytest.mark.parametrize(
    "text",
    [
        kwslist_of(),
        kwslist_of(""),
        kwslist_of(RECORD),
        kwslist_of(RECORD.replace('"', "'")),
        kwslist_of(RECORD.replace("/>", "></kw>")),
        kwslist_of(RECORD.replace("/>", "><!-- c --></kw>")),
        kwslist_of(RECORD.replace(" ", "\n\t")),
        kwslist_of(RECORD.replace("f1", "a>b")),
        kwslist_of(RECORD.replace("1.25", "&#49;&#x2e;25")),
        kwslist_of(RECORD.replace("1.25", "\n1.25\t")),
        kwslist_of(RECORD.replace("0.875", "NaN"), RECORD.replace("0.875", "-INF"), RECORD.replace("0.875", "1E9")),
        kwslist_of('<kw decision="NO" score="1" dur="1" tbeg="1" channel="1" file=""/>'),
        kwslist_of("<![CDATA[ ]]>"),
        kwslist_of("<!-- <kw/> --><?pi <kw/>?>"),
        kwslist_of(header=HEADER.replace(">", ' min_score="-1e3" max_score="INF">')),
        kwslist_of(header=HEADER.replace(">", f' {INSTANCE} xsi:noNamespaceSchemaLocation="k.xsd">')),
        kwslist_of(header=HEADER.replace(">", f' {INSTANCE} xsi:schemaLocation="urn:n k.xsd">')),
        kwslist_of(header=HEADER.replace(">", ' xmlns:n="urn:n" xmlns="">')),
        kwslist_of("", head=LIST.replace('"0"', '"NA"')),
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<!-- c -->\r\n{kwslist_of(RECORD)}\r\n<?pi?>\r\n',
    ],
)
def test_legal_ways_to_write_a_kwslist(text: str) -> None:
    """All three engines accept them."""
    data = text.encode()
    assert (codes("kwslist", data), libxml2_accepts("kwslist", data), xmlschema_accepts("kwslist", data)) == (
        set(),
        True,
        True,
    )


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("kwslist", kwslist_of(RECORD).replace("</kwslist>", ""), {"XML201"}),
        ("kwslist", kwslist_of(RECORD) + "x", {"XML201"}),
        ("kwslist", kwslist_of(RECORD.replace("f1", "a&b")), {"XML201"}),
        ("kwslist", kwslist_of(RECORD.replace("f1", "a<b")), {"XML201"}),
        ("kwslist", kwslist_of(RECORD.replace("/>", ' score="1"/>')), {"XML201"}),
        ("kwslist", kwslist_of("<n:x/>"), {"XML201"}),
        ("kwslist", kwslist_of(RECORD).replace("kwslist", "kwlist"), {"XML203"}),
        ("kwslist", kwslist_of(header=HEADER.replace(">", ' xmlns="urn:n">')), {"XML203"}),
        ("kwslist", kwslist_of("<x/>"), {"XML204"}),
        ("kwslist", kwslist_of(LIST + "</detected_kwlist>"), {"XML204"}),
        ("kwslist", f"{HEADER}{RECORD}</kwslist>", {"XML204"}),
        ("kwslist", kwslist_of(RECORD.replace("/>", f">{RECORD}</kw>")), {"XML204"}),
        ("kwslist", kwslist_of(RECORD.replace("<kw ", '<kw xmlns="urn:n" ')), {"XML204"}),
        ("kwslist", kwslist_of("<kw/>"), {"XML205"}),
        ("kwslist", kwslist_of(RECORD.replace("score", "sorce")), {"XML205", "XML206"}),
        ("kwslist", kwslist_of(RECORD.replace("/>", ' Score="1"/>')), {"XML206"}),
        ("kwslist", kwslist_of(RECORD.replace("/>", ' xml:space="preserve"/>')), {"XML206"}),
        ("kwslist", kwslist_of(RECORD.replace("1.25", "1,25")), {"XML207"}),
        ("kwslist", kwslist_of(RECORD.replace("1.25", "1e1")), {"XML207"}),
        ("kwslist", kwslist_of(RECORD.replace("1.25", "")), {"XML207"}),
        ("kwslist", kwslist_of(RECORD.replace("0.875", "+INF")), {"XML207"}),
        ("kwslist", kwslist_of(RECORD.replace("0.875", "inf")), {"XML207"}),
        ("kwslist", kwslist_of(RECORD.replace('l="1"', 'l="1.0"')), {"XML207"}),
        ("kwslist", kwslist_of(RECORD.replace("YES", "yes")), {"XML208"}),
        ("kwslist", kwslist_of(RECORD.replace("YES", "YES ")), {"XML208"}),
        ("kwslist", kwslist_of("", head=LIST.replace('"0"', '"-1"')), {"XML208"}),
        ("kwslist", kwslist_of("x"), {"XML209"}),
        ("kwslist", kwslist_of("<![CDATA[x]]>"), {"XML209"}),
        ("kwslist", kwslist_of(RECORD.replace("/>", ">x</kw>")), {"XML209"}),
        ("kwslist", kwslist_of(RECORD.replace("/>", "> </kw>")), {"XML209"}),
        ("kwlist", KWLIST.replace("<kwtext/>", ""), {"XML210"}),
        ("kwlist", KWLIST.replace("<name>n1</name><value>v1</value>", "<value>v1</value><name>n1</name>"), None),
        ("kwlist", KWLIST.replace("<kwtext/>", "<kwinfo/>"), {"XML210"}),
        ("kwlist", KWLIST.replace("<kwtext/>", "<kwtext/><kwtext/>"), {"XML204"}),
        ("kwlist", KWLIST.replace("<kwtext/>", "<kwtext><b/></kwtext>"), {"XML204"}),
        ("kwlist", KWLIST.replace("<kwtext/>", '<kwtext a="1"/>'), {"XML206"}),
        ("kwlist", KWLIST.replace('"UTF-8"', '"utf-8"'), {"XML208"}),
        ("kwlist", KWLIST.replace('"lowercase"', '" "'), {"XML208"}),
        ("ecf", ECF.replace("splitcts", "SplitCTS"), {"XML208"}),
        ("ecf", ECF.replace('"600.0"', '"10:00"'), {"XML207"}),
        ("ecf", ECF.replace("</excerpt>", "x</excerpt>"), {"XML209"}),
    ],
)
def test_what_is_wrong_has_its_code(kind: str, text: str, wanted: set[str] | None) -> None:
    """All three engines refuse, and we say what it is."""
    data = text.encode()
    assert not libxml2_accepts(kind, data)
    assert not xmlschema_accepts(kind, data)
    found = codes(kind, data)
    assert found == wanted if wanted else found


@pytest.mark.parametrize("blank", ["\u00a0", "&#160;", "\u3000", "\u2028", "\u0085", "\ufeff"])
@pytest.mark.parametrize("kind", ["kwslist", "kwlist", "ecf"])
def test_a_blank_that_is_no_xml_white_space_is_text(kind: str, blank: str) -> None:
    """XML knows four white space characters (XML 1.0, 2.3); libxml2 refuses any other between elements."""
    text = {"kwslist": kwslist_of(blank), "kwlist": KWLIST, "ecf": ECF}[kind]
    data = text.replace("</ecf>", f"{blank}</ecf>").replace("</kwlist>", f"{blank}</kwlist>").encode()
    assert not libxml2_accepts(kind, data)
    assert codes(kind, data) == {"XML209"}


@pytest.mark.parametrize("version", ["", "1_0", "2.0", "one"])
def test_a_wrong_version_number_is_not_well_formed(version: str) -> None:
    """VersionNum is 1. and digits (XML 1.0, 2.8); xmllint, and so F4DE, refuses anything else."""
    data = f'<?xml version="{version}"?>{kwslist_of(RECORD)}'.encode()
    assert not libxml2_accepts("kwslist", data)
    assert codes("kwslist", data) == {"XML201"}


def test_known_differences_between_the_engines() -> None:
    """What the exclusions above rest on; where one falls away, so can its exclusion."""
    unfinished = kwslist_of(RECORD.replace("0.875", "1e")).encode()
    assert (libxml2_accepts("kwslist", unfinished), xmlschema_accepts("kwslist", unfinished)) == (True, False)
    assert codes("kwslist", unfinished) == {"XML207"}
    nothing = kwslist_of(RECORD.replace("/>", "><![CDATA[]]></kw>")).encode()
    assert (libxml2_accepts("kwslist", nothing), xmlschema_accepts("kwslist", nothing)) == (False, True)
    assert not codes("kwslist", nothing)
    for value in ("- 1", "1 2", "\u00a01"):
        odd = kwslist_of(RECORD.replace("1.25", value)).encode()
        assert (libxml2_accepts("kwslist", odd), xmlschema_accepts("kwslist", odd)) == (False, True)
        assert codes("kwslist", odd) == {"XML207"}
    for value in ("1_0", "\u0661"):
        odd = kwslist_of(RECORD.replace('l="1"', f'l="{value}"')).encode()
        assert (libxml2_accepts("kwslist", odd), xmlschema_accepts("kwslist", odd)) == (False, True)
        assert codes("kwslist", odd) == {"XML207"}


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE kwslist>",
        '<!DOCTYPE kwslist SYSTEM "kwslist.dtd">',
        '<!DOCTYPE kwslist [<!ENTITY e "f1">]>',
        '<!DOCTYPE kwslist [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_a_doctype_is_refused_though_it_is_xml(doctype: str) -> None:
    """Once, as what it is, and nothing behind it is read."""
    file = read_format("kwslist", MemorySource(f"{doctype}{kwslist_of(RECORD)}".encode()))
    assert [(rule.code, defect.count) for rule, defect in file.problems] == [("XML202", 1)]
    assert len(file) == 0


@pytest.mark.parametrize("doctype", ["<!DOCTYPE kwslist>", '<!DOCTYPE kwslist [<!ENTITY e "f1">]>'])
def test_a_doctype_is_shown_where_it_begins(doctype: str) -> None:
    """At its first character, not behind its name."""
    file = read_format("kwslist", MemorySource(f"<!-- c -->\n{doctype}{kwslist_of(RECORD)}".encode()))
    assert [defect.where.offset for _, defect in file.problems] == [11]


# -- the compiler --------------------------------------------------------------------------------------------------


def compiled(body: str, monkeypatch: pytest.MonkeyPatch) -> xsd.Element:
    """Compile a schema of our own."""
    text = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{body}</xs:schema>'
    monkeypatch.setattr(xsd, "schema_text", lambda _: text)
    return xsd.load.__wrapped__("test.xsd")


ATTRIBUTED = '<xs:element name="a"><xs:complexType>{}</xs:complexType></xs:element>'
RESTRICTED = ATTRIBUTED.format(
    '<xs:attribute name="b"><xs:simpleType><xs:restriction base="xs:string">{}</xs:restriction></xs:simpleType>'
    "</xs:attribute>"
)


def test_the_supported_part_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements in sequence, attributes with their use and type, facets, documentation."""
    root = compiled(
        '<xs:annotation><xs:documentation source="Plan A.1">all</xs:documentation></xs:annotation>'
        '<xs:element name="a"><xs:complexType><xs:sequence>'
        '<xs:element name="b" type="xs:string" minOccurs="0"/>'
        '<xs:element name="c" maxOccurs="unbounded"><xs:complexType/></xs:element>'
        '</xs:sequence><xs:attribute name="n" type="xs:integer" use="required"><xs:annotation>'
        "<xs:documentation> what\n it is </xs:documentation></xs:annotation></xs:attribute>"
        '<xs:attribute name="p"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="x+"/>'
        '<xs:pattern value="y"/></xs:restriction></xs:simpleType></xs:attribute></xs:complexType></xs:element>',
        monkeypatch,
    )
    assert [(each.element.name, each.minimum, each.maximum) for each in root.children] == [("b", 0, 1), ("c", 1, None)]
    assert (root.cites, root.child("b").text is not None, root.child("c").text) == ("Plan A.1", True, None)
    number, pattern = root.attributes["n"], root.attributes["p"]
    assert (number.required, number.doc, pattern.required) == (True, "what it is", False)
    assert [number.type.accepts(text) for text in ("7", "-7", " 7", "7.0", "")] == [True, True, True, False, False]
    assert [pattern.type.accepts(text) for text in ("xx", "y", "xy", "")] == [True, True, False, False]


@pytest.mark.parametrize(
    "body",
    [
        "",
        '<xs:element name="a"/><xs:element name="b"/>',
        '<xs:element name="a" type="xs:date"/>',
        '<xs:element name="a"><xs:simpleType/></xs:element>',
        ATTRIBUTED.format("<xs:choice/>"),
        ATTRIBUTED.format("<xs:anyAttribute/>"),
        ATTRIBUTED.format('<xs:attribute name="b"/>'),
        ATTRIBUTED.format('<xs:attribute name="b" type="xs:boolean"/>'),
        RESTRICTED.replace("xs:string", "xs:decimal").format('<xs:enumeration value="1"/>'),
    ],
)
def test_what_is_not_supported_is_a_profile_error(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema is our own file: what we cannot hold a stream against must not get into one."""
    with pytest.raises(ProfileError):
        compiled(body, monkeypatch)


@pytest.mark.parametrize(
    "body",
    [
        RESTRICTED.format('<xs:maxLength value="3"/>'),
        RESTRICTED.format('<xs:pattern value="x+"/><xs:maxLength value="3"/>'),
        RESTRICTED.format('<xs:enumeration value="x"/><xs:pattern value="y"/>'),
        ATTRIBUTED.format('<xs:sequence><xs:choice><xs:element name="b"/></xs:choice></xs:sequence>'),
        ATTRIBUTED.format("<xs:sequence><xs:any/></xs:sequence>"),
        ATTRIBUTED.format('<xs:sequence minOccurs="0"><xs:element name="b" type="xs:string"/></xs:sequence>'),
        ATTRIBUTED.format('<xs:attribute name="b" type="xs:string" fixed="x"/>'),
        ATTRIBUTED.format('<xs:attribute name="b" type="xs:string" use="prohibited"/>'),
        ATTRIBUTED.format("").replace("<xs:complexType>", '<xs:complexType mixed="true">'),
    ],
)
def test_no_facet_is_ignored_in_silence(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module promises a ProfileError for anything that it would not obey."""
    with pytest.raises(ProfileError):
        compiled(body, monkeypatch)


@pytest.mark.parametrize("kind", ["kwslist", "kwlist", "ecf"])
def test_our_schemas_compile(kind: str) -> None:
    """Each has the root of its format, and a plan section."""
    root = xsd.load(f"openkws/{kind}.xsd")
    assert root.name == kind
    assert root.cites.startswith("OpenKWS13 A.")
    assert all(attribute.doc for attribute in root.attributes.values())
