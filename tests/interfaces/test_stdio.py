"""MCP over stdio: the process that an editor starts, through the SDK's client and byte by byte."""

import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from memory_bank.bootstrap import Parts
from memory_bank.settings import Settings
from tests.fakes import FakeEmbedder
from tests.interfaces import live
from tests.interfaces.live import call, refused
from tests.processes import CHECKOUT, NOWHERE, Commands, Process, postmaster, waited

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
END_SECONDS = 5.0


class Wire:
    """A client that sees every byte: whatever comes that is no JSON-RPC message fails the test."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._last = 0

    def send(self, line: str) -> None:
        self.process.write(line.encode("utf-8", "surrogatepass") + b"\n")

    def answer(self) -> dict[str, Any]:
        """Return the next answer; notifications have no id and are passed over."""
        while "id" not in (message := as_message(self.process.line())):
            pass
        return message

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and return its result."""
        self._last += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}))
        answer = self.answer()
        assert answer["id"] == self._last, answer
        assert "result" in answer, answer
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its whole result."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    def opened(self) -> "Wire":
        """Initialise the session and return the client."""
        assert self.ask("initialize", **INITIALIZE)["serverInfo"]["name"] == "memory-bank"
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return self

    def closed(self) -> None:
        """Close stdin; the process must end in time, having said nothing but messages."""
        done = self.process.ended(seconds=END_SECONDS)
        assert done.code == 0, done.stderr
        for line in done.stdout.splitlines():
            as_message(line)


def as_message(line: bytes) -> dict[str, Any]:
    message = json.loads(line.decode())
    assert message["jsonrpc"] == "2.0", message
    assert set(message) <= {"jsonrpc", "id", "method", "params", "result", "error"}
    return dict(message)


@contextlib.contextmanager
def wired(commands: Commands, **more: str) -> Iterator[Wire]:
    with commands.start("stdio", **more) as process:
        yield Wire(process)


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


@pytest.fixture
async def session(environment: dict[str, str], tmp_path: Path) -> AsyncIterator[ClientSession]:
    """The SDK's own client."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memory_bank", "stdio"],
        env={**environment, "PYTHONPATH": str(CHECKOUT)},
        cwd=tmp_path,
    )
    with (tmp_path / "stderr").open("w") as errors:
        async with stdio_client(parameters, errlog=errors) as streams, ClientSession(*streams) as opened:
            await opened.initialize()
            yield opened


async def test_an_editor_lists_the_tools_of_the_other_transports_adds_and_searches(
    session: ClientSession, loaded: Settings
) -> None:
    async with live.serving(loaded, Parts(embedder=FakeEmbedder())) as url, live.connected(url, "sse") as other:
        assert (await session.list_tools()).tools == (await other.list_tools()).tools
    tea = await call(session, "add_memory_note", content="Ada drinks green tea every morning")
    assert tea["enrichment"] == "done"
    found = await call(session, "search_memory_notes", context="what does Ada like to drink?")
    assert [each["id"] for each in found["notes"]] == [tea["id"]]
    assert "content: required" in await refused(session, "add_memory_note")


def test_each_line_on_stdout_is_one_message_whatever_is_stored_logged_or_sent(commands: Commands) -> None:
    hostile = "line\nbreak\r\nand\u2028separator\u2029 \x85 \x1b[31m 🍵 \x00"
    with wired(commands, PYTHONWARNINGS="always", PYTHONDEVMODE="1") as wire:
        wire.opened()
        assert len(wire.ask("tools/list")["tools"]) == 9
        note = wire.call("add_memory_note", content=hostile)["structuredContent"]
        assert note["content"] == hostile.replace("\x00", "")
        found = wire.call("search_memory_notes", context="line separator")["structuredContent"]["notes"]
        assert [each["content"] for each in found] == [note["content"]]
        assert wire.call("add_memory_note", content=" ")["isError"] is True
        wire.closed()
        assert "DEBUG" in wire.process.stderr
        assert "separator" not in wire.process.stderr.replace("line separator", "") or "DEBUG" in wire.process.stderr


def test_a_line_that_is_no_message_is_answered_and_the_session_goes_on(commands: Commands) -> None:
    with wired(commands, POSTGRES_URL=NOWHERE) as wire:
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
    with wired(commands) as wire:
        wire.opened()
        wire.send(
            '{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "add_memory_note", '
            '"arguments": {"content": "half \\ud83d smile, whole \\ud83d\\ude00"}}}'
        )
        assert wire.answer()["result"]["structuredContent"]["content"] == "half  smile, whole 😀"
        wire.closed()


def test_tools_are_listed_while_database_and_model_are_away_and_a_call_says_what_to_do(
    commands: Commands, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    away = {"POSTGRES_URL": NOWHERE, "EMBEDDING_MODEL": str(tmp_path / "empty"), "EMBEDDING_WAIT": "1s"}
    with wired(commands, **away) as wire:
        wire.opened()
        assert len(wire.ask("tools/list")["tools"]) == 9
        result = wire.call("search_memory_notes", context="anything")
        assert result["isError"] is True
        assert result["content"][0]["text"].endswith("try again in a moment")
        assert "postgres.url" in result["content"][0]["text"]
        wire.closed()


def test_a_store_of_another_model_is_told_with_every_call(commands: Commands) -> None:
    with wired(commands, EMBEDDING_DIMENSIONS="7") as wire:
        wire.opened()
        for _ in range(2):
            result = wire.call("search_memory_notes", context="anything")
            assert result["isError"] is True
            assert "embedding.dimensions" in result["content"][0]["text"]
        wire.closed()


def test_requests_sent_before_stdin_closes_are_still_answered(commands: Commands) -> None:
    note = {"name": "add_memory_note", "arguments": {"content": "piped", "enrichment": "queued"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": note},
    ]
    done = commands.run("stdio", stdin=b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    answers = {each["id"]: each for each in map(as_message, done.stdout.splitlines())}
    assert answers[2]["result"]["structuredContent"]["content"] == "piped"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_although_stdin_stays_open(commands: Commands, sign: signal.Signals) -> None:
    with wired(commands) as wire:
        wire.opened()
        os.kill(wire.process.pid, sign)
        waited(lambda: not wire.process.alive, seconds=END_SECONDS, told=lambda: wire.process.stderr)
        assert wire.process.process.returncode == 0


def test_the_process_ends_in_time_while_the_database_hangs(commands: Commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://127.0.0.1:{silent.getsockname()[1]}/silent"
        with wired(commands, POSTGRES_URL=address) as wire:
            wire.opened()
            wire.closed()


def test_the_last_one_out_stops_the_embedded_server(commands: Commands) -> None:
    # not below tmp_path: the account that PostgreSQL runs as could not pass through
    with tempfile.TemporaryDirectory(prefix="mb-test-", ignore_cleanup_errors=True) as folder:
        embedded = {"POSTGRES_URL": "", "MEMORY_BANK_DATA_DIR": folder}
        with wired(commands, **embedded) as first, wired(commands, **embedded) as second:
            note = first.opened().call("add_memory_note", content="shared", enrichment="queued")["structuredContent"]
            got = second.opened().call("get_memory_notes_by_ids", ids=[note["id"]])["structuredContent"]
            assert got["notes"][0]["content"] == "shared"
            first.closed()
            assert second.call("list_memory_notes")["structuredContent"]["total"] == 1
            assert postmaster(Path(folder)) is not None
            second.closed()
            assert postmaster(Path(folder)) is None
