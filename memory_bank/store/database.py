"""The connection to PostgreSQL: a bounded pool, and transactions that belong to one bank.

`Database.whole_store` alone opens a transaction that sees more than one bank.
"""

import asyncio
import contextlib
import functools
import select
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import rows, sql
from psycopg.pq import TransactionStatus
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import PoolProxiedConnection
from sqlalchemy.util import greenlet_spawn

from memory_bank.errors import ConfigurationError, Conflict, StoreUnavailable
from memory_bank.store import confinement
from memory_bank.store.precedence import Precedence

CONNECT_SECONDS = 10
CHECKOUT_SECONDS = 30.0
_DIALECT = PGDialect_psycopg()  # type: ignore[no-untyped-call]
TUNING = {
    # go on along a vector index until enough rows pass the filter
    "hnsw.iterative_scan": "strict_order",
}
_ROLE = "memory_bank.role"


class _Begin(Enum):
    """How a transaction of a bank begins."""

    WRITING = "BEGIN"
    COUNTING = "BEGIN; SET LOCAL synchronous_commit = off"
    READING = "BEGIN READ ONLY"
    SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"


Row = Mapping[str, Any]
"""A row of an answer, by the names of its columns."""


@dataclass(frozen=True, kw_only=True)
class StoreTx:
    """One transaction over the whole store: for maintenance that is nobody's own.

    Statements go to the driver itself: between it and us SQLAlchemy would only cost time. It keeps the pool.
    """

    driver: psycopg.AsyncConnection[Any]
    """The driver's own connection, also for libraries that join this transaction."""
    tuned: bool = False
    """Whether `TUNING` holds for the connection; behind a pooler of transactions it must be set in each of them."""

    async def all(self, statement: sa.TextClause, **binds: Any) -> list[Row]:
        """Run `statement` and return its rows."""
        cursor = self.driver.cursor(row_factory=rows.dict_row)
        await cursor.execute(_for_driver(statement), binds)
        return list(await cursor.fetchall())

    async def one_or_none(self, statement: sa.TextClause, **binds: Any) -> Row | None:
        """Run `statement` and return its only row, if there is one."""
        found = await self.all(statement, **binds)
        assert len(found) <= 1
        return found[0] if found else None

    async def count(self, statement: sa.TextClause, **binds: Any) -> int:
        """Run `statement` and return how many rows it changed."""
        return (await self.driver.execute(_for_driver(statement), binds)).rowcount

    async def rows(self, statement: sa.TextClause, **binds: Any) -> list[tuple[Any, ...]]:
        """Run `statement` and return its rows as tuples: where there are hundreds, names cost time."""
        return await (await self.driver.execute(_for_driver(statement), binds)).fetchall()

    async def freshly_planned(self, statement: sa.TextClause, **binds: Any) -> list[tuple[Any, ...]]:
        """Run `statement` by a plan made for these very binds, and return its rows.

        For statements that serve banks of every size: a plan that is kept for all of them would fit none.
        """
        cursor = await self.driver.execute(_for_driver(statement), binds, prepare=False)
        return await cursor.fetchall()


@dataclass(frozen=True, kw_only=True)
class Tx(StoreTx):
    """One transaction of one bank: every statement that it carries binds `bank`."""

    bank: str

    async def all(self, statement: sa.TextClause, **binds: Any) -> list[Row]:
        """Run `statement` in this bank and return its rows."""
        return await super().all(statement, bank=self.bank, **binds)

    async def rows(self, statement: sa.TextClause, **binds: Any) -> list[tuple[Any, ...]]:
        """Run `statement` in this bank and return its rows as tuples."""
        return await super().rows(statement, bank=self.bank, **binds)

    async def freshly_planned(self, statement: sa.TextClause, **binds: Any) -> list[tuple[Any, ...]]:
        """Run `statement` in this bank by a plan made for these very binds, and return its rows."""
        return await super().freshly_planned(statement, bank=self.bank, **binds)

    async def count(self, statement: sa.TextClause, **binds: Any) -> int:
        """Run `statement` in this bank and return how many rows it changed."""
        return await super().count(statement, bank=self.bank, **binds)


@dataclass(frozen=True, kw_only=True)
class PoolState:
    """Connections of the pool: at most `size`, those in use and those at rest; and callers that wait for one."""

    size: int
    used: int
    idle: int
    waiting: int


