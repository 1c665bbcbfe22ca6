"""Every door to the same operations: a tool asked over SSE, streamable HTTP, stdio, or by its REST route."""

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
from mcp import ClientSession, types

from tests.interfaces import live
from tests.interfaces.test_access import ROUTES

DOORS = ("sse", "streamable", "stdio", "rest")
every_door = pytest.mark.parametrize("name", DOORS)
# for long lists: the transports of MCP read one table of tools
both_kinds_of_door = pytest.mark.parametrize("name", ["streamable", "rest"])


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a door answered: whether it did what was asked, the words, and the answer's fields."""

    ok: bool
    text: str
    fields: Mapping[str, Any]


class Door(Protocol):
    """Asks for the operation of a tool."""

    async def ask(self, tool: str, /, **arguments: Any) -> Said: ...


OpenDoor = Callable[[str], AbstractAsyncContextManager[Door]]


@dataclass(frozen=True, kw_only=True)
class Session:
    """An MCP client's session."""

    session: ClientSession

    async def ask(self, tool: str, /, **arguments: Any) -> Said:
        """Call a tool; a fault that nobody thought of fails the test."""
        result = await self.session.call_tool(tool, arguments)
        assert isinstance(result, types.CallToolResult)
        text = live.said(result)
        assert "internal error" not in text
        return Said(ok=not result.is_error, text=text, fields=result.structured_content or {})


@dataclass(frozen=True, kw_only=True)
class Rest:
    """A REST client."""

    client: httpx.AsyncClient

    async def ask(self, tool: str, /, **arguments: Any) -> Said:
        """Ask the tool's route; a status of 500 or more fails the test."""
        method, path = next(route for route, name in ROUTES.items() if name == tool)
        if "{id}" in path:
            path = path.replace("{id}", str(arguments.pop("id")))
        query, body = arguments, None
        if method in ("POST", "PUT", "PATCH"):
            bank = arguments.pop("bank", None) if method == "PATCH" else None
            query, body = {} if bank is None else {"bank": bank}, json.dumps(arguments)
        answer = await self.client.request(
            method, path, params=query, content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code < 500, answer.text
        assert "Traceback" not in answer.text
        fields = answer.json()
        return Said(ok=answer.is_success, text=answer.text if answer.is_success else fields["message"], fields=fields)


@contextlib.asynccontextmanager
async def opened(door: str, url: str, *, environment: Mapping[str, str], folder: Path) -> AsyncIterator[Door]:
    """Open a door to the server at `url`; for `stdio`, start a process of its own on the same store."""
    async with contextlib.AsyncExitStack() as stack:
        match door:
            case "rest":
                yield Rest(client=await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60)))
            case "stdio":
                yield Session(session=await stack.enter_async_context(live.over_stdio(environment, folder)))
            case _:
                yield Session(session=await stack.enter_async_context(live.connected(url, door)))
