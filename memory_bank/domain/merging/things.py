"""Merging entities: which thing of the bank each name of an archive means, and which are new."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memory_bank.domain import beliefs, merging, transfer
from memory_bank.domain.beliefs import Entity, EntityType
from memory_bank.domain.merging import Findings
from memory_bank.domain.transfer import Kind, Outcome
from memory_bank.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Held:
    """What the bank holds of the names: whose each key is, and the things that the names or the ids mean."""

    owners: Mapping[str, UUID]
    entities: Mapping[UUID, Entity]


@dataclass(kw_only=True)
class Things:
    """The things after the import. `meant` has the thing of each entity of the archive, None for refused ones."""

    owners: dict[str, UUID]
    entities: dict[UUID, Entity]
    meant: list[UUID | None] = field(default_factory=list)
    new: set[UUID] = field(default_factory=set)
    changed: set[UUID] = field(default_factory=set)
    retagged: set[UUID] = field(default_factory=set)
    named: dict[str, UUID] = field(default_factory=dict)
    """New names and aliases, with whose they are."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a merge is told about the world: its moment, where new ids come from, and the agent's own name."""

    now: datetime
    fresh: Callable[[], UUID]
    self_name: str

    @property
    def self_names(self) -> tuple[str, ...]:
        """The names under which the agent finds itself."""
        return (self.self_name, *beliefs.SELF_NAMES)


def names(archive: transfer.Archive, self_name: str) -> Iterable[str]:
    """Return every name that the archive mentions, and those of the agent itself."""
    yield from (self_name, *beliefs.SELF_NAMES)
    for entity in archive.entities:
        yield from (entity.name, *entity.aliases)
    for relation in archive.relations:
        yield from (relation.from_name, relation.to_name)


def merge(given: Sequence[transfer.Entity], held: Held, around: Surroundings, found: Findings) -> Things:
    """Return what becomes of the entities.

    One is the bank's thing of the same name or alias, else of the same id. Names go before aliases; what belongs to
    another thing stays there.
    """
    things = Things(owners=dict(held.owners), entities=dict(held.entities))
    merge = _Merge(things, around, found)
    checked = [merge.checked(each) for each in given]
    taken = [None if each is None else merge.take(each) for each in checked]
    for each, took in zip(checked, taken, strict=True):
        if each is not None and took is not None:
            merge.settle(each, took)
    things.meant += [None if took is None else took.id for took in taken]
    return things


def end(name: str, things: Things, at: datetime, around: Surroundings, found: Findings) -> UUID:
    """Return the thing that a relation names, made where nothing has the name; raises `InvalidInput`."""
    called = beliefs.checked_name(name)
    known = things.owners.get(beliefs.key(called))
    if known is not None:
        return known
    entity = transfer.Entity(name=called, created_at=at, last_seen=at)
    found.note(Kind.ENTITY, called, Outcome.ADDED, "named by a relation")
    return _Merge(things, around, found).take(entity).id


@dataclass(frozen=True, kw_only=True)
class _Taken:
    id: UUID
    made: bool = False
    changed: bool = False


