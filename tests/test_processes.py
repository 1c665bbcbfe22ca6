"""Whole processes that are stopped, killed, started again and share one store: nothing that was answered is lost."""

import asyncio
import contextlib
import json
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain import recall
from memory_bank.domain.notes import Draft
from memory_bank.errors import ConfigurationError, Conflict
from memory_bank.settings import Settings
from memory_bank.store import embedded
from tests.fakes import FakeEmbedder
from tests.processes import NOWHERE, PATIENCE, Commands, Served, killed_half_way, postmaster, waited

STOP_SECONDS = 10.0
RESCUE_SECONDS = 90.0

_REINDEX = """
import asyncio, sys
from pathlib import Path
from memory_bank import settings
from memory_bank.bootstrap import Parts, open_app
from tests.fakes import FakeEmbedder

folder, url, name, dimensions, stop = sys.argv[1:]


def progress(done, total):
    if done >= int(stop):
        print("half way", flush=True)
        sys.stdin.read()


async def main():
    loaded = settings.load(
        environ={}, cwd=Path(folder), overrides={"postgres.url": url, "memory-bank.data-dir": folder}
    )
    embedder = FakeEmbedder(name=name, dimensions=int(dimensions))
    async with open_app(loaded, parts=Parts(embedder=embedder), check_model=False) as app:
        await app.maintenance.reindex(progress)


asyncio.run(main())
"""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data directory for the embedded server; not below tmp_path, which its account could not pass through."""
    with tempfile.TemporaryDirectory(prefix="mb-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def local(data_dir: Path, graph_dir: Path, tmp_path: Path) -> Commands:
    """Commands that share the embedded server of one data directory, as they do out of the box."""
    return Commands(
        folder=tmp_path, environment={"EMBEDDING_GRAPH_DIR": str(graph_dir), "MEMORY_BANK_DATA_DIR": str(data_dir)}
    )


def enriched(served: Served) -> bool:
    state = httpx.get(f"{served.url}/ready", timeout=PATIENCE).json()
    return bool(state["ready"] and state["pending"] == 0)


def at_work(url: str) -> bool:
    """Tell whether a worker has a job in hand, and others wait."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT status FROM procrastinate_jobs WHERE scheduled_at IS NULL").fetchall()
    return {"doing", "todo"} <= {status for (status,) in rows}


def batch(served: Served, contents: list[str]) -> None:
    answer = served.post("/notes/batch", {"notes": [{"content": each} for each in contents]})
    assert answer["added"] == len(contents)


# The address: what `serve` says, and what it refuses.


