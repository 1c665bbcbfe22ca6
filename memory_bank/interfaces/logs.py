"""Logs: one line an event, to stderr, which no transport uses."""

import logging
import sys

from memory_bank.settings import Settings

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
# Libraries that tell of every attempt to reach a database that is away, or of every job that will be tried again:
# our own lines say the same once.
# The MCP SDK quotes messages that it cannot read, and with them the text of notes.
_TALKATIVE = ("psycopg.pool", "procrastinate", "mcp")
_UNFINISHED_STREAM = "ASGI callable returned without completing response"


class LineFormatter(logging.Formatter):
    """Writes a sentence, and behind it what `extra` holds as `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line; a traceback follows on lines of its own."""
        extra = "".join(f" {name}={value}" for name, value in vars(record).items() if name not in _STANDARD)
        sentence = f"{self.formatTime(record)} {record.levelname:<7} {record.name}: {record.getMessage()}{extra}"
        return f"{sentence}\n{self.formatException(record.exc_info)}" if record.exc_info else sentence


def configure(settings: Settings) -> None:
    """Log by the settings' level; libraries are heard from warnings on, and all of it from `debug` on."""
    level = settings.logging_level.number
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("memory_bank").setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL if level > logging.DEBUG else level)
    # an SSE stream that a stopping server cuts is no error
    logging.getLogger("uvicorn.error").addFilter(lambda record: _UNFINISHED_STREAM not in record.getMessage())
