"""KWSLists: the table is what stands in the file, problems are counted exactly, and hostile bytes raise nothing."""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.formats.xml_documents import HEADER, RECORD, MemorySource, kwslist_of, kwslists
from validator.formats import kwslist, source, xmlplaces
from validator.model import SAMPLES

if TYPE_CHECKING:
    from validator.formats.kwslist import KwsListFile

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
FIXED = settings(derandomize=True, deadline=None, max_examples=150, suppress_health_check=SLOW)
SMALL = 100  # bytes of a block: nearly every record goes through the fast lane


def read(text: str | bytes, block: int | None = None) -> KwsListFile:
    """Read a KWSList, in blocks of another size if asked for."""
    data = text.encode() if isinstance(text, str) else text
    with pytest.MonkeyPatch.context() as patch:
        if block is not None:
            patch.setattr(source, "BLOCK", block)
        return kwslist.read(MemorySource(data))


def counts(file: KwsListFile) -> dict[str, int]:
    """Count the problems by code."""
    found: dict[str, int] = {}
    for rule, defect in file.problems:
        found[rule.code] = found.get(rule.code, 0) + defect.count
    return found


# -- the table -----------------------------------------------------------------------------------------------------


@FIXED
@given(kwslists(), st.sampled_from([1, 64, 300, 1 << 20]))
def test_the_table_is_what_elementtree_reads(text: str, block: int) -> None:
    """Header, lists, and every value of every record, bit for bit; offsets lead to the tags."""
    file = read(text, block)
    assert (list(file.problems), file.complete) == ([], True)
    root = ET.fromstring(text)  # noqa: S314 - a document of this test
    table, found = file.table, file.table.detections
    head = (table.kwlist_filename, table.language, table.system_id)
    assert head == tuple(root.attrib[name] for name in ("kwlist_filename", "language", "system_id"))
    assert [(each.kwid, each.search_time_s, each.oov_count) for each in table.lists] == [
        (
            node.attrib["kwid"],
            float(node.attrib["search_time"]),
            None if node.attrib["oov_count"] == "NA" else int(node.attrib["oov_count"]),
        )
        for node in root
    ]
    rows = [(number, kw.attrib) for number, node in enumerate(root) for kw in node]
    assert found.keyword.tolist() == [number for number, _ in rows]
    assert [found.files[code] for code in found.file] == [kw["file"] for _, kw in rows]
    assert [found.channels[code] for code in found.channel] == [kw["channel"] for _, kw in rows]
    for column, name in (("begin_s", "tbeg"), ("duration_s", "dur"), ("score", "score")):
        wanted = np.array([float(kw[name]) for _, kw in rows])
        assert np.array_equal(getattr(found, column).view(np.int64), wanted.view(np.int64)), name
    assert found.yes.tolist() == [kw["decision"] == "YES" for _, kw in rows]
    assert found.valid.all()
    data = text.encode()
    assert found.offset.tolist() == [match.start() for match in re.finditer(rb"<kw\s", data)]
    assert [each.offset for each in table.lists] == [match.start() for match in re.finditer(b"<detected_kwlist", data)]
    assert data[table.offset :].startswith(b"<kwslist")
    same = [(kw["tbeg"], kw["dur"], kw["score"]) for _, kw in rows]
    assert (found.text[:, None] == found.text).tolist() == [[one == other for other in same] for one in same]


@pytest.mark.parametrize("block", [SMALL, 200, 500, 1 << 20])
def test_one_file_name_has_one_number(block: int) -> None:
    """However long the other names are that stand beside it in a block: detections are joined by these numbers."""
    names = ["f", "f", "f", "f" * 9, "f", "f" * 20, "f", "f", "f", "f" * 70, "f", "f" * 64, "f", "f"] * 2
    found = read(kwslist_of("".join(RECORD.replace("f1", name) for name in names)), block).table.detections
    assert sorted(found.files) == sorted(set(names))
    assert [found.files[code] for code in found.file] == names


def test_the_header_is_read() -> None:
    """With the optional range of scores, or without."""
    table = read(kwslist_of(RECORD)).table
    assert (table.kwlist_filename, table.language, table.system_id) == ("a.kwlist.xml", "tagalog", "s")
    assert (table.min_score, table.max_score) == (None, None)
    table = read(kwslist_of(header=HEADER.replace(">", ' max_score="INF" min_score="-1e3">'))).table
    assert (table.min_score, table.max_score) == (-1000.0, math.inf)


@pytest.mark.parametrize(("name", "wanted"), [("a.xml", "a.xml"), ("d/e/a.xml", "a.xml"), ("", ""), ("d/", "")])
def test_the_named_list_is_a_base_name(name: str, wanted: str) -> None:
    """Folders are cut off."""
    assert read(kwslist_of(header=HEADER.replace("a.kwlist.xml", name))).named_list == wanted


