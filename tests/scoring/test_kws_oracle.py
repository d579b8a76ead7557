"""Every run of the oracle: the official scorer (F4DE 3.5.0, KWSEval) against ours under its conventions.

tests/golden/kws/<case>/ holds the inputs and expected.json.gz, the official results with version and options.
Counts and alignments must be equal outside of what the case marks as tied, unstable or not comparable; measures to
1e-9 where they were serialised unrounded, otherwise as they are printed.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.scoring.kws_printed import Experiment, defined
from tests.scoring.kws_support import GOLDEN, TOOL, System, read_ecf, read_kwlist, read_kwslist, read_rttm
from validator.scoring.alignment import Outcome, align
from validator.scoring.conditions import (
    AttributeQuery,
    NamedSet,
    Part,
    by_attributes,
    by_keyword_sets,
    by_oov,
    by_source_types,
)
from validator.scoring.conventions import TwvParameters, beta
from validator.scoring.reference import reference
from validator.scoring.refusals import Obstacle, refusals
from validator.scoring.segments import align_segments, segment_reference
from validator.scoring.trials import trials
from validator.scoring.twv import measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from validator.scoring.alignment import Alignment
    from validator.scoring.reference import Reference
    from validator.scoring.segmentation import Segments

    Json = dict[str, Any]

TOLERANCE = 1e-9
EXEMPT = {"-N"}  # restricts the files by patterns; it has no counterpart
RUNS = [
    (path.name, run)
    for path in sorted(GOLDEN.glob("[0-9]*"))
    for run, options in ((r["name"], r["args"]) for r in json.loads((path / "case.json").read_text())["runs"])
    if not EXEMPT & set(options)
]


@lru_cache(maxsize=1)
def expectations(case: str) -> Json:
    """Read what the official scorer said about a case."""
    loaded: Json = json.loads(gzip.decompress((GOLDEN / case / "expected.json.gz").read_bytes()))["runs"]
    return loaded


@dataclass(frozen=True, slots=True)
class Options:
    """The official scorer's options in our words."""

    parameters: TwvParameters
    segments: bool
    title: str
    parts: tuple[tuple[str, str], ...]


def parsed(arguments: Sequence[str]) -> Options:
    """Translate options; what the scorer does not know is an error."""
    valued = {"-F": "0.5", "-S": "0.5", "-k": "0.1", "-K": "1", "-p": "0.0001", "-n": "1"}
    flags: set[str] = set()
    filters: list[str] = []
    parts: list[tuple[str, str]] = []
    rest = iter(arguments)
    for option in rest:
        if option in valued:
            valued[option] = next(rest)
        elif option == "-x":
            filters.append(next(rest))
        elif option in {"-Y", "-T", "-q"}:
            parts.append((option, next(rest)))
        elif option == "-w":
            parts.append((option, ""))
        else:
            assert option in {"-g", "-inc", "-j", "-P", "-O", "-B", "-D", "-G"}, option
            flags.add(option)
    number = {name: float(value) for name, value in valued.items()}
    parameters = TwvParameters(
        collar_s=number["-S"],
        gap_s=number["-F"],
        trials_per_second=number["-n"],
        beta=beta(number["-k"], number["-K"], number["-p"]),
        text_filter=tuple(filters),
        just_system_keywords="-j" in flags,
        pooled="-P" in flags,
        all_keywords="-inc" in flags,
    )
    return Options(parameters, "-g" in flags, "Segment" if "-g" in flags else "Occurrence", tuple(parts))


@dataclass(frozen=True, slots=True)
class Scored:
    """One run, scored by us."""

    reference: Reference
    system: System
    alignment: Alignment
    segments: Segments | None
    options: Options
    experiment: Experiment

    def part(self, alignment: Alignment, *, optimum_comparable: bool) -> Experiment:
        """Measure a part of the run."""
        table = trials(alignment, text=self.system.words)
        result = measure(table, TOOL, self.options.parameters)
        names = [keyword.kwid for keyword in self.reference.keywords.keywords]
        return Experiment(result, table, names, optimum_comparable)