class Database:
    """A pool of at most `pool_size` connections; opens them when they are first needed."""

    def __init__(self, url: str, *, pool_size: int = 10, prepared_statements: bool = True) -> None:
        address = driver_url(url)
        arguments: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "application_name": "memory-bank"}
        # transactions are begun here, by the statement that says whose they are
        arguments["autocommit"] = True
        self._tuned = prepared_statements
        self._callers = 0
        self._precedence = Precedence()
        self._closed = False
        if prepared_statements:
            tuning = [f"-c {name}={value}" for name, value in TUNING.items()]
            arguments["options"] = " ".join([*_listed(address.query.get("options")), *tuning])
        else:
            arguments["prepare_threshold"] = None
        self._engine = create_async_engine(
            address,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=CHECKOUT_SECONDS,
            # the connection that was used last knows its tables and statements best
            pool_use_lifo=True,
            # what a transaction left open is rolled back here, where nobody can cut it off
            pool_reset_on_return=None,
            connect_args=arguments,
        )
        # a restarted server leaves dead connections in the pool; the caller must not meet them
        sa.event.listen(self._engine.sync_engine, "checkout", _refuse_dead)

    def first(self) -> AbstractContextManager[None]:
        """Let others stand back while the block lasts, though not for long; its own transactions do not."""
        return self._precedence.first()

    async def stand_back(self) -> None:
        """Wait for those that go first, though not for long: before work that takes a processor and no connection."""
        async with self._precedence.turn():
            pass

    @asynccontextmanager
    async def transaction(self, bank: str) -> AsyncIterator[Tx]:
        """Open a transaction of `bank`; leaving the block commits, an error rolls back.

        Raises `StoreUnavailable` when PostgreSQL does not answer, `Conflict` when a concurrent change came first.
        """
        async with self._begun(_Begin.WRITING, bank) as tx:
            yield tx

    @asynccontextmanager
    async def counting(self, bank: str) -> AsyncIterator[Tx]:
        """Open a transaction of `bank` for nothing but counts of recalls, which does not wait for the disk.

        Everybody sees them as soon as the block is left, and they outlive this process. A crash of PostgreSQL itself
        may take those of its last second; it never takes what another transaction has committed. Raises as above.
        """
        async with self._begun(_Begin.COUNTING, bank) as tx:
            yield tx

    @asynccontextmanager
    async def snapshot(self, bank: str) -> AsyncIterator[Tx]:
        """Open a transaction of `bank` that reads everything as of one moment and changes nothing; raises as above."""
        async with self._begun(_Begin.SNAPSHOT, bank) as tx:
            yield tx

    @asynccontextmanager
    async def reading(self, bank: str) -> AsyncIterator[Tx]:
        """Open a transaction of `bank` that changes nothing, and whose statements see each its own moment.

        Raises `StoreUnavailable` as `transaction` does.
        """
        async with self._begun(_Begin.READING, bank) as tx:
            yield tx

    @asynccontextmanager
    async def whole_store(self) -> AsyncIterator[StoreTx]:
        """Open a transaction that belongs to no bank and sees all of them; raises `StoreUnavailable` as above."""
        async with self._lent() as (driver, _):
            await driver.execute(b"BEGIN", prepare=False)
            yield StoreTx(driver=driver, tuned=self._tuned)
            await driver.commit()

    @asynccontextmanager
    async def _begun(self, begin: _Begin, bank: str) -> AsyncIterator[Tx]:
        async with self._precedence.turn(), self._lent() as (driver, role):
            await driver.execute(_opening(begin, bank, role), prepare=False)
            yield Tx(driver=driver, tuned=self._tuned, bank=bank)
            await driver.commit()

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[tuple[psycopg.AsyncConnection[Any], str]]:
        """Lend a driver, with the role of transactions of a bank; what was not committed is rolled back."""
        with translated_errors(), self._counted():
            # from the pool itself: SQLAlchemy's own connection around it would cost more than an empty statement
            lent = await self._engine.raw_connection()
            driver = lent.driver_connection
            assert isinstance(driver, psycopg.AsyncConnection)
            try:
                if _ROLE not in lent.info:
                    lent.info[_ROLE] = await _role(driver)
                yield driver, lent.info[_ROLE]
            finally:
                if driver.pgconn.transaction_status == TransactionStatus.IDLE:
                    # waits for nothing
                    await self._given_back(lent, driver)
                else:
                    # whoever is cancelled meanwhile must not take the connection along
                    await asyncio.shield(asyncio.create_task(self._given_back(lent, driver)))

    async def _given_back(self, lent: PoolProxiedConnection, driver: psycopg.AsyncConnection[Any]) -> None:
        if not driver.closed and driver.pgconn.transaction_status != TransactionStatus.IDLE:
            # the server may be gone, or still at work on what a caller was cut off from
            with contextlib.suppress(psycopg.Error):
                await driver.rollback()
        usable = driver.pgconn.transaction_status == TransactionStatus.IDLE
        # without its pool nobody else would close it
        await greenlet_spawn(lent.close if usable and not self._closed else lent.invalidate)

    def pool(self) -> PoolState:
        """Return how far the pool is used at this moment."""
        pool = self._engine.sync_engine.pool
        assert isinstance(pool, sa.pool.QueuePool)
        used = pool.checkedout()
        # whoever is in a transaction of ours, or on the way to one, and holds no connection yet
        return PoolState(size=pool.size(), used=used, idle=pool.checkedin(), waiting=max(0, self._callers - used))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._callers += 1
        try:
            yield
        finally:
            self._callers -= 1

    async def close(self) -> None:
        """Close every connection; those in use, when they come back."""
        self._closed = True
        await self._engine.dispose()


