"""The real embedding model, exported once for the whole run."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import model_files, onnx_export


@pytest.fixture(scope="session")
def weights() -> model_files.ModelFiles:
    """The files of the default model."""
    try:
        return model_files.resolve(model_files.DEFAULT_MODEL)
    except ProviderUnavailable as error:
        pytest.skip(f"the weights of the embedding model are not to be had here: {error}")


@pytest.fixture(scope="session")
def exports(weights: model_files.ModelFiles, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What two processes answered that exported the default model into one cache at the same moment."""
    cache = tmp_path_factory.mktemp("models")
    barrier = threading.Barrier(2)

    def run(model: str) -> Path:
        barrier.wait(timeout=30)
        return onnx_export.ensure_exported(model, cache, seconds=300)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, [model_files.DEFAULT_MODEL, f"sentence-transformers/{model_files.DEFAULT_MODEL}"]))


@pytest.fixture(scope="session")
def graph(exports: list[Path]) -> Path:
    """The folder of the default model's graph; not to be changed."""
    return exports[0]
