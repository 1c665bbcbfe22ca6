"""Losses: vectors and terms that a note is marked to have and that are not there, and totals that fit no terms.

Whoever writes a note's vectors or terms marks the note in the same transaction, and work that is left is told by the
marks alone. What is lost behind a mark, by hand or by a damaged disk, is therefore found by nobody and made by nobody
until the mark goes. All of this reads every note.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from memory_bank.store.database import StoreTx

_WITHOUT_VECTORS = """
        FROM notes n
        LEFT JOIN (
            -- windows are numbered from 0
            SELECT w.bank_id, w.note_id, count(*) AS held, max(w.window_index) + 1 AS made
            FROM embeddings w
            GROUP BY w.bank_id, w.note_id
        ) e ON e.bank_id = n.bank_id AND e.note_id = n.id
        WHERE n.deleted_at IS NULL
            AND n.reach <> 'none'
            AND n.embedded_by IS NOT NULL
            AND (e.note_id IS NULL OR e.held < e.made)
"""


def _unmarking(mark: str, lost: str) -> sa.TextClause:
    """Return the statement that takes a mark from the notes that `lost`, the rest of a query, is about."""
    return sa.text(
        f"""
        -- locked in one order, as recalls lock them
        WITH lost AS (
            SELECT n.bank_id, n.id
            {lost}
            ORDER BY n.bank_id, n.id
            FOR NO KEY UPDATE OF n
        )
        UPDATE notes n
        SET {mark} = NULL
        FROM lost
        WHERE n.bank_id = lost.bank_id
            AND n.id = lost.id
        """
    )


_COUNT_WITHOUT_VECTORS = sa.text(f"SELECT count(*) AS total {_WITHOUT_VECTORS}")

_UNMARK_EMBEDDED = _unmarking("embedded_by", _WITHOUT_VECTORS)

_WITHOUT_TERMS = sa.text(
    """
    -- which notes have no term at all? A text may have none to give, a long one least likely
    SELECT n.content, count(*) OVER () AS total
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.reach = 'full'
        AND n.tokenised_by IS NOT NULL
        AND NOT EXISTS (
            SELECT
            FROM postings p
            WHERE p.bank_id = n.bank_id
                AND p.note_id = n.id
        )
    ORDER BY length(n.content) DESC
    LIMIT :count
    """
)

_UNMARK_TOKENISED = _unmarking(
    "tokenised_by",
    """
            -- whose terms are fewer than were counted when they were stored, or none?
            FROM notes n
            LEFT JOIN (
                SELECT t.bank_id, t.note_id, sum(t.frequency) AS held, max(t.length) AS made
                FROM postings t
                GROUP BY t.bank_id, t.note_id
            ) p ON p.bank_id = n.bank_id AND p.note_id = n.id
            WHERE n.deleted_at IS NULL
                AND n.reach = 'full'
                AND n.tokenised_by IS NOT NULL
                AND (p.held <> p.made OR (p.note_id IS NULL AND :with_none))
    """,
)

_COUNT_MISCOUNTED = sa.text(
    """
    -- of how many banks do the totals say another number of terms than there are?
    SELECT count(*) AS total
    FROM (SELECT bank_id, sum(frequency) AS length FROM postings GROUP BY bank_id) p
    FULL JOIN (SELECT bank_id, sum(length) AS length FROM lexical_totals GROUP BY bank_id) t ON t.bank_id = p.bank_id
    WHERE coalesce(p.length, 0) <> coalesce(t.length, 0)
    """
)

_RECOUNT = sa.text(
    """
    -- terms and totals change together, so that in one snapshot their difference is what is wrong: whoever writes
    -- meanwhile need not wait
    INSERT INTO lexical_totals (bank_id, notes, length)
    SELECT
        coalesce(p.bank_id, t.bank_id),
        coalesce(p.notes, 0) - coalesce(t.notes, 0),
        coalesce(p.length, 0) - coalesce(t.length, 0)
    FROM (
        SELECT bank_id, count(*) AS notes, sum(length) AS length
        FROM (SELECT bank_id, note_id, sum(frequency) AS length FROM postings GROUP BY bank_id, note_id) AS each_note
        GROUP BY bank_id
    ) p
    FULL JOIN (
        SELECT bank_id, sum(notes) AS notes, sum(length) AS length
        FROM lexical_totals
        GROUP BY bank_id
    ) t ON t.bank_id = p.bank_id
    WHERE (coalesce(p.notes, 0), coalesce(p.length, 0)) <> (coalesce(t.notes, 0), coalesce(t.length, 0))
    """
)


@dataclass(frozen=True, kw_only=True)
class Termless:
    """How many notes are marked as tokenised and have no term, and the texts of the longest of them."""

    total: int
    texts: Sequence[str]


async def without_vectors(tx: StoreTx) -> int:
    """Return how many live notes are marked as embedded, and lack vectors."""
    return await _number(tx, _COUNT_WITHOUT_VECTORS)


async def termless(tx: StoreTx, *, texts: int) -> Termless:
    """Return the live notes that are marked as tokenised and have no term, with up to `texts` texts."""
    rows = await tx.all(_WITHOUT_TERMS, count=texts)
    return Termless(total=rows[0]["total"] if rows else 0, texts=[row["content"] for row in rows])


async def miscounted(tx: StoreTx) -> int:
    """Return of how many banks the totals fit no terms: searches weigh words by them."""
    return await _number(tx, _COUNT_MISCOUNTED)


async def unmark_embedded(tx: StoreTx) -> None:
    """Let every note that lacks vectors count as not embedded."""
    await tx.count(_UNMARK_EMBEDDED)


async def unmark_tokenised(tx: StoreTx, *, with_none: bool) -> None:
    """Let every note that lacks some of its terms count as not tokenised, those that have none only if `with_none`."""
    await tx.count(_UNMARK_TOKENISED, with_none=with_none)


async def recount(tx: StoreTx) -> None:
    """Add to each bank's totals what they differ by from its terms."""
    await tx.count(_RECOUNT)


async def _number(tx: StoreTx, statement: sa.TextClause) -> int:
    row = await tx.one_or_none(statement)
    assert row is not None
    total: int = row["total"]
    return total
