"""A live server on a free port, in the test's own event loop, and MCP clients that reach it."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import uvicorn
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from memory_bank.bootstrap import Parts
from memory_bank.interfaces import server
from memory_bank.interfaces.metrics import Prometheus
from memory_bank.interfaces.opening import Opening
from memory_bank.settings import Settings
from tests.processes import CHECKOUT
from tests.waiting import eventually

TRANSPORTS = ("sse", "streamable")


@contextlib.asynccontextmanager
async def serving(settings: Settings, parts: Parts, *, with_store: bool = True) -> AsyncIterator[str]:
    """Serve while the block lasts; yields the server's URL once it has opened its store, or at once without one."""
    listener = socket.create_server(("127.0.0.1", 0))
    metrics = Prometheus()
    async with Opening(settings, on_refused=lambda: None, parts=parts, metrics=metrics) as opening:
        config = uvicorn.Config(
            server.build(opening, metrics),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=1,
            lifespan="on",
        )
        running = uvicorn.Server(config)
        running.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        task = asyncio.create_task(running._serve(sockets=[listener]))
        await eventually(lambda: running.started)
        try:
            if with_store:
                await eventually(lambda: opening.problem is None)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            running.should_exit = True
            await task


@contextlib.asynccontextmanager
async def connected(url: str, transport: str, *, token: str | None = None) -> AsyncIterator[ClientSession]:
    """Connect an MCP client over `sse` or `streamable`, with a token if given, and initialise its session."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with contextlib.AsyncExitStack() as opened:
        if transport == "sse":
            streams: Any = sse_client(f"{url}/sse", headers=headers)
        else:
            client = await opened.enter_async_context(create_mcp_http_client(headers=headers))
            streams = streamable_http_client(f"{url}/mcp", http_client=client)
        incoming, outgoing, *_ = await opened.enter_async_context(streams)
        session = await opened.enter_async_context(ClientSession(incoming, outgoing))
        await session.initialize()
        yield session


@contextlib.asynccontextmanager
async def over_stdio(environment: Mapping[str, str], folder: Path) -> AsyncIterator[ClientSession]:
    """Start `memory-bank stdio` in `folder` as an editor does, and initialise a session with it."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memory_bank", "stdio"],
        env={**environment, "PYTHONPATH": str(CHECKOUT)},
        cwd=folder,
    )
    with (folder / "stderr").open("w") as errors:
        async with stdio_client(parameters, errlog=errors) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


async def call(session: ClientSession, tool: str, /, **arguments: Any) -> Any:
    """Call a tool that must succeed; returns its structured answer."""
    result = await session.call_tool(tool, arguments)
    assert isinstance(result, types.CallToolResult)
    assert not result.is_error, said(result)
    return result.structured_content


async def refused(session: ClientSession, tool: str, /, **arguments: Any) -> str:
    """Call a tool that must fail; returns its message."""
    result = await session.call_tool(tool, arguments)
    assert isinstance(result, types.CallToolResult)
    assert result.is_error, result
    return said(result)


def said(result: types.CallToolResult) -> str:
    """Return a result's text."""
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text
