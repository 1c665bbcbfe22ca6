"""Rows of `entities` and `entity_names`: named things, and who owns which name."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from uuid_utils import compat

from memory_bank.domain import beliefs
from memory_bank.domain.beliefs import Entity, EntityType
from memory_bank.store.database import Row, Tx

_COLUMNS = """e.id, e.name, e.types, e.tags, e.created_at, e.last_seen, e.access_count,
        ARRAY(
            SELECT a.name
            FROM entity_names a
            WHERE a.bank_id = e.bank_id
                AND a.entity_id = e.id
                AND a.name <> e.name
            ORDER BY a.key
        ) AS aliases"""

_NAMING = sa.text(
    """
    -- one writer at a time gives names in a bank, so that nobody waits for a name while holding another
    SELECT pg_advisory_xact_lock(hashtextextended('entity names of ' || :bank, 0))
    """
)

OWNERS = sa.text(
    """
    -- which entities do these names belong to?
    SELECT a.key, a.entity_id
    FROM entity_names a
    WHERE a.bank_id = :bank
        AND a.key = ANY(CAST(:keys AS text[]))
    """
)

_ADD = sa.text(
    """
    INSERT INTO entities (bank_id, id, name, types, tags, created_at, last_seen, access_count)
    VALUES (:bank, :id, :name, CAST(:types AS text[]), CAST(:tags AS jsonb), :created_at, :last_seen, :access_count)
    """
)

_NAME = sa.text(
    """
    -- names that are somebody's stay theirs
    INSERT INTO entity_names (bank_id, key, entity_id, name)
    SELECT :bank, n.key, :id, n.name
    FROM unnest(CAST(:keys AS text[]), CAST(:names AS text[])) AS n (key, name)
    ORDER BY n.key
    ON CONFLICT DO NOTHING
    """
)

_LOCK = sa.text(
    f"""
    -- in one order, so that two callers never wait for each other
    SELECT {_COLUMNS}
    FROM entities e
    WHERE e.bank_id = :bank
        AND e.id = ANY(CAST(:ids AS uuid[]))
        AND e.deleted_at IS NULL
    ORDER BY e.id
    FOR NO KEY UPDATE
    """
)

_BY_IDS = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM entities e
    WHERE e.bank_id = :bank
        AND e.id = ANY(CAST(:ids AS uuid[]))
        AND e.deleted_at IS NULL
    """
)

