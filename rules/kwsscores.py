"""Keyword-search runs, scored: from an open run and its references to measures, under either law."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from validator.errors import UsageError
from validator.model import Law, Scores
from validator.scoring.alignment import Alignment, Outcome, align
from validator.scoring.conventions import (
    CaseRule,
    ChainOrder,
    DurationRule,
    MapOrder,
    ScoreRange,
    TwvConventions,
    TwvParameters,
    beta,
)
from validator.scoring.reference import Reference, reference
from validator.scoring.refusals import Refusal, refusals
from validator.scoring.trials import Trials, trials
from validator.scoring.twv import Twv, basis, measure
from validator.tables import Tokens

from . import kwsremarks
from .excerpts import ecf_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.formats.kwslist import KwsListFile
    from validator.model import Cell, Number, Wanted
    from validator.profile import Value
    from validator.submission import OpenRun
    from validator.tables import Ecf, KeywordList, KwsList
    from validator.tomltable import Setting

_ENUMS = {
    "duration_rule": DurationRule,
    "chain_order": ChainOrder,
    "first_word_case": CaseRule,
    "next_word_case": CaseRule,
    "score_range": ScoreRange,
    "map_order": MapOrder,
}
_DECIMALS = ("end_decimals", "gap_decimals", "system_decimals")
_PREPARED = 4  # references that are kept: two laws, with and without a stand-in
_FILTERS = ("charsplit", "notASCII", "deleteHyphens")


class Scored(NamedTuple):
    """One experiment: what was aligned and measured, kept to compare runs."""

    reference: Reference
    alignment: Alignment
    trials: Trials
    result: Twv


def conventions(settings: dict[str, Setting]) -> TwvConventions:
    """Make the scorer's conventions of a profile's values; a name that it does not know is an error."""
    values: dict[str, object] = {}
    for name, value in settings.items():
        if name in _ENUMS:
            values[name] = _ENUMS[name](value)
        elif name in _DECIMALS:
            values[name] = None if value == "none" else int(cast("float", value))
        else:
            values[name] = value
    return TwvConventions(**values)  # type: ignore[arg-type]


def parameters(values: dict[str, Value]) -> TwvParameters:
    """Make the scorer's parameters of those of the run."""
    filters = tuple(part for part in str(values["text_filter"]).split(",") if part)
    known = {name.casefold(): name for name in _FILTERS}
    wrong = [part for part in filters if part.casefold() not in known]
    if wrong:
        raise UsageError(f"text_filter {wrong[0]} is unknown: there are {', '.join(_FILTERS)}")
    return TwvParameters(
        collar_s=float(values["collar"]),
        gap_s=float(values["gap"]),
        trials_per_second=float(values["trials_per_second"]),
        beta=float(values["beta"]),
        text_filter=tuple(known[part.casefold()] for part in filters),
        just_system_keywords=bool(values["just_system_keywords"]),
        pooled=bool(values["pooled"]),
    )


