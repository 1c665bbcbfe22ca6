"""Rows of `notes`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain import filters, notes
from memory_bank.domain.notes import Draft, Enrichment, Kind, Note, Reach
from memory_bank.store import arrays, banks, conditions, links
from memory_bank.store.database import Row, Tx

_COLUMNS = """n.id, n.kind, n.content, n.keywords, n.context, n.tags, n.session, n.position, n.occurred_at,
        n.last_accessed, n.retrieval_count, n.reach, n.enrichment, n.enrichment_error"""

_ADD = sa.text(
    f"""
    WITH made AS ({banks.MADE})
    -- a live note with the same text, kind and session makes its row insert nothing;
    -- in order of the hash, so that two batches with texts in common never wait for each other
    INSERT INTO notes AS n (
        bank_id, id, kind, content, content_hash, context, context_given, tags, given_tags, session, position,
        occurred_at, updated_at, last_accessed, enrichment, embedded_by, tokenised_by, reach
    )
    SELECT
        :bank, d.id, d.kind, d.content, decode(d.content_hash, 'hex'), d.context, d.context <> '', d.tags, d.tags,
        d.session, d.position, d.occurred_at, :now, :last_accessed, 'pending', d.embedded_by,
        CASE WHEN d.reach = 'full' THEN :tokenised_by END, d.reach
    FROM jsonb_to_recordset(CAST(:drafts AS jsonb)) AS d (
        id uuid, kind text, content text, content_hash text, context text, tags text[], session text,
        position integer, occurred_at timestamptz, embedded_by text, reach text
    )
    -- before any note, as everybody else does
    CROSS JOIN (SELECT count(*) FROM made) AS bank
    ORDER BY d.content_hash
    ON CONFLICT DO NOTHING
    RETURNING {_COLUMNS}
    """
)

_SAME = sa.text(
    """
    -- which live note already holds this text?
    SELECT n.id
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.kind = :kind
        AND n.session IS NOT DISTINCT FROM CAST(:session AS text)
        AND n.content_hash = :content_hash
        AND n.deleted_at IS NULL
        AND n.reach <> 'none'
    """
)

BY_IDS = sa.text(
    f"""
    SELECT {_COLUMNS}, {links.OF_NOTE}
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = ANY(CAST(:ids AS uuid[]))
        AND n.deleted_at IS NULL
    """
)

_CONTENTS = sa.text(
    """
    -- what do these notes say?
    SELECT n.id, n.content
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = ANY(CAST(:ids AS uuid[]))
        AND n.deleted_at IS NULL
    """
)

_COUNT_RECALLED = """
    -- these notes are being returned; locked in one order, so that two recalls never wait for each other
    WITH returned AS (
        SELECT n.*
        FROM notes n
        WHERE n.bank_id = :bank
            AND n.id = ANY(CAST(:ids AS uuid[]))
            AND n.deleted_at IS NULL
        ORDER BY n.id
        FOR NO KEY UPDATE
    ), counted AS (
        UPDATE notes n
        SET last_accessed = greatest(n.last_accessed, :now),
            retrieval_count = n.retrieval_count + 1
        FROM returned
        WHERE n.bank_id = :bank
            AND n.id = returned.id
    )"""

_MARK_RECALLED = sa.text(
    f"""{_COUNT_RECALLED}
    SELECT
    """
)

_RECALLED = sa.text(
    f"""{_COUNT_RECALLED}
    SELECT {_COLUMNS}, {links.OF_NOTE}
    FROM returned n
    """
)

_LOCK = sa.text(
    """
    SELECT n.content, n.kind, n.session, n.tags, n.given_tags, n.context, n.context_given
    FROM notes n
    WHERE n.bank_id = :bank
        AND n.id = :id
        AND n.deleted_at IS NULL
    FOR NO KEY UPDATE
    """
)

_WRITE_TEXT = sa.text(
    """
    -- a new text makes every finding about the old one void
    UPDATE notes
    SET content = :content,
        content_hash = :content_hash,
        keywords = '{}',
        context = CASE WHEN context_given THEN context ELSE '' END,
        tags = given_tags,
        enrichment = 'pending',
        enrichment_error = '',
        enrichment_attempts = 0,
        analysed_by = NULL,
        embedded_by = :embedded_by,
        tokenised_by = :tokenised_by,
        updated_at = :now
    WHERE bank_id = :bank
        AND id = :id
    """
)

_WRITE_LABELS = sa.text(
    """
    UPDATE notes
    SET context = :context,
        context_given = :context_given,
        tags = CAST(:tags AS text[]),
        given_tags = CAST(:given_tags AS text[]),
        updated_at = :now
    WHERE bank_id = :bank
        AND id = :id
    """
)

_DELETE = sa.text(
    """
    -- hide these notes for good; their texts may be stored again as new ones
    WITH gone AS (
        SELECT n.id
        FROM notes n
        WHERE n.bank_id = :bank
            AND n.id = ANY(CAST(:ids AS uuid[]))
            AND n.deleted_at IS NULL
        ORDER BY n.id
        FOR NO KEY UPDATE
    )
    UPDATE notes n
    SET deleted_at = :now
    FROM gone
    WHERE n.bank_id = :bank
        AND n.id = gone.id
    RETURNING n.id
    """
)

_ARCHIVE = sa.text(
    """
    WITH changed AS (
        SELECT n.id
        FROM notes n
        WHERE n.bank_id = :bank
            AND n.id = ANY(CAST(:ids AS uuid[]))
            AND n.deleted_at IS NULL
            AND n.reach = 'full'
        ORDER BY n.id
        FOR NO KEY UPDATE
    )
    UPDATE notes n
    SET reach = 'meaning',
        tokenised_by = NULL,
        updated_at = :now
    FROM changed
    WHERE n.bank_id = :bank
        AND n.id = changed.id
    """
)

_WRITE_REACH = sa.text(
    """
    WITH changed AS (
        SELECT n.id
        FROM notes n
        WHERE n.bank_id = :bank
            AND n.id = ANY(CAST(:ids AS uuid[]))
            AND n.deleted_at IS NULL
        ORDER BY n.id
        FOR NO KEY UPDATE
    )
    UPDATE notes n
    SET reach = :reach,
        embedded_by = :embedded_by,
        tokenised_by = :tokenised_by,
        updated_at = :now
    FROM changed
    WHERE n.bank_id = :bank
        AND n.id = changed.id
    RETURNING n.id
    """
)


@dataclass(frozen=True, kw_only=True)
class New:
    """A checked draft with the id it gets, and the model of its vectors, if it has any yet."""

    id: UUID
    draft: Draft
    embedded_by: str | None
    reach: Reach = Reach.FULL


@dataclass(frozen=True, kw_only=True)
class Labels:
    """A locked note's text, its place, and what is written beside it, with the caller's share of each."""

    content: str
    kind: Kind
    session: str | None
    context: str
    context_given: bool
    tags: tuple[str, ...]
    given_tags: tuple[str, ...]


@cache
def listing(narrowing: str, *, after: bool) -> sa.TextClause:
    """Return the statement: the bank's live notes, narrowed by `conditions`, newest first, from a cursor on."""
    beyond = "AND (n.occurred_at, n.id) < (CAST(:after_time AS timestamptz), CAST(:after_id AS uuid))"
    return sa.text(
        f"""
        SELECT {_COLUMNS}, {links.OF_NOTE}
        FROM own_notes n
        WHERE n.bank_id = :bank
            AND n.deleted_at IS NULL
            AND n.reach <> 'none'{narrowing}
            {beyond if after else ""}
        ORDER BY n.occurred_at DESC, n.id DESC
        LIMIT :count
        """
    )


