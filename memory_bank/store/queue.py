"""The durable job queue: Procrastinate on the same PostgreSQL."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self
from uuid import UUID

import procrastinate
import psycopg
import sqlalchemy as sa

from memory_bank.errors import MemoryBankError, StoreUnavailable
from memory_bank.store.database import StoreTx, Tx

logger = logging.getLogger(__name__)

ENRICH = "enrich_notes"
HEARTBEAT_SECONDS = 5.0
STALLED_SECONDS = 20.0
SHUTDOWN_SECONDS = 2.0

EnrichHandler = Callable[[str, Sequence[UUID]], Awaitable[None]]
"""Enrich the notes of a bank; raises while some of them deserve another attempt."""

COUNTED_JOBS = 10_000
"""Jobs of one state that are counted at most: a monitor that asks every few seconds must not read a long queue."""

_STATE = sa.text(
    """
    -- how many jobs wait, run or failed, and how long has the oldest of those that are due waited?
    WITH waiting AS (
        SELECT j.id, j.scheduled_at
        FROM procrastinate_jobs j
        WHERE j.status = 'todo'
        ORDER BY j.id
        LIMIT :most
    ), running AS (
        SELECT j.id
        FROM procrastinate_jobs j
        WHERE j.status = 'doing'
        LIMIT :most
    ), failed AS (
        SELECT j.id
        FROM procrastinate_jobs j
        WHERE j.status = 'failed'
        LIMIT :most
    )
    SELECT
        (SELECT count(*) FROM waiting) AS waiting,
        (SELECT count(*) FROM running) AS running,
        (SELECT count(*) FROM failed) AS failed,
        CAST(
            (
                SELECT coalesce(extract(epoch FROM now() - min(coalesce(w.scheduled_at, e.at))), 0)
                FROM waiting w
                LEFT JOIN procrastinate_events e
                    ON e.job_id = w.id
                    AND e.type = 'deferred'
                WHERE coalesce(w.scheduled_at, e.at) <= now()
            ) AS double precision
        ) AS oldest_seconds
    """
)


_STILL_DOING = """
    SELECT id
    FROM procrastinate_jobs
    WHERE id = ANY(%(ids)s)
        AND status = 'doing'
"""


@dataclass(frozen=True, kw_only=True)
class Tracing:
    """How a job remembers the request that it comes from: its id now, and a block that runs for it again, in a bank."""

    origin: Callable[[], str | None]
    resuming: Callable[[str | None, str], AbstractContextManager[None]]


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """Jobs that wait, run or failed, up to `COUNTED_JOBS` each, and how many seconds the oldest due one has waited."""

    waiting: int
    running: int
    failed: int
    oldest_seconds: float


class JobQueue:
    """Jobs that outlive the process: deferred inside a store transaction, run by any worker process."""

    def __init__(
        self,
        conninfo: str,
        *,
        concurrency: int,
        attempts: int,
        tracing: Tracing,
        prepared_statements: bool = True,
    ) -> None:
        arguments: dict[str, object] = {} if prepared_statements else {"prepare_threshold": None}
        self._concurrency = concurrency
        self._tracing = tracing
        self._connector = procrastinate.PsycopgConnector(
            conninfo=conninfo, kwargs=arguments, min_size=0, max_size=concurrency + 2
        )
        self._app = procrastinate.App(connector=self._connector)
        self._enrich: EnrichHandler | None = None
        # jobs whose work ended here lately: where the connection was lost, the database never heard of it
        self._ended: set[int] = set()
        retry = procrastinate.RetryStrategy(max_attempts=attempts, exponential_wait=4)
        self._app.task(name=ENRICH, queue="enrichment", retry=retry, pass_context=True)(self._run_enrich)

    async def __aenter__(self) -> Self:
        await self._connector.open_async()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connector.close_async()

    def handle_enrich(self, handler: EnrichHandler) -> None:
        """Let `handler` run the enrichment jobs of this process's worker."""
        self._enrich = handler

    def every(self, cron: str, name: str, handler: Callable[[], Awaitable[object]]) -> None:
        """Let `handler` run at the times of `cron`, UTC: once, however many workers there are."""

        async def run(context: procrastinate.JobContext, timestamp: int) -> None:
            try:
                await handler()
            finally:
                self._has_ended(context)

        task = self._app.task(name=name, queue="maintenance", queueing_lock=name, pass_context=True)(run)
        self._app.periodic(cron=cron)(task)

    async def defer_enrich(self, tx: Tx, ids: Sequence[UUID], *, not_before: datetime | None = None) -> int:
        """Ask for the enrichment of these notes of the transaction's bank, if and when `tx` commits; return the job."""
        task = self._app.configure_task(ENRICH, schedule_at=not_before, connection=tx.driver)
        return await task.defer_async(bank=tx.bank, ids=[str(id) for id in ids], request_id=self._tracing.origin())

    async def run_worker(self) -> None:
        """Run jobs until cancelled; what a cancelled worker had in hand is done again elsewhere.

        Raises `StoreUnavailable` when the database goes away.
        """
        rescue = asyncio.create_task(self._rescue_stalled())
        try:
            await self._app.run_worker_async(
                concurrency=self._concurrency,
                install_signal_handlers=False,
                delete_jobs="successful",
                shutdown_graceful_timeout=SHUTDOWN_SECONDS,
                update_heartbeat_interval=HEARTBEAT_SECONDS,
                stalled_worker_timeout=STALLED_SECONDS,
            )
        except (procrastinate.exceptions.ConnectorException, psycopg.Error) as error:
            raise StoreUnavailable("the job queue's database does not answer") from error
        finally:
            rescue.cancel()

    async def _rescue_stalled(self) -> None:
        """Give the jobs back to the queue that a killed worker left, or that a lost connection left unfinished here."""
        while True:
            ended, self._ended = self._ended, set()
            await asyncio.sleep(STALLED_SECONDS / 2)
            try:
                stalled = await self._app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_SECONDS)
                lost = {job.id for job in stalled if job.id is not None} | await self._still_doing(ended)
                for id in lost:
                    await self._app.job_manager.retry_job_by_id_async(id, retry_at=datetime.now(UTC))
                    logger.warning("Took back a job that nobody works on any more.", extra={"job": id})
            except (procrastinate.exceptions.ProcrastinateException, psycopg.Error) as error:
                self._ended |= ended
                logger.warning("Could not look for stalled jobs: %s", type(error).__name__)

    async def _still_doing(self, ended: set[int]) -> set[int]:
        """Return which of the jobs that ended in this process a while ago the database still takes for running."""
        if not ended:
            return set()
        rows = await self._connector.execute_query_all_async(_STILL_DOING, ids=list(ended))
        return {int(row["id"]) for row in rows}

    async def _run_enrich(
        self, context: procrastinate.JobContext, bank: str, ids: list[str], request_id: str | None = None
    ) -> None:
        if self._enrich is None:
            raise MemoryBankError("no handler for enrichment jobs; this is a programming error")
        try:
            with self._tracing.resuming(request_id, bank):
                await self._enrich(bank, [UUID(id) for id in ids])
        finally:
            self._has_ended(context)

    def _has_ended(self, context: procrastinate.JobContext) -> None:
        if context.job.id is not None:
            self._ended.add(context.job.id)


async def state(tx: StoreTx) -> QueueState:
    """Return how full the queue is."""
    row = await tx.one_or_none(_STATE, most=COUNTED_JOBS)
    assert row is not None
    return QueueState(
        waiting=row["waiting"], running=row["running"], failed=row["failed"], oldest_seconds=row["oldest_seconds"]
    )
