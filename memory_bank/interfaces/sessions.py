"""Exchanges, working memory and tasks: arguments, answers, and the service calls between them."""

from enum import StrEnum
from typing import TYPE_CHECKING
from uuid import UUID

from pydantic import Field

from memory_bank.domain import notes, recall, references, tasks, text, working_memory
from memory_bank.domain.tasks import Task, TaskStatus
from memory_bank.domain.tokens import Level
from memory_bank.domain.working_memory import Event, EventType
from memory_bank.errors import InvalidInput
from memory_bank.interfaces import answers, arguments, recollection
from memory_bank.interfaces.answers import Answer, Moment
from memory_bank.interfaces.arguments import Aside, Tags
from memory_bank.interfaces.beliefs import Published
from memory_bank.interfaces.recollection import ExchangeAnswer

if TYPE_CHECKING:
    from memory_bank.bootstrap import App

_SIDE_SIZE = 4_000


class Observe(Published):
    """Arguments of observe."""

    user: str = Field(description="What the user said.", json_schema_extra=arguments.told(notes.CONTENT_LIMIT))
    assistant: str = Field(
        description="What the assistant answered.", json_schema_extra=arguments.told(notes.CONTENT_LIMIT)
    )
    session_id: str = Field(
        alias="sessionId",
        description="The conversation it belongs to.",
        json_schema_extra=arguments.told(notes.SESSION_LENGTH),
    )
    importance: float | None = Field(default=None, ge=0, le=1, description="0 to 1; scored for you if left out.")
    project: Aside = Field(
        default="", description="The project it belongs to.", json_schema_extra=arguments.PROJECT_RULE
    )
    tags: Tags = Field(default=[], description="Short labels.")


class ObserveAnswer(Answer):
    """The exchange that is kept; `merged` where it repeats a recent one and was joined with it."""

    exchange: ExchangeAnswer
    merged: bool
    importance_given: bool


class ContextAction(StrEnum):
    """What is done with a session's working memory."""

    PUSH = "push"
    GET = "get"
    CLEAR = "clear"


class Context(Published):
    """Arguments of context."""

    action: ContextAction = Field(description="push an event, get the last ones, or clear the session.")
    session_id: str = Field(
        alias="session_id",
        description="The session.",
        json_schema_extra=arguments.told(notes.SESSION_LENGTH, needed=True),
    )
    content: str = Field(
        default="",
        description="What happened; needed to push.",
        json_schema_extra=arguments.told(working_memory.CONTENT_LIMIT),
    )
    event_type: EventType = Field(default=EventType.ACTION, description="What kind of event it is.")
    limit: int = Field(default=10, ge=1, le=working_memory.WINDOW, description="How many of the last events to get.")

    def needs(self) -> Level:
        """Return that getting events only reads."""
        return Level.READ if self.action is ContextAction.GET else Level.WRITE


class EventAnswer(Answer):
    """Something that happened in the session."""

    type: EventType
    content: str
    content_truncated: bool | None = Field(
        default=None, description="True where content is cut; fewer events have more room."
    )
    created_at: Moment


class ContextAnswer(Answer):
    """The session's last events, the oldest first, or how many were cleared."""

    session_id: str
    events: list[EventAnswer]
    cleared: int | None = None


class TaskAction(StrEnum):
    """What is done with a task."""

    START = "start"
    STEP = "step"
    PAUSE = "pause"
    RESUME = "resume"
    DONE = "done"
    ABORT = "abort"
    LIST = "list"


class TaskArguments(Published):
    """Arguments of task."""

    action: TaskAction = Field(
        description="start (goes on with a similar open one), step (it goes on), pause, resume, done, abort or list."
    )
    task_id: str = Field(
        default="",
        alias="taskId",
        description="The task; needed for all but start and list.",
        json_schema_extra=arguments.told(references.LENGTH),
    )
    title: str = Field(
        default="",
        description="What is to be done, in a few words; needed to start.",
        json_schema_extra=arguments.told(tasks.TITLE_LENGTH),
    )
    goal: str = Field(
        default="",
        description="What shall be reached; needed to start.",
        json_schema_extra=arguments.told(tasks.GOAL_LENGTH),
    )
    success_condition: Aside = Field(
        default="",
        alias="successCondition",
        description="How to tell that it is done.",
        json_schema_extra=arguments.told(tasks.GOAL_LENGTH),
    )
    priority: float | None = Field(default=None, ge=0, le=1, description="0 to 1.")
    importance: float | None = Field(default=None, ge=0, le=1, description="0 to 1.")
    result: Aside = Field(
        default="",
        description="What came of it, for done; remembered.",
        json_schema_extra=arguments.told(tasks.REASON_LENGTH),
    )
    reason: Aside = Field(
        default="",
        description="Why it was given up, for abort; remembered.",
        json_schema_extra=arguments.told(tasks.REASON_LENGTH),
    )
    session_id: Aside = Field(
        default="",
        alias="sessionId",
        description="The session that works on it.",
        json_schema_extra=arguments.told(notes.SESSION_LENGTH),
    )
    finished: bool = Field(default=False, description="List finished ones too.")
    limit: int = Field(default=20, ge=1, le=recall.RESULT_LIMIT, description="Most tasks to list.")

    def needs(self) -> Level:
        """Return that listing only reads."""
        return Level.READ if self.action is TaskAction.LIST else Level.WRITE


