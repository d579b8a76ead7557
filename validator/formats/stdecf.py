"""ECF as of 2006: the language stands with each excerpt.

::

    <ecf source_signal_duration version>
      <excerpt audio_filename channel tbeg dur language source_type/>

`ecf` reads both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.formats.dialects import STD
from validator.formats.ecf import read_dialect

if TYPE_CHECKING:
    from validator.formats.ecf import EcfFile
    from validator.formats.source import Source


def read(source: Source) -> EcfFile:
    """Read an ECF of 2006 completely, whatever is wrong with it."""
    return read_dialect(source, STD)
