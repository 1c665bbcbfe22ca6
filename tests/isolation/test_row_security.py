"""The second wall: within a transaction of a bank PostgreSQL knows no other, whatever a statement says."""

import logging
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql

from memory_bank.errors import ConfigurationError, Conflict
from memory_bank.store import confinement, schema
from memory_bank.store.database import Database, Tx, driver_url
from tests.conftest import temporary_database
from tests.isolation import roles, worlds
from tests.isolation.bait import ASKING, BESIDE
from tests.isolation.worlds import World

SCRIPT = Path(__file__).resolve().parents[2] / "docker" / "postgres" / "ordinary-role.sh"
BANKED = [(table, "id" if table == "banks" else "bank_id") for table in confinement.BANKED]
SHOWN = [*BANKED, *((view, "bank_id") for view in confinement.OWN_VIEWS)]


@pytest.fixture(params=["superuser", "ordinary"], scope="module")
def login(request: pytest.FixtureRequest, server_url: str, template: str) -> Iterator[str]:
    """The URL of a migrated database, as a superuser or as the documented role."""
    if request.param == "superuser":
        with temporary_database(server_url, template=template) as url:
            yield url
    else:
        with roles.ordinary(server_url) as url:
            schema.update(url)
            yield url


@pytest.fixture(scope="module")
async def world(login: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """A store with two filled banks, which no test changes."""
    async with worlds.opened(login, tmp_path_factory.mktemp("world")) as opened:
        yield opened


async def banks_in(tx: Tx, table: str, column: str) -> list[str]:
    return [row["bank"] for row in await tx.all(sa.text(f"SELECT DISTINCT {column} AS bank FROM {table}"))]


async def test_a_statement_that_forgets_its_bank_sees_that_bank_alone(world: World) -> None:
    for open_it in (world.database.transaction, world.database.reading, world.database.snapshot):
        for bank in (ASKING, BESIDE):
            async with open_it(bank) as tx:
                for table, column in SHOWN:
                    assert await banks_in(tx, table, column) == [bank], table


async def test_no_row_can_be_written_into_another_bank(world: World) -> None:
    for table, column in BANKED:
        copied = f"""
            INSERT INTO {table} OVERRIDING SYSTEM VALUE
            SELECT (jsonb_populate_record(t, jsonb_build_object('{column}', '{ASKING}'))).*
            FROM {table} t
        """
        for statement in (copied, f"UPDATE {table} SET {column} = '{ASKING}'"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                async with world.database.transaction(BESIDE) as tx:
                    await tx.count(sa.text(statement))


async def test_changes_without_a_bank_end_at_the_wall(world: World) -> None:
    async with world.database.transaction(BESIDE) as tx:
        (row,) = await tx.all(sa.text("SELECT count(*) AS count FROM postings WHERE bank_id = CAST(:bank AS text)"))
        assert await tx.count(sa.text("UPDATE postings SET frequency = frequency")) == row["count"] > 0
        assert await tx.count(sa.text("DELETE FROM postings")) == row["count"]
        await tx.driver.rollback()
    async with world.database.transaction(ASKING) as tx:
        assert await banks_in(tx, "postings", "bank_id") == [ASKING]


async def test_without_a_bank_nothing_is_seen(world: World) -> None:
    with psycopg.connect(world.url) as connection:
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(_role(world.url))))
        for table, _ in SHOWN:
            assert connection.execute(sql.SQL("SELECT FROM {}").format(sql.Identifier(table))).fetchall() == []


