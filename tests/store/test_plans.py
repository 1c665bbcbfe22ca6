"""Every query shape of a search uses the index that it is meant to use."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
import pytest
import sqlalchemy as sa

from memory_bank.domain.filters import Filter, TagMatch
from memory_bank.domain.notes import Kind
from memory_bank.store import (
    conditions,
    embeddings,
    enrichment,
    entities,
    facts,
    notes,
    relations,
    schema,
    surroundings,
)
from memory_bank.store.database import Database
from tests.conftest import temporary_database
from tests.isolation import roles

BIG, SMALL = "big", "small"
BIG_SIZE, SMALL_SIZE = 4_000, 50
QUERY = embeddings.asked(np.ones(384, dtype=np.float32))

_FILL = """
    INSERT INTO notes (
        bank_id, id, kind, content, content_hash, tags, session, position, occurred_at, updated_at, last_accessed,
        enrichment
    )
    SELECT
        %(bank)s, gen_random_uuid(), 'note', 'text ' || n, decode(md5(%(bank)s || n), 'hex'),
        CASE WHEN n %% 400 = 0 THEN ARRAY['rare'] ELSE '{}' END, 'session ' || n / 20, n,
        now() - n * interval '1 minute', now(), 0, 'done'
    FROM generate_series(1, %(count)s) AS n
"""
_EMBED = """
    INSERT INTO embeddings (bank_id, note_id, window_index, embedding)
    SELECT bank_id, id, 0, array_agg(random() - 0.5)::vector(384)
    FROM notes
    CROSS JOIN generate_series(1, 384)
    GROUP BY bank_id, id
"""
_TERMS = """
    INSERT INTO postings (bank_id, term, note_id, frequency, length)
    SELECT bank_id, term, id, 1, 2
    FROM notes
    CROSS JOIN LATERAL unnest(string_to_array(content, ' ')) AS term
"""
_BELIEVE = """
    WITH made AS (
        INSERT INTO entities (bank_id, id, name, types, created_at, last_seen)
        SELECT %(bank)s, gen_random_uuid(), 'thing ' || n, '{other}', now(), now()
        FROM generate_series(1, 2000) AS n
        RETURNING id, name
    ), named AS (
        INSERT INTO entity_names (bank_id, key, entity_id, name)
        SELECT %(bank)s, name, id, name FROM made
    ), related AS (
        INSERT INTO relations (bank_id, from_id, type, to_id, evidence, created_at, last_validated)
        SELECT %(bank)s, id, 'uses', lead(id, 1, id) OVER (ORDER BY id), 1, now(), now() FROM made
    )
    INSERT INTO facts (bank_id, note_id, entity_id, content, confirmations, first_seen, last_confirmed)
    SELECT %(bank)s, n.id, made.id, n.content, 1, now(), now()
    FROM (SELECT id, content, row_number() OVER (ORDER BY id) AS place FROM notes WHERE bank_id = %(bank)s) AS n
    JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM made) AS made ON made.place = 1 + n.place / 2
"""

_LINK = """
    INSERT INTO links (bank_id, source_id, target_id, type, explanation, origin, confidence, created_at)
    SELECT %(bank)s, id, next, 'example', '', 'user', 1, now()
    FROM (SELECT id, lead(id) OVER (ORDER BY id) AS next FROM notes) AS pairs
    WHERE next IS NOT NULL
