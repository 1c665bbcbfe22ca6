"""The last events of a session, on a real database."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from memory_bank.domain.working_memory import CONTENT_LIMIT, WINDOW, EventType
from memory_bank.errors import InvalidInput
from memory_bank.services.tasks import TaskService
from memory_bank.services.working_memory import WorkingMemoryService
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
def service(database: Database, clock: FakeClock) -> WorkingMemoryService:
    return WorkingMemoryService(database=database, clock=clock)


async def contents(service: WorkingMemoryService, session: str = "s", limit: int = 200) -> list[str]:
    return [each.content for each in await service.get(BANK, session, limit=limit)]


async def test_events_come_back_oldest_first_with_what_they_are(
    service: WorkingMemoryService, clock: FakeClock
) -> None:
    for type in EventType:
        await service.push(BANK, "s", f"it was {type}", type=type)
        clock.advance(seconds=1)
    events = await service.get(BANK, " s ")
    assert [each.type for each in events] == list(EventType)
    assert events[0].content == "it was action"
    assert events[0].session == "s"
    assert (clock.now() - events[0].created_at).total_seconds() == len(EventType)
    assert [each.type for each in await service.get(BANK, "s", limit=2)] == [EventType.ERROR, EventType.FACT]


async def test_a_session_keeps_its_last_events_and_other_sessions_theirs(service: WorkingMemoryService) -> None:
    await service.push(BANK, "t", "another session")
    for number in range(WINDOW + 5):
        await service.push(BANK, "s", f"event {number}")
    assert await contents(service) == [f"event {number}" for number in range(5, WINDOW + 5)]
    assert await contents(service, limit=10) == [f"event {number}" for number in range(WINDOW - 5, WINDOW + 5)]
    assert await contents(service, "t") == ["another session"]


async def test_two_processes_pushing_at_once_keep_exactly_the_last_events(
    service: WorkingMemoryService, url: str, clock: FakeClock
) -> None:
    second = Database(url)
    services = [service, WorkingMemoryService(database=second, clock=clock)]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(services[n % 2].push(BANK, "s", f"event {n}") for n in range(80)))
    await services[1].push(BANK, "s", "the last one")
    kept = await contents(service)
    await second.close()
    assert len(kept) == WINDOW
    assert len(set(kept)) == WINDOW
    assert kept[-1] == "the last one"


async def test_events_outlive_a_restart(service: WorkingMemoryService, url: str, clock: FakeClock) -> None:
    await service.push(BANK, "s", "before the restart")
    restarted = Database(url)
    again = WorkingMemoryService(database=restarted, clock=clock)
    assert await contents(again) == ["before the restart"]
    await restarted.close()


async def test_clearing_forgets_one_session_and_tells_how_much(service: WorkingMemoryService) -> None:
    for number in range(3):
        await service.push(BANK, "s", f"event {number}")
    await service.push(BANK, "t", "stays")
    assert await service.clear("other", "s") == 0
    assert await service.clear(BANK, "s") == 3
    assert await service.clear(BANK, "s") == 0
    assert await contents(service) == []
    assert await contents(service, "t") == ["stays"]


async def test_another_bank_and_an_unknown_session_have_no_events(service: WorkingMemoryService) -> None:
    await service.push(BANK, "s", "mine")
    assert await service.get("other", "s") == []
    assert await service.get(BANK, "unknown") == []


@pytest.mark.parametrize(
    ("session", "content", "field"),
    [
        ("", "x", "session"),
        ("\u200b", "x", "session"),
        ("s" * 201, "x", "session"),
        ("s", " \x00", "content"),
        ("s", "x" * (CONTENT_LIMIT + 1), "content"),
    ],
)
async def test_a_value_out_of_bounds_is_refused_by_its_field(
    service: WorkingMemoryService, session: str, content: str, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        await service.push(BANK, session, content)
    assert caught.value.field == field


async def test_reading_and_clearing_check_their_arguments_too(service: WorkingMemoryService) -> None:
    for limit in (0, 201):
        with pytest.raises(InvalidInput, match="limit"):
            await service.get(BANK, "s", limit=limit)
    with pytest.raises(InvalidInput, match="session"):
        await service.clear(BANK, " ")
    with pytest.raises(InvalidInput, match="bank"):
        await service.push("Not a bank", "s", "x")


async def test_the_longest_event_is_kept_and_nul_is_cleaned_away(service: WorkingMemoryService) -> None:
    await service.push(BANK, "s", "a\x00b" + "x" * (CONTENT_LIMIT - 2))
    assert await contents(service) == ["ab" + "x" * (CONTENT_LIMIT - 2)]


async def test_an_event_is_a_step_of_the_running_tasks_of_its_session_alone(
    service: WorkingMemoryService, database: Database, clock: FakeClock, embedder: FakeEmbedder
) -> None:
    tasks = TaskService(database=database, embedder=embedder, clock=clock)
    mine = (await tasks.start(BANK, title="Bake bread", goal="It rises", session="s")).task
    theirs = (await tasks.start(BANK, title="Sail north", goal="See ice", session="t")).task
    resting = (await tasks.start(BANK, title="Read maps", goal="Know the way", session="s")).task
    await tasks.pause(BANK, resting.id)
    clock.advance(minutes=90)
    await service.push(BANK, "s", "kneaded the dough")
    clock.advance(minutes=90)
    assert {each.id for each in await tasks.list(BANK)} == {mine.id, resting.id}
    assert (await tasks.get(BANK, resting.id)).last_step_at == resting.last_step_at
    assert (await tasks.get(BANK, theirs.id)).ended_at is not None
    # what is overdue is not brought back by an event
    clock.advance(hours=2)
    await service.push(BANK, "s", "came back too late")
    assert {each.id for each in await tasks.list(BANK)} == {resting.id}
