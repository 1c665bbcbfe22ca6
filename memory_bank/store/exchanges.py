"""Rows of `exchanges`, each beside its note."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain import exchanges, filters
from memory_bank.domain.exchanges import Earlier, Exchange, Merged, Turn
from memory_bank.domain.references import Reference
from memory_bank.store import conditions, embeddings
from memory_bank.store.database import Row, Tx
from memory_bank.store.embeddings import Windows

_COLUMNS = """x.note_id, x.external_id, x.user_said, x.assistant_said, n.session, n.occurred_at, x.importance,
        x.importance_given, n.given_tags, x.repeats, x.merged, x.archived_at"""

_ONE_AT_A_TIME = sa.text(
    """
    -- one writer at a time in a bank, so that two callers do not both find no near-duplicate
    SELECT pg_advisory_xact_lock(hashtextextended('exchanges of ' || :bank, 0))
    """
)

_NEXT_POSITION = sa.text(
    """
    -- which place comes after the last one of the session?
    SELECT least(coalesce(max(CAST(n.position AS bigint)) + 1, 0), 2147483647) AS position
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.session = :session
        AND n.deleted_at IS NULL
    """
)

_RECENT = sa.text(
    """
    -- which of the newest exchanges are similar to these windows, or cannot be compared by vectors?
    -- Both texts are similar as far as every window of each of them is to some window of the other
    WITH recent AS (
        SELECT n.id, x.user_said, x.assistant_said, n.given_tags, n.embedded_by
        FROM exchanges x
        JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
        WHERE x.bank_id = :bank
            AND n.deleted_at IS NULL
            AND n.reach <> 'none'
        ORDER BY n.occurred_at DESC, n.id DESC
        LIMIT :count
    ), own AS (
        SELECT w.place, CAST(w.embedding AS vector) AS embedding
        FROM unnest(CAST(:windows AS text[])) WITH ORDINALITY AS w (embedding, place)
    ), pairs AS (
        SELECT e.note_id, e.window_index, own.place, 1 - (e.embedding <=> own.embedding) AS similarity
        FROM embeddings e
        CROSS JOIN own
        WHERE e.bank_id = :bank
            AND e.note_id = ANY(ARRAY(SELECT r.id FROM recent r WHERE r.embedded_by = CAST(:model AS text)))
    ), best AS (
        SELECT p.note_id, max(p.similarity) AS similarity
        FROM pairs p
        GROUP BY p.note_id, p.window_index
        UNION ALL
        SELECT p.note_id, max(p.similarity)
        FROM pairs p
        GROUP BY p.note_id, p.place
    ), compared AS (
        SELECT b.note_id, min(b.similarity) AS similarity
        FROM best b
        GROUP BY b.note_id
    )
    SELECT r.id, r.user_said, r.assistant_said, r.given_tags, c.similarity
    FROM recent r
    LEFT JOIN compared c ON c.note_id = r.id
    WHERE c.similarity IS NULL
        OR c.similarity > :least
    """
)

_ADD = sa.text(
    """
    INSERT INTO exchanges (
        bank_id, note_id, external_id, user_said, assistant_said, importance, importance_given, repeats, merged,
        archived_at
    )
    VALUES (
        :bank, :id, :external_id, :user, :assistant, :importance, :importance_given, :repeats, CAST(:merged AS jsonb),
        :archived_at
    )
    ON CONFLICT (bank_id, note_id) DO NOTHING
    """
)

_MERGE = sa.text(
    """
    -- take a near-duplicate in; the last ones keep their words
    UPDATE exchanges x
    SET repeats = x.repeats + 1,
        importance = greatest(x.importance, :importance),
        importance_given = x.importance_given OR :importance_given,
        merged = (
            SELECT jsonb_agg(m.value ORDER BY m.place)
            FROM jsonb_array_elements(x.merged || CAST(:taken AS jsonb)) WITH ORDINALITY AS m (value, place)
            WHERE m.place > jsonb_array_length(x.merged) + 1 - :kept
        )
    WHERE x.bank_id = :bank
        AND x.note_id = :id
    """
)

_BY_IDS = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM exchanges x
    JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
    WHERE x.bank_id = :bank
        AND x.note_id = ANY(CAST(:ids AS uuid[]))
        AND n.deleted_at IS NULL
    """
)

