"""Contradictions between two facts of one entity: the published strategies, in any script and both directions.

A rule fires only on what excludes the other fact; hard negatives (other subjects, other things counted, other times,
more detail, further values of what has many) are told apart by the words that the two facts do not share.
"""

from dataclasses import dataclass
from enum import StrEnum

from memory_bank.domain import text
from memory_bank.domain.contradictions import (
    corrections,
    denial,
    designations,
    facts,
    numbers,
    periods,
    scopes,
    states,
    values,
)
from memory_bank.domain.contradictions.facts import Fact, Part

_LONGEST_REASON = 300
# At this cosine facts that share few words may still speak of the same thing.
_SUSPICIOUS_SIMILARITY = 0.5
# Below it, facts without a word in common are about different sides of their entity.
_ALIEN_SIMILARITY = 0.2


class Strategy(StrEnum):
    """How a contradiction shows: the three published ways, two whose words have little in common, and by itself."""

    NEGATION = "negation"
    NUMBER = "number"
    TOPIC = "topic"
    RETIREMENT = "retirement"
    STATE = "state"
    CORRECTION = "correction"


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Two facts that cannot both hold now; `reason` is an English sentence of at most 300 characters."""

    strategy: Strategy
    reason: str


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """Two facts read in one language; `apart` when they name different times, `scoped` when different scopes."""

    old: Fact
    new: Fact
    apart: bool
    scoped: bool


def between(old: str, new: str, *, entity: str = "", similarity: float | None = None) -> Contradiction | None:
    """Tell whether and why the fact `new` contradicts the older fact `old` of the same `entity`.

    Reads the first `facts.READ_LIMIT` characters of each. `similarity` is the cosine of the facts' vectors, -1 to 1; it
    changes nothing here, for contradictions and their hard negatives lie equally close.
    """
    pair = _read(old, new, entity)
    return _judged(pair) if pair else None


def suspected(old: str, new: str, *, entity: str = "", similarity: float | None = None) -> bool:
    """Tell whether a judge should be asked about the pair: nearly every contradiction passes, and many other pairs.

    `similarity` is the cosine of the facts' all-MiniLM-L6-v2 vectors, -1 to 1, when known.
    """
    pair = _read(old, new, entity)
    if pair is None:
        return False
    if _judged(pair):
        return True
    if pair.apart:
        return False
    if similarity is not None and similarity >= _SUSPICIOUS_SIMILARITY:
        return True
    if similarity is not None and similarity < _ALIEN_SIMILARITY and not facts.shared(pair.old, pair.new):
        return False
    return _signs(pair.old, pair.new) or _substitutes(pair.old, pair.new)


def _read(old: str, new: str, entity: str) -> _Pair | None:
    one, two = facts.prepared(old), facts.prepared(new)
    if not one or not two or one == two:
        return None
    language = facts.language(one, two)
    mine, yours = facts.read(one, language=language, entity=entity), facts.read(two, language=language, entity=entity)
    if not mine.tokens or not yours.tokens:
        return None
    apart = periods.apart(periods.of(one, mine), periods.of(two, yours))
    return _Pair(old=mine, new=yours, apart=apart, scoped=scopes.apart(one, two))


def _judged(pair: _Pair) -> Contradiction | None:
    old, new = pair.old, pair.new
    if pair.scoped or facts.parted(old, new) or designations.apart(old, new):
        return None
    if not pair.apart and (reason := corrections.corrected(old, new)):
        return _contradiction(Strategy.CORRECTION, reason)
    if reason := denial.ended(old, new):
        return _contradiction(Strategy.RETIREMENT, reason)
    if reason := numbers.differ(old, new, apart=pair.apart):
        return _contradiction(Strategy.NUMBER, reason)
    if pair.apart:
        return None
    if reason := denial.negated(old, new) or denial.returned(old, new):
        return _contradiction(Strategy.NEGATION, reason)
    if reason := values.differ(old, new) or values.related(old, new):
        return _contradiction(Strategy.TOPIC, reason)
    if reason := states.differ(old, new):
        return _contradiction(Strategy.STATE, reason)
    return None


def _contradiction(strategy: Strategy, reason: str) -> Contradiction:
    return Contradiction(strategy=strategy, reason=text.preview(reason, limit=_LONGEST_REASON))


def _signs(old: Fact, new: Fact) -> bool:
    """Tell whether one fact denies, ends or changes something, or both speak of one scale or relation."""
    for part in (Part.NEGATOR, Part.ENDING, Part.RETURN):
        if len(old.of(part)) != len(new.of(part)):
            return bool(facts.shared(old, new)) or not old.words() or not new.words() or part is Part.ENDING
    for part in (Part.STATE, Part.RELATION):
        scales = {phrase.state[0] for phrase in old.of(part) if phrase.state}
        if any(phrase.state[0] in scales for phrase in new.of(part) if phrase.state):
            return True
    return False


def _substitutes(old: Fact, new: Fact) -> bool:
    """Tell whether the facts share words or a label, and each says something that the other does not."""
    numbers_differ = {number.value for number in old.quantities} != {number.value for number in new.quantities}
    if not facts.shared(old, new):
        return numbers_differ and bool(old.quantities and new.quantities)
    lost, gained = facts.missing(old, new, old.words()), facts.missing(new, old, new.words())
    return numbers_differ or bool(lost and gained)
