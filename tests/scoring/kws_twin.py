"""The slow, obvious keyword-search scorer: lists and loops, written from the OpenKWS13 plan and from what KWSEval does.

It shares no code with the scorer that it checks. Where the two laws differ, it asks for the law by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

COLLAR = 0.5
GAP = 0.5


class Token(NamedTuple):
    """One RTTM record."""

    type: str
    file: str
    channel: str
    begin: float
    duration: float
    text: str = "<NA>"
    subtype: str = "<NA>"
    speaker: str = "<NA>"


class Span(NamedTuple):
    """One excerpt: file id, channel, begin, duration, source type."""

    file: str
    channel: str
    begin: float
    duration: float
    source: str


class Detection(NamedTuple):
    """One detection of a keyword."""

    file: str
    channel: str
    begin: float
    duration: float
    score: float
    text: str
    yes: bool


class Occurrence(NamedTuple):
    """One reference: where, from the begin of its first word to the end of its last one."""

    file: str
    channel: str
    begin: float
    end: float
    first_end: float
    words: tuple[int, ...]


class Trial(NamedTuple):
    """One outcome."""

    file: str
    channel: str
    target: bool
    score: float | None
    text: str
    yes: bool

    @property
    def label(self) -> str:
        """Name it as NIST does."""
        if self.target:
            return "CORR" if self.yes and self.score is not None else "MISS"
        return "FA" if self.yes else "CORR!DET"


@dataclass
class Corpus:
    """Excerpts, keywords with their texts, references, and how texts are compared."""

    excerpts: list[Span]
    keywords: dict[str, str]
    tokens: list[Token]
    normalize: str = "lowercase"


@dataclass
class Measures:
    """What one experiment gives."""

    values: dict[str, float | None] = field(default_factory=dict)
    counts: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    trials: dict[str, list[Trial]] = field(default_factory=dict)


class Scorer:
    """One law: "plan" or "tool"."""

    def __init__(self, law: str, corpus: Corpus, beta: float = 999.9) -> None:
        self.plan = law == "plan"
        self.corpus = corpus
        self.beta = beta
        self.lexemes = [token for token in corpus.tokens if token.type == "LEXEME"]
        self.noscore = [token for token in corpus.tokens if token.type == "NOSCORE"] if self.plan else []

    # times

    def end(self, begin: float, duration: float) -> float:
        """Return the end of a record or an excerpt."""
        return round(begin + duration, 6) if self.plan else float(f"{begin + duration:.4f}")

    def gap(self, gap: float) -> float:
        """Return a silence as it is compared."""
        return round(gap, 6) if self.plan else float(f"{gap:.4f}")

    def system_time(self, time: float) -> float:
        """Return a time of a detection, or a bound for it."""
        return round(time, 6) if self.plan else time

    def is_hidden(self, file: str, channel: str, time: float) -> bool:
        """Tell whether a time lies in a NOSCORE region."""
        return any(
            (file, channel) == (one.file, one.channel) and one.begin <= time <= self.end(one.begin, one.duration)
            for one in self.noscore
        )

    def is_inside(self, file: str, channel: str, begin: float, end: float) -> bool:
        """Tell whether one excerpt holds a stretch."""
        return any(
            (file, channel) == (one.file, one.channel)
            and one.begin <= begin
            and end <= self.end(one.begin, one.duration)
            for one in self.corpus.excerpts
        )

    def duration(self) -> float:
        """Return the seconds of audio."""
        return self._plan_duration() if self.plan else self._tool_duration()

    def _tool_duration(self) -> float:
        total = 0.0
        for file in sorted({one.file for one in self.corpus.excerpts}):
            mine = sorted(
                (
                    (one.begin, self.end(one.begin, one.duration), one.source)
                    for one in self.corpus.excerpts
                    if one.file == file
                ),
                key=lambda one: one[:2],
            )
            for number, (begin, end, source) in enumerate(mine):
                for later in mine[number + 1 :]:
                    end = min(end, later[0])  # noqa: PLW2901
                total += (end - begin) * (0.5 if source == "splitcts" else 1)
        return total

    def _plan_duration(self) -> float:
        """Cut time at every bound there is and look at each piece."""
        total = 0.0
        for file in sorted({one.file for one in self.corpus.excerpts}):
            mine = [one for one in self.corpus.excerpts if one.file == file]
            bounds = {one.begin for one in mine} | {self.end(one.begin, one.duration) for one in mine}
            bounds |= {one.begin for one in self.noscore} | {self.end(one.begin, one.duration) for one in self.noscore}
            cuts = sorted(bounds)
            for low, high in pairwise(cuts):
                middle = (low + high) / 2
                alive = {
                    (one.channel, one.source == "splitcts")
                    for one in mine
                    if one.begin <= low
                    and high <= self.end(one.begin, one.duration)
                    and not self.is_hidden(file, one.channel, middle)
                }
                halves = sum(1 for _, halved in alive if halved)
                whole = any(not halved for _, halved in alive)
                total += (high - low) * (0.5 * halves + (1 if whole else 0))
        return total

    def trial_count(self) -> float:
        """Return the trials of each keyword."""
        return self.duration() if self.plan else float(f"{self.duration():.0f}")

    # references

    def lower(self, text: str) -> str:
        """Lower a text if the KWList asks for it."""
        return "".join(letter.lower() for letter in text) if self.corpus.normalize == "lowercase" else text

    def equal(self, word: str, text: str, rank: int) -> bool:
        """Tell whether a LEXEME is a keyword's word."""
        if rank and not self.plan:
            return self.lower(word).casefold() == self.lower(text).casefold()
        return self.lower(word) == self.lower(text)

    def successor(self, row: int) -> int | None:
        """Return the LEXEME that follows."""
        one = self.lexemes[row]
        line = [
            other
            for other, token in enumerate(self.lexemes)
            if (token.file, token.channel) == (one.file, one.channel) and (self.plan or token.speaker == one.speaker)
        ]
        if self.plan:

            def key(other: int) -> tuple[float, float, str]:
                token = self.lexemes[other]
                return token.begin, self.end(token.begin, token.duration), token.text

            in_time = sorted(line, key=key)
            position = in_time.index(row)
        else:
            in_time = sorted(line, key=lambda other: self.lexemes[other].begin)
            position = line.index(row)
        return in_time[position + 1] if position + 1 < len(in_time) else None

    def occurrences(self, text: str) -> list[Occurrence]:
        """Find a keyword."""
        if not self.plan:  # the tool compares what stands in the file, entities and all
            text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        words = text.split()
        found = []
        for start, token in enumerate(self.lexemes):
            if not self.plan and token.subtype in {"frag", "fp"}:
                continue
            row: int | None = start
            rows: list[int] = []
            for rank, word in enumerate(words):
                if row is None or not self.equal(word, self.lexemes[row].text, rank):
                    break
                if rows:
                    last = self.lexemes[rows[-1]]
                    silence = self.lexemes[row].begin - self.end(last.begin, last.duration)
                    if self.gap(silence) > GAP:
                        break
                rows.append(row)
                row = self.successor(row)
            if words and len(rows) == len(words):
                last = self.lexemes[rows[-1]]
                end = self.end(last.begin, last.duration)
                first_end = self.end(token.begin, token.duration)
                found.append(Occurrence(token.file, token.channel, token.begin, end, first_end, tuple(rows)))
        return found

    def references(self, text: str) -> list[Occurrence]:
        """Find the occurrences that count."""
        return [
            one
            for one in self.occurrences(text)
            if self.is_inside(one.file, one.channel, one.begin, one.first_end)
            and not self.is_hidden(one.file, one.channel, (one.begin + one.end) / 2)
        ]

    # occurrence scoring

    def scorable(self, detections: list[Detection]) -> list[Detection]:
        """Keep the detections that are trials."""
        return [
            one
            for one in detections
            if self.is_inside(one.file, one.channel, one.begin, self.system_time(one.begin + one.duration))
            and not self.is_hidden(one.file, one.channel, self.system_time(one.begin + one.duration / 2))
        ]

    def align(self, text: str, detections: list[Detection]) -> list[Trial]:
        """Align one keyword."""
        references, hits = self.references(text), self.scorable(detections)
        trials = []
        places = {(one.file, one.channel) for one in references} | {(one.file, one.channel) for one in hits}
        for place in sorted(places):
            mine = [one for one in references if (one.file, one.channel) == place]
            theirs = [one for one in hits if (one.file, one.channel) == place]
            scope = hits if self.plan else theirs
            mapped = self._mapping(mine, theirs, scope)
            for number, one in enumerate(theirs):
                trials.append(Trial(*place, number in mapped.values(), one.score, one.text, one.yes))
            trials += [Trial(*place, True, None, "", False)] * (len(mine) - len(mapped))
        return trials

    def _mapping(self, references: list[Occurrence], hits: list[Detection], scope: list[Detection]) -> dict[int, int]:
        """Return which reference is which detection."""
        lowest = min((one.score for one in scope), default=0.0)
        largest = max((one.score for one in scope), default=0.0)
        kernel: dict[tuple[int, int], float] = {}
        for r, ref in enumerate(references):
            for s, hit in enumerate(hits):
                middle = self.system_time(hit.begin + hit.duration / 2)
                low, high = self.system_time(ref.begin - COLLAR), self.system_time(ref.end + COLLAR)
                if low <= middle <= high:
                    hit_end = self.system_time(hit.begin + hit.duration)
                    overlap = min(ref.end, hit_end) - max(ref.begin, hit.begin)
                    time = overlap / max(0.00001, ref.end - ref.begin)
                    score = (hit.score - lowest) / max(0.0001 if self.plan else 0.00001, largest - lowest)
                    kernel[r, s] = 1 + 1e-8 * time + 1e-6 * score
        mapping: dict[int, int] = {}
        for cluster in _clusters(kernel):
            mapping |= _tried(cluster, kernel)
        return mapping

    def occurrence_scores(self, system: dict[str, list[Detection]]) -> Measures:
        """Score a system by occurrences."""
        trials = {kwid: self.align(text, system.get(kwid, [])) for kwid, text in self.corpus.keywords.items()}
        return self.measures(trials, self.trial_count())

    # measures

    def measures(self, trials: dict[str, list[Trial]], total: float) -> Measures:
        """Compute everything from the trials of each keyword."""
        result = Measures(trials=trials)
        for kwid, rows in trials.items():
            labels = [row.label for row in rows]
            targets = sum(row.target for row in rows)
            result.counts[kwid] = (targets, labels.count("CORR"), labels.count("FA"), labels.count("MISS"))
        evaluated = [kwid for kwid, counts in result.counts.items() if counts[0]]
        names = ("ATWV", "PMiss", "PFA", "MTWV", "MTWV_threshold", "OTWV", "STWV_supremum", "MAP", "ATWV_all_keywords")
        result.values = dict.fromkeys(names)
        if not evaluated or any(total - result.counts[kwid][0] <= 0 for kwid in trials):
            return result
        miss = _mean([result.counts[kwid][3] / result.counts[kwid][0] for kwid in evaluated])
        alarm = _mean([result.counts[kwid][2] / (total - result.counts[kwid][0]) for kwid in evaluated])
        alarm_all = _mean([counts[2] / (total - counts[0]) for counts in result.counts.values()])
        result.values |= {"PMiss": miss, "PFA": alarm, "ATWV": 1 - (miss + self.beta * alarm)}
        result.values["ATWV_all_keywords"] = 1 - (miss + self.beta * alarm_all)
        self._thresholds(result, {kwid: trials[kwid] for kwid in evaluated}, total)
        precision = [self._precision(trials[kwid], result.counts[kwid][0]) for kwid in evaluated]
        result.values["MAP"] = _mean(precision)
        return result

    def _at(self, rows: list[Trial], threshold: float, total: float) -> tuple[float, float]:
        """Return P_miss and P_FA of a keyword when scores from the threshold on are accepted."""
        targets = sum(row.target for row in rows)
        accepted = [row for row in rows if row.score is not None and row.score >= threshold]
        found = sum(row.target for row in accepted)
        return (targets - found) / targets, (len(accepted) - found) / (total - targets)

    def _thresholds(self, result: Measures, trials: dict[str, list[Trial]], total: float) -> None:
        scores = sorted({row.score for rows in trials.values() for row in rows if row.score is not None})
        thresholds = scores + ([float("inf")] if self.plan or not scores else [])
        best = -float("inf")
        single = dict.fromkeys(trials, -float("inf"))
        for threshold in thresholds:
            rates = {kwid: self._at(rows, threshold, total) for kwid, rows in trials.items()}
            miss, alarm = _mean([one[0] for one in rates.values()]), _mean([one[1] for one in rates.values()])
            twv = 1 - (miss + self.beta * alarm)
            if twv > best + 1e-12:
                best = twv
                result.values["MTWV_threshold"] = None if threshold == float("inf") else threshold
            for kwid, (p_miss, p_fa) in rates.items():
                single[kwid] = max(single[kwid], 1 - (p_miss + self.beta * p_fa))
        result.values["MTWV"] = best
        if scores or self.plan:
            result.values["OTWV"] = _mean(list(single.values()))
            omitted = [sum(row.target and row.score is None for row in rows) for rows in trials.values()]
            targets = [sum(row.target for row in rows) for rows in trials.values()]
            result.values["STWV_supremum"] = 1 - _mean([o / t for o, t in zip(omitted, targets, strict=True)])

    def _precision(self, rows: list[Trial], targets: int) -> float:
        """Return average precision: best first, non-targets first among equals; the tool compares texts."""
        scored = [row for row in rows if row.score is not None]
        scored.sort(key=lambda row: row.target)
        scored.sort(key=lambda row: row.score if self.plan else row.text, reverse=True)  # type: ignore[arg-type, return-value]
        total, found = 0.0, 0
        for rank, row in enumerate(scored, start=1):
            if row.target:
                found += 1
                total += found / rank
        return total / targets

    # segments

    def segments(self) -> tuple[list[tuple[int, float, float]], dict[int, int]]:
        """Cut the excerpts at the speakers' turns; tag each LEXEME with the segment that it lies in."""
        segments: list[tuple[int, float, float]] = []
        tags: dict[int, int] = {}
        for number, excerpt in enumerate(self.corpus.excerpts):
            end = self.end(excerpt.begin, excerpt.duration)
            turns = [
                token
                for token in self.corpus.tokens
                if token.type == "SPEAKER"
                and (token.file, token.channel) == (excerpt.file, excerpt.channel)
                and excerpt.begin <= token.begin
                and self.end(token.begin, token.duration) <= end
            ]
            reached = excerpt.begin
            for turn in sorted(turns, key=lambda turn: turn.begin):
                turn_end = self.end(turn.begin, turn.duration)
                if turn.begin > reached:
                    segments.append((number, reached, turn.begin))
                    reached = turn.begin
                if turn.begin == reached:
                    segments.append((number, turn.begin, turn_end))
                    reached = turn_end
                elif turn_end > reached:
                    segments[-1] = (number, segments[-1][1], turn_end)
                    reached = turn_end
                for row, token in enumerate(self.lexemes):
                    mine = (token.file, token.channel, token.speaker) == (turn.file, turn.channel, turn.speaker)
                    token_end = self.end(token.begin, token.duration)
                    if mine and segments[-1][1] <= token.begin and token_end <= segments[-1][2]:
                        tags[row] = len(segments) - 1
            if reached < end:
                segments.append((number, reached, end))
        return segments, tags

    def segment_scores(self, system: dict[str, list[Detection]]) -> Measures:
        """Score a system by segments."""
        segments, tags = self.segments()
        wanted: dict[str, set[int]] = {}
        if self.plan:
            segments, wanted = self._joined(segments)
        else:
            for kwid, text in self.corpus.keywords.items():
                ends = [(tags.get(one.words[0]), tags.get(one.words[-1])) for one in self.occurrences(text)]
                wanted[kwid] = {first for first, last in ends if first is not None and first == last}
        trials = {kwid: self._in_segments(segments, wanted[kwid], system.get(kwid, [])) for kwid in wanted}
        return self.measures(trials, float(len(segments)))

    def _joined(
        self, segments: list[tuple[int, float, float]]
    ) -> tuple[list[tuple[int, float, float]], dict[str, set[int]]]:
        """Join segments that a keyword spans, drop those in NOSCORE, and place the keywords."""
        everything = [one for text in self.corpus.keywords.values() for one in self.references(text)]
        segments = list(segments)
        for one in everything:
            touched = self._touched(segments, one)
            if len(touched) > 1:
                first, last = touched[0], touched[-1]
                segments[first : last + 1] = [(segments[first][0], segments[first][1], segments[last][2])]
        kept = [one for one in segments if not self._is_all_hidden(one)]
        wanted = {}
        for kwid, text in self.corpus.keywords.items():
            places = {segments[self._touched(segments, one)[0]] for one in self.references(text)}
            wanted[kwid] = {kept.index(place) for place in places if place in kept}
        return kept, wanted

    def _is_all_hidden(self, segment: tuple[int, float, float]) -> bool:
        excerpt = self.corpus.excerpts[segment[0]]
        return any(
            (one.file, one.channel) == (excerpt.file, excerpt.channel)
            and one.begin <= segment[1]
            and segment[2] <= self.end(one.begin, one.duration)
            for one in self.noscore
        )

    def _touched(self, segments: list[tuple[int, float, float]], one: Occurrence) -> list[int]:
        """Return the segments that an occurrence lies in, from the one that holds its begin on.

        They are those of the excerpt that holds its first word: the one for which it counts.
        """
        number = next(
            n
            for n, e in enumerate(self.corpus.excerpts)
            if (e.file, e.channel) == (one.file, one.channel)
            and e.begin <= one.begin
            and one.first_end <= self.end(e.begin, e.duration)
        )
        mine = [row for row, segment in enumerate(segments) if segment[0] == number]
        first = max((row for row in mine if segments[row][1] <= one.begin), default=mine[0])
        return [row for row in mine if row == first or (row > first and segments[row][1] < one.end)]

    def _in_segments(
        self, segments: list[tuple[int, float, float]], wanted: set[int], detections: list[Detection]
    ) -> list[Trial]:
        """Score one keyword by segments."""
        hits: dict[int, list[Detection]] = {}
        for one in detections:
            middle = self.system_time(one.begin + one.duration / 2)
            if self.is_hidden(one.file, one.channel, middle):
                continue
            row = next((row for row, s in enumerate(segments) if self._holds(s, one, middle)), None)
            if row is not None:
                hits.setdefault(row, []).append(one)
        best = {row: max(inside, key=lambda one: one.score) for row, inside in hits.items()}
        yes = {row: any(o.yes for o in inside) if self.plan else best[row].yes for row, inside in hits.items()}
        trials = []
        taken: set[int] = set()
        for row in sorted(wanted):
            found: int | None = row if row in best else None
            if found is None and not self.plan:
                on_bounds = [
                    other
                    for other, one in best.items()
                    if self._holds(segments[row], one, self.system_time(one.begin + one.duration / 2))
                ]
                found = max(on_bounds, key=lambda other: best[other].score, default=None)
            excerpt = self.corpus.excerpts[segments[row][0]]
            if found is None:
                trials.append(Trial(excerpt.file, excerpt.channel, True, None, "", False))
            else:
                taken.add(found)
                one = best[found]
                trials.append(Trial(excerpt.file, excerpt.channel, True, one.score, one.text, yes[found]))
        for row in set(best) - taken:
            one = best[row]
            trials.append(Trial(one.file, one.channel, False, one.score, one.text, yes[row]))
        return trials

    def _holds(self, segment: tuple[int, float, float], one: Detection, middle: float) -> bool:
        excerpt = self.corpus.excerpts[segment[0]]
        return (excerpt.file, excerpt.channel) == (one.file, one.channel) and segment[1] <= middle <= segment[2]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _clusters(kernel: dict[tuple[int, int], float]) -> list[list[int]]:
    """Put references together that compete, directly or not, for a detection."""
    clusters: list[tuple[set[int], set[int]]] = []
    for r, s in kernel:
        mine, theirs = {r}, {s}
        rest = []
        for references, hits in clusters:
            if r in references or s in hits:
                mine, theirs = mine | references, theirs | hits
            else:
                rest.append((references, hits))
        clusters = [*rest, (mine, theirs)]
    return [sorted(references) for references, _ in clusters]


def _tried(references: list[int], kernel: dict[tuple[int, int], float]) -> dict[int, int]:
    """Try every 1:1 mapping of some references: most pairs first, then the largest sum of kernels."""
    best: tuple[int, float, dict[int, int]] = (0, 0.0, {})

    def extend(rest: list[int], mapping: dict[int, int], worth: float) -> None:
        nonlocal best
        if (len(mapping), worth) > best[:2]:
            best = (len(mapping), worth, mapping)
        if not rest or len(mapping) + len(rest) < best[0]:
            return
        for (r, s), value in kernel.items():
            if r == rest[0] and s not in mapping.values():
                extend(rest[1:], {**mapping, r: s}, worth + value)
        extend(rest[1:], mapping, worth)

    extend(references, {}, 0.0)
    return best[2]
