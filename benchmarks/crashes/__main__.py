"""Kill server and PostgreSQL at random moments under load, and see that nothing acknowledged is lost or doubled.

Usage: python -m benchmarks.crashes [--rounds 50] [--seed N] [--clients 6] [--graph-dir FOLDER]

Each round: clients over REST, SSE and streamable HTTP write notes, batches, facts, relations, tasks, events, tags and
deletions; at a random moment SIGKILL ends the server, the PostgreSQL server, one of its backends, or both servers. Once
all is up again, every acknowledged write of all rounds must be there, once, with its terms and vectors, some must be
found by word and by meaning, and every fifth round the queue must run empty. Ends with 1 if anything does not hold.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.crashes import checks, load
from benchmarks.crashes.ledger import Ledger
from memory_bank.store import embedded
from tests.processes import Commands, Served, postmaster, waited

VICTIMS = ("server", "postgres", "backend", "both")
LONGEST_LOAD = 2.5
DRAIN_EVERY = 5
DRAIN_SECONDS = 240.0
READY_SECONDS = 120.0


@dataclass(frozen=True, kw_only=True)
class Store:
    """A data folder, and the commands that use it."""

    folder: Path
    commands: Commands


@dataclass(frozen=True, kw_only=True)
class Round:
    """What one round did and found."""

    victim: str
    after: float
    acknowledged: int
    refused: int
    recovery: float
    found: list[str]


def main() -> int:
    """Run the rounds and print a line for each; return 1 where something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--graph-dir", type=Path, help="the exported graph of the embedding model, else it is exported")
    given = parser.parse_args()
    # the clients' library reports each connection that a kill has cut
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    print(f"seed {given.seed}, {given.rounds} rounds, {given.clients} clients", flush=True)
    draw = random.Random(given.seed)
    ledger = Ledger(draw=random.Random(given.seed))
    with tempfile.TemporaryDirectory(prefix="mb-crash-", ignore_cleanup_errors=True) as folder:
        store = opened(Path(folder), given.graph_dir)
        outcomes = []
        for number, each in enumerate(rounds(store, ledger, draw, count=given.rounds, clients=given.clients), 1):
            outcomes.append(each)
            print(_line(number, each), flush=True)
    return _summed_up(outcomes, ledger)


def opened(folder: Path, graph_dir: Path | None) -> Store:
    """Return a new store in a folder."""
    environment = {"MEMORY_BANK_DATA_DIR": str(folder), "LOGGING_LEVEL": "warn"}
    if graph_dir is not None:
        environment["EMBEDDING_GRAPH_DIR"] = str(graph_dir)
    return Store(folder=folder, commands=Commands(folder=folder, environment=environment))


def rounds(
    store: Store, ledger: Ledger, draw: random.Random, *, count: int, clients: int, drain: bool = True
) -> Iterator[Round]:
    """Crash `count` times; every fifth time and the last one, the queue is to run empty if `drain`."""
    with contextlib.ExitStack() as running:
        served: Served | None = None
        # its own share of PostgreSQL lets the checks look in, and stops it in the end
        database = running.enter_context(embedded.running(store.folder))
        for number in range(1, count + 1):
            if served is None:
                served = _ready(running.enter_context(store.commands.serving()))
            drains = drain and (number % DRAIN_EVERY == 0 or number == count)
            outcome = asyncio.run(_one(store, served, database.url, ledger, draw, clients=clients))
            if not served.process.alive:
                served = None
            began = time.monotonic()
            if served is None:
                served = _ready(running.enter_context(store.commands.serving()))
            else:
                _ready(served)
            yield _checked(outcome, served, database.url, ledger, draw, drains=drains, began=began)


@dataclass(frozen=True, kw_only=True)
class _Crash:
    victim: str
    after: float
    acknowledged: int
    refused: int
    new: list[str]


async def _one(store: Store, served: Served, url: str, ledger: Ledger, draw: random.Random, *, clients: int) -> _Crash:
    victim, after = draw.choice(VICTIMS), draw.uniform(0.2, LONGEST_LOAD)
    before = (ledger.acknowledged, ledger.refused, set(ledger.notes))
    stop = asyncio.Event()
    writers = [
        asyncio.create_task(load.write(served.url, load.TRANSPORTS[n % len(load.TRANSPORTS)], ledger, stop))
        for n in range(clients)
    ]
    # the first answers show that all are at work
    async with asyncio.timeout(READY_SECONDS):
        while ledger.acknowledged == before[0]:  # noqa: ASYNC110 - the clients share a ledger, not an event
            await asyncio.sleep(0.01)
    await asyncio.sleep(after)
    _kill(store, served, victim, draw)
    # those who only lost the database go on: the server is to answer them again
    await asyncio.sleep(0.5)
    await load.stopped(writers, stop)
    return _Crash(
        victim=victim,
        after=after,
        acknowledged=ledger.acknowledged - before[0],
        refused=ledger.refused - before[1],
        new=[each for each in ledger.notes if each not in before[2]],
    )


def _kill(store: Store, served: Served, victim: str, draw: random.Random) -> None:
    found = postmaster(store.folder)
    match victim:
        case "server":
            served.process.kill()
        case "postgres":
            if found is not None:
                found.kill()
        case "backend":
            children = [] if found is None else [each for each in found.children() if "memory_bank" in _title(each)]
            if children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    draw.choice(children).kill()
        case _:
            if found is not None and draw.random() < 0.5:
                found.kill()
                served.process.kill()
            else:
                served.process.kill()
                if found is not None:
                    found.kill()


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _ready(served: Served) -> Served:
    waited(lambda: served.status("/ready") == 200, seconds=READY_SECONDS, told=lambda: served.process.stderr)
    return served


def _checked(
    crash: _Crash, served: Served, url: str, ledger: Ledger, draw: random.Random, *, drains: bool, began: float
) -> Round:
    recovery = time.monotonic() - began
    found = [*checks.violations(url, ledger), *checks.unfindable(served, ledger, draw, crash.new)]
    if drains:
        deadline = time.monotonic() + DRAIN_SECONDS
        while (left := checks.unfinished(url)) and time.monotonic() < deadline:
            time.sleep(0.5)
        if left:
            found.append(f"jobs did not finish within {DRAIN_SECONDS:.0f} s: {left}")
        found += checks.violations(url, ledger)
    return Round(
        victim=crash.victim,
        after=crash.after,
        acknowledged=crash.acknowledged,
        refused=crash.refused,
        recovery=recovery,
        found=found,
    )


def _line(number: int, each: Round) -> str:
    verdict = "ok" if not each.found else "; ".join(each.found[:5])
    return (
        f"{number:3}  {each.victim:8} killed after {each.after:4.2f} s  {each.acknowledged:4} acknowledged  "
        f"{each.refused:3} refused  ready again after {each.recovery:5.2f} s  {verdict}"
    )


def _summed_up(outcomes: list[Round], ledger: Ledger) -> int:
    bad = [each for each in outcomes if each.found]
    for victim in VICTIMS:
        own = [each for each in outcomes if each.victim == victim]
        print(f"{victim:8}  {len(own):3} rounds  {sum(bool(each.found) for each in own)} with violations")
    print(
        f"{len(outcomes)} rounds, {ledger.acknowledged} writes acknowledged ({len(ledger.notes)} notes), "
        f"{len(bad)} rounds with violations"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main())
