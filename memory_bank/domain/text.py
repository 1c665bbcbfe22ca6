"""Text as it may be stored: what is removed from it, what counts as blank, how it is shortened."""

import re
import unicodedata

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Control, format, separator: characters that show nothing on their own.
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
# Letters and symbols by category that every renderer shows as empty space.
_INVISIBLE_CHARACTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
# Joiners, variation selectors and skin tones continue the character before them.
_CONTINUES = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


def storable(text: str) -> str:
    """Return `text` without NUL and lone surrogates, which PostgreSQL and UTF-8 cannot hold; the rest stays."""
    return _UNSTORABLE.sub("", text)


def is_blank(text: str) -> bool:
    """Tell whether nothing in `text` would be visible: white space, zero-width and control characters only."""
    return all(
        unicodedata.category(character) in _INVISIBLE_CATEGORIES or character in _INVISIBLE_CHARACTERS
        for character in text
    )


def preview(text: str, *, limit: int) -> str:
    """Return the first `limit` characters of `text` at most, ended by `…` where something was cut.

    Never cuts between a character and the marks, joiners or flag half that belong to it.
    """
    if len(text) <= limit:
        return text
    cut = limit - 1
    while cut > 0 and _joined(text, cut):
        cut -= 1
    return text[:cut].rstrip() + "…"


def fitting(text: str, *, size: int) -> str:
    """Return the beginning of `text` that takes `size` bytes at most, cut as `preview` cuts.

    Bytes, because a letter outside ASCII takes a reader's room for several: two to four bytes, and about as many
    quarters of a language model's token.
    """
    return preview(text, limit=len(text.encode()[:size].decode(errors="ignore")))


def _joined(text: str, cut: int) -> bool:
    following, before = text[cut], text[cut - 1]
    if unicodedata.combining(following) or _CONTINUES.match(following) or before == "\u200d":
        return True
    return _is_flag_half(following) and _flag_halves_before(text, cut) % 2 == 1


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_halves_before(text: str, cut: int) -> int:
    count = 0
    while cut - count > 0 and _is_flag_half(text[cut - count - 1]):
        count += 1
    return count
