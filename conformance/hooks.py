"""Checks for schemathesis, which loads this module: its own two on data, but for what `lenience` spells out."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from conformance import lenience

LET_PASS = "CONFORMANCE_LET_PASS"
"""Variable that names the file of what was let pass."""


@schemathesis.check  # type: ignore[untyped-decorator]
def wrong_data_refused(ctx: Any, response: Any, case: Any) -> bool | None:
    """Fail where data that the document does not describe is accepted, however leniently it is read."""
    try:
        return bool(negative_data_rejection(ctx, response, case)) or None
    except Failure:
        if _is_refused_within(response):
            _let_pass(case, "refused within a batch")
        elif _is_understood(response, case):
            _let_pass(case, "read leniently")
        else:
            raise
    return None


@schemathesis.check  # type: ignore[untyped-decorator]
def right_data_accepted(ctx: Any, response: Any, case: Any) -> bool | None:
    """Fail where data that the document describes is refused, but by a rule that joins several fields."""
    try:
        return bool(positive_data_acceptance(ctx, response, case)) or None
    except Failure:
        told = _json(response.content)
        field = told.get("field", "") if isinstance(told, dict) else ""
        sent = _sent(response)
        given = {**_query(response), **(sent if isinstance(sent, dict) else {})}
        if response.status_code != 422 or not lenience.refusable(case.operation.label, field, given):
            raise
        _let_pass(case, f"{field.partition('.')[0]} refused")
    return None


def _let_pass(case: Any, why: str) -> None:
    """Take note of what a check would have held against the server."""
    with Path(os.environ[LET_PASS]).open("a", encoding="utf-8") as notes:
        notes.write(f"{case.operation.label}: {why}\n")


def _is_understood(response: Any, case: Any) -> bool:
    """Tell whether body and query are what the document describes once they are read leniently."""
    document = case.operation.schema.raw_schema
    described = document["paths"][case.operation.path][case.operation.method.lower()]
    content = described.get("requestBody", {}).get("content", {}).get("application/json")
    sent = lenience.completed(case.operation.label, _sent(response))
    if content is not None and not lenience.meets(sent, content["schema"], document):
        return False
    query = _query(response)
    known = {each["name"]: each["schema"] for each in described.get("parameters", ()) if each["in"] == "query"}
    return all(
        name in known and lenience.meets(_one_or_all(given, known[name], document), known[name], document)
        for name, given in query.items()
        # null stands for nothing
        if given[-1] != "null"
    )


def _one_or_all(given: list[str], schema: lenience.Schema, document: lenience.Schema) -> object:
    """Return a parameter as the server reads it: all of a list, the last of anything else."""
    return given if schema.get("type") == "array" and len(given) > 1 else given[-1]


def _is_refused_within(response: Any) -> bool:
    """Tell whether the parts of a batch were answered for on their own, and one of them refused."""
    told = _json(response.content)
    return isinstance(told, dict) and bool(told.get("refused"))


def _query(response: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(response.request.url).query, keep_blank_values=True)


def _sent(response: Any) -> object:
    return _json(response.request.body)


def _json(text: bytes | str | None) -> object:
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None
