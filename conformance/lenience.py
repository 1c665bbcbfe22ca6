"""How far the server may read and refuse other than its OpenAPI document says.

Arguments are read leniently in form, for clients that send a list as text or null for nothing, and some rules join
several fields: no schema says so. Both are spelled out here, so that a check can let just these pass.
"""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema

Schema = Mapping[str, Any]

TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}

UNTOLD: Mapping[str, Mapping[str, str]] = {
    "PATCH /api/v1/notes/{id}": {"content": "at least one field must have a value"},
    "GET /api/v1/notes": {"until": "it may not lie before since", "cursor": "only one that an answer gave is good"},
    "POST /api/v1/notes/search": {
        "context": "it may be blank only beside another condition",
        "until": "it may not lie before since",
    },
    "PUT /api/v1/links": {"target_id": "it must be another note than source_id"},
    "POST /api/v1/remember": {
        "facts": "some are needed unless another field says what to do",
        "supersede": "words too short name many facts",
        "undo": "it stands alone",
        "tags": "names and values together are at most as long as a tag, and no name holds a colon",
    },
    "POST /api/v1/recall": {
        "query": "needed by the mode",
        "name": "needed by the mode",
        "types": "they must hold more than hyphens",
    },
    "POST /api/v1/observe": {"user": "one of both sides must say something"},
    "POST /api/v1/relate": {"to": "it must be another thing than from", "type": "it must hold more than hyphens"},
    "POST /api/v1/context": {"content": "needed to push"},
    "POST /api/v1/task": {
        "taskId": "needed by the action",
        "title": "needed to start",
        "goal": "needed to start",
    },
    "POST /api/v1/forget": {
        "name": "needed by the action",
        "query": "needed by the action; words too short name many",
        "from": "needed by the action",
        "to": "needed by the action",
        "relationType": "needed by the action",
    },
}
"""Fields that an operation may refuse although they meet their schemas, and the rule behind."""

LEFT_OUT: Mapping[str, Mapping[str, object]] = {"POST /api/v1/notes/search": {"context": ""}}
"""What may be left out of a body although it is needed, and what it then is."""

UNREAD: Mapping[str, frozenset[str]] = {
    "POST /api/v1/recall": frozenset({"query", "name", "types", "project", "session"}),
    "POST /api/v1/context": frozenset({"content"}),
    "POST /api/v1/task": frozenset({"taskId", "title", "goal", "successCondition", "result", "reason", "sessionId"}),
    "POST /api/v1/forget": frozenset({"name", "query", "from", "to", "relationType"}),
}
"""Texts that only some modes or actions look at; the others leave them as they are, whatever they hold."""

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_EMPTY_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")


def refusable(operation: str, field: str, sent: object) -> bool:
    """Tell whether `operation` may refuse `field` of a body that meets its schema.

    Besides the fields in `UNTOLD`, a text of which nothing can be seen counts as blank; no portable pattern says so.
    """
    named = field.partition(".")[0]
    return named in UNTOLD.get(operation, {}) or _is_invisible(_at(sent, field.split(".")))


def completed(operation: str, sent: object) -> object:
    """Return a body with what may be left out of it, and without the texts that may not be looked at."""
    if not isinstance(sent, Mapping):
        return sent
    unread = UNREAD.get(operation, frozenset())
    read = {name: value for name, value in sent.items() if not (name in unread and isinstance(value, str | list))}
    added = {name: value for name, value in LEFT_OUT.get(operation, {}).items() if read.get(name) is None}
    return {**read, **added}


def understood(value: object, schema: Schema, document: Schema) -> object:
    """Return `value` as a lenient reader takes it: nulls left out, lists and numbers read from text."""
    schema = _resolved(schema, document)
    if "anyOf" in schema:
        options = [each for each in schema["anyOf"] if each.get("type") != "null"]
        return value if value is None or not options else understood(value, options[0], document)
    match schema.get("type"):
        case "object":
            return _object(_from_json(value), schema, document)
        case "array":
            return _array(value, schema, document)
        case "string":
            return value.strip() if isinstance(value, str) else value
        case "integer" | "number" as kind:
            return _number(value, whole=kind == "integer")
        case "boolean":
            return TRUTHS.get(str(value).lower(), value) if isinstance(value, str | int) else value
        case _:
            return value


def meets(value: object, schema: Schema, document: Schema) -> bool:
    """Tell whether `value`, read leniently, is what the schema describes."""
    whole = {**schema, "components": document.get("components", {})}
    return bool(jsonschema.Draft202012Validator(whole).is_valid(understood(value, schema, document)))


def _resolved(schema: Schema, document: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    found: Any = document
    for part in str(schema["$ref"]).removeprefix("#/").split("/"):
        found = found[part]
    return {**found, **{key: each for key, each in schema.items() if key != "$ref"}}


def _object(value: object, schema: Schema, document: Schema) -> object:
    if not isinstance(value, Mapping):
        return value
    known: Mapping[str, Schema] = schema.get("properties", {})
    needed: Sequence[str] = schema.get("required", ())
    others = schema.get("additionalProperties")
    rest: Schema = others if isinstance(others, Mapping) else {}
    return {
        name: understood(each, known.get(name, rest), document)
        for name, each in value.items()
        if name not in known or not (each is None or (each == "null" and name not in needed))
    }


def _array(value: object, schema: Schema, document: Schema) -> object:
    read = _from_json(value)
    if isinstance(read, str):
        read = [part.strip() for part in read.split(",") if part.strip()]
    if not isinstance(read, list):
        return value
    return [understood(each, schema.get("items", {}), document) for each in read]


def _from_json(value: object) -> object:
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _number(value: object, *, whole: bool) -> object:
    try:
        read = float(value) if isinstance(value, str | int | float) else None
    except (ValueError, OverflowError):
        return value
    if read is None:
        return value
    return int(read) if whole and read.is_integer() else read


def _at(value: object, path: Sequence[str]) -> object:
    for part in path:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            break
    return value


def _is_invisible(value: object) -> bool:
    match value:
        case str():
            return all(each in _EMPTY_LETTERS or unicodedata.category(each) in _INVISIBLE for each in value)
        case list():
            return any(_is_invisible(each) for each in value)
        case Mapping():
            return any(_is_invisible(each) for pair in value.items() for each in pair)
        case _:
            return False
