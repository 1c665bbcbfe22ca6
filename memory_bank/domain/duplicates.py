"""Near-duplicates among results: texts of almost the same words that say nothing different."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

JACCARD = 0.7
"""Share of common words from which two texts are near-duplicates (Jaccard 1912)."""

_WORD = re.compile(r"\w+")
_FEWEST = 5


@dataclass(frozen=True, kw_only=True)
class Words:
    """The different words of a text, folded, as one text is compared with another."""

    words: frozenset[str]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Those with digits in them."""
        return frozenset(word for word in self.words if any(map(str.isdigit, word)))

    def repeats(self, earlier: "Words") -> bool:
        """Tell whether this text nearly repeats an earlier one.

        Texts of fewer than five words, and texts that differ in a number or in a word with digits, never do: a
        corrected port or date is news.
        """
        fewest, most = sorted((len(self.words), len(earlier.words)))
        if fewest < _FEWEST or fewest < JACCARD * most:
            return False
        return similarity(self.words, earlier.words) >= JACCARD and self.numbers == earlier.numbers


def words(text: str) -> Words:
    """Return the words of a text."""
    return Words(words=frozenset(_WORD.findall(text.casefold())))


def distinct(texts: Iterable[str], *, limit: int) -> list[int]:
    """Return the places of the first `limit` texts that do not nearly repeat one of those before them."""
    kept: dict[int, Words] = {}
    for place, text in enumerate(texts):
        if len(kept) == limit:
            break
        found = words(text)
        if not any(found.repeats(earlier) for earlier in kept.values()):
            kept[place] = found
    return list(kept)


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of words, 0 to 1."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if one or other else 1.0
