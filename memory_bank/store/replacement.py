"""Everything in the store replaced by what an archive holds, in one transaction: all of it or nothing.

An archive of an older revision is loaded into a schema beside the live one that is migrated as far as the archive was,
then migrated on, then moved over; PostgreSQL takes all of that back with the transaction, too.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import psycopg
import sqlalchemy as sa
from psycopg import errors, sql

from memory_bank.domain.backups import Manifest, Part
from memory_bank.errors import ConfigurationError, Conflict, InvalidInput, StoreUnavailable
from memory_bank.store import contents, database, embeddings, schema

logger = logging.getLogger(__name__)

LOCK_SECONDS = 60.0
# less than PostgreSQL's deadlock_timeout of a second: of two who wait for each other it is this one that gives way
_POLITE = "800ms"
# long enough for PostgreSQL to call off a vacuum that stands in the way
_FIRM = "5s"
# enough to build the vector index of 100,000 notes in memory, by one process: helpers would need it as shared memory,
# of which a container has 64 MB
_BUILDING = {"maintenance_work_mem": "512MB", "max_parallel_maintenance_workers": "0"}

_REFERENCES = """
    -- which references do these tables hold?
    SELECT c.conrelid::regclass::text AS table, c.conname, pg_get_constraintdef(c.oid)
    FROM pg_constraint c
    WHERE c.contype = 'f'
        AND c.connamespace = %(schema)s::regnamespace
        AND c.conrelid = ANY(%(tables)s::regclass[])
    ORDER BY c.conrelid::regclass::text, c.conname
"""

_INDEXES = """
    -- which indexes do these tables have that are no part of a constraint?
    SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    FROM pg_index i
    WHERE i.indrelid = ANY(%(tables)s::regclass[])
        AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
    ORDER BY i.indexrelid::regclass::text
"""

_IDENTITIES = """
    -- which columns number their rows by themselves?
    SELECT c.relname, a.attname
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.oid = ANY(%(tables)s::regclass[])
        AND a.attidentity <> ''
        AND NOT a.attisdropped
"""

_DIMENSIONS = """
    -- how long are the vectors that the table takes?
    SELECT a.atttypmod
    FROM pg_attribute a
    WHERE a.attrelid = %(table)s::regclass
        AND a.attname = 'embedding'
"""

_IS_SHOWN = """
    -- is there the view through which one bank's vectors are seen?
    SELECT
    FROM pg_views
    WHERE schemaname = %(schema)s
        AND viewname = 'own_embeddings'
"""

_KEEP_TOKENS = "CREATE TEMPORARY TABLE kept_tokens ON COMMIT DROP AS SELECT * FROM tokens"

_RETURN_TOKENS = """
    -- no restore opens a store that asked for tokens, lets a revoked one in again or shuts one out
    INSERT INTO tokens
    SELECT *
    FROM kept_tokens
    ON CONFLICT (id) DO UPDATE
    SET revoked_at = coalesce(EXCLUDED.revoked_at, tokens.revoked_at),
        last_used_at = greatest(EXCLUDED.last_used_at, tokens.last_used_at)
