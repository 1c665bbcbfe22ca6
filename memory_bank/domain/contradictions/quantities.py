"""Numbers of a fact with what they measure or count: digits, number words, Han numerals, clock times, versions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory_bank.domain import characters
from memory_bank.domain.cues import measures, reading, words


class Kind(StrEnum):
    """What a number stands for."""

    AMOUNT = "amount"
    TIME = "time"
    YEAR = "year"
    VERSION = "version"
    LABEL = "label"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number at tokens `start` to `end`; `value` in the base unit of `measure`, or a version's parts."""

    value: str
    kind: Kind
    measure: str
    text: str
    start: int
    end: int


_AMBIGUOUS = reading.word_set("un una uno due sei acht elf nove twice both")
NUMBER_WORDS = {
    characters.folded(word): value
    for table in (words.NUMBER_WORDS, {1: measures.ONE})
    for value, listed in table.items()
    for word in listed.split()
    # articles, pronouns and verbs of other languages count only in their own
    if word not in _AMBIGUOUS
}
_ORDINALS = {characters.folded(word): value for value, listed in measures.ORDINALS.items() for word in listed.split()}
_MULTIPLIERS = {word: value for value, listed in measures.MULTIPLIERS.items() for word in listed.split()}
_BY_UNIT = {
    name: (measure, factor)
    for measure, rows in measures.UNITS.items()
    for factor, listed in rows
    for name in listed.split()
}
_LONGEST_UNIT = max(len(name) for name in _BY_UNIT if not name.isascii())
_NAMED_BY_YEAR = reading.word_set("version edition release revision model vintage ausgabe fassung edición versión")
_LABELLED = reading.word_set(measures.LABELLED)
_DURATIONS = tuple(
    (tuple(text.split()), minutes) for minutes, listed in measures.DURATIONS.items() for text in listed.split("|")
)
_HAN = {character: index for index, character in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_HAN_COUNTERS = frozenset(measures.HAN_COUNTERS)
_YEAR = re.compile(r"(?:19|20)\d\d$")
_HOURS = "点點时時시"


def found(texts: tuple[str, ...], *, language: str) -> tuple[Quantity, ...]:
    """Return the numbers among the tokens, each with the tokens of its unit."""
    numbers: list[Quantity] = []
    position = 0
    while position < len(texts):
        quantity = _at(texts, position, language)
        if quantity is None:
            position += 1
        else:
            numbers.append(quantity)
            position = quantity.end
    return tuple(numbers)


def _at(texts: Sequence[str], start: int, language: str) -> Quantity | None:
    text = texts[start]
    if fraction := _fraction(texts, start):
        return fraction
    if text[-1].isdecimal() and (text[0].isdecimal() or (text[0] in "v-−#" and text[1:2].isdecimal())):
        return _numeral(texts, start, language)
    if text in _HAN or text in _HAN_UNITS:
        return _han(texts, start)
    value = measures.OWN.get(language, {}).get(text, NUMBER_WORDS.get(text))
    if value is None and "-" in text:
        tens, _, ones = text.partition("-")
        if NUMBER_WORDS.get(tens, 0) >= 20 and NUMBER_WORDS.get(ones, 99) < 10:
            value = NUMBER_WORDS[tens] + NUMBER_WORDS[ones]
    if value is not None and not (value == 1 and texts[start + 1 : start + 2] == ("of",)):
        return _measured(float(value), texts, start, start + 1)
    before = texts[start - 1] if start else ""
    if len(text) == 1 and text.isascii() and text.isalpha() and before in _LABELLED:
        return _quantity(text, Kind.LABEL, before, texts, start, start + 1)
    if text in _ORDINALS and language != "ja":
        return _quantity(f"{_ORDINALS[text]}.", Kind.LABEL, "", texts, start, start + 1)
    return None


def _fraction(texts: Sequence[str], start: int) -> Quantity | None:
    """Read "half an hour", "three quarters of an hour", "a quarter of an hour", "eine halbe Stunde", "media hora"."""
    ahead = tuple(texts[start : start + 5])
    for words_read, minutes in _DURATIONS:
        if ahead[: len(words_read)] == words_read:
            end = start + len(words_read)
            return _quantity(str(float(minutes * 60)), Kind.AMOUNT, "duration", texts, start, end)
    return None


def _numeral(texts: Sequence[str], start: int, language: str) -> Quantity | None:
    text = texts[start]
    if text[0] in "-−":
        value = text[1:].replace(",", ".")
        return _measured(-float(value) if re.fullmatch(r"\d{1,15}(?:\.\d+)?", value) else 0.0, texts, start, start + 1)
    if text[0] == "#":
        before = texts[start - 1] if start else ""
        value = str(float(text[1:])) if re.fullmatch(r"\d{1,15}", text[1:]) else text[1:]
        return _quantity(value, Kind.LABEL, before if before in _LABELLED else "#", texts, start, start + 1)
    if text[0] == "v":
        return _quantity(text[1:], Kind.VERSION, "", texts, start, start + 1)
    if ":" in text or "/" in text:
        return _clock(texts, start)
    if text.count(".") >= 2 or text.count(",") >= 2 or re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text):
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text) or (
            language not in ("en", "zh", "ja", "ko") and re.fullmatch(r"\d{1,3}(?:\.\d{3})+", text)
        ):
            return _measured(float(re.sub(r"[.,]", "", text)), texts, start, start + 1)
        return _quantity(text, Kind.VERSION, "", texts, start, start + 1)
    ahead = texts[start + 1] if start + 1 < len(texts) else ""
    if ahead in ("st", "nd", "rd", "th"):
        return _quantity(f"{text}.", Kind.LABEL, "", texts, start, start + 2)
    before = texts[start - 1] if start else ""
    if _YEAR.match(text) and before in _NAMED_BY_YEAR:
        return _quantity(text, Kind.LABEL, before, texts, start, start + 1)
    if _YEAR.match(text) and ahead not in _BY_UNIT and before not in ("port", "for", "costs", "at"):
        end = start + 1 + (ahead == "年")
        return _quantity(text, Kind.YEAR, "", texts, start, end)
    if before in ("version", "v", "release", "versión", "versão", "versione", "版", "本"):
        return _quantity(text, Kind.VERSION, "", texts, start, start + 1)
    if len(text) > 18:
        return _quantity(text, Kind.LABEL, "", texts, start, start + 1)
    return _measured(float(text.replace(",", ".")), texts, start, start + 1)


