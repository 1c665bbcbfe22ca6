"""REST routes for notes and links: the same arguments, answers and operations as the MCP tools."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request

from memory_bank.domain import banks
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import access, arguments, links, notes
from memory_bank.interfaces.access import Caller
from memory_bank.interfaces.answers import LinkAnswer, NoteAnswer
from memory_bank.interfaces.rest.refusals import Operation


async def only_known_parameters(request: Request) -> None:
    """Refuse a query parameter that the route does not know: a misspelt one must not be ignored."""
    if not request.query_params:
        return
    described = request.app.openapi()["paths"][request.scope["route"].path][request.method.lower()]
    known = {each["name"] for each in described.get("parameters", ()) if each["in"] == "query"}
    for name in request.query_params:
        if name not in known:
            told = ", ".join(sorted(known)) or "none"
            raise InvalidInput(name[:80], f"unknown; the query parameters here are {told}")


router = APIRouter(
    prefix="/api/v1", tags=["notes"], dependencies=[Depends(only_known_parameters)], route_class=Operation
)


async def asking(request: Request) -> Caller:
    """Return who asks; routes get no app but through it, so that none can forget what the caller may do."""
    return access.caller(request.scope)


Asking = Annotated[Caller, Depends(asking)]
Bank = Annotated[str, Query(description="Memory bank to work in.", json_schema_extra=arguments.BANK_RULE)]


@router.post("/notes", status_code=201, response_model_exclude_none=True)
async def add_note(caller: Asking, body: notes.AddNote) -> notes.AddedAnswer:
    """Store one note."""
    return await caller.run(notes.add, body)


@router.post("/notes/batch", response_model_exclude_none=True)
async def add_notes(caller: Asking, body: notes.AddNotes) -> notes.AddedAllAnswer:
    """Store up to 500 notes; each is answered for on its own."""
    return await caller.run(notes.add_all, body)


@router.post("/notes/search", response_model_exclude_none=True)
async def search_notes(caller: Asking, body: notes.SearchNotes) -> notes.SearchAnswer:
    """Find the notes that answer a query."""
    return await caller.run(notes.search, body)


@router.post("/notes/by-ids", response_model_exclude_none=True)
async def get_notes(caller: Asking, body: notes.GetNotes) -> notes.GotAnswer:
    """Fetch several notes in full."""
    return await caller.run(notes.get, body)


@router.get("/notes", response_model_exclude_none=True)
async def list_notes(caller: Asking, query: Annotated[notes.ListNotes, Query()]) -> notes.PageAnswer:
    """List notes, newest first."""
    return await caller.run(notes.browse, query)


@router.get("/notes/{id}", response_model_exclude_none=True)
async def get_note(caller: Asking, id: UUID, bank: Bank = banks.DEFAULT) -> NoteAnswer:
    """Fetch one note in full."""
    return await caller.run(notes.get_one, notes.GetNotes(ids=[id], bank=bank))


@router.patch("/notes/{id}", response_model_exclude_none=True)
async def update_note(caller: Asking, id: UUID, body: notes.EditFields, bank: Bank = banks.DEFAULT) -> NoteAnswer:
    """Change a note's text, context or tags."""
    return await caller.run(notes.update, notes.UpdateNote(id=id, bank=bank, **body.model_dump(exclude_unset=True)))


@router.delete("/notes/{id}", response_model_exclude_none=True)
async def delete_note(
    caller: Asking, id: UUID, bank: Bank = banks.DEFAULT, preview: bool = False
) -> notes.DeletedAnswer:
    """Delete a note, or show what would be deleted."""
    return await caller.run(notes.delete, notes.DeleteNote(id=id, bank=bank, preview=preview))


@router.get("/notes/{id}/neighbourhood", response_model_exclude_none=True)
async def get_neighbourhood(
    caller: Asking, id: UUID, query: Annotated[links.NeighbourhoodFields, Query()]
) -> links.NeighbourhoodAnswer:
    """Walk along links from a note."""
    return await caller.run(links.neighbourhood, links.Neighbourhood(id=id, **query.model_dump()))


@router.put("/links", response_model_exclude_none=True)
async def link_notes(caller: Asking, body: links.LinkNotes) -> LinkAnswer:
    """Link two notes."""
    return await caller.run(links.link, body)
