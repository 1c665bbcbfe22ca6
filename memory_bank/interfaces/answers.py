"""What callers are answered, the same at every door."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Annotated
from uuid import UUID

import pydantic
from pydantic import AfterValidator, Field

from memory_bank.domain import moments, text
from memory_bank.domain.links import Link, LinkOrigin, LinkType
from memory_bank.domain.notes import CONTENT_LIMIT, Enrichment, Kind, Note
from memory_bank.domain.recall import Recalled

ANSWER_SIZE = 40_000
"""Bytes of text in one search or listing, 10 000 to 14 000 tokens: with labels and links it stays under the some 25 000
beyond which clients refuse an answer."""

FULL_SIZE = 120_000
"""Bytes of note text in an answer to several ids."""

WHOLE_SIZE = 4 * CONTENT_LIMIT
"""Bytes of the longest note: it fits into an answer of its own."""

SHORTEST_SHARE = 200
PREVIEW_SIZE = 500
LABELS_SHARE, FEWEST_LABELS = 8, 40
LINKS_SHOWN = 40
"""Links in one answer, shared among its notes, a note's surest first."""

LINK_SIZE = 200
"""Bytes of a link's explanation beside several notes."""


class Answer(pydantic.BaseModel):
    """Part of an answer; fields without a value are left out."""

    model_config = pydantic.ConfigDict(frozen=True)


Moment = Annotated[datetime, AfterValidator(moments.as_utc)]
"""A moment as callers see it: in UTC, in whatever zone the database gives it."""


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
    more_links: int | None = Field(
        default=None, description="Links left out here; get_note_neighbourhood follows all of them."
    )
    session: str | None = None
    position: int | None = None
    timestamp: Moment
    last_accessed: int
    retrieval_count: int
    retrievability: float | None = None
    enrichment: Enrichment
    enrichment_error: str | None = None
    score: float | None = Field(default=None, description="What the search ordered by, higher is better.")
    evidence: float | None = Field(default=None, description="How far the note is about the query; above 0 it is.")
    arms: list[ArmAnswer] | None = None


def link(value: Link, *, size: int = WHOLE_SIZE) -> LinkAnswer:
    """Return a link as callers see it, its explanation cut to `size` bytes."""
    return LinkAnswer(
        source_id=value.source_id,
        target_id=value.target_id,
        type=value.type,
        explanation=text.fitting(value.explanation, size=size),
        origin=value.origin,
        confidence=round(value.confidence, 4),
    )


@dataclass(frozen=True, kw_only=True)
class Room:
    """How much of each note fits into one answer: bytes of its content, links, and bytes of their explanations."""

    size: int
    links: int
    link_size: int = LINK_SIZE


WHOLE = Room(size=WHOLE_SIZE, links=LINKS_SHOWN, link_size=WHOLE_SIZE)
"""The room of a note that has an answer to itself."""


def room(count: int, *, size: int = ANSWER_SIZE, preview: int | None = None) -> Room:
    """Return the room of each of `count` texts that share an answer; `preview` bounds the content's further."""
    share = max(size // max(count, 1), SHORTEST_SHARE)
    return Room(size=share if preview is None else min(share, preview), links=max(LINKS_SHOWN // max(count, 1), 1))


def note(value: Note, *, retrievability: float | None = None, within: Room | None = None) -> NoteAnswer:
    """Return a note as callers see it, cut to the room it has."""
    has = within or WHOLE
    content = text.fitting(value.content, size=has.size)
    links = sorted(value.links, key=lambda each: -each.confidence)
    words = max(has.size // LABELS_SHARE, FEWEST_LABELS)
    return NoteAnswer(
        id=value.id,
        kind=value.kind,
        content=content,
        content_truncated=True if content != value.content else None,
        keywords=_fitting(value.keywords, size=words),
        context=text.fitting(value.context, size=words),
        tags=_fitting(value.tags, size=words),
        links=[link(each, size=has.link_size) for each in links[: has.links]],
        more_links=len(links) - has.links if len(links) > has.links else None,
        session=value.session,
        position=value.position,
        timestamp=value.timestamp,
        last_accessed=value.last_accessed,
        retrieval_count=value.retrieval_count,
        retrievability=None if retrievability is None else round(retrievability, 6),
        enrichment=value.enrichment,
        enrichment_error=value.enrichment_error or None,
    )


def recalled(value: Recalled, *, within: Room | None = None, explain: bool = False) -> NoteAnswer:
    """Return a recalled note as callers see it, with evidence and the arms' scores if `explain`."""
    arms = [ArmAnswer(arm=each.arm, rank=each.rank, score=round(each.score, 6)) for each in value.arms]
    return note(value.note, retrievability=value.retrievability, within=within).model_copy(
        update={
            "score": None if value.score is None else round(value.score, 6),
            "evidence": None if value.evidence is None or not explain else round(value.evidence, 6),
            "arms": arms if explain else None,
        }
    )


def _fitting(words: Sequence[str], *, size: int) -> list[str]:
    """Return the first words that fit into `size` bytes together."""
    totals = accumulate(len(word.encode()) for word in words)
    return [word for word, total in zip(words, totals, strict=True) if total <= size]
