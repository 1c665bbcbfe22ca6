"""Rows of `postings` and `lexical_totals`: which terms each live note has, and the arm that scores them by BM25.

score(note) = sum over the query's terms of idf * f / (f + k1 * (1 - b + b * length / average length)), with
idf = ln(1 + (N - df + 0.5) / (df + 0.5)): Robertson & Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond" (2009), in the variant of Lucene. N, df and the average length are those of all the bank's live notes that have
terms, whatever the filter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

import sqlalchemy as sa

from memory_bank.domain import bm25, filters
from memory_bank.store import conditions
from memory_bank.store.database import StoreTx, Tx

POSTINGS_LIMIT = 5_000
"""Postings that one search scores at most, those of the rarest terms; a common term beyond it is left out."""
_COUNTED_LIMIT = 16 * POSTINGS_LIMIT
_SHORTEST_COUNT = 1_000

_FORGET = sa.text(
    """
    -- remove the terms of these notes; how much did they add to the totals?
    WITH gone AS (
        DELETE FROM postings
        WHERE bank_id = :bank
            AND note_id = ANY(CAST(:ids AS uuid[]))
        RETURNING note_id, length
    )
    SELECT count(*) AS notes, CAST(coalesce(sum(length), 0) AS bigint) AS length
    FROM (SELECT DISTINCT note_id, length FROM gone) AS counted
    """
)

_COUNTED_IN = """free AS (
        -- add to a row of the bank's totals that nobody else is adding to, or to a new one
        SELECT t.slot
        FROM lexical_totals t
        WHERE t.bank_id = :bank
        ORDER BY t.slot
        LIMIT 1
        FOR NO KEY UPDATE SKIP LOCKED
    ), counted AS (
        UPDATE lexical_totals t
        SET notes = t.notes + :count,
            length = t.length + :length
        FROM free
        WHERE t.bank_id = :bank
            AND t.slot = free.slot
        RETURNING t.slot
    )"""
_COUNTED_ANEW = """
    INSERT INTO lexical_totals (bank_id, notes, length)
    SELECT :bank, :count, :length
    WHERE NOT EXISTS (SELECT FROM counted)
    """

_ADD = sa.text(
    f"""
    WITH {_COUNTED_IN}, counted_anew AS ({_COUNTED_ANEW})
    -- in the order of the index
    INSERT INTO postings (bank_id, term, note_id, frequency, length)
    SELECT
        :bank,
        p.term,
        (CAST(:notes AS uuid[]))[p.place],
        p.frequency,
        (CAST(:lengths AS integer[]))[p.place]
    FROM unnest(
        CAST(:terms AS text[]),
        CAST(:places AS integer[]),
        CAST(:frequencies AS integer[])
    ) AS p (term, place, frequency)
    ORDER BY p.term COLLATE "C", p.place
    """
)

_COUNT_IN = sa.text(f"WITH {_COUNTED_IN} {_COUNTED_ANEW}")

_CLAIM = sa.text(
    """
    -- whose text is still the one that was tokenised? Locked in one order, as recalls lock them
    WITH same AS (
        SELECT n.id
        FROM notes n
        JOIN unnest(CAST(:ids AS uuid[]), CAST(:hashes AS bytea[])) AS t (id, content_hash) ON t.id = n.id
        WHERE n.bank_id = :bank
            AND n.content_hash = t.content_hash
            AND n.deleted_at IS NULL
            AND n.reach = 'full'
            AND n.tokenised_by IS DISTINCT FROM :rule
        ORDER BY n.id
        FOR NO KEY UPDATE OF n
    )
    UPDATE notes n
    SET tokenised_by = :rule
    FROM same
    WHERE n.bank_id = :bank
        AND n.id = same.id
    RETURNING n.id
    """
)

_NOT_TOKENISED_BY = sa.text(
    """
    -- whose terms are missing or were made by another rule?
    SELECT n.bank_id, n.id, n.content, n.content_hash
    FROM notes n
    WHERE n.deleted_at IS NULL
        AND n.reach = 'full'
        AND n.tokenised_by IS DISTINCT FROM :rule
    ORDER BY n.bank_id, n.id
    LIMIT :count
    """
)


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """How many notes of a bank have terms, how many terms on average, and in how many each asked term is."""

    notes: int
    average: float
    containing: Mapping[str, int]


_NOTHING = Statistics(notes=0, average=0.0, containing={})


@dataclass(frozen=True, kw_only=True)
class Untokenised:
    """A note whose terms are missing or were made by another rule."""

    bank: str
    id: UUID
    content: str
    content_hash: bytes


_SCORED = """
        WITH totals AS MATERIALIZED (
            SELECT
                CAST(sum(t.notes) AS double precision) AS notes,
                CAST(sum(t.length) AS double precision) / sum(t.notes) AS average
            FROM lexical_totals t
            WHERE t.bank_id = :bank
            HAVING sum(t.notes) > 0
        ), counted AS MATERIALIZED (
            -- nobody counts on beyond the limit: it is a common term then
            SELECT a.term, first_ones.notes
            FROM unnest(CAST(:terms AS text[])) AS a (term)
            CROSS JOIN LATERAL (
                SELECT CAST(count(*) AS double precision) AS notes
                FROM (
                    SELECT
                    FROM postings p
                    WHERE p.bank_id = :bank
                        AND p.term = a.term
                    LIMIT :counted
                ) AS held
            ) AS first_ones
        ), chosen AS MATERIALIZED (
            -- the rarest terms whose postings fit into the limit together, the rarest of all in any case
            SELECT c.term, ln(1 + (greatest(t.notes - c.notes, 0) + 0.5) / (c.notes + 0.5)) AS idf
            FROM (
                SELECT k.term, k.notes, sum(k.notes) OVER (ORDER BY k.notes, k.term) AS running
                FROM counted k
                WHERE k.notes > 0
            ) AS c
            CROSS JOIN totals t
            WHERE c.running <= :limit
                OR c.running = c.notes
        ), scored AS (
            SELECT
                p.note_id,
                sum(c.idf * p.frequency / (p.frequency + :k1 * (1 - :b + :b * p.length / t.average))) AS score
            FROM chosen c
            CROSS JOIN totals t
            CROSS JOIN LATERAL (
                SELECT own.note_id, own.frequency, own.length
                FROM postings own
                WHERE own.bank_id = :bank
                    AND own.term = c.term
                ORDER BY own.note_id DESC
                LIMIT :limit
            ) AS p
            GROUP BY p.note_id
        )"""
"""How the notes that hold the terms score: the terms are counted, the rarest chosen, their postings summed."""


@cache
def best(narrowing: str) -> sa.TextClause:
    """Return the statement: in how many notes is each term, and which live notes, narrowed by `conditions`, score best?

    Its rows are those of the terms (term, notes that hold it, notes of the bank, average length), then those of the
    notes (id, score). One statement, as what is scored depends on the counts alone.
    """
    # only live notes have terms; looked up one by one, so that the search ends with the last note it needs
    looked_up = f"""
            CROSS JOIN LATERAL (
                SELECT
                FROM notes n
                WHERE n.bank_id = :bank
                    AND n.id = s.note_id{narrowing}
                LIMIT 1
            ) AS wanted"""
    return sa.text(
        f"""
        {_SCORED.strip()}, found AS (
            SELECT s.note_id, s.score
            FROM (SELECT note_id, score FROM scored ORDER BY score DESC, note_id) AS s{looked_up if narrowing else ""}
            ORDER BY s.score DESC, s.note_id
            LIMIT :pool
        )
        SELECT c.term, CAST(NULL AS uuid) AS note_id, c.notes AS value, t.notes, t.average
        FROM counted c
        CROSS JOIN totals t
        UNION ALL
        SELECT NULL, f.note_id, f.score, NULL, NULL
        FROM found f
        """
    )


async def add(tx: Tx, tokenised: Mapping[UUID, Mapping[str, int]]) -> None:
    """Store the terms of notes that have none, with how often each occurs.

    The notes must be new or locked by `tx`. Totals of the bank follow in the same transaction; nobody waits for them.
    """
    lengths = [sum(terms.values()) for terms in tokenised.values()]
    rows = [
        (term, place, frequency)
        for place, terms in enumerate(tokenised.values(), start=1)
        for term, frequency in terms.items()
    ]
    if rows:
        await tx.count(
            _ADD,
            notes=list(tokenised),
            lengths=lengths,
            terms=[term for term, _, _ in rows],
            places=[place for _, place, _ in rows],
            frequencies=[frequency for _, _, frequency in rows],
            count=sum(map(bool, lengths)),
            length=sum(lengths),
        )


async def forget(tx: Tx, ids: Sequence[UUID]) -> None:
    """Remove every term of these notes, which `tx` must have locked or deleted."""
    row = await tx.one_or_none(_FORGET, ids=list(ids))
    assert row is not None
    if row["notes"]:
        await tx.count(_COUNT_IN, count=-row["notes"], length=-row["length"])


async def search(
    tx: Tx, terms: Sequence[str], *, wanted: filters.Filter, pool: int
) -> tuple[Statistics, dict[UUID, float]]:
    """Return the terms' statistics, and the `pool` best notes with any of them that pass the filter, best first.

    The notes come with their BM25, above 0: exact as long as the terms have at most `POSTINGS_LIMIT` postings together
    and, where there are more than 16 terms, each is in at most 16 * `POSTINGS_LIMIT` / terms notes. Beyond, the rarest
    terms alone are scored, and of a rarest term that is itself too common, its newest notes. Counts stop there as well.
    """
    asked = list(dict.fromkeys(terms))
    if not asked:
        return _NOTHING, {}
    rows = await tx.rows(best(conditions.narrowing(wanted)), **binds(asked, wanted, pool=pool))
    known = [row for row in rows if row[0] is not None]
    if not known:
        return _NOTHING, {}
    *_, notes, average = known[0]
    containing = {term: int(held) for term, _, held, _, _ in known}
    # a union keeps no order
    best_first = sorted((-score, id) for _, id, score, _, _ in rows[len(known) :])
    return Statistics(notes=int(notes), average=average, containing=containing), {
        id: -score for score, id in best_first
    }


def binds(terms: Sequence[str], wanted: filters.Filter, *, pool: int) -> dict[str, object]:
    """Return the binds of `best`."""
    return {
        "terms": list(terms),
        "counted": 1 + min(POSTINGS_LIMIT, max(_COUNTED_LIMIT // len(terms), _SHORTEST_COUNT)),
        "limit": POSTINGS_LIMIT,
        "k1": bm25.K1,
        "b": bm25.B,
        "pool": pool,
        **conditions.binds(wanted),
    }


async def claim(tx: Tx, notes: Sequence[Untokenised], *, rule: str) -> set[UUID]:
    """Lock these notes and record `rule` as theirs; return the ids of those that still need its terms."""
    rows = await tx.all(
        _CLAIM, ids=[each.id for each in notes], hashes=[each.content_hash for each in notes], rule=rule
    )
    return {row["id"] for row in rows}


async def not_tokenised_by(tx: StoreTx, rule: str, *, count: int) -> list[Untokenised]:
    """Return up to `count` live notes without terms made by `rule`, by bank."""
    return [
        Untokenised(bank=row["bank_id"], id=row["id"], content=row["content"], content_hash=row["content_hash"])
        for row in await tx.all(_NOT_TOKENISED_BY, rule=rule, count=count)
    ]
