"""MCP over stdio: the process that an editor starts, through the SDK's client and byte by byte."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from memory_bank.bootstrap import Parts
from memory_bank.settings import Settings
from tests.fakes import FakeEmbedder
from tests.interfaces import live
from tests.interfaces.live import call, refused
from tests.processes import CLOSING_SECONDS, INITIALIZE, NOWHERE, Commands, as_message, postmaster, waited


@pytest.fixture
def environment(empty_url: str, graph_dir: Path, tmp_path: Path) -> dict[str, str]:
    """A database that still has to be migrated, and the real model."""
    return {
        "POSTGRES_URL": empty_url,
        "EMBEDDING_GRAPH_DIR": str(graph_dir),
        "MEMORY_BANK_DATA_DIR": str(tmp_path / "data"),
        "LOGGING_LEVEL": "debug",
    }


@pytest.fixture
def commands(environment: dict[str, str], tmp_path: Path) -> Commands:
    return Commands(folder=tmp_path, environment=environment)


async def test_an_editor_lists_the_tools_of_the_other_transports_adds_and_searches(
    environment: dict[str, str], tmp_path: Path, loaded: Settings
) -> None:
    async with live.over_stdio(environment, tmp_path) as session:
        async with live.serving(loaded, Parts(embedder=FakeEmbedder())) as url, live.connected(url, "sse") as other:
            assert (await session.list_tools()).tools == (await other.list_tools()).tools
        tea = await call(session, "add_memory_note", content="Ada drinks green tea every morning")
        assert tea["enrichment"] == "done"
        found = await call(session, "search_memory_notes", context="what does Ada like to drink?")
        assert [each["id"] for each in found["notes"]] == [tea["id"]]
        assert "content: required" in await refused(session, "add_memory_note")


def test_each_line_on_stdout_is_one_message_whatever_is_stored_logged_or_sent(commands: Commands) -> None:
    hostile = "line\nbreak\r\nand\u2028separator\u2029 \x85 \x1b[31m 🍵 \x00"
    with commands.wired(PYTHONWARNINGS="always", PYTHONDEVMODE="1") as wire:
        wire.opened()
        assert len(wire.ask("tools/list")["tools"]) == 18
        note = wire.call("add_memory_note", content=hostile)["structuredContent"]
        assert note["content"] == hostile.replace("\x00", "")
        found = wire.call("search_memory_notes", context="line separator")["structuredContent"]["notes"]
        assert [each["content"] for each in found] == [note["content"]]
        assert wire.call("add_memory_note", content=" ")["isError"] is True
        wire.closed()
        assert "Migrating the database schema" in wire.process.stderr
        assert "Warning" not in wire.process.stderr


def test_a_line_that_is_no_message_is_answered_and_the_session_goes_on(commands: Commands) -> None:
    with commands.wired(POSTGRES_URL=NOWHERE) as wire:
        wire.opened()
        half = '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "\\ud83d", "arguments": {}}}'
        wire.send(half)
        answer = wire.answer()
        assert answer["id"] == 7
        assert answer["result"]["content"][0]["text"].startswith("unknown tool")
        for line, id, code in [
            ("rubbish", None, -32700),
            ('{"jsonrpc": "2.0", "id": 8, "method": "pi', None, -32700),
            ("[" * 100_000, None, -32700),
            ("\udcff", None, -32700),
            ('[{"jsonrpc": "2.0", "id": 8, "method": "ping"}]', None, -32600),
            ('{"jsonrpc": "2.0", "id": 9, "method": 5}', 9, -32600),
            ('{"id": "ten", "method": "ping"}', "ten", -32600),
            ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
            ('{"jsonrpc": "2.0", "id": 11, "method": "ping", "params": {"a": "%s"}}' % ("x" * 4_194_304), 11, -32600),
        ]:
            wire.send(line)
            answer = wire.answer()
            assert (answer["id"], answer["error"]["code"]) == (id, code), line[:80]
            assert len(answer["error"]["message"]) < 200
        wire.send("")
        wire.send('{"jsonrpc": "2.0", "id": 1, "result": 5}')
        assert wire.ask("ping") == {}
        wire.closed()


def test_lone_surrogates_are_cleaned_out_of_what_is_stored(commands: Commands) -> None:
    with commands.wired() as wire:
        wire.opened()
        wire.send(
            '{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "add_memory_note", '
            '"arguments": {"content": "half \\ud83d smile, whole \\ud83d\\ude00"}}}'
        )
        assert wire.answer()["result"]["structuredContent"]["content"] == "half  smile, whole 😀"
        wire.closed()


def test_what_answers_initialize_brings_in_neither_database_nor_model_libraries() -> None:
    # an editor waits for that answer; they are imported beside it
    script = (
        "import sys, memory_bank.interfaces.cli.stdio, memory_bank.interfaces.mcp.stdio\n"
        "print(sorted({'sqlalchemy', 'psycopg', 'procrastinate', 'alembic', 'numpy', 'litellm', 'onnxruntime', 'torch',"
        " 'kingfisher_sdk', 'fastapi', 'prometheus_client'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert answer.stdout.strip() == "[]"


def test_tools_are_listed_while_the_database_is_away_and_a_call_says_what_to_do(commands: Commands) -> None:
    with commands.wired(POSTGRES_URL=NOWHERE, EMBEDDING_WAIT="1s") as wire:
        wire.opened()
        assert len(wire.ask("tools/list")["tools"]) == 18
        told: list[str] = []

        def is_away() -> bool:
            result = wire.call("search_memory_notes", context="anything")
            assert result["isError"] is True
            told.append(result["content"][0]["text"])
            # on a busy machine it is still starting at first, and says so
            return "postgres.url" in told[-1]

        waited(is_away, told=lambda: wire.process.stderr)
        assert all(each.endswith("try again in a moment") for each in told)
        wire.closed()


def test_tools_are_listed_while_the_model_is_made_ready_and_calls_without_it_work(commands: Commands) -> None:
    # without a graph the weights are exported first, which takes longer than the rest of this test
    with commands.wired(EMBEDDING_GRAPH_DIR="", EMBEDDING_WAIT="1s") as wire:
        wire.opened()
        assert len(wire.ask("tools/list")["tools"]) == 18
        waited(lambda: not wire.call("list_memory_notes")["isError"], told=lambda: wire.process.stderr)
        note = wire.call("add_memory_note", content="stored without vectors")["structuredContent"]
        assert note["enrichment"] == "pending"
        found = wire.call("search_memory_notes", context="what is stored?")["structuredContent"]
        assert [each["id"] for each in found["notes"]] == [note["id"]]
        wire.closed()


@pytest.mark.parametrize("wrong", [{"EMBEDDING_DIMENSIONS": "7"}, {"EMBEDDING_MODEL": "."}])
def test_a_configuration_that_cannot_work_is_told_with_every_call(commands: Commands, wrong: dict[str, str]) -> None:
    with commands.wired(**wrong) as wire:
        wire.opened()
        for _ in range(2):
            result = wire.call("search_memory_notes", context="anything")
            assert result["isError"] is True
            assert "embedding." in result["content"][0]["text"]
        wire.closed()


def test_requests_sent_before_stdin_closes_are_still_answered(commands: Commands) -> None:
    # nothing here waits for the database: how long that takes is not ours to promise
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "no_such_tool", "arguments": {}}},
    ]
    done = commands.run("stdio", stdin=b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    answers = {each["id"]: each for each in map(as_message, done.stdout.splitlines())}
    assert len(answers[2]["result"]["tools"]) == 18
    assert "no_such_tool" in answers[3]["result"]["content"][0]["text"]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_although_stdin_stays_open(commands: Commands, sign: signal.Signals) -> None:
    with commands.wired() as wire:
        wire.opened()
        os.kill(wire.process.pid, sign)
        waited(lambda: not wire.process.alive, seconds=CLOSING_SECONDS, told=lambda: wire.process.stderr)
        assert wire.process.process.returncode == 0


def test_the_process_ends_in_time_while_the_database_hangs(commands: Commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://127.0.0.1:{silent.getsockname()[1]}/silent"
        with commands.wired(POSTGRES_URL=address) as wire:
            wire.opened()
            wire.closed()


def test_the_last_one_out_stops_the_embedded_server(commands: Commands) -> None:
    # not below tmp_path: the account that PostgreSQL runs as could not pass through
    with tempfile.TemporaryDirectory(prefix="mb-test-", ignore_cleanup_errors=True) as folder:
        embedded = {"POSTGRES_URL": "", "MEMORY_BANK_DATA_DIR": folder}
        with commands.wired(**embedded) as first, commands.wired(**embedded) as second:
            note = first.opened().call("add_memory_note", content="shared", enrichment="queued")["structuredContent"]
            got = second.opened().call("get_memory_notes_by_ids", ids=[note["id"]])["structuredContent"]
            assert got["notes"][0]["content"] == "shared"
            first.closed()
            assert second.call("list_memory_notes")["structuredContent"]["total"] == 1
            assert postmaster(Path(folder)) is not None
            second.closed()
            assert postmaster(Path(folder)) is None
