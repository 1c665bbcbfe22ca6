"""Secrets in texts: the detectors of the Kingfisher library together with the domain's own patterns."""

import asyncio
import hashlib
import logging
import re
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from memory_bank.domain import redaction
from memory_bank.domain import secrets as patterns
from memory_bank.domain.redaction import Redacted, Secret
from memory_bank.domain.secrets import hidden, tokens
from memory_bank.errors import ConfigurationError

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

logger = logging.getLogger(__name__)

# Detectors that look for any hexadecimal or alphanumeric run near a vendor's name: a git hash beside the word "heroku"
# is no secret. What such a run is given to (HEROKU_API_KEY=...) is found by the domain's patterns.
_CONTEXTUAL = re.compile(r"\{0,(?:\d+,)?\d+\}\?|\{0,\d\d\}\)\[|\(\?:=\|>|\[=:")
# Detectors of whole addresses, of which only the password is to go; of whole documents; of too weak a shape.
_LEFT_OUT = frozenset(
    (
        "aws-session-token",
        "bitbucketcredentials",
        "codecatalystcredentials",
        "codecommitcredentials",
        "curl-auth-header",
        "curl-auth-user",
        "devcycle-client-sdk-key",
        "devcycle-mobile-sdk-key",
        "devcycle-server-sdk-key",
        "freemius-secret-key",
        "gcp-application-default-credentials",
        "gcp-service-account",
        "generic-credential-uri",
        "gitlab-incoming-mail-address-token",
        "hcpclientcredentials",
        "jwt",
        "kubernetes-secret-yaml",
        "mongodb-connection-string",
        "nuget-config-password",
        "private-key",
        "proof-full-access-api-key",
        "sidekiq-sensitive-url",
        "slack-webhook-url",
        "thunderstore-api-token",
        "zai-api-key",
    )
)
_PREFIX = re.compile(r"^(?:betterleaks\.|veles\.secrets/)|\.\d+$")
# What ends a token for some detectors only: one character each, so that places stay the same.
_ASIDE = {ord(mark): " " for mark in ",()[]{}<>|*&"}
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_TOKEN = re.compile(r"[A-Za-z0-9_-]*")
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9_.-]{10})\\?\r?\n[ \t]{0,8}(?=[A-Za-z0-9_.-]{4})")
_REMEMBERED = 65_536


Detectors = tuple["Scanner", frozenset[str]]
"""The library's scanner, and which of its detectors are asked."""


class _Shared:
    """The detectors of this process: they are the same for every app in it."""

    starting = threading.Lock()
    loading: Future[Detectors] | None = None


class SecretRedactor:
    """Takes secrets out of texts; safe to use from several threads.

    cache_dir: where the library keeps its compiled detectors: made in seconds once, read in a fraction of one after.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._clean: dict[bytes, None] = {}

    def start(self) -> "Future[Detectors]":
        """Begin to load the detectors, beside whatever else is done; return what will hold them."""
        with _Shared.starting:
            if _Shared.loading is None:
                _Shared.loading = Future()
                work = (self._cache_dir, _Shared.loading)
                threading.Thread(target=_load, args=work, name="secrets", daemon=True).start()
            return _Shared.loading

    async def ready(self) -> None:
        """Wait until the detectors are loaded; raises `ConfigurationError` when they cannot be."""
        loading = self.start()
        if not loading.done():
            await asyncio.shield(asyncio.wrap_future(loading))
        loading.result()

    def redacted(self, text: str) -> Redacted:
        """Return `text` without its secrets.

        Takes time that grows with the text's length, waits for the detectors if need be, and raises
        `ConfigurationError` when they cannot be loaded.
        """
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._clean:
            return Redacted(text=text)
        done = redaction.redacted(text, [*self._all_found(text), *patterns.found(text)])
        if not done.found:
            if len(self._clean) >= _REMEMBERED:
                self._clean.clear()
            self._clean[digest] = None
        return done

    def _all_found(self, text: str) -> Iterator[Secret]:
        yield from self._found(text)
        yield from hidden.found(text, self._found)

    def _found(self, text: str) -> Iterator[Secret]:
        scanner, wanted = self.start().result()
        view = _view(text)
        whole = list(_scanned(scanner, wanted, view))
        yield from whole
        if "\n" in view and _WRAPPED.search(view) is not None:
            known = {each.start for each in whole}
            yield from (each for each in _across_lines(scanner, wanted, view) if each.start not in known)


def load(cache_dir: Path) -> Detectors:
    """Load the library and compile its detectors, or read them from `cache_dir`, which is made if need be."""
    # imported here: its native library has 36 MB, which a process that redacts nothing need not load
    import kingfisher_sdk  # noqa: PLC0415

    rules = kingfisher_sdk.Rules(confidence="low", cache_dir=cache_dir)
    wanted = frozenset(
        each["id"]
        for each in rules.metadata()
        if each["visible"]
        and _PREFIX.sub("", each["id"]) not in _LEFT_OUT
        and _CONTEXTUAL.search(rules.detail(each["id"])["pattern"] or "") is None
    )
    return kingfisher_sdk.Scanner(rules, base64=False), wanted


def _load(cache_dir: Path, loading: Future[Detectors]) -> None:
    try:
        loading.set_result(load(cache_dir))
    except BaseException as error:  # noqa: BLE001 - whoever waits for the detectors is told
        logger.error("The detectors of secrets could not be loaded.", extra={"reason": str(error)})
        told = ConfigurationError(
            f"the detectors of secrets could not be loaded ({error}); install kingfisher-secret-scanner again, "
            "or set redaction.enabled=false (REDACTION_ENABLED) to store secrets as they come"
        )
        loading.set_exception(told)


def _view(text: str) -> str:
    """Return `text` as the library reads it best, character for character: ASCII, tokens ended by white space."""
    view = text if text.isascii() else _FOREIGN.sub(" ", text)
    return _SENTENCE_END.sub(" ", view.translate(_ASIDE))


def _scanned(scanner: "Scanner", wanted: frozenset[str], view: str) -> Iterator[Secret]:
    for finding in scanner.scan(view):
        if not finding.visible or finding.rule_id not in wanted:
            continue
        start, end = finding.location["start_offset"], finding.location["end_offset"]
        # the location is that of the match, which may hold more than the secret
        at = view.find(finding.secret, start, end)
        if at < 0:
            continue
        end = at + len(finding.secret)
        if view[at - 1 : at].isalnum() or _HEX.fullmatch(finding.secret) or not tokens.is_random(finding.secret):
            continue
        rest = _TOKEN.match(view, end)
        assert rest is not None
        yield Secret(start=at, end=rest.end(), kind=_PREFIX.sub("", finding.rule_id))


def _across_lines(scanner: "Scanner", wanted: frozenset[str], view: str) -> Iterator[Secret]:
    """Return what is a secret only when the lines that it was wrapped into are put together."""
    joined = redaction.without(_WRAPPED, view)
    for each in _scanned(scanner, wanted, joined.text):
        whole = joined.placed(each)
        if whole.end - whole.start > each.end - each.start:
            yield whole