class _Merge:
    def __init__(self, things: Things, around: Surroundings, found: Findings) -> None:
        self._things = things
        self._around = around
        self._found = found
        self._self_keys = {beliefs.key(each) for each in around.self_names}

    def checked(self, given: transfer.Entity) -> transfer.Entity | None:
        try:
            merging.check_moments(given.created_at, given.last_seen)
            merging.check_count(given.access_count, field="accessCount")
            return replace(
                given,
                name=beliefs.checked_name(given.name),
                aliases=tuple(beliefs.checked_name(each, field="aliases") for each in given.aliases),
                tags=beliefs.checked_entity_tags(given.tags),
            )
        except InvalidInput as error:
            self._found.refuse(Kind.ENTITY, given.name, error)
            return None

    def take(self, given: transfer.Entity) -> _Taken:
        """Return the thing that an entity means, joined with it or made."""
        known = self._known(given)
        if known is None:
            return _Taken(id=self._make(given), made=True)
        entity = self._things.entities[known]
        joined = _joined(entity, given)
        if joined == entity:
            return _Taken(id=known)
        self._things.entities[known] = joined
        self._things.changed.add(known)
        if joined.tags != entity.tags:
            self._things.retagged.add(known)
        return _Taken(id=known, changed=True)

    def settle(self, given: transfer.Entity, taken: _Taken) -> None:
        """Give a thing its further names, and note what became of the entity."""
        things, gained = self._things, False
        reasons: list[str] = []
        for name in (given.name, *given.aliases):
            gained |= self._claim(name, taken.id)
            owner = things.owners[beliefs.key(name)]
            if owner != taken.id:
                reasons.append(f"{name!r} is a name of {things.entities[owner].name!r} and stays that")
        entity = things.entities[taken.id]
        if beliefs.key(entity.name) != beliefs.key(given.name):
            reasons.append(f"called {entity.name!r} here")
        reasons += [
            f"tag {name!r} stays {entity.tags[name]!r}"
            for name, value in given.tags.items()
            if entity.tags.get(name, value) != value
        ]
        if given.tags.keys() - entity.tags.keys():
            reasons.append("its tags are left out, together they would be too many")
        changed = gained or taken.changed
        self._found.settle(Kind.ENTITY, given.name, added=taken.made, changed=changed, reasons=reasons)

    def _known(self, given: transfer.Entity) -> UUID | None:
        owners = self._things.owners
        if (named := owners.get(beliefs.key(given.name))) is not None:
            return named
        if given.id in self._things.entities:
            return given.id
        if self._is_self(given):
            return next((owners[key] for key in sorted(self._self_keys) if key in owners), None)
        return None

    def _make(self, given: transfer.Entity) -> UUID:
        around, things = self._around, self._things
        id = around.fresh() if given.id is None or given.id in things.entities else given.id
        name, types = given.name, given.types or (EntityType.OTHER,)
        if self._is_self(given):
            name = around.self_name if beliefs.key(name) in map(beliefs.key, beliefs.SELF_NAMES) else name
            types = types if EntityType.AGENT_SELF in types else (EntityType.AGENT_SELF, *types)
        things.entities[id] = Entity(
            id=id,
            name=name,
            types=types,
            tags=given.tags,
            created_at=given.created_at or given.last_seen or around.now,
            last_seen=given.last_seen or given.created_at or around.now,
            access_count=given.access_count,
        )
        things.new.add(id)
        for each in (name, *(around.self_names if self._is_self(given) else ())):
            self._claim(each, id)
        return id

    def _claim(self, name: str, id: UUID) -> bool:
        """Give a thing a name that nobody has; tell whether it is new."""
        key, things = beliefs.key(name), self._things
        if key in things.owners:
            return False
        things.owners[key] = things.named[name] = id
        entity = things.entities[id]
        if key != beliefs.key(entity.name):
            things.entities[id] = replace(entity, aliases=(*entity.aliases, name))
        return True

    def _is_self(self, given: transfer.Entity) -> bool:
        return not self._self_keys.isdisjoint(map(beliefs.key, (given.name, *given.aliases)))


def _joined(known: Entity, given: transfer.Entity) -> Entity:
    types = tuple(dict.fromkeys((*known.types, *(each for each in given.types if each is not EntityType.OTHER))))
    if known.types == (EntityType.OTHER,) and len(types) > 1:
        # what nobody had said is no longer needed
        types = types[1:]
    tags = {**known.tags, **{name: value for name, value in given.tags.items() if name not in known.tags}}
    try:
        beliefs.note_tags(tags)
    except InvalidInput:
        tags = dict(known.tags)
    return replace(
        known,
        types=types,
        tags=tags,
        created_at=min(known.created_at, given.created_at or known.created_at),
        last_seen=max(known.last_seen, given.last_seen or known.last_seen),
        access_count=max(known.access_count, given.access_count),
    )
