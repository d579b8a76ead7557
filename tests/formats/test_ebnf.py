"""Names by grammar: every field of every year under both laws, and grammars that are broken."""

from __future__ import annotations

import re

import pytest

from validator.errors import ProfileError
from validator.formats import ebnf
from validator.formats.ebnf import Field, Grammar
from validator.model import Law

YEARS = ("12", "13", "14", "15", "16")
LAWS = (Law.PLAN, Law.TOOL)
KWS13_FIELDS = ("TAG", "TEAM", "CORPUS", "PARTITION", "SCASE", "TASK", "LP", "LR", "AUD", "SYSID", "VERSION")
KWS12_FIELDS = ("TAG", "TEAM", "CORPUS", "PARTITION", "SCASE", "TASK", "TRNCOND", "SYSID", "VERSION")
LATER_FIELDS = ("TAG", "TEAM", "CORPUS", "PARTITION", "SCASE", "TASK", "SYSID", "VERSION")
FIELDS = {"12": KWS12_FIELDS, "13": KWS13_FIELDS, "14": LATER_FIELDS, "15": LATER_FIELDS, "16": LATER_FIELDS}

# Closed sets of values, from NIST's tables: the same under both laws.
PARTITIONS = ("conv-dev", "conv-eval", "conv-evalpart1")
CLOSED: dict[str, dict[str, tuple[str, ...]]] = {
    "12": {
        "TAG": ("KWS12",),
        "PARTITION": PARTITIONS[:2],
        "SCASE": ("Dev", "BaDev", "BaEval", "BaSurp"),
        "TASK": ("AA-KWS", "PI-KWS", "STT"),
        "TRNCOND": ("FullLP", "FullLP-TeamLR", "LimitedLP"),
    },
    "13": {
        "TAG": ("KWS13",),
        "PARTITION": PARTITIONS,
        "SCASE": ("BaDev", "BaEval", "BaSurp"),
        "TASK": ("KWS", "STT"),
        "LP": ("FullLP", "LimitedLP"),
        "LR": ("BaseLR", "BabelLR", "OtherLR"),
        "AUD": ("NTAR", "TAR"),
    },
} | {
    year: {
        "TAG": (f"KWS{year}",),
        "PARTITION": PARTITIONS,
        "SCASE": ("BaDev", "BaEval", "BaSurp"),
        "TASK": ("KWS", "STT"),
    }
    for year in ("14", "15", "16")
}
# Open fields: what both laws accept, what only the tool accepts, what neither accepts.
OPEN: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "TEAM": (("A", "TeamA", "007"), ("Team-A", "Team.A", "Équipe", "a b"), ("", "Team_A")),
    "CORPUS": (("babel101b-v0.4c", "x", "a b"), (), ("", "babel_101")),
    "SYSID": (
        ("p-a", "c-b2", "p-1"),
        ("p-", "c-", "p-a.b", "p-a-b"),
        ("", "p", "a", "P-a", "x-a", "p_a", "pa", "p-a_b"),
    ),
    "KWSLIST-SUFFIX": ((".kwslist.xml", ".kwslist2.xml", ".kwslist10.xml"), (), ("", ".kwslst.xml", ".KWSLIST.xml")),
    "CTM-SUFFIX": ((".ctm",), (".CTM", "-ctm", "_cTm"), ("", "ctm", ".ctm2", ".xml")),
    "TXT-SUFFIX": ((".txt",), (), ("", ".TXT", ".text")),
}
VERSIONS = {
    "12": (("1", "9", "10", "99", "100", "199"), (), ("", "0", "01", "200", "999", "1000", "-1", "1e2", "v1", "1.0")),
} | dict.fromkeys(
    ("13", "14", "15", "16"),
    (("1", "9", "10", "200", "123456"), ("0", "01", "-1", "1e2", "1E+2", "1e-2"), ("", "v1", "1.0", "+1", "1e", "--1")),
)


