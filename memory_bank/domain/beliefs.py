"""Beliefs: named things, the facts about them, how sure a fact is, and what it took the place of."""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import characters, notes, text
from memory_bank.errors import InvalidInput

NAME_LENGTH = 200
FACT_LENGTH = 10_000
FACTS_LIMIT = 100
"""Facts in one statement."""

NAMES_LIMIT, TYPES_LIMIT = 50, 20
SOURCE_LENGTH = 200
SHORTEST_WORDS = 3
"""Characters of a fact that may name it where it is replaced or forgotten."""


BASES = (0.30, 0.42, 0.50, 0.55, 0.60)
"""Confidence that 1, 2, 3, 4, and 5 or more sources give for good."""

FRESHNESS, FRESHNESS_DAYS = 0.30, 90.0
"""Confidence that a confirmation adds, and the days in which it falls to 1/e of that."""

SELF_NAMES = ("self", "agent-self")
"""Names under which an agent finds the entity of itself."""


class EntityType(StrEnum):
    """What a thing is: the published list."""

    PERSON = "person"
    PROJECT = "project"
    TECHNOLOGY = "technology"
    PREFERENCE = "preference"
    CONCEPT = "concept"
    FILE = "file"
    SERVICE = "service"
    ORGANIZATION = "organization"
    AGENT_SELF = "agent-self"
    OTHER = "other"
    GOAL = "goal"
    TASK = "task"
    PLAN = "plan"
    SKILL = "skill"
    PROBLEM = "problem"
    HYPOTHESIS = "hypothesis"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    EVENT = "event"
    EPISODE = "episode"
    OUTCOME = "outcome"
    FAILURE = "failure"
    SUCCESS = "success"
    RESOURCE = "resource"
    STATE = "state"
    SIGNAL = "signal"


PROTECTED = frozenset(
    {
        EntityType.AGENT_SELF,
        EntityType.PERSON,
        EntityType.PROJECT,
        EntityType.PREFERENCE,
        EntityType.DECISION,
        EntityType.ORGANIZATION,
        EntityType.SKILL,
        EntityType.CONSTRAINT,
    }
)
"""Types whose facts consolidation never retires."""


class Status(StrEnum):
    """Whether a fact is believed. Superseded and archived ones stay, for history."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class Cause(StrEnum):
    """Who made a fact lose its place."""

    CONTRADICTION = "contradiction"
    CALLER = "caller"
    UNDO = "undo"
    STALE = "stale"
    IMPORT = "import"


class OnConflict(StrEnum):
    """What happens to a fact that a new one contradicts."""

    SUPERSEDE = "supersede"
    KEEP_BOTH = "keep_both"
    ASK = "ask"


@dataclass(frozen=True, kw_only=True)
class Entity:
    """A named thing. `aliases` are its further names, `tags` map a key to a value, such as project to atlas."""

    id: UUID
    name: str
    types: tuple[EntityType, ...]
    tags: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    created_at: datetime
    last_seen: datetime
    access_count: int = 0

    @property
    def protected(self) -> bool:
        """Whether consolidation leaves its facts alone."""
        return not PROTECTED.isdisjoint(self.types)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A belief about an entity. `sources` counts distinct named sources and statements that named none.

    `superseded_by` is the fact that took its place; None for one that was removed, and for an imported one whose
    successor is known by its words alone, `superseded_by_content`.
    """

    id: UUID
    entity_id: UUID
    content: str
    sources: int
    first_seen: datetime
    last_confirmed: datetime
    status: Status = Status.ACTIVE
    superseded_by: UUID | None = None
    superseded_by_content: str | None = None
    superseded_at: datetime | None = None
    reason: str = ""
    cause: Cause | None = None
    named_sources: tuple[str, ...] = ()

    def confidence(self, now: datetime) -> float:
        """Return how sure the fact is at `now`, 0 to 1."""
        return confidence(self.sources, days=(now - self.last_confirmed).total_seconds() / 86_400)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """What a caller states about a thing, before it is checked.

    supersede: the words of active facts, or the id of one, that the first of `facts` replaces; without facts, they are
    removed. source: who says so; the same source again adds no certainty. undo: a superseded fact that holds again.
    """

    name: str
    types: tuple[EntityType, ...] = ()
    facts: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    rename: str = ""
    supersede: str = ""
    source: str = ""
    on_conflict: OnConflict = OnConflict.SUPERSEDE
    undo: UUID | None = None


def confidence(sources: int, *, days: float) -> float:
    """Return base(sources) + 0.30 · e^(-days / 90): product section 5. In [0.30, 0.90], never under the base."""
    base = BASES[min(max(sources, 1), len(BASES)) - 1]
    return base + FRESHNESS * math.exp(-max(days, 0.0) / FRESHNESS_DAYS)


def key(name: str) -> str:
    """Return what two spellings of one name share: NFKC, without case and what cannot be seen, blanks single."""
    return spelling(characters.visible(name))


