"""The real server on a free loopback port, with a store that is thrown away."""

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOM = Path(__file__).resolve().parents[1] / "build" / "conformance"
"""What outlives a run: the suite, and the exported model. Git ignores it."""

PATIENCE = 300.0
"""Seconds until the server is ready; the very first start exports the model."""

_LISTENS = "Memory Bank listens on "
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "HF_HOME", "HF_HUB_OFFLINE")


@dataclass(frozen=True, kw_only=True)
class Served:
    """A running server; `environment` reaches its store from the command line too."""

    url: str
    environment: Mapping[str, str]


@contextlib.contextmanager
def served(**settings: str) -> Iterator[Served]:
    """Serve while the block lasts, with these environment variables and none of the caller's own settings.

    Raises `RuntimeError` with the end of the server's log when it does not get ready.
    """
    with tempfile.TemporaryDirectory(prefix="memory-bank-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        # the account that runs PostgreSQL where this runs as root must pass through
        folder.chmod(0o711)
        data = folder / "data"
        data.mkdir(mode=0o711)
        # exported once, not in every run
        (ROOM / "models").mkdir(parents=True, exist_ok=True)
        (data / "models").symlink_to(ROOM / "models")
        environment = {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            "MEMORY_BANK_DATA_DIR": str(data),
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
            "LOGGING_LEVEL": "warn",
            **settings,
        }
        with (folder / "log").open("w+b") as log, _started(environment, folder, log) as process:
            try:
                url = _url(process)
                _wait_until_ready(url, process)
            except (TimeoutError, EOFError) as error:
                log.seek(0)
                told = log.read().decode(errors="replace")[-2_000:]
                raise RuntimeError(f"the server did not get ready: {error}\n{told}") from error
            yield Served(url=url, environment=environment)


def command(server: Served, *arguments: str) -> str:
    """Run a `memory-bank` command on the server's store and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "memory_bank", *arguments],
        env=dict(server.environment),
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE,
        text=True,
    )
    return done.stdout


@contextlib.contextmanager
def _started(environment: Mapping[str, str], folder: Path, log: IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "memory_bank", "serve"],
        env={**environment, "PORT": "0"},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _url(process: subprocess.Popen[str]) -> str:
    """Return the address that the server prints first; what it prints later is read away."""
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    printed = process.stdout

    def read() -> None:
        for line in printed:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, daemon=True).start()
    try:
        line = lines.get(timeout=PATIENCE)
    except queue.Empty:
        raise TimeoutError("it says nothing") from None
    if not line.startswith(_LISTENS):
        raise EOFError(line.strip() or "it ended")
    return line.removeprefix(_LISTENS).strip()


def _wait_until_ready(url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise EOFError("it ended")
        if _status(f"{url}/ready") in (200, 401):
            return
        time.sleep(0.2)
    raise TimeoutError("not in time")


def _status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return 0
