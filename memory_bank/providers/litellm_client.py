"""Litellm as a client: loading it quietly, finding a model's provider, and what its errors mean and ask for.

Shared by the analyst and the embedding; nothing here repeats a provider's own message, which may hold key or note.
"""

import email.utils
import functools
import logging
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import ModuleType

from memory_bank.errors import ProviderUnavailable

KEY = "openai.api-key (OPENAI_API_KEY)"
ADDRESS = "openai.base-url (OPENAI_BASE_URL)"
# What litellm demands and servers without keys ignore.
_PLACEHOLDER_KEY = "no-key"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0

_loading = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Who asks, for messages: `noun` as in "the language model", the setting that names it, its kind, an example."""

    noun: str
    setting: str
    kind: str
    example: str


@dataclass(frozen=True, kw_only=True)
class Access:
    """A model's full litellm name, its provider and the key to send."""

    model: str
    provider: str
    api_key: str | None


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a call brought no reply; `pause` is how many seconds the provider asked to be left alone."""

    reason: str
    retryable: bool = True
    pause: float | None = None
    request_refused: bool = False

    def wait(self, attempt: int, *, jitter: float) -> float:
        """Return the seconds to wait after attempt number `attempt` (from 1); `jitter` in [0, 1] shortens by half."""
        if self.pause is not None:
            return self.pause
        longest: float = min(_FIRST_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE)
        return longest * (0.5 + jitter / 2)


def access(library: ModuleType, *, model: str, api_key: str | None, base_url: str | None, speaker: Speaker) -> Access:
    """Find the provider of a model name; with a `base_url`, a name without one is of a server of OpenAI's protocol.

    Raises `ProviderUnavailable`, not retryable, when no provider or no key is known.
    """
    providers = {str(getattr(provider, "value", provider)) for provider in library.provider_list}
    if base_url and ("/" not in model or model.split("/", 1)[0] not in providers):
        model = f"openai/{model}"
    try:
        provider = library.get_llm_provider(model=model)[1]
    except Exception:  # noqa: BLE001 - litellm's way to say that it does not know the name
        provider = None
    if provider is None:
        remedy = f"set {speaker.setting} to one such as {speaker.example}, or set {ADDRESS}"
        raise ProviderUnavailable(f"{speaker.noun} has a name that names no provider: {remedy}", retryable=False)
    if provider == "openai" and api_key is None:
        if base_url is None:
            raise ProviderUnavailable(f"{speaker.noun} needs a key: set {KEY}", retryable=False)
        api_key = _PLACEHOLDER_KEY
    return Access(model=model, provider=provider, api_key=api_key)


def failure(error: Exception, *, speaker: Speaker, timeout: float) -> Failure:
    """Tell what a provider's error means, without its own message."""
    status = getattr(error, "status_code", None)
    match status:
        case 401 | 403:
            return Failure(reason=f"refused the key (HTTP {status}): check {KEY}", retryable=False)
        case 404:
            reason = f"is unknown to its provider (HTTP 404): check {speaker.setting} and {ADDRESS}"
            return Failure(reason=reason, retryable=False)
        case 408:
            return late(timeout)
        case 429:
            return Failure(reason="is over its rate limit (HTTP 429): try again later", pause=_retry_after(error))
        case 400 | 422:
            reason = f"refused the request (HTTP {status}): check that {speaker.setting} names {speaker.kind}"
            return Failure(reason=reason, retryable=False, request_refused=True)
        case int() if 400 <= status < 500 and status not in (409, 425):
            reason = f"refused the request (HTTP {status}): check {KEY} and {speaker.setting}"
            return Failure(reason=reason, retryable=False)
        case _:
            reason = f"failed or broke the connection ({type(error).__name__}): try again later, or check {ADDRESS}"
            return Failure(reason=reason, pause=_retry_after(error))


def late(seconds: float) -> Failure:
    """Return the failure of a call that did not end within `seconds`."""
    reason = f"did not answer within {seconds:.3g} s: try again later, or raise openai.timeout (OPENAI_TIMEOUT)"
    return Failure(reason=reason)


def loaded() -> ModuleType | None:
    """Return litellm where it is loaded already."""
    return _load() if _load.cache_info().currsize else None


def load() -> ModuleType:
    """Return litellm, which takes about three seconds the first time: call it off the event loop."""
    with _loading:
        return _load()


def _retry_after(error: Exception) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, given as a number or as a date."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    if not isinstance(value, str):
        return None
    with suppress(ValueError):
        seconds = float(value)
        return max(seconds, 0.0) if seconds == seconds else None
    with suppress(ValueError):
        moment = email.utils.parsedate_to_datetime(value)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
    return None


@functools.cache
def _load() -> ModuleType:
    """Import litellm once, quiet and without a network call."""
    # Else the import fetches a list of prices from the network,
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # and reads whatever .env file is near into this process's environment.
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    _silence_logs()
    import litellm  # noqa: PLC0415 - takes about three seconds, and many servers never need it

    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.telemetry = False
    # Its embedding takes `max_retries=0` for no answer and would retry by itself, twice, beside the caller.
    litellm.DEFAULT_MAX_RETRIES = 0
    litellm.turn_off_message_logging = True
    for callbacks in (litellm.callbacks, litellm.input_callback, litellm.success_callback, litellm.failure_callback):
        callbacks.clear()
    # Again, for the import adds handlers of its own.
    _silence_logs()
    # The first call imports some forty modules more; a canned one does so here, off the event loop, and sends nothing.
    canned = [{"role": "user", "content": "ready?"}]
    litellm.completion(model="openai/canned", messages=canned, mock_response="{}", api_key=_PLACEHOLDER_KEY)
    library: ModuleType = litellm
    return library


def _silence_logs() -> None:
    """Keep note text and keys out of the logs, and litellm off stdout, which may carry a protocol."""
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        log = logging.getLogger(name)
        log.handlers[:] = [logging.NullHandler()]
        log.propagate = False
        log.setLevel(logging.CRITICAL)
    for name in ("openai", "httpx", "httpcore"):
        log = logging.getLogger(name)
        if log.level == logging.NOTSET:
            log.setLevel(logging.WARNING)
