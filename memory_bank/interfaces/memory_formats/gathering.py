"""Gathering: what a file says, record by record, becomes one archive in which each thing stands once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol, TypeVar
from uuid import UUID

from memory_bank.domain import beliefs, transfer
from memory_bank.domain.beliefs import EntityType, Status
from memory_bank.domain.transfer import Archive, Entity, Event, Exchange, Fact, Kind, Relation, Source, Task
from memory_bank.domain.working_memory import WINDOW
from memory_bank.interfaces.memory_formats.problems import Problems

_Moment = TypeVar("_Moment", datetime, float)
_START = datetime.min.replace(tzinfo=UTC)


class _Identified(Protocol):
    @property
    def id(self) -> UUID | None: ...

    @property
    def external_id(self) -> str | None: ...


_Kept = TypeVar("_Kept", Exchange, Task)


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A fact as a record states it: `fact.superseded_by` counts the record's own facts, left-out ones included.

    successor: the id of the fact that took its place. words_alone: no fact of the entity is meant, though one may have
    the words.
    """

    fact: Fact
    position: int
    place: str
    successor: UUID | None = None
    words_alone: bool = False


@dataclass
class _Gathered:
    entity: Entity
    place: str
    stated: list[Stated] = field(default_factory=list)
    seen: dict[object, int] = field(default_factory=dict)


class Gathering:
    """Holds what was read so far."""

    def __init__(self, found: Problems) -> None:
        self._found = found
        self._entities: dict[str, _Gathered] = {}
        self._relations: dict[tuple[str, str, str], Relation] = {}
        self._exchanges: list[Exchange] = []
        self._tasks: list[Task] = []
        self._events: dict[str, list[Event]] = {}
        self._identified: dict[tuple[type, UUID | str], _Identified] = {}

    def entity(self, entity: Entity, stated: Iterable[Stated], *, place: str) -> None:
        """Take an entity with its facts; one of the same name, in any case, is merged with it."""
        key = beliefs.key(entity.name)
        known = self._entities.get(key)
        if known is None:
            known = self._entities[key] = _Gathered(entity=entity, place=place)
            self._take_facts(known, stated, report=True)
            return
        known.entity = _joined_entities(known.entity, entity)
        self._take_facts(known, stated, report=False)
        reason = f"the same name as at {known.place}; their facts are joined, of two values of a tag the later is kept"
        self._found.merge(Kind.ENTITY, entity.name, place=place, reason=reason)

    def relation(self, relation: Relation, *, place: str) -> None:
        """Take a relation; the same one again only widens what is known of it."""
        key = transfer.relation_key(relation)
        known = self._relations.get(key)
        if known is None:
            self._relations[key] = relation
            return
        self._relations[key] = replace(
            known,
            evidence=max(known.evidence, relation.evidence),
            weight=_latest(known.weight, relation.weight),
            created_at=_earliest(known.created_at, relation.created_at),
            last_validated=_latest(known.last_validated, relation.last_validated),
        )
        named = f"{relation.from_name} {relation.type} {relation.to_name}"
        self._found.merge(Kind.RELATION, named, place=place, reason="stands in the file before")

    def exchange(self, exchange: Exchange, *, place: str) -> None:
        """Take an exchange."""
        self._keep(self._exchanges, exchange, Kind.EXCHANGE, place)

    def task(self, task: Task, *, place: str) -> None:
        """Take a task."""
        self._keep(self._tasks, task, Kind.TASK, place)

    def event(self, event: Event) -> None:
        """Take the next event of its session."""
        self._events.setdefault(event.session, []).append(event)

    def archive(self) -> Archive:
        """Return everything taken, in order; of each session the last events that working memory holds."""
        for session, events in self._events.items():
            if len(events) > WINDOW:
                reason = f"a session keeps its last {WINDOW} events; {len(events) - WINDOW} older ones were left out"
                self._found.skip(Kind.EVENT, session, place="workingMemorySessions", reason=reason)
        return transfer.ordered(
            Archive(
                entities=tuple(replace(each.entity, facts=self._facts(each)) for each in self._entities.values()),
                relations=tuple(self._relations.values()),
                exchanges=tuple(self._exchanges),
                tasks=tuple(self._tasks),
                events=tuple(event for events in self._events.values() for event in events[-WINDOW:]),
            )
        )

    def _keep(self, kept: list[_Kept], record: _Kept, kind: Kind, place: str) -> None:
        """Keep a record once; another one under a known id is kept without the id, which must stay unique."""
        ids = [(type(record), each) for each in (record.id, record.external_id) if each is not None]
        known = next((self._identified[each] for each in ids if each in self._identified), None)
        named = record.external_id or str(record.id or "")
        if known == record:
            self._found.merge(kind, named, place=place, reason="stands in the file before")
            return
        if known is not None:
            record = replace(record, id=None, external_id=None)
            reason = "another record of the file has this id; kept under a new one"
            self._found.skip(kind, named, place=place, reason=reason)
        else:
            self._identified.update(dict.fromkeys(ids, record))
        kept.append(record)

    def _take_facts(self, known: _Gathered, stated: Iterable[Stated], *, report: bool) -> None:
        """Add facts to those of the entity, each once."""
        where: dict[int, int] = {}
        fresh: list[int] = []
        for each in stated:
            index = next((known.seen[sign] for sign in _signs(each) if sign in known.seen), None)
            if index is not None and _is_same(known.stated[index].fact, each.fact):
                joined = _joined_facts(known.stated[index].fact, each.fact)
                known.stated[index] = replace(known.stated[index], fact=joined)
                if report:
                    reason = "the entity has this fact already"
                    self._found.merge(Kind.FACT, each.fact.content, place=each.place, reason=reason)
            else:
                if index is not None and each.fact.id is not None and ("id", each.fact.id) in known.seen:
                    each = replace(each, fact=replace(each.fact, id=None))
                index = len(known.stated)
                known.seen.update(dict.fromkeys(_signs(each), index))
                known.stated.append(each)
                fresh.append(index)
            where[each.position] = index
        for index in fresh:
            known.stated[index] = _placed(known.stated[index], where, index)

    def _facts(self, known: _Gathered) -> tuple[Fact, ...]:
        by_id = {each.fact.id: index for index, each in enumerate(known.stated) if each.fact.id is not None}
        newest = _newest_by_words(known.stated)
        chains = _Chains(len(known.stated))
        facts: list[Fact] = []
        for index, each in enumerate(known.stated):
            fact = each.fact
            successor = fact.superseded_by if each.successor is None else by_id.get(each.successor)
            if successor is None and fact.status is not Status.ACTIVE and not each.words_alone:
                successor = _named(fact.superseded_by_content, index, newest)
            if successor is not None and chains.join(index, successor):
                fact = replace(fact, superseded_by=successor, superseded_by_content=None)
            elif fact.superseded_by is not None:
                fact = replace(fact, superseded_by=None)
            facts.append(fact)
        return tuple(facts)


