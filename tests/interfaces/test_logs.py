"""Logs: a line for each event, with the request it belongs to, without secrets; as text and as JSON."""

import contextlib
import io
import json
import logging
import re
import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bootstrap import Parts
from memory_bank.interfaces.logs import LineFormatter, Masks, ObjectFormatter
from memory_bank.interfaces.requests import HEADER
from memory_bank.services import tracing
from memory_bank.services.tracing import Trace
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeEmbedder
from tests.interfaces import live
from tests.interfaces.live import TRANSPORTS, call, connected, refused
from tests.processes import PATIENCE, Commands, waited
from tests.waiting import eventually

PASSWORD = "p@ss%w/rd:#1?&'é"
API_KEY = "sk-fake-0a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D"
NO_MASKS = Masks([])
WELL_FORMED = ["a", "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "Root=1-67891233-abcdef012345678912345678", "x" * 128]
MALFORMED = ["", "x" * 129, "a b", 'a"b', "a;b", "é", "<b>", "a,b"]


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What this package logs from INFO on, as JSON lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ObjectFormatter(NO_MASKS))
    package = logging.getLogger("memory_bank")
    before = package.level
    package.addHandler(handler)
    package.setLevel(logging.INFO)
    yield stream
    package.removeHandler(handler)
    package.setLevel(before)


@pytest.fixture
async def client(server: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server) as opened:
        yield opened


def lines(stream: io.StringIO, message: str | None = None) -> list[dict[str, Any]]:
    every = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [each for each in every if message is None or each["message"] == message]


def record(message: str, *args: object, error: BaseException | None = None, **extra: object) -> logging.LogRecord:
    exc_info = None if error is None else (type(error), error, error.__traceback__)
    made = logging.LogRecord("memory_bank.some", logging.WARNING, __file__, 1, message, args, exc_info)
    vars(made).update(extra)
    return made


# What a line looks like.


def test_a_json_line_holds_time_level_logger_message_request_and_extra() -> None:
    trace = Trace(request_id="abc", route="/api/v1/notes", tool="recall", bank="team")
    with tracing.following(trace):
        line = ObjectFormatter(NO_MASKS).format(record("%d notes\nof two lines", 3, notes=3, folder=Path("/tmp")))
    assert "\n" not in line
    said = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", said.pop("time"))
    assert said == {
        "level": "warning",
        "logger": "memory_bank.some",
        "message": "3 notes\nof two lines",
        "notes": 3,
        "folder": "/tmp",
        "request_id": "abc",
        "bank": "team",
        "tool": "recall",
        "route": "/api/v1/notes",
    }


def test_a_text_line_ends_with_extra_and_tells_the_request_shortly() -> None:
    with tracing.following(Trace(request_id="0123456789abcdef", bank="team")):
        line = LineFormatter(NO_MASKS).format(record("Three notes.", notes=3))
    assert line.endswith("WARNING memory_bank.some: [01234567] Three notes. notes=3 bank=team")


def test_an_exception_is_a_field_of_the_json_line() -> None:
    try:
        raise ValueError("broken")
    except ValueError as error:
        said = json.loads(ObjectFormatter(NO_MASKS).format(record("It failed.", error=error)))
        text = LineFormatter(NO_MASKS).format(record("It failed.", error=error))
    assert said["message"] == "It failed."
    assert said["exception"].startswith("Traceback")
    assert said["exception"].endswith("ValueError: broken")
    assert "\nTraceback" in text


def test_the_row_that_postgresql_quotes_in_an_error_is_left_out() -> None:
    error = RuntimeError("violates check constraint\nDETAIL:  Failing row contains (1, secret thought).")
    for formatter in (ObjectFormatter(NO_MASKS), LineFormatter(NO_MASKS)):
        line = formatter.format(record("It failed.", error=error))
        assert "secret thought" not in line
        assert "violates check constraint" in line


@given(st.text())
def test_whatever_is_logged_a_json_line_is_one_line_and_extra_keeps_a_text_line_one(text: str) -> None:
    said = ObjectFormatter(NO_MASKS).format(record("%s", text, given=text))
    assert len(said.split("\n")) == 1
    assert json.loads(said)["given"] == text
    line = LineFormatter(NO_MASKS).format(record("A sentence.", given=text))
    assert len(line.split("\n")) == 1
    assert not re.search(r"[\x00-\x1f\x7f\x85\u2028\u2029]", line)


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ada:{PASSWORD}@db/x",
        "postgresql://ada:p%40ss%25w%2Frd%3A%231%3F%26%27%C3%A9@db/x",
        f"host=db password={PASSWORD} user=ada",
        repr(PASSWORD),
        json.dumps(PASSWORD, ensure_ascii=False),
        f"Authorization: Bearer {API_KEY}",
        "postgresql://ada:some-word@db/x",
        "host=db password=some-word user=ada",
        "host=db password='some-word' user=ada",
    ],
)
def test_secrets_are_masked_however_they_are_written(text: str) -> None:
    masks = Masks([PASSWORD, API_KEY])
    for formatter in (ObjectFormatter(masks), LineFormatter(masks)):
        line = formatter.format(record("Said: %s", text, said=text, error=RuntimeError(text)))
        for secret in (PASSWORD, API_KEY, "p%40ss", "some-word"):
            assert secret not in line
        assert "***" in line


