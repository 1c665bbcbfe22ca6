"""`memory-bank import` and `export`, as whole processes on a real database with the real embedding model."""

import json
from pathlib import Path

import psycopg
import pytest

from tests import processes
from tests.conftest import SHARED
from tests.processes import Commands

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
SPANISH = SHARED / "data" / "imports" / "mcp_jsonl_spanish_emoji" / "memory.jsonl"


def test_a_file_is_imported_found_exported_and_imported_again(commands: Commands, tmp_path: Path) -> None:
    sample = str(SAMPLES / "memory_v7_own.json")
    imported = commands.run("import", sample, "--json").json()
    assert imported["complete"]
    assert imported["totals"] == {"added": 12, "merged": 0, "known": 0, "skipped": 0, "refused": 0}
    assert imported["kinds"]["fact"]["added"] == 4
    assert imported["items"] == []
    found = commands.run("recall", "which message queue was chosen?", "--json").json()
    assert "RabbitMQ" in found["results"][0]["content"]
    exported = commands.run("export", "out.json", "--json").json()
    assert {name: exported[name] for name in ("entities", "facts", "exchanges")} == {
        "entities": 2,
        "facts": 4,
        "exchanges": 2,
    }
    assert exported["size"] == (tmp_path / "out.json").stat().st_size
    again = commands.run("import", "out.json")
    assert again.code == 0
    assert "Nothing new for bank default: 12 known" in again.text
    assert commands.run("import", "out.json", "--bank", "other").code == 0
    assert commands.run("export", "other.json", "--bank", "other").code == 0
    one, other = (json.loads((tmp_path / name).read_text()) for name in ("out.json", "other.json"))
    for entity in (*one["entities"].values(), *other["entities"].values()):
        for fact in entity["facts"]:
            # falls with time
            del fact["confidence"]
    assert one == other


def test_an_export_replaces_no_file_unless_told_to(commands: Commands, tmp_path: Path) -> None:
    assert commands.run("import", str(SAMPLES / "memory_v4.json")).code == 0
    (tmp_path / "out.json").write_text("mine")
    refused = commands.run("export", "out.json")
    assert refused.code == 2
    assert "exists already" in refused.stderr
    assert "--overwrite" in refused.stderr
    assert (tmp_path / "out.json").read_text() == "mine"
    assert commands.run("export", "out.json", "--overwrite").code == 0
    assert json.loads((tmp_path / "out.json").read_text())["version"] == 7
    nobody = commands.run("export", "nobody.json", "--bank", "nobody")
    assert nobody.code == 1
    assert "nothing was exported" in nobody.stderr
    assert not (tmp_path / "nobody.json").exists()


def test_what_is_broken_is_listed_and_the_rest_comes_in(commands: Commands, tmp_path: Path) -> None:
    content = json.loads((SAMPLES / "memory_v6.json").read_text())
    content["relations"].append({"from": "Ana", "type": "knows"})
    content["exchanges"].append({"id": "ex_long", "user": "x" * 99_000, "assistant": "y" * 9_000})
    (tmp_path / "broken.json").write_text(json.dumps(content))
    dry = commands.run("import", "broken.json", "--dry-run")
    assert dry.code == 1
    assert "Nothing was changed" in dry.text
    done = commands.run("import", "broken.json", "--json")
    assert done.code == 1
    answer = json.loads(done.stdout)
    assert answer["totals"]["refused"] == 2
    assert {each["kind"] for each in answer["items"] if each["outcome"] == "refused"} == {"relation", "exchange"}
    assert answer["kinds"]["fact"]["added"] == 5
    again = commands.run("import", "broken.json")
    assert again.code == 1
    assert "Nothing new for bank default" in again.text
    assert "refused  relation  Ana knows" in again.text


def test_a_file_of_an_unknown_version_changes_nothing(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "new.json").write_text('{"version": 8, "entities": {}}')
    refused = commands.run("import", "new.json")
    assert refused.code == 2
    assert "versions 4 to 7 are read" in refused.stderr
    assert commands.run("import", "missing.json").code == 2
    assert commands.run("import", "new.json", "--bank", "No Bank").code == 2


def test_a_backup_is_not_imported_but_told_to_be_restored(commands: Commands, tmp_path: Path) -> None:
    assert commands.run("backup", "all.zip").code == 0
    refused = commands.run("import", "all.zip")
    assert refused.code == 2
    assert "all.zip: is a backup of Memory Bank; `memory-bank restore FILE` brings it back" in refused.stderr


def test_an_import_that_is_killed_in_the_middle_leaves_nothing(commands: Commands, url: str) -> None:
    sample = str(SAMPLES / "memory_v7_own.json")
    tables = ("banks", "entities", "entity_names", "facts", "notes", "embeddings", "procrastinate_jobs")
    with psycopg.connect(url) as holder, psycopg.connect(url, autocommit=True) as watcher:
        # what comes after the facts has to wait
        holder.execute("LOCK TABLE relations IN SHARE MODE")

        def waits() -> bool:
            query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'relations'::regclass"
            return watcher.execute(query).fetchone() == (1,)

        with commands.start("import", sample) as process:
            processes.waited(waits, told=lambda: process.stderr)
            process.kill()
        holder.rollback()
        for table in tables:
            query = f"SELECT count(*) FROM {table}"
            processes.waited(lambda query=query: watcher.execute(query).fetchone() == (0,))  # type: ignore[misc]
    assert "Bank default: 12 added" in commands.run("import", sample).text


def test_the_help_says_what_is_no_part_of_the_files(commands: Commands) -> None:
    for command in ("import", "export"):
        told = " ".join(commands.run(command, "--help").text.split())
        assert "Notes made by `add`" in told


def test_a_real_memory_in_spanish_comes_in_and_answers(commands: Commands) -> None:
    if not SPANISH.exists():
        pytest.skip(f"{SPANISH} is not here")
    imported = commands.run("import", str(SPANISH), "--json").json()
    assert imported["complete"]
    name = json.loads(SPANISH.read_text().splitlines()[0])["name"]
    found = commands.run("recall", "--mode", "entity", "--name", name, "--json").json()
    assert found["entity"]["name"] == name
    assert found["total"] > 0
