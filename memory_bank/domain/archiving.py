"""Archiving: what a bank holds, as the archive that a file is written from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory_bank.domain import beliefs, exchanges, relations, tasks, transfer, working_memory
from memory_bank.domain.transfer import Archive


@dataclass(frozen=True, kw_only=True)
class Held:
    """Everything of a bank that an archive has a place for. sources: who stated each fact, and when first."""

    entities: Sequence[beliefs.Entity]
    facts: Sequence[beliefs.Fact]
    sources: Mapping[UUID, Mapping[str, datetime]]
    relations: Sequence[relations.Relation]
    exchanges: Sequence[exchanges.Exchange]
    tasks: Sequence[tasks.Task]
    events: Sequence[working_memory.Event]


def archive(held: Held, *, now: datetime) -> Archive:
    """Return the archive of a bank; how sure its facts are is told as of `now`."""
    about: dict[UUID, list[beliefs.Fact]] = {}
    for each in held.facts:
        about.setdefault(each.entity_id, []).append(each)
    return transfer.ordered(
        Archive(
            entities=tuple(_entity(each, _facts(about.get(each.id, ()), held, now)) for each in held.entities),
            relations=tuple(_relation(each) for each in held.relations),
            exchanges=tuple(_exchange(each) for each in held.exchanges),
            tasks=tuple(_task(each) for each in held.tasks),
            events=tuple(
                transfer.Event(session=each.session, type=each.type, content=each.content, created_at=each.created_at)
                for each in held.events
            ),
        )
    )


def _entity(entity: beliefs.Entity, facts: tuple[transfer.Fact, ...]) -> transfer.Entity:
    key = beliefs.key(entity.name)
    return transfer.Entity(
        id=entity.id,
        name=entity.name,
        types=entity.types,
        tags=entity.tags,
        # another spelling of the name itself is no alias that a bank could hold beside it
        aliases=tuple(each for each in entity.aliases if beliefs.key(each) != key),
        facts=facts,
        created_at=entity.created_at,
        last_seen=entity.last_seen,
        access_count=entity.access_count,
    )


def _facts(facts: Sequence[beliefs.Fact], held: Held, now: datetime) -> tuple[transfer.Fact, ...]:
    places = {each.id: place for place, each in enumerate(facts)}
    return tuple(
        transfer.Fact(
            id=each.id,
            content=each.content,
            sources=each.sources,
            named_sources=tuple(
                transfer.Source(name=name, first_seen=moment) for name, moment in held.sources.get(each.id, {}).items()
            ),
            confidence=each.confidence(now),
            first_seen=each.first_seen,
            last_confirmed=each.last_confirmed,
            status=each.status,
            superseded_by=None if each.superseded_by is None else places.get(each.superseded_by),
            superseded_by_content=each.superseded_by_content if each.superseded_by is None else None,
            superseded_at=each.superseded_at,
            reason=each.reason,
            cause=each.cause,
        )
        for each in facts
    )


def _relation(relation: relations.Relation) -> transfer.Relation:
    return transfer.Relation(
        from_name=relation.from_name,
        type=relation.type,
        to_name=relation.to_name,
        evidence=relation.evidence,
        weight=relation.weight,
        created_at=relation.created_at,
        last_validated=relation.last_validated,
    )


def _exchange(exchange: exchanges.Exchange) -> transfer.Exchange:
    return transfer.Exchange(
        id=exchange.id,
        external_id=exchange.external_id,
        user=exchange.user,
        assistant=exchange.assistant,
        session=exchange.session,
        timestamp=exchange.timestamp,
        importance=exchange.importance,
        importance_given=exchange.importance_given,
        tags=exchange.tags,
        repeats=exchange.repeats,
        merged=exchange.merged,
        archived=exchange.archived,
    )


def _task(task: tasks.Task) -> transfer.Task:
    return transfer.Task(
        id=task.id,
        external_id=task.external_id,
        title=task.title,
        goal=task.goal,
        status=task.status,
        priority=task.priority,
        importance=task.importance,
        budget_remaining=task.budget_remaining,
        success_condition=task.success_condition,
        stop_reason=task.stop_reason,
        session=task.session,
        started_at=task.started_at,
        last_step_at=task.last_step_at,
        ended_at=task.ended_at,
    )
