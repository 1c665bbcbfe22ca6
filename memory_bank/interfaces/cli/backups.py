"""`memory-bank backup` and `restore`: archives of the whole store."""

from datetime import datetime
from pathlib import Path
from uuid import UUID

import click

from memory_bank.domain.backups import Backup, Manifest
from memory_bank.interfaces.answers import Answer
from memory_bank.interfaces.cli import opened, progress
from memory_bank.interfaces.cli.invocation import Invocation, json_option, show, waited


class BackupAnswer(Answer):
    """A backup: where it was written, when, how large in bytes, and how much it holds."""

    id: UUID
    file: str
    created_at: datetime
    automatic: bool
    size: int
    banks: int
    notes: int
    schema_revision: str


class BackupsAnswer(Answer):
    """The backups that the store remembers, the newest first; their files may be gone."""

    backups: list[BackupAnswer]


class RestoreAnswer(Answer):
    """What an archive holds, the rows of each table, and whether it was restored; `embedded` notes got new vectors."""

    file: str
    id: UUID
    created_at: datetime
    product_version: str
    schema_revision: str
    embedding_model: str | None
    rows: dict[str, int]
    restored: bool
    embedded: int | None = None


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option("--list", "listing", is_flag=True, help="List the backups and snapshots of this store instead.")
@json_option
@click.pass_obj
def backup(invocation: Invocation, file: Path | None, overwrite: bool, listing: bool, as_json: bool) -> None:
    """Write everything in the store, of all banks, into FILE: one zip archive, as of one moment, verified.

    Notes, links, vectors, beliefs, exchanges, tasks, working memory and tokens (of which only hashes are kept) come
    along; the job queue does not: notes that wait for enrichment are queued again after a restore. Servers may go on
    meanwhile. FILE appears whole or not at all, readable for you alone.
    """
    if listing == (file is not None):
        raise click.UsageError("give the FILE to write, or --list")
    if file is None:
        _list(invocation, as_json=as_json)
        return
    target = file

    async def work() -> BackupAnswer:
        async with opened.app(invocation, check_model=False) as app:
            with progress.bar("Backing up") as told:
                return _written(await app.backups.backup(target, overwrite=overwrite, progress=told))

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: _told(answer))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Put the archive in the place of everything that the store holds.")
@click.option("--reindex", is_flag=True, help="Embed every note anew if the archive is of another embedding model.")
@click.option("--dry-run", is_flag=True, help="Only read all of FILE, verify it and tell what it holds.")
@json_option
@click.pass_obj
def restore(invocation: Invocation, file: Path, replace: bool, reindex: bool, dry_run: bool, as_json: bool) -> None:
    """Make the store hold what FILE, written by `backup` or as a snapshot, does: all of it, or nothing changes.

    A store that holds anything is left alone without --replace. Archives of older versions are migrated. Tokens of the
    store stay beside those of the archive, and what was revoked in either stays revoked. Servers may go on meanwhile;
    their callers wait for a moment.
    """

    async def work() -> RestoreAnswer:
        async with opened.app(invocation, check_model=False) as app:
            if dry_run:
                with progress.bar("Reading") as told:
                    return _restored(file, await app.backups.inspect(file, progress=told), done=False)
            with progress.bar("Restoring") as told:
                restored = await app.backups.restore(file, replace=replace, reindex=reindex, progress=told)
            await app.maintenance.tokenise()
            embedded = None
            if restored.needs_reindex:
                with progress.bar("Embedding") as told:
                    embedded = await app.maintenance.reindex(told)
            return _restored(file, restored.manifest, done=True, embedded=embedded)

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: _summed_up(answer))


def _list(invocation: Invocation, *, as_json: bool) -> None:
    async def work() -> BackupsAnswer:
        async with opened.app(invocation, check_model=False) as app:
            return BackupsAnswer(backups=[_written(each) for each in await app.backups.list()])

    answer = waited(work())
    show(answer, as_json=as_json, readable=lambda: "\n".join(map(_line, answer.backups)) or "no backups")


def _written(backup: Backup) -> BackupAnswer:
    return BackupAnswer.model_validate(backup, from_attributes=True)


def _restored(file: Path, manifest: Manifest, *, done: bool, embedded: int | None = None) -> RestoreAnswer:
    return RestoreAnswer(
        file=str(file),
        id=manifest.id,
        created_at=manifest.created_at,
        product_version=manifest.product_version,
        schema_revision=manifest.schema_revision,
        embedding_model=None if manifest.model is None else manifest.model.name,
        rows={part.table: part.rows for part in manifest.parts},
        restored=done,
        embedded=embedded,
    )


def _told(answer: BackupAnswer) -> str:
    return (
        f"{answer.file}: {answer.notes} notes in {answer.banks} banks, {answer.size} bytes, verified; "
        "`memory-bank restore FILE` brings it back"
    )


def _line(answer: BackupAnswer) -> str:
    kind = "snapshot" if answer.automatic else "backup"
    gone = "" if Path(answer.file).exists() else "  (no longer there)"
    return (
        f"{answer.created_at:%Y-%m-%d %H:%M:%S}  {kind:8}  {answer.notes} notes in {answer.banks} banks, "
        f"{answer.size} bytes  {answer.file}{gone}"
    )


def _summed_up(answer: RestoreAnswer) -> str:
    held = f"{answer.rows.get('notes', 0)} notes in {answer.rows.get('banks', 0)} banks"
    made = f"made {answer.created_at:%Y-%m-%d %H:%M:%S} UTC by Memory Bank {answer.product_version}"
    if not answer.restored:
        return f"{answer.file} is whole: {held}, {made}. Nothing was changed."
    embedded = "" if answer.embedded is None else f"; {answer.embedded} notes embedded anew"
    return f"Restored {held}, {made}{embedded}."


COMMANDS = {"backup": backup, "restore": restore}
