"""Who goes first in one process: searches, whose callers have nothing before they are answered.

Python runs one thing at a time, and each core embeds one text. Where every call takes its turn at each of its steps,
all are done late: the transactions of searches wait for their like to end, and others stand back while a search is
under way, from its first step to its last.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

URGENT_SIDE_BY_SIDE = 2
"""Urgent transactions side by side: one waits for PostgreSQL while the other is worked on."""

OTHERS_SIDE_BY_SIDE = 1
"""Others side by side: what is urgent may come at any moment, and then waits for a part of each that has begun."""

URGENT_PATIENCE_SECONDS = 0.5
PATIENCE_SECONDS = 0.05
"""How long one waits for its like at most, at each step anew: a slow one ahead must not hold up the others."""

STAND_BACK_SECONDS = 0.3
"""How long others wait at most for what goes first, at each step anew."""

FIRST_SECONDS = 1.0
"""How long others stand back for a call at most: it may wait for a model that is still loading."""


# Whether the call at work goes first: everything that is done for it is urgent, also what it does side by side.
_goes_first: ContextVar[bool] = ContextVar("goes_first", default=False)


@dataclass(kw_only=True)
class _Line:
    """Transactions of one kind: how many go on, and who waits, first come first served."""

    places: int
    patience: float
    going: int = 0
    waiting: deque["asyncio.Future[None]"] = field(default_factory=deque)


class Precedence:
    """Two lines of transactions; the others go only while nothing urgent goes or waits, and no call goes first."""

    def __init__(self) -> None:
        self._calls: set[object] = set()
        self._urgent = _Line(places=URGENT_SIDE_BY_SIDE, patience=URGENT_PATIENCE_SECONDS)
        self._others = _Line(places=OTHERS_SIDE_BY_SIDE, patience=PATIENCE_SECONDS)

    @contextmanager
    def first(self) -> Iterator[None]:
        """Let others stand back while the block lasts, though not beyond `FIRST_SECONDS`; its own turns are urgent."""
        call = object()
        self._calls.add(call)
        before = _goes_first.set(True)
        lapse = asyncio.get_running_loop().call_later(FIRST_SECONDS, self._over, call)
        try:
            yield
        finally:
            _goes_first.reset(before)
            lapse.cancel()
            self._over(call)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, though not for long, and have it while the block lasts."""
        line = self._urgent if _goes_first.get() else self._others
        if line.waiting or not self._may_go(line):
            await self._called(line)
        else:
            line.going += 1
        try:
            yield
        finally:
            line.going -= 1
            self._call()

    async def _called(self, line: _Line) -> None:
        """Wait to be called, though not for long; either way it counts as going then."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        line.waiting.append(turn)
        end = loop.time() + STAND_BACK_SECONDS
        try:
            await asyncio.wait([turn], timeout=line.patience)
            while not turn.done() and self._held_up(line) and loop.time() < end:
                await asyncio.wait([turn], timeout=line.patience)
        except asyncio.CancelledError:
            if turn.done():
                line.going -= 1
            else:
                line.waiting.remove(turn)
            self._call()
            raise
        if not turn.done():
            line.waiting.remove(turn)
            line.going += 1

    def _may_go(self, line: _Line) -> bool:
        return line.going < line.places and not self._held_up(line)

    def _held_up(self, line: _Line) -> bool:
        return line is self._others and bool(self._calls or self._urgent.going or self._urgent.waiting)

    def _over(self, call: object) -> None:
        self._calls.discard(call)
        self._call()

    def _call(self) -> None:
        """Call those who may go; they count as going from here, not from when they come to it."""
        for line in (self._urgent, self._others):
            while line.waiting and self._may_go(line):
                line.going += 1
                line.waiting.popleft().set_result(None)
