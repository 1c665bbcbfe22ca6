"""Judging: which of the facts that are believed a new one contradicts."""

import asyncio
import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_bank.domain import contradictions
from memory_bank.domain.beliefs import Fact
from memory_bank.errors import ProviderUnavailable

logger = logging.getLogger(__name__)

JUDGED_AT_ONCE = 20
COMPARED_PAIRS = 5_000
"""Pairs of an old and a new fact that one statement compares."""

Verdicts = Mapping[tuple[str, str], str | None]
"""Why the earlier and the later fact of a pair cannot both hold, or None where they can; rules decide all others."""


class Judge(Protocol):
    """Reads pairs of facts about one thing: a language model, where one is configured."""

    async def contradict(self, entity: str, pairs: Sequence[tuple[str, str]]) -> list[str | None]:
        """Return for each pair, earlier and later fact, why they cannot both hold, or None where they can.

        Raises `ProviderUnavailable`.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Contradicted:
    """An active fact that a new one contradicts, why, and whether it gave way."""

    old: Fact
    new: str
    reason: str
    superseded: bool


async def verdicts(judge: Judge | None, entity: str, active: Sequence[Fact], new: Sequence[str]) -> Verdicts:
    """Ask the judge, if there is one, about the pairs that may contradict each other, new ones among them.

    Where it does not answer, the rules decide. Not to be called inside a transaction.
    """
    if judge is None or not new:
        return {}
    pairs = await asyncio.to_thread(_suspected, entity, active, new)
    if not pairs:
        return {}
    try:
        return dict(zip(pairs, await judge.contradict(entity, pairs), strict=True))
    except ProviderUnavailable as error:
        logger.warning("Contradictions are judged by rules alone: %s", error)
        return {}


async def contradicted(
    entity: str, active: Sequence[Fact], new: Sequence[str], *, verdicts: Verdicts, superseded: bool
) -> list[Contradicted]:
    """Return which active facts the new ones contradict; `superseded` tells whether those give way."""
    # the rules take a fraction of a millisecond for each pair
    reasons = await asyncio.to_thread(_reasons, entity, active, new, verdicts)
    return [Contradicted(old=old, new=fact, reason=reason, superseded=superseded) for old, fact, reason in reasons]


async def steps(entity: str, new: Sequence[str], *, verdicts: Verdicts) -> list[tuple[str, ...]]:
    """Return new facts in runs, in their order, of which none contradicts another one of its run."""
    return await asyncio.to_thread(_steps, entity, new, verdicts)


def _steps(entity: str, new: Sequence[str], verdicts: Verdicts) -> list[tuple[str, ...]]:
    compared = max(COMPARED_PAIRS // max(len(new), 1), 1)
    runs: list[list[str]] = [[]]
    for fact in new:
        if any(_reason(entity, earlier, fact, verdicts) is not None for earlier in runs[-1][-compared:]):
            runs.append([])
        runs[-1].append(fact)
    return [tuple(run) for run in runs]


def _reasons(
    entity: str, active: Sequence[Fact], new: Sequence[str], verdicts: Verdicts
) -> list[tuple[Fact, str, str]]:
    compared = _compared(active, new)
    return [
        (old, fact, reason)
        for fact in new
        for old in compared
        if (reason := _reason(entity, old.content, fact, verdicts)) is not None
    ]


def _reason(entity: str, old: str, new: str, verdicts: Verdicts) -> str | None:
    if (old, new) in verdicts:
        return verdicts[old, new]
    found = contradictions.between(old, new, entity=entity)
    return None if found is None else found.reason


def _suspected(entity: str, active: Sequence[Fact], new: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs that are worth a judge's time."""
    pairs = itertools.chain(
        ((old.content, fact) for old in _compared(active, new) for fact in new),
        itertools.islice(itertools.combinations(new, 2), COMPARED_PAIRS),
    )
    suspected = ((old, fact) for old, fact in pairs if contradictions.suspected(old, fact, entity=entity))
    return list(itertools.islice(suspected, JUDGED_AT_ONCE))


def _compared(active: Sequence[Fact], new: Sequence[str]) -> list[Fact]:
    """Return the most recently confirmed facts, as many as may be compared with each new one."""
    recent = sorted(active, key=lambda each: each.last_confirmed, reverse=True)
    return recent[: max(COMPARED_PAIRS // max(len(new), 1), 1)]
