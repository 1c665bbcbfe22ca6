"""What of the bank beside goes into each argument of a service, whatever the service does with it.

Every public method of every service is called. One that is new is called as soon as its arguments are known here.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from memory_bank.bootstrap import App
from memory_bank.domain import evaluation, transfer
from memory_bank.domain.beliefs import EntityType, Statement
from memory_bank.domain.consolidation import Mode, Policy
from memory_bank.domain.filters import Cursor, Filter, TagMatch
from memory_bank.domain.links import LinkOrigin, LinkType
from memory_bank.domain.notes import Change, Draft, When, content_hash
from memory_bank.domain.recall import Arm, Query
from memory_bank.domain.tasks import TaskStatus
from memory_bank.domain.working_memory import EventType
from memory_bank.services.evaluation import Loaded
from memory_bank.store.enrichment import Unenriched
from tests.fakes import FakeClock
from tests.isolation.bait import SHARED, Held

NO_SERVICES = {
    "settings": "values",
    "embedder": "makes vectors, holds none",
    "jobs": "runs what services ask for; what it takes of a bank, `enrichment.defer` gives it",
    "clock": "tells the time",
    "maintenance": "work on the whole store, from which no caller's question is answered",
    "tokens": "of the whole store; that they keep callers to their banks is shown at the doors",
    "backups": "of the whole store, at the command line alone",
    "diagnosis": "of the whole store, at the command line alone",
    "language_model": "tells whether a language model answers",
}
"""Parts of an app that belong to no bank, and why."""

NOT_CALLED = {
    "consolidation.consolidate_all": "of the whole store, asked for by the queue alone",
    "enrichment.held": "waits for nothing and answers nothing",
    "enrichment.sweep": "of the whole store, asked for by the worker alone",
    "measurement.over": "puts the same service over other parts",
    "tasks.expire_all": "of the whole store, asked for by the queue alone",
}
"""Methods that no bank is named to, and why."""

MEASURED = {"measurement", "evaluation"}
"""Services that answer with how long something took."""

REMOVING = {"measurement.remove", "evaluation.remove"}
"""Methods that remove a whole bank: they come last."""

TX = object()
"""Stands for a transaction of the bank that asks."""


@dataclass(frozen=True, kw_only=True)
class Later:
    """An argument that a service has to make first."""

    made: Callable[[App], Awaitable[Any]]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A method of a service, and what it is called with."""

    name: str
    arguments: Mapping[str, Any]


Given = Callable[[Held, Held], Sequence[Any]]


def _statements(own: Held, other: Held) -> list[Statement]:
    def of_own(**more: Any) -> Statement:
        return Statement(name=own.entity, **more)

    return [
        Statement(name=other.entity, facts=("listens on port 9200",)),
        Statement(name=other.alias, supersede=str(other.fact)),
        Statement(name=other.entity, undo=other.former),
        of_own(aliases=(other.entity, other.alias), types=(EntityType.PERSON,)),
        of_own(rename=other.entity),
        of_own(facts=("is owned by Ada",), supersede=str(other.fact)),
        of_own(supersede="listens on port"),
        of_own(undo=other.former),
        of_own(facts=(SHARED,), source=other.source, tags={"tag": other.words}),
    ]


def _drafts(own: Held, other: Held) -> list[Draft]:
    return [
        Draft(content=SHARED, session=other.session, position=1, tags=(other.tag,)),
        Draft(content=other.words, context=other.words, tags=(other.tag, f"project:{other.project}")),
        Draft(content=f"{other.words} alpha migrates", session=own.session, position=7),
    ]


def _filters(own: Held, other: Held) -> list[Filter]:
    return [
        Filter(),
        Filter(tags=(other.tag,)),
        Filter(tags=(other.tag, own.tag), tag_match=TagMatch.ALL),
        Filter(session=other.session),
        Filter(project=f"project:{other.project}"),
        Filter(ids=other.ids),
    ]


def _queries(own: Held, other: Held) -> list[Query]:
    texts = (other.words, SHARED, other.entity, "listens on port", "asks how works")
    return [
        *(Query(text=text, limit=50, expand=True, min_similarity=-1.0) for text in texts),
        *(Query(text=other.words, arms=frozenset({arm})) for arm in Arm),
        *(Query(text=text, wanted=wanted, limit=50) for wanted in _filters(own, other) for text in ("", other.words)),
    ]


