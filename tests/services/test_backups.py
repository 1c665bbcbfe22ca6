"""Backups of the whole store: written while others work, verified, restored whole or not at all, made by schedule."""

import asyncio
import contextlib
import json
import os
import random
import resource
import stat
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from memory_bank import settings
from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.backups import FORMAT_VERSION, Manifest, Model, Part, Schedule
from memory_bank.domain.beliefs import EntityType, Statement
from memory_bank.domain.links import LinkType
from memory_bank.domain.notes import Change, Draft
from memory_bank.domain.recall import Query
from memory_bank.domain.working_memory import EventType
from memory_bank.errors import ConfigurationError, Conflict, InvalidInput, Unauthenticated
from memory_bank.providers import backup_files
from memory_bank.settings import Settings
from memory_bank.store import contents, schema
from tests.conftest import temporary_database
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.processes import killed_half_way
from tests.test_migrations import differences

QUESTIONS = ("who prefers green tea?", "gateway port", "迁移计划", "deploy pipeline", "rotate keys", "number 7")

_RESTORE = """
import asyncio, sys
from pathlib import Path
from memory_bank import settings
from memory_bank.bootstrap import Parts, open_app
from tests.fakes import FakeEmbedder

folder, url, file = sys.argv[1:]


def progress(done, total):
    # the second half is what is stored
    if done > total * 3 // 4:
        print("half way", flush=True)
        sys.stdin.read()


async def main():
    loaded = settings.load(
        environ={}, cwd=Path(folder), overrides={"postgres.url": url, "memory-bank.data-dir": folder}
    )
    async with open_app(loaded, parts=Parts(embedder=FakeEmbedder()), check_model=False) as app:
        await app.backups.restore(Path(file), replace=True, progress=progress)


asyncio.run(main())
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "all.zip"


@pytest.fixture
def other_url(server_url: str, template: str) -> Iterator[str]:
    """The URL of a second migrated, empty database."""
    with temporary_database(server_url, template=template) as made:
        yield made


@pytest.fixture
async def other(other_url: str, loaded: Settings, clock: FakeClock) -> AsyncIterator[App]:
    """The services on a second, empty database."""
    async with opened(loaded, other_url, clock=clock) as app:
        yield app


@contextlib.asynccontextmanager
async def opened(
    loaded: Settings, url: str, *, clock: FakeClock, embedder: FakeEmbedder | None = None, check: bool = True
) -> AsyncIterator[App]:
    there = settings.load(
        environ={},
        cwd=loaded.data_dir.parent,
        overrides={
            "postgres.url": url,
            "memory-bank.data-dir": str(loaded.data_dir),
            "memory.similarity-threshold": "0.2",
        },
    )
    parts = Parts(embedder=embedder or FakeEmbedder(), analyst=FakeAnalyst(), clock=clock)
    async with open_app(there, parts=parts, check_model=check) as app:
        yield app


async def fill(app: App) -> None:
    """Store something of every kind, in two banks."""
    for bank in ("default", "team.two"):
        texts = [
            "Ada prefers green tea; coffee makes her nervous.",
            "迁移计划在三月完成",
            "back\\slash \\N \t tab\nline\r\n🫖",
        ]
        notes = [(await app.notes.add(bank, Draft(content=each, tags=("a:b", "{,}")))).note for each in texts]
        await app.notes.add_all(bank, [Draft(content=f"Turn number {n}", session="s", position=n) for n in range(40)])
        await app.notes.add(bank, Draft(content="long " * 900 + "tail"))
        await app.notes.update(bank, notes[0].id, Change(context="what Ada drinks"))
        await app.links.link(bank, notes[0].id, notes[1].id, type=LinkType.CONTRAST, explanation="tea, not plans")
        await app.notes.delete(bank, notes[2].id)
        gateway = Statement(
            name="gateway", types=(EntityType.SERVICE,), facts=("port is 3211",), source="ada", tags={"k": "v"}
        )
        await app.beliefs.remember(bank, gateway)
        await app.beliefs.remember(bank, Statement(name="gateway", facts=("port is 8080",), aliases=("gw",)))
        await app.relations.relate(bank, "gateway", "depends on", "billing")
        await app.exchanges.observe(bank, user="How does the deploy pipeline run?", assistant="By tags.", session="s")
        task = (await app.tasks.start(bank, title="Rotate keys", goal="No key is older than a year")).task
        await app.tasks.done(bank, task.id, "all rotated")
        await app.tasks.start(bank, title="Write docs", goal="Docs are there")
        for n in range(30):
            await app.working_memory.push(bank, "s", f"event {n}", type=EventType.DECISION)
    await app.tokens.create("ada", banks=["default"])


def everything(url: str) -> dict[str, list[str]]:
    """Return every row of every table that an archive holds, as text."""
    with psycopg.connect(url) as connection:
        return {
            table: [
                row
                for (row,) in connection.execute(
                    sql.SQL("SELECT t::text FROM {} t ORDER BY 1").format(sql.Identifier(table))
                ).fetchall()
            ]
            for table in contents.archived()
        }


async def answers(app: App) -> list[list[tuple[str, float | None]]]:
    """Return what searches answer, without marking more than they would anyway."""
    return [
        [(each.note.content, each.score) for each in await app.recall.search(bank, Query(text=text))]
        for bank in ("default", "team.two")
        for text in QUESTIONS
    ]


def rewritten(file: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """Change the manifest of an archive, and nothing else."""
    made = file.with_name(f"changed-{uuid4().hex}.zip")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            content = old.read(entry)
            if entry == backup_files.MANIFEST:
                manifest = json.loads(content)
                change(manifest)
                content = json.dumps(manifest).encode()
            new.writestr(entry, content)
    return made


# What comes back.


async def test_everything_comes_back_into_an_empty_store_and_answers_the_same(
    app: App, url: str, other: App, other_url: str, file: Path
) -> None:
    await fill(app)
    assert [table for table, rows in everything(url).items() if not rows] == []
    made = await app.backups.backup(file)
    before = everything(url)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (made.size, made.notes, made.banks) == (file.stat().st_size, len(before["notes"]), 2)
    assert [each.name for each in file.parent.iterdir() if each.name != "data"] == [file.name]
    restored = await other.backups.restore(file)
    assert not restored.needs_reindex
    assert everything(other_url) == before
    assert {part.table: part.rows for part in restored.manifest.parts} == {
        name: len(rows) for name, rows in before.items()
    }
    assert differences(other_url) == []
    assert await answers(other) == await answers(app)


async def test_a_restored_store_goes_on(app: App, other: App, file: Path) -> None:
    await fill(app)
    await app.backups.backup(file)
    await other.backups.restore(file)
    added = await other.notes.add("default", Draft(content="Ada prefers green tea; coffee makes her nervous."))
    assert added.duplicate
    await other.notes.add("default", Draft(content="Something new about zeppelins"))
    assert [each.note.content for each in await other.recall.search("default", Query(text="zeppelins"))] == [
        "Something new about zeppelins"
    ]
    await other.working_memory.push("default", "s", "the next")
    assert [each.content for each in await other.working_memory.get("default", "s", limit=2)] == [
        "event 29",
        "the next",
    ]
    _, facts = await other.beliefs.entity("default", "gw")
    assert len(facts) == 2
    undone = next(each for each in facts if each.superseded_by is not None)
    assert undone.content == "port is 3211"


async def test_the_same_contents_give_the_same_archive(app: App, other: App, file: Path, tmp_path: Path) -> None:
    await fill(app)
    await app.backups.backup(file)
    await other.backups.restore(file)
    again = await other.backups.backup(tmp_path / "again.zip")
    with backup_files.reading(file) as one, backup_files.reading(Path(again.file)) as two:
        assert one.manifest.parts == two.manifest.parts
        assert one.manifest.id != two.manifest.id


async def test_notes_that_wait_for_enrichment_are_queued_again_after_a_restore(
    app: App, analyst: FakeAnalyst, other: App, file: Path, clock: FakeClock
) -> None:
    await app.notes.add_all("default", [Draft(content=f"waits {n}") for n in range(3)])
    await app.backups.backup(file)
    await other.backups.restore(file)
    assert (await other.maintenance.state()).queue.waiting == 0
    clock.advance(hours=1)
    assert await other.enrichment.sweep() == 3
    assert (await other.maintenance.state()).queue.waiting == 1


def test_every_table_is_backed_up_or_left_out_for_a_reason(url: str) -> None:
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        there = contents.shape(connection, "public")
    assert {table for (table,) in found} == {*contents.archived(), *contents.LEFT_OUT}
    assert all(contents.LEFT_OUT.values())
    assert {table: frozenset(columns) for table, columns in contents.archived().items()} == {
        table: frozenset(columns) for table, columns in there.items() if table not in contents.LEFT_OUT
    }


async def test_a_backup_is_of_one_moment_while_others_write(app: App, other: App, other_url: str, file: Path) -> None:
    await fill(app)
    ended = asyncio.Event()

    async def write(number: int) -> None:
        n = 0
        while not ended.is_set():
            n += 1
            await app.notes.add_all(
                "busy", [Draft(content=f"writer {number} note {n} piece {piece}") for piece in range(5)]
            )
            await app.beliefs.remember("busy", Statement(name=f"thing {number}", facts=(f"knows {n} {uuid4().hex}",)))

    writers = [asyncio.create_task(write(number)) for number in range(3)]
    try:
        for attempt in range(3):
            await app.backups.backup(file, overwrite=attempt > 0)
    finally:
        ended.set()
        await asyncio.gather(*writers)
    # references are checked when they are made anew: nothing points at what came later
    restored = await other.backups.restore(file)
    assert restored.manifest.rows_of("notes") > 80
    batches = rows_of(
        other_url,
        "SELECT count(*), count(DISTINCT p.note_id), count(DISTINCT e.note_id) FROM notes n "
        "LEFT JOIN (SELECT DISTINCT bank_id, note_id FROM postings) p ON (p.bank_id, p.note_id) = (n.bank_id, n.id) "
        "LEFT JOIN embeddings e ON (e.bank_id, e.note_id) = (n.bank_id, n.id) "
        "WHERE n.content LIKE 'writer%' GROUP BY substring(n.content FROM '.* piece')",
    )
    assert set(batches) == {(5, 5, 5)}


async def test_a_password_of_any_characters_serves_a_backup_and_a_restore(
    app: App, loaded: Settings, server_url: str, other_url: str, file: Path, clock: FakeClock
) -> None:
    await fill(app)
    password = "p@ss%w/rd:#1?&'é"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS mb_backup")
        connection.execute(sql.SQL("CREATE ROLE mb_backup SUPERUSER LOGIN PASSWORD {}").format(password))
    try:
        own = loaded.model_copy(
            update={
                "postgres": settings.load(
                    environ={
                        "POSTGRES_URL": other_url,
                        "POSTGRES_USERNAME": "mb_backup",
                        "POSTGRES_PASSWORD": password,
                    },
                    cwd=file.parent,
                    overrides={},
                ).postgres
            }
        )
        parts = Parts(embedder=FakeEmbedder(), analyst=FakeAnalyst(), clock=clock)
        await app.backups.backup(file)
        async with open_app(own, parts=parts) as there:
            await there.backups.restore(file)
            again = await there.backups.backup(file.with_name("again.zip"))
        assert again.notes == (await app.backups.last() or again).notes
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute("DROP OWNED BY mb_backup")
            connection.execute("DROP ROLE mb_backup")


# Where it may not go.


async def test_an_existing_file_stays_unless_it_may_be_overwritten(app: App, file: Path, tmp_path: Path) -> None:
    file.write_text("precious")
    with pytest.raises(InvalidInput, match="exists already"):
        await app.backups.backup(file)
    assert file.read_text() == "precious"
    await app.backups.backup(file, overwrite=True)
    for wrong in (tmp_path / "nowhere" / "a.zip", tmp_path / "\0.zip", tmp_path / ("x" * 300)):
        with pytest.raises(InvalidInput, match="cannot be written"):
            await app.backups.backup(wrong)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["all.zip"]


async def test_a_store_that_holds_something_is_replaced_only_on_request_and_whole(
    app: App, other: App, url: str, other_url: str, file: Path
) -> None:
    await fill(app)
    await app.backups.backup(file)
    await other.notes.add("mine", Draft(content="must not vanish unasked"))
    before = everything(other_url)
    with pytest.raises(Conflict, match="--replace"):
        await other.backups.restore(file)
    assert everything(other_url) == before
    await other.backups.restore(file, replace=True)
    assert everything(other_url) == everything(url)


async def test_tokens_of_the_store_stay_and_what_was_revoked_stays_revoked(app: App, other: App, file: Path) -> None:
    early = await app.tokens.create("early")
    await app.backups.backup(file)
    await app.tokens.revoke(early.token.prefix)
    late = await app.tokens.create("late")
    await app.backups.restore(file, replace=True)
    with pytest.raises(Unauthenticated):
        await app.tokens.authenticate(early.secret)
    await app.tokens.authenticate(late.secret)
    await other.tokens.create("here")
    with pytest.raises(Conflict, match="1 tokens"):
        await other.backups.restore(file)


async def test_another_embedding_model_is_refused_or_its_notes_embedded_anew(
    app: App, loaded: Settings, other_url: str, file: Path, clock: FakeClock
) -> None:
    await fill(app)
    await app.backups.backup(file)
    embedder = FakeEmbedder(name="small", dimensions=96)
    async with opened(loaded, other_url, clock=clock, embedder=embedder, check=False) as there:
        with pytest.raises(ConfigurationError, match="--reindex"):
            await there.backups.restore(file)
        assert everything(other_url)["banks"] == []
        assert (await there.backups.restore(file, reindex=True)).needs_reindex
        assert await there.maintenance.reindex(lambda done, total: None) > 80
        back = file.with_name("back.zip")
        await there.backups.backup(back)
    async with opened(loaded, other_url, clock=clock, embedder=embedder) as there:
        found = await there.recall.search("default", Query(text="Turn number 7", limit=1))
        assert [each.note.content for each in found] == ["Turn number 7"]
        # vectors of another length than the table takes at the moment
        assert (await app.backups.restore(back, replace=True, reindex=True)).needs_reindex


async def test_an_archive_of_another_length_of_vectors_fits_where_its_model_is_set(
    app: App, loaded: Settings, server_url: str, template: str, file: Path, clock: FakeClock
) -> None:
    embedder = FakeEmbedder(name="small", dimensions=96)
    with (
        temporary_database(server_url, template=template) as one,
        temporary_database(server_url, template=template) as two,
    ):
        async with opened(loaded, one, clock=clock, embedder=embedder) as there:
            await fill(there)
            await there.backups.backup(file)
        async with opened(loaded, two, clock=clock, embedder=FakeEmbedder()):
            pass
        async with opened(loaded, two, clock=clock, embedder=embedder, check=False) as there:
            await there.backups.restore(file)
            assert everything(two) == everything(one)
            assert len(await there.recall.search("default", Query(text="green tea"))) > 0


# Archives of other versions.


def older_archive(
    url: str, file: Path, revision: str, rows: dict[str, tuple[tuple[str, ...], str]], *, dimensions: int = 384
) -> None:
    """Write an archive as an older version would: of the tables that there were, empty but for `rows`."""
    with schema.connected(url) as connection:
        schema.upgrade(connection, revision)
    with psycopg.connect(url) as connection:
        shape = contents.shape(connection, "public")
    with file.open("w+b") as stream, backup_files.Writer(stream) as writer:
        parts = []
        for table, columns in shape.items():
            if table in contents.LEFT_OUT:
                continue
            own, text = rows.get(table, (columns, ""))
            parts.append(writer.add(table, own, iter([text.encode()] if text else [])))
        writer.finish(
            Manifest(
                id=uuid4(),
                format_version=FORMAT_VERSION,
                product_version="0.0.1",
                schema_revision=revision,
                postgresql="18",
                created_at=FakeClock().now(),
                model=Model(name="words", dimensions=dimensions, complete=True),
                parts=tuple(parts),
            )
        )


NOTE = "0199c2d4-0000-7000-8000-000000000001"
OLD_ROWS = {
    "banks": (("id", "created_at"), "old\t2026-01-01 00:00:00+00\n"),
    "embedding_model": (("singleton", "name", "dimensions", "complete"), "t\twords\t384\tt\n"),
    "notes": (
        (
            *("bank_id", "id", "kind", "content", "content_hash", "keywords", "context", "context_given", "tags"),
            *("given_tags", "session", "position", "occurred_at", "updated_at", "deleted_at", "last_accessed"),
            *("retrieval_count", "enrichment", "enrichment_error", "enrichment_attempts", "analysed_by", "embedded_by"),
            "tokenised_by",
        ),
        f"old\t{NOTE}\tnote\tkept since long ago\t\\\\x00\t{{}}\t\tf\t{{}}\t{{}}\t\\N\t\\N\t2026-01-01 00:00:00+00\t"
        "2026-01-01 00:00:00+00\t\\N\t0\t0\tdone\t\t0\t\\N\t\\N\t\\N\n",
    ),
}


@pytest.mark.parametrize("filled", [False, True])
async def test_an_archive_of_an_older_schema_is_migrated_as_it_comes_in(
    app: App, url: str, empty_url: str, file: Path, filled: bool
) -> None:
    older_archive(empty_url, file, "2026_11_29_lexical", OLD_ROWS)
    if filled:
        await fill(app)
    await app.backups.restore(file, replace=filled)
    ((content, reach),) = rows_of(url, "SELECT content, reach FROM notes")
    assert (content, reach) == ("kept since long ago", "full")
    assert differences(url) == []
    assert rows_of(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'restoring%'") == []
    assert await app.maintenance.tokenise() == 1
    await app.notes.add("old", Draft(content="and something new"))
    assert [each.note.content for each in await app.recall.search("old", Query(text="kept long ago"))] == [
        "kept since long ago"
    ]


async def test_an_older_archive_of_another_length_of_vectors_is_migrated_and_embedded_anew(
    app: App, url: str, empty_url: str, file: Path
) -> None:
    columns, text = OLD_ROWS["embedding_model"]
    vector = (("bank_id", "note_id", "window_index", "embedding"), f"old\t{NOTE}\t0\t[1,0,0]\n")
    shorter = {**OLD_ROWS, "embedding_model": (columns, text.replace("384", "3")), "embeddings": vector}
    older_archive(empty_url, file, "2026_11_29_lexical", shorter, dimensions=3)
    assert (await app.backups.restore(file, reindex=True)).needs_reindex
    assert await app.maintenance.reindex(lambda done, total: None) == 1
    assert rows_of(url, "SELECT vector_dims(embedding) FROM embeddings") == [(384,)]
    assert differences(url) == []


async def test_an_older_archive_whose_migration_meets_bad_rows_changes_nothing(
    app: App, url: str, empty_url: str, file: Path
) -> None:
    columns, text = OLD_ROWS["notes"]
    older_archive(
        empty_url, file, "2026_11_29_lexical", {**OLD_ROWS, "notes": (columns, text.replace("old\t", "gone\t"))}
    )
    await fill(app)
    before = everything(url)
    with pytest.raises(InvalidInput, match="do not take"):
        await app.backups.restore(file, replace=True)
    assert everything(url) == before


def rows_of(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda manifest: manifest.update(format_version=99, manifest={"of": "another shape"}), "newer Memory Bank"),
        (lambda manifest: manifest["manifest"].update(schema_revision="2999_01_01_future"), "upgrade this program"),
        (lambda manifest: manifest.update(kind="holiday photos"), "no backup of Memory Bank"),
        (lambda manifest: manifest["manifest"]["parts"][0].update(rows=7), "not what its manifest says"),
        (lambda manifest: manifest["manifest"]["parts"][0].update(size=1), "not what its manifest says"),
        (lambda manifest: manifest["manifest"]["parts"][1].update(sha256="00"), "not what its manifest says"),
        (lambda manifest: manifest["manifest"]["parts"].pop(), "each once"),
        (lambda manifest: manifest["manifest"]["parts"].append(manifest["manifest"]["parts"][0]), "contradicts"),
        (lambda manifest: manifest["manifest"]["parts"][0].update(table="../../etc/passwd"), "each once"),
        (
            lambda manifest: manifest["manifest"]["parts"][1].update(columns=["id; DROP TABLE notes"]),
            "tables of revision",
        ),
        (lambda manifest: manifest["manifest"].update(schema_revision="2026_11_29_lexical"), "tables of revision"),
        (
            lambda manifest: manifest["manifest"].update(model={"name": "x", "dimensions": -1, "complete": True}),
            "contradicts",
        ),
        (lambda manifest: manifest.pop("manifest"), "manifest cannot be read"),
        (lambda manifest: manifest.update(padding="x" * backup_files.MANIFEST_LIMIT), "no backup of Memory Bank"),
    ],
)
async def test_an_archive_that_is_newer_or_was_tampered_with_is_refused_and_changes_nothing(
    app: App, url: str, file: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    await app.notes.add("default", Draft(content="stays"))
    await app.backups.backup(file)
    before = everything(url)
    with pytest.raises(InvalidInput, match=said):
        await app.backups.restore(rewritten(file, change), replace=True)
    assert everything(url) == before


async def test_rows_that_no_table_takes_are_refused_although_their_hashes_are_right(
    app: App, url: str, file: Path
) -> None:
    await fill(app)
    await app.backups.backup(file)
    before = everything(url)
    with backup_files.reading(file) as reader:
        manifest = reader.manifest
        held = {part.table: b"".join(reader.blocks(part)) for part in manifest.parts}
    banks = held["banks"].splitlines(keepends=True)
    for table, text in (
        ("banks", b"no such column\n"),
        ("banks", banks[0]),
        ("banks", held["banks"] + banks[0]),
        ("banks", held["banks"].rstrip(b"\n")),
        ("notes", held["notes"].replace(b"\tdone\t", b"\tDONE\t")),
        ("notes", b"\xff\xfe" + held["notes"]),
        ("embeddings", held["embeddings"].replace(b"[", b"[1,")),
        ("working_memory", held["working_memory"] + b"\\.\n"),
    ):
        made = file.with_name(f"forged-{uuid4().hex}.zip")
        with made.open("w+b") as stream, backup_files.Writer(stream) as writer:
            changed = {**held, table: text}
            parts = [writer.add(part.table, part.columns, iter([changed[part.table]])) for part in manifest.parts]
            writer.finish(replace(manifest, parts=tuple(parts)))
        with pytest.raises(InvalidInput):
            await app.backups.restore(made, replace=True)
        assert everything(url) == before


async def test_every_damaged_byte_is_found_or_harmless(app: App, file: Path, tmp_path: Path) -> None:
    await app.notes.add("default", Draft(content="precious"))
    await app.backups.backup(file)
    whole = file.read_bytes()
    with backup_files.reading(file) as reader:
        right = [b"".join(reader.blocks(part)) for part in reader.manifest.parts]
        manifest = reader.manifest
    damaged, refused = tmp_path / "damaged.zip", 0
    places = [*range(0, len(whole), max(1, len(whole) // 1_500)), *range(len(whole) - 400, len(whole))]
    for place in places:
        damaged.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        try:
            with backup_files.reading(damaged) as reader:
                assert [b"".join(reader.blocks(part)) for part in reader.manifest.parts] == right
                assert reader.manifest == manifest
        except InvalidInput:
            refused += 1
    assert refused > len(places) // 2
    for length in range(0, len(whole), max(1, len(whole) // 200)):
        damaged.write_bytes(whole[:length])
        with pytest.raises(InvalidInput):
            await app.backups.inspect(damaged)


async def test_what_is_no_archive_is_refused_by_name(app: App, file: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    file.write_text("hello")
    strange = tmp_path / "strange.zip"
    with zipfile.ZipFile(strange, "w") as archive:
        archive.writestr("../escape.txt", "x")
    await app.backups.backup(tmp_path / "good.zip")
    extra = rewritten(tmp_path / "good.zip", lambda manifest: None)
    with zipfile.ZipFile(extra, "a") as archive:
        archive.writestr("../../escape.txt", "x")
    bomb = rewritten(tmp_path / "good.zip", lambda manifest: manifest["manifest"]["parts"][0].update(rows=0, size=5))
    for wrong in (tmp_path, tmp_path / "pipe", tmp_path / "nothing", file, strange, extra, bomb, tmp_path / "\0"):
        with pytest.raises(InvalidInput) as caught:
            await app.backups.restore(wrong, replace=True)
        assert wrong.name.strip("\0") in str(caught.value)
    assert not (tmp_path.parent / "escape.txt").exists()


def test_no_more_of_an_entry_is_unpacked_than_its_manifest_says(tmp_path: Path) -> None:
    file = tmp_path / "bomb.zip"
    with file.open("w+b") as stream, backup_files.Writer(stream) as writer:
        part = writer.add("banks", ("id", "created_at"), iter([b"\n" * (1 << 20)] * 200))
        writer.finish(
            Manifest(
                id=uuid4(),
                format_version=FORMAT_VERSION,
                product_version="1",
                schema_revision="x",
                postgresql="18",
                created_at=FakeClock().now(),
                model=None,
                parts=(replace(part, size=1_000),),
            )
        )
    assert file.stat().st_size < 2_000_000
    with backup_files.reading(file) as reader:
        blocks = reader.blocks(reader.manifest.parts[0])
        with pytest.raises(InvalidInput, match="not what its manifest says"):
            next(blocks)


# Killed, stopped, in the way of others.


async def test_a_restore_killed_half_way_leaves_the_store_as_it_was(
    app: App, url: str, other: App, other_url: str, file: Path, tmp_path: Path
) -> None:
    await fill(app)
    await app.backups.backup(file)
    await other.notes.add("mine", Draft(content="what was there before"))
    before = everything(other_url)
    await killed_half_way("-c", _RESTORE, str(tmp_path), other_url, str(file))
    # waits until PostgreSQL has noticed, as the tables are locked until then
    assert await asyncio.to_thread(everything, other_url) == before
    assert differences(other_url) == []
    await other.backups.restore(file, replace=True)
    assert everything(other_url) == everything(url)


async def test_a_backup_that_is_given_up_leaves_no_file(app: App, file: Path, tmp_path: Path) -> None:
    await fill(app)
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def progress(done: int, total: int) -> None:
        loop.call_soon_threadsafe(begun.set)

    running = asyncio.create_task(app.backups.backup(file, progress=progress))
    await begun.wait()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert [each.name for each in tmp_path.iterdir() if each.name not in ("data", file.name)] == []
    if file.exists():
        # it had ended before it could be given up
        assert (await app.backups.inspect(file)).rows_of("banks") == 2


async def test_a_disk_that_is_full_ends_a_backup_with_its_reason_and_leaves_no_file(app: App, file: Path) -> None:
    draw = random.Random(1)
    texts = [" ".join(f"{draw.getrandbits(64):x}" for _ in range(200)) for _ in range(400)]
    await app.notes.add_all("default", [Draft(content=each) for each in texts])
    largest, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
    try:
        with pytest.raises(InvalidInput, match="cannot be written"):
            await app.backups.backup(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, most))
    assert [each.name for each in file.parent.iterdir() if each.suffix == ".tmp"] == []
    assert (await app.backups.backup(file)).notes == len(texts)


async def test_callers_that_work_in_the_store_while_it_is_replaced_wait_and_go_on(
    app: App, url: str, file: Path
) -> None:
    await fill(app)
    await app.backups.backup(file)
    held = len(everything(url)["notes"])
    ended = asyncio.Event()

    async def work(number: int) -> int:
        n = 0
        while not ended.is_set():
            n += 1
            await app.notes.add_all("busy", [Draft(content=f"writer {number} note {n}")])
            await app.recall.search("default", Query(text="green tea"))
        return n

    working = [asyncio.create_task(work(number)) for number in range(3)]
    try:
        for _ in range(3):
            await app.backups.restore(file, replace=True)
    finally:
        ended.set()
        assert min(await asyncio.gather(*working)) > 0
    assert len([row for row in everything(url)["notes"] if not row.startswith("(busy,")]) == held
    assert (await app.recall.search("default", Query(text="green tea")))[0].note.content.startswith("Ada")


# Snapshots.


def scheduled(app: App, folder: Path, *, keep: int = 2) -> Schedule:
    app.backups.schedule = Schedule(folder=folder, interval=timedelta(hours=1), keep=keep)
    return app.backups.schedule


async def test_snapshots_are_made_when_due_and_the_newest_are_kept(app: App, clock: FakeClock, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    scheduled(app, folder)
    assert await app.backups.snapshot_if_due() is None
    assert not folder.exists()
    await app.notes.add("default", Draft(content="worth keeping"))
    first = await app.backups.snapshot_if_due()
    assert first is not None
    assert await app.backups.snapshot_if_due() is None
    made = [first]
    for _ in range(3):
        clock.advance(hours=1)
        snapshot = await app.backups.snapshot_if_due()
        assert snapshot is not None
        made.append(snapshot)
    assert sorted(map(str, folder.iterdir())) == [each.file for each in made[-2:]]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert await app.backups.list() == made[:-3:-1]
    assert await app.backups.last() == made[-1]
    clock.advance(days=-400)
    assert await app.backups.snapshot_if_due() is not None
    assert await app.backups.snapshot_if_due() is None


async def test_pruning_deletes_nothing_that_it_has_not_made(app: App, clock: FakeClock, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    folder.mkdir()
    await app.notes.add("default", Draft(content="worth keeping"))
    by_hand = await app.backups.backup(folder / "memory-bank-20200101T000000Z.zip")
    (folder / "notes.txt").write_text("mine")
    scheduled(app, folder, keep=1)
    first = await app.backups.snapshot_if_due()
    assert first is not None
    # somebody keeps another archive under the name of a snapshot
    Path(first.file).write_bytes(Path(by_hand.file).read_bytes())
    for _ in range(3):
        clock.advance(hours=1)
        last = await app.backups.snapshot_if_due()
    assert last is not None
    kept = {Path(each).name for each in (by_hand.file, first.file, last.file)} | {"notes.txt"}
    assert {each.name for each in folder.iterdir()} == kept


async def test_of_several_processes_one_makes_the_snapshot(
    app: App, url: str, loaded: Settings, clock: FakeClock, tmp_path: Path
) -> None:
    await app.notes.add("default", Draft(content="worth keeping"))
    async with opened(loaded, url, clock=clock) as second, opened(loaded, url, clock=clock) as third:
        apps = (app, second, third)
        for each in apps:
            scheduled(each, tmp_path / "snapshots")
        made = await asyncio.gather(*(each.backups.snapshot_if_due() for each in apps for _ in range(2)))
    assert len([each for each in made if each is not None]) == 1
    assert len(list((tmp_path / "snapshots").iterdir())) == 1


async def test_a_snapshot_that_cannot_be_written_is_due_again(app: App, tmp_path: Path) -> None:
    await app.notes.add("default", Draft(content="worth keeping"))
    (tmp_path / "taken").write_text("a file where the folder should be")
    scheduled(app, tmp_path / "taken" / "snapshots")
    with pytest.raises(InvalidInput, match=r"backup\.dir"):
        await app.backups.snapshot_if_due()
    scheduled(app, tmp_path / "snapshots")
    assert await app.backups.snapshot_if_due() is not None


async def test_what_a_killed_process_left_of_a_snapshot_is_removed_later(
    app: App, clock: FakeClock, tmp_path: Path
) -> None:
    folder = tmp_path / "snapshots"
    folder.mkdir()
    stale, fresh = (folder / f".memory-bank-2026{name}.zip.x{name}.tmp" for name in ("0101", "0102"))
    for each in (stale, fresh):
        each.write_bytes(b"half")
    os.utime(stale, (1, 1))
    await app.notes.add("default", Draft(content="worth keeping"))
    scheduled(app, folder)
    await app.backups.snapshot_if_due()
    assert (stale.exists(), fresh.exists()) == (False, True)


def test_snapshots_are_on_for_the_embedded_server_and_asked_for_elsewhere(tmp_path: Path) -> None:
    def read(**overrides: str) -> Schedule | None:
        given = {
            "memory-bank.data-dir": str(tmp_path),
            **{key.replace("_", "."): value for key, value in overrides.items()},
        }
        return settings.load(environ={}, cwd=tmp_path, overrides=given).snapshots()

    assert read() == Schedule(folder=tmp_path / "backups", interval=timedelta(days=1), keep=7)
    assert read(backup_interval="0") is None
    elsewhere = {"postgres_url": "postgresql://db/memories"}
    assert read(**elsewhere) is None
    assert read(**elsewhere, backup_dir="snaps", backup_keep="3") == Schedule(
        folder=tmp_path / "snaps", interval=timedelta(days=1), keep=3
    )


def test_a_part_knows_its_table() -> None:
    part = Part(table="notes", columns=("id",), rows=2, size=3, sha256="x")
    manifest = Manifest(
        id=uuid4(),
        format_version=1,
        product_version="1",
        schema_revision="x",
        postgresql="18",
        created_at=FakeClock().now(),
        model=None,
        parts=(part,),
    )
    assert (manifest.rows, manifest.rows_of("notes"), manifest.rows_of("links")) == (2, 2, 0)
