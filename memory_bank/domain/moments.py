"""Moments in time: every stored time is aware and UTC."""

from datetime import UTC, datetime

from memory_bank.errors import InvalidInput


def as_utc(moment: datetime, *, field: str = "timestamp") -> datetime:
    """Return `moment` in UTC; a moment without a zone is taken to be UTC.

    Raises `InvalidInput` naming `field` where its zone takes it out of the calendar.
    """
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(field, "the moment lies outside the years 1 to 9999") from error


def parsed(value: str, *, field: str) -> datetime:
    """Read an ISO 8601 date or time; a text without a zone is UTC, a date alone is its midnight.

    Raises `InvalidInput` naming `field` for anything else, impossible dates included.
    """
    try:
        return as_utc(datetime.fromisoformat(value.strip()), field=field)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(field, "not an ISO 8601 time such as 2026-03-10T03:15:00Z") from error
