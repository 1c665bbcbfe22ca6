"""Opening: the database, its schema and every service on it, each closed again in the reverse order."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import fields, replace

from memory_bank.bootstrap import assembly, background, outside
from memory_bank.bootstrap.app import NOTHING_REPLACED, SEARCHING, UNGUARDED, App, Parts
from memory_bank.errors import MemoryBankError
from memory_bank.providers import secrets, tokens
from memory_bank.services import redaction
from memory_bank.services.clock import SystemClock
from memory_bank.settings import DdlAuto, Settings
from memory_bank.store import embedded, schema
from memory_bank.store.database import Database


@asynccontextmanager
async def open_app(
    settings: Settings, *, parts: Parts = NOTHING_REPLACED, check_model: bool = True
) -> AsyncIterator[App]:
    """Open the database, migrated, and every service on it; close on leaving what was opened.

    `check_model=False` is for the command that makes vectors of another model. Raises `ConfigurationError`, and
    `StoreUnavailable` when the database does not answer.
    """
    async with contextlib.AsyncExitStack() as opened:
        embedder = parts.embedder
        if embedder is None:
            embedder = outside.embedder_of(settings, metrics=parts.metrics)
            opened.push_async_callback(embedder.close)
        # loads beside everything below
        embedder.start()
        redactor = secrets.SecretRedactor(outside.detectors_dir(settings)) if settings.redaction.enabled else None
        if redactor is not None:
            redactor.start()
        url = await opened.enter_async_context(_database_url(settings))
        await asyncio.to_thread(_bring_schema_up, settings, url)
        database = Database(
            url, pool_size=settings.postgres.pool_size, prepared_statements=settings.postgres.prepared_statements
        )
        opened.push_async_callback(database.close)
        analyst = parts.analyst
        if analyst is None:
            analyst = await opened.enter_async_context(outside.open_analyst(settings))
        app = assembly.services(
            settings,
            assembly.Foundations(
                database=database,
                url=url,
                embedder=embedder,
                analyst=analyst,
                clock=parts.clock or SystemClock(),
                tokeniser=tokens.UnicodeTokeniser(),
            ),
            parts=parts,
        )
        if check_model:
            await app.maintenance.take_model()
        if settings.postgres.url is None:
            await opened.enter_async_context(background.in_background(background.keep_database_running(app)))
        async with app.jobs:
            yield app if redactor is None else guarded(app, redactor)


def guarded(app: App, redactor: redaction.Redactor) -> App:
    """Return the app with secrets redacted in all that its services are given and answer; queries are left alone."""
    behind = replace(
        app,
        **{
            field.name: redaction.guarded(getattr(app, field.name), redactor, asked=field.name != SEARCHING)
            for field in fields(app)
            if field.name not in UNGUARDED
        },
    )
    return replace(behind, measurement=app.measurement.over(behind.notes, behind.recall))


@asynccontextmanager
async def _database_url(settings: Settings) -> AsyncIterator[str]:
    if settings.postgres.url is not None:
        yield settings.postgres.conninfo()
        return
    starting = asyncio.create_task(asyncio.to_thread(embedded.start, settings.data_dir))
    try:
        server = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # a thread cannot be cancelled: whoever stops now must still give back the server it brings
        with contextlib.suppress(MemoryBankError):
            await asyncio.to_thread((await starting).close)
        raise
    try:
        yield server.url
    finally:
        await asyncio.to_thread(server.close)


def _bring_schema_up(settings: Settings, url: str) -> None:
    match settings.postgres.ddl_auto:
        case DdlAuto.UPDATE:
            schema.update(url)
        case DdlAuto.VALIDATE:
            schema.validate(url)
        case DdlAuto.NONE:
            pass
