"""Scopes: where, for whom or when a fact holds. Facts about two places do not exclude each other."""

import re
from collections.abc import Mapping

from memory_bank.domain import characters, duplicates
from memory_bank.domain.cues import changes, grammar

_READ_LENGTH = 1_000
_ALIKE = 0.5
_SCOPE = re.compile(
    r"\b(in|on|at|for|within|auf|im|für|bei|en|para|sur|dans|pour|chez|em|na|no|su|per|для|на|в|при)\s+"
    r"((?:the|der|die|das|dem|den|el|la|los|las|le|les|il|lo|um|uma)\s+)?([^\W\d_][\w-]*)(?:\s+([^\W\d_]\b|\d+))?",
    re.IGNORECASE,
)
_EVENT = re.compile(
    rf"\b(?:({grammar.BEFORE})|({grammar.AFTER}))\s+"
    r"((?:the|der|die|das|dem|den|el|la|los|las|le|les|il|lo|o|a|de|het)\s+)?([^\W\d_][\w-]*)",
    re.IGNORECASE,
)
# Words of change and of the present bound nothing.
_PRESENT = frozenset(characters.folded(" ".join(changes.REPLACEMENTS.values()).replace("|", " ")).split())


def apart(old: str, new: str) -> bool:
    """Tell whether two facts say something else of two scopes: three replicas in one region, five in another.

    Facts that differ in one scope alone may well exclude each other: the scope is what they state.
    """
    one, other = old[:_READ_LENGTH].casefold(), new[:_READ_LENGTH].casefold()
    mine, yours = _scopes(one), _scopes(other)
    differing = [word for word in mine.keys() & yours.keys() if mine[word] != yours[word]]
    if not differing:
        return False
    rest, other_rest = _beside(one), _beside(other)
    if rest.words - _PRESENT == other_rest.words - _PRESENT:
        return len(differing) > 1
    # that the numbers differ is what the scopes explain
    return duplicates.similarity(rest.words - rest.numbers, other_rest.words - other_rest.numbers) >= _ALIKE


def _beside(text: str) -> duplicates.Words:
    return duplicates.words(_SCOPE.sub(" ", _EVENT.sub(" ", text)))


def _scopes(text: str) -> Mapping[str, str]:
    """Return the last scope behind each preposition, and on which side of each event."""
    places = {match[1]: " ".join(filter(None, (match[3], match[4]))) for match in _SCOPE.finditer(text)}
    return places | {match[4]: "before" if match[1] else "after" for match in _EVENT.finditer(text)}
