"""XML documents for the tests of the format layer: small valid ones, ways to spoil them, and a Source in memory."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import BinaryIO

from hypothesis import strategies as st

from validator.bundled import schema

RECORD = '<kw file="f1" channel="1" tbeg="1.25" dur="0.5" score="0.875" decision="YES"/>'
LIST = '<detected_kwlist kwid="KW-1" search_time="2.5" oov_count="0">'
HEADER = '<kwslist kwlist_filename="a.kwlist.xml" language="tagalog" system_id="s">'
KWLIST = """<kwlist ecf_filename="a.ecf.xml" version="1" language="tl" encoding="UTF-8" compareNormalize="lowercase">
  <kw kwid="KW-1"><kwtext>ab cd</kwtext></kw>
  <kw kwid="KW-2">
    <kwtext>ef</kwtext>
    <kwinfo><attr><name>n1</name><value>v1</value></attr><attr><name>n2</name><value/></attr></kwinfo>
  </kw>
  <kw kwid="KW-3"><kwtext/></kw>
</kwlist>"""
ECF = """<ecf source_signal_duration="600.0" version="1" language="tagalog">
  <excerpt audio_filename="f1" channel="1" tbeg="0.0" dur="300.0" source_type="splitcts"/>
  <excerpt audio_filename="f2" channel="1" tbeg="0" dur="300" source_type="bnews"></excerpt>
</ecf>"""

ATTRIBUTE = re.compile(r"""\s([A-Za-z_:]+)=("[^"<]*"|'[^'<]*')""")
TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class MemorySource:
    """Bytes that lie in memory."""

    data: bytes
    name: str = "x.xml"

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    def open(self) -> BinaryIO:
        """Open the bytes."""
        return io.BytesIO(self.data)


def kwslist_of(*contents: str, header: str = HEADER, head: str = LIST) -> str:
    """Write a KWSList: one list for each content."""
    return f"{header}{''.join(f'{head}{content}</detected_kwlist>' for content in contents)}</kwslist>"


# -- valid KWSLists in many styles ---------------------------------------------------------------------------------

FILES = ("f1", "BABEL_106_72814_inLine", "", "é", "f>1", "a'b", "x" * 70, "café ☃", "f&amp;g", "f&#62;", "a b")
CHANNELS = ("1", "2", "1", "10", "-1", "+1", " 1", "01")
DECIMALS = ("0", "1.25", "600.125", ".5", "5.", "-0.0", "+3", "12345678901234567890.5", "0.10000000000000000001", " 7 ")
SCORES = (*DECIMALS, "1e-3", "-1.5E+10", "INF", "-INF", "NaN", "1E400")
DECISIONS = ("YES", "NO")
BAD_VALUES = (
    "",
    "x",
    "1,5",
    "1e",
    "1e5",
    "0x1",
    "--1",
    "yes",
    "YES ",
    "NA",
    "INF",
    "NaN",
    "1_0",
    "\u0661",
    "1 2",
    "\u00a01",
    ".",
)
NAMES = ("file", "channel", "tbeg", "dur", "score", "decision")
_POOLS = (FILES, CHANNELS, DECIMALS, DECIMALS, SCORES, DECISIONS)
_USUAL = (FILES[:3], ("1", "2"), DECIMALS[:3], DECIMALS[:3], DECIMALS[:3], DECISIONS)


@st.composite
def kwslists(draw: st.DrawFn) -> str:
    """Make valid KWSLists: most in the usual form, with one style throughout, some with odd values."""
    pools = draw(st.sampled_from((_USUAL, _USUAL, _POOLS)))
    quote = draw(st.sampled_from('""\''))
    names = draw(st.sampled_from((NAMES, NAMES, tuple(reversed(NAMES)), NAMES[2:] + NAMES[:2])))
    blank, tail = draw(st.sampled_from((" ", " ", "\n ", "\t"))), draw(st.sampled_from(("/>", " />", "\n/>", "></kw>")))
    gap = draw(st.sampled_from(("", "\n", "\n    ", "\r\n\t")))
    rows = st.tuples(*(st.integers(0, len(pool) - 1) for pool in pools))
    parts = [draw(st.sampled_from(("", '<?xml version="1.0"?>\n', "<!-- one\ntwo -->"))), HEADER, gap]
    for number, rows_here in enumerate(draw(st.lists(st.lists(rows, max_size=6), max_size=6))):
        parts += [f'<detected_kwlist kwid="KW-{number % 4}" search_time="1.5" oov_count="{number or "NA"}">', gap]
        for row in rows_here:
            values = dict(zip(NAMES, (pool[at] for pool, at in zip(pools, row, strict=True)), strict=True))
            pairs = (
                f"{name}={quote}{values[name].replace(quote, '&quot;' if quote != chr(39) else '&apos;')}{quote}"
                for name in names
            )
            parts += ["<kw", blank, blank.join(pairs), tail, gap]
        parts += ["</detected_kwlist>", gap]
    return "".join([*parts, "</kwslist>", draw(st.sampled_from(("", "\n", "<!-- end -->")))])


