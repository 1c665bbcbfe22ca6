"""The server's OpenAPI document, without a server."""

from pathlib import Path
from typing import Any

import pytest

from memory_bank import settings
from memory_bank.interfaces import server
from memory_bank.interfaces.metrics import Prometheus
from memory_bank.interfaces.opening import Opening


@pytest.fixture
def described(tmp_path: Path) -> dict[str, Any]:
    """The document of a server with default settings."""
    loaded = settings.load(environ={"HOME": str(tmp_path)}, cwd=tmp_path)
    metrics = Prometheus()
    return server.build(Opening(loaded, on_refused=lambda: None, metrics=metrics), metrics).openapi()
