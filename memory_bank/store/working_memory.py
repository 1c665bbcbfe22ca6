"""Rows of `working_memory`."""

import sqlalchemy as sa

from memory_bank.domain.working_memory import WINDOW, Event, EventType
from memory_bank.store.database import Tx

_ONE_AT_A_TIME = sa.text(
    """
    -- events of a session are numbered in the order in which they are committed
    SELECT pg_advisory_xact_lock(hashtextextended('working memory of ' || :bank || ' ' || :session, 0))
    """
)

_ADD = sa.text(
    """
    INSERT INTO working_memory (bank_id, session, type, content, created_at)
    VALUES (:bank, :session, :type, :content, :created_at)
    """
)

_TRIM = sa.text(
    """
    -- which events fall out of the session's window?
    DELETE FROM working_memory w
    WHERE w.bank_id = :bank
        AND w.session = :session
        AND w.id <= (
            SELECT last.id
            FROM working_memory last
            WHERE last.bank_id = :bank
                AND last.session = :session
            ORDER BY last.id DESC
            OFFSET :window
            LIMIT 1
        )
    """
)

_LAST = sa.text(
    """
    -- what happened last in the session, newest first?
    SELECT w.session, w.type, w.content, w.created_at
    FROM working_memory w
    WHERE w.bank_id = :bank
        AND w.session = :session
    ORDER BY w.id DESC
    LIMIT :count
    """
)

_CLEAR = sa.text(
    """
    DELETE FROM working_memory w
    WHERE w.bank_id = :bank
        AND w.session = :session
    """
)


async def push(tx: Tx, event: Event) -> None:
    """Add an event of an existing bank and drop those that fall out of the window."""
    await tx.all(_ONE_AT_A_TIME, session=event.session)
    await tx.count(
        _ADD, session=event.session, type=event.type.value, content=event.content, created_at=event.created_at
    )
    await tx.count(_TRIM, session=event.session, window=WINDOW)


async def last(tx: Tx, session: str, *, count: int) -> list[Event]:
    """Return the last `count` events of a session, the oldest first."""
    rows = await tx.all(_LAST, session=session, count=count)
    return [
        Event(session=row["session"], type=EventType(row["type"]), content=row["content"], created_at=row["created_at"])
        for row in reversed(rows)
    ]


async def clear(tx: Tx, session: str) -> int:
    """Forget a session's events; return how many there were."""
    await tx.all(_ONE_AT_A_TIME, session=session)
    return await tx.count(_CLEAR, session=session)
