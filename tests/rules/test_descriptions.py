"""System descriptions (plan B.3): headings in the ways that people write them, EXPIDs, contact, hardware and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.uploads import DATABASE, EXPID, RUN, Json, good_files, shown_rules, submission, write_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

GOOD = good_files()
TEXT = GOOD["system.txt"].decode()
OTHER = EXPID.replace("p-word", "c-other")
KWS14 = "KWS14_TeamA_babel106b-v0.2g_conv-dev_BaDev_KWS_p-word_1"
HEADINGS = {
    "1": "Experiment Identifier(s)",
    "2": "System Description",
    "3": "Indexing Hardware Description and Runtime Computation",
    "3.1": "Decoding and Indexing",
    "3.2": "Search",
    "4": "Training data and knowledge sources",
    "5": "References",
}
BODIES = {
    "1": EXPID,
    "2": "Word lattices.\nContact: evaluation desk, desk@example.org",
    "3": "",
    "3.1": "Cluster with 20 nodes - 41.5 hours",
    "3.2": "One node - 0.6 hours",
    "4": "Nothing beyond the build pack.",
    "5": "None.",
}


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subgate: Callable[..., Result]) -> Callable[..., Json]:
    """Check a description beside a good run (or other files) as a folder ``sub``; return the report."""
    monkeypatch.chdir(tmp_path)

    def judge(text: str | bytes, *more: str, files: dict[str, bytes] | None = None) -> Json:
        content = text if isinstance(text, bytes) else text.encode()
        write_files(tmp_path / "sub", (files or {RUN: GOOD[RUN]}) | {"system.txt": content})
        return submission(subgate("check", "sub", "--data", str(DATABASE), *more, "--format", "json").output)

    return judge


def _described(**bodies: str) -> str:
    """Return a description with other bodies for some sections (s3_1 for 3.1)."""
    return _headed("Section {} {}".format, {key[1:].replace("_", "."): text for key, text in bodies.items()})


def _headed(heading: Callable[[str, str], str], bodies: dict[str, str]) -> str:
    """Return a description with headings in some form, and other bodies for some sections."""
    lines = []
    for number, title in HEADINGS.items():
        lines += [heading(number, title), bodies.get(number, BODIES[number]), ""]
    return "\n".join(lines)


def _one(report: Json, rule: str) -> Json:
    (found,) = (finding for finding in report["findings"] if finding["rule"] == rule)
    return dict(found)


def _lines(text: str, finding: Json) -> str:
    return text.splitlines()[int(finding["line"]) - 1]


# -- headings ----------------------------------------------------------------------------------------------------


OWN_TITLES = {
    "1": "Runs",
    "2": "Our approach",
    "3": "Hardware and run time",
    "3.1": "Recognition",
    "3.2": "Retrieval",
    "4": "Data",
    "5": "Literature",
}
VARIANTS: dict[str, Callable[[str, str], str]] = {
    "as the template has it": "Section {} {}".format,
    "bold, as the plan prints it": "**Section {} {}**".format,
    "bold with a break": "**Section {} {}**  ".format,
    "with a colon at the end": "Section {} {}:".format,
    "with a colon": "Section {}: {}".format,
    "with a dot": "Section {}. {}".format,
    "with a dash": "Section {} - {}".format,
    "without the word": "{} {}".format,
    "without the word, with a dot": "{}. {}".format,
    "without the word, with a bracket": "{}) {}".format,
    "Markdown": "## Section {} {}".format,
    "Markdown without the word": "### {} {}".format,
    "indented": "   Section {} {}".format,
    "with a tab": "Section {}\t{}".format,
    "with more blanks": "Section  {}   {}".format,
    "capitals": lambda number, title: f"SECTION {number} {title.upper()}",
    "small letters": lambda number, title: f"section {number} {title.lower()}",
    "the number only": "Section {0}".format,
    "underlined": lambda number, title: f"Section {number} {title}\n{'=' * 30}",
    "singular": lambda number, title: f"{number} {title.replace('Identifier(s)', 'Identifiers')}",
    "bold, without the word": "**{} {}**".format,
    "a number with a zero": lambda number, title: f"{number if '.' in number else number + '.0'} {title}",
    "a paragraph sign": "\u00a7{} {}".format,
    "abbreviated": "Sec. {} {}".format,
    "a long dash": "Section {} \u2014 {}".format,
    "Markdown without a number": "## {1}".format,
    "the title only": "{1}".format,
    "the beginning of the title": lambda number, title: f"{number}. {' '.join(title.split()[:2])}",
    "a title of one's own": lambda number, _: f"Section {number} {OWN_TITLES[number]}",
    "a title of one's own, in Markdown": lambda number, _: f"# {number} {OWN_TITLES[number]}",
    "almost the title": lambda number, title: f"{number} {title.replace('Hardware ', '')}",
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_headings_are_found_in_many_forms(variant: str, check: Callable[..., Json]) -> None:
    """Letter case, Markdown, punctuation and indentation do not matter: no finding at all."""
    assert check(_headed(VARIANTS[variant], {}))["findings"] == []


@pytest.mark.parametrize("ending", ["\r\n", "\n\n", " \n"])
def test_line_ends_do_not_matter(ending: str, check: Callable[..., Json]) -> None:
    """Windows line ends, double spacing and trailing blanks."""
    assert check(_described().replace("\n", ending))["findings"] == []


def test_a_byte_order_mark_does_not_hide_the_first_heading(check: Callable[..., Json]) -> None:
    """Editors of Windows write it in front of UTF-8."""
    assert check("\ufeff" + _described())["findings"] == []


@pytest.mark.parametrize("number", HEADINGS)
def test_a_missing_heading_is_quoted_and_its_place_shown(number: str, check: Callable[..., Json]) -> None:
    """One finding, with the heading and the line before which it should stand, or the end of the text."""
    heading = f"Section {number} {HEADINGS[number]}"
    text = _described().replace(f"{heading}\n", "")
    report = check(text)
    found = _one(report, "KWS602")
    quoted = heading if len(heading) <= 60 else heading[:50]
    assert quoted in found["message"]
    assert heading in found["hint"]
    assert found["line"] is not None
    later = list(HEADINGS)[list(HEADINGS).index(number) + 1 :]
    if later:
        assert _lines(text, found) == f"Section {later[0]} {HEADINGS[later[0]]}"
    assert shown_rules(report) == {"KWS602"}


def test_the_place_of_a_missing_heading_is_shown_in_the_text(
    check: Callable[..., Json], subgate: Callable[..., Result]
) -> None:
    """The excerpt has the line, and below it what should stand before it."""
    check(_described().replace("Section 3.2 Search\n", ""))
    output = subgate("check", "sub", "--data", str(DATABASE)).output
    assert "Section 4 Training data and knowledge sources" in output
    assert '"Section 3.2 Search" should stand before this line' in output


def test_an_empty_description_lacks_every_section(check: Callable[..., Json]) -> None:
    """Seven headings, each told once; what would be missing inside of them is not told on top."""
    report = check("")
    assert shown_rules(report) == {"KWS602"}
    assert len(report["findings"]) == len(HEADINGS)


def test_numbers_in_prose_are_no_headings(check: Callable[..., Json]) -> None:
    """Hours or systems after a number at the beginning of a line are prose."""
    body = "3.1 hours were spent on\n5 systems, of which\n2 were dropped.\nContact: a desk, desk@example.org"
    assert check(_described(s2=body))["findings"] == []


@pytest.mark.parametrize(
    "prose",
    [
        "Section 3.1 reports the times of decoding, section 3.2 those of the search.",
        "Section 3.2 has the times.",
        "Section 5 lists what was published.",
    ],
)
def test_a_sentence_that_begins_with_section_is_no_heading(prose: str, check: Callable[..., Json]) -> None:
    """A sentence in section 2 about another section does not take its place: the true heading follows below."""
    body = f"Word lattices.\n{prose}\nContact: evaluation desk, desk@example.org"
    assert check(_described(s2=body))["findings"] == []


def test_a_list_of_contents_does_not_hide_what_it_lists(check: Callable[..., Json]) -> None:
    """Headings that stand there twice have what stands below either of them."""
    contents = "\n".join(
        f"{number} {title} ........ {page}" for page, (number, title) in enumerate(HEADINGS.items(), 1)
    )
    assert check(f"Contents\n{contents}\n\n{_described()}")["findings"] == []
    plain = "\n".join(f"Section {number} {title}" for number, title in HEADINGS.items())
    assert check(f"Contents\n{plain}\n\n{_described()}")["findings"] == []


@pytest.mark.parametrize("heading", ["Section {} {}: {}", "Section {} {} - {}", "{}. {}: {}"])
def test_what_stands_behind_a_heading_belongs_to_its_section(heading: str, check: Callable[..., Json]) -> None:
    """EXPID, contact, hardware and times on the line of the heading are found."""
    lines = [heading.format(number, title, BODIES[number].replace("\n", " ")) for number, title in HEADINGS.items()]
    assert check("\n".join(lines))["findings"] == []


def test_one_description_for_each_system_in_one_file(check: Callable[..., Json]) -> None:
    """All sections twice, for two systems: each run is listed, nothing is missing."""
    assert check(f"{_described()}\n{_described(s1=OTHER)}", files=TWO)["findings"] == []


def test_sections_in_another_order_are_all_there(check: Callable[..., Json]) -> None:
    """The plan asks for the sections, the template shows an order: nothing is missing."""
    parts = [f"Section {number} {title}\n{BODIES[number]}\n" for number, title in HEADINGS.items()]
    assert check("\n".join([parts[6], *parts[:6]]))["findings"] == []


def test_deeper_sections_belong_to_their_phase(check: Callable[..., Json]) -> None:
    """3.1.1 is part of 3.1: its time is the phase's time."""
    body = "3.1.1 Features\nCastor - 0.5 hours\n3.1.2 Lattices\nPollux - 63.6 hours"
    assert check(_described(s3_1=body))["findings"] == []


