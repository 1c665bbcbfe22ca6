"""Losses: how many notes have lost their vectors or terms, where a text may have no terms to lose."""

import asyncio
from dataclasses import dataclass

from memory_bank.services.tokeniser import Tokeniser
from memory_bank.store import losses
from memory_bank.store.database import StoreTx

LOOKED_AT = 1_000
"""Texts without terms that are looked at, the longest ones; if one of them has lost some, so have the shorter ones."""


@dataclass(frozen=True, kw_only=True)
class Losses:
    """How many notes lack vectors or terms that they are marked to have, and of how many banks terms are miscounted."""

    vectors: int
    terms: int
    miscounted: int


async def of_store(tx: StoreTx, tokeniser: Tokeniser) -> Losses:
    """Return what is lost in the whole store; reads every note."""
    return Losses(
        vectors=await losses.without_vectors(tx),
        terms=await terms(tx, tokeniser),
        miscounted=await losses.miscounted(tx),
    )


async def terms(tx: StoreTx, tokeniser: Tokeniser) -> int:
    """Return how many live notes are marked as tokenised and have no term, though their text gives some."""
    found = await losses.termless(tx, texts=LOOKED_AT)
    without = await asyncio.to_thread(lambda: sum(not tokeniser.terms(each) for each in found.texts))
    return found.total - without if without < len(found.texts) else 0
