"""`/metrics`: figures for Prometheus."""

import asyncio
import contextlib

from fastapi import APIRouter, Request, Response

from memory_bank.domain.tokens import Access, Level
from memory_bank.errors import Forbidden, MemoryBankError, StoreUnavailable
from memory_bank.interfaces import access, metrics
from memory_bank.interfaces.access import Caller
from memory_bank.interfaces.metrics import Prometheus, Reading
from memory_bank.interfaces.opening import Opening
from memory_bank.interfaces.rest import refusals

router = APIRouter(tags=["status"])

PATIENCE_SECONDS = 2.0
"""How long a scrape waits for the database, twice at most: Prometheus itself gives up after ten seconds."""


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        **refusals.of_status(guarded=True),
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
    },
)
async def figures(request: Request) -> Response:
    """Answer with everything that is counted, for Prometheus.

    Where callers need a token, one that may read every bank is needed. While the database is away, what it knows is
    left out, and a caller about whom nobody can tell sees no more than that.
    """
    opening, counted = request.app.state.opening, request.app.state.metrics
    assert isinstance(opening, Opening)
    assert isinstance(counted, Prometheus)
    known = await _access(access.caller(request.scope), opening)
    if known is not None and not (known.level.covers(Level.READ) and known.banks is None):
        raise Forbidden("these figures are of every bank; use a token that is good for all: make it without --bank")
    reading = await _reading(opening)
    body = metrics.outline(reading) if known is None else counted.exposition(reading)
    return Response(body, media_type=metrics.CONTENT_TYPE)


async def _access(who: Caller, opening: Opening) -> Access | None:
    """Return what the caller may do, as last known while the database is away; None where nobody can tell.

    Raises `Unauthenticated`.
    """
    if opening.problem is not None:
        return None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await who.access()
    except (StoreUnavailable, TimeoutError):
        return await who.last_access()


async def _reading(opening: Opening) -> Reading:
    if opening.problem is not None:
        return Reading()
    app = await opening.app()
    reading = Reading(pool=app.diagnosis.pool())
    with contextlib.suppress(MemoryBankError, TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            return Reading(pool=reading.pool, queue=await app.diagnosis.queue(within=PATIENCE_SECONDS))
    return reading