@cache
def _counting(narrowing: str) -> sa.TextClause:
    return sa.text(
        f"""
        SELECT count(*) AS total
        FROM own_notes n
        WHERE n.bank_id = :bank
            AND n.deleted_at IS NULL
            AND n.reach <> 'none'{narrowing}
        """
    )


async def add(tx: Tx, new: Sequence[New], *, tokenised_by: str, now: datetime) -> dict[UUID, Note]:
    """Insert checked drafts, making their bank unless it exists; return those whose texts were not live yet, by id.

    The terms, by `tokenised_by`, of those within full reach the same transaction stores.
    """
    rows = [
        {
            "id": str(each.id),
            "kind": each.draft.kind.value,
            "content": each.draft.content,
            "content_hash": notes.content_hash(each.draft.content).hex(),
            "context": each.draft.context,
            "tags": each.draft.tags,
            "session": each.draft.session,
            "position": each.draft.position,
            "occurred_at": (each.draft.timestamp or now).isoformat(),
            "embedded_by": each.embedded_by,
            "reach": each.reach.value,
        }
        for each in new
    ]
    added = await tx.all(
        _ADD, drafts=json.dumps(rows), now=now, last_accessed=int(now.timestamp()), tokenised_by=tokenised_by
    )
    # nobody can have linked them yet
    return {row["id"]: _note(tx, {**row, "links": None}) for row in added}


async def same(tx: Tx, *, content: str, kind: Kind, session: str | None) -> UUID | None:
    """Return the live note that holds exactly this text in this kind and session."""
    row = await tx.one_or_none(_SAME, content_hash=notes.content_hash(content), kind=kind.value, session=session)
    return None if row is None else row["id"]


async def by_ids(tx: Tx, ids: Sequence[UUID]) -> list[Note]:
    """Return the live notes among `ids` with their links, in the order of `ids`, each once."""
    return await _in_order(tx, BY_IDS, ids)


