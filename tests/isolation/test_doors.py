"""No tool and no route answers with, changes, or tells the existence of anything that is another bank's."""

import contextlib
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from mcp import ClientSession, types
from starlette.routing import BaseRoute, Route

from memory_bank.domain.tokens import Level
from memory_bank.interfaces import server
from memory_bank.interfaces.mcp.server import TOOLSETS
from memory_bank.interfaces.metrics import Prometheus
from memory_bank.interfaces.opening import Opening
from tests.conftest import temporary_database
from tests.interfaces import live
from tests.interfaces.test_access import ROUTES
from tests.isolation import bait, doors, worlds
from tests.isolation.bait import ASKING, BESIDE, SECRET
from tests.isolation.doors import Operation
from tests.isolation.telling import told
from tests.isolation.worlds import World

NEVER = "never-was"
"""A bank that nobody ever made."""


@dataclass(frozen=True, kw_only=True)
class Served:
    """A world behind a live server, and an MCP client and an HTTP client of it."""

    world: World
    session: ClientSession
    http: httpx.AsyncClient


@contextlib.asynccontextmanager
async def served(world: World, token: str | None = None) -> AsyncIterator[Served]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        live.serving(world.settings, world.parts) as url,
        live.connected(url, "streamable", token=token) as session,
        httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as http,
    ):
        yield Served(world=world, session=session, http=http)


@pytest.fixture
async def both(server_url: str, template: str, tmp_path: Path) -> AsyncIterator[tuple[World, World]]:
    """A store with another bank beside, and one where that never was."""
    with (
        temporary_database(server_url, template=template) as first,
        temporary_database(server_url, template=template) as second,
    ):
        async with (
            worlds.opened(first, tmp_path) as beside,
            worlds.opened(second, tmp_path, beside=beside.other) as alone,
        ):
            yield beside, alone


@pytest.fixture
async def beside(url: str, tmp_path: Path) -> AsyncIterator[World]:
    """A store with another bank beside."""
    async with worlds.opened(url, tmp_path) as opened:
        yield opened


async def tools(session: ClientSession) -> list[Operation]:
    """Return every tool, as a client is told of it."""
    found = (await session.list_tools()).tools
    assert {tool.name for tool in found} == {tool.name for toolset in TOOLSETS.values() for tool in toolset}
    return [
        Operation(
            name=tool.name,
            arguments=tool.input_schema["properties"],
            required=frozenset(tool.input_schema.get("required", ())),
        )
        for tool in found
    ]


def routes(web: FastAPI) -> dict[tuple[str, str], Operation]:
    """Return every route that works in a bank, by method and path, with its parameters and the fields of its body."""
    described = web.openapi()
    found = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if path in doors.NO_OPERATIONS:
                continue
            assert (method.upper(), path) in ROUTES, (
                f"name the tool that does the same as {method.upper()} {path} in ROUTES of tests/interfaces/"
                "test_access.py, or the path in NO_OPERATIONS of tests/isolation/doors.py, with the reason"
            )
            arguments = {each["name"]: _resolved(each["schema"], described) for each in operation.get("parameters", ())}
            required = {each["name"] for each in operation.get("parameters", ()) if each.get("required")}
            if "requestBody" in operation:
                body = _resolved(operation["requestBody"]["content"]["application/json"]["schema"], described)
                arguments |= {name: _resolved(schema, described) for name, schema in body["properties"].items()}
                required |= set(body.get("required", ()))
            name = ROUTES[method.upper(), path]
            found[method.upper(), path] = Operation(name=name, arguments=arguments, required=frozenset(required))
    return found


def _web(world: World) -> FastAPI:
    return server.build(Opening(world.settings, on_refused=lambda: None), Prometheus())


def _paths(routes: Iterable[BaseRoute]) -> Iterator[str]:
    for route in routes:
        if isinstance(route, Route):
            yield route.path
        else:
            # how FastAPI keeps a router that it includes; for any other kind of route this fails, to be seen
            yield from _paths(route.original_router.routes)  # type: ignore[attr-defined]


