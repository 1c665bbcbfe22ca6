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
    return Recalled(note=note, retrievability=_retrievability(note, now=now, decay=decay))


async def recalled(tx: Tx, ids: Sequence[UUID], *, now: datetime, decay: DecayPolicy) -> list[Recalled]:
    """Return the live notes among `ids`, in their order, after counting each as recalled.

    Their counters are those after this recall, the retrievability is that before it.
    """
    moment = int(now.timestamp())
    return [
        Recalled(
            note=replace(
                note,
                retrieval_count=note.retrieval_count + 1,
                last_accessed=max(note.last_accessed, moment),
            ),
            retrievability=_retrievability(note, now=now, decay=decay),
        )
        for note in await notes.recalled(tx, ids, now=moment)
    ]


def _retrievability(note: Note, *, now: datetime, decay: DecayPolicy) -> float:
    idle = now.timestamp() - note.last_accessed
    return retrievability.probability(decay, idle_seconds=idle, retrieval_count=note.retrieval_count)
