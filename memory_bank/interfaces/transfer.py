"""Importing files of memories into a bank, and exporting a bank into one."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from memory_bank.domain import merging
from memory_bank.domain.transfer import Archive, Item, Kind, Outcome
from memory_bank.interfaces import memory_files
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.arguments import InBank

if TYPE_CHECKING:
    from memory_bank.bootstrap import App
    from memory_bank.services.transfer import Progress

ITEMS_SHOWN = 200
"""Parts that an answer lists, those that were refused first."""

_LISTED = (Outcome.REFUSED, Outcome.SKIPPED, Outcome.MERGED)


class Import(InBank):
    """Arguments of an import."""

    file: Path = Field(description="The file to read.")
    dry_run: bool = Field(default=False, description="Only tell what would become of each part; change nothing.")


class Export(InBank):
    """Arguments of an export."""

    file: Path = Field(description="The file to write.")
    overwrite: bool = Field(default=False, description="Replace the file if it exists.")


class ItemAnswer(Answer):
    """What became of one part of a file, and where that stands."""

    kind: Kind
    key: str
    outcome: Outcome
    reason: str
    place: str | None = None


class TotalsAnswer(Answer):
    """How many parts had each outcome; `known` are those that the bank held already as they are."""

    added: int = 0
    merged: int = 0
    known: int = 0
    skipped: int = 0
    refused: int = 0


class ImportAnswer(Answer):
    """What became of a file: totals, the same for each kind, and the parts that did not simply come in."""

    bank: str
    file: str
    dry_run: bool
    complete: bool = Field(description="True where nothing was refused.")
    totals: TotalsAnswer
    kinds: dict[str, TotalsAnswer]
    items: list[ItemAnswer]
    more_items: int | None = Field(default=None, description="Parts that are left out here.")


class ExportAnswer(Answer):
    """What was written."""

    bank: str
    file: str
    size: int
    entities: int
    facts: int
    relations: int
    exchanges: int
    tasks: int
    events: int


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A file that was read: what it holds, and what of it could not be read as it stands."""

    archive: Archive
    items: Sequence[Item]


def opened(asked: Import) -> Opened:
    """Read the file of an import; raises `InvalidInput`."""
    archive, items = memory_files.read(asked.file)
    return Opened(archive=archive, items=items)


async def bring_in(app: "App", asked: Import, read: Opened, *, progress: "Progress | None" = None) -> ImportAnswer:
    """Import what was read."""
    report = await app.transfer.bring_in(
        asked.bank, read.archive, met=read.items, dry_run=asked.dry_run, progress=progress
    )
    listed = sorted(filter(_is_listed, report.items), key=lambda each: _LISTED.index(each.outcome))
    kinds = {kind: [each for each in report.items if each.kind is kind] for kind in Kind}
    return ImportAnswer(
        bank=asked.bank,
        file=str(asked.file),
        dry_run=asked.dry_run,
        complete=report.complete,
        totals=_totals(report.items),
        kinds={kind.value: _totals(items) for kind, items in kinds.items() if items},
        items=[_item(each) for each in listed[:ITEMS_SHOWN]],
        more_items=len(listed) - ITEMS_SHOWN if len(listed) > ITEMS_SHOWN else None,
    )


async def export(app: "App", asked: Export, *, progress: "Progress | None" = None) -> ExportAnswer:
    """Write a bank into a file."""
    archive = await app.transfer.export(asked.bank, progress=progress)
    size = await asyncio.to_thread(memory_files.write, archive, asked.file, overwrite=asked.overwrite)
    return ExportAnswer(
        bank=asked.bank,
        file=str(asked.file),
        size=size,
        entities=len(archive.entities),
        facts=sum(len(each.facts) for each in archive.entities),
        relations=len(archive.relations),
        exchanges=len(archive.exchanges),
        tasks=len(archive.tasks),
        events=len(archive.events),
    )


def _is_listed(item: Item) -> bool:
    return item.outcome in _LISTED and item.reason != merging.KNOWN


def _totals(items: Sequence[Item]) -> TotalsAnswer:
    known = sum(each.outcome is Outcome.SKIPPED and each.reason == merging.KNOWN for each in items)
    counted = Counter(each.outcome for each in items)
    return TotalsAnswer(
        added=counted[Outcome.ADDED],
        merged=counted[Outcome.MERGED],
        known=known,
        skipped=counted[Outcome.SKIPPED] - known,
        refused=counted[Outcome.REFUSED],
    )


def _item(item: Item) -> ItemAnswer:
    return ItemAnswer(kind=item.kind, key=item.key, outcome=item.outcome, reason=item.reason, place=item.place or None)
