"""Examination: every check that `doctor` makes, on what the settings name, without making or migrating a store."""

import asyncio
import http.client
import json
import logging
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

from memory_bank.bootstrap import outside
from memory_bank.bootstrap.app import NOTHING_REPLACED, LoadingEmbedder, Parts
from memory_bank.errors import MemoryBankError
from memory_bank.providers import llm, model_files, model_inspection, tokens
from memory_bank.services import diagnosis, together
from memory_bank.services.clock import SystemClock
from memory_bank.services.diagnosis import Check, DiagnosisService, Expected
from memory_bank.settings import Backend, DdlAuto, Settings
from memory_bank.store import embedded
from memory_bank.store.database import Database

logger = logging.getLogger(__name__)

MODEL_SECONDS = 120.0
STORE_SECONDS = 60.0
ANSWER_SECONDS = 20.0
PORT_SECONDS = 3.0
LEAST_FREE_BYTES, LEAST_FREE_SHARE = 1024**3, 0.10
OTHERS = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
"""The rights that nobody but the owner should have; PostgreSQL's account may have to pass through, and no more."""


async def examined(settings: Settings, *, online: bool, parts: Parts = NOTHING_REPLACED) -> list[Check]:
    """Return every check, in the order in which one rests on another. Nothing is asked of the network unless `online`.

    A store that is there is opened as it is; one that is not is not made. Never raises for what it finds.
    """
    first = [
        _settings(settings),
        await _safely("data folder", lambda: asyncio.to_thread(_folder, settings)),
        await _safely("disk space", lambda: asyncio.to_thread(_disk, settings)),
        await _safely("backup folder", lambda: asyncio.to_thread(_backup_folder, settings)),
    ]
    groups = await together.done(
        _store(settings, parts), _embedding(settings, online=online, parts=parts), _language_model(settings, online)
    )
    last = await _safely("server", lambda: asyncio.to_thread(_server, settings))
    return [*first, *(check for group in groups for check in group), last]


def unreadable(problem: str) -> list[Check]:
    """Return the one check that is made where the settings cannot be read."""
    return [diagnosis.failed("settings", problem, "correct them; `memory-bank settings` shows what is in force")]


async def _safely(name: str, make: Callable[[], Awaitable[Check]]) -> Check:
    (check,) = await _all_safely(name, make)
    return check


async def _all_safely(name: str, make: Callable[[], Awaitable[Check | list[Check]]]) -> list[Check]:
    """Make checks; whatever keeps them from being made is itself what was found."""
    try:
        found = await make()
    except MemoryBankError as error:
        return [_refused(name, str(error))]
    except TimeoutError:
        return [diagnosis.failed(name, "did not end in time", "see the log at logging.level.root=debug")]
    except Exception as error:
        logger.debug("A check failed unexpectedly.", exc_info=error, extra={"check": name})
        problem = f"failed unexpectedly ({type(error).__name__})"
        return [diagnosis.failed(name, problem, "see the log at logging.level.root=debug")]
    return found if isinstance(found, list) else [found]


def _refused(name: str, message: str) -> Check:
    """Return a failed check from an error of ours, whose sentence ends with what to do."""
    problem, _, remedy = message.rpartition("; ")
    cause, _, advice = message.rpartition(": ")
    if problem:
        return diagnosis.failed(name, problem, remedy)
    return diagnosis.failed(name, cause or message, advice if cause else "see the log at logging.level.root=debug")


def _settings(settings: Settings) -> Check:
    source = "defaults and environment only" if settings.source is None else f"read {settings.source}"
    if settings.warnings:
        return diagnosis.warning("settings", "; ".join(settings.warnings), "correct what has no effect, or remove it")
    return diagnosis.ok("settings", source)


def _folder(settings: Settings) -> Check:
    name, folder = "data folder", settings.data_dir
    if not folder.exists():
        return diagnosis.ok(name, f"{folder} is not there yet; the first start makes it")
    if not folder.is_dir():
        remedy = "move it away, or set memory-bank.data-dir (MEMORY_BANK_DATA_DIR)"
        return diagnosis.failed(name, f"{folder} is no folder", remedy)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        remedy = "give this user the folder, or set memory-bank.data-dir (MEMORY_BANK_DATA_DIR)"
        return diagnosis.failed(name, f"{folder} cannot be written to: {error.strerror}", remedy)
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OTHERS:
        return diagnosis.warning(name, f"others may read or change {folder} (mode {mode:04o})", f"chmod 700 {folder}")
    return diagnosis.ok(name, f"{folder}, mode {mode:04o}")


