"""The live server of interface tests."""

from collections.abc import AsyncIterator

import pytest

from memory_bank.bootstrap import Parts
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces import live


@pytest.fixture
async def server(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> AsyncIterator[str]:
    """The URL of a live server with fakes for embedder, analyst and clock."""
    async with live.serving(loaded, Parts(embedder=embedder, analyst=analyst, clock=clock)) as url:
        yield url
