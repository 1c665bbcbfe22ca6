"""The lexical arm: BM25 as a reference computes it, statistics that stay right, and hostile input."""

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import bm25s
import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from uuid_utils import compat

from memory_bank.domain import bm25, filters
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Draft
from memory_bank.store import lexical, notes
from memory_bank.store.database import Database, Tx

NOW = datetime(2026, 3, 10, tzinfo=UTC)
BANK = "default"
PATIENCE = 60
EVERYTHING = Filter()

Terms = Mapping[str, int]


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = Database(url, pool_size=8)
    yield opened
    await opened.close()


async def store(tx: Tx, documents: Sequence[Terms], **fields: object) -> list[UUID]:
    """Add a note for each document; its content is of no interest here."""
    new = [
        notes.New(id=compat.uuid7(), draft=Draft(content=str(compat.uuid7()), **fields), embedded_by=None)  # type: ignore[arg-type]
        for _ in documents
    ]
    await notes.add(tx, new, tokenised_by="test", now=NOW)
    await lexical.add(tx, {each.id: terms for each, terms in zip(new, documents, strict=True)})
    return [each.id for each in new]


async def found(
    database: Database, *terms: str, bank: str = BANK, wanted: Filter = EVERYTHING, pool: int = 30
) -> dict[UUID, float]:
    async with database.transaction(bank) as tx:
        return (await lexical.search(tx, terms, wanted=wanted, pool=pool))[1]


def expected(documents: Mapping[UUID, Terms], query: Sequence[str]) -> dict[UUID, float]:
    """Return the scores above 0 that the reference gives."""
    filled = {id: terms for id, terms in documents.items() if terms}
    known = {term for terms in filled.values() for term in terms}
    asked = [term for term in dict.fromkeys(query) if term in known]
    if not asked:
        return {}
    reference = bm25s.BM25(k1=bm25.K1, b=bm25.B, method="lucene", dtype="float64")
    reference.index([list(Counter(terms).elements()) for terms in filled.values()], show_progress=False)
    scores = reference.get_scores(asked)
    return {id: float(score) for id, score in zip(filled, scores, strict=True) if score > 0}


async def require_reference(database: Database, documents: Mapping[UUID, Terms], query: Sequence[str]) -> None:
    right = expected(documents, query)
    got = await found(database, *query, pool=len(documents) + 1)
    assert got == pytest.approx(right, abs=1e-6)
    assert list(got.values()) == sorted(got.values(), reverse=True)


