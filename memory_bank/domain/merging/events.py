"""Merging working memory: the events of an archive among those that a session has."""

import heapq
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from memory_bank.domain import merging, transfer, working_memory
from memory_bank.domain.merging import Findings
from memory_bank.domain.transfer import Kind, Outcome
from memory_bank.domain.working_memory import WINDOW, Event
from memory_bank.errors import InvalidInput


def merge(
    given: Sequence[transfer.Event], held: Sequence[Event], found: Findings, *, now: datetime
) -> dict[str, list[Event]]:
    """Return the sessions that change, each with its last events as they are to be, the oldest first."""
    sessions: dict[str, list[Event]] = {}
    for event in held:
        sessions.setdefault(event.session, []).append(event)
    new: dict[str, list[Event]] = {}
    left = Counter(map(_told, held))
    left_untimed = Counter(map(_said, held))
    for each in given:
        try:
            event = _checked(each, now=now)
        except InvalidInput as error:
            found.refuse(Kind.EVENT, each.content, error)
            continue
        if left_untimed[_said(event)] > 0 and (each.created_at is None or left[_told(event)] > 0):
            left_untimed[_said(event)] -= 1
            left[_told(event)] -= 1
            found.note(Kind.EVENT, each.content, Outcome.SKIPPED, merging.KNOWN)
        else:
            new.setdefault(event.session, []).append(event)
    changed: dict[str, list[Event]] = {}
    for session, events in new.items():
        last = list(heapq.merge(sessions.get(session, []), events, key=lambda each: each.created_at))[-WINDOW:]
        staying = set(map(id, last))
        for event in events:
            if id(event) in staying:
                changed[session] = last
                found.note(Kind.EVENT, event.content, Outcome.ADDED)
            else:
                reason = f"older than the last {WINDOW} of its session"
                found.note(Kind.EVENT, event.content, Outcome.SKIPPED, reason)
    return changed


def _checked(given: transfer.Event, *, now: datetime) -> Event:
    merging.check_moments(given.created_at)
    event = Event(session=given.session, type=given.type, content=given.content, created_at=given.created_at or now)
    return working_memory.checked(event)


def _told(event: Event) -> tuple[str, str, str, datetime]:
    return event.session, event.type, event.content, event.created_at


def _said(event: Event) -> tuple[str, str, str]:
    return event.session, event.type, event.content
