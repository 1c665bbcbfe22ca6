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
from typing import IO, Any, BinaryIO, cast

import anyio
import anyio.from_thread
import pydantic
from mcp import types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from memory_bank.interfaces.access import Owner
from memory_bank.interfaces.guards import BODY_LIMIT, cleaned
from memory_bank.interfaces.mcp import server, streams, wire
from memory_bank.interfaces.opening import Opening
from memory_bank.settings import Settings

logger = logging.getLogger(__name__)

# clients wait about five seconds for the process to end before they kill it
ANSWERING_SECONDS = 1.5
CLOSING_SECONDS = 3.0


class End(Enum):
    """Why serving ended."""

    CLIENT = auto()
    SIGNAL = auto()


async def serve(settings: Settings, outgoing: BinaryIO) -> End:
    """Answer one client through `outgoing` until it closes its end or a signal comes; all that was opened is closed.

    A configuration that the store refuses is told to the client with every call.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopped.set)
    async with Opening(settings, on_refused=lambda: None) as opening:
        serving = asyncio.create_task(_answer(opening, outgoing))
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
    with the answer it gets. Lone surrogates, which no parser behind takes, are cleaned out. The end of input is held
    back for a moment while requests are unanswered: the SDK gives them up when it comes.
    """

    def __init__(self, wire: BinaryIO, *, refuse: Callable[[types.JSONRPCError], None]) -> None:
        self._wire = wire
        self._refuse = refuse
        self._unanswered: set[types.RequestId] = set()
        self._answered = threading.Condition()

    def readline(self) -> str:
        """Wait for the next message and return its line; an empty one at the end of input."""
        while line := self._wire.readline():
            line = cleaned(line.decode(errors="replace").strip().encode())
            if not line:
                continue
            try:
                message = read(line)
            except Ignored as problem:
                logger.warning("A message of the client was ignored: %s", problem)
                continue
            except Refused as refused:
                self._refuse(refused.answer)
                continue
            if isinstance(message, types.JSONRPCRequest):
                with self._answered:
                    self._unanswered.add(message.id)
            return line.decode() + "\n"
        with self._answered:
            self._answered.wait_for(lambda: not self._unanswered, ANSWERING_SECONDS)
        return ""

    def answered(self, message: types.JSONRPCMessage) -> None:
        """Take note of a message that goes to the client."""
        if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)) and message.id is not None:
            with self._answered:
                self._unanswered.discard(message.id)
                self._answered.notify()


class Ignored(Exception):
    """A broken answer to a request of ours: its id is one of ours, and an error that names it would go astray."""


class Refused(Exception):
    """A line that is no message; carries its answer."""

    def __init__(self, code: int, problem: str, *, id: object = None) -> None:
        super().__init__(problem)
        known = id if isinstance(id, (int, str)) and not isinstance(id, bool) else None
        self.answer = types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=problem))


def read(line: bytes) -> types.JSONRPCMessage:
    """Return the JSON-RPC message that a line is; raises `Refused`, and `Ignored` where nothing may be answered."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        problem = "the line is no JSON; send one JSON-RPC message a line, in UTF-8"
        raise Refused(types.PARSE_ERROR, problem) from None
    fields = given if isinstance(given, dict) else {}
    try:
        message: types.JSONRPCMessage = types.jsonrpc_message_adapter.validate_python(given, by_name=False)
    except (pydantic.ValidationError, RecursionError):
        problem = "the line is no JSON-RPC 2.0 message; send an object with jsonrpc, id, method and params"
        if "method" not in fields and ("result" in fields or "error" in fields):
            raise Ignored(problem) from None
        raise Refused(types.INVALID_REQUEST, problem, id=fields.get("id")) from None
    if isinstance(message, types.JSONRPCNotification) and "id" in fields:
        raise Refused(types.INVALID_REQUEST, "the id of a request must be a whole number or text")
    if isinstance(message, types.JSONRPCRequest) and len(line) > BODY_LIMIT:
        problem = f"the message is larger than {BODY_LIMIT} bytes (4 MiB); send less at once"
        raise Refused(types.INVALID_REQUEST, problem, id=message.id)
    return message


class _Answers(streams.Around):
    """The stream to the client, which tells `lines` what goes through it."""

    def __init__(self, stream: Any, lines: Lines) -> None:
        super().__init__(stream)
        self._lines = lines

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        self._lines.answered(item.message)


async def _answer(opening: Opening, outgoing: BinaryIO) -> None:
    mcp = server.build(opening.settings, caller=lambda context: Owner(opening))

    def refuse(error: types.JSONRPCError) -> None:
        anyio.from_thread.run(sending.send, SessionMessage(error))

    lines = Lines(wire.incoming(), refuse=refuse)
    answers = io.TextIOWrapper(outgoing, encoding="utf-8", newline="\n")
    async with stdio_server(anyio.wrap_file(cast(IO[str], lines)), anyio.wrap_file(answers)) as (incoming, sending):
        await mcp.run(incoming, _Answers(sending, lines), mcp.create_initialization_options())


def _end_within(seconds: float) -> None:
    """End the process after this time, whatever hangs: everything in the store survives even that."""
    timer = threading.Timer(seconds, os._exit, [0])
    timer.daemon = True
    timer.start()
