"""Rows of `banks`."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from memory_bank.store.database import StoreTx, Tx

MADE = """
        -- make the bank when its first note arrives
        INSERT INTO banks (id, created_at)
        VALUES (:bank, :now)
        ON CONFLICT DO NOTHING
        RETURNING id
    """
"""Statement that makes the transaction's bank unless it exists, also as a part of another."""

_ENSURE = sa.text(MADE)

_COUNTS = sa.text(
    """
    -- how many live notes does each bank hold, and how far is their enrichment?
    SELECT
        b.id,
        count(n.id) AS notes,
        count(n.id) FILTER (WHERE n.enrichment = 'pending') AS pending,
        count(n.id) FILTER (WHERE n.enrichment = 'failed') AS failed,
        count(n.id) FILTER (WHERE n.embedded_by IS NULL) AS unembedded
    FROM banks b
    LEFT JOIN notes n
        ON n.bank_id = b.id
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
    GROUP BY b.id
    ORDER BY b.id
    """
)

_EXISTS = sa.text(
    """
    SELECT b.id
    FROM banks b
    WHERE b.id = :bank
    """
)


_ANY = sa.text("SELECT EXISTS (SELECT FROM banks) AS found")


@dataclass(frozen=True, kw_only=True)
class BankCounts:
    """How many live notes a bank holds, and how many of them still wait for enrichment or a vector."""

    bank: str
    notes: int
    pending: int
    failed: int
    unembedded: int


async def ensure(tx: Tx, *, now: datetime) -> None:
    """Make the transaction's bank unless it exists."""
    await tx.count(_ENSURE, now=now)


async def exists(tx: Tx) -> bool:
    """Tell whether anything was ever stored in the transaction's bank."""
    return await tx.one_or_none(_EXISTS) is not None


async def any_made(tx: StoreTx) -> bool:
    """Tell whether anything was ever stored in any bank."""
    row = await tx.one_or_none(_ANY)
    return row is not None and bool(row["found"])


async def counts(tx: StoreTx) -> list[BankCounts]:
    """Return the counts of every bank, by name."""
    return [
        BankCounts(
            bank=row["id"],
            notes=row["notes"],
            pending=row["pending"],
            failed=row["failed"],
            unembedded=row["unembedded"],
        )
        for row in await tx.all(_COUNTS)
    ]
