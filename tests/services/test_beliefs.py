"""Beliefs: stating, confirming, contradicting, undoing, and looking back."""

import asyncio
from collections.abc import Sequence

import psycopg
import pytest

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.beliefs import Cause, EntityType, OnConflict, Statement, Status
from memory_bank.domain.notes import Change, Draft, Kind
from memory_bank.domain.recall import Query
from memory_bank.errors import Conflict, InvalidInput, NotFound, ProviderUnavailable
from memory_bank.services.beliefs import Remembered
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder

BANK = "default"


async def state(app: App, name: str, *facts: str, **given: object) -> Remembered:
    return await app.beliefs.remember(BANK, Statement(name=name, facts=facts, **given))  # type: ignore[arg-type]


async def active(app: App, name: str) -> list[str]:
    _, held = await app.beliefs.entity(BANK, name)
    return [each.content for each in held if each.status is Status.ACTIVE]


async def found(app: App, words: str) -> list[str]:
    return [each.note.content for each in await app.recall.search(BANK, Query(text=words, limit=20))]


async def test_a_thing_is_made_once_whatever_the_case_of_its_name(app: App) -> None:
    first = await state(app, "Billing API", "uses Redis", types=(EntityType.SERVICE,))
    again = await state(app, "  billing   api ", "written in Go", types=(EntityType.PROJECT,))
    assert (first.created, again.created) == (True, False)
    assert again.entity.id == first.entity.id
    assert again.entity.name == "Billing API"
    assert again.entity.types == (EntityType.SERVICE, EntityType.PROJECT)
    assert await active(app, "BILLING API") == ["uses Redis", "written in Go"]


@pytest.mark.parametrize(
    ("shown", "twin"),
    [
        ("gateway", "gate\u200bway"),
        ("gateway", "\u2060gate\u00adway\ufeff"),
        ("gateway", "ｇａｔｅ\u200bway"),
        ("علی\u200cرضا", "علیرضا"),
        ("क्\u200dष", "क्ष"),
    ],
)
async def test_a_thing_is_one_whatever_its_name_holds_that_cannot_be_seen(app: App, shown: str, twin: str) -> None:
    first = await state(app, shown, "port is 8080")
    again = await state(app, twin, "uses Redis")
    assert (again.created, again.entity.id, again.entity.name) == (False, first.entity.id, shown)
    for name in (shown, twin):
        assert await active(app, name) == ["port is 8080", "uses Redis"]
    related = await app.relations.relate(BANK, twin, "uses", "redis")
    assert related.from_name == shown


async def test_a_thing_that_was_told_apart_by_what_cannot_be_seen_is_found_as_it_was_spelt(app: App, url: str) -> None:
    spelt = "gate\u200bway"
    older = await state(app, spelt, "port is 1")
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE entity_names SET key = %s WHERE name = %s", (spelt, spelt))
    plain = await state(app, "gateway", "port is 2")
    assert plain.created
    assert await active(app, spelt) == ["port is 1"]
    assert await active(app, "gateway") == await active(app, "gate\u2060way") == ["port is 2"]
    again = await state(app, spelt, "uses Redis")
    assert (again.created, again.entity.id) == (False, older.entity.id)
    await app.forgetting.entity(BANK, spelt, preview=False)
    assert await active(app, spelt) == ["port is 2"]


async def test_an_alias_leads_to_the_thing_and_belongs_to_it_alone(app: App) -> None:
    await state(app, "PostgreSQL", "is a database", aliases=("postgres", "pg"))
    await state(app, "pg", "has extensions")
    assert len(await active(app, "postgres")) == 2
    with pytest.raises(Conflict, match="name of another entity"):
        await state(app, "MySQL", "is a database too", aliases=("pg",))
    with pytest.raises(NotFound):
        await app.beliefs.entity(BANK, "MySQL")


