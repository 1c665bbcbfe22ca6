"""The composition root: the only place that reads settings and puts services together."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import platformdirs

from memory_bank.errors import MemoryBankError, StoreUnavailable
from memory_bank.providers import embedding, heuristics, litellm_embedding, llm, secrets, tokens
from memory_bank.services import redaction
from memory_bank.services.beliefs import BeliefService, OutcomeBeliefs
from memory_bank.services.clock import Clock, SystemClock
from memory_bank.services.consolidation import ConsolidationService
from memory_bank.services.embedder import Embedder
from memory_bank.services.enrichment import Analyst, EnrichmentService
from memory_bank.services.evaluation import EvaluationService
from memory_bank.services.exchanges import ExchangeService
from memory_bank.services.forgetting import ForgettingService
from memory_bank.services.introspection import IntrospectionService
from memory_bank.services.judging import Judge
from memory_bank.services.links import LinkService
from memory_bank.services.maintenance import MaintenanceService
from memory_bank.services.measurement import MeasurementService
from memory_bank.services.notes import NoteService
from memory_bank.services.recall import RecallService
from memory_bank.services.relations import RelationService
from memory_bank.services.tasks import TaskService
from memory_bank.services.tokeniser import Tokeniser
from memory_bank.services.tokens import TokenService
from memory_bank.services.transfer import TransferService
from memory_bank.services.working_memory import WorkingMemoryService
from memory_bank.services.writing import NoteWriter
from memory_bank.settings import DdlAuto, Settings
from memory_bank.store import embedded, schema
from memory_bank.store.database import Database
from memory_bank.store.queue import JobQueue

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 60.0
WORKER_RESTART_SECONDS = 2.0
WATCH_SECONDS = 2.0
EVERY_TEN_MINUTES = "*/10 * * * *"
EVERY_NIGHT = "17 3 * * *"

SEARCHING = "recall"
UNGUARDED = frozenset(
    {"settings", "enrichment", "maintenance", "measurement", "evaluation", "tokens", "embedder", "jobs", "clock"}
)
"""Parts of an app that take no text from callers and answer with none: all others are guarded against secrets."""


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
    beliefs: BeliefService
    relations: RelationService
    exchanges: ExchangeService
    working_memory: WorkingMemoryService
    tasks: TaskService
    introspection: IntrospectionService
    consolidation: ConsolidationService
    forgetting: ForgettingService
    transfer: TransferService
    maintenance: MaintenanceService
    measurement: MeasurementService
    evaluation: EvaluationService
    tokens: TokenService
    embedder: LoadingEmbedder
    jobs: JobQueue
    clock: Clock


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Stand-ins for what touches the world outside: fakes in a test, what measures in `eval` and `bench`."""

    embedder: LoadingEmbedder | None = None
    analyst: Analyst | None = None
    clock: Clock | None = None
    enrichment: type[EnrichmentService] = EnrichmentService
    judge: Judge | None = None


@asynccontextmanager
async def open_app(settings: Settings, *, parts: Parts = Parts(), check_model: bool = True) -> AsyncIterator[App]:
    """Open the database, migrated, and every service on it; close on leaving what was opened.

    `check_model=False` is for the command that makes vectors of another model. Raises `ConfigurationError`, and
    `StoreUnavailable` when the database does not answer.
    """
    async with contextlib.AsyncExitStack() as opened:
        embedder = parts.embedder
        if embedder is None:
            embedder = embedder_of(settings)
            opened.push_async_callback(embedder.close)
        # loads beside everything below
        embedder.start()
        redactor = secrets.SecretRedactor(_detectors_dir(settings)) if settings.redaction.enabled else None
        if redactor is not None:
            redactor.start()
        url = await opened.enter_async_context(_database_url(settings))
        await asyncio.to_thread(_bring_schema_up, settings, url)
        database = Database(
            url, pool_size=settings.postgres.pool_size, prepared_statements=settings.postgres.prepared_statements
        )
        opened.push_async_callback(database.close)
        analyst = parts.analyst
        if analyst is None:
            analyst = await opened.enter_async_context(_analyst(settings))
        app = _services(settings, database, url, embedder=embedder, analyst=analyst, parts=parts)
        if check_model:
            await app.maintenance.take_model()
        if settings.postgres.url is None:
            await opened.enter_async_context(_in_background(_keep_database_running(app)))
        async with app.jobs:
            yield app if redactor is None else guarded(app, redactor)


