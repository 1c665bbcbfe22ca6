"""Recall: what a search asks for and what it answers."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import filters, text
from memory_bank.domain.links import Link
from memory_bank.domain.notes import Note
from memory_bank.errors import InvalidInput

QUERY_LIMIT = 10_000
RESULT_LIMIT = 200
DEPTH_LIMIT = 4
"""Steps that a walk along links or relations takes at most."""

DEFAULT_LIMIT = 5
SMALLEST_POOL = 30


class Arm(StrEnum):
    """A way to find candidates: by meaning, or by words."""

    VECTOR = "vector"
    LEXICAL = "lexical"


@dataclass(frozen=True, kw_only=True)
class Query:
    """A search: the text to think of, how many notes to return at most, and which may be considered.

    `min_retrievability` raises the bound for this search, `include_forgotten` lifts the retrievability filter.
    `min_similarity` is a fixed lowest cosine for what no word finds. `expand` adds notes that the best ones link to.
    A blank text is allowed beside conditions.
    """

    text: str
    limit: int = DEFAULT_LIMIT
    wanted: filters.Filter = field(default_factory=filters.Filter)
    include_forgotten: bool = False
    min_retrievability: float | None = None
    min_similarity: float | None = None
    expand: bool = False
    arms: frozenset[Arm] = frozenset(Arm)


@dataclass(frozen=True, kw_only=True)
class ArmScore:
    """Where one arm ranked a note, from 1, and with which score of its own."""

    arm: str
    rank: int
    score: float


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """A note that is being returned; `score` orders a search's answer, `arms` says who found it.

    `evidence` says how far the note is about the query, whatever the others are; under 0 it may well not be.
    """

    note: Note
    retrievability: float
    score: float | None = None
    evidence: float | None = None
    arms: tuple[ArmScore, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A note that links lead to, and the number of links on the shortest way to it."""

    recalled: Recalled
    distance: int


@dataclass(frozen=True, kw_only=True)
class Neighbourhood:
    """The notes around `centre`, nearest first, and the links among all of them."""

    centre: UUID
    neighbours: tuple[Neighbour, ...]
    links: tuple[Link, ...]


def checked(query: Query) -> Query:
    """Return the query with its text cleaned; raise `InvalidInput` naming what breaks a rule."""
    cleaned = text.storable(query.text).strip()
    if text.is_blank(cleaned) and query.wanted == filters.Filter():
        raise InvalidInput("context", "say what to search for; it may not be blank; list the notes to look around")
    if len(cleaned) > QUERY_LIMIT:
        raise InvalidInput("context", f"at most {QUERY_LIMIT} characters, got {len(cleaned)}; ask in fewer words")
    return replace(
        query,
        text="" if text.is_blank(cleaned) else cleaned,
        limit=checked_limit(query.limit),
        min_retrievability=_checked_share("min_retrievability", query.min_retrievability, lowest=0),
        min_similarity=_checked_share("min_similarity", query.min_similarity, lowest=-1),
    )


def checked_limit(limit: int) -> int:
    """Return the limit if it lies between 1 and `RESULT_LIMIT`, else raise `InvalidInput`."""
    if not 1 <= limit <= RESULT_LIMIT:
        raise InvalidInput("limit", f"a whole number from 1 to {RESULT_LIMIT}, got {limit}")
    return limit


def checked_depth(depth: int) -> int:
    """Return the depth of a walk if it lies between 1 and `DEPTH_LIMIT`, else raise `InvalidInput`."""
    if not 1 <= depth <= DEPTH_LIMIT:
        raise InvalidInput("depth", f"a whole number from 1 to {DEPTH_LIMIT}, got {depth}")
    return depth


def pool_size(limit: int, *, batch_factor: int) -> int:
    """Return how many candidates an arm brings for `limit` results: a filter may drop some of them."""
    return max(limit * batch_factor, SMALLEST_POOL)


def _checked_share(name: str, value: float | None, *, lowest: float) -> float | None:
    # written so that NaN fails
    if value is not None and not lowest <= value <= 1:
        raise InvalidInput(name, f"a number from {lowest:g} to 1, got {value}")
    return value
