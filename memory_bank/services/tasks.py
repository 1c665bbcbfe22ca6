"""Starting, stepping, pausing and finishing tasks, and ending those that nobody works on any more."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from numpy import float32
from numpy.typing import NDArray
from uuid_utils import compat

from memory_bank.domain import banks, recall, references, tasks
from memory_bank.domain.references import Reference
from memory_bank.domain.tasks import Outcome, Plan, Task, TaskStatus
from memory_bank.errors import ConfigurationError, NotFound, ProviderUnavailable
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.store import banks as bank_rows
from memory_bank.store import tasks as rows
from memory_bank.store.database import Database, Tx

logger = logging.getLogger(__name__)

_EMBEDDING_SECONDS = 10.0
_REEMBEDDED_AT_ONCE = 100

Prepared = TypeVar("Prepared")


class OutcomeKeeper(Protocol[Prepared]):
    """Remembers how tasks ended."""

    async def prepare(self, bank: str, outcome: Outcome) -> Prepared:
        """Do what needs no transaction, such as embedding."""
        ...

    async def keep(self, tx: Tx, prepared: Prepared) -> None:
        """Store what was prepared, in the transaction that ends the task."""
        ...


@dataclass(frozen=True, kw_only=True)
class Started:
    """The task that runs now, and whether it is an earlier one that goes on."""

    task: Task
    resumed: bool


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A task that has ended, and what is remembered of it."""

    task: Task
    outcome: Outcome


