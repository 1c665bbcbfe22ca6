"""Forgetting: removing what should not be remembered, with all that came of it, or showing first what would go."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_bank.domain import banks, beliefs, relations, text
from memory_bank.domain.beliefs import Entity, Fact
from memory_bank.domain.exchanges import Exchange
from memory_bank.domain.relations import Relation
from memory_bank.errors import NotFound
from memory_bank.services.clock import Clock
from memory_bank.services.exchanges import ExchangeService
from memory_bank.services.writing import NoteWriter
from memory_bank.store import entities, facts
from memory_bank.store import relations as relation_rows
from memory_bank.store.database import Database, Tx

_RELATIONS_SHOWN = 10_000
_WORDS_SHOWN = 80


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """What went, or would go. `preview` tells which."""

    preview: bool
    entity: Entity | None = None
    facts: tuple[Fact, ...] = ()
    relations: tuple[Relation, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    total: int
    """Of facts, relations and exchanges, those included that are too many to be shown."""


class ForgettingService:
    """Removes from every search, listing and history; the rows stay hidden in the database."""

    def __init__(self, *, database: Database, writer: NoteWriter, exchanges: ExchangeService, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._exchanges = exchanges
        self._clock = clock

    async def entity(self, bank: str, name: str, *, preview: bool) -> Forgotten:
        """Forget a thing with all facts about it, superseded ones too, and all its relations; raises `NotFound`."""
        bank = banks.checked_name(bank)
        async with self._database.transaction(bank) as tx:
            found = await self._found(tx, name)
            held = await facts.of_entities(tx, [found.id])
            edges = await relation_rows.around(tx, [found.id], limit=_RELATIONS_SHOWN)
            removed = None
            if not preview:
                await self._writer.delete(tx, [each.id for each in held])
                removed = await relation_rows.delete_around(tx, found.id, now=self._clock.now())
                await entities.delete(tx, found.id, now=self._clock.now())
        return Forgotten(
            preview=preview,
            entity=found,
            facts=tuple(held),
            relations=tuple(edges),
            total=len(held) + (len(edges) if removed is None else removed),
        )

    async def fact(self, bank: str, name: str, words: str, *, preview: bool) -> Forgotten:
        """Forget every fact of a thing that holds these words, or has this id, as if it had never been stated.

        To keep it in the thing's history, supersede it instead. Raises `NotFound`, and `InvalidInput` for words too
        short to name anything.
        """
        bank = banks.checked_name(bank)
        cleaned = beliefs.checked_words(words)
        sought = beliefs.fact_key(cleaned)
        async with self._database.transaction(bank) as tx:
            found = await self._found(tx, name)
            held = await facts.of_entities(tx, [found.id])
            gone = [each for each in held if str(each.id) == sought or sought in beliefs.key(each.content)]
            if not gone:
                raise NotFound(
                    f"no fact of {found.name!r} says {_shown(cleaned)}; recall it in mode entity to see its facts"
                )
            if not preview:
                await self._writer.delete(tx, [each.id for each in gone])
        return Forgotten(preview=preview, entity=found, facts=tuple(gone), total=len(gone))

    async def relation(self, bank: str, source: str, type: str, target: str, *, preview: bool) -> Forgotten:
        """Forget an edge between two things; raises `NotFound` and `InvalidInput`."""
        bank = banks.checked_name(bank)
        kind = relations.normalised(type)
        start, end = beliefs.checked_name(source, field="from"), beliefs.checked_name(target, field="to")
        async with self._database.transaction(bank) as tx:
            near, far = await entities.by_name(tx, start), await entities.by_name(tx, end)
            edges: Sequence[Relation] = ()
            if near is not None and far is not None:
                around = await relation_rows.around(tx, [near.id], types=[kind], limit=_RELATIONS_SHOWN)
                edges = [each for each in around if (each.from_id, each.to_id) == (near.id, far.id)]
            if not edges:
                raise NotFound(f"no relation {start!r} {kind} {end!r}; recall in mode relations shows what there is")
            if not preview:
                await relation_rows.delete(tx, edges[0].from_id, kind, edges[0].to_id, now=self._clock.now())
        return Forgotten(preview=preview, relations=tuple(edges), total=len(edges))

    async def exchange(self, bank: str, words: str, *, preview: bool) -> Forgotten:
        """Forget the exchanges with this id, or that hold these words; raises `NotFound` and `InvalidInput`."""
        bank = banks.checked_name(bank)
        page = await self._exchanges.find(bank, words)
        if not page.exchanges:
            raise NotFound(f"no exchange has the id or the words {_shown(words)}; recall in mode exchanges shows them")
        if preview:
            return Forgotten(preview=True, exchanges=page.exchanges, total=page.total)
        gone: list[Exchange] = []
        while page.exchanges:
            gone += await self._exchanges.forget(bank, [each.id for each in page.exchanges])
            page = await self._exchanges.find(bank, words)
        return Forgotten(preview=False, exchanges=tuple(gone), total=len(gone))

    async def _found(self, tx: Tx, name: str) -> Entity:
        known = await entities.by_name(tx, beliefs.checked_name(name))
        locked = [] if known is None else await entities.lock(tx, [known.id])
        if not locked:
            raise NotFound(f"nothing called {_shown(name)} is known in bank {tx.bank!r}; nothing was forgotten")
        return locked[0]


def _shown(words: str) -> str:
    """Return what a caller named as a message repeats it: its beginning."""
    return repr(text.preview(words, limit=_WORDS_SHOWN))
