"""Rows of `embeddings`: one vector for each window of a note's text, and the arm that searches them."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NewType
from uuid import UUID

import numpy as np
import sqlalchemy as sa
from numpy import float32
from numpy.typing import NDArray

from memory_bank.domain import filters
from memory_bank.domain.links import Candidate
from memory_bank.store import arrays, conditions, database
from memory_bank.store.database import Tx

Windows = NDArray[float32]
"""The vectors of one text, shape (windows, dimensions), each of length 1."""

Written = NewType("Written", str)
"""A vector as PostgreSQL reads it."""


Asked = NewType("Asked", arrays.Binary)
"""A query's vector in pgvector's binary form, which takes neither side time: a search says it several times."""

# pgvector's own bound for hnsw.ef_search
_EF_SEARCH_LIMIT = 1_000
_WINDOWS_LIMIT = 8_000

_FORGET = sa.text(
    """
    DELETE FROM embeddings
    WHERE bank_id = :bank
        AND note_id = ANY(CAST(:ids AS uuid[]))
    """
)

_ADD = sa.text(
    """
    -- all numbers are one array, as many for each window as there are dimensions
    INSERT INTO embeddings (bank_id, note_id, window_index, embedding)
    SELECT
        :bank,
        w.note_id,
        w.window_index,
        CAST((CAST(:numbers AS real[]))[w.past + 1 : w.past + :dimensions] AS vector)
    FROM unnest(
        CAST(:notes AS uuid[]),
        CAST(:indexes AS smallint[]),
        CAST(:past AS integer[])
    ) AS w (note_id, window_index, past)
    """
)

_CLAIM = sa.text(
    """
    UPDATE notes
    SET embedded_by = :model
    WHERE bank_id = :bank
        AND id = :id
        AND content_hash = :content_hash
        AND deleted_at IS NULL
        AND reach <> 'none'
    """
)

_DEFAULT_EF_SEARCH = 40
_SET = sa.text(
    """
    SELECT set_config(s.name, s.value, true)
    FROM unnest(CAST(:names AS text[]), CAST(:values AS text[])) AS s (name, value)
    """
)

_NEIGHBOURS = sa.text(
    """
    -- which live notes could each of these link to?
    SELECT own.note_id AS source_id, n.id, n.content, 1 - (e.embedding <=> own.embedding) AS similarity
    FROM embeddings own
    CROSS JOIN LATERAL (
        SELECT other.bank_id, other.note_id, other.embedding
        FROM embeddings other
        JOIN notes live ON live.bank_id = other.bank_id AND live.id = other.note_id AND live.deleted_at IS NULL
        WHERE other.bank_id = :bank
            AND other.note_id <> own.note_id
        ORDER BY other.embedding <=> own.embedding
        LIMIT :count
    ) e
    JOIN notes n ON n.bank_id = e.bank_id AND n.id = e.note_id
    WHERE own.bank_id = :bank
        AND own.note_id = ANY(CAST(:notes AS uuid[]))
        AND own.window_index = 0
    ORDER BY own.note_id, similarity DESC, n.id
    """
)

_VIEW = """
    CREATE OR REPLACE VIEW own_embeddings AS
    SELECT bank_id, note_id, window_index, {vector} AS embedding
    FROM embeddings
    WHERE bank_id = current_setting('memory_bank.bank', true)
"""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A note that the vector arm found; `similarity` is the best cosine of its windows, -1 to 1."""

    note_id: UUID
    similarity: float


@cache
def nearest(narrowing: str) -> sa.TextClause:
    """Return the statement: which windows of live notes, narrowed by `conditions`, lie nearest to the query?"""
    # only live notes have windows; said again, as indexes of live notes answer no other question
    joined = """own_embeddings e
        JOIN own_notes n ON n.bank_id = e.bank_id AND n.id = e.note_id AND n.deleted_at IS NULL"""
    return sa.text(
        f"""
        SELECT e.note_id, e.embedding <=> CAST(:query AS vector) AS distance
        FROM {joined if narrowing else "embeddings e"}
        WHERE e.bank_id = :bank{narrowing}
        ORDER BY e.embedding <=> CAST(:query AS vector)
        LIMIT :count
        """
    )


