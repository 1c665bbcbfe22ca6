"""What no caller should send, at every door alike: NUL, blanks, SQL, paths. Nobody is hurt, and nothing is lost."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from memory_bank.bootstrap import App
from memory_bank.domain import filters
from memory_bank.domain.notes import Draft
from tests.fakes import FakeEmbedder
from tests.interfaces.doors import Door, OpenDoor, both_kinds_of_door, every_door

BLANKS: Sequence[Any] = ["", " \t\n", "\u200b", "\u3000"]
WRONG: Sequence[Any] = [None, 5, ["a"], {"a": 1}]
PATHS = [
    "../../etc/passwd",
    "/etc/passwd",
    "..\\..\\x",
    "%2e%2e%2fx",
    "a/../../x",
    "C:\\x",
    "//host/share",
    "file:///etc/passwd",
    "a\nb",
    "a\x00b",
    "CON/aux",
    "x" * 5_000,
]
INJECTIONS = [
    "k' IS NULL OR 1=1 --",
    "k') OR true) --",
    "a'); DROP TABLE notes; --",
    '"; DELETE FROM notes; --',
    "\\'; SELECT pg_sleep(9); --",
    "%(bank)s :bank $1 {0}",
]


async def contents(door: Door, **conditions: Any) -> list[str]:
    listed = await door.ask("list_memory_notes", limit=200, **conditions)
    assert listed.ok, listed.text
    return sorted(each["content"] for each in listed.fields["notes"])


# NUL, which PostgreSQL holds in no text.


@every_door
async def test_nul_costs_no_note_of_a_batch_and_no_search(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        batch = [
            {"content": "first of three"},
            {"content": "be\x00fore and after", "tags": ["ta\x00g"], "context": "c\x00d", "session": "s\x00s"},
            {"content": "last of three", "timestamp": "2026-01-01\x00"},
            {"content": "\x00"},
        ]
        stored = await door.ask("add_memory_notes", notes=batch)
        assert [each.get("error", "").partition(":")[0] for each in stored.fields["results"]] == [
            *("", "", "timestamp", "content")
        ]
        assert await contents(door) == ["before and after", "first of three"]
        found = await door.ask("search_memory_notes", context="be\x00fore", tags=["ta\x00g"], session="s\x00s")
        assert [each["content"] for each in found.fields["notes"]] == ["before and after"]
        assert (found.fields["notes"][0]["context"], found.fields["notes"][0]["session"]) == ("cd", "ss")


NUL_EVERYWHERE: Sequence[tuple[str, dict[str, Any], bool]] = [
    ("add_memory_note", {"content": "a\x00", "tags": ["b\x00"], "session": "c\x00"}, True),
    ("search_memory_notes", {"context": "a\x00", "project": "p\x00"}, True),
    ("search_memory_notes", {"context": "\x00"}, False),
    ("search_memory_notes", {"context": "a", "since": "2026\x00"}, False),
    ("list_memory_notes", {"cursor": "\x00"}, False),
    ("list_memory_notes", {"bank": "de\x00fault"}, False),
    ("remember", {"name": "na\x00me", "facts": ["port\x00 is 1"], "source": "s\x00", "aliases": ["al\x00i"]}, True),
    ("remember", {"name": "name", "tags": {"ke\x00y": "va\x00lue"}}, True),
    ("remember", {"name": "name", "facts": ["port is 2"], "supersede": "po\x00rt is 1"}, True),
    ("remember", {"name": "name", "supersede": "\x00"}, False),
    ("recall", {"query": "port\x00"}, True),
    ("recall", {"mode": "entity", "name": "na\x00me", "query": "po\x00rt"}, True),
    ("recall", {"mode": "history", "name": "na\x00me"}, True),
    ("recall", {"mode": "relations", "name": "na\x00me", "types": ["us\x00es"]}, True),
    ("recall", {"mode": "exchanges", "session": "\x00s", "project": "\x00p", "query": "a\x00"}, True),
    ("recall", {"mode": "timeline", "tags": ["\x00t"], "project": "\x00p"}, True),
    ("relate", {"from": "na\x00me", "type": "us\x00es", "to": "re\x00dis"}, True),
    ("observe", {"user": "words said\x00", "assistant": "a\x00", "sessionId": "s\x00", "tags": ["t\x00"]}, True),
    ("context", {"action": "push", "session_id": "s\x00", "content": "c\x00"}, True),
    ("context", {"action": "get", "session_id": "s\x00"}, True),
    ("context", {"action": "clear", "session_id": "s\x00"}, True),
    ("task", {"action": "start", "title": "t\x00", "goal": "g\x00", "sessionId": "s\x00"}, True),
    ("task", {"action": "done", "taskId": "t\x00", "result": "r"}, False),
    ("forget", {"action": "relation", "from": "na\x00me", "relationType": "us\x00es", "to": "re\x00dis"}, True),
    ("forget", {"action": "relation", "from": "\x00", "relationType": "uses", "to": "redis"}, False),
    ("forget", {"action": "exchange", "query": "words\x00 said"}, True),
    ("forget", {"action": "fact", "name": "na\x00me", "query": "po\x00rt is"}, True),
    ("forget", {"action": "fact", "name": "na\x00me", "query": "\x00\x00\x00\x00"}, False),
    ("forget", {"action": "entity", "name": "na\x00me"}, True),
]


@both_kinds_of_door
async def test_nul_in_any_argument_is_stripped_or_refused_by_name(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        for tool, arguments, accepted in NUL_EVERYWHERE:
            said = await door.ask(tool, **arguments)
            assert said.ok is accepted, (tool, arguments, said.text)
            assert "\x00" not in str(said.fields) or not said.ok
        known = await door.ask("recall", mode="search", query="port", limit=5)
        assert known.fields["results"] == []


# Blanks, and what is no text.


@both_kinds_of_door
async def test_what_is_blank_or_no_text_is_stored_nowhere(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        kept = (await door.ask("add_memory_note", content="kept as it is", tags=["kept"])).fields
        await door.ask("remember", name="kept", facts=["port is 1"])
        for value in (*BLANKS, *WRONG):
            attempts: list[tuple[str, dict[str, Any], str]] = [
                ("add_memory_note", {"content": value}, "content"),
                ("update_memory_note", {"id": kept["id"], "content": value}, "content"),
                ("remember", {"name": "x", "facts": [value]}, "facts"),
                ("remember", {"name": value, "facts": ["port is 2"]}, "name"),
                ("observe", {"user": value, "assistant": value, "sessionId": "s"}, "user"),
                ("context", {"action": "push", "session_id": "s", "content": value}, "content"),
                ("context", {"action": "push", "session_id": value, "content": "x"}, "session"),
                ("task", {"action": "start", "title": value, "goal": "g"}, "title"),
                ("relate", {"from": "kept", "type": "uses", "to": value}, "to"),
                ("relate", {"from": "kept", "type": value, "to": "y"}, "type"),
                ("search_memory_notes", {"context": value}, "context"),
                ("forget", {"action": "entity", "name": value}, "name"),
            ]
            for tool, arguments, field in attempts:
                said = await door.ask(tool, **arguments)
                assert not said.ok, (tool, arguments, said.text)
                assert said.text.startswith(field), (tool, arguments, said.text)
            batch = await door.ask("add_memory_notes", notes=[{"content": value}, {"content": value}])
            assert (batch.fields["added"], batch.fields["refused"]) == (0, 2)
            assert all(each["error"].startswith("content: ") for each in batch.fields["results"])
        assert await contents(door) == ["kept as it is", "kept: port is 1"]


async def test_what_is_refused_is_never_embedded(open_door: OpenDoor, embedder: FakeEmbedder) -> None:
    async with open_door("rest") as door:
        for value in (*BLANKS, *WRONG):
            await door.ask("add_memory_note", content=value)
            await door.ask("add_memory_notes", notes=[{"content": value}])
            await door.ask("remember", name="x", facts=[value])
    assert embedder.embedded == []


@every_door
async def test_an_edit_that_changes_nothing_is_told(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        note = (await door.ask("add_memory_note", content="as it is")).fields
        for nothing in ({}, {"content": None}, {"tags": "null", "content": "null"}):
            said = await door.ask("update_memory_note", id=note["id"], **nothing)
            assert not said.ok
            assert said.text.startswith("content: nothing to change")
        assert await contents(door) == ["as it is"]


@every_door
async def test_a_search_by_conditions_alone_lists_what_meets_them(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        await door.ask("add_memory_note", content="labelled", tags=["wanted"])
        await door.ask("add_memory_note", content="not labelled")
        for text in ({}, {"context": None}, {"context": ""}, {"context": " \u3000"}):
            found = await door.ask("search_memory_notes", tags=["wanted"], **text)
            assert [each["content"] for each in found.fields["notes"]] == ["labelled"], found.text
        for text in ({}, {"query": ""}, {"query": " "}):
            found = await door.ask("recall", tags=["wanted"], **text)
            assert [each["content"] for each in found.fields["results"]] == ["labelled"], found.text
        for text in ({}, {"query": ""}, {"query": " "}):
            said = await door.ask("recall", **text)
            assert said.text.startswith("query: ")


# SQL in keys, names and values.


@both_kinds_of_door
async def test_sql_is_a_name_that_nothing_has(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        for n in range(3):
            await door.ask("add_memory_note", content=f"alpha note {n}", tags=[f"t{n}"], session="s")
        await door.ask("remember", name="gateway", facts=["port is 1"])
        before = await contents(door)
        for text in INJECTIONS:
            unknown = await door.ask("search_memory_notes", context="alpha", **{text: "x"})
            assert not unknown.ok
            assert "unknown" in unknown.text
            for conditions in ({"tags": [text]}, {"session": text}):
                found = await door.ask("search_memory_notes", context="alpha", **conditions)
                assert found.fields["notes"] == []
                assert await contents(door, **conditions) == []
            for field in ("limit", "kinds", "tag_match", "since", "bank", "sort", "order_by"):
                said = await door.ask("search_memory_notes", context="alpha", **{field: text})
                assert not said.ok, (field, said.text)
                assert "syntax error" not in said.text
            for tool, given in (
                ("recall", {"mode": "entity", "name": text}),
                ("forget", {"action": "entity", "name": text}),
                ("forget", {"action": "fact", "name": "gateway", "query": text}),
                ("forget", {"action": "exchange", "query": text}),
                ("task", {"action": "done", "taskId": text, "result": "r"}),
                ("get_memory_notes_by_ids", {"ids": [text]}),
            ):
                assert not (await door.ask(tool, **given)).ok, (tool, given)
        empty = await door.ask("get_memory_notes_by_ids", ids=[])
        assert empty.ok
        assert empty.fields["notes"] == []
        assert await contents(door) == before


# Names that would be paths elsewhere.


def everything_below(folder: Path) -> list[str]:
    return sorted(str(Path(at) / each) for at, _, files in os.walk(folder) for each in files)


async def test_a_path_is_a_name_that_leads_nowhere(open_door: OpenDoor, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not for you")
    # names in the data folder that lead out of it, as an attacker might leave them
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "link").symlink_to(outside)
    async with open_door("streamable") as door:
        await door.ask("add_memory_note", content="warm", session="warm")
        before = everything_below(tmp_path)
        for path in (*PATHS, str(outside / "secret"), "link/secret"):
            refused = await door.ask("list_memory_notes", bank=path)
            assert refused.text.startswith("bank: a bank's name has"), refused.text
            assert not (await door.ask("add_memory_note", content="x", bank=path)).ok
            for tool, given in (
                ("search_memory_notes", {"context": "x", "session": path}),
                (
                    "add_memory_note",
                    {"content": f"about {path}", "session": path, "tags": [path], "enrichment": "queued"},
                ),
                ("remember", {"name": path, "facts": ["is a name"], "tags": {"file": path}}),
                ("context", {"action": "push", "session_id": path, "content": "x"}),
                ("observe", {"user": "u", "assistant": "a", "sessionId": path, "project": path}),
                ("task", {"action": "start", "title": path, "goal": "g", "sessionId": path}),
            ):
                said = await door.ask(tool, **given)
                assert "not for you" not in said.text
        assert everything_below(tmp_path) == before


async def test_an_id_that_is_none_or_of_nobody_is_told_apart(open_door: OpenDoor, app: App) -> None:
    elsewhere = await app.notes.add("b", Draft(content="of b"))
    async with open_door("rest") as door:
        for tool, more in (("delete_memory_note", {}), ("update_memory_note", {"content": "x"})):
            for id, word in (("nonsense", "id: must be"), (uuid4(), "no note"), (elsewhere.note.id, "no note")):
                said = await door.ask(tool, id=str(id), **more)
                assert not said.ok
                assert word in said.text
    assert (await app.notes.browse("b", wanted=filters.Filter())).total == 1
