"""The bytes of an XML file on their way to the parser: decoded, or refused for their encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.formats import xmlbreaks, xmlfaults
from validator.formats.source import CONTRADICTED, utf8_blocks, xml_encoding
from validator.suggest import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.source import Source
    from validator.formats.xmlstream import XmlStream


def read_xml(source: Source, stream: XmlStream) -> str:
    """Feed a whole source to the stream; return its encoding."""
    encoding = encoding_of(source)
    for block in decoded(source, encoding, stream):
        if not stream.feed(block):
            return encoding
    stream.close()
    return encoding


def encoding_of(source: Source) -> str:
    """Tell the encoding of an XML source."""
    with source.open() as opened:
        return xml_encoding(opened.read(1024))


def decoded(source: Source, encoding: str, stream: XmlStream) -> Iterator[bytes]:
    """Read a source as UTF-8 blocks; what cannot be decoded stops the stream and ends the reading."""
    given = 0
    try:
        for block in utf8_blocks(source, encoding):
            given += len(block)
            yield block
    except LookupError:
        declared = encoding.removeprefix(CONTRADICTED)
        text = f"the XML declaration names the encoding {quoted(declared)}, which no XML reader knows"
        hint = "convert the file to UTF-8 and declare that"
        if declared != encoding:
            text = f"the XML declaration says {quoted(declared)}, but the file is not in it"
            hint = 'declare the encoding that the file is in; most likely encoding="UTF-8"'
        stream.stop(xmlbreaks.Break(0, text, hint, xmlfaults.UNREADABLE_ENCODING), "encoding")
    except UnicodeDecodeError as error:
        stream.stop(xmlbreaks.not_encoded(given, error.object[error.start], encoding.upper()))
