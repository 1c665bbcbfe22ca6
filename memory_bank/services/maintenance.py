"""Keeping the store sound: which model made its vectors, making them anew, and telling how it does."""

import asyncio
import itertools
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_bank.errors import ConfigurationError, Conflict, ProviderUnavailable
from memory_bank.services import embedder, losses
from memory_bank.services.embedder import Embedder
from memory_bank.services.tokeniser import Tokeniser
from memory_bank.store import banks, embedding_model, embeddings, enrichment, lexical, queue, server
from memory_bank.store import losses as lost
from memory_bank.store.banks import BankCounts
from memory_bank.store.database import Database
from memory_bank.store.enrichment import Unfinished
from memory_bank.store.queue import QueueState

logger = logging.getLogger(__name__)

REINDEX_BATCH = 32
TOKENISE_BATCH = 100


@dataclass(frozen=True, kw_only=True)
class StoreState:
    """How much each bank holds, and how full the job queue is."""

    banks: tuple[BankCounts, ...]
    queue: QueueState


@dataclass(frozen=True, kw_only=True)
class WorkLeft:
    """What is left to do: notes that are not enriched, and jobs."""

    notes: Unfinished
    queue: QueueState


class MaintenanceService:
    """Work on the whole store, across banks; no caller's question is ever answered from here."""

    def __init__(self, *, database: Database, embedder: Embedder, tokeniser: Tokeniser) -> None:
        self._database = database
        self._embedder = embedder
        self._tokeniser = tokeniser

    async def take_model(self) -> None:
        """Make the configured model the store's where no note has vectors yet.

        Raises `ConfigurationError` when the stored vectors are of another model.
        """
        name, dimensions = self._embedder.name, self._embedder.dimensions
        async with self._database.whole_store() as tx:
            stored = await embedding_model.claim(tx, name=name, dimensions=dimensions)
            if stored.complete and not self._is_ours(stored) and not await embedding_model.holds_vectors(tx):
                await embedding_model.begin_change(tx, name=name, dimensions=dimensions)
                await embedding_model.finish_change(tx)
                return
        self._refuse_unless_ours(stored)

    async def check_model(self) -> None:
        """Raise `ConfigurationError` unless the stored vectors are all of the configured model."""
        async with self._database.whole_store() as tx:
            stored = await embedding_model.current(tx)
        self._refuse_unless_ours(stored)

    async def reindex(self, progress: Callable[[int, int], None]) -> int:
        """Embed every live note whose vectors are missing, lost or of another model; return how many those were.

        An interrupted run goes on where it stopped, and several may run at once. `progress` gets notes done and notes
        in all. A note that the model gives no vector for is left to its words, and told in the log. Raises `Conflict`
        when another run makes another model the store's, `ProviderUnavailable` while the model gives none for any note.
        """
        name, dimensions = self._embedder.name, self._embedder.dimensions
        async with self._database.whole_store() as tx:
            await lost.unmark_embedded(tx)
        async with self._database.whole_store() as tx:
            await embedding_model.begin_change(tx, name=name, dimensions=dimensions)
            total = await embedding_model.count_not_embedded_by(tx, name)
        done = 0
        without: set[UUID] = set()
        progress(done, total)
        while True:
            while batch := await self._unembedded(name, besides=without):
                without |= await self._embed_anew(batch)
                done += len(batch)
                progress(done, max(done, total))
            async with self._database.whole_store() as tx:
                stored = await embedding_model.locked(tx)
                self._require(self._is_ours(stored))
                if not await embedding_model.count_not_embedded_by(tx, name, besides=without):
                    await embedding_model.finish_change(tx)
                    return done - len(without)

    async def tokenise(self) -> int:
        """Store the terms of every live note that has none, or those of an older rule; return how many those were.

        An interrupted run goes on where it stopped, and several may run at once, beside any other work on the notes.
        """
        done = 0
        while batch := await self._untokenised():
            terms = await asyncio.to_thread(lambda: {each.id: self._tokeniser.terms(each.content) for each in batch})
            for bank, notes in itertools.groupby(batch, key=lambda each: each.bank):
                async with self._database.transaction(bank) as tx:
                    # a note that is gone, changed or done meanwhile is not claimed
                    claimed = await lexical.claim(tx, list(notes), rule=self._tokeniser.name)
                    await lexical.forget(tx, list(claimed))
                    await lexical.add(tx, {id: terms[id] for id in claimed})
                done += len(claimed)
        if done:
            logger.info("Stored the terms of notes that had none.", extra={"notes": done})
        return done

    async def retokenise(self) -> int:
        """Store the terms of every live note that has none, lost some or has those of an older rule; return how many.

        The totals, by which searches weigh words, are made to fit all terms. Unlike `tokenise`, which does neither, it
        reads all of them.
        """
        async with self._database.whole_store() as tx:
            without_any = await losses.terms(tx, self._tokeniser) > 0
            # to ask each note whether it has all of its terms takes far longer than to count them together
            if without_any or await lost.miscounted(tx):
                await lost.unmark_tokenised(tx, with_none=without_any)
        done = await self.tokenise()
        async with self._database.whole_store() as tx:
            if await lost.miscounted(tx):
                await lost.recount(tx)
        return done

    async def state(self) -> StoreState:
        """Return counts of every bank and of the queue; raises `StoreUnavailable`."""
        async with self._database.whole_store() as tx:
            return StoreState(banks=tuple(await banks.counts(tx)), queue=await queue.state(tx))

    async def work_left(self) -> WorkLeft:
        """Return what is left to do, without reading what is done; raises `StoreUnavailable`."""
        async with self._database.whole_store() as tx:
            return WorkLeft(notes=await enrichment.unfinished(tx), queue=await queue.state(tx))

    async def server(self) -> str:
        """Return which PostgreSQL and which pgvector answer; raises `StoreUnavailable`."""
        async with self._database.whole_store() as tx:
            return await server.versions(tx)

    async def _embed_anew(self, batch: Sequence[embedding_model.Unembedded]) -> set[UUID]:
        """Give the notes new vectors; return those that the model gives none for."""
        without = set()
        made = await embedder.each(self._embedder, [each.content for each in batch])
        for note, windows in zip(batch, made, strict=True):
            if isinstance(windows, ProviderUnavailable):
                without.add(note.id)
                told = {"bank": note.bank, "note": str(note.id)}
                logger.warning("A note stays without a vector, found by its words alone: %s", windows, extra=told)
            else:
                await self._replace(note, windows)
        return without

    async def _replace(self, note: embedding_model.Unembedded, windows: embeddings.Windows) -> None:
        """Give a note its new vectors, unless its text changed meanwhile: it then comes up again."""
        name, dimensions = self._embedder.name, self._embedder.dimensions
        async with self._database.transaction(note.bank) as tx:
            self._require(await embedding_model.keep(tx, name=name, dimensions=dimensions))
            await embeddings.complete(tx, note.id, windows, model=name, content_hash=note.content_hash)

    def _is_ours(self, stored: embedding_model.StoredModel) -> bool:
        return (stored.name, stored.dimensions) == (self._embedder.name, self._embedder.dimensions)

    def _refuse_unless_ours(self, stored: embedding_model.StoredModel) -> None:
        if not stored.complete:
            raise ConfigurationError(
                f"re-embedding every note with {stored.name!r} is not finished; run `memory-bank reindex` with that "
                "embedding.model to finish it"
            )
        if not self._is_ours(stored):
            raise ConfigurationError(
                f"the stored vectors were made by {stored.name!r} ({stored.dimensions} dimensions), but embedding.model"
                f" is {self._embedder.name!r} ({self._embedder.dimensions}); run `memory-bank reindex` to re-embed"
                " every note, or set the model back"
            )

    def _require(self, kept: bool) -> None:
        if not kept:
            raise Conflict(
                f"another `memory-bank reindex` makes another model than {self._embedder.name!r} the store's; "
                "let one of them finish, then run the other again if its model is the one you want"
            )

    async def _unembedded(self, name: str, *, besides: Collection[UUID]) -> list[embedding_model.Unembedded]:
        async with self._database.whole_store() as tx:
            return await embedding_model.not_embedded_by(tx, name, count=REINDEX_BATCH, besides=besides)

    async def _untokenised(self) -> list[lexical.Untokenised]:
        async with self._database.whole_store() as tx:
            return await lexical.not_tokenised_by(tx, self._tokeniser.name, count=TOKENISE_BATCH)
