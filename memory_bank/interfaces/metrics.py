"""Figures for Prometheus: counted in the process, read from the store when somebody asks."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import prometheus_client
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.core import GaugeMetricFamily

import memory_bank
from memory_bank.services.metrics import Enriched, Outcome, Reason

if TYPE_CHECKING:
    from memory_bank.store.database import PoolState
    from memory_bank.store.queue import QueueState

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_PREFIX = "memory_bank_"
_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_EMBEDDING_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What the store says at the moment of a scrape; `queue` is None while the database does not answer."""

    queue: "QueueState | None" = None
    pool: "PoolState | None" = None


class Prometheus:
    """The metrics of one server, in a registry of its own.

    Labels are names of this product: of doors, route templates, tools, states. None ever holds a bank, an id, a path
    that is no route, or anything else that a caller may choose, so that their number is bounded.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = self._counter(
            "http_requests", "HTTP requests answered.", ("door", "method", "route", "status")
        )
        self._request_seconds = self._histogram(
            "http_request_duration_seconds",
            "Time to the end of an answer; of an SSE stream, to its beginning.",
            ("door", "method", "route"),
            _REQUEST_SECONDS,
        )
        self._sessions = Gauge(
            f"{_PREFIX}sessions_open", "Open MCP connections.", ("transport",), registry=self._registry
        )
        for transport in SESSIONS.values():
            self._sessions.labels(transport)
        self._tool_calls = self._counter("tool_calls", "MCP tool calls.", ("tool", "outcome", "error"))
        self._tool_seconds = self._histogram(
            "tool_call_duration_seconds", "Time of an MCP tool call.", ("tool",), _REQUEST_SECONDS
        )
        self._enrichments = self._counter("enrichments", "Attempts to enrich a note, by what came of it.", ("outcome",))
        self._enrichment_failures = self._counter(
            "enrichment_failures", "Notes whose enrichment was given up, by why.", ("reason",)
        )
        for outcome in Enriched:
            self._enrichments.labels(outcome)
        for reason in Reason:
            self._enrichment_failures.labels(reason)
        self._embedding_seconds = self._histogram(
            "embedding_duration_seconds", "Time of a call of the embedding model.", ("kind",), _EMBEDDING_SECONDS
        )
        self._embedded_texts = self._counter("embedded_texts", "Texts given to the embedding model.", ("kind",))
        self._lookups = self._counter(
            "query_cache_lookups", "Queries looked for among those embedded before.", ("result",)
        )
        prometheus_client.ProcessCollector(registry=self._registry)
        prometheus_client.PlatformCollector(registry=self._registry)
        prometheus_client.GCCollector(registry=self._registry)

    def answered(self, *, door: str, method: str, route: str, status: int, seconds: float) -> None:
        """Count an HTTP request and how long its answer took."""
        self._requests.labels(door, method, route, str(status)).inc()
        self._request_seconds.labels(door, method, route).observe(seconds)

    @contextmanager
    def connected(self, route: str) -> Iterator[None]:
        """Count a connection to an MCP door as open while the block lasts; others are not counted."""
        transport = SESSIONS.get(route)
        if transport is None:
            yield
            return
        with self._sessions.labels(transport).track_inprogress():
            yield

    def tool_called(self, tool: str, outcome: Outcome, *, error: str, seconds: float) -> None:
        """Count a tool call and how long it took."""
        self._tool_calls.labels(tool, outcome, error).inc()
        self._tool_seconds.labels(tool).observe(seconds)

    def enriched(self, outcome: Enriched, *, reason: Reason | None = None) -> None:
        """Count an attempt to enrich a note."""
        self._enrichments.labels(outcome).inc()
        if reason is not None:
            self._enrichment_failures.labels(reason).inc()

    def embedded(self, kind: str, *, texts: int, seconds: float) -> None:
        """Count a call of the embedding model."""
        self._embedding_seconds.labels(kind).observe(seconds)
        self._embedded_texts.labels(kind).inc(texts)

    def looked_up(self, *, hit: bool) -> None:
        """Count a query that was looked for among those embedded before."""
        self._lookups.labels("hit" if hit else "miss").inc()

    def exposition(self, reading: Reading) -> bytes:
        """Return everything in Prometheus' text format."""
        return prometheus_client.generate_latest(_Scrape(self._registry, reading))

    def _counter(self, name: str, about: str, labels: tuple[str, ...]) -> Counter:
        return Counter(f"{_PREFIX}{name}", about, labels, registry=self._registry)

    def _histogram(self, name: str, about: str, labels: tuple[str, ...], buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"{_PREFIX}{name}", about, labels, registry=self._registry, buckets=buckets)


SESSIONS = {"/sse": "sse", "/mcp": "streamable"}
"""The routes whose requests are MCP connections, and what their transport is called."""


def outline(reading: Reading) -> bytes:
    """Return what anybody may know: this program's version, and whether its database answers."""
    return prometheus_client.generate_latest(_Scrape(CollectorRegistry(), Reading(queue=reading.queue)))


class _Scrape(CollectorRegistry):
    """A registry as one scrape sees it: with the store's state, and without the moments at which series began."""

    def __init__(self, counted: CollectorRegistry, reading: Reading) -> None:
        super().__init__()
        self._counted = counted
        self._reading = reading

    def collect(self) -> Iterator[Metric]:
        """Return every metric."""
        yield _gauges("build_info", "The running version.", "version", {memory_bank.__version__: 1})
        for metric in self._counted.collect():
            metric.samples = [each for each in metric.samples if not each.name.endswith("_created")]
            yield metric
        yield from _state(self._reading)


def _state(reading: Reading) -> Iterable[Metric]:
    queue, pool = reading.queue, reading.pool
    yield _gauge("database_up", "Whether the database answers: 1 or 0.", float(queue is not None))
    if queue is not None:
        jobs = {"waiting": queue.waiting, "running": queue.running, "failed": queue.failed}
        yield _gauges("queue_jobs", "Jobs in the queue; up to 10 000 of each state are counted.", "state", jobs)
        waited = "How long the oldest job that is due has waited."
        yield _gauge("queue_oldest_waiting_seconds", waited, queue.oldest_seconds)
    if pool is not None:
        held = {"used": pool.used, "idle": pool.idle}
        yield _gauges("database_connections", "Connections to the database.", "state", held)
        yield _gauge("database_connections_limit", "Most connections to the database.", pool.size)
        yield _gauge("database_callers_waiting", "Callers that wait for a connection.", pool.waiting)


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{_PREFIX}{name}", about, value=value)


def _gauges(name: str, about: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"{_PREFIX}{name}", about, labels=(label,))
    for each, value in values.items():
        family.add_metric((each,), value)
    return family
