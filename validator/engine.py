"""The pipeline: files -> names and syntax -> rules -> findings -> report. It knows no evaluation by name."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from validator import __version__, formats
from validator.bundled import schema
from validator.errors import ReferenceDataError, RuleCrash, UsageError, ValidatorError
from validator.formats.source import Watched, sha256
from validator.model import (
    SAMPLES,
    Defect,
    Extent,
    Finding,
    Law,
    Location,
    Place,
    Quote,
    Report,
    Rule,
    RunReport,
    Scope,
    Severity,
    Skipped,
    Verdict,
    verdict,
    with_consequences,
)
from validator.profile import Profile, all_profiles, load
from validator.references import parse_data
from validator.submission import Members, OpenFile, OpenRun, Run, Submission, compose, members
from validator.suggest import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from validator.formats import Format
    from validator.formats.source import Source, Watch
    from validator.references import References
    from validator.tables import Description

Found = list[tuple[Rule[object], Defect]]


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for, the same for every PATH."""

    evaluation: str | None = None
    data: tuple[str, ...] = ()
    conventions: Law = Law.BOTH
    settings: tuple[tuple[str, str], ...] = ()
    schema_words: bool = False  # have each schema error explained by a second engine
    watch: Watch | None = None  # told of the bytes that are read


def check(path: str, request: Request) -> Report:
    """Check one PATH; whatever it holds, the answer is a Report."""
    try:
        report = _check(path, request)
        return replace(report, findings=tuple(map(_in_words, report.findings))) if request.schema_words else report
    except RuleCrash as crash:
        return Report(path, request.evaluation, conventions=request.conventions, crash=str(crash))
    except (ValidatorError, OSError) as error:
        return Report(path, request.evaluation, conventions=request.conventions, error=_words(error))


def _words(error: Exception) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)


def _check(path: str, request: Request) -> Report:
    found = members(Path(path), path)
    if request.watch is not None:
        found = replace(found, sources=tuple(Watched(source, request.watch) for source in found.sources))
    own = _organizers_file(found, request)
    if own is not None:
        return _check_own_file(found.sources[0], own, request)
    profile, how = _recognise(found, request)
    if request.conventions is Law.TOOL and not profile.official_tool:
        raise UsageError(f"{profile.name} has no official tool: --conventions tool has no meaning")
    submission = compose(found, profile, profile.values(dict(request.settings)))
    references = parse_data(request.data, profile)
    run = _Pass(profile, request.conventions)
    submission, problems = _with_descriptions(submission, references)
    run.apply(Scope.SUBMISSION, submission, problems)
    for each in submission.runs:
        _check_run(each, submission, references, run)
    return run.report(submission, how)


def _with_descriptions(submission: Submission, references: References) -> tuple[Submission, Found]:
    """Read the descriptions, and the references that are the same for all runs."""
    read = [(source.name, formats.read("description", source)) for source in submission.texts]
    tables = {}
    for role in submission.profile.data:
        source = None if role.name else references.choose(role, submission.profile, {}).source
        if source is not None:
            tables[role.role] = _usable(source.path, role.format)
    described = tuple((name, cast("Description", content.table)) for name, content in read)
    problems = [pair for _, content in read for pair in content.problems]
    return replace(submission, descriptions=described, references=tables), problems


def _check_run(run: Run, submission: Submission, references: References, through: _Pass) -> None:
    content = None
    if run.role is not None and run.role.format:
        content = formats.read(run.role.format, run.source)
        through.records += len(content)
    choices, tables = {}, {}
    for role in (known for known in submission.profile.data if known.name):
        named = content.named_list if content is not None and role.named_by_run else None
        choice = choices[role.role] = references.choose(role, submission.profile, run.values, named)
        if choice.source is not None:
            tables[role.role] = _usable(choice.source.path, role.format)
    digests = {role: _sha256(choice.source.path) for role, choice in choices.items() if choice.source is not None}
    through.signatures[run.stem] = _signature(submission.profile, through.conventions, digests)
    opened = OpenRun(run, submission, content, choices, tables)
    through.apply(Scope.RUN, opened, content.problems if content is not None else ())


