"""Ranking: how the arms of a search become one order. Pure functions over ids and what is known of their notes.

An id is a UUID's number: it is looked up thousands of times a search, which takes a UUID itself several times as long.

The default, `normalised`, sums score-normalised arms over a window of neighbouring notes, with session evidence and
small priors; what was tried and measured stands in docs/recall.md. `rrf` and `weighted` are the published fusions.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from memory_bank.domain import bm25, spans
from memory_bank.domain.bm25 import Weights

COSINE, WINDOW, SESSION = 1.5, 0.5, 0.5
"""Weights: window of cosines; BM25 of the note with the one before it; best BM25 of the session."""

SHARE = 0.5
"""A neighbour's part of a window's cosine."""

PEAK, PEAK_STEEPNESS = 0.15, 20.0
"""Boost of the note that is nearest by itself, its neighbours aside, and how it fades: by e for each 0.05 behind it."""

LABEL, MACHINE, DATE, DATE_DAYS = 0.4, 0.3, 0.3, 7.0
"""Boosts: the query names the note's speaker; a machine speaks (held back); its day is near one the query names."""

BELIEF, ORDINARY = 0.2, 0.6
"""Boost of a fact by how sure it is, and the confidence of one that was just stated once: no boost, no holding back."""

LENGTH, ENOUGH, QUESTION, TELLING = 0.4, 40.0, 0.15, 60
"""Held back inside a session: a turn of less than enough terms; one that ends by asking, too short to tell as well."""

COVER, COVER_WEIGHT = 0.3, 0.75
"""Share of a query's idf mass that makes a lexical hit a real one, and the weight of that share against cosine."""

NOTE_FLOOR, ANSWER_FLOOR, WEAK = -0.2, -0.05, 0.0
"""Evidence under which a note is noise, an answer is none, and an answer is weak."""

RRF_K, RRF_TOP = 60, 0.05
ALPHA = 0.6


class Fusion(StrEnum):
    """How arms are fused."""

    NORMALISED = "normalised"
    RRF = "rrf"
    WEIGHTED = "weighted"


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """What was measured of an embedding model.

    neutral: the cosine of a text that is as likely related as not. least_letters, full_letters: letters of a query for
    each piece of the model's vocabulary, at which the model knows nothing of its language, and everything.
    """

    neutral: float
    least_letters: float
    full_letters: float


class Facts(NamedTuple):
    """What ranking knows of a note: a candidate, or a neighbour of one. A tuple, as a search makes a hundred of them.

    previous, following: its neighbours within the session. cosine: that of its best window with the query, None where
    there is no vector. terms: occurrences of the query's terms. length: terms in all. asks: ends with a question mark.
    speaker: terms of the name that opens it as `Name: …`. days: distance to the nearest span that the query names.
    belief: of a fact, how sure it is, 0 to 1.
    """

    session: str | None
    previous: int | None = None
    following: int | None = None
    cosine: float | None = None
    terms: Mapping[str, int] = MappingProxyType({})
    length: int = 0
    asks: bool = False
    speaker: frozenset[str] = frozenset()
    days: float | None = None
    belief: float | None = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The query as ranking sees it.

    confidence: how far the model knows its language, 0 to 1. neutral: the model's own (`Calibration`).
    """

    weights: Weights
    confidence: float
    neutral: float


def confidence(letters: int, pieces: int | None, calibration: Calibration | None) -> float:
    """Return how far a model knows a query's language, 0 to 1: letters for each piece of its vocabulary.

    A model that must spell a text cannot have learnt it. 1 for a model whose pieces or constants are unknown.
    """
    if calibration is None or not pieces:
        return 1.0
    span = calibration.full_letters - calibration.least_letters
    return min(1.0, max(0.0, (letters / pieces - calibration.least_letters) / span))


def with_neighbours(pool: Iterable[int], facts: Mapping[int, Facts]) -> set[int]:
    """Return the candidates: the arms' hits and the notes next to them."""
    hits = set(pool)
    around = (end for id in hits for end in (facts[id].previous, facts[id].following))
    return hits | {end for end in around if end is not None and end in facts}


def normalised(found: Iterable[int], facts: Mapping[int, Facts], asked: Asked) -> dict[int, float]:
    """Return each candidate's score: confidence-weighted cosines and BM25 of its surroundings, and priors.

    An arm without hits adds nothing; without sessions this is the sum of cosine and scaled BM25.
    """
    candidates = set(found)
    own = {id: bm25.score(facts[id].terms, facts[id].length, asked.weights) for id in candidates}
    window = _scaled({id: max(own[id], _window_bm25(facts, id, asked.weights)) for id in candidates})
    session = _scaled(_best_of_session(own, facts))
    lexical = _lexical_share((facts[id] for id in candidates), asked.weights)
    nearest = max((facts[id].cosine or 0.0 for id in candidates), default=0.0)
    return {
        id: asked.confidence * (COSINE * _window_cosine(facts, id) + _peak(facts[id], nearest))
        + lexical * (WINDOW * window[id] + SESSION * session[id])
        + _priors(facts[id], asked.weights, turns=_has_neighbour(facts, id))
        for id in candidates
    }


