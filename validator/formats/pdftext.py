"""The process that reads the text of a PDF: bytes on stdin, JSON on stdout. Started by ``pdf``, never imported."""

from __future__ import annotations

import io
import json
import struct
import sys
import zlib
from importlib import import_module

_PAGES = 200
_CHARACTERS = 4 << 20
_MEMORY = 2 << 30


def extract(data: bytes) -> tuple[list[str], str]:
    """Return the lines of the text and, if it cannot be read, the reason."""
    from pypdf import PdfReader  # noqa: PLC0415 - the only user of an optional package
    from pypdf.errors import FileNotDecryptedError, PyPdfError  # noqa: PLC0415

    troubles = (ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, NameError, OSError)
    more = (RuntimeError, TypeError, ValueError, PyPdfError, struct.error, zlib.error)
    lines: list[str] = []
    room = _CHARACTERS
    try:
        for number, page in enumerate(PdfReader(io.BytesIO(data)).pages):
            text = page.extract_text()[:room]
            lines += text.splitlines()
            room -= len(text)
            if number >= _PAGES or room <= 0:
                break
    except FileNotDecryptedError:
        return lines, "it asks for a password"
    except (*troubles, *more) as error:
        return lines, f"pypdf says {type(error).__name__}"
    return lines, ""


def _limit_memory() -> None:
    if sys.platform == "win32":
        return
    resource = import_module("resource")
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def main() -> None:
    """Read stdin, write stdout; what pypdf says on the way is not for people."""
    import logging  # noqa: PLC0415 - only this process needs it

    logging.disable(logging.CRITICAL)
    _limit_memory()
    lines, reason = extract(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps({"lines": lines, "reason": reason}))


if __name__ == "__main__":
    main()