class _Pass:
    """One submission's way through the rules: what was found, what ran, what could not."""

    def __init__(self, profile: Profile, conventions: Law) -> None:
        self._profile, self.conventions = profile, conventions
        self.signatures: dict[str, str] = {}
        self._found: Found = []
        self._ran: dict[str, None] = {}
        self._skipped: dict[Skipped, None] = {}
        self.records = 0

    def apply(
        self, scope: Scope, subject: OpenRun | Submission, problems: Iterable[tuple[Rule[object], Defect]]
    ) -> None:
        """Run all rules of a scope on a subject."""
        self._found.extend(problems)
        for rule in rulebook(self._profile):
            if not self._profile.can_have(rule.needs):
                continue
            if rule.check is None:
                self._ran[rule.code] = None
            elif rule.scope is scope:
                lacking = [need for need in rule.needs if subject.lacks(need)]
                if lacking:
                    self._skipped[Skipped(rule.name, lacking[0])] = None
                else:
                    self._ran[rule.code] = None
                    self._found.extend((rule, defect) for defect in _run_rule(rule, subject))

    def report(self, submission: Submission, how: str) -> Report:
        """Put everything together."""
        sources: dict[str, tuple[Source, str]] = {
            run.file: (run.source, run.role.format if run.role is not None else "") for run in submission.runs
        }
        sources |= {source.name: (source, "description") for source in submission.texts}
        everything = (*(run.source for run in submission.runs), *submission.texts, *submission.others)
        extent = Extent(len(everything), sum(source.size for source in everything), self.records, self._profile.unit)
        return Report(
            submission.path,
            self._profile.name,
            how,
            self.conventions,
            self._profile.official_tool,
            tuple(submission.parameters.items()),
            _findings(self._found, sources, self.conventions),
            tuple(self._skipped),
            tuple(_run_report(run, submission, self.signatures[run.stem]) for run in submission.runs),
            extent,
            tuple(self._ran),
        )


def _run_rule(rule: Rule[object], subject: object) -> list[Defect]:
    try:
        return list(rule.check(subject)) if rule.check is not None else []
    except Exception as error:
        where = subject.run.file if isinstance(subject, OpenRun) else getattr(subject, "path", "")
        raise RuleCrash(f"rule {rule.code} {rule.name} failed on {where}: {error!r}") from error


@cache
def _sha256(path: Path) -> str:
    return sha256(path.open("rb"))


def _signature(profile: Profile, conventions: Law, data: dict[str, str]) -> str:
    """Say what a verdict depends on; two are comparable only if their signatures agree."""
    used = [*(role.format for role in profile.files), *(role.format for role in profile.data)]
    schemas = [profile.grammar, *map(formats.schema_of, used)]
    law = hashlib.sha256("".join(schema(name) for name in sorted(set(filter(None, schemas)))).encode()).hexdigest()
    given = hashlib.sha256("".join(f"{role}={digest};" for role, digest in sorted(data.items())).encode()).hexdigest()
    parts = [f"subgate:{__version__}", f"plan:{profile.name}", f"conventions:{conventions.value}", f"schema:{law[:8]}"]
    return "|".join([*parts, f"data:{given[:8] if data else 'none'}"])


def _run_report(run: Run, submission: Submission, signature: str) -> RunReport:
    values, how = run.values, submission.profile.primaries
    condition = "+".join(values.get(name, "") for name in how.condition) or None
    primary = values.get(how.system, "").startswith(how.prefix)
    return RunReport(run.stem, (run.file,), primary, condition, signature=signature)


# -- the organizers' own files -----------------------------------------------------------------------------------


def _organizers_file(found: Members, request: Request) -> Format | None:
    """Tell whether the PATH is one of the organizers' files: by its content, unless its name is a run's."""
    if found.whole:
        return None
    source = found.sources[0]
    base = source.name.rsplit("/", 1)[-1]
    profiles = [load(request.evaluation)] if request.evaluation else all_profiles()
    if any(re.match(profile.recognise, base) for profile in profiles):
        return None
    if request.evaluation and compose(found, profiles[0], {}).runs[0].suffix:
        return None
    known = formats.sniff(source)
    return known if known is not None and known.judge else None


