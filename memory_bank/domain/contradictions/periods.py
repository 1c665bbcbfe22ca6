"""Times that bound a fact: two facts of different times do not contradict each other."""

import re
from dataclasses import dataclass

from memory_bank.domain import spans
from memory_bank.domain.contradictions import facts, quantities
from memory_bank.domain.cues import grammar, reading

# Labels that number one of a row of periods or events rather than a place or a version.
_PERIOD_LABELS = reading.word_set(grammar.PERIOD_LABELS)
_QUARTER = re.compile(
    r"\bq([1-4])\b|([1-4一二三四])\s*(?:季度|四半期|분기)|\b([1-4])\.\s*quartal|\b(?:t|trimestre\s)([1-4])\b"
)
_MONTH = re.compile(r"(?<!\d)(1[0-2]|[1-9])\s*(?:月(?!份)|月份|월)")
_NAMED = re.compile(
    r"\b(?:(spring|frühling|frühjahr|primavera|printemps|lente)|(summer|sommer|verano|été|estate|verão|zomer)"
    r"|(autumn|fall of|herbst|otoño|automne|autunno|outono|herfst)|(winter|invierno|hiver|inverno))\b"
    r"|(春)|(夏)|(秋)|(冬)"
)
_RELATIVE = re.compile(
    r"\b(?:(last (?:year|month|week|night|season|time)|yesterday|letztes jahr|letzten? (?:monat|woche)|vorjahr|gestern"
    r"|el año pasado|la semana pasada|ayer|l'année dernière|hier|l'anno scorso|ieri|ano passado|ontem|vorig jaar"
    r"|gisteren)"
    r"|(this (?:year|month|week|season)|today|tonight|dieses jahr|diese[nr]? (?:monat|woche)|este año|esta semana"
    r"|cette année|quest'anno|este ano|dit jaar)"
    r"|(next (?:year|month|week|season)|tomorrow|nächstes jahr|nächste[nr]? (?:monat|woche)"
    r"|el próximo año|el año que viene|l'année prochaine))\b"
    r"|(去年|昨年|上周|上个月|昨天|先月|先週|昨日|작년|지난)|(今年|本周|本月|今天|今月|今週|本日|올해|이번)"
    r"|(明年|来年|下周|下个月|来月|来週|내년|다음)"
)
_UNTIL = re.compile(
    r"\b(?:until|till|up to|through|bis|hasta|jusqu'en|jusqu'à|fino al|fino a|até|tot)\s+"
    r"(?:\w+\s+){0,2}?(?:19|20)\d\d\b"
    r"|\b(?:from|von|de|del|between|zwischen|entre)\s+(?:\w+\s+)?(?:19|20)\d\d\s+(?:to|bis|a|al|until|till|and|und|y|à|et)\s"
    r"|(?:19|20)\d\d\s*[-–—~～至到]\s*(?:19|20)\d\d|(?:19|20)\d\d年?(?:\d+月)?(?:まで|为止|之前|以前|까지)"
    r"|\b(?:used to|formerly|previously|in the past|back then|as a child|früher|ehemals|damals|antes|antiguamente|solía"
    r"|autrefois|avant|una volta|un tempo|antigamente|vroeger)\b|以前|曾经|曾|かつて|昔|예전"
)


@dataclass(frozen=True, kw_only=True)
class Period:
    """When a fact holds, as far as it says: values by granularity; `over` when it says that the time has ended."""

    values: dict[str, frozenset[str]]
    over: bool


def of(text: str, fact: facts.Fact) -> Period:
    """Return the bounds that the prepared `text` of `fact` names."""
    named = spans.named(text)
    years = {number.value for number in fact.quantities if number.kind is quantities.Kind.YEAR}
    months = {str(span.month) for span in named if span.month} | {match.group(1) for match in _MONTH.finditer(text)}
    values = {
        "year": years,
        "month": months,
        "quarter": _groups(_QUARTER, text),
        "season": _groups(_NAMED, text, size=4),
        "relative": _groups(_RELATIVE, text, size=3),
    }
    for number in fact.quantities:
        if number.kind is quantities.Kind.LABEL and number.measure in _PERIOD_LABELS:
            values.setdefault(number.measure, set()).add(number.value)
    return Period(
        values={name: frozenset(found) for name, found in values.items() if found}, over=bool(_UNTIL.search(text))
    )


def apart(one: Period, two: Period) -> bool:
    """Tell whether the periods name different times of one granularity, or one is over and the other is not."""
    return one.over != two.over or any(
        not (found & two.values[name]) for name, found in one.values.items() if name in two.values
    )


def _groups(pattern: re.Pattern[str], text: str, *, size: int = 0) -> set[str]:
    found = set()
    for match in pattern.finditer(text):
        index = next(i for i, group in enumerate(match.groups()) if group)
        found.add(str(index % size) if size else _DIGITS.get(match.group(index + 1), match.group(index + 1)))
    return found


_DIGITS = {"一": "1", "二": "2", "三": "3", "四": "4"}
