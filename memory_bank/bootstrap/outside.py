"""The parts that touch the world outside, as the settings name them: embedder, language model, secret detectors."""

import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import platformdirs

from memory_bank.bootstrap.app import LoadingEmbedder
from memory_bank.providers import embedding, heuristics, litellm_embedding, llm
from memory_bank.services.enrichment import Analyst
from memory_bank.services.metrics import Metrics, Unmeasured
from memory_bank.settings import Settings


def embedder_of(settings: Settings, *, metrics: Metrics | None = None) -> LoadingEmbedder:
    """Return the embedder that the settings name; it loads once it is started."""
    key = settings.openai.api_key
    return embedding.open_embedder(
        backend=settings.embedding.backend.value,
        model=settings.embedding.model,
        dimensions=settings.embedding.dimensions,
        cache_dir=settings.data_dir / "models",
        graph_dir=settings.embedding.graph_dir,
        wait_seconds=settings.embedding.wait,
        threads=settings.embedding.threads or None,
        observer=metrics or Unmeasured(),
        server=litellm_embedding.Server(
            api_key=None if key is None else key.get_secret_value(),
            base_url=settings.openai.base_url,
            timeout=settings.openai.timeout,
        ),
    )


def has_language_model(settings: Settings) -> bool:
    """Tell whether a language model is configured: by a key, an address, or a provider that may need neither."""
    provider, named, _ = settings.openai.model_name.partition("/")
    keyless = bool(named) and provider != "openai"
    return settings.openai.api_key is not None or settings.openai.base_url is not None or keyless


@asynccontextmanager
async def open_analyst(settings: Settings) -> AsyncIterator[Analyst]:
    if not has_language_model(settings):
        yield heuristics.HeuristicAnalyst()
        return
    key = settings.openai.api_key
    model = llm.LanguageModelAnalyst(
        model=settings.openai.model_name,
        api_key=None if key is None else key.get_secret_value(),
        base_url=settings.openai.base_url,
        temperature=settings.openai.temperature,
        max_tokens=settings.openai.max_tokens,
        timeout=settings.openai.timeout,
    )
    async with contextlib.aclosing(model):
        yield model


def detectors_dir(settings: Settings) -> Path:
    """Return where compiled detectors are kept: one for all data folders, where the user's cache can be written."""
    shared = platformdirs.user_cache_path("memory-bank", appauthor=False) / "secrets"
    try:
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return settings.data_dir / "secrets"
    return shared if os.access(shared, os.W_OK) else settings.data_dir / "secrets"