def _detectors_dir(settings: Settings) -> Path:
    """Return where compiled detectors are kept: one for all data folders, where the user's cache can be written."""
    shared = platformdirs.user_cache_path("memory-bank", appauthor=False) / "secrets"
    try:
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return settings.data_dir / "secrets"
    return shared if os.access(shared, os.W_OK) else settings.data_dir / "secrets"


def guarded(app: App, redactor: redaction.Redactor) -> App:
    """Return the app with secrets redacted in all that its services are given and answer; queries are left alone."""
    behind = replace(
        app,
        **{
            field.name: redaction.guarded(getattr(app, field.name), redactor, asked=field.name != SEARCHING)
            for field in fields(app)
            if field.name not in UNGUARDED
        },
    )
    return replace(behind, measurement=app.measurement.over(behind.notes, behind.recall))


@asynccontextmanager
async def running_worker(app: App) -> AsyncIterator[None]:
    """Work off queued jobs in the background while the block lasts."""
    async with _in_background(_keep_working(app), _keep_sweeping(app), _keep_tokenising(app)):
        yield


async def watch_model(app: App) -> None:
    """Wait until another process re-embeds the store by another model; raises `ConfigurationError` then."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        with contextlib.suppress(StoreUnavailable):
            await app.maintenance.check_model()


def has_language_model(settings: Settings) -> bool:
    """Tell whether a language model is configured: by a key, an address, or a provider that may need neither."""
    provider, named, _ = settings.openai.model_name.partition("/")
    keyless = bool(named) and provider != "openai"
    return settings.openai.api_key is not None or settings.openai.base_url is not None or keyless


@asynccontextmanager
async def _database_url(settings: Settings) -> AsyncIterator[str]:
    if settings.postgres.url is not None:
        yield settings.postgres.conninfo()
        return
    starting = asyncio.create_task(asyncio.to_thread(embedded.start, settings.data_dir))
    try:
        server = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # a thread cannot be cancelled: whoever stops now must still give back the server it brings
        with contextlib.suppress(MemoryBankError):
            await asyncio.to_thread((await starting).close)
        raise
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


def embedder_of(settings: Settings) -> LoadingEmbedder:
    """Return the embedder that the settings name; it loads once it is started."""
    key = settings.openai.api_key
    return embedding.open_embedder(
        backend=settings.embedding.backend.value,
        model=settings.embedding.model,
        dimensions=settings.embedding.dimensions,
        cache_dir=settings.data_dir / "models",
        graph_dir=settings.embedding.graph_dir,
        wait_seconds=settings.embedding.wait,
        threads=settings.embedding.threads or None,
        server=litellm_embedding.Server(
            api_key=None if key is None else key.get_secret_value(),
            base_url=settings.openai.base_url,
            timeout=settings.openai.timeout,
        ),
    )


@asynccontextmanager
async def _analyst(settings: Settings) -> AsyncIterator[Analyst]:
    if not has_language_model(settings):
        yield heuristics.HeuristicAnalyst()
        return
    key = settings.openai.api_key
    model = llm.LanguageModelAnalyst(
        model=settings.openai.model_name,
        api_key=None if key is None else key.get_secret_value(),
        base_url=settings.openai.base_url,
        temperature=settings.openai.temperature,
        max_tokens=settings.openai.max_tokens,
        timeout=settings.openai.timeout,
    )
    async with contextlib.aclosing(model):
        yield model


def _services(
    settings: Settings,
    database: Database,
    url: str,
    *,
    embedder: LoadingEmbedder,
    analyst: Analyst,
    parts: Parts,
) -> App:
    clock = parts.clock or SystemClock()
    decay = settings.retrievability_filter.policy()
    floor = settings.memory.similarity_threshold
    if floor is None:
        floor = embedding.calibrated_floor(embedder.name)
    jobs = JobQueue(
        url,
        concurrency=settings.worker.concurrency,
        attempts=settings.enrichment.attempts,
        prepared_statements=settings.postgres.prepared_statements,
    )
    enrichment = parts.enrichment(
        database=database,
        jobs=jobs,
        embedder=embedder,
        analyst=analyst,
        fallback=heuristics.HeuristicAnalyst(),
        clock=clock,
        floor=floor,
        attempts=settings.enrichment.attempts,
    )
    tokeniser = tokens.UnicodeTokeniser()
    jobs.handle_enrich(enrichment.enrich_all)
    inline_limit = timedelta(seconds=settings.enrichment.inline_timeout)
    writer = NoteWriter(
        jobs=jobs,
        embedder=embedder,
        tokeniser=tokeniser,
        enrichment=enrichment,
        clock=clock,
        inline_limit=inline_limit,
    )
    notes = NoteService(
        database=database, writer=writer, enrichment=enrichment, clock=clock, decay=decay, inline_limit=inline_limit
    )
    recall = _recall(settings, database, embedder=embedder, tokeniser=tokeniser, clock=clock)
    judge = parts.judge
    if judge is None and isinstance(analyst, llm.LanguageModelAnalyst):
        judge = analyst
    beliefs = BeliefService(
        database=database, writer=writer, clock=clock, self_name=settings.memory.self_name, judge=judge
    )
    exchanges = ExchangeService(database=database, writer=writer, embedder=embedder, clock=clock)
    tasks = TaskService(database=database, embedder=embedder, clock=clock, keeper=OutcomeBeliefs(beliefs))
    consolidation = ConsolidationService(database=database, writer=writer, exchanges=exchanges, clock=clock)
    jobs.every(EVERY_TEN_MINUTES, "expire_tasks", tasks.expire_all)
    jobs.every(EVERY_NIGHT, "consolidate_banks", consolidation.consolidate_all)
    measurement = MeasurementService(database=database, notes=notes, recall=recall, embedder=embedder)
    return App(
        settings=settings,
        notes=notes,
        recall=recall,
        links=LinkService(database=database, clock=clock, decay=decay),
        enrichment=enrichment,
        beliefs=beliefs,
        relations=RelationService(database=database, clock=clock),
        exchanges=exchanges,
        working_memory=WorkingMemoryService(database=database, clock=clock),
        tasks=tasks,
        introspection=IntrospectionService(database=database, clock=clock),
        consolidation=consolidation,
        forgetting=ForgettingService(database=database, writer=writer, exchanges=exchanges, clock=clock),
        transfer=TransferService(
            database=database, writer=writer, enrichment=enrichment, clock=clock, self_name=settings.memory.self_name
        ),
        maintenance=MaintenanceService(database=database, embedder=embedder, tokeniser=tokeniser),
        measurement=measurement,
        evaluation=EvaluationService(notes=notes, recall=recall, embedder=embedder, measurement=measurement),
        tokens=TokenService(database=database, clock=clock, authentication=settings.server.auth),
        embedder=embedder,
        jobs=jobs,
        clock=clock,
    )


def _recall(
    settings: Settings, database: Database, *, embedder: LoadingEmbedder, tokeniser: Tokeniser, clock: Clock
) -> RecallService:
    return RecallService(
        database=database,
        embedder=embedder,
        tokeniser=tokeniser,
        clock=clock,
        decay=settings.retrievability_filter.policy(),
        calibration=embedding.calibration(embedder.name),
        floor=settings.memory.similarity_threshold,
        vector_floor=embedding.calibrated_floor(embedder.name),
        batch_factor=settings.memory.batch_factor,
        fusion=settings.search.fusion,
    )


@asynccontextmanager
async def _in_background(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
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


async def _keep_database_running(app: App) -> None:
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