def _archives(own: Held, other: Held) -> list[transfer.Archive]:
    facts = tuple(transfer.Fact(id=id, content=f"fact {place}") for place, id in enumerate((other.fact, other.former)))
    entities = (
        transfer.Entity(id=other.fact, name=other.entity, aliases=(other.alias,), facts=facts),
        transfer.Entity(name=own.entity, facts=(transfer.Fact(id=other.fact, content=SHARED),)),
    )
    exchanges = tuple(
        transfer.Exchange(id=id, external_id=elsewhere, user=other.words, assistant="so", session=other.session)
        for id, elsewhere in ((other.exchange, None), (None, other.exchange_elsewhere))
    )
    tasks = tuple(
        transfer.Task(id=id, external_id=elsewhere, title=f"{other.words} {place}", status=TaskStatus.PAUSED)
        for place, (id, elsewhere) in enumerate(((other.task, None), (None, other.task_elsewhere)))
    )
    return [
        transfer.Archive(
            entities=entities,
            relations=(transfer.Relation(from_name=other.entity, type=other.relation, to_name=other.target),),
            exchanges=exchanges,
            tasks=tasks,
            events=(transfer.Event(session=other.session, type=EventType.ACTION, content=other.words),),
        )
    ]


def _corpus(own: Held, other: Held) -> evaluation.Corpus:
    documents = tuple(
        evaluation.Document(id=str(id), text=f"{other.words} {place}", session=other.session)
        for place, id in enumerate(other.notes)
    )
    asked = evaluation.Question(id="q", text=other.words, relevant=(str(other.notes[0]),), category="any")
    return evaluation.Corpus(file="corpus", name="corpus", documents=documents, questions=(asked,))


def _unseen(done: int) -> None:
    """Progress that nobody watches."""


def _prepared(own: Held, statement: Statement) -> Later:
    return Later(made=lambda app: app.beliefs.prepare(own.bank, statement))


async def _loaded(app: App, own: Held, other: Held) -> Loaded:
    return await app.evaluation.load(f"{own.bank}-measured", _corpus(own, other), progress=_unseen)


def _names(own: Held, other: Held) -> list[str]:
    return [other.entity, other.alias, other.target, own.entity]


def _ids(own: Held, other: Held) -> list[Any]:
    return [list(other.ids), [*own.notes, *other.notes]]


