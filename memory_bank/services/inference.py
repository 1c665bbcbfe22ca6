"""Inferring relations: what a fact's own words say its subject rests on, and what is often spoken of together."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memory_bank.domain import beliefs, filters, relations
from memory_bank.domain.beliefs import Entity, Fact
from memory_bank.store import entities, exchanges
from memory_bank.store import relations as rows
from memory_bank.store.database import Tx

RECENT_EXCHANGES = 50
_MOST = 20


async def infer(tx: Tx, entity: Entity, added: Sequence[Fact], *, created: bool, now: datetime) -> None:
    """State the relations that new facts of a locked entity name, and of a new entity those that exchanges show."""
    for id in await _rests_on(tx, added):
        await _state(tx, entity, "depends-on", id, now=now)
    if created:
        for id in await _spoken_of_with(tx, entity):
            await _state(tx, entity, "related-to", id, now=now)


async def _rests_on(tx: Tx, added: Sequence[Fact]) -> list[UUID]:
    phrases = [names for each in added for names in relations.leads(each.content)]
    known = await entities.owners(tx, [name for names in phrases for name in names]) if phrases else {}
    meant = (
        next((known[beliefs.key(name)] for name in names if beliefs.key(name) in known), None) for names in phrases
    )
    return list(dict.fromkeys(id for id in meant if id is not None))


async def _spoken_of_with(tx: Tx, entity: Entity) -> list[UUID]:
    recent, _ = await exchanges.page(tx, wanted=filters.Filter(), count=RECENT_EXCHANGES, offset=0)
    if not recent:
        return []
    texts = [beliefs.key(f"{each.user} {each.assistant}") for each in recent]
    others = {beliefs.key(each.name): each.id for each in await entities.every(tx) if each.id != entity.id}
    return [others[name] for name in relations.companions(beliefs.key(entity.name), others, texts)[:_MOST]]


async def _state(tx: Tx, entity: Entity, type: str, other: UUID, *, now: datetime) -> None:
    found = next(iter((await entities.by_ids(tx, [other])).values()), None)
    if found is not None and found.id != entity.id:
        await rows.state(tx, entity, type, found, evidence=1, created_at=now, now=now)