async def test_a_renamed_thing_keeps_its_old_name_as_an_alias(app: App) -> None:
    await state(app, "auth", "signs tokens")
    renamed = await state(app, "auth", rename="identity-service")
    assert renamed.entity.name == "identity-service"
    assert renamed.entity.aliases == ("auth",)
    assert await active(app, "auth") == ["signs tokens"]
    await state(app, "auth", "runs on port 9000")
    assert "identity-service: runs on port 9000" in await found(app, "identity-service port")


async def test_a_repeated_fact_is_one_fact_that_is_surer(app: App) -> None:
    first = await state(app, "billing", "uses Redis")
    again = await state(app, "billing", "USES  redis.")
    assert again.added == ()
    assert [each.id for each in again.confirmed] == [first.added[0].id]
    assert again.confirmed[0].sources == 2


async def test_a_named_source_counts_once_however_often_it_speaks(app: App, clock: FakeClock) -> None:
    for source in ("wiki", "wiki", "mail", ""):
        await state(app, "billing", "uses Redis", source=source)
        clock.advance(hours=1)
    _, (fact,) = await app.beliefs.entity(BANK, "billing")
    assert fact.named_sources == ("wiki", "mail")
    assert fact.sources == 3


async def test_a_correction_supersedes_and_can_be_undone(app: App) -> None:
    old = (await state(app, "gateway", "port is 3211")).added[0]
    corrected = await state(app, "gateway", "port is 8080")
    (contradicted,) = corrected.contradicted
    assert contradicted.superseded
    assert contradicted.old.id == old.id
    assert contradicted.old.superseded_by == corrected.added[0].id
    assert "3211" in contradicted.reason
    assert "8080" in contradicted.reason
    assert await found(app, "gateway port") == ["gateway: port is 8080"]
    undone = await app.beliefs.remember(BANK, Statement(name="gateway", undo=old.id))
    assert [each.content for each in undone.confirmed] == ["port is 3211"]
    assert await found(app, "gateway port") == ["gateway: port is 3211"]
    assert await active(app, "gateway") == ["port is 3211"]
    _, held = await app.beliefs.entity(BANK, "gateway")
    later = next(each for each in held if each.content == "port is 8080")
    assert (later.status, later.cause, later.superseded_by) == (Status.SUPERSEDED, Cause.UNDO, old.id)


async def test_a_history_of_three_steps_is_one_chain(app: App, clock: FakeClock) -> None:
    for port in (3211, 8080, 9090):
        await state(app, "gateway", f"port is {port}")
        clock.advance(days=1)
    _, held = await app.beliefs.entity(BANK, "gateway")
    last = next(each for each in held if each.status is Status.ACTIVE)
    assert last.content == "port is 9090"
    earlier = await app.beliefs.earlier(BANK, [last.id])
    assert [each.content for each in earlier] == ["port is 3211", "port is 8080"]
    assert all(each.reason and each.superseded_at for each in earlier)


async def test_the_first_link_of_a_chain_can_be_undone_and_replaces_its_end(app: App) -> None:
    first = (await state(app, "gateway", "port is 3211")).added[0]
    await state(app, "gateway", "port is 8080")
    await state(app, "gateway", "port is 9090")
    await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))
    assert await active(app, "gateway") == ["port is 3211"]
    with pytest.raises(Conflict, match="holds already"):
        await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))


async def test_an_undo_may_keep_both(app: App) -> None:
    old = (await state(app, "gateway", "port is 3211")).added[0]
    await state(app, "gateway", "port is 8080")
    undo = Statement(name="gateway", undo=old.id, on_conflict=OnConflict.KEEP_BOTH)
    await app.beliefs.remember(BANK, undo)
    assert sorted(await active(app, "gateway")) == ["port is 3211", "port is 8080"]


async def test_facts_of_one_call_supersede_each_other_in_their_order(app: App) -> None:
    await state(app, "gateway", "port is 3211")
    told = await state(app, "gateway", "owned by Ada", "port is 8080", "port is 9090", "written in Go")
    assert sorted(await active(app, "gateway")) == ["owned by Ada", "port is 9090", "written in Go"]
    assert [(each.old.content, each.new) for each in told.contradicted] == [
        ("port is 3211", "port is 8080"),
        ("port is 8080", "port is 9090"),
    ]
    status = {each.content: each.status for each in told.added}
    assert (status["port is 8080"], status["port is 9090"]) == (Status.SUPERSEDED, Status.ACTIVE)
    assert (told.active, told.historical) == (3, 2)
    assert "gateway: port is 8080" not in await found(app, "gateway port")