# -- EXPIDs ------------------------------------------------------------------------------------------------------


TWO = {RUN: GOOD[RUN], f"{OTHER}.kwslist.xml": GOOD[RUN]}
LISTS = {
    "a line each": f"{EXPID}\n{OTHER}",
    "bullets": f"- {EXPID}\n* {OTHER}",
    "numbers": f"1. {EXPID}\n2. {OTHER}",
    "a sentence": f"We submitted {EXPID} (primary) and {OTHER}.",
    "commas": f"{EXPID}, {OTHER}",
    "commas without blanks": f"{EXPID},{OTHER}",
    "semicolons without blanks": f"{EXPID};{OTHER}",
    "quotes": f"'{EXPID}' \"{OTHER}\"",
    "code": f"`{EXPID}` `{OTHER}`",
    "brackets": f"[{EXPID}] <{OTHER}>",
    "file names": f"{EXPID}.kwslist.xml\nout/{OTHER}.kwslist.xml",
    "Markdown": f"* {EXPID.replace('_', chr(92) + '_')}\n* **{OTHER}**",
    "a colon": f"Primary: {EXPID}\nContrastive: {OTHER}",
    "a table": f"| {EXPID} | primary |\n|{OTHER}| contrastive |",
}


@pytest.mark.parametrize("form", LISTS)
def test_expids_are_found_in_many_forms(form: str, check: Callable[..., Json]) -> None:
    """However section 1 lists them: both are found."""
    assert check(_described(s1=LISTS[form]), files=TWO)["findings"] == []


