"""Links: by hand, from both ends, walked to a depth, and removed with their notes."""

import asyncio
from uuid import UUID, uuid4

import pytest

from memory_bank.bootstrap import App
from memory_bank.domain.links import LinkOrigin, LinkType
from memory_bank.domain.notes import Draft
from memory_bank.errors import InvalidInput, NotFound

BANK = "default"


async def some(app: App, count: int) -> list[UUID]:
    """Store notes that have no word in common, so that nothing links them by itself."""
    drafts = [Draft(content=f"uniqueword{n}") for n in range(count)]
    return [each.id for each in await app.notes.add_all(BANK, drafts) if each.id]


async def link(app: App, source: UUID, target: UUID, type: LinkType = LinkType.CAUSAL) -> None:
    await app.links.link(BANK, source, target, type=type, explanation="because")


async def test_a_link_is_stored_once_and_seen_from_both_ends(app: App) -> None:
    one, two = await some(app, 2)
    await link(app, one, two)
    got = await app.notes.get(BANK, [one, two])
    assert got[0].note.links == got[1].note.links
    assert got[0].note.links[0].origin is LinkOrigin.USER


async def test_linking_a_pair_again_replaces_its_link(app: App) -> None:
    one, two = await some(app, 2)
    await link(app, one, two)
    await link(app, one, two, LinkType.OPPOSITION)
    (only,) = (await app.notes.get(BANK, [one]))[0].note.links
    assert only.type is LinkType.OPPOSITION


async def test_opposite_links_stand_beside_each_other(app: App) -> None:
    one, two = await some(app, 2)
    await asyncio.gather(*(link(app, *pair) for _ in range(10) for pair in ((one, two), (two, one))))
    assert len((await app.notes.get(BANK, [one]))[0].note.links) == 2


async def test_a_note_does_not_link_to_itself_nor_to_nothing(app: App) -> None:
    (one,) = await some(app, 1)
    with pytest.raises(InvalidInput, match="target_id"):
        await link(app, one, one)
    for pair in ((one, uuid4()), (uuid4(), one)):
        with pytest.raises(NotFound, match="nothing was linked"):
            await link(app, *pair)
    assert (await app.notes.get(BANK, [one]))[0].note.links == ()


async def test_a_walk_goes_both_ways_nearest_first_to_its_depth(app: App) -> None:
    a, b, c, d, e = await some(app, 5)
    await link(app, a, b)
    await link(app, c, b)
    await link(app, c, d)
    await link(app, e, d)
    around = await app.links.neighbourhood(BANK, a, depth=3)
    assert [(each.recalled.note.id, each.distance) for each in around.neighbours] == [(a, 0), (b, 1), (c, 2), (d, 3)]
    assert len(around.links) == 3


async def test_a_walk_follows_only_the_types_asked_for(app: App) -> None:
    a, b, c = await some(app, 3)
    await link(app, a, b, LinkType.CAUSAL)
    await link(app, a, c, LinkType.CONTRAST)
    around = await app.links.neighbourhood(BANK, a, types=[LinkType.CONTRAST])
    assert [each.recalled.note.id for each in around.neighbours] == [a, c]


async def test_a_walk_stops_at_its_limit_and_shows_no_link_to_what_it_left_out(app: App) -> None:
    hub, *others = await some(app, 10)
    for other in others:
        await link(app, hub, other)
    around = await app.links.neighbourhood(BANK, hub, limit=4)
    shown = {each.recalled.note.id for each in around.neighbours}
    assert len(shown) == 5
    assert all({each.source_id, each.target_id} <= shown for each in around.links)


async def test_a_deleted_note_is_no_way_through(app: App) -> None:
    a, b, c = await some(app, 3)
    await link(app, a, b)
    await link(app, b, c)
    await app.notes.delete(BANK, b)
    around = await app.links.neighbourhood(BANK, a, depth=4)
    assert [each.recalled.note.id for each in around.neighbours] == [a]
    with pytest.raises(NotFound):
        await app.links.neighbourhood(BANK, b)


@pytest.mark.parametrize(("depth", "limit"), [(0, 5), (5, 5), (1, 0), (1, 201)])
async def test_a_walk_out_of_bounds_is_refused(app: App, depth: int, limit: int) -> None:
    (a,) = await some(app, 1)
    with pytest.raises(InvalidInput, match=r"depth|limit"):
        await app.links.neighbourhood(BANK, a, depth=depth, limit=limit)
