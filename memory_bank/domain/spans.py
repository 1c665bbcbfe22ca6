"""Spans of time that a query names: a day, a month or a year, in the languages whose months are listed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

Day = date

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar enero janvier gennaio janeiro januari",
            "february feb februar febrero février fevrier febbraio fevereiro februari",
            "march mar märz maerz marzo mars março marco maart",
            "april apr abril avril aprile",
            "may mai mayo maggio maio mei",
            "june jun juni junio juin giugno junho",
            "july jul juli julio juillet luglio julho",
            "august aug agosto août aout augustus",
            "september sep sept septiembre septembre settembre setembro",
            "october oct oktober octubre octobre ottobre outubro",
            "november nov noviembre novembre novembro",
            "december dec dezember diciembre décembre decembre dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
# words of other meanings: `may` and `mar` and the like name a month only beside a day or a year
_AMBIGUOUS = frozenset({"may", "mar", "march", "mars", "marco", "mai", "mei", "jan", "jun", "sep", "dec", "nov", "aug"})
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d?)(?:-(\d\d?))?\b")
_EAST_ASIAN = re.compile(r"((?:19|20)\d\d)年(?:(\d\d?)月(?:(\d\d?)日)?)?")
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FIRST = re.compile(
    rf"\b(?:(\d\d?)(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?)?({_NAME})\b\.?,?(?:\s+(?:de\s+|of\s+)?((?:19|20)\d\d))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(rf"\b({_NAME})\s+(\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+((?:19|20)\d\d))?", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\w-])((?:19|20)\d\d)(?![\w-])")


@dataclass(frozen=True, kw_only=True)
class Span:
    """A year, month or day; a year left out (None) is whichever is nearest to the note."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def distance(self, moment: Day) -> float:
        """Return the days between `moment` and the span, 0 inside it."""
        years = (self.year,) if self.year is not None else (moment.year - 1, moment.year, moment.year + 1)
        return min((self._distance(moment, year) for year in years if 1 < year < 9_999), default=float("inf"))

    def _distance(self, moment: Day, year: int) -> float:
        first, last = self._bounds(year)
        return float(max((first - moment).days, (moment - last).days, 0))

    def _bounds(self, year: int) -> tuple[date, date]:
        if self.month is None:
            return date(year, 1, 1), date(year, 12, 31)
        first = date(year, self.month, 1)
        last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        if self.day is None:
            return first, last
        only = date(year, self.month, min(self.day, last.day))
        return only, only


def named(text: str) -> tuple[Span, ...]:
    """Return the spans that `text` names; days beyond a month's end are its last, anything else impossible is none."""
    found: list[Span] = []
    taken: list[range] = []
    for start, end, span in _matches(text):
        if not any(start < each.stop and each.start < end for each in taken):
            taken.append(range(start, end))
            found.append(span)
    return tuple(dict.fromkeys(found))


def _matches(text: str) -> Iterator[tuple[int, int, Span]]:
    """Yield every reading, the most particular kinds first."""
    for match in chain(_ISO.finditer(text), _EAST_ASIAN.finditer(text)):
        year, month, day = match.groups()
        yield from _possible(match, year, int(month) if month else None, day)
    for match in _MONTH_FIRST.finditer(text):
        name, day, year = match.groups()
        yield from _possible(match, year, _MONTHS[name.lower()], day)
    for match in _DAY_FIRST.finditer(text):
        day, name, year = match.groups()
        if day or year or name.lower() not in _AMBIGUOUS:
            yield from _possible(match, year, _MONTHS[name.lower()], day)
    for match in _YEAR.finditer(text):
        yield from _possible(match, match.group(1), None, None)


def _possible(
    match: re.Match[str], year: str | None, month: int | None, day: str | None
) -> Iterator[tuple[int, int, Span]]:
    if (month is None or 1 <= month <= 12) and (not day or 1 <= int(day) <= 31):
        span = Span(year=int(year) if year else None, month=month, day=int(day) if day else None)
        yield match.start(), match.end(), span