WORDS = st.sampled_from(["a", "b", "c", "d", "e", "迁移", "💡", "'; --", "%", "x" * 64])
DOCUMENT = st.dictionaries(WORDS, st.integers(1, 9), max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=st.lists(DOCUMENT, max_size=12),
    later=st.lists(DOCUMENT, max_size=6),
    query=st.lists(WORDS, max_size=6),
    seed=st.randoms(),
)
async def test_scores_are_those_of_a_reference_implementation(
    database: Database, first: list[Terms], later: list[Terms], query: list[str], seed: random.Random
) -> None:
    bank = str(compat.uuid7())
    async with database.transaction(bank) as tx:
        ids = await store(tx, first)
        documents = dict(zip(ids, first, strict=True))
        rewritten = dict(zip(ids[: len(later)], later, strict=False))
        await lexical.forget(tx, list(rewritten))
        await lexical.add(tx, rewritten)
        documents |= rewritten
        gone = seed.sample(ids, k=len(ids) // 3)
        await lexical.forget(tx, gone)
        await lexical.forget(tx, gone)
        for id in gone:
            del documents[id]
    right = expected(documents, query)
    got = await found(database, *query, bank=bank, pool=30)
    assert got == pytest.approx(right, abs=1e-6)
    assert list(got.values()) == sorted(got.values(), reverse=True)


async def totals(database: Database, bank: str = BANK) -> tuple[int, int, int]:
    async with database.transaction(bank) as tx:
        row = await tx.one_or_none(
            sa.text(
                "SELECT count(*) AS slots, sum(notes) AS notes, sum(length) AS length "
                "FROM lexical_totals WHERE bank_id = :bank"
            )
        )
    assert row is not None
    return row["slots"], row["notes"], row["length"]


async def test_statistics_stay_right_while_many_connections_add_change_and_delete(database: Database) -> None:
    documents: dict[UUID, Terms] = {}

    async def work(seed: int) -> None:
        draw = random.Random(seed)

        def document() -> Terms:
            return {draw.choice("abcdefghij"): draw.randint(1, 4) for _ in range(draw.randint(0, 6))}

        mine: list[UUID] = []
        for _ in range(12):
            async with database.transaction(BANK) as tx:
                batch = [document() for _ in range(draw.randint(1, 8))]
                ids = await store(tx, batch)
                documents.update(zip(ids, batch, strict=True))
                mine += ids
                changed, gone = draw.choice(mine), draw.choice(mine)
                documents[changed] = document()
                await lexical.forget(tx, [changed])
                await lexical.add(tx, {changed: documents[changed]})
                await lexical.forget(tx, [gone])
                mine.remove(gone)
                del documents[gone]

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*map(work, range(8)))
    slots, counted, length = await totals(database)
    assert counted == sum(map(bool, documents.values()))
    assert length == sum(sum(terms.values()) for terms in documents.values())
    assert slots <= 2 * 8
    await require_reference(database, documents, ["a", "c", "j"])


async def test_a_writer_that_has_not_finished_stops_no_other_and_is_not_seen(database: Database) -> None:
    async with asyncio.timeout(PATIENCE):
        async with database.transaction(BANK) as tx:
            (first,) = await store(tx, [{"same": 1}])
        async with database.transaction(BANK) as slow:
            await store(slow, [{"same": 1, "slow": 1}])
            async with database.transaction(BANK) as quick:
                (second,) = await store(quick, [{"same": 1, "quick": 2}])
            documents: dict[UUID, Terms] = {first: {"same": 1}, second: {"same": 1, "quick": 2}}
            await require_reference(database, documents, ["same", "slow", "quick"])
    assert (await totals(database))[0] == 2


async def test_an_undone_change_leaves_no_trace(database: Database) -> None:
    async with database.transaction(BANK) as tx:
        (kept,) = await store(tx, [{"kept": 1}])
    with contextlib.suppress(RuntimeError):
        async with database.transaction(BANK) as tx:
            await store(tx, [{"undone": 1}])
            await lexical.forget(tx, [kept])
            raise RuntimeError
    await require_reference(database, {kept: {"kept": 1}}, ["kept", "undone"])
    assert await totals(database) == (1, 1, 1)


async def test_banks_share_neither_notes_nor_statistics(database: Database) -> None:
    async with database.transaction("other") as tx:
        await store(tx, [{"word": 3, "more": n + 1} for n in range(20)])
    async with database.transaction(BANK) as tx:
        mine = {"word": 1, "rest": 2}
        (id,) = await store(tx, [mine])
    await require_reference(database, {id: mine}, ["word", "more"])
    assert await found(database, "word", bank="nobody") == {}


async def test_a_filter_chooses_among_notes_and_changes_no_score(database: Database) -> None:
    async with database.transaction(BANK) as tx:
        plain = await store(tx, [{"word": 5, "other": n + 1} for n in range(40)])
        tagged = await store(tx, [{"word": 1, "long": 30}, {"word": 1, "long": 40}], tags=("rare",))
        late = await store(tx, [{"word": 1, "late": 1}], timestamp=NOW + timedelta(days=1), session="s")
    everything = await found(database, "word", pool=100)
    assert set(everything) == {*plain, *tagged, *late}
    for wanted, ids in {
        filters.checked(tags=["rare"]): tagged,
        filters.checked(since=NOW + timedelta(hours=1)): late,
        filters.checked(session="s"): late,
        filters.checked(tags=["none"]): [],
        filters.checked(project="p"): [*plain, *tagged, *late],
    }.items():
        got = await found(database, "word", wanted=wanted, pool=50)
        assert got == {id: everything[id] for id in ids}


