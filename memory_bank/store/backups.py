"""Rows of `backups`: which archives of this store were written."""

from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain.backups import Backup
from memory_bank.store.database import Row, StoreTx

REMEMBERED = 1_000
"""Backups that are remembered, the newest ones."""

_ADD = sa.text(
    """
    INSERT INTO backups (id, file, created_at, automatic, size, banks, notes, schema_revision)
    VALUES (:id, :file, :created_at, :automatic, :size, :banks, :notes, :schema_revision)
    """
)

_FORGET_OLD = sa.text(
    """
    -- keep the newest ones in mind
    DELETE FROM backups
    WHERE id NOT IN (
        SELECT b.id
        FROM backups b
        ORDER BY b.number DESC
        LIMIT :count
    )
    """
)

_ALL = sa.text(
    """
    -- every backup that is remembered, the newest first
    SELECT b.*
    FROM backups b
    ORDER BY b.number DESC
    """
)

_FORGET = sa.text("DELETE FROM backups WHERE id = :id")


async def add(tx: StoreTx, backup: Backup) -> None:
    """Remember a backup, and forget the oldest beyond `REMEMBERED`."""
    await tx.count(
        _ADD,
        id=backup.id,
        file=backup.file,
        created_at=backup.created_at,
        automatic=backup.automatic,
        size=backup.size,
        banks=backup.banks,
        notes=backup.notes,
        schema_revision=backup.schema_revision,
    )
    await tx.count(_FORGET_OLD, count=REMEMBERED)


async def every(tx: StoreTx) -> list[Backup]:
    """Return what is remembered, the newest first."""
    return [_backup(row) for row in await tx.all(_ALL)]


async def forget(tx: StoreTx, id: UUID) -> None:
    """Forget a backup whose file is gone."""
    await tx.count(_FORGET, id=id)


def _backup(row: Row) -> Backup:
    return Backup(
        id=row["id"],
        file=row["file"],
        created_at=row["created_at"],
        automatic=row["automatic"],
        size=row["size"],
        banks=row["banks"],
        notes=row["notes"],
        schema_revision=row["schema_revision"],
    )
