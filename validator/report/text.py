"""The report for people: what, where, why, how to fix it; and the same four lines at the end."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from validator.model import Law, Severity, Verdict, verdict
from validator.report.measures import scores
from validator.report.plain import Paint, plural, size, visible, width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.model import Finding, Quote, Report

_ALL_OF = 3  # groups up to this size are shown finding by finding
_TOLD = 8  # messages of a group that are listed where they share one line
_HOUSE = "house rule"  # what a rule cites that neither the plan nor the official tool has
_MARGIN = 12  # columns of context kept in front of a caret when a line is cut
_NEEDS = {
    "whole": "give the whole submission folder",
    "content": "this file type is not read yet",
    "database": "give the database folder with --data",
    "report": "there is no report beside the run",
    "package:pypdf": "install pypdf: pip install 'subgate-eval[pdf]'",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How to write: colours, columns, seconds of the run if they are to be told, how much to say."""

    paint: Paint = field(default_factory=Paint)
    columns: int = 100
    seconds: float | None = None
    quiet: bool = False
    verbose: bool = False


def render(reports: list[Report], style: Style) -> str:
    """Write all reports."""
    parts = []
    for report in reports:
        head = [f"== {visible(report.path)}"] if len(reports) > 1 else []
        body = [] if style.quiet else _body(report, style)
        parts.append("\n".join([*head, *body, *scores(report, all_of_them=style.verbose), *_closing(report, style)]))
    if len(reports) > 1:
        answers = Counter(verdict(report) for report in reports)
        failed = f", {answers[None]} not judged" if answers[None] else ""
        accepted, rejected = answers[Verdict.ACCEPT], answers[Verdict.REJECT]
        parts.append(f"{len(reports)} submissions: {accepted} accepted, {rejected} rejected{failed}")
    return "\n\n".join(parts) + "\n"


