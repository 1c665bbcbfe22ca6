"""What routes may answer instead of what was asked for, as the OpenAPI document tells it."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pydantic
from fastapi import FastAPI
from fastapi.routing import APIRoute

from memory_bank.interfaces import guards

BEARER = "token"
"""Name of the one security scheme."""

_ANYWHERE = {
    403: "The Origin is unknown, or the token is not good for this.",
    421: "The Host is unknown.",
}
_GUARDED = {
    401: "A token is needed, or the one shown is no good.",
    429: "Too many calls; Retry-After tells when to try again.",
    503: "The database or the embedding model is away.",
}
_OPERATIONS = {
    404: "What is named does not exist in this bank.",
    422: "An argument breaks a rule.",
}
_CHANGES = {
    409: "Another caller, or what is stored already, stands against it.",
}
_BODIES = {
    400: "The body is no JSON in UTF-8.",
    413: "The body is too large.",
}
_BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})
_HEADERS = {401: "WWW-Authenticate", 429: "Retry-After"}


class Refusal(pydantic.BaseModel):
    """Why a request was refused: the kind of refusal, what to do, and the field that is wrong, if one is."""

    error: str
    message: str
    field: str | None = None


class Operation(APIRoute):
    """A route whose refusals are told, by what it does."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **given: Any) -> None:
        methods = frozenset(given.get("methods") or ())
        told = {**_ANYWHERE, **_GUARDED, **_OPERATIONS}
        if methods - {"GET"}:
            told |= _CHANGES
        if methods & _BODY_METHODS:
            told |= _BODIES
        given["responses"] = {**responses(told), **(given.get("responses") or {})}
        super().__init__(path, endpoint, **given)


def of_status(*, guarded: bool) -> dict[int | str, dict[str, Any]]:
    """Return the refusals of a route about the server itself, where one that is `guarded` may ask for a token."""
    return responses({**_ANYWHERE, **(_GUARDED if guarded else {})})


def responses(told: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    """Return statuses and what they mean as FastAPI takes them."""
    return {status: _response(status, meaning) for status, meaning in sorted(told.items())}


def _response(status: int, meaning: str) -> dict[str, Any]:
    described: dict[str, Any] = {"model": Refusal, "description": f"{HTTPStatus(status).phrase}. {meaning}"}
    if header := _HEADERS.get(status):
        described["headers"] = {header: {"schema": {"type": "string"}, "required": True}}
    return described


def describe(app: FastAPI, *, required: bool) -> None:
    """Add to the OpenAPI document of `app` which routes take a token, and whether it is always `required`."""
    plain = app.openapi
    # on the own machine none is needed until one was made
    tokens: list[dict[str, list[str]]] = [{BEARER: []}] if required else [{BEARER: []}, {}]

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = plain()
            scheme = {"type": "http", "scheme": "bearer", "description": guards.CHALLENGE["WWW-Authenticate"]}
            document.setdefault("components", {})["securitySchemes"] = {BEARER: scheme}
            for operations in document["paths"].values():
                for operation in operations.values():
                    if "401" in operation["responses"]:
                        operation["security"] = tokens
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
