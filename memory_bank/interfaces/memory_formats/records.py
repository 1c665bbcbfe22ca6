"""Records: the shapes that memory files have, checked value by value. Field names are those of memory.json."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Annotated, TypeVar
from uuid import UUID

import pydantic
from pydantic import AfterValidator, AliasGenerator, BeforeValidator, Field
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, PydanticCustomError

from memory_bank.domain import beliefs, moments, notes, relations, text
from memory_bank.domain.beliefs import Cause, Status
from memory_bank.domain.tasks import TaskStatus
from memory_bank.domain.transfer import Kind
from memory_bank.domain.working_memory import EventType
from memory_bank.errors import InvalidInput
from memory_bank.interfaces.memory_formats import json_text, problems
from memory_bank.interfaces.memory_formats.problems import Problems

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INTEGER, BIGINT = 2**31 - 1, 2**63 - 1
ID_LENGTH = 200
_OWN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_Record = TypeVar("_Record", bound="Record")
_Given = TypeVar("_Given")
_Cleaned = TypeVar("_Cleaned")


def _wrong(reason: str) -> PydanticCustomError:
    return PydanticCustomError("wrong", "{reason}", {"reason": reason})


def cleaned(value: object) -> str:
    """Return a text without NUL and lone surrogates; what is no text, too long or broken is an error."""
    if not isinstance(value, str):
        raise _wrong("should be a text")
    if json_text.BROKEN in value:
        raise _wrong("holds bytes that are not UTF-8")
    if len(value) > notes.CONTENT_LIMIT:
        raise _wrong(f"a text has at most {notes.CONTENT_LIMIT} characters, this one has {len(value)}")
    return text.storable(value)


def _number(value: object) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong("should be a number")
    if not math.isfinite(value):
        raise _wrong("should be a finite number")
    return value


def moment(value: object) -> datetime:
    """Return a time given in milliseconds since 1970 or as ISO 8601."""
    if isinstance(value, str):
        return _ruled(_iso)(cleaned(value))
    number = _number(value)
    try:
        return EPOCH + timedelta(microseconds=number * 1000 if isinstance(number, int) else round(number * 1000))
    except OverflowError as error:
        raise _wrong("lies outside the years 1 to 9999; times are milliseconds since 1970") from error


def _iso(value: str) -> datetime:
    return moments.parsed(value, field="time")


def _ruled(rule: Callable[[_Given], _Cleaned]) -> Callable[[_Given], _Cleaned]:
    """Return a rule of the domain as one whose refusal says what is wrong with a record."""

    def checked(value: _Given) -> _Cleaned:
        try:
            return rule(value)
        except InvalidInput as error:
            raise _wrong(error.problem) from error

    return checked


def _identity(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    given = cleaned(value).strip()
    if not given or len(given) > ID_LENGTH:
        raise _wrong(f"an id has 1 to {ID_LENGTH} characters")
    return given


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise _wrong("should be an object of texts")
    return {cleaned(name): cleaned(each) for name, each in value.items()}


def _labels(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{name}:{each}" for name, each in _texts(value).items()]
    if not isinstance(value, list):
        raise _wrong("should be a list of texts or an object of texts")
    return [cleaned(each) for each in value]


def _source(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _source_name(value: object) -> str:
    given = cleaned(value).strip()
    if text.is_blank(given) or len(given) > beliefs.SOURCE_LENGTH:
        raise _wrong(f"a source has 1 to {beliefs.SOURCE_LENGTH} characters")
    return given


def _own_id(value: object) -> UUID:
    if not is_own_id(value):
        raise _wrong("should be a UUID")
    return UUID(str(value))


def is_own_id(value: object) -> bool:
    """Tell whether an id is spelt as ours are; another spelling is somebody else's, and kept as it is."""
    return isinstance(value, str) and _OWN_ID.fullmatch(value) is not None


Text = Annotated[str, BeforeValidator(cleaned)]
Name = Annotated[str, BeforeValidator(cleaned), AfterValidator(_ruled(beliefs.checked_name))]
FactText = Annotated[str, BeforeValidator(cleaned), AfterValidator(_ruled(beliefs.checked_fact))]
Session = Annotated[str | None, BeforeValidator(lambda given: _ruled(notes.checked_session)(cleaned(given)))]
RelationType = Annotated[str, BeforeValidator(cleaned), AfterValidator(_ruled(relations.normalised))]
Labels = Annotated[tuple[str, ...], BeforeValidator(lambda given: _ruled(notes.checked_tags)(_labels(given)))]
EntityTags = Annotated[dict[str, str], BeforeValidator(_texts), AfterValidator(_ruled(beliefs.checked_entity_tags))]
SourceName = Annotated[str, BeforeValidator(_source_name)]
OwnId = Annotated[UUID, BeforeValidator(_own_id)]
Identity = Annotated[str, BeforeValidator(_identity)]
Moment = Annotated[datetime, BeforeValidator(moment)]
Whole = Annotated[int, BeforeValidator(_number)]
Share = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1)]
Flag = Annotated[bool, Field(strict=True)]


class Record(pydantic.BaseModel):
    """A part of a memory file. Unknown fields are kept aside, to be reported."""

    model_config = pydantic.ConfigDict(
        extra="allow",
        frozen=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
        alias_generator=AliasGenerator(validation_alias=to_camel),
    )


