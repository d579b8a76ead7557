"""Keyword-search checks against xmllint and against starting Python, as ratios of one run.

    python benchmarks/kws.py [DETECTIONS]

Makes its data in benchmarks/data. Times are the best of three; memory is the peak of the process.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import kwsdata

HERE = Path(__file__).parent
SCHEMA = HERE.parent / "schemas" / "openkws" / "kwslist.xsd"


def measure(command: list[str], *, accepted: bool = False) -> tuple[float, float]:
    """Return the best time of three runs in seconds, and the peak memory in MB; ``accepted``: none may fail."""
    times, peak = [], 0
    for _ in range(3):
        began = time.perf_counter()
        child = os.fork()
        if child == 0:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            os.execvp(command[0], command)  # noqa: S606 - that is the point
        _, status, usage = os.wait4(child, 0)
        if accepted and status:
            raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        times.append(time.perf_counter() - began)
        peak = max(peak, usage.ru_maxrss)
    return min(times), peak / 1024


def main() -> None:
    """Print the table."""
    detections = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    subgate = str(Path(sys.executable).with_name("subgate"))
    print(f"{'what':46}{'seconds':>9}{'ratio':>7}{'MB':>7}")
    for wrong in ("", "tbeg", "decision", "file"):
        folder = HERE / "data" / f"kws-{detections}{'-' + wrong if wrong else ''}"
        target = folder / kwsdata.NAME
        if not target.exists():
            kwsdata.make(folder, detections, wrong=wrong)
        lint, _ = measure(["xmllint", "--noout", "--stream", "--schema", str(SCHEMA), str(target)])
        data = [
            f"--data={folder / name}"
            for name in ("babel999-v1.0_conv-dev.ecf.xml", "babel999-v1.0_conv-dev.kwlist.xml")
        ]
        ours, peak = measure([subgate, "check", str(target), *data])
        label = f"{detections} detections" + (f", {wrong} wrong in each" if wrong else "")
        print(f"{'xmllint, ' + label:46}{lint:9.2f}{1:7.2f}")
        print(f"{'subgate check, ' + label:46}{ours:9.2f}{ours / lint:7.2f}{peak:7.0f}")
    base, _ = measure([sys.executable, "-c", "import click"])
    print(f"{'python -c import click':46}{base:9.3f}{1:7.2f}")
    tiny = HERE.parent / "validator" / "examples" / "openkws13"
    run = next((tiny / "good").glob("*.kwslist.xml"))
    for label, command in (
        ("subgate --help", [subgate, "--help"]),
        ("subgate check, small KWSList", [subgate, "check", str(run), "--data", str(tiny / "database")]),
    ):
        ours, peak = measure(command)
        print(f"{label:46}{ours:9.3f}{ours / base:7.2f}{peak:7.0f}")


if __name__ == "__main__":
    main()
