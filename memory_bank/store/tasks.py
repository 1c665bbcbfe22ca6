"""Rows of `tasks`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from numpy import float32
from numpy.typing import NDArray

from memory_bank.domain import tasks
from memory_bank.domain.references import Reference
from memory_bank.domain.tasks import Candidate, Task, TaskStatus
from memory_bank.store import embeddings
from memory_bank.store.database import Row, StoreTx, Tx

COMPARED_LIMIT = 1_000
"""Open tasks of a bank, those of the last steps, that a new one is compared with."""

_COLUMNS = """t.id, t.external_id, t.title, t.goal, t.status, t.priority, t.importance, t.budget_remaining,
        t.success_condition, t.stop_reason, t.session, t.started_at, t.last_step_at, t.ended_at"""

_ONE_AT_A_TIME = sa.text(
    """
    -- one start at a time in a bank, so that two callers do not both find no similar task
    SELECT pg_advisory_xact_lock(hashtextextended('tasks of ' || :bank, 0))
    """
)

_ADD = sa.text(
    """
    INSERT INTO tasks (
        bank_id, id, external_id, title, goal, status, priority, importance, budget_remaining, success_condition,
        stop_reason, session, started_at, last_step_at, ended_at, embedding, embedded_by
    )
    VALUES (
        :bank, :id, :external_id, :title, :goal, :status, :priority, :importance, :budget_remaining, :success_condition,
        :stop_reason, :session, :started_at, :last_step_at, :ended_at, CAST(:embedding AS real[]), :embedded_by
    )
    """
)

_WRITE = sa.text(
    """
    UPDATE tasks
    SET status = :status,
        priority = :priority,
        importance = :importance,
        success_condition = :success_condition,
        stop_reason = :stop_reason,
        session = :session,
        last_step_at = :last_step_at,
        ended_at = :ended_at
    WHERE bank_id = :bank
        AND id = :id
    """
)

_BY_REFERENCE = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM tasks t
    WHERE t.bank_id = :bank
        AND (t.id = CAST(:id AS uuid) OR t.external_id = :external_id)
    """
)

