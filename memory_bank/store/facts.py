"""Rows of `facts` and `fact_sources`: what is believed of an entity, who said so, and what took a fact's place."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain.beliefs import Cause, Fact, Status
from memory_bank.store.database import Row, Tx

_COLUMNS = """f.note_id, f.entity_id, f.content, f.confirmations, f.first_seen, f.last_confirmed, f.status,
        f.superseded_by, f.superseded_by_content, f.superseded_at, f.reason, f.cause,
        ARRAY(
            SELECT s.source
            FROM fact_sources s
            WHERE s.bank_id = f.bank_id
                AND s.note_id = f.note_id
            ORDER BY s.first_seen, s.source
        ) AS named_sources"""

# a fact lives as long as its note
_LIVE = "JOIN notes n ON n.bank_id = f.bank_id AND n.id = f.note_id AND n.deleted_at IS NULL"

OF_ENTITIES = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM facts f
    {_LIVE}
    WHERE f.bank_id = :bank
        AND f.entity_id = ANY(CAST(:entities AS uuid[]))
    ORDER BY f.first_seen, f.note_id
    """
)

_BY_IDS = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM facts f
    {_LIVE}
    WHERE f.bank_id = :bank
        AND f.note_id = ANY(CAST(:ids AS uuid[]))
    """
)

_WITH_STATUS = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM facts f
    {_LIVE}
    WHERE f.bank_id = :bank
        AND f.status = :status
    ORDER BY f.last_confirmed, f.note_id
    """
)

EARLIER = sa.text(
    f"""
    -- everything that gave way to these facts, however long the chain
    WITH RECURSIVE earlier AS (
        SELECT f.note_id
        FROM facts f
        WHERE f.bank_id = :bank
            AND f.superseded_by = ANY(CAST(:ids AS uuid[]))
        UNION
        SELECT f.note_id
        FROM facts f
        JOIN earlier later ON f.superseded_by = later.note_id
        WHERE f.bank_id = :bank
    )
    SELECT {_COLUMNS}
    FROM earlier
    JOIN facts f ON f.bank_id = :bank AND f.note_id = earlier.note_id
    {_LIVE}
    ORDER BY f.superseded_at, f.note_id
    """
)

_ADD = sa.text(
    """
    INSERT INTO facts (
        bank_id, note_id, entity_id, content, confirmations, first_seen, last_confirmed, status, superseded_by,
        superseded_by_content, superseded_at, reason, cause
    )
    SELECT
        :bank, f.note_id, f.entity_id, f.content, f.confirmations, f.first_seen, f.last_confirmed, f.status,
        f.superseded_by, f.superseded_by_content, f.superseded_at, f.reason, f.cause
    FROM jsonb_to_recordset(CAST(:facts AS jsonb)) AS f (
        note_id uuid, entity_id uuid, content text, confirmations integer, first_seen timestamptz,
        last_confirmed timestamptz, status text, superseded_by uuid, superseded_by_content text,
        superseded_at timestamptz, reason text, cause text
    )
    """
)

_ADD_SOURCES = sa.text(
    """
    -- whoever said it before adds nothing
    INSERT INTO fact_sources (bank_id, note_id, source, first_seen)
    SELECT :bank, s.note_id, s.source, :now
    FROM unnest(CAST(:ids AS uuid[]), CAST(:sources AS text[])) AS s (note_id, source)
    ON CONFLICT DO NOTHING
    """
)