"""

Blocks = Callable[[Part], Iterator[bytes]]
Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Source:
    """What takes the place of the store's contents: a manifest, and the rows of each of its tables in blocks.

    `named` is what errors call it; `progress` gets the rows that were stored since the last time, and whatever it
    raises takes all back.
    """

    manifest: Manifest
    blocks: Blocks
    named: str
    progress: Progress = field(default=lambda rows: None)


def put(url: str, source: Source, *, into_filled: bool) -> None:
    """Make the store hold what `source` does and nothing else, but for tokens, which stay; or change nothing.

    Raises `Conflict` when the store holds something and `into_filled` is False, or others work in it for too long;
    `InvalidInput` for a source whose rows the tables do not take; `ConfigurationError`, `StoreUnavailable`.
    """
    with schema.connected(url) as connection, _translated_errors(source.named):
        driver = contents.driver_of(connection)
        live = str(contents.value(driver, sql.SQL("SELECT current_schema()")))
        schema.lock(connection)
        contents.exactly(driver)
        _require_head(connection)
        _lock(driver)
        if not into_filled:
            _require_empty(driver)
        driver.execute(_KEEP_TOKENS)
        contents.set_local(driver, _BUILDING)
        if source.manifest.schema_revision == schema.head():
            _refuse_unless_shaped(source, contents.archived())
            _fill(driver, live, source=source, one=lambda part: _copy(driver, part, source))
        else:
            _by_way_of_older(connection, live, source)
        driver.execute(_RETURN_TOKENS)
        source.progress(0)
    _tidy(url)


def _by_way_of_older(connection: sa.Connection, live: str, source: Source) -> None:
    driver = contents.driver_of(connection)
    beside = f"restoring_{uuid4().hex}"
    driver.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(beside)))
    with _search_path(driver, beside):
        schema.upgrade(connection, source.manifest.schema_revision, into=beside)
        held = {
            name: columns for name, columns in contents.shape(driver, beside).items() if name not in contents.LEFT_OUT
        }
        _refuse_unless_shaped(source, held)
        _fill(driver, beside, source=source, one=lambda part: _copy(driver, part, source))
        schema.upgrade(connection, "head", into=beside)
    # the migrations may have set it for their own connection
    contents.exactly(driver)

    def move(part: Part) -> None:
        driver.execute(
            sql.SQL("INSERT INTO {} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {}").format(
                sql.Identifier(part.table),
                sql.Identifier(beside, part.table),
                columns=contents.listed(part.columns),
            )
        )

    migrated = [
        Part(
            table=table,
            columns=columns,
            rows=contents.count(driver, beside, table),
            size=0,
            sha256="",
        )
        for table, columns in contents.archived().items()
    ]
    _fill(driver, live, source=source, one=move, parts=migrated)
    driver.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(beside)))


def _fill(
    driver: psycopg.Connection[Any],
    into: str,
    *,
    source: Source,
    one: Callable[[Part], None],
    parts: Iterable[Part] | None = None,
) -> None:
    """Empty the tables of schema `into`, let `one` fill each, and see that they hold as many rows as they should."""
    filled = list(source.manifest.parts if parts is None else parts)
    tables = [part.table for part in filled]
    with _bare(driver, into, tables, between=lambda: source.progress(0)):
        driver.execute(sql.SQL("TRUNCATE {}").format(contents.listed(tables)))
        _fit_vectors(driver, into, source.manifest)
        for part in filled:
            one(part)
            if (found := contents.count(driver, part.table)) != part.rows:
                raise InvalidInput(
                    source.named, f"has {part.rows} rows of {part.table}, of which {found} were stored; nothing changed"
                )
        for part in filled:
            driver.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(part.table)))
    _number_on(driver, tables)


def _copy(driver: psycopg.Connection[Any], part: Part, source: Source) -> None:
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT text, ENCODING 'UTF8')").format(
        sql.Identifier(part.table), contents.listed(part.columns)
    )
    with driver.cursor() as cursor, cursor.copy(statement) as copied:
        for block in source.blocks(part):
            copied.write(block)
            source.progress(block.count(b"\n"))


@contextmanager
def _bare(
    driver: psycopg.Connection[Any], of: str, tables: list[str], *, between: Callable[[], None]
) -> Iterator[None]:
    """Take references and indexes away while the block fills the tables: checked and built at once is much faster."""
    named = {"schema": sql.Identifier(of).as_string(driver), "tables": [f'"{of}"."{table}"' for table in tables]}
    references = driver.execute(_REFERENCES, named).fetchall()
    indexes = driver.execute(_INDEXES, named).fetchall()
    for table, name, _ in references:
        # the table's name comes quoted and qualified as this search path needs it
        driver.execute(sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.SQL(table), sql.Identifier(name)))
    for name, _ in indexes:
        driver.execute(sql.SQL("DROP INDEX {}").format(sql.SQL(name)))
    yield
    for _, definition in indexes:
        between()
        driver.execute(definition.encode())
    for table, name, definition in references:
        driver.execute(
            sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}").format(
                sql.SQL(table), sql.Identifier(name), sql.SQL(definition)
            )
        )


def _fit_vectors(driver: psycopg.Connection[Any], into: str, manifest: Manifest) -> None:
    """Make the table of schema `into` take vectors of the archive's length."""
    row = driver.execute(_DIMENSIONS, {"table": "embeddings"}).fetchone()
    if manifest.model is None or row is None or row[0] == manifest.model.dimensions:
        return
    statements = embeddings.fitting(manifest.model.dimensions)
    if not driver.execute(_IS_SHOWN, {"schema": into}).fetchall():
        # of a revision in which no view shows the column
        statements = [each for each in statements if each.startswith("ALTER")]
    for statement in statements:
        driver.execute(statement.encode())


