"""Form of a KWSList that NIST's reader takes (2xx), and its header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model import Defect, Place, rule

from .kwsopen import A5, ERROR, OK, content, header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validator.submission import OpenRun

_IN_A_LIST = 2  # open elements: the root and a list


@rule("KWS211", "long-comment-before-root", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def long_comment_before_root(opened: OpenRun) -> Iterator[Defect]:
    """A comment in front of the root element is on one line.

    Why: NIST's checker reads tag by tag, one line each, and stops at anything else.
    Bad: <!-- made by
         our system -->
    Good: <!-- made by our system -->
    Fix: write the comment on one line, or delete it.
    NIST: F4DE refuses the file.
    """
    for remark in content(opened).remarks:
        if remark.name == "comment" and remark.before_root:
            yield Defect(Place(opened.run.file, remark.offset), f"a comment of {remark.lines} lines before the root")


@rule("KWS212", "long-comment-in-list", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def long_comment_in_list(opened: OpenRun) -> Iterator[Defect]:
    """A comment between the keywords is on one line.

    Why: NIST's checker silently stops reading at it; the keywords behind it then count as missing.
    Bad: <!-- second
         half --> between two keywords
    Good: <!-- second half -->
    Fix: write the comment on one line, or delete it.
    NIST: F4DE ends its reading there without a word.
    """
    read = content(opened)
    if opened.submission.parameters["allow_missing_keywords"]:
        return
    last = read.table.lists[-1].offset if read.table.lists else -1
    for remark in read.remarks:
        inside = remark.offset < last or remark.depth >= _IN_A_LIST
        if remark.name == "comment" and not remark.before_root and inside:
            message = f"NIST's checker stops reading at this comment of {remark.lines} lines"
            yield Defect(Place(opened.run.file, remark.offset), message)


@rule("KWS213", "processing-instruction", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def processing_instruction(opened: OpenRun) -> Iterator[Defect]:
    """There are no processing instructions but those whose name begins with xml.

    Why: NIST's checker does not know what to do with them.
    Bad: <?my-tool version 3?>
    Good: no such line
    Fix: delete it.
    NIST: F4DE refuses the file.
    """
    for remark in content(opened).remarks:
        if remark.name != "comment" and not remark.name.startswith("xml"):
            yield Defect(Place(opened.run.file, remark.offset), f"a processing instruction <?{remark.name} ...?>")


@rule("KWS214", "utf-16", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def utf_16(opened: OpenRun) -> Iterator[Defect]:
    """The file is not in UTF-16.

    Why: it is legal XML, but NIST's checker reads bytes line by line.
    Bad: a file saved as "Unicode" by an editor
    Good: the same file saved as UTF-8
    Fix: convert it (iconv -f UTF-16 -t UTF-8) and write encoding="UTF-8" in its XML declaration.
    NIST: F4DE refuses it; UTF-8 with or without a byte order mark and ISO-8859-1 pass.
    """
    if content(opened).encoding.startswith("utf-16"):
        yield Defect(Place(opened.run.file), "the file is encoded in UTF-16; it must be UTF-8")


@rule("KWS410", "half-a-score-range", cites="F4DE reader", plan=OK, tool=ERROR, needs=("content",))
def half_a_score_range(opened: OpenRun) -> Iterator[Defect]:
    """min_score and max_score are both there, or neither is.

    Why: a range has two ends.
    Bad: <kwslist ... min_score="0">
    Good: <kwslist ... min_score="0" max_score="1">
    Fix: add the other one, or remove both.
    NIST: F4DE refuses it.
    """
    table = content(opened).table
    if (table.min_score is None) != (table.max_score is None):
        there, missing = ("min_score", "max_score") if table.max_score is None else ("max_score", "min_score")
        yield Defect(header(opened, there), f"{there} is there, {missing} is not")


@rule("KWS424", "header-to-fill-in", cites=A5, plan=ERROR, tool=OK, needs=("content",))
def header_to_fill_in(opened: OpenRun) -> Iterator[Defect]:
    """Nothing of the skeleton is left in the header.

    Why: the header says which list was searched, in which language, by which system.
    Bad: system_id="FILL-IN"
    Good: system_id="word lattices"
    Fix: replace FILL-IN by what is asked for.
    NIST: F4DE does not look.
    """
    table = content(opened).table
    for name in ("kwlist_filename", "language", "system_id"):
        if getattr(table, name) == "FILL-IN":
            yield Defect(header(opened, name), f"{name} is still to be filled in")


RULES = (
    long_comment_before_root,
    long_comment_in_list,
    processing_instruction,
    utf_16,
    half_a_score_range,
    header_to_fill_in,
)
