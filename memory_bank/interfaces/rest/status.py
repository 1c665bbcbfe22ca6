"""Liveness and readiness."""

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from memory_bank.errors import MemoryBankError, Unauthenticated
from memory_bank.interfaces import access
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.opening import Opening
from memory_bank.interfaces.rest import refusals
from memory_bank.providers.embedding import State

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

router = APIRouter(tags=["status"])


class HealthAnswer(Answer):
    """The process lives; a language model that does not answer is named, with what to do."""

    status: str = "ok"
    language_model: str | None = None


class ReadyAnswer(Answer):
    """Whether every part that a call needs is there; a part that is not says why."""

    ready: bool
    database: str
    embedder: str
    queue: str
    language_model: str | None = None
    pending: int | None = None
    failed: int | None = None
    unembedded: int | None = None


@router.get("/health", response_model_exclude_none=True, responses=refusals.of_status(guarded=False))
async def health(request: Request) -> HealthAnswer:
    """Answer while the process lives, whatever else is away."""
    opening = request.app.state.opening
    assert isinstance(opening, Opening)
    model = None if opening.problem is not None else (await opening.app()).language_model
    return HealthAnswer(language_model=None if model is None else model.problem)


@router.get(
    "/ready",
    response_model_exclude_none=True,
    responses={**refusals.of_status(guarded=True), 503: {"model": ReadyAnswer}},
)
async def ready(request: Request, response: Response) -> ReadyAnswer:
    """Answer 200 when database, schema, embedding model and queue are there, else 503.

    A caller who needs a token and shows none gets 503 too, with less in it, but 401 instead of 200.
    """
    opening = request.app.state.opening
    assert isinstance(opening, Opening)
    answer = await _state(opening)
    if opening.problem is None and not await access.is_known(access.caller(request.scope)):
        if answer.ready:
            raise Unauthenticated("ready; send the header `Authorization: Bearer TOKEN` to see more")
        answer = ReadyAnswer(ready=False, database=answer.database, embedder=answer.embedder, queue="unknown")
    response.status_code = 200 if answer.ready else 503
    return answer


async def _state(opening: Opening) -> ReadyAnswer:
    if opening.problem is not None:
        return ReadyAnswer(ready=False, database=opening.problem, embedder="unknown", queue="unknown")
    app = await opening.app()
    language_model = _language_model(app)
    embedder = "ok" if app.embedder.state is State.READY else app.embedder.problem or app.embedder.state.value
    try:
        left = await app.maintenance.work_left()
    except MemoryBankError as error:
        return ReadyAnswer(
            ready=False, database=str(error), embedder=embedder, queue="unknown", language_model=language_model
        )
    return ReadyAnswer(
        ready=embedder == "ok",
        database="ok",
        embedder=embedder,
        queue=f"{left.queue.waiting} waiting, {left.queue.running} running",
        language_model=language_model,
        pending=left.notes.pending,
        failed=left.notes.failed,
        unembedded=left.notes.unembedded,
    )


def _language_model(app: "App") -> str:
    if app.language_model is None:
        return "none; the deterministic analyser enriches notes: set openai.api-key (OPENAI_API_KEY) for a better one"
    return app.language_model.problem or "ok"