async def test_what_is_confirmed_gives_way_to_what_is_stated_after_it(app: App) -> None:
    await state(app, "gateway", "port is 3211", aliases=("edge",))
    told = await state(app, "edge", "port is 3211", "port is 8080", rename="portal")
    assert await active(app, "portal") == ["port is 8080"]
    assert [each.status for each in told.confirmed] == [Status.SUPERSEDED]


async def test_facts_of_one_call_may_all_be_kept_or_asked_about(app: App) -> None:
    asked = await state(app, "gateway", "port is 1", "port is 2", on_conflict=OnConflict.ASK)
    assert asked.held_back == ("port is 2",)
    assert await active(app, "gateway") == ["port is 1"]
    kept = await state(app, "other", "port is 1", "port is 2", on_conflict=OnConflict.KEEP_BOTH)
    assert [each.superseded for each in kept.contradicted] == [False]
    assert await active(app, "other") == ["port is 1", "port is 2"]


@pytest.mark.parametrize("way", ["forget", "delete the note"])
async def test_a_chain_whose_middle_is_forgotten_stays_whole(app: App, clock: FakeClock, way: str) -> None:
    first, second, third, last = [(await _port(app, clock, port)).added[0] for port in (3211, 8080, 9090, 9999)]
    for gone in (third, second):
        if way == "forget":
            await app.forgetting.fact(BANK, "gateway", str(gone.id), preview=False)
        else:
            await app.notes.delete(BANK, gone.id)
    (earlier,) = await app.beliefs.earlier(BANK, [last.id])
    assert (earlier.id, earlier.superseded_by) == (first.id, last.id)
    assert "8080" not in earlier.reason
    undone = await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))
    assert [each.id for each in undone.replaced] == [last.id]
    assert await active(app, "gateway") == ["port is 3211"]


async def test_several_links_may_be_forgotten_at_once(app: App, clock: FakeClock) -> None:
    first = (await _port(app, clock, 3211)).added[0]
    for port in (18080, 18081, 9090):
        await _port(app, clock, port)
    await app.forgetting.fact(BANK, "gateway", "port is 1808", preview=False)
    await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))
    assert await active(app, "gateway") == ["port is 3211"]


async def test_forgetting_the_end_of_a_chain_lets_nothing_hold_again_by_itself(app: App, clock: FakeClock) -> None:
    first, last = [(await _port(app, clock, port)).added[0] for port in (3211, 8080)]
    await app.forgetting.fact(BANK, "gateway", str(last.id), preview=False)
    assert await active(app, "gateway") == []
    undone = await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))
    assert undone.replaced == ()
    assert await active(app, "gateway") == ["port is 3211"]


async def test_an_undo_takes_the_place_of_what_contradicts_it_since(app: App, clock: FakeClock) -> None:
    first, second = [(await _port(app, clock, port)).added[0] for port in (3211, 8080)]
    await app.forgetting.fact(BANK, "gateway", str(second.id), preview=False)
    await _port(app, clock, 9090)
    await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))
    assert await active(app, "gateway") == ["port is 3211"]


async def test_an_undo_leaves_what_was_kept_beside_the_fact_before(app: App, clock: FakeClock) -> None:
    first = (await _port(app, clock, 3211)).added[0]
    await state(app, "gateway", "port is 8080", on_conflict=OnConflict.KEEP_BOTH)
    clock.advance(days=1)
    await state(app, "gateway", supersede="port is 3211")
    await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))
    assert sorted(await active(app, "gateway")) == ["port is 3211", "port is 8080"]


async def _port(app: App, clock: FakeClock, port: int) -> Remembered:
    clock.advance(days=1)
    return await state(app, "gateway", f"port is {port}")


