"""The composition root: the only place that reads settings and puts services together."""

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from memory_bank.errors import ConfigurationError, StoreUnavailable
from memory_bank.providers import embedding, floors, heuristics, llm
from memory_bank.services.clock import Clock, SystemClock
from memory_bank.services.embedder import Embedder
from memory_bank.services.enrichment import Analyst, EnrichmentService
from memory_bank.services.links import LinkService
from memory_bank.services.maintenance import MaintenanceService
from memory_bank.services.notes import NoteService
from memory_bank.services.recall import RecallService
from memory_bank.settings import DdlAuto, Settings
from memory_bank.store import embedded, schema
from memory_bank.store.database import Database
from memory_bank.store.queue import JobQueue

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 60.0
WORKER_RESTART_SECONDS = 2.0


class LoadingEmbedder(Embedder, Protocol):
    """An embedder as the root sees it: with a model that loads in the background."""

    @property
    def state(self) -> embedding.State:
        """How far loading has come."""
        ...

    @property
    def problem(self) -> str | None:
        """Why the last load failed, if it did."""
        ...

    def start(self) -> None:
        """Begin loading."""
        ...

    async def close(self) -> None:
        """Give the model back."""
        ...


@dataclass(frozen=True, kw_only=True)
class App:
    """Every service, ready to use while the block of `open_app` lasts."""

    settings: Settings
    notes: NoteService
    recall: RecallService
    links: LinkService
    enrichment: EnrichmentService
    maintenance: MaintenanceService
    embedder: LoadingEmbedder
    jobs: JobQueue


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Stand-ins for what touches the world outside; a test hands over fakes, the product none."""

    embedder: LoadingEmbedder | None = None
    analyst: Analyst | None = None
    clock: Clock | None = None


@asynccontextmanager
async def open_app(settings: Settings, *, parts: Parts = Parts(), check_model: bool = True) -> AsyncIterator[App]:
    """Open the database, migrated, and every service on it; close on leaving what was opened.

    `check_model=False` is for the command that makes vectors of another model. Raises `ConfigurationError`, and
    `StoreUnavailable` when the database does not answer.
    """
    async with contextlib.AsyncExitStack() as opened:
        embedder = parts.embedder or _embedder(settings)
        # loads beside everything below
        embedder.start()
        opened.push_async_callback(embedder.close)
        url = await opened.enter_async_context(_database_url(settings))
        await asyncio.to_thread(_bring_schema_up, settings, url)
        database = Database(
            url, pool_size=settings.postgres.pool_size, prepared_statements=settings.postgres.prepared_statements
        )
        opened.push_async_callback(database.close)
        app = _services(settings, database, url, embedder=embedder, parts=parts)
        if check_model:
            await app.maintenance.check_model()
        async with app.jobs:
            yield app


@asynccontextmanager
async def running_worker(app: App) -> AsyncIterator[None]:
    """Work off queued jobs in the background while the block lasts."""
    tasks = [asyncio.create_task(_keep_working(app)), asyncio.create_task(_keep_sweeping(app))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def configure_logging(settings: Settings) -> None:
    """Send logs to stderr, which no transport uses; libraries are heard from warnings on."""
    level = settings.logging_level.number
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("memory_bank").setLevel(level)


def has_language_model(settings: Settings) -> bool:
    """Tell whether a language model is configured: by a key, an address, or a provider that may need neither."""
    provider, named, _ = settings.openai.model_name.partition("/")
    keyless = bool(named) and provider != "openai"
    return settings.openai.api_key is not None or settings.openai.base_url is not None or keyless


class Opening:
    """An app that opens in the background, so that a door can answer before the database does.

    A database that is away is tried again until it answers; a `ConfigurationError` is final and goes to `on_refused`.
    """

    def __init__(self, settings: Settings, *, on_refused: Callable[[], None], parts: Parts = Parts()) -> None:
        self.settings = settings
        self._parts = parts
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

    async def app(self) -> App:
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
        assert self._app is not None
        return self._app

    async def _keep_open(self) -> None:
        pause = 0.5
        while True:
            try:
                await self._open()
            except StoreUnavailable as error:
                self._problem = str(error)
                logger.warning("Not ready: %s", error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, 5.0)
            except ConfigurationError as error:
                logger.error("Refused to start: %s", error)
                self.refusal, self._problem = error, str(error)
                self._settled.set()
                self._on_refused()
                return

    async def _open(self) -> None:
        async with open_app(self.settings, parts=self._parts) as app, contextlib.AsyncExitStack() as working:
            if self.settings.worker.enabled:
                await working.enter_async_context(running_worker(app))
            self._app = app
            self._settled.set()
            try:
                await asyncio.Event().wait()
            finally:
                self._app = None
                self._settled.clear()
                self._problem = "the server is stopping"


@asynccontextmanager
async def _database_url(settings: Settings) -> AsyncIterator[str]:
    if settings.postgres.url is not None:
        yield settings.postgres.conninfo()
        return
    server = await asyncio.to_thread(embedded.start, settings.data_dir)
    try:
        yield server.url
    finally:
        await asyncio.to_thread(server.close)


def _bring_schema_up(settings: Settings, url: str) -> None:
    match settings.postgres.ddl_auto:
        case DdlAuto.UPDATE:
            schema.update(url)
        case DdlAuto.VALIDATE:
            schema.validate(url)
        case DdlAuto.NONE:
            pass


def _embedder(settings: Settings) -> embedding.Embedder:
    return embedding.open_embedder(
        backend=settings.embedding.backend.value,
        model=settings.embedding.model,
        dimensions=settings.embedding.dimensions,
        cache_dir=settings.data_dir / "models",
        graph_dir=settings.embedding.graph_dir,
        wait_seconds=settings.embedding.wait,
        threads=settings.embedding.threads or None,
    )


def _analyst(settings: Settings) -> Analyst:
    if not has_language_model(settings):
        return heuristics.HeuristicAnalyst()
    key = settings.openai.api_key
    return llm.LanguageModelAnalyst(
        model=settings.openai.model_name,
        api_key=None if key is None else key.get_secret_value(),
        base_url=settings.openai.base_url,
        temperature=settings.openai.temperature,
        max_tokens=settings.openai.max_tokens,
        timeout=settings.openai.timeout,
    )


def _services(settings: Settings, database: Database, url: str, *, embedder: LoadingEmbedder, parts: Parts) -> App:
    clock = parts.clock or SystemClock()
    decay = settings.retrievability_filter.policy()
    floor = settings.memory.similarity_threshold
    if floor is None:
        floor = floors.similarity(embedder.name)
    jobs = JobQueue(
        url,
        concurrency=settings.worker.concurrency,
        attempts=settings.enrichment.attempts,
        prepared_statements=settings.postgres.prepared_statements,
    )
    enrichment = EnrichmentService(
        database=database,
        jobs=jobs,
        embedder=embedder,
        analyst=parts.analyst or _analyst(settings),
        fallback=heuristics.HeuristicAnalyst(),
        clock=clock,
        floor=floor,
        attempts=settings.enrichment.attempts,
    )
    jobs.handle_enrich(enrichment.enrich_all)
    return App(
        settings=settings,
        notes=NoteService(
            database=database,
            jobs=jobs,
            embedder=embedder,
            enrichment=enrichment,
            clock=clock,
            decay=decay,
            inline_limit=timedelta(seconds=settings.enrichment.inline_timeout),
        ),
        recall=RecallService(
            database=database,
            embedder=embedder,
            clock=clock,
            decay=decay,
            floor=floor,
            batch_factor=settings.memory.batch_factor,
        ),
        links=LinkService(database=database, clock=clock, decay=decay),
        enrichment=enrichment,
        maintenance=MaintenanceService(database=database, embedder=embedder),
        embedder=embedder,
        jobs=jobs,
    )


async def _keep_working(app: App) -> None:
    """Run the worker, again after the database was away."""
    while True:
        try:
            await app.jobs.run_worker()
        except StoreUnavailable as error:
            logger.warning("The worker stopped and starts again: %s", error)
        await asyncio.sleep(WORKER_RESTART_SECONDS)


async def _keep_sweeping(app: App) -> None:
    while True:
        try:
            await app.enrichment.sweep()
        except StoreUnavailable as error:
            logger.warning("Could not look for notes without a job: %s", error)
        await asyncio.sleep(SWEEP_SECONDS)
