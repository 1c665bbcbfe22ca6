"""The shelf: which of the backups that a store remembers are there still."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_bank.domain.backups import Backup, Schedule


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """The backups that the store remembers, the newest first, and those of them whose files are there."""

    made: Sequence[Backup]
    there: Sequence[Backup]


def of(made: Sequence[Backup], schedule: Schedule | None) -> Shelf:
    """Look which backups lie where they were written, as long as they were then; blocks."""
    there = [each for each in made if any(_size(place) == each.size for place in _places(each, schedule))]
    return Shelf(made=made, there=there)


def _places(backup: Backup, schedule: Schedule | None) -> list[Path]:
    # a data folder may have been moved, with its snapshots in it
    moved = [schedule.folder / Path(backup.file).name] if backup.automatic and schedule is not None else []
    return [Path(backup.file), *moved]


def _size(file: Path) -> int | None:
    try:
        return file.stat().st_size if file.is_file() else None
    except (OSError, ValueError):
        return None
