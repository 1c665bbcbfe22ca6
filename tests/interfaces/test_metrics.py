"""`/metrics`: what is counted, who may see it, and that nothing a caller chooses ever becomes a label."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from uuid import uuid4

import httpx
import psycopg
import pytest
from numpy import float32
from numpy.typing import NDArray
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy.engine import make_url

import memory_bank
from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.notes import Draft, When
from memory_bank.domain.tokens import Authentication, Level
from memory_bank.errors import ProviderUnavailable
from memory_bank.interfaces.metrics import Prometheus, Reading
from memory_bank.services.metrics import Outcome
from memory_bank.services.tokens import KNOWN_FOR
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces import live
from tests.interfaces.live import TRANSPORTS, call, connected, refused
from tests.processes import NOWHERE
from tests.waiting import eventually

transports = pytest.mark.parametrize("transport", TRANSPORTS)
Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(text: str) -> Figures:
    """Return every sample by its name and labels; Prometheus' own reader must take it."""
    return {
        (sample.name.removeprefix("memory_bank_"), frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(figures: Figures, name: str, **labels: str) -> float | None:
    return figures.get((name, frozenset(labels.items())))


async def scraped(client: httpx.AsyncClient, **headers: str) -> Figures:
    answer = await client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return parsed(answer.text)


@pytest.fixture
async def client(server: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server) as opened:
        yield opened


@pytest.fixture
def unworked(loaded: Settings) -> Settings:
    """The settings of a server that leaves the queue to others."""
    return loaded.model_copy(update={"worker": loaded.worker.model_copy(update={"enabled": False})})


async def test_requests_are_counted_and_timed_by_door_method_route_and_status(client: httpx.AsyncClient) -> None:
    note = (await client.post("/api/v1/notes", json={"content": "green tea"})).json()["id"]
    for id in (note, note, uuid4()):
        await client.get(f"/api/v1/notes/{id}")
    await client.get("/health")
    await client.get("/")
    figures = await scraped(client)
    one = {"door": "rest", "method": "GET", "route": "/api/v1/notes/{id}"}
    assert value(figures, "http_requests_total", **one, status="200") == 2
    assert value(figures, "http_requests_total", **one, status="404") == 1
    assert value(figures, "http_request_duration_seconds_count", **one) == 3
    assert value(figures, "http_request_duration_seconds_bucket", **one, le="+Inf") == 3
    assert value(figures, "http_requests_total", door="status", method="GET", route="/health", status="200") == 1
    assert value(figures, "http_requests_total", door="web", method="GET", route="/", status="200") == 1


async def test_what_guards_refuse_is_counted_too(client: httpx.AsyncClient) -> None:
    await client.get("/health", headers={"Host": "evil.example.com"})
    await client.put("/api/v1/notes", json={})
    figures = await scraped(client)
    assert value(figures, "http_requests_total", door="status", method="GET", route="/health", status="421") == 1
    assert value(figures, "http_requests_total", door="rest", method="PUT", route="/api/v1/notes", status="405") == 1


async def test_nothing_that_a_caller_chooses_becomes_a_label(server: str, client: httpx.AsyncClient) -> None:
    chosen = [uuid4().hex for _ in range(8)]
    for each in chosen:
        await client.get(f"/{each}", params={each: each})
        await client.get(f"/api/v1/{each}/notes")
        await client.request(f"X{each[:8]}", "/health")
        await client.get(f"/api/v1/notes/{each}", headers={"X-Request-ID": each})
        await client.get(f"/web/{each}")
        await client.post("/api/v1/notes", json={"content": each, "bank": each})
        await client.post("/api/v1/notes/search", json={"context": each, "bank": each})
    async with connected(server, "streamable") as session:
        for each in chosen[:3]:
            await refused(session, f"tool_{each}")
    answer = await client.get("/metrics")
    assert not [each for each in chosen if each[:8] in answer.text]
    figures = parsed(answer.text)
    unknown = {"door": "unknown", "route": "unknown", "status": "404"}
    assert value(figures, "http_requests_total", **unknown, method="GET") == 16
    odd = {"door": "status", "route": "/health", "method": "unknown", "status": "405"}
    assert value(figures, "http_requests_total", **odd) == 8
    assert value(figures, "tool_calls_total", tool="unknown", outcome="refused", error="NotFound") == 3


@transports
async def test_tool_calls_are_counted_and_timed_by_how_they_ended(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, transport: str
) -> None:
    async with (
        live.serving(loaded, Parts(embedder=embedder, analyst=analyst)) as url,
        httpx.AsyncClient(base_url=url) as client,
        connected(url, transport) as session,
    ):
        await call(session, "add_memory_note", content="green tea at four")
        await call(session, "list_memory_notes")
        await refused(session, "add_memory_note", content=" ")
        await refused(session, "get_note_neighbourhood", id=str(uuid4()))
        figures = await scraped(client)
    assert value(figures, "tool_calls_total", tool="add_memory_note", outcome="ok", error="") == 1
    assert value(figures, "tool_calls_total", tool="add_memory_note", outcome="refused", error="InvalidInput") == 1
    assert value(figures, "tool_calls_total", tool="get_note_neighbourhood", outcome="refused", error="NotFound") == 1
    assert value(figures, "tool_call_duration_seconds_count", tool="add_memory_note") == 2


async def test_a_tool_that_fails_unexpectedly_is_counted_as_failed(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst
) -> None:
    class Broken(FakeEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[float32]]:
            raise RuntimeError("broken")

    async with (
        live.serving(loaded, Parts(embedder=Broken(), analyst=analyst)) as url,
        httpx.AsyncClient(base_url=url) as client,
        connected(url, "streamable") as session,
    ):
        assert "internal error" in await refused(session, "add_memory_note", content="green tea")
        figures = await scraped(client)
    assert value(figures, "tool_calls_total", tool="add_memory_note", outcome="failed", error="") == 1


async def test_open_sse_sessions_are_counted_as_long_as_they_last(server: str, client: httpx.AsyncClient) -> None:
    async def open_sessions() -> float | None:
        return value(await scraped(client), "sessions_open", transport="sse")

    async def none_is_open() -> bool:
        return await open_sessions() == 0

    assert await open_sessions() == 0
    async with connected(server, "sse"), connected(server, "sse"):
        assert await open_sessions() == 2
        opened = {"door": "sse", "method": "GET", "route": "/sse", "status": "200"}
        assert value(await scraped(client), "http_requests_total", **opened) == 2
    await eventually(none_is_open)


async def test_the_queue_is_read_when_somebody_asks(unworked: Settings, app: App, embedder: FakeEmbedder) -> None:
    async with (
        live.serving(unworked, Parts(embedder=embedder)) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        assert value(await scraped(client), "queue_jobs", state="waiting") == 0
        await app.notes.add("default", Draft(content="green tea"), when=When.QUEUED)
        figures = await scraped(client)
    assert value(figures, "database_up") == 1
    assert value(figures, "queue_jobs", state="waiting") == 1
    assert value(figures, "queue_jobs", state="running") == 0
    assert value(figures, "queue_jobs", state="failed") == 0
    waited = value(figures, "queue_oldest_waiting_seconds")
    assert waited is not None
    assert 0 <= waited < 60
    assert value(figures, "database_connections_limit") == unworked.postgres.pool_size
    assert (value(figures, "database_connections", state="used") or 0) + (
        value(figures, "database_connections", state="idle") or 0
    ) > 0


async def test_a_caller_that_waits_for_a_connection_is_seen(loaded: Settings, embedder: FakeEmbedder) -> None:
    tight = loaded.model_copy(update={"postgres": loaded.postgres.model_copy(update={"pool_size": 1})})
    async with open_app(tight, parts=Parts(embedder=embedder)) as app:
        database = app.diagnosis._database

        async def ask() -> None:
            async with database.whole_store():
                pass

        async with database.whole_store():
            assert (app.diagnosis.pool().used, app.diagnosis.pool().waiting) == (1, 0)
            waiter = asyncio.create_task(ask())
            await eventually(lambda: app.diagnosis.pool().waiting == 1)
        await waiter
        assert (app.diagnosis.pool().used, app.diagnosis.pool().idle, app.diagnosis.pool().waiting) == (0, 1, 0)


@contextlib.contextmanager
def away(url: str) -> Iterator[None]:
    """Let the database of `url` refuse everybody while the block lasts."""
    parsed_url = make_url(url)
    beside = parsed_url.set(database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(beside, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{parsed_url.database}" ALLOW_CONNECTIONS false')
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [parsed_url.database]
        )
        try:
            yield
        finally:
            connection.execute(f'ALTER DATABASE "{parsed_url.database}" ALLOW_CONNECTIONS true')


async def test_with_the_database_away_a_scrape_answers_with_the_rest(
    unworked: Settings, url: str, embedder: FakeEmbedder
) -> None:
    async with live.serving(unworked, Parts(embedder=embedder)) as served, httpx.AsyncClient(base_url=served) as client:
        await client.get("/health")
        assert value(await scraped(client), "database_up") == 1
        with away(url):
            figures = await scraped(client)
        assert value(figures, "database_up") == 0
        assert value(figures, "queue_jobs", state="waiting") is None
        assert value(figures, "http_requests_total", door="status", method="GET", route="/health", status="200") == 1
        assert value(figures, "database_connections_limit") is not None
        assert value(await scraped(client), "database_up") == 1


async def test_while_the_server_waits_for_its_database_a_scrape_says_so_and_no_more(
    loaded: Settings, embedder: FakeEmbedder
) -> None:
    nowhere = loaded.model_copy(update={"postgres": loaded.postgres.model_copy(update={"url": NOWHERE})})
    async with (
        live.serving(nowhere, Parts(embedder=embedder), with_store=False) as served,
        httpx.AsyncClient(base_url=served) as client,
    ):
        await client.get("/health")
        figures = await scraped(client)
    assert value(figures, "database_up") == 0
    assert value(figures, "build_info", version=memory_bank.__version__) == 1
    assert {name for name, _ in figures} == {"database_up", "build_info"}


async def test_where_tokens_are_needed_one_that_reads_every_bank_is(
    unworked: Settings, url: str, app: App, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    reader = (await app.tokens.create("prometheus", level=Level.READ)).secret
    narrow = (await app.tokens.create("narrow", banks=["a"], level=Level.ADMIN)).secret
    stranger = reader[:-4] + "AAAA"
    async with (
        live.serving(unworked, Parts(embedder=embedder, clock=clock)) as served,
        httpx.AsyncClient(base_url=served) as client,
    ):
        refused_answers = [await client.get("/metrics", headers=headers) for headers in (None, bearer(stranger))]
        assert [each.status_code for each in refused_answers] == [401, 401]
        assert refused_answers[0].headers["www-authenticate"].startswith("Bearer")
        assert (await client.get("/metrics", headers=bearer(narrow))).status_code == 403
        assert value(await scraped(client, **bearer(reader)), "database_up") == 1
        clock.advance(seconds=KNOWN_FOR.total_seconds())
        with away(url):
            known = await scraped(client, **bearer(reader))
            assert (await client.get("/metrics")).status_code == 401
            outline = await scraped(client, **bearer(stranger))
            assert (await client.get("/metrics", headers=bearer(narrow))).status_code == 403
    assert value(known, "database_up") == 0
    assert any(name == "http_requests_total" for name, _ in known)
    assert {name for name, _ in outline} == {"database_up", "build_info"}


async def test_where_tokens_are_switched_off_an_outage_hides_nothing(
    unworked: Settings, url: str, embedder: FakeEmbedder
) -> None:
    off = unworked.server.model_copy(update={"auth": Authentication.OFF})
    free = unworked.model_copy(update={"server": off})
    async with live.serving(free, Parts(embedder=embedder)) as served, httpx.AsyncClient(base_url=served) as client:
        await client.get("/health")
        with away(url):
            assert any(name == "http_requests_total" for name, _ in await scraped(client))


def bearer(token: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(("retryable", "reason"), [(True, "unavailable"), (False, "refused")])
async def test_failed_enrichments_are_counted_by_reason(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, retryable: bool, reason: str
) -> None:
    once = loaded.model_copy(update={"enrichment": loaded.enrichment.model_copy(update={"attempts": 1})})
    async with (
        live.serving(once, Parts(embedder=embedder, analyst=analyst)) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        assert (await client.post("/api/v1/notes", json={"content": "green tea"})).json()["enrichment"] == "done"
        analyst.failure = ProviderUnavailable("the model is gone", retryable=retryable)
        assert (await client.post("/api/v1/notes", json={"content": "black tea"})).json()["enrichment"] == "failed"
        figures = await scraped(client)
    assert value(figures, "enrichments_total", outcome="done") == 1
    assert value(figures, "enrichments_total", outcome="failed") == 1
    assert value(figures, "enrichment_failures_total", reason=reason) == 1
    assert value(figures, "enrichment_failures_total", reason="unexpected") == 0


async def test_two_servers_in_one_process_count_for_themselves() -> None:
    one, other = Prometheus(), Prometheus()
    one.tool_called("recall", Outcome.OK, error="", seconds=0.1)
    figures = [parsed(each.exposition(Reading()).decode()) for each in (one, other)]
    labels = {"tool": "recall", "outcome": "ok", "error": ""}
    assert [value(each, "tool_calls_total", **labels) for each in figures] == [1, None]


async def test_a_scrape_names_its_version_and_tells_of_the_process(client: httpx.AsyncClient) -> None:
    figures = await scraped(client)
    assert value(figures, "build_info", version=memory_bank.__version__) == 1
    assert any(name.startswith("python_gc") for name, _ in figures)
    assert not [name for name, _ in figures if name.endswith("_created")]
