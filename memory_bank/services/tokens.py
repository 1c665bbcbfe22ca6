"""Access tokens: making, listing and ending them, and telling who a caller is."""

import asyncio
import base64
import secrets
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from memory_bank.domain import tokens
from memory_bank.domain.tokens import OWNER, Access, Authentication, Level, Presented, State, Token
from memory_bank.errors import NotFound, Unauthenticated
from memory_bank.services.clock import Clock
from memory_bank.store import tokens as rows
from memory_bank.store.database import Database

KNOWN_FOR = timedelta(seconds=5)
"""How long what was read of a token holds: a revocation is felt everywhere after at most this."""

USE_NOTED_EVERY = timedelta(minutes=1)
_KNOWN_LIMIT = 1_000
_HOW = "send the header `Authorization: Bearer TOKEN`; `memory-bank token create NAME` makes a token"


@dataclass(frozen=True, kw_only=True)
class Made:
    """A new token; `secret` is the whole of it, which is kept nowhere."""

    token: Token
    secret: str


class TokenService:
    """Tokens of the whole store."""

    def __init__(self, *, database: Database, clock: Clock, authentication: Authentication) -> None:
        self._database = database
        self._clock = clock
        self._authentication = authentication
        self._known: OrderedDict[bytes, tuple[datetime, Token]] = OrderedDict()
        self._any_made = False
        self._none_made_at: datetime | None = None
        self._asking = asyncio.Lock()

    async def create(
        self, name: str, *, banks: Collection[str] = (), level: Level = Level.WRITE, lifetime: timedelta | None = None
    ) -> Made:
        """Make a token, good for `banks` or for all where none is named, and for `lifetime` or for ever.

        Raises `InvalidInput`.
        """
        now = self._clock.now()
        lasting = tokens.checked_lifetime(lifetime)
        id_part = base64.b32encode(secrets.token_bytes(8)).decode().lower()[: tokens.ID_LENGTH]
        secret = tokens.written(id_part, secrets.token_urlsafe(tokens.SECRET_BYTES))
        presented = tokens.read(secret)
        assert presented is not None
        token = Token(
            id=uuid4(),
            name=tokens.checked_name(name),
            prefix=presented.prefix,
            banks=tokens.checked_banks(banks),
            level=level,
            created_at=now,
            expires_at=None if lasting is None else now + lasting,
        )
        async with self._database.whole_store() as tx:
            await rows.add(tx, token, presented.digest)
        self._any_made = True
        return Made(token=token, secret=secret)

    async def list(self) -> list[Token]:
        """Return every token, ended ones too, the oldest first."""
        async with self._database.whole_store() as tx:
            return await rows.every(tx)

    async def revoke(self, named: str) -> Token:
        """End a token by its id, its prefix or the whole of it, which is never told again; raises `NotFound`.

        Other processes feel it within `KNOWN_FOR`.
        """
        async with self._database.whole_store() as tx:
            token = await rows.revoke(tx, tokens.named(named), now=self._clock.now())
        if token is None:
            raise NotFound("no token has this id; `memory-bank token list` shows the ids")
        self._known.clear()
        return token

    async def active(self) -> bool:
        """Tell whether callers must show a token: by the setting, or since a first one was made.

        A revoked or expired token counts: ending the last one must not open the store to everybody.
        """
        match self._authentication:
            case Authentication.REQUIRED:
                return True
            case Authentication.OFF:
                return False
            case Authentication.AUTO:
                return await self._ever_made()

    async def authenticate(self, shown: str | None) -> Access:
        """Return what the bearer of a token may do; `shown` is None where the caller has none.

        Raises `Unauthenticated` where a token is needed and this one is not good.
        """
        if not await self.active():
            return OWNER
        if shown is None:
            raise Unauthenticated(f"a token is needed; {_HOW}")
        presented = tokens.read(shown)
        token = None if presented is None else await self._verified(presented)
        if token is None:
            raise Unauthenticated(f"this token is not known here; {_HOW}")
        if (state := token.state(self._clock.now())) is not State.ACTIVE:
            raise Unauthenticated(f"this token is {state}; {_HOW}")
        return Access(level=token.level, banks=token.banks, token=token.id)

    def last_known(self, shown: str | None) -> Access | None:
        """Return what this process last knew the bearer of a token to be allowed, without asking the store.

        For figures that must be had while the store is away. None where it never knew; a token that ended meanwhile by
        its own date is not known.
        """
        match self._authentication:
            case Authentication.OFF:
                return OWNER
            case Authentication.AUTO if not self._any_made and self._none_made_at is not None:
                return OWNER
        presented = None if shown is None else tokens.read(shown)
        known = None if presented is None else self._known.get(presented.digest)
        if known is None or known[1].state(self._clock.now()) is not State.ACTIVE:
            return None
        return Access(level=known[1].level, banks=known[1].banks, token=known[1].id)

    async def _ever_made(self) -> bool:
        if not self._any_made and not self._is_fresh(self._none_made_at):
            # the callers that come meanwhile wait for this answer instead of asking the same
            async with self._asking:
                if not self._any_made and not self._is_fresh(self._none_made_at):
                    async with self._database.whole_store() as tx:
                        self._any_made = await rows.any_made(tx)
                    self._none_made_at = self._clock.now()
        return self._any_made

    async def _verified(self, presented: Presented) -> Token | None:
        known = self._known.get(presented.digest)
        if known is not None and self._is_fresh(known[0]):
            return known[1]
        async with self._database.whole_store() as tx:
            stored = await rows.by_prefix(tx, presented.prefix)
            if stored is None or not tokens.same(stored.digest, presented.digest):
                return None
            now = self._clock.now()
            if stored.token.state(now) is State.ACTIVE:
                await rows.used(tx, stored.token.id, now=now, every=USE_NOTED_EVERY)
        self._known[presented.digest] = (now, stored.token)
        self._known.move_to_end(presented.digest)
        while len(self._known) > _KNOWN_LIMIT:
            self._known.popitem(last=False)
        return stored.token

    def _is_fresh(self, asked: datetime | None) -> bool:
        # a clock that was set back makes nothing last longer
        return asked is not None and timedelta() <= self._clock.now() - asked < KNOWN_FOR
