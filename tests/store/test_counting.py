"""Counts of recalls wait for no disk; whatever else is committed does."""

import sqlalchemy as sa

from memory_bank.store.database import Database, Tx

SHOWN = sa.text("SELECT current_setting('synchronous_commit') AS waits")


async def waits(tx: Tx) -> str:
    row = await tx.one_or_none(SHOWN)
    assert row is not None
    return str(row["waits"])


async def test_only_counts_are_committed_without_waiting_for_the_disk(url: str) -> None:
    database = Database(url, pool_size=1)
    try:
        async with database.transaction("default") as tx:
            usual = await waits(tx)
        async with database.counting("default") as tx:
            assert await waits(tx) == "off"
        # on the same connection again
        async with database.transaction("default") as tx:
            assert await waits(tx) == usual != "off"
    finally:
        await database.close()
