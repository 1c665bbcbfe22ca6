"""The analyst that asks a language model, through litellm: any provider, local servers included.

One call for a note's analysis, one call for all its link candidates. Whatever goes wrong ends in
`ProviderUnavailable` within a bounded time, with a message that holds neither note text nor the key.
"""

import asyncio
import functools
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from types import ModuleType
from typing import TypeVar

from memory_bank.domain import analysis as analyses
from memory_bank.domain import links
from memory_bank.errors import ProviderUnavailable
from memory_bank.providers import litellm_client, prompts, replies
from memory_bank.providers.litellm_client import Failure

logger = logging.getLogger(__name__)

T = TypeVar("T")

_SPEAKER = litellm_client.Speaker(
    noun="the language model",
    setting="openai.model-name (OPENAI_MODEL_NAME)",
    kind="a chat model",
    example="openai/gpt-4o-mini",
)


class _Format(StrEnum):
    """How a provider is told to answer in JSON, beside the prompt that asks for it."""

    SCHEMA = "json_schema"
    JSON = "json_object"
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class _Route:
    """Where calls go: the model's full litellm name and what its provider accepts."""

    library: ModuleType
    model: str
    api_key: str | None
    format: _Format


@dataclass(frozen=True, kw_only=True)
class _Reply:
    """What the model wrote; `cut` where it hit the limit of tokens."""

    text: str
    cut: bool


@dataclass(kw_only=True)
class _Deadline:
    """The end of one task's time; it runs from the first call, so that waiting for a free slot does not count."""

    clock: Callable[[], float]
    seconds: float
    end: float | None = field(default=None)

    def start(self) -> None:
        if self.end is None:
            self.end = self.clock() + self.seconds

    def remaining(self) -> float:
        return self.seconds if self.end is None else self.end - self.clock()


