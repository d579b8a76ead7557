"""RTTM: every record becomes a row, and a line that is no record is reported with its number."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.errors import ReferenceDataError
from validator.formats import rttm
from validator.formats.rttm import tokens


class Row(NamedTuple):
    """One record as plain values."""

    type: str
    file: str
    channel: str
    begin: float
    duration: float
    text: str
    subtype: str
    speaker: str
    line: int


def rows(data: bytes) -> list[Row]:
    """Read records as plain values."""
    table = tokens(io.BytesIO(data), "ref.rttm")
    return [
        Row(
            table.types[table.type[row]],
            table.files[table.file[row]],
            table.channels[table.channel[row]],
            float(table.begin_s[row]),
            float(table.duration_s[row]),
            table.texts[table.text[row]],
            table.subtypes[table.subtype[row]],
            table.speakers[table.speaker[row]],
            int(table.line[row]),
        )
        for row in range(len(table))
    ]


def test_nine_and_ten_columns_are_both_read() -> None:
    """The tools write nine fields, the plan has ten; both may stand in one file."""
    data = b"LEXEME f 1 0.5 0.25 word lex spk 0.5\nLEXEME f 2 1 2 other fp <NA> <NA> <NA>\n"
    assert rows(data) == [
        Row("LEXEME", "f", "1", 0.5, 0.25, "word", "lex", "spk", 1),
        Row("LEXEME", "f", "2", 1.0, 2.0, "other", "fp", "<NA>", 2),
    ]


def test_comments_blank_lines_and_any_blanks() -> None:
    """Comments are cut anywhere, line numbers still count them; the last line needs no end."""
    cut = b"LEXEME\tf  1 0 1 a;;b lex s 0.5"
    data = (
        b";; head\n\n \t \r\n" + cut + b"\n  LEXEME f 1 0 1 w lex s 0.5 ;; LEXEME\r\nSPEAKER f 1 0 1 <NA> <NA> s <NA>"
    )
    with pytest.raises(ReferenceDataError, match="line 4"):
        rows(data)
    assert [(row.type, row.line) for row in rows(data.replace(cut, b""))] == [
        ("LEXEME", 5),
        ("SPEAKER", 6),
    ]


def test_types_are_told_apart_without_letter_case() -> None:
    """``lexeme`` is a LEXEME; all other texts stay as they are written."""
    data = b"lexeme F 1 0 1 W Lex S 0.5\nLEXEME f 1 0 1 w lex s 0.5\nNON-LEX f 1 0 1 w lex s 0.5\n"
    table = tokens(io.BytesIO(data), "x")
    assert table.types == ("LEXEME", "NON-LEX")
    assert table.type.tolist() == [0, 0, 1]
    assert {*table.files, *table.texts, *table.subtypes} == {"F", "f", "W", "w", "Lex", "lex"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.0*", 1.0),
        ("12.34*", 12.34),
        ("<NA>", 0.0),
        ("1e3", 1000.0),
        ("-0.5", -0.5),
        ("+2", 2.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0.1234567890123456789", 0.1234567890123456789),
        ("x", 0.0),
        ("1.5e", 1.5),
    ],
)
def test_a_time_is_the_number_at_the_beginning(text: str, value: float) -> None:
    """A trailing asterisk marks a fake time; what is no number is 0."""
    assert rows(f"LEXEME f 1 {text} 0.1 w lex s <NA>\n".encode())[0].begin == value


@pytest.mark.parametrize(
    ("line", "fields"),
    [("LEXEME f 1 0 1 w lex s", "8 fields"), ("LEXEME f 1 0 1 w lex s 0.5 <NA> extra", "11 fields"), ("x", "1 field")],
)
def test_another_number_of_columns_names_file_line_and_fix(line: str, fields: str) -> None:
    """The organizers can mend the file from the message alone."""
    data = f"LEXEME f 1 0 1 w lex s 0.5\n;; a comment\n{line}\nLEXEME f 1 0\n".encode()
    with pytest.raises(ReferenceDataError) as caught:
        tokens(io.BytesIO(data), "dev/ref.rttm")
    assert str(caught.value) == (
        f"dev/ref.rttm, line 3: {fields}; an RTTM has 9 (10 with slat): write <NA> for what is not known"
    )


def test_bytes_that_are_no_utf8_name_the_line() -> None:
    """Latin-1 is no UTF-8: better said than guessed."""
    data = "LEXEME f 1 0 1 w lex s 0.5\nLEXEME f 1 0 1 été lex s 0.5\n".encode("latin-1")
    with pytest.raises(ReferenceDataError, match=r"ref\.rttm, line 2: byte 0xe9 is no UTF-8"):
        tokens(io.BytesIO(data), "ref.rttm")


def test_an_empty_file_has_no_rows() -> None:
    """Nothing is nothing, with or without comments."""
    assert rows(b"") == []
    assert rows(b";; nothing\n\n") == []


def test_a_byte_order_mark_is_no_part_of_the_first_type() -> None:
    """Some editors put one in front."""
    assert rows(b"\xef\xbb\xbfLEXEME f 1 0 1 w lex s 0.5\n")[0].type == "LEXEME"


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), exclude_characters=";"), min_size=1)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.tuples(_TEXT, _TEXT, st.floats(0, 1e6), _TEXT), min_size=1, max_size=20), st.integers(20, 400))
def test_reading_by_blocks_of_any_size_gives_what_was_written(
    records: list[tuple[str, str, float, str]], block: int
) -> None:
    """Texts of any length and script come back as they were written, wherever a block ends."""
    lines = [f"LEXEME {file} 1 {begin!r} 0.5 {text} lex {speaker} <NA>" for file, text, begin, speaker in records]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rttm, "_BLOCK", block)
        found = rows("\n".join(lines).encode())
    assert [(row.file, row.text, row.begin, row.speaker) for row in found] == records
    assert [row.line for row in found] == list(range(1, len(records) + 1))