def scored(case: str, expected: Json) -> Scored:
    """Score a run as the case asks."""
    folder, files, options = GOLDEN / case, expected["files"], parsed(expected["options"])
    known = reference(
        read_ecf(folder / files["ecf"]),
        read_kwlist(folder / files["kwlist"]),
        read_rttm(folder / files["rttm"]),
        TOOL,
        options.parameters,
    )
    system = read_kwslist(folder / files["kwslist"])
    segments = segment_reference(known) if options.segments else None
    alignment = align(known, system.kwslist) if segments is None else align_segments(segments, system.kwslist)
    table = trials(alignment, pooled=options.parameters.pooled, text=system.words)
    result = measure(table, TOOL, options.parameters)
    names = ["Pooled"] if options.parameters.pooled else [one.kwid for one in known.keywords.keywords]
    comparable = "optimum" not in expected.get("not_comparable", [])
    experiment = Experiment(result, table, names, comparable)
    return Scored(known, system, alignment, segments.segments if segments else None, options, experiment)


@pytest.mark.parametrize(("case", "run"), RUNS)
def test_agrees_with_the_official_scorer(case: str, run: str) -> None:
    """All that the official scorer says about a run is what we say."""
    expected = expectations(case)[run]
    mine = scored(case, expected)
    _refusals(mine, expected)
    if expected["exit"] != 0 and "full" not in expected:
        assert refusals(mine.reference, mine.system.kwslist, mine.experiment.result.basis)
        return
    if "header" in expected:
        assert mine.experiment.result.values["trials"] == float(expected["header"]["TotTrials"])
        assert mine.options.parameters.beta == pytest.approx(float(expected["header"]["BETA"]), rel=1e-9)
        if "TotDur" in expected["header"]:
            assert mine.reference.duration_s == pytest.approx(float(expected["header"]["TotDur"]), abs=1e-6)
    for title, cells in (expected.get("summary") or {}).items():
        assert title == mine.options.title
        _same_cells(cells, mine.experiment.summary())
    _same_blocks(expected.get("blocks") or {}, mine.experiment, mine.options.title)
    if "full" in expected:
        _same_full(expected["full"], mine.experiment)
    if "alignment" in expected:
        _same_alignment(case, mine, expected)


@pytest.mark.parametrize(
    ("case", "run"), [pair for pair in RUNS if "conditional_summary" in expectations(pair[0])[pair[1]]]
)
def test_parts_agree_with_the_conditional_reports(case: str, run: str) -> None:
    """Each group of a conditional report is one of our parts, cell by cell; -G (by accident of order) is exempt."""
    expected = expectations(case)[run]
    mine = scored(case, expected)
    found = {part.name: mine.part(part.alignment, optimum_comparable=True) for part in parts_of(mine)}
    if "-G" in expected["options"]:
        assert not found
        return
    assert set(found) == set(expected["conditional_summary"])
    for name, cells in expected["conditional_summary"].items():
        _same_cells(cells, found[name].summary())
    for name, experiment in found.items():
        rows = {
            block: {cell: text for cell, text in cells.items() if cell.startswith(f"{name}|")}
            for block, cells in expected["conditional_blocks"].items()
        }
        _same_blocks(rows, experiment, name, complete=False)
    for name, full in expected.get("conditional_full", {}).items():
        _same_full(full, found[name])


def parts_of(mine: Scored) -> tuple[Part, ...]:
    """Split a run as its options ask."""
    known, alignment, system = mine.reference, mine.alignment, mine.system.kwslist
    sets = []
    for option, text in mine.options.parts:
        name, colon, patterns = text.partition(":")
        if option == "-q":
            queries = [one.strip().partition(":regex=") for one in text.split("&&")]
            return by_attributes(known, alignment, [AttributeQuery(a, r if sep else None) for a, sep, r in queries])
        sets.append(NamedSet(name, tuple((patterns if colon else text).split(","))))
    kinds = {option for option, _ in mine.options.parts}
    if kinds == {"-T"}:
        return by_keyword_sets(known, alignment, sets)
    if kinds == {"-Y"}:
        return by_source_types(known, alignment, system, sets, mine.segments)
    return by_oov(known, alignment, system, mine.segments) if kinds == {"-w"} else ()


