"""The published memory.json, versions 4 to 7, and the records that every format is brought to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal
from uuid import UUID

from memory_bank.domain import beliefs, exchanges, text, transfer
from memory_bank.domain.beliefs import EntityType, Status
from memory_bank.domain.notes import TAG_LENGTH
from memory_bank.domain.transfer import Kind
from memory_bank.errors import InvalidInput
from memory_bank.interfaces.memory_formats import graphs, json_text, problems, records
from memory_bank.interfaces.memory_formats.gathering import Gathering, Stated
from memory_bank.interfaces.memory_formats.problems import Problems

OLDEST, NEWEST = 4, 7
SECTIONS = ("entities", "relations", "exchanges", "activeTasks", "workingMemorySessions")
CONFIDENCE = 0.8
"""What version 4, which had none, is taken to have meant."""

WEIGHT = 0.5
"""Of a relation of version 4."""

_MILLISECOND_DIGITS = 14
"""Of a moment within an id: those of the year 5138."""

_SUPERSEDED, _SUPERSEDED_BY = "[SUPERSEDED", "[SUPERSEDED by: "
_TYPE_TAGS = ("type", "entity-type")
_TYPES = {each.value: each for each in EntityType} | {"organisation": EntityType.ORGANIZATION}


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Brings records of one version into a gathering."""

    version: Literal[4, 5, 6, 7]
    gathering: Gathering
    found: Problems

    def entity(self, given: object, *, place: str, spelt: Mapping[str, str] = MappingProxyType({})) -> None:
        """Take an entity; a fact that is broken is left out and reported."""
        record = records.checked(
            records.EntityRecord, given, kind=Kind.ENTITY, place=place, found=self.found, spelt=spelt
        )
        if record is None:
            return
        types, tags = self._types(record, place)
        entity = transfer.Entity(
            id=record.id,
            name=record.name,
            types=types,
            tags=tags,
            aliases=tuple({beliefs.key(each): each for each in record.aliases}.values()),
            created_at=record.created_at,
            last_seen=record.last_seen,
            access_count=record.access_count,
        )
        facts_at = f"{place}.{spelt.get('facts', 'facts')}"
        stated = (
            self._fact(each, entity, position=position, place=f"{facts_at}[{position}]")
            for position, each in enumerate(record.facts)
        )
        self.gathering.entity(entity, [each for each in stated if each is not None], place=place)

    def relation(self, given: object, *, place: str, spelt: Mapping[str, str] = MappingProxyType({})) -> None:
        """Take a relation; its ends need not be entities of the file."""
        record = records.checked(
            records.RelationRecord, given, kind=Kind.RELATION, place=place, found=self.found, spelt=spelt
        )
        if record is None:
            return
        relation = transfer.Relation(
            from_name=record.from_,
            type=record.type,
            to_name=record.to,
            evidence=record.evidence_count,
            weight=record.weight,
            created_at=record.created_at,
            last_validated=record.last_validated,
        )
        if self.version == OLDEST:
            relation = replace(
                relation,
                weight=WEIGHT if relation.weight is None else relation.weight,
                last_validated=relation.last_validated or relation.created_at,
            )
        self.gathering.relation(relation, place=place)

    def exchange(self, given: object, *, place: str) -> None:
        """Take an exchange."""
        record = records.checked(records.ExchangeRecord, given, kind=Kind.EXCHANGE, place=place, found=self.found)
        if record is None:
            return
        if text.is_blank(record.user + record.assistant):
            self.found.refuse(Kind.EXCHANGE, record.id, place=place, reason="neither side says anything")
            return
        id, external_id = _ids(record)
        self.gathering.exchange(
            transfer.Exchange(
                id=id,
                external_id=external_id,
                user=record.user,
                assistant=record.assistant,
                session=record.session_id,
                timestamp=record.timestamp or _moment_in(external_id, prefix="ex"),
                importance=record.importance,
                importance_given=record.importance_given,
                tags=record.tags if record.tag_list is None else record.tag_list,
                repeats=record.repeats,
                merged=tuple(
                    exchanges.Merged(user=each.user, assistant=each.assistant, at=each.timestamp)
                    for each in record.merged
                ),
                archived=record.archived,
            ),
            place=place,
        )

    def task(self, given: object, *, place: str) -> None:
        """Take a task."""
        record = records.checked(records.TaskRecord, given, kind=Kind.TASK, place=place, found=self.found)
        if record is None:
            return
        if text.is_blank(record.title):
            self.found.refuse(Kind.TASK, record.id, place=f"{place}.title", reason="a task needs a title")
            return
        id, external_id = _ids(record)
        self.gathering.task(
            transfer.Task(
                id=id,
                external_id=external_id,
                title=record.title,
                goal=record.goal,
                status=record.status,
                priority=record.priority,
                importance=record.importance,
                budget_remaining=record.budget_remaining,
                success_condition=record.success_condition,
                stop_reason=record.stop_reason,
                session=record.session_id,
                started_at=record.started_at or _moment_in(external_id, prefix="task"),
                last_step_at=record.last_step_at,
                ended_at=record.ended_at,
            ),
            place=place,
        )

    def event(self, given: object, *, session: str | None, place: str) -> None:
        """Take an event of a session, which it may name itself."""
        if isinstance(given, Mapping) and given.get("type") is None and "event_type" in given:
            given = {name: value for name, value in given.items() if name != "event_type"} | {
                "type": given["event_type"]
            }
        if isinstance(given, Mapping) and session is not None:
            given = {**given, "sessionId": session}
        record = records.checked(records.EventRecord, given, kind=Kind.EVENT, place=place, found=self.found)
        if record is None:
            return
        if record.session_id is None or text.is_blank(record.content):
            reason = "an event needs a session and content"
            self.found.refuse(Kind.EVENT, record.content, place=place, reason=reason)
            return
        self.gathering.event(
            transfer.Event(
                session=record.session_id, type=record.type, content=record.content, created_at=record.timestamp
            )
        )

    def _types(self, record: records.EntityRecord, place: str) -> tuple[tuple[EntityType, ...], dict[str, str]]:
        """Return the types of an entity and its tags; a word that is no type of ours becomes a tag."""
        if record.types is not None:
            return tuple(dict.fromkeys(record.types)), record.tags
        word = "-".join(record.type.casefold().replace("_", " ").split())
        if not word:
            return (EntityType.OTHER,), record.tags
        if word in _TYPES:
            return (_TYPES[word],), record.tags
        given = " ".join(record.type.lower().split())
        tag = next((each for each in _TYPE_TAGS if record.tags.get(each, given) == given), None)
        if tag is None or len(tag) + 1 + len(given) > TAG_LENGTH:
            reason = f"{problems.shown(given)} is no type of Memory Bank and does not fit into a tag; taken as other"
            self.found.skip(Kind.ENTITY, record.name, place=f"{place}.type", reason=reason)
            return (EntityType.OTHER,), record.tags
        return (EntityType.OTHER,), {**record.tags, tag: given}

    def _fact(self, given: object, entity: transfer.Entity, *, position: int, place: str) -> Stated | None:
        if not isinstance(given, str | Mapping):
            self.found.refuse(Kind.FACT, "", place=place, reason="should be a text or an object")
            return None
        plain = isinstance(given, str)
        if plain:
            given = {"content": given, "confidence": CONFIDENCE if self.version == OLDEST else None}
        spelt = {"content": ""} if plain else {}
        record = records.checked(records.FactRecord, given, kind=Kind.FACT, place=place, found=self.found, spelt=spelt)
        if record is None:
            return None
        known_since = entity.last_seen if plain else None
        fact = transfer.Fact(
            id=record.id,
            content=record.content,
            sources=record.sources,
            named_sources=tuple(
                transfer.Source(name=each.name, first_seen=each.first_seen)
                for each in {each.name: each for each in record.named_sources}.values()
            ),
            confidence=record.confidence,
            first_seen=record.first_seen or known_since,
            last_confirmed=record.last_confirmed or known_since,
            status=record.status or (Status.SUPERSEDED if record.superseded_by else Status.ACTIVE),
            superseded_by=record.superseded_by_index,
            superseded_by_content=record.superseded_by or None,
            superseded_at=record.superseded_at,
            reason=record.reason,
            cause=record.cause,
        )
        if self.version == 5 and record.status is None:
            fact = _with_status(fact)
        return Stated(
            fact=fact,
            position=position,
            place=place,
            successor=record.superseded_by_id,
            words_alone=record.superseded_by_words_alone,
        )


