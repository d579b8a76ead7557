"""The fast lane: what it takes is exactly what expat would have read, and it takes nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.xml_documents import (
    ENCODINGS,
    HEADER,
    LIST,
    NAMES,
    RECORD,
    SNIPPETS,
    MemorySource,
    encoded,
    kwslist_of,
    kwslists,
    spoiled,
)
from validator.formats import kwslist, records, source

if TYPE_CHECKING:
    from validator.formats.kwslist import KwsListFile

EXPAT_ONLY = 1 << 26  # the first block always goes to expat
SIZES = (1, 64, 200, 1000)
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
FIXED = settings(derandomize=True, deadline=None, max_examples=80, suppress_health_check=SLOW)
END = "</detected_kwlist>"


def read(data: bytes, block: int) -> KwsListFile:
    """Read a KWSList in blocks of this size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", block)
        return kwslist.read(MemorySource(data))


def content(file: KwsListFile) -> dict[str, object]:
    """Write down everything that was read: table, problems by code, place and count, remarks."""
    table, found = file.table, file.table.detections
    numbers = {name: getattr(found, name).tobytes().hex() for name in ("begin_s", "duration_s", "score")}
    plain = {name: getattr(found, name).tolist() for name in ("keyword", "yes", "valid", "text", "offset")}
    return {
        **numbers,
        **plain,
        "file": [found.files[number] for number in found.file.tolist()],
        "channel": [found.channels[number] for number in found.channel.tolist()],
        "header": (table.kwlist_filename, table.language, table.system_id, table.offset),
        "range": repr((table.min_score, table.max_score)),
        "lists": [repr(each) for each in table.lists],
        "problems": sorted(
            (rule.code, defect.where.offset, defect.where.field, defect.where.node, defect.count)
            for rule, defect in file.problems
        ),
        "remarks": file.remarks,
        "complete": file.complete,
    }


def assert_lanes_agree(data: bytes, sizes: tuple[int, ...] = SIZES) -> None:
    """Compare the reading in small blocks with expat's alone."""
    wanted = content(read(data, EXPAT_ONLY))
    for size in sizes:
        assert content(read(data, size)) == wanted, f"in blocks of {size} bytes"


# -- the two lanes -------------------------------------------------------------------------------------------------


@FIXED
@given(kwslists(), st.sampled_from(ENCODINGS), st.integers(1, 700))
def test_valid_documents_read_alike_in_both_lanes(text: str, encoding: str, size: int) -> None:
    """In any encoding and blocks of any size: no problem, and the same table."""
    data = encoded(text, encoding)
    assert not list(read(data, size).problems)
    assert_lanes_agree(data, (*SIZES, size))


@settings(FIXED, max_examples=220)
@given(spoiled(kwslists()), st.sampled_from(ENCODINGS), st.integers(1, 700))
def test_spoiled_documents_read_alike_in_both_lanes(text: str, encoding: str, size: int) -> None:
    """The same table and the same problems at the same places, as often."""
    assert_lanes_agree(encoded(text, encoding), (*SIZES, size))


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_anything_between_two_records_reads_alike_in_both_lanes(snippet: str) -> None:
    """Comments with records in them, CDATA, instructions, other tags: inside a list, between lists, around the root."""
    inside = kwslist_of(RECORD * 3, f"{RECORD}{snippet}{RECORD * 2}", RECORD * 3)
    between = f"{HEADER}{LIST}{RECORD * 3}{END}{snippet}{LIST}{RECORD}{END}</kwslist>"
    around = f"{snippet}{kwslist_of(RECORD * 2, RECORD)}{snippet}"
    for text in (inside, between, around):
        assert_lanes_agree(text.encode("utf-8", "replace"))


@pytest.mark.parametrize(
    "odd",
    [
        RECORD.replace('dur="0.5" ', ""),
        RECORD.replace('dur="0.5" ', "").replace("1.25", ""),
        RECORD.replace("<kw ", '<kw id="5" '),
        RECORD.replace("<kw ", '<kw xmlns="" '),
        RECORD.replace("<kw ", '<kw xmlns="urn:n" '),
        RECORD.replace("1.25", "1,25"),
        RECORD.replace("YES", "yes"),
        RECORD.replace("f1", "f>1"),
        RECORD.replace("f1", "f\n1"),
        RECORD.replace("f1", "f\r\n1"),
        RECORD.replace("f1", "\ufffe"),
        RECORD.replace('"', "'"),
        RECORD.replace(" ", "\n"),
        RECORD.replace("/>", "></kw>"),
        RECORD.replace("/>", "> </kw>"),
        RECORD.replace("/>", ' score="1"/>'),
    ],
)
def test_a_whole_document_of_odd_records_reads_alike_in_both_lanes(odd: str) -> None:
    """A block in which every record is odd in the same way is in the usual form to the fast lane."""
    assert_lanes_agree(kwslist_of(odd * 4, odd, "", odd * 2).encode())


