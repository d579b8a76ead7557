"""MED checks with scoring against csv.reader, as ratios of one run.

    python benchmarks/med.py [CLIPS]

At MED11TEST size, 34000 clips and 10 events, a run as .tgz with all tables is checked and scored; csv.reader merely
iterates over the same tables. Then the same with ten times the clips. Makes its data in benchmarks/data. Times are the
best of three; memory is the peak of the process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import meddata
from kws import HERE, measure

_ITERATE = """
import csv, sys
for path in sys.argv[1:]:
    with open(path, newline="") as file:
        for row in csv.reader(file):
            pass
"""


def main() -> None:
    """Print the table."""
    clips = int(sys.argv[1]) if len(sys.argv) > 1 else 34_000
    subgate = str(Path(sys.executable).with_name("subgate"))
    print(f"{'what':46}{'seconds':>9}{'ratio':>7}{'MB':>7}")
    spent = []
    empty, _ = measure([sys.executable, "-c", "import csv"])
    for many in (clips, 10 * clips):
        folder = HERE / "data" / f"med-{many}"
        if not (folder / meddata.ARCHIVE).exists():
            meddata.make(folder, many)
        tables = sorted(map(str, folder.rglob("*.csv")))
        base = measure([sys.executable, "-c", _ITERATE, *tables])[0] - empty  # without the start of Python
        ours, peak = measure([subgate, "check", str(folder / meddata.ARCHIVE), "--data", str(folder)])
        spent.append(ours)
        print(f"{f'csv.reader, {10 * many} trials':46}{base:9.2f}{1:7.2f}")
        print(f"{f'subgate check, {10 * many} trials':46}{ours:9.2f}{ours / base:7.2f}{peak:7.0f}")
    print(f"{'ten times the clips':46}{'':9}{spent[1] / spent[0]:7.2f}")


if __name__ == "__main__":
    main()
