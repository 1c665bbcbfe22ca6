"""What ranking needs to know of the notes that the arms found, and of the notes next to them in their session."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from numpy import float32
from numpy.typing import NDArray
from pgvector.sqlalchemy import Vector

from memory_bank.domain import filters
from memory_bank.store import conditions
from memory_bank.store.database import Tx

_OPENING_LENGTH = 120

NOTES = sa.text(
    f"""
    -- the notes in question and up to two live notes before and after each in its session
    WITH asked AS (
        SELECT n.id, n.session, n.position
        FROM notes n
        WHERE n.bank_id = :bank
            AND n.id = ANY(CAST(:ids AS uuid[]))
            AND n.deleted_at IS NULL
    ), around AS (
        SELECT a.id FROM asked a
        UNION
        SELECT before.id
        FROM asked a
        CROSS JOIN LATERAL (
            SELECT n.id
            FROM notes n
            WHERE n.bank_id = :bank
                AND n.session = a.session
                AND n.position < a.position
                AND n.deleted_at IS NULL
            ORDER BY n.position DESC
            LIMIT 2
        ) AS before
        UNION
        SELECT after.id
        FROM asked a
        CROSS JOIN LATERAL (
            SELECT n.id
            FROM notes n
            WHERE n.bank_id = :bank
                AND n.session = a.session
                AND n.position > a.position
                AND n.deleted_at IS NULL
            ORDER BY n.position
            LIMIT 2
        ) AS after
    )
        SELECT
        n.id,
        n.session,
        n.position,
        n.occurred_at,
        left(n.content, {_OPENING_LENGTH}) AS opening,
        right(n.content, 4) AS ending,
        coalesce(any_posting.length, 0) AS length,
        ({conditions.LIVE_AND_WANTED}) AS wanted,
        nearest.cosine
    FROM around r
    -- by key, one by one: there are some hundreds of them, whatever the size of the table
    CROSS JOIN LATERAL (
        SELECT k.*
        FROM notes k
        WHERE k.bank_id = :bank
            AND k.id = r.id
        LIMIT 1
    ) AS n
    LEFT JOIN LATERAL (
        SELECT p.length
        FROM postings p
        WHERE p.bank_id = :bank
            AND p.note_id = n.id
        LIMIT 1
    ) AS any_posting ON true
    LEFT JOIN LATERAL (
        SELECT max(1 - (e.embedding <=> CAST(:query AS vector))) AS cosine
        FROM embeddings e
        WHERE e.bank_id = :bank
            AND e.note_id = n.id
    ) AS nearest ON true
    """
).bindparams(sa.bindparam("query", type_=Vector()))

TERMS = sa.text(
    """
    -- how often does each of the query's terms occur in these notes?
    SELECT p.note_id, p.term, p.frequency
    FROM postings p
    WHERE p.bank_id = :bank
        AND p.note_id = ANY(CAST(:ids AS uuid[]))
        AND p.term = ANY(CAST(:terms AS text[]))
    """
)


@dataclass(frozen=True, kw_only=True)
class Surrounding:
    """A note in question or next to one.

    opening, ending: the first and last characters of its text. length: its terms in all. wanted: passes the search's
    filter. cosine: of its best window with the query, None without vector. terms: of the query's, those it holds.
    """

    id: UUID
    session: str | None
    position: int | None
    moment: datetime
    opening: str
    ending: str
    length: int
    wanted: bool
    cosine: float | None
    terms: dict[str, int]


async def of_notes(
    tx: Tx, ids: Iterable[UUID], *, query: NDArray[float32] | None, terms: Sequence[str], wanted: filters.Filter
) -> list[Surrounding]:
    """Return what there is to know of the live notes among `ids` and of up to two neighbours on either side of each."""
    rows = await tx.all(NOTES, ids=list(ids), query=query, **conditions.binds(wanted))
    held: dict[UUID, dict[str, int]] = {row["id"]: {} for row in rows}
    if terms and held:
        for posting in await tx.all(TERMS, ids=list(held), terms=list(terms)):
            held[posting["note_id"]][posting["term"]] = posting["frequency"]
    return [
        Surrounding(
            id=row["id"],
            session=row["session"],
            position=row["position"],
            moment=row["occurred_at"],
            opening=row["opening"],
            ending=row["ending"],
            length=row["length"],
            wanted=row["wanted"],
            cosine=row["cosine"],
            terms=held[row["id"]],
        )
        for row in rows
    ]
