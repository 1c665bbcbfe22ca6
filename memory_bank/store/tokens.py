"""Rows of `tokens`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from memory_bank.domain.tokens import Level, Token
from memory_bank.store.database import Row, StoreTx

_ADD = sa.text(
    """
    INSERT INTO tokens (id, name, prefix, hash, banks, level, created_at, expires_at)
    VALUES (:id, :name, :prefix, :hash, :banks, :level, :created_at, :expires_at)
    """
).bindparams(sa.bindparam("banks", type_=pg.ARRAY(sa.Text)))

_ANY = sa.text(
    """
    -- was a token ever made?
    SELECT EXISTS (SELECT FROM tokens) AS found
    """
)

_ALL = sa.text(
    """
    -- every token, the oldest first
    SELECT t.*
    FROM tokens t
    ORDER BY t.created_at, t.prefix
    """
)

_BY_PREFIX = sa.text(
    """
    -- whose token is it that begins like this?
    SELECT t.*
    FROM tokens t
    WHERE t.prefix = :prefix
    """
)

_USED = sa.text(
    """
    -- note that a token was used, unless that is noted already
    UPDATE tokens
    SET last_used_at = :now
    WHERE id = :id
        AND (last_used_at IS NULL OR last_used_at < :before)
    """
)

_REVOKE = sa.text(
    """
    -- end a token, named by its id or by its prefix; one that was ended before keeps its moment
    UPDATE tokens
    SET revoked_at = coalesce(revoked_at, :now)
    WHERE id::text = :named
        OR prefix = :named
    RETURNING *
    """
)


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A token, and the digest of its secret."""

    token: Token
    digest: bytes


async def add(tx: StoreTx, token: Token, digest: bytes) -> None:
    """Store a token; raises `Conflict` when another has its prefix."""
    await tx.count(
        _ADD,
        id=token.id,
        name=token.name,
        prefix=token.prefix,
        hash=digest,
        banks=None if token.banks is None else list(token.banks),
        level=token.level.value,
        created_at=token.created_at,
        expires_at=token.expires_at,
    )


async def any_made(tx: StoreTx) -> bool:
    """Tell whether a token was ever made."""
    row = await tx.one_or_none(_ANY)
    return row is not None and bool(row["found"])


async def every(tx: StoreTx) -> list[Token]:
    """Return every token, the oldest first."""
    return [_token(row) for row in await tx.all(_ALL)]


async def by_prefix(tx: StoreTx, prefix: str) -> Stored | None:
    """Return the token with this prefix, if there is one."""
    row = await tx.one_or_none(_BY_PREFIX, prefix=prefix)
    return None if row is None else Stored(token=_token(row), digest=bytes(row["hash"]))


async def used(tx: StoreTx, id: UUID, *, now: datetime, every: timedelta) -> None:
    """Note that a token was used, at most once in `every`."""
    await tx.count(_USED, id=id, now=now, before=now - every)


async def revoke(tx: StoreTx, named: str, *, now: datetime) -> Token | None:
    """End the token with this id or prefix, and return it; None when there is none."""
    row = await tx.one_or_none(_REVOKE, named=named, now=now)
    return None if row is None else _token(row)


def _token(row: Row) -> Token:
    return Token(
        id=row["id"],
        name=row["name"],
        prefix=row["prefix"],
        banks=None if row["banks"] is None else tuple(row["banks"]),
        level=Level(row["level"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        revoked_at=row["revoked_at"],
    )
