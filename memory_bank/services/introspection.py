"""Introspection: what a bank holds, what nobody has seen for long, and what should be verified."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory_bank.domain import banks, recall, volatility
from memory_bank.domain.beliefs import Entity, EntityType, Fact, Status
from memory_bank.domain.volatility import Volatile
from memory_bank.services.clock import Clock
from memory_bank.store import entities, facts, holdings
from memory_bank.store.database import Database, Tx
from memory_bank.store.holdings import Holdings


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """How much of everything there is; `types` counts entities, most frequent type first."""

    holdings: Holdings
    types: Mapping[EntityType, int]
    stale: int
    gaps: int


@dataclass(frozen=True, kw_only=True)
class Stale:
    """A thing that nobody stated or recalled for long, and the surest fact about it."""

    entity: Entity
    days: int
    fact: Fact | None


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A volatile fact that nobody confirmed for long."""

    entity: Entity
    fact: Fact
    volatile: Volatile
    days: int


class IntrospectionService:
    """Looks at a bank without changing it: nothing counts as recalled."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def statistics(self, bank: str) -> Statistics:
        """Return how much of everything a bank holds."""
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            held = await holdings.of_bank(tx)
            known = await entities.every(tx)
            active = await facts.with_status(tx, Status.ACTIVE)
        return Statistics(
            holdings=held,
            types=dict(Counter(type for each in known for type in each.types).most_common()),
            stale=len(self._stale(known, active, types=())),
            gaps=len(self._gaps(known, active)),
        )

    async def stale(self, bank: str, *, types: Sequence[EntityType] = (), limit: int = 20) -> list[Stale]:
        """Return up to `limit` things that nobody saw for over 30 days, the longest unseen first."""
        recall.checked_limit(limit)
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            known, active = await self._believed(tx)
        return self._stale(known, active, types=types)[:limit]

    async def gaps(self, bank: str, *, limit: int = 20) -> list[Gap]:
        """Return up to `limit` volatile facts that nobody confirmed for over 7 days, the longest unconfirmed first."""
        recall.checked_limit(limit)
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            known, active = await self._believed(tx)
        return self._gaps(known, active)[:limit]

    async def _believed(self, tx: Tx) -> tuple[list[Entity], list[Fact]]:
        return await entities.every(tx), await facts.with_status(tx, Status.ACTIVE)

    def _stale(self, known: Sequence[Entity], active: Sequence[Fact], *, types: Sequence[EntityType]) -> list[Stale]:
        now = self._clock.now()
        surest: dict[object, Fact] = {}
        for fact in sorted(active, key=lambda each: each.confidence(now)):
            surest[fact.entity_id] = fact
        wanted = set(types)
        return [
            Stale(entity=each, days=(now - each.last_seen).days, fact=surest.get(each.id))
            for each in sorted(known, key=lambda each: (each.last_seen, each.id))
            if now - each.last_seen > timedelta(days=volatility.STALE_DAYS)
            and EntityType.AGENT_SELF not in each.types
            and (not wanted or wanted & set(each.types))
        ]

    def _gaps(self, known: Sequence[Entity], active: Sequence[Fact]) -> list[Gap]:
        now = self._clock.now()
        about = {each.id: each for each in known}
        old = [each for each in active if now - each.last_confirmed > timedelta(days=volatility.UNVERIFIED_DAYS)]
        return [
            Gap(entity=about[each.entity_id], fact=each, volatile=found, days=(now - each.last_confirmed).days)
            for each in old
            if each.entity_id in about and (found := volatility.of(each.content)) is not None
        ]
