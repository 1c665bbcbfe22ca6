"""Consolidation: putting away what is old or unsure, and reporting what may be one; nothing is deleted."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_bank.domain import banks, consolidation
from memory_bank.domain.beliefs import Cause, Entity, Fact, Status
from memory_bank.domain.consolidation import Mode, Policy
from memory_bank.services.clock import Clock
from memory_bank.services.exchanges import ExchangeService
from memory_bank.services.writing import NoteWriter
from memory_bank.store import banks as bank_rows
from memory_bank.store import entities, facts
from memory_bank.store.database import Database, Tx

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Consolidated:
    """What was done, or would be: `refreshed` facts are still believed, `unsure` of them less than the policy's bound.

    `alike` are pairs of things whose names are nearly the same: they are left to the caller.
    """

    mode: Mode
    dry_run: bool
    refreshed: int
    unsure: int
    archived_facts: tuple[Fact, ...] = ()
    retired_facts: tuple[Fact, ...] = ()
    archived_exchanges: int = 0
    pruned_exchanges: int = 0
    alike: tuple[tuple[Entity, Entity], ...] = ()


class ConsolidationService:
    """Consolidates a bank, or every bank from the queue's timetable."""

    def __init__(self, *, database: Database, writer: NoteWriter, exchanges: ExchangeService, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._exchanges = exchanges
        self._clock = clock

    async def consolidate(
        self, bank: str, *, mode: Mode = Mode.LIGHT, policy: Policy | None = None, dry_run: bool = False
    ) -> Consolidated:
        """Consolidate a bank, or only tell what would be done. Raises `InvalidInput`.

        Facts are computed as sure as they are whenever they are read, so that light changes nothing: it tells. Full
        also archives superseded facts, retires stale unsure ones, archives and prunes exchanges, and looks for things
        that may be one. A retired fact can be restored like any other that gave way.
        """
        bank, bounds = banks.checked_name(bank), consolidation.checked(policy or Policy())
        now = self._clock.now()
        async with self._database.transaction(bank) as tx:
            known = await entities.every(tx)
            active = await facts.with_status(tx, Status.ACTIVE)
        told = Consolidated(
            mode=mode,
            dry_run=dry_run,
            refreshed=len(active),
            unsure=sum(each.confidence(now) < bounds.min_confidence for each in active),
        )
        if mode is Mode.LIGHT:
            return told
        async with self._database.transaction(bank) as tx:
            archived, retired = await self._put_away(tx, known, bounds, now=now, dry_run=dry_run)
        pruned = 0
        if bounds.max_exchange_age_days is not None:
            pruned = len(
                await self._exchanges.prune(
                    bank,
                    older_than_days=bounds.max_exchange_age_days,
                    below_importance=bounds.min_exchange_importance,
                    dry_run=dry_run,
                )
            )
        return Consolidated(
            mode=mode,
            dry_run=dry_run,
            refreshed=told.refreshed,
            unsure=told.unsure,
            archived_facts=tuple(archived),
            retired_facts=tuple(retired),
            archived_exchanges=await self._exchanges.archive(bank, dry_run=dry_run),
            pruned_exchanges=pruned,
            alike=tuple(consolidation.alike(known)),
        )

    async def consolidate_all(self) -> None:
        """Consolidate every bank in full, as the timetable says."""
        async with self._database.whole_store() as tx:
            names = [each.bank for each in await bank_rows.counts(tx)]
        for name in names:
            done = await self.consolidate(name, mode=Mode.FULL)
            logger.info(
                "Consolidated a bank.",
                extra={
                    "bank": name,
                    "archived": len(done.archived_facts),
                    "retired": len(done.retired_facts),
                    "exchanges": done.archived_exchanges,
                },
            )

    async def _put_away(
        self, tx: Tx, known: Sequence[Entity], policy: Policy, *, now: datetime, dry_run: bool
    ) -> tuple[list[Fact], list[Fact]]:
        about = {each.id: each for each in known}
        if not dry_run:
            # nobody states or confirms a fact while it is judged
            about = {each.id: each for each in await entities.lock(tx, list(about))}
        superseded = await facts.with_status(tx, Status.SUPERSEDED)
        archived = [each for each in superseded if consolidation.is_to_archive(each, policy, now=now)]
        retired = [
            each
            for each in await facts.with_status(tx, Status.ACTIVE)
            if each.entity_id in about and consolidation.is_to_retire(each, about[each.entity_id], policy, now=now)
        ]
        if not dry_run:
            await facts.archive(tx, [each.id for each in archived])
            await self._retire(tx, retired, policy, now=now)
        return archived, retired

    async def _retire(self, tx: Tx, retired: Sequence[Fact], policy: Policy, *, now: datetime) -> None:
        ids = [each.id for each in retired]
        reason = f"not confirmed for {policy.max_stale_days} days, and less sure than {policy.min_confidence:g}"
        if ids:
            await facts.supersede(tx, ids, by=None, reason=reason, cause=Cause.STALE, now=now)
            await self._writer.withdraw(tx, ids)
