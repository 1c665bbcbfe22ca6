"""Embedding by a provider's interface, through litellm: hosted models, and any server of OpenAI's protocol.

Whatever goes wrong ends within a bounded time, with a message that holds neither note text nor the key.
"""

import concurrent.futures
import logging
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from memory_bank.domain import text
from memory_bank.errors import ConfigurationError, ProviderUnavailable
from memory_bank.providers import litellm_client, vectors
from memory_bank.providers.litellm_client import Failure

# The provider's tokenizer is unknown. A window of 1,000 is about 250 tokens of English, as the default model has, and
# at most about 500 of a script that takes two tokens for three characters: within what every known model reads.
WINDOW = 1_000  # characters, of which one outside ASCII counts twice
OVERLAP = 100  # counted likewise; neighbours share it, so that a sentence on a cut is whole in one of them
BATCH_TEXTS = 32  # the smallest limit that a common server of embeddings has by default
NAME_PREFIX = "litellm:"  # a hub's model of the same name gives other vectors, or the same cut in other windows
_PROBE = "ready"
_POLL_SECONDS = 0.1
_BREAK = re.compile(r"\s")
_SPEAKER = litellm_client.Speaker(
    noun="the embedding model",
    setting="embedding.model (EMBEDDING_MODEL)",
    kind="an embedding model",
    example="openai/text-embedding-3-small",
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where and how a provider is asked: without `base_url`, at its own address.

    timeout: seconds one call may take. attempts: calls for one batch, the first included. total_timeout: seconds one
    batch may take with all its pauses, by default twice the timeout.
    """

    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)
    timeout: float = 30.0
    attempts: int = 4
    total_timeout: float | None = None


class LitellmEncoder:
    """Embeds by asking a provider; `connect` before the first `encode`. Thread-safe."""

    def __init__(
        self,
        model: str,
        *,
        dimensions: int,
        server: Server = Server(),
        draw: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        """Take a litellm name of an embedding model, with the provider's prefix unless `server` has an address.

        `draw` gives the jitter of pauses (0 to 1), `clock` monotonic seconds; `sleep` replaces the waiting that
        `close` ends. Raises `ConfigurationError` for an empty name.
        """
        if not model.strip() or not model.isprintable():
            raise ConfigurationError(
                f"embedding.model: {model[:80]!r} is no model name; set one such as {_SPEAKER.example}"
            )
        self._model = model.strip()
        self.name = NAME_PREFIX + self._model.removeprefix("openai/")  # litellm knows both spellings as one
        self.dimensions = dimensions
        self._api_key = (server.api_key or "").strip() or None
        self._base_url = (server.base_url or "").strip() or None
        self._server = server
        self._draw, self._clock = draw, clock
        self._closed = threading.Event()
        self._sleep = sleep or self._pause

    def connect(self) -> None:
        """Load litellm, about three seconds, and embed a word, so that a wrong setting shows at once.

        Raises `ConfigurationError` naming both lengths when the vectors are not of the expected one, and
        `ProviderUnavailable`.
        """
        self.encode([_PROBE])

    def close(self) -> None:
        """Let every running call fail at once; none succeeds from now on."""
        self._closed.set()

    def pieces(self, text: str) -> int | None:
        """Return None: the provider's vocabulary is its own."""
        return None

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return per text its windows' vectors: float32, shape (windows, dimensions), rows of length 1.

        Raises as `connect` does; `ProviderUnavailable` also where a vector is not finite or zero.
        """
        if not texts:
            return []
        per_text = [windows(text.storable(each)) for each in texts]
        pieces = [window for each in per_text for window in each]
        library = litellm_client.load()
        access = litellm_client.access(
            library, model=self._model, api_key=self._api_key, base_url=self._base_url, speaker=_SPEAKER
        )
        rows = np.concatenate(
            [
                self._batch(library, access, pieces[start : start + BATCH_TEXTS])
                for start in range(0, len(pieces), BATCH_TEXTS)
            ]
        )
        ends = np.cumsum([len(each) for each in per_text])
        return [piece.copy() for piece in np.split(rows, ends[:-1])]

    def _batch(self, library: ModuleType, access: litellm_client.Access, pieces: Sequence[str]) -> NDArray[np.float32]:
        answered = self._answered(library, access, pieces)
        if answered.shape[1] != self.dimensions:
            raise vectors.dimension_mismatch(self.name, actual=answered.shape[1], wanted=self.dimensions)
        return vectors.unit_rows(answered, dimensions=self.dimensions)

    def _answered(
        self, library: ModuleType, access: litellm_client.Access, pieces: Sequence[str]
    ) -> NDArray[np.float64]:
        total = self._server.total_timeout
        end = self._clock() + (2 * self._server.timeout if total is None else total)
        attempts = max(self._server.attempts, 1)
        for attempt in range(1, attempts + 1):
            outcome = self._call(library, access, pieces, seconds=min(self._server.timeout, end - self._clock()))
            if not isinstance(outcome, Failure):
                return outcome
            failure, pause = outcome, outcome.wait(attempt, jitter=self._draw())
            if not failure.retryable or attempt == attempts or pause >= end - self._clock():
                break
            logger.info("The embedding model %s; trying again", failure.reason, extra={"pause_seconds": pause})
            self._sleep(pause)
        raise ProviderUnavailable(f"the embedding model {failure.reason}", retryable=failure.retryable)

    def _call(
        self, library: ModuleType, access: litellm_client.Access, pieces: Sequence[str], *, seconds: float
    ) -> NDArray[np.float64] | Failure:
        def ask() -> NDArray[np.float64] | Failure:
            response = library.embedding(
                model=access.model,
                input=list(pieces),
                api_key=access.api_key,
                api_base=self._base_url,
                encoding_format="float",
                timeout=seconds,
                num_retries=0,
                max_retries=0,
                drop_params=True,
            )
            return _matrix(response.data, count=len(pieces))

        try:
            return self._within(ask, max(seconds, 0.0))
        except TimeoutError:
            return litellm_client.late(seconds)
        except ProviderUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the map from whatever litellm raises to what it means here
            return litellm_client.failure(error, speaker=_SPEAKER, timeout=seconds)

    def _within(
        self, ask: Callable[[], NDArray[np.float64] | Failure], seconds: float
    ) -> NDArray[np.float64] | Failure:
        """Return what `ask` does; raise `TimeoutError` at the limit, `ProviderUnavailable` when this is closed."""
        # A thread of its own, and a daemon: the client's timeout begins anew with every byte, and a server that drips
        # them must hold up neither the caller nor the process's exit.
        answer: Future[NDArray[np.float64] | Failure] = Future()
        threading.Thread(target=_settle, args=(answer, ask), name="embedding-call", daemon=True).start()
        # By the true clock: it is a real server that is waited for.
        end = time.monotonic() + seconds
        while not answer.done():
            self._check_open()
            remaining = end - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            concurrent.futures.wait([answer], timeout=min(remaining, _POLL_SECONDS))
        self._check_open()
        return answer.result()

    def _pause(self, seconds: float) -> None:
        self._closed.wait(seconds)
        self._check_open()

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise ProviderUnavailable("the embedder was closed; restart the service", retryable=False)


def windows(content: str) -> list[str]:
    """Cut a text into overlapping windows of at most `WINDOW`; one window where it fits.

    A cut goes to the last white space in the later half of a window where there is any.
    """
    return list(_windows(content)) or [""]


def _windows(content: str) -> Iterator[str]:
    start = 0
    while start < len(content):
        end = _reach(content, start, WINDOW)
        if end < len(content):
            # white space nearest to the limit, so that no word is cut
            end = next((at for at in range(end, (start + end) // 2, -1) if _BREAK.match(content, at)), end)
        yield content[start:end]
        if end >= len(content):
            return
        start = max(end - _shared(content, start, end), start + 1)


def _reach(content: str, start: int, budget: int) -> int:
    """Return the end of the longest piece from `start` that weighs at most `budget`."""
    piece = content[start : start + budget]
    if piece.isascii():
        return start + len(piece)
    weight = 0
    for offset, character in enumerate(piece):
        weight += 1 if character.isascii() else 2
        if weight > budget:
            return start + offset
    return start + len(piece)


def _shared(content: str, start: int, end: int) -> int:
    """Return how many characters before `end` the next window repeats."""
    return _reach(content[start:end][::-1], 0, OVERLAP)


def _settle(answer: "Future[NDArray[np.float64] | Failure]", ask: Callable[[], NDArray[np.float64] | Failure]) -> None:
    try:
        answer.set_result(ask())
    except BaseException as error:  # noqa: BLE001  whatever ends this thread must reach the call that waits for it
        answer.set_exception(error)


def _matrix(data: object, *, count: int) -> NDArray[np.float64] | Failure:
    """Return an answer's vectors in the order of the inputs, shape (count, length); a failure for anything else."""
    entries = list(data) if isinstance(data, list | tuple) else []
    if len(entries) != count:
        return Failure(reason=f"gave {len(entries)} vectors for {count} texts: try again, or check {_SPEAKER.setting}")
    places = {index: each for each in entries if type(index := _field(each, "index")) is int}
    if places.keys() == set(range(count)):
        entries = [places[index] for index in range(count)]
    try:
        matrix = np.asarray([_field(each, "embedding") for each in entries], dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        return Failure(reason=f"answered with something else than vectors: check {_SPEAKER.setting}", retryable=False)
    return matrix


def _field(entry: object, name: str) -> object:
    return entry.get(name) if isinstance(entry, dict) else getattr(entry, name, None)