def _refusals(mine: Scored, expected: Json) -> None:
    found = {
        refusal.obstacle for refusal in refusals(mine.reference, mine.system.kwslist, mine.experiment.result.basis)
    }
    wanted = {Obstacle.UNKNOWN_KEYWORD} if "not found in termlist" in expected.get("error", "") else set()
    if "decision boundary" in expected.get("error", "") or expected["reports"] == ["-b", "-c"]:
        wanted = {Obstacle.NO_ONE_THRESHOLD}  # the block report alone does not look
    assert found == wanted


def _same_cells(printed: dict[str, str], cells: Json) -> None:
    wrong = {
        name: (text, cells.get(name))
        for name, text in printed.items()
        if text != "" and (name not in cells or not cells[name].prints(text)) and not _is_left_out(name, cells)
    }
    assert not wrong


def _is_left_out(name: str, cells: Json) -> bool:
    """Tell whether the oracle says that a cell cannot be compared: then its kind has no cell at all."""
    kind = name.partition("|")[0]
    return kind.startswith("Optimum") and not any(other.startswith(kind) for other in cells)


def _same_blocks(printed: dict[str, dict[str, str]], mine: Experiment, title: str, *, complete: bool = True) -> None:
    numbers = {name: number for number, name in enumerate(mine.names)}
    below = dict(mine.totals(title)) if printed else {}
    for name, cells in printed.items():
        kind, _, block = name.partition("|")
        wanted = {cell: text for cell, text in cells.items() if not cell.startswith("MetaData")}
        if kind == "Summary":
            _same_cells(wanted, below[name])
        else:
            rows = mine.block(numbers[block], title)
            assert bool(rows) == bool(wanted) or not complete
            _same_cells(wanted, rows)


def _close(mine: float | None, expected: float | None) -> bool:
    if mine is None or expected is None:
        return mine is expected
    return abs(mine - expected) <= TOLERANCE * max(1.0, abs(expected))


def _same_full(full: Json, mine: Experiment) -> None:
    values = mine.result.values
    assert values["trials"] == full["params"]["TotTrials"]
    pairs = [
        (values["ATWV"], full["actual"]["TWV"]),
        (values["PMiss"], full["actual"]["PMiss"]),
        (values["PFA"], full["actual"]["PFA"]),
        (values["MTWV"], full["maximum"]["COMB"]),
        (values["MTWV_PMiss"], full["maximum"]["MMISS"]),
        (values["MTWV_PFA"], full["maximum"]["MFA"]),
        (values["MTWV_threshold"], full["maximum"]["DETECTIONSCORE"]),
        (values["STWV_supremum"], full["supremum"]["COMB"]),
    ]
    if mine.optimum_comparable:
        pairs.append((values["OTWV"], full["optimum"]["COMB"]))
    if "global" in full:
        pairs.append((values["MAP"], full["global"]["MAP"]))
    for name, rates in (("PMiss", mine.result.p_miss), ("PFA", mine.result.p_fa), ("TWV", mine.result.twv)):
        if full["actual"][f"{name}_sd"] is not None:
            spread = rates[mine.result.basis.evaluated]
            pairs.append((float(np.nanstd(spread, ddof=1)), full["actual"][f"{name}_sd"]))
    assert [pair for pair in pairs if not _close(*pair)] == []
    _same_curve(full, mine)
    for number, name in enumerate(mine.names):
        if name in full["blocks"]:
            _same_block(full, mine, number)
    unevaluated = set(full["blocks"]) - set(mine.names)
    assert not any(full["blocks"][name]["targ"] for name in unevaluated)


