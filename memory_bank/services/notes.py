"""Adding, fetching, listing, editing and deleting notes."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from numpy import float32
from numpy.typing import NDArray
from uuid_utils import compat

from memory_bank.domain import banks, filters, notes, recall, retrievability
from memory_bank.domain.notes import Change, Draft, Note, When
from memory_bank.errors import (
    ConfigurationError,
    Conflict,
    InvalidInput,
    MemoryBankError,
    NotFound,
    ProviderUnavailable,
)
from memory_bank.services import returning
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.services.enrichment import EnrichmentService
from memory_bank.services.tokeniser import Tokeniser
from memory_bank.store import banks as bank_rows
from memory_bank.store import embeddings, lexical, links
from memory_bank.store import notes as note_rows
from memory_bank.store.database import Database, Tx
from memory_bank.store.queue import JobQueue

logger = logging.getLogger(__name__)

_SAFETY_MARGIN = timedelta(seconds=5)
_TEXTS_WITHIN_LIMIT = 100


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


@dataclass(frozen=True, kw_only=True)
class _Stored:
    id: UUID
    duplicate: bool


@dataclass(frozen=True, kw_only=True)
class _Prepared:
    """What is made of texts before a transaction opens: their vectors, unless the model is away, and their terms."""

    windows: Sequence[NDArray[float32]] | None
    terms: Sequence[Mapping[str, int]]


class NoteService:
    """What callers do with notes; every method works in one bank."""

    def __init__(
        self,
        *,
        database: Database,
        jobs: JobQueue,
        embedder: Embedder,
        tokeniser: Tokeniser,
        enrichment: EnrichmentService,
        clock: Clock,
        decay: retrievability.DecayPolicy,
        inline_limit: timedelta,
    ) -> None:
        self._database = database
        self._jobs = jobs
        self._embedder = embedder
        self._tokeniser = tokeniser
        self._enrichment = enrichment
        self._clock = clock
        self._decay = decay
        self._inline_limit = inline_limit

    async def add(self, bank: str, draft: Draft, *, when: When = When.INLINE) -> Added:
        """Store a note, then enrich it at once or leave that to the queue.

        Raises `InvalidInput`. Once the note is stored, no failure of a model is an error: it is enriched later.
        """
        name = banks.checked_name(bank)
        (stored,) = await self._store(name, [notes.checked(draft)], when=when)
        if when is When.INLINE and not stored.duplicate:
            await self._enrich_within_limit(name, stored.id)
        async with self._database.transaction(name) as tx:
            found = await note_rows.by_ids(tx, [stored.id])
        if not found:
            raise Conflict("the note was deleted by another caller while it was being added; add it again")
        return Added(note=found[0], duplicate=stored.duplicate)

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
            stored = await self._store(name, list(good.values()), when=When.QUEUED) if good else []
        for index, each in zip(good, stored, strict=True):
            outcomes[index] = Outcome(id=each.id, duplicate=each.duplicate)
        return [each for each in outcomes if each is not None]

    async def get(self, bank: str, ids: Sequence[UUID]) -> list[recall.Recalled]:
        """Return the live notes among `ids`, in their order, and count them as recalled; forgetting hides none."""
        name = banks.checked_name(bank)
        if len(ids) > recall.RESULT_LIMIT:
            raise InvalidInput("ids", f"at most {recall.RESULT_LIMIT} ids at once, got {len(ids)}")
        async with self._database.transaction(name) as tx:
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
        prepared = None if content is None else await self._prepared([content])
        async with self._database.transaction(name) as tx:
            locked = await note_rows.lock(tx, id)
            if locked is None:
                raise NotFound(f"no note {id} in bank {name!r}; list the notes to see what exists")
            if content is not None and prepared is not None and content != locked.content:
                await self._rewrite(tx, id, content, locked, prepared)
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
            if not found or (not preview and not await note_rows.delete(tx, id, now=self._clock.now())):
                raise NotFound(f"no note {id} in bank {name!r}; nothing was deleted")
            if not preview:
                await embeddings.forget(tx, [id])
                await lexical.forget(tx, [id])
                logger.info("Deleted a note.", extra={"bank": name, "note": str(id)})
        return found[0]

    async def _store(self, bank: str, drafts: Sequence[Draft], *, when: When) -> list[_Stored]:
        prepared = await self._prepared([draft.content for draft in drafts])
        embedded_by = None if prepared.windows is None else self._embedder.name
        new = [note_rows.New(id=compat.uuid7(), draft=draft, embedded_by=embedded_by) for draft in drafts]
        now = self._clock.now()
        async with self._database.transaction(bank) as tx:
            await bank_rows.ensure(tx, now=now)
            added = await note_rows.add(tx, new, tokenised_by=self._tokeniser.name, now=now)
            await self._index(tx, {each.id: place for place, each in enumerate(new) if each.id in added}, prepared)
            await self._defer(tx, [each.id for each in new if each.id in added], when=when)
            return [await self._settled(tx, each, added) for each in new]

    async def _settled(self, tx: Tx, new: note_rows.New, added: set[UUID]) -> _Stored:
        if new.id in added:
            return _Stored(id=new.id, duplicate=False)
        draft = new.draft
        same = await note_rows.same(tx, content=draft.content, kind=draft.kind, session=draft.session)
        if same is None:
            raise Conflict("the same text was stored and deleted by another caller meanwhile; add it again")
        return _Stored(id=same, duplicate=True)

    async def _defer(self, tx: Tx, ids: Sequence[UUID], *, when: When) -> None:
        if when is When.QUEUED:
            await self._enrichment.defer(tx, ids)
        elif ids:
            # the job that a crash or a slow model leaves behind; the enrichment in the call makes it find nothing to do
            deadline = self._clock.now() + self._inline_limit + _SAFETY_MARGIN
            await self._jobs.defer_enrich(tx, ids, not_before=deadline)

    async def _index(self, tx: Tx, places: dict[UUID, int], prepared: _Prepared) -> None:
        """Store the vectors, where there are any, and the terms of each note, from its place in `prepared`."""
        if prepared.windows is None:
            await embeddings.forget(tx, list(places))
        else:
            await embeddings.put(tx, {id: prepared.windows[place] for id, place in places.items()})
        await lexical.put(tx, {id: prepared.terms[place] for id, place in places.items()})

    async def _prepared(self, texts: Sequence[str]) -> _Prepared:
        """Make the texts' vectors and, meanwhile in a thread, their terms."""
        windows, terms = await asyncio.gather(
            self._embedded(texts), asyncio.to_thread(lambda: [self._tokeniser.terms(text) for text in texts])
        )
        return _Prepared(windows=windows, terms=terms)

    async def _embedded(self, texts: Sequence[str]) -> list[NDArray[float32]] | None:
        """Return the texts' vectors, or None when the model cannot give them now or soon: the queue then makes them."""
        # a batch may take its time, but a text longer than hundreds of others must not hold up its caller
        limit = self._inline_limit.total_seconds() * max(1, len(texts) / _TEXTS_WITHIN_LIMIT)
        try:
            async with asyncio.timeout(limit):
                return await self._embedder.embed_documents(texts)
        except TimeoutError:
            logger.info("Embedding takes longer than its limit and goes on in the queue.", extra={"notes": len(texts)})
            return None
        except (ProviderUnavailable, ConfigurationError) as error:
            logger.warning("Storing notes without vectors for now: %s", error)
            return None

    async def _enrich_within_limit(self, bank: str, id: UUID) -> None:
        try:
            async with asyncio.timeout(self._inline_limit.total_seconds()):
                await self._enrichment.enrich(bank, id)
        except TimeoutError:
            logger.info("Enrichment takes longer than its limit and goes on in the queue.", extra={"note": str(id)})
        except ProviderUnavailable as error:
            logger.warning("Enrichment is left to the queue: %s", error, extra={"bank": bank, "note": str(id)})

    async def _rewrite(
        self,
        tx: Tx,
        id: UUID,
        content: str,
        locked: note_rows.Labels,
        prepared: _Prepared,
    ) -> None:
        other = await note_rows.same(tx, content=content, kind=locked.kind, session=locked.session)
        if other is not None:
            raise Conflict(f"note {other} already holds this text; link or delete one of the two instead")
        await note_rows.write_text(
            tx,
            id,
            content,
            embedded_by=None if prepared.windows is None else self._embedder.name,
            tokenised_by=self._tokeniser.name,
            now=self._clock.now(),
        )
        await self._index(tx, {id: 0}, prepared)
        await links.forget_judged(tx, id)
        await self._enrichment.defer(tx, [id])


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
