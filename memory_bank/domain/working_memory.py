"""Working memory: the last events of a session, durable."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory_bank.domain import notes, text
from memory_bank.errors import InvalidInput

WINDOW = 25
"""Events that a session keeps."""

CONTENT_LIMIT = 10_000
_SIDE_SHOWN = 120


class EventType(StrEnum):
    """What happened."""

    ACTION = "action"
    OBSERVATION = "observation"
    DECISION = "decision"
    ERROR = "error"
    FACT = "fact"


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a session."""

    session: str
    type: EventType
    content: str
    created_at: datetime


def checked(event: Event) -> Event:
    """Return the event as it will be stored; raises `InvalidInput` naming the field that breaks a rule."""
    content = text.storable(event.content)
    if text.is_blank(content):
        raise InvalidInput("content", "say what happened; it may not be blank")
    if len(content) > CONTENT_LIMIT:
        raise InvalidInput(
            "content",
            f"an event has at most {CONTENT_LIMIT} characters, got {len(content)}; keep longer texts as notes",
        )
    return Event(session=checked_session(event.session), type=event.type, content=content, created_at=event.created_at)


def checked_session(session: str) -> str:
    """Return the session's name cleaned; raises `InvalidInput` when it is blank or too long."""
    cleaned = notes.checked_session(session)
    if cleaned is None:
        raise InvalidInput("session", "name the session whose working memory is meant; it may not be blank")
    return cleaned


def of_exchange(*, session: str, user: str, assistant: str, now: datetime) -> Event:
    """Return the event that an observed exchange is in its session: the beginnings of both sides."""
    sides = (("User", user), ("Assistant", assistant))
    shown = [f"{who}: {text.preview(said.strip(), limit=_SIDE_SHOWN)}" for who, said in sides if said]
    return Event(session=session, type=EventType.OBSERVATION, content="\n".join(shown), created_at=now)
