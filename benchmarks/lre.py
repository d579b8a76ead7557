"""Language recognition, checked and scored, against a plain Python pass over the same lines, as a ratio of one run.

    python benchmarks/lre.py [SEGMENTS]

All four conditions with two systems each. The pass that it is compared with splits every line and converts its scores
with ``float``, nothing else. Makes its data in benchmarks/data; times are the best of three, memory is the peak.
The second table has a tenth of the segments, to see that the cost grows no faster than the data.
"""

from __future__ import annotations

import sys
from pathlib import Path

import lredata
from kws import measure

HERE = Path(__file__).parent
_PLAIN = """
import sys
for name in sys.argv[1:]:
    with open(name) as stream:
        for line in stream:
            fields = line.split()
            [float(text) for text in fields[3:]]
"""


def main() -> None:
    """Print the table."""
    segments = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    subgate = str(Path(sys.executable).with_name("subgate"))
    print(f"{'what':60}{'seconds':>9}{'ratio':>7}{'MB':>7}")
    for count in (segments // 10, segments):
        for form in ("%.4f", "%.18e"):
            folder = HERE / "data" / f"lre-{count}-{form[1:]}"
            if not folder.exists():
                lredata.make(folder, count, form)
            runs = sorted(map(str, (folder / "submission").glob("*.out")))
            label = f"{count} segments, 8 runs, {form}"
            plain, peak = measure([sys.executable, "-c", _PLAIN, *runs])
            print(f"{'split and float, ' + label:60}{plain:9.2f}{1:7.2f}{peak:7.0f}")
            for command in ("check", "score"):
                call = [subgate, command, str(folder / "submission"), "-e", "lre12", "--data", str(folder)]
                ours, peak = measure(call, accepted=True)
                print(f"{f'subgate {command} with key, {label}':60}{ours:9.2f}{ours / plain:7.2f}{peak:7.0f}")


if __name__ == "__main__":
    main()
