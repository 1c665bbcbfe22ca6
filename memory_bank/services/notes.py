"""Adding, fetching, listing, editing and deleting notes."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from memory_bank.domain import banks, filters, notes, recall, retrievability
from memory_bank.domain.notes import Change, Draft, Kind, Note, When
from memory_bank.errors import (
    Conflict,
    InvalidInput,
    MemoryBankError,
    NotFound,
    ProviderUnavailable,
)
from memory_bank.services import returning
from memory_bank.services.clock import Clock
from memory_bank.services.enrichment import EnrichmentService
from memory_bank.services.writing import NoteWriter, Stored
from memory_bank.store import notes as note_rows
from memory_bank.store.database import Database
from memory_bank.store.enrichment import Unenriched

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Added:
    """The note that now holds the text, and whether it did already."""

    note: Note
    duplicate: bool


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one draft of a batch: the id that holds its text, or why it was refused."""

    id: UUID | None = None
    duplicate: bool = False
    error: MemoryBankError | None = None


@dataclass(frozen=True, kw_only=True)
class Page:
    """Part of a listing, the number of notes in all of it, and where the next part starts."""

    notes: tuple[recall.Recalled, ...]
    total: int
    next_cursor: filters.Cursor | None


class NoteService:
    """What callers do with notes; every method works in one bank."""

    def __init__(
        self,
        *,
        database: Database,
        writer: NoteWriter,
        enrichment: EnrichmentService,
        clock: Clock,
        decay: retrievability.DecayPolicy,
        inline_limit: timedelta,
    ) -> None:
        self._database = database
        self._writer = writer
        self._enrichment = enrichment
        self._clock = clock
        self._decay = decay
        self._inline_limit = inline_limit

    async def add(self, bank: str, draft: Draft, *, when: When = When.INLINE) -> Added:
        """Store a note, then enrich it at once or leave that to the queue.

        Raises `InvalidInput`. Once the note is stored, no failure of a model is an error: it is enriched later.
        """
        name = banks.checked_name(bank)
        checked = notes.checked(draft)
        await self._database.stand_back()
        ready = await self._writer.ready([checked.content])
        async with self._database.transaction(name) as tx:
            (stored,) = await self._writer.add(tx, [checked], ready, when=when)
        note = stored.added
        if stored.unenriched is not None:
            note = await self._enrich_within_limit(name, stored.unenriched, job=stored.job)
        if note is None:
            async with self._database.transaction(name) as tx:
                note = next(iter(await note_rows.by_ids(tx, [stored.id])), None)
        if note is None:
            raise Conflict("the note was deleted by another caller while it was being added; add it again")
        return Added(note=note, duplicate=stored.duplicate)

    async def add_all(self, bank: str, drafts: Sequence[Draft | InvalidInput]) -> list[Outcome]:
        """Store up to `domain.notes.BATCH_LIMIT` notes, all good ones in one transaction, and queue their enrichment.

        Answers for each draft in order; a bad one is refused alone. A draft that the caller could not even read is
        given as the error that says why.
        """
        name = banks.checked_name(bank)
        if not 1 <= len(drafts) <= notes.BATCH_LIMIT:
            raise InvalidInput("notes", f"give 1 to {notes.BATCH_LIMIT} notes at once, got {len(drafts)}")
        outcomes: list[Outcome | None] = [None] * len(drafts)
        good: dict[int, Draft] = {}
        for index, draft in enumerate(drafts):
            try:
                if isinstance(draft, InvalidInput):
                    raise draft
                good[index] = notes.checked(draft)
            except InvalidInput as error:
                outcomes[index] = Outcome(error=error)
        with self._enrichment.held():
            stored = await self._store(name, list(good.values())) if good else []
        for index, each in zip(good, stored, strict=True):
            outcomes[index] = Outcome(id=each.id, duplicate=each.duplicate)
        return [each for each in outcomes if each is not None]

    async def get(self, bank: str, ids: Sequence[UUID]) -> list[recall.Recalled]:
        """Return the live notes among `ids`, in their order, and count them as recalled; forgetting hides none."""
        name = banks.checked_name(bank)
        if len(ids) > recall.RESULT_LIMIT:
            raise InvalidInput("ids", f"at most {recall.RESULT_LIMIT} ids at once, got {len(ids)}")
        async with self._database.counting(name) as tx:
            return await returning.recalled(tx, ids, now=self._clock.now(), decay=self._decay)

    async def browse(
        self, bank: str, *, wanted: filters.Filter, after: filters.Cursor | None = None, limit: int = 20
    ) -> Page:
        """Return live notes newest first, a page at a time; looking through them counts as no recall."""
        name = banks.checked_name(bank)
        count = recall.checked_limit(limit)
        async with self._database.transaction(name) as tx:
            found = await note_rows.page(tx, wanted=wanted, after=after, count=count + 1)
            total = await note_rows.count(tx, wanted=wanted)
        shown = found[:count]
        last = shown[-1] if len(found) > count else None
        now = self._clock.now()
        return Page(
            notes=tuple(returning.seen(note, now=now, decay=self._decay) for note in shown),
            total=total,
            next_cursor=None if last is None else filters.Cursor(timestamp=last.timestamp, id=last.id),
        )

    async def update(self, bank: str, id: UUID, change: Change) -> Note:
        """Edit a live note; a new text is embedded and enriched anew.

        Raises `NotFound`, `InvalidInput`, and `Conflict` when another live note holds the new text.
        """
        name = banks.checked_name(bank)
        content = None if change.content is None else notes.checked_content(change.content)
        ready = [] if content is None else await self._writer.ready([content])
        async with self._database.transaction(name) as tx:
            locked = await note_rows.lock(tx, id)
            if locked is None:
                raise NotFound(f"no note {id} in bank {name!r}; list the notes to see what exists")
            for made in ready:
                if made.content != locked.content:
                    self._refuse_derived(locked.kind)
                    await self._writer.rewrite(tx, id, locked, made)
                    locked = await note_rows.lock(tx, id) or locked
            await note_rows.write_labels(tx, id, _changed(locked, change), now=self._clock.now())
            found = await note_rows.by_ids(tx, [id])
        return found[0]

    async def delete(self, bank: str, id: UUID, *, preview: bool = False) -> Note:
        """Delete a live note with its links, vectors and terms, or only show what would go; returns the note as it was.

        Raises `NotFound`.
        """
        name = banks.checked_name(bank)
        async with self._database.transaction(name) as tx:
            found = await note_rows.by_ids(tx, [id])
            if not found or (not preview and not await self._writer.delete(tx, [id])):
                raise NotFound(f"no note {id} in bank {name!r}; nothing was deleted")
        return found[0]

    def _refuse_derived(self, kind: Kind) -> None:
        if kind in (Kind.FACT, Kind.EXCHANGE):
            raise InvalidInput("content", f"the text of a {kind.value} stands elsewhere too; use remember or observe")

    async def _store(self, bank: str, drafts: Sequence[Draft]) -> list[Stored]:
        await self._database.stand_back()
        ready = await self._writer.ready([draft.content for draft in drafts])
        async with self._database.transaction(bank) as tx:
            return await self._writer.add(tx, drafts, ready, when=When.QUEUED)

    async def _enrich_within_limit(self, bank: str, note: Unenriched, *, job: int | None) -> Note | None:
        try:
            async with asyncio.timeout(self._inline_limit.total_seconds()):
                return await self._enrichment.enrich(bank, note, job=job)
        except TimeoutError:
            logger.info(
                "Enrichment takes longer than its limit and goes on in the queue.", extra={"note": str(note.id)}
            )
        except ProviderUnavailable as error:
            logger.warning("Enrichment is left to the queue: %s", error, extra={"bank": bank, "note": str(note.id)})
        return None


def _changed(locked: note_rows.Labels, change: Change) -> note_rows.Labels:
    """Return a note's labels after an edit; the analyser's own tags stay unless the caller removes them."""
    removed = set(notes.checked_tags(change.remove_tags, field="remove_tags"))
    added = notes.checked_tags(change.add_tags, field="add_tags")
    given = locked.given_tags if change.tags is None else notes.checked_tags(change.tags)
    found = [tag for tag in locked.tags if tag not in locked.given_tags] if change.tags is None else []
    kept = notes.checked_tags([tag for tag in (*given, *added) if tag not in removed])
    context = locked.context if change.context is None else notes.checked_context(change.context)
    return replace(
        locked,
        context=context,
        context_given=locked.context_given if change.context is None else context != "",
        given_tags=kept,
        tags=(*kept, *(tag for tag in found if tag not in kept and tag not in removed)),
    )
