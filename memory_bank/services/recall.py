"""Recall: one pipeline for every kind of note and every door."""

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from memory_bank.domain import banks, beliefs, bm25, duplicates, ranking, recall, retrievability, spans
from memory_bank.domain.ranking import Facts, Fusion
from memory_bank.domain.recall import Arm, ArmScore, Query, Recalled
from memory_bank.errors import ConfigurationError, ProviderUnavailable
from memory_bank.services import returning, together
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.services.tokeniser import Tokeniser
from memory_bank.store import embeddings, lexical, notes, surroundings
from memory_bank.store.database import Database, Tx
from memory_bank.store.surroundings import Belief, Surrounding

logger = logging.getLogger(__name__)

LARGEST_POOL = 2_000
"""Candidates of an arm that a search looks at before it gives up on finding any that is not forgotten."""

_OPENING_LENGTH = 120
_SPEAKER = re.compile(
    r"""
    \s* ([^:：\n(（]{1,40}?) \s*
    (?: [(（] (?: [^()（）\n] | [(（] [^()（）\n]* [)）] )* [)）] )?    # a date, with its day in brackets of its own
    [:：] (?=\s)
    """,
    re.VERBOSE,
)
_QUESTION_MARKS = ("?", "？", "؟")


@dataclass(frozen=True, kw_only=True)
class _Signs:
    """What a query says of itself: the days it names, and how far the model knows its language, 0 to 1."""

    named: Sequence[spans.Span]
    confidence: float


@dataclass(frozen=True, kw_only=True)
class _Lexical:
    """What the lexical arm found, best first, and what is there to know of those notes.

    `bank_size`: the notes of the bank, 0 where no term tells.
    """

    scores: Mapping[UUID, float]
    weights: bm25.Weights
    bank_size: int
    known: Sequence[Surrounding]


@dataclass(frozen=True, kw_only=True)
class _Hits:
    """What the arms found, best first; `vector` is the query's, None where the model gave none."""

    vector: embeddings.Asked | None
    cosines: Mapping[UUID, float]
    lexical: _Lexical
    signs: _Signs

    @property
    def scores(self) -> Mapping[UUID, float]:
        return self.lexical.scores


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    """A note that may be returned; `text` is None where it is still to be read."""

    id: UUID
    score: float
    evidence: float
    text: str | None = None


