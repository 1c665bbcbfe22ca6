"""Tasks: what an agent is doing, across restarts, the states it can be in, and which task goes on with which."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from uuid import UUID

from memory_bank.domain import beliefs, duplicates, exchanges, notes, rewording, text
from memory_bank.domain.beliefs import EntityType
from memory_bank.errors import Conflict, InvalidInput

EXPIRY = timedelta(hours=2)
"""How long a running task may go without a step."""

EXPIRED = "auto-expired: no step for 2 hours"

SIMILARITY = 0.82
"""Cosine of two tasks' vectors from which they are the same one, unless a word that counts tells them apart.

Calibrated for all-MiniLM-L6-v2 on 97 labelled pairs: tests/services/task_pairs.py.
"""

TITLE_LENGTH, GOAL_LENGTH, REASON_LENGTH = 190, 5_000, 5_000


class TaskStatus(StrEnum):
    """How far a task has come; a completed or aborted one is final."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    ABORTED = "aborted"


MOVES: Mapping[TaskStatus, frozenset[TaskStatus]] = MappingProxyType(
    {
        # to itself: a step
        TaskStatus.RUNNING: frozenset(TaskStatus),
        TaskStatus.PAUSED: frozenset({TaskStatus.RUNNING, TaskStatus.COMPLETED, TaskStatus.ABORTED}),
        TaskStatus.COMPLETED: frozenset(),
        TaskStatus.ABORTED: frozenset(),
    }
)
"""The states that may follow each state."""

OPEN = frozenset(status for status, following in MOVES.items() if following)