_EVERY = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM facts f
    {_LIVE}
    WHERE f.bank_id = :bank
    ORDER BY f.first_seen, f.note_id
    """
)

_SOURCES = sa.text(
    """
    -- who stated these facts, or any where none are named, and when first?
    SELECT s.note_id, s.source, s.first_seen
    FROM fact_sources s
    WHERE s.bank_id = :bank
        AND (CAST(:ids AS uuid[]) IS NULL OR s.note_id = ANY(CAST(:ids AS uuid[])))
    ORDER BY s.first_seen, s.source
    """
)

_HEAR = sa.text(
    """
    -- each source from the moment on that it was heard first
    INSERT INTO fact_sources (bank_id, note_id, source, first_seen)
    SELECT :bank, s.note_id, s.source, s.first_seen
    FROM unnest(CAST(:ids AS uuid[]), CAST(:sources AS text[]), CAST(:moments AS timestamptz[]))
        AS s (note_id, source, first_seen)
    ON CONFLICT (bank_id, note_id, source) DO UPDATE
    SET first_seen = least(fact_sources.first_seen, excluded.first_seen)
    """
)

_REWRITE = sa.text(
    """
    UPDATE facts f
    SET confirmations = r.confirmations,
        first_seen = r.first_seen,
        last_confirmed = r.last_confirmed
    FROM jsonb_to_recordset(CAST(:facts AS jsonb)) AS r (
        note_id uuid, confirmations integer, first_seen timestamptz, last_confirmed timestamptz
    )
    WHERE f.bank_id = :bank
        AND f.note_id = r.note_id
    """
)

_CONFIRM = sa.text(
    """
    UPDATE facts
    SET confirmations = confirmations + :confirmations,
        last_confirmed = greatest(last_confirmed, :now)
    WHERE bank_id = :bank
        AND note_id = ANY(CAST(:ids AS uuid[]))
    """
)

_RETIRE = sa.text(
    """
    UPDATE facts
    SET status = :status,
        superseded_by = CAST(:by AS uuid),
        superseded_at = :now,
        reason = :reason,
        cause = :cause
    WHERE bank_id = :bank
        AND note_id = ANY(CAST(:ids AS uuid[]))
    """
)

_ARCHIVE = sa.text(
    """
    UPDATE facts
    SET status = 'archived'
    WHERE bank_id = :bank
        AND note_id = ANY(CAST(:ids AS uuid[]))
        AND status = 'superseded'
    """
)

_REACTIVATE = sa.text(
    """
    UPDATE facts
    SET status = 'active',
        superseded_by = NULL,
        superseded_by_content = NULL,
        superseded_at = NULL,
        reason = '',
        cause = NULL
    WHERE bank_id = :bank
        AND note_id = :id
    """
)

_JOIN = sa.text(
    """
    -- what took the place of these forgotten facts, and of forgotten ones after them?
    WITH RECURSIVE later AS (
        SELECT f.note_id AS gone, f.superseded_by AS heir
        FROM facts f
        WHERE f.bank_id = :bank
            AND f.note_id = ANY(CAST(:ids AS uuid[]))
        UNION
        SELECT later.gone, f.superseded_by
        FROM later
        JOIN facts f ON f.bank_id = :bank AND f.note_id = later.heir
        JOIN notes n ON n.bank_id = :bank AND n.id = f.note_id AND n.deleted_at IS NOT NULL
    )
    UPDATE facts f
    SET superseded_by = later.heir,
        reason = :reason
    FROM later
    JOIN notes n ON n.bank_id = :bank AND n.id = later.heir AND n.deleted_at IS NULL
    WHERE f.bank_id = :bank
        AND f.superseded_by = later.gone
        AND f.note_id <> ALL (CAST(:ids AS uuid[]))
    """
)

_RETAG = sa.text(
    """
    -- the tags of an entity are those of its facts' notes, beside what their analysis found
    WITH of_entity AS (
        SELECT own.id, t.tags
        FROM facts f
        JOIN jsonb_to_recordset(CAST(:tagged AS jsonb)) AS t (entity_id uuid, tags text[]) ON t.entity_id = f.entity_id
        JOIN notes own ON own.bank_id = f.bank_id AND own.id = f.note_id AND own.deleted_at IS NULL
        WHERE f.bank_id = :bank
        ORDER BY own.id
        FOR NO KEY UPDATE OF own
    )
    UPDATE notes n
    SET tags = of_entity.tags || ARRAY(
            SELECT tag
            FROM unnest(n.tags) AS tag
            WHERE tag <> ALL (n.given_tags)
                AND tag <> ALL (of_entity.tags)
        ),
        given_tags = of_entity.tags
    FROM of_entity
    WHERE n.bank_id = :bank
        AND n.id = of_entity.id
    """
)


async def of_entities(tx: Tx, entities: Sequence[UUID]) -> list[Fact]:
    """Return every live fact of these entities, superseded and archived ones too, oldest first."""
    return [_fact(row) for row in await tx.all(OF_ENTITIES, entities=list(entities))]


async def by_ids(tx: Tx, ids: Sequence[UUID]) -> dict[UUID, Fact]:
    """Return the live facts among these notes."""
    rows = await tx.all(_BY_IDS, ids=list(ids)) if ids else []
    return {row["note_id"]: _fact(row) for row in rows}


async def with_status(tx: Tx, status: Status) -> list[Fact]:
    """Return the bank's live facts of a status, longest unconfirmed first."""
    return [_fact(row) for row in await tx.all(_WITH_STATUS, status=status.value)]


async def earlier(tx: Tx, ids: Sequence[UUID]) -> list[Fact]:
    """Return every live fact that these took the place of, directly or not, in the order in which they gave way."""
    rows = await tx.all(EARLIER, ids=list(ids)) if ids else []
    return [_fact(row) for row in rows]