def _same_curve(full: Json, mine: Experiment) -> None:
    curve = mine.result.det
    assert len(curve) == full["n_points"]
    for point in full["points"]:
        at = point["index"]
        assert _close(float(curve.threshold[at]), point["score"])
        assert _close(float(curve.p_miss[at]), point["PMiss"])
        assert _close(float(curve.p_fa[at]), point["PFA"])
        assert _close(float(curve.twv[at]), point["TWV"])


def _same_block(full: Json, mine: Experiment, number: int) -> None:
    name, tally = mine.names[number], mine.result.basis.tally
    block = full["blocks"][name]
    counts = {
        "corr": tally.correct,
        "corr_nondet": tally.rejected_non_targets,
        "fa": tally.false_alarms,
        "no_targ": tally.rejected_targets,
        "omitted": tally.omitted,
        "targ": tally.targets,
        "evaluated": mine.result.basis.evaluated,
    }
    assert {key: int(column[number]) for key, column in counts.items()} == {key: block[key] for key in counts}
    if block.get("supremum"):
        p_miss, twv = mine.supremum(number)
        assert _close(p_miss, block["supremum"]["MMISS"])
        assert _close(twv, block["supremum"]["COMB"])
    if block.get("optimum") and mine.optimum_comparable:
        best = mine.optimum(number)
        names = {"COMB": "TWV", "MFA": "PFA", "MMISS": "PMiss", "DETECTIONSCORE": "Dec. Thresh"}
        for key, ours in names.items():
            assert _close(best.get(ours), block["optimum"][key])
    if "global_blocks" in full:
        assert mine.result.average_precision is not None
        precision = defined(mine.result.average_precision[number])
        if precision is None and mine.result.basis.evaluated[number]:
            precision = 0.0
        assert _close(precision, full["global_blocks"]["MAP"][name])


def _same_alignment(case: str, mine: Scored, expected: Json) -> None:
    wanted = expected["alignment"]
    if "same_as" in wanted:
        wanted = expectations(case)[wanted["same_as"]]["alignment"]
    loose = {*expected.get("tied", ()), *(path.rpartition("/")[2] for path in expected["unstable"])}
    found: dict[str, Counter[tuple[object, ...]]] = {}
    for kwid, row in _rows(mine):
        found.setdefault(kwid, Counter())[_loosened(row) if kwid in loose else row] += 1
    rows = {
        kwid: Counter(_loosened(row) if kwid in loose else row for row in map(_row, lines))
        for kwid, lines in wanted.items()
        if lines
    }
    assert found == rows
    labels = {kwid: Counter(row[-1] for row in counted.elements()) for kwid, counted in found.items()}
    counts = {kwid: Counter(c) for kwid, c in expected["alignment_counts"].items() if c}
    assert labels == counts


def _loosened(row: tuple[object, ...]) -> tuple[object, ...]:
    file, channel, _, _, score, _, label = row
    return file, channel, score, label


def _row(line: Json) -> tuple[object, ...]:
    ref, sys = (None if line[name] is None else tuple(round(t, 4) for t in line[name]) for name in ("ref", "sys"))
    score = None if line["score"] is None else float(line["score"])
    return line["file"], line["channel"], ref, sys, score, line["decision"], line["status"]


def _rows(mine: Scored) -> Iterable[tuple[str, tuple[object, ...]]]:
    alignment, detections = mine.alignment, mine.system.kwslist.detections
    begin, end = alignment.ref_begin_s, alignment.ref_end_s
    for row in alignment.by_keyword(detections).tolist():
        place, hit = alignment.places[alignment.place[row]], int(alignment.detection[row])
        ref = None if alignment.target[row] < 0 else (round(float(begin[row]), 4), round(float(end[row]), 4))
        sys = score = decision = None
        if hit >= 0:
            start = float(detections.begin_s[hit])
            sys = (round(start, 4), round(start + float(detections.duration_s[hit]), 4))
            score, decision = float(detections.score[hit]), "YES" if detections.yes[hit] else "NO"
        label = Outcome(int(alignment.outcome[row])).label
        kwid = mine.reference.keywords.keywords[alignment.keyword[row]].kwid
        yield kwid, (place.file, place.channel, ref, sys, score, decision, label)
