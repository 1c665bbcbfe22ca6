"""Work of one call that is done side by side."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar, overload

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@overload
async def done(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B], /) -> tuple[A, B]: ...


@overload
async def done(
    first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B], third: Coroutine[Any, Any, C], /
) -> tuple[A, B, C]: ...


@overload
async def done(*work: Coroutine[Any, Any, A]) -> tuple[A, ...]: ...


async def done(*work: Coroutine[Any, Any, Any]) -> tuple[Any, ...]:
    """Run coroutines side by side and return their results; raise the first failure, in their order.

    None of them outlives the call, whichever fails and also when it is cancelled: a task that is left behind keeps a
    connection that nobody gives back.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return tuple(results)


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, A]) -> AsyncIterator[asyncio.Task[A]]:
    """Run `work` beside the block, which awaits the task that it is given.

    The task does not outlive the block, for the same reason; it is cancelled only where the block is.
    """
    task = asyncio.create_task(work)
    try:
        yield task
    except asyncio.CancelledError:
        task.cancel()
        raise
    finally:
        await asyncio.gather(task, return_exceptions=True)
