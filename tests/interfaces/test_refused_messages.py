"""Messages that are refused before a tool sees them: their callers are told, and their sessions go on."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mcp import ClientSession, MCPError

from memory_bank.bootstrap import App, Parts
from memory_bank.interfaces.guards import BODY_LIMIT
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces import live
from tests.interfaces.live import call, connected
from tests.interfaces.test_access import Guarded, bearer, serving, with_settings
from tests.waiting import eventually

transports = pytest.mark.parametrize("transport", live.TRANSPORTS)

FEW = 30
"""Calls a minute: enough to open a session, and one more every other second."""

NESTED: Any = []
for _ in range(220):
    NESTED = [NESTED]


@pytest.fixture
async def hurried(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> AsyncIterator[str]:
    """The URL of a server that takes few calls a minute."""
    own = with_settings(loaded, rate_limit=FEW)
    async with live.serving(own, Parts(embedder=embedder, analyst=analyst, clock=clock)) as url:
        yield url


async def exhaust(url: str, **headers: str) -> None:
    """Call until no call is left."""
    async with httpx.AsyncClient(base_url=url, headers=headers) as client:
        while (await client.get("/api/v1/notes")).status_code != 429:
            pass


async def told(session: ClientSession, tool: str, /, **arguments: Any) -> str:
    """Call a tool whose message must be refused; returns why."""
    with pytest.raises(MCPError) as refused:
        async with asyncio.timeout(60):
            await session.call_tool(tool, arguments)
    return refused.value.message


@dataclass(frozen=True, kw_only=True)
class Stream:
    """A session's stream, and where its messages go."""

    client: httpx.AsyncClient
    address: str
    lines: AsyncIterator[str]

    async def post(self, message: dict[str, Any], **headers: str) -> httpx.Response:
        return await self.client.post(self.address, json=message, headers=headers)

    async def next(self) -> dict[str, Any]:
        """Wait for the next message of the stream."""
        async with asyncio.timeout(60):
            async for line in self.lines:
                if line.startswith("data: "):
                    return dict(json.loads(line.removeprefix("data: ")))
        raise AssertionError("the stream has ended")


@contextlib.asynccontextmanager
async def streaming(url: str, **headers: str) -> AsyncIterator[Stream]:
    async with (
        httpx.AsyncClient(base_url=url, timeout=60, headers=headers) as client,
        client.stream("GET", "/sse") as answer,
    ):
        lines = answer.aiter_lines()
        async for line in lines:
            if line.startswith("data: "):
                yield Stream(client=client, address=line.removeprefix("data: "), lines=lines)
                return


def ping(id: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "ping"}


@transports
async def test_whoever_calls_too_often_is_told_so_and_goes_on_later(hurried: str, transport: str) -> None:
    async with connected(hurried, transport) as session:
        await call(session, "list_memory_notes")
        await exhaust(hurried)
        for _ in range(3):
            assert "too many calls; try again in" in await told(session, "list_memory_notes")

        async def answered() -> bool:
            with contextlib.suppress(MCPError):
                await call(session, "list_memory_notes")
                return True
            return False

        await eventually(answered)


@transports
@pytest.mark.parametrize(
    ("arguments", "named"),
    [({"content": "x" * BODY_LIMIT}, "4 MiB"), ({"content": "x", "tags": NESTED}, "pars")],
    ids=["too large", "nested too deep"],
)
async def test_what_no_door_takes_is_told_and_the_session_goes_on(
    server: str, transport: str, arguments: dict[str, Any], named: str
) -> None:
    async with connected(server, transport) as session:
        assert named in (await told(session, "add_memory_note", **arguments)).lower().replace("mib", "MiB")
        assert (await call(session, "list_memory_notes"))["total"] == 0


async def test_a_refused_notification_is_let_go_and_the_next_request_is_answered(hurried: str) -> None:
    async with streaming(hurried) as stream:
        await exhaust(hurried)
        for message in ({"jsonrpc": "2.0", "method": "notifications/initialized"}, ping(7)):
            assert (await stream.post(message)).status_code == 202
        answer = await stream.next()
        assert (answer["id"], answer["error"]["data"]) == (7, {"error": "too_many_calls"})


async def test_a_message_that_does_not_begin_with_its_id_is_refused_plainly_when_it_is_too_large(server: str) -> None:
    late = {"method": "ping", "params": {"text": "x" * BODY_LIMIT}, "jsonrpc": "2.0", "id": 1}
    async with streaming(server) as stream:
        assert (await stream.post(late)).status_code == 413
        assert (await stream.post(ping(2))).status_code == 202
        assert (await stream.next())["id"] == 2


@pytest.mark.parametrize("message", [b"{", b"[]", b"{}", b'{"id": 1}', b'{"jsonrpc": "2.0", "result": {}, "id": 1}}'])
async def test_what_is_no_request_is_refused_plainly(server: str, message: bytes) -> None:
    async with streaming(server) as stream:
        refused = await stream.client.post(
            stream.address, content=message, headers={"content-type": "application/json"}
        )
        assert refused.status_code == 400
        assert (await stream.post(ping(2))).status_code == 202
        assert (await stream.next())["id"] == 2


async def test_without_a_session_a_message_is_refused_plainly(hurried: str) -> None:
    async with httpx.AsyncClient(base_url=hurried) as client:
        nowhere: Sequence[str] = (f"/mcp/messages?session_id={uuid4().hex}", "/mcp/messages")
        assert [(await client.post(path, json=ping(1))).status_code for path in nowhere] == [404, 400]
        await exhaust(hurried)
        for path in nowhere:
            refused = await client.post(path, json=ping(1))
            assert refused.status_code == 429
            assert int(refused.headers["retry-after"]) >= 1
            assert "too many calls" in refused.json()["error"]["message"]


async def test_a_refusal_is_told_on_the_callers_own_stream_alone(
    loaded: Settings, app: App, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> None:
    own = with_settings(loaded, rate_limit=5)
    async with serving(own, app, embedder=embedder, analyst=analyst, clock=clock) as served:
        others = await _exhausted(served)
        async with streaming(served.url, **bearer(served.of_a)) as stream:
            for each in others:
                assert (await stream.post(ping(1), **bearer(each))).status_code in (401, 404, 429)
            assert (await stream.post(ping(2))).status_code == 202
            assert (await stream.next())["id"] == 2


async def _exhausted(served: Guarded) -> list[str]:
    """Return tokens that have no call left: a good one and two that are none."""
    tokens = [served.of_b, served.revoked, "x"]
    for each in tokens:
        await exhaust(served.url, **bearer(each))
    return tokens
