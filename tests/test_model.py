"""The words the house speaks: severities under each conventions, consequences, verdicts, docstrings taken apart."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator.formats.problems import Problems
from validator.model import (
    SAMPLES,
    Defect,
    Finding,
    Law,
    Location,
    Place,
    Report,
    Rule,
    Severity,
    Verdict,
    parse_doc,
    rule,
    sampled,
    verdict,
    with_consequences,
)

OK, INFO, WARNING, ERROR = Severity.OK, Severity.INFO, Severity.WARNING, Severity.ERROR
FIXED = settings(derandomize=True, deadline=None, max_examples=100)


def a_rule(
    code: str = "X1", plan: Severity = ERROR, tool: Severity = ERROR, *, safety: bool = False, follows: str = ""
) -> Rule[object]:
    """Make a rule."""
    return Rule(code, code.lower(), "Plan 1", plan, tool, "It is so.", follows=tuple(follows.split()), safety=safety)


def a_finding(broken: Rule[object], conventions: Law = Law.BOTH, file: str = "a.xml", count: int = 1) -> Finding:
    """Make a finding of a rule."""
    return Finding(
        broken, broken.severity(conventions), "so", Location(file), "mend it", "because", "Plan 1", count=count
    )


def a_report(*broken: Rule[object], conventions: Law = Law.BOTH, tool: str = "F4DE") -> Report:
    """Make a report with a finding of each rule."""
    findings = tuple(a_finding(each, conventions) for each in broken)
    return Report("a.xml", "openkws13", conventions=conventions, official_tool=tool, findings=findings)


# -- severities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "tool", "under_plan", "under_tool", "under_both"),
    [
        (ERROR, ERROR, ERROR, ERROR, ERROR),
        (ERROR, WARNING, ERROR, WARNING, ERROR),
        (ERROR, OK, ERROR, WARNING, ERROR),
        (OK, ERROR, WARNING, ERROR, ERROR),
        (WARNING, WARNING, WARNING, WARNING, WARNING),
        (WARNING, OK, WARNING, WARNING, WARNING),
        (INFO, INFO, INFO, INFO, INFO),
        (INFO, OK, INFO, INFO, INFO),
        (INFO, WARNING, WARNING, WARNING, WARNING),
    ],
)
def test_severities_under_each_conventions(
    plan: Severity, tool: Severity, under_plan: Severity, under_tool: Severity, under_both: Severity
) -> None:
    """The law that decides rejects; what only the other law rejects is a warning; under both the stricter counts."""
    broken = a_rule(plan=plan, tool=tool)
    found = [broken.severity(law) for law in (Law.PLAN, Law.TOOL, Law.BOTH)]
    assert found == [under_plan, under_tool, under_both]


@pytest.mark.parametrize(("plan", "tool", "law"), list(product(Severity, Severity, Law)))
def test_no_law_is_lenient_where_it_rejects_and_none_rejects_for_the_other(
    plan: Severity, tool: Severity, law: Law
) -> None:
    """For all pairs: an error exactly if the law that decides says so; a finding never disappears."""
    severity = a_rule(plan=plan, tool=tool).severity(law)
    decisive = {Law.PLAN: (plan,), Law.TOOL: (tool,), Law.BOTH: (plan, tool)}[law]
    assert (severity is ERROR) == (ERROR in decisive)
    assert (severity is OK) == (plan is tool is OK)
    assert a_rule(plan=plan, tool=tool, safety=True).severity(law) is ERROR


@pytest.mark.parametrize(
    ("plan", "tool", "law"),
    [
        (ERROR, ERROR, Law.BOTH),
        (ERROR, OK, Law.PLAN),
        (ERROR, WARNING, Law.PLAN),
        (OK, ERROR, Law.TOOL),
        (INFO, ERROR, Law.TOOL),
        (WARNING, OK, Law.PLAN),
        (OK, WARNING, Law.TOOL),
        (WARNING, INFO, Law.BOTH),
        (INFO, INFO, Law.BOTH),
    ],
)
def test_whose_law_a_finding_breaks(plan: Severity, tool: Severity, law: Law) -> None:
    """Both, unless only one of them minds, or only one of them rejects."""
    assert a_rule(plan=plan, tool=tool).law is law


# -- verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "tool", "wanted"),
    [
        (ERROR, ERROR, ("reject", "reject", "reject", "reject", "reject")),
        (ERROR, OK, ("reject", "accept", "reject", "accept", "reject")),
        (OK, ERROR, ("accept", "reject", "accept", "reject", "reject")),
        (WARNING, INFO, ("accept", "accept", "accept", "accept", "accept")),
    ],
)
def test_both_verdicts_in_one_run(plan: Severity, tool: Severity, wanted: tuple[str, ...]) -> None:
    """Of the plan and of the tool whatever decides; and the one that counts, under each conventions."""
    broken = a_rule(plan=plan, tool=tool)
    laws = [verdict(a_report(broken, conventions=law), asked) for law in Law for asked in (Law.PLAN, Law.TOOL)]
    assert laws == [Verdict(wanted[0]), Verdict(wanted[1])] * 3
    own = [verdict(a_report(broken, conventions=law)) for law in (Law.PLAN, Law.TOOL, Law.BOTH)]
    assert own == [Verdict(each) for each in wanted[2:]]


def test_nothing_found_is_accepted() -> None:
    """Under every law."""
    assert {verdict(a_report(), law) for law in (None, Law.PLAN, Law.TOOL)} == {Verdict.ACCEPT}


def test_one_error_among_many_warnings_rejects() -> None:
    """Warnings and hints never do."""
    mild = [a_rule(f"W{number}", WARNING, INFO) for number in range(5)]
    assert verdict(a_report(*mild)) is Verdict.ACCEPT
    assert verdict(a_report(*mild, a_rule())) is Verdict.REJECT


def test_safety_rejects_under_any_conventions() -> None:
    """But the tool's own verdict counts it only where the tool refuses, too."""
    broken = a_rule(plan=ERROR, tool=OK, safety=True)
    assert {verdict(a_report(broken, conventions=law)) for law in Law} == {Verdict.REJECT}
    assert verdict(a_report(broken), Law.TOOL) is Verdict.ACCEPT