def driver_url(url: str) -> URL:
    """Return a `postgresql://` URL as SQLAlchemy wants it, with psycopg 3 as the driver.

    Raises `ConfigurationError` when it is not a PostgreSQL URL.
    """
    try:
        parsed = make_url(url)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise ConfigurationError("postgres.url: not a URL of the form postgresql://HOST:PORT/DATABASE") from error
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise ConfigurationError(f"postgres.url: PostgreSQL is needed, got {parsed.get_backend_name()!r}")
    return parsed.set(drivername="postgresql+psycopg")


@functools.cache
def _for_driver(statement: sa.TextClause) -> bytes:
    return str(statement.compile(dialect=_DIALECT)).encode()


async def _role(driver: psycopg.AsyncConnection[Any]) -> str:
    """Return the role that transactions of a bank take on; empty where the login may not, and keeps its own.

    Raises `ConfigurationError` where the login itself would see no bank.
    """
    cursor = driver.cursor(row_factory=rows.dict_row)
    await cursor.execute(_for_driver(confinement.STANDING), {"tables": list(confinement.BANKED)}, prepare=False)
    row = await cursor.fetchone()
    if row is None:
        return ""
    wall = confinement.Wall(**row)
    if wall.blind:
        raise ConfigurationError(f"the database role {wall.login} sees no memories; {wall.remedy}")
    return wall.role if wall.stands else ""


@functools.lru_cache(maxsize=1024)
def _opening(begin: _Begin, bank: str, role: str) -> bytes:
    """Return what begins a transaction and confines it to its bank, in one round trip.

    All of it ends with the transaction: behind a pooler the next one may be another program's.
    """
    named = sql.SQL("{}; SET LOCAL {} = {}").format(sql.SQL(begin.value), sql.SQL(confinement.SETTING), bank)
    confined = sql.SQL("; SET LOCAL ROLE {}").format(sql.Identifier(role)) if role else sql.SQL("")
    return (named + confined).as_bytes(None)


def _listed(given: str | tuple[str, ...] | None) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def away(error: psycopg.Error | DBAPIError) -> StoreUnavailable | ConfigurationError:
    """Return what a failed connection means to the user: the server is away, or it refuses these credentials."""
    # libpq gives a refused connection no code, only the server's words
    raised = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(raised, psycopg.errors.DiskFull):
        return StoreUnavailable("the database's disk is full; free some space, then try again")
    said = str(raised)
    if "password" in said or "role" in said or "no pg_hba.conf entry" in said:
        return ConfigurationError(
            "the database refuses this user or password; check postgres.username and postgres.password "
            "(the compose file's database keeps the password of its first start)"
        )
    if "does not exist" in said and "database" in said:
        return ConfigurationError("the database named in postgres.url does not exist; create it or correct the name")
    return StoreUnavailable("the database does not answer; check postgres.url and that it is running, then try again")


def _refuse_dead(connection: Any, record: object, proxy: object) -> None:
    """Make the pool open another connection where the server has hung up this one.

    An idle connection has nothing to read, unless it is its end: asking the socket costs no round trip.
    """
    driver = connection.driver_connection
    if driver.closed or _readable(driver.fileno()):
        raise sa.exc.DisconnectionError


def _readable(descriptor: int) -> bool:
    # not the loop's kind of selector, which would take a descriptor of its own
    asked = select.poll()
    asked.register(descriptor, select.POLLIN)
    return bool(asked.poll(0))


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn what the driver raises when PostgreSQL is away into `StoreUnavailable`."""
    try:
        yield
    except PoolTimeout as error:
        raise StoreUnavailable("every database connection is busy; try again, or raise postgres.pool-size") from error
    except (psycopg.Error, DBAPIError) as error:
        raised = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(raised, (psycopg.errors.UniqueViolation, psycopg.errors.ForeignKeyViolation)):
            raise Conflict("another caller changed the same at the same moment; read it again and repeat") from error
        if isinstance(raised, (psycopg.OperationalError, psycopg.InterfaceError)):
            raise away(error) from error
        raise
