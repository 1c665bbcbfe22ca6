"""Waiting for what happens in its own time, never longer than a bound."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable


async def eventually(condition: Callable[[], bool | Awaitable[bool]], *, seconds: float = 60) -> None:
    """Return as soon as `condition` holds; fail when it does not within `seconds`."""
    async with asyncio.timeout(seconds):
        while True:
            answer = condition()
            if await answer if inspect.isawaitable(answer) else answer:
                return
            await asyncio.sleep(0.05)
