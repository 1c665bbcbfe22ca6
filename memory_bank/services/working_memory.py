"""Pushing, reading and clearing what happened in a session."""

from memory_bank.domain import banks, recall, working_memory
from memory_bank.domain.working_memory import Event, EventType
from memory_bank.services.clock import Clock
from memory_bank.store import banks as bank_rows
from memory_bank.store import tasks
from memory_bank.store import working_memory as rows
from memory_bank.store.database import Database, Tx


class WorkingMemoryService:
    """The last events of each session; durable, and never a note."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def push(self, bank: str, session: str, content: str, *, type: EventType = EventType.ACTION) -> Event:
        """Add an event to a session, as a step of its running tasks too; the oldest beyond the window goes.

        Raises `InvalidInput`.
        """
        name = banks.checked_name(bank)
        now = self._clock.now()
        event = working_memory.checked(Event(session=session, type=type, content=content, created_at=now))
        async with self._database.transaction(name) as tx:
            # before any lock: whoever makes the bank keeps the others waiting until it is there
            await bank_rows.ensure(tx, now=now)
            await keep(tx, event)
        return event

    async def get(self, bank: str, session: str, *, limit: int = 10) -> list[Event]:
        """Return the last `limit` events of a session, the oldest first; none for a session that is not known."""
        name = banks.checked_name(bank)
        wanted, count = working_memory.checked_session(session), recall.checked_limit(limit)
        async with self._database.transaction(name) as tx:
            return await rows.last(tx, wanted, count=count)

    async def clear(self, bank: str, session: str) -> int:
        """Forget the events of a session; return how many there were."""
        name = banks.checked_name(bank)
        wanted = working_memory.checked_session(session)
        async with self._database.transaction(name) as tx:
            return await rows.clear(tx, wanted)


async def keep(tx: Tx, event: Event) -> None:
    """Store a checked event of an existing bank; it is a step of the session's running tasks."""
    await rows.push(tx, event)
    await tasks.step_session(tx, event.session, now=event.created_at)
