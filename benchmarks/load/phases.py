"""The parts of a measurement, in order: texts to begin with, one client, saturation, the long run, the stop."""

import asyncio
import contextlib
import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import httpx
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.load import clients, pace
from benchmarks.load.clients import Call, Client
from benchmarks.load.watching import Growth, Watch
from benchmarks.load.workload import Workload
from tests.interfaces import live
from tests.processes import Process, Served
from tests.waiting import eventually

QUIET_SECONDS = 180.0
LEFT_SECONDS = 15.0
STOP_SECONDS = 60.0
HANG_SECONDS = 15.0
CALLERS = (4, 16, 48)
"""How many clients at once are tried on the way to all of them."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """Calls a second that so many clients got answered, all calling without pause."""

    callers: int
    rate: float
    cores: Mapping[str, float]
    calls: Sequence[Call]


@dataclass(frozen=True, kw_only=True)
class Run:
    """The long run: its calls, the processor time of each party, and how memory grew."""

    rate: float
    seconds: float
    calls: Sequence[Call]
    cores: Mapping[str, float]
    server: Growth
    database: Growth


@dataclass(frozen=True, kw_only=True)
class Sessions:
    """Open connections and descriptors of the server before the clients came, with all of them, and after they left."""

    before: Mapping[str, float]
    during: Mapping[str, float]
    after: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Stop:
    """How a server ended that was asked to in the midst of the load.

    `seconds` from the signal to its end; `code` None where it had to be killed. Of the calls: those acknowledged after
    the signal, those that failed, and clients that still waited `HANG_SECONDS` after the end.
    """

    seconds: float
    code: int | None
    answered: int
    failed: int
    hanging: int
    early: Sequence[Call]
    """Calls that failed before the signal."""


async def begin(url: str, workload: Workload, *, notes: int) -> None:
    """Store the notes that searches begin with, and wait until they are enriched."""
    async with live.connected(url, clients.STREAMABLE) as session:
        for batch in workload.batches(notes):
            answer = await live.call(session, "add_memory_notes", notes=[{"content": each} for each in batch])
            for text, each in zip(batch, answer["results"], strict=True):
                workload.ledger.notes[text] = each["id"]
    await quiet(url)


async def quiet(url: str) -> None:
    """Wait until no job is left, so that what follows is not measured beside it."""

    async def nothing_left() -> bool:
        jobs = await _labelled(url, "memory_bank_queue_jobs", "state")
        return not jobs["waiting"] + jobs["running"]

    await eventually(nothing_left, seconds=QUIET_SECONDS)


async def unloaded(connected: Sequence[Client], workload: Workload, *, searches: int) -> list[Call]:
    """Search by one client of each transport, one query after the other while nothing else goes on."""
    calls = []
    firsts = {client.transport: client for client in reversed(connected)}
    for client in firsts.values():
        await pace.alone(client, workload, searches=5)
        calls += await pace.alone(client, workload, searches=searches)
    return calls


async def saturation(connected: Sequence[Client], workload: Workload, watch: Watch, *, seconds: float) -> list[Step]:
    """Let more and more clients call without pause, up to all of them."""
    steps = []
    for callers in [*(each for each in CALLERS if each < len(connected)), len(connected)]:
        before, start = watch.processor(), asyncio.get_running_loop().time()
        calls = await pace.without_pause(connected[:callers], workload, seconds=seconds)
        answered = [call for call in calls if not call.error]
        # those that were under way at the deadline count with the time they took
        took = max(call.ended for call in calls) - start
        steps.append(
            Step(
                callers=callers,
                rate=len(answered) / took,
                cores=watch.processor().since(before),
                calls=calls,
            )
        )
    return steps


async def run(connected: Sequence[Client], workload: Workload, watch: Watch, *, rate: float, seconds: float) -> Run:
    """Call at a rate for a long time."""
    before = watch.processor()
    async with watch.watching():
        calls = await pace.at_rate(connected, workload, rate=rate, seconds=seconds)
    window = min(60.0, seconds / 4)
    return Run(
        rate=rate,
        seconds=seconds,
        calls=calls,
        cores=watch.processor().since(before),
        server=watch.growth("server", window=window),
        database=watch.growth("database", window=window),
    )


async def sessions(url: str, watch: Watch) -> dict[str, float]:
    """Return how many connections of each transport the server says are open, and its open descriptors."""
    opened = await _labelled(url, "memory_bank_sessions_open", "transport")
    return {**opened, "descriptors": watch.descriptors()}


async def left(url: str, watch: Watch) -> dict[str, float]:
    """Return the same as soon as none is open, or what is still open after a while."""
    deadline = time.monotonic() + LEFT_SECONDS
    while True:
        found = await sessions(url, watch)
        if not found[clients.SSE] + found[clients.STREAMABLE] or time.monotonic() > deadline:
            return found
        await asyncio.sleep(0.25)


async def stop(served: Served, workload: Workload, *, sse: int, http: int, writes: int) -> Stop:
    """Let all clients call without pause, ask the server to stop after so many writes, and see how both sides end."""
    clock = asyncio.get_running_loop()
    async with clients.connected(served.url, sse=sse, http=http) as connected:
        enough = workload.ledger.acknowledged + writes
        cut = pace.until_cut(connected, workload)
        with contextlib.suppress(TimeoutError):
            await eventually(lambda: workload.ledger.acknowledged >= enough)
        signalled = clock.time()
        served.process.terminate()
        code = await asyncio.to_thread(_ended, served.process)
        took = clock.time() - signalled
        calls, hanging = await cut.ended(seconds=HANG_SECONDS)
    return Stop(
        seconds=took,
        code=code,
        answered=sum(1 for call in calls if not call.error and call.ended > signalled),
        failed=sum(1 for call in calls if call.error and call.ended > signalled),
        hanging=hanging,
        early=[call for call in calls if call.error and call.ended <= signalled],
    )


def complaints(log: str) -> list[str]:
    """Return what a server's log says at the levels of errors, or says in no form that it should."""
    found = []
    for line in log.splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            found.append(line)
            continue
        if told["level"] in ("error", "critical"):
            found.append(f"{told['logger']}: {told['message']} {told.get('exception', '')[-3000:]}".strip())
    return found


def _ended(process: Process) -> int | None:
    try:
        return process.ended(seconds=STOP_SECONDS).code
    except subprocess.TimeoutExpired:
        return None


async def _labelled(url: str, name: str, label: str) -> dict[str, float]:
    async with httpx.AsyncClient(timeout=clients.CALL_SECONDS) as client:
        answer = (await client.get(f"{url}/metrics")).raise_for_status()
    for family in text_string_to_metric_families(answer.text):
        if family.name == name:
            return {sample.labels[label]: sample.value for sample in family.samples}
    raise LookupError(f"/metrics has no {name}")