def test_a_password_that_is_a_plain_word_blanks_out_no_sentence() -> None:
    line = LineFormatter(Masks(["memory-bank"])).format(record("Run `memory-bank worker`."))
    assert "Run `memory-bank worker`." in line


# Requests.


@pytest.mark.parametrize("given_id", WELL_FORMED)
async def test_a_well_formed_request_id_is_kept(client: httpx.AsyncClient, given_id: str) -> None:
    answer = await client.get("/health", headers={HEADER: given_id})
    assert answer.headers[HEADER] == given_id


@pytest.mark.parametrize("given_id", MALFORMED)
async def test_any_other_is_replaced(client: httpx.AsyncClient, given_id: str) -> None:
    answer = await client.get("/health", headers=[(HEADER.encode(), given_id.encode())])
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers[HEADER])


async def test_every_answer_has_an_id_whatever_becomes_of_the_request(client: httpx.AsyncClient) -> None:
    answers = [
        await client.get("/nothing"),
        await client.post("/api/v1/notes", json={}),
        await client.post("/api/v1/notes", content=b"x" * (4 * 1024 * 1024 + 1)),
        await client.get("/health", headers={"Host": "evil.example.com"}),
        await client.get("/health", headers={"Origin": "http://evil.example.com"}),
        await client.post("/mcp", content=b"{"),
    ]
    assert [each.status_code for each in answers][:5] == [404, 422, 413, 421, 403]
    assert len({each.headers[HEADER] for each in answers}) == len(answers)


async def test_an_unexpected_error_is_answered_logged_and_counted_with_its_id(
    loaded: Settings, analyst: FakeAnalyst, written: io.StringIO
) -> None:
    class Broken(FakeEmbedder):
        async def embed_documents(self, texts: Any) -> Any:
            raise RuntimeError("broken")

    async with (
        live.serving(loaded, Parts(embedder=Broken(), analyst=analyst)) as url,
        httpx.AsyncClient(base_url=url) as client,
    ):
        answer = await client.post("/api/v1/notes", json={"content": "green tea"}, headers={HEADER: "my-id"})
        assert answer.status_code == 500
        assert answer.headers[HEADER] == "my-id"
        figures = (await client.get("/metrics")).text
    assert 'route="/api/v1/notes",status="500"' in figures
    (line,) = lines(written, "A request failed unexpectedly.")
    assert (line["request_id"], line["route"], line["bank"]) == ("my-id", "/api/v1/notes", "default")
    assert line["exception"].endswith("RuntimeError: broken")
    assert "green tea" not in written.getvalue()
    (answered,) = [each for each in lines(written, "Answered a request.") if each["request_id"] == "my-id"]
    assert answered["status"] == 500


async def test_a_request_is_one_line_with_route_status_time_id_and_bank_and_no_text(
    client: httpx.AsyncClient, written: io.StringIO
) -> None:
    sent = {"content": "secret thought", "bank": "team"}
    added = await client.post("/api/v1/notes?no=secret", json=sent, headers={HEADER: "one"})
    assert added.status_code == 422
    id = (await client.post("/api/v1/notes", json=sent, headers={HEADER: "two"})).json()["id"]
    await client.get(f"/api/v1/notes/{id}", params={"bank": "team"}, headers={HEADER: "three"})
    found = {each["request_id"]: each for each in lines(written, "Answered a request.")}
    assert found["two"]["bank"] == "team"
    assert (found["two"]["method"], found["two"]["status"]) == ("POST", 201)
    assert found["two"]["milliseconds"] > 0
    assert (found["three"]["route"], found["three"]["bank"]) == ("/api/v1/notes/{id}", "team")
    assert "secret" not in written.getvalue()
    assert id not in "".join(json.dumps(each) for each in found.values())


async def test_probes_that_succeed_are_not_worth_a_line(client: httpx.AsyncClient, written: io.StringIO) -> None:
    for path in ("/health", "/metrics"):
        await client.get(path)
    assert lines(written, "Answered a request.") == []


async def test_a_bank_that_is_none_does_not_get_into_the_log(client: httpx.AsyncClient, written: io.StringIO) -> None:
    await client.post("/api/v1/notes", json={"content": "x", "bank": "Not a bank\nat all"})
    assert "Not a bank" not in written.getvalue()


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_tool_call_is_one_line_with_tool_bank_outcome_and_id(
    server: str, written: io.StringIO, transport: str
) -> None:
    async with connected(server, transport) as session:
        await call(session, "add_memory_note", content="secret thought", bank="team")
        await refused(session, "add_memory_note", content=" ", bank="team")
        await refused(session, "no_such_tool")
    well, badly, unknown = lines(written, "Answered a tool call.")
    assert (well["tool"], well["bank"], well["outcome"]) == ("add_memory_note", "team", "ok")
    assert well["milliseconds"] > 0
    assert (badly["outcome"], badly["error"]) == ("refused", "InvalidInput")
    assert (unknown["tool"], unknown["outcome"]) == ("unknown", "refused")
    assert len({each["request_id"] for each in (well, badly, unknown)}) == 3
    assert "secret thought" not in written.getvalue()
    assert "no_such_tool" not in written.getvalue()


