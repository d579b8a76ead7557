"""The pipeline: files -> names and syntax -> rules -> findings -> report. It knows no evaluation by name."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from validator import __version__, formats
from validator.bundled import evaluations, schema
from validator.errors import ReferenceDataError, RuleCrash, UsageError, ValidatorError
from validator.findings import findings, scoring_only
from validator.formats.source import Watched, sha256
from validator.model import (
    Extent,
    Law,
    Report,
    RunReport,
    Scope,
    Severity,
    Skipped,
    Verdict,
    Wanted,
    verdict,
)
from validator.organizers import check_own_file, companions, stamp, usable
from validator.profile import Profile, all_profiles, load, recognised
from validator.references import parse_data
from validator.rulebook import rulebook, run_rule
from validator.scorestage import DryRun, dry_run, scorer_of
from validator.submission import Members, OpenRun, Run, Submission, compose, members

if TYPE_CHECKING:
    from collections.abc import Iterable

    from validator.findings import Found
    from validator.formats import Format
    from validator.formats.source import Source, Watch
    from validator.model import Defect, Finding, Package, Rule
    from validator.packing import Plan
    from validator.profile import Value
    from validator.references import Choice, References
    from validator.tables import Description


class Request(NamedTuple):
    """What the user asked for, the same for every PATH."""

    evaluation: str | None = None
    data: tuple[str, ...] = ()
    conventions: Law = Law.BOTH
    settings: tuple[tuple[str, str], ...] = ()
    schema_words: bool = False  # have each schema error explained by a second engine
    watch: Watch | None = None  # told of the bytes that are read
    scoring: Wanted | None = None  # score: only what prevents that rejects


def check(path: str, request: Request) -> Report:
    """Check one PATH; whatever it holds, the answer is a Report."""
    try:
        report = _check(path, request)
        return replace(report, findings=tuple(map(_in_words, report.findings))) if request.schema_words else report
    except RuleCrash as crash:
        return Report(path, request.evaluation, conventions=request.conventions, crash=str(crash))
    except (ValidatorError, OSError) as error:
        return Report(path, request.evaluation, conventions=request.conventions, error=_words(error))
    except Exception as error:  # noqa: BLE001 - our bug: it must not stop the other submissions
        words = f"{type(error).__name__} while checking {path}: {error}"
        return Report(path, request.evaluation, conventions=request.conventions, crash=words)


def _words(error: Exception) -> str:
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)


def _check(path: str, request: Request) -> Report:
    found = _watched(path, request)
    own = _organizers_file(found, request)
    if own is not None:
        if request.settings:
            raise UsageError(f"--set {request.settings[0][0]}: an organizers' file has no parameters")
        return check_own_file(found.sources[0], own, request.conventions, _companions(path, own, request))
    profile, how = _recognise(found, request)
    if request.conventions is Law.TOOL and not profile.official_tool:
        raise UsageError(f"{profile.name} has no official tool: --conventions tool has no meaning")
    submission = compose(found, profile, _values(profile, request))
    references = parse_data(request.data, profile)
    chosen = sorted({preset.parameter for preset in profile.presets})
    how = ", ".join([how, *(f"{name}={submission.parameters[name]}" for name in chosen)])
    run = _Pass(profile, request)
    submission, problems = _with_descriptions(submission, references)
    run.apply(Scope.SUBMISSION, submission, problems)
    for each in submission.runs:
        _check_run(each, submission, references, run)
    return run.report(submission, how)


def _watched(path: str, request: Request, stage: str = "") -> Members:
    """List the files of a PATH; whoever reads them is seen."""
    found = members(Path(path), path)
    if request.watch is None:
        return found
    return replace(found, sources=tuple(Watched(source, request.watch, stage) for source in found.sources))


def _values(profile: Profile, request: Request) -> dict[str, Value]:
    values = profile.values(dict(request.settings))
    scorer = scorer_of(profile) if request.settings else None
    return values if scorer is None else scorer.settle(values, {name for name, _ in request.settings})


def _with_descriptions(submission: Submission, references: References) -> tuple[Submission, Found]:
    """Read the descriptions and reports, and the references that are the same for all runs."""
    form = _format_of(submission.profile, "description")
    read = [(source.name, formats.read(form, source)) for source in submission.texts]
    side = [(source.name, formats.read(_format_of(submission.profile, "report"), source)) for source in submission.side]
    tables, digests = {}, {}
    for role in submission.profile.data:
        source = None if role.name else references.choose(role, submission.profile, {}).source
        needed = role.needed_with and submission.parameters[role.needed_with]
        if source is None and needed and references.is_database(submission.profile):
            raise ReferenceDataError(f"{role.needed_with} needs {role.role} in the database folder: {role.doc}")
        if source is not None:
            tables[role.role] = usable(source.path, role.format)
            digests[role.role] = _sha256(source.path, stamp(source.path))
    described = tuple((name, cast("Description", content.table)) for name, content in read)
    problems = [pair for _, content in (*read, *side) for pair in content.problems]
    reports = tuple((name, content.table) for name, content in side)
    found = replace(submission, descriptions=described, reports=reports, references=tables, digests=digests)
    return found, problems


def _format_of(profile: Profile, role: str) -> str:
    return next((known.format for known in profile.files if known.role == role), "")


def _check_run(run: Run, submission: Submission, references: References, through: _Pass) -> None:
    content = None
    if run.role is not None and run.role.format:
        content = formats.read(run.role.format, run.source)
        through.records += len(content)
    parts = {part.role.format: formats.read(part.role.format, part.source) for part in run.parts}
    choices: dict[str, Choice] = {}
    tables = dict(submission.references)
    for role in (known for known in submission.profile.data if known.name):
        named = content.named_list if content is not None and role.named_by_run else None
        choice = choices[role.role] = references.choose(role, submission.profile, run.values, named)
        if choice.source is not None:
            tables[role.role] = usable(choice.source.path, role.format)
    digests = {
        role: _sha256(choice.source.path, stamp(choice.source.path))
        for role, choice in choices.items()
        if choice.source is not None
    }
    digests |= submission.digests
    opened = OpenRun(run, submission, content, parts, choices, tables)
    problems = list(content.problems) if content is not None else []
    problems += [problem for part in parts.values() for problem in part.problems]
    through.apply(Scope.RUN, opened, problems)
    through.score(opened, digests, broken=any(_breaks(rule) for rule, _ in problems))


def _breaks(rule: Rule[object]) -> bool:
    return Severity.ERROR in (rule.plan, rule.tool) and not rule.scorable


class _Pass:
    """One submission's way through the rules: what was found, what ran, what could not."""

    def __init__(self, profile: Profile, request: Request) -> None:
        self._profile, self._request = profile, request
        self._runs: dict[str, RunReport] = {}
        self._found: Found = []
        self._ran: dict[str, None] = {}
        self._skipped: dict[Skipped, None] = {}
        self.records = 0

    def apply(
        self, scope: Scope, subject: OpenRun | Submission, problems: Iterable[tuple[Rule[object], Defect]]
    ) -> None:
        """Run all rules of a scope on a subject; the profile also weighs what its files' formats found."""
        weighed = {rule.code: rule for rule in rulebook(self._profile)}
        self._found.extend((weighed.get(rule.code, rule), defect) for rule, defect in problems)
        for rule in weighed.values():
            if not self._profile.can_have(rule.needs):
                continue
            if rule.check is None:
                self._ran[rule.code] = None
            elif rule.scope is scope:
                lacking = [need for need in rule.needs if subject.lacks(need)]
                if lacking:
                    self._skipped[Skipped(rule.name, subject.wanting(lacking[0]), rule.code)] = None
                else:
                    self._ran[rule.code] = None
                    self._found.extend((rule, defect) for defect in run_rule(rule, subject))

    def score(self, opened: OpenRun, digests: dict[str, str], *, broken: bool) -> None:
        """Score a run, for real or to see that it can be done."""
        wanted = self._request.scoring or Wanted()
        done = dry_run(opened, self._request.conventions, wanted, broken=broken)
        if done.scores is not None and not wanted.trials:
            done = replace(done, scores=done.scores.without_trials())
        known = {rule.code: rule for rule, defect in self._found if defect.where.file == opened.run.file}
        told = {code for rule in known.values() for code in rule.follows} if self._request.scoring is None else set()
        self._found.extend(
            (rule, defect)
            for rule, defect in done.found
            if rule.code not in told and not (self._request.scoring is None and known.keys() & set(rule.follows))
        )
        self._skipped.update(dict.fromkeys(done.skipped))
        signature = _signature(self._profile, self._request.conventions, digests)
        self._runs[opened.run.file] = _run_report(opened.run, opened.submission, signature, done)

    def report(self, submission: Submission, how: str) -> Report:
        """Put everything together."""
        unread = {run.file for run in submission.runs if run.role is None}
        found = self._found if self._request.scoring is None else scoring_only(self._found, unread)
        sources: dict[str, tuple[Source, str]] = {
            run.file: (run.source, run.role.format if run.role is not None else "") for run in submission.runs
        }
        sources |= {part.source.name: (part.source, part.role.format) for run in submission.runs for part in run.parts}
        sources |= {source.name: (source, _format_of(self._profile, "description")) for source in submission.texts}
        sources |= {source.name: (source, _format_of(self._profile, "report")) for source in submission.side}
        everything = [source for source, _ in sources.values()] + list(submission.others)
        extent = Extent(len(everything), sum(source.size for source in everything), self.records, self._profile.unit)
        return Report(
            submission.path,
            self._profile.name,
            how,
            self._request.conventions,
            self._profile.official_tool,
            tuple(submission.parameters.items()),
            findings(found, sources, self._request.conventions),
            tuple(skipped for skipped in self._skipped if skipped.code not in self._ran),
            tuple(self._runs.values()),
            extent,
            tuple(self._ran),
        )