def pack(path: str, request: Request, folder: Path) -> Report:
    """Check a PATH and, only if nothing is an error, write its archives and check them again."""
    report = check(path, request)
    if verdict(report) is not Verdict.ACCEPT or report.evaluation is None:
        return report
    from validator.packing import plans, write  # noqa: PLC0415 - a check never needs it

    profile = load(report.evaluation)
    try:
        submission = compose(members(Path(path), path), profile, profile.values(dict(request.settings)))
        submission, _ = _with_descriptions(submission, parse_data(request.data, profile))
        packages = tuple(write(plan, folder, report) for plan in plans(submission))
        for package in packages:
            partial = tuple(pair for pair in request.settings if pair[0] != "complete")  # one archive is not all
            _pass_again(package.path, replace(request, evaluation=report.evaluation, settings=partial))
        return replace(report, packages=packages)
    except RuleCrash as crash:
        return replace(report, crash=str(crash))
    except (ValidatorError, OSError) as error:
        return replace(report, error=_words(error))


def _pass_again(archive: str, request: Request) -> None:
    again = check(archive, request)
    if verdict(again) is not Verdict.ACCEPT:
        wrong = next((finding.message for finding in again.shown), again.error or again.crash)
        raise RuleCrash(f"the archive {archive} does not pass its own check: {wrong}")


def _check_own_file(source: Source, known: Format, request: Request) -> Report:
    found, records, ran = _judged(source, known)
    findings = _findings(found, {source.name: (source, known.name)}, request.conventions)
    extent = Extent(1, source.size, records)
    how = f"an organizers' file, {known.name.upper()}"
    return Report(
        source.name, None, how, request.conventions, known.judge, findings=findings, extent=extent, rules_run=ran
    )


def _judged(source: Source, known: Format) -> tuple[Found, int, tuple[str, ...]]:
    content = formats.read(known.name, source)
    found = list(content.problems)
    subject = OpenFile(source.name, known.name, content)
    ran = [rule.code for rule in formats.rules(known.name)]
    for rule in _module("organizers"):
        if not any(subject.lacks(need) for need in rule.needs):
            ran.append(rule.code)
            found.extend((rule, defect) for defect in _run_rule(rule, subject))
    return found, len(content), tuple(ran)


@cache
def _usable(path: Path, format_name: str) -> object:
    """Read a reference once for all runs; one that breaks both laws cannot be used."""
    source = formats.source_of(path)
    known = formats.named(format_name)
    found, _, _ = _judged(source, known)
    faults = [pair for pair in found if pair[0].plan is pair[0].tool is Severity.ERROR]
    if faults:
        worst = min(_findings(faults, {source.name: (source, known.name)}, Law.BOTH), key=lambda f: f.order)
        line = f":{worst.location.line}" if worst.location.line else ""
        fix = worst.hint or worst.rule.doc.fix
        raise ReferenceDataError(f"the organizers' file {path}{line} cannot be used: {worst.message}; {fix}")
    return formats.read(format_name, source).table


def _in_words(finding: Finding) -> Finding:
    return replace(finding, schema_says=formats.schema_says(finding.rule.code, finding.location))


# -- recognising -------------------------------------------------------------------------------------------------


def _recognise(found: Members, request: Request) -> tuple[Profile, str]:
    if request.evaluation:
        return load(request.evaluation), "as asked"
    names = [name.rsplit("/", 1)[-1] for name in (found.path, *(source.name for source in found.sources))]
    fitting = [profile for profile in all_profiles() if any(re.match(profile.recognise, name) for name in names)]
    if len(fitting) == 1:
        return fitting[0], "from the file names"
    candidates = ", ".join(profile.name for profile in fitting or all_profiles())
    reason = "its files belong to several evaluations" if fitting else "no file name tells the evaluation"
    raise UsageError(f"{found.path}: {reason}; say -e NAME, one of {candidates}")


