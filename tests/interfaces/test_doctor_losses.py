"""`memory-bank doctor` on a store that somebody has taken something from, and whether what it says to do helps."""

import re
from pathlib import Path

import psycopg
import pytest

from memory_bank.bootstrap import App
from memory_bank.domain.notes import Draft, When
from memory_bank.domain.recall import Query
from memory_bank.services.diagnosis import Check, Result
from memory_bank.settings import Settings
from memory_bank.store import embedded
from tests.fakes import FakeClock, FakeEmbedder
from tests.interfaces.examined import CONTENT, changed, checks, results, sound

LONG = " ".join(f"green tea number {n}" for n in range(40))


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            connection.execute(each.encode())


def advised(check: Check) -> list[str]:
    """Return the SQL of a remedy."""
    return re.findall(r"(?:ALTER|CREATE|DROP) [^;]+;", check.remedy)


async def contents_of(app: App, text: str) -> list[str]:
    return [each.note.content for each in await app.recall.search("default", Query(text=text))]


# Vectors and terms.


@pytest.mark.parametrize(
    ("loss", "told"),
    [
        ("DELETE FROM embeddings WHERE note_id IN (SELECT id FROM notes WHERE content LIKE 'bees%')", "1 without vect"),
        ("TRUNCATE embeddings", "3 without vectors"),
        ("DELETE FROM postings WHERE note_id IN (SELECT id FROM notes WHERE content LIKE 'bees%')", "1 without terms"),
        ("TRUNCATE postings", "2 without terms"),
        ("TRUNCATE postings, lexical_totals", "2 without terms"),
        ("DELETE FROM postings WHERE term = 'barn'", "1 banks whose terms are miscounted"),
        ("DELETE FROM lexical_totals", "1 banks whose terms are miscounted"),
        ("UPDATE lexical_totals SET notes = notes + 5, length = length + 5", "1 banks whose terms are miscounted"),
    ],
)
async def test_lost_vectors_and_terms_are_found_and_reindex_brings_them_back(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock, loss: str, told: str
) -> None:
    for text in ("bees live in the old barn", "Ada drinks green tea", "!!!"):
        await app.notes.add("default", Draft(content=text))
    before = indexed(url)
    assert (await checks(sound(loaded), embedder, clock))["notes"].result is Result.OK
    run(url, loss)
    found = (await checks(sound(loaded), embedder, clock))["notes"]
    assert found.result is Result.WARNING
    assert told in found.detail
    assert found.remedy == "run `memory-bank reindex`"
    await app.maintenance.retokenise()
    await app.maintenance.reindex(lambda done, total: None)
    assert (await checks(sound(loaded), embedder, clock))["notes"].result is Result.OK
    assert indexed(url) == before
    assert await contents_of(app, "who lives in the barn?") == ["bees live in the old barn"]


def indexed(url: str) -> list[object]:
    """Return which windows and terms there are, and the totals of the terms."""
    asked = (
        "SELECT note_id, window_index FROM embeddings ORDER BY 1, 2",
        "SELECT note_id, term, frequency, length FROM postings ORDER BY 1, 2",
        "SELECT bank_id, sum(notes), sum(length) FROM lexical_totals GROUP BY 1",
        "SELECT id, embedded_by, tokenised_by FROM notes ORDER BY 1",
    )
    with psycopg.connect(url) as connection:
        return [connection.execute(each.encode()).fetchall() for each in asked]


