"""Measurement: how fast notes are added and found, beside the bare model and a hand-written query."""

import itertools
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_bank.domain import banks, notes
from memory_bank.domain.notes import Draft, When
from memory_bank.domain.recall import Query
from memory_bank.errors import ProviderUnavailable
from memory_bank.services.embedder import Embedder
from memory_bank.services.enrichment import EnrichmentService
from memory_bank.services.notes import NoteService
from memory_bank.services.recall import RecallService
from memory_bank.store import measurement
from memory_bank.store.database import Database, Tx

SEED = 20_260_310
RESULTS = 10
VOCABULARY_SIZE = 20_000
_COMMON = (
    "the to and of a in is for we on with that it was from at by this be are as have has not but they will after "
    "before when about over into than more some time day week month year people work team project plan meeting "
    "customer release server database budget invoice design report question answer problem idea change version "
    "garden bicycle piano coffee tea kitchen recipe dinner travel train station airport hotel beach mountain river "
    "weather winter summer spring autumn morning evening night house apartment window door table chair book story "
    "letter paper music concert film photo picture painting colour blue green red yellow black white family mother "
    "father sister brother friend neighbour doctor teacher student school college course lesson exam health sleep "
    "running swimming football tennis game ticket price money bank account payment order delivery market shop "
    "clothes shoes jacket phone computer screen keyboard network password backup error test build deploy review "
    "branch commit merge function class module service queue worker cache index query memory note link search "
    "result score model vector text word language translation English Spanish Chinese history science physics "
    "energy battery engine car road bridge city village country island forest tree flower animal dog cat horse bird "
    "prefers likes loves hates wants needs asks tells shows finds keeps gives takes makes brings starts stops opens "
    "closes moves stays leaves returns meets calls writes reads learns teaches buys sells pays wins loses grows"
)


@dataclass(frozen=True, kw_only=True)
class Ingested:
    """Seconds for adding `notes` notes, and for embedding the same texts without storing them."""

    notes: int
    adding: float
    embedding: float


@dataclass(frozen=True, kw_only=True)
class Searched:
    """Seconds of one query: embedding it alone, searching for it, and the hand-written query beside it."""

    embedding: float
    search: float
    baseline: float
    found: int


class Unqueued(EnrichmentService):
    """Counts every note as enriched at once, so that workers of a shared database leave measured notes alone."""

    async def defer(self, tx: Tx, ids: Sequence[UUID]) -> None:
        """Mark these notes as enriched, if and when `tx` commits."""
        await measurement.settle(tx, ids)


