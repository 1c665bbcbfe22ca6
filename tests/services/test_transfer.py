"""Importing archives, again and into banks that hold something, and exporting them whole."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from numpy import float32
from numpy.typing import NDArray

from memory_bank.bootstrap import App
from memory_bank.domain import beliefs, transfer
from memory_bank.domain.beliefs import Cause, EntityType, Statement, Status
from memory_bank.domain.exchanges import Merged
from memory_bank.domain.filters import Filter
from memory_bank.domain.notes import Draft, Kind, Reach
from memory_bank.domain.recall import Query
from memory_bank.domain.tasks import TaskStatus
from memory_bank.domain.transfer import Archive, Outcome, Report
from memory_bank.domain.working_memory import WINDOW, EventType
from memory_bank.errors import InvalidInput, NotFound
from memory_bank.interfaces import memory_files
from tests.conftest import SHARED
from tests.fakes import FakeClock, FakeEmbedder
from tests.interfaces.test_memory_file_round_trip import archives

BANK = "default"
SAMPLES = Path(__file__).resolve().parents[1] / "samples"
IMPORTS = SHARED / "data" / "imports"
THEN = datetime(2025, 4, 1, 12, 30, 15, 123456, tzinfo=UTC)
_numbers = count()


class WatchedEmbedder(FakeEmbedder):
    """Tells when it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[float32]]:
        self.reached.set()
        return await super().embed_documents(texts)


@pytest.fixture
def embedder() -> WatchedEmbedder:
    return WatchedEmbedder()


def numbered(number: int) -> UUID:
    return UUID(f"01934567-89ab-7000-8000-{number:012x}")


def thing(name: str, *facts: str | transfer.Fact, **given: object) -> transfer.Entity:
    stated = tuple(transfer.Fact(content=each) if isinstance(each, str) else each for each in facts)
    return transfer.Entity(name=name, facts=stated, **given)  # type: ignore[arg-type]


def turn(user: str, assistant: str = "Yes.", **given: object) -> transfer.Exchange:
    return transfer.Exchange(user=user, assistant=assistant, **given)  # type: ignore[arg-type]


async def bring_in(app: App, *entities: transfer.Entity, bank: str = BANK, **given: object) -> Report:
    return await app.transfer.bring_in(bank, Archive(entities=entities, **given))  # type: ignore[arg-type]


async def found(app: App, words: str, bank: str = BANK) -> list[str]:
    return [each.note.content for each in await app.recall.search(bank, Query(text=words, limit=20))]


async def active(app: App, name: str, bank: str = BANK) -> list[str]:
    _, held = await app.beliefs.entity(bank, name)
    return [each.content for each in held if each.status is Status.ACTIVE]


def outcomes(report: Report, outcome: Outcome) -> list[str]:
    return [each.key for each in report.items if each.outcome is outcome]


def reasons(report: Report) -> str:
    return " | ".join(each.reason for each in report.items)


def is_unchanged(report: Report) -> bool:
    return all(each.outcome is Outcome.SKIPPED for each in report.items)