def test_each_run_that_is_not_listed_is_told(check: Callable[..., Json]) -> None:
    """The run, the section, and the line to add; a mention elsewhere is no listing."""
    text = _described(s2=f"{OTHER} differs in its index.\nContact: a desk, desk@example.org")
    found = _one(check(text, files=TWO), "KWS603")
    assert found["message"] == f"{OTHER} is not listed in section 1"
    assert (found["severity"], found["law"], found["hint"]) == ("error", "plan", f"add the line {OTHER}")
    assert _lines(text, found) == "Section 1 Experiment Identifier(s)"


def test_one_of_several_descriptions_is_enough(check: Callable[..., Json]) -> None:
    """Each run must be listed in some description, not in all of them."""
    files = TWO | {"other.txt": _described(s1=OTHER).encode()}
    assert check(_described(), files=files)["findings"] == []


def test_an_expid_that_was_not_submitted_is_told(check: Callable[..., Json]) -> None:
    """A warning at its line, with the run that was probably meant; other words with underscores are none."""
    text = _described(s1=f"{EXPID}\n{EXPID[:-1]}2\nKWS13_notes_v2 and KWS13_TeamA")
    report = check(text)
    found = _one(report, "KWS604")
    assert (found["severity"], _lines(text, found)) == ("warning", f"{EXPID[:-1]}2")
    assert EXPID in found["hint"]
    assert report["verdict"] == "accept"


