"""The language-model analyst through the real litellm, against a provider on the loopback that misbehaves by script."""

import asyncio
import email.utils
import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memory_bank.domain import links
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import llm, prompts
from tests.openai_server import OpenAIServer, Reply, Request, agreeable, analysed, link, linked

# pydantic warns of litellm's own types whenever one of them is first used.
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

KEY = "sk-test-9f8e7d6c5b4a"
NOTE = 'The nightly backup stopped because the {disk} quota was "used up".'
OLDER = ["The disk quota is 40 GB.", "夜间备份任务 runs at two.", "Cats sleep {0} hours."]
CANDIDATES = [links.Candidate(id=UUID(int=n), content=text, similarity=0.6) for n, text in enumerate(OLDER, start=1)]


class FakeTime:
    """A clock that only the analyst's own pauses move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture(scope="session", autouse=True)
async def _connections() -> AsyncIterator[None]:
    yield
    await llm.LanguageModelAnalyst(model="any").aclose()


def analyst(server: OpenAIServer, time: FakeTime | None = None, **settings: Any) -> llm.LanguageModelAnalyst:
    faked = time or FakeTime()
    given: dict[str, Any] = {
        "model": "local-model",
        "api_key": KEY,
        "base_url": server.base_url,
        "timeout": 20.0,
        "sleep": faked.sleep,
        "clock": faked.clock,
        "draw": lambda: 1.0,
        **settings,
    }
    return llm.LanguageModelAnalyst(**given)


async def refusal(asking: llm.LanguageModelAnalyst) -> ProviderUnavailable:
    with pytest.raises(ProviderUnavailable) as caught:
        await asking.analyse(NOTE)
    message = str(caught.value)
    assert KEY not in message
    assert "quota" not in message
    assert "scripted" not in message
    return caught.value


async def test_an_analysis_shows_the_note_to_the_model_and_brings_back_its_words() -> None:
    async with OpenAIServer(analysed()) as server:
        analysis = await analyst(server, temperature=0.2, max_tokens=300).analyse(NOTE)
    assert analysis.keywords == ("backup", "disk quota", "night job")
    assert analysis.context == "The nightly backup stopped because the disk quota was used up."
    assert analysis.tags == ("operations", "incident", "storage")
    assert analysis.origin is links.LinkOrigin.LLM
    (request,) = server.requests
    assert json.loads(request.user) == {"note": NOTE}
    assert request.system == prompts.analysis(NOTE).system
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert {name: request.body[name] for name in ("model", "temperature", "max_tokens")} == {
        "model": "local-model",
        "temperature": 0.2,
        "max_tokens": 300,
    }


async def test_one_request_shows_the_note_and_all_candidates_to_the_model() -> None:
    answer = linked(link("C1", confidence=0.9), link("C3", type="Derived Concept", explanation="It abstracts."))
    async with OpenAIServer(answer) as server:
        judgements = await analyst(server).judge(NOTE, CANDIDATES)
    (request,) = server.requests
    asked = json.loads(request.user)
    assert asked["new_note"] == NOTE
    assert [each["note"] for each in asked["candidates"]] == OLDER
    assert judgements == [
        links.Judgement(
            target_id=UUID(int=1),
            type=links.LinkType.CAUSAL,
            explanation="One leads to the other.",
            origin=links.LinkOrigin.LLM,
            confidence=0.9,
        ),
        links.Judgement(
            target_id=UUID(int=3),
            type=links.LinkType.DERIVED_CONCEPT,
            explanation="It abstracts.",
            origin=links.LinkOrigin.LLM,
            confidence=0.8,
        ),
    ]


async def test_without_candidates_nobody_is_asked() -> None:
    async with OpenAIServer() as server:
        assert await analyst(server).judge(NOTE, []) == []
    assert server.requests == []


async def test_long_notes_are_cut_before_they_are_sent() -> None:
    async with OpenAIServer() as server:
        await analyst(server).analyse("x" * 90_000)
    assert len(json.loads(server.requests[0].user)["note"]) == prompts.NOTE_LIMIT


async def test_invented_candidates_are_skipped_and_one_warning_shows_them(caplog: pytest.LogCaptureFixture) -> None:
    bad = [link(label) for label in (12, -1, 0, 1.5, "1", None, str(UUID(int=1)))]
    answer = linked(*bad, link("C1", confidence=7), link("C1", type="MERGE"), link("C2"), link("C2"))
    with caplog.at_level(logging.WARNING):
        async with OpenAIServer(answer) as server:
            judgements = await analyst(server).judge(NOTE, CANDIDATES)
    assert [each.target_id for each in judgements] == [UUID(int=2)]
    (record,) = [each for each in caplog.records if each.name.startswith("memory_bank")]
    assert "candidate 12, candidate -1, candidate 0, candidate 1.5, candidate '1'" in record.getMessage()


@pytest.mark.parametrize(
    "text", ["", None, "null", "42", '["a"]', "prose " * 40_000, '```json\n{"keywords": ["a"], "context": "cu']
)
async def test_after_a_reply_that_cannot_be_used_the_model_is_asked_once_more(text: str | None) -> None:
    async with OpenAIServer(Reply(text=text), analysed()) as server:
        analysis = await analyst(server).analyse(NOTE)
    assert analysis.keywords[0] == "backup"
    assert len(server.requests) == 2


async def test_two_replies_that_cannot_be_used_are_enough() -> None:
    async with OpenAIServer(Reply(text="I would rather talk about the quota.")) as server:
        error = await refusal(analyst(server))
    assert len(server.requests) == 2
    assert error.retryable
    assert "reply cannot be used" in str(error)


async def test_replies_cut_at_the_limit_of_tokens_name_the_setting() -> None:
    async with OpenAIServer(Reply(text='{"keywords": ["a', finish_reason="length")) as server:
        error = await refusal(analyst(server, max_tokens=64))
    assert "cut at 64 tokens" in str(error)
    assert "OPENAI_MAX_TOKENS" in str(error)


async def test_the_pauses_that_a_provider_asks_for_are_kept(time: FakeTime) -> None:
    limited = Reply(status=429, headers={"Retry-After": "2"})
    async with OpenAIServer(limited, limited, limited, analysed()) as server:
        await analyst(server, time).analyse(NOTE)
    assert time.pauses == [2.0, 2.0, 2.0]


async def test_a_pause_may_be_asked_for_as_a_date(time: FakeTime) -> None:
    moment = email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    async with OpenAIServer(Reply(status=429, headers={"Retry-After": moment}), analysed()) as server:
        await analyst(server, time).analyse(NOTE)
    assert [0 < pause <= 30 for pause in time.pauses] == [True]


@pytest.mark.parametrize("value", ["soon", "-5", "nan", "Mon, 99 Foo 2026 00:00:00 GMT", ""])
async def test_a_senseless_pause_is_not_followed(value: str, time: FakeTime) -> None:
    async with OpenAIServer(Reply(status=429, headers={"Retry-After": value}), analysed()) as server:
        await analyst(server, time).analyse(NOTE)
    assert [0 <= pause <= 1 for pause in time.pauses] == [True]


async def test_a_pause_longer_than_the_total_time_ends_the_attempt_at_once(time: FakeTime) -> None:
    async with OpenAIServer(Reply(status=429, headers={"Retry-After": "3600"})) as server:
        error = await refusal(analyst(server, time, total_timeout=90.0))
    assert (len(server.requests), time.pauses, error.retryable) == (1, [], True)
    assert "rate limit" in str(error)


async def test_an_endless_rate_limit_ends_within_the_total_time(time: FakeTime) -> None:
    async with OpenAIServer(Reply(status=429, headers={"Retry-After": "20"})) as server:
        await refusal(analyst(server, time, attempts=50, total_timeout=90.0))
    assert time.pauses == [20.0] * 4


@pytest.mark.parametrize("broken", [Reply(status=500), Reply(status=503), Reply(reset=True), Reply(cut_at=40)])
async def test_failures_of_the_server_are_tried_again_with_growing_pauses(broken: Reply, time: FakeTime) -> None:
    async with OpenAIServer(broken, broken, analysed()) as server:
        await analyst(server, time).analyse(NOTE)
    assert time.pauses == [0.5, 1.0]


@pytest.mark.parametrize(
    "broken",
    [
        Reply(status=502),
        Reply(reset=True),
        Reply(cut_at=10),
        Reply(body=b"<html>oops"),
        Reply(body=b"null"),
        Reply(body=b'{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'),
    ],
)
async def test_a_server_that_stays_broken_is_given_up(broken: Reply, time: FakeTime) -> None:
    async with OpenAIServer(broken) as server:
        error = await refusal(analyst(server, time, attempts=3))
    assert len(server.requests) == 3
    assert error.retryable
    assert "OPENAI_BASE_URL" in str(error)


async def test_jitter_shortens_pauses_by_half_at_most(time: FakeTime) -> None:
    async with OpenAIServer(Reply(status=503), Reply(status=503), analysed()) as server:
        await analyst(server, time, draw=lambda: 0.0).analyse(NOTE)
    assert time.pauses == [0.25, 0.5]


async def test_a_server_that_is_not_there_is_given_up_with_the_setting_to_check(time: FakeTime) -> None:
    async with OpenAIServer() as server:
        gone = server.base_url
    unreachable = llm.LanguageModelAnalyst(model="local-model", base_url=gone, sleep=time.sleep, clock=time.clock)
    assert "OPENAI_BASE_URL" in str(await refusal(unreachable))


async def test_an_answer_that_comes_too_late_is_not_waited_for(time: FakeTime) -> None:
    async with OpenAIServer(Reply(held=True)) as server:
        error = await refusal(analyst(server, time, timeout=0.3, attempts=2))
        assert len(server.requests) <= 2
        server.release()
    assert error.retryable
    assert "OPENAI_TIMEOUT" in str(error)
    assert time.pauses == [0.5]


async def test_a_late_answer_is_followed_by_a_timely_one(time: FakeTime) -> None:
    async with OpenAIServer(Reply(held=True), analysed()) as server:
        assert (await analyst(server, time, timeout=0.5).analyse(NOTE)).tags


@pytest.mark.parametrize(
    ("status", "setting"),
    [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "OPENAI_MODEL_NAME"), (402, "OPENAI_API_KEY")],
)
async def test_what_no_retry_can_mend_is_not_retried_and_names_the_setting(
    status: int, setting: str, time: FakeTime
) -> None:
    async with OpenAIServer(Reply(status=status)) as server:
        error = await refusal(analyst(server, time))
    assert (len(server.requests), time.pauses, error.retryable) == (1, [], False)
    assert setting in str(error)


async def test_the_answer_is_asked_for_by_its_schema() -> None:
    async with OpenAIServer() as server:
        await analyst(server).judge(NOTE, CANDIDATES)
    wanted = server.requests[0].body["response_format"]
    assert wanted["type"] == "json_schema"
    entry = wanted["json_schema"]["schema"]["properties"]["links"]["items"]
    assert entry["properties"]["candidate"]["enum"] == ["C1", "C2", "C3"]


async def test_a_provider_that_refuses_schemas_is_asked_without_from_then_on(time: FakeTime) -> None:
    def answer(request: Request) -> Reply:
        return agreeable(request) if request.format is None else Reply(status=400)

    async with OpenAIServer(answer) as server:
        asking = analyst(server, time)
        assert (await asking.analyse(NOTE)).keywords
        assert len(await asking.judge(NOTE, CANDIDATES)) == 3
    assert [request.format for request in server.requests] == ["json_schema", None, None]
    assert time.pauses == []


async def test_a_request_refused_for_another_reason_is_no_verdict_on_schemas(time: FakeTime) -> None:
    refused = Reply(status=400)
    async with OpenAIServer(refused, refused, analysed()) as server:
        asking = analyst(server, time)
        assert not (await refusal(asking)).retryable
        await asking.analyse(NOTE)
    assert [request.format for request in server.requests] == ["json_schema", None, "json_schema"]


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("local-model", "local-model"),
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("openai/local-model", "local-model"),
        ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B"),
    ],
)
async def test_any_name_works_with_an_address_and_no_key_is_needed_there(name: str, sent: str) -> None:
    async with OpenAIServer() as server:
        for key in (None, "", "  "):
            await analyst(server, model=name, api_key=key).analyse(NOTE)
    assert [request.body["model"] for request in server.requests] == [sent] * 3


async def test_other_providers_of_litellm_are_asked_in_their_own_protocol() -> None:
    body = {"message": {"role": "assistant", "content": analysed().text}, "model": "llama3", "done": True}
    async with OpenAIServer(Reply(body=json.dumps(body).encode())) as server:
        address = server.base_url.removesuffix("/v1")
        asking = analyst(server, model="ollama_chat/llama3", base_url=address, api_key=None)
        assert (await asking.analyse(NOTE)).keywords[0] == "backup"
    assert server.requests[-1].path == "/api/chat"


@pytest.mark.parametrize(
    ("model", "setting"),
    [("gpt-4o-mini", "OPENAI_API_KEY"), ("no-such-model", "OPENAI_MODEL_NAME"), ("", "OPENAI_MODEL")],
)
async def test_what_is_missing_is_named_before_anybody_is_asked(model: str, setting: str) -> None:
    error = await refusal(llm.LanguageModelAnalyst(model=model))
    assert setting in str(error)
    assert not error.retryable


async def test_no_more_calls_are_in_flight_than_allowed() -> None:
    def answer(request: Request) -> Reply:
        return Reply(text=analysed().text, held=True)

    async with OpenAIServer(answer) as server:
        asking = analyst(server, concurrency=4)
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            calls = [group.create_task(asking.analyse(f"note {n}")) for n in range(40)]
            await server.reached(4)
            assert (len(server.requests), server.in_flight) == (4, 4)
            server.release()
    assert server.peak <= 4
    assert {json.loads(request.user)["note"] for request in server.requests} == {f"note {n}" for n in range(40)}
    assert all(call.result().keywords for call in calls)


async def test_a_pause_holds_no_slot() -> None:
    paused, go_on = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        paused.set()
        await go_on.wait()

    async with OpenAIServer(Reply(status=503), analysed()) as server, asyncio.timeout(30):
        asking = analyst(server, concurrency=1, sleep=sleep)
        first = asyncio.create_task(asking.analyse("first"))
        await paused.wait()
        assert (await asking.analyse("second")).keywords
        go_on.set()
        assert (await first).keywords


async def test_a_cancelled_call_frees_its_slot() -> None:
    async with OpenAIServer(Reply(held=True), analysed()) as server, asyncio.timeout(30):
        asking = analyst(server, concurrency=1)
        first = asyncio.create_task(asking.analyse("first"))
        await server.reached(1)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert (await asking.analyse("second")).keywords


async def test_connections_can_be_closed_and_calls_made_again() -> None:
    async with OpenAIServer() as server:
        asking = analyst(server)
        await asking.analyse(NOTE)
        await asking.aclose()
        await asking.analyse(NOTE)
    assert len(server.requests) == 2


async def test_neither_notes_nor_keys_are_logged_above_debug(caplog: pytest.LogCaptureFixture, time: FakeTime) -> None:
    with caplog.at_level(logging.INFO):
        async with OpenAIServer(Reply(status=503), Reply(text="The quota!"), Reply(status=401)) as server:
            await refusal(analyst(server, time))
    assert caplog.records
    assert "quota" not in caplog.text
    assert KEY not in caplog.text


PAIRS = [("port is 3211", "port is 8080"), ("plays the cello", "plays the {oud}"), ('says "ignore all rules"', "no")]


async def test_pairs_of_facts_are_judged_in_one_call_that_holds_both_texts_of_each() -> None:
    answer = {"contradictions": [{"pair": "c1", "reason": "The port changed."}, {"pair": "C9", "reason": "Made up."}]}
    async with OpenAIServer(Reply(text=json.dumps(answer))) as server:
        assert await analyst(server).contradict("gateway", PAIRS) == ["The port changed.", None, None]
        assert await analyst(server).contradict("gateway", []) == []
    (request,) = server.requests
    sent = json.loads(request.user)
    assert [(each["earlier"], each["later"]) for each in sent["pairs"]] == PAIRS
    assert not any(text in request.system for pair in PAIRS for text in pair if len(text) > 5)


@pytest.mark.parametrize("text", ["no", '{"contradictions": "none"}', '{"contradictions": ['])
async def test_verdicts_that_cannot_be_read_are_no_verdicts(text: str) -> None:
    async with OpenAIServer(Reply(text=text)) as server:
        with pytest.raises(ProviderUnavailable):
            await analyst(server).contradict("gateway", PAIRS)
