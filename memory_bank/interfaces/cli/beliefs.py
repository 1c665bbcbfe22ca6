"""The commands of the beliefs toolset: `memory-bank remember`, `recall`, `relate` and their kin."""

from memory_bank.domain import text
from memory_bank.interfaces import beliefs, introspection, recollection, sessions
from memory_bank.interfaces.beliefs import FactAnswer, RelationAnswer
from memory_bank.interfaces.cli import operations
from memory_bank.interfaces.recollection import ExchangeAnswer, FoundAnswer, RecallAnswer
from memory_bank.interfaces.sessions import TaskAnswer

LINE_LENGTH = 200
_SINGULAR = {
    "facts": "fact",
    "tags": "tag",
    "types": "type",
    "aliases": "alias",
    "kinds": "kind",
}


def _short(words: str) -> str:
    return text.preview(" ".join(words.split()), limit=LINE_LENGTH)


def _fact(value: FactAnswer) -> str:
    gone = "" if value.superseded_at is None else f"  until {value.superseded_at:%Y-%m-%d}: {value.reason or ''}"
    return f"{value.id}  {value.confidence:.0%} of {value.sources}  {_short(value.content)}{gone}"


def _found(value: FoundAnswer) -> list[str]:
    """Return the lines of a result: itself, and what it took the place of where that was asked for."""
    before = [f"    before: {_fact(each)}" for each in value.earlier or ()]
    return [f"{value.id}  {value.kind.value}  {value.score or 0:.3f}  {_short(value.content)}", *before]


def _relation(value: RelationAnswer) -> str:
    return f"{value.source} {value.type} {value.target}  ({value.weight:.2f}, stated {value.evidence} times)"


def _exchange(value: ExchangeAnswer) -> str:
    said = f"{_short(value.user)} / {_short(value.assistant)}"
    return f"{value.id}  {value.timestamp:%Y-%m-%d %H:%M}  {value.importance:.2f}  {said}"


def _task(value: TaskAnswer) -> str:
    return f"{value.id}  {value.status.value}  {_short(value.title)}: {_short(value.goal)}"


def _remembered(answer: beliefs.RememberAnswer) -> str:
    return "\n".join([answer.message, *map(_fact, answer.added)])


def _recalled(answer: RecallAnswer) -> str:
    lines = [line for each in answer.results or () for line in _found(each)]
    if answer.entity is not None:
        types = ", ".join(type.value for type in answer.entity.types)
        lines.append(f"{answer.entity.name} ({types})")
    lines += map(_fact, answer.facts or ())
    lines += map(_fact, answer.history or ())
    for chain in answer.chains or ():
        lines += ["", *map(_fact, chain)]
    lines += map(_relation, answer.relations or ())
    lines += map(_exchange, answer.exchanges or ())
    lines += [f"{each.at:%Y-%m-%d %H:%M}  {each.kind}  {_short(each.content)}" for each in answer.timeline or ()]
    return "\n".join(lines) or "Nothing relevant is remembered."


def _events(answer: sessions.ContextAnswer) -> str:
    if answer.cleared is not None:
        return f"{answer.cleared} events cleared"
    lines = [f"{each.created_at:%H:%M:%S}  {each.type.value}  {_short(each.content)}" for each in answer.events]
    return "\n".join(lines) or "No events."


def _tasks(answer: sessions.TasksAnswer) -> str:
    listed = [answer.task] if answer.task is not None else answer.tasks or []
    return "\n".join(map(_task, listed)) or "No open task."


def _introspected(answer: introspection.IntrospectAnswer) -> str:
    lines = []
    if answer.statistics is not None:
        lines += [f"{name}: {value}" for name, value in answer.statistics.model_dump(mode="json").items()]
    lines += [f"stale  {each.name}  unseen for {each.days} days" for each in answer.stale or ()]
    lines += [
        f"gap  {each.name}: {_short(each.fact.content)}  {each.volatile}, {each.days} days; {each.hint}"
        for each in answer.gaps or ()
    ]
    return "\n".join(lines) or "Nothing to report."


def _consolidated(answer: beliefs.ConsolidateAnswer) -> str:
    verb = "would be" if answer.dry_run else "were"
    lines = [
        f"{answer.refreshed} facts hold, {answer.unsure} of them unsure",
        f"{answer.archived_facts} superseded facts {verb} archived, {answer.retired} retired; "
        f"{answer.archived_exchanges} exchanges {verb} archived, {answer.pruned_exchanges} forgotten",
        *map(_fact, answer.retired_facts),
        *(f"perhaps one thing: {each.one} / {each.other}" for each in answer.near_duplicates),
    ]
    return "\n".join(lines)


def _forgotten(answer: introspection.ForgetAnswer) -> str:
    verb = "gone" if answer.forgotten else "would go"
    lines = [*map(_fact, answer.facts), *map(_relation, answer.relations), *map(_exchange, answer.exchanges)]
    named = [] if answer.entity is None else [answer.entity.name]
    return "\n".join([*named, *lines, f"{answer.total} {verb}"])


def _singular(field: str) -> str:
    return _SINGULAR.get(field, field)


COMMANDS = {
    "remember": operations.command(
        "remember",
        beliefs.Remember,
        beliefs.remember,
        _remembered,
        help="State facts about the thing called NAME, replace them, or undo a replacement.",
        positional=["name"],
        short=lambda field: "further-type" if field == "types" else _singular(field),
    ),
    "recall": operations.command(
        "recall",
        recollection.Recall,
        recollection.recalled,
        _recalled,
        help="Recall by QUERY, or in another mode a thing, its history, relations, exchanges or the course of time.",
        positional=["query"],
        short=_singular,
    ),
    "relate": operations.command(
        "relate",
        beliefs.Relate,
        beliefs.relate,
        _relation,
        help="State that SOURCE relates to TARGET by TYPE.",
        positional=["source", "type", "target"],
    ),
    "observe": operations.command(
        "observe",
        sessions.Observe,
        sessions.observe,
        lambda answer: _exchange(answer.exchange) + ("  (merged)" if answer.merged else ""),
        help="Keep an exchange of a user and an assistant.",
        short=_singular,
    ),
    "context": operations.command(
        "context",
        sessions.Context,
        sessions.context,
        _events,
        help="ACTION is push, get or clear: the working memory of a session.",
        positional=["action"],
    ),
    "task": operations.command(
        "task",
        sessions.TaskArguments,
        sessions.act,
        _tasks,
        help="ACTION is start, step, pause, resume, done, abort or list.",
        positional=["action"],
    ),
    "introspect": operations.command(
        "introspect",
        introspection.Introspect,
        introspection.introspect,
        _introspected,
        help="Look at what is remembered: VIEW is stats, stale, gaps or all.",
        positional=["view"],
        short=_singular,
    ),
    "consolidate": operations.command(
        "consolidate",
        beliefs.Consolidate,
        beliefs.consolidate,
        _consolidated,
        help="Put away what is old or unsure; nothing is deleted.",
    ),
    "forget": operations.command(
        "forget",
        introspection.Forget,
        introspection.forget,
        _forgotten,
        help="ACTION is entity, fact, relation or exchange: forget it, or show first what would go.",
        positional=["action"],
        short=lambda field: {"source": "from", "target": "to"}.get(field, field),
    ),
}
