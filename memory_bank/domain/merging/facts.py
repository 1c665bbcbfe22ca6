"""Merging facts: which beliefs of an archive the bank holds already, and what the others become."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from memory_bank.domain import beliefs, merging, text, transfer
from memory_bank.domain.beliefs import Cause, Entity, Fact, Status
from memory_bank.domain.merging import Findings, Ids
from memory_bank.domain.transfer import Kind, Outcome
from memory_bank.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class Held:
    """What the bank holds: the facts of each thing with their sources, and the live notes with texts of the archive.

    elsewhere: those of the notes that are facts already.
    """

    facts: Mapping[UUID, Iterable[Fact]] = field(default_factory=dict)
    sources: Mapping[UUID, Mapping[str, datetime]] = field(default_factory=dict)
    texts: Mapping[str, UUID] = field(default_factory=dict)
    elsewhere: frozenset[UUID] = frozenset()


@dataclass(kw_only=True, eq=False)
class Belief:
    """A fact as it is to be, with its sources and when each was heard first; `fact.named_sources` stays empty.

    fresh: it is none of the bank's yet. adopted: its note is there, as a note that was no fact.
    """

    fact: Fact
    sources: dict[str, datetime]
    fresh: bool = False
    adopted: bool = False
    brought_id: bool = False
    changed: bool = False

    @property
    def counted(self) -> Fact:
        """The fact with its named sources among all of them."""
        return replace(self.fact, named_sources=tuple(self.sources))


class Facts:
    """Takes the facts of one thing of the archive after the other."""

    def __init__(self, held: Held, ids: Ids, found: Findings, *, now: datetime) -> None:
        self._held = held
        self._ids = ids
        self._found = found
        self._now = now
        self._texts: dict[str, tuple[UUID, Belief]] = {}
        self._things: dict[UUID, _Thing] = {}

    def beliefs(self) -> list[Belief]:
        """Return what is new or changed."""
        everything = [each for thing in self._things.values() for each in thing.beliefs]
        return [each for each in everything if each.fresh or each.changed]

    def take(self, entity: Entity, given: Sequence[transfer.Fact]) -> None:
        """Take facts about a thing; what is broken is left out and noted."""
        thing = self._things.get(entity.id)
        if thing is None:
            held = [
                Belief(fact=replace(each, named_sources=()), sources=dict(self._held.sources.get(each.id, {})))
                for each in self._held.facts.get(entity.id, ())
            ]
            thing = self._things[entity.id] = _Thing(entity, held)
        sound = [self._checked(entity, each) for each in given]
        placed = [None if each is None else thing.identified(each) for each in sound]
        known = len(thing.beliefs)
        for index, fact in enumerate(sound):
            if fact is not None:
                placed[index] = self._settle(thing, fact, placed[index])
        made = set(thing.beliefs[known:])
        for fact, belief in zip(given, placed, strict=True):
            if belief in made and belief.fact.status is not Status.ACTIVE:
                _succeed(belief, fact, given, placed)

    def _settle(self, thing: "_Thing", given: transfer.Fact, known: Belief | None) -> Belief | None:
        """Join a fact with the belief that it is, or make one; note what became of it."""
        key = f"{thing.entity.name}: {given.content}"
        reasons: list[str] = []
        try:
            belief = known or thing.same(given) or self._worded(thing.entity, given)
            if belief is None:
                self._found.note(Kind.FACT, key, Outcome.ADDED)
                return self._made(thing, given)
        except InvalidInput as error:
            self._found.refuse(Kind.FACT, key, error)
            return None
        if belief.fact.status is not given.status:
            reasons.append(f"it is {belief.fact.status.value} here and {given.status.value} in the file; it stays so")
        changed = _join(belief, given)
        self._found.settle(Kind.FACT, key, added=False, changed=changed, reasons=reasons)
        return belief

    def _checked(self, entity: Entity, given: transfer.Fact) -> transfer.Fact | None:
        try:
            merging.check_count(given.sources, field="sources", least=1)
            merging.check_moments(
                given.first_seen,
                given.last_confirmed,
                given.superseded_at,
                *(each.first_seen for each in given.named_sources),
            )
            return replace(given, content=beliefs.checked_fact(given.content))
        except InvalidInput as error:
            self._found.refuse(Kind.FACT, f"{entity.name}: {given.content}", error)
            return None

    def _worded(self, entity: Entity, given: transfer.Fact) -> Belief | None:
        """Return the new belief that has exactly the words of an active fact; raises `InvalidInput`.

        Two notes of one bank cannot have the same text, whatever they are about.
        """
        if given.status is not Status.ACTIVE:
            return None
        words = beliefs.written(entity.name, given.content)
        owner, belief = self._texts.get(words, (entity.id, None))
        if owner != entity.id or self._held.texts.get(words) in self._held.elsewhere:
            raise InvalidInput("facts", "the same words stand as a fact of another thing")
        return belief

    def _made(self, thing: "_Thing", given: transfer.Fact) -> Belief:
        words = beliefs.written(thing.entity.name, given.content)
        holds = given.status is Status.ACTIVE
        adopted = self._held.texts.get(words) if holds else None
        belief = Belief(
            fact=self._fact(thing.entity, given, adopted or self._ids.give(given.id)),
            sources={},
            fresh=True,
            adopted=adopted is not None,
            brought_id=given.id is not None,
        )
        _join(belief, given)
        thing.add(belief)
        if holds:
            self._texts[words] = (thing.entity.id, belief)
        return belief

    def _fact(self, entity: Entity, given: transfer.Fact, id: UUID) -> Fact:
        holds = given.status is Status.ACTIVE
        return Fact(
            id=id,
            entity_id=entity.id,
            content=given.content,
            sources=given.sources,
            first_seen=given.first_seen or given.last_confirmed or self._now,
            last_confirmed=given.last_confirmed or given.first_seen or self._now,
            status=given.status,
            superseded_at=None if holds else given.superseded_at or self._now,
            reason="" if holds else text.storable(given.reason),
            cause=None if holds else given.cause or Cause.IMPORT,
        )


class _Thing:
    """A thing's beliefs, those of the bank and new ones, as the archive's facts meet them."""

    def __init__(self, entity: Entity, held: list[Belief]) -> None:
        self.entity = entity
        self.beliefs = held
        self._by_id = {each.fact.id: each for each in held}
        self._active = {beliefs.fact_key(each.fact.content): each for each in held if each.fact.status is Status.ACTIVE}
        self._retired: dict[tuple[str, Status], list[Belief]] = {}
        for each in held:
            if each.fact.status is not Status.ACTIVE:
                self._retired.setdefault((beliefs.fact_key(each.fact.content), each.fact.status), []).append(each)

    def add(self, belief: Belief) -> None:
        self.beliefs.append(belief)
        if belief.fact.status is Status.ACTIVE:
            self._active.setdefault(beliefs.fact_key(belief.fact.content), belief)

    def identified(self, given: transfer.Fact) -> Belief | None:
        """Return the bank's belief that has the id and the words of a fact."""
        belief = None if given.id is None else self._by_id.get(given.id)
        words = beliefs.fact_key(given.content)
        if belief is None or beliefs.fact_key(belief.fact.content) != words:
            return None
        alike = self._retired.get((words, belief.fact.status), [])
        if belief in alike:
            alike.remove(belief)
        return belief

    def same(self, given: transfer.Fact) -> Belief | None:
        """Return the belief that says the same and has the same status.

        Of former beliefs, each is one step of a history: it is met once, and by none that tells another moment.
        """
        words = beliefs.fact_key(given.content)
        if given.status is Status.ACTIVE:
            belief = self._active.get(words)
            apart = belief is not None and belief.fresh and belief.brought_id and given.id is not None
            return None if apart else belief
        alike = self._retired.get((words, given.status), [])
        for belief in alike:
            if given.superseded_at in (None, belief.fact.superseded_at):
                alike.remove(belief)
                return belief
        return None


