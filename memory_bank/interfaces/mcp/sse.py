"""MCP over SSE: the stream of a session, the messages posted to it, and where their refusals are told."""

import contextlib
import json
import logging
import re
from collections.abc import Iterator
from typing import Any, Self

import anyio
from mcp import types
from mcp.server import Server
from mcp.server.sse import SseServerTransport
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_bank.interfaces import access, guards
from memory_bank.interfaces.mcp import streams

logger = logging.getLogger(__name__)

MESSAGES_PATH = "/mcp/messages"

_REMEDY = "open GET /sse and POST JSON-RPC messages to the address that it names"
# HostGuard stands before every door, so the SDK's own check behind it would only ask twice
CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
_TOLD_ON_THE_STREAM = frozenset({400, 413, 429, 503})
_HEAD_SIZE = 64 * 1024
_REFUSED_KEY = "memory_bank.refused"
_KEY = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_NEXT = re.compile(r"\s*[,}]")
_DECODER = json.JSONDecoder()


class Sessions:
    """Every SSE session of a server; one belongs to the caller that opened it."""

    def __init__(self, mcp: Server[Any]) -> None:
        self._mcp = mcp
        self._transport = SseServerTransport(
            MESSAGES_PATH, security_settings=CHECKED_BEFORE, max_request_body_size=guards.BODY_LIMIT
        )
        self.messages = Messages(self._transport.handle_post_message)

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session, and tell on its stream what its messages are answered until it ends."""
        async with self._transport.connect_sse(scope, receive, send) as (incoming, outgoing):
            async with anyio.create_task_group() as session:

                async def end_when_refused() -> None:
                    await access.caller(scope).until_refused()
                    session.cancel_scope.cancel()

                session.start_soon(end_when_refused)
                admitted = _Admitted(incoming, outgoing)
                await self._mcp.run(admitted, outgoing, self._mcp.create_initialization_options())
                session.cancel_scope.cancel()
            # ends the stream of a client that would listen on
            await outgoing.aclose()

    async def told(
        self, scope: Scope, message: bytes, refused: types.ErrorData, *, receive: Receive, send: Send
    ) -> bool:
        """Answer `message` on the stream of its session with why it was refused, and its POST with 202.

        Returns False, and sends nothing, where the session is gone or is another caller's.
        """
        accepted = False

        async def tell(answer: Message) -> None:
            nonlocal accepted
            accepted = accepted or (answer["type"] == "http.response.start" and answer["status"] < 400)
            if accepted:
                await send(answer)

        marked, given = guards.with_body({**scope, _REFUSED_KEY: refused}, message, receive)
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._transport.handle_post_message(marked, given, tell)
        if accepted:
            # the answer to the POST no longer tells it
            logger.info("Refused a message of a session.", extra={"error": (refused.data or {}).get("error")})
        return accepted


class Messages:
    """Hands messages to the SDK's `app`, and translates its refusals."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the message on; answer 4xx in JSON-RPC where the session is gone or the message is none."""
        refused: int | None = None
        words = b""

        async def told(message: Message) -> None:
            nonlocal refused, words
            if message["type"] == "http.response.start" and message["status"] >= 400:
                refused = message["status"]
            if refused is None:
                await send(message)
            else:
                words += message.get("body", b"")

        # a session that ended meanwhile: its message was accepted, and its client's stream has told it
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._app(scope, receive, told)
        if refused is not None:
            kind = "not_found" if refused == 404 else "invalid_input"
            problem = words.decode(errors="replace").lower()
            await guards.rpc_refusal(refused, kind, f"{problem}; {_REMEDY}")(scope, receive, send)


class RefusalsOnStream:
    """Tells on its session's stream why a message was refused, whichever guard or door behind refused it.

    There its client waits for the answer: many take a POST that fails for the end of the connection, and never answer
    the call. A refused notification is let go. Whoever shows no good token, or names no session of their own, is
    answered by the plain refusal; so is a message of which the beginning does not tell its id.
    """

    def __init__(self, app: ASGIApp, *, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the message on, and tell its refusal where it is waited for."""
        if scope["type"] != "http" or (scope["method"], scope["path"]) != ("POST", MESSAGES_PATH):
            await self._app(scope, receive, send)
            return
        head, answer = _Head(receive), _Answer(send)
        await self._app(scope, head.receive, answer.send)
        if not answer.held:
            return
        message = _without_arguments(await head.whole())
        if message is None or not await self._sessions.told(
            scope, message, answer.refused(), receive=receive, send=send
        ):
            await answer.release()


class _Head:
    """The beginning of a request's body, as far as it was received."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._body = bytearray()
        self._more = True

    async def receive(self) -> Message:
        message = await self._receive()
        self._body += message.get("body", b"")[: _HEAD_SIZE - len(self._body)]
        self._more = message["type"] == "http.request" and message.get("more_body", False)
        return message

    async def whole(self) -> str:
        """Receive what is missing of it, and return it."""
        while self._more and len(self._body) < _HEAD_SIZE:
            await self.receive()
        return self._body.decode(errors="replace")


class _Answer:
    """An answer that is held back where it is a refusal for the stream."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.held: list[Message] = []

    async def send(self, message: Message) -> None:
        if self.held or (message["type"] == "http.response.start" and message["status"] in _TOLD_ON_THE_STREAM):
            self.held.append(message)
        else:
            await self._send(message)

    async def release(self) -> None:
        for message in self.held:
            await self._send(message)

    def refused(self) -> types.ErrorData:
        """Return the error that it tells in JSON-RPC."""
        body = b"".join(message.get("body", b"") for message in self.held)
        return types.ErrorData.model_validate(json.loads(body)["error"])


class _Admitted(streams.Around):
    """What a session's client sends, without the messages that were refused: they are answered here."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        super().__init__(incoming)
        self._outgoing = outgoing

    @property
    def last_context(self) -> Any:
        return self._stream.last_context

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._stream.receive()
            refused = _refused(item)
            if refused is None:
                return item
            if isinstance(item, SessionMessage) and isinstance(item.message, types.JSONRPCRequest):
                answer = types.JSONRPCError(jsonrpc="2.0", id=item.message.id, error=refused)
                await self._outgoing.send(SessionMessage(answer))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


def _refused(item: SessionMessage | Exception) -> types.ErrorData | None:
    """Return why a guard refused the message, if one did."""
    metadata = item.metadata if isinstance(item, SessionMessage) else None
    request = metadata.request_context if isinstance(metadata, ServerMessageMetadata) else None
    found = request.scope.get(_REFUSED_KEY) if isinstance(request, Request) else None
    return found if isinstance(found, types.ErrorData) else None


def _without_arguments(head: str) -> bytes | None:
    """Return the request or notification that begins with `head`, but for its arguments; None where none can be told.

    What has no id is a notification only where nothing of it is missing: the id may come last.
    """
    try:
        json.loads(head)
        ended = True
    except (ValueError, RecursionError):
        ended = False
    members = dict(_members(head))
    if "method" not in members or not ("id" in members or ended):
        return None
    named = {"id": members["id"]} if "id" in members else {}
    return json.dumps({"jsonrpc": "2.0", **named, "method": members["method"]}).encode()


def _members(head: str) -> Iterator[tuple[str, object]]:
    """Yield the members of the JSON object that begins with `head`, up to the first that is cut or nested too deep."""
    place = 0
    while key := _KEY.match(head, place):
        try:
            value, place = _DECODER.raw_decode(head, key.end())
        except (ValueError, RecursionError):
            return
        if _NEXT.match(head, place):
            yield json.loads(key[1]), value