def _groups(report: Report) -> list[list[Finding]]:
    """Group findings by file and rule, causes before consequences, errors before warnings."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in report.shown:
        groups.setdefault((finding.location.file, finding.rule.code), []).append(finding)
    causes = {finding.caused_by for finding in report.findings if finding.caused_by}
    return sorted(groups.values(), key=lambda group: _rank(group[0], causes))


def _rank(first: Finding, causes: set[str]) -> tuple[object, ...]:
    aside = first.severity is Severity.INFO
    return aside, first.location.file, -first.severity, first.rule.code not in causes, first.order


def _body(report: Report, style: Style) -> list[str]:
    followers = _followers(report)
    return [line for group in _groups(report) for line in _group(group, report, style, followers)]


def _group(
    group: list[Finding], report: Report, style: Style, followers: dict[tuple[str, str], dict[str, int]]
) -> Iterator[str]:
    first = group[0]
    samples = group if first.count <= _ALL_OF else group[:1]
    for finding in samples:
        yield from _finding(finding, report, style)
        if finding is samples[-1]:
            yield from _also(group, len(samples))
            yield from _consequences(followers.get((first.rule.code, first.location.file), {}))
        yield ""


def _finding(finding: Finding, report: Report, style: Style) -> Iterator[str]:
    kind = finding.severity.name.lower()
    head = style.paint(kind, f"{kind}[{finding.rule.code} {finding.rule.name}]")
    yield f"{head}: {visible(finding.message)}"
    where = finding.location
    position = "".join(f":{number}" for number in (where.line, where.column) if number is not None)
    yield f"  --> {visible(where.file)}{position}"
    if where.node:
        yield f"   at {visible(where.node)}"
    if where.quote is not None:
        yield from _excerpt(where.quote, finding.label, style)
    yield from _wrapped(" why: ", f"{finding.why.rstrip('.')} ({finding.cites})", style.columns)
    if finding.schema_says:
        yield from _wrapped(" xsd: ", finding.schema_says, style.columns)
    hint = finding.hint if finding.hint.endswith("..") else finding.hint.removesuffix(".")
    yield from _wrapped(" fix: ", hint, style.columns)
    judged = bool(report.official_tool) and Severity.ERROR in (finding.rule.plan, finding.rule.tool)
    if judged and finding.rule.law is not Law.BOTH:
        tool = report.official_tool
        who = "a house rule" if finding.rule.cites == _HOUSE else "only the plan"
        only_tool = f"{tool} refuses this; the plan does not forbid it"
        yield f" law: {f'{who} forbids this; {tool} lets it pass' if finding.rule.law is Law.PLAN else only_tool}"


def _wrapped(label: str, text: str, columns: int) -> list[str]:
    indent = " " * len(label)
    return textwrap.wrap(
        visible(text),
        columns,
        initial_indent=label,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _excerpt(quote: Quote, label: str, style: Style) -> Iterator[str]:
    margin = max(len(str(number or "")) for number, _ in quote.lines)
    room = style.columns - margin - 4
    yield f"{'':{margin}} |"
    for rank, (number, text) in enumerate(quote.lines):
        begin, end = (quote.begin, quote.end) if rank == quote.marked else (0, 0)
        shown, lead, marked = _cut(text, begin, end, room)
        yield f"{number or '':>{margin}} | {shown}"
        if rank == quote.marked:
            caret = style.paint("error", f"{'^' * max(1, marked)}{f' {visible(label)}' if label else ''}")
            yield f"{'':{margin}} | {_ruler(quote, text, shown, lead)}{caret}"
    yield f"{'':{margin}} |"


def _ruler(quote: Quote, text: str, shown: str, lead: int) -> str:
    """Count the fields in front of the caret, if the line is shown from its beginning."""
    line = " " * lead
    if shown.startswith("…") and not text.startswith("…"):
        return line
    for begin, mark in quote.ruler:
        at = width(_tabless(text[:begin]))
        if at + len(mark) < lead:
            line = f"{line[:at]}{mark}{line[at + len(mark) :]}"
    return line


def _tabless(text: str) -> str:
    return visible(text.replace("\t", "    "))


def _cut(text: str, begin: int, end: int, room: int) -> tuple[str, int, int]:
    """Cut a line to the room around its mark; return it with the columns before and under the mark."""
    pieces = [_tabless(part) for part in (text[:begin], text[begin:end], text[end:])]
    before, marked, after = pieces
    if width(before) + width(marked) + width(after) > room:
        keep = max(_MARGIN, room - width(marked) - _MARGIN)
        if width(before) > keep:
            before = "…" + _last(before, keep - 1)
        if width(before) + width(marked) > room:
            marked = _first(marked, max(1, room - width(before) - 1)) + "…"
            after = ""
        elif width(before) + width(marked) + width(after) > room:
            after = _first(after, room - width(before) - width(marked) - 1) + "…"
    return f"{before}{marked}{after}", width(before), width(marked)


def _first(text: str, room: int) -> str:
    used = 0
    for rank, char in enumerate(text):
        used += width(char)
        if used > room:
            return text[:rank]
    return text


def _last(text: str, room: int) -> str:
    return _first(text[::-1], room)[::-1]


def _also(group: list[Finding], shown: int) -> Iterator[str]:
    rest = group[0].count - shown
    if rest <= 0:
        return
    here = group[0].location.line
    alike = [finding for finding in group[shown:] if finding.location.line == here]
    if alike:  # the line would not tell them apart
        for finding in alike[:_TOLD]:
            yield f"also: {visible(finding.message)}"
        if rest > _TOLD:
            yield f"also: {rest - min(_TOLD, len(alike))} more in this file"
    else:
        lines = list(dict.fromkeys(str(finding.location.line) for finding in group[shown:] if finding.location.line))[
            :3
        ]
        where = f", next at line{'s' if len(lines) > 1 else ''} {', '.join(lines)}" if lines else ""
        yield f"also: {rest} more in this file{where}"


def _followers(report: Report) -> dict[tuple[str, str], dict[str, int]]:
    """Return what follows from the findings of a rule in a file: codes and numbers."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for finding in report.findings:
        if finding.caused_by:
            found.setdefault((finding.caused_by, finding.location.file), {})[finding.rule.code] = finding.count
    return found


