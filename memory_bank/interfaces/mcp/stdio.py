"""MCP over standard input and output."""

import asyncio
import io
import json
import logging
import os
import signal
import threading
from collections.abc import Callable
from enum import Enum, auto
from typing import IO, BinaryIO, cast

import anyio
import anyio.from_thread
import pydantic
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from memory_bank.bootstrap import Opening
from memory_bank.interfaces.guards import BODY_LIMIT, cleaned
from memory_bank.interfaces.mcp import server
from memory_bank.settings import Settings

logger = logging.getLogger(__name__)

CLOSING_SECONDS = 4.0
"""Clients wait five seconds for the process to end before they kill it."""


class End(Enum):
    """Why serving ended."""

    CLIENT = auto()
    SIGNAL = auto()


async def serve(settings: Settings) -> End:
    """Answer one client until it closes its end or a signal comes; everything opened is then closed.

    A configuration that the store refuses is told to the client with every call.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopped.set)
    async with Opening(settings, on_refused=lambda: None) as opening:
        serving = asyncio.create_task(_answer(opening))
        stopping = asyncio.create_task(stopped.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        _end_within(CLOSING_SECONDS)
    if serving.done():
        serving.result()
        return End.CLIENT
    return End.SIGNAL


class Lines:
    """The client's lines as the SDK reads them from a text file, one message each.

    The SDK drops a line that is no message without a word, and its client waits for ever: such a line goes to `refuse`
    with the answer it gets. Lone surrogates, which no parser behind takes, are cleaned out.
    """

    def __init__(self, wire: BinaryIO, *, refuse: Callable[[types.JSONRPCError], None]) -> None:
        self._wire = wire
        self._refuse = refuse

    def readline(self) -> str:
        """Wait for the next message and return its line; an empty one at the end of input."""
        while line := self._wire.readline():
            line = cleaned(line.decode(errors="replace").strip().encode())
            if not line:
                continue
            try:
                refusal = refused(line)
            except Ignored as problem:
                logger.warning("A message of the client was ignored: %s", problem)
                continue
            if refusal is None:
                return line.decode() + "\n"
            self._refuse(refusal)
        return ""


class Ignored(Exception):
    """A line that is neither a message nor a request for one."""


def refused(line: bytes) -> types.JSONRPCError | None:
    """Return the answer to a line that is no JSON-RPC message, None for one that is.

    Raises `Ignored` for a broken answer to a request of ours: its id is one of ours, and an error would go astray.
    """
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return _error(types.PARSE_ERROR, "the line is no JSON; send one JSON-RPC message a line, in UTF-8", id=None)
    if len(line) > BODY_LIMIT:
        problem = f"the message is larger than {BODY_LIMIT} bytes (4 MiB); send less at once"
    else:
        try:
            message = types.jsonrpc_message_adapter.validate_python(given, by_name=False)
        except (pydantic.ValidationError, RecursionError):
            problem = "the line is no JSON-RPC 2.0 message; send an object with jsonrpc, id, method and params"
        else:
            if not (isinstance(message, types.JSONRPCNotification) and "id" in given):
                return None
            problem = "the id of a request must be a whole number or text"
    id = given.get("id") if isinstance(given, dict) else None
    if isinstance(given, dict) and "method" not in given and ("result" in given or "error" in given):
        raise Ignored(problem)
    return _error(types.INVALID_REQUEST, problem, id=id if type(id) in (int, str) else None)


def _error(code: int, message: str, *, id: types.RequestId | None) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=id, error=types.ErrorData(code=code, message=message))


async def _answer(opening: Opening) -> None:
    mcp = server.build(opening)

    def refuse(error: types.JSONRPCError) -> None:
        anyio.from_thread.run(outgoing.send, SessionMessage(error))

    lines = anyio.wrap_file(cast(IO[str], Lines(_client(), refuse=refuse)))
    async with stdio_server(stdin=lines) as (incoming, outgoing):
        await mcp.run(incoming, outgoing, mcp.create_initialization_options())


def _client() -> BinaryIO:
    """Take standard input for the client alone: what else reads it in this process, or in a child, finds nothing."""
    try:
        private = os.dup(0)
    except OSError:
        return io.BytesIO()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return os.fdopen(private, "rb")


def _end_within(seconds: float) -> None:
    """End the process after this time, whatever hangs: everything in the store survives even that."""
    timer = threading.Timer(seconds, os._exit, [0])
    timer.daemon = True
    timer.start()
