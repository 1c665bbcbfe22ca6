"""Volatility: facts that change without anybody telling, and how to find out whether they still hold."""

import re
from dataclasses import dataclass

STALE_DAYS = 30
"""Days after which a thing that nobody stated or recalled is stale."""

UNVERIFIED_DAYS = 7
"""Days after which a volatile fact wants to be verified."""

_READ_LENGTH = 2_000


@dataclass(frozen=True, kw_only=True)
class Volatile:
    """What in a fact changes easily, and how to verify it."""

    what: str
    hint: str


_PATTERNS = (
    (
        re.compile(r"\blocalhost:\d{2,5}\b|\b127\.0\.0\.1:\d{2,5}\b", re.IGNORECASE),
        "a local address",
        "open it, or ask the service's own configuration",
    ),
    (
        re.compile(
            r"\bports?\b\W{0,3}(?:\w+\W+){0,3}?\d{2,5}\b|\b(?:puerto|port|porta|端口|ポート)\D{0,8}\d{2,5}",
            re.IGNORECASE,
        ),
        "a port",
        "look at what listens on it, or into the service's configuration",
    ),
    (
        re.compile(
            r"\bv?\d{1,4}\.\d{1,4}\.\d{1,6}\b|\b(?:version|versión|Version|版本|バージョン)\W{0,3}v?\d{1,4}(?:\.\d{1,4})?",
            re.IGNORECASE,
        ),
        "a version",
        "ask the program for its version, or read its lock file",
    ),
    (
        re.compile(r"(?:^|[\s\"'`(])(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@~-]{1,80}){1,12}\.\w{1,8}\b"),
        "a path",
        "look whether the file is still there",
    ),
    (
        re.compile(
            r"\bprocess\.env\b|\bos\.environ\b|\benv(?:ironment)? var(?:iable)?s?\b|\$\{?[A-Z][A-Z0-9_]{2,}",
            re.IGNORECASE,
        ),
        "an environment variable",
        "look into the environment and the deployment's settings",
    ),
    (
        re.compile(r"\bapi[ _-]?keys?\b|\baccess tokens?\b", re.IGNORECASE),
        "a key or token",
        "ask whoever issued it whether it still works",
    ),
    (
        re.compile(r"\bbranch(?:es)?\b|\brama\b|分支|ブランチ", re.IGNORECASE),
        "a branch",
        "list the repository's branches",
    ),
    (re.compile(r"\bhttps?://\S{4,}", re.IGNORECASE), "an address", "open it"),
)


def of(fact: str) -> Volatile | None:
    """Return what in a fact changes easily, the first kind that is found; None for a fact that lasts."""
    read = fact[:_READ_LENGTH]
    for pattern, what, hint in _PATTERNS:
        if pattern.search(read):
            return Volatile(what=what, hint=hint)
    return None
