"""Which methods a path has: any other one is refused, and told all of them."""

from collections.abc import Iterable

from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from memory_bank.interfaces import guards


class MethodGuard:
    """Answers 405 with every method of the path in `Allow`.

    The router behind knows no path as a whole: it would name the methods of the first route alone, and hand
    `PATCH /notes/search` to the route that changes the note `search`.
    """

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        known = [route for route in routes if isinstance(route, Route)]
        self._patterns = {route.path: route.path_regex for route in known if "{" in route.path}
        self._methods: dict[str, frozenset[str] | None] = {}
        for route in known:
            before = self._methods.get(route.path, frozenset())
            # a route that names none takes all
            self._methods[route.path] = None if before is None or route.methods is None else before | route.methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 405."""
        methods = self._of(scope["path"]) if scope["type"] == "http" else None
        if not methods or scope["method"] in methods:
            await self._app(scope, receive, send)
            return
        allowed = ", ".join(sorted(methods))
        answer = guards.refusal(405, "refused", f"this path does not take {scope['method'][:20]}; use {allowed}")
        answer.headers["Allow"] = allowed
        await answer(scope, receive, send)

    def _of(self, path: str) -> frozenset[str] | None:
        if path in self._methods:
            return self._methods[path]
        return next((self._methods[known] for known, pattern in self._patterns.items() if pattern.match(path)), None)
