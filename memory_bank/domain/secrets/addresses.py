"""Credentials in addresses, headers and the files of command-line programs."""

import base64
import binascii
import re
from collections.abc import Iterator

from memory_bank.domain.redaction import Secret
from memory_bank.domain.secrets import placeholders, tokens

_STOP = r"\s\"'<>`\u3000-\u303f\uff00-\uffef\u4e00-\u9fff"
_URL = re.compile(rf"[A-Za-z0-9+]://[^{_STOP}/:@?#]{{0,128}}+:([^{_STOP}/]{{1,256}}+)(?<=[^@])")
_QUERY = re.compile(
    r"[?&;#](?:[A-Za-z0-9_.-]{0,40}(?:api[_-]?key|token|secret|signature|passw(?:or)?d|auth|credential)|key|sig|code|jwt|pwd)"
    rf"=([^{_STOP}&#;,)\]}}]{{8,2048}}+)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(Bearer|Basic|Token|ApiKey|Digest)[ \t]{1,4}([A-Za-z0-9._~+/=-]{12,4096}+)", re.IGNORECASE)
_HEADER = re.compile(
    r"\b(?:Proxy-)?Authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
    rf"([^{_STOP},;]{{12,4096}}+)(?![ \t][A-Za-z0-9])",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    rf"\b(?:[A-Za-z0-9_.-]{{0,30}}sess(?:ion)?(?:[_-]?id)?|sid|connect\.sid|JSESSIONID|PHPSESSID|csrftoken)"
    rf"=([^{_STOP};,&]{{20,4096}}+)",
    re.IGNORECASE,
)
_NETRC = re.compile(r"\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(\S{1,200}+)")
_PGPASS = re.compile(
    r"^(?:[A-Za-z*][A-Za-z0-9_.*-]{0,200}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})"
    r":(?:54\d\d|6432|6543|\*):[\w*-]{1,64}:[\w*.-]{1,64}:(\S{1,200}+)[ \t]*$",
    re.MULTILINE,
)
_COMMANDS = re.compile(
    r"\b(?:curl|wget|http)\b[^\n|]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s\"':]{1,100}:([^\s\"']{3,200}+)"
    r"|\bsshpass\s+-p\s*[\"']?([^\s\"']{3,200}+)"
    r"|\b(?:mysql|mysqldump|mariadb)\b[^\n|]{0,200}?\s-p[\"']?([^\s\"'-][^\s\"']{3,200}+)"
    r"|\bredis-cli\b[^\n|]{0,200}?\s-a\s+[\"']?([^\s\"']{3,200}+)"
)
_NPM_AUTH = re.compile(r":_auth\s{0,4}=\s{0,4}[\"']?([A-Za-z0-9+/=_-]{8,500}+)")
_WEBHOOKS = re.compile(
    r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,200}+)"
    r"|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,21}/([A-Za-z0-9_-]{40,100}+)"
    r"|webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,300}+)"
    r"|api\.telegram\.org/bot(\d{6,12}:[A-Za-z0-9_-]{20,60}+)"
    r"|hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[A-Za-z0-9]{5,20}+)"
    r"|chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_-]{5,30}/messages\?([^\s\"'<>]{30,300}+)"
    r"|open\.(?:feishu|larksuite)\.(?:cn|com)/open-apis/bot/v2/hook/([A-Za-z0-9-]{20,60}+)"
)


def found(text: str) -> Iterator[Secret]:
    """Return the credentials in `text`: of a URL and of a connection string the password alone."""
    if "://" in text:
        yield from _in_urls(text)
    if "=" in text and any(mark in text for mark in "?&#"):
        for match in _QUERY.finditer(text):
            if not placeholders.stands_for_another(match[1]) and placeholders.is_drawn(match[1]):
                yield _secret(match, 1, "url-credential")
    yield from _in_headers(text)
    for pattern, kind in ((_NETRC, "netrc-password"), (_PGPASS, "pgpass-password"), (_COMMANDS, "password")):
        for match in pattern.finditer(text):
            value = match[match.lastindex or 0]
            if not placeholders.stands_for_another(value):
                yield _secret(match, match.lastindex or 0, kind)
    for pattern, kind in ((_NPM_AUTH, "npm-auth"), (_WEBHOOKS, "webhook")):
        for match in pattern.finditer(text):
            if placeholders.is_drawn(match[match.lastindex or 0]):
                yield _secret(match, match.lastindex or 0, kind)


def _in_urls(text: str) -> Iterator[Secret]:
    for match in _URL.finditer(text):
        password, at, host = match[1].rpartition("@")
        # a port is no password, an address without a host none either
        if at and host and password and not placeholders.stands_for_another(password):
            yield Secret(start=match.start(1), end=match.start(1) + len(password), kind="connection-password")


def _in_headers(text: str) -> Iterator[Secret]:
    for match in _SCHEME.finditer(text):
        value = match[2].rstrip(".")
        good = _is_user_and_password(value) if match[1].lower() == "basic" else _is_token(value)
        if good:
            yield Secret(start=match.start(2), end=match.start(2) + len(value), kind="authorization")
    lowered = text.lower()
    if "authorization" in lowered:
        for match in _HEADER.finditer(text):
            if _is_token(match[1]):
                yield _secret(match, 1, "authorization")
    if "cookie" in lowered:
        for match in _COOKIE.finditer(text):
            if placeholders.is_drawn(match[1]):
                yield _secret(match, 1, "session-cookie")


def _is_token(value: str) -> bool:
    return len(value) >= 16 and tokens.is_random(value) and not placeholders.stands_for_another(value)


def _is_user_and_password(value: str) -> bool:
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    return ":" in decoded and decoded.isprintable()


def _secret(match: re.Match[str], group: int, kind: str) -> Secret:
    return Secret(start=match.start(group), end=match.end(group), kind=kind)
