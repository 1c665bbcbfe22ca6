"""Messages to an SSE session: what the SDK refuses in plain words, told as JSON-RPC with what to do next."""

import contextlib

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_bank.interfaces import guards

_REMEDY = "open GET /sse and POST JSON-RPC messages to the address that it names"


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
