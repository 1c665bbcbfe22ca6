"""The app of a command that measures: in a database of its own, or in banks of its own that are removed."""

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import click

from memory_bank import bootstrap, settings
from memory_bank.interfaces.cli.invocation import Invocation
from memory_bank.providers.synthetic_embedding import SyntheticEmbedder
from memory_bank.services.enrichment import EnrichmentService
from memory_bank.services.measurement import Unqueued
from memory_bank.settings import Settings

_PATIENCE = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Place:
    """An app where nothing stays; `embedder` is the app's own, and every bank named by `bank` is removed at the end."""

    app: bootstrap.App
    embedder: SyntheticEmbedder
    prefix: str
    banks: list[str]

    def bank(self) -> str:
        """Return the name of another new bank."""
        name = f"{self.prefix}-{len(self.banks)}"
        self.banks.append(name)
        return name


@asynccontextmanager
async def place(invocation: Invocation, *, parts: bootstrap.Parts | None = None) -> AsyncIterator[Place]:
    """Open a place to measure in; the user's notes are neither read nor changed.

    Without `postgres.url` it is a temporary folder with an embedded PostgreSQL. With it, banks of a random prefix in
    that database, whose notes no worker takes up.
    """
    async with contextlib.AsyncExitStack() as opened:
        opened.enter_context(_stopped_by_sigterm())
        loaded = invocation.settings()
        model = parts.embedder if parts is not None else None
        if model is None:
            # by the user's own data folder: the model is exported there already, or stays for later
            model = bootstrap.embedder_of(loaded)
            opened.push_async_callback(model.close)
        embedder = SyntheticEmbedder(model)
        shared = loaded.postgres.url is not None
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="memory-bank-", ignore_cleanup_errors=True))
        app = await opened.enter_async_context(
            bootstrap.open_app(
                _measurable(loaded, data_dir=loaded.data_dir if shared else Path(folder)),
                parts=bootstrap.Parts(
                    embedder=embedder,
                    analyst=None if parts is None else parts.analyst,
                    clock=None if parts is None else parts.clock,
                    enrichment=Unqueued if shared else EnrichmentService,
                ),
            )
        )
        # as a server serves, or its callers would not meet what is measured
        await opened.enter_async_context(bootstrap.settled(app))
        made = Place(app=app, embedder=embedder, prefix=f"measured-{uuid4().hex[:12]}", banks=[])
        try:
            yield made
        finally:
            if shared:
                for name in made.banks:
                    await app.measurement.remove(name)


def _measurable(loaded: Settings, *, data_dir: Path) -> Settings:
    """Return the settings to measure with.

    Without a language model: what is measured must hang on nobody's server, nor cost tokens. And with time to embed, on
    however slow a machine: no worker is there to do it later.
    """
    patient = loaded.enrichment.model_copy(update={"inline_timeout": _PATIENCE.total_seconds()})
    return loaded.model_copy(update={"data_dir": data_dir, "openai": settings.OpenAI(), "enrichment": patient})


@contextlib.contextmanager
def _stopped_by_sigterm() -> Iterator[None]:
    """Let a SIGTERM end the block as an interrupt does: with everything removed."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        yield
    except asyncio.CancelledError:
        raise click.Abort from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
