"""The reader of quoted CSV: a slow twin, hostile bytes, and every deviation exactly where it is."""

from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.formats.csv_twin import Found, twin_read
from validator.formats.csvfaults import SAMPLES, Deviation, Kind
from validator.formats.quotedcsv import QuotedTable, named, read_quoted_csv
from validator.formats.textindex import raw

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).parents[1] / "golden" / "med"


def read(data: bytes, *, cut: int = 1 << 20, line_limit: int = 1 << 20, block_size: int = 1 << 20) -> QuotedTable:
    """Read all columns of a file that comes in pieces of ``cut`` bytes."""
    pieces = [data[begin : begin + cut] for begin in range(0, len(data), cut)]
    return read_quoted_csv(pieces, lambda header: range(len(header)), line_limit=line_limit, block_size=block_size)


def texts(table: QuotedTable) -> list[list[bytes]]:
    """Return the values row by row."""
    kept = [column.texts for column in table.columns if column is not None]
    return [[raw(column, row) for column in kept] for row in range(len(table))]


def found(table: QuotedTable) -> dict[Kind, tuple[int, list[Found]]]:
    """Return counts and samples in the twin's words."""

    def plain(one: Deviation) -> Found:
        return one.kind, one.line, one.column, one.end_column, one.field, one.offset

    return {each.kind: (each.count, [plain(sample) for sample in each.samples]) for each in table.deviations}


def places(data: bytes) -> list[tuple[Kind, int, int, int, int | None]]:
    """Return kind, line, column, end column and field of all deviations of a short file."""
    samples = [sample for each in read(data).deviations for sample in each.samples]
    return [(one.kind, one.line, one.column, one.end_column, one.field) for one in samples]


TOKENS = [
    *('"', ",", "\n", "\r\n", "\r", " ", "\t", "a", "1.5", "“", "”", "é", "\0", '""', '","', '"a"', "“a”", "\ufeff"),
    *('"a","b"\n', "a,b\n", '"é","b"\r\n', '"a",b\n', '"a,b","c"\n', '"x",”y"\n', '"a","b",\n', '"a", "b"\n', "\n\n"),
]
hostile = st.lists(
    st.one_of(st.sampled_from([token.encode() for token in TOKENS]), st.sampled_from([b"\xff", b"\xe2\x80", b"\xc3"])),
    max_size=40,
).map(b"".join)
files = st.builds(
    lambda mark, header, body: mark + header + body,
    st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf", b"\xff\xfe"]),
    st.sampled_from([b'"A","B"\n', b'"A","B"\r\n', b"A,B\n", b'"A"\n', b'"A","B",\n', b""]),
    hostile,
)


@settings(max_examples=1500, derandomize=True, deadline=None)
@given(files, st.sampled_from([4, 12, 30, 1000]), st.sampled_from([1, 3, 7, 20, 1000]), st.sampled_from([1, 2, 5, 100]))
@example(b'"A","B"\n"' + b"x" * 40 + b"\r\n" + b'"a","b"', 12, 7, 5)
@example(b'"A","B"\n' + b"x" * 20 + b"\r" + b'"a","b"', 12, 29, 29)
def test_the_arrays_agree_with_the_twin(data: bytes, limit: int, block_size: int, cut: int) -> None:
    """Header, values, places, lines, offsets and all deviations are the slow reader's, however the file is cut."""
    table = read(data, cut=cut, line_limit=limit, block_size=block_size)
    twin = twin_read(data, limit)
    assert table.header == tuple(name.decode("utf-8", "replace") for name in twin.header)
    kept = [column for column in table.columns if column is not None]
    cells = [[(raw(c.texts, row), int(c.begin[row])) for c in kept] for row in range(len(table))]
    assert cells == twin.rows
    assert table.complete.tolist() == twin.complete
    assert table.offset.tolist() == twin.offsets
    assert [table.line(row) for row in range(len(table))] == twin.lines
    expected: dict[Kind, list[Found]] = {}
    for each in twin.found:
        expected.setdefault(each[0], []).append(each)
    in_order = {kind: sorted(all_of, key=lambda one: one[1:3]) for kind, all_of in expected.items()}
    assert found(table) == {kind: (len(all_of), all_of[:SAMPLES]) for kind, all_of in in_order.items()}


