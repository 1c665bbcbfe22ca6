"""What callers are told when a secret was taken out of what they gave."""

import json

import httpx
import pytest
from mcp.types import TextContent

from tests.interfaces.live import TRANSPORTS, connected

SAID = "the password is hunter" + "2"
KEPT = "the password is [REDACTED:password]"


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_an_agent_is_told_in_a_sentence(server: str, transport: str) -> None:
    async with connected(server, transport) as session:
        done = await session.call_tool("add_memory_note", {"content": SAID})
        answer, told = [part.text for part in done.content if isinstance(part, TextContent)]
        assert json.loads(answer)["content"] == KEPT
        assert told == "Redacted as a secret, and not stored: password."
        assert done.structured_content is not None
        assert done.structured_content["content"] == KEPT
        plain = await session.call_tool("add_memory_note", {"content": "green tea"})
        assert len(plain.content) == 1


async def test_a_rest_client_is_told_in_a_header(server: str) -> None:
    async with httpx.AsyncClient(base_url=f"{server}/api/v1") as client:
        added = await client.post("/notes", json={"content": SAID})
        assert added.json()["content"] == KEPT
        assert added.headers["x-memory-bank-redacted"] == "password"
        found = await client.post("/notes/search", json={"context": SAID})
        assert found.json()["notes"][0]["content"] == KEPT
        assert "x-memory-bank-redacted" not in found.headers