def _join(belief: Belief, given: transfer.Fact) -> bool:
    """Add to a belief what a fact says of its sources and moments; tell whether that is anything new."""
    fact, sources = belief.fact, dict(belief.sources)
    for each in given.named_sources:
        heard = each.first_seen or given.first_seen or fact.first_seen
        sources[each.name] = min(heard, sources.get(each.name, heard))
    joined = replace(
        fact,
        sources=max(fact.sources, given.sources, len(sources)),
        first_seen=min(fact.first_seen, given.first_seen or fact.first_seen),
        last_confirmed=max(fact.last_confirmed, given.last_confirmed or fact.last_confirmed),
    )
    changed = joined != fact or sources != belief.sources
    belief.fact, belief.sources = joined, sources
    belief.changed |= changed
    return changed


def _succeed(
    belief: Belief, given: transfer.Fact, facts: Sequence[transfer.Fact], placed: Sequence[Belief | None]
) -> None:
    """Write down what took a belief's place: a fact, or what is known of it."""
    index, content = given.superseded_by, given.superseded_by_content
    if index is not None and 0 <= index < len(facts):
        successor = placed[index]
        if successor is not None and successor is not belief:
            belief.fact = replace(belief.fact, superseded_by=successor.fact.id)
            return
        content = facts[index].content if successor is None else content
    belief.fact = replace(belief.fact, superseded_by_content=None if content is None else text.storable(content))