def test_the_node_of_a_row_is_its_path() -> None:
    """List by kwid, record by its rank in the list, counted from 1."""
    text = kwslist_of(RECORD * 2, RECORD * 3).replace("KW-1", "KW-9", 1)
    file = read(text, SMALL)
    assert file.node(0) == '/kwslist/detected_kwlist[@kwid="KW-9"]/kw[1]'
    assert file.node(4, "score") == '/kwslist/detected_kwlist[@kwid="KW-1"]/kw[3]/@score'


@pytest.mark.parametrize("block", [SMALL, 1 << 20])
def test_a_refused_value_makes_its_row_invalid(block: int) -> None:
    """NaN where the value was; the rest of the row is as written, and the other rows are untouched."""
    bad = RECORD.replace("1.25", "1,25").replace("YES", "JA")
    found = read(kwslist_of(RECORD + bad + RECORD), block).table.detections
    assert found.valid.tolist() == [True, False, True]
    assert math.isnan(found.begin_s[1])
    assert (found.duration_s[1], found.score[1], found.yes.tolist()) == (0.5, 0.875, [True, False, True])


@pytest.mark.parametrize("block", [SMALL, 1 << 20])
def test_a_missing_attribute_makes_its_row_invalid(block: int) -> None:
    """It is reported as missing, not as a wrong value."""
    file = read(kwslist_of(RECORD + RECORD.replace('score="0.875" ', "") + RECORD), block)
    assert counts(file) == {"XML205": 1}
    assert file.table.detections.valid.tolist() == [True, False, True]


def test_remarks_are_kept_for_the_rules() -> None:
    """Comments of several lines and instructions, with their places; short comments are nobody's business."""
    text = "<!-- one\ntwo\nthree --><?style x?>" + kwslist_of("<!-- short -->", "<!-- a\nb -->")
    remarks = read(text).remarks
    assert [(each.name, each.lines, each.before_root) for each in remarks] == [
        ("comment", 3, True),
        ("style", 1, True),
        ("comment", 2, False),
    ]
    assert [text[each.offset :][:2] for each in remarks] == ["<!", "<?", "<!"]


def test_only_a_file_that_was_read_to_its_end_is_complete() -> None:
    """With schema errors it is; cut off, or with a DOCTYPE, it is not."""
    assert read(kwslist_of("<x/>")).complete
    assert not read(kwslist_of(RECORD)[:-1]).complete
    assert not read("<!DOCTYPE kwslist>" + kwslist_of()).complete


# -- counts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [10_000, 1 << 20, 1 << 26])
def test_fifty_thousand_wrong_values_are_counted_exactly(block: int) -> None:
    """And only the first twenty of a kind are kept."""
    bad = RECORD.replace("1.25", "1,25").replace("YES", "JA")
    file = read(kwslist_of(f"{bad}\n" * 20_000, f"{RECORD}\n" * 100, f"{bad}\n" * 30_000), block)
    assert counts(file) == {"XML207": 50_000, "XML208": 50_000}
    assert len(list(file.problems)) == 2 * SAMPLES
    wrong_times = [defect for rule, defect in file.problems if rule.code == "XML207"]
    assert [defect.where.node for defect in wrong_times] == [
        f'/kwslist/detected_kwlist[@kwid="KW-1"]/kw[{rank}]/@tbeg' for rank in range(1, SAMPLES + 1)
    ]
    assert [defect.count for defect in wrong_times] == [1] * (SAMPLES - 1) + [50_000 - SAMPLES + 1]
    assert (len(file), int(file.table.detections.valid.sum())) == (50_100, 100)


@pytest.mark.parametrize("block", [10_000, 1 << 26])
def test_missing_and_unknown_attributes_are_counted_exactly(block: int) -> None:
    """Five thousand of each."""
    file = read(kwslist_of(RECORD * 50, RECORD.replace("score", "sorce") * 5_000), block)
    assert counts(file) == {"XML205": 5_000, "XML206": 5_000}
    assert len(list(file.problems)) == 2 * SAMPLES


@pytest.mark.parametrize("one", ["<e{}/>", RECORD.replace("/>", ' a{}="1"/>'), "text<!-- {} -->"])
def test_what_is_kept_does_not_grow_with_the_number_of_different_faults(one: str) -> None:
    """A file in which every fault has a name of its own must not fill the memory, nor the report."""
    kept = []
    for many in (500, 1_000):
        file = read(kwslist_of("".join(one.format(number) for number in range(many))))
        assert sum(counts(file).values()) == many
        kept.append(len(list(file.problems)))
    assert kept[0] == kept[1]