@pytest.mark.parametrize("filling", [b"x", "é".encode(), "\U0001d11e”".encode(), b"\xff"])
@pytest.mark.parametrize("rest", ['",b', ' "","b","c"', '","b”', '"a”,"b"', "", '"",”b” ', '"\0","b"'])
def test_columns_are_exact_in_long_lines(filling: bytes, rest: str) -> None:
    """Thousands of characters before a deviation are counted, not their bytes."""
    data = b'"A","B"\n"' + filling * 3000 + rest.encode() + b'\n"' + filling * 3000 + b'","b"\n'
    twin = twin_read(data, 1 << 20)
    table = read(data)
    expected = sorted(twin.found, key=lambda one: (list(Kind).index(one[0]), *one[1:3]))
    assert [one for _, samples in found(table).values() for one in samples] == expected
    begins = [[int(column.begin[row]) for column in table.columns if column] for row in range(len(table))]
    assert begins == [[begin for _, begin in row] for row in twin.rows]


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(
                st.text(st.characters(codec="utf-8", exclude_characters='"\r\n\0')), min_size=width, max_size=width
            ),
            min_size=1,
            max_size=8,
        )
    ),
    st.booleans(),
)
def test_what_the_grammar_allows_has_no_deviation(rows: list[list[str]], last_newline: bool) -> None:  # noqa: FBT001
    """Quoted values with any text, commas too, come back as they were written; a last newline may be missing."""
    lines = [",".join(f'"{value}"' for value in row) for row in rows]
    data = ("\n".join(lines) + "\n" * last_newline).encode()
    table = read(data)
    assert table.deviations == ()
    assert table.header == tuple(rows[0])
    assert texts(table) == [[value.encode() for value in row] for row in rows[1:]]
    assert table.complete.all()


@pytest.mark.parametrize(
    "path", sorted(GOLDEN.glob("*/*.csv")), ids=lambda path: f"{path.parent.name}-{path.name[-16:]}"
)
def test_the_oracles_tables_are_read_like_any_csv(path: Path) -> None:
    """The values are those of Python's csv module; only case 06 leaves the grammar, by having no quotes."""
    data = path.read_bytes()
    header, *rows = csv.reader(data.decode().splitlines())
    table = read(data, cut=1000, block_size=700)
    assert table.header == tuple(header)
    assert texts(table) == [[value.encode() for value in row] for row in rows]
    unquoted = {Kind.UNQUOTED: len(header) * (len(rows) + 1)} if b'"' not in data else {}
    assert {each.kind: each.count for each in table.deviations} == unquoted


def test_the_plans_own_examples_are_told_apart() -> None:
    """Appendix C prints tables with typographic quotes: one deviation each, and the values are what was meant."""
    index = '"TrialID","ClipID","EventID"\n"285.P001","285","P001"\n"285.P002","285",”P002"\n'.encode()
    assert places(index) == [(Kind.TYPOGRAPHIC_QUOTE, 3, 18, 24, 2)]
    assert texts(read(index))[1] == [b"285.P002", b"285", b"P002"]
    threshold = '"EventID","DectectionThrehold",”DetectionTPT”\n"P001","0.54",”5923.3”\n'.encode()  # codespell:ignore
    assert read(threshold).header == ("EventID", "DectectionThrehold", "DetectionTPT")
    assert places(threshold) == [(Kind.TYPOGRAPHIC_QUOTE, 1, 32, 46, 2), (Kind.TYPOGRAPHIC_QUOTE, 2, 15, 23, 2)]
    assert texts(read(threshold)) == [[b"P001", b"0.54", b"5923.3"]]


HEADER = b'"TrialID","Score"\n'


