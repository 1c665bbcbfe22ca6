"""BM25 over the terms of one query: what a term is worth, what a text scores, and how much of the query it covers.

Robertson & Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and Beyond", in the variant of Lucene:
idf = ln(1 + (N - df + 0.5) / (df + 0.5)).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

K1 = 1.2
B = 0.75


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a query asks for.

    words: each of its words under the forms it may have in a note, of which one is enough. pairs: terms that are two
    characters of a script without spaces.
    """

    words: tuple[tuple[str, ...], ...]
    pairs: frozenset[str] = field(default_factory=frozenset)

    @property
    def terms(self) -> tuple[str, ...]:
        """Every form of every word, once."""
        return tuple(dict.fromkeys(form for forms in self.words for form in forms))


@dataclass(frozen=True, kw_only=True)
class Weights:
    """What a query asks for, by worth: the idf of each term, those unknown to the bank included.

    average: terms of an average note of the bank, 0 for one without notes.
    """

    asked: Asked
    idf: Mapping[str, float]
    average: float

    @cached_property
    def losses(self) -> tuple[tuple[tuple[str, ...], float], ...]:
        """Each word of the query under its forms, and what it weighs where none of them is held.

        A missing pair of characters weighs half: about every second one crosses a border between words.
        """
        pairs = self.asked.pairs
        return tuple((forms, self.idf[forms[0]] * (0.5 if forms[0] in pairs else 1.0)) for forms in self.asked.words)


def idf(notes: float, containing: float) -> float:
    """Return the worth of a term that `containing` of `notes` notes hold; above 0."""
    return math.log(1 + (max(notes - containing, 0) + 0.5) / (containing + 0.5))


def weighed(asked: Asked, *, notes: int, average: float, containing: Mapping[str, int]) -> Weights:
    """Return the worth of what is asked for, in a bank of `notes` notes of which `containing` hold each term."""
    return Weights(
        asked=asked,
        idf={term: idf(notes, containing.get(term, 0)) for term in asked.terms},
        average=average,
    )


def score(terms: Mapping[str, int], length: int, weights: Weights, *, notes: int = 1) -> float:
    """Return the BM25 of a text of `length` terms that is as long as `notes` notes; 0 where no term is held."""
    if not terms or not weights.average:
        return 0.0
    norm = K1 * (1 - B + B * length / (notes * weights.average))
    return sum(weights.idf[term] * count / (count + norm) for term, count in terms.items() if term in weights.idf)


def cover(terms: Mapping[str, int], weights: Weights) -> float:
    """Return the share of the query's idf mass that a text's own terms hold, 0 to 1.

    A word counts once, under whichever form is held.
    """
    if not terms:
        return 0.0
    held = missing = 0.0
    for forms, loss in weights.losses:
        worth = 0.0
        for form in forms:
            if terms.get(form):
                worth = max(worth, weights.idf[form])
        if worth:
            held += worth
        else:
            missing += loss
    return held / (held + missing) if held else 0.0
