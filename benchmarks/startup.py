"""Cold start and idle memory: `memory-bank stdio` to an answered initialize, `memory-bank serve` to /ready.

Usage: python -m benchmarks.startup [--rounds 5]

Every start is a new process on a data folder whose database and model graph exist; the start of a bare interpreter is
printed beside, as the measure of the machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from pathlib import Path

import psutil

PORT = 18_097
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


def main() -> None:
    """Measure and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="mb-bench-", ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "MEMORY_BANK_DATA_DIR": folder, "PORT": str(PORT), "LOGGING_LEVEL": "error"}
        first, _, _ = until_ready(environment, Path(folder))
        print(f"very first start of `serve`, database made and model exported: {first:.1f} s to /ready")
        bare = statistics.median(bare_start() for _ in range(rounds))
        print(f"bare interpreter: {bare:.2f} s")
        print(f"stdio to an answered initialize: {median(until_initialized(environment) for _ in range(rounds))}")
        served = [until_ready(environment, Path(folder)) for _ in range(rounds)]
        print(f"serve to /health: {median(health for _, health, _ in served)}")
        print(f"serve to /ready: {median(ready for ready, _, _ in served)}")
        print(f"memory of the idle server: {statistics.median(memory for _, _, memory in served):.0f} MiB")


def median(values: Iterable[float]) -> str:
    """Return the median and the range of seconds."""
    seconds = sorted(values)
    return f"median {statistics.median(seconds):.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f})"


def bare_start() -> float:
    """Return the seconds that an interpreter takes to start and end."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - started


def until_initialized(environment: dict[str, str]) -> float:
    """Start `stdio`, send initialize, and return the seconds until its answer."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "memory_bank", "stdio"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        elapsed = time.perf_counter() - started
        assert "result" in answer, answer
        process.stdin.close()
        process.wait(timeout=30)
    return elapsed


def until_ready(environment: dict[str, str], folder: Path) -> tuple[float, float, float]:
    """Start `serve`; return the seconds to /ready and to /health, and then its resident MiB; check it has no torch."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "memory_bank", "serve"], env=environment, stdout=subprocess.DEVNULL, cwd=folder
    ) as process:
        health = answered("/health", started)
        ready = answered("/ready", started)
        server = psutil.Process(process.pid)
        memory = server.memory_info().rss / 2**20
        libraries = [each.path for each in server.memory_maps() if "torch" in each.path]
        assert not libraries, libraries
        process.terminate()
        process.wait(timeout=30)
    return ready, health, memory


def answered(path: str, started: float) -> float:
    """Return the seconds since `started` when `path` answers 200."""
    while time.perf_counter() - started < 120:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=5) as response:
                if response.status == 200:
                    return time.perf_counter() - started
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.02)
    raise TimeoutError(path)


if __name__ == "__main__":
    main()