def _disk(settings: Settings) -> Check:
    existing = next(each for each in (settings.data_dir, *settings.data_dir.parents) if each.exists())
    usage = shutil.disk_usage(existing)
    share = usage.free / usage.total if usage.total else 0.0
    detail = f"{usage.free / 1024**3:.1f} GiB free of {usage.total / 1024**3:.1f} ({share:.0%})"
    if usage.free < LEAST_FREE_BYTES or share < LEAST_FREE_SHARE:
        return diagnosis.warning("disk space", f"{detail} where {existing} lies", "free some, or move the data folder")
    return diagnosis.ok("disk space", detail)


def _backup_folder(settings: Settings) -> Check:
    name, schedule = "backup folder", settings.snapshots()
    if schedule is None:
        return diagnosis.ok(name, "none is needed: no snapshots are asked for; backup.dir (BACKUP_DIR) asks for them")
    folder = schedule.folder
    existing = next(each for each in (folder, *folder.parents) if os.path.lexists(each))
    try:
        # whoever may not write here cannot make the folder either; modes alone tell neither of root nor of /proc
        with tempfile.TemporaryDirectory(prefix=".memory-bank-", dir=existing):
            pass
    except OSError as error:
        problem = f"no snapshot can be written to {folder}: {error.strerror or error} ({existing})"
        remedy = "set backup.dir (BACKUP_DIR) to a folder that this user may write to"
        below_data = settings.backup.dir is None
        return diagnosis.failed(name, problem, f"mend the data folder, or {remedy}" if below_data else remedy)
    yet = "" if folder.exists() else " is not there yet; the first snapshot makes it"
    return diagnosis.ok(name, f"{folder}{yet}")


async def _store(settings: Settings, parts: Parts) -> list[Check]:
    async def look() -> list[Check]:
        if settings.postgres.url is None and not await asyncio.to_thread(embedded.is_made, settings.data_dir):
            return diagnosis.unmade("the embedded PostgreSQL is not made yet; the first start makes it")
        async with asyncio.timeout(STORE_SECONDS), _opened(settings) as service:
            return await service.checks(_expected(settings, parts))

    found = await _all_safely("database", look)
    # an error before the service could be asked says nothing about all that the database holds
    return diagnosis.unanswered(f"{found[0].detail}; {found[0].remedy}") if len(found) == 1 else found


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[DiagnosisService]:
    """Open the store as it is; an embedded server that did not run is stopped again at the end."""
    async with AsyncExitStack() as opened:
        if settings.postgres.url is None:
            server = await asyncio.to_thread(embedded.start, settings.data_dir)
            opened.push_async_callback(asyncio.to_thread, server.close)
            url = server.url
        else:
            url = settings.postgres.conninfo()
        database = Database(url, pool_size=1, prepared_statements=settings.postgres.prepared_statements)
        opened.push_async_callback(database.close)
        yield DiagnosisService(database=database, url=url, tokeniser=tokens.UnicodeTokeniser())


def _expected(settings: Settings, parts: Parts) -> Expected:
    model = parts.embedder or outside.embedder_of(settings)
    return Expected(
        model=model.name,
        dimensions=model.dimensions,
        migrates=settings.postgres.ddl_auto is DdlAuto.UPDATE,
        refuses=settings.postgres.ddl_auto is DdlAuto.VALIDATE,
        host=settings.server.host,
        local=settings.server.is_local,
        insecure=settings.server.insecure,
        authentication=settings.server.auth,
        schedule=settings.snapshots(),
        now=(parts.clock or SystemClock()).now(),
    )


async def _embedding(settings: Settings, *, online: bool, parts: Parts) -> list[Check]:
    files, model = "embedding model files", "embedding model"
    if settings.embedding.backend is Backend.LITELLM:
        found = [diagnosis.skipped(files, "a provider has them")]
        if not online:
            return [*found, diagnosis.skipped(model, "a provider runs it", "--online asks it")]
        return [*found, await _safely(model, lambda: _loaded(settings, parts))]
    checks = await _all_safely(files, lambda: asyncio.to_thread(_files, settings, online))
    if checks[0].result is diagnosis.Result.FAILED:
        return [*checks, diagnosis.skipped(model, "not loaded, because of its files")]
    if len(checks) > 1:
        return checks
    return [*checks, await _safely(model, lambda: _loaded(settings, parts))]