async def test_an_undo_of_another_things_fact_is_refused(app: App) -> None:
    old = (await state(app, "gateway", "port is 3211")).added[0]
    await state(app, "gateway", "port is 8080")
    await state(app, "other", "is something else")
    with pytest.raises(InvalidInput, match="not about"):
        await app.beliefs.remember(BANK, Statement(name="other", undo=old.id))
    with pytest.raises(NotFound):
        await app.beliefs.remember("elsewhere", Statement(name="gateway", undo=old.id))


async def test_who_asks_to_be_asked_stores_nothing_that_conflicts(app: App) -> None:
    await state(app, "gateway", "port is 3211")
    asked = await state(app, "gateway", "port is 8080", "written in Go", on_conflict=OnConflict.ASK)
    assert asked.held_back == ("port is 8080",)
    assert not asked.contradicted[0].superseded
    assert await active(app, "gateway") == ["port is 3211", "written in Go"]


async def test_both_can_be_kept(app: App) -> None:
    await state(app, "gateway", "port is 3211")
    kept = await state(app, "gateway", "port is 8080", on_conflict=OnConflict.KEEP_BOTH)
    assert len(kept.contradicted) == 1
    assert await active(app, "gateway") == ["port is 3211", "port is 8080"]


async def test_a_caller_replaces_facts_by_their_words_and_the_rest_is_added(app: App) -> None:
    await state(app, "ana", "likes green tea", "likes black coffee", "lives in Leeds")
    changed = await state(app, "ana", "likes water", "plays chess", supersede="LIKES")
    assert sorted(each.content for each in changed.replaced) == ["likes black coffee", "likes green tea"]
    assert {each.superseded_by for each in changed.replaced} == {changed.added[0].id}
    assert sorted(await active(app, "ana")) == ["likes water", "lives in Leeds", "plays chess"]


async def test_facts_can_be_removed_without_a_successor(app: App) -> None:
    await state(app, "ana", "likes green tea", "lives in Leeds")
    removed = await state(app, "ana", supersede="green tea")
    assert [each.superseded_by for each in removed.replaced] == [None]
    assert await active(app, "ana") == ["lives in Leeds"]
    assert await found(app, "ana green tea") == ["ana: lives in Leeds"]
    with pytest.raises(NotFound, match="no active fact"):
        await state(app, "ana", supersede="green tea")
    with pytest.raises(NotFound, match="nothing called"):
        await state(app, "nobody", supersede="green tea")


async def test_a_superseded_text_may_be_stated_anew(app: App) -> None:
    await state(app, "gateway", "port is 3211")
    await state(app, "gateway", "port is 8080")
    back = await state(app, "gateway", "port is 3211")
    assert len(back.added) == 1
    assert await active(app, "gateway") == ["port is 3211"]
    earlier = await app.beliefs.earlier(BANK, [back.added[0].id])
    assert [each.content for each in earlier] == ["port is 3211", "port is 8080"]


async def test_facts_are_found_among_notes_in_one_list(app: App) -> None:
    await app.notes.add(BANK, Draft(content="The gateway was rewritten in March"))
    await state(app, "gateway", "owned by the platform team")
    await app.exchanges.observe(BANK, user="who owns the gateway?", assistant="the platform team", session="s1")
    listed = await app.recall.search(BANK, Query(text="gateway platform team", limit=10))
    assert {each.note.kind for each in listed} == {Kind.NOTE, Kind.FACT, Kind.EXCHANGE}
    assert [each.score for each in listed] == sorted((each.score or 0 for each in listed), reverse=True)


async def test_tags_of_a_thing_scope_its_facts_later_ones_and_earlier_ones(app: App) -> None:
    await state(app, "gateway", "owned by the platform team", tags={"project": "Atlas"})
    await state(app, "gateway", "written in Go")
    tags = {tag for each in await app.recall.search(BANK, Query(text="gateway")) for tag in each.note.tags}
    assert "project:atlas" in tags
    await state(app, "gateway", tags={"project": "hermes"})
    for each in await app.recall.search(BANK, Query(text="gateway")):
        assert "project:hermes" in each.note.tags
        assert "project:atlas" not in each.note.tags


