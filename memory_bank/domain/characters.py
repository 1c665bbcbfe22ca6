"""Characters as a search sees them: one form for what looks alike, and the classes that decide where a word ends."""

import functools
import re
import unicodedata

_MARKS_KEPT = 8
"""Combining marks kept on one character: normalising a long run of them takes time by the square of its length."""

# Scripts that write no spaces between words, and Hangul, whose spaces part phrases rather than words.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ecf\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc"  # Khmer
    "\u1950-\u1974\u1980-\u19c9\u1a20-\u1a7c"  # Tai
    "\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb"  # Hangul
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # kana, Han numerals
    "\u3105-\u312f\u31a0-\u31ff"  # Bopomofo, small kana
    "\u2e80-\u2fd5\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48c\uf900-\ufaff"  # Han and Yi
    "\U00016fe0-\U00018dff\U0001aff0-\U0001b2ff\U00020000-\U0003fffd"  # Tangut, more kana, more Han
)

PICTURES = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
FLAG_HALVES = "\U0001f1e6-\U0001f1ff"

# Format and control characters have the categories below; these show nothing either, or only vary what they follow.
_SILENT = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"


@functools.cache
def marks() -> str:
    """Return the combining marks of every script as the inside of a regular expression's character class."""
    return _class_of("Mn", "Mc", "Me")


def normalised(text: str) -> str:
    """Return `text` in NFKC, without characters that show nothing (zero-width, soft hyphen, variation selectors).

    At most `_MARKS_KEPT` combining marks in a row are kept. The letters' case stays.
    """
    if text.isascii():
        return text
    bounded = _mark_runs().sub(r"\1", text.replace("’", "'"))
    return unicodedata.normalize("NFKC", _silent(_SKIN_TONES).sub("", bounded))


def visible(text: str) -> str:
    """Return `text` without what shows nothing on its own: zero-width and format characters, variation selectors.

    Texts that look alike may differ in nothing else. Some of it shapes letters, as the non-joiner does in Persian: what
    is left is for comparing, not for showing.
    """
    return text if text.isascii() else _silent().sub("", text)


def folded(word: str) -> str:
    """Return a normalised word without the difference of upper and lower case, its digits as 0 to 9."""
    if word.isascii():
        return word.lower()
    # the Turkish letters i with and without a dot have no folding that suits every language: here they are one
    lower = unicodedata.normalize("NFKC", word.casefold()).replace("i\u0307", "i").replace("ı", "i")
    return "".join(str(unicodedata.digit(each)) if each.isdecimal() else each for each in lower)


@functools.cache
def _mark_runs() -> re.Pattern[str]:
    return re.compile(f"([{marks()}]{{{_MARKS_KEPT}}})[{marks()}]+")


@functools.cache
def _silent(others: str = "") -> re.Pattern[str]:
    return re.compile(f"[{_SILENT}{others}{_class_of('Cf')}]+")


def _class_of(*categories: str) -> str:
    members = [
        code
        for code in range(0x20000)
        if unicodedata.category(chr(code)) in categories  # none of them is assigned above, but for tags
    ]
    members += range(0xE0001, 0xE0080) if "Cf" in categories else ()
    ranges: list[tuple[int, int]] = []
    for code in members:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"{chr(first)}-{chr(last)}" if first < last else chr(first) for first, last in ranges)
