"""Embedding through the real litellm, against a provider on the loopback that misbehaves by script."""

import asyncio
import functools
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_bank import bootstrap, settings
from memory_bank.errors import ConfigurationError, MemoryBankError, ProviderUnavailable
from memory_bank.providers import embedding, litellm_embedding
from memory_bank.providers.litellm_embedding import LitellmEncoder, Server
from tests.openai_server import OpenAIServer, Reply, Request, embedded, embedding_by_length

# pydantic warns of litellm's own types whenever one of them is first used.
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier:UserWarning")

KEY = "sk-test-9f8e7d6c5b4a"
NOTE = "The nightly backup stopped: a private quota."
SIZE = 8
BOUND = 60.0


class FakeTime:
    """A clock that only the encoder's own pauses move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def encoder(
    server: OpenAIServer,
    time: FakeTime | None = None,
    *,
    model: str = "local-model",
    dimensions: int = SIZE,
    **limits: Any,
) -> LitellmEncoder:
    faked = time or FakeTime()
    where = Server(**{"api_key": KEY, "base_url": server.base_url, "timeout": 20.0, **limits})
    return LitellmEncoder(
        model, dimensions=dimensions, server=where, draw=lambda: 1.0, clock=faked.clock, sleep=faked.sleep
    )


async def encoded(asking: LitellmEncoder, *texts: str) -> list[NDArray[np.float32]]:
    return await asyncio.wait_for(asyncio.to_thread(asking.encode, texts), BOUND)


async def unavailability(asking: LitellmEncoder) -> ProviderUnavailable:
    error = await refusal(asking)
    assert isinstance(error, ProviderUnavailable)
    return error


async def refusal(asking: LitellmEncoder) -> MemoryBankError:
    with pytest.raises(MemoryBankError) as caught:
        await encoded(asking, NOTE)
    message = str(caught.value)
    assert KEY not in message
    assert "quota" not in message
    assert "scripted" not in message
    return caught.value


async def test_texts_go_out_in_one_call_and_come_back_as_unit_vectors() -> None:
    async with OpenAIServer(embedding_by_length) as server:
        rows = await encoded(encoder(server), "note", "notes")
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "local-model"
    assert request.body["input"] == ["note", "notes"]
    assert [each.dtype for each in rows] == [np.float32, np.float32]
    np.testing.assert_array_equal(np.concatenate(rows), np.eye(SIZE, dtype=np.float32)[[4, 5]])


async def test_nothing_is_sent_for_no_texts() -> None:
    async with OpenAIServer() as server:
        assert await encoded(encoder(server)) == []
    assert server.requests == []


async def test_vectors_that_come_in_another_order_find_their_texts_by_index() -> None:
    first, second = np.eye(SIZE)[:2].tolist()
    async with OpenAIServer(embedded(second, first, indices=(1, 0))) as server:
        rows = await encoded(encoder(server), "a", "b")
    assert [int(each.argmax()) for each in rows] == [0, 1]


async def test_many_texts_go_out_in_batches_that_small_servers_take() -> None:
    texts = ["x" * (1 + number % SIZE) for number in range(80)]
    async with OpenAIServer(embedding_by_length) as server:
        rows = await encoded(encoder(server), *texts)
    assert [len(request.body["input"]) for request in server.requests] == [32, 32, 16]
    assert [int(each.argmax()) for each in rows] == [len(each) % SIZE for each in texts]


async def test_a_long_text_has_a_vector_for_each_of_its_windows() -> None:
    text = "The harbour office moved its records again. " * 60
    async with OpenAIServer(embedding_by_length) as server:
        long, short = await encoded(encoder(server), text, "short")
    sent = server.requests[0].body["input"]
    assert (len(long), len(short)) == (3, 1)
    assert sent[:3] == litellm_embedding.windows(text)


@given(st.text(max_size=4_000) | st.text("ab 語\n", min_size=900, max_size=5_000))
def test_windows_hold_the_whole_text_each_within_the_limit(text: str) -> None:
    pieces = litellm_embedding.windows(text)
    assert all(sum(1 if each.isascii() else 2 for each in piece) <= litellm_embedding.WINDOW for piece in pieces)
    joined, at = pieces[0], 0
    for piece in pieces[1:]:
        at = text.find(piece, at)
        assert 0 < at <= len(joined)
        joined = text[: at + len(piece)] if at + len(piece) > len(joined) else joined
    assert joined == text


def test_windows_are_cut_between_words_and_share_their_edges() -> None:
    words = [f"word{number}" for number in range(400)]
    first, second, *_ = litellm_embedding.windows(" ".join(words))
    assert first.split() == words[: len(first.split())]
    assert first[-60:] in second


async def test_what_cannot_be_written_as_utf8_is_cleaned_before_it_is_sent() -> None:
    async with OpenAIServer(embedding_by_length) as server:
        assert len(await encoded(encoder(server), "half \ud83d a \0 flag")) == 1


@pytest.mark.parametrize("dimensions", [3, 1536])
async def test_vectors_of_another_length_are_refused_naming_both(dimensions: int) -> None:
    async with OpenAIServer(embedding_by_length) as server:
        error = await refusal(encoder(server, dimensions=dimensions))
    assert isinstance(error, ConfigurationError)
    assert f"embedding.dimensions is {dimensions}" in str(error)
    assert "has 8" in str(error)


NAN, LARGE = float("nan"), float("inf")


@pytest.mark.parametrize("row", [[0.0] * SIZE, [NAN] * SIZE, [LARGE] + [0.0] * 7, [1e-30] * SIZE])
async def test_a_vector_without_a_direction_is_refused(row: list[float]) -> None:
    async with OpenAIServer(embedded(row)) as server:
        await unavailability(encoder(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        embedded(),
        embedded([1.0] * SIZE, [1.0] * SIZE),
        embedded([]),
        embedded(["a"] * SIZE),
        embedded([None] * SIZE),
        embedded([[1.0], [2.0]]),
        embedded([{"a": 1}]),
        Reply(body=b"<html>oops"),
        Reply(body=b"null"),
        Reply(body=b"[]"),
        Reply(body=b'{"data": 5}'),
        Reply(body=b'{"data": [null]}'),
        Reply(body=b'{"data": [{"index": 0, "embedding": "AAAA"}]}'),
    ],
)
async def test_an_answer_that_is_no_vectors_is_refused(answer: Reply, time: FakeTime) -> None:
    async with OpenAIServer(answer) as server:
        await unavailability(encoder(server, time, attempts=2))
    assert len(server.requests) <= 2


async def test_the_pauses_that_a_provider_asks_for_are_kept(time: FakeTime) -> None:
    limited = Reply(status=429, headers={"Retry-After": "2"})
    async with OpenAIServer(limited, limited, embedding_by_length) as server:
        await encoded(encoder(server, time), NOTE)
    assert time.pauses == [2.0, 2.0]


async def test_a_pause_longer_than_the_total_time_ends_the_attempt_at_once(time: FakeTime) -> None:
    async with OpenAIServer(Reply(status=429, headers={"Retry-After": "3600"})) as server:
        error = await unavailability(encoder(server, time))
    assert (len(server.requests), time.pauses, error.retryable) == (1, [], True)
    assert "rate limit" in str(error)


@pytest.mark.parametrize("broken", [Reply(status=500), Reply(status=503), Reply(reset=True), Reply(cut_at=40)])
async def test_failures_of_the_server_are_tried_again_with_growing_pauses(broken: Reply, time: FakeTime) -> None:
    async with OpenAIServer(broken, broken, embedding_by_length) as server:
        await encoded(encoder(server, time), NOTE)
    assert time.pauses == [0.5, 1.0]


async def test_a_server_that_stays_broken_is_given_up(time: FakeTime) -> None:
    async with OpenAIServer(Reply(status=502)) as server:
        error = await unavailability(encoder(server, time, attempts=3))
    assert len(server.requests) == 3
    assert error.retryable
    assert "OPENAI_BASE_URL" in str(error)


async def test_an_answer_that_comes_too_late_is_not_waited_for(time: FakeTime) -> None:
    async with OpenAIServer(Reply(held=True)) as server:
        error = await unavailability(encoder(server, time, timeout=0.3, attempts=2))
        server.release()
    assert error.retryable
    assert "OPENAI_TIMEOUT" in str(error)
    assert time.pauses == [0.5]


@pytest.mark.parametrize(
    ("status", "setting"),
    [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "EMBEDDING_MODEL"), (400, "EMBEDDING_MODEL")],
)
async def test_what_no_retry_can_mend_is_not_retried_and_names_the_setting(
    status: int, setting: str, time: FakeTime
) -> None:
    async with OpenAIServer(Reply(status=status)) as server:
        error = await unavailability(encoder(server, time))
    assert (len(server.requests), time.pauses, error.retryable) == (1, [], False)
    assert setting in str(error)


async def test_other_providers_of_litellm_are_asked_in_their_own_protocol() -> None:
    body = {"model": "nomic-embed-text", "embeddings": [[3.0] + [0.0] * 7], "prompt_eval_count": 1}
    async with OpenAIServer(Reply(body=json.dumps(body).encode())) as server:
        asking = encoder(server, model="ollama/nomic-embed-text", base_url=server.base_url.removesuffix("/v1"))
        (rows,) = await encoded(asking, NOTE)
    assert server.requests[-1].path == "/api/embed"
    assert server.requests[-1].body["input"] == [NOTE]
    assert rows[0, 0] == 1.0


@pytest.mark.parametrize(
    ("model", "setting"), [("text-embedding-3-small", "OPENAI_API_KEY"), ("no-such-model", "EMBEDDING_MODEL")]
)
async def test_a_name_without_provider_or_key_is_refused_with_what_to_set(model: str, setting: str) -> None:
    with pytest.raises(ProviderUnavailable, match=setting):
        await encoded(LitellmEncoder(model, dimensions=SIZE), NOTE)


@pytest.mark.parametrize("model", ["", "  ", "a\nb"])
def test_what_is_no_name_is_refused(model: str) -> None:
    with pytest.raises(ConfigurationError, match=r"embedding\.model"):
        LitellmEncoder(model, dimensions=SIZE)


async def test_closing_ends_a_call_that_waits_for_its_answer() -> None:
    async with OpenAIServer(Reply(held=True)) as server:
        asking = encoder(server, timeout=600.0)
        waiting = asyncio.create_task(encoded(asking, NOTE))
        await server.reached(1)
        asking.close()
        with pytest.raises(ProviderUnavailable, match="closed"):
            await waiting


def opened(
    server: OpenAIServer, *, dimensions: int = SIZE, model: str = "local-model", tmp_path: Path
) -> embedding.Embedder:
    return embedding.open_embedder(
        backend="litellm",
        model=model,
        dimensions=dimensions,
        cache_dir=tmp_path,
        wait_seconds=BOUND,
        threads=None,
        server=Server(api_key=KEY, base_url=server.base_url, timeout=20.0),
    )


async def test_the_embedder_asks_the_provider_for_queries_and_documents(tmp_path: Path) -> None:
    async with OpenAIServer(embedding_by_length) as server:
        embedder = opened(server, tmp_path=tmp_path / "models")
        assert (await embedder.embed_query("four")).argmax() == 4
        assert [rows.shape for rows in await embedder.embed_documents(["a", "b" * 2_500])] == [(1, SIZE), (3, SIZE)]
        await embedder.close()
    assert not (tmp_path / "models").exists()


async def test_the_embedder_does_not_get_ready_with_vectors_of_another_length(tmp_path: Path) -> None:
    async with OpenAIServer(functools.partial(embedding_by_length, dimensions=5)) as server:
        embedder = opened(server, tmp_path=tmp_path)
        with pytest.raises(ConfigurationError, match=r"(?s)8.*5"):
            await embedder.wait_ready()
        assert embedder.state is embedding.State.FAILED
        await embedder.close()


async def test_vectors_of_a_provider_are_never_taken_for_those_of_a_local_model(tmp_path: Path) -> None:
    async with OpenAIServer() as server:
        names = [
            opened(server, model=model, tmp_path=tmp_path).name for model in ("all-MiniLM-L6-v2", "openai/bge", "bge")
        ]
    assert names == ["litellm:all-MiniLM-L6-v2", "litellm:bge", "litellm:bge"]


async def test_the_settings_name_model_key_and_address(tmp_path: Path) -> None:
    async with OpenAIServer(embedding_by_length) as server:
        loaded = settings.load(
            environ={
                "EMBEDDING_BACKEND": "litellm",
                "EMBEDDING_MODEL": "openai/local",
                "EMBEDDING_DIMENSIONS": str(SIZE),
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": server.base_url,
            },
            cwd=tmp_path,
        )
        embedder = bootstrap.embedder_of(loaded)
        assert (await embedder.embed_query("four")).shape == (SIZE,)
        await embedder.close()
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[-1].body["model"] == "local"


SCRIPT = """
    import logging, sys
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    from memory_bank.errors import ProviderUnavailable
    from memory_bank.providers import litellm_embedding
    assert "litellm" not in sys.modules
    server = litellm_embedding.Server(api_key="{key}", base_url="{address}", attempts=1)
    encoder = litellm_embedding.LitellmEncoder("local", dimensions=8, server=server)
    try:
        outcome = encoder.encode(["a private quota"])[0].shape
    except ProviderUnavailable as error:
        outcome = "refused"
    print("RESULT", outcome, file=sys.stderr)
"""


def failing(_: Request) -> Reply:
    return Reply(status=401)


@pytest.mark.parametrize(("answer", "outcome"), [(embedding_by_length, "(1, 8)"), (failing, "refused")])
async def test_a_whole_process_stays_silent_on_stdout_and_logs_neither_text_nor_key(answer: Any, outcome: str) -> None:
    async with OpenAIServer(answer) as server:
        script = textwrap.dedent(SCRIPT).replace("{key}", KEY).replace("{address}", server.base_url)
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert f"RESULT {outcome}" in done.stderr
    assert KEY not in done.stderr
    assert "quota" not in done.stderr
