"""Near-duplicates among results: texts of almost the same words that say nothing different."""

import re
from collections.abc import Iterable, Sequence
from uuid import UUID

JACCARD = 0.7
"""Share of common words from which two texts are near-duplicates (Jaccard 1912)."""

_WORD = re.compile(r"\w+")
_FEWEST = 5


def without(texts: Sequence[tuple[UUID, str]]) -> list[UUID]:
    """Return the ids in their order without those whose text nearly repeats an earlier one.

    Texts of fewer than five words, and texts that differ in a number or in a word with digits, are kept: a corrected
    port or date is news.
    """
    kept: list[tuple[UUID, frozenset[str]]] = []
    for id, text in texts:
        words = frozenset(_WORD.findall(text.casefold()))
        if not any(_repeats(words, earlier) for _, earlier in kept):
            kept.append((id, words))
    return [id for id, _ in kept]


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of words, 0 to 1."""
    return len(one & other) / len(one | other) if one or other else 1.0


def _repeats(words: frozenset[str], earlier: frozenset[str]) -> bool:
    if min(len(words), len(earlier)) < _FEWEST or _numbers(words) != _numbers(earlier):
        return False
    return similarity(words, earlier) >= JACCARD


def _numbers(words: Iterable[str]) -> set[str]:
    return {word for word in words if any(character.isdigit() for character in word)}
