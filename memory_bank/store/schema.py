"""The schema's state: migrations applied at start, safely when several processes start at once."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import alembic.command
import alembic.config
import psycopg
import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError, OperationalError

import memory_bank
from memory_bank.errors import ConfigurationError
from memory_bank.store import confinement, database

logger = logging.getLogger(__name__)

# any number that no other program of this database takes for its own advisory lock
_LOCK = 7_264_019_113


def update(url: str) -> None:
    """Bring the schema to this version's; the first of several processes migrates, the others wait and find it done.

    Raises `ConfigurationError` when the database is newer than this program or lacks pgvector,
    `StoreUnavailable` when it does not answer.
    """
    with connected(url) as connection:
        lock(connection)
        script = ScriptDirectory.from_config(_config())
        current = _current(connection, script)
        if current != script.get_current_head():
            logger.info("Migrating the database schema.", extra={"from": current, "to": script.get_current_head()})
            upgrade(connection, "head")
        confinement.build(connection)


def validate(url: str) -> None:
    """Raise `ConfigurationError` unless the schema is this version's."""
    with connected(url) as connection:
        script = ScriptDirectory.from_config(_config())
        current = _current(connection, script)
    if current != script.get_current_head():
        raise ConfigurationError(
            f"the database schema is at {current or 'nothing'}, this version needs {script.get_current_head()}; "
            "start once with postgres.ddl-auto=update to migrate it"
        )


def migrations_folder() -> Path:
    """Return the folder of the Alembic scripts: inside an installed package, else at the checkout's root."""
    package = Path(memory_bank.__file__).parent
    inside = package / "migrations"
    return inside if inside.is_dir() else package.parent / "migrations"


def head() -> str:
    """Return the newest revision that this program knows."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    assert newest is not None
    return newest


def knows(revision: str) -> bool:
    """Tell whether this program can migrate from `revision`."""
    return any(each.revision == revision for each in ScriptDirectory.from_config(_config()).walk_revisions())


def current(connection: sa.Connection) -> str | None:
    """Return the database's revision; raises `ConfigurationError` for one of a newer version."""
    return _current(connection, ScriptDirectory.from_config(_config()))


def lock(connection: sa.Connection) -> None:
    """Let nobody else migrate until the transaction ends."""
    connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def upgrade(connection: sa.Connection, revision: str, *, into: str | None = None) -> None:
    """Migrate to `revision` inside the connection's transaction; raises `ConfigurationError` when that fails.

    `into` is the schema whose own note of its revision counts, where that is not the only one on the search path.
    """
    config = _config()
    config.attributes["connection"] = connection
    config.attributes["schema"] = into
    try:
        alembic.command.upgrade(config, revision)
    except DBAPIError as error:
        raise ConfigurationError(_remedy(error)) from error


@contextmanager
def connected(url: str) -> Iterator[sa.Connection]:
    """Open a transaction on a connection of its own, outside the pool."""
    engine = sa.create_engine(
        database.driver_url(url),
        poolclass=sa.NullPool,
        connect_args={"connect_timeout": database.CONNECT_SECONDS, "prepare_threshold": None},
    )
    try:
        with engine.begin() as connection:
            yield connection
    except OperationalError as error:
        raise database.away(error) from error
    finally:
        engine.dispose()


def _current(connection: sa.Connection, script: ScriptDirectory) -> str | None:
    current = MigrationContext.configure(connection).get_current_revision()
    known = {revision.revision for revision in script.walk_revisions()}
    if current is not None and current not in known:
        raise ConfigurationError(
            f"the database was migrated to {current} by a newer Memory Bank; upgrade this program to use it"
        )
    return current


def _config() -> alembic.config.Config:
    config = alembic.config.Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    return config


def _remedy(error: DBAPIError) -> str:
    if isinstance(error.orig, (psycopg.errors.UndefinedFile, psycopg.errors.FeatureNotSupported)):
        return "the PostgreSQL server has no pgvector; install pgvector 0.8 or newer on it"
    if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
        return (
            "the database role may not create the schema; as a superuser run CREATE EXTENSION vector in this database "
            "and GRANT CREATE ON SCHEMA public to the role"
        )
    return (
        f"the schema could not be migrated ({type(error.orig).__name__}); see the log, and restore a backup if needed"
    )
