"""Term list: the terms or spoken queries to search for, as of 2006.

::

    <termlist ecf_filename version language>
      <term termid>
        <termtext>the term, or the id of the query</termtext>
        <terminfo><attr><name>...</name><value>...</value></attr>...</terminfo>

A KWList under other names: `kwlist` reads both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.formats.dialects import STD
from validator.formats.kwlist import read_dialect

if TYPE_CHECKING:
    from validator.formats.kwlist import KeywordListFile
    from validator.formats.source import Source


def read(source: Source) -> KeywordListFile:
    """Read a term list completely, whatever is wrong with it."""
    return read_dialect(source, STD)
