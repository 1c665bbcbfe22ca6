"""Rows of `relations`: typed edges between living entities."""

import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain.beliefs import Entity
from memory_bank.domain.relations import Relation
from memory_bank.store.database import Row, Tx

_STATE = sa.text(
    """
    -- every statement counts, whoever makes it at the same moment; one after a removal is the first again
    INSERT INTO relations (bank_id, from_id, type, to_id, evidence, created_at, last_validated)
    VALUES (:bank, :from_id, :type, :to_id, :evidence, :created_at, :now)
    ON CONFLICT (bank_id, from_id, type, to_id) DO UPDATE
    SET evidence = excluded.evidence + CASE WHEN relations.deleted_at IS NULL THEN relations.evidence ELSE 0 END,
        created_at = CASE
            WHEN relations.deleted_at IS NULL THEN least(relations.created_at, excluded.created_at)
            ELSE excluded.created_at
        END,
        last_validated = greatest(relations.last_validated, excluded.last_validated),
        deleted_at = NULL
    RETURNING evidence, created_at, last_validated
    """
)

_COLUMNS = """r.from_id, f.name AS from_name, r.type, r.to_id, t.name AS to_name, r.evidence, r.created_at,
        r.last_validated"""

_ENDS = """JOIN entities f ON f.bank_id = r.bank_id AND f.id = r.from_id AND f.deleted_at IS NULL
    JOIN entities t ON t.bank_id = r.bank_id AND t.id = r.to_id AND t.deleted_at IS NULL"""

AROUND = sa.text(
    f"""
    -- the edges at either end of these entities, strongest first
    SELECT {_COLUMNS}
    FROM relations r
    {_ENDS}
    WHERE r.bank_id = :bank
        AND r.deleted_at IS NULL
        AND (r.from_id = ANY(CAST(:ids AS uuid[])) OR r.to_id = ANY(CAST(:ids AS uuid[])))
        AND (CAST(:types AS text[]) IS NULL OR r.type = ANY(CAST(:types AS text[])))
    ORDER BY r.evidence DESC, r.last_validated DESC, r.from_id, r.type, r.to_id
    LIMIT :count
    """
)

_ALL = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM relations r
    {_ENDS}
    WHERE r.bank_id = :bank
        AND r.deleted_at IS NULL
        AND (CAST(:types AS text[]) IS NULL OR r.type = ANY(CAST(:types AS text[])))
    ORDER BY r.evidence DESC, r.last_validated DESC, r.from_id, r.type, r.to_id
    LIMIT :count
    """
)

_AMONG = sa.text(
    f"""
    -- the edges with both ends among these entities
    SELECT {_COLUMNS}
    FROM relations r
    {_ENDS}
    WHERE r.bank_id = :bank
        AND r.deleted_at IS NULL
        AND r.from_id = ANY(CAST(:ids AS uuid[]))
        AND r.to_id = ANY(CAST(:ids AS uuid[]))
    """
)

_KEEP = sa.text(
    """
    -- of what two sides count of one edge, the larger count holds; a removed edge is there again
    INSERT INTO relations (bank_id, from_id, type, to_id, evidence, created_at, last_validated)
    SELECT :bank, e.from_id, e.type, e.to_id, e.evidence, e.created_at, e.last_validated
    FROM jsonb_to_recordset(CAST(:edges AS jsonb)) AS e (
        from_id uuid, type text, to_id uuid, evidence bigint, created_at timestamptz, last_validated timestamptz
    )
    ORDER BY e.from_id, e.type, e.to_id
    ON CONFLICT (bank_id, from_id, type, to_id) DO UPDATE
    SET evidence = CASE
            WHEN relations.deleted_at IS NULL THEN greatest(relations.evidence, excluded.evidence)
            ELSE excluded.evidence
        END,
        created_at = CASE
            WHEN relations.deleted_at IS NULL THEN least(relations.created_at, excluded.created_at)
            ELSE excluded.created_at
        END,
        last_validated = CASE
            WHEN relations.deleted_at IS NULL THEN greatest(relations.last_validated, excluded.last_validated)
            ELSE excluded.last_validated
        END,
        deleted_at = NULL
    """
)

_DELETE = sa.text(
    """
    UPDATE relations
    SET deleted_at = :now
    WHERE bank_id = :bank
        AND from_id = :from_id
        AND type = :type
        AND to_id = :to_id
        AND deleted_at IS NULL
    """
)

_DELETE_AROUND = sa.text(
    """
    UPDATE relations
    SET deleted_at = :now
    WHERE bank_id = :bank
        AND :id IN (from_id, to_id)
        AND deleted_at IS NULL
    """
)


async def state(
    tx: Tx, source: Entity, type: str, target: Entity, *, evidence: int, created_at: datetime, now: datetime
) -> Relation:
    """Count `evidence` statements of an edge between two entities that `tx` has locked; return the edge as it is."""
    row = await tx.one_or_none(
        _STATE, from_id=source.id, type=type, to_id=target.id, evidence=evidence, created_at=created_at, now=now
    )
    assert row is not None
    return Relation(
        from_id=source.id,
        from_name=source.name,
        type=type,
        to_id=target.id,
        to_name=target.name,
        evidence=row["evidence"],
        created_at=row["created_at"],
        last_validated=row["last_validated"],
    )


async def around(tx: Tx, ids: Sequence[UUID], *, types: Sequence[str] = (), limit: int) -> list[Relation]:
    """Return up to `limit` edges at either end of these entities, strongest first."""
    rows = await tx.all(AROUND, ids=list(ids), types=list(types) or None, count=limit) if ids else []
    return [_relation(row) for row in rows]


async def every(tx: Tx, *, types: Sequence[str] = (), limit: int | None = None) -> list[Relation]:
    """Return the bank's edges, strongest first; all of them without `limit`."""
    return [_relation(row) for row in await tx.all(_ALL, types=list(types) or None, count=limit)]


async def among(tx: Tx, ids: Sequence[UUID]) -> list[Relation]:
    """Return every edge with both ends among these entities."""
    return [_relation(row) for row in await tx.all(_AMONG, ids=list(ids))] if ids else []


async def keep(tx: Tx, edges: Sequence[Relation]) -> None:
    """Store edges, each once, between entities that `tx` has locked or made; one that is there is joined with it."""
    rows = [
        {
            "from_id": str(each.from_id),
            "type": each.type,
            "to_id": str(each.to_id),
            "evidence": each.evidence,
            "created_at": each.created_at.isoformat(),
            "last_validated": each.last_validated.isoformat(),
        }
        for each in edges
    ]
    if rows:
        await tx.count(_KEEP, edges=json.dumps(rows))


async def delete(tx: Tx, from_id: UUID, type: str, to_id: UUID, *, now: datetime) -> bool:
    """Hide an edge; return False when there is none."""
    return await tx.count(_DELETE, from_id=from_id, type=type, to_id=to_id, now=now) == 1


async def delete_around(tx: Tx, id: UUID, *, now: datetime) -> int:
    """Hide every edge of an entity; return how many there were."""
    return await tx.count(_DELETE_AROUND, id=id, now=now)


def _relation(row: Row) -> Relation:
    return Relation(
        from_id=row["from_id"],
        from_name=row["from_name"],
        type=row["type"],
        to_id=row["to_id"],
        to_name=row["to_name"],
        evidence=row["evidence"],
        created_at=row["created_at"],
        last_validated=row["last_validated"],
    )