def _number_on(driver: psycopg.Connection[Any], tables: list[str]) -> None:
    """Let the next row that numbers itself get a number that no stored row has."""
    for table, column in driver.execute(_IDENTITIES, {"tables": tables}).fetchall():
        names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
        highest = contents.value(driver, sql.SQL("SELECT coalesce(max({column}), 0) FROM {table}").format(**names))
        # unlike setval, taken back with the transaction
        driver.execute(
            sql.SQL("ALTER TABLE {table} ALTER COLUMN {column} RESTART WITH {next}").format(**names, next=highest + 1)
        )


def _lock(driver: psycopg.Connection[Any]) -> None:
    """Let nobody else into the tables until the transaction ends.

    Locks that do not come soon are given up together and asked for again.
    """
    statement = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(contents.listed(contents.archived()))
    started = time.monotonic()
    while True:
        waited = time.monotonic() - started
        try:
            with driver.transaction():
                contents.set_local(driver, {"statement_timeout": _POLITE if waited < LOCK_SECONDS / 2 else _FIRM})
                driver.execute(statement)
                contents.set_local(driver, {"statement_timeout": "0"})
            return
        except (errors.QueryCanceled, errors.DeadlockDetected) as error:
            if waited > LOCK_SECONDS:
                raise Conflict(
                    "others have worked in the store for too long, or a backup is being made; stop the servers that "
                    "use it, or try again later; nothing was changed"
                ) from error
            time.sleep(0.2)


def _require_head(connection: sa.Connection) -> None:
    revision = schema.current(connection)
    if revision != schema.head():
        raise ConfigurationError(
            f"the database schema is at {revision or 'nothing'}, this version needs {schema.head()}; "
            "start once with postgres.ddl-auto=update to migrate it, then restore"
        )


def _require_empty(driver: psycopg.Connection[Any]) -> None:
    held = {
        table: found
        for table in contents.archived()
        if table != "embedding_model" and (found := contents.count(driver, table))
    }
    if held:
        counted = ", ".join(f"{count} {table}" for table, count in list(held.items())[:3])
        raise Conflict(
            f"the store is not empty ({counted}); --replace puts the archive in the place of all of it: make a backup "
            "first, or restore into another data folder or database"
        )


def _refuse_unless_shaped(source: Source, shape: Mapping[str, tuple[str, ...]]) -> None:
    given = {part.table: frozenset(part.columns) for part in source.manifest.parts}
    if given != {table: frozenset(columns) for table, columns in shape.items()}:
        raise InvalidInput(
            source.named,
            f"does not hold the tables of revision {source.manifest.schema_revision}, which it says it is of: it is "
            "damaged; restore another backup",
        )


def _tidy(url: str) -> None:
    """Let searches read the indexes alone at once, which they can of pages that a vacuum has seen."""
    try:
        with schema.connected(url) as connection:
            driver = contents.driver_of(connection)
            driver.rollback()
            driver.autocommit = True
            driver.execute(sql.SQL("VACUUM {}").format(contents.listed(contents.archived())))
    except (psycopg.Error, StoreUnavailable, ConfigurationError) as error:
        # PostgreSQL does it by itself a little later
        logger.info("Did not vacuum the restored tables: %s", type(error).__name__)


@contextmanager
def _search_path(driver: psycopg.Connection[Any], first: str) -> Iterator[None]:
    before = contents.value(driver, sql.SQL("SELECT current_setting('search_path')"))
    driver.execute(
        "SELECT set_config('search_path', %s, true)", [f"{sql.Identifier(first).as_string(driver)}, {before}"]
    )
    yield
    driver.execute("SELECT set_config('search_path', %s, true)", [before])


@contextmanager
def _translated_errors(named: str) -> Iterator[None]:
    try:
        with database.translated_errors():
            yield
    except errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            "the database role may not replace the tables; restore as the role that owns them, which for an archive of "
            "an older version also needs GRANT CREATE ON DATABASE; nothing was changed"
        ) from error
    except (psycopg.DataError, psycopg.IntegrityError, errors.UntranslatableCharacter) as error:
        raise _untaken(named) from error
    except Conflict as error:
        if isinstance(error.__cause__, psycopg.IntegrityError):
            raise _untaken(named) from error
        raise


def _untaken(named: str) -> InvalidInput:
    return InvalidInput(
        named, "holds rows that the tables do not take: it was changed since it was made; nothing was restored"
    )
