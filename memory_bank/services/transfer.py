"""Importing an archive into a bank, whole or not at all, and exporting a bank as of one moment."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar

from uuid_utils import compat

from memory_bank.domain import archiving, banks, beliefs, notes
from memory_bank.domain.merging.exchanges import New as NewExchange
from memory_bank.domain.merging.things import Surroundings
from memory_bank.domain.notes import Reach
from memory_bank.domain.transfer import Archive, Item, Report
from memory_bank.errors import Conflict, NotFound
from memory_bank.services import importing
from memory_bank.services.clock import Clock
from memory_bank.services.enrichment import EnrichmentService
from memory_bank.services.importing import Plan
from memory_bank.services.writing import Brought, NoteWriter, Ready
from memory_bank.store import banks as bank_rows
from memory_bank.store import entities, exchanges, facts, imported_notes, relations, tasks, working_memory
from memory_bank.store.database import Database, Tx

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Is told how much is done, and of how much."""

_ATTEMPTS = 5
_SLICE_TEXTS, _SLICE_LENGTH = 64, 100_000
"""Texts, and characters of them, that are embedded between two steps of the progress."""

_ROWS = 500
_SECTIONS = 7

_Read = TypeVar("_Read")
_Each = TypeVar("_Each")


class _Behind(Exception):
    """The bank changed after an import was planned; `texts` are then to be made ready, too."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        super().__init__()
        self.texts = texts


@dataclass(kw_only=True)
class _Steps:
    """Counts what is done."""

    progress: Progress | None
    total: int
    done: int = 0

    def take(self, steps: int) -> None:
        self.done += steps
        if self.progress is not None:
            self.progress(self.done, max(self.total, self.done))

    async def read(self, section: Awaitable[_Read]) -> _Read:
        read = await section
        self.take(1)
        return read


class TransferService:
    """Imports and exports entities, facts, relations, exchanges, tasks and events; mere notes are no part of them.

    `self_name` is the name of the entity that stands for the agent itself.
    """

    def __init__(
        self, *, database: Database, writer: NoteWriter, enrichment: EnrichmentService, clock: Clock, self_name: str
    ) -> None:
        self._database = database
        self._writer = writer
        self._enrichment = enrichment
        self._clock = clock
        self._self_name = self_name

    async def bring_in(
        self,
        bank: str,
        archive: Archive,
        *,
        met: Sequence[Item] = (),
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Report:
        """Add an archive to a bank in one transaction, or only tell what would become of each part of it.

        The report begins with what was met before, when the archive was read from its file.

        What the bank holds stays, joined with what is the same; the same archive again adds nothing. Nothing is judged
        to contradict anything. A part that breaks a rule is left out and told. Raises `InvalidInput` for the bank's
        name, `Conflict` where other callers keep changing what the import would.
        """
        name = banks.checked_name(bank)
        async with self._database.snapshot(name) as tx:
            plan = await importing.plan(tx, archive, around=self._around(), locked=False)
        if dry_run:
            return Report(items=(*met, *plan.report.items))
        texts = _searched(plan)
        steps = _Steps(progress=progress, total=len(texts) + len(plan.notes) + 1)
        ready: dict[str, Ready] = {}
        with self._enrichment.held():
            for _ in range(_ATTEMPTS):
                await self._make_ready(texts, ready, steps)
                try:
                    report = await self._store(name, archive, ready, steps)
                except _Behind as behind:
                    texts = list(behind.texts)
                    continue
                steps.take(1)
                logger.info("Imported an archive.", extra={"bank": name, "parts": len(report.items)})
                return Report(items=(*met, *report.items))
        raise Conflict("other callers keep changing what the import would; import again when they have finished")

    async def export(self, bank: str, *, progress: Progress | None = None) -> Archive:
        """Return everything of a bank that an archive has a place for, as of one moment. Raises `NotFound`."""
        name = banks.checked_name(bank)
        steps = _Steps(progress=progress, total=_SECTIONS)
        async with self._database.snapshot(name) as tx:
            if not await bank_rows.exists(tx):
                raise NotFound(f"no bank {name!r}; nothing was exported")
            held = archiving.Held(
                entities=await steps.read(entities.every(tx)),
                facts=await steps.read(facts.every(tx)),
                sources=await steps.read(facts.sources(tx)),
                relations=await steps.read(relations.every(tx)),
                exchanges=await steps.read(exchanges.every(tx)),
                tasks=await steps.read(tasks.every(tx)),
                events=await steps.read(working_memory.every(tx)),
            )
        return archiving.archive(held, now=self._clock.now())

    def _around(self) -> Surroundings:
        return Surroundings(now=self._clock.now(), fresh=compat.uuid7, self_name=self._self_name)

    async def _make_ready(self, texts: Sequence[str], ready: dict[str, Ready], steps: _Steps) -> None:
        """Embed and tokenise what is not ready yet; while the model is away, the queue is left to embed it later."""
        embedded = True
        for part in _slices(dict.fromkeys(each for each in texts if each not in ready)):
            made = await self._writer.ready(part, embedded=embedded, within_limit=False)
            embedded = embedded and all(each.windows is not None for each in made)
            ready.update(zip(part, made, strict=True))
            steps.take(len(part))

    async def _store(self, bank: str, archive: Archive, ready: Mapping[str, Ready], steps: _Steps) -> Report:
        """Import in one transaction; raises `_Behind` where a text is not ready or was stored meanwhile."""
        async with self._database.transaction(bank) as tx:
            await bank_rows.ensure(tx, now=self._clock.now())
            # in the order in which every other writer takes some of them, before any row
            await exchanges.one_at_a_time(tx)
            await working_memory.lock(tx, (each.session for each in archive.events))
            await tasks.one_at_a_time(tx)
            await entities.naming(tx)
            plan = await importing.plan(tx, archive, around=self._around(), locked=True)
            missing = [each for each in _searched(plan) if each not in ready]
            if missing:
                raise _Behind(missing)
            await _write_things(tx, plan)
            await self._write_notes(tx, plan, ready, steps)
            await _write_beside_notes(tx, plan, now=self._clock.now())
        return plan.report

    async def _write_notes(self, tx: Tx, plan: Plan, ready: Mapping[str, Ready], steps: _Steps) -> None:
        await imported_notes.purge(tx, plan.revived)
        # in the order in which one add stores its notes, so that none waits for the other in a ring
        for part in _parts(sorted(plan.notes, key=lambda each: notes.content_hash(each.draft.content))):
            brought = [
                Brought(id=each.id, draft=each.draft, reach=each.reach, ready=ready.get(each.draft.content))
                for each in part
            ]
            added = await self._writer.bring(tx, brought)
            if len(added) < len(brought):
                raise _Behind
            steps.take(len(part))


async def _write_things(tx: Tx, plan: Plan) -> None:
    """Store what is said of things, and label the notes that they have."""
    things = plan.things
    for part in _parts([things.entities[id] for id in (*things.new, *(things.changed - things.new))]):
        await entities.keep(tx, part)
    for names in _parts(things.named.items()):
        await entities.name_all(tx, dict(names))
    tagged = {id: beliefs.note_tags(things.entities[id].tags) for id in things.retagged & plan.known}
    await facts.retag(tx, tagged)


async def _write_beside_notes(tx: Tx, plan: Plan, *, now: datetime) -> None:
    """Store what lies in tables of its own, most of it keyed by the notes."""
    for new in _parts(each for each in plan.beliefs if each.fresh):
        # the sources follow, each with its own moment
        await facts.add(tx, [replace(each.fact, sources=each.fact.sources - len(each.sources)) for each in new])
    for changed in _parts(each for each in plan.beliefs if not each.fresh):
        await facts.rewrite(tx, [each.counted for each in changed])
    told = [(each.fact.id, name, moment) for each in plan.beliefs for name, moment in each.sources.items()]
    for part in _parts(told):
        await facts.hear(tx, part)
    for edges in _parts(plan.relations):
        await relations.keep(tx, edges)
    for turns in _parts(plan.exchanges.new):
        await imported_notes.add_exchanges(tx, [_row(each, now=now) for each in turns])
    await imported_notes.identify(tx, plan.exchanges.identified)
    for task in plan.tasks:
        await tasks.add(tx, task, vector=None, model="")
    await working_memory.rewrite(tx, plan.events)


def _row(new: NewExchange, *, now: datetime) -> exchanges.New:
    return exchanges.New(
        id=new.id,
        turn=new.turn,
        external_id=new.external_id,
        repeats=new.repeats,
        merged=new.merged,
        archived_at=now if new.archived else None,
    )


def _searched(plan: Plan) -> list[str]:
    """Return the texts that searches are to find."""
    return [each.draft.content for each in plan.notes if each.reach is not Reach.NONE]


def _slices(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts, as many at a time as are embedded while somebody looks at a progress bar."""
    part: list[str] = []
    length = 0
    for each in texts:
        if part and (len(part) == _SLICE_TEXTS or length + len(each) > _SLICE_LENGTH):
            yield part
            part, length = [], 0
        part.append(each)
        length += len(each)
    if part:
        yield part


def _parts(rows: Iterable[_Each]) -> Iterator[list[_Each]]:
    """Yield the rows, as many at a time as one statement takes."""
    left = iter(rows)
    while part := list(islice(left, _ROWS)):
        yield part
