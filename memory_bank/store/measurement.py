"""What measuring needs of the database beyond the product's own statements."""

from collections.abc import Sequence
from uuid import UUID

import sqlalchemy as sa
from numpy import float32
from numpy.typing import NDArray

from memory_bank.store import embeddings, tables
from memory_bank.store.database import StoreTx, Tx

_BANKED = [table.name for table in tables.metadata.sorted_tables if "bank_id" in table.c]

_SETTLE = sa.text(
    """
    UPDATE notes
    SET enrichment = 'done'
    WHERE bank_id = :bank
        AND id = ANY(CAST(:ids AS uuid[]))
    """
)

_UNEMBEDDED = sa.text(
    """
    SELECT count(*) AS total
    FROM notes
    WHERE bank_id = :bank
        AND embedded_by IS NULL
    """
)

# names of our own tables, never a caller's words
_REMOVE = [sa.text(f"DELETE FROM {name} WHERE bank_id = :bank") for name in reversed(_BANKED)]
_REMOVE_BANK = sa.text("DELETE FROM banks WHERE id = :bank")
_ANALYSE = sa.text(f"ANALYZE {', '.join(_BANKED)}")

_BASELINE_PLAN = sa.text(
    """
    SELECT
        set_config('hnsw.iterative_scan', 'strict_order', true),
        set_config('hnsw.ef_search', '40', true)
    """
)

_BASELINE = sa.text(
    """
    -- what anybody would write by hand: the nearest vectors of a bank, whatever note they belong to
    SELECT e.note_id
    FROM embeddings e
    WHERE e.bank_id = :bank
    ORDER BY e.embedding <=> CAST(:query AS vector)
    LIMIT :count
    """
)


async def nearest(tx: Tx, query: NDArray[float32], *, count: int) -> list[UUID]:
    """Run the hand-written pgvector query that searches are compared with; return the notes of the nearest vectors."""
    await tx.all(_BASELINE_PLAN)
    return [row["note_id"] for row in await tx.all(_BASELINE, query=embeddings.written(query), count=count)]


async def settle(tx: Tx, ids: Sequence[UUID]) -> None:
    """Mark notes as enriched although nobody looked at them, so that no worker ever takes them up."""
    if ids:
        await tx.count(_SETTLE, ids=list(ids))


async def unembedded(tx: Tx) -> int:
    """Return how many notes of the bank have no vectors."""
    row = await tx.one_or_none(_UNEMBEDDED)
    assert row is not None
    total: int = row["total"]
    return total


async def analyse(tx: StoreTx) -> None:
    """Give the planner fresh statistics, which otherwise come a minute or so after a load."""
    await tx.count(_ANALYSE)


async def remove(tx: Tx) -> None:
    """Remove the transaction's bank with everything in it."""
    for statement in (*_REMOVE, _REMOVE_BANK):
        await tx.count(statement)
