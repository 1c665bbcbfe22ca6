"""Work of one call that is done side by side."""

import asyncio
from collections.abc import Coroutine
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