def test_part_of_an_expid_is_not_listed(check: Callable[..., Json]) -> None:
    """Version 12 in the list does not stand for version 1."""
    assert "KWS603" in shown_rules(check(_described(s1=f"{EXPID}2")))


# -- contact, hardware, times ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contact",
    [
        "desk@example.org",
        "Ann B. <ann.b+kws@uni-x.example.org>",
        "mailto:desk@example.org",
        "(desk@example.org)",
        "{ann,bob}@example.org",
        "desk [at] example.org",
        "desk(at)example(dot)org",
        "[Ann](mailto:ann@example.org)",
    ],
)
def test_an_address_is_found(contact: str, check: Callable[..., Json]) -> None:
    """Bare, in brackets, with a name."""
    assert check(_described(s2=f"Word lattices.\nContact: {contact}"))["findings"] == []


@pytest.mark.parametrize("contact", ["Ann B.", "desk@example", "@example.org", "desk at example.org", ""])
def test_no_address_is_told(contact: str, check: Callable[..., Json]) -> None:
    """A name alone, half an address, nothing: KWS605 at the heading of section 2."""
    text = _described(s2=f"Word lattices.\nContact: {contact}")
    report = check(text)
    assert shown_rules(report) == {"KWS605"}
    assert _lines(text, _one(report, "KWS605")) == "Section 2 System Description"


def test_an_address_elsewhere_is_no_contact(check: Callable[..., Json]) -> None:
    """It belongs into section 2."""
    assert shown_rules(check(_described(s2="Word lattices.", s5="desk@example.org"))) == {"KWS605"}


# The plan's own example of section 3.1 (B.3).
PLANS_EXAMPLE = """\
Two compute clusters were used: Castor and Polydueces

- Castor: NVIDIA Quadro 6000 GPU, 448 CUDA cores, 6GB shared memory
- Polydueces: a 16-node, Dual Quad Core 2.26 GHz Intel Xeon, 24GB RAM per node, with a 10TB Data Server.

Decoding and indexing were broken down into 3 sub-phases distributed to the two clusters:

- Feature extraction - Castor - 0.53 hours
- Lattice generation - Polydueces - 63.6 hours
- Indexing - Polydueces (1 node) - 1.4 hours"""


def test_the_plans_own_example_is_accepted(check: Callable[..., Json]) -> None:
    """Word for word, with the heading as it is printed there, colon and all."""
    text = _described(s3_1=PLANS_EXAMPLE).replace(
        "Section 3.1 Decoding and Indexing\n", "Section 3.1 Decoding and Indexing:\n"
    )
    assert check(text)["findings"] == []


