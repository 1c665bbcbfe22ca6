"""`memory-bank` commands as processes of their own: started, asked, killed; every wait is bounded."""

import asyncio
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import psutil

CHECKOUT = Path(__file__).resolve().parents[1]
PATIENCE = 60.0
NOWHERE = "postgresql://127.0.0.1:9/nowhere"
CLOSING_SECONDS = 5.0
"""How long an editor waits for a server it started to end."""

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "HF_HOME", "HF_HUB_OFFLINE")


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        """What it wrote to stdout."""
        return self.stdout.decode()

    def json(self) -> Any:
        """Return the one JSON value that stdout is."""
        assert self.code == 0, self.stderr
        return json.loads(self.stdout)


class Process:
    """A running `memory-bank` command; leaving the block kills what still runs."""

    def __init__(self, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self._errors = (folder / f"stderr-{time.monotonic_ns()}").open("w+b")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memory_bank", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
            cwd=folder,
            env=_environment(environment),
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        for stream in (self.stdin, self.stdout, self._errors):
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    @property
    def stderr(self) -> str:
        """What it has written to stderr so far."""
        return Path(self._errors.name).read_text(errors="replace")

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.process.poll() is None

    def write(self, data: bytes) -> None:
        """Write to its stdin."""
        self.stdin.write(data)

    def line(self, *, seconds: float = PATIENCE) -> bytes:
        """Return its next line on stdout, without the line end."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self.stdout], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no line on stdout in time; stderr: {self.stderr[-3000:]}"
            piece = os.read(self.stdout.fileno(), 65_536)
            assert piece, f"stdout ended; stderr: {self.stderr[-3000:]}"
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def terminate(self) -> None:
        """Ask it to stop, as a service manager does."""
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a crash does; returns when it is gone."""
        if self.alive:
            self.process.kill()
        self.process.wait(PATIENCE)

    def ended(self, *, seconds: float = PATIENCE) -> Done:
        """Wait for its end and return it, with what was not yet read of stdout."""
        rest, _ = self.process.communicate(timeout=seconds)
        return Done(code=self.process.returncode, stdout=self._unread + (rest or b""), stderr=self.stderr)


class Wire:
    """A client that sees every byte: whatever comes that is no JSON-RPC message fails the test."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._last = 0

    def send(self, line: str) -> None:
        """Send one line."""
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
        done = self.process.ended(seconds=CLOSING_SECONDS)
        assert done.code == 0, done.stderr
        for line in done.stdout.splitlines():
            as_message(line)


def as_message(line: bytes) -> dict[str, Any]:
    """Return the JSON-RPC message that a line must be."""
    message = json.loads(line.decode())
    assert message["jsonrpc"] == "2.0", message
    assert set(message) <= {"jsonrpc", "id", "method", "params", "result", "error"}
    return dict(message)


@dataclass(frozen=True, kw_only=True)
class Commands:
    """Starts `memory-bank` commands in `folder` with these variables and no others of the caller's."""

    folder: Path
    environment: Mapping[str, str]

    @classmethod
    def on(cls, url: str, *, graph_dir: Path, folder: Path, **more: str) -> Self:
        """Return commands on this database, with the real embedding model and `more` variables."""
        named = {
            "POSTGRES_URL": url,
            "EMBEDDING_GRAPH_DIR": str(graph_dir),
            "MEMORY_BANK_DATA_DIR": str(folder / "data"),
        }
        return cls(folder=folder, environment={**named, **more})

    def start(self, *arguments: str, **more: str) -> Process:
        """Start a command; `more` are variables for it alone."""
        return Process(arguments, folder=self.folder, environment={**self.environment, **more})

    def run(self, *arguments: str, stdin: bytes = b"", **more: str) -> Done:
        """Run a command to its end."""
        done = subprocess.run(
            [sys.executable, "-m", "memory_bank", *arguments],
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            cwd=self.folder,
            env=_environment({**self.environment, **more}),
            check=False,
        )
        return Done(code=done.returncode, stdout=done.stdout, stderr=done.stderr.decode(errors="replace"))

    def run_all(self, commands: Sequence[Sequence[str]], **more: str) -> list[Done]:
        """Run several commands, two at a time; return their ends in order."""
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda arguments: self.run(*arguments, stdin=b"", **more), commands))

    @contextlib.contextmanager
    def wired(self, **more: str) -> Iterator[Wire]:
        """Run `stdio`, killed at the end of the block."""
        with self.start("stdio", **more) as process:
            yield Wire(process)

    @contextlib.contextmanager
    def serving(self, **more: str) -> Iterator["Served"]:
        """Run `serve` on a free port, killed at the end of the block."""
        with self.start("serve", **{"PORT": "0", **more}) as process:
            yield Served(process=process, url=process.line().decode().removeprefix("Memory Bank listens on "))


@dataclass(frozen=True, kw_only=True)
class Served:
    """A running `serve` and where it listens."""

    process: Process
    url: str

    def status(self, path: str) -> int:
        """Return the HTTP status of a path, 0 when nobody answers."""
        try:
            return httpx.get(f"{self.url}{path}", timeout=PATIENCE).status_code
        except httpx.TransportError:
            return 0

    def ready(self) -> "Served":
        """Wait until it is ready and return it."""
        waited(lambda: self.status("/ready") == 200, seconds=PATIENCE, told=lambda: self.process.stderr)
        return self

    def get(self, path: str, **query: str) -> Any:
        """Return the JSON of a GET that must succeed."""
        answer = httpx.get(f"{self.url}/api/v1{path}", params=query, timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """Return the JSON of a POST that must succeed."""
        answer = httpx.post(f"{self.url}/api/v1{path}", json=body, timeout=PATIENCE)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()


def waited(condition: Callable[[], bool], *, seconds: float = PATIENCE, told: Callable[[], str] = str) -> None:
    """Return as soon as `condition` holds; fail with what `told` says when it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not in time; {told()[-3000:]}"
        time.sleep(0.05)


def postmaster(data_dir: Path) -> psutil.Process | None:
    """Return the live PostgreSQL server of a data directory."""
    try:
        pid = int((data_dir / "postgres/cluster/postmaster.pid").read_text().split("\n", 1)[0])
        process = psutil.Process(pid)
        return process if process.is_running() and process.status() != psutil.STATUS_ZOMBIE else None
    except (FileNotFoundError, ValueError, psutil.Error):
        return None


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    return {**{name: os.environ[name] for name in _KEPT if name in os.environ}, "PYTHONPATH": str(CHECKOUT), **given}


async def killed_half_way(*command: str) -> None:
    """Run Python with these arguments until it writes that it is half way, and kill it there."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *command),
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE):
            assert await process.stdout.readline() == b"half way\n"
    finally:
        process.kill()
        await process.communicate()
