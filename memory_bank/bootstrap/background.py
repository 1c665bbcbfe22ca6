"""The endless work beside a running product: jobs, sweeps, and looking after the embedded PostgreSQL."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from memory_bank.bootstrap.app import App
from memory_bank.errors import MemoryBankError, StoreUnavailable
from memory_bank.store import embedded

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 60.0
WORKER_RESTART_SECONDS = 2.0
WATCH_SECONDS = 2.0
# a server that has just started has callers waiting; an editor's may live for minutes only
FIRST_SNAPSHOT_SECONDS = 30.0
SNAPSHOT_CHECK_SECONDS = 60.0
SNAPSHOT_RETRY_SECONDS = 600.0


@asynccontextmanager
async def running_worker(app: App) -> AsyncIterator[None]:
    """Work off queued jobs in the background while the block lasts."""
    async with in_background(_keep_working(app), _keep_sweeping(app), _keep_tokenising(app), _keep_snapshots(app)):
        yield


async def watch_model(app: App) -> None:
    """Wait until another process re-embeds the store by another model; raises `ConfigurationError` then."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        with contextlib.suppress(StoreUnavailable):
            await app.maintenance.check_model()


@asynccontextmanager
async def in_background(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run endless work beside the block."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_working(app: App) -> None:
    """Run the worker, again after the database was away."""
    while True:
        try:
            await app.jobs.run_worker()
        except StoreUnavailable as error:
            logger.warning("The worker stopped and starts again: %s", error)
        except Exception:
            logger.exception("The worker stopped unexpectedly and starts again.")
        await asyncio.sleep(WORKER_RESTART_SECONDS)


async def _keep_tokenising(app: App) -> None:
    """Store the terms of notes that an older version left without, once; every note since comes with its own."""
    while True:
        try:
            await app.maintenance.tokenise()
            return
        except StoreUnavailable as error:
            logger.warning("Could not store the terms of older notes yet: %s", error)
        except Exception:
            logger.exception("Storing the terms of older notes failed unexpectedly.")
        await asyncio.sleep(SWEEP_SECONDS)


async def _keep_sweeping(app: App) -> None:
    while True:
        try:
            await app.enrichment.sweep()
        except StoreUnavailable as error:
            logger.warning("Could not look for notes without a job: %s", error)
        except Exception:
            logger.exception("Looking for notes without a job failed unexpectedly.")
        await asyncio.sleep(SWEEP_SECONDS)


async def _keep_snapshots(app: App) -> None:
    """Write the snapshots that the settings ask for, as long as they ask for any."""
    if app.backups.schedule is None:
        return
    await asyncio.sleep(FIRST_SNAPSHOT_SECONDS)
    while True:
        pause = SNAPSHOT_RETRY_SECONDS
        try:
            await app.backups.snapshot_if_due()
            pause = SNAPSHOT_CHECK_SECONDS
        except MemoryBankError as error:
            logger.warning(
                "Could not write a snapshot; it is tried again. See backup.dir, and that its disk has room: %s", error
            )
        except Exception:
            logger.exception("Writing a snapshot failed unexpectedly; it is tried again.")
        await asyncio.sleep(pause)


async def keep_database_running(app: App) -> None:
    """Start the embedded PostgreSQL again whenever it has been killed under us."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        try:
            await app.maintenance.server()
        except StoreUnavailable:
            logger.warning("The embedded PostgreSQL does not answer; starting it again unless it lives.")
            try:
                await asyncio.to_thread(_ensure_running, app.settings.data_dir)
            except MemoryBankError as error:
                logger.warning("Could not start the embedded PostgreSQL again: %s", error)
        except Exception:
            logger.exception("Looking after the embedded PostgreSQL failed unexpectedly.")


def _ensure_running(data_dir: Path) -> None:
    # a second share: as long as the app keeps its own, giving this one back stops nothing
    with embedded.running(data_dir):
        pass
