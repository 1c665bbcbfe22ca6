"""Recall in its modes: a search, one thing with its facts, their history, relations, exchanges, the course of time."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

from pydantic import Field

from memory_bank.domain import beliefs, filters, notes, ranking, recall, relations, text
from memory_bank.domain.beliefs import Fact, Status
from memory_bank.domain.exchanges import Exchange
from memory_bank.domain.notes import Kind
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import answers, arguments
from memory_bank.interfaces import beliefs as facts
from memory_bank.interfaces.answers import Answer, Moment, NoteAnswer
from memory_bank.interfaces.arguments import LenientList, Reading, Tags
from memory_bank.interfaces.beliefs import EntityAnswer, FactAnswer, Published, RelationAnswer
from memory_bank.interfaces.notes import Kinds

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

RelationTypes = Annotated[
    list[Annotated[str, Field(json_schema_extra=arguments.told(relations.TYPE_LENGTH, needed=True))]], LenientList
]

_SMALLEST_SIDE = 300
"""Bytes of each side of an exchange, in a list of many."""


class Mode(StrEnum):
    """What is recalled."""

    SEARCH = "search"
    ENTITY = "entity"
    HISTORY = "history"
    RELATIONS = "relations"
    EXCHANGES = "exchanges"
    TIMELINE = "timeline"


_LIMITS = {Mode.EXCHANGES: 20, Mode.TIMELINE: 30, Mode.ENTITY: 30, Mode.HISTORY: 50, Mode.RELATIONS: 20}


class Recall(Published, Reading):
    """Arguments of recall."""

    mode: Mode = Field(
        default=Mode.SEARCH,
        description="search: everything about a question; entity: one thing and its facts; history: how the facts "
        "about it changed; relations: how things relate; exchanges: past turns; timeline: what happened lately.",
    )
    query: str = Field(
        default="",
        description="What to look for; needed to search unless tags, kinds or project say it, narrows entity and "
        "exchanges.",
        json_schema_extra=arguments.told(recall.QUERY_LIMIT),
    )
    name: str = Field(
        default="",
        description="The thing; needed for entity and history, narrows relations.",
        json_schema_extra=arguments.told(beliefs.NAME_LENGTH),
    )
    limit: int | None = Field(default=None, ge=1, le=recall.RESULT_LIMIT, description="Most results.")
    offset: int = Field(default=0, ge=0, le=1_000_000, description="Exchanges to pass over, for the next page.")
    project: str = Field(
        default="",
        description="Only of this project, of all projects or of none.",
        json_schema_extra=arguments.PROJECT_RULE,
    )
    include_history: bool = Field(
        default=False,
        description="Also facts that were superseded: to search, those that the found facts took the place of; to "
        "entity, all of the thing's.",
    )
    kinds: Kinds = Field(default=[], description="Only notes of these kinds, such as fact or exchange.")
    tags: Tags = Field(default=[], description="Only notes with these tags.")
    depth: int = Field(default=1, ge=1, le=recall.DEPTH_LIMIT, description="Steps to follow relations.")
    types: RelationTypes = Field(default=[], description="Only relations of these types.")
    session: str = Field(
        default="",
        description="Only exchanges of this session.",
        json_schema_extra=arguments.told(notes.SESSION_LENGTH),
    )

    @property
    def most(self) -> int:
        """How many results are wanted."""
        return self.limit or _LIMITS.get(self.mode, recall.DEFAULT_LIMIT)


class FoundAnswer(NoteAnswer):
    """A note of any kind; a fact comes with what it is about, how sure it is, and what it took the place of."""

    about: str | None = None
    fact: FactAnswer | None = None
    earlier: list[FactAnswer] | None = None


class ExchangeAnswer(Answer):
    """A kept turn; `repeats` near-duplicates were merged into it."""

    id: UUID
    external_id: str | None = None
    user: str
    assistant: str
    session: str | None = None
    timestamp: Moment
    importance: float
    tags: list[str]
    repeats: int
    archived: bool


class MomentAnswer(Answer):
    """Something that happened: a note, or the start or end of a task."""

    at: Moment
    kind: str
    id: UUID
    content: str


class RecallAnswer(Answer):
    """What is recalled; only the parts that the mode has."""

    mode: Mode
    results: list[FoundAnswer] | None = None
    weak: bool | None = Field(default=None, description="True where none of the results clearly answers the query.")
    entity: EntityAnswer | None = None
    facts: list[FactAnswer] | None = None
    history: list[FactAnswer] | None = None
    chains: list[list[FactAnswer]] | None = Field(
        default=None, description="How each belief changed, first to last, with reasons and dates."
    )
    relations: list[RelationAnswer] | None = None
    distances: dict[str, int] | None = Field(default=None, description="Steps from the thing to each other one.")
    exchanges: list[ExchangeAnswer] | None = None
    timeline: list[MomentAnswer] | None = None
    total: int | None = None
    next_offset: int | None = None


def exchange(value: Exchange, *, size: int) -> ExchangeAnswer:
    """Return an exchange as callers see it, each side cut to `size` bytes."""
    return ExchangeAnswer(
        id=value.id,
        external_id=value.external_id,
        user=text.fitting(value.user, size=size),
        assistant=text.fitting(value.assistant, size=size),
        session=value.session,
        timestamp=value.timestamp,
        importance=round(value.importance, 4),
        tags=list(value.tags),
        repeats=value.repeats,
        archived=value.archived,
    )


async def recalled(app: "App", asked: Recall) -> RecallAnswer:
    """Recall in the mode that is asked for."""
    with arguments.naming(asked, context="query"):
        return await _in_mode(app, asked)


async def _in_mode(app: "App", asked: Recall) -> RecallAnswer:
    match asked.mode:
        case Mode.SEARCH:
            return await _searched(app, asked)
        case Mode.ENTITY:
            return await _entity(app, asked)
        case Mode.HISTORY:
            return await _history(app, asked)
        case Mode.RELATIONS:
            return await _relations(app, asked)
        case Mode.EXCHANGES:
            return await _exchanges(app, asked)
        case Mode.TIMELINE:
            return await _timeline(app, asked)


async def _searched(app: "App", asked: Recall) -> RecallAnswer:
    wanted = filters.checked(tags=asked.tags, kinds=asked.kinds, project=asked.project or None)
    if text.is_blank(asked.query) and wanted == filters.Filter():
        raise InvalidInput("query", "say what to search for, or choose another mode")
    found = await app.recall.search(asked.bank, recall.Query(text=asked.query, limit=asked.most, wanted=wanted))
    ids = [each.note.id for each in found if each.note.kind is Kind.FACT]
    believed = await app.beliefs.believed(asked.bank, ids)
    histories = await _histories(app, asked, [each.fact for each in believed.values()])
    now, within = app.clock.now(), answers.room(len(found))
    results = []
    for each in found:
        held = believed.get(each.note.id)
        earlier = histories.get(each.note.id)
        results.append(
            FoundAnswer(
                **answers.recalled(each, within=within).model_dump(),
                about=None if held is None else held.entity.name,
                fact=None if held is None else facts.fact(held.fact, now=now),
                earlier=None if earlier is None else facts.facts(earlier, now=now),
            )
        )
    weak = True if ranking.is_weak([each.evidence for each in found]) else None
    return RecallAnswer(mode=asked.mode, results=results, weak=weak)


async def _histories(app: "App", asked: Recall, held: Sequence[Fact]) -> dict[UUID, list[Fact]]:
    """Return what each of these facts took the place of, in that order; nothing unless history is asked for."""
    if not asked.include_history:
        return {}
    earlier = await app.beliefs.earlier(asked.bank, [each.id for each in held])
    return {chain[-1].id: chain[:-1] for chain in beliefs.chains([*held, *earlier])}


async def _entity(app: "App", asked: Recall) -> RecallAnswer:
    entity, held = await app.beliefs.entity(asked.bank, _named(asked))
    now = app.clock.now()
    active = [each for each in held if each.status is Status.ACTIVE]
    if asked.query:
        active = await _about(app, asked, active)
    else:
        active.sort(key=lambda each: (-each.confidence(now), each.first_seen))
    history = sorted(
        (each for each in held if each.status is not Status.ACTIVE),
        key=lambda each: each.superseded_at or each.first_seen,
        reverse=True,
    )
    around = await app.relations.around(asked.bank, entity.name)
    return RecallAnswer(
        mode=asked.mode,
        entity=facts.entity(entity),
        facts=facts.facts(active[: asked.most], now=now),
        history=facts.facts(history[: asked.most], now=now) if asked.include_history else None,
        relations=[facts.relation(each) for each in around.relations],
        total=len(active),
    )


async def _about(app: "App", asked: Recall, active: list[Fact]) -> list[Fact]:
    """Return the facts that answer the query, best first."""
    wanted = filters.Filter(ids=tuple(each.id for each in active))
    query = recall.Query(text=asked.query, limit=asked.most, wanted=wanted, include_forgotten=True)
    known = {each.id: each for each in active}
    return [known[each.note.id] for each in await app.recall.search(asked.bank, query)] if active else []


async def _history(app: "App", asked: Recall) -> RecallAnswer:
    entity, held = await app.beliefs.entity(asked.bank, _named(asked))
    now = app.clock.now()
    changed = [each for each in beliefs.chains(held) if len(each) > 1 or each[0].status is not Status.ACTIVE]
    shown = changed[-asked.most :]
    size = answers.room(sum(map(len, shown)), preview=facts.FACT_SIZE).size
    return RecallAnswer(
        mode=asked.mode,
        entity=facts.entity(entity),
        chains=[[facts.fact(each, now=now, size=size) for each in chain] for chain in shown],
        total=len(changed),
    )


async def _relations(app: "App", asked: Recall) -> RecallAnswer:
    if asked.name:
        found = await app.relations.around(
            asked.bank, asked.name, depth=asked.depth, types=asked.types, limit=asked.most
        )
    else:
        found = await app.relations.strongest(asked.bank, types=asked.types, limit=asked.most)
    return RecallAnswer(
        mode=asked.mode,
        relations=[facts.relation(each) for each in found.relations],
        distances=found.distances or None,
    )


async def _exchanges(app: "App", asked: Recall) -> RecallAnswer:
    size = max(answers.ANSWER_SIZE // (2 * asked.most), _SMALLEST_SIDE)
    if asked.query:
        wanted = filters.checked(
            kinds=[Kind.EXCHANGE], project=asked.project or None, session=asked.session or None, tags=asked.tags
        )
        found = await app.recall.search(asked.bank, recall.Query(text=asked.query, limit=asked.most, wanted=wanted))
        kept = await app.exchanges.several(asked.bank, [each.note.id for each in found])
        return RecallAnswer(mode=asked.mode, exchanges=[exchange(each, size=size) for each in kept])
    page = await app.exchanges.browse(
        asked.bank,
        session=asked.session or None,
        project=asked.project or None,
        limit=asked.most,
        offset=asked.offset,
    )
    beyond = asked.offset + len(page.exchanges)
    return RecallAnswer(
        mode=asked.mode,
        exchanges=[exchange(each, size=size) for each in page.exchanges],
        total=page.total,
        next_offset=beyond if beyond < page.total else None,
    )


async def _timeline(app: "App", asked: Recall) -> RecallAnswer:
    wanted = filters.checked(kinds=asked.kinds, project=asked.project or None, tags=asked.tags)
    page = await app.notes.browse(asked.bank, wanted=wanted, after=None, limit=asked.most)
    moments = [
        MomentAnswer(
            at=each.note.timestamp,
            kind=each.note.kind.value,
            id=each.note.id,
            content=text.fitting(each.note.content, size=_SMALLEST_SIDE),
        )
        for each in page.notes
    ]
    if not asked.kinds and not asked.tags:
        for task in await app.tasks.list(asked.bank, finished=True, limit=asked.most):
            moments.append(_moment(task.started_at, "task started", task.id, task.title))
            if task.ended_at is not None:
                moments.append(_moment(task.ended_at, f"task {task.status.value}", task.id, task.title))
    moments.sort(key=lambda each: each.at, reverse=True)
    return RecallAnswer(mode=asked.mode, timeline=moments[: asked.most])


def _moment(at: datetime, kind: str, id: UUID, title: str) -> MomentAnswer:
    return MomentAnswer(at=at, kind=kind, id=id, content=title)


def _named(asked: Recall) -> str:
    if not asked.name:
        raise InvalidInput("name", f"mode {asked.mode.value} needs the name of the thing; self is yourself")
    return asked.name
