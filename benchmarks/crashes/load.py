"""Clients over REST, SSE and streamable HTTP that write without pause, and note down what they were answered."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from mcp import ClientSession, types

from benchmarks.crashes.ledger import Ledger
from tests.interfaces import live

TRANSPORTS = ("rest", "sse", "streamable")
CALL_SECONDS = 30.0
BATCH = 5
EVENTS = 20

Call = Callable[..., Awaitable[dict[str, Any]]]


class Refused(Exception):
    """The server said that it did not do it."""


async def write(url: str, transport: str, ledger: Ledger, stop: asyncio.Event) -> None:
    """Write until stopped, connecting again whenever the server was gone."""
    while not stop.is_set():
        try:
            async with _connected(url, transport) as call:
                while not stop.is_set():
                    await _one(call, ledger)
                    ledger.answered += 1
        except Refused:
            ledger.refused += 1
        except (Exception, asyncio.CancelledError) as error:
            # the server was killed under the call: whether it was done nobody knows
            if isinstance(error, asyncio.CancelledError) and stop.is_set():
                raise
        await asyncio.sleep(0.05)


async def _one(call: Call, ledger: Ledger) -> None:
    kinds = (_note, _note, _batch, _batch, _fact, _relation, _task, _finish, _event, _tag, _delete)
    await ledger.draw.choice(kinds)(call, ledger)


async def _note(call: Call, ledger: Ledger) -> None:
    content = ledger.text()
    ledger.asked[content] += 1
    answer = await call("add_memory_note", content=content)
    ledger.notes[content] = answer["id"]


async def _batch(call: Call, ledger: Ledger) -> None:
    contents = [ledger.text() for _ in range(BATCH)]
    ledger.asked.update(contents)
    answer = await call("add_memory_notes", notes=[{"content": each} for each in contents])
    for content, each in zip(contents, answer["results"], strict=True):
        ledger.notes[content] = each["id"]


async def _fact(call: Call, ledger: Ledger) -> None:
    name, fact = f"thing {ledger.token()}", f"stands for {ledger.token()}"
    ledger.asked[fact] += 1
    await call("remember", name=name, facts=[fact])
    ledger.facts[fact] = name


async def _relation(call: Call, ledger: Ledger) -> None:
    name = ledger.draw.choice([*ledger.relations, f"part {ledger.token()}"])
    ledger.asked[name] += 1
    await call("relate", **{"from": name, "type": "part of", "to": "the whole"})
    ledger.relations[name] += 1


async def _task(call: Call, ledger: Ledger) -> None:
    title = f"Task {ledger.token()}"
    ledger.asked[title] += 1
    answer = await call("task", action="start", title=title, goal=ledger.text())
    if not answer["resumed"]:
        ledger.tasks[title] = answer["task"]["id"]


async def _finish(call: Call, ledger: Ledger) -> None:
    if not (open_ones := [each for each in ledger.tasks if each not in ledger.finishing]):
        return
    title = ledger.draw.choice(open_ones)
    ledger.finishing.add(title)
    await call("task", action="done", taskId=ledger.tasks[title], result=f"done {title}")
    ledger.finished.add(title)


async def _event(call: Call, ledger: Ledger) -> None:
    """Push a session's worth of events: no more than working memory keeps."""
    session = ledger.token()
    for _ in range(ledger.draw.randint(1, EVENTS)):
        content = ledger.text()
        ledger.asked[content] += 1
        await call("context", action="push", session_id=session, content=content)
        ledger.events.add(content)


async def _tag(call: Call, ledger: Ledger) -> None:
    if not (untouched := [each for each in ledger.notes if each not in ledger.deleting]):
        return
    content, tag = ledger.draw.choice(untouched), f"t:{ledger.token()}"
    await call("update_memory_note", id=ledger.notes[content], add_tags=[tag])
    ledger.tags[content] = tag


async def _delete(call: Call, ledger: Ledger) -> None:
    untouched = [each for each in ledger.notes if each not in ledger.deleting and each not in ledger.tags]
    if len(untouched) < 2 * BATCH:
        return
    content = ledger.draw.choice(untouched)
    ledger.deleting.add(content)
    await call("delete_memory_note", id=ledger.notes[content])
    ledger.deleted.add(content)


@asynccontextmanager
async def _connected(url: str, transport: str) -> AsyncIterator[Call]:
    if transport == "rest":
        async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=CALL_SECONDS) as client:
            yield lambda tool, **given: _rest(client, tool, given)
    else:
        async with live.connected(url, transport) as session:
            yield lambda tool, **given: _tool(session, tool, given)


async def _tool(session: ClientSession, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    async with asyncio.timeout(CALL_SECONDS):
        result = await session.call_tool(tool, given)
    assert isinstance(result, types.CallToolResult)
    if result.is_error:
        raise Refused(live.said(result))
    return dict(result.structured_content or {})


async def _rest(client: httpx.AsyncClient, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    id = given.pop("id", "")
    match tool:
        case "add_memory_note":
            answer = await client.post("/notes", json=given)
        case "add_memory_notes":
            answer = await client.post("/notes/batch", json=given)
        case "update_memory_note":
            answer = await client.patch(f"/notes/{id}", json=given)
        case "delete_memory_note":
            answer = await client.delete(f"/notes/{id}")
        case _:
            answer = await client.post(f"/{tool}", json=given)
    if answer.status_code >= 400:
        raise Refused(answer.text)
    return dict(answer.json())


async def stopped(writers: list[asyncio.Task[None]], stop: asyncio.Event) -> None:
    """Let the writers end: those whose server is gone are not waited for."""
    stop.set()
    _, others = await asyncio.wait(writers, timeout=2)
    for each in others:
        each.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*writers, return_exceptions=True)