@pytest.mark.parametrize(
    ("line", "expected", "values"),
    [
        (b"72.P001,0.5\n", [(Kind.UNQUOTED, 2, 1, 8, 0), (Kind.UNQUOTED, 2, 9, 12, 1)], [b"72.P001", b"0.5"]),
        (b'"72.P001",0.5\n', [(Kind.UNQUOTED, 2, 11, 14, 1)], [b"72.P001", b"0.5"]),
        (b'"72.P001", "0.5"\n', [(Kind.BLANK_OUTSIDE_QUOTES, 2, 11, 12, 1)], [b"72.P001", b"0.5"]),
        (b'"72.P001"\t ,"0.5"\n', [(Kind.BLANK_OUTSIDE_QUOTES, 2, 10, 12, 0)], [b"72.P001", b"0.5"]),
        ('"é“",“0.5”\n'.encode(), [(Kind.TYPOGRAPHIC_QUOTE, 2, 6, 11, 1)], ["é“".encode(), b"0.5"]),
        ('"a”,"0.5"\n'.encode(), [(Kind.TYPOGRAPHIC_QUOTE, 2, 1, 4, 0)], [b"a", b"0.5"]),
        ('"a","0.5”\n'.encode(), [(Kind.TYPOGRAPHIC_QUOTE, 2, 5, 10, 1)], [b"a", b"0.5"]),
        (b'"a","0.5"\r\n', [(Kind.CRLF, 2, 10, 11, None)], [b"a", b"0.5"]),
        (b'"a","0.5"\r', [(Kind.LONE_CR, 2, 10, 11, None)], [b"a", b"0.5"]),
        (b'\n"a","0.5"\n', [(Kind.BLANK_LINE, 2, 1, 2, None)], [b"a", b"0.5"]),
        (b'"a","0.5"\n \t\n', [(Kind.BLANK_LINE, 3, 1, 3, None)], [b"a", b"0.5"]),
        (b'"a","0.5",\n', [(Kind.TRAILING_COMMA, 2, 10, 11, 2)], [b"a", b"0.5"]),
        (b'"a"\n', [(Kind.TOO_FEW_FIELDS, 2, 4, 5, 1)], [b"a", b""]),
        (b'"a",\n', [(Kind.UNQUOTED, 2, 5, 6, 1)], [b"a", b""]),
        (b'"a","0","5"\n', [(Kind.TOO_MANY_FIELDS, 2, 9, 12, 2)], [b"a", b"0"]),
        (b'"a","0.5\n', [(Kind.UNTERMINATED_QUOTE, 2, 5, 9, 1)], [b"a", b"0.5"]),
        (b'"a""b","0.5"\n', [(Kind.QUOTE_IN_VALUE, 2, 3, 4, 0)], [b'a""b', b"0.5"]),
        (
            b'"a""b" ,"0.5"\n',
            [(Kind.BLANK_OUTSIDE_QUOTES, 2, 7, 8, 0), (Kind.QUOTE_IN_VALUE, 2, 3, 4, 0)],
            [b'a""b', b"0.5"],
        ),
        (b'"a"b","0.5"\n', [(Kind.QUOTE_IN_VALUE, 2, 3, 4, 0)], [b'a"b', b"0.5"]),
        (b'"\xc3\xa9a\0\0","0.5"\n', [(Kind.NUL, 2, 4, 6, 0)], [b"\xc3\xa9a\0\0", b"0.5"]),
        (b'"a","\xc3\xa9\xff\xfe5"\n', [(Kind.INVALID_UTF8, 2, 7, 9, 1)], [b"a", b"\xc3\xa9\xff\xfe5"]),
        (b'"a","0.5"', [], [b"a", b"0.5"]),
    ],
)
def test_each_deviation_is_where_it_is(
    line: bytes, expected: list[tuple[Kind, int, int, int, int | None]], values: list[bytes]
) -> None:
    """Line, columns (in code points) and field are exact, and the rest of the line is still read."""
    assert places(HEADER + line) == expected
    assert texts(read(HEADER + line)) == [values]


def test_a_newline_inside_quotes_breaks_the_record_in_two() -> None:
    """Each record is one line: the first half is not closed, the second has one field too few, with a stray quote."""
    assert places(HEADER + b'"a\nb","0.5"\n') == [
        (Kind.UNQUOTED, 3, 1, 3, 0),
        (Kind.QUOTE_IN_VALUE, 3, 2, 3, 0),
        (Kind.UNTERMINATED_QUOTE, 2, 1, 3, 0),
        (Kind.TOO_FEW_FIELDS, 2, 3, 4, 1),
    ]


def test_a_byte_order_mark_is_taken_off() -> None:
    """Columns and offsets of line 1 count behind it; the deviation itself stands at byte 0."""
    table = read(b"\xef\xbb\xbfTrialID,Score\n")
    assert table.header == ("TrialID", "Score")
    samples = {each.kind: each.samples[0] for each in table.deviations}
    assert samples[Kind.BYTE_ORDER_MARK] == Deviation(Kind.BYTE_ORDER_MARK, 1, 1, 2, None, 0)
    assert samples[Kind.UNQUOTED] == Deviation(Kind.UNQUOTED, 1, 1, 8, 0, 3)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16_is_named_and_not_read(encoding: str) -> None:
    """One deviation instead of a thousand NUL bytes."""
    data = ("\ufeff" if encoding == "utf-16-be" else "").encode(encoding) + HEADER.decode().encode(encoding)
    table = read(data)
    assert (table.header, len(table)) == ((), 0)
    assert places(data) == [(Kind.UTF16, 1, 1, 2, None)]


