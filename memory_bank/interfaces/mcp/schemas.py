"""JSON Schemas as every MCP client takes them: no `$ref`, no union with null, an object on top."""

from collections.abc import Mapping
from typing import Any

import pydantic

Schema = dict[str, Any]

_RULES_OF_TEXTS = ("pattern", "minLength", "maxLength", "minProperties")


def plain(model: type[pydantic.BaseModel], *, mode: str) -> Schema:
    """Return the schema of `model` (`validation` for arguments, `serialization` for answers) in plain form.

    References are written out, an optional value has its own type instead of a union, titles are dropped. So are the
    rules of texts: some clients refuse them, and every refusal says what is wrong.
    """
    schema = model.model_json_schema(mode="serialization" if mode == "serialization" else "validation")
    flat: Schema = _flat(schema, schema.get("$defs", {}))
    flat.setdefault("properties", {})
    if mode == "serialization":
        _forget_defaults(flat)
    return flat


def _flat(node: Any, definitions: Mapping[str, Schema], *, names: bool = False) -> Any:
    """Return `node` without references, nulls and titles; `names` tells that its keys are fields' names."""
    if isinstance(node, list):
        return [_flat(each, definitions) for each in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {name: _flat(each, definitions) for name, each in node.items()}
    # what may be null may be a reference too
    node = _dereferenced(_without_null(_dereferenced(node, definitions)), definitions)
    return {
        key: _flat(each, definitions, names=key == "properties")
        for key, each in node.items()
        if key not in ("title", "$defs", *_RULES_OF_TEXTS)
        and not (key == "default" and each is None)
        # an empty text stands for no moment
        and not (key == "format" and node.get("default") == "")
    }


def _dereferenced(node: Schema, definitions: Mapping[str, Schema]) -> Schema:
    if "$ref" not in node:
        return node
    target = definitions[node["$ref"].removeprefix("#/$defs/")]
    return {**target, **{key: each for key, each in node.items() if key != "$ref"}}


def _without_null(node: Schema) -> Schema:
    variants = [each for each in node.get("anyOf", []) if each != {"type": "null"}]
    if len(variants) != 1:
        return node
    return {**variants[0], **{key: each for key, each in node.items() if key != "anyOf"}}


def _forget_defaults(node: Any) -> None:
    if isinstance(node, dict):
        node.pop("default", None)
        for each in node.values():
            _forget_defaults(each)
    elif isinstance(node, list):
        for each in node:
            _forget_defaults(each)
