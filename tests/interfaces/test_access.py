"""Access over HTTP: who is let in, to what, at every door alike."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mcp import ClientSession

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.tokens import Authentication, Level
from memory_bank.interfaces import rates
from memory_bank.interfaces.mcp.server import TOOLSETS
from memory_bank.services.tokens import KNOWN_FOR
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces import live
from tests.interfaces.live import TRANSPORTS, call, connected, refused
from tests.processes import INITIALIZE, NOWHERE
from tests.waiting import eventually

transports = pytest.mark.parametrize("transport", TRANSPORTS)
TOOLS = [tool.name for tools in TOOLSETS.values() for tool in tools]
ID = str(uuid4())
ALLOWED = "https://app.example.com"
ASKED = "content-type, authorization, mcp-session-id, mcp-protocol-version, last-event-id"

# For each tool: arguments that are in order, and whether they change anything.
SAMPLES: dict[str, tuple[dict[str, Any], bool]] = {
    "add_memory_note": ({"content": "written"}, True),
    "search_memory_notes": ({"context": "anything"}, False),
    "get_memory_notes_by_ids": ({"ids": [ID]}, False),
    "add_memory_notes": ({"notes": [{"content": "written"}]}, True),
    "update_memory_note": ({"id": ID, "content": "changed"}, True),
    "delete_memory_note": ({"id": ID}, True),
    "list_memory_notes": ({}, False),
    "link_memory_notes": ({"source_id": ID, "target_id": ID, "type": "causal", "explanation": "so"}, True),
    "get_note_neighbourhood": ({"id": ID}, False),
    "remember": ({"name": "Ada", "facts": ["likes tea"]}, True),
    "recall": ({"query": "tea"}, False),
    "observe": ({"user": "a", "assistant": "b", "sessionId": "s"}, True),
    "relate": ({"from": "Ada", "type": "uses", "to": "tea"}, True),
    "context": ({"action": "push", "session_id": "s", "content": "x"}, True),
    "task": ({"action": "start", "title": "t", "goal": "g"}, True),
    "introspect": ({}, False),
    "consolidate": ({}, True),
    "forget": ({"action": "entity", "name": "Ada"}, True),
}
READING_PARTS = [("context", {"action": "get", "session_id": "s"}), ("task", {"action": "list"})]
# For each route of the API, the tool that does the same.
ROUTES: dict[tuple[str, str], str] = {
    ("POST", "/api/v1/notes"): "add_memory_note",
    ("POST", "/api/v1/notes/batch"): "add_memory_notes",
    ("POST", "/api/v1/notes/search"): "search_memory_notes",
    ("POST", "/api/v1/notes/by-ids"): "get_memory_notes_by_ids",
    ("GET", "/api/v1/notes"): "list_memory_notes",
    ("GET", "/api/v1/notes/{id}"): "get_memory_notes_by_ids",
    ("PATCH", "/api/v1/notes/{id}"): "update_memory_note",
    ("DELETE", "/api/v1/notes/{id}"): "delete_memory_note",
    ("GET", "/api/v1/notes/{id}/neighbourhood"): "get_note_neighbourhood",
    ("PUT", "/api/v1/links"): "link_memory_notes",
    **{
        ("POST", f"/api/v1/{name}"): name
        for name in (
            *("remember", "recall", "observe", "relate", "context"),
            *("task", "introspect", "consolidate", "forget"),
        )
    },
}


@dataclass(frozen=True, kw_only=True)
class Guarded:
    """A live server whose store holds tokens, and the app that made them."""

    url: str
    app: App
    clock: FakeClock
    everything: str
    reader: str
    of_a: str
    of_b: str
    expired: str
    revoked: str

    @property
    def bad(self) -> list[str]:
        """Tokens that are no good."""
        wrong = self.everything[:-1] + ("A" if self.everything[-1] != "A" else "B")
        return [wrong, "x", self.expired, self.revoked]

    def forgotten(self) -> None:
        """Let so much time pass that the server asks the store again about every token."""
        self.clock.advance(seconds=KNOWN_FOR.total_seconds())


@pytest.fixture
async def guarded(
    loaded: Settings, app: App, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> AsyncIterator[Guarded]:
    async with serving(loaded, app, embedder=embedder, analyst=analyst, clock=clock) as served:
        yield served


@contextlib.asynccontextmanager
async def serving(
    settings: Settings, app: App, *, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> AsyncIterator[Guarded]:
    async def made(name: str, level: Level = Level.ADMIN, *banks: str, days: int | None = None) -> str:
        lifetime = None if days is None else timedelta(days=days)
        return (await app.tokens.create(name, banks=banks, level=level, lifetime=lifetime)).secret

    expired, revoked = await made("expired", days=1), await made("revoked")
    clock.advance(days=1)
    await app.tokens.revoke(revoked.rpartition("_")[0] if revoked.count("_") == 2 else revoked[:15])
    async with live.serving(settings, Parts(embedder=embedder, analyst=analyst, clock=clock)) as url:
        yield Guarded(
            url=url,
            app=app,
            clock=clock,
            everything=await made("everything"),
            reader=await made("reader", Level.READ),
            of_a=await made("of a", Level.ADMIN, "a"),
            of_b=await made("of b", Level.ADMIN, "b"),
            expired=expired,
            revoked=revoked,
        )


def with_settings(loaded: Settings, **changes: Any) -> Settings:
    return loaded.model_copy(update={"server": loaded.server.model_copy(update=changes)})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def request(method: str, path: str, *, bank: str | None = None) -> dict[str, Any]:
    """Return what to send to a route of the API, in order but for the token."""
    given = {} if bank is None else {"bank": bank}
    sample, _ = SAMPLES[ROUTES[method, path]]
    address = path.replace("{id}", ID)
    if method in ("POST", "PUT"):
        return {"method": method, "url": address, "json": {**sample, **given}}
    body = {"json": {"content": "changed"}} if method == "PATCH" else {}
    return {"method": method, "url": address, "params": given, **body}


async def described(served: Guarded) -> list[tuple[str, str]]:
    async with httpx.AsyncClient(base_url=served.url, headers=bearer(served.everything)) as client:
        paths = (await client.get("/openapi.json")).json()["paths"]
    return [(method.upper(), path) for path, methods in paths.items() for method in methods]


async def texts(app: App) -> list[str]:
    return [each.bank for each in (await app.maintenance.state()).banks if each.notes]


async def test_every_tool_and_every_route_is_tried_below(guarded: Guarded) -> None:
    assert list(SAMPLES) == TOOLS
    assert {each for each in await described(guarded) if each[1].startswith("/api/")} == set(ROUTES)
    others = {path for _, path in await described(guarded) if not path.startswith("/api/")}
    assert others == {"/health", "/ready", "/metrics"}


async def test_without_a_good_token_every_route_but_liveness_and_the_page_answers_401(guarded: Guarded) -> None:
    paths = ("/ready", "/metrics", "/docs", "/redoc", "/openapi.json", "/sse", "/mcp", "/nothing")
    others = [("GET", path) for path in paths]
    others += [("POST", "/mcp"), ("POST", "/mcp/messages"), ("DELETE", "/mcp"), ("GET", "/health/"), ("GET", "/api/v1")]
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        for token in (None, *guarded.bad):
            headers = {} if token is None else bearer(token)
            for asked in (*(request(*route) for route in ROUTES), *({"method": m, "url": p} for m, p in others)):
                answer = await client.request(**asked, headers=headers)
                assert answer.status_code == 401, asked
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert token is None or len(token) < 5 or token not in answer.text
            for path in ("/health", "/", "/web/page.js"):
                assert (await client.get(path, headers=headers)).status_code == 200
    assert await texts(guarded.app) == []


async def test_mcp_clients_are_refused_in_json_rpc_and_others_in_json(guarded: Guarded) -> None:
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        for path in ("/mcp", f"/mcp/messages?session_id={uuid4().hex}"):
            told = (await client.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})).json()
            assert (told["jsonrpc"], told["id"]) == ("2.0", None)
            assert "memory-bank token create" in told["error"]["message"]
        told = (await client.get("/api/v1/notes")).json()
        assert told["error"] == "unauthenticated"


async def test_each_route_takes_the_level_of_its_operation_and_the_bank_that_it_names(guarded: Guarded) -> None:
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        for method, path in ROUTES:
            _, changes = SAMPLES[ROUTES[method, path]]
            read = await client.request(**request(method, path), headers=bearer(guarded.reader))
            assert (read.status_code == 403) is changes, (method, path, read.text)
            for bank in ("a", None):
                foreign = await client.request(**request(method, path, bank=bank), headers=bearer(guarded.of_b))
                assert foreign.status_code == 403, (method, path, foreign.text)
                assert foreign.json()["error"] == "forbidden"
            own = await client.request(**request(method, path, bank="b"), headers=bearer(guarded.of_b))
            assert own.status_code in (200, 201, 404, 422), (method, path, own.text)
    assert await texts(guarded.app) == ["b"]


@transports
async def test_each_tool_takes_the_level_of_its_operation_and_the_bank_that_it_names(
    guarded: Guarded, transport: str
) -> None:
    async with connected(guarded.url, transport, token=guarded.reader) as session:
        for name, (arguments, changes) in SAMPLES.items():
            if changes:
                assert "--level write" in await refused(session, name, **arguments)
            elif name == "get_note_neighbourhood":
                assert f"no note {ID}" in await refused(session, name, **arguments)
            else:
                await call(session, name, **arguments)
        for name, arguments in READING_PARTS:
            await call(session, name, **arguments)
    async with connected(guarded.url, transport, token=guarded.of_b) as session:
        for name, (arguments, _) in SAMPLES.items():
            assert "other banks" in await refused(session, name, **arguments, bank="a")
            assert "other banks" in await refused(session, name, **arguments)
        await call(session, "add_memory_note", content="mine", bank="b")
    assert await texts(guarded.app) == ["b"]


async def test_the_notes_of_another_bank_are_not_found_and_stay_as_they_are(guarded: Guarded) -> None:
    async with httpx.AsyncClient(base_url=f"{guarded.url}/api/v1") as client:
        added = await client.post("/notes", json={"content": "secret of a", "bank": "a"}, headers=bearer(guarded.of_a))
        note = f"/notes/{added.json()['id']}"
        for asked in ({"method": "GET"}, {"method": "DELETE"}, {"method": "PATCH", "json": {"content": "x"}}):
            answer = await client.request(url=note, params={"bank": "b"}, headers=bearer(guarded.of_b), **asked)
            assert answer.status_code == 404
        found = await client.post(
            "/notes/search", json={"context": "secret", "bank": "b"}, headers=bearer(guarded.of_b)
        )
        assert found.json()["notes"] == []
        kept = await client.get(note, params={"bank": "a"}, headers=bearer(guarded.of_a))
        assert kept.json()["content"] == "secret of a"


@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
async def test_case_and_spaces_of_header_and_scheme_do_not_matter(guarded: Guarded, name: str, scheme: str) -> None:
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        answer = await client.get("/api/v1/notes", headers={name: f"{scheme} {guarded.reader}"})
        assert answer.status_code == 200


async def test_a_token_anywhere_else_is_refused(guarded: Guarded) -> None:
    good = guarded.everything
    elsewhere: list[dict[str, Any]] = [
        *({"params": {name: good}} for name in ("token", "access_token", "authorization", "api_key")),
        {"headers": {"X-Api-Key": good}},
        {"headers": {"Cookie": f"token={good}"}},
        {"headers": {"Authorization": good}},
        {"headers": {"Authorization": f"Basic {good}"}},
        {"headers": {"Authorization": f"Bearer{good}"}},
        {"headers": {"Authorization": f"Bearer {good} {good}"}},
        {"headers": [("Authorization", f"Bearer {good}"), ("Authorization", "Bearer x")]},
        {"headers": {"Authorization": "Bearer \xff".encode("latin-1")}},
    ]
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        for given in elsewhere:
            for path in ("/api/v1/notes", "/mcp", "/sse"):
                assert (await client.get(path, **given)).status_code == 401, given


@transports
async def test_two_sessions_have_each_their_own_access(guarded: Guarded, transport: str) -> None:
    async with (
        connected(guarded.url, transport, token=guarded.of_a) as one,
        connected(guarded.url, transport, token=guarded.of_b) as other,
    ):
        await asyncio.gather(
            call(one, "add_memory_note", content="of a", bank="a"),
            call(other, "add_memory_note", content="of b", bank="b"),
        )
        assert "other banks" in await refused(one, "list_memory_notes", bank="b")
        assert "other banks" in await refused(other, "list_memory_notes", bank="a")
        for session, bank in ((one, "a"), (other, "b")):
            (note,) = (await call(session, "list_memory_notes", bank=bank))["notes"]
            assert note["content"] == f"of {bank}"


@contextlib.asynccontextmanager
async def stream(served: Guarded, token: str) -> AsyncIterator[tuple[str, AsyncIterator[str]]]:
    """Open an SSE stream; yields where its messages go, and its further lines."""
    async with (
        httpx.AsyncClient(timeout=60) as client,
        client.stream("GET", f"{served.url}/sse", headers=bearer(token)) as answer,
    ):
        lines = answer.aiter_lines()
        async for line in lines:
            if line.startswith("data: "):
                yield served.url + line.removeprefix("data: "), lines
                return


async def test_a_session_takes_messages_from_the_token_that_opened_it_alone(guarded: Guarded) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    async with stream(guarded, guarded.of_a) as (address, lines), httpx.AsyncClient() as client:
        for headers in ({}, *map(bearer, (*guarded.bad, guarded.of_b, guarded.everything))):
            assert (await client.post(address, json=hello, headers=headers)).status_code in (401, 403, 404)
        assert (await client.post(address, json=hello, headers=bearer(guarded.of_a))).status_code == 202
        async with asyncio.timeout(60):
            answers = [json.loads(line[6:]) async for line in first(lines, lambda line: line.startswith("data: "))]
    assert answers[0]["result"]["serverInfo"]["name"] == "memory-bank"


async def first(lines: AsyncIterator[str], wanted: Callable[[str], bool]) -> AsyncIterator[str]:
    async for line in lines:
        if wanted(line):
            yield line
            return


async def test_a_revoked_token_ends_its_open_session_and_no_other(guarded: Guarded) -> None:
    async with (
        stream(guarded, guarded.of_a) as (address, lines),
        connected(guarded.url, "sse", token=guarded.of_b) as other,
    ):
        await guarded.app.tokens.revoke(guarded.of_a[:15])
        guarded.forgotten()
        async with asyncio.timeout(60):
            async for _ in lines:
                pass
        async with httpx.AsyncClient() as client:
            answer = await client.post(address, json={}, headers=bearer(guarded.of_a))
            assert answer.status_code == 401
            gone = await client.post(address, json={}, headers=bearer(guarded.everything))
            assert gone.status_code == 404
        await call(other, "list_memory_notes", bank="b")


@transports
async def test_a_token_that_expires_stops_a_session_under_way(guarded: Guarded, transport: str) -> None:
    short = await guarded.app.tokens.create("short", level=Level.READ, lifetime=timedelta(hours=1))
    async with httpx.AsyncClient(base_url=guarded.url, headers=bearer(short.secret)) as client:
        assert (await client.get("/api/v1/notes")).status_code == 200
        guarded.clock.advance(hours=1)
        for path in ("/api/v1/notes", "/mcp"):
            assert (await client.get(path)).status_code == 401


async def test_readiness_tells_strangers_only_whether(guarded: Guarded, embedder: FakeEmbedder) -> None:
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        known = await client.get("/ready", headers=bearer(guarded.reader))
        assert (known.status_code, known.json()["pending"]) == (200, 0)
        stranger = await client.get("/ready")
        assert stranger.status_code == 401
        assert "pending" not in stranger.text


async def test_without_any_token_nothing_is_asked_and_the_first_one_closes_the_doors(
    server: str, app: App, clock: FakeClock
) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        assert (await client.get("/api/v1/notes")).status_code == 200
        assert (await client.get("/api/v1/notes", headers={"Authorization": "Basic eDp5"})).status_code == 200
        made = await app.tokens.create("first")
        clock.advance(seconds=KNOWN_FOR.total_seconds())
        assert (await client.get("/api/v1/notes")).status_code == 401
        assert (await client.get("/api/v1/notes", headers=bearer(made.secret))).status_code == 200


@transports
async def test_a_session_opened_before_the_first_token_ends_with_it(
    server: str, app: App, clock: FakeClock, transport: str
) -> None:
    async with connected(server, transport) as session:
        await call(session, "list_memory_notes")
        await app.tokens.create("first")
        clock.advance(seconds=KNOWN_FOR.total_seconds())

        async def locked_out() -> bool:
            return not await listed(session)

        await eventually(locked_out)


async def listed(session: ClientSession) -> bool:
    try:
        async with asyncio.timeout(5):
            return not (await session.call_tool("list_memory_notes", {})).is_error
    except Exception:  # noqa: BLE001 - however the client tells it
        return False


async def test_no_token_is_ever_logged(guarded: Guarded, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="memory_bank")
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        for token in (guarded.everything, *guarded.bad):
            await client.get("/api/v1/notes", headers=bearer(token))
            await client.get("/api/v1/notes", params={"token": token})
    said = "".join(repr(vars(record)) for record in caplog.records if record.name.startswith("memory_bank"))
    assert not any(token[15:] in said for token in (guarded.everything, guarded.expired, guarded.revoked))


@transports
async def test_while_the_store_is_away_tools_are_told_and_no_call_comes_through(
    loaded: Settings, embedder: FakeEmbedder, transport: str
) -> None:
    away = loaded.model_copy(
        update={
            "postgres": loaded.postgres.model_copy(update={"url": NOWHERE}),
            "embedding": loaded.embedding.model_copy(update={"wait": 0.1}),
        }
    )
    async with (
        live.serving(away, Parts(embedder=embedder), with_store=False) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        async with connected(url, transport) as session:
            assert [tool.name for tool in (await session.list_tools()).tools] == TOOLS
            assert "try again" in await refused(session, "list_memory_notes")
        assert (await client.get("/api/v1/notes")).status_code == 503
        assert (await client.get("/health")).status_code == 200
        assert (await client.get("/ready")).json()["ready"] is False


# Other origins.


async def asked_from(client: httpx.AsyncClient, origin: str, path: str = "/mcp") -> httpx.Response:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": ASKED}
    return await client.options(path, headers=headers)


@pytest.fixture
async def listing(
    loaded: Settings, app: App, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> AsyncIterator[Guarded]:
    """A guarded server that lets in the pages of two origins."""
    own = with_settings(
        loaded, allowed_origins=(ALLOWED, "http://dev.example.com:*"), allowed_hosts=("memory.example.com", "mem:*")
    )
    async with serving(own, app, embedder=embedder, analyst=analyst, clock=clock) as served:
        yield served


@pytest.mark.parametrize("origin", [ALLOWED, "http://dev.example.com", "http://dev.example.com:3000"])
async def test_pages_of_listed_origins_may_ask_and_read_errors_too(listing: Guarded, origin: str) -> None:
    async with httpx.AsyncClient(base_url=listing.url) as client:
        for path in ("/mcp", "/sse", "/mcp/messages", "/api/v1/notes"):
            preflight = await asked_from(client, origin, path)
            assert preflight.status_code == 200
            assert preflight.headers["access-control-allow-origin"] == origin
            allowed = {each.strip().lower() for each in preflight.headers["access-control-allow-headers"].split(",")}
            assert set(ASKED.split(", ")) <= allowed
        for asked, status in (
            (client.get("/api/v1/notes", headers={"Origin": origin}), 401),
            (client.get("/api/v1/nothing", headers={"Origin": origin, **bearer(listing.everything)}), 404),
            (client.put("/api/v1/notes", headers={"Origin": origin, **bearer(listing.everything)}), 405),
            (client.get("/api/v1/notes", headers={"Origin": origin, **bearer(listing.of_a)}), 403),
            (client.get("/api/v1/notes", headers={"Origin": origin, **bearer(listing.everything)}), 200),
        ):
            answer = await asked
            assert answer.status_code == status
            assert answer.headers["access-control-allow-origin"] == origin
            assert "mcp-session-id" in answer.headers["access-control-expose-headers"].lower()
            assert "origin" in answer.headers["vary"].lower()


@pytest.mark.parametrize(
    "origin", ["http://evil.example.net", "https://app.example.com.evil.net", "http://app.example.com", "null", "*"]
)
async def test_pages_of_other_origins_get_nothing(listing: Guarded, origin: str) -> None:
    async with httpx.AsyncClient(base_url=listing.url) as client:
        for answer in (
            await asked_from(client, origin),
            await client.post("/api/v1/notes/search", json={"context": "x"}, headers={"Origin": origin}),
            await client.get("/api/v1/notes", headers={"Origin": origin, **bearer(listing.everything)}),
        ):
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers


async def test_no_origin_may_read_where_none_is_listed(server: str) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        for origin in ("http://localhost:3000", ALLOWED):
            for answer in (await asked_from(client, origin), await client.get("/", headers={"Origin": origin})):
                assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", ["memory.example.com", "MEMORY.example.com:8443", "mem", "mem:8000"])
async def test_listed_hosts_pass_with_and_without_a_port(listing: Guarded, host: str) -> None:
    async with httpx.AsyncClient(base_url=listing.url) as client:
        assert (await client.get("/health", headers={"Host": host})).status_code == 200
        assert (await client.get("/health", headers={"Host": f"evil.{host}"})).status_code == 421


# Rates.


def test_a_bucket_empties_fills_up_again_and_is_its_callers_own() -> None:
    now = [0.0]
    buckets = rates.Rates(2, seconds=lambda: now[0])
    assert [buckets.taken("ada") for _ in range(3)] == [0, 0, 30]
    assert buckets.taken("bob") == 0
    now[0] += 30
    assert [buckets.taken("ada") for _ in range(2)] == [0, 30]
    now[0] += 3600
    assert [buckets.taken("ada") for _ in range(3)] == [0, 0, 30]
    assert not any(rates.Rates(0).taken("ada") for _ in range(1000))


def test_buckets_are_kept_for_so_many_callers() -> None:
    buckets = rates.Rates(1, seconds=lambda: 0.0)
    for n in range(rates.KEYS_LIMIT + 5):
        assert buckets.taken(str(n)) == 0
    assert len(buckets._buckets) == rates.KEYS_LIMIT


def test_an_ipv6_client_has_one_bucket_for_its_whole_network() -> None:
    assert rates.of_address("2001:db8::1") == rates.of_address("2001:db8::ffff:1")
    assert rates.of_address("192.0.2.1") != rates.of_address("192.0.2.2")
    assert rates.of_address("") == ""


async def test_whoever_calls_too_often_is_told_when_to_come_back_and_others_go_on(
    loaded: Settings, app: App, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> None:
    own = with_settings(loaded, rate_limit=5)
    async with (
        serving(own, app, embedder=embedder, analyst=analyst, clock=clock) as served,
        httpx.AsyncClient(base_url=served.url) as client,
    ):
        answers = [await client.get("/api/v1/notes", headers=bearer(served.everything)) for _ in range(6)]
        assert [each.status_code for each in answers] == [200] * 5 + [429]
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert "server.rate-limit" in answers[-1].json()["message"]
        over_mcp = await client.post("/mcp", json={}, headers=bearer(served.everything))
        assert over_mcp.status_code == 429
        assert "error" in over_mcp.json()
        assert (await client.get("/api/v1/notes", headers=bearer(served.reader))).status_code == 200
        strangers = [await client.get("/api/v1/notes", headers=bearer(f"x{n}")) for n in range(6)]
        assert [each.status_code for each in strangers] == [401] * 5 + [429]
        assert (await client.get("/health")).status_code == 200


# The rest.


async def test_every_answer_forbids_guessing_and_framing(guarded: Guarded) -> None:
    async with httpx.AsyncClient(base_url=guarded.url) as client:
        for path, headers in (("/", {}), ("/health", {}), ("/api/v1/notes", {}), ("/health", {"Host": "evil.net"})):
            given: Mapping[str, str] = (await client.get(path, headers=headers)).headers
            assert given["x-content-type-options"] == "nosniff"
            assert given["x-frame-options"] == "DENY"
            assert given["referrer-policy"] == "no-referrer"


async def test_a_required_token_is_asked_for_before_one_was_made(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> None:
    own = with_settings(loaded, auth=Authentication.REQUIRED)
    async with (
        live.serving(own, Parts(embedder=embedder, analyst=analyst, clock=clock)) as url,
        httpx.AsyncClient(base_url=url) as client,
        open_app(own, parts=Parts(embedder=embedder, analyst=analyst, clock=clock)) as app,
    ):
        assert (await client.get("/api/v1/notes")).status_code == 401
        made = await app.tokens.create("first", level=Level.READ)
        assert (await client.get("/api/v1/notes", headers=bearer(made.secret))).status_code == 200
