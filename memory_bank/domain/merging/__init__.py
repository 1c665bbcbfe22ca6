"""Merging: what an import changes in a bank that may hold part of it already, decided before anything is written.

What the bank holds is never taken back: the import adds, and joins what is the same.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from memory_bank.domain import text
from memory_bank.domain.transfer import Item, Kind, Outcome
from memory_bank.errors import InvalidInput

KNOWN = "known already, with nothing new in it"

COUNT_LIMIT = 2**30
"""Of sources, repeats and the like: beyond it, the next one could not be counted any more."""

EARLIEST, LATEST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 12, 31, tzinfo=UTC)
"""Moments that can be told in every time zone."""

_KEY_LENGTH = 80


class Findings:
    """Gathers what became of each part of an archive."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def note(self, kind: Kind, key: str, outcome: Outcome, reason: str = "") -> None:
        """Note what became of a part."""
        shown = text.preview(" ".join(text.storable(key[:1000]).split()), limit=_KEY_LENGTH)
        self.items.append(Item(kind=kind, key=shown, outcome=outcome, reason=reason))

    def refuse(self, kind: Kind, key: str, error: InvalidInput) -> None:
        """Note a part that breaks a rule."""
        self.note(kind, key, Outcome.REFUSED, str(error))

    def settle(self, kind: Kind, key: str, *, added: bool, changed: bool, reasons: list[str]) -> None:
        """Note a part that is new, joined with what was there, or there already as a whole."""
        if added or changed:
            self.note(kind, key, Outcome.ADDED if added else Outcome.MERGED, "; ".join(reasons))
        else:
            self.note(kind, key, Outcome.SKIPPED, "; ".join(["known already", *reasons]) if reasons else KNOWN)


class Ids:
    """Gives out ids of notes, those that an archive brings along as far as they are free.

    taken: the ids among them that notes of the bank have, and whether each note is alive.
    """

    def __init__(self, taken: Mapping[UUID, bool], fresh: Callable[[], UUID]) -> None:
        self._taken = taken
        self._fresh = fresh
        self._given: set[UUID] = set()
        self.revived: set[UUID] = set()
        """Ids of deleted notes that were given out again."""

    def give(self, wanted: UUID | None) -> UUID:
        """Return the wanted id, or a new one where that is not to be had."""
        if wanted is None or wanted in self._given or self._taken.get(wanted, False):
            return self._fresh()
        self._given.add(wanted)
        if wanted in self._taken:
            self.revived.add(wanted)
        return wanted


def check_moments(*moments: datetime | None) -> None:
    """Raise `InvalidInput` for a moment that not every time zone can tell."""
    if any(each is not None and not EARLIEST <= each <= LATEST for each in moments):
        raise InvalidInput("time", f"lies outside the years {EARLIEST.year} to {LATEST.year}")


def check_count(count: int, *, field: str, least: int = 0) -> None:
    """Raise `InvalidInput` for a number that cannot be counted on from."""
    if not least <= count <= COUNT_LIMIT:
        raise InvalidInput(field, f"a whole number from {least} to {COUNT_LIMIT}, got {count}")
