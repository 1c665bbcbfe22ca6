"""How much comes in and goes out: answers that clients take in any script, and requests that are refused unread."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from mcp import ClientSession
from starlette.types import Message, Receive, Scope, Send

from memory_bank.domain import notes, text
from memory_bank.interfaces.guards import BODY_LIMIT, BodyGuard
from tests.interfaces.doors import OpenDoor, both_kinds_of_door
from tests.interfaces.live import call, connected, said

CLIENTS_TAKE = 25_000
"""Tokens of one answer."""

CHUNK = b"x" * 65_536


def tokens(answer: str) -> float:
    """Return about how many tokens a text has: a quarter of one for an ASCII letter, a third for any other byte."""
    plain = sum(character.isascii() for character in answer)
    return plain / 4 + (len(answer.encode()) - plain) / 3


async def answered(session: ClientSession, tool: str, arguments: Mapping[str, Any]) -> str:
    result = await session.call_tool(tool, dict(arguments))
    assert not result.is_error, said(result)
    return said(result)


@pytest.mark.parametrize("letter", ["x", "夜"])
async def test_default_answers_stay_within_what_clients_take_in_any_script(server: str, letter: str) -> None:
    async with connected(server, "streamable") as session:
        word = letter * 20
        long = f"{word} " * 200
        drafts = [{"content": f"alpha {n} {long}", "tags": [f"{word}{i}" for i in range(40)]} for n in range(40)]
        ids = [each["id"] for each in (await call(session, "add_memory_notes", notes=drafts))["results"]]
        for target in ids[1:]:
            link = {"source_id": ids[0], "target_id": target, "type": "causal", "explanation": letter * 1_000}
            await call(session, "link_memory_notes", **link)
        facts = [f"{n} {chr(ord('a') + n % 26)}{n} {long}" for n in range(60)]
        await call(session, "remember", name="Ada", facts=facts, on_conflict="keep_both")
        for _ in range(25):
            await call(session, "context", action="push", session_id="s", content=long)
        for n in range(20):
            await call(session, "observe", user=f"alpha {n} {word}{n}", assistant=f"{n} " + long, sessionId=f"s{n}")
        for tool, arguments in (
            ("search_memory_notes", {"context": f"alpha {word}"}),
            ("list_memory_notes", {}),
            ("get_note_neighbourhood", {"id": ids[0]}),
            ("recall", {"query": f"alpha {word}"}),
            ("recall", {"mode": "entity", "name": "Ada"}),
            ("recall", {"mode": "exchanges"}),
            ("recall", {"mode": "timeline"}),
            ("context", {"action": "get", "session_id": "s"}),
            ("forget", {"action": "entity", "name": "Ada", "preview": True}),
        ):
            answer = await answered(session, tool, arguments)
            assert tokens(answer) < CLIENTS_TAKE, (tool, arguments, len(answer))
            assert "\ufffd" not in answer


@both_kinds_of_door
async def test_what_was_cut_can_be_had_in_full(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        longest = "夜" * notes.CONTENT_LIMIT
        note = (await door.ask("add_memory_note", content=longest, enrichment="queued")).fields
        assert note["content"] == longest
        listed = (await door.ask("list_memory_notes")).fields
        assert listed["total"] == 1
        assert listed["notes"][0]["content_truncated"] is True
        got = (await door.ask("get_memory_notes_by_ids", ids=[note["id"]])).fields["notes"][0]
        assert got["content"] == longest
        assert got.get("content_truncated") is None
        event = "夜" * 9_999
        for _ in range(3):
            await door.ask("context", action="push", session_id="s", content=event)
        several = (await door.ask("context", action="get", session_id="s", limit=3)).fields["events"]
        assert [each["content_truncated"] for each in several] == [True] * 3
        last = (await door.ask("context", action="get", session_id="s", limit=1)).fields["events"]
        assert last[0]["content"] == event


TOO_MUCH: list[tuple[str, dict[str, Any], str]] = [
    ("add_memory_note", {"content": "x", "tags": [f"t{n}" for n in range(10_000)]}, "tags: at most 50"),
    ("add_memory_notes", {"notes": [{"content": "x"}] * 100_000}, "notes: list should have at most 500"),
    ("search_memory_notes", {"context": "x" * 1_000_000}, "context: at most 10000"),
    ("search_memory_notes", {"context": "x", "limit": 1_000_000_000}, "limit:"),
    ("search_memory_notes", {"context": "x", "session": "s" * 200_000}, "session: at most 200"),
    ("remember", {"name": "x", "facts": ["f"] * 10_000}, "facts: at most 100"),
    ("remember", {"name": "x" * 200_000, "facts": ["f"]}, "name: at most 200"),
    ("remember", {"name": "x", "facts": ["f"], "supersede": "s" * 200_000}, "supersede: at most 10000"),
    ("recall", {"mode": "relations", "types": ["t" * 200_000]}, "types: at most"),
    ("forget", {"action": "exchange", "query": "q" * 200_000}, "query: at most 10000"),
    ("forget", {"action": "fact", "name": "x", "query": "q" * 200_000}, "query: at most 10000"),
    ("forget", {"action": "relation", "from": "f" * 200_000, "relationType": "is", "to": "x"}, "from: at most 200"),
    ("task", {"action": "done", "taskId": "t" * 200_000}, "taskId: an id has at most 200"),
]


@both_kinds_of_door
async def test_too_much_is_refused_in_a_line_that_names_the_limit(open_door: OpenDoor, name: str) -> None:
    async with open_door(name) as door:
        for tool, arguments, named in TOO_MUCH:
            refused = await door.ask(tool, **arguments)
            assert not refused.ok
            assert refused.text.startswith(named), (tool, refused.text[:200])
            assert len(refused.text) < 500
        for limit in ("10", None, "null"):
            assert (await door.ask("search_memory_notes", context="x", limit=limit)).ok
        assert (await door.ask("list_memory_notes")).fields["total"] == 0


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_past_the_limit_is_refused_before_it_is_read(declared: bool) -> None:
    size = 100_000_000
    pulled = 0
    answers: list[Message] = []

    async def endless() -> Message:
        nonlocal pulled
        pulled += len(CHUNK)
        return {"type": "http.request", "body": CHUNK, "more_body": pulled < size}

    async def answer(message: Message) -> None:
        answers.append(message)

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("the body came through")

    headers = [(b"content-length", str(size).encode())] if declared else []
    scope = {"type": "http", "method": "POST", "path": "/api/v1/notes", "headers": headers}
    await BodyGuard(never)(scope, endless, answer)
    assert answers[0]["status"] == 413
    assert "4 MiB" in json.loads(answers[1]["body"])["message"]
    assert pulled <= (0 if declared else BODY_LIMIT + len(CHUNK))


WHOLES = ["👨‍👩‍👧‍👦", "🇪🇸", "👍🏽", "𠀀", "e\u0301", "夜", "ж"]


async def test_no_preview_ends_in_half_a_character_wherever_it_falls(server: str) -> None:
    async with connected(server, "streamable") as session:
        contents = [f"{'f' * (480 + n)}{''.join(WHOLES)}{n} tail" for n in range(41)]
        await call(session, "add_memory_notes", notes=[{"content": each} for each in contents])
        listed = (await call(session, "list_memory_notes", limit=100))["notes"]
        got = await call(session, "get_memory_notes_by_ids", ids=[each["id"] for each in listed])
        assert sorted(each["content"] for each in got["notes"]) == sorted(contents)
        cut = [each["content"] for each in listed if each.get("content_truncated")]
        assert len(cut) > 30
        for shown in cut:
            rest = shown.rstrip("…").lstrip("f")
            while whole := next((each for each in WHOLES if rest.startswith(each)), None):
                rest = rest.removeprefix(whole)
            assert rest == "" or rest[0].isdigit(), ascii(shown)


def test_a_text_is_cut_to_bytes_between_whole_characters() -> None:
    for whole in WHOLES:
        for size in range(1, 60):
            shown = text.fitting("a" + whole * 10, size=size)
            assert len(shown.encode()) <= size + len("…".encode())
            assert shown.rstrip("…").removeprefix("a").replace(whole, "") == ""
    assert text.fitting("夜夜", size=6) == "夜夜"