def reciprocal(arms: Iterable[Sequence[int]]) -> dict[int, float]:
    """Return reciprocal-rank sums, 1 / (k + rank), with a bonus for each arm that ranks a note first.

    Cormack, Clarke & Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet and individual rank learning".
    """
    scores: dict[int, float] = {}
    for ranked in arms:
        for rank, id in enumerate(ranked, start=1):
            scores[id] = scores.get(id, 0.0) + 1 / (RRF_K + rank) + (RRF_TOP if rank == 1 else 0.0)
    return scores


def weighted(vector: Mapping[int, float], lexical: Mapping[int, float]) -> dict[int, float]:
    """Return alpha times the min-max scaled cosine plus the rest times the min-max scaled BM25."""
    cosines, terms = _spread(vector), _spread(lexical)
    return {id: ALPHA * cosines.get(id, 0.0) + (1 - ALPHA) * terms.get(id, 0.0) for id in cosines.keys() | terms.keys()}


def evidence(note: Facts, asked: Asked) -> float:
    """Return how far a note is about the query: above 0 it is, whatever the other candidates are."""
    cosine = 0.0 if note.cosine is None else asked.confidence * (note.cosine - asked.neutral)
    return cosine + COVER_WEIGHT * (bm25.cover(note.terms, asked.weights) - COVER)


def is_weak(answer: Sequence[float | None]) -> bool:
    """Tell whether none of the notes of an answer, by their evidence, is clearly about the query."""
    known = [each for each in answer if each is not None]
    return bool(known) and max(known) < WEAK


def ordered(scores: Mapping[int, float]) -> list[int]:
    """Return the ids, highest score first; equal scores in the order of the ids."""
    return sorted(scores, key=lambda id: (-scores[id], id))


def date_distance(days: spans.Day, named: Sequence[spans.Span]) -> float | None:
    """Return the days between a note's day and the nearest span that the query names; None where it names none."""
    return min((span.distance(days) for span in named), default=None)


def _lexical_share(notes: Iterable[Facts], weights: Weights) -> float:
    """Return how far the words count: fully as soon as one note covers enough of the query."""
    most = 0.0
    for note in notes:
        most = max(most, bm25.cover(note.terms, weights))
        if most >= COVER:
            return 1.0
    return most / COVER


def _window_bm25(facts: Mapping[int, Facts], id: int, weights: Weights) -> float:
    """Return the BM25 of a note and the one before it as one text, against two average notes."""
    note = facts[id]
    before = None if note.previous is None else facts.get(note.previous)
    if before is None:
        return 0.0
    terms = {term: note.terms.get(term, 0) + before.terms.get(term, 0) for term in {**note.terms, **before.terms}}
    return bm25.score(terms, note.length + before.length, weights, notes=2)


def _window_cosine(facts: Mapping[int, Facts], id: int) -> float:
    note = facts[id]
    if note.previous is None and note.following is None:
        return note.cosine or 0.0
    around = [facts[end] for end in (note.previous, note.following) if end is not None and end in facts]
    total = (note.cosine or 0.0) + SHARE * sum(each.cosine or 0.0 for each in around)
    return total / (1 + SHARE * len(around))


def _peak(note: Facts, nearest: float) -> float:
    return PEAK * math.exp(PEAK_STEEPNESS * ((note.cosine or 0.0) - nearest))


def _best_of_session(own: Mapping[int, float], facts: Mapping[int, Facts]) -> dict[int, float]:
    best: dict[str, float] = {}
    for id, value in own.items():
        session = facts[id].session
        if session is not None:
            best[session] = max(best.get(session, 0.0), value)
    return {id: value if (session := facts[id].session) is None else best[session] for id, value in own.items()}


def _priors(note: Facts, weights: Weights, *, turns: bool) -> float:
    prior = LABEL if note.speaker and note.speaker <= weights.idf.keys() else 0.0
    if note.speaker & MACHINES:
        prior -= MACHINE
    if note.days is not None:
        prior += DATE * math.exp(-note.days / DATE_DAYS)
    if note.belief is not None:
        prior += BELIEF * (note.belief - ORDINARY)
    if turns:
        only_asks = note.asks and note.length < TELLING
        prior -= LENGTH * max(0.0, 1 - note.length / ENOUGH) + QUESTION * only_asks
    return prior


MACHINES = frozenset({"assist", "assistant", "ai", "model", "bot"})
"""Terms of labels that machines' turns carry in exported conversations."""


def _has_neighbour(facts: Mapping[int, Facts], id: int) -> bool:
    return facts[id].previous is not None or facts[id].following is not None


def _scaled(values: Mapping[int, float]) -> dict[int, float]:
    top = max(values.values(), default=0.0)
    return {id: value / top if top > 0 else 0.0 for id, value in values.items()}


def _spread(values: Mapping[int, float]) -> dict[int, float]:
    if not values:
        return {}
    low, high = min(values.values()), max(values.values())
    return {id: (value - low) / (high - low) if high > low else 1.0 for id, value in values.items()}
