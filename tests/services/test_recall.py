"""Recall: what is found, what is hidden, and what counts as recalled."""

import asyncio
import random
from datetime import timedelta
from uuid import UUID

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray

from memory_bank import settings
from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain import filters
from memory_bank.domain.links import LinkType
from memory_bank.domain.notes import Draft
from memory_bank.domain.recall import Arm, Query
from memory_bank.errors import InvalidInput, ProviderUnavailable
from memory_bank.settings import Settings
from memory_bank.store import precedence, surroundings
from tests.fakes import FakeClock, FakeEmbedder

BANK = "default"


async def add(app: App, *contents: str, bank: str = BANK, **fields: object) -> list[UUID]:
    drafts = [Draft(content=content, **fields) for content in contents]  # type: ignore[arg-type]
    return [each.id for each in await app.notes.add_all(bank, drafts) if each.id]


async def search(app: App, text: str, **query: object) -> list[str]:
    found = await app.recall.search(BANK, Query(text=text, **query))  # type: ignore[arg-type]
    return [each.note.content for each in found]


def with_settings(loaded: Settings, **overrides: str) -> Settings:
    assert loaded.postgres.url is not None
    return settings.load(
        environ={},
        cwd=loaded.data_dir.parent,
        overrides={
            "postgres.url": loaded.postgres.conninfo(),
            "memory-bank.data-dir": str(loaded.data_dir),
            "memory.similarity-threshold": "0.2",
            **{name.replace("__", ".").replace("_", "-"): value for name, value in overrides.items()},
        },
    )


async def test_the_nearest_comes_first_and_nothing_below_the_floor(app: App) -> None:
    await add(app, "alpha beta gamma", "alpha beta other", "alpha something else entirely", "quite unrelated words")
    assert await search(app, "alpha beta gamma") == [
        "alpha beta gamma",
        "alpha beta other",
        "alpha something else entirely",
    ]
    assert await search(app, "nothing alike here") == []


async def test_a_result_explains_its_score(app: App) -> None:
    await add(app, "alpha beta", "alpha gamma")
    found = await app.recall.search(BANK, Query(text="alpha beta"))
    vector, lexical = found[0].arms
    assert (vector.arm, vector.rank, lexical.arm, lexical.rank) == ("vector", 1, "lexical", 1)
    assert vector.score == pytest.approx(1.0, abs=1e-5)
    assert [each.arms[0].rank for each in found] == [1, 2]
    best, second = (each.score for each in found)
    assert best is not None
    assert second is not None
    assert best > second
    assert found[0].evidence is not None


async def test_a_note_returned_counts_as_recalled_once_and_the_rest_do_not(app: App, clock: FakeClock) -> None:
    ids = await add(app, *(f"alpha word{n}" for n in range(8)))
    clock.advance(hours=1)
    found = await app.recall.search(BANK, Query(text="alpha", limit=3))
    assert [each.note.retrieval_count for each in found] == [1, 1, 1]
    assert {each.note.last_accessed for each in found} == {int(clock.now().timestamp())}
    returned = {each.note.id for each in found}
    rest = [each for each in await app.notes.get(BANK, ids) if each.note.id not in returned]
    assert [each.note.retrieval_count for each in rest] == [1] * 5
    assert all(each.retrievability < 1 for each in rest)


@pytest.mark.parametrize(("threshold", "shown"), [("0.9", False), ("0.5", True)])
async def test_a_note_idle_for_thirty_days_is_hidden_or_shown_by_the_threshold(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock, threshold: str, shown: bool
) -> None:
    strict = with_settings(loaded, retrievability_filter__settings__threshold=threshold)
    async with open_app(strict, parts=Parts(embedder=embedder, clock=clock)) as app:
        (id,) = await add(app, "alpha beta")
        await app.notes.get(BANK, [id])
        clock.advance(days=30)
        found = await app.recall.search(BANK, Query(text="alpha beta"))
        assert [each.note.id for each in found] == ([id] if shown else [])
        if shown:
            assert found[0].retrievability == pytest.approx(0.803, abs=5e-4)
        after = (await app.notes.get(BANK, [id]))[0].note
        # the get before, the search if it showed the note, and this get
        assert after.retrieval_count == (3 if shown else 2)


