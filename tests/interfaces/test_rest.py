"""The REST door: the same operations, errors that name the field, and the guards in front."""

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from memory_bank.bootstrap import Parts
from memory_bank.providers.llm import LanguageModelAnalyst
from memory_bank.settings import Settings
from tests.fakes import FakeEmbedder
from tests.interfaces import live
from tests.openai_server import OpenAIServer, Reply
from tests.processes import PATIENCE

BASE = "/api/v1"
NOBODY = UUID(int=7)


@pytest.fixture
async def client(server: str) -> Any:
    async with httpx.AsyncClient(base_url=server) as opened:
        yield opened


async def test_a_note_lives_its_life_over_rest(client: httpx.AsyncClient) -> None:
    added = await client.post(f"{BASE}/notes", json={"content": "green tea at four", "tags": ["Tea"]})
    assert added.status_code == 201
    note = added.json()
    other = (await client.post(f"{BASE}/notes", json={"content": "green tea at five"})).json()
    assert (await client.post(f"{BASE}/notes", json={"content": "green tea at four"})).json()["duplicate"] is True
    found = (await client.post(f"{BASE}/notes/search", json={"context": "green tea", "explain": True})).json()
    assert {each["id"] for each in found["notes"]} == {note["id"], other["id"]}
    assert found["notes"][0]["arms"][0]["arm"] == "vector"
    assert (await client.get(f"{BASE}/notes/{note['id']}")).json()["content"] == "green tea at four"
    several = await client.post(f"{BASE}/notes/by-ids", json={"ids": [note["id"], str(uuid4())]})
    assert len(several.json()["missing"]) == 1
    edited = await client.patch(f"{BASE}/notes/{note['id']}", json={"add_tags": ["new"]})
    assert "new" in edited.json()["tags"]
    link = {"source_id": note["id"], "target_id": other["id"], "type": "contrast", "explanation": "An hour apart."}
    assert (await client.put(f"{BASE}/links", json=link)).json()["origin"] == "user"
    around = (await client.get(f"{BASE}/notes/{note['id']}/neighbourhood", params={"depth": 2})).json()
    assert len(around["notes"]) == 2
    preview = await client.delete(f"{BASE}/notes/{note['id']}", params={"preview": True})
    assert preview.json()["deleted"] is False
    assert (await client.delete(f"{BASE}/notes/{note['id']}")).json()["deleted"] is True
    assert (await client.get(f"{BASE}/notes/{note['id']}")).status_code == 404
    batch = await client.post(f"{BASE}/notes/batch", json={"notes": [{"content": "a"}, {"content": 5}]})
    assert (batch.json()["added"], batch.json()["refused"]) == (1, 1)
    listed = await client.get(f"{BASE}/notes", params={"limit": 1})
    assert listed.json()["total"] == 2
    following = await client.get(f"{BASE}/notes", params={"cursor": listed.json()["next_cursor"]})
    assert len(following.json()["notes"]) == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "field"),
    [
        ("POST", "/notes", {}, 422, "content"),
        ("POST", "/notes", {"content": " "}, 422, "content"),
        ("POST", "/notes", {"content": 5}, 422, "content"),
        ("POST", "/notes", {"content": "x", "no": 1}, 422, "no"),
        ("POST", "/notes", {"content": "x", "tgas": None}, 422, "tgas"),
        ("POST", "/introspect", {"": None}, 422, "arguments"),
        ("POST", "/notes", {"content": "x", "bank": "A"}, 422, "bank"),
        ("POST", "/notes/search", {"context": "x", "limit": 10_000}, 422, "limit"),
        ("POST", "/notes/search", {"context": ""}, 422, "context"),
        ("POST", "/notes/batch", {"notes": []}, 422, "notes"),
        ("POST", "/notes/by-ids", {"ids": ["x"]}, 422, "ids.0"),
        ("GET", "/notes?limit=0", None, 422, "limit"),
        ("GET", "/notes?limit=-1", None, 422, "limit"),
        ("GET", "/notes?cursor=%00", None, 422, "cursor"),
        ("GET", "/notes?unknown=1", None, 422, "unknown"),
        ("GET", "/notes/not-an-id", None, 422, "id"),
        ("GET", f"/notes/{NOBODY}", None, 404, None),
        ("PATCH", f"/notes/{NOBODY}", {"content": "x"}, 404, None),
        ("DELETE", f"/notes/{NOBODY}", None, 404, None),
        ("GET", f"/notes/{NOBODY}/neighbourhood", None, 404, None),
        ("GET", f"/notes/{NOBODY}/neighbourhood?depth=5", None, 422, "depth"),
        ("PUT", "/links", {"source_id": str(NOBODY)}, 422, "target_id"),
        ("GET", "/nothing-here", None, 404, None),
        ("PUT", "/notes", {}, 405, None),
        ("DELETE", f"/notes/{NOBODY}?prevew=true", None, 422, "prevew"),
        ("PATCH", f"/notes/{NOBODY}?bnak=x", {"content": "x"}, 422, "bnak"),
        ("POST", "/notes?bank=other", {"content": "x"}, 422, "bank"),
        ("GET", f"/notes/{NOBODY}/neighbourhood?dept=2", None, 422, "dept"),
    ],
)
async def test_bad_input_names_its_field(
    client: httpx.AsyncClient, method: str, path: str, body: Any, status: int, field: str | None
) -> None:
    answer = await client.request(method, f"{BASE}{path}", json=body)
    assert answer.status_code == status, answer.text
    told = answer.json()
    assert told.get("field") == field
    assert told["message"]
    assert (await client.get(f"{BASE}/notes")).json()["total"] == 0


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[1, 2]", b'"text"', b"", b"null"])
async def test_a_body_that_is_no_json_object_is_refused(client: httpx.AsyncClient, body: bytes) -> None:
    answer = await client.post(f"{BASE}/notes", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["message"]


async def test_lone_surrogates_and_nul_are_cleaned(client: httpx.AsyncClient) -> None:
    body = b'{"content": "a\\ud800b\\u0000c", "tags": ["\\udfffx"]}'
    answer = await client.post(f"{BASE}/notes", content=body, headers={"content-type": "application/json"})
    assert answer.json()["content"] == "abc"
    assert answer.json()["tags"][0] == "x"


async def test_live_and_ready_answer(client: httpx.AsyncClient) -> None:
    assert (await client.get("/health")).json() == {"status": "ok"}
    # an operation waits until the server has started
    assert (await client.get(f"{BASE}/notes")).status_code == 200
    ready = await client.get("/ready")
    assert ready.status_code == 200
    assert ready.json()["database"] == "ok"


async def test_the_page_and_the_description_are_served(client: httpx.AsyncClient) -> None:
    page = await client.get("/")
    assert page.status_code == 200
    assert "Memory Bank" in page.text
    described = (await client.get("/openapi.json")).json()
    assert "/api/v1/notes/search" in described["paths"]


@pytest.mark.parametrize("host", ["evil.example.net", "evil.example.net:8080", "localhost.evil.net", ""])
@pytest.mark.parametrize("path", ["/sse", "/mcp", "/api/v1/notes", "/", "/health"])
async def test_a_foreign_host_is_refused_at_every_door(client: httpx.AsyncClient, host: str, path: str) -> None:
    answer = await client.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "server.allowed-hosts" in answer.json()["message"]


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1", "[::1]:8000", "192.168.1.5:8080"])
async def test_loopback_names_and_addresses_are_welcome(client: httpx.AsyncClient, host: str) -> None:
    assert (await client.get("/health", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example.net", "null", "http://203.0.113.9", "https://localhost.evil.net"]
)
async def test_a_foreign_origin_is_refused(client: httpx.AsyncClient, origin: str) -> None:
    answer = await client.post(f"{BASE}/notes", json={"content": "x"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert (await client.get(f"{BASE}/notes")).json()["total"] == 0


async def test_the_pages_own_origin_is_welcome(client: httpx.AsyncClient, server: str) -> None:
    answer = await client.post(f"{BASE}/notes", json={"content": "x"}, headers={"origin": server})
    assert answer.status_code == 201


async def test_health_and_readiness_name_a_language_model_that_refuses_the_key(
    loaded: Settings, embedder: FakeEmbedder
) -> None:
    async with OpenAIServer(Reply(status=401)) as provider:
        analyst = LanguageModelAnalyst(model="openai/some", api_key="sk-wrong-0a1B2c3D", base_url=provider.base_url)
        async with (
            live.serving(loaded, Parts(embedder=embedder, analyst=analyst)) as url,
            # the first call of a language model imports its library
            httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client,
        ):
            added = await client.post(f"{BASE}/notes", json={"content": "green tea"})
            assert (added.status_code, added.json()["enrichment"]) == (201, "failed")
            health, ready = await client.get("/health"), await client.get("/ready")
        await analyst.aclose()
    for answer in (health, ready):
        assert answer.status_code == 200
        assert "openai.api-key (OPENAI_API_KEY)" in answer.json()["language_model"]
        assert "sk-wrong" not in answer.text


async def test_without_a_language_model_readiness_says_so_and_health_is_silent(client: httpx.AsyncClient) -> None:
    await client.post(f"{BASE}/notes", json={"content": "green tea"})
    assert (await client.get("/ready")).json()["language_model"].startswith("none")
    assert (await client.get("/health")).json() == {"status": "ok"}
