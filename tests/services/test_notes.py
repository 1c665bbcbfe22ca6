"""Adding, fetching, listing, editing and deleting notes, on a real database."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain import filters
from memory_bank.domain.filters import Filter, TagMatch
from memory_bank.domain.links import LinkType
from memory_bank.domain.notes import Change, Draft, Enrichment, Note, When
from memory_bank.domain.recall import Query
from memory_bank.errors import Conflict, InvalidInput, NotFound
from memory_bank.settings import Settings
from tests.fakes import FakeAnalyst, FakeClock, FakeEmbedder

BANK = "default"


async def add(app: App, content: str, bank: str = BANK, **fields: object) -> UUID:
    added = await app.notes.add(bank, replace(Draft(content=content), **fields))  # type: ignore[arg-type]
    return added.note.id


async def found(app: App, text: str, bank: str = BANK, limit: int = 5) -> list[str]:
    return [each.note.content for each in await app.recall.search(bank, Query(text=text, limit=limit))]


async def test_an_added_note_has_every_field_of_a_note(app: App, clock: FakeClock) -> None:
    added = await app.notes.add(BANK, Draft(content="Ada prefers green tea", tags=("Drinks", "project:atlas")))
    note = added.note
    assert not added.duplicate
    assert note.content == "Ada prefers green tea"
    assert note.keywords == ("prefers", "green")
    assert note.context == "About Ada prefers green tea"
    assert note.tags == ("drinks", "project:atlas", "prefers", "green")
    assert note.timestamp == clock.now()
    assert note.last_accessed == int(clock.now().timestamp())
    assert note.retrieval_count == 0
    assert note.enrichment is Enrichment.DONE
    assert note.id.version == 7


async def test_content_comes_back_byte_for_byte(app: App) -> None:
    content = "  tabs\tand\r\nnewlines \u2028 {{braces}} 'quotes' %s :bind \\x00 👩‍👩‍👧‍👦 e\u0301 𠀀 \n"
    id = await add(app, content)
    assert (await app.notes.get(BANK, [id]))[0].note.content == content


async def test_nul_and_lone_surrogates_are_cleaned_everywhere(app: App) -> None:
    added = await app.notes.add(
        BANK,
        Draft(content="be\x00fore\ud800after", context="c\x00c", tags=("t\x00ag",), session="s\udfff1"),
    )
    assert added.note.content == "beforeafter"
    assert added.note.context == "cc"
    assert "tag" in added.note.tags
    assert added.note.session == "s1"
    assert await found(app, "before\x00after") == ["beforeafter"]


@pytest.mark.parametrize("blank", ["", "   ", "\t\n", "\u200b", "\u3000", "\x00", "\u2060\ufeff", "\ud800"])
async def test_blank_content_is_refused_by_name_and_nothing_is_stored(
    app: App, embedder: FakeEmbedder, blank: str
) -> None:
    with pytest.raises(InvalidInput, match=r"^content:"):
        await app.notes.add(BANK, Draft(content=blank))
    assert (await app.notes.browse(BANK, wanted=Filter())).total == 0
    assert embedder.embedded == []


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (Draft(content="x" * 100_001), "content"),
        (Draft(content="x", context="c" * 2_001), "context"),
        (Draft(content="x", tags=("t" * 101,)), "tags"),
        (Draft(content="x", tags=tuple(f"t{n}" for n in range(51))), "tags"),
        (Draft(content="x", tags=(" ",)), "tags"),
        (Draft(content="x", session="s" * 201), "session"),
        (Draft(content="x", position=-1), "position"),
        (Draft(content="x", position=2**31), "position"),
    ],
)
async def test_a_value_out_of_bounds_is_refused_by_its_field(app: App, draft: Draft, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await app.notes.add(BANK, draft)
    assert caught.value.field == field
    assert (await app.notes.browse(BANK, wanted=Filter())).total == 0


async def test_the_longest_content_is_kept_whole_and_its_tail_is_found(app: App) -> None:
    words = " ".join(f"filler{n % 50}" for n in range(11_000))[:99_000]
    await add(app, words + " the spare key lies under the blue pot")
    await add(app, words + " the invoice number is forty two")
    assert (await found(app, "spare key blue pot", limit=1))[0].endswith("blue pot")


@pytest.mark.parametrize("name", ["", "UPPER", "a b", "a/b", "../x", "ä", "x" * 65, "a\n", "default;"])
async def test_a_malformed_bank_name_is_refused(app: App, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^bank:"):
        await app.notes.add(name, Draft(content="x"))


async def test_the_same_text_twice_is_one_note(app: App) -> None:
    first = await app.notes.add(BANK, Draft(content="once"))
    second = await app.notes.add(BANK, Draft(content="once"))
    assert second.duplicate
    assert second.note.id == first.note.id
    other_session = await app.notes.add(BANK, Draft(content="once", session="s"))
    other_bank = await app.notes.add("elsewhere", Draft(content="once"))
    assert not other_session.duplicate
    assert not other_bank.duplicate


async def test_twenty_callers_storing_one_text_at_once_make_one_note(app: App, embedder: FakeEmbedder) -> None:
    embedder.released.clear()
    calls = [asyncio.create_task(app.notes.add(BANK, Draft(content="the same"))) for _ in range(20)]
    await asyncio.sleep(0)
    embedder.released.set()
    answers = await asyncio.gather(*calls)
    assert len({each.note.id for each in answers}) == 1
    assert sum(not each.duplicate for each in answers) == 1


async def test_a_text_can_be_stored_again_after_its_note_was_deleted(app: App, clock: FakeClock) -> None:
    other = await add(app, "a neighbour of the text")
    first = await app.notes.add(BANK, Draft(content="the text", tags=("old",)))
    assert first.note.links
    await app.notes.delete(BANK, first.note.id)
    clock.advance(days=1)
    again = await app.notes.add(BANK, Draft(content="the text", tags=("new",)))
    assert not again.duplicate
    assert again.note.timestamp == clock.now()
    assert "old" not in again.note.tags
    assert {each.source_id for each in again.note.links} <= {again.note.id, other}


async def test_a_batch_stores_its_good_notes_and_names_its_bad_ones(app: App) -> None:
    outcomes = await app.notes.add_all(
        BANK, [Draft(content="one"), Draft(content=" "), Draft(content="two"), Draft(content="one")]
    )
    assert [each.error is None for each in outcomes] == [True, False, True, True]
    assert outcomes[3].duplicate
    assert outcomes[3].id == outcomes[0].id
    page = await app.notes.browse(BANK, wanted=Filter())
    assert page.total == 2


@pytest.mark.parametrize("size", [0, 501])
async def test_a_batch_of_no_or_too_many_notes_is_refused(app: App, size: int) -> None:
    with pytest.raises(InvalidInput, match=r"^notes:"):
        await app.notes.add_all(BANK, [Draft(content=f"note {n}") for n in range(size)])


async def test_batches_with_texts_in_common_do_not_wait_for_each_other(app: App) -> None:
    texts = [f"text {n}" for n in range(60)]
    batches = [texts, texts[::-1], texts[30:] + texts[:30], texts]
    await asyncio.gather(*(app.notes.add_all(BANK, [Draft(content=each) for each in batch]) for batch in batches))
    assert (await app.notes.browse(BANK, wanted=Filter())).total == 60


async def test_getting_notes_keeps_the_order_asked_for_and_leaves_unknown_ids_out(app: App) -> None:
    first, second = await add(app, "first"), await add(app, "second")
    got = await app.notes.get(BANK, [second, uuid4(), first, second])
    assert [each.note.id for each in got] == [second, first]


async def test_getting_a_note_counts_as_recall_and_forgetting_never_hides_it(app: App, clock: FakeClock) -> None:
    id = await add(app, "remember me")
    clock.advance(days=3650)
    got = (await app.notes.get(BANK, [id]))[0]
    assert got.retrievability < 0.01
    assert got.note.retrieval_count == 1
    assert got.note.last_accessed == int(clock.now().timestamp())


async def test_an_id_of_another_bank_is_unknown(app: App) -> None:
    theirs = await add(app, "a secret of bank b", bank="b")
    mine = await add(app, "a note of bank a", bank="a")
    assert await app.notes.get("a", [theirs]) == []
    assert await found(app, "a secret of bank b", bank="a") == ["a note of bank a"]
    with pytest.raises(NotFound):
        await app.notes.update("a", theirs, Change(content="changed"))
    with pytest.raises(NotFound):
        await app.notes.delete("a", theirs)
    with pytest.raises(NotFound):
        await app.links.link("a", mine, theirs, type=LinkType.CAUSAL, explanation="because")
    with pytest.raises(NotFound):
        await app.links.neighbourhood("a", theirs)
    got = (await app.notes.get("b", [theirs]))[0].note
    assert (got.content, got.retrieval_count) == ("a secret of bank b", 1)


async def test_a_new_text_replaces_vector_and_findings_but_not_the_callers_words(
    app: App, analyst: FakeAnalyst
) -> None:
    added = await app.notes.add(BANK, Draft(content="cats like warm windows", tags=("mine",), context="my context"))
    analyst.released.clear()
    changed = await app.notes.update(BANK, added.note.id, Change(content="quarterly taxes filing deadline"))
    assert changed.content == "quarterly taxes filing deadline"
    assert changed.enrichment is Enrichment.PENDING
    assert changed.keywords == ()
    assert changed.tags == ("mine",)
    assert changed.context == "my context"
    assert await found(app, "cats warm windows") == []
    assert await found(app, "taxes deadline") == ["quarterly taxes filing deadline"]
    analyst.released.set()
    await app.enrichment.enrich_all(BANK, [added.note.id])
    again = (await app.notes.get(BANK, [added.note.id]))[0].note
    assert again.keywords == ("quarterly", "taxes", "filing", "deadline")
    assert again.tags == ("mine", "quarterly", "taxes", "filing")


async def test_links_about_an_old_text_go_with_it_and_a_users_link_stays(app: App) -> None:
    first, second, third = [await add(app, f"atlas deploys every friday {n}") for n in ("one", "two", "three")]
    await app.links.link(BANK, third, first, type=LinkType.CAUSAL, explanation="I said so")
    changed = await app.notes.update(BANK, first, Change(content="penguins eat fish in antarctica"))
    assert [each.explanation for each in changed.links] == ["I said so"]
    assert all(first not in {each.source_id, each.target_id} for each in (await one(app, second)).links)


async def one(app: App, id: UUID) -> Note:
    return (await app.notes.get(BANK, [id]))[0].note


async def test_a_text_that_takes_long_to_embed_is_stored_within_the_limit_and_found_by_its_words(
    loaded: Settings, embedder: FakeEmbedder, analyst: FakeAnalyst
) -> None:
    limited = loaded.model_copy(update={"enrichment": loaded.enrichment.model_copy(update={"inline_timeout": 0.05})})
    async with open_app(limited, parts=Parts(embedder=embedder, analyst=analyst)) as app:
        embedder.released.clear()
        added = await app.notes.add(BANK, Draft(content="slow to embed"))
        assert added.note.enrichment is Enrichment.PENDING
        embedder.released.set()
        assert await found(app, "slow to embed") == ["slow to embed"]
        await app.enrichment.enrich_now(BANK, [added.note.id])
        assert (await app.maintenance.state()).banks[0].unembedded == 0


async def test_a_change_of_tags_alone_embeds_nothing(app: App, embedder: FakeEmbedder) -> None:
    added = await app.notes.add(BANK, Draft(content="hello there friend", tags=("a", "b")))
    before = len(embedder.embedded)
    changed = await app.notes.update(BANK, added.note.id, Change(add_tags=("C",), remove_tags=("a", "hello")))
    assert changed.tags == ("b", "c", "there", "friend")
    replaced = await app.notes.update(BANK, added.note.id, Change(tags=("only",)))
    assert replaced.tags == ("only",)
    assert len(embedder.embedded) == before
    assert replaced.enrichment is Enrichment.DONE


async def test_forty_callers_adding_a_tag_each_lose_none(app: App) -> None:
    id = await add(app, "shared")
    await asyncio.gather(*(app.notes.update(BANK, id, Change(add_tags=(f"tag{n}",))) for n in range(40)))
    note = (await app.notes.get(BANK, [id]))[0].note
    assert {f"tag{n}" for n in range(40)} <= set(note.tags)


async def test_a_new_text_that_another_note_holds_is_a_conflict(app: App) -> None:
    await add(app, "taken")
    id = await add(app, "free")
    with pytest.raises(Conflict, match="already holds"):
        await app.notes.update(BANK, id, Change(content="taken"))
    assert (await app.notes.get(BANK, [id]))[0].note.content == "free"


async def test_of_two_notes_changed_to_one_text_at_once_one_is_told_of_the_conflict(app: App) -> None:
    ids = [await add(app, f"version {n}") for n in range(4)]
    changes = [app.notes.update(BANK, id, Change(content="the one text")) for id in ids]
    answers = await asyncio.gather(*changes, return_exceptions=True)
    assert sum(not isinstance(each, BaseException) for each in answers) == 1
    assert all(isinstance(each, Conflict) for each in answers if isinstance(each, BaseException))


async def test_a_deleted_note_is_gone_from_everywhere(app: App) -> None:
    id = await add(app, "the red boat sails")
    other = await add(app, "the red boat sinks")
    preview = await app.notes.delete(BANK, id, preview=True)
    assert preview.content == "the red boat sails"
    assert len(await app.notes.get(BANK, [id])) == 1
    await app.notes.delete(BANK, id)
    assert await app.notes.get(BANK, [id]) == []
    assert await found(app, "red boat") == ["the red boat sinks"]
    assert (await app.notes.browse(BANK, wanted=Filter())).total == 1
    assert (await app.notes.get(BANK, [other]))[0].note.links == ()
    with pytest.raises(NotFound):
        await app.notes.delete(BANK, id)


async def test_pages_show_every_note_once_newest_first_while_notes_are_added(app: App, clock: FakeClock) -> None:
    ids = []
    for n in range(25):
        # several at one moment: the id decides
        if n % 3 == 0:
            clock.advance(seconds=1)
        ids.append(await add(app, f"note number {n}"))
    seen: list[UUID] = []
    cursor = None
    while True:
        page = await app.notes.browse(BANK, wanted=Filter(), after=cursor, limit=10)
        seen += [each.note.id for each in page.notes]
        clock.advance(seconds=1)
        await add(app, f"a newcomer after {len(seen)}")
        cursor = None if page.next_cursor is None else filters.parsed_cursor(str(page.next_cursor))
        if cursor is None:
            break
    assert sorted(seen) == sorted(ids)
    assert len(seen) == len(set(seen))


async def test_listing_is_no_recall(app: App) -> None:
    id = await add(app, "just looking")
    await app.notes.browse(BANK, wanted=Filter())
    assert (await app.notes.get(BANK, [id]))[0].note.retrieval_count == 1


async def test_tags_match_exactly_and_any_or_all(app: App) -> None:
    tags = ["test", "testing", "my-test-tag", "100%", "100", "my_tag", "myxtag", "a,b", "[x]", "back\\slash", "ünï"]
    for tag in tags:
        await app.notes.add(BANK, Draft(content=f"note with {tag}", tags=(tag,)), when=When.QUEUED)
    await app.notes.add(BANK, Draft(content="both", tags=("alpha", "beta")), when=When.QUEUED)
    await app.notes.add(BANK, Draft(content="one of both", tags=("alpha",)), when=When.QUEUED)
    for tag in tags:
        page = await app.notes.browse(BANK, wanted=filters.checked(tags=[tag.upper() if tag.isascii() else tag]))
        assert [each.note.content for each in page.notes] == [f"note with {tag}"]
    both = await app.notes.browse(BANK, wanted=Filter(tags=("alpha", "beta"), tag_match=TagMatch.ALL))
    either = await app.notes.browse(BANK, wanted=Filter(tags=("alpha", "beta")))
    assert [each.note.content for each in both.notes] == ["both"]
    assert either.total == 2


async def test_a_project_sees_its_own_the_universal_and_the_unassigned(app: App) -> None:
    for content, tags in {
        "ours": ("project:atlas",),
        "theirs": ("project:zeus",),
        "everybody's": ("scope:universal", "project:zeus"),
        "nobody's": ("misc",),
    }.items():
        await app.notes.add(BANK, Draft(content=content, tags=tags), when=When.QUEUED)
    page = await app.notes.browse(BANK, wanted=filters.checked(project="Atlas"))
    assert {each.note.content for each in page.notes} == {"ours", "everybody's", "nobody's"}


async def test_time_filters_include_both_ends(app: App) -> None:
    for hour in (1, 2, 3):
        await add(app, f"at {hour}", timestamp=datetime(2026, 3, 10, hour, tzinfo=UTC))
    wanted = filters.checked(since=datetime(2026, 3, 10, 2, tzinfo=UTC), until=datetime(2026, 3, 10, 3, tzinfo=UTC))
    page = await app.notes.browse(BANK, wanted=wanted)
    assert [each.note.content for each in page.notes] == ["at 3", "at 2"]


@examples(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
async def test_any_text_is_stored_clean_or_refused_by_name(app: App, text: str) -> None:
    kept = "".join(c for c in text if c != "\x00" and not "\ud800" <= c <= "\udfff")
    (outcome,) = await app.notes.add_all("fuzz", [Draft(content=text)])
    if outcome.id is None:
        assert isinstance(outcome.error, InvalidInput)
        assert outcome.error.field == "content"
        assert not any(c.isalnum() for c in kept)
    else:
        assert (await app.notes.get("fuzz", [outcome.id]))[0].note.content == kept
