"""Rows of `working_memory`."""

from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from memory_bank.domain.working_memory import WINDOW, Event, EventType
from memory_bank.store.database import Row, Tx

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

_ALL_AT_A_TIME = sa.text("LOCK TABLE working_memory IN SHARE ROW EXCLUSIVE MODE")
_LOCKS_LIMIT = 500
"""Sessions that are locked one by one: all transactions share a few thousand locks."""

_EVERY = sa.text(
    """
    -- what happened in these sessions, or in every one where none are named, oldest first?
    SELECT w.session, w.type, w.content, w.created_at
    FROM working_memory w
    WHERE w.bank_id = :bank
        AND (CAST(:sessions AS text[]) IS NULL OR w.session = ANY(CAST(:sessions AS text[])))
    ORDER BY w.session, w.id
    """
)

_CLEAR_ALL = sa.text(
    """
    DELETE FROM working_memory w
    WHERE w.bank_id = :bank
        AND w.session = ANY(CAST(:sessions AS text[]))
    """
)

_ADD_ALL = sa.text(
    """
    -- numbered in the order in which they are given
    INSERT INTO working_memory (bank_id, session, type, content, created_at)
    SELECT :bank, e.session, e.type, e.content, e.created_at
    FROM unnest(
        CAST(:sessions AS text[]), CAST(:types AS text[]), CAST(:contents AS text[]), CAST(:moments AS timestamptz[])
    ) WITH ORDINALITY AS e (session, type, content, created_at, place)
    ORDER BY e.place
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
    return [_event(row) for row in reversed(rows)]


async def lock(tx: Tx, sessions: Iterable[str]) -> None:
    """Wait until no other transaction changes the events of these sessions, and keep others from it until the end."""
    names = sorted(set(sessions))
    if len(names) > _LOCKS_LIMIT:
        await tx.count(_ALL_AT_A_TIME)
        return
    for name in names:
        await tx.all(_ONE_AT_A_TIME, session=name)


async def every(tx: Tx, sessions: Iterable[str] | None = None) -> list[Event]:
    """Return the events of these sessions, or of all; those of a session in their order."""
    return [_event(row) for row in await tx.all(_EVERY, sessions=None if sessions is None else list(set(sessions)))]


async def rewrite(tx: Tx, events: Mapping[str, Sequence[Event]]) -> None:
    """Replace what happened in sessions that the transaction has locked."""
    if not events:
        return
    flat = [event for each in events.values() for event in each]
    await tx.count(_CLEAR_ALL, sessions=list(events))
    await tx.count(
        _ADD_ALL,
        sessions=[each.session for each in flat],
        types=[each.type.value for each in flat],
        contents=[each.content for each in flat],
        moments=[each.created_at for each in flat],
    )


async def clear(tx: Tx, session: str) -> int:
    """Forget a session's events; return how many there were."""
    await tx.all(_ONE_AT_A_TIME, session=session)
    return await tx.count(_CLEAR, session=session)


def _event(row: Row) -> Event:
    return Event(
        session=row["session"], type=EventType(row["type"]), content=row["content"], created_at=row["created_at"]
    )
