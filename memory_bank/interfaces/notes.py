"""The operations on notes: arguments, answers, and the one service call between them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import pydantic
from pydantic import Field

from memory_bank.domain import filters, moments, notes, ranking, recall
from memory_bank.domain.filters import TagMatch
from memory_bank.domain.notes import BATCH_LIMIT, Change, Draft, Kind, When
from memory_bank.errors import InvalidInput, NotFound
from memory_bank.interfaces import answers, arguments
from memory_bank.interfaces.answers import Answer, NoteAnswer
from memory_bank.interfaces.arguments import ASIDE, Arguments, Aside, InBank, JsonList, LenientList, Reading, Tags

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

Ids = Annotated[list[UUID], LenientList]
Kinds = Annotated[list[Kind], LenientList]


class NoteFields(Arguments):
    """A note to be stored."""

    content: str = Field(
        description=f"The text to remember, up to {notes.CONTENT_LIMIT} characters: one idea, understandable by "
        "itself.",
        json_schema_extra=arguments.told(notes.CONTENT_LIMIT, needed=True),
    )
    context: Aside = Field(
        default="",
        description="What the note is about, in a sentence; written for you if left out.",
        json_schema_extra=arguments.told(notes.CONTEXT_LIMIT),
    )
    tags: Tags = Field(default=[], description="Short labels such as project:atlas; stored in lower case.")
    session: Aside = Field(
        default="",
        description="The conversation or document the note comes from.",
        json_schema_extra=arguments.told(notes.SESSION_LENGTH),
    )
    position: int | None = Field(
        default=None, ge=0, le=notes.POSITION_LIMIT, description="Its place in that session, from 0."
    )
    timestamp: Aside = Field(
        default="",
        description="When it happened, ISO 8601; now if left out, UTC if without zone.",
        json_schema_extra=arguments.MOMENT_RULE,
    )

    def draft(self) -> Draft:
        """Return the note as services take it."""
        return Draft(
            content=self.content,
            context=self.context,
            tags=tuple(self.tags),
            session=self.session or None,
            position=self.position,
            timestamp=moments.parsed(self.timestamp, field="timestamp") if self.timestamp else None,
        )


class AddNote(NoteFields, InBank):
    """Arguments of add_memory_note."""

    enrichment: When = Field(
        default=When.INLINE, description="inline waits for keywords and links; queued answers at once."
    )


class UnreadableFields(NoteFields):
    """A note of a batch that broke a rule of form; it is refused alone, the others are stored."""

    problem: InvalidInput

    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)


def _each_alone(given: object, reading: pydantic.ValidatorFunctionWrapHandler) -> object:
    try:
        return reading(given)
    except pydantic.ValidationError as error:
        problem = arguments.refusal(error.errors(include_url=False), known=arguments.names(NoteFields))
        return UnreadableFields.model_construct(problem=problem)


class AddNotes(InBank):
    """Arguments of add_memory_notes."""

    notes: Annotated[list[Annotated[NoteFields, pydantic.WrapValidator(_each_alone)]], JsonList] = Field(
        description=f"The notes to store, 1 to {BATCH_LIMIT}, in order.", min_length=1, max_length=BATCH_LIMIT
    )


class Filters(Reading):
    """Conditions that searches and listings share."""

    tags: Tags = Field(default=[], description="Only notes with these tags.")
    tag_match: TagMatch = Field(
        default=TagMatch.ANY, description="Whether one of the tags is enough or all are needed."
    )
    kinds: Kinds = Field(default=[], description="Only these kinds of notes.")
    since: Aside = Field(
        default="", description="Only notes from this ISO 8601 time on.", json_schema_extra=arguments.MOMENT_RULE
    )
    until: Aside = Field(
        default="", description="Only notes up to this ISO 8601 time.", json_schema_extra=arguments.MOMENT_RULE
    )
    session: str = Field(
        default="",
        description="Only notes of this conversation or document.",
        json_schema_extra=arguments.told(notes.SESSION_LENGTH),
    )
    project: str = Field(
        default="",
        description="Only notes tagged project:NAME, tagged scope:universal, or of no project.",
        json_schema_extra=arguments.PROJECT_RULE,
    )

    def wanted(self) -> filters.Filter:
        """Return the conditions as services take them."""
        return filters.checked(
            tags=self.tags,
            tag_match=self.tag_match,
            kinds=self.kinds,
            since=moments.parsed(self.since, field="since") if self.since else None,
            until=moments.parsed(self.until, field="until") if self.until else None,
            session=self.session,
            project=self.project,
        )


_CONDITIONS = tuple(Filters.model_fields.keys() - InBank.model_fields.keys() - {"tag_match"})


class SearchNotes(Filters):
    """Arguments of search_memory_notes."""

    context: str = Field(
        description="What to remember: a question, a topic or the situation at hand, in plain words. "
        "Empty beside a tag or another condition lists the newest notes that meet it.",
        json_schema_extra=arguments.told(recall.QUERY_LIMIT),
    )
    limit: int = Field(default=recall.DEFAULT_LIMIT, ge=1, le=recall.RESULT_LIMIT, description="Most notes to return.")
    include_forgotten: bool = Field(default=False, description="Also return notes that forgetting hides.")
    min_retrievability: float | None = Field(
        default=None, ge=0, le=1, description="Leave out notes less likely to be remembered than this."
    )
    min_similarity: float | None = Field(
        default=None, ge=-1, le=1, description="Fixed lowest similarity of what no word finds."
    )
    expand: bool = Field(default=False, description="Also return notes that the best ones link to.")
    explain: bool = Field(default=False, description="Say for each note which arm of the search ranked it where.")

    @pydantic.model_validator(mode="before")
    @classmethod
    def _by_conditions_alone(cls, given: object) -> object:
        # some clients leave the text out where they search by a tag
        if isinstance(given, Mapping) and given.get("context") is None and any(map(given.get, _CONDITIONS)):
            return {**given, "context": ""}
        return given


class GetNotes(Reading):
    """Arguments of get_memory_notes_by_ids."""

    ids: Ids = Field(description=f"Ids of notes, up to {recall.RESULT_LIMIT}.", max_length=recall.RESULT_LIMIT)


class ListNotes(Filters):
    """Arguments of list_memory_notes."""

    limit: int = Field(default=20, ge=1, le=recall.RESULT_LIMIT, description="Most notes to return.")
    cursor: Aside = Field(default="", description="next_cursor of the page before; the first page if left out.")


class EditFields(Arguments):
    """The parts of a note to change; what is left out stays."""

    model_config = pydantic.ConfigDict(json_schema_extra={"minProperties": 1})

    content: Annotated[str | None, ASIDE] = Field(
        default=None,
        description="The new text; keywords and links are then found anew.",
        json_schema_extra=arguments.told(notes.CONTENT_LIMIT, needed=True),
    )
    context: Annotated[str | None, ASIDE] = Field(
        default=None,
        description="The new context; an empty one removes yours.",
        json_schema_extra=arguments.told(notes.CONTEXT_LIMIT),
    )
    tags: Tags | None = Field(default=None, description="All the tags the note shall have instead of those it has.")
    add_tags: Tags = Field(default=[], description="Tags to add to those it has.")
    remove_tags: Tags = Field(default=[], description="Tags to take away.")

    def change(self) -> Change:
        """Return the edit as services take it; raises `InvalidInput` where it changes nothing."""
        if not self.model_fields_set & EditFields.model_fields.keys():
            raise InvalidInput("content", f"nothing to change; give one of {', '.join(EditFields.model_fields)}")
        return Change(
            content=self.content,
            context=self.context,
            tags=None if self.tags is None else tuple(self.tags),
            add_tags=tuple(self.add_tags),
            remove_tags=tuple(self.remove_tags),
        )


class UpdateNote(EditFields, InBank):
    """Arguments of update_memory_note."""

    id: UUID = Field(description="The note to change.")


class DeleteNote(InBank):
    """Arguments of delete_memory_note."""

    id: UUID = Field(description="The note to delete.")
    preview: bool = Field(default=False, description="Only show what would be deleted.")


class AddedAnswer(NoteAnswer):
    """The note that now holds the text."""

    duplicate: bool = Field(description="True when a note with this text was there already.")


class OutcomeAnswer(Answer):
    """What became of one note of a batch."""

    index: int
    id: UUID | None = None
    duplicate: bool = False
    error: str | None = None


class AddedAllAnswer(Answer):
    """What became of each note of a batch, in order."""

    results: list[OutcomeAnswer]
    added: int
    duplicates: int
    refused: int


class FoundAnswer(Answer):
    """Notes, the best or asked-for first."""

    notes: list[NoteAnswer]


class SearchAnswer(FoundAnswer):
    """Notes, the best first."""

    weak: bool | None = Field(default=None, description="True when none of the notes clearly speaks of the query.")


class GotAnswer(FoundAnswer):
    """Notes in the order asked for; `missing` are ids without a note in this bank."""

    missing: list[UUID]


class PageAnswer(FoundAnswer):
    """A page of notes, newest first, their content shortened."""

    total: int
    next_cursor: str | None = None


class DeletedAnswer(Answer):
    """The note that was deleted, or that would be."""

    deleted: bool
    note: NoteAnswer


async def add(app: "App", asked: AddNote) -> AddedAnswer:
    """Store one note."""
    added = await app.notes.add(asked.bank, asked.draft(), when=asked.enrichment)
    return AddedAnswer(**answers.note(added.note).model_dump(), duplicate=added.duplicate)


async def add_all(app: "App", asked: AddNotes) -> AddedAllAnswer:
    """Store a batch of notes."""
    outcomes = await app.notes.add_all(asked.bank, [_draft_or_problem(each) for each in asked.notes])
    return AddedAllAnswer(
        results=[
            OutcomeAnswer(
                index=index,
                id=each.id,
                duplicate=each.duplicate,
                error=None if each.error is None else str(each.error),
            )
            for index, each in enumerate(outcomes)
        ],
        added=sum(each.error is None and not each.duplicate for each in outcomes),
        duplicates=sum(each.duplicate for each in outcomes),
        refused=sum(each.error is not None for each in outcomes),
    )


def _draft_or_problem(given: NoteFields) -> Draft | InvalidInput:
    if isinstance(given, UnreadableFields):
        return given.problem
    try:
        return given.draft()
    except InvalidInput as error:
        return error


async def search(app: "App", asked: SearchNotes) -> SearchAnswer:
    """Find the notes that answer a query."""
    query = recall.Query(
        text=asked.context,
        limit=asked.limit,
        wanted=asked.wanted(),
        include_forgotten=asked.include_forgotten,
        min_retrievability=asked.min_retrievability,
        min_similarity=asked.min_similarity,
        expand=asked.expand,
    )
    found = await app.recall.search(asked.bank, query)
    within = answers.room(len(found))
    return SearchAnswer(
        notes=[answers.recalled(each, within=within, explain=asked.explain) for each in found],
        weak=True if ranking.is_weak([each.evidence for each in found]) else None,
    )


async def get(app: "App", asked: GetNotes) -> GotAnswer:
    """Fetch notes by id, in full."""
    found = await app.notes.get(asked.bank, asked.ids)
    known = {each.note.id for each in found}
    within = answers.room(len(found), size=answers.FULL_SIZE) if len(found) > 1 else None
    return GotAnswer(
        notes=[answers.recalled(each, within=within) for each in found],
        missing=[id for id in dict.fromkeys(asked.ids) if id not in known],
    )


async def get_one(app: "App", asked: GetNotes) -> NoteAnswer:
    """Fetch the one note that is asked for, in full; raises `NotFound`."""
    found = await get(app, asked)
    if found.missing:
        raise NotFound(f"no note {found.missing[0]} in bank {asked.bank!r}; list the notes to see what exists")
    return found.notes[0]


async def browse(app: "App", asked: ListNotes) -> PageAnswer:
    """List notes, newest first."""
    after = filters.parsed_cursor(asked.cursor) if asked.cursor else None
    page = await app.notes.browse(asked.bank, wanted=asked.wanted(), after=after, limit=asked.limit)
    within = answers.room(len(page.notes), preview=answers.PREVIEW_SIZE)
    return PageAnswer(
        notes=[answers.recalled(each, within=within) for each in page.notes],
        total=page.total,
        next_cursor=None if page.next_cursor is None else str(page.next_cursor),
    )


async def update(app: "App", asked: UpdateNote) -> NoteAnswer:
    """Edit a note."""
    return answers.note(await app.notes.update(asked.bank, asked.id, asked.change()))


async def delete(app: "App", asked: DeleteNote) -> DeletedAnswer:
    """Delete a note, or show what would be deleted."""
    gone = await app.notes.delete(asked.bank, asked.id, preview=asked.preview)
    return DeletedAnswer(
        deleted=not asked.preview, note=answers.note(gone, within=answers.room(1, preview=answers.PREVIEW_SIZE))
    )
