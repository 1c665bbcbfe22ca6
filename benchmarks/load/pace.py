"""How fast the clients call: one at a time, all without pause, or at a rate that does not wait for answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.load.clients import Call, Client
from benchmarks.load.workload import Workload


async def alone(client: Client, workload: Workload, *, searches: int) -> list[Call]:
    """Search, one query after the other."""
    return [await client.call(workload.search(), workload.ledger) for _ in range(searches)]


async def without_pause(clients: Sequence[Client], workload: Workload, *, seconds: float) -> list[Call]:
    """Let every client make its next call as soon as the one before has ended, for some seconds."""
    clock = asyncio.get_running_loop()
    deadline = clock.time() + seconds

    async def one(client: Client) -> list[Call]:
        calls = []
        while clock.time() < deadline:
            calls.append(await client.call(workload.next(), workload.ledger))
            if calls[-1].error:
                # a dead session fails at once, and would fail thousands of times
                await asyncio.sleep(0.1)
        return calls

    return [call for calls in await asyncio.gather(*map(one, clients)) for call in calls]


async def at_rate(clients: Sequence[Client], workload: Workload, *, rate: float, seconds: float) -> list[Call]:
    """Make `rate` calls a second at moments drawn beforehand, whether or not earlier ones were answered.

    A call counts from the moment it was due: what waits behind a stalled server is not left out.
    """
    clock = asyncio.get_running_loop()
    start = due = clock.time()
    calls: list[asyncio.Task[Call]] = []
    async with asyncio.TaskGroup() as group:
        while (due := due + workload.gap(rate)) < start + seconds:
            await asyncio.sleep(max(0.0, due - clock.time()))
            client = clients[len(calls) % len(clients)]
            calls.append(group.create_task(client.call(workload.next(), workload.ledger, due=due)))
    return [call.result() for call in calls]


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Clients whose server goes away: those that call, and the last call of each that has ended."""

    callers: Sequence["asyncio.Task[list[Call]]"]

    async def ended(self, *, seconds: float) -> tuple[list[Call], int]:
        """Wait for the callers; return all their calls, and how many clients still wait for an answer."""
        finished, hanging = await asyncio.wait(self.callers, timeout=seconds)
        for each in hanging:
            each.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        return [call for each in finished for call in each.result()], len(hanging)


def until_cut(clients: Sequence[Client], workload: Workload) -> Cut:
    """Let every client call without pause until the first call that fails."""

    async def one(client: Client) -> list[Call]:
        calls = [await client.call(workload.next(), workload.ledger)]
        while not calls[-1].error:
            calls.append(await client.call(workload.next(), workload.ledger))
        return calls

    return Cut(callers=[asyncio.create_task(one(client)) for client in clients])
