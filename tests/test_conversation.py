"""The main job on real input: a real conversation remembered and recalled by the real model, over every transport."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession

from tests.conftest import SHARED
from tests.interfaces import live
from tests.processes import Commands

DATA = SHARED / "data" / "retrieval" / "locomo-dev.jsonl"
DOCUMENTS = 100


@pytest.fixture(scope="module")
def conversation() -> dict[str, Any]:
    """The first documents of one conversation, and the questions whose answers lie among them."""
    if not DATA.is_file():
        pytest.skip(f"the evaluation data is not here: {DATA}")
    with DATA.open(encoding="utf-8") as lines:
        bank: dict[str, Any] = json.loads(lines.readline())
    documents = bank["documents"][:DOCUMENTS]
    known = {document["id"] for document in documents}
    queries = [query for query in bank["queries"] if set(query["relevant"]) <= known]
    return {"documents": documents, "queries": queries}


@contextlib.asynccontextmanager
async def over_http(transport: str, environment: dict[str, str], folder: Path) -> AsyncIterator[ClientSession]:
    with Commands(folder=folder, environment=environment).serving() as served:
        async with live.connected(served.ready().url, transport) as session:
            yield session


@pytest.mark.parametrize("transport", ["sse", "streamable", "stdio"])
async def test_questions_about_a_conversation_find_the_turns_that_answer_them(
    transport: str, conversation: dict[str, Any], url: str, graph_dir: Path, tmp_path: Path
) -> None:
    environment = {
        "POSTGRES_URL": url,
        "EMBEDDING_GRAPH_DIR": str(graph_dir),
        "MEMORY_BANK_DATA_DIR": str(tmp_path / "data"),
    }
    connect = (
        live.over_stdio(environment, tmp_path) if transport == "stdio" else over_http(transport, environment, tmp_path)
    )
    async with connect as session:
        assert len((await session.list_tools()).tools) == 18
        notes = [
            {"content": each["text"], "session": str(each["session"]), "position": position}
            for position, each in enumerate(conversation["documents"])
        ]
        added = await live.call(session, "add_memory_notes", notes=notes)
        assert added["added"] == DOCUMENTS
        named = {
            outcome["id"]: document["id"]
            for outcome, document in zip(added["results"], conversation["documents"], strict=True)
        }
        hits = 0
        for query in conversation["queries"]:
            found = await live.call(session, "search_memory_notes", context=query["text"], limit=10)
            hits += bool({named[each["id"]] for each in found["notes"]} & set(query["relevant"]))
        # by chance ten of a hundred notes would answer one question in ten
        assert hits / len(conversation["queries"]) > 0.5