def spelling(name: str) -> str:
    """Return the key that counts what cannot be seen too: things were told apart by it once."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def fact_key(content: str) -> str:
    """Return what two spellings of one fact share: as of a name, without a final full stop."""
    return key(content).rstrip(".。!！ ")


def written(name: str, content: str) -> str:
    """Return a fact as its note holds it: understandable by itself."""
    return f"{name}: {content}"


def note_tags(tags: Mapping[str, str]) -> tuple[str, ...]:
    """Return the tags of an entity's facts, as notes carry them."""
    return notes.checked_tags(tuple(f"{name}:{value}" for name, value in tags.items()))


def checked(statement: Statement) -> Statement:
    """Return the statement as it will be stored; raises `InvalidInput` naming the field that breaks a rule."""
    facts = tuple(_once(checked_fact(each) for each in statement.facts))
    if len(statement.facts) > FACTS_LIMIT:
        raise InvalidInput("facts", f"at most {FACTS_LIMIT} facts at once, got {len(statement.facts)}")
    given = Statement(
        name=checked_name(statement.name),
        types=tuple(dict.fromkeys(statement.types)),
        facts=facts,
        tags=checked_entity_tags(statement.tags),
        aliases=tuple(checked_name(each, field="aliases") for each in statement.aliases),
        rename=checked_name(statement.rename, field="rename") if statement.rename else "",
        supersede=checked_words(statement.supersede, field="supersede") if statement.supersede else "",
        source=_checked_source(statement.source),
        on_conflict=statement.on_conflict,
        undo=statement.undo,
    )
    if len(given.aliases) > NAMES_LIMIT:
        raise InvalidInput("aliases", f"at most {NAMES_LIMIT} names, got {len(given.aliases)}")
    if given.undo is not None and (given.facts or given.supersede):
        raise InvalidInput("undo", "undo stands alone: state facts in a call of their own")
    return given


def checked_name(name: str, *, field: str = "name") -> str:
    """Return the name cleaned; raise `InvalidInput` when it is blank or too long."""
    cleaned = " ".join(text.storable(name).split())
    if text.is_blank(cleaned) or not key(cleaned):
        raise InvalidInput(field, "give the name of the thing; it may not be blank")
    if len(cleaned) > NAME_LENGTH:
        raise InvalidInput(field, f"at most {NAME_LENGTH} characters, got {len(cleaned)}")
    return cleaned


def checked_words(words: str, *, field: str = "query") -> str:
    """Return words that name facts, cleaned; raise `InvalidInput` where they name too much or could stand in none."""
    cleaned = text.storable(words).strip()
    if len(fact_key(cleaned)) < SHORTEST_WORDS:
        raise InvalidInput(
            field, f"give the fact's id, or at least {SHORTEST_WORDS} characters of its words: less names many"
        )
    if len(cleaned) > FACT_LENGTH:
        raise InvalidInput(field, f"at most {FACT_LENGTH} characters, got {len(cleaned)}; a few words are enough")
    return cleaned


def checked_fact(content: str) -> str:
    """Return the fact without NUL and lone surrogates; raise `InvalidInput` when blank or too long."""
    cleaned = text.storable(content)
    if text.is_blank(cleaned):
        raise InvalidInput("facts", "a fact may not be blank; to remove one, name it in supersede and give no facts")
    if len(cleaned) > FACT_LENGTH:
        raise InvalidInput("facts", f"a fact has at most {FACT_LENGTH} characters, got {len(cleaned)}; split it up")
    return cleaned


def checked_entity_tags(tags: Mapping[str, str]) -> dict[str, str]:
    """Return tags with keys and values in lower case; raise `InvalidInput` for blank or long ones."""
    cleaned = {
        text.storable(name).strip().lower(): text.storable(value).strip().lower() for name, value in tags.items()
    }
    for name, value in cleaned.items():
        if text.is_blank(name) or text.is_blank(value) or ":" in name:
            raise InvalidInput("tags", "give each tag as a name and a value, such as project and atlas")
    note_tags(cleaned)
    return cleaned


def chains(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Return the histories in which these facts stand, each from its first belief to its last.

    Facts belong to one history that gave way to each other, directly or not; where several gave way to one, all of
    them precede it, in the order in which they did.
    """
    known = {each.id: each for each in facts}
    history = {each.id: [each] for each in facts}
    for each in facts:
        if each.superseded_by in known:
            earlier, later = history[each.id], history[each.superseded_by]
            if earlier is not later:
                later += earlier
                history.update((member.id, later) for member in earlier)
    told = {id(chain): chain for chain in history.values()}.values()
    ordered = [sorted(chain, key=lambda each: _place(each, known)) for chain in told]
    return sorted(ordered, key=lambda chain: (chain[-1].first_seen, chain[-1].id))


def _place(fact: Fact, known: Mapping[UUID, Fact]) -> tuple[bool, datetime, UUID]:
    return fact.superseded_by not in known, fact.superseded_at or fact.first_seen, fact.id


def _once(facts: Iterable[str]) -> Iterable[str]:
    return {fact_key(each): each for each in facts}.values()


def _checked_source(source: str) -> str:
    cleaned = text.storable(source).strip()
    if len(cleaned) > SOURCE_LENGTH:
        raise InvalidInput("source", f"at most {SOURCE_LENGTH} characters, got {len(cleaned)}")
    return "" if text.is_blank(cleaned) else cleaned
