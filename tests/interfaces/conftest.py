"""The live server of interface tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory_bank.bootstrap import Parts
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.interfaces import doors, live
from tests.interfaces.doors import OpenDoor


@pytest.fixture
async def server(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock
) -> AsyncIterator[str]:
    """The URL of a live server with fakes for embedder, analyst and clock."""
    async with live.serving(loaded, Parts(embedder=embedder, analyst=analyst, clock=clock)) as url:
        yield url


@pytest.fixture
def open_door(server: str, url: str, graph_dir: Path, tmp_path: Path) -> OpenDoor:
    """Opens any door to one store: three to a live server with fakes, and a `stdio` process with the real model."""
    environment = {
        "POSTGRES_URL": url,
        "EMBEDDING_GRAPH_DIR": str(graph_dir),
        "MEMORY_BANK_DATA_DIR": str(tmp_path / "data"),
        "WORKER_ENABLED": "false",
    }
    return lambda door: doors.opened(door, server, environment=environment, folder=tmp_path)
