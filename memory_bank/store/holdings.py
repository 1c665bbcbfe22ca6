"""How much a bank holds, over all its tables."""

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from memory_bank.domain.notes import Kind
from memory_bank.store.database import Tx

_KINDS = sa.text(
    """
    SELECT n.kind, count(*) AS notes
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
    GROUP BY n.kind
    """
)

_COUNTS = sa.text(
    """
    SELECT
        (SELECT count(*) FROM entities e WHERE e.bank_id = :bank AND e.deleted_at IS NULL) AS entities,
        (SELECT count(*) FROM relations r WHERE r.bank_id = :bank AND r.deleted_at IS NULL) AS relations,
        (SELECT count(DISTINCT n.session) FROM notes n WHERE n.bank_id = :bank AND n.deleted_at IS NULL) AS sessions,
        believed.active, believed.superseded, believed.archived,
        turns.hot, turns.archived AS exchanges_archived,
        work.open, work.ended
    FROM (
        SELECT
            count(*) FILTER (WHERE f.status = 'active') AS active,
            count(*) FILTER (WHERE f.status = 'superseded') AS superseded,
            count(*) FILTER (WHERE f.status = 'archived') AS archived
        FROM facts f
        JOIN notes n ON n.bank_id = f.bank_id AND n.id = f.note_id AND n.deleted_at IS NULL
        WHERE f.bank_id = :bank
    ) AS believed
    CROSS JOIN (
        SELECT
            count(*) FILTER (WHERE x.archived_at IS NULL) AS hot,
            count(*) FILTER (WHERE x.archived_at IS NOT NULL) AS archived
        FROM exchanges x
        JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id AND n.deleted_at IS NULL
        WHERE x.bank_id = :bank
    ) AS turns
    CROSS JOIN (
        SELECT
            count(*) FILTER (WHERE t.status IN ('running', 'paused')) AS open,
            count(*) FILTER (WHERE t.status IN ('completed', 'aborted')) AS ended
        FROM tasks t
        WHERE t.bank_id = :bank
    ) AS work
    """
)


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """What a bank holds: `kinds` counts the notes of each kind that a search can find."""

    kinds: Mapping[Kind, int]
    entities: int
    relations: int
    sessions: int
    facts_active: int
    facts_superseded: int
    facts_archived: int
    exchanges_hot: int
    exchanges_archived: int
    tasks_open: int
    tasks_ended: int


async def of_bank(tx: Tx) -> Holdings:
    """Return how much the bank holds."""
    kinds = {Kind(row["kind"]): row["notes"] for row in await tx.all(_KINDS)}
    row = await tx.one_or_none(_COUNTS)
    assert row is not None
    return Holdings(
        kinds=kinds,
        entities=row["entities"],
        relations=row["relations"],
        sessions=row["sessions"],
        facts_active=row["active"],
        facts_superseded=row["superseded"],
        facts_archived=row["archived"],
        exchanges_hot=row["hot"],
        exchanges_archived=row["exchanges_archived"],
        tasks_open=row["open"],
        tasks_ended=row["ended"],
    )