_LOCK = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM tasks t
    WHERE t.bank_id = :bank
        AND t.id = :id
    FOR NO KEY UPDATE
    """
)

_OPEN = sa.text(
    f"""
    -- which open tasks may a plan go on with, and how similar are they to it?
    SELECT {_COLUMNS},
        CASE
            WHEN t.embedded_by = CAST(:model AS text) AND CAST(:query AS vector) IS NOT NULL
            THEN 1 - (CAST(t.embedding AS vector) <=> CAST(:query AS vector))
        END AS similarity
    FROM tasks t
    WHERE t.bank_id = :bank
        AND t.status IN ('running', 'paused')
    ORDER BY t.last_step_at DESC, t.id DESC
    LIMIT :count
    """
)

_UNEMBEDDED = sa.text(
    """
    -- which open tasks have no vector by this model?
    SELECT t.id, t.title, t.goal
    FROM tasks t
    WHERE t.bank_id = :bank
        AND t.status IN ('running', 'paused')
        AND t.embedded_by IS DISTINCT FROM CAST(:model AS text)
    ORDER BY t.last_step_at DESC, t.id DESC
    LIMIT :count
    """
)

_WRITE_VECTOR = sa.text(
    """
    UPDATE tasks
    SET embedding = CAST(:embedding AS real[]),
        embedded_by = :model
    WHERE bank_id = :bank
        AND id = :id
    """
)

_PAGE = sa.text(
    f"""
    -- what is being done, newest first, and after it what was done?
    SELECT {_COLUMNS}
    FROM tasks t
    WHERE t.bank_id = :bank
        AND t.status = ANY(CAST(:statuses AS text[]))
    ORDER BY t.status IN ('running', 'paused') DESC, t.started_at DESC, t.id DESC
    LIMIT :count
    """
)

_EVERY = sa.text(
    f"""
    SELECT {_COLUMNS}
    FROM tasks t
    WHERE t.bank_id = :bank
    ORDER BY t.started_at, t.id
    """
)

_STEP_SESSION = sa.text(
    """
    -- something happened in this session: its running tasks have taken a step; locked in one order
    WITH stepping AS (
        SELECT t.id
        FROM tasks t
        WHERE t.bank_id = :bank
            AND t.session = :session
            AND t.status = 'running'
            AND t.last_step_at > :overdue
            AND t.last_step_at < :now
        ORDER BY t.id
        FOR NO KEY UPDATE
    )
    UPDATE tasks t
    SET last_step_at = :now
    FROM stepping
    WHERE t.bank_id = :bank
        AND t.id = stepping.id
    """
)

_EXPIRING = """
    -- which running tasks have gone without a step for too long? They ended then; locked in one order
    WITH overdue AS (
        SELECT t.bank_id, t.id
        FROM tasks t
        WHERE {where}t.status = 'running'
            AND t.last_step_at <= :overdue
        ORDER BY t.bank_id, t.id
        FOR NO KEY UPDATE
    )
    UPDATE tasks t
    SET status = 'aborted',
        stop_reason = :reason,
        ended_at = t.last_step_at + CAST(:expiry AS interval)
    FROM overdue
    WHERE t.bank_id = overdue.bank_id
        AND t.id = overdue.id
    """
_EXPIRE = sa.text(_EXPIRING.format(where="t.bank_id = :bank\n            AND "))
_EXPIRE_ALL = sa.text(_EXPIRING.format(where=""))


async def one_at_a_time(tx: Tx) -> None:
    """Wait until no other transaction starts a task in this bank, and keep others from it until the end."""
    await tx.all(_ONE_AT_A_TIME)


async def add(tx: Tx, task: Task, *, vector: NDArray[float32] | None, model: str) -> None:
    """Store a new task of an existing bank, with what `model` made of its meaning, shape (dimensions,)."""
    await tx.count(
        _ADD,
        id=task.id,
        external_id=task.external_id,
        title=task.title,
        goal=task.goal,
        status=task.status.value,
        priority=task.priority,
        importance=task.importance,
        budget_remaining=task.budget_remaining,
        success_condition=task.success_condition,
        stop_reason=task.stop_reason,
        session=task.session,
        started_at=task.started_at,
        last_step_at=task.last_step_at,
        ended_at=task.ended_at,
        embedding=None if vector is None else vector.tolist(),
        embedded_by=None if vector is None else model,
    )


async def write(tx: Tx, task: Task) -> None:
    """Store the changed state of a task that the transaction has locked."""
    await tx.count(
        _WRITE,
        id=task.id,
        status=task.status.value,
        priority=task.priority,
        importance=task.importance,
        success_condition=task.success_condition,
        stop_reason=task.stop_reason,
        session=task.session,
        last_step_at=task.last_step_at,
        ended_at=task.ended_at,
    )


async def find(tx: Tx, reference: Reference) -> Task | None:
    """Return the task of this id."""
    rows = await tx.all(_BY_REFERENCE, id=reference.id, external_id=reference.external_id)
    found = [_task(row) for row in rows]
    # an id goes before an imported one that is spelled alike
    return next((task for task in found if task.id == reference.id), found[0] if found else None)


async def lock(tx: Tx, id: UUID) -> Task | None:
    """Return the task as it is now, and keep others from changing it until the transaction ends."""
    row = await tx.one_or_none(_LOCK, id=id)
    return None if row is None else _task(row)


async def candidates(tx: Tx, *, query: NDArray[float32] | None, model: str) -> list[Candidate]:
    """Return the open tasks, those of the last steps first, with their similarity to a vector of `model`."""
    rows = await tx.all(
        _OPEN, query=None if query is None else embeddings.written(query), model=model, count=COMPARED_LIMIT
    )
    return [Candidate(task=_task(row), similarity=row["similarity"]) for row in rows]


async def unembedded(tx: Tx, *, model: str, limit: int) -> dict[UUID, str]:
    """Return the meanings of open tasks that have no vector by `model`."""
    rows = await tx.all(_UNEMBEDDED, model=model, count=limit)
    return {row["id"]: tasks.meaning(row["title"], row["goal"]) for row in rows}


async def write_vectors(tx: Tx, vectors: Mapping[UUID, NDArray[float32]], *, model: str) -> None:
    """Store what `model` made of the meanings of tasks."""
    for id in sorted(vectors):
        await tx.count(_WRITE_VECTOR, id=id, embedding=vectors[id].tolist(), model=model)


async def page(tx: Tx, *, statuses: Sequence[str], count: int) -> list[Task]:
    """Return up to `count` tasks in these states, the open ones first, each kind newest first."""
    return [_task(row) for row in await tx.all(_PAGE, statuses=list(statuses), count=count)]


async def every(tx: Tx) -> list[Task]:
    """Return every task of the bank, oldest first."""
    return [_task(row) for row in await tx.all(_EVERY)]


async def step_session(tx: Tx, session: str, *, now: datetime) -> None:
    """Let the running tasks of a session take a step, unless they are overdue."""
    await tx.count(_STEP_SESSION, session=session, now=now, overdue=now - tasks.EXPIRY)


async def expire(tx: Tx, *, now: datetime) -> int:
    """Abort the bank's running tasks that are overdue; return how many."""
    return await tx.count(_EXPIRE, overdue=now - tasks.EXPIRY, expiry=tasks.EXPIRY, reason=tasks.EXPIRED)


async def expire_all(tx: StoreTx, *, now: datetime) -> int:
    """Abort the running tasks of every bank that are overdue; return how many."""
    return await tx.count(_EXPIRE_ALL, overdue=now - tasks.EXPIRY, expiry=tasks.EXPIRY, reason=tasks.EXPIRED)


def _task(row: Row) -> Task:
    return Task(
        id=row["id"],
        external_id=row["external_id"],
        title=row["title"],
        goal=row["goal"],
        status=TaskStatus(row["status"]),
        priority=row["priority"],
        importance=row["importance"],
        budget_remaining=row["budget_remaining"],
        success_condition=row["success_condition"],
        stop_reason=row["stop_reason"],
        session=row["session"],
        started_at=row["started_at"],
        last_step_at=row["last_step_at"],
        ended_at=row["ended_at"],
    )