class TaskService:
    """What an agent is doing; every method but `expire_all` works in one bank.

    An `id` is a task's id or the one that it had in the file it was imported from. Before any answer, running tasks
    that are overdue are ended.
    """

    def __init__(
        self, *, database: Database, embedder: Embedder, clock: Clock, keeper: OutcomeKeeper[Any] | None = None
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._clock = clock
        self._keeper = keeper

    async def start(
        self,
        bank: str,
        *,
        title: str,
        goal: str,
        success_condition: str = "",
        priority: float | None = None,
        importance: float | None = None,
        session: str | None = None,
    ) -> Started:
        """Start a task, or go on with an open one that means the same; raises `InvalidInput`."""
        name = banks.checked_name(bank)
        plan = tasks.checked(
            Plan(
                title=title,
                goal=goal,
                success_condition=success_condition,
                priority=priority,
                importance=importance,
                session=session,
            )
        )
        vector = await self._vector(name, plan)
        now = self._clock.now()
        await self._expire(name, now=now)
        async with self._database.transaction(name) as tx:
            # before any lock: whoever makes the bank keeps the others waiting until it is there
            await bank_rows.ensure(tx, now=now)
            await rows.one_at_a_time(tx)
            earlier = await self._similar(tx, plan, vector)
            if earlier is not None:
                task = tasks.continued(earlier, plan, now=now)
                await rows.write(tx, task)
            else:
                task = tasks.begun(plan, id=compat.uuid7(), now=now)
                await rows.add(tx, task, vector=vector, model=self._embedder.name)
        return Started(task=task, resumed=earlier is not None)

    async def get(self, bank: str, id: UUID | str) -> Task:
        """Return a task; raises `NotFound`."""
        return await self._read(banks.checked_name(bank), references.checked(id), now=self._clock.now())

    async def list(self, bank: str, *, finished: bool = False, limit: int = 20) -> list[Task]:
        """Return the open tasks, newest first, then on request the finished ones; `limit` in all."""
        name = banks.checked_name(bank)
        count = recall.checked_limit(limit)
        await self._expire(name, now=self._clock.now())
        async with self._database.transaction(name) as tx:
            return await rows.page(tx, statuses=tasks.names(TaskStatus if finished else tasks.OPEN), count=count)

    async def step(self, bank: str, id: UUID | str) -> Task:
        """Tell that a running task goes on; raises `NotFound`, and `Conflict` for one that does not run."""
        return await self._change(bank, id, None)

    async def pause(self, bank: str, id: UUID | str) -> Task:
        """Let a running task rest, for as long as it takes; raises as `step` does."""
        return await self._change(bank, id, TaskStatus.PAUSED)

    async def resume(self, bank: str, id: UUID | str) -> Task:
        """Go on with an open task; raises `NotFound`, and `Conflict` for a finished one."""
        return await self._change(bank, id, TaskStatus.RUNNING)

    async def done(self, bank: str, id: UUID | str, result: str = "") -> Finished:
        """Complete an open task and remember the success; raises `NotFound`, `InvalidInput`, `Conflict`."""
        return await self._finish(bank, id, TaskStatus.COMPLETED, tasks.checked_reason(result, field="result"))

    async def abort(self, bank: str, id: UUID | str, reason: str = "") -> Finished:
        """Give an open task up and remember why; raises `NotFound`, `InvalidInput`, `Conflict`."""
        return await self._finish(bank, id, TaskStatus.ABORTED, tasks.checked_reason(reason, field="reason"))

    async def expire(self, bank: str) -> int:
        """Abort the running tasks of a bank that have gone without a step for too long; return how many."""
        return await self._expire(banks.checked_name(bank), now=self._clock.now())

    async def expire_all(self) -> int:
        """Do for every bank what `expire` does for one; return how many tasks were aborted."""
        async with self._database.whole_store() as tx:
            expired = await rows.expire_all(tx, now=self._clock.now())
        if expired:
            logger.info("Ended tasks that nobody worked on any more.", extra={"tasks": expired})
        return expired

    async def _change(self, bank: str, id: UUID | str, status: TaskStatus | None) -> Task:
        """Move a task on; to no other state by a step."""
        name, now = banks.checked_name(bank), self._clock.now()
        found = await self._read(name, references.checked(id), now=now)
        async with self._database.transaction(name) as tx:
            locked = await self._lock(tx, found)
            task = tasks.stepped(locked, now=now) if status is None else tasks.moved(locked, status, now=now)
            await rows.write(tx, task)
        return task

    async def _finish(self, bank: str, id: UUID | str, status: TaskStatus, reason: str) -> Finished:
        name, now = banks.checked_name(bank), self._clock.now()
        found = await self._read(name, references.checked(id), now=now)
        # refuses, before anything is prepared, what the transaction would refuse
        outcome = tasks.outcome(tasks.moved(found, status, now=now, reason=reason))
        prepared = None if self._keeper is None else await self._keeper.prepare(name, outcome)
        async with self._database.transaction(name) as tx:
            task = tasks.moved(await self._lock(tx, found), status, now=now, reason=reason)
            await rows.write(tx, task)
            if self._keeper is not None:
                await self._keeper.keep(tx, prepared)
        return Finished(task=task, outcome=outcome)

    async def _expire(self, bank: str, *, now: datetime) -> int:
        """Abort overdue tasks, in a transaction of its own: a later refusal must not undo it.

        It locks several tasks in one order; whoever holds one of them already must not do that.
        """
        async with self._database.transaction(bank) as tx:
            return await rows.expire(tx, now=now)

    async def _read(self, bank: str, reference: Reference, *, now: datetime) -> Task:
        await self._expire(bank, now=now)
        async with self._database.transaction(bank) as tx:
            task = await rows.find(tx, reference)
        if task is None:
            raise NotFound(f"no task {reference} in bank {bank!r}; list the tasks to see what exists")
        return task

    async def _lock(self, tx: Tx, found: Task) -> Task:
        locked = await rows.lock(tx, found.id)
        if locked is None:
            raise NotFound(f"task {found.id} is gone from bank {tx.bank!r}; list the tasks to see what exists")
        return locked

    async def _similar(self, tx: Tx, plan: Plan, vector: NDArray[float32] | None) -> Task | None:
        """Return the open task that the plan goes on with, locked."""
        candidates = await rows.candidates(tx, query=vector, model=self._embedder.name)
        while (found := tasks.similar(plan, candidates)) is not None:
            locked = await rows.lock(tx, found.id)
            if locked is not None and locked.status in tasks.OPEN:
                return locked
            # it was finished in this very moment
            candidates = [each for each in candidates if each.task.id != found.id]
        return None

    async def _vector(self, bank: str, plan: Plan) -> NDArray[float32] | None:
        """Return the vector of a plan, once open tasks have theirs by the same model; None while the model is away."""
        model = self._embedder.name
        async with self._database.transaction(bank) as tx:
            missing = await rows.unembedded(tx, model=model, limit=_REEMBEDDED_AT_ONCE)
        try:
            async with asyncio.timeout(_EMBEDDING_SECONDS):
                vector = await self._embedder.embed_query(plan.meaning)
                made = {id: await self._embedder.embed_query(meaning) for id, meaning in missing.items()}
        except (TimeoutError, ProviderUnavailable, ConfigurationError) as error:
            logger.warning("Comparing tasks by their words for now: %s", error)
            return None
        if made:
            async with self._database.transaction(bank) as tx:
                await rows.write_vectors(tx, made, model=model)
        return vector
