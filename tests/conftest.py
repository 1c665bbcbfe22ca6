"""A real PostgreSQL for the whole run, and a fresh database, cloned from a migrated template, for every test."""

import contextlib
import os
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from memory_bank import settings
from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import model_files, onnx_export
from memory_bank.settings import Settings
from memory_bank.store import embedded, schema
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.processes import Commands

SHARED = Path(__file__).resolve().parents[2] / "shared"
TEMPLATE = "memory_bank_template"
EXPORT_SECONDS = 300


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A PostgreSQL server: the one named by MEMORY_BANK_TEST_DATABASE_URL, else an embedded one, else a container."""
    given = os.environ.get("MEMORY_BANK_TEST_DATABASE_URL")
    if given:
        yield given
        return
    if os.environ.get("MEMORY_BANK_TEST_CONTAINER"):
        yield from _container_url()
        return
    with tempfile.TemporaryDirectory(prefix="mb-test-", ignore_cleanup_errors=True) as folder:
        server = embedded.start(Path(folder))
        try:
            yield server.url
        finally:
            server.close()


def _container_url() -> Iterator[str]:
    from testcontainers.postgres import PostgresContainer  # noqa: PLC0415 - only where a Docker engine answers

    with PostgresContainer("pgvector/pgvector:pg18", driver=None) as container:
        yield container.get_connection_url()


@pytest.fixture(scope="session")
def template(server_url: str) -> str:
    """The name of a migrated database that nobody is connected to."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
        connection.execute(f"CREATE DATABASE {TEMPLATE}")
    schema.update(database_url(server_url, TEMPLATE))
    return TEMPLATE


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """The URL of a database without any table."""
    with temporary_database(server_url) as made:
        yield made


@pytest.fixture
def url(server_url: str, template: str) -> Iterator[str]:
    """The URL of a migrated, empty database."""
    with temporary_database(server_url, template=template) as made:
        yield made


@contextlib.contextmanager
def temporary_database(server_url: str, *, template: str | None = None) -> Iterator[str]:
    """Make a database, a clone of `template` if given, for as long as the block lasts; yields its URL."""
    name = f"test_{uuid4().hex}"
    create = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template is not None:
        create += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(create)
        yield database_url(server_url, name)
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def database_url(server_url: str, name: str) -> str:
    """Return the URL of another database of the same server."""
    return make_url(server_url).set(database=name).render_as_string(hide_password=False)


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
    given = os.environ.get("MEMORY_BANK_TEST_MODELS_DIR")
    folder = tmp_path_factory.getbasetemp()
    # every process of the run shares one export
    cache = Path(given) if given else (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "models"
    barrier = threading.Barrier(2)

    def run(model: str) -> Path:
        barrier.wait(timeout=30)
        return onnx_export.ensure_exported(model, cache, seconds=EXPORT_SECONDS)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, [model_files.DEFAULT_MODEL, f"sentence-transformers/{model_files.DEFAULT_MODEL}"]))


@pytest.fixture(scope="session")
def graph_dir(exports: list[Path]) -> Path:
    """The folder of the default model's exported graph; not to be changed."""
    return exports[0]


@pytest.fixture
def commands(url: str, graph_dir: Path, tmp_path: Path) -> Commands:
    """Commands on a migrated database of their own, with the real embedding model."""
    return Commands.on(url, graph_dir=graph_dir, folder=tmp_path)


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def analyst() -> FakeAnalyst:
    return FakeAnalyst()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def loaded(url: str, tmp_path: Path) -> Settings:
    """The settings of a test: its own database and data folder, a low floor for the fake embedder."""
    return settings.load(
        environ={},
        cwd=tmp_path,
        overrides={
            "postgres.url": url,
            "memory-bank.data-dir": str(tmp_path / "data"),
            "memory.similarity-threshold": "0.2",
        },
    )


@pytest.fixture
async def app(loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst, clock: FakeClock) -> AsyncIterator[App]:
    """Every service, with fakes for embedder, analyst and clock."""
    async with open_app(loaded, parts=Parts(embedder=embedder, analyst=analyst, clock=clock)) as opened:
        yield opened
