"""Redaction: what stands in the place of a secret, and how secrets that were found are taken out of a text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]{1,80}\]", re.IGNORECASE)
"""What stands in the place of a secret, in whatever case: tags are stored in lower case."""

_LESS_TELLING = frozenset({"secret", "password", "authorization", "url-credential"})


@dataclass(frozen=True, kw_only=True)
class Secret:
    """A secret in a text: `text[start:end]`, in characters. kind: letters, digits and hyphens, as in `github-pat`."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, kw_only=True)
class Joined:
    """What is left of a text without some of its characters, and where each of the others stands in it."""

    text: str
    places: Sequence[int]

    def placed(self, secret: Secret) -> Secret:
        """Return where a secret in `text` stands in the whole text, whatever was left out within it included."""
        return Secret(start=self.places[secret.start], end=self.places[secret.end - 1] + 1, kind=secret.kind)


def without(pattern: re.Pattern[str], text: str) -> Joined:
    """Return `text` without what `pattern` matches."""
    kept, places, at = [], list[int](), 0
    for match in pattern.finditer(text):
        kept.append(text[at : match.start()])
        places += range(at, match.start())
        at = match.end()
    kept.append(text[at:])
    places += range(at, len(text))
    return Joined(text="".join(kept), places=places)


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """A text without its secrets, and the kinds of those that were taken out, each once, in their order."""

    text: str
    found: tuple[str, ...] = ()


def redacted(text: str, secrets: Iterable[Secret]) -> Redacted:
    """Return `text` with each of `secrets` replaced by `[REDACTED:kind]`; everything else stays as it is.

    Secrets that overlap are replaced as one, so that no piece of either is left. What was redacted before stays, so
    that redacting twice changes nothing more.
    """
    kept = [placeholder.span() for placeholder in PLACEHOLDER.finditer(text)] if "[" in text else []
    pieces, found, at = [], dict[str, None](), 0
    for secret in _joined(_outside(secrets, kept)):
        pieces += [text[at : secret.start], f"[REDACTED:{secret.kind}]"]
        found[secret.kind] = None
        at = secret.end
    return Redacted(text="".join([*pieces, text[at:]]), found=tuple(found)) if pieces else Redacted(text=text)


def _outside(secrets: Iterable[Secret], kept: list[tuple[int, int]]) -> list[Secret]:
    if not kept:
        return list(secrets)
    return [each for each in secrets if not any(start < each.end and each.start < end for start, end in kept)]


def _joined(secrets: list[Secret]) -> list[Secret]:
    """Return the secrets in order, overlapping ones joined under the more telling kind."""
    joined: list[Secret] = []
    for each in sorted(secrets, key=lambda secret: (secret.start, -secret.end)):
        before = joined[-1] if joined else None
        if before is None or each.start >= before.end:
            joined.append(each)
            continue
        kind = each.kind if before.kind in _LESS_TELLING and each.kind not in _LESS_TELLING else before.kind
        joined[-1] = Secret(start=before.start, end=max(before.end, each.end), kind=kind)
    return joined
