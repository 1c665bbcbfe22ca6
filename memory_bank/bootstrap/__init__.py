"""The composition root: the only place that reads settings and puts services together."""

from memory_bank.bootstrap.app import SEARCHING, UNGUARDED, App, LoadingEmbedder, Parts
from memory_bank.bootstrap.background import running_worker, settled, watch_model
from memory_bank.bootstrap.opening import guarded, open_app
from memory_bank.bootstrap.outside import embedder_of, has_language_model

__all__ = [
    "SEARCHING",
    "UNGUARDED",
    "App",
    "LoadingEmbedder",
    "Parts",
    "embedder_of",
    "guarded",
    "has_language_model",
    "open_app",
    "running_worker",
    "settled",
    "watch_model",
]
