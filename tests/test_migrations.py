"""Migrations make what `tables` says, once, whoever comes first."""

import asyncio
from pathlib import Path

import alembic.autogenerate
import psycopg
import pytest
import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext

from memory_bank.errors import ConfigurationError, StoreUnavailable
from memory_bank.store import database, schema, tables


def differences(url: str) -> list[object]:
    """Return what `alembic check` would find between the database and `tables`."""
    engine = sa.create_engine(database.driver_url(url), poolclass=sa.NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": True,
                "compare_server_default": False,
                "include_object": lambda thing, name, kind, reflected, other: (
                    not (kind == "table" and (name or "").startswith("procrastinate_"))
                ),
            },
        )
        return list(alembic.autogenerate.compare_metadata(context, tables.metadata))


def test_the_migrated_schema_is_what_the_tables_say(url: str) -> None:
    assert differences(url) == []


async def test_processes_that_start_at_once_migrate_once(empty_url: str) -> None:
    await asyncio.gather(*(asyncio.to_thread(schema.update, empty_url) for _ in range(6)))
    schema.validate(empty_url)
    assert differences(empty_url) == []


def test_a_schema_that_is_missing_is_refused_with_the_setting_that_makes_it(empty_url: str) -> None:
    with pytest.raises(ConfigurationError, match="ddl-auto=update"):
        schema.validate(empty_url)


def test_a_database_of_a_newer_version_is_refused_unchanged(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '2999_01_01_future'")
    with pytest.raises(ConfigurationError, match="newer Memory Bank"):
        schema.update(url)


def test_a_database_that_is_away_is_told_as_such() -> None:
    with pytest.raises(StoreUnavailable):
        schema.update("postgresql://memory_bank@127.0.0.1:1/nothing")


def test_a_role_that_may_not_create_is_told_what_to_grant(empty_url: str) -> None:
    role = "mb_ordinary"
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute(f"DROP ROLE IF EXISTS {role}")
        connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'x'")
    url = sa.make_url(empty_url).set(username=role, password="x").render_as_string(hide_password=False)
    with pytest.raises(ConfigurationError, match="CREATE EXTENSION vector"):
        schema.update(url)
    with psycopg.connect(empty_url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute(f"GRANT CREATE ON SCHEMA public TO {role}")
    schema.update(url)
    schema.validate(url)


def test_migrations_are_linear_and_named_by_date() -> None:
    names = sorted(path.stem for path in (schema.migrations_folder() / "versions").glob("*.py"))
    assert names
    for name in names:
        year, month, day, slug = name.split("_", 3)
        assert (len(year), len(month), len(day)) == (4, 2, 2)
        assert slug
    assert Path(schema.migrations_folder() / "env.py").is_file()


def test_an_unknown_user_is_told_which_setting_to_check(url: str) -> None:
    wrong = sa.make_url(url).set(username="nobody_here").render_as_string(hide_password=False)
    with pytest.raises(ConfigurationError, match=r"postgres\.username"):
        schema.update(wrong)


def test_an_unknown_database_is_told_as_such(url: str) -> None:
    wrong = sa.make_url(url).set(database="nothing_here").render_as_string(hide_password=False)
    with pytest.raises(ConfigurationError, match="does not exist"):
        schema.update(wrong)
