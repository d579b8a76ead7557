"""What a submission's author cannot mend: every exception the house raises on purpose.

A defect of a submission is never an exception; it is a Finding.
"""


class ValidatorError(Exception):
    """Root of all deliberate errors; its text is shown to the user as it is."""


class UsageError(ValidatorError):
    """The call itself is wrong: no such file, evaluation not recognised, unknown parameter."""


class ProfileError(ValidatorError):
    """A bundled profile, grammar or schema is broken: our fault."""


class ReferenceDataError(ValidatorError):
    """A file that the organizers gave out cannot be used."""


class RuleCrash(ValidatorError):  # noqa: N818 - an incident, not an error of the user's
    """A rule raised: our bug, reported with the rule and the file it stumbled over."""
