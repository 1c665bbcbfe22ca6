"""Filters: which of a bank's live notes a search or a listing may consider."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from memory_bank.domain import moments, notes, text
from memory_bank.errors import InvalidInput

UNIVERSAL = "scope:universal"


class TagMatch(StrEnum):
    """Whether a note must carry one of the wanted tags or all of them."""

    ANY = "any"
    ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Conditions that a note must meet; the empty filter lets every live note of the bank through.

    `since` and `until` bound the note's timestamp, both ends included. `project` keeps the notes of that project,
    those tagged `scope:universal`, and those that belong to no project. `ids` keeps these notes alone, None all.
    """

    tags: tuple[str, ...] = ()
    tag_match: TagMatch = TagMatch.ANY
    kinds: tuple[notes.Kind, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    session: str | None = None
    project: str | None = None
    ids: tuple[UUID, ...] | None = None


def checked(
    *,
    tags: Sequence[str] = (),
    tag_match: TagMatch = TagMatch.ANY,
    kinds: Sequence[notes.Kind] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    session: str | None = None,
    project: str | None = None,
) -> Filter:
    """Build a filter from a caller's words; raises `InvalidInput` naming the field that breaks a rule."""
    earliest = None if since is None else moments.as_utc(since, field="since")
    latest = None if until is None else moments.as_utc(until, field="until")
    if earliest is not None and latest is not None and earliest > latest:
        raise InvalidInput("until", "lies before since; exchange the two")
    return Filter(
        tags=notes.checked_tags(tags),
        tag_match=tag_match,
        kinds=tuple(dict.fromkeys(kinds)),
        since=earliest,
        until=latest,
        session=notes.checked_session(session),
        project=_checked_project(project),
    )


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """The place in a listing, newest first, after which the next page starts."""

    timestamp: datetime
    id: UUID

    def __str__(self) -> str:
        return base64.urlsafe_b64encode(f"{self.timestamp.isoformat()} {self.id}".encode()).decode()


def parsed_cursor(value: str) -> Cursor:
    """Read a cursor that an earlier page answered with; raises `InvalidInput` for anything else."""
    try:
        moment, identifier = base64.b64decode(value.encode(), altchars=b"-_", validate=True).decode().split(" ")
        return Cursor(timestamp=moments.as_utc(datetime.fromisoformat(moment), field="cursor"), id=UUID(identifier))
    except (ValueError, UnicodeError, binascii.Error) as error:
        raise InvalidInput("cursor", "pass the next_cursor of an earlier answer unchanged") from error


def _checked_project(project: str | None) -> str | None:
    if project is None or text.is_blank(text.storable(project)):
        return None
    return notes.checked_tags((f"project:{project.strip()}",), field="project")[0]