def grammar_of(year: str, law: Law) -> Grammar:
    """Return the grammar of a year."""
    return ebnf.load(f"openkws/kws{year}.ebnf", "EXPID", law)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("year", YEARS)
def test_the_fields_of_a_year(year: str, law: Law) -> None:
    """Their names and order, the separator, and the shape as people write it."""
    grammar = grammar_of(year, law)
    assert (grammar.fields, grammar.separator) == (FIELDS[year], "_")
    assert grammar.shape == "_".join(f"<{name}>" for name in FIELDS[year])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("year", "name"), [(year, name) for year in YEARS for name in CLOSED[year]])
def test_a_closed_field_takes_its_values_and_no_other(year: str, name: str, law: Law) -> None:
    """Letter for letter: no other case, nothing before or behind, no value of another field."""
    rule, wanted = grammar_of(year, law).rule(name), CLOSED[year][name]
    assert rule.values == wanted
    assert all(rule.accepts(value) for value in wanted)
    others = {value for fields in CLOSED.values() for values in fields.values() for value in values} - set(wanted)
    spoiled = {
        bad for value in wanted for bad in (value.lower(), value.upper(), f"{value} ", f"x{value}", f"{value}\n")
    }
    assert not [value for value in (others | spoiled | {""}) - set(wanted) if rule.accepts(value)]
    assert all(value in rule.words for value in wanted)


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("name", [*OPEN, "VERSION"])
def test_an_open_field_under_both_laws(year: str, name: str) -> None:
    """The plan's law is the narrower one; what neither takes is refused by both."""
    both, only_tool, neither = VERSIONS[year] if name == "VERSION" else OPEN[name]
    plan, tool = grammar_of(year, Law.PLAN).rule(name), grammar_of(year, Law.TOOL).rule(name)
    assert [value for value in both if not (plan.accepts(value) and tool.accepts(value))] == []
    assert [value for value in only_tool if plan.accepts(value) or not tool.accepts(value)] == []
    assert [value for value in neither if plan.accepts(value) or tool.accepts(value)] == []


@pytest.mark.parametrize("year", YEARS)
def test_every_field_can_be_explained(year: str) -> None:
    """A list of values, or the comment behind the rule."""
    grammar = grammar_of(year, Law.PLAN)
    assert [name for name in grammar.fields if not grammar.rule(name).words] == []


def test_a_name_is_cut_at_its_separator() -> None:
    """Each part knows its field and its place; parts too many have no field."""
    grammar = grammar_of("14", Law.PLAN)
    name = "KWS14_é_c_conv-dev_BaDev_KWS_p-a_1_x"
    parts = grammar.split(name)
    assert [part.name for part in parts] == [*LATER_FIELDS, ""]
    assert all(name[part.begin : part.end] == part.text for part in parts)
    assert grammar.split("") == (Field("TAG", "", 0, 0),)
    assert grammar.split("a__b")[1:] == (Field("TEAM", "", 2, 2), Field("CORPUS", "b", 3, 4))


def test_the_whole_name_has_named_fields() -> None:
    """One regular expression gives all fields of a legal name."""
    grammar = grammar_of("13", Law.PLAN)
    parts = ("KWS13", "TeamA", "babel106b-v0.2g", "conv-dev", "BaDev", "KWS", "FullLP", "BaseLR", "NTAR", "p-word", "1")
    match = re.fullmatch(grammar.pattern("EXPID"), "_".join(parts))
    assert match is not None
    assert match.groupdict() == dict(zip(KWS13_FIELDS, parts, strict=True))


# -- grammars of our own -------------------------------------------------------------------------------------------


