"""Returning notes: what every answer that hands notes to an agent does to them, in the answer's own transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memory_bank.domain import retrievability
from memory_bank.domain.notes import Note
from memory_bank.domain.recall import Recalled
from memory_bank.domain.retrievability import DecayPolicy
from memory_bank.store import notes
from memory_bank.store.database import Tx


def seen(note: Note, *, now: datetime, decay: DecayPolicy) -> Recalled:
    """Return the note with its retrievability at `now`."""
    idle = now.timestamp() - note.last_accessed
    chance = retrievability.probability(decay, idle_seconds=idle, retrieval_count=note.retrieval_count)
    return Recalled(note=note, retrievability=chance)


async def recalled(tx: Tx, ids: Sequence[UUID], *, now: datetime, decay: DecayPolicy) -> list[Recalled]:
    """Return the live notes among `ids`, in their order, after counting each as recalled.

    The counters are those after this recall, the retrievability is that before it.
    """
    found = [seen(note, now=now, decay=decay) for note in await notes.by_ids(tx, ids)]
    moment = int(now.timestamp())
    await notes.mark_recalled(tx, [each.note.id for each in found], now=moment)
    return [
        replace(
            each,
            note=replace(
                each.note,
                retrieval_count=each.note.retrieval_count + 1,
                last_accessed=max(each.note.last_accessed, moment),
            ),
        )
        for each in found
    ]
