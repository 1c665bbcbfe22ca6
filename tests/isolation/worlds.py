"""Stores in which somebody asks: one with another bank beside, one where that never was."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_bank import settings
from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.settings import Settings
from memory_bank.store.database import Database
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.isolation import bait
from tests.isolation.bait import ASKING, BESIDE, Held


@dataclass(frozen=True, kw_only=True)
class World:
    """A store with the bank that asks, filled, and what the bank beside holds, here or in another store."""

    app: App
    url: str
    settings: Settings
    parts: Parts
    database: Database
    own: Held
    other: Held


@asynccontextmanager
async def opened(
    url: str, folder: Path, *, beside: Held | None = None, ddl_auto: str = "update"
) -> AsyncIterator[World]:
    """Open a store and fill both banks, or only the one that asks where the other lies `beside`, in another store."""
    loaded = settings.load(
        environ={},
        cwd=folder,
        overrides={
            "postgres.url": url,
            "postgres.ddl-auto": ddl_auto,
            "memory-bank.data-dir": str(folder / "data"),
            "memory.similarity-threshold": "0.2",
            # what happens in its own time would happen at another time in another store
            "worker.enabled": "false",
        },
    )
    clock = FakeClock()
    parts = Parts(embedder=FakeEmbedder(), analyst=FakeAnalyst(), clock=clock)
    async with open_app(loaded, parts=parts) as app:
        other = beside or await bait.fill(app, BESIDE, "okapi")
        own = await bait.fill(app, ASKING, "gerbil")
        clock.moment += bait.LATER
        database = Database(url)
        try:
            yield World(app=app, url=url, settings=loaded, parts=parts, database=database, own=own, other=other)
        finally:
            await database.close()
