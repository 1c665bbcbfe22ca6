"""Sessions that end: dropped sockets, restarts and old ids leave nothing behind, and clients learn what to do."""

import asyncio
import contextlib
import gc
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
from mcp.server.sse import SseServerTransport
from starlette.types import Message, Scope

from memory_bank import settings
from memory_bank.bootstrap import Parts
from memory_bank.interfaces.mcp import sse
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces.live import call, connected, serving
from tests.processes import INITIALIZE
from tests.waiting import eventually

OLD = {"mcp-session-id": "0123456789abcdef0123456789abcdef"}
OWN_TASKS = 25
"""Fewer than the sessions that come and go; the server's own work starts meanwhile."""

BOTH = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


LISTING = request("tools/call", name="list_memory_notes", arguments={})


def transports() -> list[SseServerTransport]:
    """Return the SSE transports of this process's servers."""
    # a server spares what it has built from collections, and from this list
    gc.unfreeze()
    return [each for each in gc.get_objects() if isinstance(each, SseServerTransport)]


def open_sessions() -> int:
    """Return how many SSE sessions the servers of this process hold."""
    return sum(len(each._read_stream_writers) for each in transports())


@contextlib.asynccontextmanager
async def stream(client: httpx.AsyncClient) -> AsyncIterator[str]:
    """Open an SSE stream and yield where its messages go; leaving the block drops the socket."""
    async with client.stream("GET", "/sse") as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                yield line.removeprefix("data: ")
                return


# Streamable HTTP holds no session: there is none to go stale.


async def test_an_id_from_before_a_restart_is_served_and_initialize_with_it_greets(server: str) -> None:
    async with httpx.AsyncClient(base_url=server, headers=BOTH) as client:
        for headers in (OLD, {}):
            answer = await client.post("/mcp", json=LISTING, headers=headers)
            assert answer.status_code == 200
            assert '"isError":false' in answer.text
        greeted = await client.post("/mcp", json=request("initialize", **INITIALIZE), headers=OLD)
        assert greeted.status_code == 200
        assert "serverInfo" in greeted.text
        assert "mcp-session-id" not in greeted.headers
        async with client.stream("GET", "/mcp", headers=OLD) as listening:
            assert listening.status_code == 200
            assert listening.headers["content-type"].startswith("text/event-stream")


async def test_what_cannot_be_done_is_told_in_json_rpc(server: str) -> None:
    async with httpx.AsyncClient(base_url=server, headers=BOTH) as client:
        for method, content, status in (
            ("DELETE", None, 405),
            ("PUT", b"{}", 405),
            ("POST", b"{", 400),
            ("POST", b"[]", 400),
        ):
            answer = await client.request(method, "/mcp", content=content, headers=OLD)
            assert answer.status_code == status
            assert answer.json()["jsonrpc"] == "2.0"
            assert answer.json()["error"]["message"]


async def test_a_message_to_a_session_that_is_gone_is_told_to_open_another(server: str) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        async with stream(client) as endpoint:
            assert (await client.post(endpoint, json=request("ping"))).status_code == 202
        await eventually(lambda: open_sessions() == 0)
        gone = await client.post(endpoint, json=request("ping"))
        assert gone.status_code == 404
        assert gone.json()["jsonrpc"] == "2.0"
        assert "/sse" in gone.json()["error"]["message"]
        for path in ("/mcp/messages", "/mcp/messages?session_id=nonsense"):
            broken = await client.post(path, json=request("ping"))
            assert broken.status_code == 400
            assert "/sse" in broken.json()["error"]["message"]


async def test_a_message_that_meets_the_end_of_its_session_is_no_failure(server: str) -> None:
    statuses: list[int] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps(request("ping")).encode()}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async with httpx.AsyncClient(base_url=server) as client, stream(client):
        (transport,) = [each for each in transports() if each._read_stream_writers]
        (id,) = transport._read_stream_writers
        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp/messages",
            "query_string": f"session_id={id.hex}".encode(),
            "headers": [(b"content-type", b"application/json")],
        }
        # as the client's leaving does, just before the message comes
        await transport._read_stream_writers[id].aclose()
        await sse.Messages(transport.handle_post_message)(scope, receive, send)
    assert statuses in ([202], [404])


async def test_streams_that_open_and_drop_leave_no_session_and_no_task(server: str) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        before = len(asyncio.all_tasks())
        for _ in range(50):
            await asyncio.gather(*(_opened_and_dropped(client) for _ in range(10)))
        await eventually(lambda: open_sessions() == 0 and len(asyncio.all_tasks()) < before + OWN_TASKS, seconds=10)
        assert (await client.post("/mcp", json=LISTING, headers=BOTH)).status_code == 200


async def _opened_and_dropped(client: httpx.AsyncClient) -> None:
    async with stream(client):
        pass


async def test_sessions_that_begin_and_end_over_streamable_http_leave_no_task(server: str) -> None:
    async with httpx.AsyncClient(base_url=server, headers=BOTH) as client:
        greeting = request("initialize", **INITIALIZE)
        before = len(asyncio.all_tasks())
        for _ in range(50):
            await client.post("/mcp", json=greeting)
            await client.delete("/mcp", headers=OLD)
        await eventually(lambda: len(asyncio.all_tasks()) < before + OWN_TASKS, seconds=10)


async def test_a_socket_dropped_in_the_midst_of_a_call_gives_everything_back(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> None:
    narrow = loaded.model_copy(update={"postgres": loaded.postgres.model_copy(update={"pool_size": 2})})
    async with (
        serving(narrow, Parts(embedder=embedder, analyst=analyst, clock=clock)) as url,
        connected(url, "sse") as other,
        httpx.AsyncClient(base_url=url) as client,
    ):
        await call(other, "list_memory_notes")
        analyst.released.clear()
        for n in range(6):
            async with stream(client) as endpoint:
                await client.post(endpoint, json=request("initialize", **INITIALIZE))
                await client.post(endpoint, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
                slow = request("tools/call", name="add_memory_note", arguments={"content": f"slow {n}"})
                assert (await client.post(endpoint, json=slow)).status_code == 202
        await eventually(lambda: open_sessions() == 1)
        # the one that goes on has a connection at once, and so have as many as there are
        await asyncio.gather(*(call(other, "list_memory_notes") for _ in range(6)))
        analyst.released.set()
        assert (await call(other, "add_memory_note", content="after all of it"))["duplicate"] is False


# A whole server that is restarted under a client.


async def test_a_client_that_follows_the_specification_goes_on_after_a_restart(
    loaded: Settings, embedder: FakeEmbedder, tmp_path: Path
) -> None:
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())
    async with serving(loaded, parts) as url, connected(url, "streamable") as session:
        await call(session, "add_memory_note", content="said before the restart")
        port = int(url.rpartition(":")[2])
    again = settings.load(
        environ={}, cwd=tmp_path, overrides={"postgres.url": loaded.postgres.conninfo(), "server.port": str(port)}
    )
    async with serving(again, parts) as url, connected(url, "streamable") as session:
        assert (await call(session, "list_memory_notes"))["total"] == 1
