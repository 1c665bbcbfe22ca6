"""Writing notes: what every service does that stores, changes, hides or brings back texts, in its own transaction."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from uuid_utils import compat

from memory_bank.domain import notes
from memory_bank.domain.notes import Draft, Note, Reach, When
from memory_bank.errors import ConfigurationError, Conflict, ProviderUnavailable
from memory_bank.services import together
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.services.enrichment import EnrichmentService
from memory_bank.services.tokeniser import Tokeniser
from memory_bank.store import embeddings, entities, facts, lexical, links
from memory_bank.store import notes as rows
from memory_bank.store.database import Tx
from memory_bank.store.embeddings import Windows
from memory_bank.store.enrichment import Unenriched
from memory_bank.store.queue import JobQueue

logger = logging.getLogger(__name__)

_SAFETY_MARGIN = timedelta(seconds=5)
_TEXTS_WITHIN_LIMIT = 100
# The reason spoke of the fact that is forgotten, and perhaps in its words.
_FORGOTTEN = "what took its place was forgotten"


@dataclass(frozen=True, kw_only=True)
class Ready:
    """A text with what is made of it before a transaction: its terms, and its vectors unless the model is away."""

    content: str
    windows: Windows | None
    terms: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The note that now holds a text; `added` as it is, unless it did already.

    Where its enrichment is up to the call: what that starts from, and the job that is to do it if the call does not.
    """

    id: UUID
    added: Note | None = None
    unenriched: Unenriched | None = None
    job: int | None = None

    @property
    def duplicate(self) -> bool:
        """Tell whether the text was there already."""
        return self.added is None


@dataclass(frozen=True, kw_only=True)
class Brought:
    """A checked draft that brings its id along, and how searches may find it; `ready` where they may."""

    id: UUID
    draft: Draft
    reach: Reach = Reach.FULL
    ready: Ready | None = None


