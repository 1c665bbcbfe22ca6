"""Logs: one line an event, to stderr, which no transport uses; for people, or as JSON for programs."""

import logging
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, quote_plus

from pythonjsonlogger.json import JsonFormatter

from memory_bank.services import tracing
from memory_bank.settings import LogFormat, Settings

MASK = "***"
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
# Libraries that tell of every attempt to reach a database that is away, or of every job that will be tried again:
# our own lines say the same once.
# The MCP SDK quotes messages that it cannot read, and with them the text of notes.
_TALKATIVE = ("psycopg.pool", "procrastinate", "mcp")
_UNFINISHED_STREAM = "ASGI callable returned without completing response"
_SHORT_ID = 8
# a line must stay a line, and what a caller named must not paint a terminal
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_IN_ADDRESS = re.compile(r"(?<=://)([^/?#@\s:]*):[^/?#@\s]*(?=@)")
_IN_CONNINFO = re.compile(r"(?i)(\bpassword\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&'\"]+)")
# PostgreSQL quotes the row that breaks a rule, and with it the text of a note
_QUOTED_ROW = re.compile(r"^(\s*DETAIL:\s).*", re.MULTILINE)
# masked wherever it stands, such a password would blank out words of every second sentence
_PLAIN_WORD = re.compile(r"[a-zA-Z_-]*")


class Masks:
    """Takes out of log lines what nobody may read there: the secrets of the settings, and passwords in addresses."""

    def __init__(self, secrets: Iterable[str]) -> None:
        spellings = {
            spelling
            for secret in secrets
            if not _PLAIN_WORD.fullmatch(secret)
            for spelling in (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), repr(secret)[1:-1])
        }
        # the longest first, so that none leaves the rest of another
        self._secrets = sorted(spellings, key=len, reverse=True)

    def applied(self, text: str) -> str:
        """Return a text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return _IN_CONNINFO.sub(rf"\1{MASK}", _IN_ADDRESS.sub(rf"\1:{MASK}", text))


class LineFormatter(logging.Formatter):
    """Writes a sentence, behind it as `name=value` what `extra` and the request hold, and the begin of its id."""

    def __init__(self, masks: Masks) -> None:
        super().__init__()
        self._masks = masks

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line; a traceback follows on lines of its own."""
        told = {**_extra(record), **_traced()}
        id = told.pop("request_id", None)
        named = "".join(f" {name}={_CONTROLS.sub(_escaped, str(value))}" for name, value in told.items())
        short = "" if id is None else f" [{str(id)[:_SHORT_ID]}]"
        line = f"{self.formatTime(record)} {record.levelname:<7} {record.name}:{short} {record.getMessage()}{named}"
        if record.exc_info:
            line = f"{line}\n{_traceback(self, record)}"
        return self._masks.applied(line)


class ObjectFormatter(JsonFormatter):
    """Writes one JSON object: time, level, logger, message, what `extra` and the request hold, and `exception`."""

    def __init__(self, masks: Masks) -> None:
        super().__init__(json_ensure_ascii=False)
        self._masks = masks

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Fill the object."""
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data["level"] = record.levelname.lower()
        log_data["logger"] = record.name
        log_data["message"] = self._masks.applied(record.getMessage())
        for name, value in {**_extra(record), **_traced()}.items():
            log_data[name] = self._masks.applied(value) if type(value) is str else value
        if record.exc_info:
            log_data["exception"] = self._masks.applied(_traceback(self, record))


def configure(settings: Settings) -> None:
    """Log by the settings' level; libraries are heard from warnings on, and all of it from `debug` on."""
    level = settings.logging_level.number
    masks = Masks(_secrets(settings))
    handler = logging.StreamHandler(sys.stderr)
    as_objects = settings.logging_format is LogFormat.JSON
    handler.setFormatter(ObjectFormatter(masks) if as_objects else LineFormatter(masks))
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("memory_bank").setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL if level > logging.DEBUG else level)
    # an SSE stream that a stopping server cuts is no error
    logging.getLogger("uvicorn.error").addFilter(lambda record: _UNFINISHED_STREAM not in record.getMessage())
    # what libraries warn of would stand between the objects as bare text
    logging.captureWarnings(as_objects)


def are_objects() -> bool:
    """Tell whether stderr is read by a program, line by line."""
    return any(isinstance(each.formatter, ObjectFormatter) for each in logging.getLogger().handlers)


def _secrets(settings: Settings) -> list[str]:
    held = (settings.openai.api_key, settings.postgres.password)
    return [each.get_secret_value() for each in held if each is not None and each.get_secret_value()]


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


def _traced() -> Mapping[str, str]:
    """Return what is known of the request that the line belongs to."""
    trace = tracing.current()
    if trace is None:
        return {}
    named = {"request_id": trace.request_id, "bank": trace.bank, "tool": trace.tool, "route": trace.route}
    return {name: value for name, value in named.items() if value is not None}


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    assert record.exc_info is not None
    text = logging.Formatter.formatException(formatter, record.exc_info)
    return _QUOTED_ROW.sub(r"\1(left out: it may quote what is stored)", text)


def _escaped(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
