"""What clients are told of the tools: definitions that the strictest of them take, and arguments as they send them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from tests.interfaces.doors import DOORS, OpenDoor, Session, both_kinds_of_door
from tests.interfaces.test_access import SAMPLES

PREFIX = "x" * 20
"""What clients set before a tool's name: the server's."""

IN_A_QUERY = {"list_memory_notes", "get_note_neighbourhood", "delete_memory_note"}
"""Operations whose routes take arguments in the query, which has no null and repeats a name to make a list."""

NAMES = re.compile(r"[A-Za-z0-9_-]{1,64}")


def parts(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema within a schema, and where it stands; fails at one that is no object."""
    assert isinstance(schema, dict), f"{path}: a schema that is a mere {schema!r}"
    yield path, schema
    for name, each in schema.get("properties", {}).items():
        yield from parts(each, f"{path}.{name}")
    if "items" in schema:
        yield from parts(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from parts(schema["additionalProperties"], f"{path}.*")


@pytest.mark.parametrize("name", [each for each in DOORS if each != "rest"])
async def test_no_schema_holds_what_a_client_refuses(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        assert isinstance(door, Session)
        tools = (await door.session.list_tools()).tools
    assert [tool.name for tool in tools] == list(SAMPLES)
    for tool in tools:
        assert NAMES.fullmatch(f"{PREFIX}__{tool.name}")
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None
            assert schema["type"] == "object"
            assert isinstance(schema["properties"], dict)
            assert isinstance(schema.get("required", []), list)
            jsonschema.Draft202012Validator.check_schema(schema)
            for path, each in parts(schema, tool.name):
                assert isinstance(each.get("type"), str), path
                assert not {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "if", "patternProperties"} & each.keys()
                assert each["type"] != "array" or "items" in each, path


@both_kinds_of_door
async def test_optional_arguments_may_be_null_or_come_as_text(open_door: OpenDoor, name: str) -> None:
    async with open_door("streamable") as asking, open_door(name) as door:
        assert isinstance(asking, Session)
        for tool in (await asking.session.list_tools()).tools:
            sample, _ = SAMPLES[tool.name]
            if name == "rest" and tool.name in IN_A_QUERY:
                continue
            for field, schema in tool.input_schema["properties"].items():
                if field in tool.input_schema.get("required", []) or field in sample:
                    continue
                for value in (None, "null", *as_text(schema)):
                    said = await door.ask(tool.name, **sample, **{field: value})
                    assert not said.text.startswith(field), (tool.name, field, value, said.text)


@both_kinds_of_door
async def test_the_text_null_is_no_tag_no_label_and_no_new_name(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        fields = dict.fromkeys(("tags", "session", "context", "timestamp", "position", "enrichment"), "null")
        note = (await door.ask("add_memory_note", content="null", **fields)).fields
        assert note["content"] == "null"
        assert (note["tags"], note.get("session"), note.get("position")) == ([], None, None)
        assert (await door.ask("list_memory_notes", cursor="null", since="null")).fields["total"] == 1
        found = await door.ask("search_memory_notes", context="null", kinds="null", limit="null", min_similarity="null")
        assert [each["content"] for each in found.fields["notes"]] == ["null"]
        await door.ask("update_memory_note", id=note["id"], content="null", add_tags=["kept"])
        await door.ask("remember", name="Ada", facts=["likes tea"], rename="null", supersede="null", aliases="null")
        known = (await door.ask("recall", mode="entity", name="Ada")).fields["entity"]
        assert (known["name"], known["aliases"]) == ("Ada", [])


@both_kinds_of_door
async def test_where_a_text_says_what_is_meant_null_is_a_text(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        await door.ask("add_memory_note", content="of no session")
        await door.ask("remember", name="null", facts=["is a value"])
        known = await door.ask("recall", mode="entity", name="null")
        assert [each["content"] for each in known.fields["facts"]] == ["is a value"]
        found = await door.ask("recall", query="null", kinds=["fact"])
        assert [each["about"] for each in found.fields["results"]] == ["null"]
        pushed = await door.ask("context", action="push", session_id="s", content="null")
        assert [each["content"] for each in pushed.fields["events"]] == ["null"]
        for conditions in ({"session": "null"}, {"project": "null"}, {"bank": "null"}):
            listed = await door.ask("list_memory_notes", kinds="note", **conditions)
            assert listed.fields["total"] == (1 if "project" in conditions else 0), conditions
        assert (await door.ask("add_memory_note", content="in a bank", bank="null")).ok
        assert (await door.ask("list_memory_notes", bank="null")).fields["total"] == 1
        gone = await door.ask("forget", action="entity", name="null")
        assert gone.fields["entity"]["name"] == "null"


def as_text(schema: dict[str, Any]) -> list[str]:
    """Return values of a schema's type as clients write them that send everything as text."""
    match schema["type"]:
        case "integer" | "number":
            return ["1"]
        case "boolean":
            return ["true", "false"]
        case "array":
            each = schema["items"].get("enum", ["alpha"])[0]
            return [json.dumps([each]), str(each)]
        case "object":
            return [json.dumps({"alpha": "beta"})]
        case _:
            return []


async def test_where_an_answer_is_described_it_always_comes_in_that_form(open_door: OpenDoor) -> None:
    async with open_door("streamable") as door:
        assert isinstance(door, Session)
        for tool in (await door.session.list_tools()).tools:
            said = await door.ask(tool.name, **SAMPLES[tool.name][0])
            if said.ok:
                assert tool.output_schema is not None
                assert said.fields
                jsonschema.validate(dict(said.fields), tool.output_schema)
