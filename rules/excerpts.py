"""Family: detections against the excerpts of an ECF: which recording, inside of which stretch."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from validator.tables import Detections, Ecf, Excerpt, Flags

_NEAR_S = 1e-6  # closer to the end of an excerpt than this, binary and decimal sums may disagree


class Placed(NamedTuple):
    """For each detection: is its file in the ECF, its channel (as text, and as a number), its time in an excerpt?

    ``inside`` is computed in binary doubles as NIST's tool does; ``inside_exactly`` in decimals, as written.
    """

    file_known: Flags
    channel_known: Flags
    channel_spelt: Flags
    inside: Flags
    inside_exactly: Flags


def recording(name: str, extensions: tuple[str, ...] = ("sph",)) -> str:
    """Return the recording that a file name means: folders are cut off, and what follows the first dot if it is sph.

    The rest is kept: a recording whose own name has a dot keeps its extension, too.
    """
    base = name.rsplit("/", 1)[-1]
    stem, _, extension = base.partition(".")
    return stem if extension in extensions else base


def ecf_recording(excerpt: Excerpt) -> str:
    """Return the recording of an excerpt; an ECF may write sph or wav."""
    return recording(excerpt.audio_filename, ("sph", "wav"))


def without_extension(name: str) -> str:
    """Return the base name of a recording without .wav, .sph or .flac; other dots are part of it."""
    base = name.rsplit("/", 1)[-1]
    stem, _, extension = base.rpartition(".")
    return stem if extension in ("wav", "sph", "flac") else base


class FileNames(NamedTuple):
    """How an evaluation reads names: the file of a detection, and the audio_filename of an excerpt."""

    detected: Callable[[str], str]
    listed: Callable[[Excerpt], str]


KWS_NAMES = FileNames(recording, ecf_recording)
STD_NAMES = FileNames(str, lambda excerpt: without_extension(excerpt.audio_filename))


def place(detections: Detections, ecf: Ecf, naming: FileNames = KWS_NAMES, *, tolerance_s: float = 0.0) -> Placed:
    """Compare all detections with an ECF; they may reach beyond the end of an excerpt by the tolerance."""
    names = sorted({naming.listed(excerpt) for excerpt in ecf.excerpts})
    number = {name: rank for rank, name in enumerate(names)}
    files = np.array([number.get(naming.detected(name), -1) for name in detections.files], dtype=np.int64)
    spelt = sorted({excerpt.channel for excerpt in ecf.excerpts})
    by_value = {int(text): rank for rank, text in reversed(list(enumerate(spelt)))}
    listed = {text: rank for rank, text in enumerate(spelt)}
    channels = np.array([_channel(text, listed, by_value) for text in detections.channels], dtype=np.int64)
    exact = np.array([text in listed for text in detections.channels], dtype=bool)
    file = files[detections.file] if len(files) else np.zeros(0, dtype=np.int64)
    channel = channels[detections.channel] if len(channels) else np.zeros(0, dtype=np.int64)
    track = np.where((file >= 0) & (channel >= 0), file * len(spelt) + channel, -1)
    spans = _Spans.of(ecf, [number[naming.listed(e)] * len(spelt) + spelt.index(e.channel) for e in ecf.excerpts])
    has_excerpt = np.zeros(len(names) * len(spelt) + 1, dtype=bool)  # the last one serves track -1
    has_excerpt[spans.track] = True
    known = has_excerpt[track]
    inside = spans.hold(track, detections.begin_s, detections.begin_s + detections.duration_s - tolerance_s)
    exactly = inside.copy()
    for row in spans.near_misses(track, detections, inside).tolist():
        exactly[row] = spans.hold_exactly(int(track[row]), detections.begin_s[row], detections.duration_s[row])
    return Placed(file >= 0, known, exact[detections.channel] if len(exact) else known, inside, exactly)


def _channel(text: str, listed: dict[str, int], by_value: dict[int, int]) -> int:
    if text in listed:
        return listed[text]
    digits = text.strip()
    return by_value.get(int(digits), -1) if digits.lstrip("+-").isdecimal() and len(digits) < 20 else -1


class _Spans(NamedTuple):
    """Excerpts sorted by recording-and-channel and begin; ``reach`` is the latest end of those up to here."""

    excerpts: tuple[Excerpt, ...]
    track: NDArray[np.int64]
    begins: NDArray[np.float64]
    key: NDArray[np.int64]
    reach: NDArray[np.float64]

    @classmethod
    def of(cls, ecf: Ecf, tracks: list[int]) -> _Spans:
        track = np.array(tracks, dtype=np.int64)
        begin = np.array([excerpt.begin_s for excerpt in ecf.excerpts], dtype=np.float64)
        end = np.array([excerpt.begin_s + excerpt.duration_s for excerpt in ecf.excerpts], dtype=np.float64)
        order = np.lexsort((begin, track))
        track, begin, end = track[order], begin[order], end[order]
        begins = np.array(sorted(set(begin.tolist())))
        key = track * (len(begins) + 1) + np.searchsorted(begins, begin, side="right")
        reach = end.copy()
        for row in range(1, len(reach)):
            if track[row] == track[row - 1]:
                reach[row] = max(reach[row], reach[row - 1])
        return cls(tuple(ecf.excerpts[i] for i in order.tolist()), track, begins, key, reach)

    def _last(self, track: NDArray[np.int64], begin: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the last excerpt of the track that begins no later, or -1."""
        wanted = track * (len(self.begins) + 1) + np.searchsorted(self.begins, begin, side="right")
        found = np.searchsorted(self.key, wanted, side="right") - 1
        return np.where((found >= 0) & (self.track[np.maximum(found, 0)] == track), found, -1)

    def hold(self, track: NDArray[np.int64], begin: NDArray[np.float64], end: NDArray[np.float64]) -> Flags:
        """Tell which stretches lie inside of one excerpt."""
        if not len(self.key):
            return np.zeros(len(track), dtype=bool)
        last = self._last(track, begin)
        held: Flags = (last >= 0) & (end <= self.reach[np.maximum(last, 0)])
        return held

    def near_misses(self, track: NDArray[np.int64], detections: Detections, inside: Flags) -> NDArray[np.intp]:
        """Return rows that end beyond their excerpt by less than binary sums can tell."""
        if not len(self.key):
            return np.zeros(0, dtype=np.intp)
        last = self._last(track, detections.begin_s)
        beyond = detections.begin_s + detections.duration_s - self.reach[np.maximum(last, 0)]
        return np.flatnonzero(~inside & (last >= 0) & (beyond < _NEAR_S))

    def hold_exactly(self, track: int, begin: float, duration: float) -> bool:
        """Tell whether a stretch lies inside of one excerpt, in decimals."""
        start = Decimal(repr(float(begin)))
        stop = start + Decimal(repr(float(duration)))
        mine = (self.excerpts[i] for i in np.flatnonzero(self.track == track).tolist())
        spans = ((Decimal(repr(e.begin_s)), Decimal(repr(e.duration_s))) for e in mine)
        return any(first <= start and stop <= first + length for first, length in spans)
