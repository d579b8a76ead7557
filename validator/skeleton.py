"""A submission to fill in: names, files and a description with all headings, made from an evaluation's profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.bundled import schema
from validator.formats import ebnf
from validator.model import Law

if TYPE_CHECKING:
    from validator.profile import DescriptionForm, Profile

_BLANK = "FILL-IN"


def skeleton(profile: Profile) -> dict[str, str]:
    """Return the files of a skeleton: path to text."""
    expid = _name(profile)
    files = {path.format(EXPID=expid): schema(template) for path, template in profile.skeleton.files}
    if any(role.role == "description" and role.format == "description" for role in profile.files):  # plain text
        files[profile.skeleton.description.format(EXPID=expid)] = _description(profile.description, expid)
    return files


def _name(profile: Profile) -> str:
    """Put a name together: the first legal value of each field, or what the profile has as its blank."""
    grammar = ebnf.load(profile.grammar, profile.start, Law.PLAN)
    blanks = dict(profile.skeleton.fields)
    return grammar.separator.join(blanks.get(field) or grammar.rule(field).values[0] for field in grammar.fields)


def _description(form: DescriptionForm, expid: str) -> str:
    lines = [] if form.sections else [f"{_BLANK}: what the system does", f"Contact: {_BLANK} (name and e-mail address)"]
    for number, title in form.sections:
        lines += ["", f"Section {number} {title}"]
        if number == form.expids:
            lines += [expid]
        elif number == form.contact:
            lines += [f"{_BLANK}: what the system does", f"Contact: {_BLANK} (name and e-mail address)"]
        elif number in form.times:
            lines += [f"- {_BLANK} (step) - {_BLANK} (hardware) - {_BLANK} hours"]
        elif not any(inner.startswith(f"{number}.") for inner, _ in form.sections):
            lines += [_BLANK]
    if form.data_line:
        groups = ",".join(f"{name}{{{_BLANK}}}" for name in ("AM", "LM", "PRON", "AR"))
        lines += ["", f"BaseLR{{{_BLANK}}}:{groups}"]
    lines += [f"{figure} - {_BLANK}" for figure in form.figures]
    return "\n".join(lines).lstrip("\n") + "\n"
