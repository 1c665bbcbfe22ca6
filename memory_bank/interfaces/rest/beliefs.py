"""REST routes for beliefs, exchanges, tasks and working memory: the same operations as the MCP tools."""

from fastapi import APIRouter, Depends

from memory_bank.interfaces import beliefs, introspection, recollection, sessions
from memory_bank.interfaces.rest.notes import Asking, only_known_parameters
from memory_bank.interfaces.rest.refusals import Operation

router = APIRouter(
    prefix="/api/v1", tags=["beliefs"], dependencies=[Depends(only_known_parameters)], route_class=Operation
)


@router.post("/remember", response_model_exclude_none=True)
async def remember(caller: Asking, body: beliefs.Remember) -> beliefs.RememberAnswer:
    """State facts about a thing, replace them, or undo a replacement."""
    return await caller.run(beliefs.remember, body)


@router.post("/recall", response_model_exclude_none=True)
async def recall(caller: Asking, body: recollection.Recall) -> recollection.RecallAnswer:
    """Recall by a query, or a thing, its history, relations, exchanges, or the course of time."""
    return await caller.run(recollection.recalled, body)


@router.post("/observe", response_model_exclude_none=True)
async def observe(caller: Asking, body: sessions.Observe) -> sessions.ObserveAnswer:
    """Keep an exchange of a user and an assistant."""
    return await caller.run(sessions.observe, body)


@router.post("/relate", response_model_exclude_none=True)
async def relate(caller: Asking, body: beliefs.Relate) -> beliefs.RelationAnswer:
    """State how two things relate."""
    return await caller.run(beliefs.relate, body)


@router.post("/context", response_model_exclude_none=True)
async def context(caller: Asking, body: sessions.Context) -> sessions.ContextAnswer:
    """Push to a session's working memory, read it, or clear it."""
    return await caller.run(sessions.context, body)


@router.post("/task", response_model_exclude_none=True)
async def task(caller: Asking, body: sessions.TaskArguments) -> sessions.TasksAnswer:
    """Start, step, pause, resume, finish or list tasks."""
    return await caller.run(sessions.act, body)


@router.post("/introspect", response_model_exclude_none=True)
async def introspect(caller: Asking, body: introspection.Introspect) -> introspection.IntrospectAnswer:
    """Look at what is remembered."""
    return await caller.run(introspection.introspect, body)


@router.post("/consolidate", response_model_exclude_none=True)
async def consolidate(caller: Asking, body: beliefs.Consolidate) -> beliefs.ConsolidateAnswer:
    """Put away what is old or unsure."""
    return await caller.run(beliefs.consolidate, body)


@router.post("/forget", response_model_exclude_none=True)
async def forget(caller: Asking, body: introspection.Forget) -> introspection.ForgetAnswer:
    """Forget a thing, a fact, a relation or exchanges, or show what would go."""
    return await caller.run(introspection.forget, body)
