"""What ranking needs to know of the notes that the arms found, and of the notes next to them in their session."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain import filters
from memory_bank.domain.notes import Kind
from memory_bank.store import arrays, conditions, embeddings
from memory_bank.store.database import Tx

TEXT_LENGTH = 500
"""Characters of a text that come with its note; most texts are no longer, and need not be asked for again."""

KEPT_FROM = 500
"""Notes of a bank from which the plans are kept: there, looking up by key is the cheapest way, and stays it.

A plan for fewer notes may read whole tables for each of them, and would go on doing so when the tables have grown.
"""


class Belief(NamedTuple):
    """What a fact's confidence goes by: how many sources say it, and when the last one did."""

    sources: int
    confirmed: datetime


class Surrounding(NamedTuple):
    """A note in question or next to one, in the order of the statement's columns: a search reads hundreds of them.

    text: its first `TEXT_LENGTH` characters. ending: its last few. wanted: passes the search's filter. cosine: of its
    best window with the query, None without vector. terms: of the query's, those it holds; None for none. length: its
    terms in all, 0 where neither the query's terms nor a session ask for it. last_accessed, in Unix seconds, and
    retrieval_count: what forgetting goes by. belief: of a fact.
    """

    id: UUID
    kind: str
    session: str | None
    position: int | None
    moment: datetime
    last_accessed: int
    retrieval_count: int
    text: str
    ending: str
    wanted: bool
    cosine: float | None
    terms: dict[str, int] | None
    length: int
    belief: Belief | None = None

    @property
    def whole(self) -> str | None:
        """The whole text, where it is known."""
        return self.text if len(self.text) < TEXT_LENGTH else None


_ASKED = "CAST(:ids AS uuid[])"

_NEAR = f"""
        WITH asked AS MATERIALIZED (
            SELECT n.session, n.position
            FROM notes n
            WHERE n.bank_id = :bank
                AND n.id = ANY({_ASKED})
                AND n.session IS NOT NULL
                AND n.position IS NOT NULL
        ), near AS MATERIALIZED (
            SELECT before.id
            FROM asked a
            CROSS JOIN LATERAL (
                SELECT n.id
                FROM notes n
                WHERE n.bank_id = :bank
                    AND n.session = a.session
                    AND n.position < a.position
                    AND n.deleted_at IS NULL
                ORDER BY n.position DESC
                LIMIT 2
            ) AS before
            UNION
            SELECT after.id
            FROM asked a
            CROSS JOIN LATERAL (
                SELECT n.id
                FROM notes n
                WHERE n.bank_id = :bank
                    AND n.session = a.session
                    AND n.position > a.position
                    AND n.deleted_at IS NULL
                ORDER BY n.position
                LIMIT 2
            ) AS after
            EXCEPT
            SELECT unnest({_ASKED})
        )"""

_COSINE = """(
                SELECT max(1 - (e.embedding <=> CAST(:query AS vector)))
                FROM embeddings e
                WHERE e.bank_id = :bank
                    AND e.note_id = n.id
            )"""

_BELIEFS = sa.text(
    """
    SELECT f.note_id, f.confirmations + count(s.note_id) AS sources, f.last_confirmed
    FROM facts f
    LEFT JOIN fact_sources s ON s.bank_id = :bank AND s.note_id = f.note_id
    WHERE f.bank_id = :bank
        AND f.note_id = ANY(CAST(:ids AS uuid[]))
    GROUP BY f.note_id, f.confirmations, f.last_confirmed
    """
)


@cache
def own(narrowing: str) -> sa.TextClause:
    """Return the statement: what is there to know of the live notes in question, and which cosines have others?"""
    known = _known(_ASKED, narrowing, cosine="CAST(NULL AS double precision)")
    return sa.text(f"{known}UNION ALL{_measured('CAST(:unmeasured AS uuid[])')}")


@cache
def next_to(narrowing: str) -> sa.TextClause:
    """Return the statement: what of up to two other live notes before and after each of them in its session?"""
    return sa.text(_NEAR + _known("ARRAY(SELECT near.id FROM near)", narrowing, cosine=_COSINE))


async def of_notes(
    tx: Tx, ids: Collection[UUID], *, terms: Sequence[str], wanted: filters.Filter, bank_size: int
) -> list[Surrounding]:
    """Return what there is to know of the live notes among `ids` before there is a query's vector.

    `bank_size`: the notes of the bank, as far as they are known.
    """
    return (await _own(tx, ids, (), query=None, terms=terms, wanted=wanted, bank_size=bank_size))[0]