def compiled(text: str, law: Law = Law.PLAN) -> Grammar:
    """Compile a grammar whose names are A-B."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ebnf, "schema", lambda _: text)
        return ebnf.load.__wrapped__("test.ebnf", "NAME", law)


def accepted(body: str, values: list[str]) -> list[str]:
    """Return the values that a rule accepts."""
    rule = compiled(f'NAME = A "-" B ;\nA = {body} ;\nB = "b" ;\n').rule("A")
    return [value for value in values if rule.accepts(value)]


def test_the_dialect() -> None:
    """Literals in both quotes, choices, options, repetitions, groups, and names built in."""
    assert accepted('"x" | \'y"\'', ["x", 'y"', "xy", ""]) == ["x", 'y"']
    assert accepted('"x" [ "y" ] "z"', ["xz", "xyz", "xyyz"]) == ["xz", "xyz"]
    assert accepted('{ "ab" }', ["", "ab", "abab", "aba"]) == ["", "ab", "abab"]
    assert accepted('( "a" | "b" ) "c"', ["ac", "bc", "a", "abc"]) == ["ac", "bc"]
    assert accepted('"a" | "b" "c"', ["a", "bc", "ac"]) == ["a", "bc"]
    assert accepted('".*" "+"', [".*+", "xx+"]) == [".*+"]
    assert accepted("letter digit nonzero alnum any", ["a01b-", "a00b-", "aa1b-", "a01b_", "é01b-"]) == ["a01b-"]
    assert accepted("B", ["b", "a"]) == ["b"]


def test_a_tool_rule_counts_under_the_tools_law_only() -> None:
    """And keeps the comment of the rule that it replaces."""
    text = 'NAME = A "-" B ;\nA = letter ;  (* one letter *)\nA@tool = any ;\nB = "b" ;\n'
    plan, tool = compiled(text).rule("A"), compiled(text, Law.TOOL).rule("A")
    assert (plan.accepts("7"), tool.accepts("7")) == (False, True)
    assert (plan.words, tool.words) == ("one letter", "one letter")


@pytest.mark.parametrize(
    "body",
    [
        "A",
        "C",
        "letter UNKNOWN",
        '( "a"',
        '"a" )',
        '[ "a" )',
        '{ "a" ]',
        "}",
        '"a',
        "a * b",
        "?",
        '"a" = "b"',
    ],
)
def test_a_broken_rule_is_a_profile_error(body: str) -> None:
    """Recursion, directly or through another rule, brackets that do not match, names that nobody defined."""
    with pytest.raises(ProfileError):
        compiled(f'NAME = A "-" B ;\nA = {body} ;\nB = "b" ;\nC = A ;\n').rule("A")


@pytest.mark.parametrize("start", ['A "-" B "_" A', "A B", "A", '[ A "-" B ]', 'A "-" { B }'])
def test_a_start_rule_is_fields_between_equal_separators(start: str) -> None:
    """Anything else could not be cut."""
    with pytest.raises(ProfileError):
        compiled(f'NAME = {start} ;\nA = "a" ;\nB = "b" ;\n')


@pytest.mark.parametrize("start", ["A | B", "[ A ]", "{ A }", 'A "" B'])
def test_a_start_rule_without_a_separator_is_a_profile_error(start: str) -> None:
    """A mark of the dialect is no separator, nor is nothing."""
    with pytest.raises(ProfileError):
        compiled(f'NAME = {start} ;\nA = "a" ;\nB = "b" ;\n')


def test_a_start_rule_that_is_not_there_is_a_profile_error() -> None:
    """The profile names it."""
    with pytest.raises(ProfileError):
        compiled('OTHER = A "-" A ;\nA = "a" ;\n')


def test_a_field_without_a_rule_is_a_profile_error() -> None:
    """When the grammar is loaded or when the field is asked for."""
    with pytest.raises(ProfileError):
        compiled('NAME = A "-" B ;\nA = "a" ;\n').rule("B")


def test_a_rule_inside_a_comment_is_no_rule() -> None:
    """A grammar can have rules taken out of use."""
    text = 'NAME = A "-" B ;\nA = "a" ;\nB = "b" ;\n(* this was once so:\nA = "x" ;\n*)\n'
    assert compiled(text).rule("A").values == ("a",)
