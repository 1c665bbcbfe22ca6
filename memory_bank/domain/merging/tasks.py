"""Merging tasks: which tasks of an archive the bank holds already, by an id, or where it has none by what they say."""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from memory_bank.domain import merging, tasks, text, transfer
from memory_bank.domain.merging import Findings
from memory_bank.domain.tasks import Plan, Task
from memory_bank.domain.transfer import Kind, Outcome
from memory_bank.errors import InvalidInput


def merge(
    given: Sequence[transfer.Task], held: Sequence[Task], found: Findings, *, now: datetime, fresh: Callable[[], UUID]
) -> list[Task]:
    """Return the tasks that are new; one that the bank holds stays as far as it has come."""
    own = {each.id: each for each in held}
    elsewhere = {each.external_id: each for each in held if each.external_id is not None}
    unmet = list(held)
    new: list[Task] = []
    for each in given:
        key = each.external_id or each.title
        known = (None if each.id is None else own.get(each.id)) or elsewhere.get(each.external_id or "")
        try:
            task = _checked(each, now=now, id=fresh() if each.id is None else each.id)
        except InvalidInput as error:
            found.refuse(Kind.TASK, key, error)
            continue
        if known is None and each.id is None and each.external_id is None:
            known = next((other for other in unmet if _is_same(other, each, task)), None)
            if known is not None:
                # several tasks without ids may be told alike
                unmet.remove(known)
        if known is None:
            new.append(task)
            own[task.id] = task
            if task.external_id is not None:
                elsewhere[task.external_id] = task
            found.note(Kind.TASK, key, Outcome.ADDED)
            continue
        moved = known.status is not task.status
        reasons = [f"it is {known.status.value} here and {task.status.value} in the file; it stays so"] if moved else []
        found.settle(Kind.TASK, key, added=False, changed=False, reasons=reasons)
    return new


def _is_same(known: Task, given: transfer.Task, task: Task) -> bool:
    started = given.started_at is None or known.started_at == given.started_at
    return started and (known.title, known.goal) == (task.title, task.goal)


def _checked(given: transfer.Task, *, now: datetime, id: UUID) -> Task:
    merging.check_moments(given.started_at, given.last_step_at, given.ended_at)
    plan = tasks.checked(
        Plan(
            title=given.title,
            # other programs let a title stand alone
            goal=given.title if text.is_blank(text.storable(given.goal)) else given.goal,
            success_condition=given.success_condition,
            priority=given.priority,
            importance=given.importance,
            session=given.session,
        )
    )
    is_open = given.status in tasks.OPEN
    last_step = given.last_step_at or (now if is_open else given.ended_at or given.started_at or now)
    return Task(
        id=id,
        external_id=given.external_id,
        title=plan.title,
        goal=plan.goal,
        status=given.status,
        priority=plan.priority,
        importance=plan.importance,
        budget_remaining=given.budget_remaining,
        success_condition=plan.success_condition,
        stop_reason=tasks.checked_reason(given.stop_reason, field="stopReason"),
        session=plan.session,
        started_at=given.started_at or given.last_step_at or now,
        last_step_at=last_step,
        ended_at=None if is_open else given.ended_at or last_step,
    )
