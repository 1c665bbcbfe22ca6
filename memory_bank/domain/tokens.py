"""Access tokens: what one looks like, and what its bearer may do."""

import hashlib
import hmac
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import banks
from memory_bank.errors import Forbidden, InvalidInput

ID_LENGTH = 12
SECRET_BYTES = 32
NAME_LENGTH = 100
BANKS_LIMIT = 100
LONGEST_LIFETIME = timedelta(days=36_500)
_BEGINNING = re.compile(r"(mb_[a-z2-7]{12})_", re.ASCII)
_WRITTEN = re.compile(_BEGINNING.pattern + r"([A-Za-z0-9_-]{43})", re.ASCII)


class Level(StrEnum):
    """What a bearer may do; each level includes those before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, needed: "Level") -> bool:
        """Tell whether this level includes `needed`."""
        order = list(Level)
        return order.index(self) >= order.index(needed)


class Authentication(StrEnum):
    """When a token must be shown: once one was made, always, or never."""

    AUTO = "auto"
    REQUIRED = "required"
    OFF = "off"


class State(StrEnum):
    """Whether a token is good."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, kw_only=True)
class Presented:
    """A token as a caller shows it: its public prefix, and the digest of the whole."""

    prefix: str
    digest: bytes


@dataclass(frozen=True, kw_only=True)
class Token:
    """A token as it is kept, without its secret. `banks` is None where it is good for every bank."""

    id: UUID
    name: str
    prefix: str
    banks: tuple[str, ...] | None
    level: Level
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def state(self, now: datetime) -> State:
        """Return whether it is good at `now`."""
        if self.revoked_at is not None:
            return State.REVOKED
        if self.expires_at is not None and self.expires_at <= now:
            return State.EXPIRED
        return State.ACTIVE


@dataclass(frozen=True, kw_only=True)
class Access:
    """What a caller may do. `banks` is None where it may work in every bank, `token` where none was needed."""

    level: Level
    banks: tuple[str, ...] | None = None
    token: UUID | None = None

    def allows(self, needed: Level, bank: str) -> bool:
        """Tell whether the caller may do in `bank` what takes the level `needed`."""
        return self.level.covers(needed) and (self.banks is None or bank in self.banks)

    def require(self, needed: Level, bank: str) -> None:
        """Raise `Forbidden`, naming what the token is good for, unless the caller may do it.

        What is said does not depend on whether the bank exists.
        """
        if self.allows(needed, bank):
            return
        if not self.level.covers(needed):
            raise Forbidden(f"this token may {self.level}; use one made with --level {needed}")
        raise Forbidden(
            f"this token is good for other banks; name one of them in `bank`: {', '.join(self.banks or ())}"
        )


OWNER = Access(level=Level.ADMIN)
"""The access of whoever runs the process, and of every caller where no token is needed."""


def written(id_part: str, secret: str) -> str:
    """Return a token as its bearer shows it."""
    return f"mb_{id_part}_{secret}"


def read(token: str) -> Presented | None:
    """Return what is compared of a token as shown; None for a text that cannot be one."""
    match = _WRITTEN.fullmatch(token)
    return None if match is None else Presented(prefix=match[1], digest=digest(token))


def named(given: str) -> str:
    """Return the id or prefix by which a text names a token: the text itself, or the prefix of a whole token in it.

    Somebody who ends a token that others have seen pastes all of it, as it stood in a header or a log.
    """
    whole = _BEGINNING.search(given)
    return given.strip().lower() if whole is None else whole[1]


def digest(token: str) -> bytes:
    """Return the SHA-256 of a token, which is what is stored.

    A slow hash protects secrets that people choose, by making each guess dear. This one is 256 random bits: there is
    nothing to guess, and a slow hash would only make each call dear.
    """
    return hashlib.sha256(token.encode()).digest()


def same(one: bytes, other: bytes) -> bool:
    """Compare two digests in a time that tells nothing about where they differ."""
    return hmac.compare_digest(one, other)


def checked_name(name: str) -> str:
    """Return a token's name; raise `InvalidInput` unless it has 1 to 100 printable characters."""
    bare = name.strip()
    if not 1 <= len(bare) <= NAME_LENGTH or not bare.isprintable():
        raise InvalidInput("name", f"a token's name has 1 to {NAME_LENGTH} printable characters, such as who uses it")
    return bare


def checked_banks(names: Collection[str]) -> tuple[str, ...] | None:
    """Return the banks that a token is good for, each once; None, for every bank, where none is named."""
    if len(names) > BANKS_LIMIT:
        raise InvalidInput("bank", f"a token is good for at most {BANKS_LIMIT} banks, or for all: leave it out")
    return tuple(dict.fromkeys(banks.checked_name(name) for name in names)) or None


def checked_lifetime(lifetime: timedelta | None) -> timedelta | None:
    """Return how long a token is good; None stays for ever."""
    if lifetime is not None and not timedelta() < lifetime <= LONGEST_LIFETIME:
        raise InvalidInput("expires", f"give more than 0 s and at most {LONGEST_LIFETIME.days}d, such as 90d")
    return lifetime