async def test_a_hidden_note_keeps_its_counters_and_lets_the_next_best_through(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    strict = with_settings(loaded, retrievability_filter__settings__threshold="0.9")
    async with open_app(strict, parts=Parts(embedder=embedder, clock=clock)) as app:
        (old,) = await add(app, "alpha beta gamma")
        created = int(clock.now().timestamp())
        clock.advance(days=30)
        await add(app, "alpha beta delta")
        assert await search(app, "alpha beta gamma", limit=1) == ["alpha beta delta"]
        assert await search(app, "alpha beta gamma", limit=1, include_forgotten=True) == ["alpha beta gamma"]
    with psycopg.connect(loaded.postgres.conninfo()) as connection:
        row = connection.execute("SELECT retrieval_count, last_accessed FROM notes WHERE id = %s", [old]).fetchone()
    assert row == (1, created + 30 * 86_400)


async def test_forgotten_notes_do_not_starve_a_search(app: App, clock: FakeClock) -> None:
    await add(app, *(f"alpha beta {n}" for n in range(150)))
    clock.advance(days=3650)
    await add(app, *(f"alpha beta with more words around it {n}" for n in range(5)))
    found = await search(app, "alpha beta", min_retrievability=0.5)
    assert len(found) == 5
    assert all("more words" in each for each in found)


async def test_a_disabled_filter_hides_nothing(loaded: Settings, embedder: FakeEmbedder, clock: FakeClock) -> None:
    disabled = with_settings(
        loaded,
        retrievability_filter__settings__enabled="false",
        retrievability_filter__settings__threshold="1.0",
    )
    async with open_app(disabled, parts=Parts(embedder=embedder, clock=clock)) as app:
        await add(app, "alpha beta")
        clock.advance(days=3650)
        assert await search(app, "alpha beta") == ["alpha beta"]
        clock.advance(days=3650)
        assert await search(app, "alpha beta", min_retrievability=0.5) == []


async def test_the_probabilistic_filter_forgets_at_random(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    chancy = with_settings(loaded, retrievability_filter__type="probabilistic")
    async with open_app(chancy, parts=Parts(embedder=embedder, clock=clock)) as app:
        await add(app, *(f"alpha word{n}" for n in range(30)))
        clock.advance(days=60)
        random.seed(7)
        shown = await search(app, "alpha", limit=30)
        assert 0 < len(shown) < 30


async def test_what_is_written_waits_for_a_search_that_is_under_way(
    loaded: Settings, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(FakeEmbedder):
        async def embed_query(self, text: str) -> NDArray[np.float32]:
            begun.set()
            await end.wait()
            return await super().embed_query(text)

    begun, end = asyncio.Event(), asyncio.Event()
    for name in ("STAND_BACK_SECONDS", "FIRST_SECONDS"):
        monkeypatch.setattr(precedence, name, 60.0)
    embedder = Slow()
    async with open_app(loaded, parts=Parts(embedder=embedder, clock=clock)) as app:
        await add(app, "alpha beta gamma")
        searching = asyncio.create_task(search(app, "alpha beta gamma"))
        await begun.wait()
        embedder.embedded.clear()
        adding = asyncio.create_task(add(app, "delta"))
        await asyncio.wait([adding], timeout=0.2)
        assert embedder.embedded == []
        assert not adding.done()
        end.set()
        assert await searching == ["alpha beta gamma"]
        assert len(await adding) == 1


async def test_a_search_without_a_text_does_not_wait_for_itself(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await add(app, "alpha", tags=("kept",))
    for name in ("STAND_BACK_SECONDS", "FIRST_SECONDS"):
        monkeypatch.setattr(precedence, name, 3_600.0)
    async with asyncio.timeout(60):
        assert await search(app, "", wanted=filters.Filter(tags=("kept",))) == ["alpha"]


async def test_a_filter_never_starves_the_result(app: App) -> None:
    """500 better matches without the tag do not push out the three that carry it."""
    await add(app, *(f"alpha beta {n}" for n in range(500)))
    await add(app, *(f"alpha with more words around it {n}" for n in range(3)), tags=("rare",))
    found = await search(app, "alpha beta", wanted=filters.checked(tags=["rare"]))
    assert len(found) == 3


async def test_a_long_note_does_not_crowd_out_the_others(app: App) -> None:
    await add(app, "alpha beta " * 9_000)
    await add(app, *(f"alpha beta and word{n}" for n in range(12)))
    assert len(await search(app, "alpha beta", limit=13)) == 13


async def test_the_index_finds_what_an_exact_scan_finds_under_a_filter_on_a_small_bank(
    app: App, url: str, embedder: FakeEmbedder
) -> None:
    """A bank of a few hundred notes among thousands of a neighbour's is searched in full."""
    generator = random.Random(5)
    words = [f"w{n}" for n in range(60)]
    for start in range(0, 2_000, 500):
        await add(app, *(" ".join(generator.sample(words, 6)) + f" big{start}{n}" for n in range(500)), bank="big")
    small = [" ".join(generator.sample(words, 6)) + f" small{n}" for n in range(100)]
    await add(app, *small)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
    query = "w1 w2 w3"
    vector = await embedder.embed_query(query)
    exact = sorted(small, key=lambda text: -float(np.dot(embedder._windows(text)[0], vector)))
    by_vector = frozenset({Arm.VECTOR})
    found = await search(app, query, limit=10, min_similarity=-1.0, arms=by_vector)
    assert len(found) == 10
    assert len(set(found) & set(exact[:10])) >= 9
    assert len(await search(app, query, limit=200, min_similarity=-1.0, arms=by_vector)) == 100


@pytest.mark.parametrize("limit", [0, -1, 201, 10_000])
async def test_a_limit_out_of_bounds_is_refused_by_name(app: App, limit: int) -> None:
    with pytest.raises(InvalidInput, match=r"^limit:"):
        await app.recall.search(BANK, Query(text="x", limit=limit))


@pytest.mark.parametrize("text", ["", "  ", "\x00", "\u200b"])
async def test_a_blank_query_is_refused_by_name(app: App, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^context:"):
        await app.recall.search(BANK, Query(text=text))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (Query(text="x" * 10_001), "context"),
        (Query(text="x", min_retrievability=1.5), "min_retrievability"),
        (Query(text="x", min_similarity=float("nan")), "min_similarity"),
    ],
)
async def test_a_query_out_of_bounds_is_refused_by_name(app: App, query: Query, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await app.recall.search(BANK, query)
    assert caught.value.field == field


async def test_searching_a_bank_that_does_not_exist_finds_nothing(app: App) -> None:
    assert await app.recall.search("nowhere", Query(text="anything")) == []


async def test_parallel_recalls_of_the_same_notes_count_every_one(app: App) -> None:

    ids = await add(app, *(f"alpha word{n}" for n in range(5)))
    await asyncio.gather(*(search(app, f"alpha word{n % 5}") for n in range(30)))
    counts = [each.note.retrieval_count for each in await app.notes.get(BANK, ids)]
    assert counts == [31] * 5


async def test_searches_that_share_a_single_connection_never_wait_for_each_other_for_good(
    loaded: Settings, embedder: FakeEmbedder, clock: FakeClock
) -> None:
    async with open_app(
        with_settings(loaded, postgres__pool_size="1"), parts=Parts(embedder=embedder, clock=clock)
    ) as app:
        await add(app, "alpha beta")
        async with asyncio.timeout(60):
            found = await asyncio.gather(*(search(app, "alpha beta") for _ in range(20)))
        assert found == [["alpha beta"]] * 20


async def test_time_moves_only_with_the_injected_clock(app: App, clock: FakeClock) -> None:
    await add(app, "alpha beta")
    clock.moment += timedelta(seconds=604_800)
    first = (await app.recall.search(BANK, Query(text="alpha beta")))[0]
    clock.moment += timedelta(seconds=604_800)
    second = (await app.recall.search(BANK, Query(text="alpha beta")))[0]
    assert first.retrievability == pytest.approx(0.95**1.5)
    assert second.retrievability == pytest.approx(0.95)


async def test_words_find_what_the_model_does_not_and_the_other_way_round(app: App, embedder: FakeEmbedder) -> None:
    await add(app, "the spare key lies under the blue pot")
    embedder.down = True
    assert await search(app, "blue pot") == ["the spare key lies under the blue pot"]
    with pytest.raises(ProviderUnavailable):
        await search(app, "blue pot", arms=frozenset({Arm.VECTOR}))


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("夜间备份任务因为磁盘配额不足而中断", "磁盘配额不足"),
        ("夜间备份任务因为磁盘配额不足而中断", "备份"),
        ("用 redis 做缓存层", "redis 缓存"),
        ("サーバー移行計画", "移行計画"),
        ("데이터베이스마이그레이션", "마이그레이션"),
        ("upgrade libsimdjson to v2.3.1 in foo.bar/baz", "libsimdjson"),
        ("upgrade libsimdjson to v2.3.1 in foo.bar/baz", "foo.bar/baz"),
        ("rename snake_case_name soon", "snake_case_name"),
    ],
)
async def test_a_text_is_found_by_its_words_in_any_script(app: App, content: str, query: str) -> None:
    await add(app, content, "an entirely unrelated note about gardening", "完全不同的内容")
    assert (await search(app, query))[0] == content


@pytest.mark.parametrize(
    "query",
    [
        "a'); DROP TABLE notes; --",
        'AND OR NOT NEAR("',
        "*%_\\",
        "🎉🎉",
        "the of and",
        "?!…",
        "e\u0301\u200b\u202e",
        "x " * 5_000,
        "日本 mixed скрипт العربية",
        "<->&|!():*",
    ],
)
async def test_a_query_is_data_and_never_an_error(app: App, query: str) -> None:
    await add(app, "alpha beta")
    await search(app, query)
    assert await search(app, "alpha beta") == ["alpha beta"]


async def test_a_neighbour_in_the_session_helps_a_note_and_its_answer_is_found(app: App) -> None:
    turns = ["where did you park the bicycle", "behind the old library", "and the helmet", "in the kitchen drawer"]
    drafts = [Draft(content=turn, session="s", position=n) for n, turn in enumerate(turns)]
    await app.notes.add_all(BANK, drafts)
    found = await search(app, "park the bicycle", limit=4, include_forgotten=True, min_similarity=-1.0)
    assert found.index("behind the old library") < found.index("in the kitchen drawer")


async def test_conditions_without_a_text_list_the_newest_and_count_as_recall(app: App, clock: FakeClock) -> None:
    for n in range(3):
        clock.advance(minutes=1)
        await add(app, f"tagged {n}", tags=("t",))
    await add(app, "untagged")
    found = await app.recall.search(BANK, Query(text="", limit=2, wanted=filters.checked(tags=["t"])))
    assert [each.note.content for each in found] == ["tagged 2", "tagged 1"]
    assert found[0].note.retrieval_count == 1
    with pytest.raises(InvalidInput, match=r"^context:"):
        await app.recall.search(BANK, Query(text=" "))


async def test_near_duplicates_are_shown_once_but_a_changed_number_is_news(app: App) -> None:
    await add(
        app,
        "the server of project atlas listens on port 3211 these days",
        "the server of project atlas listens on port 8080 these days",
        "the server of project atlas listens on port 8080 these very days",
    )
    assert len(await search(app, "which port does the server of project atlas listen on")) == 2


async def test_long_near_duplicates_are_compared_to_their_ends(app: App) -> None:
    told = "the server of project atlas listens where everybody looks for it " * 10
    assert len(told) > surroundings.TEXT_LENGTH
    await add(app, f"{told}on port 3211", f"{told}on port 8080", f"{told}on this port 8080")
    assert len(await search(app, "where does the server of project atlas listen")) == 2


async def test_links_bring_in_notes_on_request(app: App) -> None:
    near, far = await add(app, "alpha beta gamma", "quite unrelated words")
    await app.links.link(BANK, near, far, type=LinkType.CAUSAL, explanation="because")
    assert await search(app, "alpha beta") == ["alpha beta gamma"]
    assert await search(app, "alpha beta", expand=True) == ["alpha beta gamma", "quite unrelated words"]


@pytest.mark.parametrize("fusion", ["rrf", "weighted"])
async def test_the_published_fusions_are_options(loaded: Settings, embedder: FakeEmbedder, fusion: str) -> None:
    async with open_app(with_settings(loaded, search__fusion=fusion), parts=Parts(embedder=embedder)) as app:
        await add(app, "alpha beta gamma", "alpha beta other", "nothing of it")
        assert (await search(app, "alpha beta gamma"))[:2] == ["alpha beta gamma", "alpha beta other"]


@pytest.mark.parametrize("stamp", ["", " (2023/07/21)", " (2023/07/21 (Fri) 21:48)", "（周五）"])
async def test_of_two_turns_that_answer_alike_the_persons_own_comes_first(app: App, stamp: str) -> None:
    said = "the dentist moved my appointment to the second of June in the afternoon"
    drafts = [
        Draft(content=f"{speaker}{stamp}: {said}", session="talk", position=position)
        for position, speaker in enumerate(("assistant", "user"))
    ]
    await app.notes.add_all(BANK, drafts)
    found = await app.recall.search(BANK, Query(text="when is the appointment with the dentist?"))
    assert found[0].note.content.startswith("user")