@dataclass(frozen=True, kw_only=True)
class Task:
    """Something that an agent set out to do. `priority` and `importance` lie in [0, 1]."""

    id: UUID
    external_id: str | None = None
    title: str
    goal: str
    status: TaskStatus
    priority: float | None = None
    importance: float | None = None
    budget_remaining: float | None = None
    success_condition: str = ""
    stop_reason: str = ""
    session: str | None = None
    started_at: datetime
    last_step_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a caller sets out to do; None and blank leave open what a similar task already says."""

    title: str
    goal: str
    success_condition: str = ""
    priority: float | None = None
    importance: float | None = None
    session: str | None = None

    @property
    def meaning(self) -> str:
        """The text whose vector is compared."""
        return meaning(self.title, self.goal)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An open task beside a plan; `similarity` is the cosine of their vectors, None without them."""

    task: Task
    similarity: float | None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the end of a task leaves to remember: an entity with its facts."""

    name: str
    type: EntityType
    facts: tuple[str, ...]


def meaning(title: str, goal: str) -> str:
    """Return the text that stands for a task when it is compared with another one."""
    return f"{title}. {goal}"


def checked(plan: Plan) -> Plan:
    """Return the plan as it will be stored; raises `InvalidInput` naming the field that breaks a rule."""
    return Plan(
        title=_checked_text(" ".join(plan.title.split()), field="title", limit=TITLE_LENGTH, needed=True),
        goal=_checked_text(plan.goal, field="goal", limit=GOAL_LENGTH, needed=True),
        success_condition=_checked_text(plan.success_condition, field="success_condition", limit=GOAL_LENGTH),
        priority=_checked_share(plan.priority, field="priority"),
        importance=_checked_share(plan.importance, field="importance"),
        session=notes.checked_session(plan.session),
    )


def checked_reason(reason: str, *, field: str) -> str:
    """Return the result or reason cleaned; raises `InvalidInput` naming `field` when it is too long."""
    return _checked_text(reason, field=field, limit=REASON_LENGTH)


def begun(plan: Plan, *, id: UUID, now: datetime) -> Task:
    """Return the new task of a plan."""
    return Task(
        id=id,
        title=plan.title,
        goal=plan.goal,
        status=TaskStatus.RUNNING,
        priority=plan.priority,
        importance=plan.importance,
        success_condition=plan.success_condition,
        session=plan.session,
        started_at=now,
        last_step_at=now,
    )


def continued(task: Task, plan: Plan, *, now: datetime) -> Task:
    """Return an open task that goes on by a similar plan, which changes only what it gives."""
    return replace(
        moved(task, TaskStatus.RUNNING, now=now),
        priority=task.priority if plan.priority is None else plan.priority,
        importance=task.importance if plan.importance is None else plan.importance,
        success_condition=plan.success_condition or task.success_condition,
        session=plan.session or task.session,
    )


def moved(task: Task, status: TaskStatus, *, now: datetime, reason: str = "") -> Task:
    """Return the task in its next state, ended with `reason` where that is final.

    Raises `Conflict` where `MOVES` does not have it.
    """
    if status not in MOVES[task.status]:
        raise Conflict(_refusal(task, status))
    latest = max(now, task.last_step_at)
    if status in OPEN:
        return replace(task, status=status, last_step_at=latest)
    return replace(task, status=status, last_step_at=latest, ended_at=latest, stop_reason=reason)


def stepped(task: Task, *, now: datetime) -> Task:
    """Return a running task after a step; raises `Conflict` for any other."""
    if task.status is TaskStatus.PAUSED:
        raise Conflict(f"task {task.id} is paused; resume it first")
    return moved(task, TaskStatus.RUNNING, now=now)


def similar(plan: Plan, candidates: Iterable[Candidate]) -> Task | None:
    """Return the open task that the plan goes on with: the most similar one that no word tells apart from it.

    Without vectors, the shares of common words are compared.
    """
    own = rewording.gist(plan.meaning)
    found = []
    for each in candidates:
        if each.similarity is not None and each.similarity < SIMILARITY:
            continue
        other = rewording.gist(meaning(each.task.title, each.task.goal))
        alike = rewording.similarity(own, other) if each.similarity is None else each.similarity
        least = duplicates.JACCARD if each.similarity is None else SIMILARITY
        if alike >= least and not rewording.contrary(own, other) and not rewording.swapped(own, other):
            found.append((alike, each.task))
    return max(found, key=lambda each: (each[0], each[1].last_step_at), default=(0.0, None))[1]


def outcome(task: Task) -> Outcome:
    """Return what a finished task leaves to remember: a success, or a failure with its post-mortem."""
    completed = task.status is TaskStatus.COMPLETED
    kind = EntityType.SUCCESS if completed else EntityType.FAILURE
    facts = [f"Goal: {task.goal}"]
    if task.success_condition:
        facts.append(f"Success condition: {task.success_condition}")
    if task.stop_reason:
        facts.append(f"{'Outcome' if completed else 'Reason for giving up'}: {task.stop_reason}")
    ended = task.ended_at or task.last_step_at
    facts.append(f"{'Completed' if completed else 'Given up'} after {duration(ended - task.started_at)}")
    return Outcome(
        name=text.preview(f"{kind}: {task.title}", limit=beliefs.NAME_LENGTH),
        type=kind,
        facts=tuple(text.preview(fact, limit=beliefs.FACT_LENGTH) for fact in facts),
    )


def duration(time: timedelta) -> str:
    """Return a time in words, in its two largest units of days, hours and minutes."""
    minutes = max(0, int(time.total_seconds())) // 60
    units = ((minutes // 1_440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    first = next((at for at, (count, _) in enumerate(units) if count), None)
    if first is None:
        return "less than a minute"
    return " ".join(f"{count} {unit}" for count, unit in units[first : first + 2] if count)


def _refusal(task: Task, status: TaskStatus) -> str:
    if task.status in OPEN:
        return f"task {task.id} is {task.status} already; list the tasks to see what is open"
    why = f" ({text.preview(task.stop_reason, limit=100)})" if task.stop_reason else ""
    return f"task {task.id} is {task.status}{why} and cannot become {status}; start a new task instead"


def _checked_share(value: float | None, *, field: str) -> float | None:
    return None if value is None else exchanges.checked_share(value, field=field)


def _checked_text(given: str, *, field: str, limit: int, needed: bool = False) -> str:
    cleaned = text.storable(given).strip()
    if text.is_blank(cleaned):
        if needed:
            raise InvalidInput(field, "say what the task is; it may not be blank")
        return ""
    if len(cleaned) > limit:
        raise InvalidInput(field, f"at most {limit} characters, got {len(cleaned)}; shorten it")
    return cleaned


def names(statuses: Iterable[TaskStatus]) -> Sequence[str]:
    """Return the states as they are stored, in the order of the enumeration."""
    wanted = frozenset(statuses)
    return [status.value for status in TaskStatus if status in wanted]