def _files(settings: Settings, online: bool) -> list[Check]:
    """Look for the model's files; where they would have to be fetched to load it, say that it is not loaded."""
    name, chosen = "embedding model files", settings.embedding
    graph_dir = None if chosen.backend is Backend.SENTENCE_TRANSFORMERS else chosen.graph_dir
    found = model_inspection.files(
        chosen.model,
        cache_dir=settings.data_dir / "models",
        graph_dir=graph_dir,
        graphs=chosen.backend is not Backend.SENTENCE_TRANSFORMERS,
    )
    unused = None if graph_dir is None else model_inspection.passed_over(graph_dir, model=chosen.model)
    passed_over = "" if unused is None else f"; passed over: {unused}"
    correct = "correct embedding.graph-dir (EMBEDDING_GRAPH_DIR), or leave it out"
    if found is None:
        fetched = f"{model_files.name_of(chosen.model)} is not on this machine; the first start fetches it{passed_over}"
        connect = "connect to the network once, or set embedding.model to a folder"
        here = diagnosis.warning(name, fetched, f"{connect}; {correct}" if passed_over else connect)
        unloaded = "not loaded, because its files would be fetched"
        return [here] if online else [here, diagnosis.skipped("embedding model", unloaded, "--online does")]
    if passed_over:
        return [diagnosis.warning(name, found.told + passed_over, correct)]
    return [diagnosis.ok(name, found.told)]


async def _loaded(settings: Settings, parts: Parts) -> Check:
    """Load the model, and let it embed a sentence."""
    async with _embedder(settings, parts) as embedder, asyncio.timeout(MODEL_SECONDS):
        vector = await embedder.embed_query("Does the model answer?")
    if len(vector) != settings.embedding.dimensions:
        return diagnosis.failed(
            "embedding model",
            f"{embedder.name} answers with {len(vector)} dimensions, {settings.embedding.dimensions} are expected",
            "set embedding.dimensions (EMBEDDING_DIMENSIONS) to the model's",
        )
    return diagnosis.ok("embedding model", f"{embedder.name} answers with {len(vector)} dimensions")


@asynccontextmanager
async def _embedder(settings: Settings, parts: Parts) -> AsyncIterator[LoadingEmbedder]:
    if parts.embedder is not None:
        yield parts.embedder
        return
    with tempfile.TemporaryDirectory(prefix="memory-bank-", ignore_cleanup_errors=True) as folder:
        # a graph that a start would export into a data folder that is not there yet is exported aside
        there = settings.data_dir.is_dir()
        embedder = outside.embedder_of(settings if there else settings.model_copy(update={"data_dir": Path(folder)}))
        try:
            yield embedder
        finally:
            await embedder.close()


async def _language_model(settings: Settings, online: bool) -> list[Check]:
    name, asked = "language model", "language model answers"
    if not outside.has_language_model(settings):
        detail = "none set: the deterministic analyser works; openai.api-key (OPENAI_API_KEY) brings a better one"
        return [diagnosis.ok(name, detail), diagnosis.skipped(asked, "none is set")]
    configured = diagnosis.ok(name, f"{settings.openai.model_name} analyses and links notes")
    if not online:
        return [configured, diagnosis.skipped(asked, "not asked", "--online asks it for one word")]

    async def ask() -> Check:
        async with outside.open_analyst(settings) as analyst, asyncio.timeout(ANSWER_SECONDS):
            assert isinstance(analyst, llm.LanguageModelAnalyst)
            await analyst.probe()
        return diagnosis.ok(asked, f"{settings.openai.model_name} answers")

    return [configured, await _safely(asked, ask)]


def _server(settings: Settings) -> Check:
    """Look who answers where `serve` would listen."""
    name, host, port = "server", settings.server.host, settings.server.port
    if port == 0:
        return diagnosis.ok(name, "serve takes any free port")
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    try:
        with closing(http.client.HTTPConnection(reached, port, timeout=PORT_SECONDS)) as connection:
            connection.request("GET", "/health")
            answer = json.loads(connection.getresponse().read(10_000))
        lives = isinstance(answer, dict) and answer.get("status") == "ok"
    except ConnectionRefusedError:
        return diagnosis.ok(name, f"none runs; port {port} of {host} is free")
    except (OSError, ValueError, http.client.HTTPException):
        lives = False
    if lives:
        return diagnosis.ok(name, f"one answers on {host} port {port}")
    return diagnosis.warning(
        name, f"something else holds port {port} of {host}, or does not answer", "set server.port (PORT)"
    )