async def test_the_agent_finds_itself_under_its_own_name_and_as_self(app: App) -> None:
    await state(app, "self", "answers too long when in doubt")
    entity, held = await app.beliefs.entity(BANK, "Agent")
    assert EntityType.AGENT_SELF in entity.types
    assert [each.content for each in held] == ["answers too long when in doubt"]
    assert (await app.beliefs.entity("empty", "self"))[1] == []


async def test_facts_fade_and_reinforce_like_every_note(app: App) -> None:
    (fact,) = (await state(app, "gateway", "written in Go")).added
    await app.recall.search(BANK, Query(text="gateway"))
    (note,) = await app.notes.get(BANK, [fact.id])
    assert note.note.retrieval_count == 2


async def test_the_words_of_a_fact_are_not_edited_as_a_note(app: App) -> None:
    (fact,) = (await state(app, "gateway", "written in Go")).added
    with pytest.raises(InvalidInput, match="remember"):
        await app.notes.update(BANK, fact.id, Change(content="written in Rust"))


@pytest.mark.parametrize(
    "given",
    [
        {"name": " "},
        {"name": "x" * 201},
        {"name": "a", "facts": (" ",)},
        {"name": "a", "facts": ("x" * 10_001,)},
        {"name": "a", "facts": tuple(map(str, range(101)))},
        {"name": "a", "tags": {"": "x"}},
        {"name": "a", "tags": {"a:b": "x"}},
        {"name": "a", "source": "x" * 201},
    ],
)
async def test_what_breaks_a_rule_is_refused_by_name(app: App, given: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        await app.beliefs.remember(BANK, Statement(**given))  # type: ignore[arg-type]


async def test_a_fact_survives_nul_quotes_templates_and_other_scripts(app: App) -> None:
    facts = ["a\x00b {x} %s '; DROP TABLE facts; --", "迁移计划已批准", "emoji 👩‍👩‍👧 and \u200b joiners"]
    await state(app, "测试 'entity'", *facts)
    assert await active(app, "测试 'entity'") == [facts[0].replace("\x00", ""), *facts[1:]]


async def test_nothing_of_one_bank_is_known_in_another(app: App) -> None:
    await state(app, "gateway", "port is 3211")
    await app.beliefs.remember("other", Statement(name="gateway", facts=("port is 8080",)))
    assert await active(app, "gateway") == ["port is 3211"]
    _, held = await app.beliefs.entity("other", "gateway")
    assert [each.content for each in held] == ["port is 8080"]


async def test_what_a_fact_rests_on_becomes_a_relation_where_it_is_known(app: App) -> None:
    await state(app, "Redis", "is a key-value store", aliases=("redis cluster",))
    await state(app, "billing", "uses Redis Cluster for its session cache", "requires patience")
    around = await app.relations.around(BANK, "billing")
    assert [(each.type, each.to_name) for each in around.relations] == [("depends-on", "Redis")]


async def test_what_is_spoken_of_together_is_related_once_the_second_is_known(app: App) -> None:
    await state(app, "gateway", "routes requests")
    for number in ("first", "second"):
        await app.exchanges.observe(
            BANK, user=f"the {number} outage of gateway", assistant=f"the mesh was down, {number}", session=number
        )
    await state(app, "mesh", "connects services")
    await state(app, "meshes", "is another word")
    around = await app.relations.around(BANK, "gateway")
    assert [(each.from_name, each.type) for each in around.relations] == [("mesh", "related-to")]


class Judge:
    """Gives every pair the same verdict, or is away."""

    def __init__(self, verdict: str | None) -> None:
        self.verdict = verdict
        self.away = False
        self.asked: list[tuple[str, str]] = []

    async def contradict(self, entity: str, pairs: Sequence[tuple[str, str]]) -> list[str | None]:
        if self.away:
            raise ProviderUnavailable("the judge is away; try again")
        self.asked += pairs
        return [self.verdict] * len(pairs)


async def test_a_judge_decides_where_there_is_one_and_the_rules_where_it_is_away(
    loaded: Settings, embedder: FakeEmbedder
) -> None:
    judge = Judge(None)
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock(), judge=judge)
    async with open_app(loaded, parts=parts) as app:
        await state(app, "gateway", "port is 3211")
        await state(app, "gateway", "port is 8080")
        assert judge.asked == [("port is 3211", "port is 8080")]
        assert await active(app, "gateway") == ["port is 3211", "port is 8080"]
        judge.verdict = "the judge says that the port changed"
        changed = await state(app, "gateway", "port is 9090")
        assert {each.reason for each in changed.contradicted} == {judge.verdict}
        assert await active(app, "gateway") == ["port is 9090"]
        judge.asked.clear()
        both = await state(app, "mesh", "port is 1", "port is 2")
        assert judge.asked == [("port is 1", "port is 2")]
        assert {each.reason for each in both.contradicted} == {judge.verdict}
        judge.away = True
        ruled = await state(app, "gateway", "port is 1234")
        assert [each.superseded for each in ruled.contradicted] == [True]
        assert "1234" in ruled.contradicted[0].reason


