"""Notes and their terms change together, and notes from before the lexical index get theirs."""

import asyncio
from uuid import UUID

import psycopg
import pytest

from memory_bank.bootstrap import App
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Change, Draft, When
from memory_bank.errors import Conflict
from memory_bank.providers.tokens import NAME, UnicodeTokeniser
from memory_bank.settings import Settings
from memory_bank.store import lexical
from memory_bank.store.database import Database
from tests.fakes import FakeEmbedder

BANK = "default"
PATIENCE = 60

tokeniser = UnicodeTokeniser()


async def add(app: App, *contents: str, bank: str = BANK) -> list[UUID]:
    return [each.id for each in await app.notes.add_all(bank, [Draft(content=text) for text in contents]) if each.id]


async def hits(loaded: Settings, text: str, bank: str = BANK) -> list[UUID]:
    """Return the notes that the lexical arm finds, best first."""
    assert loaded.postgres.url is not None
    database = Database(loaded.postgres.conninfo())
    try:
        async with database.transaction(bank) as tx:
            _, found = await lexical.search(tx, tokeniser.asked(text).terms, wanted=Filter(), pool=30)
    finally:
        await database.close()
    return list(found)


def rows(loaded: Settings, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(loaded.postgres.conninfo()) as connection:
        return connection.execute(statement.encode()).fetchall()


def require_sound(loaded: Settings) -> None:
    """Check that only live notes have terms, and that the totals are those of the terms."""
    assert rows(loaded, "SELECT FROM postings p JOIN notes n ON n.id = p.note_id WHERE n.deleted_at IS NOT NULL") == []
    assert rows(loaded, "SELECT FROM notes WHERE deleted_at IS NULL AND tokenised_by IS NULL") == []
    wrong = """
        SELECT p.bank_id
        FROM (SELECT bank_id, count(DISTINCT note_id) AS notes, sum(frequency) AS length FROM postings GROUP BY 1) AS p
        FULL JOIN (
            SELECT bank_id, sum(notes) AS notes, sum(length) AS length FROM lexical_totals GROUP BY 1
        ) AS t ON t.bank_id = p.bank_id
        WHERE (coalesce(p.notes, 0), coalesce(p.length, 0)) <> (t.notes, t.length) OR t.notes IS NULL
    """
    assert rows(loaded, wrong) == []


async def test_a_note_is_found_by_its_words_as_soon_as_it_is_added(app: App, loaded: Settings) -> None:
    first, _ = await add(app, "the spare key is under the blue pot", "the invoice number is forty two")
    assert await hits(loaded, "where are the spare keys?") == [first]
    third = await app.notes.add(BANK, Draft(content="libsimdjson 3.1 broke foo.bar/baz"))
    assert await hits(loaded, "foo.bar/baz") == [third.note.id]
    require_sound(loaded)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("夜间备份任务因为磁盘配额不足而中断", "磁盘配额不足"),
        ("夜间备份任务因为磁盘配额不足而中断", "备份"),
        ("用 redis 做缓存层", "redis 缓存"),
        ("サーバー移行計画", "移行計画"),
        ("데이터베이스마이그레이션", "마이그레이션"),
    ],
)
async def test_text_without_spaces_is_found_by_its_parts(app: App, loaded: Settings, text: str, query: str) -> None:
    others = ["明天去医院看牙医", "新しい猫の名前", "점심 메뉴 추천", "the cache of a web page", "每周五下午开会"]
    id, *_ = await add(app, text, *others)
    assert (await hits(loaded, query))[:1] == [id]


async def test_duplicates_and_refused_notes_add_no_terms(app: App, loaded: Settings) -> None:
    await add(app, "one text", "one text", "   ", "another text")
    await add(app, "one text")
    require_sound(loaded)
    assert len(await hits(loaded, "text")) == 2


