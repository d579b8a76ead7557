"""Keyword-search scoring against xmllint on the same KWSList, and how it grows.

    python benchmarks/kws_score.py [DETECTIONS ...]

Makes its data in benchmarks/data. Times are the best of three; memory is the peak of the process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import kwsdata
import numpy as np
from kws import HERE, SCHEMA, measure

RTTM_LINES = 2_000_000


def main() -> None:
    """Print the table."""
    sizes = [int(word) for word in sys.argv[1:]] or [100_000, 1_000_000, 3_000_000]
    subgate = str(Path(sys.executable).with_name("subgate"))
    print(f"{'what':52}{'seconds':>9}{'ratio':>7}{'MB':>7}")
    for detections in sizes:
        folder = HERE / "data" / f"kws-{detections}"
        target = folder / kwsdata.NAME
        if not target.exists():
            kwsdata.make(folder, detections)
        lint, _ = measure(["xmllint", "--noout", "--stream", "--schema", str(SCHEMA), str(target)])
        print(f"{f'xmllint, {detections} detections':52}{lint:9.2f}{1:7.2f}")
        for law in ("both", "tool", "plan"):
            call = [subgate, "score", str(target), "--data", str(folder), "--conventions", law, "--format", "json"]
            ours, peak = measure(call)
            print(f"{f'subgate score --conventions {law}, {detections}':52}{ours:9.2f}{ours / lint:7.2f}{peak:7.0f}")
    rttm_lines(subgate)


def rttm_lines(subgate: str) -> None:
    """Read an RTTM on its own, against xmllint on a KWSList of as many lines."""
    folder = HERE / "data" / "rttm"
    folder.mkdir(parents=True, exist_ok=True)
    rttm, kwslist = folder / "big.rttm", HERE / "data" / f"kws-{RTTM_LINES}" / kwsdata.NAME
    if not rttm.exists():
        files = [f"BABEL_BP_106_{number:05d}_20120201_{number:06d}_inLine" for number in range(kwsdata.RECORDINGS)]
        kwsdata.write_rttm(rttm, np.random.default_rng(1), files, RTTM_LINES // kwsdata.RECORDINGS)
    if not kwslist.exists():
        kwsdata.make(kwslist.parent, RTTM_LINES)
    lint, _ = measure(["xmllint", "--noout", "--stream", "--schema", str(SCHEMA), str(kwslist)])
    ours, peak = measure([subgate, "check", str(rttm)])
    print(f"{f'xmllint, KWSList of {RTTM_LINES} lines':52}{lint:9.2f}{1:7.2f}")
    print(f"{f'subgate check, RTTM of {RTTM_LINES} lines':52}{ours:9.2f}{ours / lint:7.2f}{peak:7.0f}")


if __name__ == "__main__":
    main()