class MeasurementService:
    """Measures side by side, alternating, so that a busy machine slows both down alike."""

    def __init__(self, *, database: Database, notes: NoteService, recall: RecallService, embedder: Embedder) -> None:
        self._database = database
        self._notes = notes
        self._recall = recall
        self._embedder = embedder

    def over(self, notes: NoteService, recall: RecallService) -> "MeasurementService":
        """Return what measures these services in place of its own: those that stand behind a guard, as callers meet."""
        return MeasurementService(database=self._database, notes=notes, recall=recall, embedder=self._embedder)

    async def ingest(self, bank: str, texts: Sequence[str]) -> Ingested:
        """Embed up to `domain.notes.BATCH_LIMIT` texts alone, then add them as notes.

        Raises `ProviderUnavailable` when the model does not answer.
        """
        started = time.perf_counter()
        await self._embedder.embed_documents(texts)
        embedding = time.perf_counter() - started
        return Ingested(notes=len(texts), adding=await self.add(bank, texts), embedding=embedding)

    async def ingest_one(self, bank: str, text: str, *, when: When) -> Ingested:
        """Embed one text alone, then add it as a note of its own; raises as `ingest` does."""
        started = time.perf_counter()
        await self._embedder.embed_documents([text])
        embedding = time.perf_counter() - started
        started = time.perf_counter()
        await self._notes.add(bank, Draft(content=text), when=when)
        return Ingested(notes=1, adding=time.perf_counter() - started, embedding=embedding)

    async def add(self, bank: str, texts: Sequence[str]) -> float:
        """Add texts as notes; return the seconds."""
        started = time.perf_counter()
        outcomes = await self._notes.add_all(bank, [Draft(content=each) for each in texts])
        seconds = time.perf_counter() - started
        for outcome in outcomes:
            if outcome.error is not None:
                raise outcome.error
        return seconds

    async def search(self, bank: str, text: str, *, baseline_first: bool) -> Searched:
        """Embed a query that was not asked before, search for it, and run the hand-written query beside that."""
        started = time.perf_counter()
        # as a document: what is remembered of queries stays out of it, so that the search embeds it again
        (windows,) = await self._embedder.embed_documents([text])
        embedding = time.perf_counter() - started
        baseline, search, found = 0.0, 0.0, 0
        # whoever comes second finds its pages read already
        for of_baseline in (baseline_first, not baseline_first):
            started = time.perf_counter()
            if of_baseline:
                async with self._database.transaction(banks.checked_name(bank)) as tx:
                    await measurement.nearest(tx, windows[0], count=RESULTS)
                baseline = time.perf_counter() - started
            else:
                found = len(await self._recall.search(bank, Query(text=text, limit=RESULTS, include_forgotten=True)))
                search = time.perf_counter() - started
        return Searched(embedding=embedding, search=search, baseline=baseline, found=found)

    async def warm_up(self, bank: str) -> None:
        """Let the database's planner know what was loaded, and everything that is made once be made."""
        async with self._database.whole_store() as tx:
            await measurement.analyse(tx)
        for baseline_first in (True, False):
            await self.search(bank, f"warm up {baseline_first}", baseline_first=baseline_first)

    async def require_vectors(self, bank: str) -> None:
        """Raise `ProviderUnavailable` unless every note of the bank has its vectors."""
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            missing = await measurement.unembedded(tx)
        if missing:
            raise ProviderUnavailable(
                f"{missing} notes could not be embedded, so the figures would be wrong; run `memory-bank doctor`"
            )

    async def remove(self, bank: str) -> None:
        """Remove a bank with everything in it."""
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            await measurement.remove(tx)


def made_up_texts() -> Iterator[str]:
    """Yield texts of 20 to 30 words without end, always the same, words drawn by Zipf's law (frequency ~ 1 / rank)."""
    draw = random.Random(SEED)
    words = _vocabulary()
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    while True:
        yield " ".join(draw.choices(words, cum_weights=weights, k=draw.randint(20, 30)))


def made_up_queries(texts: Sequence[str], count: int) -> list[str]:
    """Return `count` different queries, each of up to eight words in their order from one of the texts."""
    draw = random.Random(SEED)
    queries: dict[str, None] = {}
    for number in itertools.count():
        if len(queries) == count:
            return list(queries)
        words = draw.choice(texts).split()
        places = sorted(draw.sample(range(len(words)), k=min(8, len(words))))
        query = " ".join(words[place] for place in places)
        # few short texts may not hold enough different queries
        queries.setdefault(query if number < count * 10 else f"{query} {number}")
    raise AssertionError


def batches(texts: Iterator[str], count: int, *, size: int = notes.BATCH_LIMIT) -> Iterator[list[str]]:
    """Yield the next `count` texts in batches of `size`, the last one of what is left."""
    for start in range(0, count, size):
        yield list(itertools.islice(texts, min(size, count - start)))


def _vocabulary() -> list[str]:
    """Return everyday words by rank, then compounds of two of them: a tail as long as that of real texts."""
    words = list(dict.fromkeys(_COMMON.split()))
    compounds = (first + second for second in reversed(words) for first in reversed(words))
    return list(dict.fromkeys([*words, *itertools.islice(compounds, VOCABULARY_SIZE - len(words))]))
