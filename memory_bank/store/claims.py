"""Claims on what only one process may do at a time: PostgreSQL takes them back from a process that dies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from memory_bank.store import database

SNAPSHOTS = 7_264_019_114
"""The right to make snapshots of the store; any number that no other claim or lock on it has."""


@asynccontextmanager
async def claimed(url: str, key: int) -> AsyncIterator[bool]:
    """Hold the right that `key` stands for, on a connection of its own; yields False where others have it.

    Raises `StoreUnavailable`, `ConfigurationError`.
    """
    with database.translated_errors():
        connection = await psycopg.AsyncConnection.connect(
            url, connect_timeout=database.CONNECT_SECONDS, prepare_threshold=None
        )
        async with connection:
            # nothing else is asked here for as long as the work takes
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            row = await (await connection.execute("SELECT pg_try_advisory_xact_lock(%s)", [key])).fetchone()
            yield row is not None and bool(row[0])