@cache
def _sha256(path: Path, _stamp: tuple[str, int, int]) -> str:
    return sha256(path.open("rb"))


def _signature(profile: Profile, conventions: Law, data: dict[str, str]) -> str:
    """Say what a verdict depends on; two are comparable only if their signatures agree."""
    used = [*(role.format for role in profile.files), *(role.format for role in profile.data)]
    schemas = [profile.grammar, *map(formats.schema_of, used)]
    law = hashlib.sha256("".join(schema(name) for name in sorted(set(filter(None, schemas)))).encode()).hexdigest()
    given = hashlib.sha256("".join(f"{role}={digest};" for role, digest in sorted(data.items())).encode()).hexdigest()
    parts = [f"subgate:{__version__}", f"plan:{profile.name}", f"conventions:{conventions.value}", f"schema:{law[:8]}"]
    return "|".join([*parts, f"data:{given[:8] if data else 'none'}"])


def _run_report(run: Run, submission: Submission, signature: str, done: DryRun) -> RunReport:
    values, how = run.values, submission.profile.primaries
    return RunReport(
        run.stem,
        (run.file, *(part.source.name for part in run.parts)),
        values.get(how.system, "").startswith(how.prefix) if how.system else None,
        "+".join(values[name] for name in how.condition if values.get(name)) or None,
        done.scorable,
        f"{signature}|{done.scores.signature}" if done.scores else signature,
        done.reference,
        done.scores,
        done.differs,
    )


