"""REST routes for beliefs, exchanges, tasks and working memory: the same operations as the MCP tools."""

from fastapi import APIRouter, Depends

from memory_bank.interfaces import beliefs, introspection, recollection, sessions
from memory_bank.interfaces.rest.notes import Opened, only_known_parameters

router = APIRouter(prefix="/api/v1", tags=["beliefs"], dependencies=[Depends(only_known_parameters)])


@router.post("/remember", response_model_exclude_none=True)
async def remember(app: Opened, body: beliefs.Remember) -> beliefs.RememberAnswer:
    """State facts about a thing, replace them, or undo a replacement."""
    return await beliefs.remember(app, body)


@router.post("/recall", response_model_exclude_none=True)
async def recall(app: Opened, body: recollection.Recall) -> recollection.RecallAnswer:
    """Recall by a query, or a thing, its history, relations, exchanges, or the course of time."""
    return await recollection.recalled(app, body)


@router.post("/observe", response_model_exclude_none=True)
async def observe(app: Opened, body: sessions.Observe) -> sessions.ObserveAnswer:
    """Keep an exchange of a user and an assistant."""
    return await sessions.observe(app, body)


@router.post("/relate", response_model_exclude_none=True)
async def relate(app: Opened, body: beliefs.Relate) -> beliefs.RelationAnswer:
    """State how two things relate."""
    return await beliefs.relate(app, body)


@router.post("/context", response_model_exclude_none=True)
async def context(app: Opened, body: sessions.Context) -> sessions.ContextAnswer:
    """Push to a session's working memory, read it, or clear it."""
    return await sessions.context(app, body)


@router.post("/task", response_model_exclude_none=True)
async def task(app: Opened, body: sessions.TaskArguments) -> sessions.TasksAnswer:
    """Start, step, pause, resume, finish or list tasks."""
    return await sessions.act(app, body)


@router.post("/introspect", response_model_exclude_none=True)
async def introspect(app: Opened, body: introspection.Introspect) -> introspection.IntrospectAnswer:
    """Look at what is remembered."""
    return await introspection.introspect(app, body)


@router.post("/consolidate", response_model_exclude_none=True)
async def consolidate(app: Opened, body: beliefs.Consolidate) -> beliefs.ConsolidateAnswer:
    """Put away what is old or unsure."""
    return await beliefs.consolidate(app, body)


@router.post("/forget", response_model_exclude_none=True)
async def forget(app: Opened, body: introspection.Forget) -> introspection.ForgetAnswer:
    """Forget a thing, a fact, a relation or exchanges, or show what would go."""
    return await introspection.forget(app, body)
