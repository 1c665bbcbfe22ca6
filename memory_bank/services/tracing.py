"""The thread from a request to all that happens for it: who asked is told with every line of the log."""

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import uuid4

from memory_bank.domain import banks
from memory_bank.errors import InvalidInput

ID_LENGTH = 128
_WELL_FORMED = re.compile(rf"[A-Za-z0-9._:=+/@-]{{1,{ID_LENGTH}}}")


@dataclass(kw_only=True)
class Trace:
    """What is known of a request so far; it fills while the request goes through the rooms.

    A trace holds names of this product and of banks, never a caller's text.
    """

    request_id: str | None
    route: str | None = None
    tool: str | None = None
    bank: str | None = None

    def works_in(self, bank: str) -> None:
        """Note the bank, unless its name is none: what a caller made up does not belong into logs."""
        with contextlib.suppress(InvalidInput):
            self.bank = banks.checked_name(bank)


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current() -> Trace | None:
    """Return the trace of the request that this code runs for."""
    return _current.get()


def origin() -> str | None:
    """Return the id of the request that this code runs for, to be kept with work that is put off."""
    trace = _current.get()
    return None if trace is None else trace.request_id


@contextlib.contextmanager
def following(trace: Trace) -> Iterator[Trace]:
    """Let everything within the block, and the tasks that it starts, run for this request."""
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


@contextlib.contextmanager
def resuming(request_id: str | None, bank: str) -> Iterator[None]:
    """Let the block run for the request that put this work off, if one did."""
    trace = Trace(request_id=request_id)
    trace.works_in(bank)
    with following(trace):
        yield


def works_in(bank: str) -> None:
    """Note in the trace, if there is one, the bank that is worked in."""
    trace = _current.get()
    if trace is not None:
        trace.works_in(bank)


def request_id(given: str = "") -> str:
    """Return the id that a caller gave where it is well formed, else a new one.

    Well formed are 1 to `ID_LENGTH` letters and digits of ASCII and any of ``._:=+/@-``.
    """
    return given if _WELL_FORMED.fullmatch(given) else uuid4().hex
