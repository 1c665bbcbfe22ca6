"""PostgreSQL URLs: the spellings that users mount, with user name and password kept apart from the rest."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

_SCHEME = re.compile(r"(?:(jdbc):)?postgres(?:ql)?(?:\+\w+)?:(//)?", re.IGNORECASE)
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^\s:\[\]@]*)(?::(\d{1,5}))?")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ENCODE = "percent-encode special characters, or give user name and password as settings of their own"
# Names that the JDBC driver and libpq spell differently for the same thing.
_FROM_JDBC = {
    "ApplicationName": "application_name",
    "connectTimeout": "connect_timeout",
    "loginTimeout": "connect_timeout",
    "tcpKeepAlive": "keepalives",
}


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a database is. `url` is `postgresql://…` without user name and password, which stand beside it, decoded."""

    url: str
    username: str | None = None
    password: str | None = None


def parsed(text: str) -> Address:
    """Read a `postgresql://`, `postgres://`, `postgresql+driver://` or `jdbc:postgresql:` URL.

    Raises `ValueError` with a sentence that never repeats any part of the URL, since it may hold a password.
    """
    scheme = _SCHEME.match(text)
    if scheme is None or not (scheme[1] or scheme[2]):
        raise ValueError("a PostgreSQL URL looks like postgresql://localhost:5432/postgres")
    rest = text[scheme.end() :] if scheme[2] else _jdbc_short(text[scheme.end() :])
    if "#" in rest or _BROKEN_ESCAPE.search(rest) or re.search(r"\s", rest):
        raise ValueError(f"the URL holds a bare '#', '%' or space: {_ENCODE}")
    location, _, query = rest.partition("?")
    authority, _, database = location.partition("/")
    credentials, _, hosts = authority.rpartition("@")
    if "@" in credentials or "@" in database or "/" in database:
        raise ValueError(f"the URL holds a bare '@' or '/': {_ENCODE}")
    _check_hosts(hosts)
    username, _, password = credentials.partition(":")
    parameters = _parameters(query, jdbc=scheme[1] is not None)
    named = {name: value for name, value in parameters if name in ("user", "password")}
    kept = "&".join(f"{name}={value}" for name, value in parameters if name not in named)
    return Address(
        url=f"postgresql://{hosts}/{database}" + (f"?{kept}" if kept else ""),
        username=_decoded(username or named.get("user", "")),
        password=_decoded(password or named.get("password", "")),
    )


def joined(url: str, *, username: str | None, password: str | None) -> str:
    """Return `url`, as `parsed` made it, with user name and password in it, percent-encoded."""
    if username is None and password is None:
        return url
    secret = "" if password is None else ":" + quote(password, safe="")
    return url.replace("://", f"://{quote(username or '', safe='')}{secret}@", 1)


def masked(url: str) -> str:
    """Return any URL with its password, and every parameter that sounds like a secret, replaced by `***`."""
    bare = re.sub(r"(//[^/?#@]*?:)[^/?#]*@", r"\1***@", url)
    return re.sub(r"(?i)([?&][^=&]*(?:pass|secret|key|token)[^=&]*=)[^&]*", r"\1***", bare)


def _jdbc_short(rest: str) -> str:
    # jdbc:postgresql:NAME means that database on the local machine's port, never a Unix socket.
    return f"localhost/{rest.lstrip('/')}"


def _check_hosts(hosts: str) -> None:
    for host in hosts.split(","):
        match = _HOST.fullmatch(host)
        if match is None or (match[1] is not None and not 0 < int(match[1]) <= 65_535):
            raise ValueError(f"host and port look like localhost:5432, the port from 1 to 65535; {_ENCODE}")


def _parameters(query: str, *, jdbc: bool) -> list[tuple[str, str]]:
    parameters = []
    for pair in filter(None, query.split("&")):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"each parameter behind '?' looks like sslmode=require; {_ENCODE}")
        if jdbc and name == "currentSchema":
            name, value = "options", quote(f"-csearch_path={unquote(value)}", safe="")
        elif jdbc and name in _FROM_JDBC:
            name, value = _FROM_JDBC[name], {"true": "1", "false": "0"}.get(value, value)
        elif jdbc and re.search("[A-Z]", name):
            raise ValueError("a parameter that only the JDBC driver knows; leave out those with capital letters")
        parameters.append((name, value))
    return parameters


def _decoded(text: str) -> str | None:
    try:
        decoded = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(f"the URL's user name or password is not UTF-8: {_ENCODE}") from None
    if "\0" in decoded:
        raise ValueError("a user name or password may not hold NUL")
    return decoded or None