class LanguageModelAnalyst:
    """Analyse and link notes by asking a language model.

    model: any litellm model name; with a `base_url`, a name without litellm provider prefix is taken to be served by
        an OpenAI-compatible server there, for which no key is needed.
    timeout: seconds one call may take. attempts: calls for one reply, the first included. total_timeout: seconds one
        `analyse` or `judge` may take with all its pauses, by default twice the timeout and a minute; waiting for one
        of the `concurrency` slots does not count.
    sleep, draw, clock: how pauses are waited for, their jitter (0 to 1) and monotonic seconds.

    Notes are sent up to their first `prompts.NOTE_LIMIT` characters, candidates up to `prompts.CANDIDATE_LIMIT`.
    Timeouts, broken connections, 429 and 5xx are tried again with exponential back-off and jitter, or after the pause
    that the provider asks for if it fits into the total time. Not thread-safe: one event loop per analyst.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        temperature: float = 0.7,
        max_tokens: int = 512,
        timeout: float = 30.0,
        attempts: int = 5,
        total_timeout: float | None = None,
        concurrency: int = 4,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        draw: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model.strip()
        self._api_key = (api_key or "").strip() or None
        self._base_url = (base_url or "").strip() or None
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._timeout = timeout
        self._attempts = max(attempts, 1)
        self._total_timeout = 2 * timeout + 60.0 if total_timeout is None else total_timeout
        self._slots = asyncio.Semaphore(concurrency)
        self._sleep, self._draw, self._clock = sleep, draw, clock
        self._format_refused = False
        self.problem: str | None = None
        """Why the last call brought no reply, and what to do; None where it did, or none was made yet."""

    async def probe(self) -> None:
        """Ask for a single word, once; raises `ProviderUnavailable` naming what to change when no reply comes."""
        route = self._found(await _library())
        deadline = _Deadline(clock=self._clock, seconds=self._timeout)
        deadline.start()
        outcome = await self._completion(route, prompts.PROBE, _Format.NONE, deadline)
        if not isinstance(outcome, _Reply):
            raise ProviderUnavailable(f"the language model {outcome.reason}", retryable=outcome.retryable)

    async def analyse(self, content: str) -> analyses.Analysis:
        """Return keywords, core theme and tags of a note.

        Raises `ProviderUnavailable` when the model gives no usable answer.
        """
        return await self._ask(prompts.analysis(content), replies.analysis)

    async def judge(self, content: str, candidates: Sequence[links.Candidate]) -> list[links.Judgement]:
        """Return the links from a note to those candidates that it relates to, at most one for each.

        One call for all candidates, none without any. Raises `ProviderUnavailable` when the model gives no usable
        answer; entries of an answer that break a rule are left out with a warning.
        """
        if not candidates:
            return []
        labels = prompts.labels(len(candidates))
        offered = {label: candidate.id for label, candidate in zip(labels, candidates, strict=True)}
        return await self._ask(
            prompts.judgement(content, candidates), functools.partial(replies.judgements, offered=offered)
        )

    async def contradict(self, entity: str, pairs: Sequence[tuple[str, str]]) -> list[str | None]:
        """Return for each pair of facts about `entity`, earlier and later, why they contradict, or None.

        One call for all pairs, none without any. Raises `ProviderUnavailable` as `judge` does.
        """
        if not pairs:
            return []
        labels = prompts.labels(len(pairs))
        found = await self._ask(
            prompts.contradictions(entity, pairs), functools.partial(replies.contradictions, offered=labels)
        )
        return [found.get(label) for label in labels]

    async def aclose(self) -> None:
        """Close the connections that litellm keeps open; they are shared by every analyst of the process."""
        library = litellm_client.loaded()
        if library is not None:
            await library.close_litellm_async_clients()
            library.in_memory_llm_clients_cache.flush_cache()

    async def _ask(self, prompt: prompts.Prompt, read: Callable[[str], T]) -> T:
        library = await _library()
        route = self._found(library)
        deadline = _Deadline(clock=self._clock, seconds=self._total_timeout)
        reply = await self._reply(route, prompt, deadline)
        with suppress(ProviderUnavailable):
            return read(reply.text)
        # A reply that cannot be used may be bad luck; a second one is the model's manner.
        logger.info("A reply of the language model could not be used; asking once more")
        reply = await self._reply(route, prompt, deadline)
        try:
            return read(reply.text)
        except ProviderUnavailable as unusable:
            raise (self._too_short() if reply.cut else unusable) from None

    async def _reply(self, route: _Route, prompt: prompts.Prompt, deadline: _Deadline) -> _Reply:
        for attempt in range(1, self._attempts + 1):
            outcome = await self._call(route, prompt, deadline)
            if isinstance(outcome, _Reply):
                self.problem = None
                return outcome
            failure, pause = outcome, outcome.wait(attempt, jitter=self._draw())
            if not failure.retryable or attempt == self._attempts or pause >= deadline.remaining():
                break
            logger.info("The language model %s; trying again", failure.reason, extra={"pause_seconds": pause})
            await self._sleep(pause)
        self.problem = f"the language model {failure.reason}"
        raise ProviderUnavailable(self.problem, retryable=failure.retryable)

    def _found(self, library: ModuleType) -> _Route:
        try:
            return _route(library, model=self._model, api_key=self._api_key, base_url=self._base_url)
        except ProviderUnavailable as error:
            self.problem = str(error)
            raise

    async def _call(self, route: _Route, prompt: prompts.Prompt, deadline: _Deadline) -> _Reply | Failure:
        async with self._slots:
            deadline.start()
            wanted = _Format.NONE if self._format_refused else route.format
            outcome = await self._completion(route, prompt, wanted, deadline)
            if wanted is _Format.NONE or isinstance(outcome, _Reply) or not outcome.request_refused:
                return outcome
            plain = await self._completion(route, prompt, _Format.NONE, deadline)
            # Only an accepted plain request shows that it was the format that was refused.
            if isinstance(plain, _Reply):
                self._format_refused = True
            return plain

    async def _completion(
        self, route: _Route, prompt: prompts.Prompt, wanted: _Format, deadline: _Deadline
    ) -> _Reply | Failure:
        seconds = min(self._timeout, max(deadline.remaining(), 0.0))
        try:
            async with asyncio.timeout(seconds):
                response = await route.library.acompletion(
                    model=route.model,
                    messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                    api_key=route.api_key,
                    api_base=self._base_url,
                    temperature=self._temperature,
                    max_tokens=self._max_tokens,
                    response_format=_response_format(wanted, prompt),
                    timeout=self._timeout,
                    num_retries=0,
                    max_retries=0,
                    drop_params=True,
                )
                choice = response.choices[0]
                return _Reply(text=choice.message.content or "", cut=choice.finish_reason == "length")
        except TimeoutError:
            return litellm_client.late(seconds)
        except Exception as error:  # noqa: BLE001 - the map from whatever litellm raises to what it means here
            return litellm_client.failure(error, speaker=_SPEAKER, timeout=seconds)

    def _too_short(self) -> ProviderUnavailable:
        return ProviderUnavailable(
            f"the language model's reply was cut at {self._max_tokens} tokens; raise openai.max-tokens"
            " (OPENAI_MAX_TOKENS)"
        )


def _response_format(wanted: _Format, prompt: prompts.Prompt) -> Mapping[str, object] | None:
    match wanted:
        case _Format.SCHEMA:
            schema = {"name": prompt.name, "schema": prompt.schema, "strict": True}
            return {"type": "json_schema", "json_schema": schema}
        case _Format.JSON:
            return {"type": "json_object"}
        case _Format.NONE:
            return None


def _route(library: ModuleType, *, model: str, api_key: str | None, base_url: str | None) -> _Route:
    """Find the provider of a model name, and the best way it offers to ask for JSON.

    Raises `ProviderUnavailable`, not retryable, when no provider or no key is known.
    """
    access = litellm_client.access(library, model=model, api_key=api_key, base_url=base_url, speaker=_SPEAKER)
    wanted = _format(library, access.model, access.provider, base_url)
    return _Route(library=library, model=access.model, api_key=access.api_key, format=wanted)


def _format(library: ModuleType, model: str, provider: str, base_url: str | None) -> _Format:
    # Local servers understand schemas more often than litellm's list knows; the rest say no once.
    if (provider == "openai" and base_url) or library.supports_response_schema(model=model):
        return _Format.SCHEMA
    accepted = library.get_supported_openai_params(model=model) or []
    return _Format.JSON if "response_format" in accepted else _Format.NONE


async def _library() -> ModuleType:
    library = litellm_client.loaded()
    return await asyncio.to_thread(litellm_client.load) if library is None else library