def rich() -> Archive:
    """An archive in which every field says something."""
    return transfer.ordered(
        Archive(
            entities=(
                thing(
                    "Billing API",
                    transfer.Fact(
                        id=numbered(11),
                        content="listens on port 8080",
                        sources=4,
                        named_sources=(
                            transfer.Source(name="ana", first_seen=THEN + timedelta(hours=1)),
                            transfer.Source(name="the wiki", first_seen=THEN + timedelta(hours=2)),
                        ),
                        first_seen=THEN,
                        last_confirmed=THEN + timedelta(days=1),
                        status=Status.SUPERSEDED,
                        superseded_by=1,
                        superseded_at=THEN + timedelta(days=2),
                        reason="port 8080 became 9090",
                        cause=Cause.CONTRADICTION,
                    ),
                    transfer.Fact(
                        id=numbered(12),
                        content="listens on port 9090",
                        first_seen=THEN + timedelta(days=2),
                        last_confirmed=THEN + timedelta(days=3),
                        status=Status.SUPERSEDED,
                        superseded_by=2,
                        superseded_at=THEN + timedelta(days=4),
                        cause=Cause.CALLER,
                    ),
                    transfer.Fact(
                        id=numbered(13),
                        content="listens on port 8080",
                        first_seen=THEN + timedelta(days=4),
                        last_confirmed=THEN + timedelta(days=4),
                    ),
                    transfer.Fact(
                        id=numbered(14),
                        content="had a Redis cache",
                        first_seen=THEN + timedelta(days=5),
                        last_confirmed=THEN + timedelta(days=5),
                        status=Status.ARCHIVED,
                        superseded_at=THEN + timedelta(days=70),
                        reason="not confirmed for 60 days",
                        cause=Cause.STALE,
                    ),
                    transfer.Fact(
                        id=numbered(15),
                        content="was written in Perl",
                        first_seen=THEN + timedelta(days=6),
                        last_confirmed=THEN + timedelta(days=6),
                        status=Status.SUPERSEDED,
                        superseded_by_content="is written in Go",
                        superseded_at=THEN + timedelta(days=7),
                        cause=Cause.IMPORT,
                    ),
                    id=numbered(1),
                    types=(EntityType.SERVICE, EntityType.PROJECT),
                    tags={"project": "atlas"},
                    aliases=("billing", "the biller"),
                    created_at=THEN,
                    last_seen=THEN + timedelta(days=9),
                    access_count=7,
                ),
                thing("Ana", id=numbered(2), types=(EntityType.PERSON,), created_at=THEN, last_seen=THEN),
            ),
            relations=(
                transfer.Relation(
                    from_name="Ana",
                    type="works-on",
                    to_name="Billing API",
                    evidence=3,
                    weight=0.875,
                    created_at=THEN,
                    last_validated=THEN + timedelta(days=2),
                ),
            ),
            exchanges=(
                turn(
                    "Which queue do we use?",
                    "RabbitMQ.",
                    id=numbered(21),
                    session="s-1",
                    timestamp=THEN,
                    importance=0.9,
                    importance_given=True,
                    tags=("project:atlas", "urgent"),
                    repeats=1,
                    merged=(Merged(user="Which queue is it?", assistant="RabbitMQ.", at=THEN + timedelta(days=1)),),
                ),
                turn(
                    "Is the bakery open?",
                    id=numbered(22),
                    external_id="ex_1700000100000_a1b2",
                    session="s-0",
                    timestamp=THEN,
                    importance=0.4,
                    archived=True,
                ),
            ),
            tasks=(
                transfer.Task(
                    id=numbered(31),
                    external_id="task_1700000300000_q7x1",
                    title="Move billing",
                    goal="Billing answers from the new cluster",
                    status=TaskStatus.COMPLETED,
                    priority=1.0,
                    importance=0.5,
                    budget_remaining=12.5,
                    success_condition="health check is green",
                    stop_reason="done",
                    session="s-1",
                    started_at=THEN,
                    last_step_at=THEN + timedelta(hours=1),
                    ended_at=THEN + timedelta(hours=2),
                ),
            ),
            events=tuple(
                transfer.Event(session="s-1", type=EventType.ACTION, content=each, created_at=THEN)
                for each in ("opened the runbook", "opened the runbook", "closed it")
            ),
        )
    )


def told(archive: Archive) -> Archive:
    """Return an archive without how sure its facts are, which depends on the moment."""
    return replace(
        archive,
        entities=tuple(
            replace(each, facts=tuple(replace(fact, confidence=None) for fact in each.facts))
            for each in archive.entities
        ),
    )


async def test_every_field_of_an_archive_comes_back_with_its_ids(app: App) -> None:
    report = await app.transfer.bring_in(BANK, rich())
    assert outcomes(report, Outcome.ADDED) == [each.key for each in report.items]
    assert told(await app.transfer.export(BANK)) == rich()