"""


@pytest.fixture(params=["superuser", "ordinary"], scope="module")
def filled(request: pytest.FixtureRequest, server_url: str, template: str) -> Iterator[str]:
    """The URL of a database with a big bank and a small one beside it, which no test changes; for either login."""
    if request.param == "superuser":
        with temporary_database(server_url, template=template) as url:
            fill(url)
            yield url
    else:
        with roles.ordinary(server_url) as url:
            schema.update(url)
            fill(url)
            yield url


def fill(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for bank, count in ((BIG, BIG_SIZE), (SMALL, SMALL_SIZE)):
            connection.execute("INSERT INTO banks VALUES (%s, now())", [bank])
            connection.execute(_FILL.encode(), {"bank": bank, "count": count})
        connection.execute(_EMBED.encode())
        connection.execute(_BELIEVE.encode(), {"bank": BIG})
        connection.execute("VACUUM ANALYZE")


async def plan(url: str, statement: sa.TextClause, bank: str, **binds: Any) -> str:
    """Return how PostgreSQL runs a statement of this bank."""
    database = Database(url)
    try:
        async with database.transaction(bank) as tx:
            rows = await tx.all(sa.text(f"EXPLAIN {statement.text}"), **binds)
    finally:
        await database.close()
    return "\n".join(row["QUERY PLAN"] for row in rows)


def nearest(wanted: Filter, *, count: int = 30) -> Mapping[str, Any]:
    return {"query": QUERY, "count": count, **conditions.binds(wanted)}


def around() -> Mapping[str, Any]:
    return {
        "ids": [uuid4() for _ in range(60)],
        "unmeasured": [uuid4() for _ in range(30)],
        "query": QUERY,
        "terms": ["text"],
    }


async def test_a_big_bank_is_searched_by_the_vector_index(filled: str) -> None:
    assert "ix_embeddings_embedding" in await plan(filled, embeddings.nearest(""), BIG, **nearest(Filter()))


async def test_a_filter_that_lets_much_through_leaves_the_vector_index_its_work(filled: str) -> None:
    for wanted in (Filter(kinds=(Kind.NOTE,)), Filter(project="project:atlas")):
        narrowing = conditions.narrowing(wanted)
        assert "ix_embeddings_embedding" in await plan(filled, embeddings.nearest(narrowing), BIG, **nearest(wanted))


async def test_every_plan_is_that_of_a_confined_role(filled: str) -> None:
    told = await plan(filled, embeddings.nearest(""), BIG, **nearest(Filter()))
    assert "current_setting('memory_bank.bank'" in told


async def test_a_small_bank_is_scanned_exactly(filled: str) -> None:
    told = await plan(filled, embeddings.nearest(""), SMALL, **nearest(Filter()))
    assert "ix_embeddings_embedding" not in told
    assert "pk_embeddings" in told
    assert "Seq Scan on embeddings" not in told


async def test_a_listing_walks_the_index_by_time(filled: str) -> None:
    told = await plan(filled, notes.listing("", after=False), BIG, count=21)
    assert "ix_notes_live_by_time" in told
    # the links of each note are sorted, never the notes
    assert "Sort Key: n." not in told
    assert "Seq Scan on notes" not in told


async def test_a_rare_tag_in_a_big_bank_starves_no_search(filled: str) -> None:
    database = Database(filled)
    try:
        async with database.transaction(BIG) as tx:
            query = embeddings.asked(np.ones(384, dtype=np.float32))
            for match in TagMatch:
                wanted = Filter(tags=("rare",), tag_match=match)
                found = await embeddings.search(tx, query, wanted=wanted, pool=30)
                assert len(found) == BIG_SIZE // 400
                assert [each.similarity for each in found] == sorted((each.similarity for each in found), reverse=True)
    finally:
        await database.close()


async def test_whatever_the_filter_no_search_and_no_listing_reads_all_notes(filled: str) -> None:
    for wanted, index in (
        (Filter(tags=("rare",)), "ix_notes_tags"),
        (Filter(session="session 7"), "ix_notes_live_by_session"),
        (Filter(ids=(UUID(int=1),)), "pk_notes"),
        (Filter(kinds=(Kind.NOTE,)), "ix_notes_live_by_time"),
        (Filter(since=datetime(2020, 1, 1, tzinfo=UTC)), "ix_notes_live_by_time"),
        (Filter(until=datetime(2040, 1, 1, tzinfo=UTC)), "ix_notes_live_by_time"),
        (Filter(project="project:atlas"), "ix_notes_live_by_time"),
    ):
        narrowing, binds = conditions.narrowing(wanted), conditions.binds(wanted)
        told = await plan(filled, notes.listing(narrowing, after=False), BIG, count=21, **binds)
        assert index in told
        told = await plan(filled, embeddings.nearest(narrowing), BIG, **nearest(wanted))
        assert "Seq Scan on notes" not in told, wanted
        for statement in (surroundings.own(narrowing), surroundings.next_to(narrowing)):
            told = await plan(filled, statement, BIG, **around(), **binds)
            assert "Seq Scan on notes" not in told, wanted


async def test_beliefs_are_found_by_their_indexes(filled: str) -> None:
    for statement, index, binds in (
        (facts.OF_ENTITIES, "ix_facts_bank_id_entity_id", {"entities": [UUID(int=1)]}),
        (facts.EARLIER, "ix_facts_bank_id_superseded_by", {"ids": [UUID(int=1)]}),
        (entities.OWNERS, "pk_entity_names", {"keys": ["thing 7"]}),
        (relations.AROUND, "ix_relations_bank_id_to_id", {"ids": [UUID(int=1)], "types": None, "count": 20}),
    ):
        assert index in await plan(filled, statement, BIG, **binds)


async def test_work_that_is_left_is_counted_without_reading_what_is_done(filled: str) -> None:
    database = Database(filled)
    try:
        async with database.whole_store() as tx:
            rows = await tx.all(sa.text(f"EXPLAIN {enrichment.UNFINISHED.text}"))
    finally:
        await database.close()
    assert "ix_notes_unenriched" in "\n".join(row["QUERY PLAN"] for row in rows)


async def test_surroundings_are_fetched_by_key(filled: str) -> None:
    for statement in (surroundings.own(""), surroundings.next_to("")):
        told = await plan(filled, statement, BIG, **around())
        assert "Seq Scan on notes" not in told
        assert "pk_embeddings" in told
    assert "ix_notes_live_by_session" in told


@pytest.mark.parametrize("size", [surroundings.KEPT_FROM - 1, surroundings.KEPT_FROM])
async def test_a_plan_for_surroundings_is_kept_only_where_it_fits_however_far_the_bank_grows(
    url: str, size: int
) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO banks VALUES (%s, now())", [BIG])
        connection.execute(_FILL.encode(), {"bank": BIG, "count": size})
        connection.execute(_EMBED.encode())
        connection.execute(_TERMS.encode())
        connection.execute("VACUUM ANALYZE")
    told = await plan(url, surroundings.own(""), BIG, **around())
    database = Database(url)
    try:
        async with database.transaction(BIG) as tx:
            for _ in range(10):
                ids = [uuid4() for _ in range(60)]
                await surroundings.of_notes(tx, ids, terms=["text"], wanted=Filter(), bank_size=size)
            kept = await tx.all(sa.text("SELECT FROM pg_prepared_statements WHERE statement LIKE '%embeddings%'"))
    finally:
        await database.close()
    assert bool(kept) == (size >= surroundings.KEPT_FROM)
    assert not kept or "Seq Scan" not in told


async def test_the_ends_of_links_are_found_by_key_before_anybody_has_analysed_the_tables(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("notes", "links"):
            connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)".encode())
        connection.execute("INSERT INTO banks VALUES (%s, now())", [BIG])
        connection.execute(_FILL.encode(), {"bank": BIG, "count": 1_000})
        connection.execute(_LINK.encode(), {"bank": BIG})
    told = await plan(url, notes.BY_IDS, BIG, ids=[UUID(int=1)])
    assert "using pk_notes on notes far" in told
    assert "using pk_links on links own" in told
    assert "using ix_links_bank_id_target_id on links own" in told