@pytest.mark.parametrize("law", [None, Law.PLAN, Law.TOOL])
@pytest.mark.parametrize("broken", [{"error": "no such file"}, {"crash": "rule X failed"}])
def test_where_nothing_could_be_judged_there_is_no_verdict(broken: dict[str, str], law: Law | None) -> None:
    """Neither accept nor reject: the exit code says that it is not the submission's fault."""
    assert verdict(Report("a.xml", official_tool="F4DE", **broken), law) is None  # type: ignore[arg-type]


def test_without_an_official_tool_there_is_no_verdict_of_it() -> None:
    """The plan's verdict stands alone."""
    report = a_report(a_rule(), tool="")
    assert (verdict(report, Law.TOOL), verdict(report, Law.PLAN), verdict(report)) == (
        None,
        Verdict.REJECT,
        Verdict.REJECT,
    )


def test_a_consequence_still_rejects() -> None:
    """It is not shown, but it is not forgiven."""
    cause, effect = a_rule("A", OK, ERROR), a_rule("B", ERROR, ERROR, follows="A")
    findings = tuple(with_consequences([a_finding(cause), a_finding(effect)]))
    assert verdict(Report("a.xml", official_tool="F4DE", findings=findings), Law.PLAN) is Verdict.REJECT


# -- consequences --------------------------------------------------------------------------------------------------


def causes(*findings: Finding) -> list[str | None]:
    """Return what each finding was caused by."""
    return [finding.caused_by for finding in with_consequences(findings)]


def test_a_finding_is_explained_by_what_it_follows() -> None:
    """In the same file only, whatever the order, and by the first of several causes that is there."""
    effect = a_rule("B", follows="Z A Y")
    assert causes(a_finding(a_rule("A")), a_finding(effect)) == [None, "A"]
    assert causes(a_finding(effect), a_finding(a_rule("A"))) == ["A", None]
    assert causes(a_finding(effect), a_finding(a_rule("A"), file="b.xml")) == [None, None]
    assert causes(a_finding(effect), a_finding(a_rule("Y")), a_finding(a_rule("A"))) == ["A", None, None]
    assert causes(a_finding(effect)) == [None]


def test_a_warning_does_not_explain_an_error_away() -> None:
    """The cause must weigh as much as its consequence."""
    mild, grave = a_rule("A", WARNING, WARNING), a_rule("B", follows="A")
    assert causes(a_finding(mild), a_finding(grave)) == [None, None]
    assert causes(a_finding(a_rule("A")), a_finding(a_rule("B", WARNING, WARNING, follows="A"))) == [None, "A"]
    assert causes(a_finding(mild), a_finding(a_rule("A")), a_finding(grave)) == [None, None, "A"]


