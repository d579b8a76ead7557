"""Family: processing times and hardware in the words of a description: 0.53 hours, 1h30m, 12 CPU-hours, TPT (h): 65.5.

Every repetition in a pattern has a bound: a hostile line costs time in proportion to its length. Patterns are compiled
when the first description is read: a check of a single run starts without them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBER = r"(?<![\w.])(?:\d[\d.,]{0,19}(?:\s{0,2}e[+-]?\d{1,3})?[½¼¾]?|[½¼¾])"
_WORD = (
    r"\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|half|few|several|couple)"
)
_LONG = r"(?:(?:micro|milli|m|u|µ)?sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|days?|weeks?|months?)(?:\(s\))?(?![^\W\d_])"
_FULL = r"(?:seconds?|minutes?|hours?|hrs?|days?|weeks?)"
_SHORT = r"(?-i:(?:h|H|m|s|d|ms)(?!\w))"
_BETWEEN = r"[\s|(\[~-]{0,6}"
_KIND = r"(?:[a-z]{1,12}[\s-]{1,2}){0,3}"  # CPU hours, node-hours, wall-clock hours, half an hour
_AMOUNT = rf"{_NUMBER}{_BETWEEN}(?:{_KIND}{_LONG}|(?:[a-z]{{1,12}}-)?{_SHORT})|{_WORD}[\s-]{{1,3}}{_KIND}{_LONG}"
_JOINED = rf"{_NUMBER}(?-i:h|H|hr|hrs|min|m|d)\d"  # 1h30m; "16 H100" is none
_CLOCK = r"(?<![\d:.])\d{1,5}:\d\d(?::\d\d)?(?![\d:])"
_LABEL = rf"\b{_FULL}[\s|)\]:=~-]{{1,9}}\d|\s[(\[](?:h|min|s|d)[)\]][\s:|=~-]{{0,9}}\d"  # TPT (hours): 65.5
_TIME = f"(?i){_AMOUNT}|{_JOINED}|{_CLOCK}|{_LABEL}"
_UNIT = rf"(?i)\b{_FULL}\b|(?<=\s)[(\[](?:h|min|s|d)[)\]]"
_LAST_NUMBER = r"(?:^|[\s|:=~-])\d[\d.,:]{0,19}[\s|.]{0,9}$"
_WORDS = r"[^\W\d_]{2,}"
# Words that say nothing about the machine that took the time.
_OF_TIMES = frozenset(
    re.findall(
        r"\w+",
        """about all an and approximately approx around at by circa complete computation decoding did done elapsed
        estimated everything for hour hours in indexing is it less nearly needed of on only over overall phase process
        processing report reported required roughly run running runtime search searching section step steps sub sum
        system than that the this time times to took takes total totals tpt under was we were whole with within""",
    )
)


def names_unit(lines: Iterable[str]) -> bool:
    """Tell whether lines say in which unit times are given."""
    return any(re.search(_UNIT, line) for line in lines)


def tells_time(text: str, *, unit: bool) -> bool:
    """Tell whether a line has a time: a number with its unit; where the unit is told elsewhere, a number at its end."""
    return re.search(_TIME, text) is not None or (unit and re.search(_LAST_NUMBER, text[-200:]) is not None)


def tells_hardware(lines: Iterable[str], titles: Iterable[str]) -> bool:
    """Tell whether lines say anything besides times and headings: what took the time may have any name."""
    known = _OF_TIMES | {word for title in titles for word in re.findall(_WORDS, title.casefold())}
    return any(not set(re.findall(_WORDS, re.sub(_TIME, " ", text).casefold())) <= known for text in lines)
