"""Callers that are cut off in the midst of a statement, as a client that leaves or a server that stops does to them."""

import asyncio
import logging

import anyio
import psycopg
import pytest
import sqlalchemy as sa

from memory_bank.store.database import Database
from tests.waiting import eventually

SLEEPING = "SELECT pg_sleep(20)"


async def test_a_caller_that_is_cut_off_leaves_a_usable_pool_and_no_error_in_the_log(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(url, pool_size=1)

    async def sleep() -> None:
        async with database.transaction("default") as tx:
            await tx.all(sa.text(SLEEPING))

    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as other:

        async def sleeping() -> bool:
            cursor = await other.execute("SELECT 1 FROM pg_stat_activity WHERE query = %s", [SLEEPING])
            return await cursor.fetchone() is not None

        # once, as asyncio cancels, and again and again, as the task groups of the transports do
        caller = asyncio.create_task(sleep())
        await eventually(sleeping)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        async with anyio.create_task_group() as session:
            session.start_soon(sleep)
            await eventually(sleeping)
            session.cancel_scope.cancel()
    try:
        async with database.transaction("default") as tx:
            assert await tx.all(sa.text("SELECT 1 AS one"))
        assert database.pool().used == 0
    finally:
        await database.close()
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_a_caller_that_is_cut_off_on_its_way_out_leaves_its_connection_and_no_error_in_the_log(
    url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the driver lets others go on, and may be cut off there, also where it need not wait: when they waited for long
    monkeypatch.setattr(psycopg.waiting, "MAX_BUSY_TIME", 0.0)
    database = Database(url, pool_size=1)

    async def backend() -> int:
        async with database.whole_store() as tx:
            (row,) = await tx.all(sa.text("SELECT pg_backend_pid() AS pid"))
        pid: int = row["pid"]
        return pid

    async def leave(*, committed: bool) -> None:
        async with database.transaction("default") as tx:
            await tx.all(sa.text("SELECT"))
            if committed:
                await tx.driver.commit()
            # the next wait is cut off as well
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            raise asyncio.CancelledError

    try:
        first = await backend()
        for committed in (True, False):
            with pytest.raises(asyncio.CancelledError):
                await asyncio.create_task(leave(committed=committed))
            assert await backend() == first
        assert database.pool().used == 0
    finally:
        await database.close()
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