def test_consequences_are_neither_shown_nor_counted() -> None:
    """A report shows the causes; it counts each rule once for each file, with all its occurrences."""
    cause, effect = a_finding(a_rule("A"), count=3), a_finding(a_rule("B", follows="A"), count=500)
    elsewhere, mild = a_finding(a_rule("A"), file="b.xml", count=4), a_finding(a_rule("C", WARNING, WARNING), count=2)
    findings = tuple(with_consequences([cause, cause, effect, elsewhere, mild]))
    report = Report("x", findings=findings)
    assert [finding.rule.code for finding in report.shown] == ["A", "A", "A", "C"]
    assert [report.occurrences(severity) for severity in (ERROR, WARNING, INFO)] == [7, 2, 0]


# -- docstrings ----------------------------------------------------------------------------------------------------


def test_a_docstring_is_taken_apart() -> None:
    """Prose flows, examples keep their lines and indentation."""
    doc = parse_doc(
        """Every value is
        of its type.

        Why: the scorer
            computes with it.
        Bad:
            <kw
              tbeg="6,9"/>
        Good: tbeg="6.9"
        Fix: write a point.
        NIST: refuses it:
            mostly.
        """
    )
    assert doc.requirement == "Every value is of its type."
    assert doc.why == "the scorer computes with it."
    assert doc.bad == '<kw\n  tbeg="6,9"/>'
    assert doc.good == 'tbeg="6.9"'
    assert (doc.fix, doc.official) == ("write a point.", "refuses it: mostly.")


def test_parts_of_a_docstring_may_be_missing() -> None:
    """And a word of a section inside a sentence begins none."""
    doc = parse_doc("It is so. Why: who knows?\n\nFix: mend it.")
    assert (doc.requirement, doc.why, doc.bad, doc.fix) == ("It is so. Why: who knows?", "", "", "mend it.")
    assert parse_doc("").requirement == ""


def test_a_function_becomes_a_rule() -> None:
    """With its docstring as documentation; it can still be called through the rule."""

    @rule("X9", "odd-thing", cites="Plan 9", plan=ERROR, tool=OK, needs=("ecf",))
    def odd(subject: object) -> list[Defect]:
        """Nothing is odd.

        Fix: make it even.
        """
        return [Defect(Place("a.xml"), str(subject))]

    assert (odd.code, odd.name, odd.cites, odd.plan, odd.tool, odd.needs) == (
        "X9",
        "odd-thing",
        "Plan 9",
        ERROR,
        OK,
        ("ecf",),
    )
    assert (odd.doc.requirement, odd.doc.fix) == ("Nothing is odd.", "make it even.")
    assert odd.check is not None
    assert [defect.message for defect in odd.check("seven")] == ["seven"]


# -- samples -------------------------------------------------------------------------------------------------------


@FIXED
@given(st.integers(0, 100))
def test_samples_stand_for_all_rows(many: int) -> None:
    """At most twenty are given, in order, and their counts add up."""
    given_rows = list(sampled(np.arange(many) * 3))
    assert [row for row, _ in given_rows] == [3 * rank for rank in range(min(many, SAMPLES))]
    assert sum(count for _, count in given_rows) == many


@FIXED
@given(st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("xy"), st.integers(1, 5)), max_size=60))
def test_problems_keep_few_and_count_all(noted: list[tuple[str, str, int]]) -> None:
    """Of each kind the first twenty in order, with counts that add up; no more are even made."""
    problems, made = Problems(), 0

    def make() -> Defect:
        nonlocal made
        made += 1
        return Defect(Place("a.xml", made), "so")

    for code, kind, count in noted:
        problems.note(a_rule(code), kind, make, count=count)
    kinds = {(code, kind) for code, kind, _ in noted}
    held = list(problems)
    assert len(held) == made == sum(min(SAMPLES, sum(key == (c, k) for c, k, _ in noted)) for key in kinds)
    assert sum(defect.count for _, defect in held) == sum(count for _, _, count in noted)
    assert bool(problems) == bool(noted)
    for code, kind in kinds:
        wanted = SAMPLES - min(SAMPLES, sum((code, kind) == (c, k) for c, k, _ in noted))
        assert problems.wants(a_rule(code), kind) == wanted
