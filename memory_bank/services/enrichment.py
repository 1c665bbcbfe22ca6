"""Enrichment: after a note is safe, find its keywords, context and tags, and link it to its nearest notes."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from memory_bank.domain import banks
from memory_bank.domain.analysis import Analysis
from memory_bank.domain.links import Candidate, Judgement, LinkOrigin
from memory_bank.domain.notes import Enrichment, Note
from memory_bank.errors import ConfigurationError, ProviderUnavailable, StoreUnavailable
from memory_bank.services import embedder, together
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.services.metrics import Enriched, Metrics, Reason, Unmeasured
from memory_bank.store import embeddings, links, queue
from memory_bank.store import enrichment as rows
from memory_bank.store import notes as note_rows
from memory_bank.store.database import Database, Tx

logger = logging.getLogger(__name__)

CANDIDATES = 5
JOB_SIZE = 25
"""Notes in one job: few enough that a killed worker repeats little."""

PARALLEL_NOTES = 4
SWEEP_AGE = timedelta(minutes=2)
PATIENCE_SECONDS = 10.0
"""How long queued enrichment of a note stands back while callers add notes."""


class Analyst(Protocol):
    """Reads notes: a language model, or the deterministic analyser."""

    async def analyse(self, content: str) -> Analysis:
        """Return keywords, context and tags of `content`; raises `ProviderUnavailable`."""
        ...

    async def judge(self, content: str, candidates: Sequence[Candidate]) -> list[Judgement]:
        """Return the links from `content` to some of the candidates; raises `ProviderUnavailable`."""
        ...


@dataclass(frozen=True, kw_only=True)
class _Work:
    """A note to be enriched, the notes that it may link to, and what came of it so far: an analysis, or a failure.

    Where a caller waits for it, also the `job` that is to do it if this is cut short.
    """

    note: rows.Unenriched
    candidates: Sequence[Candidate]
    analysis: Analysis | None = None
    failure: ProviderUnavailable | None = None
    job: int | None = None


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
        metrics: Metrics | None = None,
    ) -> None:
        self._database = database
        self._jobs = jobs
        self._embedder = embedder
        self._analyst = analyst
        self._fallback = fallback
        self._clock = clock
        self._floor = floor
        self._attempts = attempts
        self._metrics = metrics or Unmeasured()
        self._told = ""
        self._callers = 0
        self._nobody_waits = asyncio.Event()
        self._nobody_waits.set()

    async def enrich(self, bank: str, note: rows.Unenriched, *, job: int | None) -> Note | None:
        """Enrich a note that a caller has just stored and waits for, and take back the `job` that is to do the same.

        Returns it as it is then, or None when it is gone, changed or finished already. Raises `ProviderUnavailable`
        while another attempt is worth while; the note then stays pending.
        """
        if note.embedded:
            candidates, (analysis, failure) = await together.done(self._near_one(bank, note), self._analysed(note))
            work = _Work(note=note, candidates=candidates, analysis=analysis, failure=failure, job=job)
            return await self._enrich(bank, work)
        for work in await self._taken_up(bank, [note.id]):
            return await self._enrich(bank, replace(work, job=job))
        return None

    async def enrich_all(self, bank: str, ids: Sequence[UUID]) -> None:
        """Enrich several notes; one that fails does not stop the others.

        Raises `ProviderUnavailable` at the end when some of them deserve another attempt.
        """
        places = asyncio.Semaphore(PARALLEL_NOTES)

        await self._quiet()

        async def one(work: _Work) -> ProviderUnavailable | None:
            async with places:
                await self._quiet()
                return await self._enrich_safely(bank, work)

        failures = await together.done(*map(one, await self._taken_up(bank, ids)))
        again = [each for each in failures if each is not None]
        if again:
            raise ProviderUnavailable(f"{len(again)} of {len(ids)} notes must be tried again: {again[0]}")

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Let a caller who waits go first: queued enrichment pauses while the block lasts, though never for long."""
        self._callers += 1
        self._nobody_waits.clear()
        try:
            yield
        finally:
            self._callers -= 1
            if not self._callers:
                self._nobody_waits.set()

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

    async def _quiet(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._nobody_waits.wait()

    async def _taken_up(self, bank: str, ids: Sequence[UUID]) -> list[_Work]:
        """Return what enrichment of the pending ones among `ids` starts from, their vectors made where missing."""
        async with self._database.transaction(bank) as tx:
            waiting = await rows.unenriched(tx, ids)
            missing = [each for each in waiting if not each.embedded]
            candidates = {} if missing else await self._near(tx, waiting)
        broken = await self._embed(bank, missing)
        if missing:
            async with self._database.transaction(bank) as tx:
                candidates = await self._near(tx, waiting)
        return [
            _Work(note=each, candidates=candidates.get(each.id, ()), failure=broken.get(each.id)) for each in waiting
        ]

    async def _near_one(self, bank: str, note: rows.Unenriched) -> Sequence[Candidate]:
        async with self._database.reading(bank) as tx:
            return (await self._near(tx, [note])).get(note.id, ())

    async def _analysed(self, note: rows.Unenriched) -> tuple[Analysis | None, ProviderUnavailable | None]:
        try:
            return await self._analyst.analyse(note.content), None
        except ProviderUnavailable as error:
            return None, error

    async def _near(self, tx: Tx, notes: Sequence[rows.Unenriched]) -> Mapping[UUID, Sequence[Candidate]]:
        ids = [note.id for note in notes]
        return await embeddings.neighbours(tx, ids, floor=self._floor, limit=CANDIDATES) if ids else {}

    async def _embed(self, bank: str, missing: Sequence[rows.Unenriched]) -> dict[UUID, ProviderUnavailable]:
        """Make the vectors that are missing; return why the model gives none for some of the notes."""
        if not missing:
            return {}
        try:
            embedded = await embedder.each(self._embedder, [each.content for each in missing])
        except ConfigurationError as error:
            # whoever mends the setting will find the notes still waiting
            raise ProviderUnavailable(str(error)) from error
        async with self._database.transaction(bank) as tx:
            for note, windows in zip(missing, embedded, strict=True):
                if not isinstance(windows, ProviderUnavailable):
                    await embeddings.complete(
                        tx, note.id, windows, model=self._embedder.name, content_hash=note.content_hash
                    )
        return {
            note.id: ProviderUnavailable(str(made))
            for note, made in zip(missing, embedded, strict=True)
            if isinstance(made, ProviderUnavailable)
        }

    async def _enrich_safely(self, bank: str, work: _Work) -> ProviderUnavailable | None:
        try:
            await self._enrich(bank, work)
        except ProviderUnavailable as error:
            return error
        except StoreUnavailable:
            raise
        except Exception as error:
            logger.exception("Enrichment of a note failed.", extra={"bank": bank, "note": str(work.note.id)})
            return await self._surprised(bank, work.note, error)
        return None

    async def _enrich(self, bank: str, work: _Work) -> Note | None:
        try:
            if work.failure is not None:
                raise work.failure
            analysis, judgements = await _findings(work, by=self._analyst)
        except ProviderUnavailable as error:
            return await self._failed(bank, work, error)
        self._told = ""
        written = await self._write(bank, work, analysis, judgements, enrichment=Enrichment.DONE)
        self._metrics.enriched(Enriched.DONE)
        return written

    async def _write(
        self,
        bank: str,
        work: _Work,
        analysis: Analysis,
        judgements: Sequence[Judgement],
        *,
        enrichment: Enrichment,
        error: str = "",
    ) -> Note | None:
        """Write what was found, unless it is too late; return the note where a caller waits for it."""
        note = work.note
        async with self._database.transaction(bank) as tx:
            if not await rows.finish(tx, note, analysis, enrichment=enrichment, error=error, job=work.job):
                return None
            await links.replace_judged(tx, note.id, judgements, now=self._clock.now())
            if work.job is None:
                return None
            (found,) = await note_rows.by_ids(tx, [note.id])
            return found

    async def _failed(self, bank: str, work: _Work, error: ProviderUnavailable) -> Note | None:
        """Count the attempt; after the last one write what the fallback finds and the reason."""
        note, reason = work.note, str(error)
        # a refused key concerns every note, and is told once
        level = logging.INFO if reason == self._told else logging.WARNING
        self._told = reason
        logger.log(level, "A note could not be enriched: %s", reason, extra={"bank": bank, "note": str(note.id)})
        if error.retryable and note.attempts + 1 < self._attempts:
            async with self._database.transaction(bank) as tx:
                await rows.count_attempt(tx, note.id, error=reason)
            self._metrics.enriched(Enriched.RETRIED)
            raise error
        self._metrics.enriched(Enriched.FAILED, reason=Reason.UNAVAILABLE if error.retryable else Reason.REFUSED)
        analysis, judgements = await _findings(replace(work, analysis=None), by=self._fallback)
        return await self._write(bank, work, analysis, judgements, enrichment=Enrichment.FAILED, error=reason)

    async def _surprised(self, bank: str, note: rows.Unenriched, error: Exception) -> ProviderUnavailable | None:
        reason = f"unexpected {type(error).__name__}; see the server's log"
        async with self._database.transaction(bank) as tx:
            if note.attempts + 1 < self._attempts:
                await rows.count_attempt(tx, note.id, error=reason)
                self._metrics.enriched(Enriched.RETRIED)
                return ProviderUnavailable(reason)
            await rows.fail(tx, note.id, error=reason)
        self._metrics.enriched(Enriched.FAILED, reason=Reason.UNEXPECTED)
        return None


async def _findings(work: _Work, *, by: Analyst) -> tuple[Analysis, list[Judgement]]:
    analysis = work.analysis or await by.analyse(work.note.content)
    judgements = await by.judge(work.note.content, work.candidates) if work.candidates else []
    offered = {candidate.id for candidate in work.candidates}
    return analysis, [each for each in judgements if each.target_id in offered]
