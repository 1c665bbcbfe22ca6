"""What callers are told when a secret was taken out of what they gave."""

import json

import httpx
import pytest
from mcp.types import TextContent

from tests.interfaces.live import TRANSPORTS, connected

SAID = "the password is hunter" + "2"
TOKEN = "gh" + "p_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
# of a service whose shape only the library knows
OTHER = "PM" + "AK-5f3a9c0b1d2e4f6a7b8c9d0e-0a1b2c3d4e5f60718293a4b5c6d7e8f901"
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


@pytest.mark.parametrize("secret", [TOKEN, OTHER])
async def test_a_refusal_does_not_repeat_a_secret_that_was_sent_as_a_name(server: str, secret: str) -> None:
    async with httpx.AsyncClient(base_url=f"{server}/api/v1") as client:
        for refused in (
            await client.post("/notes", json={"content": "x", secret: 1}),
            await client.get("/notes", params={secret: "1"}),
        ):
            assert refused.status_code == 422
            assert secret not in refused.text
            assert refused.json()["field"].startswith("[REDACTED:")
            assert "unknown" in refused.json()["message"]
        wrong = await client.post("/notes", json={"content": "x", "contents": 1})
        assert wrong.json()["field"] == "contents"
    async with connected(server, "streamable") as session:
        for name, given in ((secret, {}), ("add_memory_note", {"content": "x", secret: 1})):
            done = await session.call_tool(name, given)
            assert done.is_error
            told = "".join(part.text for part in done.content if isinstance(part, TextContent))
            assert secret not in told
            assert "[REDACTED:" in told
            assert "unknown" in told
