"""Big language-recognition data: seg.ndx, a key, and two systems in all four conditions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

PLENTY = ("Basque", "Catalan", "English", "Galician", "Portuguese", "Spanish")
EMPTY = ("French", "German", "Greek", "Italian")
PDF = Path(__file__).parent.parent / "validator" / "examples" / "lre12" / "good" / "ACME_description.pdf"


def make(folder: Path, segments: int, form: str) -> None:
    """Write the data into a folder; ``form`` is how a score is written."""
    rng = np.random.default_rng(1)
    inside = folder / "submission"
    inside.mkdir(parents=True, exist_ok=True)
    names = [f"{number:06x}{'abcdefghij'[number % 10]}k" for number in range(segments)]
    languages = np.array([*PLENTY, *EMPTY, "Polish", "Arabic"])[rng.integers(0, 12, segments)]
    (folder / "seg.ndx").write_text("".join(f"{name}\n" for name in names))
    (folder / "key.txt").write_text("".join(f"{n} {lang}\n" for n, lang in zip(names, languages.tolist(), strict=True)))
    (inside / "BENCH_description.pdf").write_bytes(PDF.read_bytes())
    for condition in ("PC", "PO", "EC", "EO"):
        targets = PLENTY if condition[0] == "P" else EMPTY
        codes = f"{'Plenty' if condition[0] == 'P' else 'Empty'} {'Closed' if condition[1] == 'C' else 'Open'}"
        classes = np.array([targets.index(lang) if lang in targets else len(targets) for lang in languages.tolist()])
        for system in ("pri", "con1"):
            scores = rng.normal(-3, 2, (segments, len(targets) + 1))
            scores[np.arange(segments), classes] += 3
            line = " ".join([form] * scores.shape[1])
            rows = (f"{codes} {name} {line % tuple(row)}\n" for name, row in zip(names, scores.tolist(), strict=True))
            (inside / f"BENCH_{condition}_{system}.out").write_text("".join(rows))