async def test_work_that_was_put_off_tells_the_request_that_asked_for_it(
    client: httpx.AsyncClient, analyst: FakeAnalyst, written: io.StringIO
) -> None:
    analyst.failure = RuntimeError("broken")
    sent = {"notes": [{"content": "green tea"}], "bank": "team"}
    await client.post("/api/v1/notes/batch", json=sent, headers={HEADER: "origin"})
    failed = "Enrichment of a note failed."
    await eventually(lambda: bool(lines(written, failed)))
    line = lines(written, failed)[0]
    assert (line["request_id"], line["bank"]) == ("origin", "team")


# Whole processes.


class Refusing:
    """A PostgreSQL that asks for a password and refuses every one."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.asked = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._refuse, args=(connection,), daemon=True).start()

    def _refuse(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(PATIENCE)
            while (code := self._startup(connection)) in (80877103, 80877104):  # TLS or GSSAPI are asked for first
                connection.sendall(b"N")
            if code != 196608 and code >> 16 != 3:
                return
            connection.sendall(b"R" + struct.pack("!ii", 8, 3))
            connection.recv(4096)
            self.asked += 1
            fields = b'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "ada"\0\0'
            connection.sendall(b"E" + struct.pack("!i", len(fields) + 4) + fields)

    @staticmethod
    def _startup(connection: socket.socket) -> int:
        length, code = struct.unpack("!ii", connection.recv(8))
        if length > 8:
            connection.recv(length - 8)
        return int(code)


@pytest.fixture
def refusing() -> Iterator[Refusing]:
    server = Refusing()
    yield server
    server.close()


@pytest.mark.parametrize("form", ["text", "json"])
def test_neither_password_nor_key_is_ever_written(
    refusing: Refusing, graph_dir: Path, tmp_path: Path, form: str
) -> None:
    commands = Commands(
        folder=tmp_path,
        environment={
            "POSTGRES_URL": f"postgresql://127.0.0.1:{refusing.port}/memories",
            "POSTGRES_USERNAME": "ada",
            "POSTGRES_PASSWORD": PASSWORD,
            "OPENAI_API_KEY": API_KEY,
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_TIMEOUT": "2s",
            "EMBEDDING_GRAPH_DIR": str(graph_dir),
            "MEMORY_BANK_DATA_DIR": str(tmp_path / "data"),
            "LOGGING_LEVEL": "debug",
            "LOGGING_FORMAT": form,
            "PORT": "0",
        },
    )
    expected = {"text": [["add", "a thought"]], "json": [["serve"], ["doctor", "--online"]]}[form]
    ended = commands.run_all(expected)
    assert [each.code for each in ended] == {"text": [2], "json": [2, 1]}[form]
    assert refusing.asked > 0
    for done in ended:
        for secret in (PASSWORD, API_KEY, "p%40ss", API_KEY[8:], json.dumps(PASSWORD)[1:-1]):
            assert secret not in done.text
            assert secret not in done.stderr
        if form == "json":
            for line in done.stderr.splitlines():
                assert isinstance(json.loads(line), dict), line
    assert "postgres.password" in ended[0].stderr
    assert "Traceback" not in "".join(each.text for each in ended)


def test_a_server_that_logs_json_writes_nothing_else_and_stdout_of_stdio_stays_json_rpc(
    url: str, graph_dir: Path, tmp_path: Path
) -> None:
    commands = Commands.on(url, graph_dir=graph_dir, folder=tmp_path, LOGGING_LEVEL="debug", LOGGING_FORMAT="json")
    with commands.serving() as served:
        served.ready()
        served.post("/notes", {"content": "a secret thought about tea"})
        served.post("/notes/search", {"context": "a secret question about tea"})
        httpx.post(f"{served.url}/mcp", content=b"no json", timeout=PATIENCE)
        waited(lambda: "/api/v1/notes/search" in served.process.stderr)
        served.process.terminate()
        done = served.process.ended()
    assert done.code == 0, done.stderr
    with commands.wired() as wire:
        wire.opened()
        assert wire.call("search_memory_notes", context="a secret question about tea")["structuredContent"]["notes"]
        wire.closed()
        told = wire.process.stderr
    for written in (done.stderr, told):
        said = [json.loads(line) for line in written.splitlines()]
        assert said
        loud = [each for each in said if each["level"] not in ("debug", "trace")]
        assert "secret" not in json.dumps(loud)
    (line,) = [each for each in map(json.loads, told.splitlines()) if each["message"] == "Answered a tool call."]
    assert (line["tool"], line["bank"], line["outcome"]) == ("search_memory_notes", "default", "ok")
