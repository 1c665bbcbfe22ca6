"""Private keys that come as blocks of lines: PEM, OpenPGP, SSH2 and PuTTY."""

import re
from collections.abc import Iterator

from memory_bank.domain.redaction import Secret

_KIND = "private-key"
_WINDOW = 40_000
"""Characters in which a key ends; the longest real ones have about 13 000."""

_BEGIN = re.compile(r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END = re.compile(r"-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Between the lines of a key: line ends, also written as \n, and what code, quotes and diffs put around each line.
_BETWEEN = r"(?:\\+[rn]|[\s\"'`,+>|*#;\\])"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Subject|Hash|Charset)\s?:[^\n\\]{0,200}"
_BODY = re.compile(rf"{_BETWEEN}*+(?:{_HEADER}{_BETWEEN}++)*+(?:[A-Za-z0-9+/=_-]{{5,}}+{_BETWEEN}*+)++")
_SHORTEST_BODY = 20

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
        # a mention of the first line alone is no key
        if body is None or len(body[0]) < _SHORTEST_BODY:
            continue
        at = body.end()
        last = _END.match(text, at) or _END.search(text, begin.end(), min(at + 100, begin.end() + _WINDOW))
        end = len(text[: body.end()].rstrip(" \t\r\n\"'`,+\\;")) if last is None else last.end()
        yield Secret(start=begin.start(), end=end, kind=_KIND)
        at = max(at, end)


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
