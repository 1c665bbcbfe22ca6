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
