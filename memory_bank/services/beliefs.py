"""Beliefs: stating facts about things, revising them, and looking back at what was believed before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory_bank.domain import banks, beliefs, text
from memory_bank.domain.beliefs import Cause, Entity, EntityType, Fact, OnConflict, Statement, Status
from memory_bank.domain.notes import Draft, Kind, When
from memory_bank.domain.tasks import Outcome
from memory_bank.errors import Conflict, InvalidInput, NotFound
from memory_bank.services import inference, judging, succession
from memory_bank.services.clock import Clock
from memory_bank.services.judging import Contradicted, Judge, Verdicts
from memory_bank.services.writing import NoteWriter, Ready
from memory_bank.store import banks as bank_rows
from memory_bank.store import entities, facts, notes
from memory_bank.store.database import Database, Tx


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What a statement changed. `held_back` are new facts that were not stored, as the caller asked to be asked."""

    entity: Entity
    created: bool
    added: tuple[Fact, ...] = ()
    confirmed: tuple[Fact, ...] = ()
    replaced: tuple[Fact, ...] = ()
    contradicted: tuple[Contradicted, ...] = ()
    held_back: tuple[str, ...] = ()
    active: int = 0
    historical: int = 0


@dataclass(frozen=True, kw_only=True)
class Believed:
    """A fact with the thing it is about."""

    fact: Fact
    entity: Entity


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A checked statement with everything that no transaction may wait for.

    `steps` are its facts in runs that do not contradict themselves: a later run is stated after an earlier one.
    """

    statement: Statement
    steps: Sequence[tuple[str, ...]]
    ready: Mapping[str, Ready]
    verdicts: Verdicts


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """What becomes of the new facts of a statement: stored, counted again, or held back, and what gives way to them."""

    added: tuple[str, ...]
    confirmed: tuple[Fact, ...]
    held_back: tuple[str, ...]
    contradicted: tuple[Contradicted, ...]


class BeliefService:
    """What callers do with entities and their facts; every method works in one bank.

    `self_name` is the name of the entity that stands for the agent itself.
    """

    def __init__(
        self, *, database: Database, writer: NoteWriter, clock: Clock, self_name: str, judge: Judge | None = None
    ) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock
        self._self_name = self_name
        self._judge = judge

    async def remember(self, bank: str, statement: Statement) -> Remembered:
        """Make an entity or add to it, and let the facts that no longer hold give way.

        Raises `InvalidInput`; `NotFound` when facts are to be replaced or restored that do not exist; `Conflict` when
        a name belongs to another entity.
        """
        name = banks.checked_name(bank)
        given = beliefs.checked(self._with_self(statement))
        if given.undo is not None:
            return await self._undo(name, given, given.undo)
        prepared = await self.prepare(name, given)
        async with self._database.transaction(name) as tx:
            return await self.state(tx, prepared)

    async def prepare(self, bank: str, statement: Statement) -> Prepared:
        """Make a checked statement ready to be stated: its facts embedded, and judged against those it meets."""
        async with self._database.transaction(bank) as tx:
            known = await entities.by_name(tx, statement.name)
            held = [] if known is None else await facts.of_entities(tx, [known.id])
        called = statement.rename or (statement.name if known is None else known.name)
        contents = [beliefs.written(called, each) for each in statement.facts]
        ready = await self._writer.ready(contents)
        active = [each for each in held if each.status is Status.ACTIVE]
        verdicts = await judging.verdicts(self._judge, called, active, statement.facts)
        return Prepared(
            statement=statement,
            steps=await judging.steps(called, statement.facts, verdicts=verdicts),
            ready=dict(zip(statement.facts, ready, strict=True)),
            verdicts=verdicts,
        )

    async def state(self, tx: Tx, prepared: Prepared) -> Remembered:
        """Store a prepared statement in the caller's transaction; raises as `remember` does.

        Facts that contradict each other are stated one after the other, as in several calls.
        """
        first, *rest = prepared.steps
        done = [await self._state(tx, prepared, replace(prepared.statement, facts=first))]
        for step in rest:
            further = Statement(
                name=prepared.statement.name,
                facts=step,
                source=prepared.statement.source,
                on_conflict=prepared.statement.on_conflict,
            )
            done.append(await self._state(tx, prepared, further))
        return done[0] if not rest else await _together(tx, done)

    async def _state(self, tx: Tx, prepared: Prepared, given: Statement) -> Remembered:
        now = self._clock.now()
        await bank_rows.ensure(tx, now=now)
        if given.aliases or given.rename:
            await entities.naming(tx)
        if given.supersede and not given.facts and await entities.by_name(tx, given.name) is None:
            raise NotFound(f"nothing called {given.name!r} is known in bank {tx.bank!r}; nothing was changed")
        entity, created = await self._claimed(tx, given, now=now)
        held = await facts.of_entities(tx, [entity.id])
        active = [each for each in held if each.status is Status.ACTIVE]
        stated = {beliefs.fact_key(each) for each in given.facts}
        named = _named(active, given.supersede)
        # what is stated again holds on: nothing takes its own place
        replaced = [each for each in named if beliefs.fact_key(each.content) not in stated]
        if given.supersede and not named and not given.facts:
            sought = text.preview(given.supersede, limit=80)
            raise NotFound(
                f"no active fact of {entity.name!r} says {sought!r}; recall it in mode entity to see its facts"
            )
        staying = [each for each in active if each not in replaced]
        plan = await self._planned(given, prepared.verdicts, entity, staying)
        ready = [prepared.ready[each] for each in plan.added]
        added = await self._add(tx, given, entity, plan.added, ready, now=now)
        await facts.confirm(tx, [each.id for each in plan.confirmed], source=given.source, now=now)
        by_content = {each.content: each for each in (*added, *plan.confirmed)}
        await self._give_way(tx, given, replaced, plan, by_content, now=now)
        entity = await self._written(tx, entity, given, now=now)
        await inference.infer(tx, entity, added, created=created, now=now)
        current = await facts.of_entities(tx, [entity.id])
        known = {each.id: each for each in current}
        return Remembered(
            entity=entity,
            created=created,
            added=tuple(known[each.id] for each in added),
            confirmed=tuple(known[each.id] for each in plan.confirmed),
            replaced=tuple(known[each.id] for each in replaced),
            contradicted=tuple(replace(each, old=known[each.old.id]) for each in plan.contradicted),
            held_back=plan.held_back,
            active=sum(each.status is Status.ACTIVE for each in current),
            historical=sum(each.status is not Status.ACTIVE for each in current),
        )

    async def entity(self, bank: str, name: str) -> tuple[Entity, list[Fact]]:
        """Return an entity by name or alias with all its facts, and count it as shown; raises `NotFound`."""
        bank = banks.checked_name(bank)
        called = beliefs.checked_name(name)
        async with self._database.transaction(bank) as tx:
            found = await entities.by_name(tx, called)
            if found is None and self._is_self(called):
                await bank_rows.ensure(tx, now=self._clock.now())
                found, _ = await self._claimed(tx, self._with_self(Statement(name=called)), now=self._clock.now())
            if found is None:
                raise NotFound(f"nothing called {called!r} is known in bank {bank!r}; search for it by what it does")
            held = await facts.of_entities(tx, [found.id])
            await entities.seen(tx, [found.id], now=self._clock.now())
            await notes.mark_recalled(
                tx,
                [each.id for each in held if each.status is Status.ACTIVE],
                now=int(self._clock.now().timestamp()),
            )
        return replace(found, access_count=found.access_count + 1), held

    async def believed(self, bank: str, ids: Sequence[UUID]) -> dict[UUID, Believed]:
        """Return the facts among these notes with what they are about."""
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            found = await facts.by_ids(tx, ids)
            about = await entities.by_ids(tx, [each.entity_id for each in found.values()])
        return {
            id: Believed(fact=fact, entity=about[fact.entity_id])
            for id, fact in found.items()
            if fact.entity_id in about
        }

    async def earlier(self, bank: str, ids: Sequence[UUID]) -> list[Fact]:
        """Return what these facts took the place of, directly or not, in the order in which it gave way."""
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            return await facts.earlier(tx, ids)

    def _is_self(self, name: str) -> bool:
        return beliefs.key(name) in (*beliefs.SELF_NAMES, beliefs.key(self._self_name))

    def _with_self(self, statement: Statement) -> Statement:
        """Return a statement about the agent itself as one about the entity that stands for it."""
        if not self._is_self(statement.name):
            return statement
        return replace(
            statement,
            name=self._self_name,
            types=tuple(dict.fromkeys((EntityType.AGENT_SELF, *statement.types))),
            aliases=(*statement.aliases, *beliefs.SELF_NAMES),
        )

    async def _claimed(self, tx: Tx, given: Statement, *, now: datetime) -> tuple[Entity, bool]:
        new = entities.New(
            name=given.name, types=given.types or (EntityType.OTHER,), tags=given.tags, created_at=now, last_seen=now
        )
        claimed, made = await entities.claim(tx, [new])
        entity = claimed.get(beliefs.key(given.name))
        if entity is None:
            raise Conflict(f"{given.name!r} was forgotten by another caller at the same moment; state it again")
        return entity, entity.id in made

    async def _planned(self, given: Statement, verdicts: Verdicts, entity: Entity, active: Sequence[Fact]) -> _Plan:
        known = {beliefs.fact_key(each.content): each for each in active}
        confirmed = [known[beliefs.fact_key(each)] for each in given.facts if beliefs.fact_key(each) in known]
        fresh = [each for each in given.facts if beliefs.fact_key(each) not in known]
        others = [each for each in active if each not in confirmed]
        against = await judging.contradicted(
            entity.name,
            others,
            fresh,
            verdicts=verdicts,
            superseded=given.on_conflict is OnConflict.SUPERSEDE,
        )
        asking = given.on_conflict is OnConflict.ASK
        held_back = {each.new for each in against} if asking else set()
        return _Plan(
            added=tuple(each for each in fresh if each not in held_back),
            confirmed=tuple(confirmed),
            held_back=tuple(each for each in fresh if each in held_back),
            contradicted=tuple(against),
        )

    async def _add(
        self,
        tx: Tx,
        given: Statement,
        entity: Entity,
        new: Sequence[str],
        ready: Sequence[Ready],
        *,
        now: datetime,
    ) -> list[Fact]:
        tags = beliefs.note_tags({**entity.tags, **given.tags})
        drafts = [Draft(content=each.content, tags=tags, kind=Kind.FACT, timestamp=now) for each in ready]
        stored = await self._writer.add(tx, drafts, ready, when=When.QUEUED)
        added = [
            Fact(
                id=each.id,
                entity_id=entity.id,
                content=fact,
                sources=1,
                first_seen=now,
                last_confirmed=now,
                named_sources=(given.source,) if given.source else (),
            )
            for each, fact in zip(stored, new, strict=True)
        ]
        await facts.add(tx, added)
        return added

    async def _give_way(
        self,
        tx: Tx,
        given: Statement,
        replaced: Sequence[Fact],
        plan: _Plan,
        by_content: Mapping[str, Fact],
        *,
        now: datetime,
    ) -> None:
        if replaced:
            by_key = {beliefs.fact_key(content): fact for content, fact in by_content.items()}
            successor = by_key.get(beliefs.fact_key(given.facts[0])) if given.facts else None
            reason = "replaced by the caller" if successor else "removed by the caller"
            await facts.supersede(
                tx,
                [each.id for each in replaced],
                by=None if successor is None else successor.id,
                reason=reason,
                cause=Cause.CALLER,
                now=now,
            )
        for each in plan.contradicted:
            if each.superseded:
                await facts.supersede(
                    tx,
                    [each.old.id],
                    by=by_content[each.new].id,
                    reason=each.reason,
                    cause=Cause.CONTRADICTION,
                    now=now,
                )
        gone = {each.id for each in replaced} | {each.old.id for each in plan.contradicted if each.superseded}
        await self._writer.withdraw(tx, sorted(gone))

    async def _written(self, tx: Tx, entity: Entity, given: Statement, *, now: datetime) -> Entity:
        """Merge what is said about the entity itself into it."""
        names = [*given.aliases, given.rename] if given.rename else list(given.aliases)
        if names:
            await entities.name(tx, entity.id, names)
            owners = await entities.owners(tx, names)
            for each in names:
                if owners.get(beliefs.key(each)) != entity.id:
                    raise Conflict(f"{each!r} is the name of another entity; choose another name, or forget that one")
        types = tuple(dict.fromkeys((*entity.types, *given.types)))
        if len(types) > 1:
            # what nobody had said is no longer needed
            types = tuple(each for each in types if each is not EntityType.OTHER or EntityType.OTHER in given.types)
        tags = {**entity.tags, **given.tags}
        await entities.write(tx, entity.id, name=given.rename or entity.name, types=types, tags=tags, now=now)
        if tags != dict(entity.tags):
            await facts.retag(tx, {entity.id: beliefs.note_tags(tags)})
        return (await entities.by_ids(tx, [entity.id]))[entity.id]

    async def _undo(self, bank: str, given: Statement, id: UUID) -> Remembered:
        """Let a fact that gave way hold again, in place of what holds instead unless both are to be kept."""
        async with self._database.transaction(bank) as tx:
            texts = {note.id: note.content for note in await notes.by_ids(tx, [id])}
            found = await facts.by_ids(tx, [id])
        if id not in texts or id not in found:
            raise NotFound(f"no fact {id} in bank {bank!r}; recall in mode history shows the ids")
        (ready,) = await self._writer.ready([texts[id]])
        now = self._clock.now()
        async with self._database.transaction(bank) as tx:
            entity = next(iter(await entities.lock(tx, [found[id].entity_id])), None)
            if entity is None or beliefs.key(given.name) not in map(beliefs.key, (entity.name, *entity.aliases)):
                raise InvalidInput("undo", f"fact {id} is not about {given.name!r}; give the name it belongs to")
            held = {each.id: each for each in await facts.of_entities(tx, [entity.id])}
            fact = held[id]
            if fact.status is Status.ACTIVE:
                raise Conflict(f"fact {id} holds already; nothing was changed")
            for each in held.values():
                if each.status is Status.ACTIVE and beliefs.fact_key(each.content) == beliefs.fact_key(fact.content):
                    raise Conflict(f"the same words hold already, as fact {each.id}; nothing was changed")
            gone = (
                []
                if given.on_conflict is OnConflict.KEEP_BOTH
                else await succession.holding_instead(entity, held, fact)
            )
            await facts.reactivate(tx, id)
            await self._writer.restore(tx, id, ready)
            if gone:
                await facts.supersede(tx, gone, by=id, reason="the change to it was undone", cause=Cause.UNDO, now=now)
                await self._writer.withdraw(tx, gone)
            current = {each.id: each for each in await facts.of_entities(tx, [entity.id])}
        return Remembered(
            entity=entity,
            created=False,
            confirmed=(current[id],),
            replaced=tuple(current[each] for each in gone),
            active=sum(each.status is Status.ACTIVE for each in current.values()),
            historical=sum(each.status is not Status.ACTIVE for each in current.values()),
        )


class OutcomeBeliefs:
    """Keeps how tasks ended as facts: an `OutcomeKeeper`."""

    def __init__(self, beliefs: BeliefService) -> None:
        self._beliefs = beliefs

    async def prepare(self, bank: str, outcome: Outcome) -> Prepared:
        """Make the facts of an outcome ready; several ends of one task do not contradict each other."""
        statement = Statement(
            name=outcome.name, types=(outcome.type,), facts=outcome.facts, on_conflict=OnConflict.KEEP_BOTH
        )
        return await self._beliefs.prepare(bank, beliefs.checked(statement))

    async def keep(self, tx: Tx, prepared: Prepared) -> None:
        """State them in the transaction that ends the task."""
        await self._beliefs.state(tx, prepared)


def _named(active: Sequence[Fact], words: str) -> list[Fact]:
    """Return the active facts that a caller names by an id or by words that they hold."""
    if not words:
        return []
    key = beliefs.fact_key(words)
    return [each for each in active if str(each.id) == key or key in beliefs.key(each.content)]


async def _together(tx: Tx, done: Sequence[Remembered]) -> Remembered:
    """Return what several steps changed as one answer, with each fact as it is after the last of them."""
    held = {each.id: each for each in await facts.of_entities(tx, [done[-1].entity.id])}

    def now_of(told: Iterable[Fact]) -> tuple[Fact, ...]:
        return tuple(held[id] for id in dict.fromkeys(each.id for each in told))

    return replace(
        done[-1],
        created=done[0].created,
        added=now_of(each for step in done for each in step.added),
        confirmed=now_of(each for step in done for each in step.confirmed),
        replaced=now_of(each for step in done for each in step.replaced),
        contradicted=tuple(replace(each, old=held[each.old.id]) for step in done for each in step.contradicted),
        held_back=tuple(each for step in done for each in step.held_back),
    )