@pytest.mark.parametrize(
    "head",
    [
        LIST.replace("KW-1", "a\r\nb"),
        LIST.replace("KW-1", "a\nb"),
        LIST.replace("KW-1", "a\tb"),
        LIST.replace("KW-1", "a>b"),
        LIST.replace(' kwid="KW-1"', ""),
        LIST.replace("KW-1", 'a" id="b'),
        LIST.replace("KW-1", 'a" xmlns="'),
        LIST.replace("KW-1", 'a" xmlns="urn:n'),
        LIST.replace("2.5", "2,5"),
        LIST.replace('"0"', '"-1"'),
        LIST.replace('"0"', '"' + "9" * 500 + '"'),
        LIST.replace('"', "'"),
        LIST.replace(" ", "\n"),
        LIST.replace("KW-1", "é"),
        LIST.replace("KW-1", "KW-1' x='"),
    ],
)
def test_odd_list_heads_read_alike_in_both_lanes(head: str) -> None:
    """The fast lane reads the tags of lists on its own: it must read them as expat does."""
    bad = RECORD.replace("0.875", "x")
    assert_lanes_agree(kwslist_of(RECORD * 3, bad, "", RECORD, head=head).encode(), (1, 64, 130, 200, 300, 1000))


def test_a_block_may_end_anywhere() -> None:
    """Blocks of every size from one byte to the whole document."""
    comment = f"<!-- > {RECORD} -->"
    text = kwslist_of(RECORD * 2, comment + RECORD.replace("f1", "a>b"), "", RECORD.replace("0.5", "é"))
    data = text.encode()
    assert_lanes_agree(data, tuple(range(1, len(data) + 2)))


def test_a_fast_block_that_ends_between_two_lists_leaves_the_file_well_formed() -> None:
    """What expat reads next must not be held against a list that was opened in its sight and closed out of it."""
    data = kwslist_of(*[RECORD] * 12).encode()
    for size in (64, 200, 1000):
        file = read(data, size)
        assert (list(file.problems), file.complete, len(file)) == ([], True, 12)


def test_a_closing_tag_too_many_behind_a_fast_block_is_not_well_formed() -> None:
    """It is reported once, in any lane, and nothing is raised."""
    data = f"{HEADER}{(LIST + RECORD + END) * 12}{END}</kwslist>".encode()
    for size in (64, 200, 1000, EXPAT_ONLY):
        file = read(data, size)
        assert [rule.code for rule, _ in file.problems] == ["XML201"]
        assert not file.complete


def test_an_empty_default_namespace_is_no_attribute() -> None:
    """xmlns="" says that there is no namespace: legal XML, and nothing that the schema would have to know."""
    record, head = RECORD.replace("<kw ", '<kw xmlns="" '), LIST.replace(" kwid", ' xmlns="" kwid')
    data = kwslist_of(record * 3, record * 3, head=head).encode()
    for size in (64, 200, EXPAT_ONLY):
        assert not list(read(data, size).problems)


def test_a_line_end_in_a_list_head_is_one_blank() -> None:
    """CRLF is one line end (XML 1.0, 2.11), and a line end in an attribute is a blank (3.3.3)."""
    data = kwslist_of(*[RECORD * 4] * 4, head=LIST.replace("KW-1", "a\r\nb")).encode()
    for size in (64, 200, EXPAT_ONLY):
        assert {each.kwid for each in read(data, size).table.lists} == {"a b"}


def test_an_empty_value_beside_a_missing_attribute_is_reported() -> None:
    """Both defects count, in any lane."""
    data = kwslist_of(*[RECORD.replace('dur="0.5" ', "").replace("1.25", "") * 3] * 4).encode()
    for size in (64, 200, EXPAT_ONLY):
        assert {rule.code for rule, _ in read(data, size).problems} == {"XML205", "XML207"}


def test_text_with_angles_between_tags_counts_once_per_place() -> None:
    """How often a text was cut by a block border is no property of the file."""
    data = kwslist_of(RECORD * 2 + " > a > b > c " + RECORD * 2).encode()
    counts = [sum(defect.count for _, defect in read(data, size).problems) for size in (1, 64, EXPAT_ONLY)]
    assert counts == [counts[-1]] * 3


def test_the_node_of_a_record_in_a_list_without_kwid_is_the_same_in_both_lanes() -> None:
    """There is no id to name the list by."""
    head, bad = LIST.replace(' kwid="KW-1"', ""), RECORD.replace("0.875", "x")
    data = kwslist_of(*[bad * 2] * 4, head=head).encode()
    nodes = [
        [defect.where.node for rule, defect in read(data, size).problems if rule.code == "XML207"]
        for size in (64, 200, EXPAT_ONLY)
    ]
    assert nodes == [nodes[-1]] * 3


