"""What a backup is: an archive of everything in a store, what its manifest says, and when the next is due."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from memory_bank.errors import InvalidInput

FORMAT_VERSION = 1
"""The version of the archives that are written; those of later versions cannot be read."""

LONGEST_DIMENSIONS = 16_000
"""The longest vectors that pgvector stores."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """The model of the archived vectors; `complete` is false when a re-embedding was under way."""

    name: str
    dimensions: int
    complete: bool


@dataclass(frozen=True, kw_only=True)
class Part:
    """One table in an archive: its rows in PostgreSQL's text format, `size` bytes of them with this SHA-256."""

    table: str
    columns: tuple[str, ...]
    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What an archive says of itself; `schema_revision` is the migration that its tables are of."""

    id: UUID
    format_version: int
    product_version: str
    schema_revision: str
    postgresql: str
    created_at: datetime
    model: Model | None
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        """Return how many rows all tables have together."""
        return sum(part.rows for part in self.parts)

    def rows_of(self, table: str) -> int:
        """Return how many rows a table has; 0 for one that the archive does not hold."""
        return sum(part.rows for part in self.parts if part.table == table)


@dataclass(frozen=True, kw_only=True)
class Backup:
    """An archive that was written: where, when, how large in bytes, and how much it holds.

    `automatic` ones are snapshots made by a schedule.
    """

    id: UUID
    file: str
    created_at: datetime
    automatic: bool
    size: int
    banks: int
    notes: int
    schema_revision: str


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """Where snapshots are written, how much time lies between two, and how many are kept."""

    folder: Path
    interval: timedelta
    keep: int

    def is_due(self, made: Iterable[datetime], now: datetime) -> bool:
        """Tell whether none was made within the last interval.

        What a clock that is ahead has made counts until that interval has gone by; a longer way off it means nothing.
        """
        return all(abs(now - each) >= self.interval for each in made)


def refuse_newer(format_version: int, *, named: str) -> None:
    """Raise `InvalidInput` for an archive of a format that only a newer program reads."""
    if format_version > FORMAT_VERSION:
        raise InvalidInput(
            named,
            f"is a backup of format {format_version}, made by a newer Memory Bank; this one reads formats up to "
            f"{FORMAT_VERSION}: upgrade it, then restore",
        )


def check(manifest: Manifest, *, named: str) -> None:
    """Raise `InvalidInput` for an archive whose manifest contradicts itself."""
    tables = [part.table for part in manifest.parts]
    model = manifest.model
    if (
        manifest.format_version < 1
        or len(set(tables)) < len(tables)
        or any(len(set(part.columns)) < len(part.columns) or part.rows < 0 or part.size < 0 for part in manifest.parts)
        or (model is not None and not 1 <= model.dimensions <= LONGEST_DIMENSIONS)
        or manifest.created_at.utcoffset() is None
    ):
        raise InvalidInput(named, "is damaged: its manifest contradicts itself; restore another backup")
