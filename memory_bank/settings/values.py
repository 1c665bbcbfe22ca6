"""Values of settings: durations, log levels, host and origin lists, each read from the text a user writes."""

import ipaddress
import logging
import re
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

import pydantic
from pydantic import BeforeValidator

from memory_bank.domain import ranking, retrievability, tokens
from memory_bank.settings import postgres_url, properties

_UNITS = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)", re.ASCII)
_ISO_DURATION = pydantic.TypeAdapter(timedelta)
_HOST_NAME = r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?"
_HOST = re.compile(rf"({_HOST_NAME}|\[[0-9a-f:.]+\])(?::(\*|\d{{1,5}}))?")


class LogLevel(StrEnum):
    """How much is logged; `warn` and `fatal` are read as `warning` and `critical`."""

    TRACE = "trace"
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"
    OFF = "off"

    @property
    def number(self) -> int:
        """Return the level for the logging package: 5 for trace, above critical for off."""
        special = {LogLevel.TRACE: 5, LogLevel.OFF: logging.CRITICAL + 10}
        return special.get(self) or logging.getLevelNamesMapping()[self.name]


class LogFormat(StrEnum):
    """How a log line is written: as a sentence for people, or as a JSON object for programs."""

    TEXT = "text"
    JSON = "json"


class DdlAuto(StrEnum):
    """What happens to the schema at start: migrate it, only compare it, or leave it alone."""

    UPDATE = "update"
    VALIDATE = "validate"
    NONE = "none"


class Backend(StrEnum):
    """What computes embeddings; `auto` takes the fastest that is installed, `litellm` asks a provider."""

    AUTO = "auto"
    ONNX = "onnx"
    SENTENCE_TRANSFORMERS = "sentence-transformers"
    LITELLM = "litellm"


class Toolset(StrEnum):
    """A group of MCP tools that is offered as a whole."""

    NOTES = "notes"
    BELIEFS = "beliefs"
    BANKS = "banks"
    PROJECT = "project"


def seconds(text: str) -> float:
    """Read `30s`, `500ms`, `2m`, `1h`, `7d`, a bare number of seconds, or ISO 8601 such as `PT30S`, as seconds.

    Raises `ValueError` for anything else.
    """
    bare = text.strip().lower()
    if match := _DURATION.fullmatch(bare):
        number, unit = match.groups()
        if unit in _UNITS:
            return float(number) * _UNITS[unit]
    if bare.startswith("p"):
        try:
            return _ISO_DURATION.validate_python(bare.upper()).total_seconds()
        except pydantic.ValidationError:
            pass
    raise ValueError("not a duration such as 30s, 500ms, 2m, 1h or PT30S")


def bind_address(text: str) -> str:
    """Return the host name or IP address to listen on; brackets around IPv6 are dropped."""
    bare = text.strip().lower().removeprefix("[").removesuffix("]")
    if re.fullmatch(_HOST_NAME, bare) or _is_ip(bare):
        return bare
    raise ValueError("not a host name or an IP address; the port is a setting of its own")


def hosts(text: str) -> tuple[str, ...]:
    """Read a comma-separated list of hosts as clients name them: `name`, `name:port`, `name:*`, `[::1]:port`."""
    listed = _items(text)
    for item in listed:
        if not _is_host(item):
            raise ValueError(f"{item[:80]!r} is not a host such as memory.example.com, memory:8080 or [::1]:8080")
    return listed


def origins(text: str) -> tuple[str, ...]:
    """Read a comma-separated list of web origins: scheme and host, with a port or `:*` where one is needed."""
    listed = tuple(dict.fromkeys(item.removesuffix("/") for item in _items(text)))
    for item in listed:
        scheme, _, host = item.partition("://")
        if scheme not in ("http", "https") or not _is_host(host):
            raise ValueError(f"{item[:80]!r} is not an origin such as https://app.example.com or http://localhost:3000")
    return listed


def toolsets(text: str) -> tuple[Toolset, ...]:
    """Read a comma-separated list of toolsets; raise `ValueError` naming the one that is not known."""
    names = [str(known) for known in Toolset]
    for item in _items(text):
        if item not in names:
            near = properties.nearest(item, names)
            hint = f"; did you mean {near}?" if near else ""
            raise ValueError(f"{item[:80]!r} is not a toolset; known are {', '.join(names)}{hint}")
    return tuple(Toolset(item) for item in _items(text))


def ddl_auto(text: str) -> str:
    """Return the name of a schema mode; those that would drop stored memories are refused with the reason."""
    name = text.strip().lower()
    if name.startswith(("create", "drop")):
        raise ValueError(f"{name[:20]!r} would drop stored memories at a start; use update, validate or none")
    return name


def log_level(text: str) -> str:
    """Return the name of a log level in this product's spelling."""
    name = text.strip().lower()
    return {"warn": "warning", "fatal": "critical"}.get(name, name)


def database_url(text: str) -> str:
    """Return a PostgreSQL URL in libpq's spelling, without user name and password."""
    return postgres_url.parsed(text).url


def web_address(text: str) -> str:
    """Return an `http://` or `https://` URL; raise `ValueError` for others without repeating it."""
    try:
        parts = urlsplit(text.strip())
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound or re.search(r"\s", text.strip()):
        raise ValueError("a web address looks like https://api.example.com/v1 or http://localhost:11434/v1")
    return text.strip()


def lower(text: str) -> str:
    """Return the text as names of choices are written."""
    return text.strip().lower()


def _read_by(reader: Callable[[str], object]) -> BeforeValidator:
    # A StrEnum is a str already read; only plain text still needs reading.
    return BeforeValidator(lambda value: reader(value) if type(value) is str else value)


def _listed_by(reader: Callable[[str], object]) -> BeforeValidator:
    return BeforeValidator(lambda value: reader(value or "") if value is None or type(value) is str else value)


READS_SECONDS = _read_by(seconds)
Duration = Annotated[float, READS_SECONDS]
BindAddress = Annotated[str, _read_by(bind_address)]
Hosts = Annotated[tuple[str, ...], _listed_by(hosts)]
Origins = Annotated[tuple[str, ...], _listed_by(origins)]
Toolsets = Annotated[tuple[Toolset, ...], _listed_by(toolsets)]
WebAddress = Annotated[str, _read_by(web_address)]
PostgresUrl = Annotated[str, _read_by(database_url)]
LogLevelName = Annotated[LogLevel, _read_by(log_level)]
LogFormatName = Annotated[LogFormat, _read_by(lower)]
DdlAutoName = Annotated[DdlAuto, _read_by(ddl_auto)]
BackendName = Annotated[Backend, _read_by(lower)]
FusionName = Annotated[ranking.Fusion, _read_by(lower)]
AuthName = Annotated[tokens.Authentication, _read_by(lower)]
FilterName = Annotated[retrievability.FilterType, _read_by(lower)]


def _items(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.strip().lower() for item in text.split(",") if item.strip()))


def _is_host(text: str) -> bool:
    match = _HOST.fullmatch(text)
    if match is None or (text.startswith("[") and not _is_ip(match[1][1:-1])):
        return False
    return match[2] in (None, "*") or 0 < int(match[2]) <= 65_535


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