class KwsScorer:
    """Scores results against RTTM, ECF and the list that ``role`` names; ``book`` has the rules of its remarks."""

    def __init__(self, role: str, book: kwsremarks.Book) -> None:
        self._role, self._book = role, book
        self._prepared: list[tuple[tuple[object, ...], Reference]] = []  # the newest few

    def settle(self, values: dict[str, Value], given: set[str]) -> dict[str, Value]:
        """Settle what depends on other parameters: beta follows from costs and prior unless it is given itself."""
        if not float(values["trials_per_second"]) > 0:
            raise UsageError("trials_per_second must be above 0")
        negative = [name for name in ("collar", "gap", "cost_fa", "beta") if float(values[name]) < 0]
        if negative:
            raise UsageError(f"{negative[0]} must not be negative")
        if "beta" in given:
            return values
        cost_fa, cost_miss, prior = (float(values[name]) for name in ("cost_fa", "cost_miss", "p_target"))
        if not (cost_miss > 0 and 0 < prior <= 1):
            raise UsageError("cost_miss must be above 0 and p_target between 0 and 1")
        return {**values, "beta": beta(cost_fa, cost_miss, prior)}

    def stand_in(self, opened: OpenRun) -> OpenRun:
        """Return the run with a reference made from ECF and KWList: each keyword once, in turn through the excerpts."""
        return replace(opened, references={**opened.references, "rttm": _stand_in(_ecf(opened), self._listed(opened))})

    def can_score(self, opened: OpenRun) -> Scores:
        """Align and count only, to see whether it can be done; the numbers mean nothing."""
        law = Law.TOOL if opened.submission.profile.official_tool else Law.PLAN
        ready, system = self._reference(opened, law), _system(opened)
        table = trials(align(ready, system), pooled=ready.parameters.pooled)
        refused = refusals(ready, system, basis(table, ready.parameters))
        remarks = tuple(kwsremarks.obstacles(opened, refused, self._book))
        return Scores({}, {}, _signature(ready.parameters), remarks=remarks)

    def score(self, opened: OpenRun, law: Law, wanted: Wanted) -> Scores:
        """Score a run under one law; laws that say the same about this run share one result."""
        kept, key = opened.once(_kept), self._key(opened, law)
        if key not in kept:
            kept[key] = self._score(opened, law, wanted)
        return kept[key]

    def _score(self, opened: OpenRun, law: Law, wanted: Wanted) -> Scores:
        """Score a run: by occurrences, and by inferred segments where the evaluation has them."""
        ready = self._reference(opened, law)
        system = _system(opened)
        main = _experiment(ready, align(ready, system), system)
        refused = refusals(ready, system, main.result.basis)
        remarks = tuple(kwsremarks.obstacles(opened, refused, self._book))
        if any(map(kwsremarks.forbids, refused)):
            return _unscored(refused, remarks, ready)
        remarks += tuple(kwsremarks.standouts(opened, ready, main.result, self._book))
        measures, undefined = _named(main.result, "")
        more, missing = _by_segments(ready, system) if _has_segments(opened) else ({}, {})
        breakdown = {"keyword": _keywords(ready, main.result)}
        for choice in wanted.by:
            breakdown[choice] = list(_parts(choice, ready, main.alignment, system))
        spread = {}
        if wanted.intervals:
            from validator.scoring.resampling import Resampling, intervals  # noqa: PLC0415

            found = intervals(main.result, main.trials, Resampling(), reject_all=ready.conventions.reject_all_point)
            spread = {name: (interval.low, interval.high) for name, interval in found.items()}
        return Scores(
            {**measures, **more},
            {**undefined, **missing},
            _signature(ready.parameters),
            breakdown,
            spread,
            remarks,
            lambda: _rows(main.alignment, ready, system),
            main,
        )

    def compare(self, first: Scores, second: Scores) -> dict[str, Cell]:
        """Compare the ATWV of two runs keyword by keyword."""
        from validator.scoring.resampling import Resampling, compare  # noqa: PLC0415

        one, other = cast("Scored", first.material), cast("Scored", second.material)
        found = compare(one.result, other.result, Resampling())
        if found is None:
            return {"measure": "ATWV", "difference": None, "reason": "they share fewer than two evaluated keywords"}
        return {
            "measure": "ATWV",
            "difference": found.difference,
            "low": found.interval.low,
            "high": found.interval.high,
            "p_value": found.p_value,
            "keywords": found.keywords,
            "better": found.better,
            "equal": found.equal,
            "worse": found.worse,
            "seed": found.settings.seed,
        }

    def _reference(self, opened: OpenRun, law: Law) -> Reference:
        """Find the references once for all runs that share them."""
        settings = opened.submission.profile.scoring.under(law)
        values = parameters(opened.submission.parameters)
        ecf, kwlist, tokens = _ecf(opened), self._listed(opened), cast("Tokens", opened.references["rttm"])
        key = (ecf, kwlist, tokens, opened.submission.profile, law, values)
        for known, ready in self._prepared:
            if key == known:  # the tables are compared by identity, the parameters by value
                return ready
        ready = reference(ecf, kwlist, tokens, conventions(settings), values)
        self._prepared = [(key, ready), *self._prepared[: _PREPARED - 1]]
        return ready

    def _key(self, opened: OpenRun, law: Law) -> TwvConventions:
        """Return the conventions, without those that make no difference to this run."""
        found = conventions(opened.submission.profile.scoring.under(law))
        keywords = self._listed(opened).keywords
        if not any(mark in keyword.text for keyword in keywords for mark in "&<>\"'"):
            found = found._replace(entities_decoded=False)
        if {one.kwid for one in _system(opened).lists} <= {keyword.kwid for keyword in keywords}:
            found = found._replace(unknown_keyword_refused=False)
        return found

    def _listed(self, opened: OpenRun) -> KeywordList:
        return cast("KeywordList", opened.references[self._role])


