"""Linking notes by hand, and walking along links."""

from collections.abc import Sequence
from uuid import UUID

from memory_bank.domain import banks, links, recall, retrievability
from memory_bank.domain.links import Link, LinkOrigin, LinkType
from memory_bank.domain.recall import Neighbour, Neighbourhood
from memory_bank.errors import InvalidInput, NotFound
from memory_bank.services import returning
from memory_bank.services.clock import Clock
from memory_bank.store import links as link_rows
from memory_bank.store import notes as note_rows
from memory_bank.store.database import Database, Tx


class LinkService:
    """What callers do with links; every method works in one bank."""

    def __init__(self, *, database: Database, clock: Clock, decay: retrievability.DecayPolicy) -> None:
        self._database = database
        self._clock = clock
        self._decay = decay

    async def link(self, bank: str, source: UUID, target: UUID, *, type: LinkType, explanation: str) -> Link:
        """Link two live notes, replacing the link that the pair has in this direction.

        Raises `NotFound` when either note is missing from the bank, `InvalidInput` for a note linked to itself.
        """
        name = banks.checked_name(bank)
        if source == target:
            raise InvalidInput("target_id", "a note cannot link to itself; give two different notes")
        link = Link(
            source_id=source,
            target_id=target,
            type=type,
            explanation=links.checked_explanation(explanation),
            origin=LinkOrigin.USER,
            confidence=1.0,
        )
        async with self._database.transaction(name) as tx:
            # in one order for all callers, so that opposite links never wait for each other
            for end in sorted((source, target)):
                if await note_rows.lock(tx, end) is None:
                    raise NotFound(f"no note {end} in bank {name!r}; nothing was linked")
            await link_rows.put(tx, link, now=self._clock.now())
        return link

    async def neighbourhood(
        self, bank: str, centre: UUID, *, depth: int = 1, limit: int = 20, types: Sequence[LinkType] = ()
    ) -> Neighbourhood:
        """Return up to `limit` notes within `depth` links of `centre`, nearest first, and the links among them.

        Follows links in both directions, only those of `types` if any are given. The notes count as recalled.
        Raises `NotFound` when there is no such centre, `InvalidInput` for a depth out of range.
        """
        name = banks.checked_name(bank)
        recall.checked_limit(limit)
        recall.checked_depth(depth)
        now = self._clock.now()
        async with self._database.counting(name) as tx:
            distances, seen_links = await self._walk(tx, centre, depth=depth, limit=limit, types=frozenset(types))
            found = await returning.recalled(tx, list(distances), now=now, decay=self._decay)
        if not found or found[0].note.id != centre:
            raise NotFound(f"no note {centre} in bank {name!r}; list the notes to see what exists")
        return Neighbourhood(
            centre=centre,
            neighbours=tuple(Neighbour(recalled=each, distance=distances[each.note.id]) for each in found),
            links=tuple(each for each in seen_links if {each.source_id, each.target_id} <= distances.keys()),
        )

    async def _walk(
        self, tx: Tx, centre: UUID, *, depth: int, limit: int, types: frozenset[LinkType]
    ) -> tuple[dict[UUID, int], list[Link]]:
        """Walk breadth first; return each note's distance, the centre's being 0, and every link met once."""
        distances = {centre: 0}
        met: dict[tuple[UUID, UUID], Link] = {}
        frontier = [centre]
        for distance in range(1, depth + 1):
            reached = await note_rows.by_ids(tx, frontier)
            frontier = []
            for link in (each for note in reached for each in note.links):
                if types and link.type not in types:
                    continue
                met[link.source_id, link.target_id] = link
                for end in (link.source_id, link.target_id):
                    if end not in distances and len(distances) <= limit:
                        distances[end] = distance
                        frontier.append(end)
        return distances, list(met.values())