_ALL = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM entities e
    WHERE e.bank_id = :bank
        AND e.deleted_at IS NULL
    ORDER BY e.created_at, e.id
    """
)

_WRITE = sa.text(
    """
    -- what was said about it: merged by the caller, under the row's lock
    UPDATE entities
    SET name = :name,
        types = CAST(:types AS text[]),
        tags = CAST(:tags AS jsonb),
        last_seen = greatest(last_seen, :now),
        access_count = access_count + 1
    WHERE bank_id = :bank
        AND id = :id
    """
)

_SEEN = sa.text(
    """
    WITH shown AS (
        SELECT e.id
        FROM entities e
        WHERE e.bank_id = :bank
            AND e.id = ANY(CAST(:ids AS uuid[]))
        ORDER BY e.id
        FOR NO KEY UPDATE
    )
    UPDATE entities e
    SET last_seen = greatest(e.last_seen, :now),
        access_count = e.access_count + 1
    FROM shown
    WHERE e.bank_id = :bank
        AND e.id = shown.id
    """
)

_KEEP = sa.text(
    """
    -- under ids of their own; a forgotten thing of the same id is there again
    INSERT INTO entities (bank_id, id, name, types, tags, created_at, last_seen, access_count)
    SELECT :bank, e.id, e.name, e.types, e.tags, e.created_at, e.last_seen, e.access_count
    FROM jsonb_to_recordset(CAST(:entities AS jsonb)) AS e (
        id uuid, name text, types text[], tags jsonb, created_at timestamptz, last_seen timestamptz,
        access_count bigint
    )
    ON CONFLICT (bank_id, id) DO UPDATE
    SET name = excluded.name,
        types = excluded.types,
        tags = excluded.tags,
        created_at = excluded.created_at,
        last_seen = excluded.last_seen,
        access_count = excluded.access_count,
        deleted_at = NULL
    """
)

_NAME_ALL = sa.text(
    """
    INSERT INTO entity_names (bank_id, key, entity_id, name)
    SELECT :bank, n.key, n.id, n.name
    FROM unnest(CAST(:keys AS text[]), CAST(:ids AS uuid[]), CAST(:names AS text[])) AS n (key, id, name)
    ORDER BY n.key
    """
)

_DELETE = sa.text(
    """
    -- its names are free for another one
    WITH unnamed AS (
        DELETE FROM entity_names
        WHERE bank_id = :bank
            AND entity_id = :id
    )
    UPDATE entities
    SET deleted_at = :now
    WHERE bank_id = :bank
        AND id = :id
        AND deleted_at IS NULL
    """
)


@dataclass(frozen=True, kw_only=True)
class New:
    """An entity to be made where nobody has its name yet; `aliases` it takes as far as they are free."""

    name: str
    types: tuple[EntityType, ...]
    tags: Mapping[str, str]
    created_at: datetime
    last_seen: datetime
    aliases: tuple[str, ...] = ()
    access_count: int = 0


async def naming(tx: Tx) -> None:
    """Wait until no other transaction gives names in this bank; take it before any row is locked."""
    await tx.all(_NAMING)


async def owners(tx: Tx, names: Iterable[str]) -> dict[str, UUID]:
    """Return the entity that owns each key of these names.

    A name that was given when invisible characters still told names apart leads to its own entity, spelt as it was.
    """
    # what shows all of its characters goes last, and so before its double
    asked = sorted({(beliefs.spelling(each), beliefs.key(each)) for each in names}, key=lambda pair: pair[0] == pair[1])
    keys = list({each for pair in asked for each in pair})
    held = {row["key"]: row["entity_id"] for row in await tx.all(OWNERS, keys=keys)}
    return {key: held[spelt if spelt in held else key] for spelt, key in asked if spelt in held or key in held}


async def claim(tx: Tx, wanted: Sequence[New]) -> tuple[dict[str, Entity], set[UUID]]:
    """Lock the entities of these names, made where there are none.

    Returns them by the key of each name, and the ids of those that are new.
    """
    names = [each.name for each in wanted]
    known = await owners(tx, names)
    made: set[UUID] = set()
    if any(beliefs.key(name) not in known for name in names):
        await naming(tx)
        known = await owners(tx, names)
        for each in wanted:
            if beliefs.key(each.name) not in known:
                known[beliefs.key(each.name)] = id = await _add(tx, each)
                made.add(id)
    locked = {each.id: each for each in await lock(tx, list(known.values()))}
    return {key: locked[id] for key, id in known.items() if id in locked}, made


async def lock(tx: Tx, ids: Sequence[UUID]) -> list[Entity]:
    """Lock living entities until the transaction ends, in order of their ids."""
    return [_entity(row) for row in await tx.all(_LOCK, ids=list(ids))]


async def by_ids(tx: Tx, ids: Sequence[UUID]) -> dict[UUID, Entity]:
    """Return the living entities among `ids`."""
    rows = await tx.all(_BY_IDS, ids=list(ids)) if ids else []
    return {row["id"]: _entity(row) for row in rows}


async def by_name(tx: Tx, name: str) -> Entity | None:
    """Return the entity of this name or alias."""
    for id in (await owners(tx, [name])).values():
        return (await by_ids(tx, [id])).get(id)
    return None


async def every(tx: Tx) -> list[Entity]:
    """Return every living entity, oldest first."""
    return [_entity(row) for row in await tx.all(_ALL)]


async def name(tx: Tx, id: UUID, names: Sequence[str]) -> None:
    """Give an entity further names, as far as they are free; `naming` must be held."""
    keyed = {beliefs.key(each): each for each in names}
    await tx.count(_NAME, id=id, keys=list(keyed), names=list(keyed.values()))


async def keep(tx: Tx, entities: Sequence[Entity]) -> None:
    """Store entities under their own ids, without aliases; those that live already must be locked, and are replaced."""
    rows = [
        {
            "id": str(each.id),
            "name": each.name,
            "types": [type.value for type in each.types],
            "tags": dict(each.tags),
            "created_at": each.created_at.isoformat(),
            "last_seen": each.last_seen.isoformat(),
            "access_count": each.access_count,
        }
        for each in entities
    ]
    if rows:
        await tx.count(_KEEP, entities=json.dumps(rows))


async def name_all(tx: Tx, named: Mapping[str, UUID]) -> None:
    """Give entities names, or aliases, that nobody has; `naming` must be held."""
    if named:
        keys = [beliefs.key(each) for each in named]
        await tx.count(_NAME_ALL, keys=keys, ids=list(named.values()), names=list(named))


async def write(
    tx: Tx, id: UUID, *, name: str, types: Sequence[EntityType], tags: Mapping[str, str], now: datetime
) -> None:
    """Replace what is said about a locked entity, and count the access."""
    await tx.count(_WRITE, id=id, name=name, types=[each.value for each in types], tags=json.dumps(dict(tags)), now=now)


async def seen(tx: Tx, ids: Sequence[UUID], *, now: datetime) -> None:
    """Count that these entities were shown."""
    if ids:
        await tx.count(_SEEN, ids=list(ids), now=now)


async def delete(tx: Tx, id: UUID, *, now: datetime) -> bool:
    """Hide an entity and free its names; return False when there is none."""
    return await tx.count(_DELETE, id=id, now=now) == 1


async def _add(tx: Tx, new: New) -> UUID:
    id = compat.uuid7()
    await tx.count(
        _ADD,
        id=id,
        name=new.name,
        types=[each.value for each in new.types],
        tags=json.dumps(dict(new.tags)),
        created_at=new.created_at,
        last_seen=new.last_seen,
        access_count=new.access_count,
    )
    await name(tx, id, [new.name, *new.aliases])
    return id


def _entity(row: Row) -> Entity:
    return Entity(
        id=row["id"],
        name=row["name"],
        types=tuple(EntityType(each) for each in row["types"]),
        tags=row["tags"],
        aliases=tuple(row["aliases"]),
        created_at=row["created_at"],
        last_seen=row["last_seen"],
        access_count=row["access_count"],
    )
