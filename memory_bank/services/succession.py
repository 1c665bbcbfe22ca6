"""Succession: which facts hold in the place of one that gave way."""

from collections.abc import Mapping
from uuid import UUID

from memory_bank.domain.beliefs import Entity, Fact, Status
from memory_bank.services import judging


async def holding_instead(entity: Entity, held: Mapping[UUID, Fact], fact: Fact) -> list[UUID]:
    """Return the active facts that took the place of `fact`, or that contradict it and were stated since."""
    later = [
        each
        for each in held.values()
        if each.status is Status.ACTIVE and (fact.superseded_at is None or each.first_seen >= fact.superseded_at)
    ]
    against = await judging.contradicted(entity.name, later, [fact.content], verdicts={}, superseded=True)
    successor = _successor(held, fact)
    return sorted({each.old.id for each in against} | ({successor.id} if successor else set()))


def _successor(held: Mapping[UUID, Fact], fact: Fact) -> Fact | None:
    """Return the active fact at the end of the chain that began when `fact` gave way."""
    met = {fact.id}
    while fact.superseded_by is not None and fact.superseded_by in held.keys() - met:
        fact = held[fact.superseded_by]
        met.add(fact.id)
        if fact.status is Status.ACTIVE:
            return fact
    return None
