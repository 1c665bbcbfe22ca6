"""Writing: an archive as memory.json version 7, with fields of ours for what that has no place for."""

import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from memory_bank.domain import beliefs, transfer
from memory_bank.domain.beliefs import EntityType, Status
from memory_bank.domain.transfer import Archive, Entity, Event, Exchange, Fact, Relation, Task
from memory_bank.interfaces.memory_formats import records
from memory_bank.providers import whole_files

VERSION = 7


def write(archive: Archive, file: Path, *, overwrite: bool) -> int:
    """Write the archive whole or not at all; return the size of the file in bytes."""
    with whole_files.writing(file, overwrite=overwrite) as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        json.dump(_tree(transfer.ordered(archive)), lines, ensure_ascii=False, allow_nan=False, indent=2)
        lines.write("\n")
        lines.detach()
        return stream.tell()


def _tree(archive: Archive) -> dict[str, object]:
    sessions: dict[str, list[object]] = {}
    for event in archive.events:
        sessions.setdefault(event.session, []).append(_event(event))
    entities: dict[str, object] = {}
    for entity in archive.entities:
        key = entity.name.lower()
        while key in entities:
            key += "'"
        entities[key] = _entity(entity)
    return {
        "version": VERSION,
        "entities": entities,
        "relations": [_relation(each) for each in archive.relations],
        "exchanges": [_exchange(each) for each in archive.exchanges],
        "activeTasks": [_task(each) for each in archive.tasks],
        "workingMemorySessions": sessions,
    }


def _entity(entity: Entity) -> dict[str, object]:
    first = entity.types[0] if entity.types else EntityType.OTHER
    words = Counter(beliefs.fact_key(each.content) for each in entity.facts)
    return {
        "name": entity.name,
        "type": first.value,
        "facts": [_fact(each, entity.facts, words) for each in entity.facts],
        **_said("lastSeen", _time(entity.last_seen)),
        "accessCount": entity.access_count,
        **_said("tags", dict(entity.tags)),
        **_said("id", _id(entity.id)),
        **({} if entity.types == (first,) else {"types": [each.value for each in entity.types]}),
        **_said("aliases", list(entity.aliases)),
        **_said("createdAt", _time(entity.created_at)),
    }


def _fact(fact: Fact, facts: Sequence[Fact], words: Mapping[str, int]) -> dict[str, object]:
    successor = None if fact.superseded_by is None else facts[fact.superseded_by]
    named = fact.superseded_by_content if successor is None else successor.content
    return {
        "content": fact.content,
        **_said("confidence", fact.confidence),
        "sources": fact.sources,
        **_said("firstSeen", _time(fact.first_seen)),
        **_said("lastConfirmed", _time(fact.last_confirmed)),
        "status": fact.status.value,
        **_said("supersededBy", named),
        **_said("supersededAt", _time(fact.superseded_at)),
        **_said("id", _id(fact.id)),
        **_said(
            "namedSources",
            [{"name": each.name, **_said("firstSeen", _time(each.first_seen))} for each in fact.named_sources],
        ),
        **_said("supersededById", None if successor is None else _id(successor.id)),
        **_said("supersededByIndex", fact.superseded_by if successor is not None and successor.id is None else None),
        **_said("supersededByWordsAlone", successor is None and _could_mean(fact, words)),
        **_said("reason", fact.reason),
        **_said("cause", None if fact.cause is None else fact.cause.value),
    }


def _could_mean(fact: Fact, words: Mapping[str, int]) -> bool:
    """Tell whether a reader would take the successor's words for those of another fact of the entity."""
    if fact.superseded_by_content is None or fact.status is Status.ACTIVE:
        return False
    meant = beliefs.fact_key(fact.superseded_by_content)
    return words.get(meant, 0) > (meant == beliefs.fact_key(fact.content))


def _relation(relation: Relation) -> dict[str, object]:
    return {
        "from": relation.from_name,
        "to": relation.to_name,
        "type": relation.type,
        **_said("weight", relation.weight),
        "evidenceCount": relation.evidence,
        **_said("lastValidated", _time(relation.last_validated)),
        **_said("createdAt", _time(relation.created_at)),
    }


def _exchange(exchange: Exchange) -> dict[str, object]:
    pairs = dict(each.split(":", 1) for each in exchange.tags if ":" in each)
    in_map = tuple(f"{name}:{value}" for name, value in pairs.items()) == exchange.tags
    merged = [{"user": each.user, "assistant": each.assistant, "timestamp": _time(each.at)} for each in exchange.merged]
    return {
        **_said("id", exchange.external_id or _id(exchange.id)),
        "user": exchange.user,
        "assistant": exchange.assistant,
        **_said("timestamp", _time(exchange.timestamp)),
        **_said("sessionId", exchange.session),
        **_said("importance", exchange.importance),
        **_said("tags", pairs),
        **_ids(exchange.id, exchange.external_id),
        **({} if in_map else {"tagList": list(exchange.tags)}),
        **_said("importanceGiven", exchange.importance_given),
        **({"repeats": exchange.repeats} if exchange.repeats else {}),
        **_said("merged", merged),
        **_said("archived", exchange.archived),
    }


def _task(task: Task) -> dict[str, object]:
    return {
        **_said("id", task.external_id or _id(task.id)),
        "title": task.title,
        "goal": task.goal,
        "status": task.status.value,
        **_said("startedAt", _time(task.started_at)),
        **_said("lastStepAt", _time(task.last_step_at)),
        **_said("priority", task.priority),
        **_said("importance", task.importance),
        **_said("budgetRemaining", task.budget_remaining),
        **_said("successCondition", task.success_condition),
        **_said("stopReason", task.stop_reason),
        **_ids(task.id, task.external_id),
        **_said("sessionId", task.session),
        **_said("endedAt", _time(task.ended_at)),
    }


def _event(event: Event) -> dict[str, object]:
    return {
        "type": event.type.value,
        "content": event.content,
        **_said("timestamp", _time(event.created_at)),
        "sessionId": event.session,
    }


def _ids(id: UUID | None, external_id: str | None) -> dict[str, object]:
    """Return our id where another one has the place of ids, and that one again where it is spelt like ours."""
    if external_id is None:
        return {}
    spelt_like_ours = records.is_own_id(external_id)
    return {**_said("memoryBankId", _id(id)), **_said("externalId", external_id if spelt_like_ours else None)}


def _id(id: UUID | None) -> str | None:
    return None if id is None else str(id)


def _time(moment: datetime | None) -> int | float | str | None:
    """Return milliseconds since 1970; ISO 8601 for the moments whose microseconds a number cannot hold."""
    if moment is None:
        return None
    microseconds = (moment - records.EPOCH) // timedelta(microseconds=1)
    if microseconds % 1000 == 0:
        return microseconds // 1000
    milliseconds = microseconds / 1000
    return milliseconds if round(milliseconds * 1000) == microseconds else moment.isoformat()


def _said(name: str, value: object) -> dict[str, object]:
    """Return a field, or none where there is nothing to say; 0 says something."""
    empty = value is None or value is False or value in ("", [], {})
    return {} if empty else {name: value}
