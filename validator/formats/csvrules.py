"""What can be wrong with a quoted CSV before its meaning is looked at (2xx); Kind says how each is recognised."""

from __future__ import annotations

from validator.formats.csvfaults import Kind
from validator.model import Rule, Severity

ERROR, INFO, OK = Severity.ERROR, Severity.INFO, Severity.OK
_C = "MED11 App. C"


def _rule(  # noqa: PLR0913 - keywords of a declaration
    code: str,
    name: str,
    laws: tuple[Severity, Severity],
    text: str,
    *,
    follows: tuple[str, ...] = (),
    scorable: bool = False,
) -> Rule[object]:
    return Rule(code, name, _C, laws[0], laws[1], text, follows=follows, scorable=scorable)


BYTE_ORDER_MARK = _rule(
    "CSV201",
    "byte-order-mark",
    (ERROR, ERROR),
    """A CSV file does not begin with a byte order mark.

    Why: the first thing in the file is the quote of the first column name.
    Bad: a file that an editor saved as "UTF-8 with BOM"
    Good: the same file saved as UTF-8
    Fix: save the file as UTF-8 without byte order mark.
    NIST: F4DE refuses it: the mark becomes part of the first column name.
    """,
    scorable=True,
)
UTF_16 = _rule(
    "CSV202",
    "utf-16-table",
    (ERROR, ERROR),
    """A CSV file is in UTF-8, not in UTF-16.

    Why: every reader takes it byte by byte.
    Bad: a table that was saved as "Unicode text"
    Good: the same table saved as UTF-8
    Fix: convert it: iconv -f UTF-16 -t UTF-8
    NIST: F4DE refuses it.
    """,
)
LINE_TOO_LONG = _rule(
    "CSV203",
    "line-too-long",
    (ERROR, OK),
    """A line of a CSV file has at most 1 MiB.

    Why: a record is a few values; a line like that is a file whose line ends were lost.
    Bad: a file of 10 MB without a line end
    Good: one record a line
    Fix: write a line end behind each record.
    NIST: F4DE has no limit, and reads the whole line as one record.
    """,
)
LONE_CR = _rule(
    "CSV204",
    "carriage-return",
    (ERROR, ERROR),
    """Lines end with LF (or CR LF), not with CR alone.

    Why: each record is one line of the text file; a CR alone ends no line.
    Bad: a file with the line ends of old Macintosh programs
    Good: one record a line, ended by LF
    Fix: convert the line ends: tr '\\r' '\\n'
    NIST: F4DE reads the whole file as one line and refuses it.
    """,
)
BLANK_LINE = _rule(
    "CSV205",
    "blank-line",
    (ERROR, ERROR),
    """There are no blank lines, not even at the end.

    Why: every line is a record; a blank one has no values.
    Bad: an empty line behind the last record
    Good: the last record ends the file
    Fix: delete the blank line.
    NIST: F4DE refuses it: the number of fields is wrong.
    """,
    scorable=True,
)
UNQUOTED = _rule(
    "CSV206",
    "unquoted-value",
    (ERROR, OK),
    """Every value stands between double quotes, numbers and column names too.

    Why: the plan's grammar knows no other form of a value.
    Bad: 72.P001,0.0627
    Good: "72.P001","0.0627"
    Fix: quote all values (in Python: csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\\n")).
    NIST: F4DE reads unquoted values, too.
    """,
    scorable=True,
)
BLANK_OUTSIDE_QUOTES = _rule(
    "CSV207",
    "blank-outside-quotes",
    (ERROR, ERROR),
    """Nothing but a comma stands between two values: no blanks.

    Why: the plan's grammar has one comma between values and nothing else.
    Bad: "72.P001", "0.0627"
    Good: "72.P001","0.0627"
    Fix: remove the blanks.
    NIST: F4DE's reader refuses the line.
    """,
    scorable=True,
)
TYPOGRAPHIC_QUOTE = _rule(
    "CSV208",
    "typographic-quote",
    (ERROR, ERROR),
    """Values stand between straight double quotes (U+0022).

    Why: a typographic quote is a letter like any other. The plan's own example has some: a typesetting accident.
    Bad: "EventID","DetectionThreshold",”DetectionTPT”
    Good: "EventID","DetectionThreshold","DetectionTPT"
    Fix: replace the typographic quotes by straight ones; do not copy tables through a word processor.
    NIST: F4DE takes them for a part of the value, which then is an unknown name, or no number.
    """,
    scorable=True,
)
TYPOGRAPHIC_QUOTE_UNREAD = _rule(
    "CSV209",
    "typographic-quote-aside",
    (ERROR, OK),
    """Values stand between straight double quotes (U+0022), also those that NIST's checker never reads.

    Why: a typographic quote is a letter like any other. The plan's own example has some: a typesetting accident.
    Bad: "P001","0.54",”5923.3”
    Good: "P001","0.54","5923.3"
    Fix: replace the typographic quotes by straight ones; do not copy tables through a word processor.
    NIST: F4DE does not look at the values of this column.
    """,
    follows=("CSV208",),
    scorable=True,
)
QUOTE_IN_VALUE = _rule(
    "CSV210",
    "quote-in-value",
    (ERROR, ERROR),
    """No value has a double quote inside.

    Why: the plan defines no way to write one.
    Bad: "clip ""72"".P001","0.5"
    Good: "72.P001","0.5"
    Fix: remove the quote.
    NIST: F4DE's reader refuses a single one, and makes one of two.
    """,
    follows=("CSV211",),
)
UNTERMINATED_QUOTE = _rule(
    "CSV211",
    "quote-not-closed",
    (ERROR, ERROR),
    """Every quote is closed in its own line.

    Why: a record is one line; a value cannot go on in the next.
    Bad: "72.P001","0.0627
    Good: "72.P001","0.0627"
    Fix: close the quote; remove line ends from values.
    NIST: F4DE reads line by line and refuses it.
    """,
)
TRAILING_COMMA = _rule(
    "CSV212",
    "trailing-comma",
    (ERROR, ERROR),
    """There is no comma behind the last value.

    Why: a comma announces another value.
    Bad: "72.P001","0.0627",
    Good: "72.P001","0.0627"
    Fix: remove the comma.
    NIST: F4DE refuses it: the number of fields is wrong.
    """,
    scorable=True,
)
FIELD_COUNT = _rule(
    "CSV213",
    "wrong-value-count",
    (ERROR, ERROR),
    """Every record has as many values as the header.

    Why: values are told apart by their position only.
    Bad: "72.P001" below "TrialID","Score"
    Good: "72.P001","0.0627"
    Fix: write one value for each column. A decimal comma without quotes makes two values of one.
    NIST: F4DE refuses it: the number of fields is wrong.
    """,
    follows=("CSV211",),
)
NOT_TEXT = _rule(
    "CSV214",
    "not-utf-8",
    (ERROR, OK),
    """A CSV file is UTF-8 text.

    Why: everyone who reads it must see the same letters.
    Bad: ids in ISO-8859-1, or NUL bytes
    Good: the file saved as UTF-8
    Fix: save the file as UTF-8.
    NIST: F4DE takes the bytes as they are, and then finds unknown ids.
    """,
)
CRLF = _rule(
    "CSV215",
    "crlf",
    (INFO, INFO),
    """Lines end with LF; CR LF is read, too.

    Why: the plan does not say what a new line is.
    Bad: a file written on Windows, as it is
    Good: the same with LF
    Fix: nothing needs to be done; dos2unix makes LF of it.
    NIST: F4DE reads both.
    """,
    scorable=True,
)
NO_HEADER = _rule(
    "CSV216",
    "no-header",
    (ERROR, ERROR),
    """The first line of a CSV file names its columns.

    Why: columns are known by their names.
    Bad: an empty file
    Good: "TrialID","Score" in the first line
    Fix: write the header line.
    NIST: F4DE refuses it.
    """,
    follows=("CSV202", "CSV203", "CSV218"),
)
COLUMN_TWICE = _rule(
    "CSV217",
    "column-twice",
    (ERROR, ERROR),
    """No two columns have the same name.

    Why: nobody can tell which of them counts.
    Bad: "TrialID","Score","Score"
    Good: "TrialID","Score"
    Fix: remove one of them.
    NIST: F4DE refuses it.
    """,
)
OTHER_SEPARATOR = _rule(
    "CSV218",
    "not-comma-separated",
    (ERROR, ERROR),
    """Values are separated by commas.

    Why: the plan's grammar has one comma between values and nothing else.
    Bad: "TrialID";"Score"
    Good: "TrialID","Score"
    Fix: write commas; spreadsheet programs take other separators from the language of the computer.
    NIST: F4DE refuses it: it takes the line for one column name.
    """,
)

