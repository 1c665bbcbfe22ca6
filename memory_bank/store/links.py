"""Rows of `links`: stored once, from source to target, and seen from both ends."""

import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain.links import Judgement, Link, LinkOrigin, LinkType
from memory_bank.store.database import Tx

_OF_NOTES = sa.text(
    """
    -- every link that starts or ends at one of these notes and whose other end still lives
    SELECT l.source_id, l.target_id, l.type, l.explanation, l.origin, l.confidence
    FROM links l
    JOIN notes s ON s.bank_id = l.bank_id AND s.id = l.source_id AND s.deleted_at IS NULL AND s.reach <> 'none'
    JOIN notes t ON t.bank_id = l.bank_id AND t.id = l.target_id AND t.deleted_at IS NULL AND t.reach <> 'none'
    WHERE l.bank_id = :bank
        AND (l.source_id = ANY(CAST(:ids AS uuid[])) OR l.target_id = ANY(CAST(:ids AS uuid[])))
    ORDER BY l.created_at, l.source_id, l.target_id
    """
)

_PUT = sa.text(
    """
    -- write the user's link over whatever link the pair already has in this direction
    INSERT INTO links (bank_id, source_id, target_id, type, explanation, origin, confidence, created_at)
    VALUES (:bank, :source, :target, :type, :explanation, :origin, :confidence, :now)
    ON CONFLICT (bank_id, source_id, target_id) DO UPDATE
    SET type = excluded.type,
        explanation = excluded.explanation,
        origin = excluded.origin,
        confidence = excluded.confidence
    """
)

_ADD_JUDGED = sa.text(
    """
    -- write an analyst's links where the target still lives and nobody else has linked the pair
    INSERT INTO links (bank_id, source_id, target_id, type, explanation, origin, confidence, created_at)
    SELECT n.bank_id, :source, n.id, j.type, j.explanation, j.origin, j.confidence, :now
    FROM jsonb_to_recordset(CAST(:judgements AS jsonb)) AS j (
        target uuid, type text, explanation text, origin text, confidence double precision
    )
    JOIN notes n ON n.bank_id = :bank AND n.id = j.target AND n.deleted_at IS NULL
    ORDER BY n.id
    ON CONFLICT DO NOTHING
    """
)

_FORGET_AROUND = sa.text(
    """
    DELETE FROM links
    WHERE bank_id = :bank
        AND :note IN (source_id, target_id)
        AND origin <> 'user'
    """
)

_FORGET_JUDGED = sa.text(
    """
    -- a new analysis replaces what analysts found before, never what a user linked
    DELETE FROM links
    WHERE bank_id = :bank
        AND source_id = :source
        AND origin <> 'user'
    """
)


async def of_notes(tx: Tx, ids: Sequence[UUID]) -> dict[UUID, tuple[Link, ...]]:
    """Return the links at either end of each of `ids`, oldest first; a note without links has no entry."""
    wanted = set(ids)
    found: dict[UUID, list[Link]] = {}
    for row in await tx.all(_OF_NOTES, ids=list(wanted)):
        link = Link(
            source_id=row["source_id"],
            target_id=row["target_id"],
            type=LinkType(row["type"]),
            explanation=row["explanation"],
            origin=LinkOrigin(row["origin"]),
            confidence=row["confidence"],
        )
        for end in {link.source_id, link.target_id} & wanted:
            found.setdefault(end, []).append(link)
    return {end: tuple(links) for end, links in found.items()}


async def put(tx: Tx, link: Link, *, now: datetime) -> None:
    """Store `link`, replacing the pair's earlier one; both notes must exist."""
    await tx.count(
        _PUT,
        source=link.source_id,
        target=link.target_id,
        type=link.type.value,
        explanation=link.explanation,
        origin=link.origin.value,
        confidence=link.confidence,
        now=now,
    )


async def forget_judged(tx: Tx, note: UUID) -> None:
    """Remove the links that analysts gave to or from `note`: its text has changed, and they speak of the old one."""
    await tx.count(_FORGET_AROUND, note=note)


async def replace_judged(tx: Tx, source: UUID, judgements: Sequence[Judgement], *, now: datetime) -> None:
    """Replace the links that analysts gave `source` by `judgements`; targets that died meanwhile are left out."""
    await tx.count(_FORGET_JUDGED, source=source)
    if not judgements:
        return
    rows = [
        {
            "target": str(each.target_id),
            "type": each.type.value,
            "explanation": each.explanation,
            "origin": each.origin.value,
            "confidence": each.confidence,
        }
        for each in judgements
    ]
    await tx.count(_ADD_JUDGED, source=source, judgements=json.dumps(rows), now=now)