# -- hostile bytes -------------------------------------------------------------------------------------------------


def refused(data: bytes) -> set[str]:
    """Read hostile bytes, locate all problems; return the codes."""
    document = MemorySource(data)
    file = kwslist.read(document)
    found = list(file.problems)
    xmlplaces.locate(document, [defect.where for _, defect in found])
    xmlplaces.root_element(document)
    return {rule.code for rule, _ in found}


@settings(FIXED, max_examples=300)
@given(st.binary(max_size=200), st.integers(0, 400), st.sampled_from([b"", b"<", b'<?xml version="1.0" encoding="']))
def test_any_bytes_are_refused_in_peace(noise: bytes, at: int, head: bytes) -> None:
    """Alone, and in the middle of a good file."""
    assert refused(head + noise)
    good = kwslist_of(RECORD * 2, RECORD).encode()
    assert isinstance(refused(good[:at] + noise + good[at:]), set)


def test_a_file_cut_off_anywhere_is_refused() -> None:
    """After each byte of a small file, in both lanes."""
    data = kwslist_of(RECORD.replace("f1", "é"), f"<!-- c -->{RECORD}").encode()
    for end in range(len(data)):
        assert refused(data[:end]) == {"XML201"}, end
        assert counts(read(data[:end], SMALL)) == {"XML201": 1}, end


def test_flipped_bytes_raise_nothing() -> None:
    """A thousand damaged files, one to three bytes each, in both lanes."""
    good = kwslist_of(RECORD, RECORD * 3).encode()
    chance = random.Random(20130501)  # noqa: S311 - no secret
    for _ in range(1_000):
        data = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        assert isinstance(refused(bytes(data)), set)
        assert isinstance(counts(read(bytes(data), SMALL)), dict)


BOMB = (
    '<!DOCTYPE kwslist [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "' + f"&{chr(97 + n)};" * 10 + '">' for n in range(12))
    + "]>"
)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", {"XML201"}),
        (b"\0", {"XML201"}),
        (b"\0" * 5000, {"XML201"}),
        (b"\xff\xfe", {"XML201"}),
        (b"\xef\xbb\xbf", {"XML201"}),
        (b"text", {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"f\0"), {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"\xed\xa0\x80"), {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"\xc0\xaf"), {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"\xff"), {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"&#xD800;"), {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"&#x110000;"), {"XML201"}),
        (kwslist_of(RECORD).encode().replace(b"f1", b"&e;"), {"XML201"}),
        (BOMB.encode() + kwslist_of(RECORD).encode().replace(b"f1", b"&m;"), {"XML202"}),
        (kwslist_of(RECORD).encode("utf-16")[:-1], {"XML201", "XML211"}),
        (b'<?xml version="1.0" encoding="nonsense"?><kwslist/>', {"XML201", "XML211"}),
        (b"<kwslist " + b"".join(b'a%d="" ' % n for n in range(1000)) + b"/>", {"XML205", "XML206"}),
        (HEADER.encode() + b"<x>" * 100_000, {"XML201", "XML204"}),
        (HEADER.encode() + b"<x>" * 100_000 + b"</x>" * 100_000 + b"</kwslist>", {"XML204"}),
        (kwslist_of("<kw>" * 50_000 + "</kw>" * 50_000).encode(), {"XML204", "XML205"}),
        (HEADER.encode() + b"<kw " + b"x" * (20 << 20), {"XML201"}),
        (HEADER.encode() + b'<detected_kwlist kwid="' + b"x" * (20 << 20) + b'"/></kwslist>', {"XML201", "XML205"}),
        (HEADER.encode() + b"<!-- " + b"> " * (10 << 20), {"XML201"}),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else "-".join(sorted(value)),
)
def test_hostile_files_are_refused(data: bytes, wanted: set[str]) -> None:
    """Each for what it is; nothing is raised, expanded or swallowed."""
    assert refused(data) <= wanted
    assert refused(data)


def test_an_unreadable_encoding_is_the_only_problem() -> None:
    """What was not decoded cannot be judged: no second complaint about the end of the file."""
    for data in (b'<?xml version="1.0" encoding="nonsense"?><kwslist/>', kwslist_of(RECORD).encode("utf-16")[:-1]):
        assert refused(data) == {"XML211"}


def test_many_comments_are_no_long_comment() -> None:
    """The limit is on one token; thousands of short ones between two tags are legal."""
    assert refused(kwslist_of(f"<!-- {'x' * 1000} -->" * 20_000).encode()) == set()


def test_the_path_of_a_place_does_not_grow_with_the_depth() -> None:
    """A hundred thousand open tags: the report stays readable."""
    file = read(HEADER + "<x>" * 100_000)
    assert max(len(defect.where.node) for _, defect in file.problems) < 10_000
