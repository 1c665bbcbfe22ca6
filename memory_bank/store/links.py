"""Rows of `links`: stored once, from source to target, and seen from both ends."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain.links import Judgement, Link, LinkOrigin, LinkType
from memory_bank.store.database import Tx

OF_NOTE = """(
        -- every link that starts or ends at note n and whose other end still lives, oldest first
        SELECT jsonb_agg(
            jsonb_build_array(l.source_id, l.target_id, l.type, l.explanation, l.origin, l.confidence)
            ORDER BY l.created_at, l.source_id, l.target_id
        )
        FROM (
            SELECT own.*, own.target_id AS end_id FROM links own WHERE own.bank_id = :bank AND own.source_id = n.id
            UNION ALL
            SELECT own.*, own.source_id FROM links own WHERE own.bank_id = :bank AND own.target_id = n.id
        ) AS l
        -- by key, one by one, and asked only then whether it lives: while nobody has analysed the table, a join or a
        -- partial index of live notes looks cheap that reads the whole bank for each link
        CROSS JOIN LATERAL (
            SELECT far.deleted_at IS NULL AND far.reach <> 'none' AS lives
            FROM notes far
            WHERE far.bank_id = :bank
                AND far.id = l.end_id
            LIMIT 1
        ) AS other
        WHERE other.lives
            AND n.reach <> 'none'
    ) AS links"""
"""Column of a statement over notes `n`: its links, for `told`."""

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


def told(column: Sequence[Sequence[Any]] | None) -> tuple[Link, ...]:
    """Return the links that a row's column `OF_NOTE` holds."""
    return tuple(
        Link(
            source_id=UUID(source),
            target_id=UUID(target),
            type=LinkType(type),
            explanation=explanation,
            origin=LinkOrigin(origin),
            confidence=confidence,
        )
        for source, target, type, explanation, origin, confidence in column or ()
    )


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
