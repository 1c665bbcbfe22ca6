"""Embedding: what a caller of the embedder and of the encoders may rely on."""

import asyncio
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_bank.errors import ConfigurationError, ProviderUnavailable
from memory_bank.providers import embedding, model_files
from memory_bank.providers.embedding import Embedder, State

BOUND = 60.0  # seconds after which a test that waits has failed
SIZE = 8


class FakeEncoder:
    """Gives each text the direction of its length, in windows of ten characters; stops at a closed gate."""

    name = "fake"

    def __init__(self, *, dimensions: int = SIZE, gated: str | None = None) -> None:
        self.dimensions = dimensions
        self.gated = gated
        self.gate = threading.Event()
        self.entered = threading.Event()
        self.encoded: list[str] = []

    def pieces(self, text: str) -> int | None:
        return len(text)

    def encode(self, texts: Sequence[str], /) -> list[NDArray[np.float32]]:
        if self.gated is not None and any(self.gated in each for each in texts):
            self.entered.set()
            assert self.gate.wait(BOUND)
        self.encoded += texts
        return [self.rows(each) for each in texts]

    def rows(self, text: str) -> NDArray[np.float32]:
        rows = np.zeros((max(1, -(-len(text) // 10)), self.dimensions), dtype=np.float32)
        rows[np.arange(len(rows)), (len(text) + np.arange(len(rows))) % self.dimensions] = 1
        return rows


class Answering(FakeEncoder):
    """Gives every text the same answer."""

    def __init__(self, answer: NDArray[np.float32]) -> None:
        super().__init__()
        self.answer = answer

    def rows(self, text: str) -> NDArray[np.float32]:
        return self.answer


@asynccontextmanager
async def opened(load: Callable[[], embedding.Encoder], *, wait_seconds: float = BOUND) -> AsyncIterator[Embedder]:
    embedder = Embedder(load, name="fake", dimensions=SIZE, wait_seconds=wait_seconds)
    try:
        yield embedder
    finally:
        await embedder.close()


async def happened(event: threading.Event) -> None:
    """Wait for a thread's event without holding up the loop."""
    assert await asyncio.to_thread(event.wait, BOUND)


def test_importing_the_room_brings_in_no_heavy_library() -> None:
    script = (
        "import sys, memory_bank.providers.embedding\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers', 'onnxruntime', 'onnx', 'huggingface_hub'}"
        " & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=BOUND, check=True)
    assert answer.stdout.strip() == "[]"


async def test_a_query_has_one_vector_and_a_document_one_for_each_window() -> None:
    async with opened(FakeEncoder) as embedder:
        query = await embedder.embed_query("short")
        documents = await embedder.embed_documents(["short", "as long as three"])
        assert query.shape == (SIZE,)
        assert [each.shape for each in documents] == [(1, SIZE), (2, SIZE)]
        assert query.dtype == documents[0].dtype == np.float32
        assert await embedder.embed_documents([]) == []


async def test_a_query_longer_than_a_window_gets_the_direction_of_the_mean_of_its_windows() -> None:
    async with opened(FakeEncoder) as embedder:
        vector = await embedder.embed_query("as long as three")
        expected = FakeEncoder().rows("as long as three").mean(axis=0)
        np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


async def test_a_repeated_query_is_encoded_once_and_its_answer_is_the_callers_own() -> None:
    encoder = FakeEncoder()
    async with opened(lambda: encoder) as embedder:
        first = await embedder.embed_query("again")
        first[:] = 0
        second = await embedder.embed_query("again")
        assert encoder.encoded == ["again"]
        assert np.linalg.norm(second) == pytest.approx(1)


async def test_the_query_cache_keeps_the_latest_queries_only() -> None:
    encoder = FakeEncoder()
    async with opened(lambda: encoder) as embedder:
        for number in range(embedding.CACHED_QUERIES + 1):
            await embedder.embed_query(str(number))
        await embedder.embed_query(str(embedding.CACHED_QUERIES))
        assert len(encoder.encoded) == embedding.CACHED_QUERIES + 1
        await embedder.embed_query("0")
        assert encoder.encoded[-1] == "0"


@pytest.mark.parametrize(
    "answer",
    [
        np.zeros((1, SIZE), dtype=np.float32),
        np.full((1, SIZE), 1e-30, dtype=np.float32),
        np.array([[np.nan] + [1.0] * (SIZE - 1)], dtype=np.float32),
        np.full((1, SIZE), np.inf, dtype=np.float32),
        np.ones((0, SIZE), dtype=np.float32),
        np.ones((1, SIZE + 1), dtype=np.float32),
        np.ones(SIZE, dtype=np.float32),
    ],
    ids=["zero", "tiny", "nan", "infinite", "no window", "other width", "flat"],
)
async def test_a_vector_that_is_no_direction_never_gets_out(answer: NDArray[np.float32]) -> None:
    async with opened(lambda: Answering(answer)) as embedder:
        with pytest.raises(ProviderUnavailable):
            await embedder.embed_query("text")
        with pytest.raises(ProviderUnavailable):
            await embedder.embed_documents(["text"])


async def test_windows_of_a_query_that_cancel_out_are_refused() -> None:
    opposite = np.zeros((2, SIZE), dtype=np.float32)
    opposite[:, 0] = [1, -1]
    async with opened(lambda: Answering(opposite)) as embedder:
        with pytest.raises(ProviderUnavailable, match="zero"):
            await embedder.embed_query("text")


async def test_an_encoder_that_breaks_is_told_as_unavailable_and_works_again_afterwards() -> None:
    class Breaking(FakeEncoder):
        def rows(self, text: str) -> NDArray[np.float32]:
            if text == "bad":
                raise RuntimeError("secret detail")
            return super().rows(text)

    async with opened(Breaking) as embedder:
        with pytest.raises(ProviderUnavailable, match="try again") as raised:
            await embedder.embed_documents(["bad"])
        assert "secret" not in str(raised.value)
        assert len(await embedder.embed_documents(["good"])) == 1


async def test_eight_threads_at_one_barrier_load_the_model_once() -> None:
    loads: list[FakeEncoder] = []

    def load() -> FakeEncoder:
        loads.append(FakeEncoder())
        return loads[-1]

    embedder = Embedder(load, name="fake", dimensions=SIZE, wait_seconds=BOUND)
    barrier = threading.Barrier(8)

    def embed(number: int) -> NDArray[np.float32]:
        barrier.wait(BOUND)
        return asyncio.run(embedder.embed_query("x" * number))

    with ThreadPoolExecutor(8) as pool:
        vectors = await asyncio.gather(
            *(asyncio.get_running_loop().run_in_executor(pool, embed, number) for number in range(1, 9))
        )
    await embedder.close()
    assert len(loads) == 1
    for number, vector in enumerate(vectors, start=1):
        np.testing.assert_array_equal(vector, FakeEncoder().rows("x" * number)[0])


async def test_starting_twice_loads_once_and_shows_how_far_it_is() -> None:
    gate, loads = threading.Event(), []

    def load() -> FakeEncoder:
        loads.append(1)
        assert gate.wait(BOUND)
        return FakeEncoder()

    async with opened(load) as embedder:
        states = [embedder.state]
        embedder.start()
        embedder.start()
        states.append(embedder.state)
        gate.set()
        await embedder.wait_ready()
        embedder.start()
        states.append(embedder.state)
        assert states == [State.LOADING, State.LOADING, State.READY]
        assert embedder.problem is None
        assert loads == [1]


async def test_a_call_waits_for_the_model_only_as_long_as_it_may() -> None:
    gate = threading.Event()

    def load() -> FakeEncoder:
        assert gate.wait(BOUND)
        return FakeEncoder()

    async with opened(load, wait_seconds=0.01) as embedder:
        with pytest.raises(ProviderUnavailable, match="still loading; try again in a moment"):
            await embedder.embed_query("text")
        with pytest.raises(ProviderUnavailable, match="still loading"):
            await embedder.embed_documents(["text"])
        gate.set()
        await embedder.wait_ready(BOUND)
        assert (await embedder.embed_query("text")).shape == (SIZE,)


async def test_a_failed_load_is_told_with_its_reason_and_tried_again_by_the_next_call() -> None:
    outcomes: list[Exception | None] = [RuntimeError("no memory"), ProviderUnavailable("no network"), None]

    def load() -> FakeEncoder:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome
        return FakeEncoder()

    async with opened(load) as embedder:
        with pytest.raises(ProviderUnavailable, match="no memory"):
            await embedder.embed_query("text")
        states = [embedder.state]
        assert embedder.problem is not None
        assert "no memory" in embedder.problem
        with pytest.raises(ProviderUnavailable, match="no network"):
            await embedder.wait_ready()
        assert (await embedder.embed_query("text")).shape == (SIZE,)
        assert [*states, embedder.state] == [State.FAILED, State.READY]


async def test_a_model_of_other_dimensions_is_refused_with_both_numbers() -> None:
    async with opened(lambda: FakeEncoder(dimensions=768)) as embedder:
        with pytest.raises(ConfigurationError, match=r"(?s)8.*768"):
            await embedder.embed_query("text")


async def test_the_event_loop_answers_while_encoding_and_loading_block_their_threads() -> None:
    encoder, gate = FakeEncoder(gated="slow"), threading.Event()

    def load() -> FakeEncoder:
        assert gate.wait(BOUND)
        return encoder

    async with opened(load) as embedder:
        calls = [
            asyncio.create_task(embedder.embed_query("slow query")),
            asyncio.create_task(embedder.embed_documents(["slow document"])),
        ]
        for _ in range(100):
            await asyncio.sleep(0)  # only a loop that is not blocked comes back
        assert not any(each.done() for each in calls)
        gate.set()
        await happened(encoder.entered)
        for _ in range(100):
            await asyncio.sleep(0)
        assert not any(each.done() for each in calls)
        encoder.gate.set()
        await asyncio.wait_for(asyncio.gather(*calls), BOUND)


async def test_a_query_passes_a_bulk_that_is_under_way() -> None:
    encoder = FakeEncoder(gated="bulk")
    async with opened(lambda: encoder) as embedder:
        bulk = asyncio.create_task(embedder.embed_documents([f"bulk {number}" for number in range(500)]))
        await happened(encoder.entered)
        vector = await asyncio.wait_for(embedder.embed_query("urgent"), BOUND)
        assert vector.shape == (SIZE,)
        assert not bulk.done()
        encoder.gate.set()
        assert len(await asyncio.wait_for(bulk, BOUND)) == 500


async def test_a_cancelled_bulk_encodes_no_further_than_its_slice_and_leaves_the_rest_usable() -> None:
    encoder = FakeEncoder(gated="bulk")
    async with opened(lambda: encoder) as embedder:
        bulk = asyncio.create_task(embedder.embed_documents([f"bulk {number}" for number in range(500)]))
        queued = asyncio.create_task(embedder.embed_documents(["never begun"]))
        await happened(encoder.entered)
        bulk.cancel()
        queued.cancel()
        await asyncio.wait([bulk, queued], timeout=BOUND)
        assert bulk.cancelled()
        assert queued.cancelled()
        encoder.gate.set()
        assert len(await embedder.embed_documents(["after"])) == 1
        assert encoder.encoded == [f"bulk {number}" for number in range(embedding.SLICE_TEXTS)] + ["after"]


async def test_a_call_cancelled_while_the_model_loads_does_not_cancel_the_load() -> None:
    gate = threading.Event()

    def load() -> FakeEncoder:
        assert gate.wait(BOUND)
        return FakeEncoder()

    async with opened(load) as embedder:
        first, second = (asyncio.create_task(embedder.embed_query(each)) for each in ("first", "second"))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first], timeout=BOUND)
        assert first.cancelled()
        gate.set()
        assert (await asyncio.wait_for(second, BOUND)).shape == (SIZE,)


async def test_long_documents_are_sliced_by_their_length() -> None:
    seen: list[int] = []

    class Counting(FakeEncoder):
        def encode(self, texts: Sequence[str], /) -> list[NDArray[np.float32]]:
            seen.append(len(texts))
            return super().encode(texts)

    async with opened(Counting) as embedder:
        await embedder.embed_documents(["x" * 15_000, "x" * 4_000, "x" * 100_000, "x", "x"])
    assert seen == [2, 1, 2]


async def test_closing_ends_a_load_and_fails_the_calls_that_wait_for_it() -> None:
    stopped = threading.Event()

    def load() -> FakeEncoder:
        assert stopped.wait(BOUND)
        raise ProviderUnavailable("it was stopped")

    embedder = Embedder(load, name="fake", dimensions=SIZE, wait_seconds=BOUND, cancel=stopped.set)
    waiting = asyncio.create_task(embedder.embed_query("text"))
    await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(ProviderUnavailable, match="stopped"):
        await asyncio.wait_for(waiting, BOUND)
    with pytest.raises(ProviderUnavailable, match="closed"):
        await embedder.embed_query("text")
    await embedder.close()


async def test_closing_fails_a_queued_call_without_looking_like_its_cancellation() -> None:
    encoder = FakeEncoder(gated="running")
    embedder = Embedder(lambda: encoder, name="fake", dimensions=SIZE, wait_seconds=BOUND)
    running = asyncio.create_task(embedder.embed_documents(["running"]))
    await happened(encoder.entered)
    queued = asyncio.create_task(embedder.embed_documents(["queued"]))
    for _ in range(10):
        await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(ProviderUnavailable, match="closed"):
        await asyncio.wait_for(queued, BOUND)
    encoder.gate.set()
    assert len(await asyncio.wait_for(running, BOUND)) == 1


@pytest.mark.parametrize("during", ["a blocked load", "the runtime's load"])
async def test_a_process_ends_cleanly_while_the_model_loads(during: str, graph: Path) -> None:
    script = """
import asyncio, pathlib, sys, threading
from memory_bank.providers import embedding, onnx_embedding
begun, stop = threading.Event(), threading.Event()
def blocked():
    begun.set()
    stop.wait()
    raise RuntimeError("stopped")
def runtime():
    begun.set()
    while not stop.is_set():
        encoder = onnx_embedding.OnnxEncoder(pathlib.Path(sys.argv[2]))
    return encoder
load = blocked if sys.argv[1] == "a blocked load" else runtime
embedder = embedding.Embedder(load, name="x", dimensions=384, wait_seconds=1, cancel=stop.set)
embedder.start()
begun.wait()
"""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, during, str(graph), stderr=asyncio.subprocess.PIPE
    )
    _, errors = await asyncio.wait_for(process.communicate(), BOUND)
    assert process.returncode == 0, errors.decode()
    assert b"Traceback" not in errors


def test_an_unknown_backend_model_or_size_is_refused_with_what_to_set(tmp_path: Path) -> None:
    def open_with(
        *, backend: str = "auto", model: str = model_files.DEFAULT_MODEL, dimensions: int = 384
    ) -> embedding.Embedder:
        return embedding.open_embedder(
            backend=backend, model=model, dimensions=dimensions, cache_dir=tmp_path, wait_seconds=1, threads=None
        )

    with pytest.raises(ConfigurationError, match=r"embedding\.backend.*'gpu'.*onnx"):
        open_with(backend="gpu")
    with pytest.raises(ConfigurationError, match=r"(?s)1536.*384"):
        open_with(dimensions=1536)
    for model in ("", "../../etc", "a b", "a/b/c", "x" * 5000, "nul\0", "-flag"):
        with pytest.raises(ConfigurationError, match=r"embedding\.model"):
            open_with(model=model)
    assert open_with(model=f"sentence-transformers/{model_files.DEFAULT_MODEL}").name == model_files.DEFAULT_MODEL


async def test_a_graph_that_came_along_is_used_without_export_or_download(graph: Path, tmp_path: Path) -> None:
    for model, graph_dir in ((model_files.DEFAULT_MODEL, graph), (str(graph), None)):
        embedder = embedding.open_embedder(
            backend="auto",
            model=model,
            dimensions=384,
            cache_dir=tmp_path / "cache",
            wait_seconds=BOUND,
            threads=None,
            graph_dir=graph_dir,
        )
        assert (await embedder.embed_query("hello")).shape == (384,)
        assert embedder.name == model_files.DEFAULT_MODEL
        await embedder.close()
    assert not (tmp_path / "cache").exists()


def test_a_folder_with_known_weights_has_the_model_s_name_and_floor(
    weights: model_files.ModelFiles, tmp_path: Path
) -> None:
    other = tmp_path / "some-folder"
    other.symlink_to(weights.directory, target_is_directory=True)
    copy = tmp_path / "copy"
    shutil.copytree(weights.directory, copy)
    for folder in (other, copy):
        assert model_files.name_of(str(folder)) == model_files.DEFAULT_MODEL
        assert embedding.calibrated_floor(model_files.name_of(str(folder))) == 0.30
    with (copy / model_files.WEIGHTS).open("r+b") as stream:
        stream.seek(-1, 2)
        stream.write(b"\x7f")
    assert model_files.name_of(str(copy)) == "copy"
    assert embedding.calibrated_floor("copy") == 0.0


async def test_an_observer_is_told_of_every_call_of_the_model_and_of_queries_known_before() -> None:
    class Observer:
        def __init__(self) -> None:
            self.calls: list[tuple[str, int]] = []
            self.hits: list[bool] = []

        def embedded(self, kind: str, *, texts: int, seconds: float) -> None:
            assert seconds >= 0
            self.calls.append((kind, texts))

        def looked_up(self, *, hit: bool) -> None:
            self.hits.append(hit)

    observer = Observer()
    embedder = Embedder(FakeEncoder, name="fake", dimensions=SIZE, wait_seconds=BOUND, observer=observer)
    try:
        for query in ("one", "other", "one"):
            await embedder.embed_query(query)
        await embedder.embed_documents(["text"] * (embedding.SLICE_TEXTS + 1))
    finally:
        await embedder.close()
    assert observer.hits == [False, False, True]
    assert observer.calls == [("query", 1), ("query", 1), ("documents", embedding.SLICE_TEXTS), ("documents", 1)]
