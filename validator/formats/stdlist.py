"""stdlist: the result of a spoken-term-detection system of 2006, and of the Spoken Web Search.

::

    <stdlist termlist_filename indexing_time language index_size system_id>
      <detected_termlist termid term_search_time oov_term_count>
        <term file channel tbeg dur score decision/>

A KWSList under other names: `kwslist` reads both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.formats.dialects import STD
from validator.formats.kwslist import read_dialect

if TYPE_CHECKING:
    from validator.formats.kwslist import KwsListFile
    from validator.formats.source import Source


def read(source: Source) -> KwsListFile:
    """Read a stdlist completely, whatever is wrong with it."""
    return read_dialect(source, STD)
