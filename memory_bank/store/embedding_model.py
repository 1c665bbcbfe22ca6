"""The one row of `embedding_model`: which model made the stored vectors, and the change to another one."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa

from memory_bank.store import embeddings
from memory_bank.store.database import Row, StoreTx

_READ = sa.text("SELECT name, dimensions, complete FROM embedding_model")

_CLAIM = sa.text(
    """
    -- the first start with an empty store decides the model
    INSERT INTO embedding_model (name, dimensions)
    VALUES (:name, :dimensions)
    ON CONFLICT DO NOTHING
    """
)

_HOLDS_VECTORS = sa.text("SELECT EXISTS (SELECT FROM embeddings) AS held")

_COLUMN = sa.text(
    """
    -- how long are the vectors that the table takes?
    SELECT a.atttypmod AS dimensions
    FROM pg_attribute a
    WHERE a.attrelid = CAST('embeddings' AS regclass)
        AND a.attname = 'embedding'
    """
)

_LOCK = sa.text("SELECT name, dimensions, complete FROM embedding_model FOR UPDATE")

_KEEP = sa.text(
    """
    -- is this still the store's model? It stays so until the transaction ends
    SELECT m.name
    FROM embedding_model m
    WHERE m.name = :name
        AND m.dimensions = :dimensions
    FOR SHARE
    """
)

_BEGIN_CHANGE = sa.text("UPDATE embedding_model SET name = :name, dimensions = :dimensions, complete = false")

_FORGET_MODELS = sa.text("UPDATE notes SET embedded_by = NULL WHERE embedded_by IS NOT NULL")

_FINISH_CHANGE = sa.text("UPDATE embedding_model SET complete = true")

_NOT_EMBEDDED_BY = sa.text(
    """
    -- whose vectors are missing or come from another model?
    SELECT n.bank_id, n.id, n.content, n.content_hash
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.reach <> 'none'
        AND n.embedded_by IS DISTINCT FROM :name
        AND n.id <> ALL(CAST(:besides AS uuid[]))
    ORDER BY n.bank_id, n.id
    LIMIT :count
    """
)

_COUNT_NOT_EMBEDDED_BY = sa.text(
    """
    SELECT count(*) AS total
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.reach <> 'none'
        AND n.embedded_by IS DISTINCT FROM :name
        AND n.id <> ALL(CAST(:besides AS uuid[]))
    """
)


@dataclass(frozen=True, kw_only=True)
class StoredModel:
    """The model of the stored vectors; `complete` is false while a re-embedding is under way."""

    name: str
    dimensions: int
    complete: bool


@dataclass(frozen=True, kw_only=True)
class Unembedded:
    """A note whose vectors are missing or come from another model."""

    bank: str
    id: UUID
    content: str
    content_hash: bytes


async def claim(tx: StoreTx, *, name: str, dimensions: int) -> StoredModel:
    """Return the stored model, after making it `name` where the store has none yet."""
    if await tx.count(_CLAIM, name=name, dimensions=dimensions):
        await _fit(tx, dimensions)
    return await current(tx)


async def current(tx: StoreTx) -> StoredModel:
    """Return the stored model, which a start has claimed before."""
    return _stored(await tx.one_or_none(_READ))


async def known(tx: StoreTx) -> StoredModel | None:
    """Return the stored model; None before a first start has claimed one."""
    row = await tx.one_or_none(_READ)
    return None if row is None else _stored(row)


async def holds_vectors(tx: StoreTx) -> bool:
    """Tell whether any note has vectors."""
    row = await tx.one_or_none(_HOLDS_VECTORS)
    return row is not None and bool(row["held"])


async def begin_change(tx: StoreTx, *, name: str, dimensions: int) -> None:
    """Make `name` the store's model and mark its vectors as incomplete; another dimension empties them first.

    Where it is the store's model already, nothing changes.
    """
    await claim(tx, name=name, dimensions=dimensions)
    stored = await locked(tx)
    if (stored.name, stored.dimensions) != (name, dimensions):
        await _fit(tx, dimensions)
        await tx.count(_BEGIN_CHANGE, name=name, dimensions=dimensions)


async def keep(tx: StoreTx, *, name: str, dimensions: int) -> bool:
    """Hold the store's model until `tx` ends; return False when it is not this one."""
    return await tx.one_or_none(_KEEP, name=name, dimensions=dimensions) is not None


async def finish_change(tx: StoreTx) -> None:
    """Mark the vectors as complete again."""
    await tx.count(_FINISH_CHANGE)


async def locked(tx: StoreTx) -> StoredModel:
    """Return the store's model and let nobody change or hold it until `tx` ends."""
    return _stored(await tx.one_or_none(_LOCK))


async def not_embedded_by(tx: StoreTx, name: str, *, count: int, besides: Collection[UUID] = ()) -> list[Unembedded]:
    """Return up to `count` live notes, `besides` left out, without vectors of model `name`."""
    return [
        Unembedded(bank=row["bank_id"], id=row["id"], content=row["content"], content_hash=row["content_hash"])
        for row in await tx.all(_NOT_EMBEDDED_BY, name=name, count=count, besides=list(besides))
    ]


async def count_not_embedded_by(tx: StoreTx, name: str, *, besides: Collection[UUID] = ()) -> int:
    """Return how many live notes, `besides` left out, have no vectors of model `name`."""
    row = await tx.one_or_none(_COUNT_NOT_EMBEDDED_BY, name=name, besides=list(besides))
    assert row is not None
    total: int = row["total"]
    return total


def _stored(row: Row | None) -> StoredModel:
    assert row is not None
    return StoredModel(name=row["name"], dimensions=row["dimensions"], complete=row["complete"])


async def _fit(tx: StoreTx, dimensions: int) -> None:
    """Make the table take vectors of this length; those of another one go, and their index is built anew."""
    row = await tx.one_or_none(_COLUMN)
    if row is not None and row["dimensions"] == dimensions:
        return
    # notes before vectors, in the order of every other transaction, so that none waits for this one and this for it
    await tx.count(_FORGET_MODELS)
    await tx.count(sa.text("TRUNCATE embeddings"))
    for statement in embeddings.fitting(dimensions):
        await tx.count(sa.text(statement))
