"""Enrichment: nothing an analyst does, or does not do, loses a note."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from memory_bank.bootstrap import App, Parts, open_app, running_worker
from memory_bank.domain.filters import Filter
from memory_bank.domain.links import Judgement, LinkOrigin, LinkType
from memory_bank.domain.notes import Change, Draft, Enrichment, Note, When
from memory_bank.domain.recall import Query
from memory_bank.errors import ProviderUnavailable
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder
from tests.waiting import eventually

BANK = "default"


async def the_notes(app: App) -> dict[str, Note]:
    page = await app.notes.browse(BANK, wanted=Filter(), limit=200)
    return {each.note.content: each.note for each in page.notes}


async def all_done(app: App) -> bool:
    return all(note.enrichment is Enrichment.DONE for note in (await the_notes(app)).values())


async def test_links_lead_to_the_five_nearest_and_are_seen_from_both_ends(app: App, analyst: FakeAnalyst) -> None:
    for n in range(7):
        await app.notes.add(BANK, Draft(content=f"green tea in the morning {n}"))
    added = await app.notes.add(BANK, Draft(content="green tea in the evening"))
    assert len(added.note.links) == 5
    content, offered = analyst.judged[-1]
    assert content == "green tea in the evening"
    assert all(each.startswith("green tea in the morning") for each in offered)
    target = added.note.links[0].target_id
    seen = (await app.notes.get(BANK, [target]))[0].note.links
    assert added.note.links[0] in seen


async def test_an_unrelated_note_is_not_even_offered(app: App, analyst: FakeAnalyst) -> None:
    await app.notes.add(BANK, Draft(content="quarterly taxes deadline"))
    added = await app.notes.add(BANK, Draft(content="cats like warm windows"))
    assert added.note.links == ()
    assert analyst.judged == []


async def test_only_offered_notes_of_the_same_bank_can_be_linked(app: App, analyst: FakeAnalyst) -> None:
    foreign = (await app.notes.add("b", Draft(content="green tea"))).note.id
    await app.notes.add(BANK, Draft(content="green tea at home"))

    async def hallucinate(content: str, candidates: object) -> list[Judgement]:
        return [
            Judgement(target_id=foreign, type=LinkType.CAUSAL, explanation="x", origin=LinkOrigin.LLM, confidence=1.0)
        ]

    analyst.judge = hallucinate  # type: ignore[method-assign]
    added = await app.notes.add(BANK, Draft(content="green tea again"))
    assert added.note.enrichment is Enrichment.DONE
    assert added.note.links == ()


async def test_a_failing_analyst_leaves_the_note_stored_and_pending_then_failed_with_the_fallbacks_findings(
    app: App, analyst: FakeAnalyst
) -> None:
    analyst.failure = ProviderUnavailable("the model answered 503")
    added = await app.notes.add(BANK, Draft(content="Deployments to production happen on Tuesdays only"))
    assert added.note.enrichment is Enrichment.PENDING
    assert added.note.enrichment_error == "the model answered 503"
    for _ in range(app.settings.enrichment.attempts - 2):
        with pytest.raises(ProviderUnavailable):
            await app.enrichment.enrich_all(BANK, [added.note.id])
    await app.enrichment.enrich_all(BANK, [added.note.id])
    note = (await app.notes.get(BANK, [added.note.id]))[0].note
    assert note.enrichment is Enrichment.FAILED
    assert note.enrichment_error == "the model answered 503"
    assert note.keywords
    assert note.context


async def test_enrichment_in_the_call_leaves_no_job_behind_and_one_that_fails_leaves_its_own(
    app: App, analyst: FakeAnalyst, url: str
) -> None:
    def jobs() -> list[list[str]]:
        with psycopg.connect(url) as connection:
            return [row[0] for row in connection.execute("SELECT args -> 'ids' FROM procrastinate_jobs")]

    await app.notes.add(BANK, Draft(content="Deployments to production happen on Tuesdays only"))
    assert jobs() == []
    analyst.failure = ProviderUnavailable("the model answered 503")
    added = await app.notes.add(BANK, Draft(content="Backups are written every night"))
    assert jobs() == [[str(added.note.id)]]


async def test_a_refused_key_is_not_tried_again(app: App, analyst: FakeAnalyst) -> None:
    analyst.failure = ProviderUnavailable("openai.api-key was refused", retryable=False)
    added = await app.notes.add(BANK, Draft(content="Deployments to production happen on Tuesdays only"))
    assert added.note.enrichment is Enrichment.FAILED
    assert "openai.api-key" in added.note.enrichment_error
    assert added.note.keywords


async def test_failed_notes_are_redone_on_request(app: App, analyst: FakeAnalyst) -> None:
    analyst.failure = ProviderUnavailable("refused", retryable=False)
    added = await app.notes.add(BANK, Draft(content="Deployments happen on Tuesdays"))
    analyst.failure = None
    assert await app.enrichment.reopen(BANK, origin=None, failed=True) == [added.note.id]
    await app.enrichment.enrich_now(BANK, [added.note.id])
    note = (await app.notes.get(BANK, [added.note.id]))[0].note
    assert note.enrichment is Enrichment.DONE
    assert note.enrichment_error == ""


async def test_what_the_heuristics_did_is_redone_by_a_model_and_users_links_stay(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    heuristic, model = FakeAnalyst(origin=LinkOrigin.HEURISTIC), FakeAnalyst(origin=LinkOrigin.LLM)
    async with open_app(loaded, parts=Parts(embedder=embedder, analyst=heuristic, clock=clock)) as app:
        first = (await app.notes.add(BANK, Draft(content="green tea one", tags=("mine",)))).note
        second = (await app.notes.add(BANK, Draft(content="green tea two"))).note
        third = (await app.notes.add(BANK, Draft(content="green tea three"))).note
        assert {each.origin for each in third.links} == {LinkOrigin.HEURISTIC}
        await app.links.link(BANK, second.id, first.id, type=LinkType.CAUSAL, explanation="one made two")
    async with open_app(loaded, parts=Parts(embedder=embedder, analyst=model, clock=clock)) as app:
        waiting = await app.enrichment.reopen(BANK, origin=LinkOrigin.HEURISTIC, failed=False)
        assert len(waiting) == 3
        await app.enrichment.enrich_now(BANK, waiting)
        notes = await the_notes(app)
        assert "mine" in notes["green tea one"].tags
        origins = {(each.source_id, each.target_id): each.origin for each in notes["green tea two"].links}
        assert origins[second.id, first.id] is LinkOrigin.USER
        assert LinkOrigin.HEURISTIC not in origins.values()
        assert LinkOrigin.LLM in origins.values()


async def test_a_slow_analyst_is_left_to_the_queue_within_the_time_limit(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst
) -> None:
    limited = loaded.model_copy(update={"enrichment": loaded.enrichment.model_copy(update={"inline_timeout": 0.05})})
    analyst.released.clear()
    async with open_app(limited, parts=Parts(embedder=embedder, analyst=analyst)) as app:
        added = await app.notes.add(BANK, Draft(content="slowly does it"))
        assert added.note.enrichment is Enrichment.PENDING
        analyst.released.set()
        await app.enrichment.enrich_now(BANK, [added.note.id])
        assert await all_done(app)


async def test_a_batch_is_enriched_by_the_worker(app: App) -> None:
    await app.notes.add_all(BANK, [Draft(content=f"green tea number {n}") for n in range(60)])
    async with running_worker(app):
        await eventually(lambda: all_done(app))
    state = await app.maintenance.state()
    assert (state.queue.waiting, state.queue.running) == (0, 0)


async def test_a_poison_note_does_not_hold_up_the_others(app: App, analyst: FakeAnalyst) -> None:
    analyse = analyst.analyse

    async def choke(content: str) -> object:
        if "poison" in content:
            raise ZeroDivisionError("surprise")
        return await analyse(content)

    analyst.analyse = choke  # type: ignore[method-assign,assignment]
    outcomes = await app.notes.add_all(BANK, [Draft(content=each) for each in ("good one", "poison", "good two")])
    ids = [each.id for each in outcomes if each.id]
    for _ in range(app.settings.enrichment.attempts - 1):
        with pytest.raises(ProviderUnavailable):
            await app.enrichment.enrich_all(BANK, ids)
    await app.enrichment.enrich_all(BANK, ids)
    notes = await the_notes(app)
    assert notes["good one"].enrichment is Enrichment.DONE
    assert notes["good two"].enrichment is Enrichment.DONE
    assert notes["poison"].enrichment is Enrichment.FAILED
    assert "ZeroDivisionError" in notes["poison"].enrichment_error
    assert "surprise" not in notes["poison"].enrichment_error


async def test_notes_stored_while_the_embedder_is_down_are_found_once_it_is_back(
    app: App, embedder: FakeEmbedder
) -> None:
    before = (await app.notes.add(BANK, Draft(content="cats like windows"))).note
    embedder.down = True
    added = (await app.notes.add(BANK, Draft(content="taxes are due in april"))).note
    assert added.enrichment is Enrichment.PENDING
    await app.notes.update(BANK, before.id, Change(content="dogs like gardens"))
    state = await app.maintenance.state()
    assert state.banks[0].unembedded == 2
    embedder.down = False
    assert await app.recall.search(BANK, Query(text="cats windows")) == []
    waiting = await app.enrichment.reopen(BANK, origin=None, failed=False)
    await app.enrichment.enrich_now(BANK, waiting)
    assert [each.note.content for each in await app.recall.search(BANK, Query(text="taxes april"))] == [
        "taxes are due in april"
    ]
    assert [each.note.content for each in await app.recall.search(BANK, Query(text="dogs gardens"))] == [
        "dogs like gardens"
    ]
    assert (await app.maintenance.state()).banks[0].unembedded == 0


async def test_a_text_that_changes_under_the_analyst_keeps_no_finding_about_the_old_one(
    app: App, analyst: FakeAnalyst
) -> None:
    outcomes = await app.notes.add_all(BANK, [Draft(content="ancient history")])
    id = outcomes[0].id
    assert id is not None
    analyst.released.clear()
    enriching = asyncio.create_task(app.enrichment.enrich_all(BANK, [id]))
    await asyncio.sleep(0)
    await app.notes.update(BANK, id, Change(content="modern times"))
    analyst.released.set()
    await enriching
    note = (await app.notes.get(BANK, [id]))[0].note
    assert note.enrichment is Enrichment.PENDING
    assert note.keywords == ()
    await app.enrichment.enrich_all(BANK, [id])
    assert (await app.notes.get(BANK, [id]))[0].note.keywords == ("modern", "times")


async def test_pending_notes_that_no_job_knows_of_are_swept_back_into_the_queue(
    app: App, clock: FakeClock, url: str
) -> None:

    await app.notes.add_all(BANK, [Draft(content="orphaned")])
    assert await app.enrichment.sweep() == 0
    with psycopg.connect(url) as connection:
        connection.execute("DELETE FROM procrastinate_jobs")
    assert await app.enrichment.sweep() == 0
    clock.advance(minutes=3)
    assert await app.enrichment.sweep() == 1
    async with running_worker(app):
        await eventually(lambda: all_done(app))


async def test_an_add_in_one_call_leaves_a_job_for_the_case_of_a_crash(
    app: App, analyst: FakeAnalyst, url: str
) -> None:
    analyst.released.clear()
    adding = asyncio.create_task(app.notes.add(BANK, Draft(content="safe"), when=When.INLINE))

    async def stored() -> bool:
        return bool(await the_notes(app))

    await eventually(stored)
    with psycopg.connect(url) as connection:
        jobs = connection.execute("SELECT task_name, scheduled_at FROM procrastinate_jobs").fetchall()
    assert [name for name, _ in jobs] == ["enrich_notes"]
    assert jobs[0][1] >= FakeClock().now() + timedelta(seconds=20)
    analyst.released.set()
    assert (await adding).note.enrichment is Enrichment.DONE


async def test_the_callers_own_context_is_never_replaced(app: App) -> None:
    added = await app.notes.add(BANK, replace(Draft(content="content of it"), context="my own words"))
    assert added.note.context == "my own words"
    changed = await app.notes.update(BANK, added.note.id, Change(context=""))
    assert changed.context == ""
