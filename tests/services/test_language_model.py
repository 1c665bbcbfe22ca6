"""Notes enriched by a language model over HTTP: whatever it answers, no note is lost."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory_bank import settings
from memory_bank.bootstrap import App, Parts, open_app
from memory_bank.domain.filters import Filter
from memory_bank.domain.links import LinkOrigin, LinkType
from memory_bank.domain.notes import Draft, Enrichment
from memory_bank.domain.recall import Query
from tests import openai_server
from tests.fakes import FakeEmbedder
from tests.openai_server import OpenAIServer, Reply

BANK = "default"
FIRST = "The billing service retries failed payments {three} times with 'back-off'."
SECOND = "The billing service once retried failed payments for ever; {{never}} again."


@asynccontextmanager
async def app_with(
    url: str, folder: Path, provider: OpenAIServer, embedder: FakeEmbedder, **overrides: str
) -> AsyncIterator[App]:
    loaded = settings.load(
        environ={},
        cwd=folder,
        overrides={
            "postgres.url": url,
            "memory-bank.data-dir": str(folder / "data"),
            "memory.similarity-threshold": "0.2",
            "openai.base-url": provider.base_url,
            "openai.model-name": "local-model",
            **{name.replace("__", ".").replace("_", "-"): value for name, value in overrides.items()},
        },
    )
    async with open_app(loaded, parts=Parts(embedder=embedder)) as app:
        yield app


async def test_the_request_holds_both_notes_and_the_answer_becomes_links(
    url: str, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    async with OpenAIServer() as provider, app_with(url, tmp_path, provider, embedder) as app:
        first = await app.notes.add(BANK, Draft(content=FIRST))
        second = await app.notes.add(BANK, Draft(content=SECOND))
        judged = [each for each in provider.requests if FIRST in each.user and SECOND in each.user]
        # JSON encoding leaves braces and single quotes as they are, so both texts stand there word for word
        assert len(judged) == 1
        assert "causal" in judged[0].system
        assert second.note.enrichment is Enrichment.DONE
        assert [(each.target_id, each.origin) for each in second.note.links] == [(first.note.id, LinkOrigin.LLM)]


def fenced(text: str | None) -> str:
    return f"Sure, here it is:\n```json\n{text}\n```\nAnything else?"


def thought(text: str | None) -> str:
    return f"<think>Maybe {{not json}} at all</think>{text}"


@pytest.mark.parametrize("wrap", [fenced, thought])
async def test_a_wrapped_answer_is_used(
    url: str, tmp_path: Path, embedder: FakeEmbedder, wrap: Callable[[str | None], str]
) -> None:
    def wrapped(request: openai_server.Request) -> Reply:
        return Reply(text=wrap(openai_server.agreeable(request).text))

    async with OpenAIServer(wrapped) as provider, app_with(url, tmp_path, provider, embedder) as app:
        await app.notes.add(BANK, Draft(content=FIRST))
        second = await app.notes.add(BANK, Draft(content=SECOND))
        assert second.note.enrichment is Enrichment.DONE
        assert second.note.links[0].origin is LinkOrigin.LLM
        assert len(second.note.keywords) >= 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text='```json\n{"keywords": ["cut in mid-str'),
        Reply(text="I cannot answer that."),
        Reply(text=""),
        Reply(text="null"),
        Reply(text='[1, 2, {"a": '),
        Reply(text="x" * 200_000),
        Reply(status=401, body=b'{"error": {"message": "bad key"}}'),
        Reply(body=b"no json at all"),
    ],
    ids=["cut", "prose", "empty", "null", "broken", "huge", "refused", "not-http-json"],
)
async def test_an_unusable_answer_leaves_the_note_stored_findable_and_marked(
    url: str, tmp_path: Path, embedder: FakeEmbedder, reply: Reply
) -> None:
    async with (
        OpenAIServer(reply) as provider,
        app_with(url, tmp_path, provider, embedder, enrichment__attempts="1") as app,
    ):
        added = await app.notes.add(BANK, Draft(content=FIRST))
        if added.note.enrichment is Enrichment.PENDING:
            await app.enrichment.enrich_now(BANK, [added.note.id])
        note = (await app.notes.get(BANK, [added.note.id]))[0].note
        assert note.content == FIRST
        assert note.enrichment is not Enrichment.PENDING
        if note.enrichment is Enrichment.FAILED:
            assert note.enrichment_error
            assert FIRST not in note.enrichment_error
        assert note.context
        assert [each.note.id for each in await app.recall.search(BANK, Query(text="failed payments"))] == [note.id]


async def test_invented_ids_types_and_confidences_link_nothing_and_the_valid_one_counts(
    url: str, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    def inventive(request: openai_server.Request) -> Reply:
        if "C1" not in request.user:
            return openai_server.agreeable(request)
        wrong = [12, -1, 0, 1.5, "1", None, "019a2b3c-0000-7000-8000-000000000000", "C9"]
        return openai_server.linked(
            *(openai_server.link(label) for label in wrong),
            openai_server.link("C1", type="MERGE"),
            openai_server.link("C1", confidence=7),
            openai_server.link("C1", type="opposition"),
        )

    async with OpenAIServer(inventive) as provider, app_with(url, tmp_path, provider, embedder) as app:
        first = await app.notes.add(BANK, Draft(content=FIRST))
        second = await app.notes.add(BANK, Draft(content=SECOND))
        assert [(each.target_id, each.type) for each in second.note.links] == [(first.note.id, LinkType.OPPOSITION)]


async def test_a_late_answer_is_left_to_the_queue_and_used_when_it_comes(
    url: str, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    def late(request: openai_server.Request) -> Reply:
        return Reply(text=openai_server.agreeable(request).text, held=True)

    async with (
        OpenAIServer(late) as provider,
        app_with(url, tmp_path, provider, embedder, enrichment__inline_timeout="200ms") as app,
    ):
        added = await app.notes.add(BANK, Draft(content=FIRST))
        assert added.note.enrichment is Enrichment.PENDING
        assert [each.note.id for each in await app.recall.search(BANK, Query(text="failed payments"))]
        provider.release()
        await app.enrichment.enrich_now(BANK, [added.note.id])
        note = (await app.notes.get(BANK, [added.note.id]))[0].note
        assert note.enrichment is Enrichment.DONE


async def test_with_a_dead_provider_every_note_of_a_batch_is_stored(
    url: str, tmp_path: Path, embedder: FakeEmbedder
) -> None:
    async with (
        OpenAIServer(Reply(status=401)) as provider,
        app_with(url, tmp_path, provider, embedder) as app,
    ):
        outcomes = await app.notes.add_all(BANK, [Draft(content=f"note number {n}") for n in range(50)])
        assert all(each.error is None for each in outcomes)
        await app.enrichment.enrich_now(BANK, [each.id for each in outcomes if each.id])
        page = await app.notes.browse(BANK, wanted=Filter(), limit=200)
        assert page.total == 50
        assert {each.note.enrichment for each in page.notes} == {Enrichment.FAILED}
        assert all(each.note.keywords for each in page.notes)


async def test_a_refused_key_is_named_once_in_the_log_and_until_it_is_mended(
    url: str, tmp_path: Path, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="memory_bank")
    refused = Reply(status=401)
    async with (
        OpenAIServer(refused, refused, refused, openai_server.agreeable) as provider,
        app_with(url, tmp_path, provider, embedder, openai__api_key="sk-wrong-0a1B2c3D4e5F") as app,
    ):
        assert app.language_model is not None
        assert app.language_model.problem is None
        for n in range(3):
            added = await app.notes.add(BANK, Draft(content=f"Note number {n}"))
            assert added.note.enrichment is Enrichment.FAILED
        assert len(provider.requests) == 3  # none was asked again
        assert "openai.api-key (OPENAI_API_KEY)" in str(app.language_model.problem)
        assert (await app.notes.add(BANK, Draft(content="Another note"))).note.enrichment is Enrichment.DONE
        assert app.language_model.problem is None
    told = [each for each in caplog.records if "OPENAI_API_KEY" in each.getMessage()]
    assert [each.levelname for each in told] == ["WARNING", "INFO", "INFO"]
    assert "sk-wrong" not in caplog.text