def _kept(_opened: OpenRun) -> dict[TwvConventions, Scores]:
    """Make the place where the scores of a run are kept."""
    return {}


def _has_segments(opened: OpenRun) -> bool:
    return any(name.startswith("segment.") for name in opened.submission.profile.measures)


def _by_segments(ready: Reference, system: KwsList) -> tuple[dict[str, Number], dict[str, str]]:
    from validator.scoring.segments import align_segments, segment_reference  # noqa: PLC0415

    return _named(_experiment(ready, align_segments(segment_reference(ready), system), system).result, "segment.")


def _ecf(opened: OpenRun) -> Ecf:
    return cast("Ecf", opened.references.get("scoring-ecf") or opened.references["ecf"])


def _system(opened: OpenRun) -> KwsList:
    return cast("KwsListFile", opened.content).table


def _experiment(ready: Reference, aligned: Alignment, system: KwsList) -> Scored:
    text = system.detections.score_text if ready.conventions.map_order is MapOrder.TEXT else None
    table = trials(aligned, pooled=ready.parameters.pooled, text=text)
    return Scored(ready, aligned, table, measure(table, ready.conventions, ready.parameters))


def _named(result: Twv, prefix: str) -> tuple[dict[str, Number], dict[str, str]]:
    measures = {f"{prefix}{name}": value for name, value in result.values.items()}
    return dict(measures), {f"{prefix}{name}": reason for name, reason in result.undefined.items()}


def _unscored(refused: tuple[Refusal, ...], remarks: tuple[object, ...], ready: Reference) -> Scores:
    reason = next(refusal.message for refusal in refused if kwsremarks.forbids(refusal))
    names = ("ATWV", "MTWV", "PMiss", "PFA")
    return Scores(dict.fromkeys(names), dict.fromkeys(names, reason), _signature(ready.parameters), remarks=remarks)  # type: ignore[arg-type]


def _keywords(ready: Reference, result: Twv) -> list[dict[str, Cell]]:
    if ready.parameters.pooled:
        return []
    tally = result.basis.tally
    columns = {
        "targets": tally.targets,
        "correct": tally.correct,
        "false_alarms": tally.false_alarms,
        "misses": tally.misses,
    }
    counts = {name: column.tolist() for name, column in columns.items()}
    rates = {
        name: _or_none(column) for name, column in (("PMiss", result.p_miss), ("PFA", result.p_fa), ("TWV", result.twv))
    }
    member = result.basis.evaluated | (tally.detections > 0)
    return [
        {"id": keyword.kwid, **{name: values[row] for name, values in (*counts.items(), *rates.items())}}
        for row, keyword in enumerate(ready.keywords.keywords)
        if member[row]
    ]


def _or_none(column: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float | None]:
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - NaN


def _parts(choice: str, ready: Reference, aligned: Alignment, system: KwsList) -> Iterator[dict[str, Cell]]:
    """Measure the parts of an experiment: source-type, oov, keywords=NAME:PATTERN,..., attribute=NAME[:REGEX]."""
    from validator.scoring import conditions as split  # noqa: PLC0415 - only for breakdowns

    kind, _, rest = choice.partition("=")
    if kind == "oov":
        parts = split.by_oov(ready, aligned, system)
    elif kind == "source-type":
        types = sorted(set(ready.base.source_types))
        parts = split.by_source_types(ready, aligned, system, [split.NamedSet(name, (name,)) for name in types])
    elif kind == "keywords" and rest:
        name, colon, patterns = rest.partition(":")
        chosen = tuple((patterns if colon else name).split(","))
        parts = split.by_keyword_sets(ready, aligned, [split.NamedSet(name, chosen)])
    elif kind == "attribute" and rest:
        queries = [query.partition(":") for query in rest.split("&&")]
        asked = [split.AttributeQuery(name.strip(), pattern or None) for name, _, pattern in queries]
        known = {name for keyword in ready.keywords.keywords for name, _ in keyword.attributes}
        unknown = next((query.attribute for query in asked if query.attribute not in known), None)
        if unknown is not None:
            there = f"they have {', '.join(sorted(known))}" if known else "they have none"
            raise UsageError(f"--by {choice}: no keyword has an attribute {unknown}; {there}")
        parts = split.by_attributes(ready, aligned, asked)
    else:
        raise UsageError(f"--by {choice}: write source-type, oov, keywords=NAME:PATTERN,... or attribute=NAME[:REGEX]")
    for part in parts:
        measures, _ = _named(_experiment(ready, part.alignment, system).result, "")
        yield {"id": part.name, **{name: measures[name] for name in _TELLING}, **measures}


