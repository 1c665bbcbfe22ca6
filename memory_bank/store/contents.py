"""Everything in the store, read as of one moment, table by table, as PostgreSQL's COPY writes it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import sql

from memory_bank.domain.backups import Model
from memory_bank.errors import ConfigurationError
from memory_bank.store import database, schema, tables

BLOCK = 1 << 18

LEFT_OUT = {
    "alembic_version": "an archive's manifest names the revision",
    "backups": "what lies outside the store stays as it is when the store becomes another",
    "procrastinate_events": "the history of jobs",
    "procrastinate_jobs": "a restored note that is not enriched gets a new job from the sweep",
    "procrastinate_periodic_defers": "which periodic jobs ran is true of a running store, not of its contents",
    "procrastinate_workers": "workers are processes",
}
"""The tables that no archive holds, and why."""

# how values are written does not depend on what an administrator has set
_EXACT = {
    "bytea_output": "hex",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",
    "IntervalStyle": "iso_8601",
    "idle_in_transaction_session_timeout": "0",
    # to whom the tables do not show every row is told so, rather than given a part of them
    "row_security": "off",
    "statement_timeout": "0",
    # a scan that begins in the middle would write the same rows in another order
    "synchronize_seqscans": "off",
    "TimeZone": "UTC",
}

_COLUMNS = """
    -- which columns hold what a caller gave, in their order?
    SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname = %(schema)s
        AND c.relkind IN ('r', 'p')
        AND a.attnum > 0
        AND NOT a.attisdropped
        AND a.attgenerated = ''
    GROUP BY c.relname
"""

Shape = dict[str, tuple[str, ...]]
"""The columns of each table."""


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The store as of one moment, for as long as the block of `reading` lasts."""

    revision: str
    postgresql: str
    model: Model | None
    counts: dict[str, int]
    driver: psycopg.Connection[Any]

    @property
    def shape(self) -> Shape:
        """Return the tables, referenced ones first, and their columns."""
        return archived()

    @contextmanager
    def rows(self, table: str) -> Iterator[Iterator[bytes]]:
        """Yield a table's rows in blocks, as COPY writes them: each row ends with a line feed and holds no other.

        Leaving the block early, with an error of whoever takes them, ends the COPY: nothing else can until then.
        """
        statement = sql.SQL("COPY {} ({}) TO STDOUT (FORMAT text, ENCODING 'UTF8')").format(
            sql.Identifier(table), listed(self.shape[table])
        )
        with database.translated_errors(), self.driver.cursor() as cursor, cursor.copy(statement) as copied:
            yield _blocks(copied)


def archived() -> Shape:
    """Return the tables that an archive holds, referenced ones first, and their columns."""
    return {
        table.name: tuple(column.name for column in table.columns if column.computed is None)
        for table in tables.metadata.sorted_tables
        if table.name not in LEFT_OUT
    }


@contextmanager
def reading(url: str) -> Iterator[Snapshot]:
    """Open a connection of its own and read everything as of one moment, while others go on writing.

    Raises `ConfigurationError` when the schema is not this version's or not all rows may be read, `StoreUnavailable`.
    """
    with schema.connected(url) as connection, _translated_errors():
        driver = driver_of(connection)
        driver.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        exactly(driver)
        # before the first query, with which the moment comes: whoever empties a table waits until this has read it
        driver.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(listed(archived())))
        revision = schema.current(connection)
        if revision != schema.head():
            raise ConfigurationError(
                f"the database schema is at {revision or 'nothing'}, this version needs {schema.head()}; "
                "start once with postgres.ddl-auto=update to migrate it"
            )
        yield Snapshot(
            revision=revision,
            postgresql=value(driver, sql.SQL("SELECT current_setting('server_version')")),
            model=_model(driver),
            counts={table: count(driver, table) for table in archived()},
            driver=driver,
        )


def exactly(driver: psycopg.Connection[Any]) -> None:
    """Let the transaction write and read values as archives hold them, however long it takes."""
    set_local(driver, _EXACT)


def set_local(driver: psycopg.Connection[Any], settings: Mapping[str, str]) -> None:
    """Let settings hold until the transaction ends."""
    for name, setting in settings.items():
        # no function call: that would be a query, and the first one decides which moment a snapshot is of
        driver.execute(sql.SQL("SET LOCAL {} = {}").format(sql.Identifier(name), sql.Literal(setting)))


def shape(driver: psycopg.Connection[Any], schema_name: str) -> Shape:
    """Return the tables of a schema of the database, and their columns."""
    rows = driver.execute(_COLUMNS, {"schema": schema_name}).fetchall()
    return {table: tuple(columns) for table, columns in rows}


def count(driver: psycopg.Connection[Any], *table: str) -> int:
    """Return how many rows a table has, named with its schema or without."""
    return int(value(driver, sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(*table))))


def value(driver: psycopg.Connection[Any], statement: sql.SQL | sql.Composed) -> Any:
    """Return the one value that a statement answers."""
    row = driver.execute(statement).fetchone()
    assert row is not None
    return row[0]


def listed(names: Iterable[str]) -> sql.Composed:
    """Return names as a statement lists them."""
    return sql.SQL(", ").join(map(sql.Identifier, names))


def driver_of(connection: sa.Connection) -> psycopg.Connection[Any]:
    """Return the driver's own connection, for what SQLAlchemy has no words for; in the same transaction."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        with database.translated_errors():
            yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            "the database role may not read every row; back up as the role that owns the tables"
        ) from error


def _model(driver: psycopg.Connection[Any]) -> Model | None:
    row = driver.execute("SELECT name, dimensions, complete FROM embedding_model").fetchone()
    return None if row is None else Model(name=row[0], dimensions=row[1], complete=row[2])


def _blocks(pieces: Iterable[bytes | bytearray | memoryview]) -> Iterator[bytes]:
    """Return the same bytes in pieces of about `BLOCK` bytes: PostgreSQL sends row by row."""
    block = bytearray()
    for piece in pieces:
        block += piece
        if len(block) >= BLOCK:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)
