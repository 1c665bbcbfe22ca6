"""Characters that nobody sees, set into a text: a secret's name or the secret itself may be broken up by them."""

import re
from collections.abc import Callable, Iterable, Iterator

from memory_bank.domain import redaction
from memory_bank.domain.redaction import Secret

# soft hyphen, zero-width spaces and joiners, direction marks, word joiner, byte order mark
_HIDDEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")


def found(text: str, find: Callable[[str], Iterable[Secret]]) -> Iterator[Secret]:
    """Return what `find` finds in `text` as it is read: without its hidden characters; nothing where there are none."""
    if text.isascii() or _HIDDEN.search(text) is None:
        return
    read = redaction.without(_HIDDEN, text)
    yield from map(read.placed, find(read.text))
