"""The clock: every service that needs the time is given one."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the current moment, aware and in UTC."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> datetime:
        """Return the current moment, aware and in UTC."""
        return datetime.now(UTC)