async def add(tx: Tx, facts: Sequence[Fact]) -> None:
    """Store facts whose notes `tx` has stored; of their `sources`, those that `named_sources` do not account for."""
    rows = [
        {
            "note_id": str(each.id),
            "entity_id": str(each.entity_id),
            "content": each.content,
            "confirmations": each.sources - len(each.named_sources),
            "first_seen": each.first_seen.isoformat(),
            "last_confirmed": each.last_confirmed.isoformat(),
            "status": each.status.value,
            "superseded_by": None if each.superseded_by is None else str(each.superseded_by),
            "superseded_by_content": each.superseded_by_content,
            "superseded_at": None if each.superseded_at is None else each.superseded_at.isoformat(),
            "reason": each.reason,
            "cause": None if each.cause is None else each.cause.value,
        }
        for each in facts
    ]
    if not rows:
        return
    await tx.count(_ADD, facts=json.dumps(rows))
    named = [(each.id, source, each.first_seen) for each in facts for source in each.named_sources]
    for moment in {first_seen for _, _, first_seen in named}:
        told = [(id, source) for id, source, first_seen in named if first_seen == moment]
        await _add_sources(tx, told, now=moment)


async def confirm(tx: Tx, ids: Sequence[UUID], *, source: str, now: datetime) -> None:
    """Count that facts, whose entity `tx` has locked, were stated again, by `source` if it is not blank."""
    if not ids:
        return
    await tx.count(_CONFIRM, ids=list(ids), confirmations=0 if source else 1, now=now)
    if source:
        await _add_sources(tx, [(id, source) for id in ids], now=now)


async def supersede(tx: Tx, ids: Sequence[UUID], *, by: UUID | None, reason: str, cause: Cause, now: datetime) -> None:
    """Let facts give way to `by`, or to nothing."""
    await tx.count(
        _RETIRE,
        ids=list(ids),
        status=(Status.ARCHIVED if cause is Cause.STALE else Status.SUPERSEDED).value,
        by=by,
        reason=reason,
        cause=cause.value,
        now=now,
    )


async def archive(tx: Tx, ids: Sequence[UUID]) -> None:
    """Put superseded facts away; their chains stay whole."""
    if ids:
        await tx.count(_ARCHIVE, ids=list(ids))


async def reactivate(tx: Tx, id: UUID) -> None:
    """Let a fact hold again."""
    await tx.count(_REACTIVATE, id=id)


async def join(tx: Tx, ids: Sequence[UUID], *, reason: str) -> None:
    """Let what gave way to facts whose notes are gone give way to their own successors, where there are any."""
    if ids:
        await tx.count(_JOIN, ids=list(ids), reason=reason)


async def retag(tx: Tx, tags: Mapping[UUID, Sequence[str]]) -> None:
    """Give the notes of the facts of these entities their tags in place of those they were given before."""
    rows = [{"entity_id": str(entity), "tags": list(given)} for entity, given in tags.items()]
    if rows:
        await tx.count(_RETAG, tagged=json.dumps(rows))


async def every(tx: Tx) -> list[Fact]:
    """Return the bank's live facts, superseded and archived ones too, oldest first."""
    return [_fact(row) for row in await tx.all(_EVERY)]


async def sources(tx: Tx, ids: Sequence[UUID] | None = None) -> dict[UUID, dict[str, datetime]]:
    """Return who stated each of these facts, or of all facts, and when first, in that order."""
    found: dict[UUID, dict[str, datetime]] = {}
    for row in await tx.all(_SOURCES, ids=None if ids is None else list(ids)):
        found.setdefault(row["note_id"], {})[row["source"]] = row["first_seen"]
    return found


async def hear(tx: Tx, told: Sequence[tuple[UUID, str, datetime]]) -> None:
    """Note down who stated facts, whose entities `tx` has locked, and when; each source of a fact once."""
    if told:
        ids, named, moments = zip(*told, strict=True)
        await tx.count(_HEAR, ids=list(ids), sources=list(named), moments=list(moments))


async def rewrite(tx: Tx, facts: Sequence[Fact]) -> None:
    """Replace how often facts, whose entities `tx` has locked, were stated, and when first and last.

    Of their `sources`, those count that `named_sources` do not account for.
    """
    rows = [
        {
            "note_id": str(each.id),
            "confirmations": each.sources - len(each.named_sources),
            "first_seen": each.first_seen.isoformat(),
            "last_confirmed": each.last_confirmed.isoformat(),
        }
        for each in facts
    ]
    if rows:
        await tx.count(_REWRITE, facts=json.dumps(rows))


async def _add_sources(tx: Tx, told: Sequence[tuple[UUID, str]], *, now: datetime) -> None:
    await tx.count(_ADD_SOURCES, ids=[id for id, _ in told], sources=[source for _, source in told], now=now)


def _fact(row: Row) -> Fact:
    return Fact(
        id=row["note_id"],
        entity_id=row["entity_id"],
        content=row["content"],
        sources=row["confirmations"] + len(row["named_sources"]),
        first_seen=row["first_seen"],
        last_confirmed=row["last_confirmed"],
        status=Status(row["status"]),
        superseded_by=row["superseded_by"],
        superseded_by_content=row["superseded_by_content"],
        superseded_at=row["superseded_at"],
        reason=row["reason"],
        cause=None if row["cause"] is None else Cause(row["cause"]),
        named_sources=tuple(row["named_sources"]),
    )
