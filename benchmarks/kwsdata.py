"""Big keyword-search data: an ECF, a KWList and a KWSList in the usual form, optionally with a wrong value per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Spoken = NDArray[np.float64]

KEYWORDS = 2000
RECORDINGS = 90
DURATION_S = 600.0  # 90 recordings of 10 minutes: 15 hours
NAME = "KWS13_BENCH_babel999-v1.0_conv-dev_BaDev_KWS_FullLP_BaseLR_NTAR_p-big_1.kwslist.xml"


def make(folder: Path, detections: int, *, wrong: str = "") -> Path:
    """Write the data into a folder and return the KWSList; ``wrong`` names an attribute to spoil in every row."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    files = [f"BABEL_BP_106_{number:05d}_20120201_{number:06d}_inLine" for number in range(RECORDINGS)]
    excerpts = "".join(
        f'  <excerpt audio_filename="audio/{name}.sph" channel="1" tbeg="0.000" dur="{DURATION_S:.3f}" '
        'source_type="splitcts"/>\n'
        for name in files
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    total = f'<ecf source_signal_duration="{RECORDINGS * DURATION_S:.3f}" version="1" language="tagalog">\n'
    (folder / "babel999-v1.0_conv-dev.ecf.xml").write_text(f"{head}{total}{excerpts}</ecf>\n")
    keywords = "".join(f'  <kw kwid="KW-{k:05d}"><kwtext>word{k}</kwtext></kw>\n' for k in range(KEYWORDS))
    (folder / "babel999-v1.0_conv-dev.kwlist.xml").write_text(
        f'{head}<kwlist ecf_filename="x" version="1" language="tagalog" encoding="UTF-8" '
        f'compareNormalize="lowercase">\n{keywords}</kwlist>\n'
    )
    spoken = write_rttm(folder / "babel999-v1.0_conv-dev.rttm", rng, files, 1200)
    target = folder / NAME
    with target.open("w") as stream:
        stream.write(
            f'{head}<kwslist kwlist_filename="babel999-v1.0_conv-dev.kwlist.xml" language="tagalog" system_id="x">\n'
        )
        for keyword in range(KEYWORDS):
            stream.write(f'  <detected_kwlist kwid="KW-{keyword:05d}" search_time="1.2" oov_count="0">\n')
            stream.write(_rows(rng, files, detections // KEYWORDS, wrong, spoken[spoken[:, 0] == keyword]))
            stream.write("  </detected_kwlist>\n")
        stream.write("</kwslist>\n")
    return target


def write_rttm(target: Path, rng: np.random.Generator, files: list[str], per_file: int) -> Spoken:
    """Write a transcript with words at even distances; return keyword, file and begin of each."""
    words = rng.integers(0, KEYWORDS * 2, len(files) * per_file)
    step = DURATION_S / per_file
    where = np.repeat(np.arange(len(files)), per_file)
    begin = np.tile(np.arange(per_file) * step, len(files))
    with target.open("w") as stream:
        stream.writelines(
            f"LEXEME {files[file]} 1 {a:.3f} {step * 0.8:.3f} word{word} lex spk1 <NA>\n"
            for word, file, a in zip(words.tolist(), where.tolist(), begin.tolist(), strict=True)
        )
        stream.writelines(f"SPEAKER {name} 1 0.000 {DURATION_S:.3f} <NA> <NA> spk1 <NA>\n" for name in files)
    return np.column_stack([words, where, begin])


def _rows(rng: np.random.Generator, files: list[str], count: int, wrong: str, spoken: Spoken) -> str:
    """Write detections, most references among them.

    The wrong ones have a decimal comma, a small letter, or a file that nobody gave out.
    """
    hits = spoken[rng.random(len(spoken)) < 0.7][:count]
    rest = count - len(hits)
    file_codes = np.concatenate([hits[:, 1].astype(int), rng.integers(0, len(files), rest)])
    begins = np.concatenate([hits[:, 2] + 0.05, rng.random(rest) * (DURATION_S - 1)])
    order = np.lexsort((begins, file_codes))
    where, begin = file_codes[order].tolist(), begins[order]
    length, score = rng.random(count) * 0.8 + 0.1, rng.random(count)
    rows = []
    for file, a, b, c in zip(where, begin.tolist(), length.tolist(), score.tolist(), strict=True):
        values = {
            "file": files[file],
            "channel": "1",
            "tbeg": f"{a:.3f}",
            "dur": f"{b:.3f}",
            "score": f"{c:.6f}",
            "decision": "YES" if c > 0.5 else "NO",
        }
        if wrong == "file":
            values["file"] = f"NOBODY_{int(a * 1e6)}_{int(b * 1e6)}"
        elif wrong:
            values[wrong] = values[wrong].replace(".", ",").lower()
        rows.append("    <kw " + " ".join(f'{name}="{value}"' for name, value in values.items()) + "/>\n")
    return "".join(rows)