async def around(
    tx: Tx,
    known: Sequence[Surrounding],
    cosines: Mapping[UUID, float],
    *,
    query: embeddings.Asked | None,
    terms: Sequence[str],
    wanted: filters.Filter,
    bank_size: int,
) -> list[Surrounding]:
    """Return the `known` notes and those of `cosines`, each with its cosine, and up to two neighbours on either side.

    Banks without sessions or facts do not pay for them: each is asked for where the notes have it.
    """
    told = {each.id for each in known}
    others, unmeasured = cosines.keys() - told, told - cosines.keys() if query is not None else ()
    described, measured = await _own(
        tx, others, unmeasured, query=query, terms=terms, wanted=wanted, bank_size=bank_size
    )
    measured |= cosines
    found = [each._replace(cosine=measured.get(each.id)) for each in (*known, *described)]
    answered = _answered(tx, bank_size)
    if any(each.position is not None for each in found):
        binds = _binds([each.id for each in found], terms, wanted)
        found += _read(await answered(next_to(conditions.narrowing(wanted)), query=query, **binds))
    facts = [each.id for each in found if each.kind == Kind.FACT]
    if not facts:
        return found
    held = {id: Belief(*rest) for id, *rest in await answered(_BELIEFS, ids=arrays.uuids(facts))}
    return [each._replace(belief=held.get(each.id)) for each in found]


async def _own(
    tx: Tx,
    ids: Collection[UUID],
    unmeasured: Collection[UUID],
    *,
    query: embeddings.Asked | None,
    terms: Sequence[str],
    wanted: filters.Filter,
    bank_size: int,
) -> tuple[list[Surrounding], dict[UUID, float]]:
    if not ids and not unmeasured:
        return [], {}
    binds = {**_binds(ids, terms, wanted), "unmeasured": arrays.uuids(list(unmeasured)), "query": query}
    rows = await _answered(tx, bank_size)(own(conditions.narrowing(wanted)), **binds)
    measured = {id: cosine for id, kind, *_, cosine, term, _, _ in rows if kind is None and term is None}
    return _read(rows), measured


def _answered(tx: Tx, bank_size: int) -> Callable[..., Awaitable[list[tuple[Any, ...]]]]:
    return tx.rows if bank_size >= KEPT_FROM else tx.freshly_planned


def _binds(ids: Collection[UUID], terms: Sequence[str], wanted: filters.Filter) -> dict[str, object]:
    # in one order, in which each note's terms come back: sums of fractions depend on it
    ordered = sorted(terms, key=lambda term: (len(term.encode()), term))
    return {"ids": arrays.uuids(list(ids)), "terms": ordered, **conditions.binds(wanted)}


def _read(rows: Iterable[tuple[Any, ...]]) -> list[Surrounding]:
    """Return the notes of a statement's rows, each with those of its terms; they alone have a kind."""
    rows = list(rows)
    # by the ids' numbers, as `domain.ranking` has them and for its reason
    held: dict[int, tuple[int, dict[str, int]]] = {}
    for id, *_, term, frequency, length in rows:
        if term is not None:
            held.setdefault(id.int, (length, {}))[1][term] = frequency
    found = []
    for *known, term, _, length in rows:
        if term is None and known[1] is not None:
            own_length, terms = held.get(known[0].int, (length or 0, None))
            found.append(Surrounding._make((*known, terms, own_length, None)))
    return found


def _known(ids: str, narrowing: str, *, cosine: str) -> str:
    # Everything is looked up by key, and nothing is joined that could be joined in a worse way, so that a plan can be
    # kept. Which terms a note holds stands in rows of its own for the same reason.
    return f"{_held(ids)}UNION ALL{_described(ids, narrowing, cosine)}"


def _held(ids: str) -> str:
    return f"""
        SELECT
            p.note_id AS id,
            NULL AS kind,
            NULL AS session,
            NULL AS position,
            NULL AS occurred_at,
            NULL AS last_accessed,
            NULL AS retrieval_count,
            NULL AS text,
            NULL AS ending,
            NULL AS wanted,
            NULL AS cosine,
            a.term,
            p.frequency,
            p.length
        FROM unnest(CAST(:terms AS text[])) AS a (term)
        CROSS JOIN LATERAL (
            SELECT own.note_id, own.frequency, own.length
            FROM postings own
            WHERE own.bank_id = :bank
                AND own.term = a.term
                AND own.note_id = ANY({ids})
            OFFSET 0
        ) AS p
        """


def _described(ids: str, narrowing: str, cosine: str) -> str:
    return f"""
        SELECT
            n.id,
            n.kind,
            n.session,
            n.position,
            n.occurred_at,
            n.last_accessed,
            n.retrieval_count,
            left(n.content, {TEXT_LENGTH}),
            right(n.content, 4),
            n.reach <> 'none'{narrowing},
            {cosine},
            NULL,
            NULL,
            CASE WHEN n.session IS NOT NULL THEN (
                SELECT p.length
                FROM postings p
                WHERE p.bank_id = :bank
                    AND p.note_id = n.id
                LIMIT 1
            ) END
        FROM unnest({ids}) AS asked (id)
        CROSS JOIN LATERAL (
            -- asked only then whether it lives: a partial index of live notes may look as cheap, and reads the bank
            SELECT one.*
            FROM notes one
            WHERE one.bank_id = :bank
                AND one.id = asked.id
            LIMIT 1
        ) AS n
        WHERE n.deleted_at IS NULL
        """


def _measured(ids: str) -> str:
    return f"""
        SELECT n.id, {"NULL, " * 9}{_COSINE}, NULL, NULL, NULL
        FROM unnest({ids}) AS n (id)
        """