# -- the organizers' own files -----------------------------------------------------------------------------------


def _organizers_file(found: Members, request: Request) -> Format | None:
    """Tell whether the PATH is one of the organizers' files: by its content, unless its name is a run's."""
    if found.whole:
        return None
    source = found.sources[0]
    base = source.name.rsplit("/", 1)[-1]
    told = recognised([base])
    if request.evaluation in told or (told and not request.evaluation):
        return None
    if request.evaluation and all(run.suffix for run in compose(found, load(request.evaluation), {}).runs):
        return None
    known = formats.sniff(source)
    return known if known is not None and known.by_organizers else None


def _companions(path: str, known: Format, request: Request) -> dict[str, object]:
    """Read the other files of --data that an organizers' file is held against; its own name tells which are meant."""
    profiles = [load(request.evaluation)] if request.evaluation else all_profiles()
    profile = next((each for each in profiles if any(role.format == known.name for role in each.data)), profiles[0])
    references = parse_data(request.data, *all_profiles())
    wanted = companions(known) if request.data else set()
    stem = Path(path).name.rpartition("_")[0]
    tables = {}
    for role in (role for role in profile.data if role.role in wanted):
        source = references.choose(role, profile, dict.fromkeys(re.findall(r"\{(\w+)\}", role.name)[:1], stem)).source
        if source is not None:
            tables[role.role] = usable(source.path, role.format)
    return tables