class SourceRecord(Record):
    """Who stated a fact: one of our fields."""

    name: SourceName
    first_seen: Moment | None = None


class FactRecord(Record):
    """A fact of version 5 and later; the fields after `superseded_at` are ours."""

    content: FactText
    confidence: Share | None = None
    sources: Annotated[Whole, Field(ge=1, le=INTEGER)] = 1
    first_seen: Moment | None = None
    last_confirmed: Moment | None = None
    status: Status | None = None
    superseded_by: Text = ""
    superseded_at: Moment | None = None
    id: OwnId | None = None
    named_sources: list[Annotated[SourceRecord, BeforeValidator(_source)]] = []
    superseded_by_id: OwnId | None = None
    superseded_by_index: Annotated[Whole, Field(ge=0)] | None = None
    superseded_by_words_alone: Flag = False
    reason: Text = ""
    cause: Cause | None = None


class EntityRecord(Record):
    """An entity; its facts are read one by one. The fields after `tags` are ours."""

    name: Name
    type: Text = ""
    facts: list[object] = []
    last_seen: Moment | None = None
    access_count: Annotated[Whole, Field(ge=0, le=BIGINT)] = 0
    tags: EntityTags = {}
    id: OwnId | None = None
    # of any number: several statements may have named more than one statement can
    types: list[beliefs.EntityType] | None = None
    aliases: list[Name] = []
    created_at: Moment | None = None


class RelationRecord(Record):
    """A relation."""

    from_: Annotated[Name, Field(validation_alias="from")]
    type: RelationType
    to: Name
    weight: Share | None = None
    evidence_count: Annotated[Whole, Field(ge=1, le=BIGINT)] = 1
    created_at: Moment | None = None
    last_validated: Moment | None = None


class MergedRecord(Record):
    """A near-duplicate that an exchange took in: ours."""

    user: Text
    assistant: Text
    timestamp: Moment


class ExchangeRecord(Record):
    """An exchange; the fields after `tags` are ours."""

    id: Identity | None = None
    user: Text
    assistant: Text
    timestamp: Moment | None = None
    session_id: Session = None
    importance: Share | None = None
    tags: Labels = ()
    memory_bank_id: OwnId | None = None
    external_id: Identity | None = None
    tag_list: Labels | None = None
    importance_given: Flag = False
    repeats: Annotated[Whole, Field(ge=0, le=INTEGER)] = 0
    merged: list[MergedRecord] = []
    archived: Flag = False


class TaskRecord(Record):
    """A task; the fields after `stop_reason` are ours."""

    id: Identity | None = None
    title: Text
    goal: Text = ""
    status: TaskStatus
    started_at: Moment | None = None
    last_step_at: Moment | None = None
    priority: Share | None = None
    importance: Share | None = None
    budget_remaining: Annotated[float, BeforeValidator(_number)] | None = None
    success_condition: Text = ""
    stop_reason: Text = ""
    memory_bank_id: OwnId | None = None
    external_id: Identity | None = None
    session_id: Session = None
    ended_at: Moment | None = None


class EventRecord(Record):
    """An event of a session."""

    type: EventType
    content: Text
    timestamp: Moment | None = None
    session_id: Session = None


def checked(
    model: type[_Record],
    given: object,
    *,
    kind: Kind,
    place: str,
    found: Problems,
    spelt: Mapping[str, str] = MappingProxyType({}),
) -> _Record | None:
    """Return a record, or None when a field that it needs is missing or wrong; null counts as left out.

    Another wrong field is left out and reported, and the rest of the record kept. spelt: the names that fields have in
    the file where they are not those of memory.json, none for a record that is but the value of the field.
    """
    if not isinstance(given, Mapping):
        found.refuse(kind, given, place=place, reason="should be an object")
        return None
    known = {name: value for name, value in given.items() if value is not None}
    try:
        record = model.model_validate(known)
    except pydantic.ValidationError as error:
        wrong = {str(each["loc"][0]): each for each in error.errors(include_url=False, include_input=False)}
        needed = [name for name in wrong if name in _needed(model)]
        for name in needed or wrong:
            what = kind if needed else Kind.FIELD
            at = ".".join(filter(None, (place, spelt.get(name, name))))
            found.refuse(what, _key(given) or name, place=at, reason=_reason(wrong[name]))
        if needed:
            return None
        record = model.model_validate({name: value for name, value in known.items() if name not in wrong})
    for name in record.model_extra or ():
        found.unknown(f"{kind}.{name}", place=place)
    return record


def _needed(model: type[Record]) -> set[str]:
    return {str(each.validation_alias) for each in model.model_fields.values() if each.is_required()}


def _key(given: Mapping[str, object]) -> str:
    if isinstance(given.get("from"), str):
        return problems.shown(f"{given['from']} {given.get('type', '')} {given.get('to', '')}")
    found = (problems.shown(given.get(name)) for name in ("name", "id", "title", "content", "user"))
    return next(filter(None, found), "")


def _reason(error: ErrorDetails) -> str:
    inner = ".".join(map(str, error["loc"][1:]))
    message = "is missing" if error["type"] == "missing" else error["msg"]
    return f"{inner}: {message}" if inner else message
