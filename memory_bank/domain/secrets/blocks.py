"""Private keys that come as blocks of lines: PEM, OpenPGP, SSH2 and PuTTY."""

import re
from collections.abc import Iterator

from memory_bank.domain.redaction import Secret
from memory_bank.domain.secrets import tokens

_KIND = "private-key"
_BEGIN = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Between the lines of a key: line ends, also written as \n, and what code, quotes and diffs put around each line.
_BETWEEN = r"(?:\\+[rn]|[\s\"'`,+>|*#;\\])"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset)\s?:[^\n\\]{0,200}"
_BODY = re.compile(rf"{_BETWEEN}*+(?:{_HEADER}{_BETWEEN}++)*+(?:[A-Za-z0-9+/=_-]{{5,}}+{_BETWEEN}*+)++")
_SHORTEST_BODY = 20
# what words about a key hardly have
_RUN = re.compile(r"[A-Za-z0-9+/=]{16}")
_LAST_LINE = 100
"""Characters after the whole lines of a body in which its END is looked for."""

_FEW = re.compile(r"(?=.*[0-9])(?=.*[A-Z])(?=.*[a-z])(?!(?i:.*(?:base64|key|data|your|here)))[A-Za-z0-9+/=]{8,}")
# a last line that is cut, or that only fills the bytes up
_REST = re.compile(r"[A-Za-z0-9+/]{1,4}={0,3}\s*\Z|[A-Za-z0-9+/]{1,3}={1,3}(?=\s)|-{1,4}\Z")
_EDGES = " \t\r\n\"'`,+>|*#;\\"

_PUTTY = re.compile(r"Private-Lines: ?(\d{1,3})\r?\n")
_PUTTY_LINE = re.compile(r"[A-Za-z0-9+/=]{1,100}+(?:\r?\n|\Z)")


def found(text: str) -> Iterator[Secret]:
    """Return the private keys in `text`, each whole; one that is cut ends where its lines do."""
    if "PRIVATE KEY" in text:
        yield from _pem(text)
    if "Private-Lines:" in text:
        yield from _putty(text)


def _pem(text: str) -> Iterator[Secret]:
    at = 0
    while (begin := _BEGIN.search(text, at)) is not None:
        at = begin.end()
        body = _BODY.match(text, at)
        if body is None:
            continue
        # what may stand in a body may stand in its END as well
        last = _END.search(text, at, body.end() + _LAST_LINE)
        lines = text[at : body.end() if last is None else last.start()]
        if (len(lines) < _SHORTEST_BODY or _RUN.search(lines) is None) and not _is_short(lines):
            # a mention of the first line alone is no key
            continue
        if last is None:
            rest = _REST.match(text, body.end())
            lines = text[at : body.end() if rest is None else rest.end()]
            end = at + len(lines.rstrip(" \t\r\n\"'`,+\\;"))
        else:
            end = last.end()
        yield Secret(start=begin.start(), end=end, kind=_KIND)
        at = max(body.end(), end)


def _is_short(body: str) -> bool:
    """Tell whether a few characters below the first line are a key's, and no gap to fill in."""
    lines = body.strip(_EDGES)
    return body[:1] in ("\r", "\n", "\\") and _FEW.fullmatch(lines) is not None and tokens.is_random(lines)


def _putty(text: str) -> Iterator[Secret]:
    for head in _PUTTY.finditer(text):
        at = head.end()
        for _ in range(int(head[1])):
            line = _PUTTY_LINE.match(text, at)
            if line is None:
                break
            at = line.end()
        if at > head.end():
            yield Secret(start=head.end(), end=len(text[:at].rstrip("\r\n")), kind=_KIND)
