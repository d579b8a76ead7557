"""Messages as a tired participant reads them at night: the right words at the right place, one cause one message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result


@pytest.fixture
def findings(
    put: Callable[..., str], subgate: Callable[..., Result], database: str
) -> Callable[..., list[dict[str, Any]]]:
    """Check a run against the tiny database and return what is shown, consequences left out."""

    def check(content: str | bytes, *options: str) -> list[dict[str, Any]]:
        result = subgate("check", put(content), "--data", database, "--format", "json", *options)
        (submission,) = json.loads(result.output)["submissions"]
        return [finding for finding in submission["findings"] if finding["caused_by"] is None]

    return check


# -- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("score", "0.12"), ("oov_count", "0"), ("search_time", "0.80"), ("tbeg", "41.00"), ("channel", "1")],
)
def test_an_empty_value_is_called_empty(
    findings: Callable[..., list[dict[str, Any]]], good_run: str, attribute: str, value: str
) -> None:
    """``score=""`` is an empty value, not a value that reads score="" itself."""
    shown = findings(good_run.replace(f'{attribute}="{value}"', f'{attribute}=""'))
    message = next(f["message"] for f in shown if f["rule"] in ("XML207", "XML208"))
    assert f'{attribute}=""' not in message


def test_an_empty_kwlist_filename_is_called_empty(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """The same where a rule, not the schema, looks at the value."""
    (finding,) = findings(good_run.replace("babel106b-v0.2g_conv-dev.kwlist.xml", ""))
    assert finding["rule"] == "KWS301"
    assert 'kwlist_filename=""' not in finding["message"]


def test_a_pattern_is_told_in_words(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """People are not shown regular expressions."""
    (finding,) = findings(good_run.replace('oov_count="0"', 'oov_count="-1"'))
    assert "[0-9]" not in finding["message"] + finding["hint"]


def test_one_of_something_is_singular(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """Not "all 1 decisions" and not "1 fields"."""
    one = "\n".join(line for line in good_run.split("\n") if 'decision="NO"' not in line)
    (finding,) = findings(one)
    assert finding["rule"] == "KWS421"
    assert "1 decisions" not in finding["message"]


@pytest.mark.parametrize(
    ("change", "fix"),
    [
        (('channel="1"', 'channel="01"'), "1"),
        (('language="tagalog"', 'language="english"'), "tagalog"),
        (("BABEL_BP_106_10001_inLine", "BABEL_BP_106_10001_inline"), "BABEL_BP_106_10001_inLine"),
        (("_conv-dev.kwlist.xml", "_convdev.kwlist.xml"), "babel106b-v0.2g_conv-dev.kwlist.xml"),
    ],
    ids=["channel", "language", "file", "kwlist"],
)
def test_the_fix_has_the_value_where_it_can_be_computed(
    findings: Callable[..., list[dict[str, Any]]], good_run: str, change: tuple[str, str], fix: str
) -> None:
    """An imperative with the concrete value, not "as in the ECF"."""
    shown = findings(good_run.replace(*change))
    assert shown[0]["hint"].endswith(f"write {fix}")


def test_the_fix_keeps_its_dots(
    put: Callable[..., str], subgate: Callable[..., Result], good_run: str, database: str
) -> None:
    """``search_time="..."`` and ``Search Elapsed Time - ...`` end in three dots, in the text as well."""
    put(good_run, "sub/KWS14_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_p-word_1.kwslist.xml")
    put("BaseLR{106FullLP}:AM{},LM{},PRON{},AR{}\n", "sub/system.txt")
    text = subgate("check", "sub", "--data", database).output
    hints = [line for line in text.splitlines() if line.startswith(" fix: add the line ")]
    assert hints
    assert not [hint for hint in hints if hint.endswith("..") and not hint.endswith("...")]


# -- places ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "rule", "line", "column"),
    [
        (("<kwslist ", "<!DOCTYPE kwslist [<!ENTITY a 'b'>]>\n<kwslist "), "XML202", 2, 1),
        (("</detected_kwlist>", "</detected_kwlists>"), "XML201", 6, 3),
        (('system_id="word"', 'system_id="word" minscore="0"'), "XML206", 2, 100),
        (
            ('    <kw file="BABEL_BP_106_10001_inLine" channel="1" tbeg="41', '    text <kw file="B" tbeg="41'),
            "XML209",
            5,
            5,
        ),
        (('system_id="word"', 'system_id="AT&T"'), "XML201", 2, 96),
        (('system_id="word"', 'system_id="&word;"'), "XML201", 2, 94),
    ],
    ids=["doctype", "end tag", "attribute name", "stray text", "ampersand", "entity"],
)
def test_the_column_is_that_of_the_culprit(
    *,
    findings: Callable[..., list[dict[str, Any]]],
    good_run: str,
    change: tuple[str, str],
    rule: str,
    line: int,
    column: int,
) -> None:
    """The caret points at what has to be changed: the declaration, the tag, the attribute's name, the text."""
    finding = next(f for f in findings(good_run.replace(*change)) if f["rule"] == rule)
    assert (finding["line"], finding["column"]) == (line, column)