async def test_an_export_goes_through_a_file_into_another_bank_and_is_the_same_there(app: App, tmp_path: Path) -> None:
    await app.transfer.bring_in(BANK, rich())
    await app.beliefs.remember(BANK, Statement(name="self", facts=("likes short answers",), source="me"))
    await app.beliefs.remember(BANK, Statement(name="Billing API", facts=("listens on port 7070",)))
    await app.relations.relate(BANK, "Ana", "prefers", "Vim")
    await app.exchanges.observe(BANK, user="Kannst du das prüfen? 🛠️", assistant="Ja — erledigt.", session="s-2")
    task = (await app.tasks.start(BANK, title="Rotate keys", goal="No key is older than a year")).task
    await app.tasks.done(BANK, task.id, "all rotated")
    await app.working_memory.push(BANK, "s-2", "deployed", type=EventType.DECISION)
    exported = await app.transfer.export(BANK)
    memory_files.write(exported, tmp_path / "memory.json")
    read, problems = memory_files.read(tmp_path / "memory.json")
    assert problems == []
    report = await app.transfer.bring_in("other", read)
    assert report.complete
    assert await app.transfer.export("other") == exported
    assert is_unchanged(await app.transfer.bring_in("other", read))
    assert await app.transfer.export("other") == exported
    assert await app.transfer.export(BANK) == exported


