"""Observing, merging, archiving and forgetting exchanges, on a real database."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from memory_bank.bootstrap import App
from memory_bank.domain import exchanges, references
from memory_bank.domain.exchanges import Exchange
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Draft, Kind, When
from memory_bank.domain.recall import Query
from memory_bank.errors import InvalidInput, NotFound
from memory_bank.providers import tokens
from memory_bank.services.exchanges import ExchangeService, Observed
from memory_bank.services.working_memory import WorkingMemoryService
from memory_bank.services.writing import NoteWriter
from memory_bank.store import exchanges as rows
from memory_bank.store.database import Database
from tests.fakes import FakeClock, FakeEmbedder

BANK = "default"
PATIENCE = 60


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = Database(url)
    yield opened
    await opened.close()


@pytest.fixture
def service(app: App, database: Database, embedder: FakeEmbedder, clock: FakeClock) -> ExchangeService:
    return over(app, database, embedder, clock)


def over(app: App, database: Database, embedder: FakeEmbedder, clock: FakeClock) -> ExchangeService:
    """Return a service on connections of its own, as another process has them."""
    writer = NoteWriter(
        jobs=app.jobs,
        embedder=embedder,
        tokeniser=tokens.UnicodeTokeniser(),
        enrichment=app.enrichment,
        clock=clock,
        inline_limit=timedelta(seconds=10),
    )
    return ExchangeService(database=database, writer=writer, embedder=embedder, clock=clock)


async def say(service: ExchangeService, user: str, assistant: str = "", bank: str = BANK, **more: object) -> Observed:
    return await service.observe(bank, **{"user": user, "assistant": assistant, "session": "s", **more})  # type: ignore[arg-type]


async def found(app: App, text: str, bank: str = BANK) -> list[str]:
    return [each.note.content for each in await app.recall.search(bank, Query(text=text, limit=20))]


async def test_an_observed_exchange_has_every_field_and_can_be_recalled(
    app: App, service: ExchangeService, clock: FakeClock
) -> None:
    observed = await say(service, "How do I deploy?", "Run make deploy.", project="Atlas", tags=("Ops",))
    exchange = observed.exchange
    assert not observed.merged
    assert (exchange.user, exchange.assistant, exchange.session) == ("How do I deploy?", "Run make deploy.", "s")
    assert exchange.tags == ("project:atlas", "ops")
    assert exchange.timestamp == clock.now()
    assert exchange.importance == 0.40
    assert not exchange.importance_given
    assert exchange.repeats == 0
    assert not exchange.archived
    assert await service.get(BANK, exchange.id) == exchange
    (note,) = [each.note for each in await app.notes.get(BANK, [exchange.id])]
    assert note.kind is Kind.EXCHANGE
    assert note.content == "User: How do I deploy?\nAssistant: Run make deploy."
    assert await found(app, "make deploy") == [note.content]


async def test_exchanges_stand_in_their_session_one_after_the_other_and_after_its_notes(
    app: App, service: ExchangeService
) -> None:
    await app.notes.add(BANK, Draft(content="the opening words", session="s", position=6))
    ids = [(await say(service, text)).exchange.id for text in ("apples grow", "trains are late", "rivers flood")]
    other = await say(service, "mountains erode", session="t")
    alone = await say(service, "deserts spread", session=None)
    notes = [each.note for each in await app.notes.get(BANK, [*ids, other.exchange.id, alone.exchange.id])]
    assert [(note.session, note.position) for note in notes] == [("s", 7), ("s", 8), ("s", 9), ("t", 0), (None, None)]


async def test_a_session_at_the_last_position_takes_further_exchanges(app: App, service: ExchangeService) -> None:
    await app.notes.add(BANK, Draft(content="the end", session="s", position=2**31 - 1))
    observed = await say(service, "one more thing")
    (note,) = [each.note for each in await app.notes.get(BANK, [observed.exchange.id])]
    assert note.position == 2**31 - 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"user": "\u200b", "assistant": " "}, "user"),
        ({"user": "u" * 100_000}, "user"),
        ({"assistant": "a" * 100_000}, "assistant"),
        ({"importance": 1.5}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"session": "s" * 201}, "session"),
        ({"tags": ("t" * 101,)}, "tags"),
        ({"project": "p" * 101}, "project"),
    ],
)
async def test_a_value_out_of_bounds_is_refused_by_its_field(
    service: ExchangeService, given: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await say(service, **{"user": "x", "assistant": "y", **given})  # type: ignore[arg-type]
    assert caught.value.field == field
    assert (await service.browse(BANK)).total == 0


async def test_one_side_may_be_blank_and_the_longest_exchange_is_kept_whole(service: ExchangeService) -> None:
    limit = 100_000 - len(exchanges.written("", ""))
    assert (await say(service, "", "an answer\x00 alone")).exchange.assistant == "an answer alone"
    longest = await say(service, "u " * 100, "a " * ((limit - 200) // 2))
    assert len((await service.get(BANK, longest.exchange.id)).assistant) == limit - 200


async def test_an_exchange_said_again_in_nearly_the_same_words_is_merged(
    app: App, service: ExchangeService, clock: FakeClock
) -> None:
    first = await say(service, "How do I reset my password on the site", "Open the settings page and press reset")
    clock.advance(hours=3)
    again = await say(
        service, "How do I reset my password on this site", "Open the settings page and press reset", session="later"
    )
    assert again.merged
    assert again.exchange.id == first.exchange.id
    assert again.exchange.repeats == 1
    assert again.exchange.timestamp == first.exchange.timestamp
    (taken,) = again.exchange.merged
    assert (taken.user, taken.at) == ("How do I reset my password on this site", clock.now())
    assert (await app.notes.browse(BANK, wanted=Filter())).total == 1


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The gateway of the office listens on port 8080", "The gateway of the office listens on port 9090"),
        ("Did it work? Yes, the nightly deploy succeeded", "Did it work? Yes, the nightly deploy failed"),
        ("I can now log in with my old account at work", "I can not log in with my old account at work"),
        ("I told you that the customer called Ada lives there", "I told you that the customer called Ben lives there"),
        ("The service of the team runs on v1.4.2 in the lab", "The service of the team runs on v1.4.3 in the lab"),
    ],
)
async def test_what_corrects_a_similar_exchange_is_kept_apart(
    service: ExchangeService, embedder: FakeEmbedder, earlier: str, later: str
) -> None:
    padding = "as we said before in the long meeting about this and that and all of the rest of it"
    one, other = await embedder.embed_documents([f"{earlier}, {padding}", f"{later}, {padding}"])
    assert float(one[0] @ other[0]) > exchanges.SIMILARITY
    await say(service, f"{earlier}, {padding}")
    observed = await say(service, f"{later}, {padding}")
    assert not observed.merged
    assert (await service.browse(BANK)).total == 2


async def test_exactly_the_same_exchange_is_merged_however_long_ago_it_was(service: ExchangeService) -> None:
    first = await say(service, "thanks", "you are welcome")
    for number in range(exchanges.RECENT + 1):
        await say(service, f"question {number} about topic{number} and theme{number}", f"answer{number}")
    again = await say(service, "thanks", "you are welcome")
    assert again.merged
    assert again.exchange.id == first.exchange.id
    elsewhere = await say(service, "thanks", "you are welcome", session="another")
    assert not elsewhere.merged


async def test_without_the_embedder_words_decide_what_is_merged(
    service: ExchangeService, embedder: FakeEmbedder
) -> None:
    text = "please summarise the notes of the meeting that we had about the budget of the museum"
    first = await say(service, text, "here it is")
    embedder.down = True
    assert (await say(service, f"{text} now", "here it is")).exchange.id == first.exchange.id
    assert not (await say(service, "please summarise the report", "here it is")).merged
    assert not (await say(service, "please summarise report 7", "here it is")).merged
    assert (await say(service, "please summarise the report", "here it is", session="x")).merged


async def test_of_two_long_exchanges_that_begin_alike_neither_swallows_the_other(service: ExchangeService) -> None:
    pasted = " ".join(f"line{number}" for number in range(400))
    alike = pasted.replace("line", "row of words ")
    await say(service, alike, "the first file is about whales and their songs under water")
    observed = await say(
        service, alike + " and then " + "gardens need rain " * 150, "the second file is about gardening"
    )
    assert not observed.merged


async def test_what_was_said_within_another_project_is_kept_apart(service: ExchangeService) -> None:
    await say(service, "which database do we use here", "we use the usual one", project="atlas")
    observed = await say(service, "which database do we use here", "we use the usual one!", project="borealis")
    assert not observed.merged


async def test_a_merge_keeps_the_higher_importance_and_every_tag(app: App, service: ExchangeService) -> None:
    await say(service, "we decided this", "noted", importance=0.3, tags=("a",))
    again = await say(service, "we decided this", "noted", importance=0.9, tags=("b",))
    lower = await say(service, "we decided this", "noted", importance=0.1)
    assert (again.exchange.importance, again.exchange.importance_given) == (0.9, True)
    assert lower.exchange.importance == 0.9
    assert lower.exchange.tags == ("a", "b")
    (note,) = [each.note for each in await app.notes.get(BANK, [lower.exchange.id])]
    assert note.tags[:2] == ("a", "b")


async def test_an_exchange_keeps_the_words_of_the_last_twenty_that_it_took_in(
    service: ExchangeService, clock: FakeClock
) -> None:
    for _ in range(25):
        observed = await say(service, "are we there yet", "nearly")
        clock.advance(minutes=1)
    assert observed.exchange.repeats == 24
    assert len(observed.exchange.merged) == exchanges.MERGED_KEPT
    moments = [each.at for each in observed.exchange.merged]
    assert moments == sorted(moments)
    assert moments[-1] == clock.now() - timedelta(minutes=1)


async def test_forty_callers_of_two_processes_lose_and_double_nothing(
    app: App, service: ExchangeService, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    second = Database(url)
    services = [service, over(app, second, embedder, clock)]
    texts = [f"unique{number} topic{number}" for number in range(20)]
    # twenty texts, each said twice, at once, in a bank that nobody has used yet
    async with asyncio.timeout(PATIENCE):
        answers = await asyncio.gather(
            *(say(services[number % 2], texts[number // 2], "yes", bank="fresh") for number in range(40))
        )
    await second.close()
    page = await service.browse("fresh", limit=200)
    assert page.total == 20
    assert {each.user for each in page.exchanges} == set(texts)
    assert [each.repeats for each in page.exchanges] == [1] * 20
    assert sum(each.merged for each in answers) == 20
    notes = [each.note for each in await app.notes.get("fresh", [each.id for each in page.exchanges])]
    assert sorted(note.position or 0 for note in notes) == list(range(20))


async def test_a_hundred_callers_saying_the_same_are_all_counted(service: ExchangeService) -> None:
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(say(service, "the very same", "words") for _ in range(100)))
    (exchange,) = (await service.browse(BANK)).exchanges
    assert exchange.repeats == 99


async def test_six_hundred_exchanges_outlive_a_restart_and_the_oldest_are_found_by_meaning_only(
    app: App, database: Database, service: ExchangeService, url: str, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    await store_many(app, database, count=600, clock=clock)
    assert await service.archive(BANK, dry_run=True) == 100
    assert await service.archive(BANK) == 100
    assert await service.archive(BANK) == 0
    restarted = Database(url)
    again = over(app, restarted, embedder, clock)
    page = await again.browse(BANK, limit=200, offset=450)
    assert page.total == 600
    assert [each.archived for each in page.exchanges] == [False] * 50 + [True] * 100
    await restarted.close()
    oldest, newest = page.exchanges[-1], (await again_first(service))
    assert await words_of(database, oldest.id) == 0
    assert await words_of(database, newest.id) > 0
    assert (await app.notes.get(BANK, [oldest.id]))[0].note.content.startswith("User: number 0 ")


async def again_first(service: ExchangeService) -> Exchange:
    return (await service.browse(BANK, limit=1)).exchanges[0]


async def words_of(database: Database, id: UUID) -> int:
    statement = sa.text("SELECT count(*) AS words FROM postings WHERE bank_id = :bank AND note_id = :id")
    async with database.transaction(BANK) as tx:
        (row,) = await tx.all(statement, id=id)
    return int(row["words"])


async def store_many(app: App, database: Database, *, count: int, clock: FakeClock, importance: float = 0.4) -> None:
    """Store exchanges a minute apart, the last one now, the way an import does."""
    turns = [
        exchanges.checked(user=f"number {number} of {uuid4().hex}", assistant="", session="s", importance=importance)
        for number in range(count)
    ]
    for start in range(0, count, 500):
        drafts = [
            Draft(
                content=turn.content,
                kind=Kind.EXCHANGE,
                session="s",
                position=start + place,
                timestamp=clock.now() - timedelta(minutes=count - 1 - start - place),
            )
            for place, turn in enumerate(turns[start : start + 500])
        ]
        stored = await app.notes.add_all(BANK, drafts)
        async with database.transaction(BANK) as tx:
            for each, turn in zip(stored, turns[start : start + 500], strict=True):
                assert each.id is not None
                assert await rows.add(tx, rows.New(id=each.id, turn=turn, external_id=f"ex_{turn.user[7:]}"))


async def test_what_is_old_unimportant_and_not_said_again_is_pruned_after_a_preview(
    app: App, database: Database, service: ExchangeService, clock: FakeClock
) -> None:
    dull = (await say(service, "what a dull day")).exchange
    repeated = (await say(service, "is it lunch time", importance=0.2)).exchange
    weighty = (await say(service, "a critical bug was fixed, the root cause is known")).exchange
    clock.advance(days=100)
    await say(service, "is it lunch time", importance=0.2)
    recent = (await say(service, "nothing to see here")).exchange
    preview = await service.prune(BANK, older_than_days=30, below_importance=0.6, dry_run=True)
    assert [each.id for each in preview] == [dull.id]
    assert (await service.browse(BANK)).total == 4
    assert await service.prune(BANK, older_than_days=30, below_importance=0.6) == preview
    assert {each.id for each in (await service.browse(BANK)).exchanges} == {repeated.id, weighty.id, recent.id}
    assert await found(app, "dull day") == []
    with pytest.raises(InvalidInput, match="older_than_days"):
        await service.prune(BANK, older_than_days=float("nan"), below_importance=0.6)
    assert await service.prune(BANK, older_than_days=1e12, below_importance=1.0) == []


async def test_pruning_takes_more_than_one_batch(
    app: App, database: Database, service: ExchangeService, clock: FakeClock
) -> None:
    await store_many(app, database, count=450, clock=clock, importance=0.1)
    clock.advance(days=2)
    assert len(await service.prune(BANK, older_than_days=1, below_importance=0.5)) == 450
    assert (await service.browse(BANK)).total == 0


async def test_browsing_goes_newest_first_in_pages_within_a_session_or_project(
    service: ExchangeService, clock: FakeClock
) -> None:
    for number, project in enumerate(("atlas", "borealis", None, "atlas")):
        await say(service, f"word{number} thing{number}", session=f"s{number % 2}", project=project)
        clock.advance(minutes=1)
    page = await service.browse(BANK, limit=2, offset=1)
    assert [each.user for each in page.exchanges] == ["word2 thing2", "word1 thing1"]
    assert page.total == 4
    assert [each.user[:5] for each in (await service.browse(BANK, session="s1")).exchanges] == ["word3", "word1"]
    atlas = await service.browse(BANK, project="Atlas")
    assert [each.user[:5] for each in atlas.exchanges] == ["word3", "word2", "word0"]
    assert (await service.browse("elsewhere")).total == 0
    with pytest.raises(InvalidInput, match="offset"):
        await service.browse(BANK, offset=-1)


async def test_an_exchange_is_found_by_id_by_imported_id_and_by_its_words(
    app: App, database: Database, service: ExchangeService, clock: FakeClock
) -> None:
    await store_many(app, database, count=2, clock=clock)
    imported = (await service.browse(BANK)).exchanges[1]
    assert imported.external_id is not None
    observed = (await say(service, "Grüße aus KÖLN, 迁移计划完成了吗", "100% done_ok")).exchange
    assert await service.get(BANK, str(observed.id).upper()) == observed
    assert await service.get(BANK, imported.external_id) == imported
    assert await service.by_external_id(BANK, imported.external_id) == imported
    assert await service.by_external_id(BANK, str(observed.id)) is None
    for words in (str(observed.id), "aus köln", "迁移计划完成", "0% DONE_", "  aus Köln "):
        assert [each.id for each in (await service.find(BANK, words)).exchanges] == [observed.id], words
    assert [each.id for each in (await service.find(BANK, imported.external_id)).exchanges] == [imported.id]
    assert (await service.find(BANK, "nobody said this")).total == 0
    for short in ("", "hello", "\u200b" * 9):
        with pytest.raises(InvalidInput, match="query"):
            await service.find(BANK, short)
    with pytest.raises(NotFound, match="browse"):
        await service.get(BANK, "ex_unknown")
    with pytest.raises(NotFound):
        await service.get("elsewhere", observed.id)


async def test_words_that_only_a_merged_repeat_holds_lead_to_the_exchange(service: ExchangeService) -> None:
    text = "please remind me of the appointment with the dentist on the day after the big holiday"
    first = (await say(service, text, "I will do so")).exchange
    assert (await say(service, f"{text} kindly", "I will do so")).merged
    assert [each.id for each in (await service.find(BANK, "holiday kindly")).exchanges] == [first.id]


async def test_a_forgotten_exchange_is_gone_everywhere_and_may_be_said_anew(app: App, service: ExchangeService) -> None:
    first = (await say(service, "my secret is the blue heron")).exchange
    other = (await say(service, "the train leaves soon")).exchange
    assert await service.forget(BANK, [str(first.id), first.id, "ex_none"]) == [first]
    assert (await service.browse(BANK)).exchanges == (other,)
    assert await found(app, "blue heron") == []
    assert (await service.find(BANK, "blue heron")).total == 0
    with pytest.raises(NotFound, match="browse"):
        await service.forget(BANK, [first.id])
    for ids in ([], ["x"] * 501):
        with pytest.raises(InvalidInput, match="ids"):
            await service.forget(BANK, ids)
    assert not (await say(service, "my secret is the blue heron")).merged


async def test_an_exchange_whose_note_was_deleted_takes_nothing_in(app: App, service: ExchangeService) -> None:
    first = (await say(service, "shall we go", "yes")).exchange
    await app.notes.delete(BANK, first.id)
    again = await say(service, "shall we go", "yes")
    assert not again.merged
    assert again.exchange.id != first.id


async def test_a_mere_note_of_the_same_text_becomes_the_exchange(app: App, service: ExchangeService) -> None:
    draft = Draft(content=exchanges.written("shall we go", "yes"), kind=Kind.EXCHANGE, session="s")
    note = (await app.notes.add(BANK, draft, when=When.QUEUED)).note
    observed = await say(service, "shall we go", "yes")
    assert not observed.merged
    assert observed.exchange.id == note.id


async def test_an_observed_exchange_is_an_event_of_its_session_once(
    service: ExchangeService, database: Database, clock: FakeClock
) -> None:
    sessions = WorkingMemoryService(database=database, clock=clock)
    await say(service, "u" * 500, "fine")
    await say(service, "u" * 500, "fine")
    (event,) = await sessions.get(BANK, "s")
    assert event.type == "observation"
    assert event.content == "User: " + "u" * 119 + "…\nAssistant: fine"


async def test_exchanges_of_another_bank_are_neither_seen_nor_merged_into(service: ExchangeService) -> None:
    mine = await say(service, "the very same words", "yes")
    theirs = await say(service, "the very same words", "yes", bank="other")
    assert not theirs.merged
    with pytest.raises(NotFound):
        await service.forget("other", [mine.exchange.id])
    assert await service.archive("other", keep=0) == 1
    assert not (await service.get(BANK, mine.exchange.id)).archived


async def test_a_reference_is_a_uuid_or_any_other_text() -> None:
    id = uuid4()
    assert references.checked(f" {id} ").id == id
    assert references.checked("ex_17_ab").id is None
    for bad in ("", " \x00 ", "x" * 201):
        with pytest.raises(InvalidInput, match="id:"):
            references.checked(bad)
