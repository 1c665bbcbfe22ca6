"""Who may call: a bearer token before every HTTP door, and what each operation takes of it."""

import asyncio
import contextlib
import logging
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from memory_bank.domain import tokens
from memory_bank.domain.tokens import OWNER, Access
from memory_bank.errors import Forbidden, MemoryBankError, StoreUnavailable, Unauthenticated
from memory_bank.interfaces import guards, rates
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.arguments import InBank
from memory_bank.interfaces.opening import Opening
from memory_bank.services import tracing

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

logger = logging.getLogger(__name__)

AskedT = TypeVar("AskedT", bound=InBank)
AnswerT = TypeVar("AnswerT", bound=Answer)

RECHECK_SECONDS = 2.0
"""How often a stream that stays open asks whether its token is still good."""

OPEN_PATHS = frozenset({"/health", "/"})
"""Open to everybody: whether the process lives, and the page, which holds no memories and asks for a token."""

_OPEN_FOLDER = "/web/"
_SELF_GUARDED = frozenset({"/ready", "/metrics"})
_BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE | re.ASCII)
_SCOPE_KEY = "memory_bank.caller"


class Caller:
    """Whoever asks for operations: the bearer of a token, or somebody without one."""

    def __init__(self, opening: Opening, *, shown: str | None) -> None:
        self._opening = opening
        self._shown = shown

    async def access(self) -> Access:
        """Return what the caller may do now; raises `Unauthenticated`, and `StoreUnavailable` while none can tell."""
        app = await self._opening.app()
        return await app.tokens.authenticate(self._shown)

    async def last_access(self) -> Access | None:
        """Return what the caller was last known to be allowed; None where nothing is known of it."""
        app = await self._opening.app()
        return app.tokens.last_known(self._shown)

    async def run(self, operation: "Callable[[App, AskedT], Awaitable[AnswerT]]", asked: AskedT) -> AnswerT:
        """Run an operation if the caller may do what it takes in the bank that it names; else raise `Forbidden`."""
        (await self.access()).require(asked.needs(), asked.bank)
        tracing.works_in(asked.bank)
        return await operation(await self._opening.app(), asked)

    async def until_refused(self) -> None:
        """Return once the caller's token is no longer good."""
        while True:
            await asyncio.sleep(RECHECK_SECONDS)
            try:
                await self.access()
            except Unauthenticated:
                return
            except MemoryBankError as error:
                logger.debug("Could not tell whether an open stream's token is still good: %s", error)

    @property
    def user(self) -> AuthenticatedUser | None:
        """The caller as the MCP SDK sees it, which keeps every session to the user that opened it."""
        if self._shown is None:
            return None
        return AuthenticatedUser(AccessToken(token="", client_id=tokens.digest(self._shown).hex(), scopes=[]))


class Owner(Caller):
    """Whoever started the process: no token is needed."""

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening, shown=None)

    async def access(self) -> Access:
        """Return that everything is allowed."""
        return OWNER


class AccessGuard:
    """Lets nobody without a good token past, where tokens are needed, and nobody who calls too often.

    `/ready` and `/metrics` answer their callers themselves. While the store is away nobody can tell whether a token is
    good: callers of MCP come through, to be greeted and told about tools; each call that they make is checked again.
    """

    def __init__(self, app: ASGIApp, *, opening: Opening, rate_limit: int) -> None:
        self._app = app
        self._opening = opening
        self._rates = rates.Rates(rate_limit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its caller, or answer 401, 429 or 503."""
        if scope["type"] != "http" or _is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        who = Caller(self._opening, shown=_shown(scope))
        # into the very scope: what tells a session why its message was refused stands outside of this
        scope[_SCOPE_KEY] = who
        if who.user is not None:
            scope["user"] = who.user
        refused = await self._refused(scope, who)
        await (self._app if refused is None else refused)(scope, receive, send)

    async def _refused(self, scope: Scope, who: Caller) -> ASGIApp | None:
        address = (scope.get("client") or ("",))[0]
        key, refused = rates.of_address(address), None
        if scope["path"] not in _SELF_GUARDED and not (
            scope["path"] in guards.MCP_PATHS and self._opening.problem is not None
        ):
            try:
                access = await who.access()
                key = key if access.token is None else str(access.token)
            except MemoryBankError as error:
                refused = error
        if seconds := self._rates.taken(key):
            message = f"too many calls; try again in {seconds} s, or raise server.rate-limit (SERVER_RATE_LIMIT)"
            return guards.refusal_at(scope, 429, "too_many_calls", message, {"Retry-After": str(seconds)})
        match refused:
            case None:
                return None
            case Unauthenticated():
                return guards.refusal_at(scope, 401, "unauthenticated", str(refused), guards.CHALLENGE)
            case StoreUnavailable() if scope["path"] in guards.MCP_PATHS:
                return None
            case _:
                return guards.refusal_at(scope, 503, "unavailable", str(refused))


def caller(scope: Scope) -> Caller:
    """Return who sent a request that came past `AccessGuard`; raises `Forbidden` for any other."""
    found = scope.get(_SCOPE_KEY)
    if not isinstance(found, Caller):
        raise Forbidden("this request came past the guard that tells who sent it; report this as a fault")
    return found


def sender(context: ServerRequestContext[Any]) -> Caller:
    """Return who sent an MCP message over HTTP."""
    request = context.request
    return caller(request.scope if isinstance(request, Request) else {})


async def is_known(who: Caller) -> bool:
    """Tell whether the caller needs no token or shows a good one; false too while nobody can tell."""
    with contextlib.suppress(Unauthenticated, StoreUnavailable):
        await who.access()
        return True
    return False


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith(_OPEN_FOLDER)


def _shown(scope: Scope) -> str | None:
    """Return the token in the header; several headers, or another scheme, count as a token that is no good."""
    given = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
    if not given:
        return None
    match = _BEARER.fullmatch(given[0].decode("latin-1").strip()) if len(given) == 1 else None
    return "" if match is None else match[1]