async def test_a_part_of_a_long_notes_vectors_is_missed_too(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    await app.notes.add("default", Draft(content=LONG))
    run(
        url,
        "INSERT INTO embeddings SELECT bank_id, note_id, 1, embedding FROM embeddings",
        "DELETE FROM embeddings WHERE window_index = 0",
    )
    assert "1 without vectors" in (await checks(sound(loaded), embedder, clock))["notes"].detail
    assert await app.maintenance.reindex(lambda done, total: None) == 1
    assert (await checks(sound(loaded), embedder, clock))["notes"].result is Result.OK


async def test_what_has_no_vectors_or_terms_by_nature_is_no_loss(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    for text in ("...", "—", "green tea", "black tea"):
        await app.notes.add("default", Draft(content=text))
    gone = (await app.notes.add("default", Draft(content="gone tomorrow"))).note.id
    await app.notes.delete("default", gone)
    run(
        url,
        "UPDATE notes SET reach = 'meaning', tokenised_by = NULL WHERE content = 'green tea'",
        "DELETE FROM postings p USING notes n WHERE n.id = p.note_id AND n.reach = 'meaning'",
        "UPDATE notes SET reach = 'none' WHERE content = 'black tea'",
        "DELETE FROM embeddings e USING notes n WHERE n.id = e.note_id AND n.reach = 'none'",
    )
    await app.maintenance.retokenise()
    found = (await checks(sound(loaded), embedder, clock))["notes"]
    assert (found.result, found.detail.split(",")[0]) == (Result.OK, "3 notes")
    assert await app.maintenance.retokenise() == 0
    assert await app.maintenance.reindex(lambda done, total: None) == 0


# The schema, and the wall.


@pytest.mark.parametrize(
    ("loss", "named"),
    [
        ("DROP TABLE links CASCADE", "links"),
        ("DROP TABLE postings", "postings"),
        ("DROP TABLE tokens", "tokens"),
        ("DROP TABLE procrastinate_jobs CASCADE", "procrastinate_jobs"),
        ("DROP VIEW own_notes", "own_notes"),
        ("ALTER TABLE facts DROP COLUMN reason", "facts.reason"),
    ],
)
async def test_tables_views_and_columns_that_are_gone_are_named(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock, loss: str, named: str
) -> None:
    run(url, loss)
    found = await checks(sound(loaded), embedder, clock)
    assert found["schema"].result is Result.FAILED
    assert found["schema"].detail.endswith(f"without {named}")
    assert "memory-bank restore" in found["schema"].remedy
    assert results(found, "row-level security", *CONTENT) == ["skipped"] * 6


@pytest.mark.parametrize("loss", ["DROP TABLE alembic_version", "DELETE FROM alembic_version"])
async def test_tables_of_an_unknown_revision_are_no_schema_that_the_first_start_makes(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock, loss: str
) -> None:
    run(url, loss)
    found = await checks(sound(loaded), embedder, clock)
    assert results(found, "schema", *CONTENT) == ["failed"] + ["skipped"] * 5
    assert "alembic_version" in found["schema"].detail


@pytest.mark.parametrize(
    "loss",
    [
        "DROP INDEX ix_embeddings_embedding",
        "DROP INDEX ix_notes_live_by_time",
        "DROP INDEX uq_notes_live_content",
        "ALTER TABLE tokens DROP CONSTRAINT uq_tokens_prefix",
        "ALTER TABLE facts DROP CONSTRAINT fk_facts_bank_id_entity_id_entities",
    ],
)
async def test_indexes_and_rules_that_are_gone_are_a_warning_whose_statements_bring_them_back(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock, loss: str
) -> None:
    run(url, loss)
    found = await checks(sound(loaded), embedder, clock)
    assert results(found, "schema", "notes") == ["warning", "ok"]
    run(url, *advised(found["schema"]))
    assert results(await checks(sound(loaded), embedder, clock), "schema") == ["ok"]


async def test_tables_of_others_in_the_same_database_are_nobody_s_business(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    run(url, "CREATE TABLE theirs (id integer)", "CREATE INDEX ON theirs (id)")
    assert results(await checks(sound(loaded), embedder, clock), "schema", "row-level security") == ["ok", "ok"]


@pytest.mark.parametrize(
    ("loss", "state"),
    [
        ("DROP POLICY own_bank ON facts", "failed"),
        ("CREATE POLICY guests ON facts USING (true)", "failed"),
        ("ALTER POLICY own_bank ON facts USING (true)", "failed"),
        ("ALTER POLICY own_bank ON facts TO postgres_nobody", "failed"),
        ("ALTER TABLE facts DISABLE ROW LEVEL SECURITY", "warning"),
    ],
)
async def test_a_table_without_its_policy_is_named_and_the_statements_give_it_back(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock, loss: str, state: str
) -> None:
    run(url, loss.replace("postgres_nobody", "CURRENT_USER"))
    found = await checks(sound(loaded), embedder, clock)
    assert results(found, "row-level security", "schema") == [state, "ok"]
    assert "facts" in found["row-level security"].detail
    run(url, *advised(found["row-level security"]))
    assert results(await checks(sound(loaded), embedder, clock), "row-level security") == ["ok"]


# What lies on the disk.


@pytest.mark.parametrize("scheduled", [True, False])
async def test_backups_whose_files_are_gone_or_cut_do_not_count(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path, scheduled: bool
) -> None:
    own = changed(sound(loaded), "backup", dir=tmp_path / "backups") if scheduled else sound(loaded)
    await app.notes.add("default", Draft(content="green tea"))
    await app.backups.backup(tmp_path / "old.zip")
    clock.advance(hours=1)
    await app.backups.backup(tmp_path / "new.zip")
    assert "new.zip, 0 hours ago" in (await checks(own, embedder, clock))["backup"].detail
    (tmp_path / "new.zip").unlink()
    found = (await checks(own, embedder, clock))["backup"]
    assert found.result is Result.OK
    assert "old.zip, 1 hours ago" in found.detail
    assert "1 newer ones are gone" in found.detail
    (tmp_path / "old.zip").write_bytes((tmp_path / "old.zip").read_bytes()[:-1])
    found = (await checks(own, embedder, clock))["backup"]
    assert found.result is Result.WARNING
    assert "all 2 that were made are gone" in found.detail
    assert "memory-bank backup FILE" in found.remedy


async def test_snapshots_that_moved_with_their_folder_count(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path, url: str
) -> None:
    await app.notes.add("default", Draft(content="green tea"))
    await app.backups.backup(tmp_path / "one.zip")
    run(url, "UPDATE backups SET file = '/nowhere/one.zip'")
    moved = changed(sound(loaded), "backup", dir=tmp_path)
    assert results(await checks(moved, embedder, clock), "backup") == ["warning"]
    run(url, "UPDATE backups SET automatic = true")
    assert results(await checks(moved, embedder, clock), "backup") == ["ok"]


async def test_a_backup_folder_that_cannot_be_used_is_a_failure(
    loaded: Settings, app: App, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for folder in (Path("/proc/nope"), tmp_path / "file", tmp_path / "file" / "below"):
        found = (await checks(changed(sound(loaded), "backup", dir=folder), embedder, clock))["backup folder"]
        assert found.result is Result.FAILED
        assert str(folder) in found.detail
        assert "backup.dir (BACKUP_DIR)" in found.remedy
    before = sorted(tmp_path.iterdir())
    for folder in (tmp_path / "not" / "yet", tmp_path):
        found = (await checks(changed(sound(loaded), "backup", dir=folder), embedder, clock))["backup folder"]
        assert (found.result, str(folder) in found.detail) == (Result.OK, True)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("damage", ["no PG_VERSION", "a file"])
async def test_a_damaged_cluster_is_no_store_that_the_first_start_makes(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path, damage: str
) -> None:
    cluster = tmp_path / "data" / "postgres" / "cluster"
    if damage == "a file":
        cluster.parent.mkdir(parents=True)
        cluster.write_text("it was here")
    else:
        (cluster / "global").mkdir(parents=True)
        (cluster / "global" / "pg_control").write_bytes(b"what is left")
    left = sorted(tmp_path.rglob("cluster*"))
    found = await checks(sound(changed(loaded, "postgres", url=None)), embedder, clock)
    assert results(found, "database", "schema", *CONTENT) == ["failed"] + ["skipped"] * 6
    assert str(cluster) in found["database"].detail
    assert "memory-bank restore" in found["database"].remedy
    assert sorted(tmp_path.rglob("cluster*")) == left


async def test_a_data_folder_that_is_a_file_has_no_store_and_is_to_be_moved_away(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    local = changed(changed(loaded, "postgres", url=None), "server", port=0)
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        found = await checks(local.model_copy(update={"data_dir": folder}), embedder, clock)
        assert results(found, "database") == ["failed"]
        assert found["database"].detail.endswith(f"{tmp_path / 'file'} is a file")
        assert found["database"].remedy.startswith("move it away, or ")
        assert "memory-bank.data-dir (MEMORY_BANK_DATA_DIR)" in found["database"].remedy


def test_what_is_in_the_way_of_a_cluster_is_not_taken_for_nothing(tmp_path: Path) -> None:
    assert not embedded.is_made(tmp_path)
    (tmp_path / "postgres" / "cluster").mkdir(parents=True)
    # a start makes it in an empty folder
    assert not embedded.is_made(tmp_path)
    (tmp_path / "postgres" / "cluster" / "base").mkdir()
    assert embedded.is_made(tmp_path)
    (tmp_path / "file").touch()
    assert embedded.is_made(tmp_path / "file")


async def test_notes_that_wait_are_not_counted_twice(
    loaded: Settings, app: App, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    await app.notes.add("default", Draft(content="green tea"), when=When.QUEUED)
    run(
        url, "TRUNCATE embeddings, postings, lexical_totals", "UPDATE notes SET embedded_by = NULL, tokenised_by = NULL"
    )
    found = (await checks(sound(loaded), embedder, clock))["notes"]
    assert "1 without vectors, 1 without terms, 1 being enriched" in found.detail
