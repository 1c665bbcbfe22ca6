"""Backups of the whole store: written and verified, restored, and made by a schedule."""

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

import memory_bank
from memory_bank.domain import text
from memory_bank.domain.backups import FORMAT_VERSION, Backup, Manifest, Model, Part, Schedule
from memory_bank.errors import ConfigurationError, InvalidInput, MemoryBankError
from memory_bank.providers import backup_files, whole_files
from memory_bank.services.clock import Clock
from memory_bank.services.embedder import Embedder
from memory_bank.store import backups as rows
from memory_bank.store import banks, claims, contents, replacement, schema
from memory_bank.store.database import Database
from memory_bank.store.replacement import Source

logger = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")
LEFTOVER_SECONDS = 3_600.0
Progress = Callable[[int, int], None]
"""Gets what is done and what there is in all, in rows."""


class Stopped(Exception):
    """The caller no longer waits for the work in its thread."""


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What was restored; `needs_reindex` when its vectors are not all of the configured model."""

    manifest: Manifest
    needs_reindex: bool


class BackupService:
    """Archives of everything in the store, apart from the job queue.

    They are written and read in threads, on connections outside the pool, so that callers go on meanwhile.
    """

    def __init__(
        self, *, database: Database, url: str, embedder: Embedder, clock: Clock, schedule: Schedule | None
    ) -> None:
        self._database = database
        self._url = url
        self._embedder = embedder
        self._clock = clock
        self.schedule = schedule

    async def backup(self, file: Path, *, overwrite: bool = False, progress: Progress | None = None) -> Backup:
        """Write everything, as of one moment, into `file`, verify it, and only then give it that name.

        Raises `InvalidInput` when the file exists and may not be overwritten or cannot be written.
        """
        return await self._write(file, overwrite=overwrite, automatic=False, progress=progress)

    async def inspect(self, file: Path, *, progress: Progress | None = None) -> Manifest:
        """Read all of an archive and return its manifest; raises `InvalidInput` when it is not whole."""

        def work(stop: threading.Event) -> Manifest:
            with backup_files.reading(file) as reader:
                self._refuse_newer_schema(reader.manifest, file)
                reader.verify(_counted(reader.manifest.rows, progress, stop))
                return reader.manifest

        return await _in_thread(work)

    async def restore(
        self, file: Path, *, replace: bool = False, reindex: bool = False, progress: Progress | None = None
    ) -> Restored:
        """Make the store hold what an archive does, in one transaction; tokens of the store stay as well.

        `replace` allows it where the store holds something, `reindex` where the archive's vectors are not all of the
        configured model: the caller must then let `MaintenanceService.reindex` make them anew. Raises `Conflict`,
        `InvalidInput`, `ConfigurationError`.
        """

        def work(stop: threading.Event) -> Restored:
            with backup_files.reading(file) as reader:
                manifest = reader.manifest
                self._refuse_newer_schema(manifest, file)
                fits = self._fits(manifest.model)
                if not fits and not reindex:
                    raise ConfigurationError(self._unfit(manifest))
                # twice its rows: once to know that it is whole before anybody has to wait for the store
                count = _counted(2 * manifest.rows, progress, stop)
                reader.verify(count)
                source = Source(manifest=manifest, blocks=reader.blocks, named=text.storable(str(file)), progress=count)
                replacement.put(self._url, source, into_filled=replace)
                return Restored(manifest=manifest, needs_reindex=not fits)

        restored = await _in_thread(work)
        logger.info("Restored a backup.", extra={"rows": restored.manifest.rows, "replaced": replace})
        return restored

    async def list(self) -> list[Backup]:
        """Return the backups that this store remembers, the newest first; their files may be gone."""
        async with self._database.whole_store() as tx:
            return await rows.every(tx)

    async def last(self) -> Backup | None:
        """Return the newest backup, made by whatever process; None when there is none."""
        return next(iter(await self.list()), None)

    async def snapshot_if_due(self) -> Backup | None:
        """Write the snapshot that the schedule asks for, and delete those beyond the ones it keeps.

        However many processes ask at once, one of them does it. None when none was due, or there is nothing to keep.
        """
        schedule = self.schedule
        if schedule is None or not await self._is_due(schedule):
            return None
        async with claims.claimed(self._url, claims.SNAPSHOTS) as mine:
            if not mine or not await self._is_due(schedule):
                return None
            made = self._clock.now()
            file = schedule.folder / f"memory-bank-{made:%Y%m%dT%H%M%S}Z.zip"
            await asyncio.to_thread(_prepare, schedule.folder)
            snapshot = await self._write(file, overwrite=False, automatic=True)
            await self._prune(schedule)
            return snapshot

    async def _write(self, file: Path, *, overwrite: bool, automatic: bool, progress: Progress | None = None) -> Backup:
        now = self._clock.now().astimezone(UTC)

        def work(stop: threading.Event) -> Backup:
            with whole_files.writing(file, overwrite=overwrite) as stream:
                with contents.reading(self._url) as snapshot, backup_files.Writer(stream) as writer:
                    count = _counted(2 * sum(snapshot.counts.values()), progress, stop)
                    manifest = _archived(snapshot, writer, now=now, count=count)
                whole_files.durable(stream)
                size = stream.seek(0, os.SEEK_END)
                if backup_files.read_back(stream, named=text.storable(str(file)), progress=count) != manifest:
                    raise MemoryBankError("what was written is not what was read back; check the disk, then try again")
            return Backup(
                id=manifest.id,
                file=text.storable(str(file.absolute())),
                created_at=manifest.created_at,
                automatic=automatic,
                size=size,
                banks=manifest.rows_of("banks"),
                notes=manifest.rows_of("notes"),
                schema_revision=manifest.schema_revision,
            )

        backup = await _in_thread(work)
        async with self._database.whole_store() as tx:
            await rows.add(tx, backup)
        logger.info("Wrote a backup.", extra={"file": backup.file, "size": backup.size, "notes": backup.notes})
        return backup

    async def _is_due(self, schedule: Schedule) -> bool:
        async with self._database.whole_store() as tx:
            made = [each.created_at for each in await rows.every(tx) if each.automatic]
            # nothing is lost with a store that nobody has used yet
            return schedule.is_due(made, self._clock.now()) and await banks.any_made(tx)

    async def _prune(self, schedule: Schedule) -> None:
        """Delete the oldest snapshots beyond those to keep: files of this folder that this store knows it has made."""
        made = [each for each in await self.list() if each.automatic]
        present = await asyncio.to_thread(_present, schedule.folder, made)
        for each in present[schedule.keep :]:
            with contextlib.suppress(FileNotFoundError):
                await asyncio.to_thread((schedule.folder / Path(each.file).name).unlink)
            async with self._database.whole_store() as tx:
                await rows.forget(tx, each.id)

    def _fits(self, model: Model | None) -> bool:
        if model is None:
            return True
        ours = (self._embedder.name, self._embedder.dimensions)
        return model.complete and (model.name, model.dimensions) == ours

    def _unfit(self, manifest: Manifest) -> str:
        assert manifest.model is not None
        made = f"{manifest.model.name!r} ({manifest.model.dimensions} dimensions)"
        if not manifest.model.complete:
            return (
                f"the archive was made while its notes were re-embedded by {made}; --reindex restores it and finishes "
                f"that by {self._embedder.name!r}, the configured embedding.model"
            )
        return (
            f"the archive's vectors were made by {made}, but embedding.model is {self._embedder.name!r} "
            f"({self._embedder.dimensions}); set the archive's model, or let --reindex embed every note anew after "
            "restoring"
        )

    def _refuse_newer_schema(self, manifest: Manifest, file: Path) -> None:
        if not schema.knows(manifest.schema_revision):
            raise InvalidInput(
                text.storable(str(file)),
                f"is of schema revision {text.preview(ascii(manifest.schema_revision), limit=60)}, which this version "
                f"does not know: it was made by Memory Bank {text.preview(ascii(manifest.product_version), limit=30)}; "
                "upgrade this program, then restore",
            )


def _archived(
    snapshot: contents.Snapshot, writer: backup_files.Writer, *, now: datetime, count: Callable[[int], None]
) -> Manifest:
    """Write every table of the snapshot, and the manifest, which is returned."""

    def counted(blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            count(block.count(b"\n"))
            yield block

    def written(table: str, columns: tuple[str, ...]) -> Part:
        with snapshot.rows(table) as blocks:
            return writer.add(table, columns, counted(blocks))

    parts = tuple(written(table, columns) for table, columns in snapshot.shape.items())
    for part in parts:
        if part.rows != snapshot.counts[part.table]:
            raise MemoryBankError(f"{part.table} gave {part.rows} of its {snapshot.counts[part.table]} rows; try again")
    manifest = Manifest(
        id=uuid4(),
        format_version=FORMAT_VERSION,
        product_version=memory_bank.__version__,
        schema_revision=snapshot.revision,
        postgresql=snapshot.postgresql,
        created_at=now,
        model=snapshot.model,
        parts=parts,
    )
    writer.finish(manifest)
    return manifest


def _counted(total: int, progress: Progress | None, stop: threading.Event) -> Callable[[int], None]:
    """Return what is told of rows, and passes on how many those are in all; raises `Stopped` once `stop` is set."""
    done = 0

    def count(rows: int) -> None:
        nonlocal done
        if stop.is_set():
            raise Stopped
        done += rows
        if progress is not None:
            progress(done, total)

    return count


async def _in_thread(work: Callable[[threading.Event], ResultT]) -> ResultT:
    """Run `work` in a thread; a cancelled caller tells it to stop and waits until it has, so that nothing is left."""
    stop = threading.Event()
    running = asyncio.create_task(asyncio.to_thread(work, stop))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait({running})
        # asked for, so that nobody is told of it
        running.exception()
        raise


def _prepare(folder: Path) -> None:
    """Make the folder of snapshots, and remove from it what a killed process left of one."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput("backup.dir", f"{folder} cannot be made: {error.strerror or error}") from error
    for each in whole_files.leftovers(folder / "memory-bank-*.zip", seconds=LEFTOVER_SECONDS):
        with contextlib.suppress(OSError):
            each.unlink()


def _present(folder: Path, made: list[Backup]) -> list[Backup]:
    """Return the snapshots whose files lie in the folder, and are what was written then."""
    return [each for each in made if _id(folder / Path(each.file).name) == each.id]


def _id(file: Path) -> UUID | None:
    try:
        with backup_files.reading(file) as reader:
            return reader.manifest.id
    except InvalidInput:
        return None
