"""The OpenAPI document says what the routes do: what they take, and how they refuse."""

from typing import Any
from uuid import UUID, uuid4

import httpx
import jsonschema
import pytest

from memory_bank.domain import beliefs, notes
from memory_bank.interfaces.mcp.server import TOOLSETS

BASE = "/api/v1"


@pytest.fixture
async def client(server: str) -> Any:
    async with httpx.AsyncClient(base_url=server) as opened:
        yield opened


@pytest.fixture
async def document(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get("/openapi.json")
    return dict(answer.json())


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, each) for path, methods in document["paths"].items() for method, each in methods.items()]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("OPTIONS", "/notes", "GET, POST"),
        ("DELETE", "/notes", "GET, POST"),
        ("PATCH", "/notes/batch", "POST"),
        ("DELETE", "/notes/search", "POST"),
        ("GET", "/notes/by-ids", "POST"),
        ("POST", f"/notes/{UUID(int=7)}", "DELETE, GET, PATCH"),
        ("TRACE", "/remember", "POST"),
    ],
)
async def test_a_method_that_a_path_does_not_take_is_refused_with_all_that_it_takes(
    client: httpx.AsyncClient, method: str, path: str, allowed: str
) -> None:
    answer = await client.request(method, f"{BASE}{path}")
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed
    assert allowed in answer.json()["message"]


@pytest.mark.parametrize(("path", "allowed"), [("/health", "GET"), ("/", "GET, HEAD"), ("/sse", "GET, HEAD")])
async def test_so_are_those_outside_of_the_operations(client: httpx.AsyncClient, path: str, allowed: str) -> None:
    answer = await client.put(path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed


async def test_a_path_that_is_none_stays_unknown_whatever_the_method(client: httpx.AsyncClient) -> None:
    for method in ("GET", "PUT", "OPTIONS"):
        assert (await client.request(method, "/nothing-here")).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "send"),
    [
        ("post", "/notes", {"content": b"{"}),
        ("post", "/notes", {"json": {}}),
        ("post", "/notes", {"content": b" " * (4 * 1024 * 1024 + 1)}),
        ("get", "/notes", {"params": {"limit": "0"}}),
        ("get", "/notes", {"headers": {"host": "evil.example.net"}}),
        ("get", "/notes", {"headers": {"origin": "http://evil.example.net"}}),
        ("get", "/notes/{id}", {}),
        ("patch", "/notes/{id}", {"json": {"content": "x"}}),
        ("delete", "/notes/{id}", {}),
        ("get", "/notes/{id}/neighbourhood", {}),
        ("post", "/remember", {"json": {"name": "x", "undo": str(uuid4())}}),
        ("post", "/task", {"json": {"action": "done", "taskId": "none"}}),
        ("post", "/forget", {"json": {"action": "entity", "name": "nobody"}}),
    ],
)
async def test_every_refusal_is_one_that_the_document_tells(
    client: httpx.AsyncClient, document: dict[str, Any], method: str, path: str, send: dict[str, Any]
) -> None:
    answer = await client.request(method, f"{BASE}{path}".replace("{id}", str(uuid4())), **send)
    assert answer.status_code >= 400
    told = document["paths"][f"{BASE}{path}"][method]["responses"][str(answer.status_code)]
    schema = {**told["content"]["application/json"]["schema"], "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer.json())
    assert schema["$ref"].endswith("/Refusal")


async def test_every_operation_tells_that_a_token_may_be_needed(document: dict[str, Any]) -> None:
    for path, _, told in operations(document):
        if path == "/health":
            assert "security" not in told
            continue
        assert told["security"] == [{"token": []}, {}], path
        assert "WWW-Authenticate" in told["responses"]["401"]["headers"]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/notes", {"content": "x" * (notes.CONTENT_LIMIT + 1)}, "content"),
        ("/notes", {"content": " \u0001"}, "content"),
        ("/notes", {"content": "x", "context": "x" * (notes.CONTEXT_LIMIT + 1)}, "context"),
        ("/notes", {"content": "x", "tags": [""]}, "tags"),
        ("/notes", {"content": "x", "tags": ["x" * (notes.TAG_LENGTH + 1)]}, "tags"),
        ("/notes", {"content": "x", "tags": [f"t{n}" for n in range(notes.TAG_LIMIT + 1)]}, "tags"),
        ("/notes", {"content": "x", "bank": "A"}, "bank"),
        ("/remember", {"name": "\t", "facts": ["x"]}, "name"),
        ("/remember", {"name": "x", "facts": [" "]}, "facts"),
        ("/remember", {"name": "x", "facts": ["x"] * (beliefs.FACTS_LIMIT + 1)}, "facts"),
        ("/relate", {"from": "a", "type": "", "to": "b"}, "type"),
        ("/recall", {"mode": "relations", "types": ["x", ""]}, "types"),
        ("/recall", {"query": "x", "project": "p" * notes.TAG_LENGTH}, "project"),
        ("/context", {"action": "get", "session_id": ""}, "session"),
    ],
)
async def test_what_a_service_refuses_by_itself_breaks_the_schema_too(
    client: httpx.AsyncClient, document: dict[str, Any], path: str, body: dict[str, Any], field: str
) -> None:
    told = document["paths"][f"{BASE}{path}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    schema = {**told, "components": document["components"]}
    assert not jsonschema.Draft202012Validator(schema).is_valid(body)
    answer = await client.post(f"{BASE}{path}", json=body)
    assert answer.status_code == 422
    assert str(answer.json()["field"]).startswith(field)


def test_rules_of_texts_are_left_out_of_the_arguments_of_tools() -> None:
    for tool in (each for tools in TOOLSETS.values() for each in tools):
        told = str(tool.definition().input_schema)
        assert not any(f"'{rule}'" in told for rule in ("pattern", "minLength", "maxLength", "minProperties")), (
            tool.name
        )
        assert "date-time" not in told
