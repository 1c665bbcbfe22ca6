"""Looking at a bank, and forgetting: arguments, answers, and the service calls between them."""

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field

from memory_bank.domain import beliefs as domain
from memory_bank.domain import recall, relations, text
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import arguments, beliefs, recollection
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.arguments import Reading
from memory_bank.interfaces.beliefs import EntityAnswer, FactAnswer, Published, RelationAnswer, Types
from memory_bank.interfaces.recollection import ExchangeAnswer

if TYPE_CHECKING:
    from memory_bank.bootstrap import App
    from memory_bank.services.forgetting import Forgotten
    from memory_bank.services.introspection import Gap, Stale, Statistics

_SIDE_SIZE = 300
_FACT_LENGTH = 200


class View(StrEnum):
    """What is looked at."""

    STATS = "stats"
    STALE = "stale"
    GAPS = "gaps"
    ALL = "all"


class Introspect(Published, Reading):
    """Arguments of introspect."""

    view: View = Field(
        default=View.STATS,
        description="stats: how much there is; stale: things unseen for over 30 days; gaps: facts about ports, "
        "versions, paths and the like that nobody confirmed for over 7 days; all.",
    )
    limit: int = Field(default=20, ge=1, le=recall.RESULT_LIMIT, description="Most stale things, and most gaps.")
    types: Types = Field(default=[], description="Only stale things of these types.")


class StatisticsAnswer(Answer):
    """How much of everything there is."""

    notes: dict[str, int]
    entities: int
    types: dict[str, int]
    relations: int
    facts_active: int
    facts_superseded: int
    facts_archived: int
    exchanges_hot: int
    exchanges_archived: int
    tasks_open: int
    tasks_ended: int
    sessions: int
    stale: int
    gaps: int


class StaleAnswer(Answer):
    """A thing that nobody saw for `days`, and the surest fact about it."""

    name: str
    days: int
    fact: str | None = None


class GapAnswer(Answer):
    """A fact that changes easily and that nobody confirmed for `days`, and how to verify it."""

    name: str
    fact: FactAnswer
    volatile: str
    days: int
    hint: str


class IntrospectAnswer(Answer):
    """What the bank holds; only the parts that were asked for."""

    statistics: StatisticsAnswer | None = None
    stale: list[StaleAnswer] | None = None
    gaps: list[GapAnswer] | None = None


class ForgetAction(StrEnum):
    """What is forgotten."""

    ENTITY = "entity"
    FACT = "fact"
    RELATION = "relation"
    EXCHANGE = "exchange"


class Forget(Published):
    """Arguments of forget."""

    action: ForgetAction = Field(
        description="entity (with its facts and relations), fact, relation, or exchange. To keep a fact in the history "
        "use remember with supersede instead."
    )
    name: str = Field(
        default="",
        description="The thing; needed for entity and fact.",
        json_schema_extra=arguments.told(domain.NAME_LENGTH),
    )
    query: str = Field(
        default="",
        description="The fact's or exchange's id, or words that it holds.",
        json_schema_extra=arguments.told(domain.FACT_LENGTH),
    )
    source: str = Field(
        default="",
        alias="from",
        description="Where the relation starts.",
        json_schema_extra=arguments.told(domain.NAME_LENGTH),
    )
    relation_type: str = Field(
        default="",
        alias="relationType",
        description="The relation's type.",
        json_schema_extra=arguments.told(relations.TYPE_LENGTH),
    )
    target: str = Field(
        default="",
        alias="to",
        description="Where the relation leads.",
        json_schema_extra=arguments.told(domain.NAME_LENGTH),
    )
    preview: bool = Field(default=False, description="Only show what would go. Show this to the user first.")


class ForgetAnswer(Answer):
    """What went, or would go."""

    forgotten: bool
    entity: EntityAnswer | None = None
    facts: list[FactAnswer]
    relations: list[RelationAnswer]
    exchanges: list[ExchangeAnswer]
    total: int = Field(description="Of all of these, those beyond the first ones shown included.")