RULES = (
    BYTE_ORDER_MARK,
    UTF_16,
    LINE_TOO_LONG,
    LONE_CR,
    BLANK_LINE,
    UNQUOTED,
    BLANK_OUTSIDE_QUOTES,
    TYPOGRAPHIC_QUOTE,
    TYPOGRAPHIC_QUOTE_UNREAD,
    QUOTE_IN_VALUE,
    UNTERMINATED_QUOTE,
    TRAILING_COMMA,
    FIELD_COUNT,
    NOT_TEXT,
    CRLF,
    NO_HEADER,
    COLUMN_TWICE,
    OTHER_SEPARATOR,
)
OF_KIND = {
    Kind.BYTE_ORDER_MARK: (BYTE_ORDER_MARK, "the file begins with a byte order mark"),
    Kind.UTF16: (UTF_16, "the file is in UTF-16; nothing of it was read"),
    Kind.OTHER_SEPARATOR: (OTHER_SEPARATOR, "the column names are not separated by commas; nothing else was read"),
    Kind.LINE_TOO_LONG: (LINE_TOO_LONG, "this line is longer than 1 MiB; it was not read"),
    Kind.LONE_CR: (LONE_CR, "the lines end with a carriage return alone"),
    Kind.BLANK_LINE: (BLANK_LINE, "this line is blank"),
    Kind.UNQUOTED: (UNQUOTED, "{value} is not quoted"),
    Kind.BLANK_OUTSIDE_QUOTES: (BLANK_OUTSIDE_QUOTES, "blanks outside of the quotes"),
    Kind.TYPOGRAPHIC_QUOTE: (TYPOGRAPHIC_QUOTE, "a value in typographic quotes: {value}"),
    Kind.QUOTE_IN_VALUE: (QUOTE_IN_VALUE, "a double quote inside of a value"),
    Kind.UNTERMINATED_QUOTE: (UNTERMINATED_QUOTE, "this quote is not closed in its line"),
    Kind.TRAILING_COMMA: (TRAILING_COMMA, "a comma behind the last value"),
    Kind.TOO_FEW_FIELDS: (FIELD_COUNT, "this record has fewer values than the header has columns"),
    Kind.TOO_MANY_FIELDS: (FIELD_COUNT, "this record has more values than the header has columns"),
    Kind.NUL: (NOT_TEXT, "NUL bytes are no text"),
    Kind.INVALID_UTF8: (NOT_TEXT, "these bytes are no UTF-8 text"),
    Kind.CRLF: (CRLF, "the lines end with CR LF"),
}
