"""Transfer: what a file of memories holds, with names in the place of ids, and what became of each part of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import beliefs
from memory_bank.domain.beliefs import Cause, EntityType, Status
from memory_bank.domain.exchanges import Merged
from memory_bank.domain.tasks import TaskStatus
from memory_bank.domain.working_memory import EventType


@dataclass(frozen=True, kw_only=True)
class Source:
    """Who stated a fact, and when for the first time."""

    name: str
    first_seen: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A belief about the entity that holds it.

    superseded_by: the place, among the entity's facts, of the one that took its place; where that is none of them,
    `superseded_by_content` may have its words. confidence: what the file states, 0 to 1; ours follows from the sources
    and the last confirmation.
    """

    id: UUID | None = None
    content: str
    sources: int = 1
    named_sources: tuple[Source, ...] = ()
    confidence: float | None = None
    first_seen: datetime | None = None
    last_confirmed: datetime | None = None
    status: Status = Status.ACTIVE
    superseded_by: int | None = None
    superseded_by_content: str | None = None
    superseded_at: datetime | None = None
    reason: str = ""
    cause: Cause | None = None


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A named thing with its facts, active and former ones. Its name is unlike every other name of the archive."""

    id: UUID | None = None
    name: str
    types: tuple[EntityType, ...] = (EntityType.OTHER,)
    tags: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    created_at: datetime | None = None
    last_seen: datetime | None = None
    access_count: int = 0


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A typed edge between two names, which need not be entities of the archive. weight: as the file states it."""

    from_name: str
    type: str
    to_name: str
    evidence: int = 1
    weight: float | None = None
    created_at: datetime | None = None
    last_validated: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A kept turn. `external_id` is its id elsewhere, `id` the one that it has or had in Memory Bank.

    importance: 0 to 1, None where the file gives none.
    """

    id: UUID | None = None
    external_id: str | None = None
    user: str
    assistant: str
    session: str | None = None
    timestamp: datetime | None = None
    importance: float | None = None
    importance_given: bool = False
    tags: tuple[str, ...] = ()
    repeats: int = 0
    merged: tuple[Merged, ...] = ()
    archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Task:
    """Something that an agent set out to do; its ids are as of an exchange."""

    id: UUID | None = None
    external_id: str | None = None
    title: str
    goal: str = ""
    status: TaskStatus
    priority: float | None = None
    importance: float | None = None
    budget_remaining: float | None = None
    success_condition: str = ""
    stop_reason: str = ""
    session: str | None = None
    started_at: datetime | None = None
    last_step_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a session; the events of one session stand in the order in which they happened."""

    session: str
    type: EventType
    content: str
    created_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Archive:
    """The beliefs, exchanges, tasks and events of a bank.

    All moments are aware and UTC; None is a moment that the file does not tell: the import's own stands in for it.
    """

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    tasks: tuple[Task, ...] = ()
    events: tuple[Event, ...] = ()


class Kind(StrEnum):
    """What an item of a report is about."""

    FILE = "file"
    LINE = "line"
    FIELD = "field"
    ENTITY = "entity"
    FACT = "fact"
    RELATION = "relation"
    EXCHANGE = "exchange"
    TASK = "task"
    EVENT = "event"


class Outcome(StrEnum):
    """What became of an item."""

    ADDED = "added"
    MERGED = "merged"
    """Joined with what was there already."""
    SKIPPED = "skipped"
    """Left out, or taken without a part of it, for a reason that is no fault of the file."""
    REFUSED = "refused"
    """Broken, and left out."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """What became of one part of a file. key: what it is called; place: where it stands, such as line 12."""

    kind: Kind
    key: str
    outcome: Outcome
    reason: str = ""
    place: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What became of everything in a file."""

    items: tuple[Item, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing was refused."""
        return all(each.outcome is not Outcome.REFUSED for each in self.items)

    def totals(self) -> Mapping[Outcome, int]:
        """Return how many items had each outcome."""
        counted = Counter(each.outcome for each in self.items)
        return {each: counted[each] for each in Outcome}


def ordered(archive: Archive) -> Archive:
    """Return the archive in the one order in which it is written.

    Entities by name, relations by their ends, exchanges and tasks by time; facts of an entity and events of a session
    keep theirs, which has a meaning.
    """
    return replace(
        archive,
        entities=tuple(sorted(archive.entities, key=lambda each: beliefs.key(each.name))),
        relations=tuple(sorted(archive.relations, key=relation_key)),
        exchanges=tuple(sorted(archive.exchanges, key=_exchange_order)),
        tasks=tuple(sorted(archive.tasks, key=_task_order)),
        events=tuple(sorted(archive.events, key=lambda each: each.session)),
    )


def relation_key(relation: Relation) -> tuple[str, str, str]:
    """Return what two statements of one relation share."""
    return beliefs.key(relation.from_name), relation.type, beliefs.key(relation.to_name)


def _exchange_order(exchange: Exchange) -> tuple[datetime, str, str]:
    return _instant(exchange.timestamp), exchange.external_id or "", str(exchange.id or "")


def _task_order(task: Task) -> tuple[datetime, str, str]:
    return _instant(task.started_at), task.external_id or "", str(task.id or "")


def _instant(moment: datetime | None) -> datetime:
    return moment or datetime.min.replace(tzinfo=UTC)
