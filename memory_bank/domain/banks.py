"""Banks: the wall around memories. Everything belongs to exactly one bank."""

import re

from memory_bank.errors import InvalidInput

DEFAULT = "default"
_NAME = re.compile(r"[a-z0-9._-]{1,64}", re.ASCII)


def checked_name(name: str) -> str:
    """Return `name` if it may name a bank: 1 to 64 of `a-z 0-9 . _ -`.

    Raises `InvalidInput` for any other text.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput("bank", "a bank's name has 1 to 64 characters of a-z, 0-9, '.', '_' and '-'")
    return name
