"""Guards in front of every HTTP door: who may call, and how much may come in."""

import ipaddress
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_bank.domain import text
from memory_bank.services import redaction

REDACTED = b"x-memory-bank-redacted"
BODY_LIMIT = 4 * 1024 * 1024
MCP_PATHS = frozenset({"/sse", "/mcp", "/mcp/messages"})
CHALLENGE: Mapping[str, str] = {"WWW-Authenticate": 'Bearer realm="memory-bank"'}
"""What an answer 401 says about how to be let in."""

_ASKED_HEADERS = (
    *("Authorization", "Content-Type", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-ID", "X-Request-ID"),
)
_SHOWN_HEADERS = ("Mcp-Session-Id", "WWW-Authenticate", "Retry-After", "X-Memory-Bank-Redacted", "X-Request-ID")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_RPC_REFUSED = -32001
_EVERYWHERE = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


class HostGuard:
    """Refuses requests that a web page elsewhere could have sent (DNS rebinding, cross-site requests).

    A Host must be a loopback name, an IP address (no page can make a name of its own resolve to one) or listed;
    an Origin must be a loopback one, the Host itself, or listed.
    """

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], origins: Sequence[str]) -> None:
        self._app = app
        # a name without a port is good for every port
        self._hosts = frozenset(host.lower().removesuffix(":*") for host in hosts)
        self._origins = re.compile(_any_of(origins))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 421 or 403."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host, origin = headers.get("host", "").lower(), headers.get("origin", "").lower().rstrip("/")
            if not self._knows_host(host):
                message = "unknown Host header; add the name to server.allowed-hosts (SERVER_ALLOWED_HOSTS)"
                await refusal(421, "forbidden", message)(scope, receive, send)
                return
            if origin and not self._knows_origin(origin, host):
                message = "unknown Origin; add it to server.allowed-origins (SERVER_ALLOWED_ORIGINS)"
                await refusal(403, "forbidden", message)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _knows_host(self, host: str) -> bool:
        name = _name(f"//{host}")
        if host in self._hosts or name in self._hosts or name in _LOOPBACK_NAMES:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _knows_origin(self, origin: str, host: str) -> bool:
        return (
            bool(self._origins.fullmatch(origin))
            or _name(origin) in _LOOPBACK_NAMES
            or origin.partition("://")[2] == host
        )


class Cors(CORSMiddleware):
    """Lets the pages of the listed origins call and read the answers, errors too; there is no listing all of them.

    The question that a browser asks beforehand comes without a token and is answered here.
    """

    def __init__(self, app: ASGIApp, *, origins: Sequence[str]) -> None:
        super().__init__(
            app,
            allow_origin_regex=_any_of(origins),
            allow_methods=_METHODS,
            allow_headers=_ASKED_HEADERS,
            expose_headers=_SHOWN_HEADERS,
        )


class SafeAnswers:
    """Forbids browsers to guess what an answer is, to show it in a frame, and to tell others its address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to its answer unless it has its own."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _EVERYWHERE.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, safely)


class BodyGuard:
    """Refuses bodies over `BODY_LIMIT` bytes, and cleans lone surrogates out of JSON, which no parser behind takes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its whole body, or answer 413."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        body = await _read(scope, receive)
        if body is None:
            message = f"the request body is larger than {BODY_LIMIT} bytes (4 MiB); send less at once"
            await refusal_at(scope, 413, "invalid_input", message)(scope, receive, send)
            return
        scope, receive = with_body(scope, cleaned(body), receive)
        await self._app(scope, receive, send)


class RedactionNotice:
    """Names in a header of the answer the kinds of secrets that were taken out of the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the header where something was redacted."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with redaction.noticing() as kinds:

            async def tell(message: Message) -> None:
                if message["type"] == "http.response.start" and kinds:
                    message = {**message, "headers": [*message["headers"], (REDACTED, ", ".join(kinds).encode())]}
                await send(message)

            await self._app(scope, receive, tell)


def refusal(status: int, error: str, message: str, *, field: str | None = None) -> JSONResponse:
    """Return the JSON that every HTTP error answers: its kind, what to do, and the field that is wrong, if any."""
    named = {} if field is None else {"field": field}
    return JSONResponse({"error": error, "message": message, **named}, status_code=status)


def rpc_refusal(status: int, error: str, message: str) -> JSONResponse:
    """Return the same for a caller of MCP, who reads JSON-RPC."""
    told = {"code": _RPC_REFUSED, "message": message, "data": {"error": error}}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status_code=status)


def refusal_at(
    scope: Scope, status: int, error: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return a refusal as the callers of this path read it."""
    answer = (rpc_refusal if scope["path"] in MCP_PATHS else refusal)(status, error, message)
    answer.headers.update(headers or {})
    return answer


def with_body(scope: Scope, body: bytes, receive: Receive) -> tuple[Scope, Receive]:
    """Return a request that holds `body` instead of its own; `receive` tells what comes after it."""
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}, replay


def cleaned(body: bytes) -> bytes:
    """Return a JSON body without lone surrogates; anything else unchanged."""
    if not _SURROGATE_ESCAPE.search(body):
        return body
    try:
        return json.dumps(_cleaned(json.loads(body))).encode()
    except (ValueError, RecursionError):
        return body


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return text.storable(value)
        case list():
            return [_cleaned(each) for each in value]
        case dict():
            return {text.storable(key): _cleaned(each) for key, each in value.items()}
        case _:
            return value


async def _read(scope: Scope, receive: Receive) -> bytes | None:
    declared = Headers(scope=scope).get("content-length", "")
    if declared.isdecimal() and int(declared) > BODY_LIMIT:
        return None
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY_LIMIT:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(body)


def _any_of(origins: Iterable[str]) -> str:
    """Return the pattern that these origins meet, and no other; `:*` stands for any port or none."""
    patterns = (re.escape(origin.lower().rstrip("/")) for origin in origins)
    return "|".join(pattern.replace(r":\*", r"(?::\d{1,5})?") for pattern in patterns) or r"(?!)"


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""