async def introspect(app: "App", asked: Introspect) -> IntrospectAnswer:
    """Look at what the bank holds."""
    every = asked.view is View.ALL
    answer = IntrospectAnswer()
    if every or asked.view is View.STATS:
        statistics = _statistics(await app.introspection.statistics(asked.bank))
        answer = answer.model_copy(update={"statistics": statistics})
    if every or asked.view is View.STALE:
        stale = await app.introspection.stale(asked.bank, types=asked.types, limit=asked.limit)
        answer = answer.model_copy(update={"stale": [_stale(each) for each in stale]})
    if every or asked.view is View.GAPS:
        now = app.clock.now()
        gaps = await app.introspection.gaps(asked.bank, limit=asked.limit)
        told = [_gap(each, fact=beliefs.fact(each.fact, now=now)) for each in gaps]
        answer = answer.model_copy(update={"gaps": told})
    return answer


async def forget(app: "App", asked: Forget) -> ForgetAnswer:
    """Forget a thing, a fact, a relation or exchanges, or show what would go."""
    match asked.action:
        case ForgetAction.ENTITY:
            gone = await app.forgetting.entity(asked.bank, _given(asked.name, "name"), preview=asked.preview)
        case ForgetAction.FACT:
            gone = await app.forgetting.fact(
                asked.bank, _given(asked.name, "name"), _given(asked.query, "query"), preview=asked.preview
            )
        case ForgetAction.RELATION:
            with arguments.naming(asked, type="relationType"):
                gone = await app.forgetting.relation(
                    asked.bank,
                    _given(asked.source, "from"),
                    _given(asked.relation_type, "relationType"),
                    _given(asked.target, "to"),
                    preview=asked.preview,
                )
        case ForgetAction.EXCHANGE:
            gone = await app.forgetting.exchange(asked.bank, _given(asked.query, "query"), preview=asked.preview)
    return _forgotten(app, gone)


def _given(value: str, field: str) -> str:
    if not value.strip():
        raise InvalidInput(field, "needed to tell what is to be forgotten; nothing was forgotten")
    return value


def _forgotten(app: "App", gone: "Forgotten") -> ForgetAnswer:
    now, shown = app.clock.now(), beliefs.SHOWN
    return ForgetAnswer(
        forgotten=not gone.preview,
        entity=None if gone.entity is None else beliefs.entity(gone.entity),
        facts=beliefs.facts(gone.facts[: beliefs.FACTS_SHOWN], now=now),
        relations=[beliefs.relation(each) for each in gone.relations[:shown]],
        exchanges=[recollection.exchange(each, size=_SIDE_SIZE) for each in gone.exchanges[:shown]],
        total=gone.total,
    )


def _statistics(value: "Statistics") -> StatisticsAnswer:
    held = value.holdings
    return StatisticsAnswer(
        notes={kind.value: count for kind, count in held.kinds.items()},
        entities=held.entities,
        types={type.value: count for type, count in value.types.items()},
        relations=held.relations,
        facts_active=held.facts_active,
        facts_superseded=held.facts_superseded,
        facts_archived=held.facts_archived,
        exchanges_hot=held.exchanges_hot,
        exchanges_archived=held.exchanges_archived,
        tasks_open=held.tasks_open,
        tasks_ended=held.tasks_ended,
        sessions=held.sessions,
        stale=value.stale,
        gaps=value.gaps,
    )


def _stale(value: "Stale") -> StaleAnswer:
    return StaleAnswer(
        name=value.entity.name,
        days=value.days,
        fact=None if value.fact is None else text.preview(value.fact.content, limit=_FACT_LENGTH),
    )


def _gap(value: "Gap", *, fact: FactAnswer) -> GapAnswer:
    return GapAnswer(
        name=value.entity.name, fact=fact, volatile=value.volatile.what, days=value.days, hint=value.volatile.hint
    )
