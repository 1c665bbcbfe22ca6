"""Characters that nobody sees, set into a text: a secret's name or the secret itself may be broken up by them."""

import re
from collections.abc import Callable, Iterable, Iterator

from memory_bank.domain.redaction import Secret

# soft hyphen, zero-width spaces and joiners, direction marks, word joiner, byte order mark
_HIDDEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")


def found(text: str, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
    """Return what `find` finds in `text` as it is read: without its hidden characters; nothing where there are none."""
    if text.isascii() or _HIDDEN.search(text) is None:
        return
    read, places, at = [], list[int](), 0
    for hidden in _HIDDEN.finditer(text):
        read.append(text[at : hidden.start()])
        places += range(at, hidden.start())
        at = hidden.end()
    read.append(text[at:])
    places += range(at, len(text))
    for each in find("".join(read)):
        yield Secret(start=places[each.start], end=places[each.end - 1] + 1, kind=each.kind)
