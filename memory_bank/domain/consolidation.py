"""Consolidation: what is put away with time, and which things may be one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from enum import StrEnum

from memory_bank.domain import beliefs
from memory_bank.domain.beliefs import Entity, Fact, Status
from memory_bank.errors import InvalidInput

ALIKE = 0.85
"""Share of common characters (Ratcliff & Obershelp 1988) from which two names may be one thing's."""

_WORDS_ALIKE = 0.7
_PAIRS_LIMIT = 100
_COMPARED_LIMIT = 200_000


class Mode(StrEnum):
    """How much is done: light only tells how sure facts still are, full puts away what is old."""

    LIGHT = "light"
    FULL = "full"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """When what is put away. Days are whole; `max_exchange_age_days` None prunes no exchange.

    A fact is retired when it is less sure than `min_confidence`, was not confirmed for `max_stale_days`, rests on one
    source and is about nothing protected. A single source alone gives 0.30 in the end: the default 0.40 is reached
    after 99 days.
    """

    min_confidence: float = 0.40
    max_stale_days: int = 60
    archive_days: int = 180
    max_exchange_age_days: int | None = None
    min_exchange_importance: float = 0.6


def checked(policy: Policy) -> Policy:
    """Return the policy; raises `InvalidInput` naming the field that is out of range."""
    for name in ("min_confidence", "min_exchange_importance"):
        # written so that NaN fails
        if not 0 <= getattr(policy, name) <= 1:
            raise InvalidInput(name, "a number from 0 to 1")
    for name in ("max_stale_days", "archive_days", "max_exchange_age_days"):
        days = getattr(policy, name)
        if days is not None and not 1 <= days <= 36_500:
            raise InvalidInput(name, "a whole number of days from 1 to 36500")
    return policy


def is_to_archive(fact: Fact, policy: Policy, *, now: datetime) -> bool:
    """Tell whether a superseded fact has been one for long enough to be put away."""
    since = fact.superseded_at
    return fact.status is Status.SUPERSEDED and since is not None and now - since >= timedelta(days=policy.archive_days)


def is_to_retire(fact: Fact, entity: Entity, policy: Policy, *, now: datetime) -> bool:
    """Tell whether an active fact is too unsure and too old to be kept among what is believed."""
    return (
        fact.status is Status.ACTIVE
        and not entity.protected
        and fact.sources < 2
        and now - fact.last_confirmed >= timedelta(days=policy.max_stale_days)
        and fact.confidence(now) < policy.min_confidence
    )


def alike(entities: Sequence[Entity]) -> list[tuple[Entity, Entity]]:
    """Return pairs of one type whose names are nearly the same, in the order of the names."""
    ordered = sorted(entities, key=lambda each: beliefs.key(each.name))
    pairs: list[tuple[Entity, Entity]] = []
    for one, other in _comparable(ordered):
        if len(pairs) == _PAIRS_LIMIT:
            break
        if set(one.types) & set(other.types) and _alike(beliefs.key(one.name), beliefs.key(other.name)):
            pairs.append((one, other))
    return pairs


def _comparable(ordered: Sequence[Entity]) -> Iterable[tuple[Entity, Entity]]:
    """Yield each pair of entities that share a word or the beginning of their names, once."""
    blocks: dict[str, list[int]] = {}
    for place, each in enumerate(ordered):
        name = beliefs.key(each.name)
        for mark in {*name.split(), name[:3]}:
            blocks.setdefault(mark, []).append(place)
    met: set[tuple[int, int]] = set()
    for places in blocks.values():
        for index, one in enumerate(places):
            for other in places[index + 1 :]:
                if len(met) >= _COMPARED_LIMIT:
                    return
                if (one, other) not in met:
                    met.add((one, other))
                    yield ordered[one], ordered[other]


def _alike(one: str, other: str) -> bool:
    if _digits(one) != _digits(other):
        return False
    words, others = set(one.split()), set(other.split())
    if len(words & others) / len(words | others) > _WORDS_ALIKE:
        return True
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))
