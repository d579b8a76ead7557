"""Streams that are decompressed while they are read, with an end: what stands behind it is no part of them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from typing import TYPE_CHECKING, BinaryIO, cast

from validator.formats.source import ARCHIVE, BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_DICTIONARY = 256 << 20  # bytes that decompression of xz may take; xz -9 takes 65 MB


def packing_of(path: Path) -> str:
    """Tell from its name how an archive is packed: zip, gz, bz2, xz, or not at all."""
    match = ARCHIVE.search(path.name)
    suffix = match[1].casefold() if match is not None else ""
    if suffix == "zip":
        return "zip"
    return next((packing for letter, packing in (("g", "gz"), ("b", "bz2"), ("x", "xz")) if letter in suffix), "")


def unpacked(path: Path) -> BinaryIO:
    """Open the tar that an archive holds."""
    packing = packing_of(path)
    if packing == "gz":
        return cast("BinaryIO", gzip.open(path, "rb"))
    if packing == "bz2":
        return cast("BinaryIO", _Stream(path, bz2.BZ2Decompressor))
    if packing == "xz":
        return cast("BinaryIO", _Stream(path, lambda: lzma.LZMADecompressor(memlimit=_DICTIONARY)))
    return path.open("rb")


class _Stream(io.RawIOBase):
    """One packed stream behind the other; unlike Python's own readers it does not pass over what cannot be unpacked."""

    def __init__(self, path: Path, start: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]) -> None:
        self._file, self._start = path.open("rb"), start
        self._unpacker = start()
        self._position = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        data = b""
        while not data and wanted:
            block = b""
            if self._unpacker.eof:
                block = self._next_stream()
                if not block:
                    break
                self._unpacker = self._start()
            elif self._unpacker.needs_input:
                block = self._file.read(BLOCK)
                if not block:
                    raise EOFError
            data = self._unpacker.decompress(block, wanted)
        self._position += len(data)
        return data

    def _next_stream(self) -> bytes:
        """Return the first bytes of the next stream; between streams there may be zeros."""
        block = self._unpacker.unused_data or self._file.read(BLOCK)
        while block and not block.strip(b"\0"):
            block = self._file.read(BLOCK)
        return block.lstrip(b"\0")

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or offset < self._position:
            raise io.UnsupportedOperation("forwards only")
        while self._position < offset and self.read(min(BLOCK, offset - self._position)):
            pass
        return self._position

    def close(self) -> None:
        self._file.close()
        super().close()
