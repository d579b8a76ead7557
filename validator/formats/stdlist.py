"""stdlist: the result of a spoken-term-detection system of 2006, and of the Spoken Web Search.

::

    <stdlist termlist_filename indexing_time language index_size system_id>
      <detected_termlist termid term_search_time oov_term_count>
        <term file channel tbeg dur score decision/>

A KWSList under other names: `kwslist` reads both.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from validator.formats.dialects import STD
from validator.formats.kwslist import between_tags, read_dialect
from validator.formats.plainform import PlainForm
from validator.formats.plainwriter import Rewritten, rewritten, same
from validator.formats.source import utf8_blocks, xml_encoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from validator.formats.kwslist import KwsListFile
    from validator.formats.source import Source


def read(source: Source) -> KwsListFile:
    """Read a stdlist completely, whatever is wrong with it."""
    return read_dialect(source, STD)


def canonical(source: Source, _references: Mapping[str, object]) -> Source:
    """Write a stdlist in the plain form that the old scorer reads; one that is in that form stays as it is."""
    with source.open() as stream:
        head = stream.read(1024)
    encoding, form, offset = xml_encoding(head), PlainForm(STD), 0
    for block in between_tags(utf8_blocks(source, encoding)):
        form.look(block, offset)
        offset += len(block)
    if encoding == "utf-8" and head.startswith(b"<") and not form.oddities():
        return source
    return Rewritten.of(source.name, partial(rewritten, source, same(STD.result_schema)))