class RecallService:
    """Finds what is still retrievable.

    query → arms → facts about their hits and those next to them → fuse → floor → retrievability gate → without
    near-duplicates → limit → mark as recalled. `floor` is a fixed lowest cosine of what no term finds, in place of the
    evidence that `calibration` weighs; `vector_floor` holds where vectors alone are asked. `batch_factor` is how many
    times the limit an arm brings.
    """

    def __init__(
        self,
        *,
        database: Database,
        embedder: Embedder,
        tokeniser: Tokeniser,
        clock: Clock,
        decay: retrievability.DecayPolicy,
        calibration: ranking.Calibration | None,
        floor: float | None,
        vector_floor: float,
        batch_factor: int,
        fusion: Fusion,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._tokeniser = tokeniser
        self._clock = clock
        self._decay = decay
        self._calibration = calibration
        self._floor = floor
        self._vector_floor = vector_floor
        self._batch_factor = batch_factor
        self._fusion = fusion

    async def search(self, bank: str, query: Query) -> list[Recalled]:
        """Return the notes that best answer `query`, best first, and count them as recalled.

        A blank text with conditions lists the newest notes that meet them. Raises `InvalidInput`, and
        `ProviderUnavailable` while the embedding model is not there and no other arm may answer.
        """
        name = banks.checked_name(bank)
        asked = recall.checked(query)
        with self._database.first():
            return await self._answered(name, asked, now=self._clock.now())

    async def _answered(self, name: str, asked: Query, *, now: datetime) -> list[Recalled]:
        if not asked.text:
            return await self._newest(name, asked, now=now)
        pool = recall.pool_size(asked.limit, batch_factor=self._batch_factor)
        # terms need no vector: PostgreSQL scores them while the query is embedded, and still when vectors are compared
        connected = asyncio.Event()
        async with together.beside(self._scored(name, asked, pool=pool, connected=connected)) as scored:
            vector, signs = await together.done(self._embedded(name, asked), self._signs(asked.text))
            # whoever holds one connection and waits for another may wait for a caller that does the same
            await connected.wait()
            async with self._database.counting(name) as tx:
                cosines = await self._vector_arm(tx, vector, asked, pool=pool)
                hits = _Hits(vector=vector, cosines=cosines, lexical=await scored, signs=signs)
                hits, kept = await self._kept(tx, hits, asked, pool=pool, now=now)
                if asked.expand:
                    kept = await self._expanded(tx, kept, asked)
                best = await self._distinct(tx, kept[: 2 * asked.limit], asked)
                found = await returning.recalled(tx, best, now=now, decay=self._decay)
        told = {each.id: each for each in kept}
        arms = _arm_scores({Arm.VECTOR: hits.cosines, Arm.LEXICAL: hits.scores}, best)
        return [
            Recalled(
                note=each.note,
                retrievability=each.retrievability,
                score=told[each.note.id].score,
                evidence=told[each.note.id].evidence,
                arms=arms[each.note.id],
            )
            for each in found
        ]

    async def _newest(self, bank: str, asked: Query, *, now: datetime) -> list[Recalled]:
        async with self._database.counting(bank) as tx:
            page = await notes.page(tx, wanted=asked.wanted, after=None, count=asked.limit)
            return await returning.recalled(tx, [note.id for note in page], now=now, decay=self._decay)

    async def _kept(
        self, tx: Tx, hits: _Hits, asked: Query, *, pool: int, now: datetime
    ) -> tuple[_Hits, list[_Candidate]]:
        """Return what the arms found, and the candidates about the query that are not forgotten, best first.

        Where forgetting leaves fewer than are asked for, the arms look further.
        """
        while True:
            facts, around = await self._facts(tx, hits, asked, now=now)
            ranked = self._ranked(hits, facts, around, asked)
            kept = self._retrievable(ranked, around, asked, now=now)
            exhausted = max(len(hits.cosines), len(hits.scores)) < pool
            if len(kept) >= asked.limit or len(kept) == len(ranked) or exhausted or pool >= LARGEST_POOL:
                return hits, kept
            pool = min(pool * 4, LARGEST_POOL)
            found = await self._lexical_arm(tx, asked, pool=pool)
            cosines = await self._vector_arm(tx, hits.vector, asked, pool=pool)
            hits = replace(hits, cosines=cosines, lexical=found)

    async def _embedded(self, bank: str, asked: Query) -> embeddings.Asked | None:
        """Return the query's vector; None where no arm wants it, or where terms alone must do."""
        if Arm.VECTOR not in asked.arms:
            return None
        try:
            return embeddings.asked(await self._embedder.embed_query(asked.text))
        except (ProviderUnavailable, ConfigurationError) as error:
            if Arm.LEXICAL not in asked.arms:
                raise
            logger.warning("Searching by terms alone: %s", error, extra={"bank": bank})
            return None

    async def _signs(self, text: str) -> _Signs:
        """Read the query's own signs: a coroutine, so that it reads them while the arms wait for others."""
        letters = sum(character.isalnum() for character in text)
        return _Signs(
            named=spans.named(text),
            confidence=ranking.confidence(letters, self._embedder.pieces(text), self._calibration),
        )

    async def _scored(self, bank: str, asked: Query, *, pool: int, connected: asyncio.Event) -> _Lexical:
        """Return what `_lexical_arm` finds; sets `connected` when this waits for no connection any more."""
        try:
            async with self._database.reading(bank) as tx:
                connected.set()
                return await self._lexical_arm(tx, asked, pool=pool)
        finally:
            connected.set()

    async def _vector_arm(
        self, tx: Tx, vector: embeddings.Asked | None, asked: Query, *, pool: int
    ) -> dict[UUID, float]:
        if vector is None:
            return {}
        return {
            hit.note_id: hit.similarity for hit in await embeddings.search(tx, vector, wanted=asked.wanted, pool=pool)
        }

    async def _lexical_arm(self, tx: Tx, asked: Query, *, pool: int) -> _Lexical:
        words = self._tokeniser.asked(asked.text)
        wanted_hits = pool if Arm.LEXICAL in asked.arms else 0
        known, scores = await lexical.search(tx, words.terms, wanted=asked.wanted, pool=wanted_hits)
        # of these notes everything but the vectors is read here, while others still embed the query or compare vectors
        found = await surroundings.of_notes(
            tx, scores.keys(), terms=words.terms, wanted=asked.wanted, bank_size=known.notes
        )
        weights = bm25.weighed(words, notes=known.notes, average=known.average, containing=known.containing)
        return _Lexical(scores=scores, weights=weights, bank_size=known.notes, known=found)

    async def _facts(
        self, tx: Tx, hits: _Hits, asked: Query, *, now: datetime
    ) -> tuple[dict[int, Facts], dict[int, Surrounding]]:
        """Return what ranking needs of the hits and the notes next to them, and those notes, by their ids' numbers."""
        found = await surroundings.around(
            tx,
            hits.lexical.known,
            hits.cosines,
            query=hits.vector,
            terms=hits.lexical.weights.asked.terms if Arm.LEXICAL in asked.arms else (),
            wanted=asked.wanted,
            bank_size=hits.lexical.bank_size,
        )
        before, after = _neighbours(found)
        around = {each.id.int: each for each in found}
        facts = {
            number: Facts(
                session=each.session,
                previous=before.get(number),
                following=after.get(number),
                cosine=each.cosine,
                terms=each.terms or {},
                length=each.length,
                asks=each.ending.rstrip().endswith(_QUESTION_MARKS),
                speaker=self._speaker(each.text[:_OPENING_LENGTH]),
                days=ranking.date_distance(each.moment.date(), hits.signs.named),
                belief=None if each.belief is None else _confidence(each.belief, now),
            )
            for number, each in around.items()
        }
        return facts, around

    def _ranked(
        self, hits: _Hits, facts: Mapping[int, Facts], around: Mapping[int, Surrounding], asked: Query
    ) -> list[_Candidate]:
        """Return the candidates that are about the query, best first."""
        view = ranking.Asked(
            weights=hits.lexical.weights,
            confidence=hits.signs.confidence,
            neutral=0.0 if self._calibration is None else self._calibration.neutral,
        )
        scores = self._scores(hits, facts, view, asked)
        evidence = {id: ranking.evidence(note, view) for id, note in facts.items()}
        floor = self._fixed_floor(asked)
        kept = [
            _Candidate(id=around[id].id, score=scores[id], evidence=evidence[id], text=around[id].whole)
            for id in ranking.ordered(scores)
            if id in around and around[id].wanted and self._is_about(id, facts, evidence, floor)
        ]
        if floor is None and max((each.evidence for each in kept), default=0.0) < ranking.ANSWER_FLOOR:
            return []
        return kept

    def _scores(
        self, hits: _Hits, facts: Mapping[int, Facts], view: ranking.Asked, asked: Query
    ) -> Mapping[int, float]:
        cosines, scores = _by_number(hits.cosines), _by_number(hits.scores)
        if len(asked.arms) == 1:
            # an arm that is asked alone answers in its own order
            return cosines or scores
        match self._fusion:
            case Fusion.NORMALISED:
                pool = [id for id in cosines.keys() | scores.keys() if id in facts]
                return ranking.normalised(ranking.with_neighbours(pool, facts), facts, view)
            case Fusion.RRF:
                return ranking.reciprocal((list(cosines), list(scores)))
            case Fusion.WEIGHTED:
                return ranking.weighted(cosines, scores)

    def _is_about(
        self, id: int, facts: Mapping[int, Facts], evidence: Mapping[int, float], floor: float | None
    ) -> bool:
        note = facts[id]
        if floor is not None or self._calibration is None:
            return bool(note.terms) or (note.cosine is not None and note.cosine >= (floor or 0.0))
        ends = (id, note.previous, note.following)
        return any(end in evidence and evidence[end] >= ranking.NOTE_FLOOR for end in ends if end is not None)

    def _fixed_floor(self, asked: Query) -> float | None:
        """Return the fixed floor where one holds: a caller's, the settings', or that of vectors that stand alone."""
        if asked.min_similarity is not None:
            return asked.min_similarity
        if self._floor is None and (self._calibration is None or Arm.LEXICAL not in asked.arms):
            return self._vector_floor
        return self._floor

    def _speaker(self, opening: str) -> frozenset[str]:
        # most notes are no turns of a conversation
        found = _SPEAKER.match(opening) if ":" in opening or "：" in opening else None
        return frozenset(self._tokeniser.terms(found.group(1))) if found else frozenset()

    def _retrievable(
        self, ranked: Sequence[_Candidate], around: Mapping[int, Surrounding], asked: Query, *, now: datetime
    ) -> list[_Candidate]:
        """Return the best candidates that are not forgotten, with some to spare for near-duplicates."""
        decay = replace(self._decay, enabled=False) if asked.include_forgotten else self._decay
        kept: list[_Candidate] = []
        for candidate in ranked:
            note = around[candidate.id.int]
            chance = retrievability.probability(
                decay, idle_seconds=now.timestamp() - note.last_accessed, retrieval_count=note.retrieval_count
            )
            if retrievability.keeps(decay, chance, at_least=asked.min_retrievability):
                kept.append(candidate)
            if len(kept) == 2 * asked.limit:
                break
        return kept

    async def _distinct(self, tx: Tx, kept: Sequence[_Candidate], asked: Query) -> list[UUID]:
        """Return the best live candidates of which none nearly repeats a better one."""
        texts = {each.id: each.text for each in kept}
        unread = [id for id, text in texts.items() if text is None]
        if unread:
            texts |= await notes.contents(tx, unread)
        known = [(id, text) for id, text in texts.items() if text is not None]
        places = duplicates.distinct((text for _, text in known), limit=asked.limit)
        return [known[place][0] for place in places]

    async def _expanded(self, tx: Tx, kept: Sequence[_Candidate], asked: Query) -> list[_Candidate]:
        """Add the notes that the best candidates link to, at half the score of the link's near end."""
        best = {each.id: each for each in kept}
        for near in await notes.by_ids(tx, [each.id for each in kept[: asked.limit]]):
            for edge in near.links:
                end = edge.target_id if edge.source_id == near.id else edge.source_id
                score = best[near.id].score * edge.confidence / 2
                if end not in best:
                    best[end] = _Candidate(id=end, score=score, evidence=best[near.id].evidence)
        return sorted(best.values(), key=lambda each: (-each.score, each.id))


def _confidence(belief: Belief, now: datetime) -> float:
    return beliefs.confidence(belief.sources, days=(now - belief.confirmed).total_seconds() / 86_400)


def _by_number(scores: Mapping[UUID, float]) -> dict[int, float]:
    return {id.int: score for id, score in scores.items()}


def _neighbours(found: Sequence[Surrounding]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the note before and the note after each, by position in its session, by their ids' numbers."""
    placed = sorted(
        (each.session, each.position, each.id.int)
        for each in found
        if each.session is not None and each.position is not None
    )
    steps = [(one[2], other[2]) for one, other in pairwise(placed) if one[0] == other[0]]
    return {later: earlier for earlier, later in steps}, dict(steps)


def _arm_scores(arms: Mapping[Arm, Mapping[UUID, float]], ids: Iterable[UUID]) -> dict[UUID, tuple[ArmScore, ...]]:
    """Return for each of the notes its rank and score in the arms that found it."""
    ranks = {arm: {id: rank for rank, id in enumerate(scores, start=1)} for arm, scores in arms.items()}
    return {
        id: tuple(
            ArmScore(arm=arm.value, rank=ranks[arm][id], score=scores[id])
            for arm, scores in arms.items()
            if id in scores
        )
        for id in ids
    }
