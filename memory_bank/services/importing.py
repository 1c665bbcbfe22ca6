"""Planning an import: reading what a bank holds of an archive, and deciding what becomes of each part of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_bank.domain import beliefs, merging, text
from memory_bank.domain.beliefs import Entity, Status
from memory_bank.domain.merging import events as merging_events
from memory_bank.domain.merging import exchanges as merging_exchanges
from memory_bank.domain.merging import facts as merging_facts
from memory_bank.domain.merging import relations as merging_relations
from memory_bank.domain.merging import tasks as merging_tasks
from memory_bank.domain.merging import things as merging_things
from memory_bank.domain.merging.exchanges import Exchanges
from memory_bank.domain.merging.facts import Belief
from memory_bank.domain.merging.things import Surroundings, Things
from memory_bank.domain.notes import Draft, Kind, Reach
from memory_bank.domain.references import Reference
from memory_bank.domain.relations import Relation
from memory_bank.domain.tasks import Task
from memory_bank.domain.transfer import Archive, Report
from memory_bank.domain.working_memory import Event
from memory_bank.store import entities, exchanges, facts, imported_notes, relations, tasks, working_memory
from memory_bank.store.database import Tx


@dataclass(frozen=True, kw_only=True)
class Note:
    """A note that an import stores: its id, its text with all that goes with it, and how searches may find it."""

    id: UUID
    draft: Draft
    reach: Reach


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an import changes in a bank, and what became of each part of the archive.

    known: the things that the bank has. beliefs: facts that are new or changed. events: what sessions hold afterwards.
    revived: ids of deleted notes that are given out again.
    """

    report: Report
    things: Things
    known: frozenset[UUID]
    beliefs: Sequence[Belief]
    relations: Sequence[Relation]
    exchanges: Exchanges
    tasks: Sequence[Task]
    events: Mapping[str, Sequence[Event]]
    revived: frozenset[UUID]

    @property
    def notes(self) -> list[Note]:
        """The notes to store."""
        told = [self._of_fact(each) for each in self.beliefs if each.fresh and not each.adopted]
        return told + [_of_exchange(each) for each in self.exchanges.new if not each.adopted]

    def _of_fact(self, belief: Belief) -> Note:
        fact = belief.fact
        about = self.things.entities[fact.entity_id]
        draft = Draft(
            content=beliefs.written(about.name, fact.content),
            tags=beliefs.note_tags(about.tags),
            kind=Kind.FACT,
            timestamp=fact.first_seen,
        )
        return Note(id=fact.id, draft=draft, reach=Reach.FULL if fact.status is Status.ACTIVE else Reach.NONE)


async def plan(tx: Tx, archive: Archive, *, around: Surroundings, locked: bool) -> Plan:
    """Decide what an import changes; `locked`, nobody changes the things that it means until the end of `tx`.

    Then `entities.naming` must be held, and nobody else may write exchanges, tasks, or events of its sessions.
    """
    found = merging.Findings()
    held = await _things(tx, archive, around=around, locked=locked)
    things = merging_things.merge(archive.entities, held, around, found)
    ids = merging.Ids(await imported_notes.taken(tx, _note_ids(archive)), around.fresh)
    merge = merging_facts.Facts(await _facts(tx, archive, things, held.entities), ids, found, now=around.now)
    for given, meant in zip(archive.entities, things.meant, strict=True):
        if meant is not None:
            merge.take(things.entities[meant], given.facts)
    among = await relations.among(tx, list(held.entities))
    edges = merging_relations.merge(archive.relations, among, things, around, found)
    turns = merging_exchanges.merge(archive.exchanges, await _exchanges(tx, archive), ids, found, now=around.now)
    begun = merging_tasks.merge(archive.tasks, await tasks.every(tx), found, now=around.now, fresh=around.fresh)
    before = await working_memory.every(tx, (each.session for each in archive.events))
    events = merging_events.merge(archive.events, before, found, now=around.now)
    return Plan(
        report=Report(items=tuple(found.items)),
        things=things,
        known=frozenset(held.entities),
        beliefs=merge.beliefs(),
        relations=edges,
        exchanges=turns,
        tasks=begun,
        events=events,
        revived=frozenset(ids.revived),
    )


async def _things(tx: Tx, archive: Archive, *, around: Surroundings, locked: bool) -> merging_things.Held:
    owners = await entities.owners(tx, merging_things.names(archive, around.self_name))
    wanted = list({*owners.values(), *(each.id for each in archive.entities if each.id is not None)})
    if locked:
        known: Mapping[UUID, Entity] = {each.id: each for each in await entities.lock(tx, wanted)}
    else:
        known = await entities.by_ids(tx, wanted)
    # a thing that was forgotten in this very moment has no name any more
    return merging_things.Held(owners={key: id for key, id in owners.items() if id in known}, entities=known)


async def _facts(tx: Tx, archive: Archive, things: Things, known: Mapping[UUID, Entity]) -> merging_facts.Held:
    about: dict[UUID, list[beliefs.Fact]] = {}
    for each in await facts.of_entities(tx, list(known.keys() & set(things.meant))):
        about.setdefault(each.entity_id, []).append(each)
    told = [
        (None, beliefs.written(things.entities[meant].name, text.storable(fact.content)))
        for given, meant in zip(archive.entities, things.meant, strict=True)
        for fact in given.facts
        if meant is not None and fact.status is Status.ACTIVE
    ]
    holders = await imported_notes.holders(tx, Kind.FACT, told)
    return merging_facts.Held(
        facts=about,
        sources=await facts.sources(tx, [each.id for several in about.values() for each in several]),
        texts={content: id for (_, content), id in holders.items()},
        elsewhere=frozenset(await facts.by_ids(tx, list(holders.values()))),
    )


async def _exchanges(tx: Tx, archive: Archive) -> merging_exchanges.Held:
    texts = merging_exchanges.texts(archive.exchanges)
    holders = await imported_notes.holders(tx, Kind.EXCHANGE, texts)
    referred = await exchanges.referred(tx, list(_references(archive)))
    found = await exchanges.by_ids(tx, [*referred, *holders.values()])
    sessions = [session for session, _ in texts if session is not None]
    return merging_exchanges.Held(
        exchanges=found, texts=holders, positions=await imported_notes.positions(tx, sessions)
    )


def _references(archive: Archive) -> Iterable[Reference]:
    for each in archive.exchanges:
        # one by one: they may mean two of the bank's
        if each.id is not None:
            yield Reference(id=each.id, external_id=str(each.id))
        if each.external_id is not None:
            yield Reference(id=None, external_id=each.external_id)


def _note_ids(archive: Archive) -> list[UUID]:
    offered = [fact.id for each in archive.entities for fact in each.facts] + [each.id for each in archive.exchanges]
    return [each for each in offered if each is not None]


def _of_exchange(exchange: merging_exchanges.New) -> Note:
    turn = exchange.turn
    draft = Draft(
        content=turn.content,
        tags=turn.tags,
        kind=Kind.EXCHANGE,
        session=turn.session,
        position=exchange.position,
        timestamp=exchange.timestamp,
    )
    return Note(id=exchange.id, draft=draft, reach=Reach.MEANING if exchange.archived else Reach.FULL)
