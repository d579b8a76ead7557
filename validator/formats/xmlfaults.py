"""What can be wrong with an XML file before its meaning is looked at: the 2xx rules that all XML formats share."""

from __future__ import annotations

from validator.model import Rule, Severity

_SCHEMA = "XML schema"


def _fault(code: str, name: str, text: str, *, follows: tuple[str, ...] = (), safety: bool = False) -> Rule[object]:
    error = Severity.ERROR
    return Rule(code, name, _SCHEMA, error, error, text, follows=follows, safety=safety)


NOT_WELL_FORMED = _fault(
    "XML201",
    "not-well-formed",
    """The file is well-formed XML from its first to its last byte.

    Why: a reader cannot know what was meant behind the first broken tag.
    Bad: <kwslist ...> <detected_kwlist ...> </kwslist>
    Good: <kwslist ...> <detected_kwlist ...> </detected_kwlist> </kwslist>
    Fix: close every tag in the order in which they were opened; write & as &amp; and < as &lt;.
    NIST: xmllint refuses the file; the checker ends with "Problem checking KWSList file header".
    """,
)
DOCTYPE = _fault(
    "XML202",
    "doctype",
    """The file has no document type declaration and no entities of its own.

    Why: entities can blow a small file up to gigabytes or pull in other files; no format here needs them.
    Bad: <!DOCTYPE kwslist [<!ENTITY a "...">]>
    Good: <?xml version="1.0" encoding="UTF-8"?> followed by the root element
    Fix: delete the DOCTYPE line; write characters directly or as &#...; references.
    NIST: F4DE refuses any DOCTYPE.
    """,
    safety=True,
)
WRONG_ROOT = _fault(
    "XML203",
    "wrong-root",
    """The root element is the one of the file type, without a namespace.

    Why: the schema has one global element; readers look for it by name.
    Bad: <kwlist kwlist_filename="..." ...> as the root of a KWSList, as the plan's own example has it
    Good: <kwslist kwlist_filename="..." ...>
    Fix: rename the root element and drop any namespace.
    NIST: xmllint: "No matching global declaration available for the validation root".
    """,
)
UNEXPECTED_ELEMENT = _fault(
    "XML204",
    "unexpected-element",
    """Every element stands where the schema has it.

    Why: a record in the wrong place is not read by the scorer, or read as something else.
    Bad: <kwslist ...><kw .../></kwslist>
    Good: <kwslist ...><detected_kwlist ...><kw .../></detected_kwlist></kwslist>
    Fix: move, rename or delete the element.
    NIST: F4DE refuses it, though not in every run: schema errors behind the header can get lost.
    """,
    follows=("XML201", "XML203"),
)
MISSING_ATTRIBUTE = _fault(
    "XML205",
    "missing-attribute",
    """Every required attribute is there.

    Why: there are no defaults; a record without the attribute cannot be used.
    Bad: <detected_kwlist kwid="KW106-00001" oov_count="0">
    Good: <detected_kwlist kwid="KW106-00001" search_time="2.57" oov_count="0">
    Fix: add the attribute with its value.
    NIST: F4DE refuses it.
    """,
    follows=("XML203",),
)
UNKNOWN_ATTRIBUTE = _fault(
    "XML206",
    "unknown-attribute",
    """No attribute is there that the schema does not know.

    Why: a misspelt attribute would be ignored in silence, together with what it was to say.
    Bad: <kw file="X" chanel="1" tbeg="1.0" dur="0.5" score="0.9" decision="YES"/>
    Good: <kw file="X" channel="1" tbeg="1.0" dur="0.5" score="0.9" decision="YES"/>
    Fix: correct its name, or delete it.
    NIST: F4DE refuses it, though not in every run.
    """,
    follows=("XML203",),
)
WRONG_TYPE = _fault(
    "XML207",
    "wrong-type",
    """Every value is of its type: decimal, whole number or floating-point number.

    Why: the scorer computes with these values.
    Bad: tbeg="6,956"
    Good: tbeg="6.956"
    Fix: write digits with a point; an exponent only in scores; no units and no thousands separators.
    NIST: F4DE refuses it, though not in every run: schema errors behind the header can get lost.
    """,
)
VALUE_NOT_ALLOWED = _fault(
    "XML208",
    "value-not-allowed",
    """Every value with a list of legal values or a pattern is one of them, letter for letter.

    Why: letter case and blanks count; readers compare plain strings.
    Bad: decision="yes"
    Good: decision="YES"
    Fix: write one of the legal values exactly.
    NIST: F4DE refuses it, though not in every run: schema errors behind the header can get lost.
    """,
)
UNEXPECTED_TEXT = _fault(
    "XML209",
    "unexpected-text",
    """There is no text between the elements.

    Why: all content is in attributes and in elements that hold text; stray text is usually a broken tag.
    Bad: <detected_kwlist ...> kw file="X" .../> </detected_kwlist>
    Good: <detected_kwlist ...> <kw file="X" .../> </detected_kwlist>
    Fix: delete the text, or mend the tag it belongs to.
    NIST: F4DE refuses it, though not in every run.
    """,
    follows=("XML203",),
)
MISSING_ELEMENT = _fault(
    "XML210",
    "missing-element",
    """Every required child element is there, in the schema's order.

    Why: there are no defaults.
    Bad: <kw kwid="KW1"></kw> in a KWList
    Good: <kw kwid="KW1"><kwtext>word</kwtext></kw>
    Fix: add the element.
    NIST: F4DE refuses it.
    """,
    follows=("XML203",),
)
UNREADABLE_ENCODING = _fault(
    "XML211",
    "unreadable-encoding",
    """The bytes are in the encoding that the XML declaration names.

    Why: in another encoding the same bytes are other letters.
    Bad: <?xml version="1.0" encoding="UTF-8"?> in front of ISO-8859-1 bytes
    Good: the same file converted to UTF-8
    Fix: convert the file to UTF-8 and declare that, or leave the declaration out.
    NIST: xmllint refuses bytes that contradict the declared encoding.
    """,
)

RULES = (
    NOT_WELL_FORMED,
    DOCTYPE,
    WRONG_ROOT,
    UNEXPECTED_ELEMENT,
    MISSING_ATTRIBUTE,
    UNKNOWN_ATTRIBUTE,
    WRONG_TYPE,
    VALUE_NOT_ALLOWED,
    UNEXPECTED_TEXT,
    MISSING_ELEMENT,
    UNREADABLE_ENCODING,
)
