"""The command line, as whole processes on a real database with the real embedding model."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain import filters
from memory_bank.domain.notes import Draft, When
from memory_bank.providers import model_files
from memory_bank.settings import Settings
from tests.fakes import FakeEmbedder
from tests.processes import NOWHERE, PATIENCE, Commands
from tests.waiting import eventually


@pytest.fixture
def offline(graph_dir: Path, tmp_path: Path) -> Commands:
    """Commands whose database is away."""
    return Commands.on(NOWHERE, graph_dir=graph_dir, folder=tmp_path)


@pytest.fixture
async def store(loaded: Settings) -> AsyncIterator[App]:
    """The commands' store, open in the test, with vectors that only claim to be the real model's."""
    async with open_app(loaded, parts=Parts(embedder=FakeEmbedder(name=model_files.DEFAULT_MODEL))) as opened:
        yield opened


def test_a_note_is_added_found_fetched_and_listed(commands: Commands) -> None:
    added = commands.run("add", "Ada drinks green tea every morning", "--tag", "Drinks", "--json").json()
    assert added["tags"][0] == "drinks"
    assert added["enrichment"] == "done"
    piped = commands.run("add", "--json", "--session", "talk", "--position", "3", stdin=b"Bob keeps bees\r\n").json()
    assert (piped["content"], piped["session"], piped["position"]) == ("Bob keeps bees", "talk", 3)
    again = commands.run("add", "--session", "talk", stdin=b"Bob keeps bees\n")
    assert again.code == 0
    assert piped["id"] in again.text
    assert "known already" in again.text
    found = commands.run("search", "what does Ada drink?", "--json", "--limit", "1", "--explain").json()
    assert [each["id"] for each in found["notes"]] == [added["id"]]
    assert found["notes"][0]["arms"]
    readable = commands.run("search", "what does Ada drink?", "--tag", "drinks")
    assert added["id"] in readable.text
    assert "green tea" in readable.text
    assert "rank" not in readable.text
    explained = commands.run("search", "what does Ada drink?", "--explain").text
    for arm in found["notes"][0]["arms"]:
        assert f"{arm['arm']} rank {arm['rank']} ({arm['score']:.3f})" in explained
    assert f"evidence {found['notes'][0]['evidence']:.3f}" in explained
    got = commands.run("get", piped["id"], added["id"], "--json").json()
    assert [each["content"] for each in got["notes"]] == ["Bob keeps bees", "Ada drinks green tea every morning"]
    listed = commands.run("list").text
    assert "2 notes" in listed
    assert "green tea" in listed


async def test_getting_an_unknown_id_prints_what_there_is_and_exits_1(commands: Commands, store: App) -> None:
    there = (await store.notes.add("default", Draft(content="present"), when=When.QUEUED)).note.id
    away = uuid4()
    got = commands.run("get", str(there), str(away), "--json")
    assert got.code == 1
    answer = json.loads(got.stdout)
    assert [each["id"] for each in answer["notes"]] == [str(there)]
    assert answer["missing"] == [str(away)]
    assert f"not found: {away}" in got.stderr


async def test_a_listing_goes_on_where_the_page_before_ended(commands: Commands, store: App) -> None:
    await store.notes.add_all("default", [Draft(content=f"number {n}") for n in range(3)])
    first = commands.run("list", "--limit", "2", "--json").json()
    assert [each["content"] for each in first["notes"]] == ["number 2", "number 1"]
    assert first["total"] == 3
    last = commands.run("list", "--limit", "2", "--cursor", first["next_cursor"], "--json").json()
    assert [each["content"] for each in last["notes"]] == ["number 0"]
    assert "next_cursor" not in last


def test_text_from_stdin_is_stored_byte_for_byte_without_nul(commands: Commands) -> None:
    added = commands.run("add", "--queued", "--json", stdin="a\0b\r\nc\u2028d 🍵\n\n".encode()).json()
    assert added["content"] == "ab\r\nc\u2028d 🍵\n"


def test_stdin_that_is_no_utf8_is_refused_with_2(offline: Commands) -> None:
    refused = offline.run("add", "--json", stdin=b"caf\xe9")
    assert refused.code == 2
    assert refused.stdout == b""
    assert refused.stderr.startswith("memory-bank: content: byte 3")


def test_a_pipe_that_closes_early_ends_a_command_without_a_traceback(offline: Commands) -> None:
    with offline.start("settings") as process:
        # the reader leaves before the command writes
        process.stdout.close()
        process.process.wait(PATIENCE)
        assert process.process.returncode != 0
        assert "Traceback" not in process.stderr
        assert "Exception ignored" not in process.stderr


async def test_failed_and_heuristic_notes_are_enriched_again_on_request(
    commands: Commands, store: App, url: str
) -> None:
    texts = ("bees make honey", "tea comes from China")
    ids = [(await store.notes.add("default", Draft(content=text))).note.id for text in texts]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE notes SET enrichment = 'failed', enrichment_error = 'away' WHERE id = %s", [ids[0]])
    assert commands.run("enrich", "--json").json() == {"taken": 0, "pending": 0, "failed": 1}
    assert commands.run("enrich", "--failed", "--json").json() == {"taken": 1, "pending": 0, "failed": 0}
    redone = commands.run("enrich", "--origin", "heuristic")
    assert redone.text == "2 notes taken up, 0 still pending, 0 failed\n"
    notes = [each.note for each in await store.notes.get("default", ids)]
    assert {each.enrichment for each in notes} == {"done"}
    assert all(each.keywords for each in notes)


def test_settings_say_where_each_value_comes_from_and_hide_secrets(offline: Commands) -> None:
    file = offline.folder / "application.properties"
    file.write_text("relearning-rate=2\n".replace("relearning", "retrievability-filter.settings.relearning"))
    done = offline.run(
        "--set",
        "memory.batch-factor=7",
        "settings",
        "--json",
        OPENAI_API_KEY="sk-secret",
        POSTGRES_URL="postgresql://u:hidden@127.0.0.1:9/x",
    )
    assert "sk-secret" not in done.text
    assert "hidden" not in done.text
    shown = {row["key"]: row for row in done.json()["settings"]}
    assert shown["memory.batch-factor"]["source"] == "command line"
    assert shown["memory.batch-factor"]["value"] == "7"
    assert shown["openai.api-key"]["source"] == "environment OPENAI_API_KEY"
    assert shown["retrievability-filter.settings.relearning-rate"]["source"] == "application.properties:1"
    assert shown["server.port"]["source"] == "default"
    assert done.json()["file"].endswith("application.properties")


def test_a_file_named_by_option_or_variable_is_read_and_must_exist(offline: Commands) -> None:
    (offline.folder / "other.properties").write_text("server.port=9999\n")
    named, variable, missing = offline.run_all(
        [["--config", "other.properties", "settings"], ["settings"], ["--config", "missing.properties", "settings"]],
        MEMORY_BANK_CONFIG="other.properties",
    )
    assert "server.port=9999  (other.properties:1)" in named.text
    assert "server.port=9999  (other.properties:1)" in variable.text
    assert missing.code == 2
    assert "missing.properties" in missing.stderr


def test_wrong_use_exits_2_and_names_what_is_wrong(commands: Commands) -> None:
    wrong = [
        (["fly"], "No such command"),
        (["add", "--colour", "red"], "No such option"),
        (["search"], "Missing argument"),
        (["--set", "server.port", "settings"], "KEY=VALUE"),
        (["--set", "server.prot=1", "settings"], "server.port"),
        (["search", "x", "--limit", "0"], "limit:"),
        (["search", "x", "--since", "soon"], "since:"),
        (["get", "nonsense"], "ids.0:"),
        (["add", " "], "content:"),
    ]
    for (arguments, told), refused in zip(wrong, commands.run_all([each for each, _ in wrong]), strict=True):
        assert refused.code == 2, arguments
        assert told in refused.stderr, arguments
        assert refused.stdout == b"", arguments
        assert "Traceback" not in refused.stderr, arguments


def test_what_a_person_types_is_taken_at_its_word(commands: Commands, tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        done = commands.run(*arguments)
        assert done.code == 0, done.stderr
        return done.text

    labelled = commands.run(
        *("add", "of a session", "--session", "null", "--tag", "null", "--context", "null", "--bank", "null", "--json")
    ).json()
    assert (labelled["session"], labelled["context"], labelled["tags"][0]) == ("null", "null", "null")
    assert "1 notes" in said("list", "--bank", "null", "--session", "null", "--tag", "null")
    said("remember", "null", "--fact", "is a value", "--source", "null")
    assert "0 notes" in said("list", "--session", "null")
    assert "is a value" in said("recall", "--mode", "entity", "--name", "null")
    assert "is a value" in said("recall", "null")
    assert "null" in said("context", "push", "--session-id", "s", "--content", "null")
    (tmp_path / "memory.json").write_text('{"type": "entity", "name": "Ada", "entityType": "person"}')
    assert "Bank null" in said("import", str(tmp_path / "memory.json"), "--bank", "null", "--dry-run")
    assert "null" in said("forget", "entity", "--name", "null")
    refused = commands.run("search", "value", "--since", "null")
    assert (refused.code, "since: not an ISO 8601 time" in refused.stderr) == (2, True)


def test_a_database_that_is_away_exits_3_and_says_what_to_do(offline: Commands) -> None:
    asked = [["add", "x"], ["search", "x"], ["enrich"], ["reindex"]]
    for refused in offline.run_all([[*each, "--json"] for each in asked]):
        assert refused.code == 3
        assert refused.stdout == b""
        assert "postgres.url" in refused.stderr.splitlines()[-1]
        assert "Traceback" not in refused.stderr


async def test_reindex_of_a_sound_store_has_nothing_to_do(commands: Commands, store: App) -> None:
    await store.notes.add("default", Draft(content="one note"), when=When.QUEUED)
    assert commands.run("reindex", "--json").json() == {
        "embedded": 0,
        "model": model_files.DEFAULT_MODEL,
        "tokenised": 0,
    }


async def test_a_worker_works_off_what_another_process_queued_until_it_is_stopped(
    commands: Commands, store: App
) -> None:
    async def finished() -> bool:
        page = await store.notes.browse("default", wanted=filters.Filter(), after=None, limit=10)
        return [each.note.enrichment for each in page.notes] == ["done"] * 3

    await store.notes.add_all("default", [Draft(content=f"green tea, cup {n}") for n in range(3)])
    assert not await finished()
    with commands.start("worker") as worker:
        await eventually(finished)
        worker.terminate()
        assert (await asyncio.to_thread(worker.ended)).code == 0


def test_json_of_an_argument_that_is_no_unicode_is_still_json(commands: Commands) -> None:
    added = commands.run("add", os.fsdecode(b"caf\xe9 noir"), "--queued", "--json")
    assert added.json()["content"] == "caf noir"
