"""Two servers on one store, many callers at once: no write is lost, none is doubled, and nobody meets a deadlock."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from mcp import ClientSession

from memory_bank.bootstrap import Parts
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces.live import call, connected, said, serving
from tests.waiting import eventually

EACH = 20


@pytest.fixture
def parts(embedder: FakeEmbedder) -> Parts:
    return Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())


@contextlib.asynccontextmanager
async def sessions(loaded: Settings, parts: Parts) -> AsyncIterator[tuple[ClientSession, ClientSession]]:
    """Open a session with each of two servers, over different transports."""
    async with (
        serving(loaded, parts) as one,
        serving(loaded, parts) as other,
        connected(one, "sse") as first,
        connected(other, "streamable") as second,
        asyncio.timeout(120),
    ):
        yield first, second


async def both(pair: tuple[ClientSession, ClientSession], tool: str, *arguments: dict[str, Any]) -> list[Any]:
    """Call a tool with each of the arguments, at once, in turns by the two sessions; every call must succeed."""
    return await asyncio.gather(*(call(pair[n % 2], tool, **given) for n, given in enumerate(arguments)))


async def test_forty_stores_make_forty_notes(loaded: Settings, parts: Parts) -> None:
    async with sessions(loaded, parts) as pair:
        asked = [{"content": f"number {n} of many", "enrichment": "queued"} for n in range(2 * EACH)]
        answers = await both(pair, "add_memory_note", *asked)
        assert len({each["id"] for each in answers}) == 2 * EACH
        assert (await call(pair[0], "list_memory_notes"))["total"] == 2 * EACH


async def test_one_text_from_all_sides_is_one_note_although_each_saw_none(
    loaded: Settings, parts: Parts, embedder: FakeEmbedder
) -> None:
    async with sessions(loaded, parts) as pair:
        embedder.released.clear()
        asked = [{"content": "the same from everybody", "enrichment": "queued"}] * (2 * EACH)
        storing = asyncio.create_task(both(pair, "add_memory_note", *asked))
        elsewhere = asyncio.create_task(
            both(pair, "add_memory_note", *({**asked[0], **scope} for scope in ({"bank": "b"}, {"session": "s"})))
        )
        await asyncio.sleep(0)
        embedder.released.set()
        answers = await storing
        assert len({each["id"] for each in answers}) == 1
        assert [each["duplicate"] for each in answers].count(False) == 1
        assert len({each["id"] for each in await elsewhere} | {answers[0]["id"]}) == 3
        batch = await call(pair[0], "add_memory_notes", notes=[{"content": "thrice in one batch"}] * 3)
        assert (batch["added"], batch["duplicates"]) == (1, 2)
        assert (await call(pair[1], "list_memory_notes"))["total"] == 3


async def test_a_shared_note_keeps_every_tag_and_link_while_others_are_deleted(loaded: Settings, parts: Parts) -> None:
    async with sessions(loaded, parts) as pair:
        shared = (await call(pair[0], "add_memory_note", content="shared by all"))["id"]
        others = await both(pair, "add_memory_note", *({"content": f"other {n}"} for n in range(2 * EACH)))
        ids = [each["id"] for each in others]
        kept, gone = ids[:EACH], ids[EACH:]
        link = {"source_id": shared, "type": "example", "explanation": "one of many"}
        await asyncio.gather(
            both(pair, "update_memory_note", *({"id": shared, "add_tags": [f"tag{n}"]} for n in range(2 * EACH))),
            both(pair, "link_memory_notes", *({**link, "target_id": each} for each in kept)),
            both(pair, "delete_memory_note", *({"id": each} for each in gone)),
            both(pair, "search_memory_notes", *({"context": f"other {n}"} for n in range(EACH))),
        )
        (note,) = (await call(pair[1], "get_memory_notes_by_ids", ids=[shared]))["notes"]
        assert {f"tag{n}" for n in range(2 * EACH)} <= set(note["tags"])
        around = await call(pair[1], "get_note_neighbourhood", id=shared, limit=100, types=["example"])
        assert {each["note"]["id"] for each in around["notes"]} == {shared, *kept}
        assert (await call(pair[0], "list_memory_notes"))["total"] == 1 + EACH


async def test_whoever_edits_what_another_deletes_is_told_and_nothing_comes_back(
    loaded: Settings, parts: Parts
) -> None:
    async with sessions(loaded, parts) as pair:
        added = await both(pair, "add_memory_note", *({"content": f"short-lived {n}"} for n in range(EACH)))
        results = await asyncio.gather(
            *(pair[0].call_tool("delete_memory_note", {"id": each["id"]}) for each in added),
            *(
                pair[1].call_tool("update_memory_note", {"id": each["id"], "content": f"new {n}"})
                for n, each in enumerate(added)
            ),
        )
        refused = [said(each) for each in results if each.is_error]
        assert all(each.startswith("no note ") for each in refused)
        assert (await call(pair[0], "list_memory_notes"))["total"] == 0
        missing = await pair[0].call_tool("delete_memory_note", {"id": str(uuid4())})
        assert missing.is_error


async def test_a_queue_of_calls_at_a_held_model_gives_each_caller_its_own_answer(
    loaded: Settings, parts: Parts, embedder: FakeEmbedder
) -> None:
    async with sessions(loaded, parts) as pair:
        texts = [f"quite different{n} words{n}" for n in range(10)]
        await both(pair, "add_memory_note", *({"content": each} for each in texts))
        embedder.released.clear()
        searches = [
            asyncio.create_task(call(pair[n % 2], "search_memory_notes", context=each, limit=1))
            for n, each in enumerate(texts)
        ]
        stores = [asyncio.create_task(call(pair[n % 2], "add_memory_note", content=f"held {n}")) for n in range(10)]
        # a session of its own answers meanwhile
        await pair[0].send_ping()
        assert len((await pair[1].list_tools()).tools) == 18
        assert (await call(pair[1], "list_memory_notes"))["total"] == 10
        given_up = stores[::2]
        for each in given_up:
            each.cancel()
        await asyncio.wait(given_up)
        embedder.released.set()
        found = [await each for each in searches]
        assert [each["notes"][0]["content"] for each in found] == texts
        held = [(await each)["content"] for each in stores[1::2]]
        assert held == [f"held {n}" for n in range(1, 10, 2)]

        async def settled() -> bool:
            return int((await call(pair[0], "list_memory_notes"))["total"]) >= 15

        await eventually(settled)
