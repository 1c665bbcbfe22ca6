"""The one map from errors to HTTP answers."""

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from memory_bank.errors import (
    ConfigurationError,
    Conflict,
    Forbidden,
    InvalidInput,
    MemoryBankError,
    NotFound,
    ProviderUnavailable,
    StoreUnavailable,
    Unauthenticated,
)
from memory_bank.interfaces import arguments, guards, requests
from memory_bank.services import redaction, tracing

logger = logging.getLogger(__name__)

_NO_JSON = "the body is no valid JSON in UTF-8; send one JSON object"
_NO_OBJECT = "send a JSON object, with the header Content-Type: application/json"


def install(app: FastAPI) -> None:
    """Let every error leave `app` as JSON that says what to do next."""
    app.add_exception_handler(MemoryBankError, _ours)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def status(error: MemoryBankError) -> tuple[int, str]:
    """Return the HTTP status of an error and its name in the answer."""
    match error:
        case NotFound():
            return 404, "not_found"
        case Conflict():
            return 409, "conflict"
        case InvalidInput():
            return 422, "invalid_input"
        case Unauthenticated():
            return 401, "unauthenticated"
        case Forbidden():
            return 403, "forbidden"
        case ProviderUnavailable() | StoreUnavailable() | ConfigurationError():
            return 503, "unavailable"
        case _:
            return 500, "internal"


def _refused(code: int, name: str, message: str, *, field: str | None = None) -> JSONResponse:
    """Return a refusal whose words, which may repeat what the caller sent, hold no secret."""
    told = None if field is None else redaction.refusal(field)
    return guards.refusal(code, name, redaction.refusal(message), field=told)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, MemoryBankError)
    code, name = status(error)
    if isinstance(error, InvalidInput):
        return _refused(code, name, str(error), field=error.field)
    answer = _refused(code, name, str(error))
    if isinstance(error, Unauthenticated):
        answer.headers.update(guards.CHALLENGE)
    return answer


async def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = list(error.errors())
    if any(problem["type"] == "json_invalid" for problem in problems):
        return _refused(400, "invalid_input", _NO_JSON, field="body")
    if any(problem["loc"] == ("body",) for problem in problems):
        return _refused(422, "invalid_input", _NO_OBJECT, field="body")
    for problem in problems:
        # where an argument stands in the request is no part of its name
        problem["loc"] = problem["loc"][1:]
    return await _ours(request, arguments.refusal(problems))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 400:
        # what FastAPI says of a body that is no JSON, is none in UTF-8, or is nested too deep
        return _refused(400, "invalid_input", _NO_JSON, field="body")
    answer = _refused(error.status_code, "not_found" if error.status_code == 404 else "refused", error.detail)
    answer.headers.update(error.headers or {})
    return answer


async def _unexpected(request: Request, error: Exception) -> Response:
    answer = guards.refusal(500, "internal", "internal error; see the server's log")
    # outside of all guards and of the observation: what they would add is added here
    seen = requests.trace(request.scope)
    if seen is None:
        logger.error("A request failed unexpectedly.", exc_info=error)
        return answer
    with tracing.following(seen):
        logger.error("A request failed unexpectedly.", exc_info=error)
    answer.headers[requests.HEADER] = str(seen.request_id)
    return answer
