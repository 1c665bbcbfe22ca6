"""Consolidation and introspection: what is put away with time, what stays, and what is worth a look."""

import pytest

from memory_bank.bootstrap import App
from memory_bank.domain.beliefs import Cause, EntityType, Statement, Status
from memory_bank.domain.consolidation import Mode, Policy
from memory_bank.domain.recall import Query
from memory_bank.errors import InvalidInput
from tests.fakes import FakeClock

BANK = "default"


async def state(app: App, name: str, *facts: str, type: EntityType = EntityType.SERVICE) -> None:
    await app.beliefs.remember(BANK, Statement(name=name, facts=facts, types=(type,)))


async def statuses(app: App, name: str) -> dict[str, Status]:
    _, held = await app.beliefs.entity(BANK, name)
    return {each.content: each.status for each in held}


async def test_superseded_facts_are_archived_after_180_days_and_stay_in_the_history(app: App, clock: FakeClock) -> None:
    await state(app, "gateway", "port is 3211", type=EntityType.PROJECT)
    await state(app, "gateway", "port is 8080", type=EntityType.PROJECT)
    clock.advance(days=179)
    assert (await app.consolidation.consolidate(BANK, mode=Mode.FULL)).archived_facts == ()
    clock.advance(days=1)
    preview = await app.consolidation.consolidate(BANK, mode=Mode.FULL, dry_run=True)
    assert [each.content for each in preview.archived_facts] == ["port is 3211"]
    assert (await statuses(app, "gateway"))["port is 3211"] is Status.SUPERSEDED
    await app.consolidation.consolidate(BANK, mode=Mode.FULL)
    assert (await statuses(app, "gateway"))["port is 3211"] is Status.ARCHIVED
    (last,) = [each for each in (await app.beliefs.entity(BANK, "gateway"))[1] if each.status is Status.ACTIVE]
    assert [each.content for each in await app.beliefs.earlier(BANK, [last.id])] == ["port is 3211"]


async def test_stale_unsure_facts_are_retired_and_can_be_restored(app: App, clock: FakeClock) -> None:
    await state(app, "gateway", "written in Go")
    await state(app, "gateway", "owned by the platform team")
    await state(app, "gateway", "owned by the platform team")
    await state(app, "Ana", "likes green tea", type=EntityType.PERSON)
    clock.advance(days=120)
    done = await app.consolidation.consolidate(BANK, mode=Mode.FULL)
    assert [each.content for each in done.retired_facts] == ["written in Go"]
    assert await statuses(app, "Ana") == {"likes green tea": Status.ACTIVE}
    assert await app.recall.search(BANK, Query(text="written in Go")) == []
    _, held = await app.beliefs.entity(BANK, "gateway")
    (retired,) = [each for each in held if each.status is Status.ARCHIVED]
    assert retired.cause is Cause.STALE
    await app.beliefs.remember(BANK, Statement(name="gateway", undo=retired.id))
    assert (await statuses(app, "gateway"))["written in Go"] is Status.ACTIVE


async def test_light_consolidation_tells_and_changes_nothing(app: App, clock: FakeClock) -> None:
    await state(app, "gateway", "written in Go")
    clock.advance(days=400)
    told = await app.consolidation.consolidate(BANK)
    assert (told.refreshed, told.unsure, told.retired_facts) == (1, 1, ())
    assert await statuses(app, "gateway") == {"written in Go": Status.ACTIVE}


async def test_every_bank_is_consolidated_by_the_timetable(app: App, clock: FakeClock) -> None:
    for bank in ("one", "two"):
        await app.beliefs.remember(bank, Statement(name="gateway", facts=("written in Go",)))
    clock.advance(days=400)
    await app.consolidation.consolidate_all()
    for bank in ("one", "two"):
        _, (fact,) = await app.beliefs.entity(bank, "gateway")
        assert fact.status is Status.ARCHIVED


async def test_things_of_nearly_one_name_are_reported(app: App) -> None:
    await state(app, "billing service", "charges cards")
    await state(app, "billing-service", "sends invoices")
    await state(app, "node 1", "is in rack 1")
    await state(app, "node 2", "is in rack 2")
    done = await app.consolidation.consolidate(BANK, mode=Mode.FULL)
    assert [{one.name, other.name} for one, other in done.alike] == [{"billing service", "billing-service"}]


@pytest.mark.parametrize(
    "given", [{"min_confidence": 2.0}, {"min_confidence": float("nan")}, {"max_stale_days": 0}, {"archive_days": -1}]
)
async def test_a_policy_out_of_range_is_refused(app: App, given: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        await app.consolidation.consolidate(BANK, policy=Policy(**given))  # type: ignore[arg-type]


async def test_what_nobody_saw_is_stale_until_it_is_shown(app: App, clock: FakeClock) -> None:
    await state(app, "gateway", "written in Go")
    await state(app, "Ana", "likes green tea", type=EntityType.PERSON)
    await app.beliefs.entity(BANK, "self")
    clock.advance(days=31)
    stale = await app.introspection.stale(BANK)
    assert [(each.entity.name, each.days) for each in stale] == [("gateway", 31), ("Ana", 31)]
    assert [each.entity.name for each in await app.introspection.stale(BANK, types=[EntityType.PERSON])] == ["Ana"]
    await app.beliefs.entity(BANK, "gateway")
    assert [each.entity.name for each in await app.introspection.stale(BANK)] == ["Ana"]


async def test_volatile_facts_are_gaps_until_they_are_confirmed(app: App, clock: FakeClock) -> None:
    await state(app, "gateway", "port is 3211", "written in Go")
    clock.advance(days=8)
    (gap,) = await app.introspection.gaps(BANK)
    assert (gap.fact.content, gap.volatile.what, gap.days) == ("port is 3211", "a port", 8)
    await state(app, "gateway", "port is 3211")
    assert await app.introspection.gaps(BANK) == []
    statistics = await app.introspection.statistics(BANK)
    assert (statistics.holdings.facts_active, statistics.gaps, statistics.stale) == (2, 0, 0)
