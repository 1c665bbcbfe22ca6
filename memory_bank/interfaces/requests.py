"""HTTP requests as they are observed: each with an id, a line in the log, and its place in the metrics."""

import logging
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mcp.server import ServerRequestContext
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_bank.services import tracing
from memory_bank.services.tracing import Trace

if TYPE_CHECKING:
    from memory_bank.interfaces.metrics import Prometheus

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
UNKNOWN = "unknown"
"""Stands for every path that is no route, and every method that is none of HTTP."""

PROBES = frozenset({"/health", "/ready", "/metrics"})
_STREAM = "/sse"
_DOORS = {"/sse": "sse", "/mcp/messages": "sse", "/mcp": "streamable", "/": "web", "/web/{name}": "web"}
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_GONE, _FAILED = 499, 500
_SCOPE_KEY = "memory_bank.trace"


class Routes:
    """Finds the route of a path, whatever the method and however the guards decide."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        known = [route for route in routes if isinstance(route, Route)]
        self._patterns = {route.path: route.path_regex for route in known if "{" in route.path}
        self._methods: dict[str, frozenset[str] | None] = {}
        for route in known:
            before = self._methods.get(route.path, frozenset())
            # a route that names none takes all
            self._methods[route.path] = None if before is None or route.methods is None else before | route.methods

    def template(self, path: str) -> str:
        """Return the path as the route writes it, with names in place of what callers choose; else `UNKNOWN`."""
        if path in self._methods:
            return path
        return next((template for template, pattern in self._patterns.items() if pattern.match(path)), UNKNOWN)

    def methods(self, path: str) -> frozenset[str] | None:
        """Return the methods that a path takes; None where it takes any, or is no route."""
        return self._methods.get(self.template(path))


class Observation:
    """Gives every request its id, which its answer tells, and counts, times and logs it.

    It stands before all guards, so that what they refuse is seen as well. Nothing of a path, a query or a body is kept
    but the name of the route.
    """

    def __init__(self, app: ASGIApp, *, metrics: "Prometheus", routes: Routes) -> None:
        self._app = app
        self._metrics = metrics
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and take note of its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        trace = Trace(
            request_id=tracing.request_id(Headers(scope=scope).get(HEADER, "")),
            route=self._routes.template(scope["path"]),
        )
        # into the very scope: what answers an unexpected error stands outside of this and finds the trace there
        scope[_SCOPE_KEY] = trace
        seen = _Seen(scope["method"], trace, self._metrics)

        async def observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[HEADER] = str(trace.request_id)
                seen.began(message["status"])
            await send(message)

        with tracing.following(trace), self._metrics.connected(str(trace.route)):
            try:
                await self._app(scope, receive, observed)
            except Exception:
                seen.status = seen.status or _FAILED
                raise
            finally:
                seen.ended()


class _Seen:
    """What was seen of one request."""

    def __init__(self, method: str, trace: Trace, metrics: "Prometheus") -> None:
        self._method = method if method in _METHODS else UNKNOWN
        self._trace = trace
        self._metrics = metrics
        self._begun = time.perf_counter()
        self._counted = False
        self.status: int | None = None

    def began(self, status: int) -> None:
        """Take note that the answer begins; a stream is counted now, as it may last for days."""
        self.status = status
        if self._trace.route == _STREAM:
            self._count(status)

    def ended(self) -> None:
        """Count the request unless that was done, and log it."""
        # nobody was answered: whoever asked has gone
        status = self.status or _GONE
        self._count(status)
        probed = self._trace.route in PROBES and status < 400
        logger.log(
            # asked every few seconds, as long as the server lives
            logging.DEBUG if probed else logging.INFO,
            "Answered a request.",
            extra={"method": self._method, "status": status, "milliseconds": round(self._seconds() * 1000, 1)},
        )

    def _count(self, status: int) -> None:
        if self._counted:
            return
        self._counted = True
        route = str(self._trace.route)
        self._metrics.answered(
            door=door(route), method=self._method, route=route, status=status, seconds=self._seconds()
        )

    def _seconds(self) -> float:
        return time.perf_counter() - self._begun


def door(route: str) -> str:
    """Return the name of the door that a route belongs to."""
    if route in PROBES:
        return "status"
    if route == UNKNOWN:
        return UNKNOWN
    return _DOORS.get(route, "rest")


def trace(scope: Scope) -> Trace | None:
    """Return the trace of an HTTP request, whatever task asks."""
    found = scope.get(_SCOPE_KEY)
    return found if isinstance(found, Trace) else None


def of_message(context: ServerRequestContext[Any]) -> Trace:
    """Return the trace of an MCP message: that of the HTTP request that brought it, or a new one."""
    request = context.request
    brought = trace(request.scope) if isinstance(request, Request) else None
    return brought or Trace(request_id=tracing.request_id())