def _clock(texts: Sequence[str], start: int) -> Quantity:
    match = re.fullmatch(r"(\d{1,2}):(\d\d)(?::\d\d)?", texts[start])
    if not match or int(match.group(1)) > 24:
        return _quantity(texts[start], Kind.VERSION, "", texts, start, start + 1)
    hour, minute = int(match.group(1)), int(match.group(2))
    half = texts[start + 1] if start + 1 < len(texts) else ""
    if half in ("pm", "p.m") and hour < 12:
        hour += 12
    end = start + 1 + (half in ("am", "pm", "a.m", "p.m", "uhr", "h"))
    return _quantity(f"{hour}:{minute:02}", Kind.TIME, "clock", texts, start, end)


def _measured(value: float, texts: Sequence[str], start: int, end: int) -> Quantity:
    """Take the multiplier, unit or clock word after (or the currency before) the number into the quantity."""
    if (
        end < len(texts)
        and texts[end] in _MULTIPLIERS
        and not (texts[end] == "m" and value < 1000 and "." not in texts[start])
    ):
        value, end = value * _MULTIPLIERS[texts[end]], end + 1
    ahead = texts[end] if end < len(texts) else ""
    if ahead in ("am", "pm", "a.m", "p.m", "o'clock", "uhr", *_HOURS) and value <= 24:
        afternoon = ahead in ("pm", "p.m") and value < 12
        return _quantity(f"{int(value) + 12 * afternoon}:00", Kind.TIME, "clock", texts, start, end + 1)
    if (
        ahead in ("h", "uur")
        and value <= 24
        and start
        and texts[start - 1] in ("às", "à", "um", "om", "at", "las", "até")
    ):
        return _quantity(f"{int(value)}:00", Kind.TIME, "clock", texts, start, end + 1)
    for length in range(_LONGEST_UNIT, 0, -1):
        name = "".join(texts[end : end + length]) if length > 1 and not ahead.isascii() else ahead
        if length > 1 and ahead.isascii():
            continue
        if name in _BY_UNIT:
            measure, factor = _BY_UNIT[name]
            return _quantity(str(value * factor), Kind.AMOUNT, measure, texts, start, end + length)
    before = texts[start - 1] if start else ""
    kind = Kind.LABEL if before in _LABELLED or before == "第" or ahead in ("号", "號", "番") else Kind.AMOUNT
    return _quantity(str(value), kind, before if kind is Kind.LABEL else "", texts, start, end)


def _han(texts: Sequence[str], start: int) -> Quantity | None:
    end = start
    while end < len(texts) and (texts[end] in _HAN or texts[end] in _HAN_UNITS) and end - start < 12:
        end += 1
    run, ahead = texts[start:end], (texts[end] if end < len(texts) else "")
    if len(run) == 1 and (ahead not in _HAN_COUNTERS or (run[0] in _HAN_UNITS and run[0] != "十")):
        return None
    if start and texts[start - 1] in ("星", "期", "周", "週", "第", "礼", "拜") and len(run) == 1:
        return _quantity(f"{_han_value(run)}.", Kind.LABEL, "", texts, start, end) if texts[start - 1] == "第" else None
    if run == ("一",) and ahead in (
        "起",
        "般",
        "样",
        "定",
        "些",
        "直",
        "部",
        "番",
        "度",
        "次",
        "种",
        "種",
        "家",
        "位",
        "代",
        "组",
    ):
        return None
    return _measured(float(_han_value(run)), texts, start, end)


def _han_value(run: Sequence[str]) -> int:
    total = current = 0
    for character in run:
        if character in _HAN_UNITS:
            total, current = total + max(current, 1) * _HAN_UNITS[character], 0
        else:
            current = current * 10 + _HAN[character]
    return total + current


def _quantity(value: str, kind: Kind, measure: str, texts: Sequence[str], start: int, end: int) -> Quantity:
    shown = [texts[start]]
    for text in texts[start + 1 : end]:
        shown.append(text if not text.isascii() else f" {text}")
    return Quantity(value=value, kind=kind, measure=measure, text="".join(shown), start=start, end=end)
