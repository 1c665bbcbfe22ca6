"""Which methods a path has: any other one is refused, and told all of them."""

from starlette.types import ASGIApp, Receive, Scope, Send

from memory_bank.interfaces import guards
from memory_bank.interfaces.requests import Routes


class MethodGuard:
    """Answers 405 with every method of the path in `Allow`.

    The router behind knows no path as a whole: it would name the methods of the first route alone, and hand
    `PATCH /notes/search` to the route that changes the note `search`.
    """

    def __init__(self, app: ASGIApp, *, routes: Routes) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 405."""
        methods = self._routes.methods(scope["path"]) if scope["type"] == "http" else None
        if not methods or scope["method"] in methods:
            await self._app(scope, receive, send)
            return
        allowed = ", ".join(sorted(methods))
        answer = guards.refusal(405, "refused", f"this path does not take {scope['method'][:20]}; use {allowed}")
        answer.headers["Allow"] = allowed
        await answer(scope, receive, send)
