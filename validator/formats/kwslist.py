"""KWSList: the result of a keyword-search system (OpenKWS13 A.5), streamed into columns.

::

    <kwslist kwlist_filename language system_id [min_score max_score]>
      <detected_kwlist kwid search_time oov_count>
        <kw file channel tbeg dur score decision/>

One pass: the fast lane (`records`) takes the blocks that are in the usual form, expat all others; both end in the
same columns, and both are held against the schema. The stdlist of 2006 has other names for the same things.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from validator.formats import records, xmlfaults, xsd
from validator.formats.columns import (
    Texts,
    Vocabulary,
    all_digits,
    digest,
    joined,
    ordered_words,
    padded,
)
from validator.formats.decimals import decimals, with_exponents
from validator.formats.dialects import OPENKWS
from validator.formats.plainform import PlainForm
from validator.formats.problems import Problems
from validator.formats.xmlreading import decoded, encoding_of
from validator.formats.xmlstream import Bulk, XmlStream
from validator.model import SAMPLES, Place
from validator.tables import DetectedList, Detections, KwsList

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from validator.formats.dialects import Dialect
    from validator.formats.plainform import Oddity
    from validator.formats.source import Source
    from validator.formats.xmlstream import Remark
    from validator.formats.xsd import Attribute, Element
    from validator.tables import Flags, Floats

_ABSENT = {"file": "", "channel": "0", "tbeg": "0", "dur": "0", "score": "0", "decision": "NO"}
_NAMES = tuple(_ABSENT)
_NUMBERS = ("tbeg", "dur", "score")
_BATCH = 8192
_TAG = re.compile(rb"""</?[A-Za-z_][A-Za-z0-9_]*((?:[ \t\r\n]+[A-Za-z_][A-Za-z0-9_]*="[^"<>&]*")*)[ \t\r\n]*/?>""")
_PAIR = re.compile(rb'([A-Za-z_][A-Za-z0-9_]*)="([^"]*)"')
_COLUMNS: dict[str, str] = {
    "keyword": "int32", "file": "int32", "channel": "int32", "begin_s": "float64", "duration_s": "float64",
    "score": "float64", "yes": "bool", "valid": "bool", "text": "uint64", "offset": "int64",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KwsListFile:
    """A KWSList as it was read: the table, and what only a reader of the bytes can know."""

    table: KwsList
    problems: Problems
    remarks: tuple[Remark, ...]
    encoding: str
    complete: bool
    dialect: Dialect = OPENKWS
    oddities: tuple[Oddity, ...] = ()

    def __len__(self) -> int:
        return len(self.table.detections)

    @property
    def named_list(self) -> str | None:
        """The base name of the KWList that the header names; folders in it are cut off."""
        return self.table.kwlist_filename.rsplit("/", 1)[-1]

    def node(self, row: int, field: str = "") -> str:
        """Return the XPath of a detection, or of one of its attributes."""
        detections = self.table.detections
        number = int(detections.keyword[row])
        rank = row - int(np.searchsorted(detections.keyword, number)) + 1
        place = f"{self.list_node(self.table.lists[number])}/{self.dialect.record}[{rank}]"
        return f"{place}/@{field}" if field else place

    def list_node(self, detected: DetectedList) -> str:
        """Return the XPath of a list of detections."""
        names = self.dialect
        return f'/{names.root}/{names.lists}[@{names.id}="{detected.kwid}"]'


def read(source: Source) -> KwsListFile:
    """Read a KWSList completely, whatever is wrong with it."""
    return read_dialect(source, OPENKWS)


def read_dialect(source: Source, dialect: Dialect) -> KwsListFile:
    """Read a result list of either family completely, whatever is wrong with it."""
    problems = Problems()
    encoding = encoding_of(source)
    builder = _Builder(source.name, problems, dialect)
    builder.read(decoded(source, encoding, builder.stream))
    stream, odd = builder.stream, builder.form.oddities() if builder.form is not None else ()
    return KwsListFile(builder.table(), problems, tuple(stream.remarks), encoding, stream.complete, dialect, odd)


class _Builder:
    """Collects the header, the lists and the columns of detections."""

    def __init__(self, file: str, problems: Problems, dialect: Dialect) -> None:
        self._file, self._problems, self._dialect = file, problems, dialect
        self._root = root = xsd.load(dialect.result_schema)
        self._list = root.child(dialect.lists)
        self._kw = self._list.child(dialect.record)
        self._end_of_list = f"</{dialect.lists}>".encode()
        self.stream = XmlStream(
            root, self, file=file, problems=problems, bulk=Bulk(self._list, self._kw, _ABSENT, self._take)
        )
        self.form = PlainForm(dialect) if dialect.plain else None
        self._header: dict[str, str] = {}
        self._header_offset = 0
        self._lists: list[DetectedList] = []
        self._files, self._channels = Vocabulary(), Vocabulary()
        self._columns: dict[str, list[NDArray[np.generic]]] = {name: [] for name in (*_COLUMNS, "score_text")}
        self._synced = False  # the last block that expat took ended between two tags, not inside a comment
        self._waiting: list[list[str]] = []
        self._waiting_at: list[tuple[int, int, bool]] = []  # offset, list number, all attributes there

    def read(self, blocks: Iterable[bytes]) -> None:
        """Take all blocks, each in the fastest way that is exact."""
        offset = 0
        for block in between_tags(blocks):
            if self.form is not None:
                self.form.look(block, offset)
            found = records.scan(block, self._dialect.record) if self._synced and self._is_at_list() else None
            if found is not None and self._fits(found):
                self._take_records(found, offset)
                self.stream.skip(len(block))
            elif self.stream.feed(block):
                ends = offset + len(block)  # where expat reports the end of an empty element
                self._synced = self.stream.last_tag in (offset + block.rfind(b"<"), ends)
            else:
                break
            offset += len(block)
        else:
            self.stream.close()
        self._flush()

    # -- the fast lane -------------------------------------------------------------------------------------------

    def _is_at_list(self) -> bool:
        """Tell whether the stream stands directly inside the root or inside a list."""
        open_ = self.stream.open
        return bool(open_) and open_[-1].element is (self._root if len(open_) == 1 else self._list)

    def _fits(self, found: records.Records) -> bool:
        """Tell whether the other tags open and close lists in turn, with all records inside of lists.

        At the end as many elements must be open as before: expat does not see the block.
        """
        inside = began_inside = len(self.stream.open) == 2
        before = 0
        for tag in found.tags:
            if not inside and tag.records_before > before:
                return False
            before = tag.records_before
            closes = tag.text == self._end_of_list
            if closes != inside or (not closes and self._list_attributes(tag.text) is None):
                return False
            inside = not closes and not tag.text.endswith(b"/>")
        return inside == began_inside and (inside or before == len(found.offset))

    def _take_records(self, found: records.Records, offset: int) -> None:
        self._flush()
        numbers = np.full(len(found.offset), len(self._lists) - 1, dtype=np.int32)
        done = 0
        for tag in found.tags:
            self._count_records(tag.records_before - done)
            done = tag.records_before
            if tag.text.startswith(b"</"):
                self.stream.end(offset + tag.offset)
                continue
            self.stream.start(self._dialect.lists, self._list_attributes(tag.text) or {}, offset + tag.offset)
            numbers[done:] = len(self._lists) - 1
            if tag.text.endswith(b"/>"):
                self.stream.end(offset + tag.offset)
        self._count_records(len(found.offset) - done)
        given, at = found.columns, found.offset + offset
        if given.keys() == set(_NAMES):
            self._append(given, numbers, at)
            return
        places = [self._place(_Rows(numbers, at), row) for row in range(min(len(at), SAMPLES))]
        self.stream.presence(self._kw, dict.fromkeys(given, ""), places, count=len(at))
        columns = {name: given.get(name) or _constant(_ABSENT[name], len(at)) for name in _NAMES}
        lacking = np.full(len(at), not given.keys() >= set(_NAMES))
        self._append(columns, numbers, at, lacking)

    def _count_records(self, count: int) -> None:
        if count:
            counts = self.stream.open[-1].counts
            counts[self._kw.name] = counts.get(self._kw.name, 0) + count

    def _list_attributes(self, tag: bytes) -> dict[str, str] | None:
        found = _TAG.fullmatch(tag)
        if found is None or not re.match(rb"<%b[ \t\r\n/>]" % self._dialect.lists.encode(), tag):
            return None
        pairs = _PAIR.findall(found[1])
        given = {name.decode(): re.sub(r"\r\n|[\t\r\n]", " ", value.decode()) for name, value in pairs}
        return given if len(given) == len(pairs) else None

    # -- expat's lane --------------------------------------------------------------------------------------------

    def start(self, element: Element, attributes: dict[str, str], offset: int) -> None:
        """Take the header or the head of a list."""
        if element is self._list:
            names = self._dialect
            oov = attributes.get(names.oov_count, "NA")
            time = float(attributes.get(names.search_time, "nan"))
            number = None if oov == "NA" else int(oov[:400])
            self._lists.append(DetectedList(attributes.get(names.id, ""), time, number, offset))
        else:
            self._header, self._header_offset = attributes, offset

    def end(self, element: Element, text: str) -> None:
        """Nothing to do at the end of a list."""

    def _take(self, values: list[str], offset: int, complete: bool) -> None:  # noqa: FBT001 - called by XmlStream
        self._waiting.append(values)
        self._waiting_at.append((offset, len(self._lists) - 1, complete))
        if len(self._waiting) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        place = np.array(self._waiting_at, dtype=np.int64)
        incomplete = place[:, 2] == 0
        columns = {name: joined(column) for name, column in zip(_NAMES, zip(*self._waiting, strict=True), strict=True)}
        self._waiting.clear()
        self._waiting_at.clear()
        self._append(columns, place[:, 1].astype(np.int32), place[:, 0], incomplete)

    # -- both lanes ----------------------------------------------------------------------------------------------

    def _append(
        self,
        columns: dict[str, Texts],
        keyword: NDArray[np.int32],
        offset: NDArray[np.int64],
        incomplete: Flags | None = None,
    ) -> None:
        valid = np.ones(len(offset), dtype=bool)
        where = _Rows(keyword, offset)
        numbers = {name: self._numbers(name, columns[name], valid, where) for name in _NUMBERS}
        self._integers(columns["channel"], valid, where)
        yes = self._decisions(columns["decision"], valid, where)
        if incomplete is not None:
            valid &= ~incomplete
        part: dict[str, NDArray[np.generic]] = {
            "keyword": keyword,
            "file": self._files.codes(columns["file"]),
            "channel": self._channels.codes(columns["channel"]),
            "begin_s": numbers["tbeg"],
            "duration_s": numbers["dur"],
            "score": numbers["score"],
            "yes": yes,
            "valid": valid,
            "text": digest(columns[name] for name in _NUMBERS),
            "score_text": ordered_words(columns["score"]),
            "offset": offset,
        }
        for name, column in part.items():
            self._columns[name].append(column)

    def _numbers(self, name: str, texts: Texts, valid: Flags, where: _Rows) -> Floats:
        values, plain = decimals(texts)
        declared = self._kw.attributes[name]
        for word in (b"INF", b"-INF", b"NaN"):
            if declared.type.accepts(word.decode()) and not plain.all():
                plain |= (same := _equals(texts, word))
                values[same] = float(word)  # XML Schema's are Python's as well
        odd = np.flatnonzero(~plain)
        if len(odd) and declared.type.accepts("1e0"):
            found = with_exponents(Texts(texts.buffer, texts.start[odd], texts.length[odd]))
            if found is not None:
                values[odd] = found
                return values
        bad = []
        for row in odd.tolist():
            text = texts.at(row)
            if declared.type.accepts(text):
                values[row] = float(text)
            else:
                bad.append(row)
        self._refuse(declared, bad, valid, where)
        return values

    def _integers(self, texts: Texts, valid: Flags, where: _Rows) -> None:
        declared = self._kw.attributes["channel"]
        odd = np.flatnonzero(~all_digits(texts)).tolist()
        self._refuse(declared, [row for row in odd if not declared.type.accepts(texts.at(row))], valid, where)

    def _decisions(self, texts: Texts, valid: Flags, where: _Rows) -> Flags:
        yes = _equals(texts, b"YES")
        neither = np.flatnonzero(~(yes | _equals(texts, b"NO")))
        self._refuse(self._kw.attributes["decision"], neither.tolist(), valid, where)
        return yes

    def _refuse(self, attribute: Attribute, rows: list[int], valid: Flags, where: _Rows) -> None:
        if not rows:
            return
        valid[rows] = False
        rule = xmlfaults.VALUE_NOT_ALLOWED if attribute.type.base == "string" else xmlfaults.WRONG_TYPE
        samples = max(1, self._problems.wants(rule, attribute.name))
        for row in rows[:samples]:
            self.stream.refuse_value(attribute, self._place(where, row, attribute.name))
        if len(rows) > samples:
            self.stream.refuse_value(attribute, Place(self._file), count=len(rows) - samples)

    def _place(self, where: _Rows, row: int, name: str = "") -> Place:
        number = int(where.keyword[row])
        rank = row - int(np.searchsorted(where.keyword, number)) + 1
        for part in reversed(self._columns["keyword"]):
            held = int((part == number).sum())
            if not held:
                break
            rank += held
        kwid, names = self._lists[number].kwid if number >= 0 else "", self._dialect
        node = f'/{names.root}/{names.lists}[@{names.id}="{kwid}"]/{names.record}[{rank}]'
        return Place(self._file, int(where.offset[row]), name, f"{node}/@{name}" if name else node)

    def table(self) -> KwsList:
        """Return what was read."""
        head = self._header
        low, high = head.get("min_score"), head.get("max_score")
        return KwsList(
            head.get(self._dialect.list_name, ""),
            head.get("language", ""),
            head.get("system_id", ""),
            None if low is None else float(low),
            None if high is None else float(high),
            tuple(self._lists),
            self._detections(),
            self._header_offset,
            float(head.get("indexing_time", "nan")),
            float(head.get("index_size", "nan")),
        )

    def _detections(self) -> Detections:
        """Join the parts column by column, letting go of each as soon as it is joined."""
        parts = self._columns.pop("score_text")
        lanes = max((part.shape[1] for part in parts), default=1)
        score_text = np.concatenate(
            [np.zeros((0, lanes), np.uint64), *(np.pad(part, ((0, 0), (0, lanes - part.shape[1]))) for part in parts)]
        )
        whole = {name: np.concatenate([np.zeros(0, kind), *self._columns.pop(name)]) for name, kind in _COLUMNS.items()}
        return Detections(**whole, score_text=score_text, files=self._files.texts(), channels=self._channels.texts())


class _Rows(NamedTuple):
    """Where the rows of a part stand: their lists, their offsets."""

    keyword: NDArray[np.int32]
    offset: NDArray[np.int64]


def _constant(text: str, count: int) -> Texts:
    return Texts(padded(text.encode()), np.zeros(count, dtype=np.int64), np.full(count, len(text)))


def _equals(texts: Texts, word: bytes) -> Flags:
    same: Flags = texts.length == len(word)
    for position, byte in enumerate(word):
        same &= texts.buffer[texts.start + position] == byte
    return same


def between_tags(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Cut a stream of bytes behind a tag, wherever there is one near the end of a block."""
    rest = b""
    for block in blocks:
        cut = block.rfind(b">") + 1
        if not cut:
            rest += block
            if len(rest) > 1 << 20:
                yield rest
                rest = b""
            continue
        yield rest + block[:cut]
        rest = block[cut:]
    if rest:
        yield rest