def test_serve_announces_where_it_listens_and_what_to_paste_and_stops_with_an_open_sse_client(
    commands: Commands,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with commands.serving(PORT=str(port), HOST="127.0.0.1") as served:
        assert served.url == f"http://127.0.0.1:{port}"
        assert served.status("/health") == 200
        said = []
        while "Ctrl-C" not in (line := served.process.line().decode()):
            said.append(line)
        pasted = [json.loads(line)["mcpServers"]["memory-bank"] for line in said if line.startswith("{")]
        sse, stdio = pasted
        assert sse == {"type": "sse", "url": f"{served.url}/sse"}
        assert (stdio["command"], stdio["args"]) == (sys.executable, ["-m", "memory_bank", "stdio"])
        assert Path(stdio["env"]["MEMORY_BANK_DATA_DIR"]).is_absolute()
        with httpx.stream("GET", f"{served.url}/sse", timeout=PATIENCE) as stream:
            assert "endpoint" in next(stream.iter_lines())
            served.process.terminate()
            done = served.process.ended(seconds=STOP_SECONDS)
        assert done.code == 0, done.stderr
        assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_ends_serve_with_2_and_names_port_and_setting(commands: Commands) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = commands.run("serve", PORT=port)
    assert refused.code == 2
    assert refused.stdout == b""
    for word in (port, "server.port", "PORT"):
        assert word in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_bad_file_ends_serve_with_2_and_names_key_file_and_line(commands: Commands) -> None:
    (commands.folder / "application.properties").write_text("# mine\nserver.prot=80\nmemory.batch-factor=many\n")
    refused = commands.run("serve")
    assert refused.code == 2
    for words in ("application.properties:2", "server.prot", "server.port", "application.properties:3", "batch-factor"):
        assert words in refused.stderr
    assert "Traceback" not in refused.stderr


def test_health_answers_while_the_database_is_away_and_readiness_says_why_not(commands: Commands) -> None:
    with commands.serving(POSTGRES_URL=NOWHERE, EMBEDDING_WAIT="1s") as served:
        assert served.status("/health") == 200
        ready = httpx.get(f"{served.url}/ready", timeout=PATIENCE)
        assert ready.status_code == 503
        assert ready.json()["ready"] is False

        def names_the_setting() -> bool:
            refused = httpx.get(f"{served.url}/api/v1/notes", timeout=PATIENCE)
            assert refused.status_code == 503
            return "postgres.url" in refused.json()["message"]

        # until the database was first asked, the server is still starting
        waited(names_the_setting)
        served.process.terminate()
        assert served.process.ended(seconds=STOP_SECONDS).code == 0


async def test_a_store_of_another_model_ends_serve_and_worker_with_2_at_the_start_and_under_way(
    commands: Commands, loaded: Settings
) -> None:
    with commands.serving() as served, commands.start("worker") as worker:
        await asyncio.to_thread(served.ready)
        await asyncio.to_thread(served.post, "/notes", {"content": "made by the real model"})
        await asyncio.to_thread(waited, lambda: "Working off the queue" in worker.stderr)
        async with open_app(loaded, parts=Parts(embedder=FakeEmbedder(name="other")), check_model=False) as app:
            assert await app.maintenance.reindex(lambda done, total: None) == 1
        for process in (served.process, worker):
            done = await asyncio.to_thread(process.ended)
            assert done.code == 2
            assert "`memory-bank reindex`" in done.stderr
            assert "Traceback" not in done.stderr
    refused = await asyncio.to_thread(commands.run, "serve", PORT="0")
    assert refused.code == 2
    for words in ("'other'", "all-MiniLM-L6-v2", "`memory-bank reindex`"):
        assert words in refused.stderr.splitlines()[-1]
    assert (await asyncio.to_thread(commands.run, "search", "model")).code == 2
    assert (await asyncio.to_thread(commands.run, "reindex", "--json")).json()["embedded"] == 1
    found = (await asyncio.to_thread(commands.run, "search", "which model made it?", "--json")).json()
    assert [each["content"] for each in found["notes"]] == ["made by the real model"]


# Killing, and what is still there afterwards.


def test_everything_answered_before_a_kill_is_there_after_it_and_enriched_in_the_end(
    commands: Commands, url: str
) -> None:
    with commands.serving() as served:
        served.ready()
        for n in range(20):
            served.post("/notes", {"content": f"Single note {n} about the harbour of town {n}"})
        batch(served, [f"Bulk note {n} about the lighthouse of cape {n}" for n in range(80)])
        waited(lambda: at_work(url))
        served.process.kill()
    with commands.serving() as served:
        waited(lambda: served.status("/ready") == 200 and enriched(served), seconds=RESCUE_SECONDS)
        notes = served.get("/notes", limit="200")
        assert notes["total"] == 100
        assert len({each["content"] for each in notes["notes"]}) == 100
        assert {each["enrichment"] for each in notes["notes"]} == {"done"}
        assert all(each["keywords"] for each in notes["notes"])


def test_two_editors_and_a_server_share_one_postgresql_and_outlive_each_other(local: Commands, data_dir: Path) -> None:
    with local.serving() as served, local.wired() as first, local.wired() as second:
        note = first.opened().call("add_memory_note", content="seen by all three")["structuredContent"]
        shared = postmaster(data_dir)
        assert shared is not None
        assert served.ready().get("/notes")["total"] == 1
        got = second.opened().call("get_memory_notes_by_ids", ids=[note["id"]])["structuredContent"]
        assert got["notes"][0]["content"] == "seen by all three"
        first.process.kill()
        assert second.call("add_memory_note", content="after the first was killed")["isError"] is False
        assert served.get("/notes")["total"] == 2
        served.process.kill()
        assert second.call("search_memory_notes", context="seen by all")["structuredContent"]["notes"]
        assert postmaster(data_dir) == shared
        second.closed()
        assert postmaster(data_dir) is None


def test_a_killed_embedded_postgresql_is_started_again_under_a_running_server(local: Commands, data_dir: Path) -> None:
    with local.serving() as served:
        served.ready()
        batch(served, [f"before the crash {n}" for n in range(5)])
        crashed = postmaster(data_dir)
        assert crashed is not None
        crashed.kill()
        waited(lambda: served.status("/ready") == 503)
        assert served.status("/health") == 200
        served.ready()
        assert postmaster(data_dir) not in (None, crashed)
        batch(served, [f"after the crash {n}" for n in range(5)])
        waited(lambda: enriched(served), seconds=RESCUE_SECONDS, told=lambda: served.process.stderr)
        assert served.get("/notes")["total"] == 10
        served.process.terminate()
        assert served.process.ended(seconds=STOP_SECONDS).code == 0
        assert postmaster(data_dir) is None


def test_server_and_worker_wait_for_a_database_that_goes_and_comes_back(commands: Commands, data_dir: Path) -> None:
    database = embedded.start(data_dir)
    there = {"POSTGRES_URL": database.url}
    with contextlib.ExitStack() as stack:
        try:
            served = stack.enter_context(commands.serving(**there, WORKER_ENABLED="false")).ready()
            worker = stack.enter_context(commands.start("worker", **there))
            batch(served, ["before the restart"])
            waited(lambda: enriched(served), told=lambda: worker.stderr)
        finally:
            database.close()
        waited(lambda: served.status("/ready") == 503)
        assert served.status("/health") == 200
        assert worker.alive
        with embedded.running(data_dir):
            served.ready()
            batch(served, ["after the restart"])
            waited(lambda: enriched(served), seconds=RESCUE_SECONDS, told=lambda: worker.stderr)
            assert served.get("/notes")["total"] == 2
            for process in (worker, served.process):
                process.terminate()
                assert process.ended(seconds=STOP_SECONDS).code == 0


# Another model.


@contextlib.asynccontextmanager
async def opened(loaded: Settings, *, by: FakeEmbedder, check: bool = True) -> AsyncIterator[App]:
    async with open_app(loaded, parts=Parts(embedder=by), check_model=check) as app:
        yield app


async def filled(loaded: Settings, *, by: FakeEmbedder, notes: int) -> None:
    async with opened(loaded, by=by) as app:
        await app.notes.add_all("default", [Draft(content=f"alpha beta number{n}") for n in range(notes)])


def stored(url: str) -> dict[str, Any]:
    """Return what the store says of its vectors."""
    with psycopg.connect(url) as connection:
        model = connection.execute("SELECT name, dimensions, complete FROM embedding_model").fetchone()
        notes = connection.execute("SELECT DISTINCT embedded_by FROM notes").fetchall()
        vectors = connection.execute("SELECT count(*), min(vector_dims(embedding)) FROM embeddings").fetchone()
        index = connection.execute(
            """
            SELECT i.indisvalid
            FROM pg_index i
            JOIN pg_class c ON c.oid = i.indexrelid
            JOIN pg_am a ON a.oid = c.relam
            WHERE i.indrelid = 'embeddings'::regclass AND a.amname = 'hnsw'
            """
        ).fetchall()
        return {"model": model, "notes": [name for (name,) in notes], "vectors": vectors, "index": index}


@pytest.mark.parametrize("dimensions", [384, 96])
async def test_a_reindex_killed_half_way_refuses_starts_until_another_run_finishes_it(
    loaded: Settings, url: str, tmp_path: Path, dimensions: int
) -> None:
    await filled(loaded, by=FakeEmbedder(name="old"), notes=80)
    await killed_half_way("-c", _REINDEX, str(tmp_path), url, "new", str(dimensions), "64")
    assert stored(url)["model"] == ("new", dimensions, False)
    for name, length in (("old", 384), ("new", dimensions)):
        with pytest.raises(ConfigurationError, match="`memory-bank reindex`"):
            async with opened(loaded, by=FakeEmbedder(name=name, dimensions=length)):
                pass
    new = FakeEmbedder(name="new", dimensions=dimensions)
    async with opened(loaded, by=new, check=False) as app:
        assert await app.maintenance.reindex(lambda done, total: None) == 80 - 64
    assert stored(url) == {
        "model": ("new", dimensions, True),
        "notes": ["new"],
        "vectors": (80, dimensions),
        "index": [(True,)],
    }
    async with opened(loaded, by=new) as app:
        found = await app.recall.search("default", recall.Query(text="number7", limit=1))
        assert [each.note.content for each in found] == ["alpha beta number7"]


async def test_two_runs_to_one_model_share_the_work(loaded: Settings, url: str) -> None:
    await filled(loaded, by=FakeEmbedder(name="old"), notes=70)
    first, second = FakeEmbedder(name="new"), FakeEmbedder(name="new")
    async with opened(loaded, by=first, check=False) as one, opened(loaded, by=second, check=False) as other:
        await asyncio.gather(*(app.maintenance.reindex(lambda done, total: None) for app in (one, other)))
    assert stored(url) == {"model": ("new", 384, True), "notes": ["new"], "vectors": (70, 384), "index": [(True,)]}


@pytest.mark.parametrize("dimensions", [384, 96])
async def test_a_run_to_another_model_stops_the_one_before(loaded: Settings, url: str, dimensions: int) -> None:
    await filled(loaded, by=FakeEmbedder(name="old"), notes=40)
    slow, quick = FakeEmbedder(name="slow"), FakeEmbedder(name="quick", dimensions=dimensions)
    slow.released.clear()
    begun = asyncio.Event()
    async with opened(loaded, by=slow, check=False) as one, opened(loaded, by=quick, check=False) as other:
        overtaken = asyncio.create_task(one.maintenance.reindex(lambda done, total: begun.set()))
        async with asyncio.timeout(PATIENCE):
            await begun.wait()
        finishing = asyncio.create_task(other.maintenance.reindex(lambda done, total: slow.released.set()))
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Conflict, match="another `memory-bank reindex`"):
                await overtaken
            await finishing
    assert stored(url)["model"] == ("quick", dimensions, True)
    assert stored(url)["notes"] == ["quick"]
    assert stored(url)["vectors"] == (40, dimensions)


async def test_a_store_without_vectors_takes_the_next_model_of_whatever_dimension(loaded: Settings, url: str) -> None:
    for name, dimensions in (("typo", 96), ("large", 1024), ("words", 384), ("small", 8)):
        async with opened(loaded, by=FakeEmbedder(name=name, dimensions=dimensions)) as app:
            assert (await app.maintenance.state()).banks == ()
    async with opened(loaded, by=FakeEmbedder(name="small", dimensions=8)) as app:
        await app.notes.add("default", Draft(content="kept"))
    assert stored(url) == {"model": ("small", 8, True), "notes": ["small"], "vectors": (1, 8), "index": [(True,)]}
    with pytest.raises(ConfigurationError, match="`memory-bank reindex`"):
        async with opened(loaded, by=FakeEmbedder(name="words")):
            pass
