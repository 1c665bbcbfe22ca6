"""What callers are answered, the same at every door."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import pydantic
from pydantic import Field

from memory_bank.domain import text
from memory_bank.domain.links import Link, LinkOrigin, LinkType
from memory_bank.domain.notes import Enrichment, Kind, Note
from memory_bank.domain.recall import Recalled

ANSWER_LENGTH = 60_000
"""Characters of note text in one search or listing, about 15 000 tokens: clients refuse much longer answers."""

SHORTEST_SHARE = 300
PREVIEW_LENGTH = 500


class Answer(pydantic.BaseModel):
    """Part of an answer; fields without a value are left out."""

    model_config = pydantic.ConfigDict(frozen=True)


class LinkAnswer(Answer):
    """A typed, explained link, seen from either end."""

    source_id: UUID
    target_id: UUID
    type: LinkType
    explanation: str
    origin: LinkOrigin
    confidence: float


class ArmAnswer(Answer):
    """Where one arm of the search ranked the note, and with which score of its own."""

    arm: str
    rank: int
    score: float


class NoteAnswer(Answer):
    """A note. `last_accessed` is Unix seconds; `retrievability` is what it was before this answer."""

    id: UUID
    kind: Kind
    content: str
    content_truncated: bool | None = Field(
        default=None, description="True where content is cut; get_memory_notes_by_ids returns all of it."
    )
    keywords: list[str]
    context: str
    tags: list[str]
    links: list[LinkAnswer]
    session: str | None = None
    position: int | None = None
    timestamp: datetime
    last_accessed: int
    retrieval_count: int
    retrievability: float | None = None
    enrichment: Enrichment
    enrichment_error: str | None = None
    score: float | None = Field(default=None, description="What the search ordered by, higher is better.")
    evidence: float | None = Field(default=None, description="How far the note is about the query; above 0 it is.")
    arms: list[ArmAnswer] | None = None


def link(value: Link) -> LinkAnswer:
    """Return a link as callers see it."""
    return LinkAnswer(
        source_id=value.source_id,
        target_id=value.target_id,
        type=value.type,
        explanation=value.explanation,
        origin=value.origin,
        confidence=round(value.confidence, 4),
    )


def note(value: Note, *, retrievability: float | None = None, length: int | None = None) -> NoteAnswer:
    """Return a note as callers see it, its content cut to `length` characters if given."""
    content = value.content if length is None else text.preview(value.content, limit=length)
    return NoteAnswer(
        id=value.id,
        kind=value.kind,
        content=content,
        content_truncated=True if content != value.content else None,
        keywords=list(value.keywords),
        context=value.context,
        tags=list(value.tags),
        links=[link(each) for each in value.links],
        session=value.session,
        position=value.position,
        timestamp=value.timestamp,
        last_accessed=value.last_accessed,
        retrieval_count=value.retrieval_count,
        retrievability=None if retrievability is None else round(retrievability, 6),
        enrichment=value.enrichment,
        enrichment_error=value.enrichment_error or None,
    )


def recalled(value: Recalled, *, length: int | None = None, explain: bool = False) -> NoteAnswer:
    """Return a recalled note as callers see it, with the arms' scores if `explain`."""
    arms = [ArmAnswer(arm=each.arm, rank=each.rank, score=round(each.score, 6)) for each in value.arms]
    return note(value.note, retrievability=value.retrievability, length=length).model_copy(
        update={
            "score": None if value.score is None else round(value.score, 6),
            "evidence": None if value.evidence is None or not explain else round(value.evidence, 6),
            "arms": arms if explain else None,
        }
    )


def share(values: Sequence[Recalled]) -> int:
    """Return how many characters of each note fit into one answer with all of them."""
    return max(ANSWER_LENGTH // max(len(values), 1), SHORTEST_SHARE)