async def test_two_processes_lose_nothing_and_never_deadlock(loaded: Settings, embedder: FakeEmbedder) -> None:
    parts = Parts(embedder=embedder, analyst=FakeAnalyst(), clock=FakeClock())
    async with open_app(loaded, parts=parts) as one, open_app(loaded, parts=parts) as other:
        calls = []
        for number in range(20):
            app = (one, other)[number % 2]
            calls += [
                state(app, "shared", f"knows thing {'abcdefghijklmnopqrst'[number]}", aliases=(f"alias {number}",)),
                state(app, "shared", "is stated by everybody"),
                app.relations.relate(BANK, "shared", "depends on", f"part {number % 3}"),
                app.relations.relate(BANK, f"part {number % 3}", "part of", "shared"),
            ]
        async with asyncio.timeout(120):
            await asyncio.gather(*calls)
        entity, held = await one.beliefs.entity(BANK, "shared")
        stated = [each for each in held if each.content == "is stated by everybody"]
        assert [each.sources for each in stated] == [20]
        assert len(held) == 21
        assert len(entity.aliases) == 20
        around = await other.relations.around(BANK, "shared", limit=50)
        assert sum(each.evidence for each in around.relations) == 40
        assert len(around.relations) == 6


async def test_a_fact_that_is_stated_again_takes_nobodys_place_not_even_its_own(app: App) -> None:
    await state(app, "gateway", "port is 2")
    again = await state(app, "gateway", "port is 2", supersede="port is 2")
    assert [each.content for each in again.confirmed] == ["port is 2"]
    await state(app, "gateway", "path is /x")
    mixed = await state(app, "gateway", "port is 2", "owner is Bob", supersede="is /x")
    assert [each.content for each in mixed.replaced] == ["path is /x"]
    assert mixed.replaced[0].superseded_by == mixed.confirmed[0].id
    assert sorted(await active(app, "gateway")) == ["owner is Bob", "port is 2"]


async def test_an_undo_of_words_that_hold_already_says_so(app: App) -> None:
    first = (await state(app, "gateway", "port is 1")).added[0]
    await state(app, "gateway", "port is 2")
    await state(app, "gateway", "port is 1")
    with pytest.raises(Conflict, match="hold already"):
        await app.beliefs.remember(BANK, Statement(name="gateway", undo=first.id))


async def test_words_that_name_too_much_are_refused(app: App) -> None:
    await state(app, "gateway", "a", "another one", "and a third")
    for words in ("a", " A. ", "an"):
        with pytest.raises(InvalidInput, match=r"^supersede"):
            await state(app, "gateway", supersede=words)
    removed = await state(app, "gateway", supersede="And  a THIRD.")
    assert [each.content for each in removed.replaced] == ["and a third"]