def test_the_plans_own_example_without_its_times_is_told(check: Callable[..., Json]) -> None:
    """Hardware figures (6GB, 448 cores, 2.26 GHz, 16-node) are no times."""
    text = _described(s3_1="\n".join(PLANS_EXAMPLE.splitlines()[:6]))
    assert shown_rules(check(text)) == {"KWS606"}


def test_a_sub_step_of_the_plans_example_without_its_time_is_told(check: Callable[..., Json]) -> None:
    """A warning at the line of the sub-step; the others are as they should be."""
    text = _described(s3_1=PLANS_EXAMPLE.replace("Polydueces - 63.6 hours", "Polydueces - all nodes"))
    report = check(text)
    found = _one(report, "KWS607")
    assert (found["severity"], _lines(text, found)) == ("warning", "- Lattice generation - Polydueces - all nodes")
    assert shown_rules(report) == {"KWS607"}


@pytest.mark.parametrize(
    "time",
    [
        "0.53 hours", "63.6 h", "1.4 hrs", "90 minutes", "90 min", "5400 s", "5400 sec", "3 days", "1 day", "01:30:00",
        "1:30", "12 CPU hours", "12 CPU-hours", "3 GPU days", "40 core-hours", "0.5 hours.", "(2 h)", "2h", "90min",
        "1,5 hours", "1h30m", "2h15min", "1 h 30 min", "2 weeks", "65 wall-clock hours", "10 node-hours",
        "65 machine hours", "250 ms", "1.5 x 10^3 s", "TPT (hours): 65.5", "TPT [h] = 65.5", "Time in hours: 65.5",
        "TPT (h): 65.5", "| Castor | 0.6 | hours |", "0.6 (hours)", "one hour", "half an hour", "less than a minute",
        "two and a half days", "a few seconds", "~2 hours", "0.5-0.6 hours", "2\u00bd hours", "00h12m41s", "12 CPU-h",
        "1.2e3 seconds", "10 HOURS", "1H30", "130:10:05.5", "3 d 4 h", "2 hour(s)", "5 msec", "elapsed time: 2hrs",
    ],
)  # fmt: skip
def test_times_are_found_in_many_forms(time: str, check: Callable[..., Json]) -> None:
    """Whatever unit and way of writing: a phase that reports its time is not called one that does not."""
    assert "KWS606" not in shown_rules(check(_described(s3_2=f"One node of Castor took {time}")))


@pytest.mark.parametrize("number", ["3.1", "3.2"])
@pytest.mark.parametrize(
    "body",
    [
        "One node of Castor, 24 GB, 2.26 GHz",
        "16 nodes",
        "See section 4",
        "12 x faster",
        "",
        "16 H100 GPUs",
        "8 cores",
        "a 16-node cluster",
        "Xeon E5-2680 v3, 3.3 GHz, 64GB",
        "Ubuntu 12.04",
        "min. 4 GB",
        "node(s): 16",
        "3D",
    ],
)
def test_a_phase_without_a_time_is_told(number: str, body: str, check: Callable[..., Json]) -> None:
    """KWS606 at the heading of the phase; numbers of other things are no times."""
    text = _described(**{f"s{number.replace('.', '_')}": body})
    report = check(text)
    found = _one(report, "KWS606")
    assert found["message"] == f"section {number} reports no processing time"
    assert _lines(text, found) == f"Section {number} {HEADINGS[number]}"
    assert report["verdict"] == "reject"


@pytest.mark.parametrize("number", ["3.1", "3.2"])
def test_a_phase_without_hardware_is_told(number: str, check: Callable[..., Json]) -> None:
    """A time alone does not say on what: hardware and time are asked for, of both phases."""
    report = check(_described(**{f"s{number.replace('.', '_')}": "0.6 hours"}))
    assert any("hardware" in finding["message"] for finding in report["findings"])