class NoteWriter:
    """Keeps a note's row, vectors, terms and queued work in step: all of them change in the caller's transaction."""

    def __init__(
        self,
        *,
        jobs: JobQueue,
        embedder: Embedder,
        tokeniser: Tokeniser,
        enrichment: EnrichmentService,
        clock: Clock,
        inline_limit: timedelta,
    ) -> None:
        self._jobs = jobs
        self._embedder = embedder
        self._tokeniser = tokeniser
        self._enrichment = enrichment
        self._clock = clock
        self._inline_limit = inline_limit

    async def ready(self, contents: Sequence[str], *, embedded: bool = True, within_limit: bool = True) -> list[Ready]:
        """Make the texts' vectors and, meanwhile in a thread, their terms; call it before the transaction.

        What is not embedded here the queue embeds: on request, while the model is away, and, `within_limit`, where
        that takes longer than a call may wait.
        """
        windows, terms = await together.done(
            self._embedded(contents, within_limit=within_limit) if embedded else _nothing(),
            asyncio.to_thread(lambda: [self._tokeniser.terms(each) for each in contents]),
        )
        return [
            Ready(content=content, windows=None if windows is None else windows[place], terms=terms[place])
            for place, content in enumerate(contents)
        ]

    async def add(self, tx: Tx, drafts: Sequence[Draft], ready: Sequence[Ready], *, when: When) -> list[Stored]:
        """Store checked drafts, made ready in the same order, and queue their enrichment; answers in that order."""
        new = [
            rows.New(id=compat.uuid7(), draft=draft, embedded_by=self._embedded_by(made))
            for draft, made in zip(drafts, ready, strict=True)
        ]
        added = await rows.add(tx, new, tokenised_by=self._tokeniser.name, now=self._clock.now())
        fresh = {each.id: made for each, made in zip(new, ready, strict=True) if each.id in added}
        await embeddings.add(tx, {id: made.windows for id, made in fresh.items() if made.windows is not None})
        await lexical.add(tx, {id: made.terms for id, made in fresh.items()})
        job = await self._defer(tx, list(fresh), when=when)
        return [await self._settled(tx, each, added, job=job) for each in new]

    async def bring(self, tx: Tx, brought: Sequence[Brought]) -> set[UUID]:
        """Store drafts under their own ids in an existing bank, and queue their enrichment; return what was stored.

        Left out are those whose text is live already. Of notes out of reach there is no more than the row.
        """
        new = [
            rows.New(
                id=each.id,
                draft=each.draft,
                embedded_by=None if each.ready is None else self._embedded_by(each.ready),
                reach=each.reach,
            )
            for each in brought
        ]
        added = await rows.add(tx, new, tokenised_by=self._tokeniser.name, now=self._clock.now())
        found = {each.id: each for each in brought if each.id in added and each.reach is not Reach.NONE}
        made = {id: each.ready for id, each in found.items() if each.ready is not None}
        await embeddings.add(tx, {id: each.windows for id, each in made.items() if each.windows is not None})
        await lexical.add(tx, {id: each.terms for id, each in made.items() if found[id].reach is Reach.FULL})
        await self._enrichment.defer(tx, list(found))
        return set(added)

    async def rewrite(self, tx: Tx, id: UUID, locked: rows.Labels, made: Ready) -> None:
        """Replace the text of a note that `tx` has locked; its findings are void and it is enriched anew.

        Raises `Conflict` when another live note holds the new text.
        """
        other = await rows.same(tx, content=made.content, kind=locked.kind, session=locked.session)
        if other is not None:
            raise Conflict(f"note {other} already holds this text; link or delete one of the two instead")
        await rows.write_text(
            tx,
            id,
            made.content,
            embedded_by=self._embedded_by(made),
            tokenised_by=self._tokeniser.name,
            now=self._clock.now(),
        )
        await self._index(tx, id, made)
        await links.forget_judged(tx, id)
        await self._enrichment.defer(tx, [id])

    async def withdraw(self, tx: Tx, ids: Sequence[UUID]) -> None:
        """Take live notes out of every search; they stay to be fetched, and to be restored."""
        if not ids:
            return
        await rows.write_reach(tx, ids, Reach.NONE, embedded_by=None, tokenised_by=None, now=self._clock.now())
        await embeddings.forget(tx, ids)
        await lexical.forget(tx, ids)

    async def restore(self, tx: Tx, id: UUID, made: Ready) -> None:
        """Bring a withdrawn note back into searches; `made` of its own text. Raises `Conflict` as `rewrite` does."""
        await rows.write_reach(
            tx,
            [id],
            Reach.FULL,
            embedded_by=self._embedded_by(made),
            tokenised_by=self._tokeniser.name,
            now=self._clock.now(),
        )
        await self._index(tx, id, made)
        await self._enrichment.defer(tx, [id])

    async def archive(self, tx: Tx, ids: Sequence[UUID]) -> None:
        """Let live notes be found by meaning only."""
        if ids:
            await rows.archive(tx, ids, now=self._clock.now())
            await lexical.forget(tx, ids)

    async def delete(self, tx: Tx, ids: Sequence[UUID]) -> set[UUID]:
        """Hide live notes for good, with their vectors and terms; return the ids of those there were.

        Where a fact is among them, its history goes on without it.
        """
        about = {each.entity_id for each in (await facts.by_ids(tx, ids)).values()}
        if about:
            # whoever states or undoes a fact locks its entity first, too
            await entities.lock(tx, list(about))
        gone = await rows.delete(tx, ids, now=self._clock.now()) if ids else set()
        if about:
            await facts.join(tx, list(gone), reason=_FORGOTTEN)
        if gone:
            await embeddings.forget(tx, list(gone))
            await lexical.forget(tx, list(gone))
            logger.info("Deleted notes.", extra={"bank": tx.bank, "notes": len(gone)})
        return gone

    def _embedded_by(self, made: Ready) -> str | None:
        return None if made.windows is None else self._embedder.name

    async def _index(self, tx: Tx, id: UUID, made: Ready) -> None:
        await embeddings.forget(tx, [id])
        await lexical.forget(tx, [id])
        if made.windows is not None:
            await embeddings.add(tx, {id: made.windows})
        await lexical.add(tx, {id: made.terms})

    async def _settled(self, tx: Tx, new: rows.New, added: Mapping[UUID, Note], *, job: int | None) -> Stored:
        draft = new.draft
        if new.id in added:
            unenriched = None if job is None else _unenriched(new)
            return Stored(id=new.id, added=added[new.id], unenriched=unenriched, job=job)
        same = await rows.same(tx, content=draft.content, kind=draft.kind, session=draft.session)
        if same is None:
            raise Conflict("the same text was stored and deleted by another caller meanwhile; add it again")
        return Stored(id=same)

    async def _defer(self, tx: Tx, ids: Sequence[UUID], *, when: When) -> int | None:
        if when is When.QUEUED:
            await self._enrichment.defer(tx, ids)
        elif ids:
            # the job that a crash or a slow model leaves behind; enrichment in the call takes it back
            deadline = self._clock.now() + self._inline_limit + _SAFETY_MARGIN
            return await self._jobs.defer_enrich(tx, ids, not_before=deadline)
        return None

    async def _embedded(self, texts: Sequence[str], *, within_limit: bool) -> list[Windows] | None:
        """Return the texts' vectors, or None when the model cannot give them now or soon: the queue then makes them."""
        if not texts:
            return []
        # a batch may take its time, but a text longer than hundreds of others must not hold up its caller
        limit = self._inline_limit.total_seconds() * max(1, len(texts) / _TEXTS_WITHIN_LIMIT)
        try:
            async with asyncio.timeout(limit if within_limit else None):
                return await self._embedder.embed_documents(texts)
        except TimeoutError:
            logger.info("Embedding takes longer than its limit and goes on in the queue.", extra={"notes": len(texts)})
            return None
        except (ProviderUnavailable, ConfigurationError) as error:
            logger.warning("Storing notes without vectors for now: %s", error)
            return None


def _unenriched(new: rows.New) -> Unenriched:
    content = new.draft.content
    return Unenriched(
        id=new.id,
        content=content,
        content_hash=notes.content_hash(content),
        attempts=0,
        embedded=new.embedded_by is not None,
    )


async def _nothing() -> None:
    """Stand for the vectors that nobody asked for."""
