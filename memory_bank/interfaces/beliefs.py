"""Entities, facts and relations: arguments, answers, and the service calls between them."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import pydantic
from pydantic import Field

from memory_bank.domain import beliefs, relations, text
from memory_bank.domain.beliefs import Cause, Entity, EntityType, Fact, OnConflict, Statement, Status
from memory_bank.domain.consolidation import Mode, Policy
from memory_bank.domain.relations import Relation
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import answers, arguments
from memory_bank.interfaces.answers import Answer, Moment
from memory_bank.interfaces.arguments import Aside, InBank, LenientList, OneOrSeveral, Pairs

if TYPE_CHECKING:
    from memory_bank.bootstrap import App
    from memory_bank.services.beliefs import Remembered
    from memory_bank.services.judging import Contradicted

Types = Annotated[list[EntityType], LenientList]
Facts = Annotated[
    list[Annotated[str, Field(json_schema_extra=arguments.told(beliefs.FACT_LENGTH, needed=True))]], OneOrSeveral
]
Names = Annotated[
    list[Annotated[str, Field(json_schema_extra=arguments.told(beliefs.NAME_LENGTH, needed=True))]], LenientList
]

FACT_SIZE = 1_000
"""Bytes of a fact in an answer, where it has not to share them with many others."""

SHOWN, FACTS_SHOWN = 200, 50
"""Relations or pairs, and facts, in one list of an answer."""


class Published(InBank):
    """Arguments whose published names are camel case; snake case is understood too."""

    model_config = pydantic.ConfigDict(validate_by_name=True, validate_by_alias=True)


class Remember(Published):
    """Arguments of remember."""

    name: str = Field(
        description="The thing: a person, project, service, preference … self is yourself.",
        json_schema_extra=arguments.told(beliefs.NAME_LENGTH, needed=True),
    )
    type: EntityType | None = Field(default=None, description="What it is, such as project; kept when left out.")
    types: Types = Field(default=[], description="Further types it has.")
    facts: Facts = Field(
        default=[],
        description="Short statements about it, each true by itself, such as: port is 8080. May be left out only with "
        "supersede or undo, or to add types, tags or names.",
        json_schema_extra={"maxItems": beliefs.FACTS_LIMIT},
    )
    tags: Pairs = Field(default={}, description="Names and values, such as project and atlas; new values win.")
    supersede: Aside = Field(
        default="",
        description="Words of the facts, or the id of one, that the first of facts replaces; without facts they are "
        "removed. Not needed for contradictions: those are found.",
        json_schema_extra=arguments.told(beliefs.FACT_LENGTH),
    )
    on_conflict: OnConflict = Field(
        default=OnConflict.SUPERSEDE,
        description="What happens to a fact that a new one contradicts: supersede it, keep_both, or ask: store nothing "
        "that conflicts and tell.",
    )
    source: Aside = Field(
        default="",
        description="Who or what says so; the same source twice counts once.",
        json_schema_extra=arguments.told(beliefs.SOURCE_LENGTH),
    )
    aliases: Names = Field(
        default=[], description="Further names of the thing.", json_schema_extra={"maxItems": beliefs.NAMES_LIMIT}
    )
    rename: Aside = Field(
        default="",
        description="The name it shall have from now on; the old one stays an alias.",
        json_schema_extra=arguments.told(beliefs.NAME_LENGTH),
    )
    undo: UUID | None = Field(default=None, description="Id of a superseded fact that shall hold again.")

    def statement(self) -> Statement:
        """Return the statement as services take it."""
        given = (self.type,) if self.type is not None else ()
        return Statement(
            name=self.name,
            types=(*given, *self.types),
            facts=tuple(self.facts),
            tags=self.tags,
            aliases=tuple(self.aliases),
            rename=self.rename,
            supersede=self.supersede,
            source=self.source,
            on_conflict=self.on_conflict,
            undo=self.undo,
        )


class Relate(Published):
    """Arguments of relate."""

    source: str = Field(
        alias="from",
        description="The thing the relation starts from.",
        json_schema_extra=arguments.told(beliefs.NAME_LENGTH, needed=True),
    )
    type: str = Field(
        description="How the two relate, as specific as it can be, such as depends-on, works-at, part-of.",
        json_schema_extra=arguments.told(relations.TYPE_LENGTH, needed=True),
    )
    target: str = Field(
        alias="to",
        description="The thing it leads to.",
        json_schema_extra=arguments.told(beliefs.NAME_LENGTH, needed=True),
    )


class Consolidate(Published):
    """Arguments of consolidate."""

    mode: Mode = Field(default=Mode.FULL, description="light tells how sure facts still are; full puts old ones away.")
    dry_run: bool = Field(default=False, description="Only tell what would be done.")
    min_confidence: float = Field(
        default=Policy.min_confidence, ge=0, le=1, alias="minConfidence", description="Facts less sure may be retired."
    )
    max_stale_days: int = Field(
        default=Policy.max_stale_days, ge=1, le=36_500, alias="maxStaleDays", description="Days without confirmation."
    )
    archive_days: int = Field(
        default=Policy.archive_days, ge=1, le=36_500, alias="archiveDays", description="Days since a fact gave way."
    )
    max_exchange_age_days: int | None = Field(
        default=None, ge=1, le=36_500, alias="maxExchangeAgeDays", description="Forget older unimportant exchanges."
    )
    min_exchange_importance: float = Field(
        default=Policy.min_exchange_importance,
        ge=0,
        le=1,
        alias="minExchangeImportance",
        description="Exchanges as important as this are kept at any age.",
    )


class FactAnswer(Answer):
    """A fact. `confidence` is of this moment, 0 to 1; `superseded_by` is the fact that took its place."""

    id: UUID
    content: str
    status: Status
    confidence: float
    sources: int
    named_sources: list[str]
    first_seen: Moment
    last_confirmed: Moment
    superseded_by: UUID | None = None
    superseded_by_content: str | None = None
    superseded_at: Moment | None = None
    reason: str | None = None
    cause: Cause | None = None


class EntityAnswer(Answer):
    """A named thing."""

    id: UUID
    name: str
    types: list[EntityType]
    tags: dict[str, str]
    aliases: list[str]
    created_at: Moment
    last_seen: Moment
    access_count: int


class ConflictAnswer(Answer):
    """An older fact that a new one contradicts, and why."""

    old: FactAnswer
    new: str
    reason: str
    superseded: bool


class RememberAnswer(Answer):
    """What a statement changed; `message` says it in words, with the way back."""

    entity: EntityAnswer
    created: bool
    added: list[FactAnswer]
    confirmed: list[FactAnswer]
    replaced: list[FactAnswer]
    conflicts: list[ConflictAnswer]
    held_back: list[str]
    chain: list[FactAnswer] = Field(description="What the new facts took the place of, oldest first, and themselves.")
    active: int
    historical: int
    message: str


class RelationAnswer(Answer):
    """A typed edge between two things; `weight` grows with every statement, from 0.5 towards 1."""

    source: str = Field(serialization_alias="from")
    type: str
    target: str = Field(serialization_alias="to")
    weight: float
    evidence: int
    created_at: Moment
    last_validated: Moment

    model_config = pydantic.ConfigDict(frozen=True, serialize_by_alias=True)


class AlikeAnswer(Answer):
    """Two things whose names are nearly the same."""

    one: str
    other: str


class ConsolidateAnswer(Answer):
    """What was done, or would be."""

    mode: Mode
    dry_run: bool
    refreshed: int
    unsure: int
    archived_facts: int
    retired: int
    retired_facts: list[FactAnswer] = Field(description="The first of those that are retired.")
    archived_exchanges: int
    pruned_exchanges: int
    near_duplicates: list[AlikeAnswer]


def facts(values: Sequence[Fact], *, now: datetime) -> list[FactAnswer]:
    """Return facts that share an answer."""
    size = answers.room(len(values), preview=FACT_SIZE).size
    return [fact(each, now=now, size=size) for each in values]


def fact(value: Fact, *, now: datetime, size: int = FACT_SIZE) -> FactAnswer:
    """Return a fact as callers see it, cut to `size` bytes."""
    return FactAnswer(
        id=value.id,
        content=text.fitting(value.content, size=size),
        status=value.status,
        confidence=round(value.confidence(now), 4),
        sources=value.sources,
        named_sources=list(value.named_sources[:20]),
        first_seen=value.first_seen,
        last_confirmed=value.last_confirmed,
        superseded_by=value.superseded_by,
        superseded_by_content=value.superseded_by_content and text.fitting(value.superseded_by_content, size=size),
        superseded_at=value.superseded_at,
        reason=value.reason or None,
        cause=value.cause,
    )


def entity(value: Entity) -> EntityAnswer:
    """Return an entity as callers see it."""
    return EntityAnswer(
        id=value.id,
        name=value.name,
        types=list(value.types),
        tags=dict(value.tags),
        aliases=list(value.aliases),
        created_at=value.created_at,
        last_seen=value.last_seen,
        access_count=value.access_count,
    )


def relation(value: Relation) -> RelationAnswer:
    """Return a relation as callers see it."""
    return RelationAnswer(
        source=value.from_name,
        type=value.type,
        target=value.to_name,
        weight=round(value.weight, 4),
        evidence=value.evidence,
        created_at=value.created_at,
        last_validated=value.last_validated,
    )


async def remember(app: "App", asked: Remember) -> RememberAnswer:
    """State facts about a thing, replace them, or undo a replacement."""
    _require_purpose(asked)
    done = await app.beliefs.remember(asked.bank, asked.statement())
    now = app.clock.now()
    new = (*done.added, *(done.confirmed if asked.undo else ()))
    before = await app.beliefs.earlier(asked.bank, [each.id for each in new])
    return RememberAnswer(
        entity=entity(done.entity),
        created=done.created,
        added=facts(done.added, now=now),
        confirmed=facts(done.confirmed, now=now),
        replaced=facts(done.replaced, now=now),
        conflicts=[
            ConflictAnswer(old=fact(each.old, now=now), new=each.new, reason=each.reason, superseded=each.superseded)
            for each in done.contradicted
        ],
        held_back=list(done.held_back),
        chain=facts((*before, *new), now=now) if before else [],
        active=done.active,
        historical=done.historical,
        message=_told(asked, done),
    )


def _require_purpose(asked: Remember) -> None:
    about = (asked.type, asked.types, asked.tags, asked.aliases, asked.rename, asked.supersede, asked.undo)
    if not asked.facts and not any(about):
        raise InvalidInput("facts", "state at least one fact; without any, say what to supersede or undo, or a type")


def _told(asked: Remember, done: "Remembered") -> str:
    name = done.entity.name
    if asked.undo is not None:
        return f"{name}: the fact holds again; {_told_of_undone(asked, done)}."
    said = [f"{name}: {len(done.added)} new, {len(done.confirmed)} confirmed."]
    if asked.supersede:
        said.append(_told_of_replaced(asked, done))
    said += [_warning(asked, each) for each in done.contradicted]
    return " ".join(said)


def _told_of_undone(asked: Remember, done: "Remembered") -> str:
    if done.replaced:
        return "whatever had taken its place is history now"
    return "nothing else was changed" if asked.on_conflict is OnConflict.KEEP_BOTH else "nothing held in its place"


def _told_of_replaced(asked: Remember, done: "Remembered") -> str:
    if not done.replaced:
        return f"No other fact says {text.preview(asked.supersede, limit=80)!r}: nothing was replaced."
    verb = "replaced" if asked.facts else "removed"
    words = "; ".join(text.preview(each.content, limit=80) for each in done.replaced[:5])
    more = f" and {len(done.replaced) - 5} more" if len(done.replaced) > 5 else ""
    return f"{len(done.replaced)} {verb}: {words}{more}. Each can be restored: undo with its id."


def _warning(asked: Remember, found: "Contradicted") -> str:
    old, new = (text.preview(each, limit=200) for each in (found.old.content, found.new))
    if found.superseded:
        return (
            f'WARNING: "{new}" contradicts and superseded "{old}" ({found.reason}). If the old one is right, call '
            f"remember with this name and undo={found.old.id}; if both hold, add on_conflict=keep_both to that."
        )
    if asked.on_conflict is OnConflict.ASK:
        return (
            f'WARNING: "{new}" was NOT stored, as it contradicts "{old}" ({found.reason}). Ask which one is right, '
            "then call again with on_conflict=supersede or keep_both."
        )
    return f'WARNING: "{new}" contradicts "{old}" ({found.reason}); both are kept.'


async def relate(app: "App", asked: Relate) -> RelationAnswer:
    """State how two things relate."""
    return relation(await app.relations.relate(asked.bank, asked.source, asked.type, asked.target))


async def consolidate(app: "App", asked: Consolidate) -> ConsolidateAnswer:
    """Put away what is old or unsure."""
    policy = Policy(
        min_confidence=asked.min_confidence,
        max_stale_days=asked.max_stale_days,
        archive_days=asked.archive_days,
        max_exchange_age_days=asked.max_exchange_age_days,
        min_exchange_importance=asked.min_exchange_importance,
    )
    with arguments.naming(asked):
        done = await app.consolidation.consolidate(asked.bank, mode=asked.mode, policy=policy, dry_run=asked.dry_run)
    now = app.clock.now()
    return ConsolidateAnswer(
        mode=done.mode,
        dry_run=done.dry_run,
        refreshed=done.refreshed,
        unsure=done.unsure,
        archived_facts=len(done.archived_facts),
        retired=len(done.retired_facts),
        retired_facts=facts(done.retired_facts[:FACTS_SHOWN], now=now),
        archived_exchanges=done.archived_exchanges,
        pruned_exchanges=done.pruned_exchanges,
        near_duplicates=[AlikeAnswer(one=one.name, other=other.name) for one, other in done.alike[:SHOWN]],
    )