def test_times_in_a_table_whose_head_has_the_unit(check: Callable[..., Json]) -> None:
    """The unit stands once above the numbers."""
    table = "| step | machine | hours |\n|---|---|---|\n| features | Castor | 0.53 |\n| lattices | Pollux | 63.6 |"
    steps = "All times in hours.\n- Features - Castor - 0.53\n- Indexing - Pollux - 1.4"
    assert check(_described(s3_1=table, s3_2=steps))["findings"] == []


def test_hardware_of_one_phase_only_is_a_warning(check: Callable[..., Json]) -> None:
    """The other phase may well have run on the same machines: told, not refused."""
    report = check(_described(s3_2="TPT: 0.6 hours"))
    assert (shown_rules(report), report["verdict"]) == ({"KWS610"}, "accept")


@pytest.mark.parametrize("body", ["0.6 hours", "TPT: 0.6 hours", "The search took about 0.6 hours in total."])
def test_no_hardware_at_all_is_an_error(body: str, check: Callable[..., Json]) -> None:
    """Neither section 3 nor one of its phases names any: one finding."""
    text = _described(s3_1="41.5 hours", s3_2=body)
    report = check(text)
    found = _one(report, "KWS609")
    assert (shown_rules(report), report["verdict"], found["law"]) == ({"KWS609"}, "reject", "plan")
    assert _lines(text, found) == "Section 3.1 Decoding and Indexing"


@pytest.mark.parametrize(
    "body", ["Castor - 0.6 hours", "0.6 hours on a laptop", "As above: 0.6 hours", "1 CPU, 0.6 hours", "PC - 36 min"]
)
def test_hardware_may_have_any_name(body: str, check: Callable[..., Json]) -> None:
    """Whatever is said besides the time may be what it ran on."""
    assert check(_described(s3_1=body, s3_2=body))["findings"] == []


def test_hardware_that_section_3_describes_holds_for_both_phases(check: Callable[..., Json]) -> None:
    """The setup is described above the phases; they name it with their times."""
    body = "Castor: 16 nodes of 8 cores, 24 GB each"
    assert check(_described(s3=body, s3_1="Castor - 65 hours", s3_2="Castor (1 node) - 0.6 hours"))["findings"] == []


def test_a_time_of_the_other_phase_does_not_count(check: Callable[..., Json]) -> None:
    """Each phase has a time of its own, also where the headings stand directly below each other."""
    text = _described(s3_1="").replace("Section 3.1 Decoding and Indexing\n\n\n", "Section 3.1 Decoding and Indexing\n")
    assert shown_rules(check(text)) == {"KWS606"}


# -- whose law, and which text -----------------------------------------------------------------------------------


def test_the_official_tool_reads_no_description_of_kws13(check: Callable[..., Json]) -> None:
    """Under the tool's law all this is a warning."""
    report = check("", "--conventions", "tool")
    assert report["verdicts"] == {"plan": "reject", "tool": "accept"}
    assert report["verdict"] == "accept"
    assert {finding["severity"] for finding in report["findings"]} == {"warning"}


def test_a_description_is_not_required_unless_asked(check: Callable[..., Json], subgate: Callable[..., Result]) -> None:
    """Without one: accepted; with require_description=true: KWS601."""
    check(_described())
    write_files_only = subgate("check", f"sub/{RUN}", "--data", str(DATABASE), "--format", "json")
    assert submission(write_files_only.output)["verdict"] == "accept"
    asked = subgate("check", f"sub/{RUN}", "--set", "require_description=true", "--format", "json")
    assert "KWS601" in shown_rules(submission(asked.output))


def test_text_that_is_not_utf_8_is_told_and_still_read(check: Callable[..., Json]) -> None:
    """A Latin-1 name of the contact: TXT201 at its place, and no consequence for the sections."""
    report = check(_described().replace("evaluation desk", "J\u00fcrgen").encode("latin-1"))
    assert shown_rules(report) == {"TXT201"}


