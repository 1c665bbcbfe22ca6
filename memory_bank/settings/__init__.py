"""Settings: one frozen value made from command line > environment > `application.properties` > defaults."""

from memory_bank.settings.loading import Row, describe, load
from memory_bank.settings.table import (
    Decay,
    Embedding,
    Enrichment,
    Mcp,
    Memory,
    OpenAI,
    Postgres,
    Redaction,
    RetrievabilityFilter,
    Search,
    Server,
    Settings,
    Worker,
)
from memory_bank.settings.values import Backend, DdlAuto, LogFormat, LogLevel, Toolset

__all__ = [
    "Backend",
    "DdlAuto",
    "Decay",
    "Embedding",
    "Enrichment",
    "LogFormat",
    "LogLevel",
    "Mcp",
    "Memory",
    "OpenAI",
    "Postgres",
    "Redaction",
    "RetrievabilityFilter",
    "Row",
    "Search",
    "Server",
    "Settings",
    "Toolset",
    "Worker",
    "describe",
    "load",
]