def is_shape(given: object) -> bool:
    """Tell whether a value has the shape of memory.json, of whatever version."""
    return isinstance(given, Mapping) and not given.keys().isdisjoint(SECTIONS)


def read(given: Mapping[str, object], *, file: str, gathering: Gathering, found: Problems) -> None:
    """Take what a memory.json holds; raises `InvalidInput` for a version that is not read."""
    reader = Reader(version=_version(given.get("version"), file), gathering=gathering, found=found)
    for name in given:
        if name not in ("version", *SECTIONS):
            found.unknown(name, place="top level")
    for place, key, each in _entries(given, "entities", found, pairs=True):
        if isinstance(each, Mapping) and graphs.FACTS in each and "facts" not in each:
            translated = graphs.entity({"name": key, **each}, place=place, found=found)
            reader.entity(translated, place=place, spelt=graphs.ENTITY_SPELLING)
        elif isinstance(each, Mapping) and key and each.get("name") is None:
            reader.entity({**each, "name": key}, place=place)
        else:
            reader.entity(each, place=place)
    for place, _, each in _entries(given, "relations", found):
        if isinstance(each, Mapping) and "relationType" in each:
            translated = graphs.relation(each, place=place, found=found)
            reader.relation(translated, place=place, spelt=graphs.RELATION_SPELLING)
        else:
            reader.relation(each, place=place)
    for place, _, each in _entries(given, "exchanges", found):
        reader.exchange(each, place=place)
    for place, _, each in _entries(given, "activeTasks", found):
        reader.task(each, place=place)
    for place, session, each in _entries(given, "workingMemorySessions", found, pairs=True):
        _read_events(each, session=session, place=place, reader=reader)