def test_every_blank_of_a_skeleton_is_told(check: Callable[..., Json]) -> None:
    """FILL-IN rejects, and what follows from it is not told on top."""
    report = check(_described(s2="FILL-IN\nContact: FILL-IN", s3_2="- FILL-IN - FILL-IN - FILL-IN"))
    assert shown_rules(report) == {"KWS608"}
    assert report["verdict"] == "reject"


# -- KWS14 and later ---------------------------------------------------------------------------------------------


DATA_LINE = "BaseLR{106FullLP}:AM{106FullLP},LM{106FullLP},PRON{106FullLP},AR{}"
FIGURES = {
    "Ingestion Elapsed Time": "(hh:mm:ss) - 10:20:30",
    "Ingestion Total CPU Time": "(hh:mm:ss) - 130:10:05.5",
    "Ingestion Maximum CPU Memory": "(gbytes) - 24",
    "Search Elapsed Time": "(hh:mm:ss) - 00:12:41",
    "Search Total CPU Time": "(hh:mm:ss) - 01:30:00",
    "Search Maximum CPU Memory": "(gbytes) - 6.5",
}


@pytest.fixture(params=["14", "15", "16"])
def later(request: pytest.FixtureRequest, check: Callable[..., Json]) -> Callable[..., Json]:
    """Check a description of a later year, with a data line and figures that may be others."""
    name = KWS14.replace("KWS14", f"KWS{request.param}")

    def judge(data_line: str = DATA_LINE, **figures: str) -> Json:
        known = {**FIGURES, **{key.replace("_", " "): value for key, value in figures.items()}}
        lines = [data_line, *(f"{figure} {value}" for figure, value in known.items())]
        return check("\n".join(lines), files={f"{name}.kwslist.xml": GOOD[RUN]})

    return judge


def test_a_later_description_needs_no_sections(later: Callable[..., Json]) -> None:
    """A data line and six figures, and nothing else."""
    assert later()["findings"] == []


@pytest.mark.parametrize("figure", FIGURES)
def test_a_missing_figure_is_told(figure: str, later: Callable[..., Json]) -> None:
    """Each of the six is quoted by its name; law of the tool."""
    found = _one(later(**{figure.replace(" ", "_"): "was not measured"}), "KWS613")
    assert f'"{figure}"' in found["message"]
    assert (found["severity"], found["law"]) == ("error", "tool")


@pytest.mark.parametrize("value", ["- 5", "-5", "(h) - 1:02", "took long - 01:02:03.25", "of stage 1 - 7 and more"])
def test_figures_are_read_as_the_tool_reads_them(value: str, later: Callable[..., Json]) -> None:
    """Name, anything, a hyphen, a number with optional groups and decimals; units are not read."""
    assert later(Search_Elapsed_Time=value)["findings"] == []


@pytest.mark.parametrize("value", ["5", ": 5", "- five", "-", "\u2013 5"])
def test_figures_that_the_tool_does_not_read_are_told(value: str, later: Callable[..., Json]) -> None:
    """No hyphen (a dash is none), or no number behind it."""
    assert shown_rules(later(Search_Elapsed_Time=value)) == {"KWS613"}


DATA_LINES = {
    "Babel": "BaseLR{106FullLP},BabelLR{106LimitedLP}:AM{106FullLP},LM{106FullLP},PRON{106FullLP},AR{}",
    "other": "BaseLR{106FullLP},OtherLR{106LimitedLP}:AM{106FullLP},LM{106FullLP},PRON{106FullLP},AR{}",
    "both": "BaseLR{106FullLP},BabelLR{106LimitedLP},OtherLR{106FullLP}:AM{},LM{},PRON{},AR{}",
    "joined": "BaseLR{106FullLP}:AM{106FullLP+106LimitedLP},LM{106FullLP},PRON{106FullLP},AR{106FullLP}",
    "in a sentence": f"We used {DATA_LINE} as NIST asks.",
    "beside other braces": f"See {{1}} and {{Smith+Jones}}: {DATA_LINE} {{end}}",
}


