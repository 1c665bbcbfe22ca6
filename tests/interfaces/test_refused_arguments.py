"""Arguments that are refused, as they are named: by the names that schemas and routes publish."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.interfaces.doors import OpenDoor, Session, both_kinds_of_door
from tests.interfaces.test_access import ROUTES, SAMPLES
from tests.interfaces.test_tool_definitions import IN_A_QUERY

TOO_LONG = "x" * 100_001
READING = {
    "recall": [{"mode": mode, "name": "Ada"} for mode in ("search", "entity", "history", "relations", "exchanges")],
    "context": [{"action": action, "session_id": "s", "content": "c"} for action in ("push", "get", "clear")],
    "task": [
        {"action": action, "taskId": "t", "title": "t", "goal": "g"}
        for action in ("start", "step", "pause", "resume", "done", "abort", "list")
    ],
    "forget": [
        {"action": action, "name": "Ada", "query": "some words", "from": "Ada", "to": "Bo", "relationType": "knows"}
        for action in ("entity", "fact", "relation", "exchange")
    ],
}
"""All that the operations with several modes or actions can be asked."""


def texts(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every argument that takes text, with far too much of it."""
    for name, each in schema["properties"].items():
        if "enum" in each or each.get("format") or name == "bank":
            continue
        if each["type"] == "string":
            yield name, TOO_LONG
        elif each["type"] == "array" and each["items"]["type"] == "string" and "enum" not in each["items"]:
            yield name, [TOO_LONG]


@both_kinds_of_door
async def test_a_text_that_is_too_long_is_named_as_it_is_published(open_door: OpenDoor, name: str) -> None:
    seen, wrong = set(), []
    async with open_door("streamable") as asking, open_door(name) as door:
        assert isinstance(asking, Session)
        await asking.ask("remember", name="Ada", facts=["likes tea"])
        for tool in (await asking.session.list_tools()).tools:
            if name == "rest" and tool.name in IN_A_QUERY:
                continue
            for sample in READING.get(tool.name, [SAMPLES[tool.name][0]]):
                for field, value in texts(tool.input_schema):
                    said = await door.ask(tool.name, **{**sample, field: value})
                    if "at most" in said.text and not said.ok:
                        seen.add((tool.name, field))
                        named = said.fields.get("field", field)
                        if not (said.text.startswith(f"{field}: ") and named == field):
                            wrong.append((tool.name, field, said.text))
    assert wrong == []
    assert {("recall", "query"), ("task", "taskId"), ("task", "successCondition"), ("observe", "sessionId")} <= seen


@both_kinds_of_door
@pytest.mark.parametrize("field", ["query", "body", "path"])
async def test_an_argument_named_like_a_part_of_a_request_keeps_its_name(
    open_door: OpenDoor, name: str, field: str
) -> None:
    async with open_door(name) as door:
        unknown = await door.ask("search_memory_notes", context="tea", **{field: "tea"})
        assert unknown.text.startswith(f"{field}: unknown")
        if field == "query":
            for tool, others in (("recall", {}), ("forget", {"action": "exchange"})):
                assert (await door.ask(tool, **others, query=5)).text.startswith("query: input should be")
        wrong = await door.ask("add_memory_notes", notes=[{"content": "x", field: "y"}])
        assert wrong.fields["results"][0]["error"].startswith(f"{field}: unknown")


async def test_an_unknown_argument_is_told_those_that_the_schema_publishes(open_door: OpenDoor) -> None:
    async with open_door("streamable") as door:
        assert isinstance(door, Session)
        for tool in (await door.session.list_tools()).tools:
            told = (await door.ask(tool.name, **SAMPLES[tool.name][0], unheard_of=1)).text
            assert told.startswith("unheard_of: unknown; the arguments here are ")
            listed = told.partition("; ")[2].removeprefix("the arguments here are ").split(", ")
            assert set(listed) == set(tool.input_schema["properties"])


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"5"])
async def test_a_body_that_is_no_object_is_told_to_be_one(server: str, body: bytes) -> None:
    async with httpx.AsyncClient(base_url=server) as client:
        for method, path in ROUTES:
            if method in ("POST", "PUT"):
                refused = await client.request(method, path, content=body, headers={"content-type": "application/json"})
                assert refused.status_code == 422
                assert refused.json()["field"] == "body"
                assert "send a JSON object" in refused.json()["message"]
