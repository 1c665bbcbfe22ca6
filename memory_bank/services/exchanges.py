"""Observing exchanges, looking through them, archiving old ones, and forgetting."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from memory_bank.domain import banks, exchanges, filters, notes, recall, references, working_memory
from memory_bank.domain.exchanges import Exchange, Turn
from memory_bank.domain.notes import Draft, Kind, When
from memory_bank.errors import InvalidInput, NotFound
from memory_bank.services import working_memory as sessions
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.services.writing import NoteWriter, Ready
from memory_bank.store import banks as bank_rows
from memory_bank.store import exchanges as rows
from memory_bank.store import notes as note_rows
from memory_bank.store.database import Database, Tx

logger = logging.getLogger(__name__)

_BATCH = 200
_LARGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Observed:
    """The exchange that now holds what was said, and whether it did so, or nearly so, already."""

    exchange: Exchange
    merged: bool


@dataclass(frozen=True, kw_only=True)
class Page:
    """Part of a listing, newest first, and the number of exchanges in all of it."""

    exchanges: tuple[Exchange, ...]
    total: int


class ExchangeService:
    """What callers do with exchanges; every method works in one bank, and none counts as a recall.

    An id is an exchange's, which is its note's, or the one that it had in the file it was imported from.
    """

    def __init__(self, *, database: Database, writer: NoteWriter, embedder: Embedder, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._embedder = embedder
        self._clock = clock

    async def observe(
        self,
        bank: str,
        *,
        user: str,
        assistant: str,
        session: str | None,
        importance: float | None = None,
        project: str | None = None,
        tags: Sequence[str] = (),
    ) -> Observed:
        """Store an exchange, or let a recent one that says the same take it in.

        What is new is an event of its session, too. Raises `InvalidInput`.
        """
        name = banks.checked_name(bank)
        turn = exchanges.checked(
            user=user, assistant=assistant, session=session, importance=importance, project=project, tags=tags
        )
        (made,) = await self._writer.ready([turn.content])
        now = self._clock.now()
        async with self._database.transaction(name) as tx:
            # before any lock: whoever makes the bank keeps the others waiting until it is there
            await bank_rows.ensure(tx, now=now)
            await rows.one_at_a_time(tx)
            earlier = await self._merged(tx, turn, made, now=now)
            id = earlier or await self._added(tx, turn, made)
            (exchange,) = await rows.by_ids(tx, [id])
            if turn.session is not None and (earlier is None or exchange.session != turn.session):
                event = working_memory.of_exchange(
                    session=turn.session, user=turn.user, assistant=turn.assistant, now=now
                )
                await sessions.keep(tx, event)
        return Observed(exchange=exchange, merged=earlier is not None)

    async def get(self, bank: str, id: UUID | str) -> Exchange:
        """Return an exchange; raises `NotFound`."""
        name = banks.checked_name(bank)
        reference = references.checked(id)
        async with self._database.transaction(name) as tx:
            found = await rows.by_ids(tx, await rows.referred(tx, [reference]))
        if not found:
            raise NotFound(f"no exchange {reference} in bank {name!r}; browse the exchanges to see what exists")
        return found[0]

    async def several(self, bank: str, ids: Sequence[UUID]) -> list[Exchange]:
        """Return the exchanges among these notes, in their order."""
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            return await rows.by_ids(tx, ids)

    async def by_external_id(self, bank: str, external_id: str) -> Exchange | None:
        """Return the exchange that had this id in the file it was imported from."""
        name = banks.checked_name(bank)
        reference = replace(references.checked(external_id, field="external_id"), id=None)
        async with self._database.transaction(name) as tx:
            found = await rows.by_ids(tx, await rows.referred(tx, [reference]))
        return found[0] if found else None

    async def browse(
        self, bank: str, *, session: str | None = None, project: str | None = None, limit: int = 20, offset: int = 0
    ) -> Page:
        """Return exchanges, archived ones included, newest first, from the one after `offset` others on."""
        name = banks.checked_name(bank)
        wanted = filters.checked(session=session, project=project)
        count, start = recall.checked_limit(limit), _checked_count(offset, field="offset")
        async with self._database.transaction(name) as tx:
            found, total = await rows.page(tx, wanted=wanted, count=count, offset=start)
        return Page(exchanges=tuple(found), total=total)

    async def find(self, bank: str, words: str, *, limit: int = recall.RESULT_LIMIT) -> Page:
        """Return the exchange with this id, else those that hold these words, however written, newest first.

        Raises `InvalidInput` for words that are no id and too short to name an exchange.
        """
        name = banks.checked_name(bank)
        count = recall.checked_limit(limit)
        async with self._database.transaction(name) as tx:
            if 0 < len(words.strip()) <= references.LENGTH:
                found = await rows.by_ids(tx, await rows.referred(tx, [references.checked(words, field="query")]))
                if found:
                    return Page(exchanges=tuple(found), total=len(found))
            saying = exchanges.checked_words(words)
            found, total = await rows.page(tx, wanted=filters.Filter(), words=saying, count=count)
        return Page(exchanges=tuple(found), total=total)

    async def forget(self, bank: str, ids: Sequence[UUID | str]) -> list[Exchange]:
        """Delete exchanges with what they took in; return those there were. Raises `NotFound` when there was none."""
        name = banks.checked_name(bank)
        if not 1 <= len(ids) <= notes.BATCH_LIMIT:
            raise InvalidInput("ids", f"give 1 to {notes.BATCH_LIMIT} ids at once, got {len(ids)}")
        wanted = [references.checked(id, field="ids") for id in ids]
        async with self._database.transaction(name) as tx:
            await rows.one_at_a_time(tx)
            found = await rows.by_ids(tx, await rows.referred(tx, wanted))
            gone = await self._writer.delete(tx, [each.id for each in found])
        if not gone:
            raise NotFound(f"none of these exchanges is in bank {name!r}; browse the exchanges to see what exists")
        return [each for each in found if each.id in gone]

    async def archive(self, bank: str, *, keep: int = exchanges.HOT, dry_run: bool = False) -> int:
        """Let all but the newest `keep` exchanges be found by meaning only; return how many that newly concerns."""
        name = banks.checked_name(bank)
        kept = _checked_count(keep, field="keep")
        if dry_run:
            async with self._database.transaction(name) as tx:
                return await rows.count_beyond(tx, keep=kept)
        archived = 0
        while batch := await self._archive_some(name, keep=kept):
            archived += batch
        return archived

    async def prune(
        self, bank: str, *, older_than_days: float, below_importance: float, dry_run: bool = False
    ) -> list[Exchange]:
        """Delete old exchanges of little importance that nobody has said again since; return them, the oldest first.

        Raises `InvalidInput`.
        """
        name = banks.checked_name(bank)
        below = exchanges.checked_share(below_importance, field="below_importance")
        before = _days_before(self._clock.now(), older_than_days)
        if dry_run:
            async with self._database.transaction(name) as tx:
                return await rows.faded(tx, before=before, below=below, limit=None)
        pruned: list[Exchange] = []
        while batch := await self._prune_some(name, before=before, below=below):
            pruned += batch
        return pruned

    async def _merged(self, tx: Tx, turn: Turn, made: Ready, *, now: datetime) -> UUID | None:
        """Return the exchange that took the turn in, if one says the same."""
        same = await note_rows.same(tx, content=turn.content, kind=Kind.EXCHANGE, session=turn.session)
        recent = await rows.recent(tx, windows=made.windows, model=self._embedder.name)
        alike = await asyncio.to_thread(exchanges.near_duplicates, turn, recent)
        for id in alike if same is None else [same, *alike]:
            locked = await note_rows.lock(tx, id)
            # deleted in this very moment, or a mere note of this kind
            if locked is None or not await rows.merge(tx, id, turn, now=now):
                continue
            await self._join_tags(tx, id, locked, turn, now=now)
            return id
        return None

    async def _join_tags(self, tx: Tx, id: UUID, locked: note_rows.Labels, turn: Turn, *, now: datetime) -> None:
        given = exchanges.joint_tags(locked.given_tags, turn.tags)
        if given != locked.given_tags:
            analysed = tuple(tag for tag in locked.tags if tag not in locked.given_tags and tag not in given)
            await note_rows.write_labels(tx, id, replace(locked, given_tags=given, tags=given + analysed), now=now)

    async def _added(self, tx: Tx, turn: Turn, made: Ready) -> UUID:
        position = None if turn.session is None else await rows.next_position(tx, turn.session)
        draft = Draft(content=turn.content, tags=turn.tags, kind=Kind.EXCHANGE, session=turn.session, position=position)
        (stored,) = await self._writer.add(tx, [draft], [made], when=When.QUEUED)
        await rows.add(tx, rows.New(id=stored.id, turn=turn))
        return stored.id

    async def _archive_some(self, bank: str, *, keep: int) -> int:
        async with self._database.transaction(bank) as tx:
            await rows.one_at_a_time(tx)
            ids = await rows.lock_beyond(tx, keep=keep, limit=_BATCH)
            await self._writer.archive(tx, ids)
            await rows.archive(tx, ids, now=self._clock.now())
        return len(ids)

    async def _prune_some(self, bank: str, *, before: datetime, below: float) -> list[Exchange]:
        async with self._database.transaction(bank) as tx:
            await rows.one_at_a_time(tx)
            faded = await rows.faded(tx, before=before, below=below, limit=_BATCH)
            gone = await self._writer.delete(tx, [each.id for each in faded])
        return [each for each in faded if each.id in gone]


def _checked_count(count: int, *, field: str) -> int:
    if not 0 <= count <= _LARGEST:
        raise InvalidInput(field, f"a whole number from 0 to {_LARGEST}, got {count}")
    return count


def _days_before(now: datetime, days: float) -> datetime:
    if not days >= 0:
        raise InvalidInput("older_than_days", f"a number of days from 0 on, got {days}")
    try:
        return now - timedelta(days=days)
    except OverflowError:
        return datetime.min.replace(tzinfo=now.tzinfo)