class _Chains:
    """Which fact each history ends at, so that no successor leads back to where it began."""

    def __init__(self, count: int) -> None:
        self._next = list(range(count))

    def join(self, earlier: int, later: int) -> bool:
        """Let `later` follow `earlier`; false where that would close a ring."""
        end = self._end(later)
        if end == earlier:
            return False
        self._next[earlier] = end
        return True

    def _end(self, index: int) -> int:
        end = index
        while self._next[end] != end:
            end = self._next[end]
        while self._next[index] != end:
            self._next[index], index = end, self._next[index]
        return end


def _signs(stated: Stated) -> list[object]:
    fact = stated.fact
    signs: list[object] = [] if fact.id is None else [("id", fact.id)]
    if fact.status is Status.ACTIVE:
        signs.append(("active", fact.content))
    return [*signs, replace(stated, position=0, place="")]


def _is_same(known: Fact, fact: Fact) -> bool:
    return known.content == fact.content and known.status is fact.status


def _placed(stated: Stated, where: Mapping[int, int], index: int) -> Stated:
    position = stated.fact.superseded_by
    if position is None:
        return stated
    successor = where.get(position)
    return replace(stated, fact=replace(stated.fact, superseded_by=None if successor == index else successor))


def _newest_by_words(stated: Sequence[Stated]) -> dict[tuple[str, str], list[int]]:
    """Return the newest facts by their exact words, and by those but for case and a full stop: two of each.

    Two, because a fact is never its own successor.
    """
    found: dict[tuple[str, str], list[int]] = {}
    by_age = sorted(enumerate(stated), key=lambda each: (each[1].fact.first_seen or _START, each[0]), reverse=True)
    for index, each in by_age:
        for words in _words(each.fact.content):
            newest = found.setdefault(words, [])
            if len(newest) < 2:
                newest.append(index)
    return found


def _named(content: str | None, index: int, newest: Mapping[tuple[str, str], list[int]]) -> int | None:
    """Return the newest fact that has the words of the successor, exactly if there is such a one."""
    for words in _words(content) if content else ():
        for each in newest.get(words, ()):
            if each != index:
                return each
    return None


def _words(content: str) -> tuple[tuple[str, str], ...]:
    return ("exact", content), ("like", beliefs.fact_key(content))


def _joined_entities(known: Entity, other: Entity) -> Entity:
    types = tuple(dict.fromkeys((*known.types, *other.types)))
    return replace(
        known,
        id=known.id or other.id,
        types=tuple(each for each in types if each is not EntityType.OTHER) or types,
        tags={**known.tags, **other.tags},
        aliases=tuple({beliefs.key(each): each for each in (*known.aliases, *other.aliases)}.values()),
        created_at=_earliest(known.created_at, other.created_at),
        last_seen=_latest(known.last_seen, other.last_seen),
        access_count=max(known.access_count, other.access_count),
    )


def _joined_facts(known: Fact, other: Fact) -> Fact:
    named = {each.name: each for each in (*other.named_sources, *known.named_sources)}
    return replace(
        known,
        id=known.id or other.id,
        sources=max(known.sources, other.sources),
        named_sources=tuple(Source(name=each.name, first_seen=each.first_seen) for each in named.values()),
        confidence=_latest(known.confidence, other.confidence),
        first_seen=_earliest(known.first_seen, other.first_seen),
        last_confirmed=_latest(known.last_confirmed, other.last_confirmed),
    )


def _earliest(one: _Moment | None, other: _Moment | None) -> _Moment | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _latest(one: _Moment | None, other: _Moment | None) -> _Moment | None:
    return max((each for each in (one, other) if each is not None), default=None)