def fitting(dimensions: int) -> list[str]:
    """Return the statements by which the table, which must be empty, takes vectors of this length."""
    return [
        # a column that a view shows keeps its type
        _VIEW.format(vector="CAST(NULL AS vector)"),
        f"ALTER TABLE embeddings ALTER COLUMN embedding TYPE vector({dimensions:d})",
        _VIEW.format(vector="CAST(embedding AS vector)"),
    ]


async def add(tx: Tx, embedded: Mapping[UUID, Windows]) -> None:
    """Store the windows of notes that have none."""
    rows = [(note, index, vector) for note, windows in embedded.items() for index, vector in enumerate(windows)]
    if not rows:
        return
    dimensions = len(rows[0][2])
    await tx.count(
        _ADD,
        notes=[note for note, _, _ in rows],
        indexes=[index for _, index, _ in rows],
        numbers=arrays.reals(np.concatenate([vector for _, _, vector in rows])),
        past=[place * dimensions for place in range(len(rows))],
        dimensions=dimensions,
    )


def written(vector: NDArray[float32]) -> Written:
    """Return a vector as PostgreSQL reads it."""
    return Written(str(vector.tolist()))


def asked(vector: NDArray[float32]) -> Asked:
    """Return a query's vector for `search`, and for whatever else asks about it."""
    # dimensions, nothing, numbers, all of them big-endian
    return Asked(arrays.Binary(struct.pack("!HH", len(vector), 0) + vector.astype(">f4").tobytes()))


async def complete(tx: Tx, note: UUID, windows: Windows, *, model: str, content_hash: bytes) -> bool:
    """Store the windows that `model` made of a note's text; return False when the text changed meanwhile."""
    if await tx.count(_CLAIM, id=note, model=model, content_hash=content_hash) != 1:
        return False
    await forget(tx, [note])
    await add(tx, {note: windows})
    return True


async def forget(tx: Tx, ids: Sequence[UUID]) -> None:
    """Remove every vector of these notes."""
    await tx.count(_FORGET, ids=list(ids))


async def search(tx: Tx, query: Asked, *, wanted: filters.Filter, pool: int) -> list[Hit]:
    """Return the `pool` nearest notes that pass the filter, nearest first; fewer only when fewer exist."""
    windows = pool
    while True:
        await _tune(tx, count=windows)
        rows = await tx.freshly_planned(
            nearest(conditions.narrowing(wanted)),
            query=query,
            count=windows,
            **conditions.binds(wanted),
        )
        best: dict[UUID, float] = {}
        for note, distance in rows:
            best.setdefault(note, 1.0 - distance)
        # several windows of one long note may crowd the others out: look further
        if len(best) >= pool or len(rows) < windows or windows >= _WINDOWS_LIMIT:
            return [Hit(note_id=note, similarity=similarity) for note, similarity in list(best.items())[:pool]]
        windows = min(windows * 4, _WINDOWS_LIMIT)


async def neighbours(tx: Tx, notes: Sequence[UUID], *, floor: float, limit: int) -> dict[UUID, list[Candidate]]:
    """Return for each note the `limit` nearest live ones with a similarity of at least `floor`, nearest first."""
    await _tune(tx, count=_DEFAULT_EF_SEARCH)
    best: dict[UUID, dict[UUID, Candidate]] = {note: {} for note in notes}
    # a long note may take several of the nearest windows
    for row in await tx.all(_NEIGHBOURS, notes=list(notes), count=limit * 4):
        if row["similarity"] >= floor:
            found = Candidate(id=row["id"], content=row["content"], similarity=row["similarity"])
            best[row["source_id"]].setdefault(found.id, found)
    return {note: list(candidates.values())[:limit] for note, candidates in best.items()}


async def _tune(tx: Tx, *, count: int) -> None:
    """Make the transaction's scans of the vector index look for `count` rows at once."""
    wanted = {} if tx.tuned else dict(database.TUNING)
    if count > _DEFAULT_EF_SEARCH:
        wanted["hnsw.ef_search"] = str(min(count, _EF_SEARCH_LIMIT))
    if wanted:
        await tx.all(_SET, names=list(wanted), values=list(wanted.values()))