async def test_a_new_text_replaces_the_terms_and_a_refused_one_does_not(app: App, loaded: Settings) -> None:
    id, _ = await add(app, "cats like warm windows", "taken")
    await app.notes.update(BANK, id, Change(content="quarterly taxes"))
    assert await hits(loaded, "cats windows") == []
    assert await hits(loaded, "tax") == [id]
    with pytest.raises(Conflict):
        await app.notes.update(BANK, id, Change(content="taken"))
    await app.notes.update(BANK, id, Change(add_tags=("only",)))
    assert await hits(loaded, "tax") == [id]
    require_sound(loaded)


async def test_a_deleted_note_leaves_no_terms_and_its_text_may_come_back(app: App, loaded: Settings) -> None:
    id, _ = await add(app, "the red boat sails", "a blue house")
    await app.notes.delete(BANK, id, preview=True)
    assert await hits(loaded, "boats") == [id]
    await app.notes.delete(BANK, id)
    assert await hits(loaded, "boats") == []
    require_sound(loaded)
    (again,) = await add(app, "the red boat sails")
    assert await hits(loaded, "boats") == [again]
    require_sound(loaded)


async def test_terms_need_no_embedding_model(app: App, loaded: Settings, embedder: FakeEmbedder) -> None:
    embedder.down = True
    (id,) = await add(app, "stored without a vector")
    assert await hits(loaded, "vectors") == [id]


async def test_forty_callers_leave_terms_and_totals_right(app: App, loaded: Settings) -> None:
    shared, *ids = await add(app, "shared note", *(f"note number {n}" for n in range(40)))

    async def work(n: int) -> None:
        await app.notes.update(BANK, shared, Change(content=f"shared note in version {n}"))
        await app.notes.add(BANK, Draft(content=f"text of caller {n}"), when=When.QUEUED)
        if n % 2:
            await app.notes.delete(BANK, ids[n])
        else:
            await app.notes.update(BANK, ids[n], Change(content=f"changed by caller {n}"))

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*map(work, range(40)))
    require_sound(loaded)
    assert len(await hits(loaded, "caller")) == 30
    assert await hits(loaded, "version") == [shared]


async def test_notes_of_before_get_their_terms_once_from_any_number_of_runs(app: App, loaded: Settings) -> None:
    await add(app, *(f"older note {n} about harbours" for n in range(250)))
    other, gone = await add(app, "an older note of another bank", "deleted since", bank="other")
    await app.notes.delete("other", gone)
    with psycopg.connect(loaded.postgres.conninfo()) as connection:
        connection.execute("UPDATE notes SET tokenised_by = NULL")
        connection.execute("DELETE FROM postings WHERE bank_id = 'other'")
        connection.execute("DELETE FROM lexical_totals WHERE bank_id = 'other'")
        connection.execute("UPDATE notes SET tokenised_by = 'an older rule' WHERE content LIKE '%7%'")
    async with asyncio.timeout(PATIENCE):
        done = await asyncio.gather(*(app.maintenance.tokenise() for _ in range(3)))
    assert sum(done) == 251
    assert await app.maintenance.tokenise() == 0
    require_sound(loaded)
    assert rows(loaded, "SELECT DISTINCT tokenised_by FROM notes WHERE deleted_at IS NULL") == [(NAME,)]
    assert await hits(loaded, "older notes", bank="other") == [other]
    assert len(await hits(loaded, "harbour")) == 30


async def test_hostile_queries_find_something_sensible_and_never_fail(app: App, loaded: Settings) -> None:
    (id, _) = await add(app, "robert'); DROP TABLE postings; -- said hello 🎉", "something else entirely")
    for text in (
        "' OR 1=1 --",
        "robert'); DROP TABLE postings; --",
        "hello & | ! <-> :* (",
        '"unbalanced hello',
        "hello* %hello% _ello",
        "hello " * 1_666,
        "🎉",
        "he\u200bllo",
        "HELLO\u0301" + "\u0301" * 5_000 + " hello",
        "xyz " + " ".join(f"w{n}" for n in range(1_500)) + " hello"[:0],
        "the of and",
        "?!.,;:",
        "\u202e\u2066",
    ):
        found = await hits(loaded, text)
        assert set(found) <= {id}
        assert bool(found) == ("hello" in text or "robert" in text or text in ("🎉", "he\u200bllo"))
