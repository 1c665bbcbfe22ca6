"""How far the enrichment of each note has come, and what it found."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain.analysis import Analysis
from memory_bank.domain.notes import Enrichment
from memory_bank.store.database import StoreTx, Tx

_UNENRICHED = sa.text(
    """
    -- what does enrichment need to know of those that nobody has finished meanwhile?
    SELECT n.id, n.content, n.content_hash, n.enrichment_attempts, n.embedded_by
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = ANY(CAST(:ids AS uuid[]))
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
        AND n.enrichment = 'pending'
    """
)

_FINISH = sa.text(
    """
    -- write the findings unless the text has changed under the analyst, and take back a job that waits to find the same
    WITH finished AS (
        UPDATE notes
        SET keywords = CAST(:keywords AS text[]),
            context = CASE WHEN context_given THEN context ELSE :context END,
            tags = given_tags || ARRAY(
                SELECT found
                FROM unnest(CAST(:tags AS text[])) AS found
                WHERE found <> ALL (given_tags)
            ),
            analysed_by = :origin,
            enrichment = :enrichment,
            enrichment_error = :error
        WHERE bank_id = :bank
            AND id = :id
            AND content_hash = :content_hash
            AND deleted_at IS NULL
            AND enrichment = 'pending'
        RETURNING id
    ), withdrawn AS (
        DELETE FROM procrastinate_jobs j
        USING finished f
        WHERE j.id = :job
            AND j.status = 'todo'
            AND j.args ->> 'bank' = CAST(:bank AS text)
    )
    SELECT id
    FROM finished
    """
)

_COUNT_ATTEMPT = sa.text(
    """
    UPDATE notes
    SET enrichment_attempts = enrichment_attempts + 1,
        enrichment_error = :error
    WHERE bank_id = :bank
        AND id = :id
        AND enrichment = 'pending'
    """
)

_FAIL = sa.text(
    """
    UPDATE notes
    SET enrichment = 'failed',
        enrichment_error = :error
    WHERE bank_id = :bank
        AND id = :id
        AND enrichment = 'pending'
    """
)

_REOPEN = sa.text(
    """
    -- ask for a new enrichment of the live notes that an analyst of this origin, or none successfully, has seen
    UPDATE notes
    SET enrichment = 'pending',
        enrichment_error = '',
        enrichment_attempts = 0
    WHERE bank_id = :bank
        AND deleted_at IS NULL
        AND reach <> 'none'
        AND (
            (analysed_by = CAST(:origin AS text) AND enrichment <> 'pending')
            OR (CAST(:failed AS boolean) AND enrichment = 'failed')
        )
    """
)

_PENDING = sa.text(
    """
    SELECT n.id
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
        AND n.enrichment = 'pending'
        AND n.updated_at <= :before
    ORDER BY n.id
    """
)

_BANKS_PENDING = sa.text(
    """
    SELECT DISTINCT n.bank_id
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.reach <> 'none'
        AND n.enrichment = 'pending'
        AND n.updated_at <= :before
    ORDER BY n.bank_id
    """
)

UNFINISHED = sa.text(
    """
    -- of how many live notes is the enrichment not done? Asked every few seconds, so of those alone
    SELECT
        count(*) FILTER (WHERE n.enrichment = 'pending') AS pending,
        count(*) FILTER (WHERE n.enrichment = 'failed') AS failed,
        count(*) FILTER (WHERE n.embedded_by IS NULL) AS unembedded
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.enrichment <> 'done'
        AND n.reach <> 'none'
    """
)


@dataclass(frozen=True, kw_only=True)
class Unfinished:
    """How many live notes of all banks wait for enrichment or failed it, and how many of those have no vector."""

    pending: int
    failed: int
    unembedded: int


@dataclass(frozen=True, kw_only=True)
class Unenriched:
    """A note as enrichment takes it up; `content_hash` tells later whether its text is still the same."""

    id: UUID
    content: str
    content_hash: bytes
    attempts: int
    embedded: bool


async def unenriched(tx: Tx, ids: Sequence[UUID]) -> list[Unenriched]:
    """Return those of the notes that are alive and still wait for enrichment."""
    return [
        Unenriched(
            id=row["id"],
            content=row["content"],
            content_hash=row["content_hash"],
            attempts=row["enrichment_attempts"],
            embedded=row["embedded_by"] is not None,
        )
        for row in await tx.all(_UNENRICHED, ids=list(ids))
    ]


async def finish(
    tx: Tx,
    note: Unenriched,
    found: Analysis,
    *,
    enrichment: Enrichment,
    error: str = "",
    job: int | None = None,
) -> bool:
    """Write an analysis and the final state, and take back the `job` of the same, if nobody has begun it.

    Returns False when the note changed or was finished meanwhile.
    """
    written = await tx.one_or_none(
        _FINISH,
        id=note.id,
        keywords=list(found.keywords),
        context=found.context,
        tags=list(found.tags),
        origin=found.origin.value,
        enrichment=enrichment.value,
        error=error,
        content_hash=note.content_hash,
        job=job,
    )
    return written is not None


async def count_attempt(tx: Tx, id: UUID, *, error: str) -> None:
    """Record that an attempt to enrich a note failed, and why."""
    await tx.count(_COUNT_ATTEMPT, id=id, error=error)


async def fail(tx: Tx, id: UUID, *, error: str) -> None:
    """Record that a note's enrichment was given up without any finding, and why."""
    await tx.count(_FAIL, id=id, error=error)


async def reopen(tx: Tx, *, origin: str | None, failed: bool) -> int:
    """Reopen the enrichment of notes analysed by `origin`, and of failed ones if `failed`; return how many."""
    return await tx.count(_REOPEN, origin=origin, failed=failed)


async def pending(tx: Tx, *, before: datetime) -> list[UUID]:
    """Return the bank's live notes whose enrichment has been pending since `before` or longer, oldest first."""
    return [row["id"] for row in await tx.all(_PENDING, before=before)]


async def banks_pending(tx: StoreTx, *, before: datetime) -> list[str]:
    """Return the banks that hold such notes."""
    return [row["bank_id"] for row in await tx.all(_BANKS_PENDING, before=before)]


async def unfinished(tx: StoreTx) -> Unfinished:
    """Return how much is left to do in all banks."""
    row = await tx.one_or_none(UNFINISHED)
    assert row is not None
    return Unfinished(**row)
