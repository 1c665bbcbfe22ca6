"""What is put together: every service of a running product, and the stand-ins that may take the place of its parts."""

from dataclasses import dataclass, field
from typing import Protocol

from memory_bank.providers import embedding
from memory_bank.services.backups import BackupService
from memory_bank.services.beliefs import BeliefService
from memory_bank.services.clock import Clock
from memory_bank.services.consolidation import ConsolidationService
from memory_bank.services.diagnosis import DiagnosisService
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
from memory_bank.services.metrics import Metrics, Unmeasured
from memory_bank.services.notes import NoteService
from memory_bank.services.recall import RecallService
from memory_bank.services.relations import RelationService
from memory_bank.services.tasks import TaskService
from memory_bank.services.tokens import TokenService
from memory_bank.services.transfer import TransferService
from memory_bank.services.working_memory import WorkingMemoryService
from memory_bank.settings import Settings
from memory_bank.store.queue import JobQueue

SEARCHING = "recall"
UNGUARDED = frozenset(
    {
        "settings",
        "enrichment",
        "maintenance",
        "measurement",
        "evaluation",
        "tokens",
        "backups",
        "diagnosis",
        "language_model",
        "embedder",
        "jobs",
        "clock",
    }
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

    async def wait_ready(self) -> None:
        """Wait until the model is loaded, though no longer than a call may; raises where it is not there then."""
        ...

    async def close(self) -> None:
        """Give the model back."""
        ...


class LanguageModel(Protocol):
    """A configured language model as the root sees it: asked from time to time."""

    @property
    def problem(self) -> str | None:
        """Why the last answer was none, and what to do; None where it was one, or nothing was asked yet."""
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
    backups: BackupService
    diagnosis: DiagnosisService
    language_model: LanguageModel | None
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
    metrics: Metrics = field(default_factory=Unmeasured)


NOTHING_REPLACED = Parts()