def _resolved(schema: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with what it refers to, and without the null that may stand for nothing."""
    whole = dict(schema)
    for alternative in whole.pop("anyOf", ()):
        if alternative.get("type") != "null":
            whole |= _resolved(alternative, described)
    if "$ref" in whole:
        whole |= _resolved(described["components"]["schemas"][whole.pop("$ref").rpartition("/")[2]], described)
    if "items" in whole:
        whole["items"] = _resolved(whole["items"], described)
    return whole


async def called(served: Served, operation: Operation, arguments: Mapping[str, Any]) -> Any:
    """Call a tool, and return what it told."""
    result = await served.session.call_tool(operation.name, dict(arguments))
    assert isinstance(result, types.CallToolResult)
    answer = result.structured_content if not result.is_error else live.said(result)
    return told((result.is_error, answer), set(served.world.other.ids))


async def requested(served: Served, method: str, path: str, arguments: Mapping[str, Any]) -> Any:
    """Send a request, and return what it told."""
    given = dict(arguments)
    filled = path.format(**{name: given.pop(name) for name in list(given) if f"{{{name}}}" in path})
    if method in ("GET", "DELETE"):
        response = await served.http.request(method, filled, params=given)
    else:
        bank = {"bank": given.pop("bank")} if method == "PATCH" else {}
        response = await served.http.request(method, filled, json=given, params=bank)
    return told((response.status_code, json.loads(response.content or b"null")), set(served.world.other.ids))


async def test_every_tool_answers_as_if_there_were_no_other_bank(both: tuple[World, World]) -> None:
    async with served(both[0]) as beside, served(both[1]) as alone:
        before = bait.rows(beside.world.url, BESIDE)
        for operation in await tools(beside.session):
            for ours, theirs in zip(
                doors.calls(operation, beside.world.own, beside.world.other),
                doors.calls(operation, alone.world.own, alone.world.other),
                strict=True,
            ):
                answer = await called(beside, operation, ours)
                assert answer == await called(alone, operation, theirs), (
                    f"{operation.name} tells of another bank: {ours}"
                )
                assert SECRET not in repr(answer), f"{operation.name} answers with another bank's: {ours}"
        assert bait.rows(beside.world.url, BESIDE) == before
        assert bait.kept(beside.world.url, ASKING) == bait.kept(alone.world.url, ASKING), "another bank changed it"


async def test_every_route_answers_as_if_there_were_no_other_bank(both: tuple[World, World]) -> None:
    web = _web(both[0])
    async with served(both[0]) as beside, served(both[1]) as alone:
        before = bait.rows(beside.world.url, BESIDE)
        for (method, path), operation in routes(web).items():
            for ours, theirs in zip(
                doors.calls(operation, beside.world.own, beside.world.other, each=1),
                doors.calls(operation, alone.world.own, alone.world.other, each=1),
                strict=True,
            ):
                answer = await requested(beside, method, path, ours)
                assert answer == await requested(alone, method, path, theirs), f"{method} {path} tells of it: {ours}"
                assert SECRET not in repr(answer), f"{method} {path} answers with another bank's: {ours}"
        assert bait.rows(beside.world.url, BESIDE) == before
        assert bait.kept(beside.world.url, ASKING) == bait.kept(alone.world.url, ASKING), "another bank changed it"


async def test_every_path_is_an_operation_or_known_to_be_none(beside: World) -> None:
    web = _web(beside)
    operations = {path for _, path in routes(web)}
    assert set(_paths(web.routes)) - operations == set(doors.NO_OPERATIONS), (
        "a route that stands outside the API is named in NO_OPERATIONS of tests/isolation/doors.py, with the reason"
    )


async def test_a_token_of_one_bank_cannot_tell_another_from_one_that_never_was(beside: World) -> None:
    made = await beside.app.tokens.create("of the one that asks", banks=[ASKING], level=Level.ADMIN)
    before = bait.rows(beside.url, BESIDE)
    web = _web(beside)
    async with served(beside, token=made.secret) as guarded:

        def elsewhere(operation: Operation, bank: str) -> dict[str, Any]:
            return next(doors.calls(operation, beside.own, beside.other)) | {"bank": bank}

        for operation in await tools(guarded.session):
            answer = await called(guarded, operation, elsewhere(operation, BESIDE))
            never = await called(guarded, operation, elsewhere(operation, NEVER))
            assert answer[0] is True or answer[1] is True, operation.name
            assert repr(answer).replace(BESIDE, NEVER) == repr(never), operation.name
        for (method, path), operation in routes(web).items():
            answer = await requested(guarded, method, path, elsewhere(operation, BESIDE))
            never = await requested(guarded, method, path, elsewhere(operation, NEVER))
            assert 403 in answer, (method, path, answer)
            assert repr(answer).replace(BESIDE, NEVER) == repr(never), (method, path)
    assert bait.rows(beside.url, BESIDE) == before