@cache
def _module(name: str) -> tuple[Rule[object], ...]:
    return tuple(import_module(f"validator.rules.{name}").RULES)


@cache
def rulebook(profile: Profile) -> tuple[Rule[object], ...]:
    """Return all rules of an evaluation, those of its formats included, with the profile's severities."""
    listed = {rule.code: rule for rule in _module(profile.rules)}
    for role in profile.files:
        if role.format:
            listed |= {rule.code: rule for rule in formats.rules(role.format)}
    overruled = dict(profile.severities)
    return tuple(
        replace(rule, plan=overruled[code][0], tool=overruled[code][1]) if code in overruled else rule
        for code, rule in sorted(listed.items())
    )


def find_rule(name: str) -> Rule[object]:
    """Return a rule by its code or name, in any letter case."""
    known = {key.casefold(): rule for rule in all_rules() for key in (rule.code, rule.name)}
    if name.casefold() not in known:
        guess = nearest(name.casefold(), known)
        raise UsageError(
            f"no rule {quoted(name)}" + (f"; did you mean {known[guess].code} {known[guess].name}?" if guess else "")
        )
    return known[name.casefold()]


def all_rules() -> tuple[Rule[object], ...]:
    """Return every rule of the house, sorted by code."""
    listed = {rule.code: rule for profile in all_profiles() for rule in rulebook(profile)}
    listed |= {rule.code: rule for rule in _module("organizers")}
    return tuple(rule for _, rule in sorted(listed.items()))


# -- findings ----------------------------------------------------------------------------------------------------


def _findings(found: Found, sources: dict[str, tuple[Source, str]], conventions: Law) -> tuple[Finding, ...]:
    """Group, locate, weigh and sort what was found."""
    groups: dict[tuple[str, str], Found] = {}
    for rule, defect in found:
        groups.setdefault((rule.code, defect.where.file), []).append((rule, defect))
    listed: list[tuple[Rule[object], Defect, int]] = []
    for pairs in groups.values():
        count = sum(defect.count for _, defect in pairs)
        placed = sorted(pairs, key=lambda pair: pair[1].where.offset or 0)
        listed.extend((rule, defect, count) for rule, defect in placed[:SAMPLES])
    places = {place for _, defect, _ in listed for place in (defect.where, defect.other) if place is not None}
    located = dict(_located(places, sources))
    weighed = (_finding(rule, defect, count, located, conventions) for rule, defect, count in listed)
    return tuple(sorted(with_consequences(weighed), key=lambda finding: finding.order))


def _located(places: set[Place], sources: dict[str, tuple[Source, str]]) -> Iterator[tuple[Place, Location]]:
    for file in sorted({place.file for place in places}):
        here = [place for place in places if place.file == file]
        source, known = sources.get(file, (None, ""))
        inside = [place for place in here if place.offset is not None]
        resolved = formats.locate(known, source, inside) if inside and known and source is not None else {}
        for place in here:
            yield place, resolved.get(place) or _named_place(place)


def _named_place(place: Place) -> Location:
    if place.span is None:
        return Location(place.file, node=place.node)
    base = place.file.rsplit("/", 1)[-1]
    value = base[slice(*place.span)]
    return Location(place.file, node=place.node, value=value, quote=Quote(((None, base),), 0, *place.span))


def _finding(
    rule: Rule[object], defect: Defect, count: int, located: dict[Place, Location], conventions: Law
) -> Finding:
    where = located[defect.where]
    other = located[defect.other].line if defect.other is not None else None
    message = defect.message.replace("{other}", f"line {other}")
    message = message.replace("{value}", quoted(where.value) if where.value is not None else "empty")
    remedy = defect.mend(where.value) if defect.mend is not None and where.value is not None else None
    return Finding(
        replace(rule, check=None),  # findings cross process borders; functions under a decorator cannot
        rule.severity(conventions),
        message,
        where,
        remedy.hint if remedy else defect.hint or rule.doc.fix,
        defect.why or rule.doc.why,
        defect.cites or rule.cites,
        remedy.label if remedy else defect.label,
        count,
    )