# -- ways to spoil a document ----------------------------------------------------------------------------------------

SNIPPETS = (
    "<!-- a comment -->",
    f"<!-- {RECORD} -->",
    f"<!-- {RECORD}\n{RECORD} > -->",
    "<!-- a > b\n> c -->",
    f"<![CDATA[{RECORD}]]>",
    "<![CDATA[ ]]>",
    "<![CDATA[]]>",
    "<?pi one?>",
    f"<?pi {RECORD} > ?>",
    " text ",
    " > text > text ",
    "\u00a0",
    "\u3000\n",
    "&#32;",
    "&#160;",
    "&amp;",
    "&lt;",
    "&undefined;",
    "&#0;",
    "&#xD800;",
    "&",
    "<",
    ">",
    "]]>",
    '"',
    "'",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\x01",
    "\ufffe",
    RECORD,
    RECORD.replace('dur="0.5" ', ""),
    RECORD.replace('tbeg="1.25" dur="0.5" ', 'tbeg="" '),
    RECORD.replace("/>", "><x/></kw>"),
    RECORD.replace("/>", ">x</kw>"),
    RECORD.replace("/>", "> </kw>"),
    RECORD.replace("<kw ", '<kw xmlns="" '),
    RECORD.replace("<kw ", '<kw xmlns="urn:n" '),
    RECORD.replace("<kw ", '<kw xmlns:n="urn:n" '),
    RECORD.replace("<kw ", '<kw xml:lang="en" '),
    RECORD.replace("<kw ", '<kw id="5" '),
    RECORD.replace("/>", ' score="2"/>'),
    RECORD.replace("1.25", "1&#46;25"),
    RECORD.replace("1.25", "1.25\n"),
    RECORD.replace("f1", "a\r\nb"),
    "<kw/>",
    "<kw",
    "<kw file=",
    "</kw>",
    LIST,
    "</detected_kwlist>",
    "</detected_kwlist >",
    f"{LIST}</detected_kwlist>",
    f"</detected_kwlist>{LIST}",
    LIST.replace(">", "/>"),
    LIST.replace("KW-1", "a\tb"),
    LIST.replace("KW-1", "a>b"),
    '</detected_kwlist><detected_kwlist kwid="a\r\nb" search_time="1" oov_count="0">',
    '</detected_kwlist><detected_kwlist xmlns="" kwid="a" search_time="1" oov_count="0">',
    '</detected_kwlist><detected_kwlist kwid="a" search_time="1,5" oov_count="-1">',
    "</detected_kwlist><detected_kwlist kwid='a' oov_count='0' extra='1'>",
    "</detected_kwlist>",
    "</kwslist>",
    "<kwslist>",
    "<x>",
    "<x/>",
    "<x><kw/>text</x>",
    '<n:x xmlns:n="urn:n"/>',
    "<!DOCTYPE kwslist>",
    '<!DOCTYPE kwslist [<!ENTITY e "e">]>',
    '<?xml version="1.0"?>',
    "<kwtext>x</kwtext>",
    "<kwinfo/>",
    "<kwinfo><attr><value/><name/></attr></kwinfo>",
    "<attr><name/></attr>",
    '<kw kwid="KW-9"/>',
    '<excerpt audio_filename="f"/>',
)


def inserted(text: str, at: int, what: str, *, border: bool) -> str:
    """Put a snippet somewhere, or between two tags."""
    position = at % (len(text) + 1)
    if border:
        borders = [0, *(match.end() for match in TAG.finditer(text))]
        position = borders[at % len(borders)]
    return text[:position] + what + text[position:]


