"""Databases of every earlier version: what they hold is found after the start of this one, and no half is ever left."""

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import alembic.command
import alembic.config
import psycopg
import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from memory_bank import settings
from memory_bank.bootstrap import Parts, open_app
from memory_bank.domain import notes, recall
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Change
from memory_bank.store import database, schema
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.processes import CHECKOUT, Commands
from tests.waiting import eventually

BEGINNING = datetime(1999, 12, 31, 23, 59, 59, 123456, tzinfo=UTC)
COUNT = 100


def scripts() -> alembic.config.Config:
    config = alembic.config.Config()
    config.set_main_option("script_location", str(schema.migrations_folder()))
    return config


EARLIER = [each.revision for each in ScriptDirectory.from_config(scripts()).walk_revisions()][:0:-1]


def migrated_to(url: str, revision: str) -> None:
    """Bring an empty database to the schema of an earlier version."""
    engine = sa.create_engine(database.driver_url(url), poolclass=sa.NullPool)
    with engine.begin() as connection:
        config = scripts()
        config.attributes["connection"] = connection
        alembic.command.upgrade(config, revision)


def identifier(number: int) -> UUID:
    return UUID(int=0x019A2B3C00007000800000000000 << 16 | number)


def content(number: int) -> str:
    beside = "迁移计划 " if number % 5 == 0 else ""
    return f"old note number{number} about {beside}topic{number % 7}" + " tail" * (number % 3)


async def filled(url: str, embedder: FakeEmbedder) -> None:
    """Store what an earlier version may have held, in the columns that every version has."""
    windows = await embedder.embed_documents([content(number) for number in range(COUNT)])
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO banks (id, created_at) VALUES ('default', now())")
        connection.execute(
            "INSERT INTO embedding_model (name, dimensions) VALUES (%s, %s)", (embedder.name, embedder.dimensions)
        )
        for number in range(COUNT):
            tags = [] if number % 4 == 0 else [f"tag{number % 3}", "project:atlas"]
            connection.execute(
                """
                INSERT INTO notes (bank_id, id, kind, content, content_hash, context, tags, given_tags, session,
                                   position, occurred_at, updated_at, last_accessed, enrichment, analysed_by,
                                   embedded_by)
                VALUES ('default', %s, 'note', %s, %s, %s, %s, %s, %s, %s, %s, %s, 0, 'done', 'heuristic', %s)
                """,
                (
                    *(identifier(number), content(number), notes.content_hash(content(number))),
                    *("" if number % 2 else "given", tags, tags),
                    *((None, None) if number % 3 else ("session", number)),
                    *(BEGINNING + timedelta(days=number), BEGINNING, embedder.name),
                ),
            )
            for window, vector in enumerate(windows[number]):
                connection.execute(
                    "INSERT INTO embeddings VALUES ('default', %s, %s, %s)",
                    (identifier(number), window, str([float(each) for each in vector])),
                )
        for number in range(1, COUNT, 2):
            connection.execute(
                "INSERT INTO links VALUES ('default', %s, %s, 'causal', 'why so', 'user', 0.5, now())",
                (identifier(number - 1), identifier(number)),
            )


@pytest.mark.parametrize("revision", EARLIER)
async def test_everything_of_an_earlier_version_is_read_found_edited_and_deleted(
    empty_url: str, tmp_path: Path, embedder: FakeEmbedder, revision: str
) -> None:
    await asyncio.to_thread(migrated_to, empty_url, revision)
    await filled(empty_url, embedder)
    overrides = {"postgres.url": empty_url, "memory-bank.data-dir": str(tmp_path), "memory.similarity-threshold": "0.2"}
    own = settings.load(environ={}, cwd=tmp_path, overrides=overrides)
    async with open_app(own, parts=Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())) as app:
        got = [each.note for each in await app.notes.get("default", [identifier(n) for n in range(COUNT)])]
        assert [each.content for each in got] == [content(number) for number in range(COUNT)]
        assert [each.timestamp for each in got] == [BEGINNING + timedelta(days=number) for number in range(COUNT)]
        assert [bool(each.tags) for each in got] == [number % 4 != 0 for number in range(COUNT)]
        assert all(len(each.links) == 1 for each in got)
        await app.maintenance.tokenise()
        for number in range(COUNT):
            found = await app.recall.search("default", recall.Query(text=f"number{number}", limit=1))
            assert [each.note.id for each in found] == [identifier(number)]
        assert (await app.notes.browse("default", wanted=Filter(tags=("tag1",)), limit=200)).total == 25
        edited = await app.notes.update("default", identifier(7), Change(content="a new text", add_tags=("new",)))
        assert edited.content == "a new text"
        await app.notes.delete("default", identifier(8))
        assert (await app.notes.browse("default", wanted=Filter())).total == COUNT - 1


@contextlib.contextmanager
def holding(url: str, table: str) -> Iterator[None]:
    """Keep a lock that a migration of `table` must wait for."""
    with psycopg.connect(url) as connection:
        connection.execute(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
        yield


def waiting(url: str) -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    return row is not None and row[0] > 0


def revision_of(url: str) -> str | None:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


async def test_a_migration_that_is_killed_leaves_the_schema_it_found_and_may_be_begun_again(
    empty_url: str, embedder: FakeEmbedder
) -> None:
    first = EARLIER[0]
    await asyncio.to_thread(migrated_to, empty_url, first)
    await filled(empty_url, embedder)
    script = f"from memory_bank.store import schema; schema.update({empty_url!r})"
    with holding(empty_url, "notes"):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", script), env={"PYTHONPATH": str(CHECKOUT)}, cwd=CHECKOUT
        )
        try:
            await eventually(lambda: waiting(empty_url))
        finally:
            process.kill()
            await process.wait()
        assert revision_of(empty_url) == first
    await asyncio.to_thread(schema.update, empty_url)
    schema.validate(empty_url)
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (COUNT,)


async def test_a_migration_that_fails_ends_the_start_with_2_and_changes_nothing(
    empty_url: str, graph_dir: Path, tmp_path: Path
) -> None:
    first = EARLIER[0]
    await asyncio.to_thread(migrated_to, empty_url, first)
    with psycopg.connect(empty_url, autocommit=True) as connection:
        # in the way of what a later version makes
        connection.execute("CREATE TABLE postings (stranger integer)")
    commands = Commands.on(empty_url, graph_dir=graph_dir, folder=tmp_path)
    refused = await asyncio.to_thread(commands.run, "serve", PORT="0")
    assert refused.code == 2
    assert "could not be migrated" in refused.stderr
    assert revision_of(empty_url) == first
