"""Work side by side: whichever part fails, none is left behind."""

import asyncio

import pytest

from memory_bank.services import together

PATIENCE = 30


async def goes_on(ended: list[bool]) -> int:
    for _ in range(10):
        await asyncio.sleep(0)
    ended.append(True)
    return 3


async def works(begun: asyncio.Event, cleaned: list[bool]) -> None:
    try:
        begun.set()
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        cleaned.append(True)


async def test_results_come_in_the_order_of_the_work() -> None:
    first_done = asyncio.Event()

    async def first() -> int:
        await first_done.wait()
        return 1

    async def second() -> str:
        first_done.set()
        return "two"

    async with asyncio.timeout(PATIENCE):
        assert await together.done(first(), second()) == (1, "two")


async def test_a_failure_is_raised_when_all_the_others_have_ended() -> None:
    ended: list[bool] = []

    async def fails() -> None:
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        await together.done(fails(), goes_on(ended))
    assert ended == [True]


async def test_a_cancelled_call_ends_all_of_them_first() -> None:
    begun, cleaned = asyncio.Event(), list[bool]()

    call = asyncio.create_task(together.done(works(begun, cleaned), works(begun, cleaned)))
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert cleaned == [True, True]


async def test_work_beside_a_block_ends_before_the_block_is_left_whatever_became_of_it() -> None:
    ended: list[bool] = []

    async with together.beside(goes_on(ended)) as task:
        assert not task.done()
        assert await task == 3
    with pytest.raises(ValueError, match="refused"):
        async with together.beside(goes_on(ended)):
            raise ValueError("refused")
    assert ended == [True, True]


async def test_a_cancelled_block_cancels_what_runs_beside_it() -> None:
    begun, cleaned = asyncio.Event(), list[bool]()

    async def block() -> None:
        async with together.beside(works(begun, cleaned)) as task:
            await task

    call = asyncio.create_task(block())
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert cleaned == [True]
