"""Clients of the MCP SDK: connected for as long as the load lasts, and the calls that they make."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mcp import ClientSession

from benchmarks.crashes.ledger import Ledger
from benchmarks.load.workload import ADD, Operation
from tests.interfaces import live

SSE, STREAMABLE = live.TRANSPORTS
CONNECT_SECONDS = 60.0
LEAVE_SECONDS = 15.0
CALL_SECONDS = 60.0
# making a client reads certificates, which blocks this process: all at once they would time each other out
CONNECTING = 8


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call that was due at a moment, begun and ended at others, in seconds of the loop's clock.

    `error` says why there was no answer; it is empty where there was one.
    """

    tool: str
    transport: str
    due: float
    begun: float
    ended: float
    error: str = ""

    @property
    def seconds(self) -> float:
        """How long whoever was due to be answered had to wait."""
        return self.ended - self.due


@dataclass(frozen=True, kw_only=True)
class Client:
    """An open session."""

    transport: str
    session: ClientSession

    async def call(self, operation: Operation, ledger: Ledger, *, due: float | None = None) -> Call:
        """Make a call and return how it went; an acknowledged add is noted down in the ledger."""
        clock = asyncio.get_running_loop()
        begun = clock.time()
        error = ""
        try:
            async with asyncio.timeout(CALL_SECONDS):
                answer = await live.call(self.session, operation.tool, **operation.arguments)
            if operation.tool == ADD:
                ledger.notes[operation.text] = answer["id"]
        except TimeoutError:
            error = f"no answer within {CALL_SECONDS:.0f} s"
        # whatever ends a call is its outcome
        except Exception as problem:  # noqa: BLE001
            error = f"{type(problem).__name__}: {problem}".split("\n")[0]
        return Call(
            tool=operation.tool,
            transport=self.transport,
            due=begun if due is None else due,
            begun=begun,
            ended=clock.time(),
            error=error,
        )


@asynccontextmanager
async def connected(url: str, *, sse: int, http: int) -> AsyncIterator[list[Client]]:
    """Connect that many clients of each transport; yields them by turns. Leaving the block they leave, all at once."""
    transports = _by_turns([SSE] * sse, [STREAMABLE] * http)
    leave, door = asyncio.Event(), asyncio.Semaphore(CONNECTING)
    places = [asyncio.get_running_loop().create_future() for _ in transports]
    # a session must be left by the task that entered it
    holders = [
        asyncio.create_task(_held(url, transport, place, door, leave))
        for transport, place in zip(transports, places, strict=True)
    ]
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            clients = await asyncio.gather(*places)
        yield clients
    finally:
        leave.set()
        _, others = await asyncio.wait(holders, timeout=LEAVE_SECONDS)
        for each in others:
            each.cancel()
        await asyncio.gather(*holders, return_exceptions=True)


async def _held(
    url: str, transport: str, place: "asyncio.Future[Client]", door: asyncio.Semaphore, leave: asyncio.Event
) -> None:
    async with contextlib.AsyncExitStack() as opened:
        try:
            async with door:
                session = await opened.enter_async_context(live.connected(url, transport))
                # as agents do first; else the first call would, and count as slow
                await session.list_tools()
        except BaseException as error:
            if not place.done():
                place.set_exception(error)
            raise
        if not place.done():
            place.set_result(Client(transport=transport, session=session))
        await leave.wait()


def _by_turns(one: Sequence[str], other: Sequence[str]) -> list[str]:
    pairs = itertools.zip_longest(one, other)
    return [each for pair in pairs for each in pair if each is not None]