def test_many_rows_and_faults_read_alike_in_both_lanes() -> None:
    """Twenty thousand rows, faults of five kinds strewn in: more than one batch in each lane."""
    rows = [RECORD.replace("1.25", f"{row}.25") for row in range(20_000)]
    for row in range(0, 20_000, 17):
        rows[row] = RECORD.replace("0.875", "0,875")
    for row in range(5, 20_000, 501):
        rows[row] = RECORD.replace("YES", "Yes").replace('"1"', '"one"')
    for row in range(9, 20_000, 997):
        rows[row] = RECORD.replace('file="f1" ', 'fil="f1" ')
    lists = ["\n".join(rows[begin : begin + 1500]) for begin in range(0, 20_000, 1500)]
    assert_lanes_agree(kwslist_of(*lists).encode(), (10_000, 100_000, 1 << 20))


def test_the_fast_lane_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the usual form all rows but those of the first and the last block; else these tests would show nothing."""
    taken: list[int] = []
    scan = records.scan

    def counting(block: bytes, record: str) -> records.Records | None:
        found = scan(block, record)
        taken.append(0 if found is None else len(found.offset))
        return found

    monkeypatch.setattr(records, "scan", counting)
    lines = "\n  ".join([RECORD] * 20)
    file = read(kwslist_of(*[f"\n  {lines}\n"] * 30).encode(), 4000)
    assert len(file) == 600
    assert sum(taken) > 450


# -- the scan itself -----------------------------------------------------------------------------------------------


def test_a_block_in_the_usual_form_is_taken_apart() -> None:
    """Offsets, a column for each attribute, and the other tags with the number of records before them."""
    block = f"{RECORD}\n  {RECORD.replace('f1', 'é')}\n{END}\n{LIST}\n{RECORD.replace('1.25', '7')}\n".encode()
    found = records.scan(block, "kw")
    assert found is not None
    assert found.offset.tolist() == [at for at in range(len(block)) if block.startswith(b"<kw ", at)]
    assert tuple(found.columns) == NAMES
    assert [found.columns["file"].at(row) for row in range(3)] == ["f1", "é", "f1"]
    assert [found.columns["tbeg"].at(row) for row in range(3)] == ["1.25", "1.25", "7"]
    assert [(tag.text.decode(), tag.records_before) for tag in found.tags] == [(END, 2), (LIST, 2)]
    assert [block[tag.offset :].startswith(tag.text) for tag in found.tags] == [True, True]


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b" \n",
        b"<kw/>",
        RECORD.encode() * 2 + b"<!-- -->",
        RECORD.encode() + b"<?pi?>" + RECORD.encode(),
        RECORD.replace("f1", "&amp;").encode(),
        RECORD.replace("f1", "a\x01").encode(),
        RECORD.replace("f1", "\uffff").encode(),
        RECORD.replace("f1", "a\tb").encode(),
        RECORD.encode() + RECORD.replace("f1", "a\nb").encode(),
        RECORD.replace("f1", "a").encode() + b"\xff" + RECORD.encode(),
        RECORD.encode() + b"text" + RECORD.encode(),
        RECORD.encode() + "\u00a0".encode() + RECORD.encode(),
        RECORD.encode() + b"\x0c" + RECORD.encode(),
        RECORD.encode() + b"text",
        b"text" + RECORD.encode(),
        RECORD.encode() + RECORD.replace('"', "'").encode(),
        RECORD.encode() + RECORD.replace("score", "Score").encode(),
        RECORD.encode() + RECORD.replace("/>", " />").encode(),
        RECORD.encode() + RECORD.replace("/>", ">").encode(),
        RECORD.replace("/>", ">").encode(),
        RECORD.replace('dur="', 'dur = "').encode(),
        RECORD.replace("dur", "tbeg").encode(),
        RECORD.replace("<kw", "<kw a").encode(),
        RECORD.replace('" dur', '"dur').encode(),
        RECORD.encode()[:-1],
        RECORD.encode()[1:],
        b"<kw " + RECORD.encode(),
    ],
)
def test_a_block_in_another_form_is_left_to_expat(block: bytes) -> None:
    """Whatever could mean anything else to an XML parser, and whatever differs from the first record."""
    assert records.scan(block, "kw") is None


@settings(FIXED, max_examples=220)
@given(st.lists(st.sampled_from((*SNIPPETS, RECORD, RECORD, RECORD, END, LIST)), min_size=1, max_size=8))
def test_what_is_taken_has_records_of_the_first_ones_form(parts: list[str]) -> None:
    """If a block is taken, cutting the values out of each record leaves the same text."""
    block = "".join(parts).encode("utf-8", "replace")
    found = records.scan(block, "kw")
    if found is None:
        return
    shapes = set()
    for row, begin in enumerate(found.offset.tolist()):
        shape, at = b"", begin
        for column in found.columns.values():
            start, length = int(column.start[row]), int(column.length[row])
            assert not set(block[start : start + length]) & set(b"<>&\n\r\t")
            shape, at = shape + block[at:start], start + length
        shapes.add(shape + block[at : block.index(b">", at) + 1])
    assert len(shapes) == 1
    assert np.all(np.diff(found.offset) > 0)