@pytest.mark.parametrize(
    "statement",
    ["SELECT FROM tokens", "SELECT FROM backups", "TRUNCATE notes", "ALTER TABLE notes DISABLE ROW LEVEL SECURITY"],
)
async def test_what_is_nobodys_own_is_out_of_a_banks_reach(world: World, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with world.database.transaction(ASKING) as tx:
            await tx.count(sa.text(statement))


async def test_a_transaction_leaves_its_connection_as_it_found_it(world: World) -> None:
    asked = sa.text("SELECT current_user = session_user AS own, current_setting('memory_bank.bank', true) AS bank")
    database = Database(world.url, pool_size=1)
    try:
        async with database.transaction(ASKING) as tx:
            (confined,) = await tx.all(asked)
        with pytest.raises(Conflict):
            async with database.transaction(ASKING):
                raise Conflict("it goes no further")
        async with database.whole_store() as store_tx:
            (free,) = await store_tx.all(asked)
    finally:
        await database.close()
    assert confined == {"own": False, "bank": ASKING}
    assert free == {"own": True, "bank": ""}


async def test_the_whole_store_is_seen_by_the_transactions_that_say_so(world: World) -> None:
    async with world.database.whole_store() as tx:
        found = await tx.all(sa.text("SELECT DISTINCT bank_id FROM notes ORDER BY 1"))
    wall = _wall(world.url)
    assert [row["bank_id"] for row in found] == [ASKING, BESIDE]
    assert wall.stands
    assert wall.remedy == ""


async def test_where_the_role_is_missing_everything_works_and_the_remedy_works_too(
    server_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with roles.ordinary(server_url) as url:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(f"DROP ROLE {roles.NAME}_confined".encode())
        with caplog.at_level(logging.WARNING):
            async with worlds.opened(url, tmp_path) as opened:
                assert await opened.app.notes.get(ASKING, opened.other.ids) == []
        wall = _wall(url)
        assert not wall.stands
        assert wall.remedy in caplog.text
        statements = wall.remedy.removeprefix("as a superuser run: ").removesuffix(" Then start again.")
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(statements.encode())
        schema.update(url)
        database = Database(url)
        try:
            async with database.transaction(BESIDE) as bank_tx:
                assert await banks_in(bank_tx, "notes", "bank_id") == [BESIDE]
        finally:
            await database.close()


async def test_a_store_of_an_earlier_version_gets_its_wall_at_the_next_start(empty_url: str) -> None:
    with schema.connected(empty_url) as connection:
        schema.upgrade(connection, "2026_11_30_tokens")
        for bank in (ASKING, BESIDE):
            connection.execute(sa.text("INSERT INTO banks VALUES (:bank, now())"), {"bank": bank})
    schema.update(empty_url)
    assert _wall(empty_url).stands
    database = Database(empty_url)
    try:
        async with database.transaction(BESIDE) as tx:
            assert await banks_in(tx, "banks", "id") == [BESIDE]
    finally:
        await database.close()


async def test_a_login_that_would_take_the_store_for_empty_is_refused(url: str) -> None:
    name = f"reader_{uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN".encode())
        admin.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {name}".encode())
        database = Database(sa.make_url(url).set(username=name).render_as_string(hide_password=False))
        try:
            with pytest.raises(ConfigurationError, match="sees no memories; log in as"):
                async with database.whole_store():
                    pass
            with pytest.raises(ConfigurationError, match="sees no memories; log in as"):
                async with database.transaction(ASKING):
                    pass
        finally:
            await database.close()
            admin.execute(f"DROP OWNED BY {name}".encode())
            admin.execute(f"DROP ROLE {name}".encode())


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not installed")
def test_the_script_of_the_compose_file_makes_an_ordinary_role_that_can_start(server_url: str) -> None:
    """Run it as the database's image does, with names and passwords that need quoting."""
    superuser, role, password = "compose super", "compose'd role", "p@ss%w/rd:#1?&'é\"\\"
    address = sa.make_url(server_url)
    with temporary_database(server_url) as url, psycopg.connect(url, autocommit=True) as admin:
        named = [sql.Identifier(name) for name in (superuser, role, f"{role}_confined")]
        for name in named:
            admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(name))
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN SUPERUSER PASSWORD 'x'").format(named[0]))
        environment = {
            "PATH": os.environ["PATH"],
            "PGHOST": str(address.query.get("host") or address.host),
            "PGPORT": str(address.query.get("port") or address.port or 5432),
            "PGPASSWORD": "x",
            "POSTGRES_USER": superuser,
            "POSTGRES_DB": str(sa.make_url(url).database),
            "SERVICE_USERNAME": role,
            "SERVICE_PASSWORD": password,
        }
        try:
            ran = subprocess.run(
                ["sh", str(SCRIPT)], env=environment, capture_output=True, text=True, check=False, timeout=60
            )
            assert ran.returncode == 0, ran.stderr
            own = sa.make_url(url).set(username=role, password=password).render_as_string(hide_password=False)
            schema.update(own)
            assert _role(own) == f"{role}_confined"
            (found,) = admin.execute(
                "SELECT rolsuper, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = %s", [role]
            ).fetchall()
            assert found == (False, False, False)
        finally:
            admin.execute(sql.SQL("REASSIGN OWNED BY {}, {} TO CURRENT_USER").format(named[0], named[1]))
            for name in named:
                admin.execute(sql.SQL("DROP OWNED BY {}").format(name))
                admin.execute(sql.SQL("DROP ROLE {}").format(name))


def _wall(url: str) -> confinement.Wall:
    with sa.create_engine(driver_url(url), poolclass=sa.NullPool).connect() as own:
        wall = confinement.standing(own)
    assert wall is not None
    return wall


def _role(url: str) -> str:
    wall = _wall(url)
    assert wall.stands, wall.remedy
    return wall.role