@pytest.mark.parametrize("form", DATA_LINES)
def test_data_lines_that_the_tool_reads(form: str, later: Callable[..., Json]) -> None:
    """Optional groups, joined and empty ids; text before and after on the line is ignored."""
    assert later(DATA_LINES[form])["findings"] == []


BROKEN_LINES = {
    "none": "We used the full language pack.",
    "blank": DATA_LINE.replace(",LM", ", LM"),
    "order": DATA_LINE.replace("AM{106FullLP},LM{106FullLP}", "LM{106FullLP},AM{106FullLP}"),
    "no AR": DATA_LINE.replace(",AR{}", ""),
    "empty base": DATA_LINE.replace("BaseLR{106FullLP}", "BaseLR{}"),
    "other before Babel": DATA_LINE.replace(":AM", ",OtherLR{x},BabelLR{y}:AM"),
    "small letters": DATA_LINE.lower(),
    "two lines": DATA_LINE.replace(":", ":\n"),
}


@pytest.mark.parametrize("form", BROKEN_LINES)
def test_data_lines_that_the_tool_does_not_read(form: str, later: Callable[..., Json]) -> None:
    """KWS611, law of the tool, with the form of the line."""
    report = later(BROKEN_LINES[form])
    found = _one(report, "KWS611")
    assert shown_rules(report) == {"KWS611"}
    assert (found["law"], "BaseLR{...}:AM{...}" in found["message"]) == ("tool", True)


def test_an_unknown_resource_is_a_warning_with_a_guess(
    later: Callable[..., Json], subgate: Callable[..., Result]
) -> None:
    """An id that DataDefs.tsv lacks is told once for each id; the submission is accepted."""
    report = later(DATA_LINE.replace("106FullLP", "106FulLP").replace("AR{}", "AR{mine}"))
    messages = [finding["message"] for finding in report["findings"]]
    assert messages == ['"106FulLP" is not in DataDefs.tsv', '"mine" is not in DataDefs.tsv']
    assert report["verdict"] == "accept"
    assert "did you mean 106FullLP?" in subgate("check", "sub", "--data", str(DATABASE)).output


def test_only_the_first_data_line_counts(later: Callable[..., Json]) -> None:
    """What a second one names is not looked at."""
    assert later(f"{DATA_LINE}\n{DATA_LINE.replace('106FullLP', 'unknown')}")["findings"] == []


def test_without_the_table_resources_are_not_judged(later: Callable[..., Json], subgate: Callable[..., Result]) -> None:
    """No DataDefs.tsv: the check is listed under skipped with what it needs."""
    later(DATA_LINE.replace("106FullLP", "unknown"))
    report = submission(subgate("check", "sub", "--format", "json").output)
    assert report["findings"] == []
    assert {"check": "unknown-resource", "needs": "resources"} in report["skipped"]


def test_a_file_with_a_misspelt_name_leaves_the_description_alone(check: Callable[..., Json]) -> None:
    """The description has the right EXPID: nobody is told to write the wrong one into it."""
    report = check(TEXT, files={RUN.replace("FullLP", "FulLP"): GOOD[RUN]})
    assert "KWS112" in shown_rules(report)
    assert not {"KWS603", "KWS604"} & {finding["rule"] for finding in report["findings"]}


def test_two_legal_names_that_differ_are_told(check: Callable[..., Json]) -> None:
    """Which of them is wrong nobody can know."""
    report = check(TEXT, files={RUN.replace("FullLP", "LimitedLP"): GOOD[RUN]})
    assert "KWS603" in shown_rules(report)
