"""An app that opens in the background, while its doors answer already."""

import asyncio
import contextlib
import importlib
import logging
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

from memory_bank.errors import ConfigurationError, StoreUnavailable
from memory_bank.services.metrics import Metrics, Unmeasured
from memory_bank.settings import Settings

if TYPE_CHECKING:
    from memory_bank.bootstrap import App, Parts

logger = logging.getLogger(__name__)


class Opening:
    """An app that opens in the background, so that a door can answer before the database does.

    A database that is away is tried again until it answers; a `ConfigurationError` is final and goes to `on_refused`.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        on_refused: Callable[[], None],
        parts: "Parts | None" = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.settings = settings
        self._parts = parts
        self._metrics = metrics or Unmeasured()
        self.refusal: ConfigurationError | None = None
        self._on_refused = on_refused
        self._app: App | None = None
        self._settled = asyncio.Event()
        self._problem = "the server is still starting"

    async def __aenter__(self) -> "Opening":
        self._task = asyncio.create_task(self._keep_open())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    @property
    def problem(self) -> str | None:
        """Why the app is not open; None when it is."""
        return None if self._app is not None else self._problem

    async def app(self) -> "App":
        """Return the app as soon as it is open.

        Raises `StoreUnavailable` when that takes longer than a call may wait, `ConfigurationError` when it never will.
        """
        try:
            async with asyncio.timeout(self.settings.embedding.wait):
                await self._settled.wait()
        except TimeoutError:
            raise StoreUnavailable(f"{self._problem}; try again in a moment") from None
        if self.refusal is not None:
            raise self.refusal
        if self._app is None:
            raise StoreUnavailable(f"{self._problem}; try again in a moment")
        return self._app

    async def _keep_open(self) -> None:
        # Imported here, beside the handshake that a client is waiting for: what the app needs takes a second to import.
        bootstrap = await asyncio.to_thread(importlib.import_module, "memory_bank.bootstrap")
        parts = replace(self._parts or bootstrap.Parts(), metrics=self._metrics)
        try:
            embedder = parts.embedder or bootstrap.embedder_of(self.settings, metrics=self._metrics)
            try:
                # loads once, however often the database must be asked
                embedder.start()
                await self._keep_trying(bootstrap, replace(parts, embedder=embedder))
            finally:
                await embedder.close()
        except ConfigurationError as error:
            logger.error("Refused to start: %s", error)
            self.refusal, self._problem = error, str(error)
            self._settled.set()
            self._on_refused()

    async def _keep_trying(self, bootstrap: ModuleType, parts: "Parts") -> None:
        pause = 0.5
        while True:
            try:
                await self._open(bootstrap, parts)
            except StoreUnavailable as error:
                self._problem = str(error)
                logger.warning("Not ready: %s", error)
            except ConfigurationError:
                raise
            except Exception:
                self._problem = "the store could not be opened for an unexpected reason; see the server's log"
                logger.exception("Not ready for an unexpected reason.")
            await asyncio.sleep(pause)
            pause = min(pause * 2, 5.0)

    async def _open(self, bootstrap: ModuleType, parts: "Parts") -> None:
        async with bootstrap.open_app(self.settings, parts=parts) as app, contextlib.AsyncExitStack() as working:
            await working.enter_async_context(bootstrap.settled(app))
            if self.settings.worker.enabled:
                await working.enter_async_context(bootstrap.running_worker(app))
            self._app = app
            self._settled.set()
            try:
                await bootstrap.watch_model(app)
            finally:
                self._app = None
                self._settled.clear()
                self._problem = "the server is stopping"
