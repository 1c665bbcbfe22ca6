"""Ranking: how the arms of a search are fused, and what is left of their candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_bank.domain.recall import ArmScore


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A note that at least one arm found, with every arm's score for it."""

    note_id: UUID
    score: float
    arms: tuple[ArmScore, ...]


def fused(arms: Mapping[str, Sequence[tuple[UUID, float]]]) -> list[Candidate]:
    """Fuse the arms' answers, each ordered best first, into one list ordered best first.

    A note's score is the sum of its arms' scores; notes of equal score are ordered by id, so that the order of the
    arms never matters.
    """
    found: dict[UUID, list[ArmScore]] = {}
    for arm in sorted(arms):
        for rank, (note_id, score) in enumerate(arms[arm], start=1):
            found.setdefault(note_id, []).append(ArmScore(arm=arm, rank=rank, score=score))
    candidates = [
        Candidate(note_id=note_id, score=sum(each.score for each in scores), arms=tuple(scores))
        for note_id, scores in found.items()
    ]
    return sorted(candidates, key=lambda each: (-each.score, each.note_id))