_EVERY = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM exchanges x
    JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
    WHERE x.bank_id = :bank
        AND n.deleted_at IS NULL
    ORDER BY n.occurred_at, n.id
    """
)

_REFERRED = sa.text(
    """
    -- which live exchanges have these ids, of their own or from a file?
    SELECT x.note_id, x.external_id
    FROM exchanges x
    JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
    WHERE x.bank_id = :bank
        AND (x.note_id = ANY(CAST(:ids AS uuid[])) OR x.external_id = ANY(CAST(:external_ids AS text[])))
        AND n.deleted_at IS NULL
    """
)

_SAYING = """
            AND (
                strpos(lower(x.user_said), lower(:words)) > 0
                OR strpos(lower(x.assistant_said), lower(:words)) > 0
                OR EXISTS (
                    SELECT
                    FROM jsonb_array_elements(x.merged) AS m
                    WHERE strpos(lower(m ->> 'user'), lower(:words)) > 0
                        OR strpos(lower(m ->> 'assistant'), lower(:words)) > 0
                )
            )"""

_BEYOND = """
        -- which live exchanges are older than the newest ones and not archived yet?
        SELECT ranked.id
        FROM (
            SELECT n.id, x.archived_at
            FROM exchanges x
            JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
            WHERE x.bank_id = :bank
                AND n.deleted_at IS NULL
                AND n.reach <> 'none'
            ORDER BY n.occurred_at DESC, n.id DESC
            OFFSET :keep
        ) AS ranked
        WHERE ranked.archived_at IS NULL"""

_COUNT_BEYOND = sa.text(f"SELECT count(*) AS total FROM ({_BEYOND}\n) AS beyond")

_LOCK_BEYOND = sa.text(
    f"""
    -- locked in one order, as recalls lock them
    SELECT n.id
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = ANY(ARRAY({_BEYOND}
        LIMIT :count))
    ORDER BY n.id
    FOR NO KEY UPDATE
    """
)

_ARCHIVE = sa.text(
    """
    UPDATE exchanges x
    SET archived_at = :now
    WHERE x.bank_id = :bank
        AND x.note_id = ANY(CAST(:ids AS uuid[]))
    """
)

_FADED = sa.text(
    f"""
    -- which exchanges of little importance has nobody said again since?
    SELECT {_COLUMNS}
    FROM exchanges x
    JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
    WHERE x.bank_id = :bank
        AND n.deleted_at IS NULL
        AND n.occurred_at < :before
        AND coalesce(CAST(x.merged -> -1 ->> 'at' AS timestamptz), n.occurred_at) < :before
        AND x.importance < :below
    ORDER BY n.occurred_at, n.id
    LIMIT :count
    """
)


@dataclass(frozen=True, kw_only=True)
class New:
    """An exchange to store beside its note `id`, with what an imported one brings along."""

    id: UUID
    turn: Turn
    external_id: str | None = None
    repeats: int = 0
    merged: tuple[Merged, ...] = ()
    archived_at: datetime | None = None


@cache
def _listing(narrowing: str) -> sa.TextClause:
    return sa.text(
        f"""
        -- one page of the bank's exchanges, newest first
        SELECT {_COLUMNS}
        FROM exchanges x
        JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
        WHERE x.bank_id = :bank
            AND n.bank_id = :bank
            AND n.deleted_at IS NULL
            AND n.reach <> 'none'{narrowing}
        ORDER BY n.occurred_at DESC, n.id DESC
        LIMIT :count
        OFFSET :offset
        """
    )


@cache
def _counting(narrowing: str) -> sa.TextClause:
    return sa.text(
        f"""
        SELECT count(*) AS total
        FROM exchanges x
        JOIN notes n ON n.bank_id = x.bank_id AND n.id = x.note_id
        WHERE x.bank_id = :bank
            AND n.bank_id = :bank
            AND n.deleted_at IS NULL
            AND n.reach <> 'none'{narrowing}
        """
    )


async def one_at_a_time(tx: Tx) -> None:
    """Wait until no other transaction writes exchanges of this bank, and keep others from it until the end."""
    await tx.all(_ONE_AT_A_TIME)


async def next_position(tx: Tx, session: str) -> int:
    """Return the place after the last one of a session's live notes."""
    row = await tx.one_or_none(_NEXT_POSITION, session=session)
    assert row is not None
    position: int = row["position"]
    return position


async def recent(tx: Tx, *, windows: Windows | None, model: str) -> list[Earlier]:
    """Return those of the newest exchanges that are similar to the windows that `model` made, or have none by it."""
    rows = await tx.all(
        _RECENT,
        count=exchanges.RECENT,
        windows=[] if windows is None else [embeddings.written(vector) for vector in windows],
        model=model,
        least=exchanges.SIMILARITY,
    )
    return [
        Earlier(
            id=row["id"],
            user=row["user_said"],
            assistant=row["assistant_said"],
            tags=tuple(row["given_tags"]),
            similarity=row["similarity"],
        )
        for row in rows
    ]


