"""Tokens by their shape: those that the library beside this one lacks, or knows at one fixed length only."""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator

from memory_bank.domain.redaction import Secret

_EDGE = r"(?<![A-Za-z0-9_-])"
_SHAPES: dict[str, str] = {
    "github-token": r"gh[opsur]_[A-Za-z0-9_]{30,255}|github_pat_[A-Za-z0-9_]{40,255}",
    "gitlab-token": r"gl(?:pat|ptt|rt|dt|cbt|agent|soat|ft|imt|oas|ffct|wt)-[A-Za-z0-9_.-]{20,300}",
    "bitbucket-token": r"ATBB[A-Za-z0-9]{24,60}|AT(?:ATT|CTT)3[A-Za-z0-9_=-]{40,300}",
    "openai-key": r"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{32,300}|sess-[A-Za-z0-9]{40}",
    "anthropic-key": r"sk-ant-[A-Za-z0-9]{3,12}-[A-Za-z0-9_-]{24,300}",
    "openrouter-key": r"sk-or-v\d-[A-Za-z0-9]{24,128}",
    "huggingface-token": r"(?:hf|api_org)_[A-Za-z0-9]{30,60}",
    "npm-token": r"npm_[A-Za-z0-9]{30,60}",
    "pypi-token": r"pypi-AgE[A-Za-z0-9_-]{40,1000}",
    "slack-token": r"xox[a-z]-[A-Za-z0-9-]{20,300}|xapp-\d-[A-Za-z0-9-]{20,300}|xoxe\.xox[bp]-\d-[A-Za-z0-9]{40,300}",
    "stripe-key": r"[prs]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{24,80}",
    "google-key": r"AIza[A-Za-z0-9_-]{35,39}|GOCSPX-[A-Za-z0-9_-]{24,40}|ya29\.[A-Za-z0-9_-]{30,500}"
    r"|1//0[A-Za-z0-9_-]{40,200}",
    "aws-key": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "azure-secret": r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
    "sendgrid-key": r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
    "telegram-token": r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}",
    "mailgun-key": r"key-[0-9a-f]{32}",
    "mailchimp-key": r"[0-9a-f]{32}-us\d{1,2}",
    "digitalocean-token": r"do[opr]_v1_[a-f0-9]{64}",
    "shopify-token": r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    "vault-token": r"hv[bs]\.[A-Za-z0-9_-]{24,300}",
    "grafana-token": r"gl(?:sa|c)_[A-Za-z0-9+/_=-]{32,300}",
    "docker-token": r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,60}",
    "databricks-token": r"dapi[a-f0-9]{32}(?:-\d)?",
    "linear-key": r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}",
    "notion-token": r"(?:ntn_|secret_)[A-Za-z0-9]{40,50}",
    "figma-token": r"figd_[A-Za-z0-9_-]{36,60}",
    "groq-key": r"gsk_[A-Za-z0-9]{40,60}",
    "xai-key": r"xai-[A-Za-z0-9_-]{60,120}",
    "perplexity-key": r"pplx-[A-Za-z0-9]{40,60}",
    "replicate-token": r"r8_[A-Za-z0-9]{36,40}",
    "age-key": r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}",
    "sentry-token": r"sntry[su]_[A-Za-z0-9+/=_-]{40,400}",
    "newrelic-key": r"NRAK-[A-Z0-9]{27}",
    "square-token": r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}",
    "memory-bank-token": r"mb_[a-z2-7]{12}_[A-Za-z0-9_-]{43}",
    "terraform-token": r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}",
}
_ANY = re.compile(_EDGE + "(?:" + "|".join(f"(?P<k{n}>{shape})" for n, shape in enumerate(_SHAPES.values())) + ")")
_KINDS = {f"k{n}": kind for n, kind in enumerate(_SHAPES)}
# Nothing else begins like these, however spelt the rest looks.
_UNMISTAKABLE = frozenset(
    (
        "anthropic-key",
        "aws-key",
        "digitalocean-token",
        "github-token",
        "huggingface-token",
        "memory-bank-token",
        "npm-token",
        "pypi-token",
        "sendgrid-key",
        "slack-token",
        "stripe-key",
    )
)
# What every shape starts with, but for those that begin with free characters.
_STARTS = re.compile(
    r"gh[opsur]_|hub_pat|gl[a-z]{1,5}[-_]|AT(?:BB|ATT|CTT)|sk-|sess-|(?:hf|npm|org|sntry[su]|dckr|lin|gsk|r8|v1|figd|ntn|secret|whsec)_"
    r"|pypi-|xox|xapp|k_(?:live|test|prod)_|AIza|GOCSPX|ya29|1//0|(?:AKIA|ASIA|ABIA|ACCA)|Q~|SG\.|:AA|key-|-us\d|shp"
    r"|mb_|hv[bs]\.|dapi|xai-|pplx-|AGE-|NRAK|sq0|atlasv1"
)
_WORD = re.compile(r"[a-z]{16}")
_JWT = re.compile(_EDGE + r"(eyJ[A-Za-z0-9_-]{8,4000}+)\.([A-Za-z0-9_-]{2,20000}+)\.([A-Za-z0-9_-]{0,4000}+)")
_DISCORD = re.compile(_EDGE + r"([MNO][A-Za-z0-9_-]{22,28})\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])")


def found(text: str) -> Iterator[Secret]:
    """Return the tokens in `text`."""
    if _STARTS.search(text) is not None:
        for match in _ANY.finditer(text):
            token = match[0].rstrip(".-")
            kind = _KINDS[match.lastgroup or ""]
            if kind in _UNMISTAKABLE or is_random(token):
                yield Secret(start=match.start(), end=match.start() + len(token), kind=kind)
    if "eyJ" in text:
        yield from _checked(_JWT, text, "jwt", lambda match: _is_header(match[1]))
    if text.count(".") > 1:
        yield from _checked(_DISCORD, text, "discord-token", lambda match: _decoded(match[1]).isdigit())


def is_random(token: str) -> bool:
    """Tell whether a token's characters look drawn, not spelt: a name in code has hardly a digit or a strange case."""
    digits = sum(each.isdigit() for each in token)
    upper, lower = sum(each.isupper() for each in token), sum(each.islower() for each in token)
    return _WORD.search(token) is None and (digits >= 3 or (digits >= 1 and upper >= 3) or (upper >= 4 and lower >= 4))


def _checked(
    pattern: re.Pattern[str], text: str, kind: str, holds: Callable[[re.Match[str]], bool]
) -> Iterator[Secret]:
    for match in pattern.finditer(text):
        if holds(match):
            yield Secret(start=match.start(), end=match.end(), kind=kind)


def _is_header(part: str) -> bool:
    try:
        return isinstance(json.loads(_decoded(part)), dict)
    except ValueError:
        return False


def _decoded(part: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (binascii.Error, ValueError):
        return b""