@examples(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(archive=archives)
async def test_whatever_an_archive_holds_its_import_is_exported_and_imported_without_a_loss(
    app: App, archive: Archive
) -> None:
    one, other = f"one-{next(_numbers)}", f"other-{next(_numbers)}"
    await app.transfer.bring_in(one, archive)
    exported = await app.transfer.export(one)
    assert outcomes(await app.transfer.bring_in(one, archive), Outcome.ADDED) == []
    assert await app.transfer.export(one) == exported
    report = await app.transfer.bring_in(other, exported)
    assert {each.outcome for each in report.items} <= {Outcome.ADDED}
    assert await app.transfer.export(other) == exported


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json")), ids=lambda each: each.stem)
async def test_the_same_file_again_adds_nothing_and_says_so(app: App, clock: FakeClock, sample: Path) -> None:
    archive, _ = memory_files.read(sample)
    first = await app.transfer.bring_in(BANK, archive)
    assert first.complete
    exported = told(await app.transfer.export(BANK))
    clock.advance(days=3)
    assert is_unchanged(await app.transfer.bring_in(BANK, archive))
    assert told(await app.transfer.export(BANK)) == exported


async def test_what_was_imported_is_found_and_what_gave_way_is_not(app: App) -> None:
    await app.transfer.bring_in(BANK, rich())
    assert "Billing API: listens on port 8080" in await found(app, "billing port")
    assert "Billing API: listens on port 9090" not in await found(app, "port 9090")
    assert "Billing API: had a Redis cache" not in await found(app, "Redis cache")
    assert "User: Which queue do we use?\nAssistant: RabbitMQ." in await found(app, "which queue")
    _, held = await app.beliefs.entity(BANK, "the biller")
    (archived,) = await app.notes.get(BANK, [numbered(22)])
    assert archived.note.reach is Reach.MEANING
    (superseded,) = await app.notes.get(BANK, [numbered(12)])
    assert superseded.note.reach is Reach.NONE
    assert [each.content for each in await app.beliefs.earlier(BANK, [numbered(13)])] == [
        "listens on port 8080",
        "listens on port 9090",
    ]
    assert len(held) == 5


async def test_imported_notes_are_enriched_from_the_queue(app: App) -> None:
    await app.transfer.bring_in(BANK, rich())
    (counts,) = (await app.maintenance.state()).banks
    assert (counts.pending, counts.unembedded) == (3, 0)
    await app.enrichment.enrich_now(BANK, [numbered(13)])
    (enriched,) = await app.notes.get(BANK, [numbered(13)])
    assert enriched.note.keywords
    assert enriched.note.tags[0] == "project:atlas"


async def test_while_the_model_is_away_the_queue_embeds_what_was_imported(app: App, embedder: FakeEmbedder) -> None:
    embedder.down = True
    assert (await app.transfer.bring_in(BANK, rich())).complete
    (counts,) = (await app.maintenance.state()).banks
    assert counts.unembedded == 3
    assert "Billing API: listens on port 8080" in await found(app, "billing port")
    embedder.down = False
    await app.enrichment.enrich_now(BANK, [numbered(13), numbered(21), numbered(22)])
    (counts,) = (await app.maintenance.state()).banks
    assert counts.unembedded == 0


async def test_a_thing_is_met_by_name_and_alias_and_keeps_what_it_has(app: App) -> None:
    statement = Statement(name="PostgreSQL", facts=("is a database",), aliases=("pg",), tags={"team": "data"})
    here = await app.beliefs.remember(BANK, statement)
    report = await bring_in(
        app,
        thing(
            "PG",
            "IS a database.",
            "has extensions",
            id=numbered(1),
            types=(EntityType.TECHNOLOGY,),
            tags={"team": "ops", "project": "atlas"},
            aliases=("postgres",),
            created_at=THEN,
        ),
    )
    entity, held = await app.beliefs.entity(BANK, "postgres")
    assert (entity.id, entity.name) == (here.entity.id, "PostgreSQL")
    assert entity.types == (EntityType.TECHNOLOGY,)
    assert entity.tags == {"team": "data", "project": "atlas"}
    assert set(entity.aliases) == {"pg", "postgres"}
    assert entity.created_at == THEN
    assert [each.content for each in held] == ["is a database", "has extensions"]
    assert "called 'PostgreSQL' here" in reasons(report)
    assert "tag 'team' stays 'data'" in reasons(report)
    notes = await app.notes.get(BANK, [each.id for each in held])
    assert all("project:atlas" in each.note.tags for each in notes)


async def test_a_name_of_another_thing_is_told_and_not_stolen(app: App) -> None:
    await app.beliefs.remember(BANK, Statement(name="MySQL", facts=("is a database",), aliases=("db",)))
    report = await bring_in(app, thing("Redis", "is a cache", aliases=("db", "kv")), thing("kv", "is a mere word"))
    assert await active(app, "db") == ["is a database"]
    assert await active(app, "kv") == ["is a mere word"]
    assert "'db' is a name of 'MySQL' and stays that" in reasons(report)
    assert "'kv' is a name of 'kv' and stays that" in reasons(report)
    assert report.complete


async def test_a_thing_that_was_renamed_is_met_by_its_id(app: App) -> None:
    await bring_in(app, thing("auth", "signs tokens", id=numbered(1)))
    await bring_in(app, thing("identity-service", "runs on port 9000", id=numbered(1)))
    entity, held = await app.beliefs.entity(BANK, "auth")
    assert (entity.id, entity.aliases) == (numbered(1), ("identity-service",))
    assert len(held) == 2


async def test_a_thing_of_more_names_than_one_statement_may_give_comes_back_with_all(app: App, tmp_path: Path) -> None:
    for part in range(3):
        names = tuple(f"name {part} {n}" for n in range(30))
        types = tuple(EntityType)[part::3]
        await app.beliefs.remember(BANK, Statement(name="Ana", aliases=names, types=types))
    exported = await app.transfer.export(BANK)
    memory_files.write(exported, tmp_path / "memory.json")
    await app.transfer.bring_in("other", memory_files.read(tmp_path / "memory.json")[0])
    assert await app.transfer.export("other") == exported
    assert len(exported.entities[0].aliases) == 90


async def test_the_agent_itself_is_one_thing_whatever_a_file_calls_it(app: App) -> None:
    await bring_in(app, thing("self", "answers in German"))
    await app.beliefs.remember(BANK, Statement(name="self", facts=("prefers tabs",)))
    assert sorted(await active(app, "agent-self")) == ["answers in German", "prefers tabs"]
    await bring_in(app, thing("Claude", "likes tea", aliases=("self",)), bank="other")
    await app.beliefs.remember("other", Statement(name="self", facts=("prefers tabs",)))
    assert sorted(await active(app, "Claude", "other")) == ["likes tea", "prefers tabs"]


async def test_of_two_counts_the_larger_holds_and_sources_are_joined(app: App, clock: FakeClock) -> None:
    for source in ("wiki", ""):
        await app.beliefs.remember(BANK, Statement(name="billing", facts=("uses Redis",), source=source))
    stated = transfer.Fact(
        content="uses redis", sources=3, named_sources=(transfer.Source(name="mail", first_seen=THEN),), first_seen=THEN
    )
    (_, merged) = (await bring_in(app, thing("billing", stated))).items
    assert merged.outcome is Outcome.MERGED
    _, (fact,) = await app.beliefs.entity(BANK, "billing")
    assert (fact.sources, fact.named_sources, fact.first_seen) == (3, ("mail", "wiki"), THEN)
    assert fact.last_confirmed == clock.now()
    for evidence, held in ((2, 2), (5, 5), (3, 5)):
        edge = transfer.Relation(from_name="billing", type="uses", to_name="Redis", evidence=evidence)
        await bring_in(app, relations=(edge,))
        (relation,) = (await app.relations.around(BANK, "redis")).relations
        assert relation.evidence == held


async def test_nothing_is_judged_to_contradict_on_import(app: App) -> None:
    await app.beliefs.remember(BANK, Statement(name="gateway", facts=("port is 3211",)))
    await bring_in(app, thing("gateway", "port is 8080"))
    assert await active(app, "gateway") == ["port is 3211", "port is 8080"]


async def test_a_fact_that_gave_way_here_is_not_brought_back_by_its_old_export(app: App) -> None:
    await app.beliefs.remember(BANK, Statement(name="gateway", facts=("port is 3211",)))
    before = await app.transfer.export(BANK)
    await app.beliefs.remember(BANK, Statement(name="gateway", facts=("port is 8080",)))
    report = await app.transfer.bring_in(BANK, before)
    assert "it is superseded here and active in the file; it stays so" in reasons(report)
    assert await active(app, "gateway") == ["port is 8080"]


async def test_what_was_forgotten_is_there_again_after_an_import(app: App) -> None:
    await app.transfer.bring_in(BANK, rich())
    await app.forgetting.entity(BANK, "Billing API", preview=False)
    await app.exchanges.forget(BANK, [numbered(21), numbered(22)])
    assert (await app.transfer.export(BANK)).relations == ()
    report = await app.transfer.bring_in(BANK, rich())
    assert report.complete
    assert told(await app.transfer.export(BANK)) == rich()
    assert "Billing API: listens on port 8080" in await found(app, "billing port")


async def test_a_forgotten_successor_takes_its_place_in_the_chain_again(app: App) -> None:
    await app.transfer.bring_in(BANK, rich())
    await app.forgetting.fact(BANK, "Billing API", str(numbered(13)), preview=False)
    await app.forgetting.fact(BANK, "Billing API", str(numbered(12)), preview=False)
    report = await app.transfer.bring_in(BANK, rich())
    assert outcomes(report, Outcome.ADDED) == ["Billing API: listens on port 9090", "Billing API: listens on port 8080"]
    assert told(await app.transfer.export(BANK)) == rich()


async def test_what_is_forgotten_while_an_import_embeds_comes_in_as_well(app: App, embedder: WatchedEmbedder) -> None:
    await bring_in(app, thing("Ana", "prefers tabs"))
    embedder.released.clear()
    embedder.reached.clear()
    importing = asyncio.create_task(bring_in(app, thing("Ana", "prefers tabs"), thing("Bob", "prefers spaces")))
    async with asyncio.timeout(60):
        await embedder.reached.wait()
    await app.forgetting.entity(BANK, "Ana", preview=False)
    embedder.released.set()
    report = await importing
    assert outcomes(report, Outcome.ADDED) == ["Ana", "Bob", "Ana: prefers tabs", "Bob: prefers spaces"]
    assert "Ana: prefers tabs" in await found(app, "Ana tabs")


async def test_a_forgotten_exchange_gives_back_the_id_it_had_elsewhere(app: App) -> None:
    for _ in range(3):
        report = await bring_in(app, exchanges=(turn("Is it up?", external_id="ex_1"),))
        assert outcomes(report, Outcome.ADDED) == ["ex_1"]
        (kept,) = (await app.exchanges.browse(BANK)).exchanges
        assert kept.external_id == "ex_1"
        await app.exchanges.forget(BANK, ["ex_1"])
    await app.exchanges.observe(BANK, user="Is it up?", assistant="Yes.", session=None)
    report = await bring_in(app, exchanges=(turn("Is it up?", external_id="ex_1"),))
    assert outcomes(report, Outcome.MERGED) == ["ex_1"]
    assert (await app.exchanges.get(BANK, "ex_1")).user == "Is it up?"


async def test_an_exchange_is_met_by_id_by_the_one_elsewhere_and_by_what_was_said_in_its_session(app: App) -> None:
    first = turn("Is it up?", id=numbered(1), external_id="ex_1", session="s")
    await bring_in(app, exchanges=(first,))
    alike = (
        replace(first, user="Is it down?", external_id=None),
        replace(first, user="Is it down?", id=None),
        replace(first, id=None, external_id=None),
    )
    for each in alike:
        assert is_unchanged(await bring_in(app, exchanges=(each,)))
    assert (await app.exchanges.browse(BANK)).total == 1
    elsewhere = replace(first, id=None, external_id=None, session="t")
    await bring_in(app, exchanges=(elsewhere, replace(elsewhere, external_id="ex_9")))
    assert (await app.exchanges.browse(BANK)).total == 2


async def test_the_turns_of_a_session_follow_those_it_has_in_order_of_time(app: App) -> None:
    await app.exchanges.observe(BANK, user="How is the weather in Oslo?", assistant="Cold.", session="s")
    later = [turn(f"question {n}", session="s", timestamp=THEN - timedelta(days=n)) for n in range(3)]
    await bring_in(app, exchanges=tuple(later))
    page = await app.notes.browse(BANK, wanted=Filter(session="s"), limit=10)
    places = {each.note.content.splitlines()[0]: each.note.position for each in page.notes}
    assert [places[f"User: question {n}"] for n in (2, 1, 0)] == [1, 2, 3]


async def test_tasks_are_met_by_their_ids_and_stay_as_far_as_they_have_come(app: App, clock: FakeClock) -> None:
    given = (
        transfer.Task(external_id="t_1", title="Rotate keys", status=TaskStatus.RUNNING),
        transfer.Task(title="Water plants", goal="They live", status=TaskStatus.PAUSED),
    )
    await bring_in(app, tasks=given)
    await app.tasks.done(BANK, "t_1", "all rotated")
    report = await bring_in(app, tasks=given)
    assert is_unchanged(report)
    assert "it is completed here and running in the file" in reasons(report)
    listed = await app.tasks.list(BANK, finished=True)
    assert [(each.title, each.goal, each.status) for each in listed] == [
        ("Water plants", "They live", TaskStatus.PAUSED),
        ("Rotate keys", "Rotate keys", TaskStatus.COMPLETED),
    ]
    assert listed[1].started_at == clock.now()


async def test_events_take_their_place_among_those_of_the_session(app: App, clock: FakeClock) -> None:
    clock.moment = THEN
    await app.working_memory.push(BANK, "s", "second")
    given = tuple(
        transfer.Event(session="s", type=EventType.ACTION, content=content, created_at=THEN + timedelta(hours=hours))
        for content, hours in (("first", -1), ("third", 1))
    )
    await bring_in(app, events=given)
    told = [each.content for each in await app.working_memory.get(BANK, "s")]
    assert told == ["first", "second", "third"]
    for number in range(WINDOW):
        await app.working_memory.push(BANK, "s", f"later {number}")
    clock.advance(days=1)
    old = transfer.Event(session="s", type=EventType.ERROR, content="long ago", created_at=THEN - timedelta(days=9))
    report = await bring_in(app, events=(old,))
    assert "older than the last 25 of its session" in reasons(report)


async def test_what_breaks_a_rule_is_refused_alone(app: App) -> None:
    endless = datetime.max.replace(tzinfo=UTC)
    report = await bring_in(
        app,
        thing("", "no name"),
        thing("x" * 300, "long name"),
        thing("Eternal", "is forever", last_seen=endless),
        thing("Ana", "x" * 20_000, " ", transfer.Fact(content="counted", sources=2**31 - 1), "prefers tabs"),
        relations=(
            transfer.Relation(from_name="Ana", type="knows", to_name="ana"),
            transfer.Relation(from_name="Ana", type="-", to_name="Bob"),
            transfer.Relation(from_name="Ana", type="knows", to_name="Bob", evidence=2**62),
            transfer.Relation(from_name="Ana", type="knows", to_name="Carl"),
        ),
        exchanges=(turn("x" * 100_000), turn("when?", timestamp=endless), turn("what?")),
        tasks=(
            transfer.Task(title="x" * 500, status=TaskStatus.RUNNING),
            transfer.Task(title="fine", status=TaskStatus.RUNNING),
        ),
        events=(
            transfer.Event(session="s", type=EventType.FACT, content="x" * 20_000),
            transfer.Event(session="s", type=EventType.FACT, content="short"),
        ),
    )
    assert not report.complete
    assert len(outcomes(report, Outcome.REFUSED)) == 13
    assert outcomes(report, Outcome.ADDED) == [
        "Ana",
        "Ana: prefers tabs",
        "Carl",
        "Ana knows Carl",
        "what?",
        "fine",
        "short",
    ]
    assert await active(app, "Ana") == ["prefers tabs"]


async def test_the_same_text_about_two_things_is_refused_for_the_second(app: App) -> None:
    report = await bring_in(app, thing("a", "b: c"), thing("a: b", "c", "d"))
    assert outcomes(report, Outcome.REFUSED) == ["a: b: c"]
    assert "a fact of another thing" in reasons(report)
    assert await active(app, "a: b") == ["d"]


async def test_a_mere_note_of_the_same_text_becomes_the_fact(app: App) -> None:
    note = (await app.notes.add(BANK, Draft(content="Ana: prefers tabs", kind=Kind.FACT))).note
    await bring_in(app, thing("Ana", transfer.Fact(id=numbered(1), content="prefers tabs")))
    _, (fact,) = await app.beliefs.entity(BANK, "Ana")
    assert fact.id == note.id


async def test_ids_of_another_bank_do_not_matter(app: App) -> None:
    await app.transfer.bring_in("other", rich())
    untouched = await app.transfer.export("other")
    assert (await app.transfer.bring_in(BANK, rich())).complete
    assert await app.transfer.export("other") == untouched
    assert await app.transfer.export(BANK) == untouched


async def test_an_id_that_a_note_of_the_bank_has_is_not_given_twice(app: App) -> None:
    note = (await app.notes.add(BANK, Draft(content="a note"))).note
    await bring_in(
        app,
        thing("Ana", transfer.Fact(id=note.id, content="prefers tabs")),
        exchanges=(turn("what?", id=note.id),),
    )
    (kept,) = await app.notes.get(BANK, [note.id])
    assert kept.note.content == "a note"
    assert await active(app, "Ana") == ["prefers tabs"]


async def test_a_dry_run_tells_the_same_and_changes_nothing(app: App, embedder: FakeEmbedder) -> None:
    dry = await app.transfer.bring_in(BANK, rich(), dry_run=True)
    with pytest.raises(NotFound):
        await app.transfer.export(BANK)
    assert embedder.embedded == []
    assert dry == await app.transfer.bring_in(BANK, rich())


async def test_a_bank_that_does_not_exist_is_not_exported(app: App) -> None:
    with pytest.raises(NotFound, match="nothing was exported"):
        await app.transfer.export("nobody")
    with pytest.raises(InvalidInput):
        await app.transfer.export("No Bank")


async def test_an_error_in_the_middle_leaves_nothing_and_the_import_can_be_repeated(app: App, url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("ALTER TABLE working_memory ADD CONSTRAINT broken CHECK (content <> 'closed it')")
        with pytest.raises(Exception, match="broken"):
            await app.transfer.bring_in(BANK, rich())
        for table in (
            "banks",
            "entities",
            "notes",
            "embeddings",
            "postings",
            "exchanges",
            "tasks",
            "procrastinate_jobs",
        ):
            cursor = await connection.execute(f"SELECT count(*) FROM {table}")
            assert await cursor.fetchone() == (0,), table
        await connection.execute("ALTER TABLE working_memory DROP CONSTRAINT broken")
    assert (await app.transfer.bring_in(BANK, rich())).complete
    assert told(await app.transfer.export(BANK)) == rich()


async def test_progress_is_told_to_its_end(app: App) -> None:
    told: list[tuple[int, int]] = []
    await app.transfer.bring_in(BANK, rich(), progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] > 2
    told.clear()
    await app.transfer.export(BANK, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (7, 7)


async def test_two_imports_at_once_double_nothing(app: App) -> None:
    archive = many(60)
    reports = await asyncio.gather(*(app.transfer.bring_in(BANK, archive) for _ in range(3)))
    added = [len(outcomes(each, Outcome.ADDED)) for each in reports]
    assert sorted(added)[:2] == [0, 0]
    exported = await app.transfer.export(BANK)
    assert len(exported.entities) == 60
    assert len(exported.exchanges) == 60
    assert len(exported.events) == WINDOW


async def test_imports_and_other_writers_at_once_meet_no_deadlock(app: App) -> None:
    archive = many(30)

    async def writing(number: int) -> None:
        for round in range(4):
            await app.beliefs.remember(
                BANK,
                Statement(name=f"thing {number + round}", facts=(f"seen {round}",), aliases=(f"t{number} {round}",)),
            )
            await app.exchanges.observe(BANK, user=f"question {number}", assistant=f"answer {round}", session="s")
            task = (await app.tasks.start(BANK, title=f"task {number}", goal=f"goal {number}", session="s")).task
            await app.working_memory.push(BANK, "s", f"event {number} {round}")
            await app.tasks.done(BANK, task.id, f"result {round}")
            await app.beliefs.entity(BANK, f"thing {number + round}")

    async with asyncio.timeout(60):
        await asyncio.gather(
            *(app.transfer.bring_in(BANK, archive) for _ in range(2)),
            *(app.transfer.bring_in(BANK, reversed_(archive)) for _ in range(2)),
            *(writing(number) for number in range(4)),
        )
    exported = await app.transfer.export(BANK)
    names = [each.name for each in exported.entities]
    assert len(names) == len(set(map(beliefs.key, names)))
    assert {f"thing {n}" for n in range(30)} <= set(names)


@pytest.mark.parametrize(
    "file",
    [
        "mcp_jsonl_spanish_emoji/memory.jsonl",
        "mcp_jsonl_mindstrike/memory.jsonl",
        "mcp_jsonl_plus_stray_line/memory.json",
        "rust_memory_graph_mixed/memory.jsonl",
        "think_tank_timestamped_obs/memory.jsonl",
        "chatgpt_export/conversations.json",
    ],
)
async def test_real_files_come_in_whole_and_are_found(app: App, file: str) -> None:
    source = IMPORTS / file
    if not source.exists():
        pytest.skip(f"{source} is not here")
    archive, _ = memory_files.read(source)
    report = await app.transfer.bring_in(BANK, archive)
    assert report.complete
    exported = await app.transfer.export(BANK)
    assert {beliefs.key(each.name) for each in archive.entities} <= {beliefs.key(e.name) for e in exported.entities}
    assert len(exported.relations) == len(archive.relations)
    assert len(exported.exchanges) == len(archive.exchanges)
    assert is_unchanged(await app.transfer.bring_in(BANK, archive))
    for content in _sampled(exported):
        assert content in await found(app, content)


def _sampled(archive: Archive) -> Sequence[str]:
    facts = [beliefs.written(each.name, fact.content) for each in archive.entities for fact in each.facts]
    turns = [f"User: {each.user}\nAssistant: {each.assistant}" for each in archive.exchanges]
    texts = [each for each in (*facts, *turns) if len(each) < 1_000]
    return texts[:: max(1, len(texts) // 8)]


def many(size: int) -> Archive:
    """An archive of much that is alike."""
    return transfer.ordered(
        Archive(
            entities=tuple(thing(f"thing {n}", f"is number {n}", aliases=(f"no. {n}",)) for n in range(size)),
            relations=tuple(
                transfer.Relation(from_name=f"thing {n}", type="precedes", to_name=f"thing {n + 1}")
                for n in range(size - 1)
            ),
            exchanges=tuple(
                turn(f"question {n}", f"answer {n}", external_id=f"ex_{n}", session="s") for n in range(size)
            ),
            tasks=tuple(
                transfer.Task(external_id=f"t_{n}", title=f"do {n}", status=TaskStatus.PAUSED) for n in range(size)
            ),
            events=tuple(
                transfer.Event(session="s", type=EventType.ACTION, content=f"step {n}", created_at=THEN)
                for n in range(WINDOW)
            ),
        )
    )


def reversed_(archive: Archive) -> Archive:
    return replace(
        archive,
        entities=archive.entities[::-1],
        relations=archive.relations[::-1],
        exchanges=archive.exchanges[::-1],
    )
