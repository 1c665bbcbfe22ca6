"""Notes: whatever can be recalled, and the rules its fields obey."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import moments, text
from memory_bank.domain.links import Link
from memory_bank.errors import InvalidInput

CONTENT_LIMIT = 100_000
CONTEXT_LIMIT = 2_000
TAG_LIMIT, TAG_LENGTH = 50, 100
SESSION_LENGTH = 200
POSITION_LIMIT = 2**31 - 1
BATCH_LIMIT = 500


class Kind(StrEnum):
    """What a note is about; every kind shares one table, one index and one decay rule."""

    NOTE = "note"
    FACT = "fact"
    EXCHANGE = "exchange"
    PASSAGE = "passage"
    NODE = "node"
    OBSERVATION = "observation"
    MODEL = "model"


class Reach(StrEnum):
    """How a search may find a note; by its id it is always there."""

    FULL = "full"
    """By meaning and by word."""
    MEANING = "meaning"
    """By meaning only: archived."""
    NONE = "none"
    """Not at all: superseded or retired."""


class Enrichment(StrEnum):
    """How far analysis and linking of a note have come."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class When(StrEnum):
    """Whether an add waits for its enrichment, within a time limit, or leaves it to the queue."""

    INLINE = "inline"
    QUEUED = "queued"


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A note as a caller gives it, before it is checked."""

    content: str
    context: str = ""
    tags: tuple[str, ...] = ()
    kind: Kind = Kind.NOTE
    session: str | None = None
    position: int | None = None
    timestamp: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Note:
    """A stored note. `last_accessed` is Unix seconds; `links` are seen from both ends."""

    id: UUID
    bank: str
    kind: Kind
    content: str
    keywords: tuple[str, ...]
    context: str
    tags: tuple[str, ...]
    links: tuple[Link, ...] = ()
    session: str | None
    position: int | None
    timestamp: datetime
    last_accessed: int
    retrieval_count: int
    reach: Reach = Reach.FULL
    enrichment: Enrichment
    enrichment_error: str = ""


@dataclass(frozen=True, kw_only=True)
class Change:
    """An edit of a note: `None` leaves a field alone. `add_tags` and `remove_tags` combine with concurrent edits."""

    content: str | None = None
    context: str | None = None
    tags: tuple[str, ...] | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()


def checked(draft: Draft) -> Draft:
    """Return the draft as it will be stored.

    Raises `InvalidInput`, naming the field, when a rule of product section 1 is broken.
    """
    return replace(
        draft,
        content=checked_content(draft.content),
        context=checked_context(draft.context),
        tags=checked_tags(draft.tags),
        session=checked_session(draft.session),
        position=_checked_position(draft.position),
        timestamp=None if draft.timestamp is None else moments.as_utc(draft.timestamp),
    )


def checked_content(content: str) -> str:
    """Return the content without NUL and lone surrogates; raise `InvalidInput` when blank or too long."""
    cleaned = text.storable(content)
    if text.is_blank(cleaned):
        raise InvalidInput("content", "give the text to remember; it may not be blank")
    if len(cleaned) > CONTENT_LIMIT:
        raise InvalidInput("content", f"at most {CONTENT_LIMIT} characters, got {len(cleaned)}; split it up")
    return cleaned


def checked_context(context: str) -> str:
    """Return the context cleaned; blank means none. Raise `InvalidInput` when it is too long."""
    cleaned = text.storable(context).strip()
    if len(cleaned) > CONTEXT_LIMIT:
        raise InvalidInput("context", f"at most {CONTEXT_LIMIT} characters, got {len(cleaned)}")
    return "" if text.is_blank(cleaned) else cleaned


def checked_tags(tags: Iterable[str], *, field: str = "tags") -> tuple[str, ...]:
    """Return tags in lower case without repeats, order kept; raise `InvalidInput` past the limits or when blank."""
    kept: dict[str, None] = {}
    for tag in tags:
        cleaned = text.storable(tag).strip().lower()
        if text.is_blank(cleaned):
            raise InvalidInput(field, "a tag may not be blank")
        if len(cleaned) > TAG_LENGTH:
            raise InvalidInput(field, f"a tag has at most {TAG_LENGTH} characters, got {len(cleaned)}")
        kept[cleaned] = None
    if len(kept) > TAG_LIMIT:
        raise InvalidInput(field, f"at most {TAG_LIMIT} tags, got {len(kept)}")
    return tuple(kept)


def checked_session(session: str | None) -> str | None:
    """Return the session's name cleaned, `None` when blank; raise `InvalidInput` when it is too long."""
    if session is None:
        return None
    cleaned = text.storable(session).strip()
    if len(cleaned) > SESSION_LENGTH:
        raise InvalidInput("session", f"at most {SESSION_LENGTH} characters, got {len(cleaned)}")
    return None if text.is_blank(cleaned) else cleaned


def content_hash(content: str) -> bytes:
    """Return the SHA-256 of the content; together with bank, kind and session it makes a live note unique."""
    return hashlib.sha256(content.encode("utf-8")).digest()


def _checked_position(position: int | None) -> int | None:
    if position is not None and not 0 <= position <= POSITION_LIMIT:
        raise InvalidInput("position", f"a whole number from 0 to {POSITION_LIMIT}, got {position}")
    return position