GIVEN: dict[str, Given] = {
    # what a bank is asked about
    "bank": lambda own, other: [own.bank],
    "id": lambda own, other: list(other.ids),
    "ids": _ids,
    "name": _names,
    "session": lambda own, other: [other.session],
    "project": lambda own, other: [other.project],
    "words": lambda own, other: [other.words, "asks how", SHARED],
    "query": _queries,
    "wanted": _filters,
    "after": lambda own, other: [Cursor(timestamp=FakeClock().moment + timedelta(days=9), id=other.notes[0])],
    "centre": lambda own, other: [*other.notes, own.notes[0]],
    "external_id": lambda own, other: [other.exchange_elsewhere, other.task_elsewhere],
    "note": lambda own, other: [
        Unenriched(
            id=id, content=other.words, content_hash=content_hash(other.words), attempts=0, embedded=bool(place % 2)
        )
        for place, id in enumerate(other.notes)
    ],
    # no bank holds a job by its number
    "job": lambda own, other: [None, 1],
    # what is put into it
    "draft": _drafts,
    "drafts": lambda own, other: [_drafts(own, other)],
    "change": lambda own, other: [
        Change(content=SHARED, tags=(other.tag,)),
        Change(add_tags=(other.tag,), remove_tags=(own.tag,), context=other.words),
    ],
    "statement": _statements,
    "archive": _archives,
    "text": lambda own, other: [other.words],
    "texts": lambda own, other: [[other.words, SHARED]],
    "explanation": lambda own, other: [other.words],
    "links.source": lambda own, other: [own.notes[0], *other.notes],
    "links.target": lambda own, other: [other.notes[0], *other.notes, own.notes[1]],
    "source": _names,
    "target": lambda own, other: _names(own, other)[::-1],
    "relations.type": lambda own, other: [other.relation, own.relation],
    "forgetting.type": lambda own, other: [other.relation, own.relation],
    "relations.types": lambda own, other: [(), (other.relation,)],
    "user": lambda own, other: [f"{other.words} asks", SHARED],
    "assistant": lambda own, other: [f"{other.words} works so"],
    "tags": lambda own, other: [(), (other.tag,)],
    "working_memory.content": lambda own, other: [other.words],
    "title": lambda own, other: [other.words, "Move okapi to the new cluster"],
    "goal": lambda own, other: [other.words],
    "success_condition": lambda own, other: [other.words],
    "result": lambda own, other: [other.words],
    "reason": lambda own, other: [other.words],
    "exchanges.get.id": lambda own, other: [*other.ids, other.exchange_elsewhere],
    "exchanges.forget.ids": lambda own, other: [[*other.ids, other.exchange_elsewhere]],
    "tasks.id": lambda own, other: [*other.ids, other.task_elsewhere],
    # a bank of its own: measuring wants every note embedded
    "evaluation.bank": lambda own, other: [f"{own.bank}-measured"],
    "corpus": lambda own, other: [_corpus(own, other)],
    "question": lambda own, other: list(_corpus(own, other).questions),
    "loaded": lambda own, other: [Later(made=lambda app: _loaded(app, own, other))],
    "prepared": lambda own, other: [_prepared(own, each) for each in _statements(own, other)[-3:]],
    "tx": lambda own, other: [TX],
    # how it is asked
    "when": lambda own, other: list(When),
    "type": lambda own, other: list(LinkType)[:1],
    "working_memory.type": lambda own, other: [EventType.ACTION],
    "links.types": lambda own, other: [(), (LinkType.CAUSAL,)],
    "introspection.types": lambda own, other: [(), (EntityType.SERVICE,)],
    "origin": lambda own, other: list(LinkOrigin),
    "mode": lambda own, other: list(Mode),
    "policy": lambda own, other: [None, Policy(max_exchange_age_days=1)],
    "variants": lambda own, other: [("hybrid",)],
    "progress": lambda own, other: [None],
    "evaluation.progress": lambda own, other: [_unseen],
    "met": lambda own, other: [()],
    "limit": lambda own, other: [50],
    "offset": lambda own, other: [0, 1],
    "depth": lambda own, other: [1, 3],
    "keep": lambda own, other: [500, 0],
    "older_than_days": lambda own, other: [1.0],
    "below_importance": lambda own, other: [1.0],
    "importance": lambda own, other: [0.5],
    "priority": lambda own, other: [0.5],
    **{name: (lambda own, other: [True, False]) for name in ("preview", "dry_run", "failed", "finished")},
    "baseline_first": lambda own, other: [True, False],
}
"""By "service.method.argument", "service.argument" or "argument", the narrowest first."""


def calls(app: App, own: Held, other: Held) -> Iterator[Call]:
    """Yield every call: of each method, each value of each argument beside the first ones of the others."""
    for name, method in methods(app):
        given = {parameter: _values(name, parameter, own, other) for parameter in inspect.signature(method).parameters}
        required = {
            parameter: given[parameter][0]
            for parameter, its in inspect.signature(method).parameters.items()
            if its.default is inspect.Parameter.empty
        }
        yield Call(name=name, arguments=required)
        for parameter, values in given.items():
            for value in values:
                if parameter not in required or value is not required[parameter]:
                    yield Call(name=name, arguments={**required, parameter: value})


def methods(app: App) -> list[tuple[str, Callable[..., Any]]]:
    """Return every public method of every service, by "service.method"."""
    found = [
        (f"{part}.{name}", method)
        for part in vars(app)
        if part not in NO_SERVICES and getattr(app, part) is not None
        for name, method in inspect.getmembers(_kind(app, part), callable)
        if not name.startswith("_") and f"{part}.{name}" not in NOT_CALLED
    ]
    bound = [(name, getattr(getattr(app, name.split(".")[0]), method.__name__)) for name, method in found]
    return sorted(bound, key=lambda each: (each[0] in REMOVING, each[0]))


def _kind(app: App, part: str) -> type:
    # a guarded service shows the methods of what stands behind the guard
    service = getattr(app, part)
    return type(vars(service).get("_service", service))


def _values(name: str, parameter: str, own: Held, other: Held) -> Sequence[Any]:
    service = name.split(".")[0]
    for key in (f"{name}.{parameter}", f"{service}.{parameter}", parameter):
        if key in GIVEN:
            return GIVEN[key](own, other)
    raise AssertionError(
        f"no call of {name} was made: add to GIVEN in tests/isolation/arguments.py what of another bank goes into its "
        f"argument {parameter!r} (or, where it belongs to no bank, to NOT_CALLED or NO_SERVICES, with the reason)"
    )