def pack(path: str, request: Request, folder: Path, before: Iterable[Package] = ()) -> Report:
    """Check a PATH and, only if nothing is an error, write its archives and check them again.

    ``before`` are the archives of other PATHs: none of them is written over.
    """
    report = check(path, request)
    if verdict(report) is not Verdict.ACCEPT:
        return report
    from validator.packing import remove, write  # noqa: PLC0415 - a check never needs it

    written: list[Package] = []
    try:
        for plan in _laid_out(path, report, request, {Path(package.path).name for package in before}):
            folder.mkdir(parents=True, exist_ok=True)
            written.append(write(plan, folder, report))
            _pass_again(written[-1].path, request, report)
        return replace(report, packages=tuple(written))
    except RuleCrash as crash:
        failed = replace(report, crash=str(crash))
    except (ValidatorError, OSError) as error:
        failed = replace(report, error=_words(error))
    for package in written:
        remove(package)
    return failed


def _laid_out(path: str, report: Report, request: Request, taken: set[str]) -> tuple[Plan, ...]:
    """Plan the archives of an accepted submission; UsageError if there is nothing to pack, or one is taken already."""
    from validator.packing import plans  # noqa: PLC0415

    if report.evaluation is None:
        raise UsageError(f"{path} is one of the organizers' files: there is nothing to upload")
    profile = load(report.evaluation)
    submission = compose(_watched(path, request, "packing"), profile, _values(profile, request))
    if profile.package.whole and not submission.whole:
        raise UsageError(f"{path}: one archive holds the whole submission; give its folder")
    submission, _ = _with_descriptions(submission, parse_data(request.data, profile))
    laid_out = plans(submission)
    twins = taken & {plan.name for plan in laid_out}
    if twins:
        raise UsageError(f"{path}: another PATH of this call was packed as {min(twins)} already")
    return laid_out


def _pass_again(archive: str, request: Request, before: Report) -> None:
    """Check a finished archive: it must be accepted, and score as what was packed did."""
    whole = before.evaluation is not None and load(before.evaluation).package.whole
    settings = tuple(pair for pair in request.settings if whole or pair[0] != "complete")  # one of several is not all
    again = check(archive, request._replace(evaluation=before.evaluation, settings=settings))
    measured = {run.id: run.scores.measures for run in before.runs if run.scores is not None}
    for run in again.runs:
        if run.scores is not None and run.scores.measures != measured.get(run.id):
            raise RuleCrash(f"{run.id} has other scores in the archive {archive} than outside of it")
    if verdict(again) is not Verdict.ACCEPT:
        wrong = next((finding.message for finding in again.shown), again.error or again.crash)
        raise RuleCrash(f"the archive {archive} does not pass its own check: {wrong}")


def _in_words(finding: Finding) -> Finding:
    return replace(finding, schema_says=formats.schema_says(finding.rule.code, finding.location))


# -- recognising -------------------------------------------------------------------------------------------------


def _recognise(found: Members, request: Request) -> tuple[Profile, str]:
    if request.evaluation:
        return load(request.evaluation), "as asked"
    inside = [source.name for source in found.sources if source.name != found.path]
    fitting = _fitting(inside) or _fitting([found.path])  # what is inside of an archive tells more than its own name
    if len(fitting) == 1:
        return load(fitting[0]), "from the file names"
    reason = "its files belong to several evaluations" if fitting else "no file name tells the evaluation"
    raise UsageError(f"{found.path}: {reason}; say -e NAME, one of {', '.join(fitting or evaluations())}")


def _fitting(paths: list[str]) -> list[str]:
    return recognised([path.rsplit("/", 1)[-1] for path in paths])
