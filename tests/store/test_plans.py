"""Every query shape of a search uses the index that it is meant to use."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import numpy as np
import psycopg
import pytest
import sqlalchemy as sa
from pgvector.sqlalchemy import Vector

from memory_bank.domain.filters import Filter
from memory_bank.store import conditions, embeddings, notes, surroundings
from memory_bank.store.database import Database

BIG, SMALL = "big", "small"
BIG_SIZE, SMALL_SIZE = 4_000, 50

_FILL = """
    INSERT INTO notes (
        bank_id, id, kind, content, content_hash, tags, session, position, occurred_at, updated_at, last_accessed,
        enrichment
    )
    SELECT
        %(bank)s, gen_random_uuid(), 'note', 'text ' || n, decode(md5(%(bank)s || n), 'hex'),
        CASE WHEN n %% 400 = 0 THEN ARRAY['rare'] ELSE '{}' END, 'session ' || n / 20, n,
        now() - n * interval '1 minute', now(), 0, 'done'
    FROM generate_series(1, %(count)s) AS n
"""
_EMBED = """
    INSERT INTO embeddings (bank_id, note_id, window_index, embedding)
    SELECT bank_id, id, 0, array_agg(random() - 0.5)::vector(384)
    FROM notes
    CROSS JOIN generate_series(1, 384)
    GROUP BY bank_id, id
"""


@pytest.fixture
def filled(url: str) -> str:
    """The URL of a database with a big bank and a small one beside it."""
    with psycopg.connect(url, autocommit=True) as connection:
        for bank, count in ((BIG, BIG_SIZE), (SMALL, SMALL_SIZE)):
            connection.execute("INSERT INTO banks VALUES (%s, now())", [bank])
            connection.execute(_FILL.encode(), {"bank": bank, "count": count})
        connection.execute(_EMBED.encode())
        connection.execute("VACUUM ANALYZE")
    return url


async def plan(url: str, statement: sa.TextClause, bank: str, **binds: Any) -> str:
    """Return how PostgreSQL runs a statement of this bank."""
    database = Database(url)
    try:
        async with database.transaction(bank) as tx:
            explained = sa.text(f"EXPLAIN {statement.text}")
            if "query" in binds:
                explained = explained.bindparams(sa.bindparam("query", type_=Vector()))
            rows = await tx.all(explained, **binds)
    finally:
        await database.close()
    return "\n".join(row["QUERY PLAN"] for row in rows)


def nearest(wanted: Filter, *, count: int = 30) -> Mapping[str, Any]:
    return {"query": np.ones(384, dtype=np.float32), "count": count, **conditions.binds(wanted)}


async def test_a_big_bank_is_searched_by_the_vector_index(filled: str) -> None:
    assert "ix_embeddings_embedding" in await plan(filled, embeddings.nearest(""), BIG, **nearest(Filter()))


async def test_a_small_bank_is_scanned_exactly(filled: str) -> None:
    told = await plan(filled, embeddings.nearest(""), SMALL, **nearest(Filter()))
    assert "ix_embeddings_embedding" not in told
    assert "pk_embeddings" in told
    assert "Seq Scan on embeddings" not in told


async def test_a_listing_walks_the_index_by_time(filled: str) -> None:
    told = await plan(filled, notes.listing("", after=False), BIG, count=21)
    assert "ix_notes_live_by_time" in told
    assert "Sort" not in told


async def test_surroundings_are_fetched_by_key(filled: str) -> None:
    binds = {"ids": [uuid4() for _ in range(60)], "query": np.ones(384, dtype=np.float32), "terms": ["text"]}
    told = await plan(filled, surroundings.statement(""), BIG, **binds)
    assert "Seq Scan on notes" not in told
    assert "ix_notes_live_by_session" in told
    assert "pk_embeddings" in told
