"""Rows of `notes` and `exchanges` that an import brings along with their ids, and what they may meet."""

import json
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain import notes
from memory_bank.domain.exchanges import Merged
from memory_bank.domain.notes import Kind
from memory_bank.store.database import Tx
from memory_bank.store.exchanges import New

_TAKEN = sa.text(
    """
    -- which of these ids does the bank know, and is the note of each alive?
    SELECT n.id, n.deleted_at IS NULL AS live
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = ANY(CAST(:ids AS uuid[]))
    """
)

_HOLDERS = sa.text(
    """
    -- which live notes hold these texts? Those with and without a session are looked up apart: one comparison that
    -- served both would use no index
    WITH told AS (
        SELECT t.session, t.hash, t.place
        FROM unnest(CAST(:sessions AS text[]), CAST(:hashes AS bytea[])) WITH ORDINALITY AS t (session, hash, place)
    )
    SELECT t.place, n.id
    FROM told t
    JOIN notes n
        ON n.bank_id = :bank
        AND n.kind = :kind
        AND n.session = t.session
        AND n.content_hash = t.hash
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
    UNION ALL
    SELECT t.place, n.id
    FROM told t
    JOIN notes n
        ON n.bank_id = :bank
        AND n.kind = :kind
        AND n.session IS NULL
        AND n.content_hash = t.hash
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
    WHERE t.session IS NULL
    """
)

_PURGE = sa.text(
    """
    -- their ids come back to life with texts of their own
    DELETE FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = ANY(CAST(:ids AS uuid[]))
        AND n.deleted_at IS NOT NULL
    """
)

_POSITIONS = sa.text(
    """
    -- which place comes after the last one of each session?
    SELECT n.session, least(max(CAST(n.position AS bigint)) + 1, 2147483647) AS position
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.session = ANY(CAST(:sessions AS text[]))
        AND n.deleted_at IS NULL
        AND n.position IS NOT NULL
    GROUP BY n.session
    """
)

_RELEASE = sa.text(
    """
    -- a forgotten exchange gives back the id that it had elsewhere
    UPDATE exchanges x
    SET external_id = NULL
    FROM notes n
    WHERE x.bank_id = :bank
        AND x.external_id = ANY(CAST(:external_ids AS text[]))
        AND n.bank_id = x.bank_id
        AND n.id = x.note_id
        AND n.deleted_at IS NOT NULL
    """
)

_ADD_EXCHANGES = sa.text(
    """
    INSERT INTO exchanges (
        bank_id, note_id, external_id, user_said, assistant_said, importance, importance_given, repeats, merged,
        archived_at
    )
    SELECT
        :bank, x.note_id, x.external_id, x.user_said, x.assistant_said, x.importance, x.importance_given, x.repeats,
        x.merged, x.archived_at
    FROM jsonb_to_recordset(CAST(:exchanges AS jsonb)) AS x (
        note_id uuid, external_id text, user_said text, assistant_said text, importance double precision,
        importance_given boolean, repeats integer, merged jsonb, archived_at timestamptz
    )
    """
)

_IDENTIFY = sa.text(
    """
    UPDATE exchanges x
    SET external_id = i.external_id
    FROM unnest(CAST(:ids AS uuid[]), CAST(:external_ids AS text[])) AS i (id, external_id)
    WHERE x.bank_id = :bank
        AND x.note_id = i.id
        AND x.external_id IS NULL
    """
)


async def taken(tx: Tx, ids: Iterable[UUID]) -> dict[UUID, bool]:
    """Return which of these ids notes of the bank have, and whether each of them is alive."""
    return {row["id"]: row["live"] for row in await tx.all(_TAKEN, ids=list(ids))}


async def holders(tx: Tx, kind: Kind, texts: Iterable[tuple[str | None, str]]) -> dict[tuple[str | None, str], UUID]:
    """Return the live notes of a kind that hold these texts, each given with its session."""
    wanted = list(dict.fromkeys(texts))
    rows = await tx.all(
        _HOLDERS,
        kind=kind.value,
        sessions=[session for session, _ in wanted],
        hashes=[notes.content_hash(content) for _, content in wanted],
    )
    return {wanted[row["place"] - 1]: row["id"] for row in rows}


async def purge(tx: Tx, ids: Iterable[UUID]) -> None:
    """Remove deleted notes for good, with all that belonged to them, so that their ids are free."""
    await tx.count(_PURGE, ids=list(ids))


async def positions(tx: Tx, sessions: Iterable[str]) -> dict[str, int]:
    """Return the place after the last one of each session that has any."""
    return {row["session"]: row["position"] for row in await tx.all(_POSITIONS, sessions=list(set(sessions)))}


async def add_exchanges(tx: Tx, new: Sequence[New]) -> None:
    """Store exchanges beside notes that `tx` has stored; ids from elsewhere that the deleted held are theirs."""
    if not new:
        return
    elsewhere = [each.external_id for each in new if each.external_id is not None]
    await tx.count(_RELEASE, external_ids=elsewhere)
    rows = [
        {
            "note_id": str(each.id),
            "external_id": each.external_id,
            "user_said": each.turn.user,
            "assistant_said": each.turn.assistant,
            "importance": each.turn.importance,
            "importance_given": each.turn.importance_given,
            "repeats": each.repeats,
            "merged": [_packed(merged) for merged in each.merged],
            "archived_at": None if each.archived_at is None else each.archived_at.isoformat(),
        }
        for each in new
    ]
    await tx.count(_ADD_EXCHANGES, exchanges=json.dumps(rows))


async def identify(tx: Tx, external_ids: Mapping[UUID, str]) -> None:
    """Give exchanges that came from nowhere the ids that they have elsewhere."""
    if external_ids:
        await tx.count(_RELEASE, external_ids=list(external_ids.values()))
        await tx.count(_IDENTIFY, ids=list(external_ids), external_ids=list(external_ids.values()))


def _packed(merged: Merged) -> dict[str, str]:
    return {"user": merged.user, "assistant": merged.assistant, "at": merged.at.isoformat()}