def _consequences(followers: dict[str, int]) -> Iterator[str]:
    if followers:
        listed = ", ".join(f"{code} x{count}" for code, count in sorted(followers.items()))
        follow = "follow" if len(followers) > 1 or max(followers.values()) > 1 else "follows"
        yield f"then: {listed} {follow} from this and {'are' if follow == 'follow' else 'is'} not shown"


# -- the closing lines -------------------------------------------------------------------------------------------


def _closing(report: Report, style: Style) -> Iterator[str]:
    if report.crash is not None:
        yield style.paint("error", f"FAILED  {visible(report.crash)}")
        yield "This is a bug of subgate, not of the submission; please report it with this line and the file if you can"
        return
    if report.error is not None:
        yield style.paint("error", f"NOT JUDGED  {visible(report.error)}")
        return
    yield _checked(report, style)
    yield _rules(report)
    yield _found(report)
    yield _answer(report, style)
    for package in report.packages:
        yield f"packed  {visible(package.path)} ({size(package.bytes)}, {plural(len(package.members), 'members')})"
        yield f"        sha256 {package.sha256}"


def _checked(report: Report, style: Style) -> str:
    extent = report.extent
    records = f", {plural(extent.records, extent.unit)}" if extent.records else ""
    seconds = f" in {style.seconds:.1f} s" if style.seconds is not None else ""
    judged = f" as {report.evaluation} [{report.recognised}]" if report.evaluation else f" as {report.recognised}"
    return f"checked {plural(extent.files, 'files')} ({size(extent.bytes)}{records}){judged}{seconds}"


def _rules(report: Report) -> str:
    failed = {finding.rule.code for finding in report.findings if finding.severity is not Severity.INFO}
    run = len(report.rules_run)
    line = f"rules   {run} run, {run - len(failed)} passed, {len(failed)} failed"
    if not report.skipped:
        return line
    needs = Counter(skipped.needs for skipped in report.skipped)
    reasons = "; ".join(map(_lacking, needs))
    return f"{line}, {len(report.skipped)} could not run ({reasons})"


def _lacking(need: str) -> str:
    if need.startswith("part:"):
        return f"no {need.removeprefix('part:')} file beside it"
    if need.startswith("the "):
        return f"{need} is not there"
    return _NEEDS.get(need, f"no {need}: give --data")


def _found(report: Report) -> str:
    errors, warnings = report.occurrences(Severity.ERROR), report.occurrences(Severity.WARNING)
    groups = len({(f.rule.code, f.location.file) for f in report.shown if f.severity is Severity.ERROR})
    grouped = f" in {plural(groups, 'groups')}" if errors else ""
    return f"found   {plural(errors, 'errors')}{grouped}, {plural(warnings, 'warnings')}"


def _answer(report: Report, style: Style) -> str:
    plan, tool = verdict(report, Law.PLAN), verdict(report, Law.TOOL)
    laws = ""
    if plan is not tool and tool is not None and plan is not None:
        laws = f"  [plan: {plan.value}, {report.official_tool}: {tool.value}]"
    if verdict(report) is Verdict.ACCEPT:
        missing = sum(
            skipped.needs not in ("whole", "content", "report") and not skipped.needs.startswith("part:")
            for skipped in report.skipped
        )
        unread = any(skipped.needs == "content" for skipped in report.skipped)
        limits = [f"{plural(missing, 'checks')} need{'s' if missing == 1 else ''} --data"] if missing else []
        limits += ["the content was not read"] if unread else []
        return style.paint("good", "ACCEPTED") + (f" as far as checked ({'; '.join(limits)})" if limits else "") + laws
    counts: Counter[str] = Counter()
    for code, count in {
        (f.rule.code, f.location.file): f.count
        for f in report.findings
        if f.severity is Severity.ERROR and not f.caused_by
    }.items():
        counts[code[0]] += count
    listed = ", ".join(f"{code} x{count}" for code, count in counts.most_common())
    example = counts.most_common(1)[0][0] if counts else ""
    return f"{style.paint('error', 'REJECTED')}  {listed}{laws}      subgate explain {example}"
