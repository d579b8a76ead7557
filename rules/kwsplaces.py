"""Detections of a KWSList against the ECF: recording, channel, time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from validator.model import Defect, rule, sampled
from validator.suggest import nearest, quoted, surely

from . import excerpts
from .kwsopen import A5, ERROR, OK, WARNING, detections, ecf, placed, row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun


@rule("KWS402", "file-not-in-ecf", cites=A5, plan=ERROR, tool=ERROR, needs=("content", "ecf"))
def file_not_in_ecf(opened: OpenRun) -> Iterator[Defect]:
    """Every detection is in a recording and a channel of the ECF.

    Why: only the recordings of the ECF are evaluated.
    Bad: file="BABEL_BP_106_00000" where the ECF has no such recording
    Good: file="BABEL_BP_106_72814_20120201_145593_inLine"
    Fix: write the base name of the recording as the ECF has it, and its channel.
    NIST: F4DE refuses: "not defined in the ECF". It cuts off folders and .sph, not .wav.
    """
    table, where = detections(opened), opened.once(placed)
    known = {excerpts.ecf_recording(excerpt) for excerpt in ecf(opened).excerpts}
    for at, count in sampled(np.flatnonzero(table.valid & ~where.channel_known)):
        name, channel = table.files[table.file[at]], table.channels[table.channel[at]]
        if where.file_known[at]:
            there = _channels(opened, name)
            message = f"file {quoted(name)} has channel {' and '.join(there)} in the ECF, not {channel}"
            yield Defect(row(opened, at, "channel"), message, f"write {' or '.join(there)}", count=count)
            continue
        bare = excerpts.recording(name, ("sph", "wav"))
        sure = bare if bare in known else surely(name, known)
        guess = sure or nearest(name, known)
        label = f"did you mean {guess}?" if guess else ""
        hint, message = f"write {sure}" if sure else "", f"file {quoted(name)} is not in the ECF"
        yield Defect(row(opened, at, "file"), message, hint, label, count=count)


def _channels(opened: OpenRun, name: str) -> list[str]:
    """Return the channels of a recording as the ECF writes them."""
    wanted = excerpts.recording(name)
    return sorted({each.channel for each in ecf(opened).excerpts if excerpts.ecf_recording(each) == wanted})


@rule("KWS403", "outside-excerpt", cites="OpenKWS13 A.1, A.5", plan=ERROR, tool=ERROR, needs=("content", "ecf"))
def outside_excerpt(opened: OpenRun) -> Iterator[Defect]:
    """Every detection lies wholly inside of one excerpt of the ECF.

    Why: audio outside of the excerpts is not part of the experiment.
    Bad: tbeg="130.950" dur="0.5" where the excerpt ends at 131.05 s
    Good: tbeg="130.350" dur="0.5"
    Fix: drop or clip the detection; times count seconds from the start of the recording, not of the excerpt.
    NIST: F4DE refuses: "not defined in the ECF".
    """
    where, table = opened.once(placed), detections(opened)
    outside = table.valid & where.channel_known & ~where.inside & ~where.inside_exactly
    for at, count in sampled(np.flatnonzero(outside)):
        name = excerpts.recording(table.files[table.file[at]])
        begin, end = float(table.begin_s[at]), float(table.begin_s[at] + table.duration_s[at])
        mine = [e for e in ecf(opened).excerpts if excerpts.ecf_recording(e) == name]
        spans = ", ".join(f"{e.begin_s:g} to {e.begin_s + e.duration_s:.6g} s" for e in mine[:3])
        more = f" and {len(mine) - 3} more" if len(mine) > 3 else ""
        attribute = "dur" if any(e.begin_s <= begin <= e.begin_s + e.duration_s for e in mine) else "tbeg"
        message = f"the detection, {begin:.6g} to {end:.6g} s, lies in no excerpt of its recording: {spans}{more}"
        yield Defect(row(opened, at, attribute), message, count=count)


@rule(
    "KWS404", "outside-excerpt-by-rounding", cites="F4DE ValidateKWSList", plan=OK, tool=ERROR, needs=("content", "ecf")
)
def outside_excerpt_by_rounding(opened: OpenRun) -> Iterator[Defect]:
    """tbeg + dur does not exceed the end of the excerpt in binary arithmetic either.

    Why: NIST's checker adds binary numbers without tolerance; 70.18 + 0.12 is more than 70.3 for it.
    Bad: tbeg="70.18" dur="0.12" in an excerpt that ends at 70.3 s
    Good: tbeg="70.18" dur="0.119"
    Fix: shorten the detection by a millisecond.
    NIST: F4DE refuses: "not defined in the ECF".
    """
    where, table = opened.once(placed), detections(opened)
    for at, count in sampled(np.flatnonzero(table.valid & ~where.inside & where.inside_exactly)):
        total = repr(float(table.begin_s[at] + table.duration_s[at]))
        message = f"the detection ends exactly with its excerpt, but in binary tbeg + dur is {total}"
        yield Defect(row(opened, at, "dur"), message, count=count)


@rule("KWS405", "channel-spelling", cites="F4DE ValidateKWSList", plan=OK, tool=ERROR, needs=("content", "ecf"))
def channel_spelling(opened: OpenRun) -> Iterator[Defect]:
    """channel is written as the ECF writes it.

    Why: NIST's checker compares the text: 01, +1 and "1 " are the same whole number, but not the same text.
    Bad: channel="01"
    Good: channel="1"
    Fix: write the channel as in the ECF.
    NIST: F4DE refuses: "not defined in the ECF".
    """
    where, table = opened.once(placed), detections(opened)
    for at, count in sampled(np.flatnonzero(table.valid & where.channel_known & ~where.channel_spelt)):
        number = int(table.channels[table.channel[at]])
        there = [text for text in _channels(opened, table.files[table.file[at]]) if int(text) == number]
        message = f"channel is {{value}}; the ECF writes {quoted(there[0])}"
        yield Defect(row(opened, at, "channel"), message, f"write {there[0]}", count=count)


@rule("KWS406", "file-not-basename", cites=A5, plan=WARNING, tool=OK, needs=("content",))
def file_not_basename(opened: OpenRun) -> Iterator[Defect]:
    """file is the base name of the recording, without folders and extension.

    Why: the plan asks for the base name; tools differ in what they cut off.
    Bad: file="audio/BABEL_BP_106_72814_inLine.sph"
    Good: file="BABEL_BP_106_72814_inLine"
    Fix: write the bare name.
    NIST: F4DE cuts off folders and .sph, so that it passes.
    """
    table = detections(opened)
    if not table.files.any_has("/") and not table.files.any_has("."):
        return
    odd = np.array([excerpts.recording(name) != name for name in table.files], dtype=bool)
    for at, count in sampled(np.flatnonzero(odd[table.file])):
        name = excerpts.recording(table.files[table.file[at]])
        yield Defect(row(opened, at, "file"), "file is {value}, not a base name", f"write {name}", count=count)


RULES = (
    file_not_in_ecf,
    outside_excerpt,
    outside_excerpt_by_rounding,
    channel_spelling,
    file_not_basename,
)