async def add(tx: Tx, new: New) -> bool:
    """Store an exchange beside its note; return False when the note has one already."""
    added = await tx.count(
        _ADD,
        id=new.id,
        external_id=new.external_id,
        user=new.turn.user,
        assistant=new.turn.assistant,
        importance=new.turn.importance,
        importance_given=new.turn.importance_given,
        repeats=new.repeats,
        merged=json.dumps([_packed(each) for each in new.merged]),
        archived_at=new.archived_at,
    )
    return added == 1


async def merge(tx: Tx, id: UUID, turn: Turn, *, now: datetime) -> bool:
    """Let an exchange, whose note the transaction has locked, take a turn in; return False when there is none."""
    taken = Merged(user=turn.user, assistant=turn.assistant, at=now)
    changed = await tx.count(
        _MERGE,
        id=id,
        importance=turn.importance,
        importance_given=turn.importance_given,
        taken=json.dumps([_packed(taken)]),
        kept=exchanges.MERGED_KEPT,
    )
    return changed == 1


async def by_ids(tx: Tx, ids: Sequence[UUID]) -> list[Exchange]:
    """Return the live exchanges among `ids`, in the order of `ids`, each once."""
    found = {row["note_id"]: row for row in await tx.all(_BY_IDS, ids=list(ids))}
    return [_exchange(found[id]) for id in dict.fromkeys(ids) if id in found]


async def referred(tx: Tx, references: Sequence[Reference]) -> list[UUID]:
    """Return the ids of the live exchanges that are referred to, in that order, each once."""
    rows = await tx.all(
        _REFERRED,
        ids=[each.id for each in references if each.id is not None],
        external_ids=[each.external_id for each in references],
    )
    own = {row["note_id"]: row["note_id"] for row in rows}
    imported = {row["external_id"]: row["note_id"] for row in rows}
    found = [own.get(each.id) or imported.get(each.external_id) for each in references]
    return list(dict.fromkeys(id for id in found if id is not None))


async def every(tx: Tx) -> list[Exchange]:
    """Return every live exchange of the bank, oldest first."""
    return [_exchange(row) for row in await tx.all(_EVERY)]


async def page(
    tx: Tx, *, wanted: filters.Filter, words: str | None = None, count: int, offset: int = 0
) -> tuple[list[Exchange], int]:
    """Return some of the live exchanges that pass the filter and hold `words`, newest first, and how many do in all."""
    narrowing = conditions.narrowing(wanted) + ("" if words is None else _SAYING)
    binds = conditions.binds(wanted) | ({} if words is None else {"words": words})
    rows = await tx.all(_listing(narrowing), count=count, offset=offset, **binds)
    total = await tx.one_or_none(_counting(narrowing), **binds)
    assert total is not None
    return [_exchange(row) for row in rows], total["total"]


async def count_beyond(tx: Tx, *, keep: int) -> int:
    """Return how many exchanges are older than the newest `keep` and not archived yet."""
    row = await tx.one_or_none(_COUNT_BEYOND, keep=keep)
    assert row is not None
    total: int = row["total"]
    return total


async def lock_beyond(tx: Tx, *, keep: int, limit: int) -> list[UUID]:
    """Lock up to `limit` of the exchanges that `count_beyond` counts and return their ids."""
    return [row["id"] for row in await tx.all(_LOCK_BEYOND, keep=keep, count=limit)]


async def archive(tx: Tx, ids: Sequence[UUID], *, now: datetime) -> None:
    """Note down that these exchanges are archived, as their notes are in the same transaction."""
    await tx.count(_ARCHIVE, ids=list(ids), now=now)


async def faded(tx: Tx, *, before: datetime, below: float, limit: int | None) -> list[Exchange]:
    """Return the exchanges of less importance than `below` that were last said before `before`, the oldest first."""
    return [_exchange(row) for row in await tx.all(_FADED, before=before, below=below, count=limit)]


def _packed(merged: Merged) -> dict[str, str]:
    return {"user": merged.user, "assistant": merged.assistant, "at": merged.at.isoformat()}


def _exchange(row: Row) -> Exchange:
    return Exchange(
        id=row["note_id"],
        external_id=row["external_id"],
        user=row["user_said"],
        assistant=row["assistant_said"],
        session=row["session"],
        timestamp=row["occurred_at"],
        importance=row["importance"],
        importance_given=row["importance_given"],
        tags=tuple(row["given_tags"]),
        repeats=row["repeats"],
        merged=tuple(
            Merged(user=each["user"], assistant=each["assistant"], at=datetime.fromisoformat(each["at"]))
            for each in row["merged"]
        ),
        archived=row["archived_at"] is not None,
    )