async def test_equal_scores_are_ordered_by_id_and_the_pool_is_kept(database: Database) -> None:
    async with database.transaction(BANK) as tx:
        ids = await store(tx, [{"same": 1}] * 20)
    assert list(await found(database, "same", pool=5)) == sorted(ids)[:5]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=64), max_size=9
    )
)
async def test_terms_are_data(database: Database, terms: list[str]) -> None:
    bank = str(compat.uuid7())
    async with database.transaction(bank) as tx:
        ids = await store(tx, [dict.fromkeys(terms, 1), {"untouched": 1}])
    got = await found(database, *terms, bank=bank)
    assert set(got) == (({ids[0]} if terms else set()) | ({ids[1]} if "untouched" in terms else set()))


async def test_no_term_and_unknown_terms_find_nothing(database: Database) -> None:
    assert await found(database) == {}
    assert await found(database, "anything") == {}
    async with database.transaction(BANK) as tx:
        await store(tx, [{"word": 1}, {}])
    assert await found(database) == {}
    assert await found(database, "anything") == {}


async def fill(url: str, count: int, *, common: str) -> None:
    """Add `count` notes that all hold the term `common`, one in ten also `some`, and each a term of its own."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("INSERT INTO banks VALUES (%s, now())", [BANK])
        await connection.execute(
            """
            INSERT INTO notes (
                bank_id, id, kind, content, content_hash, occurred_at, updated_at, last_accessed, enrichment
            )
            SELECT %s, uuidv7(), 'note', n::text, sha256(n::text::bytea), now(), now(), 0, 'done'
            FROM generate_series(1, %s) AS n
            """,
            [BANK, count],
        )
        await connection.execute(
            """
            INSERT INTO postings
            SELECT n.bank_id, t.term, n.id, 1, 2
            FROM notes n
            CROSS JOIN LATERAL (
                VALUES (%s), ('own' || n.content), (CASE WHEN n.content LIKE '%%0' THEN 'some' END)
            ) AS t (term)
            WHERE t.term IS NOT NULL
            """,
            [common],
        )
        await connection.execute(
            "INSERT INTO lexical_totals (bank_id, notes, length) VALUES (%s, %s, %s)", [BANK, count, 2 * count]
        )
        await connection.execute("VACUUM ANALYZE postings")
        await connection.execute("ANALYZE notes")


async def plan(database: Database, terms: Sequence[str]) -> str:
    async with database.transaction(BANK) as tx:
        rows = await tx.all(
            sa.text(f"EXPLAIN (ANALYZE, BUFFERS) {lexical.best('').text}"),
            **lexical.binds(terms, EVERYTHING, pool=30),
        )
    return "\n".join(row["QUERY PLAN"] for row in rows)


async def test_a_search_reads_the_covering_index_alone_and_stops_a_common_term(database: Database, url: str) -> None:
    await fill(url, lexical.POSTINGS_LIMIT + 5_000, common="the")
    rare = await plan(database, ["the", "some", "own77"])
    assert "Index Only Scan using pk_postings" in rare
    assert "Seq Scan" not in rare
    got = await found(database, "the", "own77", "some")
    exact = await found(database, "own77", "some")
    assert got == exact
    assert len(got) == 30
    common = await plan(database, ["the"])
    assert "Index Only Scan Backward using pk_postings" in common
    assert f"rows={lexical.POSTINGS_LIMIT}.00 loops=1" in common
    newest = await found(database, "the", pool=lexical.POSTINGS_LIMIT + 10)
    assert len(newest) == lexical.POSTINGS_LIMIT
    many = [f"own{n}" for n in range(250)] + ["the", "some"]
    assert len(await found(database, *many, pool=200)) == 200
