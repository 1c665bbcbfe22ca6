"""What the load costs: memory and processor time of the server, of its PostgreSQL, and of the clients themselves."""

import asyncio
import contextlib
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psutil

SAMPLE_SECONDS = 1.0
# asking for private memory walks through all of it
DATABASE_SAMPLES = 5


@dataclass(frozen=True, kw_only=True)
class Processor:
    """Processor seconds used so far, `at` a moment."""

    at: float
    clients: float
    server: float
    database: float
    machine: float

    def since(self, earlier: "Processor") -> dict[str, float]:
        """Return how many cores each used on average; `others` are processes that have nothing to do with it."""
        elapsed = max(self.at - earlier.at, 1e-9)
        used = {
            name: (getattr(self, name) - getattr(earlier, name)) / elapsed
            for name in ("clients", "server", "database", "machine")
        }
        machine = used.pop("machine")
        return {**used, "others": max(0.0, machine - sum(used.values()))}


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Bytes `at` a moment: resident ones of the server, and those that PostgreSQL's processes share with nobody."""

    at: float
    server: int
    database: int


@dataclass(frozen=True, kw_only=True)
class Growth:
    """MiB near the beginning and at the end of a time, medians of windows of `seconds`."""

    seconds: float
    before: float
    after: float

    @property
    def share(self) -> float:
        """By how much it grew: 0.05 is five percent."""
        return self.after / self.before - 1


class Watch:
    """Looks at the server and its PostgreSQL."""

    def __init__(self, server: int, database: psutil.Process) -> None:
        self._server = psutil.Process(server)
        self._database = database
        self.memory: list[Memory] = []

    def processor(self) -> Processor:
        """Return the processor time used so far."""
        machine = psutil.cpu_times()
        return Processor(
            at=time.monotonic(),
            clients=_used(psutil.Process()),
            server=_used(self._server),
            database=_used(self._database) + sum(map(_used, _children(self._database))),
            machine=sum(machine) - machine.idle - getattr(machine, "iowait", 0.0) - getattr(machine, "guest", 0.0),
        )

    def descriptors(self) -> int:
        """Return how many files and sockets the server holds open."""
        return int(self._server.num_fds())

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Take samples of memory while the block lasts."""
        self.memory.clear()
        task = asyncio.create_task(self._keep_sampling())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def growth(self, of: str, *, window: float) -> Growth:
        """Return how `server` or `database` grew from the first window to the last."""
        start, end = self.memory[0].at, self.memory[-1].at
        first = [getattr(each, of) for each in self.memory if each.at <= start + window]
        last = [getattr(each, of) for each in self.memory if each.at >= end - window]
        return Growth(seconds=window, before=_mebibytes(first), after=_mebibytes(last))

    async def _keep_sampling(self) -> None:
        private = 0
        for number in range(10**9):
            if number % DATABASE_SAMPLES == 0:
                private = await asyncio.to_thread(self._private)
            resident = self._server.memory_info().rss
            self.memory.append(Memory(at=time.monotonic(), server=resident, database=private))
            await asyncio.sleep(SAMPLE_SECONDS)

    def _private(self) -> int:
        return sum(map(_private, [self._database, *_children(self._database)]))


def _used(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system + times.children_user + times.children_system)
    return 0.0


def _private(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.NoSuchProcess):
        return int(process.memory_full_info().uss)
    return 0


def _children(process: psutil.Process) -> list[psutil.Process]:
    return list(process.children(recursive=True))


def _mebibytes(values: Sequence[int]) -> float:
    return statistics.median(values) / 2**20