def test_too_many_fields_point_at_the_field_that_does_not_fit(
    put: Callable[..., str], subgate: Callable[..., Result], good_run: str, run_name: str, database: str
) -> None:
    """In p-word_fusion_1 the culprit is fusion, which stands where <VERSION> belongs."""
    path = put(good_run, run_name.replace("p-word", "p-word_fusion"))
    lines = subgate("check", path, "--data", database).output.splitlines()
    at = next(rank for rank, line in enumerate(lines) if "^" in line)
    begin, end = lines[at].index("^"), lines[at].rindex("^") + 1
    assert lines[at - 1][begin:end] == "fusion"


# -- one cause, one message --------------------------------------------------------------------------------------


def test_a_misspelt_keyword_is_one_fault(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """Where "did you mean" names the missing keyword, its absence follows from the misspelling.

    Otherwise the first message tells people to add an empty list beside the misspelt one: their detections are lost.
    """
    shown = findings(good_run.replace("KW106-00001", "KW106-0001"))
    assert [finding["rule"] for finding in shown] == ["KWS303"]


def test_a_broken_record_does_not_make_all_decisions_equal(
    findings: Callable[..., list[dict[str, Any]]], good_run: str
) -> None:
    """The only YES has a decimal comma: that is the fault, not that all decisions are NO."""
    shown = findings(good_run.replace('tbeg="3.10"', 'tbeg="3,10"'))
    assert [finding["rule"] for finding in shown] == ["XML207"]


def test_a_missing_end_tag_is_one_fault(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """That every list behind it stands in the wrong place follows from it, and must not be "deleted"."""
    shown = findings(good_run.replace("  </detected_kwlist>\n", ""))
    assert [finding["rule"] for finding in shown] == ["XML201"]


# -- encodings ---------------------------------------------------------------------------------------------------


def test_bytes_that_contradict_the_encoding_are_called_so(
    findings: Callable[..., list[dict[str, Any]]], good_run: str
) -> None:
    """ISO-8859-1 bytes under a UTF-8 declaration are XML211 at the byte, not "this is not XML"."""
    (finding,) = findings(good_run.replace('"word"', '"España"').encode("latin-1"))
    assert (finding["rule"], finding["line"], finding["column"]) == ("XML211", 2, 98)


def test_an_unknown_encoding_is_one_fault(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """Not also "the file has no XML element"."""
    (finding,) = findings(good_run.replace("UTF-8", "KLINGON"))
    assert finding["rule"] == "XML211"


@pytest.mark.parametrize(
    "encoding",
    [
        "UTF-16",
        "base64",
        "hex",
        "rot13",
        "zlib",
        "bz2",
        "quopri",
        "uu",
        "undefined",
        "punycode",
        "idna",
        "unicode_escape",
    ],
)
def test_an_encoding_that_is_none_for_xml_is_a_finding(
    findings: Callable[..., list[dict[str, Any]]], good_run: str, encoding: str
) -> None:
    """Python knows codecs that are no encodings of XML: a declaration cannot make the gate stumble or accept."""
    shown = findings(good_run.replace("UTF-8", encoding))
    assert [finding["rule"] for finding in shown] == ["XML211"]


def test_the_advice_about_utf_16_leads_to_a_good_file(
    findings: Callable[..., list[dict[str, Any]]], good_run: str
) -> None:
    """After iconv the declaration still says UTF-16: the advice has to mention it."""
    (finding,) = findings(good_run.replace("UTF-8", "UTF-16").encode("utf-16"))
    assert finding["rule"] == "KWS214"
    assert "declaration" in finding["hint"]


# -- truth -------------------------------------------------------------------------------------------------------


def test_the_example_of_rounding_is_true(subgate: Callable[..., Result]) -> None:
    """``explain KWS404`` says that 69.7 + 0.3 is more than 70 in binary: it is exactly 70."""
    page = subgate("explain", "KWS404").output
    assert 69.7 + 0.3 > 70 or "69.7" not in page


def test_a_house_rule_is_not_called_the_plans(
    put: Callable[..., str], subgate: Callable[..., Result], good_run: str, run_name: str, database: str
) -> None:
    """The plan says nothing about the length of a description: "only the plan forbids this" is not true."""
    put(good_run, f"sub/{run_name}")
    put("\n" * 60_000, "sub/system.txt")
    text = subgate("check", "sub", "--data", database).output
    block = text[text.index("error[TXT202") :].partition("\n\n")[0]
    assert "house rule" in block
    assert "only the plan forbids this" not in block


def test_a_compressed_run_is_not_to_be_renamed(
    put: Callable[..., str], subgate: Callable[..., Result], run_name: str, database: str
) -> None:
    """``.kwslist.xml.gz`` has to be unpacked; under another name it would still be no XML."""
    path = put(b"\x1f\x8b\x08\x00" + bytes(16), f"{run_name}.gz")
    report = json.loads(subgate("check", path, "--data", database, "--format", "json").output)
    (finding,) = report["submissions"][0]["findings"]
    assert finding["rule"] == "KWS101"
    assert "rename the file" not in finding["hint"]


def test_a_namespace_is_to_be_dropped(findings: Callable[..., list[dict[str, Any]]], good_run: str) -> None:
    """The root has the right name already: the fix is to drop xmlns."""
    (finding,) = findings(good_run.replace("<kwslist ", '<kwslist xmlns="http://example.org/" '))
    assert finding["rule"] == "XML203"
    assert "rename" not in finding["hint"]
    assert "xmlns" in finding["hint"]


def test_an_empty_file_is_called_empty(findings: Callable[..., list[dict[str, Any]]]) -> None:
    """Its author has no tags to close."""
    (finding,) = findings("")
    assert "empty" in finding["message"]
    assert "close every tag" not in finding["hint"]


@pytest.mark.parametrize(
    ("change", "jargon"),
    [
        (("</kwslist>", "</kwslist><more/>"), "junk after document element"),
        (('"word"', '"&word;"'), "undefined entity"),
    ],
    ids=["behind the root", "entity"],
)
def test_the_parsers_words_are_not_passed_on(
    findings: Callable[..., list[dict[str, Any]]], good_run: str, change: tuple[str, str], jargon: str
) -> None:
    """One sentence about the file, not about the parser."""
    (finding,) = findings(good_run.replace(*change))
    assert jargon not in finding["message"]
    assert "close every tag" not in finding["hint"]


def test_all_data_given_means_nothing_is_asked_for(
    put: Callable[..., str], subgate: Callable[..., Result], good_run: str, database: str
) -> None:
    """A wrong kwlist_filename does not make us ask for data that was given."""
    text = subgate("check", put(good_run.replace("_conv-dev.kwlist", "_dev.kwlist")), "--data", database).output
    assert "no kwlist: give --data" not in text


def test_counts_in_the_closing_lines_add_up(
    put: Callable[..., str], subgate: Callable[..., Result], good_run: str, run_name: str, database: str
) -> None:
    """A rule that ran for one run and could not for another is not counted as both."""
    put(good_run, f"sub/{run_name}")
    put("x 1 0 1 word 0.5\n", f"sub/{run_name.replace('_KWS_', '_STT_').replace('.kwslist.xml', '.ctm')}")
    text = subgate("check", "sub", "--data", database).output
    counts = next(line for line in text.splitlines() if line.startswith("rules ")).replace(",", "").split()
    run, could_not = int(counts[1]), int(counts[counts.index("could") - 1]) if "could" in counts else 0
    total = len(subgate("rules", "-e", "openkws13").output.splitlines()) - 1
    assert run + could_not <= total
