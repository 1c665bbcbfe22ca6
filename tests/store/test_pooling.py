"""Behind a pooler that lends a connection for one transaction: nothing may be left on it for the next client."""

import asyncio
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from memory_bank import settings
from memory_bank.bootstrap import Parts, open_app
from memory_bank.domain.notes import Draft
from memory_bank.domain.recall import Query
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder

CALLS = 60


@pytest.mark.parametrize("prepared", [True, False])
async def test_statements_are_prepared_and_settings_kept_only_where_connections_are_our_own(
    url: str, tmp_path: Path, embedder: FakeEmbedder, prepared: bool
) -> None:
    overrides = {
        "postgres.url": url,
        "postgres.pool-size": "3",
        "postgres.prepared-statements": str(prepared).lower(),
        "memory-bank.data-dir": str(tmp_path),
    }
    loaded = settings.load(environ={}, cwd=tmp_path, overrides=overrides)
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())
    with psycopg.connect(url) as connection:
        connection.execute("SELECT NULL::vector")
        row = connection.execute("SHOW hnsw.iterative_scan").fetchone()
    async with open_app(loaded, parts=parts) as app:
        await app.notes.add_all("default", [Draft(content=f"alpha {n}") for n in range(20)])
        work = [app.recall.search("default", Query(text=f"alpha {n % 20}")) for n in range(CALLS)]
        work += [app.notes.add("default", Draft(content=f"beta {n}")) for n in range(CALLS // 3)]  # type: ignore[misc]
        await asyncio.gather(*work)
        async with app.maintenance._database.whole_store() as tx:
            kept = await tx.one_or_none(sa.text("SELECT count(*) AS statements FROM pg_prepared_statements"))
            tuned = await tx.one_or_none(sa.text("SELECT current_setting('hnsw.iterative_scan') AS scan"))
    assert kept is not None
    assert tuned is not None
    assert row is not None
    if prepared:
        assert tuned["scan"] != row[0]
    else:
        assert kept["statements"] == 0
        assert tuned["scan"] == row[0]
