"""Spoken Web Search: check and score of a big stdlist against xmllint on the same file, and how it grows.

    python benchmarks/sws.py [DETECTIONS ...]

500 queries over 20 hours in 10000 recordings. Makes its data in benchmarks/data. Times are the best of three; memory
is the peak of the process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from kws import HERE, measure

SCHEMA = HERE.parent / "schemas" / "std" / "stdlist.xsd"
QUERIES, RECORDINGS, DURATION_S, OCCURRENCES = 500, 10_000, 7.2, 20
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def make(folder: Path, detections: int) -> Path:
    """Write ECF, term list, RTTM and a stdlist; return the stdlist."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    files = [f"sws2013_{number:05d}" for number in range(RECORDINGS)]
    queries = [f"sws2013_dev_{number:03d}" for number in range(QUERIES)]
    with (folder / "sws2013.ecf.xml").open("w") as stream:
        stream.write(f'{HEAD}<ecf source_signal_duration="{RECORDINGS * DURATION_S:.3f}" version="1">\n')
        stream.writelines(
            f'<excerpt audio_filename="Audio/{name}.wav" channel="1" tbeg="0.000" dur="{DURATION_S:.3f}" '
            'language="multiple" source_type="cts"/>\n'
            for name in files
        )
        stream.write("</ecf>\n")
    with (folder / "sws2013_dev.tlist.xml").open("w") as stream:
        stream.write(f'{HEAD}<termlist ecf_filename="sws2013.ecf.xml" version="1" language="multiple">\n')
        stream.writelines(f'<term termid="{name}"><termtext>{name}</termtext></term>\n' for name in queries)
        stream.write("</termlist>\n")
    where = rng.integers(0, RECORDINGS, (QUERIES, OCCURRENCES))
    begin = np.round(rng.random((QUERIES, OCCURRENCES)) * (DURATION_S - 1), 3)
    with (folder / "sws2013_dev.rttm").open("w") as stream:
        for query, name in enumerate(queries):
            stream.writelines(
                f"LEXEME {files[file]} 1 {at:.3f} 0.600 {name} lex SELF <NA>\n"
                for file, at in zip(where[query].tolist(), begin[query].tolist(), strict=True)
            )
    target = folder / "sws2013-big.stdlist.xml"
    with target.open("w") as stream:
        stream.write(
            f'{HEAD}<stdlist termlist_filename="sws2013_dev.tlist.xml" indexing_time="1.00" language="multiple" '
            'index_size="1" system_id="big">\n'
        )
        for query, name in enumerate(queries):
            stream.write(f'<detected_termlist termid="{name}" term_search_time="1.00" oov_term_count="0">\n')
            stream.write(_rows(rng, files, detections // QUERIES, np.column_stack([where[query], begin[query]])))
            stream.write("</detected_termlist>\n")
        stream.write("</stdlist>\n")
    return target


def _rows(rng: np.random.Generator, files: list[str], count: int, spoken: np.ndarray) -> str:
    """Write detections, most occurrences among them with higher scores."""
    hits = spoken[rng.random(len(spoken)) < 0.7][:count]
    rest = count - len(hits)
    where = np.concatenate([hits[:, 0].astype(int), rng.integers(0, len(files), rest)]).tolist()
    begin = np.concatenate([hits[:, 1] + 0.01, rng.random(rest) * (DURATION_S - 1)]).tolist()
    score = np.concatenate([rng.normal(5, 3, len(hits)), rng.normal(-4, 3, rest)]).tolist()
    length = (rng.random(count) * 0.5 + 0.3).tolist()
    return "".join(
        f'<term file="{files[file]}" channel="1" tbeg="{a:.3f}" dur="{b:.3f}" score="{c:.4f}" '
        f'decision="{"YES" if c >= 4.2 else "NO"}"/>\n'
        for file, a, b, c in zip(where, begin, length, score, strict=True)
    )


def main() -> None:
    """Print the table."""
    sizes = [int(word) for word in sys.argv[1:]] or [500_000, 1_500_000, 5_000_000]
    subgate = str(Path(sys.executable).with_name("subgate"))
    print(f"{'what':46}{'seconds':>9}{'ratio':>7}{'MB':>7}")
    for detections in sizes:
        folder = HERE / "data" / f"sws-{detections}"
        target = folder / "sws2013-big.stdlist.xml"
        if not target.exists():
            make(folder, detections)
        lint, _ = measure(["xmllint", "--noout", "--stream", "--schema", str(SCHEMA), str(target)])
        print(f"{f'xmllint, {detections} detections':46}{lint:9.2f}{1:7.2f}")
        for command in ("check", "score"):
            ours, peak = measure([subgate, command, str(target), "-e", "sws2013", "--data", str(folder)])
            print(f"{f'subgate {command}, {detections} detections':46}{ours:9.2f}{ours / lint:7.2f}{peak:7.0f}")


if __name__ == "__main__":
    main()
