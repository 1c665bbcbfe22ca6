"""A server under many clients: are all answered, is nothing lost, does memory stay flat, does it stop in time?

Usage: python -m benchmarks.load [--minutes 5] [--sse 50] [--http 50] [--rate CALLS_A_SECOND] [--adds 0.3] [--json]

A real `memory-bank serve` with its embedded PostgreSQL and embedding model, in a folder that is thrown away, and
clients of the MCP SDK in one process of their own:

1. Notes to begin with, until all are enriched.
2. One client of each transport searches alone: the unloaded delay.
3. More and more clients call without pause, up to all: the highest rate of answers is saturation.
4. For --minutes all clients call at half of it (or at --rate), at moments drawn beforehand; a call's delay counts from
   the moment it was due, so that what waits behind a stall is not left out.
5. All leave and come back, call without pause, and the server gets SIGTERM; then it starts again, and every
   acknowledged write must be there, once, whole.

Memory is compared between the first minute and the last of 4, that is after the warm-up of 2 and 3. Ends with 1 where a
requirement is missed, and names it.
"""

import argparse
import asyncio
import gc
import logging
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.crashes import checks
from benchmarks.load import clients, phases, report
from benchmarks.load.clients import Call
from benchmarks.load.phases import Run, Sessions, Step, Stop
from benchmarks.load.report import Found
from benchmarks.load.watching import Watch
from benchmarks.load.workload import Workload
from memory_bank.store import embedded
from tests.processes import Commands, Served, postmaster, waited

READY_SECONDS = 180.0
SATURATION_SECONDS = 20.0
WRITES_BEFORE_STOP = 50


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is to be measured; no `rate` takes half of saturation."""

    minutes: float
    sse: int
    http: int
    rate: float | None
    notes: int

    @property
    def seconds(self) -> float:
        """How long the long run takes."""
        return 60 * self.minutes

    @property
    def step_seconds(self) -> float:
        """How long each step on the way to saturation takes."""
        return min(SATURATION_SECONDS, self.seconds / 5)

    @property
    def searches(self) -> int:
        """How many searches of each transport tell the unloaded delay."""
        return 200 if self.minutes >= 1 else 50


@dataclass(frozen=True, kw_only=True)
class _Loaded:
    alone: list[Call]
    steps: list[Step]
    run: Run
    sessions: Sessions
    stop: Stop


def main() -> int:
    """Measure, print, and return 1 where a requirement is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0, help="length of the long run")
    parser.add_argument("--sse", type=int, default=50, help="clients over SSE")
    parser.add_argument("--http", type=int, default=50, help="clients over streamable HTTP")
    parser.add_argument("--rate", type=float, help="calls a second of the long run, instead of half of saturation")
    parser.add_argument("--adds", type=float, default=0.3, help="share of adds among the calls")
    parser.add_argument("--notes", type=int, default=1000, help="notes to begin with")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--graph-dir", type=Path, help="the exported graph of the embedding model, else it is exported")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    if given.minutes <= 0 or given.sse < 0 or given.http < 0 or not given.sse + given.http or not 0 < given.adds <= 1:
        parser.error("needs a time, at least one client, and a share of adds between 0 and 1")
    # the clients' library reports each connection that the stop has cut
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    asked = Asked(minutes=given.minutes, sse=given.sse, http=given.http, rate=given.rate, notes=given.notes)
    workload = Workload(seed=given.seed, adds=given.adds)
    with tempfile.TemporaryDirectory(prefix="mb-load-", ignore_cleanup_errors=True) as folder:
        found = measured(Path(folder), asked, workload, graph_dir=given.graph_dir)
    print(report.as_json(found) if given.json else report.table(found))
    missed = [each.name for each in report.requirements(found) if not each.met]
    if missed:
        say(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


def measured(folder: Path, asked: Asked, workload: Workload, *, graph_dir: Path | None) -> Found:
    """Measure a server on a new store in `folder`."""
    environment = {"MEMORY_BANK_DATA_DIR": str(folder), "LOGGING_LEVEL": "warn", "LOGGING_FORMAT": "json"}
    if graph_dir is not None:
        environment["EMBEDDING_GRAPH_DIR"] = str(graph_dir)
    commands = Commands(folder=folder, environment=environment)
    try:
        with commands.serving() as served:
            ready(served)
            loaded = asyncio.run(_loaded(served, folder, asked, workload))
            complaints = phases.complaints(served.process.stderr)
    finally:
        # whatever became of the server: the last share that is given back stops its PostgreSQL
        with embedded.running(folder):
            pass
    say("starting again, and looking for every acknowledged write")
    with embedded.running(folder) as database, commands.serving() as served:
        ready(served)
        violations = list(checks.violations(database.url, workload.ledger))
    return Found(
        alone=loaded.alone,
        steps=loaded.steps,
        run=loaded.run,
        sessions=loaded.sessions,
        stop=loaded.stop,
        violations=violations,
        acknowledged=workload.ledger.acknowledged,
        complaints=complaints,
    )


async def _loaded(served: Served, folder: Path, asked: Asked, workload: Workload) -> _Loaded:
    database = postmaster(folder)
    assert database is not None
    watch = Watch(served.process.pid, database)
    say(f"storing {asked.notes} notes to begin with")
    await phases.begin(served.url, workload, notes=asked.notes)
    before = await phases.sessions(served.url, watch)
    say(f"connecting {asked.sse} clients over SSE and {asked.http} over streamable HTTP")
    async with clients.connected(served.url, sse=asked.sse, http=asked.http) as connected:
        # what stays is not looked through again: a pause of the clients would count as the server's
        gc.freeze()
        during = await phases.sessions(served.url, watch)
        alone = await phases.unloaded(connected, workload, searches=asked.searches)
        steps: list[Step] = []
        if asked.rate is None:
            say("looking for saturation")
            steps = await phases.saturation(connected, workload, watch, seconds=asked.step_seconds)
        rate = asked.rate or max(step.rate for step in steps) / 2
        await phases.quiet(served.url)
        say(f"{rate:.1f} calls a second for {asked.seconds:.0f} s")
        run = await phases.run(connected, workload, watch, rate=rate, seconds=asked.seconds)
    sessions = Sessions(before=before, during=during, after=await phases.left(served.url, watch))
    say("stopping the server under all clients")
    stop = await phases.stop(served, workload, sse=asked.sse, http=asked.http, writes=WRITES_BEFORE_STOP)
    return _Loaded(alone=alone, steps=steps, run=run, sessions=sessions, stop=stop)


def ready(served: Served) -> None:
    """Wait until a server is ready."""
    waited(lambda: served.status("/ready") == 200, seconds=READY_SECONDS, told=lambda: served.process.stderr)


def say(sentence: str) -> None:
    """Tell on stderr how far it is."""
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