async def contents(tx: Tx, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the texts of the live notes among `ids`."""
    return dict(await tx.rows(_CONTENTS, ids=list(ids)))


async def recalled(tx: Tx, ids: Sequence[UUID], *, now: int) -> list[Note]:
    """Count the live notes among `ids` as recalled at `now`, Unix seconds, and return them as they were before.

    They come with their links, in the order of `ids`, each once.
    """
    return await _in_order(tx, _RECALLED, ids, now=now)


async def mark_recalled(tx: Tx, ids: Sequence[UUID], *, now: int) -> None:
    """Count these notes as recalled at `now`, Unix seconds."""
    if ids:
        await tx.count(_MARK_RECALLED, ids=list(ids), now=now)


async def page(tx: Tx, *, wanted: filters.Filter, after: filters.Cursor | None, count: int) -> list[Note]:
    """Return up to `count` live notes that pass the filter, newest first, from `after` on."""
    place = {} if after is None else {"after_time": after.timestamp, "after_id": after.id}
    statement = listing(conditions.narrowing(wanted), after=after is not None)
    return [_note(tx, row) for row in await tx.all(statement, count=count, **place, **conditions.binds(wanted))]


async def count(tx: Tx, *, wanted: filters.Filter) -> int:
    """Return how many live notes pass the filter."""
    row = await tx.one_or_none(_counting(conditions.narrowing(wanted)), **conditions.binds(wanted))
    assert row is not None
    total: int = row["total"]
    return total


async def lock(tx: Tx, id: UUID) -> Labels | None:
    """Lock a live note until the transaction ends and return what an edit combines with."""
    row = await tx.one_or_none(_LOCK, id=id)
    if row is None:
        return None
    return Labels(
        content=row["content"],
        kind=Kind(row["kind"]),
        session=row["session"],
        context=row["context"],
        context_given=row["context_given"],
        tags=tuple(row["tags"]),
        given_tags=tuple(row["given_tags"]),
    )


async def write_text(
    tx: Tx, id: UUID, content: str, *, embedded_by: str | None, tokenised_by: str, now: datetime
) -> None:
    """Replace a note's text, whose vectors and terms the same transaction stores, and reopen its enrichment."""
    await tx.count(
        _WRITE_TEXT,
        id=id,
        content=content,
        content_hash=notes.content_hash(content),
        embedded_by=embedded_by,
        tokenised_by=tokenised_by,
        now=now,
    )


async def write_labels(tx: Tx, id: UUID, labels: Labels, *, now: datetime) -> None:
    """Replace a note's context and tags."""
    await tx.count(
        _WRITE_LABELS,
        id=id,
        context=labels.context,
        context_given=labels.context_given,
        tags=list(labels.tags),
        given_tags=list(labels.given_tags),
        now=now,
    )


async def archive(tx: Tx, ids: Sequence[UUID], *, now: datetime) -> None:
    """Let live notes be found by meaning only; their terms are to go in the same transaction."""
    await tx.count(_ARCHIVE, ids=list(ids), now=now)


async def write_reach(
    tx: Tx, ids: Sequence[UUID], reach: Reach, *, embedded_by: str | None, tokenised_by: str | None, now: datetime
) -> set[UUID]:
    """Change how live notes are found, and by whom their vectors and terms then are; return those there were."""
    rows = await tx.all(
        _WRITE_REACH,
        ids=list(ids),
        reach=reach.value,
        embedded_by=embedded_by,
        tokenised_by=tokenised_by,
        now=now,
    )
    return {row["id"] for row in rows}


async def delete(tx: Tx, ids: Sequence[UUID], *, now: datetime) -> set[UUID]:
    """Hide live notes; return the ids of those there were."""
    return {row["id"] for row in await tx.all(_DELETE, ids=list(ids), now=now)}


async def _in_order(tx: Tx, statement: sa.TextClause, ids: Sequence[UUID], **binds: Any) -> list[Note]:
    """Return the notes that a statement finds among `ids`, in their order, each once."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return []
    rows = {row["id"]: row for row in await tx.all(statement, ids=arrays.uuids(wanted), **binds)}
    return [_note(tx, rows[id]) for id in wanted if id in rows]


def _note(tx: Tx, row: Row) -> Note:
    return Note(
        id=row["id"],
        bank=tx.bank,
        kind=Kind(row["kind"]),
        content=row["content"],
        keywords=tuple(row["keywords"]),
        context=row["context"],
        tags=tuple(row["tags"]),
        links=links.told(row["links"]),
        session=row["session"],
        position=row["position"],
        timestamp=row["occurred_at"],
        last_accessed=row["last_accessed"],
        retrieval_count=row["retrieval_count"],
        reach=Reach(row["reach"]),
        enrichment=Enrichment(row["enrichment"]),
        enrichment_error=row["enrichment_error"],
    )
