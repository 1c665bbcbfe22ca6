"""What of the bank beside goes into each argument of a tool or route, as its JSON schema describes them.

A tool and a route that is new is called as soon as every argument that takes a caller's words is known here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from memory_bank.domain.filters import Cursor
from tests.fakes import FakeClock
from tests.isolation.bait import SHARED, Held

Json = Any
Schema = Mapping[str, Any]

NO_OPERATIONS = {
    "/": "the page, which holds no memories",
    "/web/{name}": "the page's files",
    "/health": "whether the process lives",
    "/ready": "how the whole store does, in sums",
    "/metrics": "figures of the whole store, for tokens that are good for all of it",
    "/docs": "describes the routes",
    "/docs/oauth2-redirect": "describes the routes",
    "/redoc": "describes the routes",
    "/openapi.json": "describes the routes",
    "/sse": "MCP, whose tools are called",
    "/mcp": "MCP, whose tools are called",
    "/mcp/messages": "MCP, whose tools are called",
}
"""Routes that answer with nothing of a bank, and why."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A tool or a route: its name, the schema of each argument, and which it requires."""

    name: str
    arguments: Mapping[str, Schema]
    required: frozenset[str]


def _notes(own: Held, other: Held) -> list[Json]:
    return [
        [{"content": other.words, "tags": [other.tag], "session": other.session, "position": 1}, {"content": SHARED}]
    ]


def _cursor(own: Held, other: Held) -> list[Json]:
    return [str(Cursor(timestamp=FakeClock().moment + timedelta(days=9), id=other.notes[0]))]


def _ids(own: Held, other: Held) -> list[Json]:
    return [str(id) for id in other.ids]


def _words(own: Held, other: Held) -> list[Json]:
    return [other.words, SHARED]


def _names(own: Held, other: Held) -> list[Json]:
    return [other.entity, other.alias, own.entity]


GIVEN: dict[str, Callable[[Held, Held], Sequence[Json]]] = {
    "bank": lambda own, other: [own.bank],
    "id": _ids,
    "ids": lambda own, other: [_ids(own, other)],
    "source_id": lambda own, other: [str(own.notes[0]), str(other.notes[0])],
    "target_id": lambda own, other: [str(other.notes[0]), str(other.notes[1])],
    "undo": lambda own, other: [str(other.former), str(other.fact)],
    "cursor": _cursor,
    "taskId": lambda own, other: [*_ids(own, other), other.task_elsewhere],
    "tags": lambda own, other: [[other.tag]],
    "remember.tags": lambda own, other: [{"tag": other.words}],
    "add_tags": lambda own, other: [[other.tag]],
    "remove_tags": lambda own, other: [[own.tag, other.tag]],
    "session": lambda own, other: [other.session],
    "sessionId": lambda own, other: [other.session],
    "session_id": lambda own, other: [other.session],
    "project": lambda own, other: [other.project],
    "since": lambda own, other: ["2026-01-01"],
    "until": lambda own, other: ["2028-01-01"],
    "timestamp": lambda own, other: ["2026-03-10T03:15:00Z"],
    "content": _words,
    "notes": _notes,
    "name": _names,
    "aliases": lambda own, other: [[other.alias], [other.entity]],
    "rename": lambda own, other: [other.entity],
    "facts": lambda own, other: [["listens on port 9200"], [SHARED]],
    "supersede": lambda own, other: [str(other.fact), "listens on port"],
    "source": lambda own, other: [other.source],
    "from": _names,
    "to": lambda own, other: _names(own, other)[::-1],
    "relate.type": lambda own, other: [other.relation],
    "relationType": lambda own, other: [other.relation],
    "recall.types": lambda own, other: [[other.relation]],
    "query": lambda own, other: [*_words(own, other), other.entity, "asks how works", "listens on port"],
    "search_memory_notes.context": lambda own, other: [*_words(own, other), other.entity, "listens on port"],
    **dict.fromkeys(("context", "explanation", "user", "assistant", "title", "goal"), _words),
    **dict.fromkeys(("successCondition", "result", "reason"), _words),
}
"""By "tool.argument" or "argument", the narrowest first; routes go by the tool that does the same."""


def calls(operation: Operation, own: Held, other: Held, *, each: int | None = None) -> Iterator[dict[str, Json]]:
    """Yield arguments: for each kind of action, each value of each argument beside the first ones of the required.

    Arguments that say nothing of any bank are given all together. each: how many values of an argument, None all.
    """
    given = {name: _values(operation, name, own, other) for name in operation.arguments}
    first = {"bank": own.bank} | {name: given[name][0] for name in operation.required}
    switches = [name for name in ("action", "mode", "view") if name in given]
    for base in [first | {name: value} for name in switches for value in given[name]] or [first]:
        yield base
        for name, values in given.items():
            if name not in switches and name != "bank" and (name in GIVEN or f"{operation.name}.{name}" in GIVEN):
                yield from (base | {name: value} for value in values[:each])
        yield base | {name: values[0] for name, values in given.items() if name not in switches}


def _values(operation: Operation, name: str, own: Held, other: Held) -> Sequence[Json]:
    for key in (f"{operation.name}.{name}", name):
        if key in GIVEN:
            return GIVEN[key](own, other)
    schema = operation.arguments[name]
    if "enum" in schema:
        return list(schema["enum"])
    if "enum" in schema.get("items", {}):
        return [[schema["items"]["enum"][0]]]
    match schema.get("type"):
        case "boolean":
            return [True, False]
        case "integer" | "number":
            # says nothing of any bank
            return [min(schema.get("maximum", 50), 50)]
    raise AssertionError(
        f"{operation.name} was not called: add to GIVEN in tests/isolation/doors.py what of another bank goes into its "
        f"argument {name!r}"
    )
