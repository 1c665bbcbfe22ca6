"""Links: typed, explained edges between two notes.

The six types follow semantic-network theory: Collins & Quillian (1969), Collins & Loftus (1975).
"""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import text
from memory_bank.errors import InvalidInput

EXPLANATION_LIMIT = 1_000


class LinkType(StrEnum):
    """How the source note relates to the target note."""

    CAUSAL = "causal"
    CONTRAST = "contrast"
    EXAMPLE = "example"
    DERIVED_CONCEPT = "derived_concept"
    SHARED_CONTEXT = "shared_context"
    OPPOSITION = "opposition"


class LinkOrigin(StrEnum):
    """Who decided that the link exists."""

    LLM = "llm"
    HEURISTIC = "heuristic"
    USER = "user"


@dataclass(frozen=True, kw_only=True)
class Link:
    """An edge from `source_id` to `target_id`; `confidence` is between 0 and 1."""

    source_id: UUID
    target_id: UUID
    type: LinkType
    explanation: str
    origin: LinkOrigin
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One analyst's verdict that the note under enrichment links to `target_id`, and why."""

    target_id: UUID
    type: LinkType
    explanation: str
    origin: LinkOrigin
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A live note that the note under enrichment may link to; `similarity` is the cosine, -1 to 1."""

    id: UUID
    content: str
    similarity: float


def checked_explanation(explanation: str) -> str:
    """Return the explanation as it is stored.

    Raises `InvalidInput` when it is blank or longer than `EXPLANATION_LIMIT` characters.
    """
    cleaned = text.storable(explanation).strip()
    if text.is_blank(cleaned):
        raise InvalidInput("explanation", "say in a sentence or two why the notes belong together; it may not be blank")
    if len(cleaned) > EXPLANATION_LIMIT:
        raise InvalidInput("explanation", f"at most {EXPLANATION_LIMIT} characters, got {len(cleaned)}")
    return cleaned
