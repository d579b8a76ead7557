"""Big MED data: the organizers' five tables, and one MEDFull run as the archive that the plan's command makes."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = [f"E{number:03d}" for number in range(6, 16)]
RUN = "BENCH_MED11_MED11TEST_MEDFull_AutoEAG_p-big_1"
ARCHIVE = "MED11_BENCH_MED11TEST_1.tgz"
SHARE = 0.003  # of the clips, positive for an event
_SECTIONS = (
    ("Experiment Identifier(s)", RUN),
    ("System Description", "Random numbers."),
    ("Metadata Generation System Hardware Description and Runtime Computation", "TPT: 100 hours"),
    ("Event Agent Execution Hardware Description", "One desktop computer."),
    ("Training data and knowledge sources", "None."),
    ("References", "None."),
)


def _table(header: tuple[str, ...], *columns: list[str]) -> str:
    lines = ['","'.join(values) for values in (header, *zip(*columns, strict=True))]
    return "".join(f'"{line}"\n' for line in lines)


def make(folder: Path, clips: int) -> None:
    """Write the tables, the run's files and the archive into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    ids = [f"{clip:06d}" for clip in range(clips)]
    clip_column = [clip for clip in ids for _ in EVENTS]
    event_column = EVENTS * clips
    trials = [f"{clip}.{event}" for clip, event in zip(clip_column, event_column, strict=True)]
    target = rng.random(len(trials)) < SHARE
    score = np.clip(rng.normal(np.where(target, 0.6, 0.3), 0.12), 0.0, 1.0)
    durations = [f"{seconds:.2f}" for seconds in rng.uniform(10, 300, clips).tolist()]
    positive = np.flatnonzero(target).tolist()
    tables = {
        "TrialIndex": _table(("TrialID", "ClipID", "EventID"), trials, clip_column, event_column),
        "Ref": _table(("TrialID", "Targ"), trials, ["y" if flag else "n" for flag in target.tolist()]),
        "ClipMD": _table(
            ("ClipID", "MEDIA_FILE", "CODEC", "MD5SUM", "DURATION"),
            ids,
            [f"HVC{clip}.mp4" for clip in ids],
            ["h264"] * clips,
            [f"{number:032x}" for number in range(clips)],
            durations,
        ),
        "EventDB": _table(("EventID", "EventName"), EVENTS, [f"Event {event}" for event in EVENTS]),
        "JudgementMD": _table(
            ("ClipID", "EventID", "INSTANCE_TYPE"),
            [clip_column[row] for row in positive],
            [event_column[row] for row in positive],
            ["positive"] * len(positive),
        ),
    }
    for name, text in tables.items():
        (folder / f"MED11TEST_{name}.csv").write_text(text)
    thresholds = _table(("EventID", "DetectionThreshold", "DetectionTPT"), EVENTS, ["0.55"] * 10, ["1.5"] * 10)
    run = {
        "txt": "".join(f"Section {n} {title}\n{body}\n\n" for n, (title, body) in enumerate(_SECTIONS, start=1)),
        "detection.csv": _table(("TrialID", "Score"), trials, [f"{value:.6f}" for value in score.tolist()]),
        "threshold.csv": thresholds,
    }
    (folder / "run").mkdir(exist_ok=True)
    with tarfile.open(folder / ARCHIVE, "w:gz") as archive:
        for suffix, text in run.items():
            (folder / "run" / f"{RUN}.{suffix}").write_text(text)
            info = tarfile.TarInfo(f"./output/{RUN}/{RUN}.{suffix}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
