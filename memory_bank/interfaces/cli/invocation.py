"""What every command shares: the settings it was started with, the app, and how answers are printed."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import pydantic

from memory_bank import settings
from memory_bank.domain import banks
from memory_bank.interfaces import logs
from memory_bank.services import redaction
from memory_bank.settings import Settings

logger = logging.getLogger(__name__)

CommandT = TypeVar("CommandT", bound=Callable[..., Any])
ResultT = TypeVar("ResultT")


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """The surroundings of one command; settings are read when a command needs them."""

    config: Path | None
    overrides: Mapping[str, str]
    environ: Mapping[str, str]
    cwd: Path

    def settings(self, **overrides: str | None) -> Settings:
        """Read the settings, with a command's own options on top, and configure logging by them.

        Option names are keys with `__` for each dot. Raises `ConfigurationError`.
        """
        own = {name.replace("__", "."): value for name, value in overrides.items() if value is not None}
        loaded = settings.load(
            config=self.config, environ=self.environ, cwd=self.cwd, overrides={**self.overrides, **own}
        )
        logs.configure(loaded)
        for warning in loaded.warnings:
            logger.warning("%s", warning)
        return loaded


def bank_option(command: CommandT) -> CommandT:
    """Give a command the option `--bank`."""
    return click.option("--bank", default=banks.DEFAULT, show_default=True, help="The bank to work in.")(command)


def json_option(command: CommandT) -> CommandT:
    """Give a command the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")(command)


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Let a signal that asks the process to stop end the block early, so that what was opened is closed."""
    running = asyncio.current_task()
    assert running is not None
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, running.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def waited(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run a command's coroutine to its end; say on stderr which secrets were taken out of what it was given."""
    with redaction.noticing() as kinds:
        try:
            return asyncio.run(work)
        except asyncio.CancelledError:
            raise click.exceptions.Abort from None
        finally:
            if kinds:
                tell(redaction.notice(kinds))


def tell(sentence: str, *, level: int = logging.WARNING) -> None:
    """Say something on stderr: to a person, or as a line of the log where programs read that."""
    if logs.are_objects():
        logger.log(level, "%s", sentence)
    else:
        click.echo(sentence, err=True)


def show(answer: pydantic.BaseModel, *, as_json: bool, readable: Callable[[], str]) -> None:
    """Print an answer: as JSON for programs, else as text for people."""
    click.echo(answer.model_dump_json(indent=2, exclude_none=True) if as_json else readable())
