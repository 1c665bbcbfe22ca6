"""What ranking needs to know of the notes that the arms found, and of the notes next to them in their session."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple
from uuid import UUID

import sqlalchemy as sa
from numpy import float32
from numpy.typing import NDArray

from memory_bank.domain import filters
from memory_bank.store import conditions, embeddings
from memory_bank.store.database import Tx

_OPENING_LENGTH = 120


class Surrounding(NamedTuple):
    """A note in question or next to one, in the order of the statement's columns: a search reads hundreds of them.

    opening, ending: the first and last characters of its text. length: its terms in all. wanted: passes the search's
    filter. cosine: of its best window with the query, None without vector. terms: of the query's, those it holds.
    last_accessed, in Unix seconds, and retrieval_count: what forgetting goes by. sources and confirmed: of a fact.
    """

    id: UUID
    session: str | None
    position: int | None
    moment: datetime
    last_accessed: int
    retrieval_count: int
    opening: str
    ending: str
    length: int
    wanted: bool
    cosine: float | None
    terms: dict[str, int]
    sources: int | None
    confirmed: datetime | None


@cache
def statement(narrowing: str) -> sa.TextClause:
    """Return the statement: the notes in question and up to two live ones before and after each in its session."""
    columns = f"""n.id,
            n.session,
            n.position,
            n.occurred_at,
            n.last_accessed,
            n.retrieval_count,
            n.kind,
            left(n.content, {_OPENING_LENGTH}) AS opening,
            right(n.content, 4) AS ending,
            (n.reach <> 'none'{narrowing}) AS wanted"""
    return sa.text(
        f"""
        WITH asked AS MATERIALIZED (
            SELECT {columns}
            FROM notes n
            WHERE n.bank_id = :bank
                AND n.id = ANY(CAST(:ids AS uuid[]))
                AND n.deleted_at IS NULL
        ), around AS MATERIALIZED (
            SELECT DISTINCT ON (met.id) met.*
            FROM (
                SELECT a.* FROM asked a
                UNION ALL
                SELECT before.*
                FROM asked a
                CROSS JOIN LATERAL (
                    SELECT {columns}
                    FROM notes n
                    WHERE n.bank_id = :bank
                        AND n.session = a.session
                        AND n.position < a.position
                        AND n.deleted_at IS NULL
                    ORDER BY n.position DESC
                    LIMIT 2
                ) AS before
                UNION ALL
                SELECT after.*
                FROM asked a
                CROSS JOIN LATERAL (
                    SELECT {columns}
                    FROM notes n
                    WHERE n.bank_id = :bank
                        AND n.session = a.session
                        AND n.position > a.position
                        AND n.deleted_at IS NULL
                    ORDER BY n.position
                    LIMIT 2
                ) AS after
            ) AS met
            ORDER BY met.id
        ), held AS (
            SELECT p.note_id, jsonb_object_agg(p.term, p.frequency) AS terms
            FROM postings p
            WHERE p.bank_id = :bank
                AND p.term = ANY(CAST(:terms AS text[]))
                AND p.note_id = ANY(ARRAY(SELECT r.id FROM around r))
            GROUP BY p.note_id
        )
        SELECT
            r.id,
            r.session,
            r.position,
            r.occurred_at,
            r.last_accessed,
            r.retrieval_count,
            r.opening,
            r.ending,
            -- by key, one by one: there are some hundreds of them, whatever the size of the table
            coalesce((SELECT p.length FROM postings p WHERE p.bank_id = :bank AND p.note_id = r.id LIMIT 1), 0)
                AS length,
            r.wanted,
            (
                SELECT max(1 - (e.embedding <=> CAST(:query AS vector)))
                FROM embeddings e
                WHERE e.bank_id = :bank
                    AND e.note_id = r.id
            ) AS cosine,
            coalesce(h.terms, '{{}}') AS terms,
            CASE WHEN r.kind = 'fact' THEN (
                SELECT f.confirmations + (
                    SELECT count(*)
                    FROM fact_sources s
                    WHERE s.bank_id = :bank
                        AND s.note_id = f.note_id
                )
                FROM facts f
                WHERE f.bank_id = :bank
                    AND f.note_id = r.id
            ) END AS sources,
            CASE WHEN r.kind = 'fact' THEN (
                SELECT f.last_confirmed
                FROM facts f
                WHERE f.bank_id = :bank
                    AND f.note_id = r.id
            ) END AS confirmed
        FROM around r
        LEFT JOIN held h ON h.note_id = r.id
        """
    )


async def of_notes(
    tx: Tx, ids: Iterable[UUID], *, query: NDArray[float32] | None, terms: Sequence[str], wanted: filters.Filter
) -> list[Surrounding]:
    """Return what there is to know of the live notes among `ids` and of up to two neighbours on either side of each."""
    rows = await tx.freshly_planned(
        statement(conditions.narrowing(wanted)),
        ids=list(ids),
        query=None if query is None else embeddings.written(query),
        terms=list(terms),
        **conditions.binds(wanted),
    )
    return [Surrounding(*row) for row in rows]
