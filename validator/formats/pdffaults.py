"""What can be wrong with a description in PDF."""

from __future__ import annotations

from validator.model import Rule, Severity

NOT_A_PDF: Rule[object] = Rule(
    "PDF601",
    "not-a-pdf",
    "Albayzin 2012 LRE 6.2.2",
    Severity.ERROR,
    Severity.OK,
    """A description whose name ends in .pdf is a PDF, from its first to its last byte.

    Why: the description is provided as a PDF file; a cut-off one cannot be opened.
    Bad: a text or Word file renamed to .pdf
    Good: a file that begins with %PDF- and ends with %%EOF
    Fix: export the description as PDF again.
    NIST: there is no official checker.
    """,
)
NO_TEXT: Rule[object] = Rule(
    "PDF602",
    "pdf-without-text",
    "house rule; Albayzin 2012 LRE 6.2.2",
    Severity.WARNING,
    Severity.OK,
    """The text of a description in PDF can be read by a program.

    Why: a scan, a locked or a damaged PDF cannot be searched, by nobody; its sections were not checked.
    Bad: a scanned page, or a PDF that asks for a password
    Good: a PDF as the templates of the conference make it
    Fix: export the PDF from the text, without a password.
    NIST: there is no official checker.
    """,
)

RULES = (NOT_A_PDF, NO_TEXT)
