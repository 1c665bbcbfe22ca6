"""How the services are put together: each from the database, the providers and the settings that it needs."""

from dataclasses import dataclass
from datetime import timedelta

from memory_bank.bootstrap.app import App, LoadingEmbedder, Parts
from memory_bank.providers import embedding, heuristics, llm
from memory_bank.services import tracing
from memory_bank.services.backups import BackupService
from memory_bank.services.beliefs import BeliefService, OutcomeBeliefs
from memory_bank.services.clock import Clock
from memory_bank.services.consolidation import ConsolidationService
from memory_bank.services.diagnosis import DiagnosisService
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
from memory_bank.settings import Settings
from memory_bank.store.database import Database
from memory_bank.store.queue import JobQueue, Tracing

EVERY_TEN_MINUTES = "*/10 * * * *"
EVERY_NIGHT = "17 3 * * *"


@dataclass(frozen=True, kw_only=True)
class Foundations:
    """What all services stand on: open already, and closed by whoever opened it."""

    database: Database
    url: str
    embedder: LoadingEmbedder
    analyst: Analyst
    clock: Clock
    tokeniser: Tokeniser

    @property
    def judge(self) -> Judge | None:
        """The language model where one is configured: it judges what the rules are unsure of."""
        return self.analyst if isinstance(self.analyst, llm.LanguageModelAnalyst) else None


def services(settings: Settings, on: Foundations, *, parts: Parts) -> App:
    """Return every service; periodic jobs are registered, and nothing runs yet."""
    database, clock = on.database, on.clock
    jobs = _jobs(settings, on)
    enrichment = _enrichment(settings, on, jobs=jobs, parts=parts)
    writer = _writer(settings, on, jobs=jobs, enrichment=enrichment)
    notes = NoteService(
        database=database,
        writer=writer,
        enrichment=enrichment,
        clock=clock,
        decay=settings.retrievability_filter.policy(),
        inline_limit=_inline_limit(settings),
    )
    recall = _recall(settings, on)
    self_name = settings.memory.self_name
    beliefs = BeliefService(
        database=database, writer=writer, clock=clock, self_name=self_name, judge=parts.judge or on.judge
    )
    exchanges = ExchangeService(database=database, writer=writer, embedder=on.embedder, clock=clock)
    tasks = TaskService(database=database, embedder=on.embedder, clock=clock, keeper=OutcomeBeliefs(beliefs))
    consolidation = ConsolidationService(database=database, writer=writer, exchanges=exchanges, clock=clock)
    jobs.handle_enrich(enrichment.enrich_all)
    jobs.every(EVERY_TEN_MINUTES, "expire_tasks", tasks.expire_all)
    jobs.every(EVERY_NIGHT, "consolidate_banks", consolidation.consolidate_all)
    measurement = MeasurementService(database=database, notes=notes, recall=recall, embedder=on.embedder)
    return App(
        settings=settings,
        notes=notes,
        recall=recall,
        links=LinkService(database=database, clock=clock, decay=settings.retrievability_filter.policy()),
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
            database=database, writer=writer, enrichment=enrichment, clock=clock, self_name=self_name
        ),
        maintenance=MaintenanceService(database=database, embedder=on.embedder, tokeniser=on.tokeniser),
        measurement=measurement,
        evaluation=EvaluationService(notes=notes, recall=recall, embedder=on.embedder, measurement=measurement),
        tokens=TokenService(database=database, clock=clock, authentication=settings.server.auth),
        backups=BackupService(
            database=database, url=on.url, embedder=on.embedder, clock=clock, schedule=settings.snapshots()
        ),
        diagnosis=DiagnosisService(database=database, url=on.url, tokeniser=on.tokeniser),
        language_model=on.analyst if isinstance(on.analyst, llm.LanguageModelAnalyst) else None,
        embedder=on.embedder,
        jobs=jobs,
        clock=clock,
    )


def _jobs(settings: Settings, on: Foundations) -> JobQueue:
    return JobQueue(
        on.url,
        concurrency=settings.worker.concurrency,
        attempts=settings.enrichment.attempts,
        prepared_statements=settings.postgres.prepared_statements,
        tracing=Tracing(origin=tracing.origin, resuming=tracing.resuming),
    )


def _enrichment(settings: Settings, on: Foundations, *, jobs: JobQueue, parts: Parts) -> EnrichmentService:
    floor = settings.memory.similarity_threshold
    return parts.enrichment(
        database=on.database,
        jobs=jobs,
        embedder=on.embedder,
        analyst=on.analyst,
        fallback=heuristics.HeuristicAnalyst(),
        clock=on.clock,
        floor=embedding.calibrated_floor(on.embedder.name) if floor is None else floor,
        attempts=settings.enrichment.attempts,
        metrics=parts.metrics,
    )


def _writer(settings: Settings, on: Foundations, *, jobs: JobQueue, enrichment: EnrichmentService) -> NoteWriter:
    return NoteWriter(
        jobs=jobs,
        embedder=on.embedder,
        tokeniser=on.tokeniser,
        enrichment=enrichment,
        clock=on.clock,
        inline_limit=_inline_limit(settings),
    )


def _recall(settings: Settings, on: Foundations) -> RecallService:
    return RecallService(
        database=on.database,
        embedder=on.embedder,
        tokeniser=on.tokeniser,
        clock=on.clock,
        decay=settings.retrievability_filter.policy(),
        calibration=embedding.calibration(on.embedder.name),
        floor=settings.memory.similarity_threshold,
        vector_floor=embedding.calibrated_floor(on.embedder.name),
        batch_factor=settings.memory.batch_factor,
        fusion=settings.search.fusion,
    )


def _inline_limit(settings: Settings) -> timedelta:
    return timedelta(seconds=settings.enrichment.inline_timeout)
