"""Recall: one pipeline for every kind of note and every door."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from numpy import float32
from numpy.typing import NDArray

from memory_bank.domain import banks, ranking, recall, retrievability
from memory_bank.domain.recall import Query, Recalled
from memory_bank.services import returning
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.store import embeddings, notes
from memory_bank.store.database import Database, Tx

VECTOR_ARM = "vector"


class RecallService:
    """Finds what is still retrievable.

    query → arms → fuse → floor → retrievability gate → limit → mark as recalled. `floor` is the lowest cosine that
    counts as a hit of the vector arm, `batch_factor` how many times the limit an arm brings.
    """

    def __init__(
        self,
        *,
        database: Database,
        embedder: Embedder,
        clock: Clock,
        decay: retrievability.DecayPolicy,
        floor: float,
        batch_factor: int,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._decay = decay
        self._floor = floor
        self._batch_factor = batch_factor

    async def search(self, bank: str, query: Query) -> list[Recalled]:
        """Return the notes that best answer `query`, best first, and count them as recalled.

        Raises `InvalidInput`, and `ProviderUnavailable` while the embedding model is not there.
        """
        name = banks.checked_name(bank)
        asked = recall.checked(query)
        vector = await self._embedder.embed_query(asked.text)
        now = self._clock.now()
        async with self._database.transaction(name) as tx:
            ranked = ranking.fused({VECTOR_ARM: await self._vector_arm(tx, vector, asked)})
            kept = await self._retrievable(tx, ranked, asked, now=now)
            found = await returning.recalled(tx, [each.note_id for each in kept], now=now, decay=self._decay)
        scores = {each.note_id: each for each in kept}
        return [replace(each, score=scores[each.note.id].score, arms=scores[each.note.id].arms) for each in found]

    async def _vector_arm(self, tx: Tx, vector: NDArray[float32], asked: Query) -> list[tuple[UUID, float]]:
        pool = recall.pool_size(asked.limit, batch_factor=self._batch_factor)
        hits = await embeddings.search(tx, vector, wanted=asked.wanted, pool=pool)
        floor = self._floor if asked.min_similarity is None else asked.min_similarity
        return [(hit.note_id, hit.similarity) for hit in hits if hit.similarity >= floor]

    async def _retrievable(
        self, tx: Tx, ranked: Sequence[ranking.Candidate], asked: Query, *, now: datetime
    ) -> list[ranking.Candidate]:
        """Return the best candidates that are not forgotten, as many as were asked for."""
        decay = replace(self._decay, enabled=False) if asked.include_forgotten else self._decay
        traces = await notes.traces(tx, [each.note_id for each in ranked])
        kept = []
        for candidate in ranked:
            trace = traces.get(candidate.note_id)
            if trace is None:
                continue
            chance = retrievability.probability(
                decay, idle_seconds=now.timestamp() - trace.last_accessed, retrieval_count=trace.retrieval_count
            )
            if retrievability.keeps(decay, chance, at_least=asked.min_retrievability):
                kept.append(candidate)
            if len(kept) == asked.limit:
                break
        return kept
