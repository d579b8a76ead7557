"""Two families of files for the same thing: what NIST called terms in 2006 it calls keywords since 2012.

Names of elements and attributes differ, the nature of the files does not: one reader serves both.
"""

from __future__ import annotations

from typing import NamedTuple


class Dialect(NamedTuple):
    """The names of one family, and the words that messages use for them.

    ``lists`` and ``records`` are elements of a result, ``list_name``, ``id``, ``search_time`` and ``oov_count``
    attributes. ``item`` is what is searched for, ``listed`` the file that lists it, ``role`` that file's format.
    ``plain``: the official tool reads results with patterns, so that their form matters.
    """

    result_schema: str
    list_schema: str
    ecf_schema: str
    root: str
    lists: str
    record: str
    list_name: str
    id: str
    search_time: str
    oov_count: str
    list_root: str
    list_item: str
    list_text: str
    item: str
    items: str
    listed: str
    role: str
    plain: bool = False


OPENKWS = Dialect(
    result_schema="openkws/kwslist.xsd",
    list_schema="openkws/kwlist.xsd",
    ecf_schema="openkws/ecf.xsd",
    root="kwslist",
    lists="detected_kwlist",
    record="kw",
    list_name="kwlist_filename",
    id="kwid",
    search_time="search_time",
    oov_count="oov_count",
    list_root="kwlist",
    list_item="kw",
    list_text="kwtext",
    item="keyword",
    items="keywords",
    listed="KWList",
    role="kwlist",
)
STD = Dialect(
    result_schema="std/stdlist.xsd",
    list_schema="std/termlist.xsd",
    ecf_schema="std/ecf.xsd",
    root="stdlist",
    lists="detected_termlist",
    record="term",
    list_name="termlist_filename",
    id="termid",
    search_time="term_search_time",
    oov_count="oov_term_count",
    list_root="termlist",
    list_item="term",
    list_text="termtext",
    item="query",
    items="queries",
    listed="term list",
    role="termlist",
    plain=True,
)