def without(text: str, at: int) -> str:
    """Drop a whole tag."""
    tags = list(TAG.finditer(text))
    found = tags[at % len(tags)] if tags else None
    return text if found is None else text[: found.start()] + text[found.end() :]


def swapped(text: str, at: int) -> str:
    """Exchange two neighbouring tags."""
    tags = list(TAG.finditer(text))
    if len(tags) < 2:
        return text
    first, second = tags[at % (len(tags) - 1) :][:2]
    middle = text[first.end() : second.start()]
    return text[: first.start()] + second[0] + middle + first[0] + text[second.end() :]


def attribute_changed(text: str, at: int, name: str | None, value: str | None) -> str:
    """Rename an attribute (name), give it another value, or drop it (neither)."""
    found = list(ATTRIBUTE.finditer(text))
    if not found:
        return text
    match = found[at % len(found)]
    new = ""
    if name is not None or value is not None:
        new = f" {name or match[1]}={match[2] if value is None else chr(34) + value + chr(34)}"
    return text[: match.start()] + new + text[match.end() :]


def with_odd_layout(text: str, at: int, kind: str) -> str:
    """Write an attribute in another legal way: single quotes, blanks, another order, on its own line."""
    found = list(ATTRIBUTE.finditer(text))
    if not found:
        return text
    match = found[at % len(found)]
    name, value = match[1], match[2][1:-1]
    new = {
        "single": f" {name}='{value}'",
        "blanks": f" {name} = {match[2]} ",
        "line": f"\n  {name}=\r\n{match[2]}",
        "moved": "",
        "references": f' {name}="{"".join(f"&#{ord(c)};" for c in value)}"',
    }[kind]
    if kind == "moved":
        end = text.index(">", match.end())
        end -= text[end - 1] == "/"
        return f"{text[: match.start()]}{text[match.end() : end]} {match[0].strip()}{text[end:]}"
    return text[: match.start()] + new + text[match.end() :]


_AT = st.integers(0, 1 << 16)
_SPOIL = st.one_of(
    st.tuples(st.just("insert"), _AT, st.sampled_from(SNIPPETS), st.booleans()),
    st.tuples(st.just("insert"), _AT, st.sampled_from(SNIPPETS), st.just(True)),
    st.tuples(st.just("without"), _AT),
    st.tuples(st.just("swap"), _AT),
    st.tuples(st.just("attribute"), _AT, st.none(), st.none()),
    st.tuples(st.just("attribute"), _AT, st.sampled_from(("sorce", "xmlns", "Score", "xml:space", "id")), st.none()),
    st.tuples(st.just("attribute"), _AT, st.none(), st.sampled_from(BAD_VALUES)),
    st.tuples(st.just("layout"), _AT, st.sampled_from(("single", "blanks", "line", "moved", "references"))),
)


@st.composite
def spoiled(draw: st.DrawFn, originals: st.SearchStrategy[str], *, most: int = 3) -> str:
    """Spoil a document in up to ``most`` ways; it may stay valid."""
    text = draw(originals)
    for step in draw(st.lists(_SPOIL, max_size=most)):
        kind, at, *rest = step
        if kind == "insert":
            text = inserted(text, at, rest[0], border=rest[1])
        elif kind == "attribute":
            text = attribute_changed(text, at, *rest)
        elif kind == "layout":
            text = with_odd_layout(text, at, *rest)
        else:
            text = (without if kind == "without" else swapped)(text, at)
    return text


ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "iso-8859-1", "utf-16", "utf-16-le", "utf-16-be")


def encoded(text: str, encoding: str) -> bytes:
    """Write a document as bytes, with a declaration where XML needs one."""
    if encoding == "iso-8859-1" and not text.startswith("<?xml"):
        return f'<?xml version="1.0" encoding="ISO-8859-1"?>{text}'.encode(encoding, "xmlcharrefreplace")
    if encoding in ("utf-16-le", "utf-16-be") and not text.startswith("<?xml"):
        text = f'<?xml version="1.0" encoding="UTF-16"?>{text}'  # XML asks for a mark; both engines manage without
    return text.encode("utf-8" if encoding == "iso-8859-1" else encoding, "replace")


def schema_of(kind: str) -> bytes:
    """Return the schema of a format, as the other engines want it."""
    return schema(f"openkws/{kind}.xsd").encode()