class TaskAnswer(Answer):
    """A task."""

    id: UUID
    external_id: str | None = None
    title: str
    goal: str
    status: TaskStatus
    priority: float | None = None
    importance: float | None = None
    success_condition: str | None = None
    stop_reason: str | None = None
    session_id: str | None = None
    started_at: Moment
    last_step_at: Moment
    ended_at: Moment | None = None


class TasksAnswer(Answer):
    """The task that was acted on, or the list; `resumed` where start went on with an earlier one."""

    task: TaskAnswer | None = None
    resumed: bool | None = None
    remembered_as: str | None = Field(default=None, description="The thing that keeps how it ended.")
    tasks: list[TaskAnswer] | None = None


def task(value: Task) -> TaskAnswer:
    """Return a task as callers see it."""
    return TaskAnswer(
        id=value.id,
        external_id=value.external_id,
        title=value.title,
        goal=value.goal,
        status=value.status,
        priority=value.priority,
        importance=value.importance,
        success_condition=value.success_condition or None,
        stop_reason=value.stop_reason or None,
        session_id=value.session,
        started_at=value.started_at,
        last_step_at=value.last_step_at,
        ended_at=value.ended_at,
    )


def event(value: Event, *, size: int) -> EventAnswer:
    """Return an event as callers see it, cut to `size` bytes."""
    content = text.fitting(value.content, size=size)
    return EventAnswer(
        type=value.type,
        content=content,
        content_truncated=True if content != value.content else None,
        created_at=value.created_at,
    )


async def observe(app: "App", asked: Observe) -> ObserveAnswer:
    """Keep a turn."""
    with arguments.naming(asked, session="sessionId"):
        done = await app.exchanges.observe(
            asked.bank,
            user=asked.user,
            assistant=asked.assistant,
            session=asked.session_id,
            importance=asked.importance,
            project=asked.project or None,
            tags=asked.tags,
        )
    return ObserveAnswer(
        exchange=recollection.exchange(done.exchange, size=_SIDE_SIZE),
        merged=done.merged,
        importance_given=done.exchange.importance_given,
    )


async def context(app: "App", asked: Context) -> ContextAnswer:
    """Push to a session's working memory, read it, or clear it."""
    with arguments.naming(asked, session="session_id"):
        session = working_memory.checked_session(asked.session_id)
    match asked.action:
        case ContextAction.PUSH:
            pushed = await app.working_memory.push(asked.bank, session, asked.content, type=asked.event_type)
            return ContextAnswer(session_id=pushed.session, events=[event(pushed, size=answers.ANSWER_SIZE)])
        case ContextAction.GET:
            found = await app.working_memory.get(asked.bank, session, limit=asked.limit)
            size = answers.room(len(found)).size
            return ContextAnswer(session_id=session, events=[event(each, size=size) for each in found])
        case ContextAction.CLEAR:
            cleared = await app.working_memory.clear(asked.bank, session)
            return ContextAnswer(session_id=session, events=[], cleared=cleared)


async def act(app: "App", asked: TaskArguments) -> TasksAnswer:
    """Start, move, finish or list tasks."""
    with arguments.naming(asked, id="taskId", session="sessionId"):
        return await _acted(app, asked)


async def _acted(app: "App", asked: TaskArguments) -> TasksAnswer:
    match asked.action:
        case TaskAction.LIST:
            found = await app.tasks.list(asked.bank, finished=asked.finished, limit=asked.limit)
            return TasksAnswer(tasks=[task(each) for each in found])
        case TaskAction.START:
            started = await app.tasks.start(
                asked.bank,
                title=asked.title,
                goal=asked.goal,
                success_condition=asked.success_condition,
                priority=asked.priority,
                importance=asked.importance,
                session=asked.session_id or None,
            )
            return TasksAnswer(task=task(started.task), resumed=started.resumed)
        case TaskAction.STEP:
            return TasksAnswer(task=task(await app.tasks.step(asked.bank, _task_id(asked))))
        case TaskAction.PAUSE:
            return TasksAnswer(task=task(await app.tasks.pause(asked.bank, _task_id(asked))))
        case TaskAction.RESUME:
            return TasksAnswer(task=task(await app.tasks.resume(asked.bank, _task_id(asked))))
        case TaskAction.DONE:
            ended = await app.tasks.done(asked.bank, _task_id(asked), asked.result)
            return TasksAnswer(task=task(ended.task), remembered_as=ended.outcome.name)
        case TaskAction.ABORT:
            ended = await app.tasks.abort(asked.bank, _task_id(asked), asked.reason)
            return TasksAnswer(task=task(ended.task), remembered_as=ended.outcome.name)


def _task_id(asked: TaskArguments) -> str:
    if not asked.task_id:
        raise InvalidInput("taskId", f"{asked.action.value} needs the task's id; list shows the ids")
    return asked.task_id