_TELLING = ("ATWV", "MTWV", "PMiss", "PFA", "targets")  # of a part: what to look at first


def _rows(aligned: Alignment, ready: Reference, system: KwsList) -> Iterator[dict[str, Cell]]:
    """Give the alignment row by row, as error analysis wants it."""
    detections, kwids = system.detections, [keyword.kwid for keyword in ready.keywords.keywords]
    begin, end = aligned.ref_begin_s, aligned.ref_end_s
    for row in aligned.by_keyword(detections).tolist():
        found, target = int(aligned.detection[row]), int(aligned.target[row])
        place = aligned.places[aligned.place[row]] if aligned.place[row] >= 0 else None
        heard = found >= 0
        start = float(detections.begin_s[found]) if heard else None
        yield {
            "keyword": kwids[aligned.keyword[row]],
            "file": place.file if place else detections.files[detections.file[found]],
            "channel": place.channel if place else detections.channels[detections.channel[found]],
            "ref_begin": float(begin[row]) if target >= 0 else None,
            "ref_end": float(end[row]) if target >= 0 else None,
            "sys_begin": start,
            "sys_end": start + float(detections.duration_s[found]) if start is not None else None,
            "score": float(detections.score[found]) if heard else None,
            "decision": ("YES" if detections.yes[found] else "NO") if heard else None,
            "outcome": Outcome(int(aligned.outcome[row])).label,
        }


def _signature(values: TwvParameters) -> str:
    """Name what the measures depend on; flags only where they are not as usual."""
    always = {"beta": values.beta, "collar": values.collar_s, "gap": values.gap_s, "n": values.trials_per_second}
    shown = [f"{name}={value:g}" for name, value in always.items()]
    shown += [f"filter={'+'.join(values.text_filter)}"] if values.text_filter else []
    shown += [name for name in ("just_system_keywords", "pooled") if getattr(values, name)]
    return f"TWV({','.join(shown)})"


def _stand_in(ecf: Ecf, kwlist: KeywordList) -> Tokens:
    """Make a transcript: each keyword once, in turn through the excerpts, its words a tenth of a second long."""
    files = {name: rank for rank, name in enumerate(dict.fromkeys(map(ecf_recording, ecf.excerpts)))}
    channels = {name: rank for rank, name in enumerate(dict.fromkeys(excerpt.channel for excerpt in ecf.excerpts))}
    words: dict[str, int] = {}
    rows: list[tuple[int, int, float, int]] = []
    for rank, keyword in enumerate(kwlist.keywords if ecf.excerpts else ()):
        turn, number = divmod(rank, len(ecf.excerpts))
        excerpt = ecf.excerpts[number]
        for place, word in enumerate(keyword.text.split()):
            begin = excerpt.begin_s + (turn + 0.1 * place) % max(0.1, excerpt.duration_s - 0.1)
            text = words.setdefault(word, len(words))
            rows.append((files[ecf_recording(excerpt)], channels[excerpt.channel], begin, text))
    file, channel, begins, texts = (
        (np.array(column) for column in zip(*rows, strict=True)) if rows else (np.zeros(0),) * 4
    )
    same = np.zeros(len(rows), dtype=np.int32)
    return Tokens(
        type=same,
        file=file.astype(np.int32),
        channel=channel.astype(np.int32),
        begin_s=begins.astype(np.float64),
        duration_s=np.full(len(rows), 0.1),
        text=texts.astype(np.int32),
        subtype=same,
        speaker=same,
        line=np.arange(1, len(rows) + 1, dtype=np.int32),
        types=("LEXEME",),
        files=tuple(files),
        channels=tuple(channels),
        texts=tuple(words),
        subtypes=("lex",),
        speakers=("stand-in",),
    )


SCORER = KwsScorer("kwlist", kwsremarks.BOOK)
