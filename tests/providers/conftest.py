"""The real embedding model, for tests of the embedding room."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def graph(graph_dir: Path) -> Path:
    """The folder of the default model's graph; not to be changed."""
    return graph_dir
