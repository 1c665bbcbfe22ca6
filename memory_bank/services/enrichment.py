"""Enrichment: after a note is safe, find its keywords, context and tags, and link it to its nearest notes."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from memory_bank.domain import banks
from memory_bank.domain.analysis import Analysis
from memory_bank.domain.links import Candidate, Judgement, LinkOrigin
from memory_bank.domain.notes import Enrichment
from memory_bank.errors import ConfigurationError, ProviderUnavailable, StoreUnavailable
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.store import embeddings, links, queue
from memory_bank.store import enrichment as rows
from memory_bank.store.database import Database, Tx

logger = logging.getLogger(__name__)

CANDIDATES = 5
JOB_SIZE = 25
"""Notes in one job: few enough that a killed worker repeats little."""

PARALLEL_NOTES = 4
SWEEP_AGE = timedelta(minutes=2)


class Analyst(Protocol):
    """Reads notes: a language model, or the deterministic analyser."""

    async def analyse(self, content: str) -> Analysis:
        """Return keywords, context and tags of `content`; raises `ProviderUnavailable`."""
        ...

    async def judge(self, content: str, candidates: Sequence[Candidate]) -> list[Judgement]:
        """Return the links from `content` to some of the candidates; raises `ProviderUnavailable`."""
        ...


@dataclass(frozen=True, kw_only=True)
class _Findings:
    analysis: Analysis
    judgements: Sequence[Judgement]


class EnrichmentService:
    """Enriches notes with `analyst`; what it cannot do within `attempts` is left to `fallback`, marked as failed."""

    def __init__(
        self,
        *,
        database: Database,
        jobs: queue.JobQueue,
        embedder: Embedder,
        analyst: Analyst,
        fallback: Analyst,
        clock: Clock,
        floor: float,
        attempts: int,
    ) -> None:
        self._database = database
        self._jobs = jobs
        self._embedder = embedder
        self._analyst = analyst
        self._fallback = fallback
        self._clock = clock
        self._floor = floor
        self._attempts = attempts

    async def enrich(self, bank: str, id: UUID) -> None:
        """Enrich one pending note; do nothing when it is gone, changed or finished.

        Raises `ProviderUnavailable` while another attempt is worth while; the note then stays pending.
        """
        async with self._database.transaction(bank) as tx:
            note = await rows.unenriched(tx, id)
        if note is None:
            return
        if not note.embedded:
            await self._embed(bank, id, note)
        try:
            findings = await self._read(bank, id, note.content, by=self._analyst)
        except ProviderUnavailable as error:
            await self._failed(bank, id, note, error)
            return
        await self._write(bank, id, note, findings, enrichment=Enrichment.DONE)

    async def enrich_all(self, bank: str, ids: Sequence[UUID]) -> None:
        """Enrich several notes; one that fails does not stop the others.

        Raises `ProviderUnavailable` at the end when some of them deserve another attempt.
        """
        places = asyncio.Semaphore(PARALLEL_NOTES)

        async def one(id: UUID) -> ProviderUnavailable | None:
            async with places:
                return await self._enrich_safely(bank, id)

        failures = [each for each in await asyncio.gather(*map(one, ids)) if each is not None]
        if failures:
            raise ProviderUnavailable(f"{len(failures)} of {len(ids)} notes must be tried again: {failures[0]}")

    async def reopen(self, bank: str, *, origin: LinkOrigin | None, failed: bool) -> list[UUID]:
        """Ask for a new enrichment of notes that `origin` analysed, and of failed ones.

        Returns every note of the bank that now waits, those that waited before included.
        """
        name = banks.checked_name(bank)
        async with self._database.transaction(name) as tx:
            await rows.reopen(tx, origin=None if origin is None else origin.value, failed=failed)
            return await rows.pending(tx, before=self._clock.now())

    async def enrich_now(self, bank: str, ids: Sequence[UUID]) -> None:
        """Enrich several notes; those that deserve another attempt stay pending and are left to the queue."""
        try:
            await self.enrich_all(bank, ids)
        except ProviderUnavailable as error:
            logger.warning("Some notes are left to the queue: %s", error, extra={"bank": bank})
            async with self._database.transaction(bank) as tx:
                await self.defer(tx, ids)

    async def defer(self, tx: Tx, ids: Sequence[UUID]) -> None:
        """Queue the enrichment of these notes, if and when `tx` commits."""
        for start in range(0, len(ids), JOB_SIZE):
            await self._jobs.defer_enrich(tx, ids[start : start + JOB_SIZE])

    async def sweep(self) -> int:
        """Queue again what is pending although no job knows of it; return how many notes that were."""
        before = self._clock.now() - SWEEP_AGE
        async with self._database.whole_store() as store_tx:
            state = await queue.state(store_tx)
            if state.waiting or state.running:
                return 0
            waiting_in = await rows.banks_pending(store_tx, before=before)
        swept = 0
        for bank in waiting_in:
            async with self._database.transaction(bank) as tx:
                waiting = await rows.pending(tx, before=before)
                await self.defer(tx, waiting)
            swept += len(waiting)
        if swept:
            logger.info("Queued notes again whose enrichment no job knew of.", extra={"notes": swept})
        return swept

    async def _enrich_safely(self, bank: str, id: UUID) -> ProviderUnavailable | None:
        try:
            await self.enrich(bank, id)
        except ProviderUnavailable as error:
            return error
        except StoreUnavailable:
            raise
        except Exception as error:
            logger.exception("Enrichment of a note failed.", extra={"bank": bank, "note": str(id)})
            return await self._surprised(bank, id, error)
        return None

    async def _embed(self, bank: str, id: UUID, note: rows.Unenriched) -> None:
        try:
            windows = await self._embedder.embed_documents([note.content])
        except ConfigurationError as error:
            # whoever mends the setting will find the note still waiting
            raise ProviderUnavailable(str(error)) from error
        async with self._database.transaction(bank) as tx:
            await embeddings.complete(tx, id, windows[0], model=self._embedder.name, content_hash=note.content_hash)

    async def _read(self, bank: str, id: UUID, content: str, *, by: Analyst) -> _Findings:
        analysis = await by.analyse(content)
        async with self._database.transaction(bank) as tx:
            candidates = await embeddings.neighbours(tx, id, floor=self._floor, limit=CANDIDATES)
        judgements = await by.judge(content, candidates) if candidates else []
        offered = {candidate.id for candidate in candidates}
        return _Findings(analysis=analysis, judgements=[each for each in judgements if each.target_id in offered])

    async def _write(
        self,
        bank: str,
        id: UUID,
        note: rows.Unenriched,
        findings: _Findings,
        *,
        enrichment: Enrichment,
        error: str = "",
    ) -> None:
        async with self._database.transaction(bank) as tx:
            written = await rows.finish(
                tx, id, findings.analysis, content_hash=note.content_hash, enrichment=enrichment, error=error
            )
            if written:
                await links.replace_judged(tx, id, findings.judgements, now=self._clock.now())

    async def _failed(self, bank: str, id: UUID, note: rows.Unenriched, error: ProviderUnavailable) -> None:
        """Count the attempt; after the last one write what the fallback finds and the reason."""
        reason = str(error)
        if error.retryable and note.attempts + 1 < self._attempts:
            async with self._database.transaction(bank) as tx:
                await rows.count_attempt(tx, id, error=reason)
            raise error
        logger.warning("A note could not be enriched: %s", reason, extra={"bank": bank, "note": str(id)})
        findings = await self._read(bank, id, note.content, by=self._fallback)
        await self._write(bank, id, note, findings, enrichment=Enrichment.FAILED, error=reason)

    async def _surprised(self, bank: str, id: UUID, error: Exception) -> ProviderUnavailable | None:
        async with self._database.transaction(bank) as tx:
            note = await rows.unenriched(tx, id)
            if note is None:
                return None
            reason = f"unexpected {type(error).__name__}; see the server's log"
            if note.attempts + 1 < self._attempts:
                await rows.count_attempt(tx, id, error=reason)
                return ProviderUnavailable(reason)
            await rows.fail(tx, id, error=reason)
        return None
