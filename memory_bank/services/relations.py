"""Relations: stating how things relate, and walking along what was stated."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_bank.domain import banks, beliefs, recall, relations
from memory_bank.domain.beliefs import Entity, EntityType
from memory_bank.domain.relations import Relation
from memory_bank.errors import Conflict, InvalidInput, NotFound
from memory_bank.services.clock import Clock
from memory_bank.store import banks as bank_rows
from memory_bank.store import entities
from memory_bank.store import relations as rows
from memory_bank.store.database import Database, Tx


@dataclass(frozen=True, kw_only=True)
class Related:
    """The edges that a walk met, nearest and strongest first, and how far each thing is from its start."""

    relations: tuple[Relation, ...]
    distances: dict[str, int] = field(default_factory=dict)


class RelationService:
    """What callers do with relations; every method works in one bank."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def relate(self, bank: str, source: str, type: str, target: str) -> Relation:
        """State that two things relate, made where they are unknown; every statement raises the edge's weight.

        Raises `InvalidInput` for a bad name or type, and where both ends are one thing.
        """
        bank = banks.checked_name(bank)
        ends = (beliefs.checked_name(source, field="from"), beliefs.checked_name(target, field="to"))
        kind = relations.normalised(type)
        now = self._clock.now()
        async with self._database.transaction(bank) as tx:
            await bank_rows.ensure(tx, now=now)
            near, far = await self._claimed(tx, ends)
            if near.id == far.id:
                raise InvalidInput("to", f"{ends[0]!r} and {ends[1]!r} are one thing; relate it to another one")
            await entities.seen(tx, [near.id, far.id], now=now)
            return await rows.state(tx, near, kind, far, evidence=1, created_at=now, now=now)

    async def around(
        self, bank: str, name: str, *, depth: int = 1, types: Sequence[str] = (), limit: int = 20
    ) -> Related:
        """Return up to `limit` edges within `depth` steps of a thing, whatever their direction.

        Raises `NotFound` when nothing has this name, `InvalidInput` for a depth out of range.
        """
        bank = banks.checked_name(bank)
        recall.checked_limit(limit)
        recall.checked_depth(depth)
        wanted = [relations.normalised(each, field="types") for each in types]
        async with self._database.transaction(bank) as tx:
            start = await entities.by_name(tx, beliefs.checked_name(name))
            if start is None:
                raise NotFound(f"nothing called {name!r} is known in bank {bank!r}; search for it by what it does")
            return await self._walk(tx, start, depth=depth, types=wanted, limit=limit)

    async def strongest(self, bank: str, *, types: Sequence[str] = (), limit: int = 20) -> Related:
        """Return up to `limit` edges of the bank, strongest first."""
        recall.checked_limit(limit)
        async with self._database.transaction(banks.checked_name(bank)) as tx:
            found = await rows.every(
                tx, types=[relations.normalised(each, field="types") for each in types], limit=limit
            )
        return Related(relations=tuple(found))

    async def _claimed(self, tx: Tx, names: Sequence[str]) -> list[Entity]:
        now = self._clock.now()
        claimed, _ = await entities.claim(
            tx,
            [
                entities.New(name=each, types=(EntityType.OTHER,), tags={}, created_at=now, last_seen=now)
                for each in names
            ],
        )
        try:
            return [claimed[beliefs.key(each)] for each in names]
        except KeyError:
            raise Conflict("one of the two was forgotten by another caller at the same moment; relate again") from None

    async def _walk(self, tx: Tx, start: Entity, *, depth: int, types: Sequence[str], limit: int) -> Related:
        """Walk breadth first, the strongest edges of each step first."""
        names = {start.id: start.name}
        distances = {start.id: 0}
        met: dict[tuple[object, str, object], Relation] = {}
        frontier = [start.id]
        for distance in range(1, depth + 1):
            if not frontier or len(met) >= limit:
                break
            edges = await rows.around(tx, frontier, types=types, limit=limit)
            frontier = []
            for edge in edges:
                if len(met) < limit:
                    met.setdefault((edge.from_id, edge.type, edge.to_id), edge)
                    for end, name in ((edge.from_id, edge.from_name), (edge.to_id, edge.to_name)):
                        if end not in distances:
                            distances[end], names[end] = distance, name
                            frontier.append(end)
        return Related(relations=tuple(met.values()), distances={names[id]: far for id, far in distances.items()})