def _read_events(given: object, *, session: str | None, place: str, reader: Reader) -> None:
    if isinstance(given, Mapping) and isinstance(given.get("events"), list):
        said = given.get("sessionId", session)
        session, given = (said if isinstance(said, str) else session), given["events"]
    if not isinstance(given, list):
        reader.event(given, session=session, place=place)
        return
    for number, each in enumerate(given):
        reader.event(each, session=session, place=f"{place}[{number}]")


def _version(given: object, file: str) -> Literal[4, 5, 6, 7]:
    match given:
        case None | 4:
            return 4
        case 5:
            return 5
        case 6:
            return 6
        case 7:
            return 7
        case _:
            shown = given if isinstance(given, int | float) else problems.shown(given) or type(given).__name__
            newer = isinstance(given, int | float) and given > NEWEST
            advice = "update Memory Bank, or export it" if newer else "export it again"
            raise InvalidInput(
                f"{file}: version",
                f"{shown} is not known here; versions {OLDEST} to {NEWEST} are read: {advice} as one of these",
            )


def _entries(
    given: Mapping[str, object], section: str, found: Problems, *, pairs: bool = False
) -> Iterator[tuple[str, str | None, object]]:
    """Yield place, name and value of each entry: of an object, of a list, or of a list of name and value pairs."""
    entries = given.get(section)
    match entries:
        case None:
            return
        case dict():
            for name, each in json_text.pairs(entries):
                yield f"{section}.{problems.shown(name)}", name, each
        case list():
            for number, each in enumerate(entries):
                place = f"{section}[{number}]"
                match each:
                    case [str() as name, dict() | list() as value] if pairs:
                        yield place, name, value
                    case _:
                        yield place, None, each
        case _:
            found.refuse(Kind.FILE, section, place=section, reason="should be an object or a list; left out")


def _ids(record: records.ExchangeRecord | records.TaskRecord) -> tuple[UUID | None, str | None]:
    """Return the id that is ours and the one that is somebody else's."""
    if record.external_id is not None:
        return record.memory_bank_id, record.external_id
    if record.memory_bank_id is None and record.id is not None and records.is_own_id(record.id):
        return UUID(record.id), None
    return record.memory_bank_id, record.id


def _moment_in(external_id: str | None, *, prefix: str) -> datetime | None:
    """Return the moment that an id such as ex_1700000000000_ab12 tells."""
    parts: Sequence[str] = (external_id or "").split("_")
    if len(parts) != 3 or parts[0] != prefix or not (parts[1].isascii() and parts[1].isdigit()):
        return None
    return records.moment(int(parts[1])) if len(parts[1]) <= _MILLISECOND_DIGITS else None


def _with_status(fact: transfer.Fact) -> transfer.Fact:
    """Return a fact of version 5 with the status that its text begins with."""
    content = fact.content
    if not content.startswith(_SUPERSEDED):
        return fact
    fact = replace(fact, status=Status.SUPERSEDED)
    end = _closing(content) if content.startswith(_SUPERSEDED_BY) else None
    if end is None or text.is_blank(content[end + 1 :]):
        return fact
    return replace(
        fact,
        content=content[end + 1 :].strip(),
        superseded_by_content=content[len(_SUPERSEDED_BY) : end].strip(),
        superseded_at=fact.last_confirmed,
    )


def _closing(content: str) -> int | None:
    """Return where the bracket that `content` begins with is closed; brackets within may come in pairs."""
    depth = 0
    for place, character in enumerate(content):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth == 0:
            return place
    first = content.find("]")
    return None if first < 0 else first
