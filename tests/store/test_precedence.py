"""Which transactions of one process begin first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from memory_bank.store import precedence
from memory_bank.store.precedence import OTHERS_SIDE_BY_SIDE, URGENT_SIDE_BY_SIDE, Precedence
from tests.waiting import eventually


class Going:
    """Transactions that begin as they may, and end when they are told to."""

    def __init__(self) -> None:
        self._precedence = Precedence()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ends: dict[str, asyncio.Event] = {}
        self.begun: list[str] = []

    async def come(self, *names: str) -> None:
        """Let transactions come, one after the other: `u…` of calls that go first; `f…` are such calls without one."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._go(name))
            await asyncio.sleep(0)

    async def end(self, *names: str) -> None:
        """End transactions, each once it has begun, and let those that may begin."""
        for name in names:
            await eventually(lambda name=name: name in self.begun)  # type: ignore[misc]
            self._ends[name].set()
            await self._tasks.pop(name)
        for _ in range(10):
            await asyncio.sleep(0)

    async def cancel(self, name: str) -> None:
        """Cut off the caller of one that waits or goes."""
        self._tasks[name].cancel()
        await asyncio.gather(self._tasks.pop(name), return_exceptions=True)

    async def all_gone(self) -> None:
        """End all that are left."""
        for end in self._ends.values():
            end.set()
        await asyncio.gather(*self._tasks.values())

    async def _go(self, name: str) -> None:
        async with AsyncExitStack() as entered:
            if name.startswith(("f", "u")):
                entered.enter_context(self._precedence.first())
            if not name.startswith("f"):
                await entered.enter_async_context(self._precedence.turn())
            self.begun.append(name)
            await self._ends[name].wait()


@asynccontextmanager
async def _going(monkeypatch: pytest.MonkeyPatch, *, patience: float) -> AsyncIterator[Going]:
    monkeypatch.setattr(precedence, "PATIENCE_SECONDS", patience)
    monkeypatch.setattr(precedence, "URGENT_PATIENCE_SECONDS", patience)
    monkeypatch.setattr(precedence, "STAND_BACK_SECONDS", patience)
    going = Going()
    yield going
    await going.all_gone()


@pytest.fixture
async def going(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Going]:
    async with _going(monkeypatch, patience=60) as opened:
        yield opened


@pytest.fixture
async def hurried(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Going]:
    async with _going(monkeypatch, patience=0.01) as opened:
        yield opened


async def test_others_stand_back_for_what_is_urgent_and_then_go_in_their_order(going: Going) -> None:
    await going.come("u1", "a", "b", "c", "u2")
    assert going.begun == ["u1", "u2"]
    await going.end("u1")
    assert going.begun == ["u1", "u2"]
    await going.end("u2")
    assert going.begun == ["u1", "u2", "a"]
    await going.end("a", "b")
    assert going.begun == ["u1", "u2", "a", "b", "c"]


async def test_others_stand_back_while_a_call_goes_first_and_what_is_urgent_does_not(going: Going) -> None:
    await going.come("f1", "a", "f2", "u1", "b")
    assert going.begun == ["f1", "f2", "u1"]
    await going.end("u1", "f1")
    assert going.begun == ["f1", "f2", "u1"]
    await going.end("f2")
    assert going.begun == ["f1", "f2", "u1", "a"]
    await going.end("a")
    assert going.begun[-1] == "b"


async def test_a_call_that_is_cut_off_holds_nobody_up(going: Going) -> None:
    await going.come("f", "a")
    await going.cancel("f")
    await eventually(lambda: going.begun == ["f", "a"])


async def test_a_call_goes_first_no_longer_than_its_time(going: Going, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precedence, "FIRST_SECONDS", 0.01)
    await going.come("f", "a")
    await eventually(lambda: going.begun == ["f", "a"])


async def test_what_is_urgent_waits_for_its_like_alone(going: Going) -> None:
    others = [f"a{n}" for n in range(OTHERS_SIDE_BY_SIDE)]
    urgent = [f"u{n}" for n in range(URGENT_SIDE_BY_SIDE)]
    await going.come(*others, *urgent, "u-late", "u-later")
    assert going.begun == [*others, *urgent]
    await going.end(urgent[1])
    assert going.begun[-1] == "u-late"
    await going.end("u-late")
    assert going.begun[-1] == "u-later"


async def test_nobody_waits_longer_than_their_patience(hurried: Going) -> None:
    urgent = [f"u{n}" for n in range(URGENT_SIDE_BY_SIDE + 2)]
    await hurried.come(*urgent, "a", "b", "c")
    await eventually(lambda: len(hurried.begun) == len(urgent) + 3)


async def test_others_wait_longer_for_what_goes_first_than_for_their_like(
    hurried: Going, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precedence, "STAND_BACK_SECONDS", 60)
    await hurried.come("a", "b")
    await eventually(lambda: hurried.begun == ["a", "b"])
    await hurried.come("f", "c")
    await asyncio.sleep(0.1)
    assert hurried.begun == ["a", "b", "f"]
    await hurried.end("f")
    await eventually(lambda: hurried.begun == ["a", "b", "f", "c"])


async def test_a_caller_who_is_cut_off_while_waiting_keeps_nobody_waiting(going: Going) -> None:
    await going.come("u", "a", "b", "c")
    await going.cancel("a")
    await going.cancel("u")
    await eventually(lambda: going.begun == ["u", "b"])
    await going.cancel("b")
    await eventually(lambda: going.begun == ["u", "b", "c"])
    await going.come("d")
    await going.end("c")
    assert going.begun == ["u", "b", "c", "d"]
