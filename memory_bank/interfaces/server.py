"""The HTTP server: REST, MCP over SSE and over streamable HTTP, and the web page, on one port."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

import memory_bank
from memory_bank.domain.tokens import Authentication
from memory_bank.errors import ConfigurationError, StoreUnavailable
from memory_bank.interfaces import access
from memory_bank.interfaces.access import AccessGuard
from memory_bank.interfaces.guards import BODY_LIMIT, BodyGuard, Cors, HostGuard, RedactionNotice, SafeAnswers
from memory_bank.interfaces.mcp import server as mcp_server
from memory_bank.interfaces.mcp import sse
from memory_bank.interfaces.mcp.sse import RefusalsOnStream
from memory_bank.interfaces.methods import MethodGuard
from memory_bank.interfaces.metrics import Prometheus
from memory_bank.interfaces.opening import Opening
from memory_bank.interfaces.requests import Observation, Routes
from memory_bank.interfaces.rest import beliefs, errors, figures, notes, refusals, status
from memory_bank.interfaces.web import page
from memory_bank.settings import Settings

logger = logging.getLogger(__name__)

SSE_PATH = "/sse"
STREAMABLE_PATH = "/mcp"
SHUTDOWN_SECONDS = 3
KEEP_ALIVE_SECONDS = 75
"""Idle time of a connection: longer than clients (5 s) and proxies (60 s) keep one.

They close it then: closed from here, it might be gone just as their next request comes, which is lost.
"""


def build(opening: Opening, metrics: Prometheus) -> FastAPI:
    """Build the web application over an app that may still be opening."""
    mcp = mcp_server.build(opening.settings, caller=access.sender, metrics=metrics)
    sessions = sse.Sessions(mcp)
    streamable = mcp.streamable_http_app(
        streamable_http_path=STREAMABLE_PATH,
        # no session to lose: a restarted server, or the next replica, answers as well
        stateless_http=True,
        max_request_body_size=BODY_LIMIT,
        transport_security=sse.CHECKED_BEFORE,
    )

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    server = opening.settings.server
    routers = (status.router, figures.router, notes.router, beliefs.router, page.router)
    doors = [
        Route(SSE_PATH, endpoint=_Endpoint(sessions.stream), methods=["GET"]),
        Route(sse.MESSAGES_PATH, endpoint=_Endpoint(sessions.messages), methods=["POST"]),
        *streamable.routes,
    ]
    routes = Routes([*doors, *(route for router in routers for route in router.routes), *_described()])
    web = FastAPI(
        title="Memory Bank",
        version=memory_bank.__version__,
        description=memory_bank.__doc__ or "",
        lifespan=lifespan,
        middleware=[
            Middleware(Observation, metrics=metrics, routes=routes),
            Middleware(SafeAnswers),
            Middleware(HostGuard, hosts=server.allowed_hosts, origins=server.allowed_origins),
            Middleware(Cors, origins=server.allowed_origins),
            Middleware(RefusalsOnStream, sessions=sessions),
            Middleware(AccessGuard, opening=opening, rate_limit=server.rate_limit),
            Middleware(MethodGuard, routes=routes),
            Middleware(BodyGuard),
            Middleware(RedactionNotice),
        ],
        redirect_slashes=False,
    )
    web.state.opening = opening
    web.state.metrics = metrics
    web.router.routes.extend(doors)
    for router in routers:
        web.include_router(router)
    errors.install(web)
    refusals.describe(web, required=server.auth is Authentication.REQUIRED)
    return web


async def serve(settings: Settings, *, on_listening: Callable[[str], None]) -> None:
    """Listen until a signal stops the process; `on_listening` gets the server's URL once it answers.

    Raises `ConfigurationError` when the address is taken or the store refuses this configuration.
    """
    server: uvicorn.Server | None = None

    def refused() -> None:
        if server is not None:
            server.should_exit = True

    listener = None if _waits_for_tokens(settings) else bound(settings.server.host, settings.server.port)
    metrics = Prometheus()
    async with Opening(settings, on_refused=refused, metrics=metrics) as opening:
        if listener is None:
            await _require_tokens(opening)
            listener = bound(settings.server.host, settings.server.port)
        host, port = listener.getsockname()[:2]
        server = _AnnouncingServer(
            uvicorn.Config(
                build(opening, metrics),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
            ),
            announce=lambda: on_listening(_url(host, port)),
        )
        await server.serve(sockets=[listener])
        if opening.refusal is not None:
            raise opening.refusal


def _described() -> list[BaseRoute]:
    """Return the routes that FastAPI adds by itself."""
    return list(FastAPI().routes)


def _waits_for_tokens(settings: Settings) -> bool:
    """Tell whether there must be tokens before anything may listen: others than this machine could reach it."""
    server = settings.server
    return not (server.insecure or server.auth is Authentication.REQUIRED or server.is_local)


def surely_needs_tokens(settings: Settings) -> bool:
    """Tell whether every caller of a server that listens by these settings must show a token."""
    return settings.server.auth is Authentication.REQUIRED or _waits_for_tokens(settings)


async def _require_tokens(opening: Opening) -> None:
    """Wait for the store, however long it is away; raise `ConfigurationError` unless callers must show a token."""
    while True:
        with contextlib.suppress(StoreUnavailable):
            app = await opening.app()
            if await app.tokens.active():
                return
            raise ConfigurationError(
                f"refusing to listen on {opening.settings.server.host}, which others may reach, without tokens; "
                "make one with `memory-bank token create NAME`, or listen on 127.0.0.1 (server.host, HOST); "
                "--insecure (server.insecure, SERVER_INSECURE) lets everybody in"
            )
        await asyncio.sleep(1)


class _AnnouncingServer(uvicorn.Server):
    """Says when it listens, and leaves signals alone once it has stopped."""

    def __init__(self, config: uvicorn.Config, *, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn would raise the signal again after it stopped, which would end the process before the app is closed
        previous = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in previous.items():
                signal.signal(each, handler)


class _Endpoint:
    """An ASGI application as a route's endpoint: Starlette would call a bare function with a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to an address; raises `ConfigurationError` where it cannot be.

    What connects to it is answered at once: asyncio sends small pieces without waiting for more only where a socket
    names its protocol, and callers would wait 40 ms for the end of every answer.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise ConfigurationError(
            f"cannot listen on {host} port {port} ({error.strerror}); set server.port (PORT) or server.host (HOST)"
        ) from error
    return listener


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