def test_an_empty_file_has_no_header() -> None:
    """Nothing is no table; blank lines are none either."""
    assert (read(b"").header, read(b"").deviations) == ((), ())
    table = read(b"\n\n")
    assert (table.header, table.header_line, len(table)) == ((), 0, 0)
    assert places(b"\n\n") == [(Kind.BLANK_LINE, 1, 1, 2, None), (Kind.BLANK_LINE, 2, 1, 2, None)]


def test_rows_know_their_lines_across_blank_ones() -> None:
    """Blank lines before the header and between rows are counted."""
    table = read(b'\n"A"\n"1"\n\n\n"2"\n"3"\n\n"4"\n', cut=4, block_size=4)
    assert (table.header_line, [table.line(row) for row in range(len(table))]) == (2, [3, 6, 7, 9])
    assert table.offset.tolist() == [5, 11, 15, 20]


def test_all_are_counted_and_the_first_kept() -> None:
    """A thousand deviations of two lanes: exact counts, the first twenty in file order."""
    lines = [b'"a",1\n' if number % 3 else b' "a",2\n' for number in range(1000)]
    counted = {each.kind: each for each in read(HEADER + b"".join(lines), cut=700, block_size=700).deviations}
    assert counted[Kind.UNQUOTED].count == 1000
    assert [(one.line, one.column) for one in counted[Kind.UNQUOTED].samples] == [
        (number + 2, 5 if number % 3 else 6) for number in range(SAMPLES)
    ]
    assert counted[Kind.BLANK_OUTSIDE_QUOTES].count == 334
    assert [one.line for one in counted[Kind.BLANK_OUTSIDE_QUOTES].samples] == list(range(2, 62, 3))


def test_only_the_wanted_columns_are_kept() -> None:
    """Columns are found by name, in any order; a doubled name gives both."""
    table = read_quoted_csv([b'"X","Score","TrialID","Score"\n"x","1","a","2"\n'], named("TrialID", "Score"))
    assert [column is not None for column in table.columns] == [False, True, True, True]
    score, trial = table.column("Score"), table.column("TrialID")
    assert score is not None
    assert trial is not None
    assert (score.texts.at(0), trial.texts.at(0), int(trial.begin[0])) == ("1", "a", 9)
    assert (table.column("X"), table.column("Y")) == (None, None)
    assert table.deviation(Kind.UNQUOTED) is None


def test_a_file_object_is_read_as_it_is(tmp_path: Path) -> None:
    """An open binary file is an iterator of bytes too."""
    path = tmp_path / "run.csv"
    path.write_bytes(HEADER + b'"a","0.5"\n')
    with path.open("rb") as file:
        assert texts(read_quoted_csv(file, named("TrialID"))) == [[b"a"]]


def test_a_header_beyond_the_limit_is_none() -> None:
    """The rows are counted but not taken apart."""
    table = read(b'"' + b"x" * 50 + b'"\n"a","b"\n\n"c"\n', line_limit=40)
    assert (table.header, len(table), table.complete.tolist()) == ((), 2, [False, False])
    assert [table.line(row) for row in range(2)] == [2, 4]
    assert sorted(each.kind.name for each in table.deviations) == ["BLANK_LINE", "LINE_TOO_LONG"]


def test_an_endless_line_costs_no_memory() -> None:
    """A line of 64 MiB is one deviation; what stands behind it is read, at the right place."""

    def blocks() -> Iterator[bytes]:
        yield HEADER + b'"'
        for _ in range(1024):
            yield b"x" * 65536
        yield b'"\n"a","0.5"\n'

    tracemalloc.start()
    try:
        table = read_quoted_csv(blocks(), named("TrialID"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found(table) == {Kind.LINE_TOO_LONG: (1, [(Kind.LINE_TOO_LONG, 2, 1, 2, None, len(HEADER))])}
    assert (texts(table), table.complete.tolist()) == ([[b""], [b"a"]], [False, True])
    assert table.offset.tolist() == [len(HEADER), len(HEADER) + 3 + 1024 * 65536]
    assert peak < 24 << 20
