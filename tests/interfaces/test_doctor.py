"""`memory-bank doctor`: every fault has a check that finds it and a remedy; nothing is made or migrated by looking."""

import asyncio
import json
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from alembic.script import ScriptDirectory

from memory_bank import settings
from memory_bank.bootstrap import App
from memory_bank.domain.notes import Draft, When
from memory_bank.domain.tokens import Authentication
from memory_bank.errors import ConfigurationError
from memory_bank.providers import model_files, model_inspection, onnx_graph
from memory_bank.services import diagnosis
from memory_bank.services.diagnosis import Result
from memory_bank.settings import Settings
from memory_bank.store import diagnosis as rows
from memory_bank.store import schema
from tests.fakes import FakeClock, FakeEmbedder
from tests.interfaces.examined import CONTENT, NAMES, changed, checks, checks_unordered, results, sound
from tests.openai_server import OpenAIServer, Reply
from tests.processes import NOWHERE, Commands

KEY = "sk-fake-0a1B2c3D4e5F6a7B8c9D0e1F"


async def test_of_a_sound_store_every_check_is_ok_or_was_not_asked_for(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    await app.notes.add("default", Draft(content="green tea"), when=When.QUEUED)
    found = await checks(sound(loaded), embedder, clock)
    assert {each.name: each.result for each in found.values() if each.result is not Result.OK} == {
        "language model answers": Result.SKIPPED
    }
    assert "1 notes" in found["notes"].detail
    assert found["database"].detail.startswith("PostgreSQL ")
    assert "384 dimensions" in found["embedding model"].detail


def test_the_command_prints_every_check_and_ends_with_0(url: str, graph_dir: Path, tmp_path: Path, app: App) -> None:
    commands = Commands.on(url, graph_dir=graph_dir, folder=tmp_path, PORT="0")
    as_json, readable = commands.run_all([["doctor", "--json"], ["doctor"]])
    # the store of this test is of another model than the command's
    answer = json.loads(as_json.stdout)
    assert [each["name"] for each in answer["checks"]] == NAMES
    assert {each["state"] for each in answer["checks"]} <= set(Result)
    (wrong,) = [each for each in answer["checks"] if each["state"] == "failed"]
    assert wrong["name"] == "stored vectors"
    assert "memory-bank reindex" in wrong["remedy"]
    assert (answer["ok"], as_json.code, readable.code) == (False, 1, 1)
    model = next(each for each in answer["checks"] if each["name"] == "embedding model files")
    assert model_files.published_sha256(model_files.DEFAULT_MODEL) in model["detail"]
    assert "failed   stored vectors: made by 'words'" in readable.text
    assert "→ set embedding.model" in readable.text
    assert "Traceback" not in as_json.stderr + readable.stderr


def test_a_database_that_is_away_fails_alone_and_what_rests_on_it_is_skipped(graph_dir: Path, tmp_path: Path) -> None:
    commands = Commands.on(NOWHERE, graph_dir=graph_dir, folder=tmp_path, PORT="0")
    done = commands.run("doctor", "--json")
    assert done.code == 1
    answer = json.loads(done.stdout)
    states = {each["name"]: each["state"] for each in answer["checks"]}
    assert [name for name, state in states.items() if state == "failed"] == ["database"]
    for name in ("pgvector", "row-level security", "schema", *CONTENT):
        assert states[name] == "skipped"
    assert states["embedding model"] == "ok"
    remedy = next(each["remedy"] for each in answer["checks"] if each["name"] == "database")
    assert "postgres.url" in remedy
    assert "Traceback" not in done.stderr + done.text
    assert not (tmp_path / "data").exists()


def test_settings_that_cannot_be_read_are_a_failed_check(tmp_path: Path) -> None:
    done = Commands(folder=tmp_path, environment={"MCP_TOOLSETS": "nots"}).run("doctor", "--json")
    assert done.code == 1
    (check,) = json.loads(done.stdout)["checks"]
    assert (check["name"], check["state"]) == ("settings", "failed")
    assert "notes" in check["detail"]


async def test_variables_without_effect_are_a_warning(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    told = sound(loaded).model_copy(update={"warnings": ("environment variable MEMORY_BANK_X is not a setting",)})
    found = await checks(told, embedder, clock)
    assert found["settings"].result is Result.WARNING
    assert "MEMORY_BANK_X" in found["settings"].detail


# The store.


async def test_a_store_that_is_not_made_yet_is_not_made_by_looking(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path
) -> None:
    local = changed(loaded, "postgres", url=None).model_copy(update={"data_dir": tmp_path / "never"})
    found = await checks(changed(local, "server", port=0), embedder, clock)
    assert found["database"].result is Result.OK
    assert "first start" in found["database"].detail
    assert results(found, "schema", *CONTENT) == ["skipped"] * 6
    assert not (tmp_path / "never").exists()


async def test_an_empty_database_stays_empty(
    loaded: Settings, empty_url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    given = {"postgres.url": empty_url, "memory-bank.data-dir": str(loaded.data_dir)}
    empty = settings.load(environ={}, cwd=loaded.data_dir.parent, overrides=given)
    found = await checks(sound(empty), embedder, clock)
    assert results(found, "database", "schema", "pgvector") == ["ok", "ok", "ok"], found
    assert "the first start makes it" in found["schema"].detail
    assert results(found, *CONTENT) == ["skipped"] * 5
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


@pytest.mark.parametrize(("ddl_auto", "state"), [("update", "warning"), ("validate", "failed"), ("none", "failed")])
async def test_an_older_schema_is_told_and_left_as_it_is(
    loaded: Settings, url: str, embedder: FakeEmbedder, clock: FakeClock, ddl_auto: str, state: str
) -> None:
    older = first_revision()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", [older])
    found = await checks(
        changed(sound(loaded), "postgres", ddl_auto=type(loaded.postgres.ddl_auto)(ddl_auto)), embedder, clock
    )
    assert results(found, "schema") == [state]
    assert older in found["schema"].detail
    assert results(found, *CONTENT) == ["skipped"] * 5
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (older,)


async def test_a_schema_of_a_newer_program_is_a_failure(
    loaded: Settings, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '2999_from_the_future'")
    found = await checks_unordered(sound(loaded), embedder, clock)
    assert found["schema"].result is Result.FAILED
    assert "2999_from_the_future" in found["schema"].detail
    assert "upgrade this program" in found["schema"].remedy
    assert results(found, *CONTENT) == ["skipped"] * 5


def first_revision() -> str:
    """Return the oldest revision that this program knows."""
    (base,) = ScriptDirectory(str(schema.migrations_folder())).get_bases()
    return base


async def test_vectors_of_another_model_and_an_unfinished_change_are_failures(
    loaded: Settings, app: App, url: str, clock: FakeClock
) -> None:
    found = await checks(sound(loaded), FakeEmbedder(name="other"), clock)
    assert found["stored vectors"].result is Result.FAILED
    assert "memory-bank reindex" in found["stored vectors"].remedy
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE embedding_model SET complete = false")
    found = await checks(sound(loaded), FakeEmbedder(), clock)
    assert found["stored vectors"].result is Result.FAILED


async def test_notes_that_lack_something_and_jobs_that_failed_or_wait_too_long_are_warnings(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    for n in range(3):
        await app.notes.add("default", Draft(content=f"green tea, cup {n}"), when=When.QUEUED)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE notes SET enrichment = 'failed', embedded_by = NULL, tokenised_by = NULL")
        connection.execute("UPDATE procrastinate_events SET at = now() - interval '1 hour'")
    found = await checks(sound(loaded), embedder, clock)
    assert results(found, "queue", "notes") == ["warning", "warning"]
    assert "memory-bank worker" in found["queue"].remedy
    for what in ("3 without vectors", "3 without terms", "3 whose enrichment failed"):
        assert what in found["notes"].detail
    for remedy in ("memory-bank reindex", "memory-bank enrich --failed"):
        assert remedy in found["notes"].remedy
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE procrastinate_jobs SET status = 'failed'")
    found = await checks(sound(loaded), embedder, clock)
    assert "3 failed" in found["queue"].detail
    assert "memory-bank enrich --failed" in found["queue"].remedy


async def test_a_backup_is_asked_for_once_there_is_something_to_lose(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path
) -> None:
    scheduled = changed(sound(loaded), "backup", dir=tmp_path / "backups")
    assert results(await checks(scheduled, embedder, clock), "backup") == ["ok"]
    await app.notes.add("default", Draft(content="green tea"))
    missing = (await checks(scheduled, embedder, clock))["backup"]
    assert missing.result is Result.WARNING
    assert "memory-bank backup" in missing.remedy
    await app.backups.backup(tmp_path / "one.zip")
    made = (await checks(scheduled, embedder, clock))["backup"]
    assert made.result is Result.OK
    assert "one.zip" in made.detail
    clock.advance(days=3)
    overdue = (await checks(scheduled, embedder, clock))["backup"]
    assert overdue.result is Result.WARNING
    assert "3 days ago" in overdue.detail


@pytest.mark.parametrize(
    ("server", "made", "state", "word"),
    [
        ({}, False, "ok", "nobody else"),
        ({}, True, "ok", "1 of 1"),
        ({"host": "0.0.0.0"}, False, "failed", "refuses"),
        ({"host": "0.0.0.0"}, True, "ok", "1 of 1"),
        ({"host": "0.0.0.0", "insecure": True}, False, "warning", "change everything"),
        ({"host": "0.0.0.0", "auth": Authentication.OFF}, True, "failed", "refuses"),
        ({"auth": Authentication.REQUIRED}, False, "warning", "none is good"),
    ],
)
async def test_tokens_are_held_against_the_address_to_listen_on(
    loaded: Settings,
    app: App,
    embedder: FakeEmbedder,
    clock: FakeClock,
    server: dict[str, object],
    made: bool,
    state: str,
    word: str,
) -> None:
    if made:
        await app.tokens.create("laptop", lifetime=timedelta(days=1))
    found = await checks(changed(sound(loaded), "server", **server), embedder, clock)
    assert found["tokens"].result == state
    assert word in found["tokens"].detail


async def test_tokens_that_have_all_ended_are_a_warning(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    await app.tokens.create("laptop", lifetime=timedelta(days=1))
    clock.advance(days=2)
    found = await checks(sound(loaded), embedder, clock)
    assert results(found, "tokens") == ["warning"]
    assert "memory-bank token create" in found["tokens"].remedy


def test_versions_of_postgresql_and_pgvector_are_judged() -> None:
    old = diagnosis._server(rows.Server(version="14.9", number=140009, login="ada"))
    assert (old.result, "14.9" in old.detail) == (Result.FAILED, True)
    assert diagnosis._server(rows.Server(version="15.0", number=150000, login="a")).result is Result.OK
    for installed, available, result in [
        ("0.8.6", "0.8.6", Result.OK),
        ("0.10.0", "0.10.0", Result.OK),
        (None, "0.8.0", Result.OK),
        (None, None, Result.FAILED),
        (None, "0.7.4", Result.FAILED),
        ("0.7.4", "0.8.0", Result.FAILED),
        ("0.5.1", "0.5.1", Result.FAILED),
    ]:
        check = diagnosis._vector(rows.Vector(installed=installed, available=available))
        assert check.result is result, (installed, available)
        assert bool(check.remedy) is (result is Result.FAILED)


# The machine.


async def test_a_data_folder_that_others_may_read_is_a_warning_and_one_that_is_a_file_a_failure(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path
) -> None:
    open_to_all = sound(loaded)
    open_to_all.data_dir.chmod(0o755)
    found = await checks(open_to_all, embedder, clock)
    assert found["data folder"].result is Result.WARNING
    assert found["data folder"].remedy == f"chmod 700 {loaded.data_dir}"
    (tmp_path / "file").touch()
    found = await checks(open_to_all.model_copy(update={"data_dir": tmp_path / "file"}), embedder, clock)
    assert found["data folder"].result is Result.FAILED


async def test_who_holds_the_port_is_told_apart(
    loaded: Settings, app: App, server: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    port = int(server.rpartition(":")[2])
    running = await checks(changed(sound(loaded), "server", port=port), embedder, clock)
    assert (running["server"].result, f"port {port}" in running["server"].detail) == (Result.OK, True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        unused = free.getsockname()[1]
    assert "free" in (await checks(changed(sound(loaded), "server", port=unused), embedder, clock))["server"].detail

    async def strange(reader: Any, writer: Any) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        writer.close()

    async with await asyncio.start_server(strange, "127.0.0.1", 0) as other:
        held = changed(sound(loaded), "server", port=other.sockets[0].getsockname()[1])
        found = await checks(held, embedder, clock)
    assert found["server"].result is Result.WARNING
    assert "server.port" in found["server"].remedy


# Models.


def test_a_graph_of_other_weights_than_the_published_ones_is_refused(tmp_path: Path, graph_dir: Path) -> None:
    found = model_inspection.files("all-MiniLM-L6-v2", cache_dir=tmp_path, graph_dir=graph_dir, graphs=True)
    assert found is not None
    assert (found.is_graph, found.folder) == (True, graph_dir)
    assert found.sha256 == model_files.published_sha256(model_files.DEFAULT_MODEL)
    for name in onnx_graph.FILES - {onnx_graph.MANIFEST}:
        (tmp_path / name).symlink_to(graph_dir / name)
    manifest = json.loads((graph_dir / onnx_graph.MANIFEST).read_text())
    (tmp_path / onnx_graph.MANIFEST).write_text(json.dumps({**manifest, "sha256": "0" * 64}))
    with pytest.raises(ConfigurationError, match="published"):
        model_inspection.files("all-MiniLM-L6-v2", cache_dir=tmp_path / "none", graph_dir=tmp_path, graphs=True)


async def test_of_a_graph_it_is_said_whose_hash_is_shown_and_a_folder_that_holds_none_is_a_warning(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, graph_dir: Path, tmp_path: Path
) -> None:
    found = await checks(changed(sound(loaded), "embedding", graph_dir=graph_dir), embedder, clock)
    assert results(found, "embedding model files") == ["ok"]
    assert "was made of weights of SHA-256" in found["embedding model files"].detail
    assert "the graph itself is not hashed" in found["embedding model files"].detail
    other = tmp_path / "other"
    other.mkdir()
    for name in onnx_graph.FILES - {onnx_graph.MANIFEST}:
        (other / name).symlink_to(graph_dir / name)
    manifest = json.loads((graph_dir / onnx_graph.MANIFEST).read_text())
    (other / onnx_graph.MANIFEST).write_text(json.dumps({**manifest, "name": "other-model"}))
    for folder, why in ((tmp_path / "nowhere", "is no folder"), (tmp_path, "no exported"), (other, "of other-model")):
        for model in (loaded.embedding.model, f"nobody/{uuid4().hex}"):
            asked = changed(sound(loaded), "embedding", graph_dir=folder, model=model)
            check = (await checks(asked, embedder, clock))["embedding model files"]
            assert check.result is Result.WARNING
            assert str(folder) in check.detail
            assert why in check.detail
            assert "EMBEDDING_GRAPH_DIR" in check.remedy


def test_a_graph_that_embedding_model_names_is_found_without_weights(graph_dir: Path, tmp_path: Path) -> None:
    found = model_inspection.files(str(graph_dir), cache_dir=tmp_path, graph_dir=tmp_path / "nowhere", graphs=True)
    assert found is not None
    assert (found.is_graph, found.folder, found.name) == (True, graph_dir, model_files.DEFAULT_MODEL)
    assert model_inspection.passed_over(tmp_path / "nowhere", model=str(graph_dir)) is None


async def test_files_that_must_be_fetched_are_a_warning_and_the_model_is_not_loaded_offline(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    absent = changed(sound(loaded), "embedding", model=f"nobody/{uuid4().hex}")
    found = await checks(absent, embedder, clock)
    assert results(found, "embedding model files", "embedding model") == ["warning", "skipped"]


async def test_a_model_that_cannot_be_loaded_is_a_failure(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    embedder.down = True
    found = await checks(sound(loaded), embedder, clock)
    assert found["embedding model"].result is Result.FAILED


async def test_a_model_with_vectors_of_another_length_is_a_failure(
    loaded: Settings, app: App, clock: FakeClock
) -> None:
    found = await checks(sound(loaded), FakeEmbedder(dimensions=64), clock)
    assert found["embedding model"].result is Result.FAILED
    assert "embedding.dimensions" in found["embedding model"].remedy


@pytest.mark.parametrize(
    ("reply", "state", "word"),
    [
        (Reply(text="yes"), "ok", "answers"),
        (Reply(status=401), "failed", "openai.api-key (OPENAI_API_KEY)"),
        (Reply(status=404), "failed", "openai.model-name (OPENAI_MODEL_NAME)"),
        (Reply(status=503), "failed", "openai.base-url (OPENAI_BASE_URL)"),
    ],
)
async def test_the_language_model_is_asked_once_and_only_when_told_to(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, reply: Reply, state: str, word: str
) -> None:
    async with OpenAIServer(reply) as provider:
        secret = type(loaded.openai).model_validate({"api_key": KEY, "base_url": provider.base_url, "timeout": "5s"})
        configured = sound(loaded).model_copy(update={"openai": secret})
        offline = await checks(configured, embedder, clock)
        assert results(offline, "language model", "language model answers") == ["ok", "skipped"]
        assert provider.requests == []
        found = (await checks(configured, embedder, clock, online=True))["language model answers"]
        assert len(provider.requests) == 1
    assert found.result == state
    assert word in found.detail + found.remedy
    assert KEY not in found.detail + found.remedy
