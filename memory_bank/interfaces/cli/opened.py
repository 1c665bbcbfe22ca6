"""The app of one command, open while the command runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from memory_bank import bootstrap
from memory_bank.interfaces.cli.invocation import Invocation, stoppable
from memory_bank.settings import Settings


@asynccontextmanager
async def app(invocation: Invocation, *, check_model: bool = True) -> AsyncIterator[bootstrap.App]:
    """Open the app by the settings that the command was started with."""
    async with by(invocation.settings(), check_model=check_model) as opened:
        yield opened


@asynccontextmanager
async def by(settings: Settings, *, check_model: bool = True) -> AsyncIterator[bootstrap.App]:
    """Open the app by settings that are loaded already; a signal to stop closes it again."""
    with stoppable():
        async with bootstrap.open_app(settings, check_model=check_model) as opened:
            yield opened
