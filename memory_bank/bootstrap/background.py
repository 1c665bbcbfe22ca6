"""The endless work beside a running product: jobs, sweeps, and looking after the embedded PostgreSQL."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator, Awaitable, Coroutine
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


@asynccontextmanager
async def settled(app: App) -> AsyncIterator[None]:
    """Serve while the block lasts: garbage is no longer looked for in what is there once the model is.

    Hundreds of thousands of objects stay for good; a collection that looks through them stops all callers for 200 ms.
    """
    async with in_background(_settle(app)):
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


async def _settle(app: App) -> None:
    gc.freeze()
    with contextlib.suppress(MemoryBankError):
        await app.embedder.wait_ready()
    gc.freeze()


async def _keep_working(app: App) -> None:
    """Run the worker, again after the database was away."""
    while True:
        await _succeeded(
            app.jobs.run_worker(),
            away="The worker stopped and starts again: %s",
            unexpected="The worker stopped unexpectedly and starts again.",
        )
        await asyncio.sleep(WORKER_RESTART_SECONDS)


async def _keep_tokenising(app: App) -> None:
    """Store the terms of notes that an older version left without, once; every note since comes with its own."""
    while True:
        done = await _succeeded(
            app.maintenance.tokenise(),
            away="Could not store the terms of older notes yet: %s",
            unexpected="Storing the terms of older notes failed unexpectedly.",
        )
        if done:
            return
        await asyncio.sleep(SWEEP_SECONDS)


async def _keep_sweeping(app: App) -> None:
    while True:
        await _succeeded(
            app.enrichment.sweep(),
            away="Could not look for notes without a job: %s",
            unexpected="Looking for notes without a job failed unexpectedly.",
        )
        await asyncio.sleep(SWEEP_SECONDS)


async def _keep_snapshots(app: App) -> None:
    """Write the snapshots that the settings ask for, as long as they ask for any."""
    if app.backups.schedule is None:
        return
    await asyncio.sleep(FIRST_SNAPSHOT_SECONDS)
    while True:
        done = await _succeeded(
            app.backups.snapshot_if_due(),
            away="Could not write a snapshot; it is tried again. See backup.dir, and that its disk has room: %s",
            unexpected="Writing a snapshot failed unexpectedly; it is tried again.",
            known=MemoryBankError,
        )
        await asyncio.sleep(SNAPSHOT_CHECK_SECONDS if done else SNAPSHOT_RETRY_SECONDS)


async def _succeeded(
    work: Awaitable[object], *, away: str, unexpected: str, known: type[MemoryBankError] = StoreUnavailable
) -> bool:
    """Await work that is done again whatever it raises; tell of an error of the `known` kind in a sentence."""
    try:
        await work
    except known as error:
        logger.warning(away, error)
    except Exception:
        logger.exception(unexpected)
    else:
        return True
    return False


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
